"""Speed of UNO games and environments compared with RLCard's `uno`, and a check of the published statistics.

    OMP_NUM_THREADS=1 python benchmarks/uno.py --seconds 5 --record
    OMP_NUM_THREADS=1 python benchmarks/uno.py --figures --games 200000 --record

RLCard's rules, two players, random legal play, 2,048 games per batch unless the name says otherwise. Observation (406
entries) and mask (62 entries) are written at every decision.

| loop | meaning |
| --- | --- |
| `engine` | a step of the batch engine |
| `make_vec` | Gymnasium's `step`, with actions from `random_actions()` |
| `make_vec, copy=False, numpy chooses` | the same with actions that numpy draws from the lists of legal ones |
| `uno raw_env` | the turn-by-turn environment |
| `rlcard uno, env.run` | RLCard's own loop with its random agents, which keeps trajectories |
| `rlcard uno, env.step alone` | the shortest loop that RLCard's interface allows |
| `memset of the same bytes` | clearing one row of observation and mask: a lower bound |
| `simulate, N players` | scripted games, seeds and statistics included |

`--figures` plays each row of the published table instead and shows by how many standard errors each statistic differs. The
exit status is 1 if one differs by more than three.

Needs `rlcard` for the peer. Takes 16 times `--seconds`; `--figures` with 200,000 games per row takes a few minutes.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from math import sqrt
from typing import Annotated, Any

import typer
from aec import SEED, aec_game, rlcard
from measured_rows import JsonOption, Recorder, RecordOption, Row, rates, relative, rounds_of
from rich.table import Table
from side_by_side import (
    Contestant,
    RoundsOption,
    SecondsOption,
    measure,
    pairwise_ratio,
    print_figures,
    print_table,
    report,
    step_by_numpy,
    wide_console,
)

GAMES = 2048
"""Games in a batch."""
PIECE = 100_000
"""Approximate number of decisions in a piece of work."""
Work = Callable[[], int]


def engine(**options: Any) -> Any:
    """Return a batch of games with RLCard's rules."""
    from big2_env.games.uno.kernels.engine import UnoBatchEngine
    from big2_env.games.uno.rules import PRESETS

    batch = UnoBatchEngine(PRESETS["rlcard"], GAMES, **options)
    batch.reset(SEED)
    return batch


def kernel(**options: Any) -> Work:
    """Return random play by the batch engine."""
    batch = engine(**options)
    steps = max(1, PIECE // GAMES)

    def work() -> int:
        batch.play_random(steps)
        return steps * GAMES

    return work


def vector(by_numpy: bool = False, games: int = GAMES, **options: Any) -> Work:
    """Return steps of the vector environment, with actions drawn by itself or by numpy outside of it."""
    import gymnasium

    import big2_env  # noqa: F401  # registers the id

    envs: Any = gymnasium.make_vec("big2/UnoSelfPlay-v0", num_envs=games, rules="rlcard", **options).unwrapped
    steps = max(1, PIECE // games)
    if by_numpy:
        return step_by_numpy(envs, steps, SEED)
    envs.reset(seed=SEED)

    def work() -> int:
        for _ in range(steps):
            envs.step(envs.random_actions())
        return steps * games

    return work


def memset() -> Work:
    """Return the clearing of observations and masks, the least that writing them costs."""
    batch = engine()
    repeats = 10 * PIECE // GAMES

    def work() -> int:
        for _ in range(repeats):
            batch.observation.fill(0)
            batch.mask.fill(0)
        return repeats * GAMES

    return work


def turn_by_turn() -> Work:
    """Return games of `raw_env`, compiled before they are timed."""
    from big2_env.games.uno.aec import raw_env
    from big2_env.games.uno.kernel_game import COMPILING

    COMPILING.finish()
    return aec_game(raw_env("rlcard"))


def rlcard_run(count: Callable[[Any], int]) -> Work:
    """Return games of RLCard through `env.run`; `count` takes the trajectories and returns the units."""
    import rlcard as package
    from rlcard.agents import RandomAgent

    env = package.make("uno", config={"seed": SEED})
    env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])

    def work() -> int:
        trajectories, _ = env.run(is_training=False)
        return count(trajectories)

    return work


def rlcard_games() -> Work:
    """Return whole games of RLCard through `env.step`."""
    play = rlcard("uno")

    def work() -> int:
        play()
        return 1

    return work


