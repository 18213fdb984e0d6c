"""Candidates tried on sampled deals by compiled code: by heuristic players, or by a network with a critic."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from big2_agents.compiled.acts import HEURISTIC
from big2_agents.compiled.endgame import endgame_dtype
from big2_agents.compiled.finish import find_finish
from big2_agents.compiled.from_view import Memory
from big2_agents.compiled.heuristic_tables import heuristic_record
from big2_agents.compiled.mark import AGENTS_MARK
from big2_agents.compiled.playouts import open_root, play_out_by_rules, search_dtype
from big2_agents.formula import CERTAIN
from big2_agents.learned.playouts import Buffers, play_out_by_network
from big2_agents.learned.policy import LearnedPolicy
from big2_agents.trials import Opened
from big2_env.climbing.actions import action_space
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.records import as_record
from big2_env.kernels.variants import variant_of


def compiled_mark(ruleset: RuleSet) -> Path:
    """The file, beside numba's cache, that says that `CompiledTrials` has been compiled for games like this one."""
    folder, name = Path(play_out_by_rules.stats.cache_path), variant_of(ruleset).name
    return folder / f"rule_playouts-{AGENTS_MARK}-{name}-numba{version('numba')}.compiled"


class CompiledTrials:
    """Tries of one ruleset's candidates by heuristic players.

    Args:
        ruleset: the rules.
        num_players: how many seats.
        proposals: of how many sampled deals one is drawn, by how well it fits the passes.

    Raises:
        ConfigError: a ruleset that cannot be compiled, or has more shapes or powers than the heuristic's tables hold.
    """

    def __init__(self, ruleset: RuleSet, num_players: int, proposals: int) -> None:
        variant = variant_of(ruleset)
        self._tables = compile_tables(ruleset, num_players)
        self._patterns = {rule.pattern.name: i for i, rule in enumerate(ruleset.patterns)}
        self._space = action_space(ruleset)
        self._s: Any = as_record(np.zeros((), search_dtype(variant)))
        self._s.proposals = proposals
        self._scratch = as_record(np.zeros((), variant.scratch))
        self._ids = np.zeros(len(self._s.root_candidates.score), np.int64)
        self._endgame: Any = as_record(np.zeros((), endgame_dtype(variant)))
        self._heuristic: Any = heuristic_record(ruleset, num_players=num_players)
        self._memory = Memory()

    def open(self, view: View, legal: LegalPlays, seed: int) -> Opened:
        """Begin a decision, as `trials.Trials.open`."""
        s, t = self._s, self._tables
        self._memory.update(t, view, self._patterns, s.root, s.root_track)
        s.root.rng = seed
        s.root_candidates.score[:] = 0.0
        best = int(open_root(t, s, HEURISTIC, self._heuristic, self._ids))
        count = int(s.root_candidates.count)
        plays = [self._space.verify(action, legal) for action in self._ids[:count].tolist()]
        sure = best
        if view.bidding or s.root_candidates.score[best] <= CERTAIN / 2:
            sure = int(find_finish(t, s.root, s.root_track.left, s.root_candidates, s.stack))
        return Opened(plays, s.root_candidates.score[:count].tolist(), sure)

    def forget(self) -> None:
        """Forget the endings that were solved."""
        self._endgame.key[:] = 0

    def play_out(
        self, chosen: Sequence[int], samples: int, exact: int, totals: list[float], squares: list[float]
    ) -> tuple[float, float]:
        """Try candidates, as `trials.Trials.play_out`."""
        alive, sums = np.zeros(len(totals), np.bool_), np.array([totals, squares])
        alive[list(chosen)] = True
        self._s.exact = exact
        weights, squared = self._run(alive, samples, sums)
        totals[:], squares[:] = sums.tolist()
        return float(weights), float(squared)

    def _run(self, chosen: Any, samples: int, sums: Any) -> Any:
        return play_out_by_rules(
            self._tables, self._s, HEURISTIC, self._heuristic, self._endgame,
            chosen, samples, sums[0], sums[1], self._scratch,
        )  # fmt: skip


class RatedTrials(CompiledTrials):
    """The same where a policy network says what it thinks of the candidates.

    Args:
        policy: the network.
        view: of the game that is played.
        proposals: as of `CompiledTrials`.

    Raises:
        ConfigError: as `CompiledTrials`; no weights that fit.
    """

    def __init__(self, policy: LearnedPolicy, view: View, proposals: int) -> None:
        policy.prepare(view)
        super().__init__(view.ruleset, view.num_players, proposals)
        self._policy = policy

    def open(self, view: View, legal: LegalPlays, seed: int) -> Opened:
        """Begin a decision, as `trials.Trials.open`; the scores are the network's."""
        found = super().open(view, legal, seed)
        if len(found.plays) == 1:
            return found
        return found._replace(scores=self._policy.scores(view)[1].tolist())


class NetworkTrials(RatedTrials):
    """The same by the network in all seats, up to the seat's own next choice, where the critic beside it judges.

    Args:
        policy: the network.
        view: of the game that is played.

    Raises:
        ConfigError: as `RatedTrials`; no critic that fits.
    """

    def __init__(self, policy: LearnedPolicy, view: View) -> None:
        super().__init__(policy, view, 0)
        self._critic = policy.critic()
        self._buffers = Buffers(policy.layout, policy.most)

    def _run(self, chosen: Any, samples: int, sums: Any) -> Any:
        b, policy = self._buffers, self._policy
        return play_out_by_network(
            self._tables, self._s, policy._heuristic, policy.layout, policy.network, self._critic,
            b.state, b.plays, b.hidden, b.scores, b.work, chosen, samples, sums[0], sums[1], self._scratch,
        )  # fmt: skip
