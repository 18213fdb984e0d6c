"""Differential test of the compiled engine against the readable rules, for any ruleset that compiles.

Both engines play the same random games. The test compares:

* At every decision: legal actions (list with its order, and mask), turn, top player, category and power of the top play,
  passes, end of the game, reward, status and payoffs. It also compares all buffers and records of the float32 engine with
  the int8 engine.
* At the end of every game: the complete position, and the last observation of the seat that moved.
* At one in `every` decisions: the complete position in both directions, every seat's observation, and the legality of
  every number in and around the action space.
* The same from random positions: hands of any size, often with few ranks or one suit, after a top play of any pattern.
  Random games rarely have a strong top play before full hands.

    python -m big2_env.testing.differential --ruleset big2 --games 1000000 --jobs 2

Before a release, test every ruleset. `--resume` continues an interrupted run if the compiled sources are unchanged:

    python -m big2_env.testing.differential --ruleset all --games 20000 --out differential.jsonl --resume
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, NoReturn, TypeAlias

import numpy as np
import numpy.typing as npt
import typer

from big2_env.base.errors import ConfigError, NotationError
from big2_env.base.rng import SplitMix64
from big2_env.climbing.actions import action_space
from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.kernels.batch import ENDED, NO_RESET, RUNNING
from big2_env.kernels.compile import check_compiles
from big2_env.kernels.dialect.sources import source_hash
from big2_env.kernels.engine import BatchEngine
from big2_env.runs.executors import Local
from big2_env.runs.progress import counting
from big2_env.testing.random_positions import random_positions
from big2_env.testing.sums import sums_by_ruleset

__all__ = ["BothEngines", "Compared", "DisagreementError", "compare", "compare_positions", "random_positions", "replay"]

BATCH: Final = 250
"""Games played side by side."""
EVERY: Final = 128
"""Decisions between two full comparisons."""
KIND: Final = "big2 differential"
Array = npt.NDArray[Any]
COPIES = 512
"""Copies of a game in which actions are checked at the same time."""


class DisagreementError(AssertionError):
    """Difference between the engines. The message contains the difference and code that reproduces it."""


class Compared(NamedTuple):
    """Numbers of comparisons without a difference."""

    games: int = 0
    positions: int = 0
    """Positions from which games were continued."""
    decisions: int = 0
    in_full: int = 0
    """Decisions at which everything was compared."""

    def plus(self, other: Compared) -> Compared:
        """Return the sum of both."""
        return Compared(*(mine + more for mine, more in zip(self, other, strict=True)))


class BothEngines:
    """The same games in both engines.

    Args:
        ruleset: Ruleset of the games.
        starts: Seeds of deals, or positions. All games have the same number of players.
        num_players: Number of players; `None` for the ruleset's default.
    """

    def __init__(self, ruleset: RuleSet, starts: Iterable[int | Position], num_players: int | None = None) -> None:
        check_compiles(ruleset, num_players)
        self.ruleset = ruleset
        self.starts = list(starts)
        self.num_players = num_players
        self.space = action_space(ruleset)
        number = len(self.starts)

        def new(games: int, **options: Any) -> BatchEngine:
            return BatchEngine(ruleset, games, num_players=num_players, **options)

        self.bytes, self.floats = (new(number, dtype=dtype) for dtype in (np.int8, np.float32))
        self.one = new(1)
        self.asked = np.arange(-2, self.space.n + 2)
        self.copies = new(COPIES, masks="ids")
        seeds = [start if isinstance(start, int) else 0 for start in self.starts]
        for engine in (self.bytes, self.floats):
            engine.deal([seed % 2**64 for seed in seeds])
            for i, start in enumerate(self.starts):
                if isinstance(start, Position):
                    engine.set_position(i, start)
            engine.show()
        self.games = [
            Game.deal(ruleset, start, num_players) if isinstance(start, int) else Game.from_position(ruleset, start)
            for start in self.starts
        ]
        self.moves: list[list[int]] = [[] for _ in self.starts]
        self.rngs = [SplitMix64(~seed) for seed in seeds]

    def play(self, every: int) -> Compared:
        """Play every game to its end with random legal moves, and compare at each of them.

        Args:
            every: Decisions between two full comparisons.
        """
        decisions = in_full = 0
        live = [i for i, game in enumerate(self.games) if not game.is_over]  # the deal may make the only play that there is
        while live:
            self.look()
            chosen = {}
            for i in live:
                moves = self.check(i)
                decisions += 1
                if decisions % every == 0 or (not self.moves[i] and isinstance(self.starts[i], Position)):
                    self.check_in_full(i)
                    in_full += 1
                chosen[i] = moves[self.rngs[i].below(len(moves))]
            self.act(chosen)
            live = [i for i in live if not self.games[i].is_over]
        positions = sum(isinstance(start, Position) for start in self.starts)
        return Compared(len(self.games) - positions, positions, decisions, in_full)

    def check_all(self, i: int) -> dict[int, Play]:
        """Compare everything now, and return the legal plays of one game by id."""
        self.look()
        moves = dict(self.check(i))
        self.check_in_full(i)
        return moves

    def look(self) -> None:
        """Read the compiled engine's state of every game, and compare its arrays with each other."""
        engine, other = self.bytes, self.floats
        counts, lists = engine.legal_ids()
        lists = lists[:, : counts.max()]
        self.ids = [row[:count] for row, count in zip(lists.tolist(), counts.tolist(), strict=True)]
        games = engine.games
        fields = (games.turn, games.top_seat, games.top_category, games.top_power, games.passed, games.winner, engine.seat)
        self.said = list(zip(*(field.tolist() for field in fields), strict=True))
        mask = np.zeros_like(engine.mask)
        listed = np.arange(lists.shape[1]) < counts[:, None]
        mask[listed.nonzero()[0], lists[listed]] = 1
        self.agree("the mask (reference: its list)", mask, engine.mask)
        counts_anew, lists_anew = other.legal_ids(max(1, lists.shape[1]))
        self.agree("the number of actions listed again (reference: by the step)", counts, counts_anew)
        self.agree(
            "the actions listed again (reference: by the step)", lists * listed, lists_anew[:, : lists.shape[1]] * listed
        )
        self.agree("the game with float32 (reference: with int8)", _rows(games), _rows(other.games))
        for name in ("observation", "mask", "reward", "status", "payoffs", "seat", "actor"):
            self.agree(f"{name} with float32 (reference: with int8)", getattr(engine, name), getattr(other, name))

    def check(self, i: int) -> list[tuple[int, Play]]:
        """Compare the legal actions and the table of one game; return ids and plays as the reference lists them."""
        position, legal = self.games[i].position, self.games[i].legal_plays()
        ids = self.space.ids(legal)
        if ids != self.ids[i]:
            self.fail(i, "the legal actions", ids, self.ids[i])
        top, top_seat = position.top, position.top_seat
        winner, viewer = -1, position.turn
        if self.games[i].is_over:
            winner, viewer = position.finished[0], self.games[i].history[-1].seat
        table = (
            position.turn,
            -1 if top_seat is None else top_seat,
            -1 if top is None else top.category,
            -1 if top is None else top.power,
            position.passed,
            winner,
            viewer,
        )
        if table != self.said[i]:
            self.fail(i, "turn, top player, category, power, passed, winner, seat shown", table, self.said[i])
        return list(zip(ids, legal, strict=True))

    def check_in_full(self, i: int) -> None:
        """Compare everything about one game."""
        game, engine, one, copies = self.games[i], self.bytes, self.one, self.copies
        self.check_position(i)
        one.set_position(0, game.position)
        packed, record = one.games[0], engine.games[i]
        # Field by field: what lies between the fields of a record means nothing.
        if any(packed[name].tobytes() != record[name].tobytes() for name in packed.dtype.names if name not in engine.apart):
            self.fail(i, "the position packed into a game", packed, record)
        self.check_observation(i, "the observation of the seat shown", int(engine.seat[i]), engine.observation[i])
        for seat in range(game.num_players):
            one.show(np.array([seat]))
            self.check_observation(i, f"the observation of seat {seat}", seat, one.observation[0])
            mask = engine.mask[i] if seat == game.turn else np.zeros_like(engine.mask[i])
            self.agree(f"the mask of seat {seat}", mask[None], one.mask, i)
        copies.repeat(engine, i)
        legal = np.zeros(len(self.asked), np.bool_)
        legal[2:-2] = engine.mask[i]
        parts = [self.asked[start : start + COPIES] for start in range(0, len(self.asked), COPIES)]
        answers = np.concatenate([copies.are_legal(np.resize(part, COPIES))[: len(part)] for part in parts])
        self.agree("which numbers from -2 on are legal (reference: the mask)", legal[None], answers[None], i)

    def check_position(self, i: int) -> None:
        """Compare the complete position of one game, including hidden and played cards."""
        game, engine = self.games[i], self.bytes
        if engine.position(i) != game.position:
            self.fail(i, "the position", game.position, engine.position(i))
        if engine.games[i].steps != len(game.history):
            self.fail(i, "the number of moves", len(game.history), engine.games[i].steps)

    def check_observation(self, i: int, what: str, seat: int, observation: Array) -> None:
        """Compare a seat's observation in one game."""
        expected = self.bytes.layout.encode(self.games[i].view(seat))
        if not np.array_equal(expected, observation):
            self.fail(i, f"{what} (the entries that are 1)", expected.nonzero()[0], observation.nonzero()[0])

    def act(self, chosen: dict[int, tuple[int, Play]]) -> None:
        """Make moves in some games of both engines and compare the results. All other games must be unchanged."""
        actions = np.zeros(len(self.games), np.int64)
        status, reward, payoffs = (np.zeros_like(a) for a in (self.bytes.status, self.bytes.reward, self.bytes.payoffs))
        status[:] = RUNNING
        actor, ended = np.full_like(self.bytes.actor, -1), []
        for i, (action, play) in chosen.items():
            actions[i], seat = action, self.games[i].turn
            actor[i] = seat
            self.games[i].push(play)
            self.moves[i].append(action)
            if (outcome := self.games[i].outcome) is not None:
                status[i], payoffs[i], reward[i] = ENDED, outcome.payoffs, outcome.payoffs[seat]
                ended.append((i, seat))
        for engine in (self.bytes, self.floats):
            engine.step(actions, NO_RESET)
        for name, expected in (("status", status), ("reward", reward), ("payoffs", payoffs), ("actor", actor)):
            self.agree(name, expected, getattr(self.bytes, name))
        for i, seat in ended:
            self.check_position(i)
            for engine in (self.bytes, self.floats):
                self.check_observation(i, "the observation of the seat that ended the game", seat, engine.final_observation[i])

    def agree(self, what: str, reference: Array, compiled: Array, first: int = 0) -> None:
        """Compare arrays with one row per game. `first` is the game of the first row."""
        if not np.array_equal(reference, compiled):
            row = int((reference != compiled).reshape(len(reference), -1).any(axis=1).argmax())
            if np.ndim(reference[row]):
                where = (reference[row] != compiled[row]).nonzero()[0][:50]
                self.fail(first + row, f"{what} at {where}", reference[row][where], compiled[row][where])
            self.fail(first + row, what, reference[row], compiled[row])

    def fail(self, i: int, what: str, reference: object, compiled: object) -> NoReturn:
        """Raise the error about a difference in one game."""
        rules, start = self.ruleset, self.starts[i]
        known = available_rulesets().get(rules.name) == rules
        players = "" if self.num_players is None else f", {self.num_players}"
        code = [
            "from big2_env import *" if not known else "from big2_env import Play, Position, ruleset",
            "from big2_env.testing.differential import replay",
            f"replay({f'ruleset({rules.name!r})' if known else repr(rules)}, {start!r}, {self.moves[i]}{players})",
        ]
        raise DisagreementError(
            f"{rules.name}: {what}, after {len(self.moves[i])} moves\n  reference: {reference}\n  compiled:  {compiled}\n"
            "To reproduce it:\n" + "\n".join(code)
        )


