"""How fast random play of the whole climbing family is, beside RLCard's and OpenSpiel's 斗地主.

A decision is one act of one player: the legal acts are listed, one of them is drawn and made. Rows say what is written besides;
RLCard's loops always write what the players see. `README.md` says what each row counts.

    python benchmarks/family.py --seconds 5 --json family.json
    python benchmarks/family.py dou_dizhu three_two_one
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Annotated, Any

import numpy as np
import typer
from aec import SEED, rlcard
from rich.table import Table
from side_by_side import (
    Contestant,
    measure,
    pairwise_ratio,
    print_table,
    report,
    rulesets_asked,
    step_by_numpy,
    wide_console,
    write_json,
)

from big2_env.climbing.rulesets import available_rulesets
from big2_env.kernels.engine import BatchEngine
from big2_env.registration import env_id

GAMES, STEPS = 256, 100
"""Games in a batch, and decisions of each in a piece of work."""
Work = Callable[[], int]


def rlcard_run() -> Work:
    """Games of RLCard's 斗地主 by its own loop, `env.run` with its random agents."""
    import rlcard as package
    from rlcard.agents import RandomAgent

    env = package.make("doudizhu", config={"seed": SEED})
    env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])

    def work() -> int:
        trajectories, _ = env.run(is_training=False)
        return sum(len(steps) // 2 for steps in trajectories)  # states and actions in turn, the last state besides

    return work


def open_spiel() -> Work:
    """Games of OpenSpiel's 斗地主: the list of legal acts and the act, also of the dealer; no tensor is asked for."""
    import pyspiel

    game, rng = pyspiel.load_game("dou_dizhu"), Random(SEED)

    def work() -> int:
        decisions, state = 0, game.new_initial_state()
        while not state.is_terminal():
            acts = state.legal_actions()
            decisions += not state.is_chance_node()
            state.apply_action(acts[int(rng.random() * len(acts))])
        return decisions

    return work


def reference(name: str) -> Work:
    """Games of the reference engine."""
    from big2_env import Game

    rules, rng = available_rulesets()[name], Random(SEED)

    def work() -> int:
        game = Game.deal(rules, int(rng.random() * 2**53))
        while not game.is_over:
            acts = list(game.legal_plays())
            game.push(acts[int(rng.random() * len(acts))])
        return len(game.history)

    return work


def dealt(name: str, *, masks: bool) -> BatchEngine:
    """A batch of games of the compiled engine."""
    batch = BatchEngine(available_rulesets()[name], GAMES, masks=masks)
    batch.reset(SEED)
    return batch


def compiled(name: str) -> Work:
    """Whole games of the compiled engine from the same deals, by other random acts each time; nothing but lists is made."""
    batch = dealt(name, masks=False)
    start = batch.games.copy()

    def work() -> int:
        start.rng += np.uint64(GAMES)
        batch._games[:] = start
        batch.rollouts()
        return int((batch.games.steps - start.steps).sum())

    return work


def written(name: str, *, masks: bool) -> Work:
    """Random play inside one call of the compiled engine, with the observation, and the mask, at every decision."""
    batch = dealt(name, masks=masks)

    def work() -> int:
        batch.play_random(STEPS)
        return STEPS * GAMES

    return work


def vector(name: str, **options: Any) -> Work:
    """The vector environment, an act of each list chosen by numpy outside; observations written at every decision."""
    import gymnasium

    envs: Any = gymnasium.make_vec(env_id(name), num_envs=GAMES, mode="self_play", copy=False, **options).unwrapped
    return step_by_numpy(envs, STEPS, SEED)


PEERS = [
    Contestant("rlcard doudizhu, step", "rlcard", lambda: rlcard("doudizhu")),
    Contestant("rlcard doudizhu, run", "rlcard", rlcard_run),
    Contestant("open_spiel dou_dizhu", "open_spiel", open_spiel),
]


def contestants(names: list[str]) -> dict[str, list[Contestant]]:
    """The loops of this package by the game they play."""
    kinds: dict[str, Callable[[str], Work]] = {
        "reference": reference,
        "compiled": compiled,
        "compiled, observation": lambda name: written(name, masks=False),
        "compiled, with arrays": lambda name: written(name, masks=True),
        "make_vec, lists": lambda name: vector(name, masks=False),
        "make_vec, masks": vector,
    }
    return {
        name: [
            Contestant(f"{name}, {kind}", "big2_env", lambda name=name, make=make: make(name)) for kind, make in kinds.items()
        ]
        for name in names
    }


def print_ratios(found: dict[str, list[Contestant]]) -> dict[str, dict[str, float]]:
    """Print each loop's decisions/s by those of each peer, the median over the rounds; the same as numbers."""
    table = Table(title="times the peer, decisions/s of the same round")
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


def main(
    games: Annotated[list[str] | None, typer.Argument(help="Rulesets; all for none.", show_default=False)] = None,
    seconds: Annotated[float, typer.Option(help="Seconds for each loop, all rounds together.", min=0.01)] = 5.0,
    rounds: Annotated[int, typer.Option(help="Rounds; the figure is their median.", min=1)] = 5,
    json: Annotated[Path | None, typer.Option(help="Write the figures to this file.")] = None,
) -> None:
    """Decisions per second of random play, one process and one thread."""
    found = contestants(rulesets_asked(games))
    everything: list[Any] = [*PEERS, *(one for several in found.values() for one in several)]
    measure(everything, seconds, rounds)
    print_table(everything, f"random legal play, median of {rounds} rounds", "decision")
    ratios = print_ratios(found)
    if json is not None:
        settings = {"seconds": seconds, "rounds": rounds, "seed": SEED}
        write_json(json, report(everything, "decisions per second", settings) | {"ratios": ratios})


if __name__ == "__main__":
    typer.run(main)
