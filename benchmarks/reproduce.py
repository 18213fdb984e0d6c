"""Measure every number of the README again, next to the published one.

    python benchmarks/reproduce.py

Each result is printed with its interval, and the exit status is 1 if an interval does not overlap the published one. The
package may be installed in any way, also from a wheel. Intervals are 95%: over deals for strength, over seeds for training.
Speed is a ratio with its range over rounds.

Needs the extra `sb3`, and `rlcard`, `gitpython` and `open-spiel` for the numbers with peers, which are left out without
them. Takes up to 20 minutes on two cores; `--seconds` is the time for each of both loops whose speed is compared.
"""

from __future__ import annotations

import json as json_module
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Annotated, Any, Final, NamedTuple

import doudizhu
import engine
import torch
import typer
from measured_rows import ROOT, JsonOption, Recorder, RecordOption, Row, around, relative, rounds_of
from rich.table import Table
from sb3_contrib import MaskablePPO
from side_by_side import measure, report, wide_console

from big2_agents.evaluation import evaluate
from big2_env.envs.sb3 import LegalPolicy, SeatVecEnv
from big2_env.runs.executors import Local
from big2_env.runs.intervals import Estimate, student
from big2_env.runs.origin import machine, versions

QUOTE: Final = re.compile(r"\]\(([^)#\s]+\.json)#([\w-]+)\)")
"""Link from a number of a page to its row."""


class Settings(NamedTuple):
    """Size of the measurements."""

    deals: int = 1000
    """Deals per number of strength."""
    decisions: int = 786_432
    """Decisions of training."""
    seconds: float = 20.0
    """Seconds per loop of which the speed is measured."""
    jobs: int = 2
    """Processes."""


def slug(name: str) -> str:
    """Return the name of a row as links give it."""
    return re.sub(r"[^\w -]", "", name.lower()).replace(" ", "-")


def published() -> dict[str, dict[str, Any]]:
    """Return the rows that the README quotes, by the name that links give; rows that are not recorded yet are missing."""
    quotes = QUOTE.findall((ROOT / "README.md").read_text("utf-8"))
    found: dict[str, dict[str, Any]] = {}
    for path in {ROOT / file for file, _ in quotes if (ROOT / file).exists()}:
        data = json_module.loads(path.read_text("utf-8"))
        found |= {slug(row["name"]): row for row in (data["results"] if isinstance(data, dict) else data)}
    return {name: found[name] for _, name in quotes if name in found}


def share(name: str, wins: Estimate) -> Row:
    """Return the row of a share of games won."""
    return Row(name, 100 * wins.mean, "%", around(100 * wins.mean, 100 * wins.half_width))


def learned(settings: Settings) -> Row:
    """Measure the trained agent of `big2` against three heuristic agents."""
    return share("wins, one against three heuristic", evaluate("learned", "heuristic", settings.deals, seed=7_000_000).wins)


def landlord(settings: Settings) -> Row:
    """Measure the trained agent of 斗地主 against RLCard's rule-based agent."""
    found = doudizhu.measure("learned", "rlcard", settings.deals, 4_000_000, settings.jobs)
    return next(row for row in doudizhu.rows({"results": [found]}) if row.name == "wins of learned against rlcard, both sides")


def speed(settings: Settings) -> Row:
    """Measure the speed of `make_vec` relative to OpenSpiel."""
    own, peer = "make_vec, copy=True", "open_spiel dou_dizhu"
    loops = [one for one in (*engine.ENGINE, *engine.TURN_BY_TURN) if one.name in (own, peer)]
    measure(loops, settings.seconds, 9)
    if missing := [one.missing for one in loops if one.missing]:
        raise ImportError(*missing)
    [row] = relative(rounds_of(report(loops, "decisions per second", {})), [own], peer)
    return row


