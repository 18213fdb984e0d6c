"""Search for weights of the heuristic by evolution, in a file that a later call continues.

The file `generations.jsonl` (`big2_env.runs.resumable`) has the settings that decide the search, and a line per generation:

| key | value |
| --- | --- |
| `generation` | its number, from 1 |
| `milliseconds`, `games` | of the search so far |
| `values` | of the points |
| `check` | in every tenth generation, values of the best weights and of the search's mean, which replaces them if better |
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_agents.kernels.codes import GREEDY, RANDOM
from big2_agents.kernels.rule_players import Player
from big2_agents.models.formula import MAX_DECAY, Weights, WeightsFile, first_weights_of
from big2_agents.train.fit.evolution import Evolution
from big2_agents.train.fit.scoring import LocalScorer, Match, Scorer
from big2_agents.train.hyper_parameters import FitParameters
from big2_agents.train.run_folder import fraction_done
from big2_env import __version__
from big2_env.base.json_values import numbers_at, whole_at
from big2_env.base.rng import derived
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.climbing.saved_rules import identity
from big2_env.climbing.settlement import CapturedPoints, CardsLeft, PairwiseDifference, PenaltySettlement, WinnerTakesOne
from big2_env.runs.intervals import Estimate, normal
from big2_env.runs.resumable import SCHEMA, Take, opened

Array = npt.NDArray[Any]

STEPS: Final[Mapping[str, float]] = {
    "turn": 0.15,
    "hold": 0.2,
    "rank": 0.2,
    "lead": 0.2,
    "run_out": 0.4,
    "again": 0.2,
    "danger": 0.4,
    "block": 0.5,
    "hurry": 0.3,
    "patience": 0.2,
    "cheap_lead": 0.15,
    "alarm": 0.6,
    "full": 0.04,
    "decay": 0.1,
}
"""Search steps of the weights that every ruleset has."""
TEAM_STEPS: Final[Mapping[str, float]] = {"partner": 0.5, "feed": 0.4, "even": 0.2, "slope": 0.15, "rival": 0.05}
"""Search steps of the weights that only games with teams and an auction have."""
BOMB_STEP: Final = 0.4


def mean_card_cost(ruleset: RuleSet) -> float:
    """Return the mean cost of a card that is left at the end, over five cards; 0 if cards cost nothing."""
    scoring = ruleset.scoring
    if isinstance(scoring, PairwiseDifference):
        cards = ruleset.deck.cards
        return sum(scoring.value(1 << card) for card in cards) / len(cards)
    if isinstance(scoring, CardsLeft) and scoring.points:
        cards = ruleset.deck.cards
        return scoring.factor(5) * sum(CardsLeft(points=scoring.points).owed(1 << card, 2) for card in cards) / len(cards)
    if isinstance(scoring, PenaltySettlement) and not isinstance(scoring, WinnerTakesOne):
        return scoring.penalty(5, ruleset.default_players) / 5
    return 0.0


def steps_of(ruleset: RuleSet) -> dict[str, float]:
    """Return the search steps of the weights fitted for a ruleset; others have no effect in it, or stay as they are."""
    steps = dict(STEPS)
    if ruleset.auction is not None:
        steps |= TEAM_STEPS
    if any(category.bomb for category in ruleset.table.categories):
        steps["bomb"] = BOMB_STEP
    if isinstance(ruleset.scoring, CapturedPoints):
        steps["capture"] = 0.05
    if cost := mean_card_cost(ruleset):
        steps |= {"pay": 0.2 / cost, "relief": 0.06 / cost, "loss": 0.1 / cost}
    return steps


class Coordinates:
    """Fitted weights of a ruleset as a point, float64 (size,), in steps from the start of the search."""

    def __init__(self, ruleset: RuleSet, start: Weights) -> None:
        steps = steps_of(ruleset)
        self.start = start
        self.names = [name for name in asdict(start) if name in steps]
        """Names of the fitted weights."""
        values = [np.atleast_1d(getattr(start, name)) for name in self.names]
        self._ends = np.cumsum([len(value) for value in values])
        self._origin = np.concatenate(values).astype(np.float64)
        self._steps = np.repeat([steps[name] for name in self.names], [len(value) for value in values])
        self.size = len(self._origin)

    def weights(self, point: Array) -> Weights:
        """Return the weights at a point, kept within their bounds."""
        parts = np.split(self._origin + point * self._steps, self._ends[:-1])
        found: dict[str, Any] = {}
        for name, part in zip(self.names, parts, strict=True):
            numbers = [round(float(number), 6) for number in part]
            found[name] = tuple(numbers) if isinstance(getattr(self.start, name), tuple) else numbers[0]
        found["decay"] = min(max(found["decay"], 0.0), MAX_DECAY)
        return replace(self.start, **found)


OPPONENTS: Final = ("first", "greedy", "best", "first", "greedy", "random")
"""Opponents of a generation, deal by deal in turn: the best weights so far, the first weights, simple players."""
BASELINES: Final = ("greedy", "random")
"""Opponents against which no gain counts, only a loss compared with the first weights."""
PENALTY: Final = 3.0
"""Weight of a loss against one of `BASELINES`."""
CHECK_EVERY: Final = 10
"""Generations between checks whether the mean of the search has become better than the best weights."""
CHECK_DEALS: Final = 240
"""Deals of such a check."""
DEALS_PER_TASK: Final = 50
"""Deals of the final measurement that a worker plays at a time."""
KIND: Final = "big2 heuristic fit"
FILE: Final = "generations.jsonl"
"""Results file in the folder of a search."""


class Fit:
    """Search for the weights of a ruleset; `best` is the best point so far.

    Raises:
        ConfigError: The ruleset has no compiled heuristic.
    """

    def __init__(self, args: FitParameters) -> None:
        self.args = args
        self.rules = ruleset_named(args.ruleset)
        self.first = first_weights_of(self.rules)
        self.coordinates = Coordinates(self.rules, self.first)
        self.evolution = Evolution(self.coordinates.size, args.population, args.sigma)
        self.best: Array = np.zeros(self.coordinates.size)
        self.minutes = 0.0
        self.games = 0
        self.local = LocalScorer(self.rules)
        self.scorer: Scorer = self.local

    @property
    def iteration(self) -> int:
        """Generations so far."""
        return self.evolution.generation

    @property
    def weights(self) -> Weights:
        """Best weights so far."""
        return self.coordinates.weights(self.best)

    @property
    def completed(self) -> float:
        """Completed fraction of the generations, or of the minutes if no number of generations is given."""
        wanted = self.args.generations
        return fraction_done(self.iteration, wanted) if wanted else fraction_done(self.minutes, self.args.minutes)

    @contextmanager
    def opened(self) -> Iterator[Take]:
        """Continue the file in the search's folder, if there is one; yield a function that writes a generation.

        Raises:
            ConfigError: The file is of another search, or another process writes it.
            NotationError: A line is wrong; the error gives its number.
        """
        self.args.out.mkdir(parents=True, exist_ok=True)
        fixed = {name: getattr(self.args, name) for name in self.args.fixed} | {"ruleset": self.rules.name}
        first = {"schema": SCHEMA, "kind": KIND, **fixed, "identity": identity(self.rules)}
        with opened(self.args.out / FILE, first, self._take, resume=True) as write:
            yield write

    def _take(self, data: dict[str, Any]) -> None:
        """Learn from a generation that was played before."""
        whole_at(data, "generation", self.iteration + 1, self.iteration + 1)
        self.evolution.learn(self._points(), np.array(numbers_at(data, "values", self.args.population)))
        if self._is_checked:
            self._replace_best(*numbers_at(data, "check", 2))
        self.minutes, self.games = whole_at(data, "milliseconds") / 60_000, whole_at(data, "games")

    @property
    def _is_checked(self) -> bool:
        return self.iteration % CHECK_EVERY == 0

    def run(self, report: Callable[[Fit], None], is_stopped: Callable[[], bool], write: Take) -> None:
        """Search until the minutes or generations are used up; write each generation, then call `report`."""
        while self.completed < 1 and not is_stopped():
            start = time.perf_counter()
            found = self.iterate()
            self.minutes += (time.perf_counter() - start) / 60
            time_spent = round(self.minutes * 60_000)
            write({"generation": self.iteration, "milliseconds": time_spent, "games": self.games} | found)
            report(self)

    def iterate(self) -> dict[str, Any]:
        """Score the points of a generation and learn from them; return the values of points and checks."""
        points = self._points()
        players = [self.coordinates.weights(point) for point in points]
        values = self._values(players, self.weights, self._seeds(self.iteration, self.args.deals))
        self.evolution.learn(points, values)
        return {"values": values.tolist()} | ({"check": self._check_mean()} if self._is_checked else {})

    def _points(self) -> Array:
        return self.evolution.points(np.random.default_rng([self.args.seed, self.iteration]))

    def _check_mean(self) -> list[float]:
        """Make the averaged mean of the search the best point if its value is higher; return both values, old first."""
        players = [self.weights, self.coordinates.weights(self.evolution.average)]
        old, new = self._values(players, self.weights, self._seeds(-self.iteration, CHECK_DEALS)).tolist()
        self._replace_best(old, new)
        return [old, new]

    def _replace_best(self, old: float, new: float) -> None:
        if new > old:
            self.best = self.evolution.average

    def _values(self, players: Sequence[Weights], best: Weights, seeds: Sequence[int]) -> Array:
        """Return the values of players, float64 (players,): mean payoffs per game against the first and the best weights.

        What they lose against simple players, compared with the first weights on the same deals, is subtracted.
        """
        named: dict[str, Player] = {"best": best, "first": self.first, "greedy": GREEDY, "random": RANDOM}
        others = [OPPONENTS[i % len(OPPONENTS)] for i in range(len(seeds))]
        simple = [i for i, name in enumerate(others) if name in BASELINES]
        matches = [Match(player, tuple(named[name] for name in others), tuple(seeds)) for player in players]
        matches.append(Match(self.first, tuple(named[others[i]] for i in simple), tuple(seeds[i] for i in simple)))
        *found, first_scores = self.scorer.scores(matches)
        self.games += sum(len(match.seeds) for match in matches) * self.local.duplicate.games_per_deal
        first_score = dict(zip(simple, first_scores, strict=True))
        values = np.zeros(len(players))
        for name in dict.fromkeys(OPPONENTS):
            deals = [i for i, other in enumerate(others) if other == name]
            scores = np.array([np.mean([score[i] for i in deals]) for score in found])
            if name in BASELINES:
                scores = PENALTY * np.minimum(scores - np.mean([first_score[i] for i in deals]), 0.0)
            values += scores
        return values

    def _seeds(self, generation: int, number: int) -> list[int]:
        """Return the deal seeds of a generation; a check uses its negative number."""
        start = derived(self.args.seed, generation % (1 << 32))
        return [derived(start, deal) for deal in range(number)]

    def measure(self) -> dict[str, Estimate]:
        """Return mean payoffs per game of the best weights against the first, greedy and random players, on new deals.

        `greedy than first` and `random than first` are their gains compared with the first weights on the same deals.
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
        """Return the scores of a player against another one, deal by deal."""
        parts = [tuple(seeds[start : start + DEALS_PER_TASK]) for start in range(0, len(seeds), DEALS_PER_TASK)]
        matches = [Match(player, (other,) * len(part), part) for part in parts]
        return [score for scores in self.scorer.scores(matches) for score in scores]


def _estimate(scores: list[float]) -> Estimate:
    values = np.array(scores)
    return normal(float(values.mean()), float(values.std(ddof=1)) / math.sqrt(len(values)), len(values))


def file_of(fit: Fit) -> WeightsFile:
    """Return the best weights of a search with their measured gains, as a file to be written."""
    made: dict[str, Any] = {
        "command": fit.args.command_line(),
        "version": __version__,
        "generations": fit.iteration,
        "games": fit.games,
        "minutes": round(fit.minutes, 1),
        "field": list(dict.fromkeys(OPPONENTS)),
    }
    gain = {name: found.as_json("deals", 4) for name, found in fit.measure().items()}
    return WeightsFile(fit.rules.name, fit.weights, made, gain, identity(fit.rules))
