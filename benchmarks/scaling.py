"""Scaling of long runs: games per second with 1 and 2 processes and with 1 and 2 Ray workers, and the cost of a batch.

    python benchmarks/scaling.py --deals 40000 --record

The workload is an arena between two agents. It is timed once all workers have loaded compiled code; their start is timed
separately. Then batches of one empty item are sent, which cost only their way there and back.

| table | content |
| --- | --- |
| workers | games and decisions per second, ratio to one worker, seconds until the first result |
| a batch | wall-clock and CPU milliseconds of the driver for one empty batch |
| a model | share of the cores that a cluster of 1 to 1,000 cores would use, from the cost of a batch alone; not measured |

The model leaves out the network, the start of workers, and the wait for the slowest batch. Needs the extra `ray` and two
free cores; takes a few minutes.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import islice
from typing import Annotated, Any

import typer
from measured_rows import JsonOption, Recorder, RecordOption, Row
from rich.table import Table
from side_by_side import wide_console

from big2_agents.evaluation.arena.results import Config
from big2_agents.evaluation.arena.schedule import units
from big2_agents.evaluation.arena.units import played
from big2_env.agents.interface import make_agent, play_turn, reset_seats
from big2_env.climbing.game import Game
from big2_env.runs import cluster, executors
from big2_env.runs.batches import Task, in_order
from big2_env.runs.executors import Executor, Local, Ray
from big2_env.runs.origin import machine

WARM = 1000
"""Results that are not timed; meanwhile each worker loads compiled code, after two seconds of interpreted games."""
CORES = (1, 2, 10, 100, 1000)
BATCHES = 400
"""Number of empty batches."""


class SmallProcesses(executors.Processes):
    """Processes that receive items one by one."""

    batch_seconds = 0.0


class SmallActors(cluster.Actors):
    """Actors that receive items one by one."""

    batch_seconds = 0.0


def choices_of_a_game(config: Config) -> float:
    """Return the mean number of moves per game with a choice, over twenty deals of the first contest."""
    number, contest, deals = 0, config.contests()[0], 20
    for seed in range(deals):
        game = Game.deal(config.rules(), seed)
        agents = [make_agent(config.agents[chair]) for chair in contest.chairs]
        reset_seats(agents, game)
        while game.outcome is None:
            number += len(list(islice(game.legal_plays(), 2))) > 1
            play_turn(game, agents)
    return number / deals


def rate(config: Config, deals: int, executor: Executor) -> dict[str, float]:
    """Return games per second after the workers' start, and seconds until the first result."""
    wanted, start = list(units(deals, config.contests())), time.perf_counter()
    with played(config, iter(wanted), executor) as results:
        next(results)
        first = time.perf_counter()
        list(islice(results, WARM))
        warm = time.perf_counter()
        games = sum(len(result.games) for result in results)
        return {"games": games / (time.perf_counter() - warm), "start": first - start}


def cost(workers: Any) -> dict[str, float]:
    """Return wall-clock seconds and CPU seconds of this process for a batch of one empty item."""
    with closing(workers):
        results = in_order(workers, range(BATCHES + 20))
        list(islice(results, 20))
        start, used = time.perf_counter(), time.process_time()
        number = sum(1 for _ in results)
        return {"wall": (time.perf_counter() - start) / number, "driver": (time.process_time() - used) / number}


def size_of(config: Config) -> dict[str, float]:
    """Return the bytes of a unit on its way to a worker and back."""
    wanted = list(units(50, config.contests()))
    with played(config, iter(wanted), Local(1)) as results:
        there, back = pickle.dumps((0, wanted)), pickle.dumps(list(results))
    return {"there": len(there) / len(wanted), "back": len(back) / len(wanted)}


def batch_seconds(cores: int, on_ray: bool) -> float:
    """Return the seconds of a batch by the number of workers."""
    return cluster.BATCH_SECONDS * max(1.0, cores / cluster.WORKERS_A_SECOND) if on_ray else executors.BATCH_SECONDS


