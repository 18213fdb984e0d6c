"""Candidates tried on sampled deals by heuristic players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from big2_agents.formula import CERTAIN
from big2_agents.kernels.acts import HEURISTIC
from big2_agents.kernels.candidate_plays import CandidatePlays
from big2_agents.kernels.endgame import endgame_dtype
from big2_agents.kernels.finish import find_finish
from big2_agents.kernels.from_view import Memory
from big2_agents.kernels.heuristic_tables import heuristic_record
from big2_agents.kernels.playouts import name_acts, open_root, play_out_by_rules, search_dtype
from big2_agents.trials import Opened
from big2_env.climbing.actions import action_space
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.records import COMPILED, as_record, numbers
from big2_env.kernels.variants import variant_of


class RuleTrials:
    """Tries of one ruleset's candidates by heuristic players.

    Args:
        ruleset: the rules.
        num_players: how many seats.
        proposals: of how many sampled deals one is drawn, by how well it fits the passes.

    Raises:
        ConfigError: a ruleset that the kernels do not serve, or with more shapes or powers than the heuristic's tables hold.
    """

    def __init__(self, ruleset: RuleSet, num_players: int, proposals: int) -> None:
        variant = variant_of(ruleset)
        self._space = action_space(ruleset) if COMPILED else None
        self._tables: Any = compile_tables(ruleset, num_players, numbers_acts=COMPILED)
        self._patterns = {rule.pattern.name: i for i, rule in enumerate(ruleset.patterns)}
        self._plays = CandidatePlays(ruleset, self._tables)
        self._s: Any = as_record(np.zeros((), search_dtype(variant)))
        self._s.proposals = proposals
        self._scratch = as_record(np.zeros((), variant.scratch))
        self._ids = np.zeros(len(self._s.root_candidates.score), np.int64)
        self._endgame: Any = as_record(np.zeros((), endgame_dtype(variant)))
        self._heuristic: Any = heuristic_record(ruleset, num_players=num_players)
        self._memory = Memory()

    def open(self, view: View, legal: LegalPlays, seed: int) -> Opened:
        """Begin a decision, as `trials.Trials.open`."""
        search, tab = self._s, self._tables
        self._memory.update(tab, view, self._patterns, search.root, search.root_track)
        search.root.rng = seed
        candidates = search.root_candidates
        candidates["score"] = 0.0
        best = int(open_root(tab, search, HEURISTIC, self._heuristic))
        count = int(candidates.count)
        if self._space is not None:
            name_acts(tab, search, self._ids)
            plays = [self._space.verify(action, legal) for action in numbers(self._ids[:count])]
        else:
            plays = [self._plays.verified(view, legal, candidates, i) for i in range(count)]
        sure = best
        if view.bidding or candidates.score[best] <= CERTAIN / 2:
            sure = int(find_finish(tab, search.root, search.root_track.left, candidates, search.stack))
        return Opened(plays, numbers(candidates.score[:count]), sure)

    def forget(self) -> None:
        """Forget the endings that were solved."""
        self._endgame["key"] = 0

    def play_out(
        self, chosen: Sequence[int], samples: int, exact: int, totals: list[float], squares: list[float]
    ) -> tuple[float, float]:
        """Try candidates, as `trials.Trials.play_out`."""
        alive, sums = np.zeros(len(totals), np.bool_), [np.array(totals), np.array(squares)]
        for i in chosen:
            alive[i] = True
        self._s.exact = exact
        weights, squared = self._run(alive, samples, sums)
        totals[:], squares[:] = map(numbers, sums)
        return float(weights), float(squared)

    def _run(self, chosen: Any, samples: int, sums: Any) -> Any:
        return play_out_by_rules(
            self._tables, self._s, HEURISTIC, self._heuristic, self._endgame,
            chosen, samples, sums[0], sums[1], self._scratch,
        )  # fmt: skip
