"""Measure how much of a difference between moves on sampled deals holds on the deal that is played.

    OMP_NUM_THREADS=1 python benchmarks/sampled_deals.py --ruleset hong_kong --positions 12000 --record

Searches, hints and reviews value moves on deals in which the hidden cards are dealt again: uniformly, or by how likely they
make the moves so far (`LikelyDeals`). The network has learned from dealt games. In each position, from a game of `learned`
against itself, the network's two best moves are played out by `learned` on two halves of sampled deals of either kind, and once
on the actual deal. This is one draw from the hidden hands that lead to the position, so the mean of its differences over
positions has no bias. The rows of a ruleset, with 95% intervals over positions, are, for either kind,

* share of a difference on sampled deals that holds on the actual deal: its mean product with the difference there, relative to
  the mean product of both halves, which has no noise of sampling;
* gain per position of the second move if one half of the sampled deals prefers it, by the other half;
* the same gain on the actual deal;

and the difference of the last gain between both kinds. A position takes about 0.15 s.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import numpy as np
import typer
from measured_rows import JsonOption, Recorder, RecordOption, Row, around

from big2_agents.learned.playouts import PolicyPlayouts
from big2_agents.learned.policy import LearnedPolicy
from big2_env.agents.interface import play_out
from big2_env.climbing.actions import action_space
from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.runs.progress import counting

SEED = 7_000_000
"""Seed of the first game."""
GAP = 3.0
"""Most by which the network scores the second move below the first in a close decision."""
HALF = 8
"""Sampled deals of either half."""
KINDS = ("uniform", "likely")
"""Kinds of sampled deals: the second counts deals by the moves so far."""


class Position(NamedTuple):
    """A close decision: the network's two best moves."""

    game: Game
    moves: tuple[Play, Play]


def close_decisions(rules: RuleSet, policy: LearnedPolicy) -> Iterator[Position]:
    """Yield a close decision of each game that has one, drawn at random, so that positions are independent."""
    rng, seed = np.random.default_rng(SEED), SEED
    while True:
        game, found, seed = Game.deal(rules, seed), list[Position](), seed + 1
        while not game.is_over:
            view, legal = game.view(), game.legal_plays()
            play, is_sure = policy.decide(view, legal)
            rated = [] if is_sure or len(legal) < 2 else sorted(policy.rated(view, legal), key=lambda each: -each[1])
            if len(rated) > 1 and rated[0][1] - rated[1][1] < GAP:
                found.append(Position(game.copy(), (rated[0][0], rated[1][0])))
            game.push(play)
        if found:
            yield found[rng.integers(len(found))]


def on_actual_deal(position: Position, policy: LearnedPolicy) -> float:
    """Return by how much the second move pays more than the first on the deal that is played."""
    seat, paid = position.game.turn, []
    for move in position.moves:
        game = position.game.copy()
        game.push(move)
        paid.append(play_out(game, [policy] * game.num_players).payoffs[seat])
    return float(paid[1] - paid[0])


class Found(NamedTuple):
    """By how much the second move pays more than the first in one position."""

    actual: float
    """On the deal that is played."""
    halves: dict[str, tuple[float, float]]
    """Means of either half of the sampled deals, by their kind."""


def found_in(position: Position, policy: LearnedPolicy, playouts: PolicyPlayouts, seed: int) -> Found:
    """Play both moves of a position out on all deals."""
    view, space = position.game.view(), action_space(position.game.ruleset)
    ids = [space.of_play(move, view.hand) for move in position.moves]

    def mean(kind: str, half: int) -> float:
        weighed = range(view.num_players) if kind == "likely" else ()
        first, second = playouts.payoffs(view, ids, HALF, 2 * seed + half, weighed)[:, :, view.seat].astype(np.float64)
        return float((second - first).mean())

    halves = {kind: (mean(kind, 0), mean(kind, 1)) for kind in KINDS}
    return Found(on_actual_deal(position, policy), halves)


def measure(rules: RuleSet, positions: int) -> Iterator[Row]:
    """Yield the rows of a ruleset."""
    policy, playouts = LearnedPolicy(), PolicyPlayouts(rules, rules.default_players)
    found = []
    with counting(rules.name, positions) as advance:
        for number, position in zip(range(positions), close_decisions(rules, policy), strict=False):
            found.append(found_in(position, policy, playouts, SEED + number))
            advance(1)
    actual, gains = np.array([each.actual for each in found]), []
    for kind in KINDS:
        first, second = np.array([each.halves[kind] for each in found]).T
        held, claimed = actual * (first + second) / 2, first * second
        share = held.mean() / claimed.mean()
        error = (held - share * claimed).std(ddof=1) / (abs(claimed.mean()) * len(found) ** 0.5)
        name = f"{rules.name}: share of differences on {kind} deals that holds"
        yield Row(name, share, "ratio", around(share, 1.96 * error))
        gains.append(actual * ((first > 0) + 0.0 + (second > 0)) / 2)
        claims = (second * (first > 0) + first * (second > 0)) / 2
        yield mean_row(f"{rules.name}: gain of preferring the second move, claimed by {kind} deals", claims)
        yield mean_row(f"{rules.name}: gain of preferring the second move by {kind} deals, on actual deals", gains[-1])
    yield mean_row(f"{rules.name}: the same, likely minus uniform deals", gains[1] - gains[0])


def mean_row(name: str, values: Any) -> Row:
    """Return the row of a mean of points."""
    mean = float(values.mean())
    return Row(name, mean, "points", around(mean, 1.96 * values.std(ddof=1) / len(values) ** 0.5))


def main(
    ruleset: Annotated[list[str], typer.Option(help="Ruleset, repeatable.")] = ["hong_kong"],  # noqa: B006
    positions: Annotated[int, typer.Option(min=2, help="Positions per ruleset.")] = 12_000,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Compare moves on sampled deals and on the deal that is played."""
    recorder, rows = Recorder("sampled_deals"), list[Row]()
    for name in ruleset:
        for row in measure(ruleset_named(name), positions):
            low, high = row.interval or (row.value, row.value)
            print(f"{row.name}: {row.value:.4g} {row.unit} ({low:.4g} to {high:.4g})")
            rows.append(row)
        recorder.save({"rows": [row._asdict() for row in rows]}, lambda report: rows, json, record)


if __name__ == "__main__":
    typer.run(main)
