"""Speed of the compiled engine and of the environments on top of it, compared with other packages.

    OMP_NUM_THREADS=1 python benchmarks/engine.py --seconds 5 --record
    OMP_NUM_THREADS=1 python benchmarks/engine.py --quick

Ruleset `big2`, random legal play, batches of 1,024 games, one process and one thread unless the name says otherwise. One
decision is one move of one player; observation (547 entries) and mask (1,379 entries) are written before it. Finished games
are dealt again, and dealing counts as time.

| loop | one unit |
| --- | --- |
| `kernel` | a decision inside one compiled call: observation int8, mask, a random legal action |
| `kernel, two threads` | the same with the games split between two threads; needs two free cores |
| `kernel, float32` | the same with float32 observations: 3,567 bytes per decision instead of 1,926 |
| `kernel, 64 games` | the same with arrays that fit into a core's own cache |
| `kernel, careful play` | the same from positions of players who pass three times out of four: fuller hands, longer lists |
| `make_vec, copy=False` | a step of the vector environment for one row; numpy draws the action from the row's list |
| `make_vec, copy=True` | the same with new arrays at each step, Gymnasium's default |
| `make_vec, copy=False, skip_forced` | the same without decisions that have a single legal action |
| `make_vec, copy=False, seat` | a learner's decision, followed by the moves of three random opponents |
| `memset of the same bytes` | clearing one row of observation and mask: a lower bound for any code that writes them |
| `big2 raw_env`, `big2 raw_env, legal_ids`, `big2 env`, `rlcard`, `connect_four` | as in `aec.py` |
| `dou_dizhu raw_env, legal_ids` | the game of the next row, as `big2 raw_env, legal_ids` |
| `open_spiel dou_dizhu` | C++ behind Python: the observation as a tensor, and the list of legal actions |
| `rollouts from a deal` | a random game from a given position to its end; only the payoffs are written |

The last table has ratios by round, bytes per game (the difference between a large and a small batch) and lengths of the
lists of legal actions. Other packages play other games, so ratios show what users of each package get, not whose code is
better.

Needs `rlcard`, `open-spiel` and `pettingzoo[classic]` for the peers. Takes 20 times `--seconds`, plus half a minute of
compiling in the first run.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from random import Random
from typing import Annotated, Any

import numpy as np
import typer
from aec import SEED, big2, big2_listed, connect_four, rlcard
from measured_rows import JsonOption, Recorder, RecordOption, Row, rates, relative, rounds_of
from rich.console import Console
from rich.table import Table
from side_by_side import (
    Contestant,
    RoundsOption,
    SecondsOption,
    measure,
    pairwise_ratio,
    print_table,
    report,
    step_by_numpy,
    wide_console,
)

GAMES = 1024
"""Games in a batch."""
FEW = 64
"""Games whose arrays fit into a core's own cache."""
PIECE = 50_000
"""Approximate number of decisions in a piece of work."""
Work = Callable[[], int]


def engine(games: int, **options: Any) -> Any:
    """Return a dealt batch of games."""
    from big2_env import BIG2
    from big2_env.kernels.engine import BatchEngine

    batch = BatchEngine(BIG2, games, **options)
    batch.reset(SEED)
    return batch


