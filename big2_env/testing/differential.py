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
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import islice
from typing import Annotated, Final, TypeAlias

import typer

from big2_env.climbing.game import Game
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.errors import ConfigError
from big2_env.kernels.compile import check_compiles
from big2_env.runs.executors import Local
from big2_env.runs.progress import counting
from big2_env.testing.both_engines import BothEngines, Compared, DisagreementError
from big2_env.testing.random_positions import random_positions

__all__ = ["BothEngines", "Compared", "DisagreementError", "compare", "compare_positions", "random_positions", "replay"]

BATCH: Final = 250
"""Games that are played side by side."""
EVERY: Final = 128
"""Decisions from one full comparison to the next."""


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


def command(
    ruleset: Annotated[str, typer.Option(help="A ruleset: its name, a file (*.json, *.toml) or MODULE:NAME.")] = "big2",
    games: Annotated[int, typer.Option(min=1, help="How many random games.")] = 20_000,
    seed: Annotated[int, typer.Option(help="The first deal's seed; the others follow.")] = 0,
    every: Annotated[int, typer.Option(min=1, help="Decisions from one full comparison to the next.")] = EVERY,
    players: Annotated[int | None, typer.Option(help="How many play; by default the ruleset's own number.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="How many processes.")] = 1,
) -> None:
    """Compare the compiled engine with the reference engine, on random games and a fifth as many random positions.

    Ctrl-C stops it. Exit status: 0 when the engines agree, 1 when they do not (code that shows the first difference is
    printed), 2 for a ruleset that cannot be compared, 130 when it was stopped.
    """
    status, done = 0, Compared()
    try:
        check_compiles(ruleset_named(ruleset), players)  # refuses what cannot be compiled
        starts = range(seed, seed + games, BATCH)
        shares = [(ruleset, start, min(BATCH, seed + games - start), every, players) for start in starts]
        with counting(f"games of {ruleset}", games) as advance, Local(jobs).map(_do, shares) as results:
            for share, compared in zip(shares, results, strict=True):
                done = done.plus(compared)
                advance(share[2])
    except KeyboardInterrupt:
        status = 130
    except ConfigError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(2) from None
    except DisagreementError as found:
        print(found)
        status = 1
    what = {0: "the engines agree", 1: "before the engines disagreed", 130: "stopped; until then the engines agree"}[status]
    print(
        f"{done.games:,} games, {done.positions:,} positions, {done.decisions:,} decisions, "
        f"{done.in_full:,} of them in full: {what}"
    )
    raise typer.Exit(status)


if __name__ == "__main__":
    typer.run(command)
