"""Critic for search, fitted to a finished policy on games in which one seat deviates from the policy once.

During training a critic sees the policy's own plays, mostly against rule-based agents. A search asks about other plays, in
games where every seat is a network. Fitting therefore uses such games. All seats play the policy, but one seat, at a random
one of its first decisions, draws its play at a higher temperature. The critic learns from the positions after the deviation.
Earlier positions are left out, because their outcome does not depend on the policy alone.
"""

from __future__ import annotations

import copy
import hashlib
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Final

import numpy as np
import torch

from big2_agents.kernels.codes import NET
from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.train import candidate_ppo
from big2_agents.train.hyper_parameters import CriticParameters
from big2_agents.train.loop import Checkpointed, read_checkpoint
from big2_agents.train.network import Array, Critic, Decisions, Policy, arrays_of, log_probs, sample, tensors_of
from big2_agents.train.precision import TRIAL_GAMES, Timing, time_both
from big2_agents.train.rollouts import Rollouts, own_rollout, rollouts_of
from big2_agents.train.run_folder import append_row, drop_rows_after, iterations
from big2_agents.train.self_play import surprises
from big2_agents.train.updates import fit_values
from big2_env.climbing.ruleset import RuleSet
from big2_env.runs.executors import Executor

SAVE_EVERY: Final = 60.0
"""Seconds between checkpoints."""


@dataclass
class Positions:
    """Positions of n decisions, from which the critic learns."""

    states: Array
    """int8 (n, sizes.state)."""
    hidden: Array
    """int8 (n, sizes.hidden)."""
    value: Array
    """Values predicted by the critic, float32 (n,)."""
    target: Array
    """Targets of the critic, float32 (n,)."""
    payoff: Array
    """Scaled payoffs at the end of the game, float32 (n,)."""
    deviated: Array
    """True if the seat to move is the one that deviated, bool (n,)."""


@torch.no_grad()
def collect_positions(
    games: PlayedGames, policy: Policy, critic: Critic, rng: np.random.Generator, args: CriticParameters, scale: float
) -> Positions:
    """Deal and play all games, and return the positions after the deviations.

    Args:
        games: The games.
        policy: The policy of all seats.
        critic: The critic.
        rng: Generator of deals, deviations and plays.
        args: Hyper-parameters. A deviation is one of the first `deviation_window` decisions of its seat, drawn from scores
            divided by `temperature`.
        scale: Divisor of payoffs.
    """
    number, players = len(games.games), games.seats
    policy, critic = policy.for_play(), critic.for_play()
    games.deal(rng.integers(0, 2**63, number), np.full((number, players), NET, np.int32))
    deviator, place = rng.integers(players, size=number), rng.integers(args.deviation_window, size=number)
    made, is_after = np.zeros((number, players), np.int64), np.zeros(number, np.bool_)
    steps: list[tuple[Array, ...]] = []
    while len(rows := games.advance()):
        features = Decisions.of(games.features(rows, hidden=True), policy.device)
        seats = games.games.turn[rows].astype(np.int64)
        log_prob = log_probs(policy, features)
        is_own = seats == deviator[rows]
        deviates = is_own & (made[rows, seats] == place[rows])
        flat = torch.where(torch.from_numpy(deviates).to(policy.device)[features.owner], log_prob / args.temperature, log_prob)
        value = critic.values(features.states, features.hidden)
        seen = features.states.cpu().numpy(), features.hidden.cpu().numpy()
        steps.append((*seen, value, rows * players + seats, is_after[rows], is_own))
        is_after[rows] |= deviates
        made[rows, seats] += 1
        games.choose(rows, sample(flat, features, rng))
    states, hidden, value, key, kept, is_own = (np.concatenate(column) for column in zip(*steps, strict=True))
    final = (games.payoffs() / scale).astype(np.float32).reshape(-1)
    target = value + surprises(key, value, value, final, args.gae_lambda)
    return Positions(states[kept], hidden[kept], value[kept], target[kept], final[key][kept], is_own[kept])


