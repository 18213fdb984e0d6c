"""How fast the compiled engine is: its kernels, the vector environment, the turn-by-turn environment, beside other packages.

A decision is one act of one player, with what the player sees and its legal acts written before it. `README.md` says what each
row counts.

    python benchmarks/engine.py --seconds 5 --json engine.json
    python benchmarks/engine.py --quick
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from aec import SEED, big2, connect_four, rlcard
from rich.console import Console
from rich.table import Table
from side_by_side import Contestant, measure, pairwise_ratio, print_table, report, step_by_numpy, wide_console, write_json

GAMES = 1024
"""Games in a batch."""
FEW = 64
"""Games whose arrays all stay in a core's own cache."""
PIECE = 50_000
"""About so many decisions make a piece of work."""
Work = Callable[[], int]


def engine(games: int, **options: Any) -> Any:
    """A batch of games of this package, dealt."""
    from big2_env import BIG2
    from big2_env.kernels.engine import BatchEngine

    batch = BatchEngine(BIG2, games, **options)
    batch.reset(SEED)
    return batch


def kernel(games: int = GAMES, **options: Any) -> Work:
    """Random play inside one call."""
    batch = engine(games, **options)
    piece = PIECE if options.get("threads", 1) == 1 else 20 * PIECE  # to wake threads takes a moment on a busy machine
    steps = max(1, piece // games)

    def work() -> int:
        batch.play_random(steps)
        return steps * games

    return work


def held_back(games: int = GAMES) -> Any:
    """Games as careful players leave them: who may pass does so three times of four, and else plays the first of the list."""
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
    """`kernel` from positions of careful players, set up again after a few steps."""
    batch = held_back()
    positions = batch.games.copy()

    def work() -> int:
        batch._games[:] = positions  # states of this very engine
        batch.play_random(steps)
        return steps * GAMES

    return work


def memset(dtype: Any, games: int = GAMES) -> Work:
    """Clearing observations and masks: what writing them costs at least."""
    batch = engine(games, dtype=dtype)
    repeats = max(1, 10 * PIECE // games)

    def work() -> int:
        for _ in range(repeats):
            batch.observation.fill(0)
            batch.mask.fill(0)
        return repeats * games

    return work


def vector(steps: int = 20, **options: Any) -> Work:
    """The vector environment, a legal act chosen by numpy outside."""
    import gymnasium

    import big2_env  # noqa: F401  # registers the id

    envs: Any = gymnasium.make_vec("big2/Big2-v0", num_envs=GAMES, **{"mode": "self_play"} | options).unwrapped
    return step_by_numpy(envs, steps, SEED)


def rollouts() -> Work:
    """Games from one deal to their ends by random play."""
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
    """Games of OpenSpiel: the observation as a tensor, the list of legal acts."""
    import pyspiel

    game, rng = pyspiel.load_game(name), np.random.default_rng(SEED)

    def work() -> int:
        decisions, state = 0, game.new_initial_state()
        draws = rng.random(1000)
        while not state.is_terminal():
            if state.is_chance_node():
                acts = state.legal_actions()
            else:
                state.observation_tensor()
                acts = state.legal_actions()
                decisions += 1
            number = decisions + len(state.history())
            state.apply_action(acts[int(draws[number % 1000] * len(acts))])
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
    Contestant("big2 env", "big2_env", lambda: big2("env")),
    Contestant("connect_four raw_env", "pettingzoo", lambda: connect_four("raw_env")),
    Contestant("connect_four env", "pettingzoo", lambda: connect_four("env")),
    Contestant("rlcard doudizhu", "rlcard", lambda: rlcard("doudizhu")),
    Contestant("rlcard uno", "rlcard", lambda: rlcard("uno")),
    Contestant("open_spiel dou_dizhu", "open_spiel", lambda: open_spiel("dou_dizhu")),
]
ROLLOUTS = [Contestant("rollouts from a deal", "big2_env", rollouts)]


def bytes_per_game(dtype: str) -> float:
    """What a batch takes for each game, measured: the difference between a large and a small one."""

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
    """How many legal acts there are on average, and how often only the pass, in both workloads."""
    batch, lengths = engine(GAMES), []
    rows, rng = np.arange(GAMES), np.random.default_rng(SEED)
    for step in range(400):
        counts, ids = batch.legal_ids()
        if step >= 100:  # by then the games are out of step
            lengths.append(counts.copy())
        batch.step(ids[rows, (rng.random(GAMES) * counts).astype(np.intp)].astype(np.int64))
    return {"random play": float(np.mean(lengths)), "careful play": float(held_back().legal_ids()[0].mean())}


def print_ratios(console: Console, memory: dict[str, float], lengths: dict[str, float]) -> dict[str, float]:
    """Print what the tables do not say; the same as numbers by name."""
    peers = [one for one in TURN_BY_TURN if one.rates and one.package != "big2_env"]
    found = {
        "times a memset of the same bytes, kernel": pairwise_ratio(MEMSET["int8"], KERNEL),
        "times a memset of the same bytes, kernel float32": pairwise_ratio(MEMSET["float32"], ENGINE[2]),
        "times one thread, two threads": pairwise_ratio(TWO_THREADS, KERNEL),
        **{f"bytes per game, {dtype}": size for dtype, size in memory.items()},
        **{f"legal acts on average, {name}": length for name, length in lengths.items()},
    }
    if peers:
        best = max(peers, key=lambda one: one.median)
        found[f"times {best.name}, kernel"] = KERNEL.median / best.median
        found[f"times {best.name}, make_vec copy=False"] = ENGINE[5].median / best.median
        found[f"times {best.name}, raw_env"] = TURN_BY_TURN[0].median / best.median
    table = Table(title="ratios and sizes")
    table.add_column("what", no_wrap=True)
    table.add_column("figure", justify="right")
    for name, figure in found.items():
        table.add_row(name, f"{figure:,.0f}" if figure > 100 else f"{figure:,.2f}")
    console.print(table)
    return found


def main(
    seconds: Annotated[float, typer.Option(help="Seconds for each loop, all rounds together.", min=0.01)] = 5.0,
    rounds: Annotated[int, typer.Option(help="Rounds; the figure is their median.", min=1)] = 9,
    quick: Annotated[bool, typer.Option(help="Half a second for each loop, in three rounds.")] = False,
    json: Annotated[Path | None, typer.Option(help="Write the figures to this file.")] = None,
) -> None:
    """Decisions per second of the compiled engine and of what stands on it, one process."""
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
    if json is not None:
        found = {title: report(contestants, f"{unit}s per second", settings) for contestants, title, unit in tables}
        write_json(json, found | {"ratios and sizes": ratios})


if __name__ == "__main__":
    typer.run(main)
