"""Speed of the turn-by-turn (AEC) environments compared with other packages' card games.

    OMP_NUM_THREADS=1 python benchmarks/aec.py --seconds 10 --record
    OMP_NUM_THREADS=1 python benchmarks/aec.py dou_dizhu wu_gua_pi

A random legal agent plays whole games through `last()` and `step()`. One decision is one move of one player: the
environment returns observation and legal actions, and `step()` makes a random one. The agent takes the actions from the
mask, or from a list if the loop's name says so. Resets count as time but not as decisions.

The first table compares packages. Their games differ in observations and numbers of actions, so it shows what users of each
package get, not which code is better.

| loop | meaning |
| --- | --- |
| `big2 raw_env, legal_ids` | the same as `big2 raw_env` with `masks="ids"` and the actions of `legal_ids()` |
| `big2 raw_env`, `big2 env` | ruleset `big2` on the compiled engine, without and with PettingZoo's three wrappers |
| `rlcard doudizhu`, `rlcard uno` | RLCard's games through `env.step` |
| `connect_four raw_env`, `connect_four env` | PettingZoo's connect four |

The second table compares the compiled engine with the reference engine in `raw_env` of every ruleset, or of those given.
Masks are searched as booleans, which numpy does many times faster than as int8.

Needs `rlcard` and `pettingzoo[classic]` for the peers; loops of missing packages are left out. Each of 32 loops takes
`--seconds`, plus minutes of compiling in the first run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Annotated, Any

import numpy as np
import typer
from measured_rows import JsonOption, Recorder, RecordOption, Row, rates, relative, rounds_of
from rich.table import Table
from side_by_side import (
    Contestant,
    RoundsOption,
    SecondsOption,
    measure,
    pairwise_ratio,
    print_table,
    report,
    rulesets_asked,
    wide_console,
)

SEED = 7
ENGINES = ("compiled", "reference")


def aec_game(env: Any, *, by_list: bool = False) -> Callable[[], int]:
    """Return a function that plays one game of an AEC environment and counts its decisions.

    Args:
        env: The environment.
        by_list: True to take the actions of `legal_ids()`, False to search the mask.
    """
    rng = Random(SEED)
    env.reset(seed=SEED)

    def play() -> int:
        decisions = 0
        env.reset()
        while True:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                return decisions
            legal = env.legal_ids() if by_list else observation["action_mask"].view(np.bool_).nonzero()[0]
            env.step(legal[int(rng.random() * len(legal))])
            decisions += 1

    return play


def big2(kind: str, **arguments: Any) -> Callable[[], int]:
    """Return games of this package, compiled before they are timed."""
    from big2_env.envs import aec

    return aec_game(getattr(aec, kind)(**{"engine": "compiled"} | arguments))


def big2_listed(**arguments: Any) -> Callable[[], int]:
    """Return games of `raw_env` with lists of legal actions instead of masks."""
    from big2_env.envs import aec

    return aec_game(aec.raw_env(**{"engine": "compiled", "masks": "ids"} | arguments), by_list=True)


def connect_four(kind: str) -> Callable[[], int]:
    """Return games of PettingZoo's connect four."""
    from pettingzoo.classic.connect_four import connect_four as game

    return aec_game(getattr(game, kind)())


def rlcard(name: str) -> Callable[[], int]:
    """Return games of RLCard through its own interface, whose `step` returns the next state with its legal actions."""
    import rlcard

    rng, env = Random(SEED), rlcard.make(name, config={"seed": SEED})

    def play() -> int:
        decisions = 0
        state, _ = env.reset()
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(rng.random() * len(legal))])
            decisions += 1
        return decisions

    return play


PEERS = ("rlcard doudizhu", "rlcard uno", "connect_four raw_env", "connect_four env")
CONTESTANTS = [
    Contestant("big2 raw_env", "big2_env", lambda: big2("raw_env")),
    Contestant("big2 raw_env, legal_ids", "big2_env", big2_listed),
    Contestant("big2 raw_env, float32", "big2_env", lambda: big2("raw_env", dtype="float32")),
    Contestant("big2 env", "big2_env", lambda: big2("env")),
    Contestant("rlcard doudizhu", "rlcard", lambda: rlcard("doudizhu")),
    Contestant("rlcard uno", "rlcard", lambda: rlcard("uno")),
    Contestant("connect_four raw_env", "pettingzoo", lambda: connect_four("raw_env")),
    Contestant("connect_four env", "pettingzoo", lambda: connect_four("env")),
]


def by_ruleset(names: list[str]) -> dict[str, list[Contestant]]:
    """Return the loops of both engines by ruleset."""
    return {
        name: [
            Contestant(f"{name}, {kind}", "big2_env", lambda name=name, kind=kind: big2("raw_env", ruleset=name, engine=kind))
            for kind in ENGINES
        ]
        for name in names
    }


def print_engines(pairs: dict[str, list[Contestant]]) -> dict[str, float]:
    """Print the speed of both engines by ruleset, and return how many times as fast the compiled engine is."""
    table = Table(title="raw_env, both engines")
    table.add_column("ruleset", no_wrap=True)
    for column in (*(f"{kind}, decisions/s" for kind in ENGINES), "times"):
        table.add_column(column, justify="right")
    times = {name: pairwise_ratio(*both) for name, both in pairs.items()}
    for name, both in pairs.items():
        table.add_row(name, *(f"{one.median:,.0f}" for one in both), f"{times[name]:.2f}")
    wide_console().print(table)
    return times


def rows(found: dict[str, Any]) -> Iterator[Row]:
    """Yield rates and ratios to peers in `big2`, then for each ruleset the ratio to the reference engine and to RLCard."""
    rounds = rounds_of(found)
    yield from rates(found, [one.name for one in CONTESTANTS])
    for peer in PEERS:
        yield from relative(rounds, ["big2 raw_env", "big2 raw_env, legal_ids", "big2 env"], peer)
    for name in [name.removesuffix(", reference") for name in rounds if name.endswith(", reference")]:
        own = f"raw_env of {name}"
        renamed = rounds | {own: rounds[f"{name}, compiled"], "the reference engine": rounds[f"{name}, reference"]}
        for peer in ("the reference engine", "rlcard doudizhu"):
            yield from relative(renamed, [own], peer)


def main(
    games: Annotated[list[str] | None, typer.Argument(help="Rulesets of the second table; all for none.")] = None,
    seconds: SecondsOption = 5.0,
    rounds: RoundsOption = 5,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Measure decisions per second of a random legal agent in one process and thread."""
    recorder = Recorder("aec")
    pairs = by_ruleset(rulesets_asked(games))
    everything = [*CONTESTANTS, *(one for both in pairs.values() for one in both)]
    measure(everything, seconds, rounds)
    print_table(CONTESTANTS, f"random legal play, median of {rounds} rounds", "decision")
    times = print_engines(pairs)
    settings = {"seconds": seconds, "rounds": rounds, "seed": SEED}
    found = report(everything, "decisions per second", settings) | {"times the reference engine": times}
    recorder.save(found, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
