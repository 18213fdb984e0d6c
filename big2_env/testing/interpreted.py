"""Replay of a game with interpreted kernels, compared with the readable rules, for finding differences with a debugger."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from big2_env.climbing.actions import action_space
from big2_env.climbing.game import Game
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.dialect.loader import interpreted
from big2_env.kernels.dialect.memory import plain
from big2_env.kernels.dialect.records import END
from big2_env.kernels.packing import Positions
from big2_env.kernels.variants import variant_of
from big2_env.testing.differential import DisagreementError

__all__ = ["InterpretedGame", "replay_interpreted"]

NOT_IN_POSITIONS: Final = ("rng", "actor", "steps", END)
"""Fields of a game record that no position has."""
AT_THE_END: Final = ("hands", "played", "winner")
"""Fields that mean something after the end of a game."""


class InterpretedGame:
    """A game in interpreted kernels, with the same game in the readable rules.

    Args:
        ruleset: Ruleset of the game.
        start: Seed of a deal, or a position.
        num_players: Number of players; `None` for the ruleset's default. A position has its own.

    Attributes:
        game: Record of the game; `game[name]` and `game.name` are its fields.
        reference: The same game in the readable rules.
        turn: Interpreted module `big2_env.kernels.turn`.
        legal: Interpreted module `big2_env.kernels.legal`.
    """

    def __init__(self, ruleset: RuleSet, start: int | Position, num_players: int | None = None) -> None:
        module = interpreted(ruleset).module
        self.turn, self.legal = module("big2_env.kernels.turn"), module("big2_env.kernels.legal")
        variant = module("big2_env.kernels.variants").variant_of(ruleset)
        self.game, self.scratch = variant.game(), variant.scratch()
        self.dtype = variant_of(ruleset).game
        self.positions, self.space = Positions(ruleset, self.dtype), action_space(ruleset)
        if isinstance(start, Position):
            self.reference, num_players = Game.from_position(ruleset, start), len(start.hands)
        else:
            self.reference = Game.deal(ruleset, start, num_players)
        self.tables = module("big2_env.kernels.compile").compile_tables(ruleset, num_players or ruleset.default_players)
        if isinstance(start, Position):
            for name, value in self.expected().items():
                self.game[name] = value
        else:
            self.turn.deal(self.tables, self.game, start, self.scratch)
        self.moves: list[int] = []

    def act(self, action: int) -> None:
        """Make a move in both games."""
        self.reference.push(self.space.verify(action, self.reference.legal_plays()))
        self.turn.make_move(self.tables, self.game, action, self.scratch)
        self.moves.append(action)

    def expected(self) -> dict[str, Any]:
        """Return the fields that the record should have, from the reference's position; without random numbers and counts."""
        packed = np.zeros((), self.dtype)
        self.positions.pack(self.reference.position, packed)
        return {name: plain(packed[name]) for name in self.dtype.names or () if name not in NOT_IN_POSITIONS}

    def check(self) -> None:
        """Compare the legal actions and all fields of the record with the reference.

        Raises:
            DisagreementError: At the first difference.
        """
        over = self.reference.is_over
        if not over:
            ids = self.scratch.ids[: self.legal.game_ids(self.tables, self.game, self.scratch)]
            self._agree("the legal actions", self.space.ids(self.reference.legal_plays()), ids)
        for name, value in self.expected().items():
            if not over or name in AT_THE_END:
                self._agree(f"game.{name}", value, self.game[name])

    def _agree(self, what: str, reference: Any, found: Any) -> None:
        if reference != found:
            name = self.reference.ruleset.name
            raise DisagreementError(
                f"{name}: {what}, after {len(self.moves)} moves\n  reference:   {reference}\n  interpreted: {found}"
            )


def replay_interpreted(
    ruleset: RuleSet, start: int | Position, actions: Sequence[int], num_players: int | None = None
) -> InterpretedGame:
    """Replay a game with interpreted kernels, compare it with the readable rules at each move, and return it.

    Args:
        ruleset: Ruleset of the game.
        start: Seed of a deal, or a position.
        actions: Action ids.
        num_players: Number of players; `None` for the ruleset's default.

    Raises:
        DisagreementError: At the first difference.
        ConfigError, IllegalPlayError: If an action is not an id of the ruleset, or the reference engine rejects it.

    >>> from big2_env import BIG2
    >>> replay_interpreted(BIG2, 7, [14, 0]).game.turn
    3
    """
    game = InterpretedGame(ruleset, start, num_players)
    game.check()
    for action in actions:
        game.act(action)
        game.check()
    return game