class PositionPlayer:
    """Player of rounds of games with a fixed policy and a critic whose weights can be replaced.

    Args:
        rules: Rules of the games.
        policy: The policy of all seats.
        critic: The critic.
        scale: Divisor of payoffs.
        args: Hyper-parameters.
    """

    def __init__(self, rules: RuleSet, policy: Policy, critic: Critic, scale: float, args: CriticParameters) -> None:
        self._policy, self._critic, self._scale, self._args = policy, critic, scale, args
        self._games = PlayedGames(rules, args.games)

    @classmethod
    def for_worker(cls, *given: Any) -> PositionPlayer:
        """Return a player that has already loaded its compiled code; arguments as for the class."""
        player = cls(*given)
        full, player._games = player._games, PlayedGames(given[0], candidate_ppo.WARM_UP_GAMES)
        player.play(np.random.default_rng(0))
        player._games = full
        return player

    def load(self, weights: Mapping[str, Array]) -> None:
        """Load the weights of the critic."""
        self._critic.load_state_dict(tensors_of(weights))

    def play(self, request: np.random.Generator) -> tuple[Positions, np.random.Generator]:
        """Play a round; return its positions and the generator in its state after the games."""
        with self._policy.precision(self._args.bfloat16):
            positions = collect_positions(self._games, self._policy, self._critic, request, self._args, self._scale)
        return positions, request


class CriticFit(Checkpointed):
    """Fit of a critic: the fixed policy, the critic, its optimizer and counters.

    If `args.bfloat16` is `None`, a checkpoint sets it to the precision with which the fit began.

    Args:
        args: Hyper-parameters.
        learner: The finished run.
    """

    def __init__(self, args: CriticParameters, learner: candidate_ppo.Learner) -> None:
        super().__init__(learner.args.out / "critic.pt")
        self.args, self.rules = args, learner.rules
        self.policy, self.critic, self.scale = learner.final_policy(), learner.critic, learner.scale
        self.optimizer = torch.optim.Adam(self.critic.parameters(), lr=args.learning_rate)
        self.rollouts: Rollouts = lambda: own_rollout(self)

    @cached_property
    def player(self) -> PositionPlayer:
        """Player in this process, with the precision that is chosen by then."""
        return PositionPlayer(self.rules, self.policy, self.critic, self.scale, self.args)

    @property
    def parts(self) -> dict[str, Any]:
        """Critic and optimizer by name."""
        return {"critic": self.critic, "optimizer": self.optimizer}

    def state(self) -> dict[str, Any]:
        """Return the content of a checkpoint, including a hash of the policy's weights."""
        return super().state() | {"policy": fingerprint(self.policy), "bfloat16": self.args.bfloat16}

    def load(self) -> bool:
        """Load the checkpoint and return True, or return False if there is none for this policy.

        Raises:
            ConfigError: The file is not a checkpoint of this critic.
        """
        if self.checkpoint.exists():
            with read_checkpoint(self.checkpoint) as state:
                if state["policy"] != fingerprint(self.policy):
                    return False
                if self.args.bfloat16 is None:
                    self.args = replace(self.args, bfloat16=state["bfloat16"])
        return super().load()

    def time_precisions(self, *, on_processor: bool = False) -> Timing:
        """Time an update and the choices of a few games in both precisions; the fit itself does not change.

        Args:
            on_processor: True to time networks on the processor, where workers play, instead of the device of this fit.
        """
        policy, critic = copy.deepcopy(self.policy), copy.deepcopy(self.critic)
        if on_processor:
            policy, critic = policy.cpu(), critic.cpu()
        games, rng = PlayedGames(self.rules, 4 * TRIAL_GAMES), np.random.default_rng(self.args.seed)
        games.deal(rng.integers(0, 2**63, len(games.games)), np.full((len(games.games), games.seats), NET, np.int32))
        features = Decisions.of(games.features(games.advance(), hidden=True), policy.device)
        target = torch.zeros(len(features), device=policy.device)
        optimizer = torch.optim.Adam(critic.parameters(), lr=0.0)

        def work(bfloat16: bool) -> None:
            with policy.precision(bfloat16):
                with torch.no_grad():
                    log_probs(policy.for_play(), features).cpu()
                critic.for_play().values(features.states, features.hidden)
                order = np.random.default_rng(0)
                fit_values(critic, optimizer, features.states, features.hidden, target, self.args.minibatch, order)

        return time_both(work, policy.device)

    def request(self, number: int, staleness: int = 0) -> np.random.Generator:
        """Return the generator of a round's games."""
        return np.random.default_rng([self.args.seed, number])

    def weights(self) -> dict[str, Array]:
        """Return the weights of the critic."""
        return arrays_of(self.critic.state_dict())

    def worker_player(self) -> tuple[Any, ...]:
        """Return the function that makes a worker's player, and its arguments."""
        networks = copy.deepcopy(self.policy).cpu(), copy.deepcopy(self.critic).cpu()
        return PositionPlayer.for_worker, self.rules, *networks, self.scale, self.args

    def iterate(self) -> dict[str, float]:
        """Play a round of games and make one pass over it.

        Returns:
            Measurements from before the pass. `explained` is the fraction of the payoffs' variance that the critic explains,
            and `overrates` the mean payoff by which it overrates positions. `explained_after` and `overrates_after` cover the
            seat that deviated.
        """
        args = self.args
        for group in self.optimizer.param_groups:
            group["lr"] = args.learning_rate * 0.5 * (1 + math.cos(math.pi * min(1.0, self.minutes / args.minutes)))
        (seen, rng), staleness = self.rollouts()
        with self.policy.precision(args.bfloat16):
            states, hidden, target = (self.critic.to_device(part) for part in (seen.states, seen.hidden, seen.target))
            fit_values(self.critic, self.optimizer, states, hidden, target, args.minibatch, rng)
        self.iteration += 1
        found = {"positions": float(len(seen.target)), "staleness": float(staleness)}
        for label, where in (("", np.ones_like(seen.deviated)), ("_after", seen.deviated)):
            payoff, error = seen.payoff[where], seen.payoff[where] - seen.value[where]
            found |= {f"explained{label}": 1.0 - float((error**2).mean()) / (float(payoff.var()) + 1e-9)}
            found |= {f"overrates{label}": -float(error.mean()) * self.scale}
        return found


