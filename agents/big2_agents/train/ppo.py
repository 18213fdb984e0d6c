"""MaskablePPO of sb3-contrib in self-play: every seat learns from its own decisions, some seats are snapshots of the learner.

Games continue from one rollout to the next. If workers are *k* updates ahead, *k + 1* sets of games take turns: each rollout
returns its games to the learner, which sends them along with a later request. The command line is `big2 train ppo`.

Sources: Schulman et al., arXiv 1707.06347 (PPO); Huang and Ontañón, arXiv 2006.14171 (masks); a pool of snapshots as in Bansal
et al., arXiv 1710.03748.
"""

from __future__ import annotations

import math
import pickle
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.utils import set_random_seed

from big2_agents.evaluation import Evaluation
from big2_agents.kernels.codes import NET
from big2_agents.kernels.feature_layout import check_learnable
from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.train import loop
from big2_agents.train.export import export_actor, to_actor
from big2_agents.train.hyper_parameters import PpoParameters
from big2_agents.train.network import Array, arrays_of, tensors_of
from big2_agents.train.rollouts import rollouts_of
from big2_agents.train.updates import importance
from big2_env.base.errors import ConfigError
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset
from big2_env.envs.sb3 import LegalPolicy, PolicyOpponent, SelfPlayPPO, SelfPlayVecEnv
from big2_env.envs.sb3_buffer import Decisions
from big2_env.kernels.dialect.bits import U, borrowed
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.legal import reading_of, slot_cards
from big2_env.kernels.tables import Tables
from big2_env.runs.executors import Executor

POLICIES: Final[dict[str, Any]] = {"legal": LegalPolicy, "mlp": "MlpPolicy"}
SB3_NAMES: Final = {
    "policy_loss": "policy_gradient_loss",
    "value_loss": "value_loss",
    "entropy": "entropy_loss",
    "kl": "approx_kl",
    "clipped": "clip_fraction",
    "explained": "explained_variance",
}
"""Columns of progress.csv and their names in SB3, whose entropy loss is the negative entropy."""


