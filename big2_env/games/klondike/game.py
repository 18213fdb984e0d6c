"""A game of Klondike in progress: the reference engine, with its history."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from big2_env.errors import IllegalPlayError, Refusal
from big2_env.games.klondike.actions import act_text
from big2_env.games.klondike.cards import shuffled
from big2_env.games.klondike.check import Alive, published_check
from big2_env.games.klondike.moves import after, double_click, is_stuck, legal_acts
from big2_env.games.klondike.position import KlondikePosition
from big2_env.games.klondike.view import KlondikeView


class KlondikeMove(NamedTuple):
    """An act of the history."""

    act: int
    before: KlondikePosition
    """The position in which it was done."""
    points: int
    """What it brought."""

    def __str__(self) -> str:
        return f"{act_text(self.act)} {self.points:+d}" if self.points else act_text(self.act)


class KlondikeGame:
    """A game from its deal on. Draw one, no limit on the rounds through the dealer area.

    >>> from big2_env.games.klondike.actions import parse_act
    >>> game = KlondikeGame.deal(7)
    >>> [act_text(act) for act in game.legal_acts()]
    ['deal', 'AH>F', '5H>5']
    >>> game.play(parse_act("AH>F")), game.score
    (20, 20)
    """

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

    @classmethod
    def deal(cls, seed: int = 0) -> KlondikeGame:
        """The game of a seed."""
        return cls(shuffled(seed))

    def restarted(self) -> KlondikeGame:
        """Return this game as it began."""
        return KlondikeGame(self.start if self.deck is None else self.deck)

    def view(self) -> KlondikeView:
        """What the player may know."""
        return KlondikeView.of(self.state)

    def legal_acts(self) -> tuple[int, ...]:
        """The legal acts, ascending; none where the game is done."""
        return legal_acts(self.state)

    def play(self, act: int) -> int:
        """What an act brings; it is done.

        Raises:
            ConfigError: no act has that number.
            IllegalPlayError: it is not legal; nothing changes.
        """
        before, self.state = self.state, after(self.state, act)
        points = self.state.score - before.score
        self.history.append(KlondikeMove(act, before, points))
        return points

    def play_all(self, acts: Iterable[int]) -> None:
        """Do one act after another. Raises as `play`, and stops there."""
        for act in acts:
            self.play(act)

    def double_click(self, card: int) -> int:
        """What a double click on a card brings: to its foundation if it fits, else to the first pile that it fits.

        Raises:
            IllegalPlayError: it fits nowhere.
        """
        act = double_click(self.state, card)
        if act is None:
            raise IllegalPlayError("the card fits nowhere, or can not be taken", Refusal.DOES_NOT_COVER)
        return self.play(act)

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