def _rows(games: Array) -> Array:
    """Return the bytes of each game."""
    return np.frombuffer(games.tobytes(), np.uint8).reshape(len(games), -1)


DISAGREE, STOPPED = 1, 130
"""Exit statuses of a run that ended early."""


def compare(ruleset: RuleSet, games: int, *, seed: int = 0, every: int = EVERY, num_players: int | None = None) -> Compared:
    """Compare both engines in random games, and return the numbers of comparisons.

    Args:
        ruleset: Ruleset of the games.
        games: Number of games.
        seed: Seed of the first deal; the others are consecutive.
        every: Decisions between two full comparisons.
        num_players: Number of players; `None` for the ruleset's default.

    Raises:
        DisagreementError: At the first difference.
        ConfigError: If the ruleset does not compile or allow that number of players, or `every` is below 1.
    """
    return _compared(ruleset, range(seed, seed + games), every, num_players)


def compare_positions(
    ruleset: RuleSet, positions: int, *, seed: int = 0, every: int = EVERY, num_players: int | None = None
) -> Compared:
    """Compare both engines as `compare` does, but in games from random positions.

    Args:
        ruleset: Ruleset of the games.
        positions: Number of positions.
        seed: Seed of the positions.
        every: Decisions between two full comparisons.
        num_players: Number of players; `None` for the ruleset's default.
    """
    return _compared(ruleset, random_positions(ruleset, positions, seed, num_players), every, num_players)


