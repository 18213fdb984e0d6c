"""A person watching a table of agents, independent of any user interface."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from big2_env.base.cards import CardsLike
from big2_env.base.errors import ConfigError, IllegalPlayError, Refusal
from big2_env.base.language import Language
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.drawing import Scene, ShownAdvice, scene
from big2_env.notation.records import GameRecord
from big2_env.tables.session.table_session import TableSession


class Watching(TableSession):
    """Session of a person without a seat, who sees all hands, or what one seat sees.

    Views, scenes and advice are made from a snapshot of the game. They can be read while `advance` runs in another thread.

    Args:
        ruleset: Rules of the game.
        agents: Agent of each seat.
        seed: Seed of the first deal; each further deal adds one. By default every seed is random.
        adviser: Agent that gives values; by default `learned` if it has weights for the game, else `heuristic`.

    Raises:
        ConfigError: An agent does not exist or cannot play the game, or the number of players is not allowed.
    """

    def __init__(self, ruleset: RuleSet, agents: Sequence[str], *, seed: int | None = None, adviser: str | None = None) -> None:
        ruleset.seats(len(agents))
        self.agents = tuple(agents)
        """Name of the agent of each seat."""
        super().__init__(ruleset, agents[1:], seed=seed, adviser=adviser)
        self.watched = None

    def specs(self) -> list[str | None]:
        """Return the name of each seat's agent."""
        return list(self.agents)

    def look_from(self, seat: int | None) -> None:
        """Show what one seat sees.

        Args:
            seat: The seat; `None` to show all hands.

        Raises:
            ConfigError: The seat does not exist.
        """
        if seat is not None and not 0 <= seat < len(self.names):
            raise ConfigError(f"expected a seat from 0 to {len(self.names) - 1}, got {seat}")
        self.watched = seat

    @property
    def view(self) -> View:
        """View of the watched seat; with all hands open, of the seat to move."""
        return self._shown.view(self.watched)

    @property
    def is_asked(self) -> bool:
        """False, because agents make all decisions."""
        return False

    @property
    def is_forced_pass(self) -> bool:
        """False, because agents pass for themselves."""
        return False

    def legal_of(self, seat: int) -> LegalPlays:
        """No moves, because the person has no seat."""
        return LegalPlays(self.ruleset, 0, None, 0, True)

    def play(self, cards: CardsLike | Play = 0, pattern: str | None = None) -> Play:
        """Refuse a move.

        Raises:
            IllegalPlayError: The person has no seat.
        """
        raise IllegalPlayError(f"it is {self.names[self.game.turn]}'s turn", Refusal.NOT_YOUR_TURN)

    def last_choice(self) -> int | None:
        """Return the number of moves before the last one."""
        return len(self.game.history) - 1 if self.game.history else None

    def record(self, **extra: Any) -> GameRecord:
        """Return the current game as a record. Its `agents` name every seat, and it has no `seat`.

        Args:
            **extra: Additional keys with JSON values.
        """
        kept = super().record(**extra)
        others = {key: value for key, value in kept.extra.items() if key != "seat"}
        return GameRecord(kept.transcript, kept.deck, others | {"agents": list(self.agents)})

    def scene(self, lang: Language, advice: Iterable[ShownAdvice] = (), last: int = 8) -> Scene:
        """Return the scene of the watched seat, or of all hands.

        Args:
            lang: Language.
            advice: Advice to show.
            last: Number of recent moves to include as events.
        """
        return scene(
            self._shown,
            self.watched,
            open_hands=self.watched is None,
            names=self.names_in(lang),
            lang=lang,
            last=last,
            advice=advice,
            scores=self.scores,
            notes=self.notes(lang),
        )

    def start(self, *given: Any, **more: Any) -> None:
        """Continue from the current state of a game; see `TableSession.start`."""
        super().start(*given, **more)
        self._snap()

    def _changed(self) -> None:
        self._snap()
        super()._changed()

    def _snap(self) -> None:
        game = self.game.copy()
        _ = game.events  # made here, so that readers of the snapshot change nothing
        self._shown = game