def scripted(players: int) -> Work:
    """Return games of automatic players on one core."""
    from big2_env.games.uno.rules import UnoRules
    from big2_env.games.uno.simulate import simulated
    from big2_env.runs.executors import Local

    seed = [0]

    def work() -> int:
        seed[0] += 5000
        return simulated(UnoRules(players=players), 5000, seed=seed[0], executor=Local(1)).games

    return work


def random_games() -> Work:
    """Return whole random games by the batch engine."""
    batch = engine()

    def work() -> int:
        return int(batch.play_random(PIECE // GAMES))

    return work


RUN, STEP = "rlcard uno, env.run", "rlcard uno, env.step alone"
DECISIONS = [
    Contestant("engine", "big2_env", kernel),
    Contestant("make_vec, copy=False", "big2_env", lambda: vector(copy=False)),
    Contestant("make_vec, copy=False, 256 games", "big2_env", lambda: vector(games=256, copy=False)),
    Contestant("make_vec, copy=False, numpy chooses", "big2_env", lambda: vector(by_numpy=True, copy=False)),
    Contestant("make_vec", "big2_env", vector),
    Contestant("make_vec, copy=False, two threads", "big2_env", lambda: vector(copy=False, threads=2)),
    Contestant("memset of the same bytes", "numpy", memset),
    Contestant("uno raw_env", "big2_env", turn_by_turn),
    Contestant(RUN, "rlcard", lambda: rlcard_run(lambda found: sum(len(one) // 2 for one in found))),
    Contestant(STEP, "rlcard", lambda: rlcard("uno")),
]
WHOLE = [
    *(Contestant(f"simulate, {n} players", "big2_env", lambda n=n: scripted(n)) for n in (2, 4, 10)),
    Contestant("engine, random play", "big2_env", random_games),
    Contestant(RUN, "rlcard", lambda: rlcard_run(lambda found: 1)),
    Contestant(STEP, "rlcard", rlcard_games),
]

PUBLISHED: list[tuple[dict[str, Any], float, dict[str, float]]] = [
    ({"players": 2}, 34.5, {"median": 26, "least": 7, "most": 170, "exhausted": 0.0024, "seat 0": 0.514, "left": 61.7}),
    ({"players": 3}, 38.3, {"median": 32, "least": 13, "most": 163, "exhausted": 0.0016, "seat 0": 0.350, "left": 98.7}),
    (
        {"players": 4},
        43.2,
        {
            "median": 37,
            "least": 16,
            "most": 155,
            "exhausted": 0.0025,
            "seat 0": 0.271,
            "seat 1": 0.253,
            "seat 2": 0.240,
            "seat 3": 0.235,
            "left": 146.7,
        },
    ),
    ({"players": 6}, 56.1, {"median": 50, "least": 21, "most": 143, "exhausted": 0.017, "seat 0": 0.187, "left": 239.8}),
    ({"players": 8}, 65.7, {"median": 61, "least": 25, "most": 124, "exhausted": 0.091, "seat 0": 0.147, "left": 341.8}),
    ({"players": 10}, 69.0, {"median": 69, "least": 31, "most": 114, "exhausted": 0.321, "seat 0": 0.122, "left": 462.8}),
    ({"players": 2, "colour_order": "draw_order"}, 34.5, {"left": 57.2}),
    ({"players": 2, "colour_order": "actions_first"}, 34.1, {"left": 51.3}),
    ({"players": 4, "colour_order": "draw_order"}, 44.6, {"left": 134.4}),
    ({"players": 4, "colour_order": "actions_first"}, 46.0, {"left": 121.3}),
    ({"players": 2, "match_zero": False}, 35.2, {}),
    ({"players": 4, "match_zero": False}, 43.6, {}),
    ({"players": 2, "play_drawn": True}, 30.2, {}),
    ({"players": 4, "play_drawn": True}, 41.1, {}),
    ({"players": 2, "effects": "none"}, 29.4, {}),
    ({"players": 4, "effects": "none"}, 36.6, {}),
    ({"players": 2, "blank_is_any": True}, 34.4, {}),
    ({"players": 4, "blank_is_any": True}, 41.1, {}),
]
"""Rules, mean turns and other published statistics: of 200,000 games, or 400,000 if colour_order is set."""


WHOLE_TURNS: dict[str, Callable[[Any], int]] = {
    "median": lambda found: int(found.percentile(0.5)),
    "least": lambda found: int(found.shortest),
    "most": lambda found: int(found.longest),
}
"""Statistics of turns without a standard error: a median may differ by one, and the extremes depend on the games."""


def off(found: Any, published: float, rounding: float, games: int, theirs: int) -> float:
    """Return by how many standard errors two means differ, beyond what rounding explains; 0 if all games are alike."""
    error = found.error * sqrt(1 + games / theirs)
    return max(abs(found.mean - published) - rounding, 0.0) / error if error else 0.0


def figures(games: int) -> float:
    """Print every published statistic next to ours, and return the largest difference in standard errors."""
    from big2_env.games.uno.rules import UnoRules
    from big2_env.games.uno.simulate import simulated

    table = Table(title=f"published statistics, {games:,} games per row")
    for column in ("rules", "statistic", "published", "found", "standard errors off"):
        table.add_column(column, justify="left" if column in ("rules", "statistic") else "right")
    worst, start = 0.0, time.perf_counter()
    for changes, turns, others in PUBLISHED:
        found = simulated(UnoRules(**changes), games, seed=1)
        rules = ", ".join(f"{key}={given}" for key, given in changes.items())
        theirs = 400_000 if "colour_order" in changes else 200_000
        for name, value in {"turns": turns, **others}.items():
            if name in WHOLE_TURNS:
                turns_found = WHOLE_TURNS[name](found)
                worst = max(worst, 0.0 if name != "median" or abs(turns_found - value) <= 1 else float("inf"))
                table.add_row(rules, name, f"{value}", f"{turns_found}", "")
                continue
            one = found.firsts[int(name[-1])] if name.startswith("seat") else getattr(found, name)
            rounding = 0.05 if name in ("turns", "left") else 0.00005 if value < 0.01 else 0.0005
            away = off(one, value, rounding, games, theirs)
            worst = max(worst, away)
            table.add_row(rules, name, f"{value}", f"{one.mean:.4f}", f"{away:.2f}")
    console = wide_console()
    console.print(table)
    took = time.perf_counter() - start
    console.print(f"{len(PUBLISHED) * games:,} games in {took:.1f} s; at most {worst:.2f} standard errors off")
    return worst


def print_ratios() -> dict[str, float]:
    """Print and return the ratios to RLCard and to the memset, medians of the rounds."""
    loops = {one.name: one for one in DECISIONS if one.rates}
    found = {}
    for peer in (RUN, STEP, "memset of the same bytes"):
        for name in loops:
            compared = ("engine", "make_vec") if peer.startswith("memset") else ("engine", "make_vec", "uno raw_env")
            if peer in loops and name.startswith(compared):
                found[f"{name}: times {peer}"] = pairwise_ratio(loops[name], loops[peer])
    print_figures(found, "ratios of decisions")
    return found


def rows(report: dict[str, Any]) -> Iterator[Row]:
    """Yield rates of decisions and games, and ratios to RLCard."""
    if "published" in report:
        yield Row("largest difference from the published table", report["published"], "standard errors")
        return
    rounds = rounds_of(report["decisions"])
    own = ["engine", "make_vec, copy=False", "make_vec", "uno raw_env"]
    yield from rates(report["decisions"], [*own, RUN, STEP])
    yield from rates(report["games"], [name for name in rounds_of(report["games"]) if name.startswith("simulate")])
    for peer in (RUN, STEP):
        yield from relative(rounds, own, peer)


def main(
    seconds: SecondsOption = 5.0,
    rounds: RoundsOption = 5,
    json: JsonOption = None,
    record: RecordOption = False,
    published: Annotated[bool, typer.Option("--figures", help="Play the published table instead.")] = False,
    games: Annotated[int, typer.Option(help="Games per row of the published table.", min=100)] = 200_000,
) -> None:
    """Measure decisions and games of UNO per second, or check the published statistics."""
    warnings.simplefilter("ignore", SyntaxWarning)
    recorder = Recorder("uno")
    if published:
        worst = figures(games)
        recorder.save({"published": worst, "games": games}, rows, json, record)
        raise typer.Exit(0 if worst <= 3 else 1)
    measure([*DECISIONS, *WHOLE], seconds, rounds)
    print_table(DECISIONS, f"random legal play, median of {rounds} rounds", "decision")
    print_table(WHOLE, f"whole games, median of {rounds} rounds", "game")
    ratios = print_ratios()
    settings = {"seconds": seconds, "rounds": rounds, "seed": SEED, "games": GAMES}
    tables = {"decisions": DECISIONS, "games": WHOLE}
    data: dict[str, Any] = {name: report(each, f"{name} per second", settings) for name, each in tables.items()}
    recorder.save(data | {"ratios": ratios}, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