def _compared(ruleset: RuleSet, starts: Iterable[int | Position], every: int, num_players: int | None) -> Compared:
    """Compare both engines in games from some starts."""
    if every < 1:
        raise ConfigError(f"expected every to be 1 or more decisions, got {every}")
    rest, done = iter(starts), Compared()
    while batch := list(islice(rest, BATCH)):
        done = done.plus(BothEngines(ruleset, batch, num_players).play(every))
    return done


def replay(ruleset: RuleSet, start: int | Position, actions: Sequence[int], num_players: int | None = None) -> Game:
    """Replay a game from a start, compare everything at each move, and return the game.

    Args:
        ruleset: Ruleset of the game.
        start: Seed of a deal, or a position.
        actions: Action ids.
        num_players: Number of players; `None` for the ruleset's default.

    Raises:
        DisagreementError: At the first difference.
        ConfigError: If the reference engine rejects an action.
    """
    both = BothEngines(ruleset, [start], num_players)
    for action in actions:
        moves = both.check_all(0)
        if action not in moves:
            raise ConfigError(f"after {len(both.moves[0])} moves: expected an action of {sorted(moves)}, got {action}")
        both.act({0: (action, moves[action])})
    both.check_all(0)
    return both.games[0]


Share: TypeAlias = tuple[str, int, int, int, int | None]
"""Work unit of a process: ruleset, first seed, games, `every`, number of players."""


