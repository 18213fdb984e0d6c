"""An actor network as an opponent in many games at once, act for act the agent with the same weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from big2_agents.kernels.finish import DEPTH, find_finish
from big2_agents.kernels.plays import act_id, candidates_dtype, find_acts
from big2_agents.kernels.rule_rows import asked_rows
from big2_agents.learned.actor import Actor
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.bits import borrowed, popcount
from big2_env.kernels.dialect.cardsets import get
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.dialect.records import as_array, as_record
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.opponents import RowPlayer, RowRandom
from big2_env.kernels.variants import variant_of

Array = npt.NDArray[Any]


@kernel(entry=True)
def _write_finishes(tables: Any, games: Any, rows: Any, left: Any, candidates: Any, stack: Any, actions: Any) -> None:
    """Write the act that begins a sure win into `actions`, int64 (M,), -1 where none is seen or nothing is to be chosen."""
    tab, cand = borrowed(tables)[0], borrowed(candidates)[0]
    for n in range(len(rows)):
        game = games[rows[n]]
        find_acts(tab, game, cand)
        for seat in range(tab.num_players):
            left[seat] = popcount(get(game.hands, seat))
        best = np.int64(-1) if cand.count == 1 else np.int64(find_finish(tab, game, left, cand, stack))
        actions[n] = act_id(tab, game, cand, best) if best >= 0 else -1


class ActorRows(RowPlayer):
    """An actor network in every row, which makes its likeliest act.

    Args:
        actor: the network.
        ruleset: the games' rules.
        num_players: how many seats.
        finishes: whether it plays a sure win where it sees one.

    Raises:
        ConfigError: sure wins in a ruleset that cannot be compiled.
    """

    def __init__(self, actor: Actor, ruleset: RuleSet, num_players: int, *, finishes: bool) -> None:
        self._actor, self._ruleset, self._num_players, self._finishes = actor, ruleset, num_players, finishes
        if finishes:
            variant, tables = variant_of(ruleset), compile_tables(ruleset, num_players)
            candidates = candidates_dtype(variant.by_slots, variant.words)
            self._tables, self._candidates = as_array(tables), as_array(as_record(np.zeros((), candidates)))
            self._stack, self._left = np.zeros(DEPTH, candidates).view(np.recarray), np.zeros(num_players, np.int32)

    def acts(self, engine: BatchEngine, rows: Array, rng: RowRandom) -> npt.NDArray[np.int64]:
        """The network's act in each game, int64 (M,). Raises ConfigError as `asked_rows`."""
        rows = asked_rows(engine, rows, self._ruleset, self._num_players)
        actions = np.full(len(rows), -1, np.int64)
        if self._finishes:
            _write_finishes(self._tables, engine.games, rows, self._left, self._candidates, self._stack, actions)
        asked = np.flatnonzero(actions < 0)
        if len(asked):
            for n, seen, mask in zip(asked.tolist(), *engine.look_at(rows[asked]), strict=True):
                legal = np.flatnonzero(mask)
                actions[n] = legal[self._actor.scores(seen, legal).argmax()]
        return actions
