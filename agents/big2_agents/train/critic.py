"""A critic for search: fitted to a finished policy, on games in which one seat once makes a play that it would not have made.

The critic that training leaves behind has seen the policy's own plays, most of them against rule players. A search asks it
about other plays among four networks, and trusts it. So its games are those: all seats play the policy, and in each game one
of them, once, at a random one of its choices, draws its play from the flattened policy. What all seats stand at after that
teaches what such a play leads to; what they stood at before is left out, for its outcome was not the policy's doing alone.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch

from big2_agents.compiled.selfplay import NET, PlayedGames
from big2_agents.train.candidate_ppo import Learner
from big2_agents.train.checkpoint import read_checkpoint, write_checkpoint
from big2_agents.train.choices import log_probs, sample
from big2_agents.train.credit import advantages
from big2_agents.train.hyper_parameters import CriticParameters
from big2_agents.train.network import Critic, Policy
from big2_agents.train.run_folder import append, forget_after
from big2_agents.train.updates import fit_values

Array = npt.NDArray[Any]
SAVE_EVERY: Final = 60.0
"""Seconds between checkpoints."""


@dataclass
class Seen:
    """What the critic learns from: n positions of seats that have a choice."""

    states: Array
    """int8 (n, sizes.state)."""
    hidden: Array
    """int8 (n, sizes.hidden)."""
    value: Array
    """float32 (n,): what the critic said."""
    target: Array
    """float32 (n,): what it should have said."""
    payoff: Array
    """float32 (n,): the scaled payoff in the end."""
    deviated: Array
    """bool (n,): whether the seat itself had made a play that it would not have made."""


@torch.no_grad()
def collect_values(
    games: PlayedGames,
    policy: Policy,
    critic: Critic,
    rng: np.random.Generator,
    *,
    scale: float,
    decay: float,
    odd_choices: int = CriticParameters.odd_choices,
    flatter: float = CriticParameters.flatter,
) -> Seen:
    """Deal all games anew, play them to the end, and return what the seats stood at after the odd play.

    The odd play is one of the first `odd_choices` of its seat, drawn by the scores divided by `flatter`.
    """
    number, players = len(games.games), games.seats
    games.deal(rng.integers(0, 2**63, number), np.full((number, players), NET, np.int32))
    deviator, place = rng.integers(players, size=number), rng.integers(odd_choices, size=number)
    made, is_after = np.zeros((number, players), np.int64), np.zeros(number, np.bool_)
    steps: list[tuple[Array, ...]] = []
    while len(rows := games.advance()):
        features = games.features(rows, hidden=True)
        seats = games.games.turn[rows].astype(np.int64)
        log_prob = log_probs(policy, features).cpu().numpy()
        is_own = seats == deviator[rows]
        is_odd = is_own & (made[rows, seats] == place[rows])
        flat = np.where(np.repeat(is_odd, np.diff(features.offsets)), log_prob / flatter, log_prob)
        value = critic.values(features.states, features.hidden)
        steps.append((features.states, features.hidden, value, rows * players + seats, is_after[rows], is_own))
        is_after[rows] |= is_odd
        made[rows, seats] += 1
        games.choose(rows, sample(flat, features.offsets, rng))
    states, hidden, value, key, kept, is_own = (np.concatenate(column) for column in zip(*steps, strict=True))
    final = (games.payoffs() / scale).astype(np.float32).reshape(-1)
    target = advantages(key, value, final, decay)[1]
    return Seen(states[kept], hidden[kept], value[kept], target[kept], final[key][kept], is_own[kept])


class CriticFit:
    """A fit: the policy that stays, the critic that learns, and where it stands."""

    def __init__(self, args: CriticParameters, learner: Learner) -> None:
        self.args, self.out = args, learner.args.out
        self.policy, self.critic, self.scale = learner.policy, learner.critic, learner.scale
        self.optimizer = torch.optim.Adam(self.critic.parameters(), lr=args.learning_rate)
        self.games = PlayedGames(learner.rules, args.games)
        self.iteration, self.minutes = 0, 0.0

    @property
    def path(self) -> Path:
        """The checkpoint."""
        return self.out / "critic.pt"

    def save(self) -> None:
        """Write the checkpoint; a kill at any time leaves the old one or the new one."""
        state = {"iteration": self.iteration, "minutes": self.minutes, "policy": fingerprint(self.policy)}
        state |= {"critic": self.critic.state_dict(), "optimizer": self.optimizer.state_dict()}
        write_checkpoint(self.path, state)

    def load(self) -> bool:
        """Go on from the checkpoint, if there is one of this very policy.

        Raises:
            ConfigError: a file that is no checkpoint of this critic.
        """
        if not self.path.exists():
            return False
        with read_checkpoint(self.path, of="fit") as state:
            if state["policy"] != fingerprint(self.policy):
                return False
            self.critic.load_state_dict(state["critic"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.iteration, self.minutes = state["iteration"], state["minutes"]
        return True

    def iterate(self) -> dict[str, float]:
        """One round of games, learned from once.

        Returns what it found on these games before it learned from them: the share of the payoffs' variance that the critic
        explains (`explained`; after plays that the policy would not have made `explained_after`), and by how much it overrates
        the positions, in payoff (`overrates`, `overrates_after`).
        """
        args = self.args
        rng = np.random.default_rng([args.seed, self.iteration])
        for group in self.optimizer.param_groups:
            group["lr"] = args.learning_rate * 0.5 * (1 + math.cos(math.pi * min(1.0, self.minutes / args.minutes)))
        with self.policy.compute(args.bfloat16):
            seen = collect_values(
                self.games,
                self.policy,
                self.critic,
                rng,
                scale=self.scale,
                decay=args.decay,
                odd_choices=args.odd_choices,
                flatter=args.flatter,
            )
            fit_values(self.critic, self.optimizer, seen.states, seen.hidden, seen.target, args.minibatch, rng)
        self.iteration += 1
        found = {"positions": float(len(seen.target))}
        for label, where in (("", np.ones_like(seen.deviated)), ("_after", seen.deviated)):
            payoff, error = seen.payoff[where], seen.payoff[where] - seen.value[where]
            found |= {f"explained{label}": 1.0 - _mean_square(error) / (float(payoff.var()) + 1e-9)}
            found |= {f"overrates{label}": -float(error.mean()) * self.scale}
        return found


def _mean_square(values: Array) -> float:
    return float((values**2).mean())


def fingerprint(policy: Policy) -> str:
    """A hash of a policy's weights."""
    digest = hashlib.sha256()
    for value in policy.state_dict().values():
        digest.update(value.detach().cpu().numpy().tobytes())
    return digest.hexdigest()


def fit(
    args: CriticParameters,
    learner: Learner,
    report: Callable[[CriticFit, dict[str, float]], None] = lambda run, found: None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> CriticFit:
    """Fit the critic of a finished run until the minutes are used up; goes on from the folder's critic.pt.

    Args:
        args: what the fit is made of.
        learner: the run, loaded.
        report: called after each round with the run and what it found.
        is_stopped: asked after each round; a fit that is stopped writes its checkpoint first.

    Raises:
        ConfigError: a broken checkpoint.
    """
    torch.set_num_threads(1)
    run = CriticFit(args, learner)
    run.load()
    forget_after(run.out / "critic.csv", run.iteration)
    saved = time.perf_counter()
    while run.minutes < args.minutes and not is_stopped():
        started = time.perf_counter()
        found = run.iterate()
        run.minutes += (time.perf_counter() - started) / 60
        where = {"iteration": run.iteration, "minutes": round(run.minutes, 3)}
        append(run.out / "critic.csv", where | {name: round(value, 5) for name, value in found.items()})
        if time.perf_counter() - saved > SAVE_EVERY:
            run.save()
            saved = time.perf_counter()
        report(run, {})
    run.save()
    return run