def _do(share: Share) -> Compared:
    """Compare some games, and a fifth as many random positions."""
    name, seed, games, every, players = share
    rules = ruleset_named(name)
    positions = compare_positions(rules, max(1, games // 5), seed=seed, every=every, num_players=players)
    return compare(rules, games, seed=seed, every=every, num_players=players).plus(positions)


def _same_run(seed: int, every: int, players: int | None) -> dict[str, Any]:
    """Return the header of a results file: everything that its results depend on, including the compiled sources."""
    return {"kind": KIND, "seed": seed, "every": every, "players": players, "kernels": source_hash("big2_env.kernels.engine")}


def command(
    rulesets: Annotated[
        list[str] | None,
        typer.Option("--ruleset", help="Ruleset name, file (*.json, *.toml) or MODULE:NAME, or `all`; repeatable."),
    ] = None,
    games: Annotated[int, typer.Option(min=1, help="Random games per ruleset.")] = 20_000,
    seed: Annotated[int, typer.Option(help="Seed of the first deal; the others are consecutive.")] = 0,
    every: Annotated[int, typer.Option(min=1, help="Decisions between two full comparisons.")] = EVERY,
    players: Annotated[int | None, typer.Option(help="Number of players; by default the ruleset's own.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Number of processes.")] = 1,
    out: Annotated[Path | None, typer.Option(help=f"Results file, with one line per {BATCH} games.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the file of an earlier run.")] = False,
) -> None:
    """Compare the compiled engine with the reference engine, on random games and a fifth as many random positions.

    Ctrl-C stops it. Exit status: 0 if the engines agree, 1 if they differ (code that reproduces the first difference is
    printed), 2 for a ruleset that cannot be compared, 130 if stopped.
    """
    names, status = rulesets or ["big2"], 0
    names = list(available_rulesets()) if "all" in names else names
    try:
        for name in names:
            check_compiles(ruleset_named(name), players)  # refuses what cannot be compiled
        with sums_by_ruleset(out, _same_run(seed, every, players), Compared(), resume=resume) as (done, add):
            for name in names:
                starts = range(seed + done[name].games, seed + games, BATCH)
                shares = [(name, start, min(BATCH, seed + games - start), every, players) for start in starts]
                found = _compare_shares(shares, jobs, partial(add, name))
                print(summary(name, done[name], found), flush=True)
                status = max(status, found)
                if found == STOPPED:
                    break
    except (ConfigError, NotationError, OSError) as error:
        print(error, file=sys.stderr)
        raise typer.Exit(2) from None
    raise typer.Exit(status)


def _compare_shares(shares: Sequence[Share], jobs: int, keep: Callable[[Compared], None]) -> int:
    """Compare the engines on games of one ruleset, keep each share's result, and return the exit status."""
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
    """Return one line about the comparisons of a ruleset.

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