class ScaledSelfPlay(SelfPlayVecEnv):
    """`SelfPlayVecEnv` with payoffs divided by `scale`; unscaled payoffs in cards would swamp the policy loss."""

    scale = 1.0

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Step all games; the payoffs in `infos` are unscaled."""
        answer = super().step_wait()
        self.payoffs = self.payoffs / np.float32(self.scale)
        return answer


def make_games(args: PpoParameters, rules: RuleSet, scale: float) -> ScaledSelfPlay:
    """Return the games of a run, with payoffs divided by `scale`."""
    venv = ScaledSelfPlay(args.games, ruleset=rules, share=args.opponent_share)
    venv.scale = scale
    return venv


def make_model(args: PpoParameters, games: ScaledSelfPlay) -> SelfPlayPPO:
    """Return a new MaskablePPO model for these games."""
    model = SelfPlayPPO(
        POLICIES[args.policy],
        games,
        n_steps=args.steps,
        # SB3 warns of batches that do not fill a rollout, but here only the learner's own choices are learned from.
        batch_size=args.games * args.steps,
        n_epochs=args.epochs,
        gamma=1.0,
        gae_lambda=args.gae_lambda,
        clip_range=args.clip_range,
        policy_kwargs={"net_arch": [args.width] * args.layers, "activation_fn": torch.nn.ReLU},
        seed=args.seed,
        device="cpu",
    )
    model.batch_size = args.minibatch
    return model


class Request(NamedTuple):
    """Request for a rollout."""

    seed: int
    """Seed of all randomness except deals."""
    deals: int
    """Seed of the deals, if the games are new."""
    past: dict[str, Array] | None
    """Weights of the snapshot in the opponent pool; `None` for none."""
    games: Any
    """State of the games to continue; `None` for new games."""


class Made(NamedTuple):
    """Finished rollout."""

    decisions: Decisions
    games: Any
    """State of the games, for a rollout that continues them."""


class RolloutPlayer:
    """Player of rollouts with a model."""

    def __init__(self, args: PpoParameters, rules: RuleSet, scale: float) -> None:
        self._steps, self._new_games = args.steps, lambda: make_games(args, rules, scale)
        self.model = make_model(args, self._new_games())
        self.model.set_logger(Logger(None, []))

    def load(self, weights: Mapping[str, Array]) -> None:
        """Load the weights of the policy."""
        self.model.policy.load_state_dict(tensors_of(weights))

    def play(self, request: Request) -> Made:
        """Make a rollout."""
        model: Any = self.model
        buffer = model.rollout_buffer
        if request.games is None:
            model.set_env(self._new_games())
            model._last_obs = None
            model.env.seed(request.deals)
        else:
            games, waiting, model._last_obs, model._last_episode_starts = request.games
            model.set_env(games, force_reset=False)
            buffer.restore_carried(waiting)
        if request.past is not None:
            past = PolicyOpponent(model)
            past.policy.load_state_dict(tensors_of(request.past))
            model.env.pool.draw_from([past])
        set_random_seed(request.seed)
        _, callback = model._setup_learn(self._steps * model.n_envs, None, reset_num_timesteps=False)
        model.collect_rollouts(model.env, callback, buffer, self._steps)
        decisions = buffer.decisions()
        return Made(decisions, (model.env, buffer.carried(), model._last_obs, model._last_episode_starts))


class WorkerPlayer(RolloutPlayer):
    """`RolloutPlayer` whose games travel as bytes that the learner never decodes."""

    def play(self, request: Request) -> Made:
        """Make a rollout."""
        if request.games is not None:
            request = request._replace(games=pickle.loads(request.games))
        made = super().play(request)
        return made._replace(games=pickle.dumps(made.games))


@torch.no_grad()
def reweighted(decisions: Decisions, model: SelfPlayPPO, minibatch: int) -> Decisions:
    """Return decisions of older weights with the model's log probabilities and importance-weighted advantages.

    PPO then clips relative to the policy that learns, not to the one that played. Source: the decoupled objective of Hilton et
    al., arXiv 2110.00641.

    Args:
        decisions: Decisions made by older weights.
        model: The model with its current weights.
        minibatch: Decisions to compute at a time.
    """
    model.policy.set_training_mode(False)
    buffer: Any = model.rollout_buffer
    buffer.set_decisions(decisions)
    number = len(decisions.values)
    found = [
        model.policy.evaluate_actions(batch.observations, batch.actions.long().flatten(), action_masks=batch.action_masks)[
            1
        ].numpy()
        for batch in map(buffer._get_samples, np.array_split(np.arange(number), math.ceil(number / minibatch)))
    ]
    log_probs = np.concatenate(found)
    advantages = decisions.advantages * importance(log_probs, decisions.log_probs)
    return decisions._replace(log_probs=log_probs, advantages=advantages)


@kernel(entry=True)
def _name_cards(tab: Tables, games: Any, candidates: Any, rows: Any, actions: Any) -> None:
    """Write the cards of each action into the first candidate of its game."""
    games, candidates = borrowed(games), borrowed(candidates)
    for n in range(rows.shape[0]):
        game, cand = games[rows[n]], candidates[rows[n]]
        cand.mask[0], cand.row[0] = U(0), -1
        if actions[n] > 0:
            cand.mask[0] = slot_cards(tab, actions[n], game.hands[game.turn])
            cand.row[0] = reading_of(tab, cand.mask[0], game.top_category, game.top_power)


@torch.no_grad()
def most_likely(policy: Any, observations: Array, masks: Array) -> Array:
    """Return the most likely legal action of each row, int64 (n,)."""
    policy.set_training_mode(False)
    seen, _ = policy.obs_to_tensor(observations)
    actions: Array = policy.get_distribution(seen, action_masks=masks.view(np.bool_)).mode().cpu().numpy()
    return actions


class Matches:
    """Evaluation games of a policy in one seat against three copies of a rule-based agent.

    Deals, opponents and the rule that a certain win is always played are the same as in candidate PPO's evaluations. Each deal
    is played from all four seats.
    """

    def __init__(self, ruleset: RuleSet, deals: int) -> None:
        check_learnable(ruleset)
        self._games = PlayedGames(ruleset, 4 * deals)
        self._shown = BatchEngine(ruleset, 4 * deals)

    def play(self, policy: Any, opponent: int, seed: int) -> Evaluation:
        """Play all games with the policy's most likely actions.

        Args:
            policy: The policy.
            opponent: Code of the opponents in `kernels.codes`.
            seed: Seed of the first deal.
        """
        games, shown = self._games, self._shown
        number = len(games.games)
        own_seat = np.arange(number) % 4
        controllers = np.full((number, 4), opponent, np.int32)
        controllers[np.arange(number), own_seat] = NET
        games.deal(seed + np.arange(number) // 4, controllers)
        while len(rows := games.advance()):
            shown._games[:] = games.games  # made by compiled code of this process, so nothing is checked
            shown.show()
            actions = most_likely(policy, shown.observation[rows], shown.mask[rows])
            _name_cards(games._tables, games._games, games._candidates, rows, actions.astype(np.int64))
            games.choose(rows, np.zeros(len(rows), np.int64))
        won, paid = games.games.winner == own_seat, games.payoffs()[controllers == NET]
        return Evaluation(won.reshape(-1, 4).mean(axis=1), paid.reshape(-1, 4).mean(axis=1))


class Learner(loop.Learner):
    """MaskablePPO run: model, snapshots and counters.

    Raises:
        ConfigError: The policy is unknown, or the method cannot learn the ruleset.
    """

    saved = ("past",)
    args: PpoParameters

    def __init__(self, args: PpoParameters) -> None:
        if args.policy not in POLICIES:
            raise ConfigError(f"expected a policy of {', '.join(POLICIES)}, got {args.policy!r}")
        super().__init__(args)
        self.rules = ruleset(args.ruleset)
        self.matches = Matches(self.rules, args.evaluation_deals)
        self.scale = loop.payoff_scale(self.rules)
        """Divisor of payoffs."""
        self.player = RolloutPlayer(args, self.rules, self.scale)
        self.model = self.player.model
        self._games: dict[int, Any] = {}
        """State of the games after each rollout, by its number."""

    @property
    def parts(self) -> dict[str, Any]:
        """Policy and optimizer by name."""
        return {"policy": self.model.policy, "optimizer": self.model.policy.optimizer}

    def load(self) -> bool:
        """Continue from the checkpoint, if there is one.

        Raises:
            ConfigError: Not a checkpoint of this run.
        """
        found = super().load()
        self.past = self.past[-self.args.pool_size :]
        return found

    def request(self, number: int, staleness: int = 0) -> Request:
        """Return the request for the rollout of an iteration, with one snapshot drawn as an opponent."""
        games = self._games.pop(number - staleness - 1, None)
        rng = np.random.default_rng([self.args.seed, number])
        seed, deals = int(rng.integers(1 << 31)), int(rng.integers(1 << 62)) if games is None else 0
        return Request(seed, deals, self.draw_snapshot(rng), games)

    def weights(self) -> dict[str, Array]:
        """Return the weights of the policy."""
        return arrays_of(self.model.policy.state_dict())

    def worker_player(self) -> tuple[Any, ...]:
        """Return the function that makes a worker's player, and its arguments."""
        return WorkerPlayer, self.args, self.rules, self.scale

    def iterate(self) -> dict[str, float]:
        """Make a rollout, update the model and return measurements by name."""
        args, model, progress = self.args, self.model, self.completed
        rate = args.learning_rate * (1.0 - 0.9 * progress)
        model.lr_schedule, model.ent_coef = lambda _: rate, args.ent_coef * (1.0 - 0.8 * progress)
        start = time.perf_counter()
        (decisions, self._games[self.iteration]), self.staleness = self.rollouts()
        if self.staleness:
            decisions = reweighted(decisions, model, args.minibatch)
        buffer: Any = model.rollout_buffer
        buffer.set_decisions(decisions)
        set_random_seed(int(np.random.default_rng([args.seed, self.iteration]).integers(1 << 31)))
        model.num_timesteps = args.games * args.steps * (self.iteration + 1)
        model.train()
        self.keep_snapshot(model.policy)
        self.iteration += 1
        learned = len(decisions.values)
        self.choices += learned
        measured = {name: float(model.logger.name_to_value[f"train/{key}"]) for name, key in SB3_NAMES.items()}
        measured["entropy"] *= -1.0
        measured |= {"learning_rate": rate, "staleness": self.staleness}
        return measured | {"choices_per_second": learned / (time.perf_counter() - start)}

    def evaluate(self) -> dict[str, float]:
        """Return win rates and payoffs against three of each rule-based agent, and the staleness of the last rollout."""
        found = loop.evaluate_against_all(lambda code, seed: self.matches.play(self.model.policy, code, seed))
        return found | {"staleness": self.staleness}

    def export(self) -> list[Path]:
        """Write the weights of the actor, and return the file."""
        weights: Path = self.args.out / f"{self.rules.name}.npz"
        export_actor(to_actor(self.model.policy), weights, self.rules)
        return [weights]


def train(args: PpoParameters, callbacks: loop.Callbacks = loop.SILENT, executor: Executor | None = None) -> Learner:
    """Train until the minutes or choices are used up, starting from the folder's checkpoint if it has one.

    Args:
        args: Hyper-parameters.
        callbacks: Functions that the run calls.
        executor: Executor of the rollout workers; `None` to play in this process.

    Returns:
        The run, up to date with its checkpoint.

    Raises:
        ConfigError: The folder holds another run or a broken checkpoint, an argument is invalid, or workers cannot start.
        ImportError: TensorBoard or Ray is asked for but not installed.
    """
    torch.set_num_threads(1)
    learner = Learner(args)
    loop.resume(learner)
    with rollouts_of(learner, executor) as learner.rollouts:
        loop.learn(learner, callbacks)
    return learner
