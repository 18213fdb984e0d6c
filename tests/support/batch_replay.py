"""A row of a batch played again in the reference engine, from the row's seed alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from big2_env import Game, RuleSet
from big2_env.base.rng import SplitMix64
from big2_env.base.salts import Salts
from big2_env.climbing.actions import action_space
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.kernels.engine import BatchEngine


class Row:
    """One row: its streams of deals and salts, its game, and what the row has to show."""

    def __init__(self, ruleset: RuleSet, seed: int) -> None:
        self.ruleset, self.space, self.layout = ruleset, action_space(ruleset), ObservationLayout(ruleset)
        self.deals, self.salts = SplitMix64(SplitMix64(seed).next()), Salts()
        self.salts.begin(seed)
        self.game = self.deal()

    def deal(self) -> Game:
        """The next game."""
        self.seed, self.salt = self.deals.next(), self.salts.next()
        self.game = Game.deal(self.ruleset, self.seed)
        return self.game

    def act(self, action: int) -> None:
        """One act, which the reference engine checks."""
        self.game.push(self.space.verify(action, self.game.legal_plays()))

    def observation(self, seat: int) -> np.ndarray[Any, Any]:
        return self.layout.encode(self.game.view(seat))

    def mask(self) -> np.ndarray[Any, Any]:
        mask = np.zeros(self.space.n, np.int8)
        mask[self.space.ids(self.game.legal_plays())] = 1
        return mask


Chooser = Callable[[list[int], SplitMix64], int]
"""A legal id, of those listed as the kernels list them, with the row's luck."""


class LearnerRow(Row):
    """One row of seat mode: opponents choose by functions, by their distance from the learner."""

    def __init__(self, ruleset: RuleSet, seed: int, first: int, opponents: Sequence[Chooser], fixed: int | None = None) -> None:
        self.opponents, self.fixed, self.next_seat = opponents, fixed, first
        self.lister = BatchEngine(ruleset, 1)
        self.skipped: list[float] = []
        """The learner's payoffs of games that ended before its first turn."""
        super().__init__(ruleset, seed)

    def deal(self) -> Game:
        game = super().deal()
        self.seat = self.next_seat % game.num_players if self.fixed is None else self.fixed
        self.next_seat += 1
        self.let_opponents_move()
        if game.outcome is None:
            return game
        self.skipped.append(game.outcome.payoffs[self.seat])
        return self.deal()

    def act(self, action: int) -> None:
        super().act(action)
        self.let_opponents_move()

    def let_opponents_move(self) -> None:
        game = self.game
        while not game.is_over and game.turn != self.seat:
            self.lister.set_position(0, game.position)
            counts, ids = self.lister.legal_ids()
            opponent = self.opponents[(game.turn - self.seat) % game.num_players - 1]
            super().act(opponent(ids[0, : counts[0]].tolist(), self.stream()))

    def stream(self) -> SplitMix64:
        """The stream of the seat to move, as the kernels make it of the salt, its hand, its seat and the number of moves."""
        words = np.atleast_1d(self.lister.games.hands[0][self.game.turn]).tolist()
        state = 0
        for word in (self.salt, self.game.turn, len(self.game.history), *words, *[0] * (2 - len(words))):
            state = SplitMix64(state ^ SplitMix64(word).next()).next()
        return SplitMix64(state)

    def mask(self) -> np.ndarray[Any, Any]:
        return super().mask() if self.game.turn == self.seat else np.zeros(self.space.n, np.int8)


def drawn(ids: list[int], rng: SplitMix64) -> int:
    """What the kernels' random opponents do: nothing is drawn where there is no choice."""
    return ids[rng.below(len(ids))] if len(ids) > 1 else ids[0]
