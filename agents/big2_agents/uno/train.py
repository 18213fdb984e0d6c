"""Training of the learned UNO player: policy iteration by playouts, with a small network fitted to the value of each card.

    python -m big2_agents.uno.train --out weights.npz

Each round plays games with the current player (the article's player in the first round). It plays every candidate out on the
same guesses of the hidden cards, and fits the network to the differences between candidates.
"""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from big2_agents.uno.match import match
from big2_agents.uno.players import SCRATCH
from big2_agents.uno.playouts import collect
from big2_agents.uno.weights import NUM_FEATURES, NUM_HIDDEN, NUM_WEIGHTS
from big2_env.games.uno.kernels.dtypes import new_games, rules_record
from big2_env.games.uno.rules import UnoRules
from big2_env.runs.atomic_files import replace_file
from big2_env.runs.executors import by_threads

Array = npt.NDArray[Any]

TABLES = [
    (UnoRules(), 0, 0.0, 4),
    (UnoRules(), 2, 0.0, 2),
    (UnoRules(), 1, 0.0, 2),
    (UnoRules(play_drawn=True), 0, 0.0, 1),
    (UnoRules(players=3), 0, 0.004, 1),
    (UnoRules(players=4), 0, 0.004, 2),
    (UnoRules(players=6), 0, 0.004, 1),
]
"""Games of a round: rules, player of the other seats, cost of a point left, and share of the rows."""


def rows_of(weights: Array, first: bool, rows: int, tries: int, seed: int, threads: int) -> tuple[Array, Array, Array]:
    """Return the rows, groups and targets of one round."""
    whole = sum(table[3] for table in TABLES)

    def one(place: int) -> tuple[Array, Array, Array]:
        rules, other, shedding, part = TABLES[place]
        number = rows * part // whole
        found, groups, targets = np.zeros((number, NUM_FEATURES)), np.zeros(number, np.int64), np.zeros(number)
        own, facing = (0, 0 if other == 1 else other) if first else (1, other)
        scratch = np.zeros(1, SCRATCH).view(np.recarray)
        record = rules_record(rules)
        start = np.uint64(seed * 1000 + place)
        written = collect(
            record, new_games(3), scratch, weights, own, facing, tries, 300, shedding, start, found, groups, targets
        )
        return found[:written], groups[:written] + place * 10**9, targets[:written]

    parts = list(by_threads(one, range(len(TABLES)), threads))
    found, groups, targets = (np.concatenate([part[k] for part in parts]) for k in range(3))
    return found, np.unique(groups, return_inverse=True)[1], targets


def fit(weights: Array, rows: Array, groups: Array, targets: Array, epochs: int, seed: int, batch: int = 512) -> Array:
    """Return weights fitted by Adam to the differences within groups; `batch` is the number of groups per step."""
    rng = np.random.default_rng(seed)
    sizes = np.bincount(groups).astype(float)
    targets = targets - (np.bincount(groups, targets) / sizes)[groups]
    starts = np.searchsorted(groups, np.arange(len(sizes)))
    layer = weights[:-NUM_HIDDEN].reshape(NUM_HIDDEN, NUM_FEATURES + 1).copy()
    parts = [layer[:, :-1].copy(), layer[:, -1].copy(), weights[-NUM_HIDDEN:].copy()]
    moments = [[np.zeros_like(part), np.zeros_like(part)] for part in parts]
    step = 0
    total = epochs * (len(sizes) // batch)
    for _ in range(epochs):
        order = rng.permutation(len(sizes))
        for at in range(0, len(order) - batch, batch):
            chosen = order[at : at + batch]
            lengths = sizes[chosen].astype(int)
            index = np.repeat(starts[chosen] - np.concatenate([[0], lengths.cumsum()[:-1]]), lengths) + np.arange(lengths.sum())
            local = np.repeat(np.arange(batch), lengths)
            x, y = rows[index], targets[index]
            hidden = np.maximum(x @ parts[0].T + parts[1], 0)
            out = hidden @ parts[2]
            error = out - (np.bincount(local, out) / lengths)[local] - y
            error -= (np.bincount(local, error) / lengths)[local]
            back = np.outer(error, parts[2]) * (hidden > 0)
            slopes = [back.T @ x / batch, back.sum(0) / batch, hidden.T @ error / batch]
            step += 1
            rate = 3e-3 * (1 - step / total) + 1e-5
            for part, slope, (mean, square) in zip(parts, slopes, moments, strict=True):
                mean += 0.1 * (slope - mean)
                square += 0.001 * (slope**2 - square)
                part -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
    return np.concatenate([np.column_stack([parts[0], parts[1]]).ravel(), parts[2]])


def main(
    out: Annotated[Path, typer.Option(help="File for the weights.")] = Path("uno.npz"),
    rounds: Annotated[int, typer.Option(help="Rounds of policy iteration.")] = 3,
    rows: Annotated[int, typer.Option(help="Candidates per round.")] = 300_000,
    tries: Annotated[int, typer.Option(help="Playouts per candidate.")] = 40,
    epochs: Annotated[int, typer.Option(help="Epochs of each fit.")] = 30,
    seed: Annotated[int, typer.Option(help="Seed of all randomness.")] = 1,
    threads: Annotated[int, typer.Option(help="Number of threads.")] = 2,
) -> None:
    """Train the learned UNO player."""
    weights = np.random.default_rng(seed).normal(0, 0.2, NUM_WEIGHTS)
    weights[-NUM_HIDDEN:] *= 0.1
    collected: list[tuple[Array, Array, Array]] = []
    for number in range(rounds):
        clock = perf_counter()
        data = rows_of(weights, number == 0, rows, tries, seed + number, threads)
        collected = [*collected[1:], data] if number > 1 else [data]  # the first round's play-outs were another player's
        clock, spent = perf_counter(), perf_counter() - clock
        base = 0
        numbers = []
        for one in collected:
            numbers.append(one[1] + base)
            base += one[1].max() + 1
        all_rows, all_targets = (np.concatenate([one[k] for one in collected]) for k in (0, 2))
        weights = fit(weights, all_rows, np.concatenate(numbers), all_targets, epochs, seed)
        with replace_file(out) as new, new.open("wb") as file:
            np.savez(file, weights=weights.astype(np.float32))
        print(f"round {number}: {len(data[0])} rows in {spent:.0f} s, fit {perf_counter() - clock:.0f} s", flush=True)
        for other in ("automatic", "rule-v1"):
            print("  ", match(UnoRules(), "learned", other, 20_000, weights=weights), flush=True)


if __name__ == "__main__":
    typer.run(main)
