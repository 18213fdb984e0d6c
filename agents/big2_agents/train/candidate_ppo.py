"""Candidate PPO: PPO over candidate plays, against rule-based agents and snapshots, with a critic that sees all hands.

The policy scores each candidate play from features, so one network serves any number of legal plays. A critic of plays
estimates the value of every likely play, chosen or not, so each decision teaches about all of them (`self_play.gains`). The
command line is `big2 train candidate-ppo`. Sources: Schulman et al., arXiv 1707.06347 (PPO); Yang et al., arXiv 2203.16406 (a
critic that sees all hands); Zha et al., arXiv 2106.06135 (plays as features).
"""

from __future__ import annotations

import copy
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from big2_agents.kernels.codes import RANDOM
from big2_agents.kernels.feature_layout import WORSE, opinion_places
from big2_agents.kernels.features import feature_record, sizes_of
from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.train import loop
from big2_agents.train.export import export, load_league, load_networks, shipped_path, to_critic, to_network
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.network import (
    NUM_RULE_PLAYERS,
    Array,
    Critic,
    Networks,
    PlayCritic,
    Policy,
    arrays_of,
    tensors_of,
    torch_device,
)
from big2_agents.train.rollouts import rollouts_of
from big2_agents.train.run_folder import fraction_done, saved_bfloat16
from big2_agents.train.self_play import PAST, Batch, Round, collect, evaluate, opponent_codes
from big2_agents.train.updates import Optimizers, adam, reweighted, update
from big2_env.base.errors import ConfigError
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset
from big2_env.kernels.dialect.bits import has_instructions
from big2_env.runs.executors import Executor, num_cores

LEAGUE: Final = PAST - 1
"""Controller code of the first league player; the others count down from it."""
LEAGUE_WEIGHT: Final = 3
"""Weight of each league player among the opponents."""
INIT_WARM_UP: Final = 80_000
"""Games in which the learning rate rises if the policy starts from given weights. The first steps of a new optimizer have full
length, however small the gradients; they moved finished policies by 0.3 to 0.5 nats in the first iteration."""
PLAY_CRITIC_RATE: Final = 1e-3
"""Initial learning rate of the critic of plays."""
INSTRUCTIONS: Final = ("avx512bf16", "amx-bf16", "bf16")
"""Features of processors that multiply in bfloat16, by LLVM's names: AVX-512, AMX, Arm.

Without one, bfloat16 takes several times as long as float32.
"""
WARM_UP_GAMES: Final = 16
"""Games that a new worker plays to load its compiled code."""


class RoundPlayer:
    """Player of rounds of games with given networks.

    Args:
        rules: Rules of the games.
        networks: The learner's networks.
        league: Trained opponents by controller code.
        scale: Divisor of payoffs.
        args: Hyper-parameters of the first round; each `Round` brings its own.
        threads: Threads that play games.
    """

    def __init__(
        self,
        rules: RuleSet,
        networks: Networks,
        league: Mapping[int, Policy],
        scale: float,
        args: CandidatePpoParameters,
        threads: int = 1,
    ) -> None:
        self.games = PlayedGames(rules, args.games, threads=threads)
        self._rules, self._networks, self._league, self._scale, self._threads = rules, networks, league, scale, threads

    @classmethod
    def for_worker(cls, *given: Any) -> RoundPlayer:
        """Return a player that has already loaded its compiled code; arguments as for the class."""
        player, args = cls(*given), replace(given[-1], games=WARM_UP_GAMES)
        player.play(Round(args, (RANDOM,), np.random.default_rng(0), None))
        return player

    def load(self, weights: Mapping[str, Mapping[str, Array]]) -> None:
        """Load the weights of the networks."""
        for name, network in self._networks.by_name.items():
            network.load_state_dict(tensors_of(weights[name]))

    def play(self, request: Round) -> tuple[Batch, np.random.Generator]:
        """Play a round; return the learner's decisions and the generator in its state after the games."""
        args, others = request.args, dict(self._league)
        if len(self.games.games) != args.games:
            self.games = PlayedGames(self._rules, args.games, threads=self._threads)
        if request.past is not None:
            others[PAST] = copy.deepcopy(self._networks.policy)
            others[PAST].load_state_dict(tensors_of(request.past))
        with self._networks.policy.precision(args.bfloat16):
            batch = collect(self.games, self._networks, request, self._scale, others)
        return batch, request.rng