def fingerprint(policy: Policy) -> str:
    """Return a hash of a policy's weights."""
    digest = hashlib.sha256()
    for value in policy.state_dict().values():
        digest.update(value.detach().cpu().numpy().tobytes())
    return digest.hexdigest()


def fit(
    args: CriticParameters,
    learner: candidate_ppo.Learner,
    report: Callable[[CriticFit, dict[str, float]], None] = lambda run, found: None,
    is_stopped: Callable[[], bool] = lambda: False,
    executor: Executor | None = None,
    timed: Callable[[Timing], None] = lambda timing: None,
) -> CriticFit:
    """Fit the critic of a finished run until the minutes are used up, starting from the folder's critic.pt if it has one.

    Args:
        args: Hyper-parameters.
        learner: The run, loaded.
        report: Called after each round.
        is_stopped: Called after each round; True ends the fit after its checkpoint is written.
        executor: Executor of the rollout workers; `None` to play in this process.
        timed: Called if the precision of the layers is chosen by a trial.

    Returns:
        The fit, up to date with its checkpoint.

    Raises:
        ConfigError: The checkpoint is broken, or workers cannot start.
    """
    torch.set_num_threads(1)
    run, rows = CriticFit(args, learner), learner.args.out / "critic.csv"
    run.load()
    if run.args.bfloat16 is None:
        timing = run.time_precisions(on_processor=executor is not None)
        timed(timing)
        run.args = replace(run.args, bfloat16=timing.prefers_bfloat16)
    drop_rows_after(rows, run.iteration)
    with rollouts_of(run, executor) as run.rollouts:
        saved = time.perf_counter()
        for _ in iterations(run, partial(append_row, rows), is_stopped):
            if time.perf_counter() - saved > SAVE_EVERY:
                run.save()
                saved = time.perf_counter()
            report(run, {})
    run.save()
    return run
