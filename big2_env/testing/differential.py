"""Does the compiled engine play as the reference engine does? Ask of any ruleset that compiles, yours too.

Both engines play the same random games. Compared are

* at every decision of every game: the legal acts (the list of ids, the mask), whose turn it is, the top player, category and
  power of the top play, who has passed, whether the game is over, reward, status and payoffs; and the float32 engine with the
  int8 one in every buffer and game record;
* at the end of every game: the whole position (so the deal and every card played), and what the last seat to act sees;
* at one of `every` decisions: the whole position both ways, what each seat sees, and for every number around and in the action
  space whether it is legal;
* all of that also from random positions on, at which everything is compared first: hands of any size, many of few ranks or of
  one suit, after a top play of any pattern. Random games seldom bring a strong top play before full hands.

    python -m big2_env.testing.differential --ruleset big2 --games 1000000 --jobs 2

Before a release, every ruleset; a run that was stopped goes on with `--resume`, as long as the compiled sources are the same:

    python -m big2_env.testing.differential --ruleset all --games 20000 --out differential.jsonl --resume
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import typer

from big2_env.climbing.game import Game
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.errors import ConfigError, NotationError
from big2_env.kernels.compile import check_compiles
from big2_env.kernels.sources import MARK
from big2_env.runs.executors import Local
from big2_env.runs.progress import counting
from big2_env.runs.resumable import Take, opened
from big2_env.testing.both_engines import BothEngines, Compared, DisagreementError
from big2_env.testing.random_positions import random_positions

__all__ = ["BothEngines", "Compared", "DisagreementError", "compare", "compare_positions", "random_positions", "replay"]

BATCH: Final = 250
"""Games that are played side by side."""
EVERY: Final = 128
"""Decisions from one full comparison to the next."""
KIND: Final = "big2 differential"
MAX_LINE: Final = 1 << 12
"""Most bytes of a line of a results file."""
DISAGREE, STOPPED = 1, 130
"""Exit statuses of a run that did not come to its end."""


def compare(ruleset: RuleSet, games: int, *, seed: int = 0, every: int = EVERY, num_players: int | None = None) -> Compared:
    """How much was compared in `games` random games, dealt by the seeds from `seed` on.

    Raises:
        DisagreementError: the first difference.
        ConfigError: the ruleset cannot be compiled.
    """
    done = Compared()
    for start in range(seed, seed + games, BATCH):
        done = done.plus(BothEngines(ruleset, range(start, min(start + BATCH, seed + games)), num_players).play(every))
    return done


def compare_positions(
    ruleset: RuleSet, positions: int, *, seed: int = 0, every: int = EVERY, num_players: int | None = None
) -> Compared:
    """`compare` from random positions on, in each of which everything is compared."""
    done = Compared()
    starts = random_positions(ruleset, positions, seed, num_players)
    while batch := list(islice(starts, BATCH)):
        done = done.plus(BothEngines(ruleset, batch, num_players).play(every))
    return done


def replay(ruleset: RuleSet, start: int | Position, actions: Sequence[int], num_players: int | None = None) -> Game:
    """The game from a deal's seed or a position on, after acts given as ids; everything is compared at each of them.

    Raises:
        DisagreementError: the first difference.
        ConfigError: an act that the reference engine refuses.
    """
    both = BothEngines(ruleset, [start], num_players)
    for action in actions:
        acts = both.check_all(0)
        if action not in acts:
            raise ConfigError(f"after {len(both.acts[0])} acts: expected an action of {sorted(acts)}, got {action}")
        both.act({0: (action, acts[action])})
    both.check_all(0)
    return both.games[0]


Share: TypeAlias = tuple[str, int, int, int, int | None]
"""What one process does at a time: ruleset, first seed, games, `every`, number of players."""


def _do(share: Share) -> Compared:
    """Some games, and a fifth as many random positions."""
    name, seed, games, every, players = share
    rules = ruleset_named(name)
    positions = compare_positions(rules, max(1, games // 5), seed=seed, every=every, num_players=players)
    return compare(rules, games, seed=seed, every=every, num_players=players).plus(positions)


def _same_run(seed: int, every: int, players: int | None) -> dict[str, Any]:
    """The header of a results file: what its games and comparisons depend on, the compiled sources included."""
    return {"kind": KIND, "seed": seed, "every": every, "players": players, "kernels": MARK}


def _compared(data: dict[str, Any]) -> tuple[str, Compared]:
    """The ruleset of a line of a results file, and what was compared.

    Raises:
        NotationError: it is no such line.
    """
    name, given = data.get("ruleset"), [data.get(field) for field in Compared._fields]
    numbers = [number for number in given if isinstance(number, int) and number >= 0]
    if not isinstance(name, str) or len(numbers) < len(given):
        raise NotationError("no line of a comparison of the engines")
    return name, Compared(*numbers)


@contextmanager
def _results(out: Path | None, first: dict[str, Any], resume: bool) -> Iterator[tuple[dict[str, Compared], Take]]:
    """What a results file holds by ruleset, and what writes a line to it; nothing is written without a file."""
    done: dict[str, Compared] = {}

    def same(data: dict[str, Any]) -> None:
        if data.get("kind") != KIND:
            raise NotationError("no comparison of the engines")
        if wrong := [name for name, value in first.items() if data.get(name) != value]:
            raise ConfigError(f"made with {wrong[0]} {data.get(wrong[0])!r}: expected {first[wrong[0]]!r}")

    def take(data: dict[str, Any]) -> None:
        name, compared = _compared(data)
        done[name] = done.get(name, Compared()).plus(compared)

    if out is None:
        yield done, lambda data: None
    else:
        with opened(out, first, same, take, max_line=MAX_LINE, resume=resume) as write:
            yield done, write


def command(
    rulesets: Annotated[
        list[str] | None,
        typer.Option(
            "--ruleset", help="A ruleset: its name, a file (*.json, *.toml) or MODULE:NAME. May be repeated; `all`: every one."
        ),
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="How many random games of each ruleset.")] = 20_000,
    seed: Annotated[int, typer.Option(help="The first deal's seed; the others follow.")] = 0,
    every: Annotated[int, typer.Option(min=1, help="Decisions from one full comparison to the next.")] = EVERY,
    players: Annotated[int | None, typer.Option(help="How many play; by default the ruleset's own number.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="How many processes.")] = 1,
    out: Annotated[Path | None, typer.Option(help=f"Write a line there for every {BATCH} games.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the file of an earlier run.")] = False,
) -> None:
    """Compare the compiled engine with the reference engine, on random games and a fifth as many random positions.

    Ctrl-C stops it. Exit status: 0 when the engines agree, 1 when they do not (code that shows the first difference is
    printed), 2 for a ruleset that cannot be compared, 130 when it was stopped.
    """
    names, status = rulesets or ["big2"], 0
    names = list(available_rulesets()) if "all" in names else names
    try:
        if resume and out is None:
            raise ConfigError("--resume needs --out, the file of an earlier run")
        for name in names:
            check_compiles(ruleset_named(name), players)  # refuses what cannot be compiled
        with _results(out, _same_run(seed, every, players), resume) as (done, write):
            for name in names:
                starts = range(seed + done.setdefault(name, Compared()).games, seed + games, BATCH)
                shares = [(name, start, min(BATCH, seed + games - start), every, players) for start in starts]

                def keep(compared: Compared, name: str = name) -> None:
                    write({"ruleset": name, **compared._asdict()})
                    done[name] = done[name].plus(compared)

                found = _compare_shares(shares, jobs, keep)
                print(summary(name, done[name], found), flush=True)
                status = max(status, found)
                if found == STOPPED:
                    break
    except (ConfigError, NotationError, OSError) as error:
        print(error, file=sys.stderr)
        raise typer.Exit(2) from None
    raise typer.Exit(status)


def _compare_shares(shares: Sequence[Share], jobs: int, keep: Callable[[Compared], None]) -> int:
    """Compare the engines on some games of one ruleset; each share's result is kept. Returns the exit status."""
    try:
        with counting("games", sum(share[2] for share in shares)) as advance, Local(jobs).map(_do, shares) as results:
            for share, compared in zip(shares, results, strict=True):
                keep(compared)
                advance(share[2])
    except KeyboardInterrupt:
        return STOPPED
    except DisagreementError as found:
        print(found)
        return DISAGREE
    return 0


def summary(name: str, done: Compared, status: int = 0) -> str:
    """What was compared of a ruleset, in a line.

    >>> summary("big2", Compared(250, 50, 23000, 240))
    'big2: 250 games, 50 positions, 23,000 decisions, 240 of them in full: the engines agree'
    """
    what = {0: "the engines agree", DISAGREE: "before the engines disagreed", STOPPED: "stopped; until then the engines agree"}
    numbers = (
        f"{done.games:,} games, {done.positions:,} positions, {done.decisions:,} decisions, {done.in_full:,} of them in full"
    )
    return f"{name}: {numbers}: {what[status]}"


if __name__ == "__main__":
    typer.run(command)