def kernel(games: int = GAMES, **options: Any) -> Work:
    """Return random play inside one call."""
    batch = engine(games, **options)
    piece = PIECE if options.get("threads", 1) == 1 else 20 * PIECE  # waking threads takes a moment on a busy machine
    steps = max(1, piece // games)

    def work() -> int:
        batch.play_random(steps)
        return steps * games

    return work


def held_back(games: int = GAMES) -> Any:
    """Return a batch of positions of careful players, who pass three times out of four and else play the first legal action."""
    rng, batch = np.random.default_rng(SEED), engine(games)
    asked = rng.integers(4, 60, games)
    found = batch.games.copy()
    for step in range(60):
        found[asked == step] = batch.games[asked == step]
        counts, ids = batch.legal_ids()
        may_pass = ids[np.arange(games), counts - 1] == 0
        passes = may_pass & (rng.random(games) < 0.75)
        batch.step(np.where(passes, 0, ids[:, 0]).astype(np.int64))
    batch._games[:] = found  # states of this very engine
    batch.show()
    return batch


def careful(steps: int = 4) -> Work:
    """Return random play from positions of careful players, set up again after a few steps."""
    batch = held_back()
    positions = batch.games.copy()

    def work() -> int:
        batch._games[:] = positions  # states of this very engine
        batch.play_random(steps)
        return steps * GAMES

    return work


def memset(dtype: Any, games: int = GAMES) -> Work:
    """Return the clearing of observations and masks, the least that writing them costs."""
    batch = engine(games, dtype=dtype)
    repeats = max(1, 10 * PIECE // games)

    def work() -> int:
        for _ in range(repeats):
            batch.observation.fill(0)
            batch.mask.fill(0)
        return repeats * games

    return work


def vector(steps: int = 20, **options: Any) -> Work:
    """Return steps of the vector environment, with actions that numpy draws outside of it."""
    import gymnasium

    import big2_env  # noqa: F401  # registers the id

    envs: Any = gymnasium.make_vec("big2/Big2-v0", num_envs=GAMES, **{"mode": "self_play"} | options).unwrapped
    return step_by_numpy(envs, steps, SEED)


def rollouts() -> Work:
    """Return random games from one deal to their ends."""
    from big2_env import BIG2, Game

    batch = engine(GAMES)
    position = Game.deal(BIG2, SEED).position
    for index in range(GAMES):
        batch.set_position(index, position)
    start = batch.games.copy()

    def work() -> int:
        start.rng += np.uint64(GAMES)
        batch._games[:] = start  # states of this very engine
        batch.rollouts()
        return GAMES

    return work


def open_spiel(name: str) -> Work:
    """Return games of OpenSpiel, with the observation as a tensor and the list of legal actions at each decision."""
    import pyspiel

    game, rng = pyspiel.load_game(name), Random(SEED)

    def work() -> int:
        decisions, state = 0, game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                moves = state.legal_actions()
            else:
                state.observation_tensor()
                moves = state.legal_actions()
                decisions += 1
            state.apply_action(moves[int(rng.random() * len(moves))])
        return decisions

    return work


MEMSET = {
    dtype: Contestant(f"memset of the same bytes, {dtype}", "numpy", lambda d=dtype: memset(d)) for dtype in ("int8", "float32")
}
KERNEL = Contestant("kernel", "big2_env", kernel)
TWO_THREADS = Contestant("kernel, two threads", "big2_env", lambda: kernel(threads=2))
ENGINE = [
    KERNEL,
    TWO_THREADS,
    Contestant("kernel, float32", "big2_env", lambda: kernel(dtype="float32")),
    Contestant(f"kernel, {FEW} games", "big2_env", lambda: kernel(FEW)),
    Contestant("kernel, careful play", "big2_env", careful),
    Contestant("make_vec, copy=False", "big2_env", lambda: vector(copy=False)),
    Contestant("make_vec, copy=True", "big2_env", vector),
    Contestant("make_vec, copy=False, skip_forced", "big2_env", lambda: vector(copy=False, skip_forced=True)),
    Contestant("make_vec, copy=False, seat", "big2_env", lambda: vector(copy=False, mode="seat")),
    *MEMSET.values(),
]
TURN_BY_TURN = [
    Contestant("big2 raw_env", "big2_env", lambda: big2("raw_env")),
    Contestant("big2 raw_env, legal_ids", "big2_env", big2_listed),
    Contestant("dou_dizhu raw_env, legal_ids", "big2_env", lambda: big2_listed(ruleset="dou_dizhu")),
    Contestant("big2 env", "big2_env", lambda: big2("env")),
    Contestant("connect_four raw_env", "pettingzoo", lambda: connect_four("raw_env")),
    Contestant("connect_four env", "pettingzoo", lambda: connect_four("env")),
    Contestant("rlcard doudizhu", "rlcard", lambda: rlcard("doudizhu")),
    Contestant("rlcard uno", "rlcard", lambda: rlcard("uno")),
    Contestant("open_spiel dou_dizhu", "open_spiel", lambda: open_spiel("dou_dizhu")),
]
ROLLOUTS = [Contestant("rollouts from a deal", "big2_env", rollouts)]


def bytes_per_game(dtype: str) -> float:
    """Measure the bytes that each game adds to a batch."""

    def taken(games: int) -> int:
        tracemalloc.start()
        batch = engine(games, dtype=dtype)
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        del batch
        return size

    engine(1, dtype=dtype)
    return (taken(9 * GAMES) - taken(GAMES)) / (8 * GAMES)


def list_lengths() -> dict[str, float]:
    """Return the mean number of legal actions in both workloads."""
    batch, lengths = engine(GAMES), []
    rows, rng = np.arange(GAMES), np.random.default_rng(SEED)
    for step in range(400):
        counts, ids = batch.legal_ids()
        if step >= 100:  # by then the games are out of step
            lengths.append(counts.copy())
        batch.step(ids[rows, (rng.random(GAMES) * counts).astype(np.intp)].astype(np.int64))
    return {"random play": float(np.mean(lengths)), "careful play": float(held_back().legal_ids()[0].mean())}


def print_ratios(console: Console, memory: dict[str, float], lengths: dict[str, float]) -> dict[str, float]:
    """Print ratios and sizes, and return them by name."""
    peers = [one for one in TURN_BY_TURN if one.rates and one.package != "big2_env"]
    found = {
        "times a memset of the same bytes, kernel": pairwise_ratio(MEMSET["int8"], KERNEL),
        "times a memset of the same bytes, kernel float32": pairwise_ratio(MEMSET["float32"], ENGINE[2]),
        "times one thread, two threads": pairwise_ratio(TWO_THREADS, KERNEL),
        **{f"bytes per game, {dtype}": size for dtype, size in memory.items()},
        **{f"legal actions on average, {name}": length for name, length in lengths.items()},
    }
    if peers:
        best = max(peers, key=lambda one: one.median)
        loops = {
            "kernel": KERNEL,
            "make_vec copy=False": ENGINE[5],
            "raw_env": TURN_BY_TURN[0],
            "raw_env, legal_ids": TURN_BY_TURN[1],
            "dou_dizhu raw_env, legal_ids": TURN_BY_TURN[2],
        }
        for name, loop in loops.items():
            found[f"times {best.name}, {name}"] = pairwise_ratio(loop, best)
    table = Table(title="ratios and sizes")
    table.add_column("measured", no_wrap=True)
    table.add_column("result", justify="right")
    for name, figure in found.items():
        table.add_row(name, f"{figure:,.0f}" if figure > 100 else f"{figure:,.2f}")
    console.print(table)
    return found


def rows(found: dict[str, Any]) -> Iterator[Row]:
    """Yield rates, ratios to peers and to the memset, and bytes per game."""
    tables = "batches", "turn by turn", "rollouts"
    rounds = {name: each for table in tables for name, each in rounds_of(found[table]).items()}
    own = [f"make_vec, {options}" for options in ("copy=False", "copy=True", "copy=False, seat")]
    own = ["kernel", *own, "big2 raw_env", "big2 raw_env, legal_ids", "dou_dizhu raw_env, legal_ids"]
    for table in tables:
        yield from rates(found[table], [one for one in rounds_of(found[table]) if not one.startswith("memset")])
    for peer in ("open_spiel dou_dizhu", "rlcard doudizhu"):
        yield from relative(rounds, own, peer)
    for peer in ("rlcard uno", "connect_four raw_env"):
        yield from relative(rounds, ["big2 raw_env"], peer)
    yield from relative(rounds, ["big2 env"], "connect_four env")
    yield from relative(rounds, ["kernel, two threads"], "kernel")
    yield from relative(rounds, ["memset of the same bytes, int8"], "kernel")
    for name, value in found["ratios and sizes"].items():
        if name.startswith("bytes per game"):
            yield Row(name, value, "bytes")


def main(
    seconds: SecondsOption = 5.0,
    rounds: RoundsOption = 9,
    quick: Annotated[bool, typer.Option(help="Half a second per loop, in three rounds.")] = False,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Measure decisions per second of the compiled engine and its environments."""
    recorder = Recorder("engine")
    if quick:
        seconds, rounds = 0.5, 3
    memory = {dtype: bytes_per_game(dtype) for dtype in MEMSET}
    lengths = list_lengths()
    measure([*ENGINE, *TURN_BY_TURN, *ROLLOUTS], seconds, rounds)
    settings = {"seconds": seconds, "rounds": rounds, "seed": SEED, "games": GAMES}
    tables = ((ENGINE, "batches", "decision"), (TURN_BY_TURN, "turn by turn", "decision"), (ROLLOUTS, "rollouts", "game"))
    for contestants, title, unit in tables:
        print_table(contestants, f"{title}, random legal play, median of {rounds} rounds", unit)
    ratios = print_ratios(wide_console(), memory, lengths)
    found = {title: report(contestants, f"{unit}s per second", settings) for contestants, title, unit in tables}
    recorder.save(found | {"ratios and sizes": ratios}, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