def model(driver: float, wall: float, cores: int, on_ray: bool) -> dict[str, float]:
    """Return the share of its cores that a cluster would use, and the cores that the driver would need."""
    seconds = batch_seconds(cores, on_ray)
    load = cores * driver / seconds
    return {"cores": cores, "batch": seconds, "driver": load, "used": min(1.0, 1 / load) / (1 + wall / seconds)}


@contextmanager
def ray_of(number: int) -> Iterator[Any]:
    """Start a Ray with a number of cores on this machine."""
    with Ray(jobs=number).running():
        yield Ray(jobs=number)


def rows(report: dict[str, Any]) -> Iterator[Row]:
    """Yield the speed with two workers relative to one, the speed of Ray, and the driver's cost of a batch."""
    games = {name: one["games"] for name, one in report["rows"].items()}
    for own, other in (("2 here", "1 here"), ("2 on Ray", "1 on Ray"), ("2 on Ray", "2 here")):
        yield Row(f"speed of workers, {own} relative to {other}", games[own] / games[other], "ratio")
    for name, value in games.items():
        yield Row(f"rate of workers, {name}", value, "games per second")
    for name, one in report["batches"].items():
        yield Row(f"CPU time of the driver per batch {name}", 1000 * one["driver"], "ms")


def main(
    agents: Annotated[list[str] | None, typer.Argument(help="Two agents; heuristic and greedy by default.")] = None,
    deals: Annotated[int, typer.Option(min=WARM, help="Deals per row, each in all seats and both contests.")] = 400,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Measure executors."""
    recorder = Recorder("scaling")
    config = Config(tuple(agents or ("heuristic", "greedy")), "big2", "cards", 0, "pairs")
    choices, found, costs = choices_of_a_game(config), {}, {}
    for number in (1, 2):
        found[f"{number} here"] = rate(config, deals, Local(number, limit=3600.0))  # a process of its own, also for one
    costs["here"] = cost(SmallProcesses(Task(abs), 1))
    for number in (1, 2):
        with ray_of(number) as executor:
            found[f"{number} on Ray"] = rate(config, deals, executor)
            if number == 1:
                costs["on Ray"] = cost(SmallActors(Task(abs), 1))
    console, table = wide_console(), Table(title=f"{config.agents[0]} and {config.agents[1]}, {deals} deals")
    for column in ("workers", "games/s", "decisions/s", "relative to one worker", "until the first result, s"):
        table.add_column(column, justify="right")
    for name, row in found.items():
        one = found[name.replace("2", "1")]["games"]
        figures = (f"{row['games']:.0f}", f"{row['games'] * choices:,.0f}", f"{row['games'] / one:.2f}", f"{row['start']:.1f}")
        table.add_row(name, *figures)
    console.print(table)
    sizes = size_of(config)
    print(f"a deal of a contest (4 games) takes {sizes['there']:.0f} bytes there and {sizes['back']:.0f} back")
    for name, one in costs.items():
        print(f"a batch {name} takes {one['wall'] * 1e3:.2f} ms, and {one['driver'] * 1e3:.2f} ms of the driver's CPU time")
    modelled = {
        name: [model(one["driver"], one["wall"], cores, name != "here") for cores in CORES] for name, one in costs.items()
    }
    guess = Table(title="a model from the cost of a batch alone")
    for column in ("cores", "seconds per batch", "cores for the driver", "share of the cores used"):
        guess.add_column(column, justify="right")
    for row in modelled["on Ray"]:
        guess.add_row(f"{row['cores']:,}", f"{row['batch']:.2f}", f"{row['driver']:.3f}", f"{row['used']:.1%}")
    console.print(guess)
    results = {"rows": found, "batches": costs, "bytes": sizes, "choices a game": choices, "model": modelled}
    recorder.save({"agents": config.agents, "deals": deals, "machine": machine(), **results}, rows, json, record)


if __name__ == "__main__":
    typer.run(main)
