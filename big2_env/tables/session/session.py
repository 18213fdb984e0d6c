"""Deals of one game with a running score: what sessions of one person and of several share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Final

from big2_env.base.cards import Card
from big2_env.base.language import Language
from big2_env.base.rng import MASK_64, drawn_seed
from big2_env.base.scene import Scene
from big2_env.climbing.game import Game, decks_of
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet

STARTED: Final = "started"
"""Key of a record with the start time of the deal: UTC, ISO 8601."""


class Session(ABC):
    """Deals of one game with a running score."""

    game: Any
    """Current game, including hidden cards. User interfaces must show a seat's view instead."""
    before: tuple[float, ...]
    """Sum of payoffs from the deals before the current one, by seat."""
    deals_before = 0
    """Number of finished deals before the current one."""
    seed: Any
    """Seed of the current deal; `None` for a game without a seed. Players never receive it."""
    counts_seeds = False
    """True if each further deal adds one to the seed; otherwise every seed is random."""
    keep: Callable[[Any], object] | None = None
    """Callback with the session after every move and undo, such as an `OwnFile`."""
    has_choices = True
    """False for a game without decisions, which people can only watch."""

    @property
    def game_name(self) -> str:
        """Name of the game."""
        return str(self.game.name)

    @property
    def is_over(self) -> bool:
        """True once the current game is over."""
        return bool(self.game.is_over)

    @property
    def turn(self) -> int:
        """Seat to move; in a finished game, the seat that moved last."""
        return int(self.game.turn)

    @property
    def shown_seed(self) -> int | None:
        """Seed of the current deal if it may be shown: if the person chose it, or the game is over."""
        return self.seed if self.counts_seeds or self.is_over else None

    @property
    def scores(self) -> tuple[float, ...]:
        """Sum of payoffs from finished deals, by seat."""
        paid = self.payoffs() or (0.0,) * len(self.before)
        return tuple(before + each for before, each in zip(self.before, paid, strict=True))

    @property
    def deals(self) -> int:
        """Number of finished deals."""
        return self.deals_before + (self.payoffs() is not None)

    def payoffs(self) -> tuple[float, ...] | None:
        """Return each seat's payoff, `None` before the end of the deal."""
        found: tuple[float, ...] | None = self.game.payoffs()
        return found

    def last_move_of(self, seat: int) -> int | None:
        """Return the number of moves before a seat's last move; `None` if it has made none."""
        history = self.game.history
        return next((ply for ply in reversed(range(len(history))) if history[ply].seat == seat), None)

    def next_deal(self) -> None:
        """Deal again, with the next seed or a random one. An unfinished game is abandoned and pays nothing."""
        self.before, self.deals_before = self.scores, self.deals
        if self.seed is not None:
            self.seed = (self.seed + 1) & MASK_64 if self.counts_seeds else drawn_seed()
        self.deal()

    @abstractmethod
    def deal(self) -> None:
        """Deal the game of the current seed."""

    def push(self, move: Any) -> None:
        """Make a legal move of any player, such as one that `chosen` returned."""
        self.game.play(move)
        self._changed()

    def _changed(self) -> None:
        if self.keep is not None:
            self.keep(self)

    def undo_to(self, ply: int) -> None:
        """Take back all moves but the first.

        Args:
            ply: Number of moves that stay.
        """
        self.game = self.game.rewound(ply)


class OwnSession(Session):
    """Session of one person among players that move by themselves."""

    seat: int
    """Seat of the person."""
    dealt: int
    """Number of deals begun."""

    @property
    @abstractmethod
    def is_asked(self) -> bool:
        """True if the game waits for the person's decision."""

    @abstractmethod
    def scene(self, lang: Language, *, last: int = 8) -> Scene:
        """Return the scene that the person sees.

        Args:
            lang: Language.
            last: Number of recent moves to include as events.
        """

    @abstractmethod
    def last_choice(self) -> int | None:
        """Return the number of moves before the person's last choice; `None` if there is none to undo."""

    @property
    def can_undo(self) -> bool:
        """True if the person has made a choice in this game that can be undone."""
        return self.last_choice() is not None

    def undo(self) -> Any:
        """Undo everything since the person's last choice, including that choice.

        Agents are not notified: they see the resulting position, and their random generators continue.

        Returns:
            The choice from the history; `None` if none was undone.
        """
        ply = self.last_choice()
        if ply is None:
            return None
        undone = self.game.history[ply]
        self.undo_to(ply)
        self._changed()
        return undone

    @abstractmethod
    def line(self, started: str) -> str:
        """Return the record of the current game as a line of JSON, with the person's seat. It contains every card.

        Args:
            started: Start of the deal, in the format of records.
        """

    @abstractmethod
    def chosen(self) -> Any:
        """Return the next move that is not the person's choice; `None` if the game waits for the person or is over.

        Raises:
            ConfigError: The player fails or returns an illegal move.
        """

    def advance(self) -> Any:
        """Make the move that `chosen` returns, and return it.

        Raises:
            ConfigError: The player fails or returns an illegal move; nothing changes.
        """
        move = self.chosen()
        if move is not None:
            self.push(move)
        return move


class ClimbingDeals(Session):
    """Deals of a climbing game."""

    game: Game
    ruleset: RuleSet
    """Rules of the game."""
    deck: tuple[Card, ...] | None
    """Deck from bottom to top, if known."""

    @property
    def game_name(self) -> str:
        """Name of the game."""
        return self.ruleset.name

    def payoffs(self) -> tuple[float, ...] | None:
        """Return each seat's payoff, `None` before the end of the deal."""
        outcome = self.game.outcome
        return None if outcome is None else outcome.payoffs

    def push(self, move: Play) -> None:
        """Make a legal move of any player, without checking it again."""
        self.game.push(move)
        self._changed()

    def legal_of(self, seat: int) -> LegalPlays:
        """Return the legal moves of a seat; during other turns, the moves that would be legal now, for preselecting cards."""
        view = self.game.view(seat)
        if view.is_on_turn:
            return view.legal_plays()
        return LegalPlays(view.ruleset, view.hand, view.top, view.obligation, view.outcome is not None, (), view.needs_highest)

    def deal(self) -> None:
        """Deal the game of the current seed."""
        leader = self.game.next_leader if hasattr(self, "game") else None
        self.deck, *redeals = map(tuple, decks_of(self.ruleset, self.seed))
        self.game = Game.from_deck(self.ruleset, self.deck, len(self.before), redeals, leader)

    def undo_to(self, ply: int) -> None:
        """Take back all moves but the first.

        Args:
            ply: Number of moves that stay.
        """
        while len(self.game.history) > ply:
            self.game.undo()
