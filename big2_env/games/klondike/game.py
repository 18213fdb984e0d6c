"""A game of Klondike in progress: the reference engine, with its history.

| key of a record | value |
| --- | --- |
| `deck` | the 52 cards: pile 1 gets the first, the dealer area the last 24 |
| `position` | instead of `deck`: the position in which the game began (`position`) |
| `won`, `score` | where the acts led |
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from big2_env.errors import ConfigError, IllegalPlayError, NotationError, Refusal, quoted
from big2_env.games.klondike.cards import (
    DEAL,
    NUM_ACTS,
    act_text,
    cards_text,
    parse_act,
    parse_acts,
    parse_card,
    parse_cards,
    shuffled,
)
from big2_env.games.klondike.check import Alive, published_check
from big2_env.games.klondike.moves import after, double_click, is_stuck
from big2_env.games.klondike.position import KlondikePosition, position_data, position_of
from big2_env.games.klondike.scene import LAST_EVENTS, check_text, rules_page, shown_act, view_scene, view_text
from big2_env.games.klondike.view import KlondikeView
from big2_env.json_values import text_at
from big2_env.language import Language, Words
from big2_env.notation.typed import PASSES
from big2_env.scene import RulesPage, Scene, ShownAct
from big2_env.side_game import SideGame

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

REWARDS: Final = ("win", "score")
"""What an act may pay: 1 if it wins, or what it adds to the score."""
MAX_ACTS: Final = 2**31 - 1
"""Most acts that a game may be allowed."""


def check_episode(reward: str, max_acts: int) -> None:
    """Refuse what no episode can be made of.

    Raises:
        ConfigError: an unknown reward, or another number of acts than 1 to `MAX_ACTS`.
    """
    if reward not in REWARDS:
        raise ConfigError(f"unknown reward {reward!r}; expected one of {', '.join(map(repr, REWARDS))}")
    if type(max_acts) is not int or not 1 <= max_acts <= MAX_ACTS:
        raise ConfigError(f"expected max_acts of 1 to {MAX_ACTS:,}, got {max_acts!r}")


class KlondikeMove(NamedTuple):
    """An act of the history."""

    move: int
    before: KlondikePosition
    """The position in which it was done."""
    points: int
    seat: int = 0

    def __str__(self) -> str:
        return f"{act_text(self.move)} {self.points:+d}" if self.points else act_text(self.move)


class KlondikeGame(SideGame):
    """A game from its deal on. Draw one, no limit on the rounds through the dealer area.

    >>> from big2_env.games.klondike.cards import parse_act
    >>> game = KlondikeGame.deal(7)
    >>> [act_text(act) for act in game.legal_moves()]
    ['deal', 'AH>F', '5H>5']
    >>> game.play(parse_act("AH>F")), game.score
    (20, 20)
    """

    name = "klondike"
    num_moves = NUM_ACTS
    num_players = 1
    turn = 0
    scorings = ("score", "win")
    start_keys = ("deck", "position")
    max_moves = 100_000

    def __init__(self, start: Sequence[int] | KlondikePosition) -> None:
        """Begin a game.

        Args:
            start: The deck, whose first card goes to pile 1; or the position in which the game begins.

        Raises:
            ConfigError: not each of the 52 cards once, or a position to which no game can come.
        """
        deck = None if isinstance(start, KlondikePosition) else tuple(start)
        self.start: Final = start.checked() if isinstance(start, KlondikePosition) else KlondikePosition.deal(start)
        """The position in which the game began, face-down cards included."""
        self.deck: Final[tuple[int, ...] | None] = deck
        """The deck; `None` for a game that began in a position."""
        self.state = self.start
        """The position, face-down cards included."""
        self.history: list[KlondikeMove] = []
        """What was done and not taken back."""
        self._seen: tuple[KlondikePosition, KlondikeView] | None = None
        """The position that was looked at last, and its view."""

    @classmethod
    def deal(cls, seed: int = 0) -> KlondikeGame:
        """The game of a seed."""
        return cls(shuffled(seed))

    @classmethod
    def usual(cls, seed: int = 0) -> KlondikeGame:
        """Deal the game of a seed."""
        return cls.deal(seed)

    def restarted(self) -> Self:
        """The same game at its start."""
        return type(self)(self.start if self.deck is None else self.deck)

    def view(self, seat: int | None = None) -> KlondikeView:
        """What the player may know."""
        if self._seen is None or self._seen[0] is not self.state:
            self._seen = self.state, KlondikeView.of(self.state)
        return self._seen[1]

    def legal_moves(self) -> tuple[int, ...]:
        """The legal acts, ascending; none once the game is won."""
        return self.view().moves

    def play(self, move: int) -> int:
        """Do an act and return what it adds to the score.

        Raises:
            ConfigError: no act has that number.
            IllegalPlayError: it is not legal; nothing changes.
        """
        before, self.state = self.state, after(self.state, move)
        points = self.state.score - before.score
        self.history.append(KlondikeMove(move, before, points))
        return points

    def play_all(self, acts: Iterable[int]) -> None:
        """Do one act after another. Raises as `play`, and stops there."""
        for act in acts:
            self.play(act)

    def double_click(self, card: int) -> int:
        """Move a card to its foundation if it fits, else to the first pile that it fits; return what that adds to the score.

        Raises:
            IllegalPlayError: it fits nowhere.
        """
        return self.play(self._double_clicked(card))

    def _double_clicked(self, card: int) -> int:
        act = double_click(self.state, card)
        if act is None:
            raise IllegalPlayError("the card fits nowhere, or can not be taken", Refusal.DOES_NOT_COVER)
        return act

    def undo(self) -> KlondikeMove:
        """The last act; it is taken back. Any act can be, moves between piles too, as far back as the deal.

        The published program keeps 31 positions and none for moves between piles, so its undo takes back more than one act.

        Raises:
            IllegalPlayError: there is none.
        """
        if not self.history:
            raise IllegalPlayError("nothing to take back: this is the deal", Refusal.GAME_OVER)
        move = self.history.pop()
        self.state = move.before
        return move

    @property
    def is_over(self) -> bool:
        """Whether the game is won, or lost for good."""
        view = self.view()
        return view.is_won or (len(view.moves) < 2 and self.is_stuck)

    @property
    def is_won(self) -> bool:
        """Whether every card of the tableau lies face up, so that the game is done."""
        return self.state.is_won

    @property
    def is_stuck(self) -> bool:
        """Whether nothing but dealing is left, now and later: the game is lost."""
        return is_stuck(self.state)

    @property
    def score(self) -> int:
        """The score; once the game is won, with what the cards left add."""
        return self.state.final_score

    def published_check(self) -> Alive:
        """What the published check says: see `big2_env.games.klondike.check`."""
        return published_check(self.state)

    def payoffs(self, scoring: str = "") -> tuple[float, ...] | None:
        """The score, or 1 for a game that is won; `None` before the end."""
        chosen = self.checked_scoring(scoring)
        return None if not self.is_over else (float(self.score if chosen == "score" else self.is_won),)

    # Data and text.

    def start_data(self) -> dict[str, Any]:
        """The deck, pile 1 first and the dealer area last; or the position in which the game began."""
        return {"position": position_data(self.start)} if self.deck is None else {"deck": cards_text(self.deck)}

    @classmethod
    def from_start(cls, data: dict[str, Any]) -> Self:
        """The game of `start_data`."""
        if "position" not in data:
            return cls(parse_cards(text_at(data, "deck", 1000)))
        if "deck" in data:
            raise NotationError("expected deck or position, got both")
        return cls(position_of(data["position"]))

    def rewound(self, number: int) -> Self:
        """The same game after a number of acts."""
        again = self.restarted()
        again.history = self.history[:number]
        again.state = self.history[number].before if number < len(self.history) else self.state
        return again

    def result_data(self) -> dict[str, Any]:
        """Whether the game is won, and the score."""
        return {"won": self.is_won, "score": self.score}

    move_text = staticmethod(act_text)
    parse_move = staticmethod(parse_act)

    # What people see.

    def scene(
        self,
        viewer: int | None = None,
        *,
        open_hands: bool = False,
        names: Sequence[str] | None = None,
        lang: Language | None = None,
        last: int = LAST_EVENTS,
        scoring: str = "",
        scores: Sequence[float] | None = None,
    ) -> Scene:
        """What the player may know now, which is the same for everybody: hidden cards stay hidden."""
        return view_scene(self.view(), self.history, is_stuck=self.is_over and not self.is_won, lang=lang, last=last)

    def shown_move(self, made: KlondikeMove, tr: Words) -> ShownAct:
        """An act as it is shown."""
        return shown_act(made.move, tr)

    def rules_page(self, lang: Language | None = None) -> RulesPage:
        """The rules in words."""
        return rules_page(lang)

    def position_text(self, seat: int, tr: Words) -> str:
        """The view for a terminal."""
        return view_text(self.view(), tr)

    def typed_moves(self, line: str, seat: int, tr: Words) -> tuple[int, ...]:
        """The acts that a person typed: several in a row, `d` for a deal, or a card for the first place that it fits."""
        word = re.sub(r"\s*>\s*", ">", re.sub(r"[\s,，、;；]+", " ", line).strip())
        name = word.lower()
        if name in PASSES or name in ("d", "deal", "發牌", "发牌"):
            return (DEAL,)
        try:
            if ">" in word or name.startswith("deal"):
                return tuple(parse_acts(word))
            card = parse_card(word)
        except NotationError as error:
            message = str(error) if ">" in word or name.startswith("deal") else f"{quoted(word)}? {tr('klondike.help')}"
            shown = message if tr.language is Language.EN else tr("klondike.unclear", help=tr("klondike.help"))
            raise NotationError(f"  {shown}") from None
        return (self._double_clicked(card),)

    def turn_text(self, move: int, tr: Words) -> str:
        """A move that is about to be made, with what it adds to the score."""
        return str(KlondikeMove(move, self.state, after(self.state, move).score - self.state.score))

    def result_text(self, names: Sequence[str], tr: Words) -> str:
        """Whether the game was won or left, the score, and the number of acts."""
        return tr("klondike.won" if self.is_won else "klondike.stopped", score=self.score, acts=len(self.history))

    def answer(self, line: str, tr: Words) -> str:
        """The published check, for `check`."""
        return check_text(self.published_check(), tr) if line == "check" else ""

    def prompt_help(self, tr: Words) -> str:
        """What can be typed at the prompt."""
        return tr("klondike.help")

    def hint_text(self, seat: int, tr: Words) -> str:
        """A plan, from what the player can see."""
        from big2_env.games.klondike.hint import hint, hint_text

        return hint_text(hint(self.view()), tr)

    def observe(self, view: KlondikeView) -> npt.NDArray[np.int8]:
        """A view as a network's input (`observation.LAYOUT`)."""
        from big2_env.games.klondike.observation import observe

        return observe(view)
