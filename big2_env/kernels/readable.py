"""Calls of a batch by the readable rules, for rulesets that do not compile."""

from __future__ import annotations

from functools import lru_cache, partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from big2_env.climbing.actions import action_space
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.compile import check_compiles
from big2_env.kernels.dialect.loader import Interpreted
from big2_env.kernels.packing import Positions
from big2_env.kernels.plain_loops import LOOPS, PlainLoops
from big2_env.kernels.switch import Compilation
from big2_env.kernels.tables import SLACK
from big2_env.kernels.variants import Variant, features_of


class ReadableCalls(PlainLoops):
    """`loops.py` interpreted. The readable rules replace the kernels that read tables.

    Args:
        ruleset: Ruleset of the games.
        num_players: Number of seats per game.
        variant: Variant of the games' records.
    """

    def __init__(self, ruleset: RuleSet, num_players: int, variant: Variant) -> None:
        self.compilation = Compilation(partial(check_compiles, ruleset, num_players))
        self._ruleset, self._num_players, self._variant = ruleset, num_players, variant
        self._space, self._layout = action_space(ruleset), ObservationLayout(ruleset, num_players)
        self._positions = Positions(ruleset, variant.game)
        self._known = lru_cache(maxsize=256)(self._read)
        self._loops = Interpreted(features_of(ruleset)).module(LOOPS)
        rules = (self.deal, self.check_action, self.make, self.make_move, self.game_ids, self.payoff, self.observe)
        vars(self._loops).update({rule.__name__: rule for rule in rules})
        sizes = SimpleNamespace(num_players=num_players, num_actions=self._space.n)
        self._records = {"tables": sizes, "scratch": SimpleNamespace(ids=[], deck=None)}

    def _record(self, game: Any) -> Any:
        """Return the record behind a view."""
        return np.frombuffer(game, self._variant.game).view(np.recarray)[0]

    def _read(self, state: bytes) -> tuple[Game, LegalPlays]:
        """Return the game of a record's bytes, and its legal moves, which are listed once."""
        game = Game(self._ruleset, self._positions.unpack(self._record(bytearray(state))))
        return game, game.legal_plays()

    def _keep(self, made: Game, game: Any, steps: int, actor: int) -> None:
        record = self._record(game)
        self._positions.pack(made.position, record)
        record["steps"], record["actor"] = steps, actor

    def deal(self, tab: Any, game: Any, seed: int, scratch: Any) -> None:
        """Deal a game as `Game.deal` does (kernel `deal`)."""
        dealt = Game.deal(self._ruleset, seed, self._num_players)
        self._keep(dealt, game, len(dealt.history), dealt.history[-1].seat if dealt.history else -1)

    def game_ids(self, tab: Any, game: Any, scratch: Any) -> int:
        """List the legal actions in the order of `LegalPlays` (kernel `game_ids`)."""
        ids = self._space.ids(self._known(bytes(game))[1])
        scratch.ids = [*ids, *[0] * SLACK]
        return len(ids)

    def check_action(self, tab: Any, game: Any, action: int, scratch: Any) -> tuple[bool, Any, int]:
        """Return whether an action is legal, and its play (kernel `check_action`)."""
        known = 0 <= action < self._space.n and game.winner < 0
        play = self._space.play(action, self._known(bytes(game))[1]) if known else None
        return play is not None, play, -1

    def make(self, tab: Any, game: Any, action: int, play: Play, row: int, deck: Any) -> None:
        """Make a legal move (kernel `make`)."""
        made, steps, actor = Game(self._ruleset, self._known(bytes(game))[0].position), game.steps + 1, game.turn
        made.push(play)
        self._keep(made, game, steps, actor)

    def make_move(self, tab: Any, game: Any, action: int, scratch: Any) -> None:
        """Make the legal move of an action id (kernel `make_move`)."""
        self.make(tab, game, action, self.check_action(tab, game, action, scratch)[1], -1, None)

    def payoff(self, tab: Any, game: Any, seat: int) -> float:
        """Return a seat's payoff at the end (kernel `payoff`)."""
        outcome = self._known(bytes(game))[0].outcome
        assert outcome is not None
        return outcome.payoffs[seat]

    def observe(self, tab: Any, game: Any, seat: int, scratch: Any, row: Any) -> None:
        """Write a seat's observation (kernel `observe`)."""
        entry, view = self._variant.entry, self._known(bytes(game))[0].view(seat)
        packs = entry == "uint8"
        seen = self._layout.encode(view, np.empty(self._layout.size, np.int8 if packs else entry))
        np.frombuffer(row, entry)[:] = np.packbits(seen, bitorder="little") if packs else seen
