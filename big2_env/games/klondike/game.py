"""Reference implementation of Klondike: a game in progress with its history.

| key of a record | value |
| --- | --- |
| `deck` | the 52 cards: pile 1 gets the first one, the dealer area the last 24 |
| `position` | starting position, instead of `deck` (`position`) |
| `won`, `score` | result after the recorded moves |
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from big2_env.base.errors import ConfigError, IllegalPlayError, NotationError, Refusal, quoted
from big2_env.base.json_values import text_at
from big2_env.base.language import Language, Words
from big2_env.base.scene import RulesPage, Scene, ShownMove
from big2_env.base.side_game import Chance, Look, SideGame
from big2_env.games.klondike.cards import (
    DEAL,
    FOUNDATION,
    NUM_MOVES,
    NUM_RANKS,
    cards_text,
    check_deck,
    move_of,
    move_text,
    parse_cards,
    parse_move,
    parse_moves,
    shuffled,
)
from big2_env.games.klondike.check import Alive, published_check
from big2_env.games.klondike.moves import after, double_click, is_stuck
from big2_env.games.klondike.position import KlondikePosition, position_data, position_of
from big2_env.games.klondike.scene import check_text, rules_page, shown_move, view_scene, view_text
from big2_env.games.klondike.view import KlondikeView
from big2_env.notation.written_cards import Wish, parsed
from big2_env.text.marked import PASSES

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

REWARDS: Final = ("win", "score")
"""Rewards of a move: 1 if it wins, or the change of the score."""
_STATED: Final = re.compile(
    r"(?:move )?(?P<card>[^>→]+?) ?(?:->|=>|>|→|\bto|到) ?"
    r"(?:(?:pile |tableau |column )?(?P<pile>[1-7])|(?:the )?(?:F|foundation))",
    re.IGNORECASE,
)
"""A move in an answer: a card, an arrow or "to", and its target."""
MAX_MOVES: Final = 2**31 - 1
"""Upper bound of the limit on actions per episode."""


def read_card(text: str) -> int | None:
    """Return the card that a person or a language model names, by the grammar of `notation.written_cards`; `None` for no card.

    >>> read_card("ten of hearts"), read_card("♥10"), read_card("10h"), read_card("hearts")
    (35, 35, 35, None)
    """
    match parsed(text):
        case [[Wish(rank=int(rank), suit=int(suit))]]:
            return suit * NUM_RANKS + (rank + 2) % NUM_RANKS
    return None


def check_episode(reward: str, max_moves: int) -> None:
    """Check the settings of an episode.

    Raises:
        ConfigError: The reward is unknown, or `max_moves` is not between 1 and `MAX_MOVES`.
    """
    if reward not in REWARDS:
        raise ConfigError(f"unknown reward {reward!r}; expected one of {', '.join(map(repr, REWARDS))}")
    if type(max_moves) is not int or not 1 <= max_moves <= MAX_MOVES:
        raise ConfigError(f"expected max_moves of 1 to {MAX_MOVES:,}, got {max_moves!r}")


class KlondikeMove(NamedTuple):
    """Entry of the history: one move."""

    move: int
    before: KlondikePosition
    """Position before the move."""
    points: int
    seat: int = 0

    def __str__(self) -> str:
        return f"{move_text(self.move)} {self.points:+d}" if self.points else move_text(self.move)


class KlondikeGame(SideGame):
    """Game in progress: draw one, unlimited passes through the dealer area.

    Args:
        start: Deck whose first card goes to pile 1, or a position to start from.

    Raises:
        ConfigError: The deck does not contain each of the 52 cards once, or no game can reach the position.

    >>> from big2_env.games.klondike.cards import parse_move
    >>> game = KlondikeGame.deal(7)
    >>> [move_text(act) for act in game.legal_moves()]
    ['deal', 'AH>F', '5H>5']
    >>> game.play(parse_move("AH>F")), game.score
    (20, 20)
    """

    name = "klondike"
    num_moves = NUM_MOVES
    num_players = 1
    turn = 0
    scorings = ("score", "win")
    start_keys = ("deck", "position")
    max_moves = 100_000

    def __init__(self, start: Sequence[int] | KlondikePosition) -> None:
        deck = None if isinstance(start, KlondikePosition) else check_deck(start)
        self.start: Final = start.checked() if isinstance(start, KlondikePosition) else KlondikePosition.deal(start)
        """Starting position, including face-down cards."""
        self.deck: Final[tuple[int, ...] | None] = deck
        """Deck of the game; `None` if it started from a position."""
        self.state = self.start
        """Current position, including face-down cards."""
        self.history: list[KlondikeMove] = []
        """Moves made and not undone."""
        self._seen: tuple[KlondikePosition, KlondikeView] | None = None
        """Most recently viewed position, and its view."""

    @classmethod
    def deal(cls, seed: int = 0) -> KlondikeGame:
        """Deal the game of a seed."""
        return cls(shuffled(seed))

    @classmethod
    def usual(cls, seed: int = 0) -> KlondikeGame:
        """Deal the game of a seed; same as `deal`."""
        return cls.deal(seed)

    def restarted(self) -> Self:
        """Return the same game at its start."""
        return type(self)(self.start if self.deck is None else self.deck)

    def view(self, seat: int | None = None) -> KlondikeView:
        """Return the player's view."""
        if self._seen is None or self._seen[0] is not self.state:
            self._seen = self.state, KlondikeView.of(self.state)
        return self._seen[1]

    def legal_moves(self) -> tuple[int, ...]:
        """Return the legal moves, ascending; empty once the game is won."""
        return self.view().moves

    def play(self, move: int) -> int:
        """Make a move and return the change of the score.

        Args:
            move: Number of the move (`big2_env.games.klondike.cards`).

        Raises:
            ConfigError: The number is not a move.
            IllegalPlayError: The move is illegal; nothing changes.
        """
        before, self.state = self.state, after(self.state, move)
        points = self.state.score - before.score
        self.history.append(KlondikeMove(move, before, points))
        return points

    def play_all(self, moves: Iterable[int]) -> None:
        """Make moves one by one, and stop at the first one for which `play` raises."""
        for move in moves:
            self.play(move)

    def double_click(self, card: int) -> int:
        """Move a card to its foundation, or else to the first pile that accepts it. Return the change of the score.

        Raises:
            IllegalPlayError: The card fits nowhere.
        """
        return self.play(self._double_clicked(card))

    def _double_clicked(self, card: int) -> int:
        move = double_click(self.state, card)
        if move is None:
            raise IllegalPlayError("the card fits nowhere, or can not be taken", Refusal.DOES_NOT_COVER)
        return move

    def undo(self) -> KlondikeMove:
        """Undo the last move and return it. All moves can be undone, back to the deal.

        The published program keeps at most 31 positions and none for moves between piles. Its undo can take back several moves.

        Raises:
            IllegalPlayError: No move is left to undo.
        """
        if not self.history:
            raise IllegalPlayError("nothing to take back: this is the deal", Refusal.GAME_OVER)
        move = self.history.pop()
        self.state = move.before
        return move

    @property
    def is_over(self) -> bool:
        """True if the game is won, or cannot be won any more because only deals are left."""
        view = self.view()
        return view.is_won or (len(view.moves) < 2 and self.is_stuck)

    @property
    def is_won(self) -> bool:
        """True if all cards of the tableau are face up, which ends the game."""
        return self.state.is_won

    @property
    def is_stuck(self) -> bool:
        """True if only deals are left and every card of the dealer area has been seen. The game is then lost."""
        return is_stuck(self.state)

    @property
    def score(self) -> int:
        """Current score; includes the bonus for remaining cards once the game is won."""
        return self.state.final_score

    def published_check(self) -> Alive:
        """Return the answer of the published check (`big2_env.games.klondike.check`)."""
        return published_check(self.state)

    def payoffs(self, scoring: str = "") -> tuple[float, ...] | None:
        """Return the payoff of the only seat: 1 or 0 for a win or a loss, or the score by `"score"`; `None` before the end."""
        chosen = self.checked_scoring(scoring)
        return None if not self.is_over else (float(self.score if chosen == "score" else self.is_won),)

    # Data and text.

    def start_data(self) -> dict[str, Any]:
        """Return the deck (pile 1 first, dealer area last) or the starting position as JSON values."""
        return {"position": position_data(self.start)} if self.deck is None else {"deck": cards_text(self.deck)}

    @classmethod
    def from_start(cls, data: dict[str, Any]) -> Self:
        """Create a game from the output of `start_data`."""
        if "position" not in data:
            return cls(parse_cards(text_at(data, "deck", 1000)))
        if "deck" in data:
            raise NotationError("expected deck or position, got both")
        return cls(position_of(data["position"]))

    def rewound(self, number: int) -> Self:
        """Return the same game after its first `number` moves."""
        again = self.restarted()
        again.history = self.history[:number]
        again.state = self.history[number].before if number < len(self.history) else self.state
        return again

    def result_data(self) -> dict[str, Any]:
        """Return `won` and `score` as JSON values."""
        return {"won": self.is_won, "score": self.score}

    move_text = staticmethod(move_text)
    parse_move = staticmethod(parse_move)

    # What people see.

    def shown(self, look: Look) -> Scene:
        """Return the scene of the current position; see `SideGame.scene`. All viewers see the player's view."""
        is_stuck = self.is_over and not self.is_won
        return view_scene(self.view(), self.history, is_stuck=is_stuck, lang=look.tr.language, last=look.last)

    def drawing_data(self, seat: int) -> dict[str, Any]:
        """Return the score, and whether the game is won."""
        return {"score": self.score, "won": self.is_won}

    def shown_move(self, made: KlondikeMove, tr: Words) -> ShownMove:
        """Return a move in the form that screens show."""
        return shown_move(made.move, tr)

    def rules_page(self, lang: Language | None = None) -> RulesPage:
        """Return the rules in words."""
        return rules_page(lang)

    def position_text(self, seat: int, tr: Words) -> str:
        """Return the view as terminal text."""
        return view_text(self.view(), tr)

    def typed_moves(self, line: str, seat: int, tr: Words) -> tuple[int, ...]:
        """Return the moves that a person typed.

        The line has one or several moves, `d` for a deal, or a card to move to the first place that accepts it.
        """
        word = re.sub(r"\s*>\s*", ">", re.sub(r"[\s,，、;；]+", " ", line).strip())
        name = word.lower()
        if name in PASSES or name in ("d", "deal", "翻牌", "發牌", "发牌"):
            return (DEAL,)
        if (card := read_card(word)) is not None:
            return (self._double_clicked(card),)
        try:
            return self.stated_moves(word, seat, tr) or parse_moves(word)
        except NotationError as error:
            message = str(error) if ">" in word or name.startswith("deal") else f"{quoted(word)}? {tr('klondike.help')}"
            shown = message if tr.language is Language.EN else tr("klondike.unclear", help=tr("klondike.help"))
            raise NotationError(f"  {shown}") from None

    def stated_moves(self, text: str, seat: int, tr: Words) -> tuple[int, ...]:
        """Return the move that a text names as a whole: a card and its target, or a deal."""
        if text.lower() in ("deal", "draw", "翻牌", "發牌", "发牌"):
            return (DEAL,)
        found = _STATED.fullmatch(text)
        card = None if found is None else read_card(found["card"])
        if found is None or card is None:
            return ()
        return (move_of(card, int(found["pile"] or FOUNDATION + 1) - 1),)

    def refusal_text(self, move: int, seat: int, tr: Words) -> str:
        """Return the reason why a move is illegal; in other languages than English only that it is."""
        if tr.language is Language.EN:
            try:
                after(self.state, move)
            except IllegalPlayError as error:
                return str(error)
        return tr("side_play.refused")

    def turn_text(self, move: int, tr: Words) -> str:
        """Return a move about to be made, with its change of the score, as text."""
        return str(KlondikeMove(move, self.state, after(self.state, move).score - self.state.score))

    def result_text(self, names: Sequence[str], tr: Words) -> str:
        """Return the result as text: won or given up, the score and the number of moves."""
        return tr("klondike.won" if self.is_won else "klondike.stopped", score=self.score, moves=len(self.history))

    def answer(self, line: str, tr: Words) -> str:
        """Return the published check's answer if the player typed `check`."""
        return check_text(self.published_check(), tr) if line == "check" else ""

    def prompt_help(self, tr: Words) -> str:
        """Return the help text of the prompt."""
        return tr("klondike.help")

    def hint_text(self, seat: int, tr: Words) -> str:
        """Return a hint as text. It uses only visible cards."""
        from big2_env.games.klondike.hint import hint, hint_text

        return hint_text(hint(self.view()), tr)

    def hinted_moves(self, seat: int) -> tuple[int, ...]:
        """Return the plan of a hint. It uses only visible cards."""
        from big2_env.games.klondike.hint import quick_hint

        found = quick_hint(self.view())
        return () if found is None else found.moves

    def chance(self, seat: int) -> Chance:
        """Return an estimate of the chance to win, from visible cards."""
        from big2_env.games.klondike.hint import KlondikeChance

        return KlondikeChance(self.view())

    def observe(self, view: KlondikeView) -> npt.NDArray[np.int8]:
        """Return the observation of a view, int8 `(1910,)` (`observation.LAYOUT`)."""
        from big2_env.games.klondike.observation import observe

        return observe(view)
