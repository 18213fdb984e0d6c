"""Measure whether what the coach says is true: hints against many more deals of the same positions.

    python benchmarks/coach.py --ruleset big2 --ruleset hong_kong --positions 200

Positions with a choice come from games of mixed players on seeds of their own. Each hint is compared with `--deals` further
deals of the hidden cards. The rows of a ruleset are

* hints that are worse than another move with a value, by intervals that do not overlap, and by the interval of the difference;
* intervals of differences that contain the difference on the further deals;
* gain claimed minus gain measured for moves that replaced the network's choice;
* certain wins that the hint plays, of all;
* regret of hints on the frozen positions, in standard deviations of the payoff;
* processor time of a hint once kernels are loaded: the median and the most.

It takes about a second per position and ruleset, mainly for the further deals.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from statistics import median
from typing import Annotated, NamedTuple

import numpy as np
import typer
from measured_rows import JsonOption, Recorder, RecordOption, Row, around

from big2_agents.evaluation.positions.decisions import decisions, positions_rulesets
from big2_agents.learned.agent import LearnedAgent
from big2_agents.learned.evaluator import Evaluator, interval_of
from big2_agents.models import shipped_weights
from big2_agents.review.analysis import payoff_unit
from big2_env.agents.advice import Advice, advice_of
from big2_env.agents.interface import make_agent, reset_seats
from big2_env.agents.seeds import agent_seed
from big2_env.climbing.actions import action_space
from big2_env.climbing.certain_wins import certain_win
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.climbing.view import View
from big2_env.runs.intervals import FEWEST, student
from big2_env.runs.progress import counting

PLAYERS = ("random", "greedy", "heuristic", "learned")
"""Players of the games; each seat draws one."""
SEED = 3_000_000
"""Seed of the first game."""
SHARE = 0.12
"""Share of the decisions that are asked."""


class Asked(NamedTuple):
    """A position and what the coach said."""

    view: View
    players: list[str]
    advice: list[Advice]
    seconds: float
    """Processor time of the hint."""


def asked(rules: RuleSet, number: int, coach: LearnedAgent) -> Iterator[Asked]:
    """Yield positions with a choice and the hints on them."""
    draw, seed, found = random.Random(rules.name), SEED, 0
    agents = {name: make_agent(name) for name in PLAYERS}
    while found < number:
        game, seed = Game.deal(rules, seed), seed + 1
        players = [draw.choice(PLAYERS) for _ in range(game.num_players)]
        reset_seats([agents[name] for name in players], game)
        while not game.is_over and found < number:
            view, legal = game.view(), game.legal_plays()
            if len(legal) > 1 and draw.random() < SHARE:
                coach.reset(agent_seed(view))
                begun = time.process_time()
                advice = advice_of(coach, view, legal, players)
                found += 1
                yield Asked(view, players, advice, time.process_time() - begun)
            game.push(agents[players[game.turn]].act(view, legal))


def measure(rules: RuleSet, number: int, deals: int) -> Iterator[Row]:
    """Yield the rows of a ruleset."""
    coach, again = LearnedAgent(), Evaluator(rules, rules.default_players, shipped_weights(rules, rules.default_players))
    coach.prepare(Game.deal(rules, 0).view())
    separated, worse, beaten, claims, seconds = ([] for _ in range(5))
    wins = [0, 0]
    with counting(rules.name, number) as advance:
        for view, players, advice, took in asked(rules, number, coach):
            seconds.append(took)
            if certain_win(view):
                wins[0] += advice[0].sure
                wins[1] += 1
            valued = [one for one in advice if one.value is not None]
            if len(valued) > 1 and not advice[0].sure:
                again.seat_players(players)
                paid = np.array(again.payoffs(view, [one.play for one in valued], deals, agent_seed(view, salt=1)))
                size = float((paid**2).mean() ** 0.5)
                best = interval_of(paid[0].tolist(), size)
                others = [interval_of(row.tolist(), size) for row in paid[1:]]
                behind = [interval_of((paid[0] - row).tolist(), size) for row in paid[1:]]
                separated.append(float(any(low > best[1] for low, _ in others)))
                worse.append(float(any(high < 0 for _, high in behind)))
                means = paid.mean(axis=1)
                for one, mean in zip(valued[1:], means[1:], strict=True):
                    assert one.behind is not None
                    beaten.append(float(one.behind[0] <= means[0] - mean <= one.behind[1]))
                first = max(range(len(valued)), key=lambda i: valued[i].score or 0.0)
                if first:
                    claimed = (valued[0].value or 0.0) - (valued[first].value or 0.0)
                    claims.append(claimed - float(means[0] - means[first]))
            advance(1)
    for name, found in (
        ("hints worse than another move, intervals apart", separated),
        ("hints worse than another move, interval of the difference", worse),
        ("intervals of differences that contain the difference", beaten),
    ):
        mean, half, *_ = student([100 * one for one in found])
        yield Row(f"{rules.name}: {name}", mean, "%", around(mean, half))
    if len(claims) >= FEWEST:
        mean, half, *_ = student(claims)
        yield Row(f"{rules.name}: gain claimed minus measured", mean, "points", around(mean, half))
    yield Row(f"{rules.name}: hints that overrule the network", len(claims), "hints")
    if wins[1]:
        yield Row(f"{rules.name}: certain wins that the hint plays", 100 * wins[0] / wins[1], "%")
    yield Row(f"{rules.name}: positions with a certain win", wins[1], "positions")
    yield Row(f"{rules.name}: processor time of a hint, median", median(seconds), "s")
    yield Row(f"{rules.name}: processor time of a hint, most", max(seconds), "s")


def regret(rules: RuleSet, number: int) -> Row | None:
    """Return the row of a ruleset's frozen positions, with `learned` in every seat as in theirs; `None` if it has none."""
    if rules.name not in positions_rulesets():
        return None
    frozen = decisions(rules.name)
    coach, space = LearnedAgent(), action_space(frozen.ruleset)
    coach.prepare(Game.deal(frozen.ruleset, 0).view())
    unit, found = payoff_unit(frozen.ruleset, frozen.num_players), []
    with counting(f"{rules.name}, frozen", number) as advance:
        for item in frozen.items[:number]:
            view = item.game(frozen.ruleset, frozen.num_players).view()
            coach.reset(agent_seed(view))
            best = advice_of(coach, view, view.legal_plays(), ["learned"] * frozen.num_players)[0]
            found.append(item.regret(space.of_play(best.play, view.hand)) / unit)
            advance(1)
    mean, half, *_ = student(found)
    return Row(f"{rules.name}: regret of hints on frozen positions", mean, "standard deviations", around(mean, half))


def main(
    ruleset: Annotated[list[str], typer.Option(help="Ruleset, repeatable.")] = ["big2", "hong_kong"],  # noqa: B006
    positions: Annotated[int, typer.Option(min=2, help="Positions per ruleset.")] = 200,
    deals: Annotated[int, typer.Option(min=64, help="Further deals per position.")] = 2000,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Compare hints with many more deals of the same positions."""
    recorder, rows = Recorder("coach"), list[Row]()
    for name in ruleset:
        found = list(measure(ruleset_named(name), positions, deals))
        frozen = regret(ruleset_named(name), min(positions, 300))
        found += [] if frozen is None else [frozen]
        for row in found:
            print(
                f"{row.name}: {row.value:.4g} {row.unit}",
                "" if row.interval is None else "({:.4g} to {:.4g})".format(*row.interval),
            )
        rows.extend(found)
        recorder.save({"rows": [row._asdict() for row in rows]}, lambda report: rows, json, record)  # one ruleset takes minutes


if __name__ == "__main__":
    typer.run(main)