def trained_wins(decisions: int, deals: int, seed: int) -> float:
    """Train MaskablePPO with one seed against greedy agents, and return its share of games won against them."""
    torch.set_num_threads(1)
    model = MaskablePPO(
        LegalPolicy,
        SeatVecEnv(256, "greedy"),
        n_steps=64,
        batch_size=2048,
        n_epochs=3,
        gamma=1.0,
        ent_coef=0.01,
        learning_rate=lambda left: 1e-3 * left,
        policy_kwargs={"net_arch": [256, 256]},
        seed=seed,
    )
    return evaluate(model.learn(decisions), "greedy", deals).wins.mean


def training(settings: Settings) -> Row:
    """Measure MaskablePPO on `SeatVecEnv` over five seeds."""
    decisions, deals = settings.decisions, settings.deals
    with Local(settings.jobs).map(partial(trained_wins, decisions, deals), range(1, 6)) as results:
        wins = student(list(results))
    return share(f"wins against three greedy after {decisions} decisions of MaskablePPO, five seeds", wins)


MEASURES: Final[dict[str, Callable[[Settings], Row]]] = {
    "speed-of-make_vec-copytrue-relative-to-open_spiel-dou_dizhu-range-of-rounds": speed,
    "wins-one-against-three-heuristic": learned,
    "wins-of-learned-against-rlcard-both-sides": landlord,
    f"wins-against-three-greedy-after-{Settings().decisions}-decisions-of-maskableppo-five-seeds": training,
}
"""Function that measures a number of the README, by the name of its row."""


def overlap(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Return whether two intervals have a number in common."""
    return max(one[0], other[0]) <= min(one[1], other[1])


def rows(report: dict[str, Any]) -> Iterator[Row]:
    """Yield the results."""
    for one in report["results"]:
        yield Row(one["name"], one["value"], one["unit"], tuple(one["interval"]))


def main(
    only: Annotated[list[str] | None, typer.Argument(help="speed, learned, landlord, training; all by default.")] = None,
    deals: Annotated[int, typer.Option(help="Deals per number of strength.", min=10)] = Settings().deals,
    decisions: Annotated[int, typer.Option(help="Decisions of training, per seed.", min=1)] = Settings().decisions,
    seconds: Annotated[float, typer.Option(help="Seconds per loop whose speed is measured.", min=0.01)] = Settings().seconds,
    jobs: Annotated[int, typer.Option(help="Number of processes; 0 for one per core.", min=0)] = Settings().jobs,
    json: JsonOption = None,
    record: RecordOption = False,
) -> None:
    """Measure the numbers of the README, and compare them with the published ones."""
    recorder, quoted, settings = Recorder("reproduce"), published(), Settings(deals, decisions, seconds, jobs)
    table, results, differs = Table("number", "published", "here", ""), [], False
    for name, measured in MEASURES.items():
        if only and measured.__name__ not in only:
            continue
        was = quoted.get(name)
        try:
            row = measured(settings)
        except ImportError as error:
            table.add_row(name, interval_text(was), "", f"left out: {error}")
            continue
        results.append(row._asdict())
        verdict = ""
        if was is not None and slug(row.name) == name:  # with other settings it has another name
            is_equal = overlap(results[-1]["interval"], was["interval"])
            differs |= not is_equal
            verdict = "as published" if is_equal else "DIFFERS"
        table.add_row(row.name, interval_text(was), interval_text(results[-1]), verdict)
    wide_console().print(table)
    origin = {"machine": machine(), "versions": versions({"big2_env", "numba", "torch"})}
    recorder.save({"results": results} | origin, rows, json, record)
    if differs:
        raise typer.Exit(1)


def interval_text(row: Mapping[str, Any] | None) -> str:
    """Return the value of a row with the ends of its interval; "" for no row."""
    if row is None:
        return ""
    low, high = row["interval"]
    return f"{row['value']:.1f} ({low:.1f} to {high:.1f})"


if __name__ == "__main__":
    typer.run(main)
