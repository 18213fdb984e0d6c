"""Search with a network: candidates are tried on sampled deals up to the seat's next choice, which a critic judges."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from big2_agents.compiled_trials import NetworkTrials
from big2_agents.learned.asked_weights import AskedWeights
from big2_agents.learned.policy import LearnedPolicy
from big2_agents.search import SearchAgent
from big2_agents.trials import Trials
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View

NETWORK_SLOPE: Final = 0.1
"""The same of a unit in the network's scores."""
NETWORK_TRUST: Final = 40.0
"""How many samples the network's own opinion counts for."""
NETWORK_GAP: Final = 4.0
"""Plays that the network scores so much less than its favourite are not tried: on deals that fit what is public as little as
sampled ones do, such plays look better than they are."""


class LearnedSearchAgent(SearchAgent):
    """Search with a policy network in all seats and a critic at the seat's next choice.

    The critic must have been fitted to plays that the network would hardly make (`big2 train critic`): those are what it
    is asked about.

    Args:
        budget: as for `SearchAgent`; the file of weights may stand behind it, as in `50ms,runs/big2/big2.npz`.
        candidates: how many of the network's favourite plays are tried.
        weights: a file of policy weights; its critic lies beside it as `<name>_critic.npz`. By default those shipped. Or
            `AskedWeights`.
    """

    slope, gap = NETWORK_SLOPE, NETWORK_GAP

    def __init__(
        self, budget: str | int = "50ms", *, candidates: int = 6, weights: str | Path | AskedWeights | None = None
    ) -> None:
        budget, _, path = str(budget).partition(",")
        weights = weights or path or None
        super().__init__(budget, candidates=candidates, trust=NETWORK_TRUST, proposals=0, exact=0)
        self._asked = weights if isinstance(weights, AskedWeights) else AskedWeights(weights)

    def check(self, ruleset: RuleSet, num_players: int) -> None:
        """See if there are weights for a game. Raises ConfigError as `LearnedPolicy.check` does."""
        self._asked.path(ruleset, num_players)

    def prepare(self, view: View) -> None:
        """Load or compile what acts in games like that of a view need."""
        self._trials(view)

    def _trials(self, view: View) -> Trials:
        rules, number = view.ruleset, view.num_players
        if self._compiled is None or self._game is None or self._game[0] is not rules or self._game[1] != number:
            self._compiled, self._game = NetworkTrials(LearnedPolicy(self._asked), view), (rules, number)
        return self._compiled