class Learner(loop.Learner):
    """Candidate PPO run: networks, optimizer, snapshots and counters.

    Args:
        args: Hyper-parameters.
        rules: Rules of the games; by default `args.ruleset`.

    Raises:
        ConfigError: Weights do not fit the rules, or no GPU was found.
    """

    saved = ("past", "phase_start", "scale", "mean")
    args: CandidatePpoParameters

    def __init__(self, args: CandidatePpoParameters, rules: RuleSet | None = None) -> None:
        super().__init__(args)
        self.rules = ruleset(args.ruleset) if rules is None else rules
        torch.manual_seed(args.seed)
        device = torch_device(args.device)
        league, rivals = load_league(args.league, self.rules), load_league(args.rivals, self.rules)
        self.networks, self.scale = self._new_networks(device, players=NUM_RULE_PLAYERS + 1 + len(league))
        self.start = copy.deepcopy(self.policy)
        """Initial policy, with which evaluations compare the learner."""
        self.mean: dict[str, torch.Tensor] = {}
        """Exponential mean of the policy's weights; empty without `args.averaging`."""
        networks, rate = self.networks, args.learning_rate
        self.optimizers = Optimizers(adam([networks.policy, networks.critic], rate), adam([networks.play_critic], rate))
        self.league = {LEAGUE - i: policy.to(device) for i, policy in enumerate(league)}
        """Trained opponents by controller code."""
        self.rivals = {LEAGUE - i: policy.to(device) for i, policy in enumerate(rivals)}
        """Trained agents of paired evaluations by controller code."""
        self._start_payoffs: dict[int, Array] = {}
        """Payoffs of the initial policy in evaluations against each rival, by code."""
        self.opponents = self._opponents(args)
        """Controller codes to draw opponents from; see `Round.opponents`."""
        self.phase_start = 0.0
        """Minutes before the current phase."""
        self.threads = num_cores() if device.type == "cuda" and not args.workers else 1
        self.player = RoundPlayer(self.rules, self.networks, self.league, self.scale, args, self.threads)

    @property
    def policy(self) -> Policy:
        """The policy."""
        return self.networks.policy

    @property
    def critic(self) -> Critic:
        """The critic of positions."""
        return self.networks.critic

    def _new_networks(self, device: torch.device, players: int) -> tuple[Networks, float]:
        """Return the initial networks and the payoff of one unit of the critic's output.

        Args:
            device: Device of the networks.
            players: Number of players that the critics distinguish: rule-based agents, the snapshot, the league.
        """
        args, sizes, layout, opinion = self.args, sizes_of(self.rules), feature_record(self.rules), opinion_places(self.rules)
        if args.init:
            policy, critic, scale = load_networks(shipped_path(args.init, self.rules), self.rules, players)
            if not args.heuristic_features and bool(policy.play.weight[:, opinion].any()):
                raise ConfigError(f"expected --heuristic-features, without which --init {args.init} was not trained")
        else:
            width = args.width
            policy = Policy(width, min(256, width), min(128, width), min(64, width), sizes=sizes)
            if args.heuristic_features and args.heuristic_prior:
                worse = int(layout.worse)
                policy.init_from_heuristic(int(layout.best), range(worse, worse + len(WORSE)), args.heuristic_prior)
            critic, scale = Critic(width, sizes=sizes, players=players), loop.payoff_scale(self.rules)
        play_critic = PlayCritic.from_policy(policy, sizes, players)
        found = Networks(policy.to(device), critic.to(device), play_critic.to(device))
        if not args.heuristic_features:
            for network in (found.policy, found.play_critic):
                network.ignore(opinion)
        return found, scale

    def _opponents(self, args: CandidatePpoParameters) -> tuple[int, ...]:
        return (*opponent_codes(args.opponents), *(code for code in self.league for _ in range(LEAGUE_WEIGHT)))

    @property
    def parts(self) -> dict[str, Any]:
        """Networks and optimizers by name."""
        optimizer, play_optimizer = self.optimizers
        return {**self.networks.by_name, "optimizer": optimizer, "play_optimizer": play_optimizer}

    @property
    def games(self) -> PlayedGames:
        """Games that this process plays."""
        return self.player.games

    def start_phase(self, phase: CandidatePpoParameters) -> None:
        """Switch to the hyper-parameters of a phase."""
        self.phase_start = self.minutes
        self.args, self.opponents = phase, self._opponents(phase)

    def phase_progress(self) -> float:
        """Return the completed fraction of the current phase."""
        if self.args.choices:
            return self.completed
        return fraction_done(self.minutes - self.phase_start, self.args.minutes - self.phase_start)

    def request(self, number: int, staleness: int = 0) -> Round:
        """Return the request for the games of an iteration, with one snapshot drawn as an opponent."""
        rng = np.random.default_rng([self.args.seed, number])
        return Round(self.args, self.opponents, rng, self.draw_snapshot(rng))

    def weights(self) -> dict[str, dict[str, Array]]:
        """Return the weights of the networks."""
        return {name: arrays_of(network.state_dict()) for name, network in self.networks.by_name.items()}

    def worker_player(self) -> tuple[Any, ...]:
        """Return the function that makes a worker's player, and its arguments."""
        league = {code: copy.deepcopy(policy).cpu() for code, policy in self.league.items()}
        return RoundPlayer.for_worker, self.rules, self.networks.on_processor(), league, self.scale, self.args

    def iterate(self) -> dict[str, float]:
        """Play a round of games, update the networks and return measurements by name."""
        args, progress = self.args, self.phase_progress()
        rate = args.learning_rate * (1.0 - 0.9 * progress)
        for group in self.optimizers.play_critic.param_groups:
            group["lr"] = PLAY_CRITIC_RATE * (1.0 - 0.9 * progress)
        rising = -(-INIT_WARM_UP // args.games)
        if args.init and args.warm_up <= self.iteration < args.warm_up + rising:
            rate *= (self.iteration - args.warm_up + 1) / (rising + 1)
        for group in self.optimizers.policy_and_critic.param_groups:
            group["lr"] = rate
        start = time.perf_counter()
        (batch, rng), self.staleness = self.rollouts()
        batch = replace(batch, features=batch.features.to(self.policy.device))  # rollout workers play on the processor
        collected = time.perf_counter()
        with self.policy.precision(args.bfloat16):
            if self.staleness:
                batch = reweighted(batch, self.policy, args.minibatch)
            ent_coef = args.ent_coef * (1.0 - 0.8 * progress)
            trains_policy = self.iteration >= args.warm_up
            measured = update(batch, self.networks, self.optimizers, rng, args, ent_coef, trains_policy=trains_policy)
        self.mean = mean_weights(self.mean, self.policy.state_dict(), args.averaging)
        self.keep_snapshot(self.policy)
        self.iteration += 1
        self.choices += len(batch.chosen)
        measured |= {
            "payoff": batch.payoff,
            "staleness": self.staleness,
            "collect_seconds": collected - start,
            "update_seconds": time.perf_counter() - collected,
            "choices_per_second": len(batch.chosen) / (time.perf_counter() - start),
        }
        return measured

    def final_policy(self) -> Policy:
        """Return the policy to evaluate and export: one with the mean weights if there are any."""
        if not self.mean:
            return self.policy
        policy = copy.deepcopy(self.policy)
        policy.load_state_dict(self.mean)
        return policy

    def evaluate(self) -> dict[str, float]:
        """Return win rates and payoffs against each rule-based agent and rival, and the staleness of the last round.

        `gain_rivalN` is the mean difference to the initial policy's payoffs on the same deals.
        """
        games = PlayedGames(self.rules, self.games.seats * self.args.evaluation_deals, threads=self.threads)
        policy = self.final_policy()
        with policy.precision(self.args.bfloat16):
            found = loop.evaluate_against_all(lambda code, seed: evaluate(games, policy, code, seed))
            for number, code in enumerate(self.rivals, start=1):
                result = evaluate(games, policy, code, loop.EVALUATION_SEED, self.rivals)
                if code not in self._start_payoffs:
                    before = evaluate(games, self.start, code, loop.EVALUATION_SEED, self.rivals)
                    self._start_payoffs[code] = before.paid
                gain, error = loop.mean_and_error(result.paid - self._start_payoffs[code])
                name = f"rival{number}"
                found |= loop.columns(result, name) | {f"gain_{name}": gain, f"gain_error_{name}": error}
        return found | {"staleness": self.staleness}

    def export(self) -> list[Path]:
        """Write the weights of policy and critic, and return the files in this order."""
        files = [self.args.out / f"{self.rules.name}{end}.npz" for end in ("", "_critic")]
        export(to_network(self.final_policy()), files[0], self.rules)
        export(to_critic(self.critic, self.scale), files[1])
        return files


def mean_weights(
    mean: Mapping[str, torch.Tensor], weights: Mapping[str, torch.Tensor], averaging: float
) -> dict[str, torch.Tensor]:
    """Return the next exponential mean of weights; empty if `averaging` is 0.

    Args:
        mean: The mean so far; empty for none.
        weights: Weights after an iteration.
        averaging: Weight of the past.
    """
    if not averaging:
        return {}
    return {
        name: mean.get(name, value).to(value.device).lerp(value.detach(), 1.0 - averaging) for name, value in weights.items()
    }


def train(
    args: CandidatePpoParameters | Sequence[CandidatePpoParameters],
    callbacks: loop.Callbacks = loop.SILENT,
    executor: Executor | None = None,
) -> Learner:
    """Train until the minutes or choices are used up, starting from the folder's checkpoint if it has one.

    Rounds that workers have started in one phase are used in the next one. Rounds that were in progress when a run stopped are
    played again with the weights of the checkpoint.

    Args:
        args: Hyper-parameters of the run, or of its phases in order (`hyper_parameters.read_phases`).
        callbacks: Functions that the run calls.
        executor: Executor of the rollout workers; `None` to play in this process.

    Returns:
        The run, up to date with its checkpoint.

    Raises:
        ConfigError: The folder holds another run or a broken checkpoint, weights do not fit, or workers cannot start.
        ImportError: TensorBoard is asked for but not installed.
    """
    torch.set_num_threads(1)
    phases = [args] if isinstance(args, CandidatePpoParameters) else list(args)
    learner = Learner(phases[0])
    if any(phase.bfloat16 is None for phase in phases):
        bfloat16 = _chosen_bfloat16(learner, executor, callbacks)
        phases = [replace(phase, bfloat16=bfloat16) if phase.bfloat16 is None else phase for phase in phases]
        learner.args = phases[0]
    loop.resume(learner)
    with rollouts_of(learner, executor) as learner.rollouts:
        _learn_phases(learner, phases, callbacks)
    return learner


def _chosen_bfloat16(learner: Learner, executor: Executor | None, callbacks: loop.Callbacks) -> bool:
    """Return the precision of phases that have none: the first phase's, the one the run began with, or the processor's.

    The instructions of the processor decide, because the result must not depend on a measurement. A GPU computes in float32.
    """
    given = learner.args.bfloat16
    if given is None:
        given = saved_bfloat16(learner.args.out)
    if given is None:
        given = (executor is not None or learner.policy.device.type == "cpu") and has_instructions(*INSTRUCTIONS)
        callbacks.choose(given)
    return given


def _learn_phases(learner: Learner, phases: Sequence[CandidatePpoParameters], callbacks: loop.Callbacks) -> None:
    """Run the phases that are not complete yet."""
    before = 0.0
    for phase in phases:
        if learner.minutes < phase.minutes or phase is phases[-1]:
            start = learner.phase_start
            learner.start_phase(phase)
            if learner.iteration and before <= start < learner.minutes:
                learner.phase_start = start  # it was in this phase when it stopped
            loop.learn(learner, callbacks)
            if callbacks.is_stopped():
                break
        before = phase.minutes
