"""What MaskablePPO needs of games: self-play with payoffs in a learner's scale, and matches against the rule players."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from big2_agents.kernels.acts import NET
from big2_agents.kernels.feature_layout import check_learnable
from big2_agents.kernels.selfplay import PlayedGames
from big2_env.climbing.ruleset import RuleSet
from big2_env.envs.sb3 import SelfPlayVecEnv
from big2_env.kernels.dialect.bits import U, borrowed
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.legal_slots import row_of, slot_cards
from big2_env.kernels.tables import Tables

Array = npt.NDArray[Any]


class ScaledSelfPlay(SelfPlayVecEnv):
    """`SelfPlayVecEnv` whose payoffs count divided by `scale`: where they are cards, values of tens would drown the policy."""

    scale = 1.0

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """As of any rows; `infos` have the payoffs as the ruleset pays them."""
        answer = super().step_wait()
        self.payoffs = self.payoffs / np.float32(self.scale)
        return answer


@kernel(entry=True)
def _name_cards(tab: Tables, games: Any, candidates: Any, rows: Any, actions: Any) -> None:
    """Make the cards of an action the first candidate of its game."""
    games, candidates = borrowed(games), borrowed(candidates)
    for n in range(rows.shape[0]):
        game, cand = games[rows[n]], candidates[rows[n]]
        cand.mask[0], cand.row[0] = U(0), -1
        if actions[n] > 0:
            cand.mask[0] = slot_cards(tab, actions[n], game.hands[game.turn])
            cand.row[0] = row_of(tab, cand.mask[0])


@torch.no_grad()
def likeliest(policy: Any, observations: Array, masks: Array) -> Array:
    """The likeliest legal action of each row, int64 (n,)."""
    policy.set_training_mode(False)
    seen, _ = policy.obs_to_tensor(observations)
    actions: Array = policy.get_distribution(seen, action_masks=masks.view(np.bool_)).mode().cpu().numpy()
    return actions


class Matches:
    """Games of a policy alone against three of one rule player: each deal in all four seats, the same deals every time.

    The same deals and opponents as of candidate PPO, and as there a sure win is played where one is seen.
    """

    def __init__(self, ruleset: RuleSet, deals: int) -> None:
        check_learnable(ruleset)
        self._games = PlayedGames(ruleset, 4 * deals)
        self._shown = BatchEngine(ruleset, 4 * deals)

    def play(self, policy: Any, opponent: int, seed: int) -> tuple[float, float, float]:
        """Win rate, mean payoff and its standard error, with the deal as its unit; `opponent` is a code of `policies`."""
        games, shown = self._games, self._shown
        number = len(games.games)
        own_seat = np.arange(number) % 4
        controllers = np.full((number, 4), opponent, np.int32)
        controllers[np.arange(number), own_seat] = NET
        games.deal(seed + np.arange(number) // 4, controllers)
        while len(rows := games.advance()):
            shown._games[:] = games.games  # made by compiled code of this process, so nothing is checked
            shown.show()
            actions = likeliest(policy, shown.observation[rows], shown.mask[rows])
            _name_cards(games._tables, games._games, games._candidates, rows, actions.astype(np.int64))
            games.choose(rows, np.zeros(len(rows), np.int64))
        own = games.payoffs()[controllers == NET].reshape(-1, 4).mean(axis=1)
        won = games.games.winner == own_seat
        return float(won.mean()), float(own.mean()), float(own.std() / np.sqrt(len(own)))
