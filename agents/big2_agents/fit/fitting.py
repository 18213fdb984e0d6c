"""The search for weights: generations of points against a field, in a folder that a later call goes on from."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_agents.fit.coordinates import Coordinates
from big2_agents.fit.evolution import Evolution
from big2_agents.fit.parameters import FitParameters
from big2_agents.fit.scoring import Asked, OwnScorer, Scorer
from big2_agents.formula import Weights, first_weights_of
from big2_agents.kernels.acts import GREEDY, RANDOM
from big2_agents.kernels.rule_players import Player
from big2_agents.train.run_folder import append, forget_after, note_args
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.errors import ConfigError
from big2_env.json_values import parse_object
from big2_env.rng import derived
from big2_env.runs.intervals import Estimate, normal
from big2_env.runs.replacing import replacing

Array = npt.NDArray[Any]
FIELD: Final = ("first", "greedy", "best", "first", "greedy", "random")
"""Whom the points of a generation meet, deal by deal in turn: the best so far, the first weights, simple players."""
GUARDS: Final = ("greedy", "random")
"""Against these nothing is to be gained; weights that score less than the first ones do are worth less."""
PENALTY: Final = 3.0
"""What a point less against one of `GUARDS` counts."""
NEW_BEST: Final = 10
"""After how many generations the best so far is looked for anew."""
CHECK_DEALS: Final = 240
"""Deals on which a new best must be worth more than the old one."""
DEALS_ASKED: Final = 50
"""Deals of the measurement that a worker plays at a time."""
SAVE_EVERY: Final = 5.0
"""Seconds between checkpoints."""


class Fit:
    """A search for the weights of a ruleset; `best` are the weights found so far."""

    def __init__(self, args: FitParameters) -> None:
        self.args = args
        self.rules = ruleset_named(args.ruleset)
        self.first = first_weights_of(self.rules)
        self.coordinates = Coordinates(self.rules, self.first)
        self.evolution = Evolution(self.coordinates.size, args.population, args.sigma)
        self.best: Array = np.zeros(self.coordinates.size)
        self.minutes = 0.0
        self.games = 0
        self.own = OwnScorer(self.rules)
        """This process, by which deals can be played."""
        self.scorer: Scorer = self.own
        """Who plays them."""
        self._path = args.out / "checkpoint.json"

    @property
    def iteration(self) -> int:
        """The generations so far."""
        return self.evolution.generation

    @property
    def weights(self) -> Weights:
        """The weights found so far."""
        return self.coordinates.weights(self.best)

    def go_on(self) -> None:
        """Take up the checkpoint of the run's folder, if there is one.

        Raises:
            ConfigError: the folder holds another run, or a broken checkpoint.
        """
        self.args.out.mkdir(parents=True, exist_ok=True)
        note_args(self.args, FitParameters.FIXED, self._path.name)
        if self._path.exists():
            try:
                state = parse_object(self._path.read_text(encoding="utf-8"))
                self.evolution.restore(state["evolution"])
                self.best = np.array(state["best"], np.float64)
                self.minutes, self.games = float(state["minutes"]), int(state["games"])
                if self.best.shape != self.evolution.mean.shape:
                    raise ConfigError("expected as many weights as the ruleset has")
            except (KeyError, TypeError, ValueError) as error:
                raise ConfigError(f"{self._path}: no checkpoint of this run ({error})") from None
        forget_after(self.args.out / "progress.csv", self.iteration)

    def save(self) -> None:
        """Write the checkpoint."""
        state = {
            "minutes": self.minutes,
            "games": self.games,
            "best": self.best.tolist(),
            "evolution": self.evolution.state(),
        }
        with replacing(self._path) as new:
            new.write_text(json.dumps(state), encoding="utf-8")

    def run(self, report: Callable[[Fit], None], is_stopped: Callable[[], bool]) -> None:
        """Search until minutes or generations are used up; `report` is called after each generation."""
        saved = time.perf_counter()
        while self.minutes < self.args.minutes and self.iteration < self.args.generations and not is_stopped():
            began = time.perf_counter()
            row = self._generation()
            self.minutes += (time.perf_counter() - began) / 60
            where = {"iteration": self.iteration, "minutes": round(self.minutes, 3), "games": self.games}
            append(self.args.out / "progress.csv", where | {name: round(value, 5) for name, value in row.items()})
            report(self)
            if time.perf_counter() - saved > SAVE_EVERY:
                self.save()
                saved = time.perf_counter()
        self.save()

    def _generation(self) -> dict[str, float]:
        """Ask about the points of a generation and learn from them; returns what happened."""
        args, number = self.args, self.iteration
        points = self.evolution.points(np.random.default_rng([args.seed, number]))
        players = [self.coordinates.weights(point) for point in points]
        values = self._values(players, self.weights, self._seeds(number, args.deals))
        self.evolution.learn(points, values)
        found = {"mean": float(values.mean()), "sigma": self.evolution.sigma}
        if self.iteration % NEW_BEST == 0:
            found["gain"] = self._look_for_best()
        return found

    def _look_for_best(self) -> float:
        """Take the search's middle for the best where it scores more against the field; returns how much more."""
        players = [self.weights, self.coordinates.weights(self.evolution.average)]
        old, new = self._values(players, self.weights, self._seeds(-self.iteration, CHECK_DEALS))
        if new > old:
            self.best = self.evolution.average
        return float(new - old)

    def _values(self, players: Sequence[Weights], best: Weights, seeds: Sequence[int]) -> Array:
        """What players are worth, float64 (players,): the mean payoff a game against the first weights and the best so far.

        What they score less than the first weights do against simple players, on the same deals, is taken off.
        """
        named: dict[str, Player] = {"best": best, "first": self.first, "greedy": GREEDY, "random": RANDOM}
        met = [FIELD[i % len(FIELD)] for i in range(len(seeds))]
        guarded = [i for i, name in enumerate(met) if name in GUARDS]
        asked = [Asked(player, tuple(named[name] for name in met), tuple(seeds)) for player in players]
        asked.append(Asked(self.first, tuple(named[met[i]] for i in guarded), tuple(seeds[i] for i in guarded)))
        *found, firsts = self.scorer.scores(asked)
        self.games += sum(len(one.seeds) for one in asked) * self.own.duplicate.games_a_deal
        before = dict(zip(guarded, firsts, strict=True))
        values = np.zeros(len(players))
        for name in dict.fromkeys(FIELD):
            own = [i for i, other in enumerate(met) if other == name]
            scores = np.array([np.mean([score[i] for i in own]) for score in found])
            if name in GUARDS:
                scores = PENALTY * np.minimum(scores - np.mean([before[i] for i in own]), 0.0)
            values += scores
        return values

    def _seeds(self, generation: int, number: int) -> list[int]:
        """The deals of a generation; those of a check have its number with a minus."""
        start = derived(self.args.seed, generation % (1 << 32))
        return [derived(start, deal) for deal in range(number)]

    def measure(self) -> dict[str, Estimate]:
        """What the best weights are paid a game against the first, greedy and random players on deals of their own.

        `greedy than first` and `random than first` are how much more that is than the first weights are paid on these deals.
        """
        start = derived(self.args.seed, (1 << 32) + 1)
        seeds = [derived(start, deal) for deal in range(self.args.measured_deals)]
        found = {"first": _estimate(self._scores(self.weights, self.first, seeds))}
        for name, code in (("greedy", GREEDY), ("random", RANDOM)):
            mine, before = (self._scores(player, code, seeds) for player in (self.weights, self.first))
            found[name] = _estimate(mine)
            found[f"{name} than first"] = _estimate([a - b for a, b in zip(mine, before, strict=True)])
        return found

    def _scores(self, player: Player, other: Player, seeds: Sequence[int]) -> list[float]:
        """The scores of a player against another one, deal by deal."""
        parts = [tuple(seeds[start : start + DEALS_ASKED]) for start in range(0, len(seeds), DEALS_ASKED)]
        asked = [Asked(player, (other,) * len(part), part) for part in parts]
        return [score for scores in self.scorer.scores(asked) for score in scores]


def _estimate(scores: list[float]) -> Estimate:
    values = np.array(scores)
    return normal(float(values.mean()), float(values.std(ddof=1)) / math.sqrt(len(values)), len(values))
