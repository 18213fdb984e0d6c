"""Candidate PPO: PPO over candidate plays, self-play beside rule players and earlier selves, a critic that sees all hands.

Where the learner sits alone among rule players, likely plays are looked at without being made (`credit.gains`).
It stops after the minutes asked for, writes a checkpoint as it goes, and goes on from there when called again.
`big2 train candidate-ppo` is its command line. Sources: Schulman et al., arXiv 1707.06347 (PPO); Yang et al., arXiv
2203.16406 (a critic that sees all hands); Zha et al., arXiv 2106.06135 (plays as features).
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import torch

from big2_agents.kernels.feature_layout import WORSE
from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.train.checkpoint import read_checkpoint, write_checkpoint
from big2_agents.train.collect import evaluate
from big2_agents.train.device import torch_device
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.loop import go_on, learn, measured, payoff_scale
from big2_agents.train.network import Critic, Policy
from big2_agents.train.rollout_worker import Round
from big2_agents.train.rollouts import OwnRollouts, Rollouts, rollouts_of
from big2_agents.train.seating import PAST, opponents_named
from big2_agents.train.trained import begun_from, league_of, shipped_path
from big2_agents.train.updates import renewed, update
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset
from big2_env.runs.executors import Executor

FIXED: Final = ("ruleset", "seed", "width")
"""What cannot change when a run goes on."""
KEPT: Final = ("past", "iteration", "minutes", "choices", "begun", "scale")
"""What a checkpoint holds beside the networks."""
LEAGUE: Final = PAST - 1
"""The controller code of the first player of the league, the others below."""
LEAGUE_WEIGHT: Final = 3
"""Weight of each of them among the opponents."""
GENTLE: Final = 20
"""Iterations in which the rate rises where a policy goes on: an optimizer that knows no gradients yet takes its first steps at
full length whatever they are, which moved finished policies by 0.3 to 0.5 nats in their first iteration."""


class Learner:
    """A run: networks, optimizer, earlier selves, and where it stands.

    Raises:
        ConfigError: arguments that cannot be served.
    """

    def __init__(self, args: CandidatePpoParameters, rules: RuleSet | None = None) -> None:
        self.rules = ruleset(args.ruleset) if rules is None else rules
        """The games' rules, by default those that the arguments name."""
        self.games = PlayedGames(self.rules, args.games)
        torch.manual_seed(args.seed)
        self.args = args
        device = torch_device(args.device)
        self.policy, self.critic, self.scale = self._networks(device)
        parameters = [*self.policy.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.Adam(parameters, lr=args.learning_rate, eps=1e-5)
        self.past: list[dict[str, Any]] = []
        self.league = {LEAGUE - i: policy.to(device) for i, policy in enumerate(league_of(args.league, self.rules))}
        """The players of the opponent pool that stay as they are, by controller code."""
        self.opponents = (*opponents_named(args.opponents), *(code for code in self.league for _ in range(LEAGUE_WEIGHT)))
        self.iteration = 0
        self.minutes = 0.0
        self.choices = 0
        self.begun = 0.0
        """The minutes before the phase that the run is in."""
        self.rollouts: Rollouts = OwnRollouts(self)
        """Where the rounds are played."""
        self.staleness = 0
        """How many updates the weights that played the last round were behind."""

    def _networks(self, device: torch.device) -> tuple[Policy, Critic, float]:
        """The networks at the start, and what one unit of the critic is worth."""
        args, sizes, f = self.args, self.games.sizes, self.games.layout
        if args.init:
            policy, critic, scale = begun_from(shipped_path(args.init, self.rules), self.rules)
            return policy.to(device), critic.to(device), scale
        width = args.width
        policy = Policy(width, min(256, width), min(128, width), min(64, width), sizes=sizes)
        if args.prior:
            policy.follow(int(f.best), range(int(f.worse), int(f.worse) + len(WORSE)), args.prior)
        return policy.to(device), Critic(width, sizes=sizes).to(device), payoff_scale(self.rules)

    def begin_phase(self, phase: CandidatePpoParameters) -> None:
        """Go on with the hyper-parameters of a phase."""
        self.begun = self.minutes
        self.args = phase
        self.opponents = (*opponents_named(phase.opponents), *(code for code in self.league for _ in range(LEAGUE_WEIGHT)))
        if len(self.games.games) != phase.games:
            self.games = PlayedGames(self.rules, phase.games)

    def save(self) -> None:
        """Write the checkpoint; a kill at any time leaves the old one or the new one."""
        state = {name: getattr(self, name) for name in KEPT}
        state |= {name: getattr(self, name).state_dict() for name in ("policy", "critic", "optimizer")}
        write_checkpoint(self.args.out / "checkpoint.pt", state)

    def load(self) -> bool:
        """Go on from the checkpoint, if there is one.

        Raises:
            ConfigError: a file that is no checkpoint of these networks.
        """
        path = self.args.out / "checkpoint.pt"
        if not path.exists():
            return False
        with read_checkpoint(path) as state:
            for name in ("policy", "critic", "optimizer"):
                getattr(self, name).load_state_dict(state[name])
            for name in KEPT:
                setattr(self, name, state[name])
        return True

    def _progress(self) -> float:
        """How much of the phase is done, 0 to 1."""
        whole = self.args.minutes - self.begun
        return min(1.0, (self.minutes - self.begun) / whole) if whole > 0 else 1.0

    def round(self, number: int) -> Round:
        """The games of an iteration, beside an earlier self among those that there are now."""
        rng = np.random.default_rng([self.args.seed, number])
        past = self.past[int(rng.integers(len(self.past)))] if self.past else None
        return Round(self.args, self.opponents, rng, past)

    def iterate(self) -> dict[str, float]:
        """One round of games and the updates on it; returns what happened, by name."""
        args, progress = self.args, self._progress()
        rate = args.learning_rate * (1.0 - 0.9 * progress)
        if args.init and args.warm_up <= self.iteration < args.warm_up + GENTLE:
            rate *= (self.iteration - args.warm_up + 1) / (GENTLE + 1)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        started = time.perf_counter()
        batch, rng, self.staleness = self.rollouts.take()
        collected = time.perf_counter()
        with self.policy.compute(args.bfloat16):
            if self.staleness:
                batch = renewed(batch, self.policy, args.minibatch)
            weight = args.entropy * (1.0 - 0.8 * progress)
            networks = (self.policy if self.iteration >= args.warm_up else None), self.critic
            seen = update(batch, *networks, self.optimizer, rng, args, weight)
        if args.pool > 0 and self.iteration % args.snapshot_every == 0:
            self.past = [*self.past, copy.deepcopy(self.policy.state_dict())][-args.pool :]
        self.iteration += 1
        self.choices += len(batch.chosen)
        seen |= {
            "payoff": batch.payoff,
            "staleness": self.staleness,
            "collect_seconds": collected - started,
            "update_seconds": time.perf_counter() - collected,
            "choices_per_second": len(batch.chosen) / (time.perf_counter() - started),
        }
        return seen

    def evaluate(self) -> dict[str, float]:
        """Win rate and payoff alone against the agents of each name, and how stale the last round was."""
        games = PlayedGames(self.rules, self.games.seats * self.args.evaluation_deals)
        with self.policy.compute(self.args.bfloat16):
            found = measured(lambda code, seed: evaluate(games, self.policy, code, seed))
        return found | {"staleness": self.staleness}


def train(
    args: CandidatePpoParameters | Sequence[CandidatePpoParameters],
    report: Callable[[Learner, dict[str, float]], None] = lambda learner, found: None,
    is_stopped: Callable[[], bool] = lambda: False,
    executor: Executor | None = None,
) -> Learner:
    """Train until the minutes are used up; go on from the folder's checkpoint if it has one.

    Rounds that workers have begun under a phase are learned from in the next one too; those that a run had begun when it was
    stopped are played again by the weights that it goes on with.

    Args:
        args: what the run is made of, or the phases that it has one after the other (`phases.read_phases`).
        report: called after each iteration, with what an evaluation found, empty where there was none.
        is_stopped: asked after each iteration; a run that is stopped writes its checkpoint first.
        executor: where rollout workers play the rounds; `None` has them played in this process.

    Raises:
        ConfigError: the folder holds another run, or a broken checkpoint; arguments that cannot be served; workers that
            cannot begin.
    """
    torch.set_num_threads(1)
    phases = [args] if isinstance(args, CandidatePpoParameters) else list(args)
    learner = Learner(phases[0])
    go_on(learner, FIXED)
    with rollouts_of(learner, executor) as learner.rollouts:
        _learn_phases(learner, phases, report, is_stopped)
    return learner


def _learn_phases(
    learner: Learner,
    phases: Sequence[CandidatePpoParameters],
    report: Callable[[Learner, dict[str, float]], None],
    is_stopped: Callable[[], bool],
) -> None:
    """Learn in the phases that the run has not done yet."""
    before = 0.0
    for phase in phases:
        if learner.minutes < phase.minutes or phase is phases[-1]:
            begun = learner.begun
            learner.begin_phase(phase)
            if learner.iteration and begun >= before and begun < learner.minutes:
                learner.begun = begun  # it was in this phase when it stopped
            learn(learner, report, is_stopped)
            if is_stopped():
                break
        before = phase.minutes
