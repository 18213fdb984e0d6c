"""How fast the turn-by-turn environments are: a random legal agent by `last()` and `step()`, beside other packages' card games.

A decision is one act of one player: the environment gives observation and legal acts, one of these is drawn, the act is made.
Games are played to their ends; resets count as time and not as decisions. Other games have other observations and numbers of
acts, so the figures say what a user of each package gets, not which code is better. Masks are searched as booleans, which numpy
does many times faster than as int8: with 95,355 acts that search would take most of the time. A second table has `raw_env` of
every ruleset on the compiled engine beside the reference engine, in the same rounds.

    python benchmarks/aec.py --seconds 10 --json aec.json
    python benchmarks/aec.py dou_dizhu wu_gua_pi
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table
from side_by_side import Contestant, measure, pairwise_ratio, print_table, report, rulesets_asked, wide_console, write_json

SEED = 7
ENGINES = ("compiled", "reference")


def aec_game(env: Any) -> Callable[[], int]:
    """A function that plays a game of an AEC environment and says how many decisions it had."""
    rng = Random(SEED)
    env.reset(seed=SEED)

    def play() -> int:
        decisions = 0
        env.reset()
        while True:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                return decisions
            legal = np.flatnonzero(observation["action_mask"].view(np.bool_))
            env.step(legal[int(rng.random() * len(legal))])
            decisions += 1

    return play


def big2(kind: str, **arguments: Any) -> Callable[[], int]:
    """Games of this package."""
    from big2_env.envs import aec

    return aec_game(getattr(aec, kind)(**arguments))


def connect_four(kind: str) -> Callable[[], int]:
    """Games of PettingZoo's connect four."""
    from pettingzoo.classic.connect_four import connect_four as game

    return aec_game(getattr(game, kind)())


def rlcard(name: str) -> Callable[[], int]:
    """Games of RLCard, by its own interface: a step returns the next state, which has the legal acts."""
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


CONTESTANTS = [
    Contestant("big2 raw_env", "big2_env", lambda: big2("raw_env")),
    Contestant("big2 raw_env, float32", "big2_env", lambda: big2("raw_env", dtype="float32")),
    Contestant("big2 env", "big2_env", lambda: big2("env")),
    Contestant("rlcard doudizhu", "rlcard", lambda: rlcard("doudizhu")),
    Contestant("rlcard uno", "rlcard", lambda: rlcard("uno")),
    Contestant("connect_four raw_env", "pettingzoo", lambda: connect_four("raw_env")),
    Contestant("connect_four env", "pettingzoo", lambda: connect_four("env")),
]


def by_ruleset(names: list[str]) -> dict[str, list[Contestant]]:
    """Both engines by the game they play."""
    return {
        name: [
            Contestant(f"{name}, {kind}", "big2_env", lambda name=name, kind=kind: big2("raw_env", ruleset=name, engine=kind))
            for kind in ENGINES
        ]
        for name in names
    }


def print_engines(pairs: dict[str, list[Contestant]]) -> dict[str, float]:
    """Print a row for each ruleset: both engines, and how many times as fast the compiled one is; the last as numbers."""
    table = Table(title="raw_env, both engines")
    table.add_column("ruleset", no_wrap=True)
    for column in (*(f"{kind}, decisions/s" for kind in ENGINES), "times"):
        table.add_column(column, justify="right")
    times = {name: pairwise_ratio(*both) for name, both in pairs.items()}
    for name, both in pairs.items():
        table.add_row(name, *(f"{one.median:,.0f}" for one in both), f"{times[name]:.2f}")
    wide_console().print(table)
    return times


def main(
    games: Annotated[list[str] | None, typer.Argument(help="Rulesets of the second table; all for none.")] = None,
    seconds: Annotated[float, typer.Option(help="Seconds for each loop, all rounds together.", min=0.01)] = 5.0,
    rounds: Annotated[int, typer.Option(help="Rounds; the figure is their median.", min=1)] = 5,
    json: Annotated[Path | None, typer.Option(help="Write the figures to this file.")] = None,
) -> None:
    """Decisions per second of a random legal agent, one process and one thread."""
    pairs = by_ruleset(rulesets_asked(games))
    everything = [*CONTESTANTS, *(one for both in pairs.values() for one in both)]
    measure(everything, seconds, rounds)
    print_table(CONTESTANTS, f"random legal play, median of {rounds} rounds", "decision")
    times = print_engines(pairs)
    if json is not None:
        settings = {"seconds": seconds, "rounds": rounds, "seed": SEED}
        write_json(json, report(everything, "decisions per second", settings) | {"times the reference engine": times})


if __name__ == "__main__":
    typer.run(main)
