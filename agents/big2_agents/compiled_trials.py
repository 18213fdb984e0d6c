"""Candidates tried on sampled deals where a network says what it thinks of them, or plays with a critic."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

from big2_agents.kernels.mark import AGENTS_MARK
from big2_agents.kernels.playouts import play_out_by_rules
from big2_agents.kernels.rule_trials import RuleTrials
from big2_agents.learned.playouts import Buffers, play_out_by_network
from big2_agents.learned.policy import LearnedPolicy
from big2_agents.trials import Opened
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.variants import variant_of


def compiled_mark(ruleset: RuleSet) -> Path:
    """The file, beside numba's cache, that says that `RuleTrials` has been compiled for games like this one."""
    folder, name = Path(play_out_by_rules.stats.cache_path), variant_of(ruleset).name
    return folder / f"rule_playouts-{AGENTS_MARK}-{name}-numba{version('numba')}.compiled"


class RatedTrials(RuleTrials):
    """The same where a policy network says what it thinks of the candidates.

    Args:
        policy: the network.
        view: of the game that is played.
        proposals: as of `RuleTrials`.

    Raises:
        ConfigError: as `RuleTrials`; no weights that fit.
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
