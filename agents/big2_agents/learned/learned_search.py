"""Search with a network: what it thinks of is tried on sampled deals.

Where a critic was fitted to such questions, the network plays in all seats up to the seat's next choice, which the critic
judges. Else rule players play the deals out: by a critic that has only helped to learn, a search plays no better than the
network alone, in some games worse.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from big2_agents.compiled_trials import NetworkTrials, RatedTrials
from big2_agents.learned.asked_weights import AskedWeights
from big2_agents.learned.critic import is_fitted
from big2_agents.learned.policy import LearnedPolicy
from big2_agents.models import critic_beside
from big2_agents.search import EXACT, PROPOSALS, TRUST, SearchAgent, try_once
from big2_agents.trials import Trials
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View

NETWORK_SLOPE: Final = 0.1
"""The same of a unit in the network's scores."""
NETWORK_TRUST: Final = 40.0
"""How many samples the network's own opinion counts for where a critic judges."""
NETWORK_GAP: Final = 4.0
"""Plays that the network scores so much less than its favourite are not tried: on deals that fit what is public as little as
sampled ones do, such plays look better than they are."""


class LearnedSearchAgent(SearchAgent):
    """Search with a policy network, by the critic beside it or by rule players.

    The critic judges where `big2 train critic` has fitted it to plays that the network would hardly make, which are what it is
    asked about.

    Args:
        budget: as for `SearchAgent`; the file of weights may stand behind it, as in `50ms,runs/big2/big2.npz`.
        candidates: how many of the network's favourite plays are tried.
        weights: a file of policy weights; a critic lies beside it as `<name>_critic.npz`. By default those shipped. Or
            `AskedWeights`.
    """

    slope, gap = NETWORK_SLOPE, NETWORK_GAP

    def __init__(
        self, budget: str | int = "50ms", *, candidates: int = 6, weights: str | Path | AskedWeights | None = None
    ) -> None:
        budget, _, path = str(budget).partition(",")
        weights = weights or path or None
        super().__init__(budget, candidates=candidates)
        self._asked = weights if isinstance(weights, AskedWeights) else AskedWeights(weights)

    def check(self, ruleset: RuleSet, num_players: int) -> None:
        """See if there are weights for a game. Raises ConfigError as `LearnedPolicy.check` does."""
        self._asked.path(ruleset, num_players)

    def prepare(self, view: View) -> None:
        """Load or compile what acts in games like that of a view need."""
        try_once(self._trials(view), view.ruleset, view.num_players)

    def _trials(self, view: View) -> Trials:
        rules, number = view.ruleset, view.num_players
        if self._compiled is None or self._game is None or self._game[0] is not rules or self._game[1] != number:
            policy = LearnedPolicy(self._asked)
            if is_fitted(critic_beside(self._asked.path(rules, number))):
                self.trust, self.exact = NETWORK_TRUST, 0
                self._compiled = NetworkTrials(policy, view)
            else:
                self.trust, self.exact = TRUST, EXACT
                self._compiled = RatedTrials(policy, view, PROPOSALS)
            self._game = rules, number
        return self._compiled
