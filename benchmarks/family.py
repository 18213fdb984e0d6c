"""Speed of random play in every climbing game compared with RLCard's and OpenSpiel's 斗地主.

    OMP_NUM_THREADS=1 python benchmarks/family.py --seconds 5 --record
    OMP_NUM_THREADS=1 python benchmarks/family.py dou_dizhu three_two_one

One decision is one move of one player: the legal actions are listed, and a random one is drawn and made. Batches have 256
games.

| loop | written at each decision, besides the list |
| --- | --- |
| `RULESET, reference` | nothing; the reference engine, one game at a time |
| `RULESET, compiled` | nothing; whole games inside one compiled call, from the same deals |
| `RULESET, compiled, observation` | the observation; games are dealt again inside the call |
| `RULESET, compiled, with arrays` | observation and mask |
| `RULESET, make_vec, lists` | observation; numpy draws the action from the row's list, outside of the environment |
| `RULESET, make_vec, masks` | observation and mask |
| `rlcard doudizhu, step`, `rlcard doudizhu, run` | the state that RLCard's players see, through `env.step` or `env.run` |
| `open_spiel dou_dizhu` | nothing; C++ stepped from Python |

A mask of 27,474 or 95,355 entries costs more than everything else; `masks="ids"` leaves it out. A second table has the
ratios to each peer, round by round.

Needs `rlcard` and `open-spiel` for the peers. Takes `--seconds` for each of six loops per ruleset, plus minutes of
compiling in the first run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Annotated, Any

import numpy as np
import typer
from aec import SEED, rlcard
from measured_rows import JsonOption, Recorder, RecordOption, Row, relative, rounds_of
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
    step_by_numpy,
    wide_console,
)

from big2_env.climbing.rulesets import available_rulesets
from big2_env.kernels.engine import BatchEngine
from big2_env.registration import env_id

GAMES, STEPS = 256, 100
"""Games in a batch, and decisions of each game in a piece of work."""
Work = Callable[[], int]


def rlcard_run() -> Work:
    """Return games of RLCard's 斗地主 through `env.run`, with its random agents."""
    import rlcard as package
    from rlcard.agents import RandomAgent

    env = package.make("doudizhu", config={"seed": SEED})
    env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])

    def work() -> int:
        trajectories, _ = env.run(is_training=False)
        return sum(len(steps) // 2 for steps in trajectories)  # states and actions in turn, then the last state

    return work


def open_spiel() -> Work:
    """Return games of OpenSpiel's 斗地主, without tensors."""
    import pyspiel

    game, rng = pyspiel.load_game("dou_dizhu"), Random(SEED)

    def work() -> int:
        decisions, state = 0, game.new_initial_state()
        while not state.is_terminal():
            moves = state.legal_actions()
            decisions += not state.is_chance_node()
            state.apply_action(moves[int(rng.random() * len(moves))])
        return decisions

    return work


def reference(name: str) -> Work:
    """Return games of the reference engine."""
    from big2_env import Game

    rules, rng = available_rulesets()[name], Random(SEED)

    def work() -> int:
        game = Game.deal(rules, int(rng.random() * 2**53))
        while not game.is_over:
            moves = list(game.legal_plays())
            game.push(moves[int(rng.random() * len(moves))])
        return len(game.history)

    return work


def dealt(name: str, *, masks: str) -> BatchEngine:
    """Return a dealt batch of the compiled engine."""
    batch = BatchEngine(available_rulesets()[name], GAMES, masks=masks)
    batch.reset(SEED)
    return batch


def compiled(name: str) -> Work:
    """Return whole games of the compiled engine, with the same deals and other random actions each time."""
    batch = dealt(name, masks="ids")
    start = batch.games.copy()

    def work() -> int:
        start.rng += np.uint64(GAMES)
        batch._games[:] = start
        batch.rollouts()
        return int((batch.games.steps - start.steps).sum())

    return work


def written(name: str, *, masks: str) -> Work:
    """Return random play inside one call of the compiled engine, with observation and mask as asked."""
    batch = dealt(name, masks=masks)

    def work() -> int:
        batch.play_random(STEPS)
        return STEPS * GAMES

    return work


def vector(name: str, **options: Any) -> Work:
    """Return steps of the vector environment, with actions that numpy draws outside of it."""
    import gymnasium

    envs: Any = gymnasium.make_vec(env_id(name), num_envs=GAMES, mode="self_play", copy=False, **options).unwrapped
    return step_by_numpy(envs, STEPS, SEED)


PEERS = [
    Contestant("rlcard doudizhu, step", "rlcard", lambda: rlcard("doudizhu")),
    Contestant("rlcard doudizhu, run", "rlcard", rlcard_run),
    Contestant("open_spiel dou_dizhu", "open_spiel", open_spiel),
]


def contestants(names: list[str]) -> dict[str, list[Contestant]]:
    """Return the loops of this package by ruleset."""
    kinds: dict[str, Callable[[str], Work]] = {
        "reference": reference,
        "compiled": compiled,
        "compiled, observation": lambda name: written(name, masks="ids"),
        "compiled, with arrays": lambda name: written(name, masks="dense"),
        "make_vec, lists": lambda name: vector(name, masks="ids"),
        "make_vec, masks": vector,
    }
    return {
        name: [
            Contestant(f"{name}, {kind}", "big2_env", lambda name=name, make=make: make(name)) for kind, make in kinds.items()
        ]
        for name in names
    }


def print_ratios(found: dict[str, list[Contestant]]) -> dict[str, dict[str, float]]:
    """Print the speed of each loop relative to each peer, medians of the rounds, and return these ratios."""
    table = Table(title="speed relative to the peer in the same round")
    table.add_column("loop", no_wrap=True)
    peers = [one for one in PEERS if one.rates]
    for peer in peers:
        table.add_column(peer.name, justify="right")
    ratios: dict[str, dict[str, float]] = {}
    for one in (one for several in found.values() for one in several):
        ratios[one.name] = {peer.name: pairwise_ratio(one, peer) for peer in peers}
        table.add_row(one.name, *(f"{ratio:,.2f}" for ratio in ratios[one.name].values()))
    if peers:
        wide_console().print(table)
    return ratios


def rows(found: dict[str, Any]) -> Iterator[Row]:
    """Yield the ratios of compiled games and of `make_vec` with lists to RLCard and OpenSpiel."""
    rounds = rounds_of(found)
    own = [name for name in rounds if name.endswith((", compiled", ", make_vec, lists"))]
    for peer in ("rlcard doudizhu, step", "open_spiel dou_dizhu"):
        yield from relative(rounds, own, peer)


def main(
    games: Annotated[list[str] | None, typer.Argument(help="Rulesets; all for none.", show_default=False)] = None,
    seconds: SecondsOption = 5.0,
    rounds: RoundsOption = 5,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Measure decisions per second of random play in one process and thread."""
    recorder = Recorder("family")
    found = contestants(rulesets_asked(games))
    everything: list[Any] = [*PEERS, *(one for several in found.values() for one in several)]
    measure(everything, seconds, rounds)
    print_table(everything, f"random legal play, median of {rounds} rounds", "decision")
    ratios = print_ratios(found)
    settings = {"seconds": seconds, "rounds": rounds, "seed": SEED}
    recorder.save(report(everything, "decisions per second", settings) | {"ratios": ratios}, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
