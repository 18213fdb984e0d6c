"""Many fishing games on all cores: exact counts, figures, and the file that keeps them. Game k is that of the seed (seed + k).

The file is JSON lines, a header and then one line for each finished block of games, in order.

| line | keys |
| --- | --- |
| first | `schema` 1, `kind` "big2 fishing", `rules` (as `rules_data` gives them), `seed`, `max_plays`, `watch_cycles` |
| others | `first`, `games`; by losing seat `lost` `[plays, games, ...]`; `cycles` `[[game, period], ...]`; `undecided` games |

Blocks follow each other without gaps, so the file has the first games of the run, wherever they were played.
`big2_env.runs.resumable` describes how a killed run continues with its file.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from big2_env.errors import ConfigError, NotationError
from big2_env.games.fishing.plays import CYCLE, MAX_PLAYS, UNDECIDED
from big2_env.games.fishing.rules import LISTING, FishingRules, check_cycles_watched, rules_data, rules_of
from big2_env.json_values import shown
from big2_env.runs.executors import LOCAL, Executor
from big2_env.runs.intervals import Estimate, normal
from big2_env.runs.resumable import Take, opened, read_blocks, read_header

PERCENTAGES: Final = (1.0, 5.0, 25.0, 50.0, 75.0, 95.0, 99.0, 99.9)
"""The percentiles that a summary has."""


@dataclass(frozen=True)
class Block:
    """What a run of consecutive games showed."""

    first: int
    """The number of its first game; game k is the one of the seed (seed + k)."""
    games: int
    lost: tuple[dict[int, int], dict[int, int]]
    """By losing seat: how many games had so many plays."""
    cycles: tuple[tuple[int, int], ...] = ()
    """Games that never end: number, period."""
    undecided: tuple[int, ...] = ()
    """Numbers of the games that were given up."""

    @classmethod
    def of(cls, first: int, plays: NDArray[np.int64], ends: NDArray[np.int8]) -> Block:
        """The block of what `play_seeds` gives."""
        lost = []
        for seat in (0, 1):
            lengths, counts = np.unique(plays[ends == seat], return_counts=True)
            lost.append(dict(zip(lengths.tolist(), counts.tolist(), strict=True)))
        cyclic = np.flatnonzero(ends == CYCLE)
        cycles = zip((first + cyclic).tolist(), plays[cyclic].tolist(), strict=True)
        undecided = (first + np.flatnonzero(ends == UNDECIDED)).tolist()
        return cls(first, len(plays), (lost[0], lost[1]), tuple(cycles), tuple(undecided))


@dataclass
class Tally:
    """Counts over any number of games."""

    games: int = 0
    lost: tuple[Counter[int], Counter[int]] = field(default_factory=lambda: (Counter(), Counter()))
    """By losing seat: how many games had so many plays."""
    periods: Counter[int] = field(default_factory=Counter)
    """How many games were cycles of such a period."""
    undecided: int = 0

    @classmethod
    def of(cls, blocks: Iterable[Block]) -> Tally:
        """The tally of blocks."""
        tally = cls()
        for block in blocks:
            tally.add(block)
        return tally

    def add(self, block: Block) -> None:
        """Count the games of a block."""
        self.games += block.games
        for counter, counts in zip(self.lost, block.lost, strict=True):
            counter.update(counts)
        self.periods.update(period for _, period in block.cycles)
        self.undecided += len(block.undecided)

    def counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The lengths that games had, ascending, and how many had each; both int64, of one length. Only games that ended."""
        both = self.lost[0] + self.lost[1]
        lengths = np.array(sorted(both), np.int64)
        return lengths, np.array([both[length] for length in lengths.tolist()], np.int64)

    def summary(self) -> Summary:
        """The figures that people ask for."""
        return Summary.of(self)


@dataclass(frozen=True)
class Summary:
    """Figures of a tally. Lengths are plays; they are those of the games that ended."""

    games: int
    ended: int
    cycles: Mapping[int, int]
    """How many games were cycles, by period, the commonest first."""
    undecided: int
    least: int | None
    most: int | None
    mean: Estimate
    sd: float
    percentiles: Mapping[float, int]
    """The least length that so many percent of the games do not exceed."""
    first_loses: Estimate
    """Share of the games that ended in which seat 0 lost."""

    @classmethod
    def of(cls, tally: Tally) -> Summary:
        """The figures of a tally."""
        lengths, counts = tally.counts()
        ended = int(counts.sum())
        cycles = dict(sorted(tally.periods.items(), key=lambda pair: (-pair[1], pair[0])))
        nothing = Estimate(math.nan, math.nan, 0)
        if not ended:
            return cls(tally.games, 0, cycles, tally.undecided, None, None, nothing, math.nan, {}, nothing)
        # Whole numbers, summed exactly: the figures cannot depend on the order of the blocks.
        total = sum(length * count for length, count in zip(lengths.tolist(), counts.tolist(), strict=True))
        squares = sum(length * length * count for length, count in zip(lengths.tolist(), counts.tolist(), strict=True))
        variance = (squares - total * total / ended) / (ended - 1) if ended > 1 else math.nan
        share = tally.lost[0].total() / ended
        upto = np.cumsum(counts)
        return cls(
            games=tally.games,
            ended=ended,
            cycles=cycles,
            undecided=tally.undecided,
            least=int(lengths[0]),
            most=int(lengths[-1]),
            mean=normal(total / ended, math.sqrt(variance / ended), ended),
            sd=math.sqrt(variance),
            percentiles={q: int(lengths[np.searchsorted(upto, math.ceil(ended * q / 100 - 1e-9))]) for q in PERCENTAGES},
            first_loses=normal(share, math.sqrt(share * (1 - share) / ended), ended),
        )


SCHEMA: Final = 1
KIND: Final = "big2 fishing"
MAX_LINE: Final = 1 << 24
"""Most bytes that a line may have."""
MAX_GAMES: Final = 10**12
"""Most games of a run."""
MAX_LENGTH: Final = 1 << 53
"""Most plays that a game may have."""


@dataclass(frozen=True)
class Run:
    """What decides every game of a simulation: game k is dealt by the seed (seed + k)."""

    rules: FishingRules = LISTING
    seed: int = 0
    max_plays: int = MAX_PLAYS
    watch_cycles: bool = True

    def __post_init__(self) -> None:
        check_cycles_watched(self.rules, self.watch_cycles)
        if not 1 <= self.max_plays <= MAX_LENGTH:
            raise ConfigError(f"expected max_plays of 1 to {MAX_LENGTH:,}, got {self.max_plays}")


class ResultsFile:
    """An open results file. `create` and `resume` make one."""

    def __init__(self, write: Take, tally: Tally) -> None:
        self._write = write
        self.tally = tally
        """What the file's games showed."""

    @classmethod
    @contextmanager
    def create(cls, path: Path, run: Run, overwrite: bool = False) -> Iterator[ResultsFile]:
        """A new file, closed at the end of the block.

        Raises:
            ConfigError: the file is there already, and is not to be overwritten; or another process is writing it.
        """
        tally = Tally()
        with opened(path, _header(run), *_takes(run, tally), max_line=MAX_LINE, overwrite=overwrite) as write:
            yield cls(write, tally)

    @classmethod
    @contextmanager
    def resume(cls, path: Path, run: Run) -> Iterator[ResultsFile]:
        """The file of an earlier run, its half-written last line cut off; a new one if there is none.

        Raises:
            ConfigError: a file of another run, or one that another process is writing.
            NotationError: a line that is wrong, with its number.
        """
        tally = Tally()
        with opened(path, _header(run), *_takes(run, tally), max_line=MAX_LINE, resume=True) as write:
            yield cls(write, tally)

    def add(self, block: Block) -> None:
        """Write a block; once this returns, a kill cannot lose it.

        Raises:
            ConfigError: it is not the block that comes next.
        """
        if block.first != self.tally.games:
            raise ConfigError(f"expected the block from game {self.tally.games} on, got the one from game {block.first} on")
        self._write(_block_data(block))
        self.tally.add(block)


def _takes(run: Run, tally: Tally) -> tuple[Take, Take]:
    """What takes the lines of a file of this run: its header, and its blocks into a tally."""

    def same(data: dict[str, Any]) -> None:
        found = _run(data)
        for name in ("rules", "seed", "max_plays", "watch_cycles"):
            there, here = getattr(found, name), getattr(run, name)
            if there != here:
                raise ConfigError(f"made with {name} {there}, but this run has {here}")

    return same, lambda data: tally.add(_block(data, tally.games))


def load(path: Path) -> tuple[Run, Tally]:
    """The run of a results file, and what its games showed; a half-written last line does not count.

    Raises:
        NotationError: a line that is wrong, with its number.
        ConfigError: rules that cannot be.
    """
    run = read_header(path, _run, max_line=MAX_LINE)
    if run is None:
        raise NotationError(f"{path}: no results of {KIND}")
    tally = Tally()
    for _ in read_blocks(path, lambda data: tally.add(_block(data, tally.games)), max_line=MAX_LINE):
        pass
    return run, tally


def _header(run: Run) -> dict[str, Any]:
    data = {"schema": SCHEMA, "kind": KIND, "rules": rules_data(run.rules), "seed": run.seed}
    return data | {"max_plays": run.max_plays, "watch_cycles": run.watch_cycles}


def _block_data(block: Block) -> dict[str, Any]:
    lost = [[number for pair in sorted(counts.items()) for number in pair] for counts in block.lost]
    data = {"first": block.first, "games": block.games, "lost": lost}
    return data | {"cycles": block.cycles, "undecided": block.undecided}


def _run(data: dict[str, Any]) -> Run:
    if data.get("kind") != KIND or data.get("schema") != SCHEMA:
        raise NotationError(
            f"expected kind {KIND}, schema {SCHEMA}, got {shown(data.get('kind'))}, {shown(data.get('schema'))}"
        )
    watch_cycles = data.get("watch_cycles")
    if type(watch_cycles) is not bool:
        raise NotationError(f"watch_cycles: expected true or false, got {shown(watch_cycles)}")
    seed, max_plays = _whole(data.get("seed"), "seed", None), _whole(data.get("max_plays"), "max_plays")
    return Run(rules_of(data.get("rules")), seed, max_plays, watch_cycles)


def _whole(value: Any, name: str, least: int | None = 1, most: int = MAX_LENGTH) -> int:
    if type(value) is not int or (least is not None and not least <= value <= most):
        allowed = "a whole number" if least is None else f"a whole number from {least} to {most}"
        raise NotationError(f"{name}: expected {allowed}, got {shown(value)}")
    return value


def _block(data: dict[str, Any], games: int) -> Block:
    if data.get("first") != games:
        raise NotationError(f"expected first {games}, the number of games before, got {shown(data.get('first'))}")
    number = _whole(data.get("games"), "games", 1, MAX_GAMES)
    lost = data.get("lost")
    if not isinstance(lost, list) or len(lost) != 2:
        raise NotationError(f"lost: expected a list for each of two seats, got {shown(lost)}")
    counts = [_counts(seat) for seat in lost]
    cycles, undecided = data.get("cycles"), data.get("undecided")
    if not isinstance(cycles, list) or not all(isinstance(cycle, list) and len(cycle) == 2 for cycle in cycles):
        raise NotationError(f"cycles: expected a list of [game, period], got {shown(cycles)}")
    if not isinstance(undecided, list):
        raise NotationError(f"undecided: expected a list of games, got {shown(undecided)}")
    named = [*(cycle[0] for cycle in cycles), *undecided]
    for game in named:
        _whole(game, "game", games, games + number - 1)
    found = Block(
        games,
        number,
        (counts[0], counts[1]),
        tuple((game, _whole(period, "period")) for game, period in cycles),
        tuple(undecided),
    )
    total = sum(counts[0].values()) + sum(counts[1].values()) + len(named)
    if total != number or len(set(named)) != len(named):
        raise NotationError(f"{number} games: the line has {total}")
    return found


def _counts(flat: Any) -> dict[int, int]:
    if not isinstance(flat, list) or len(flat) % 2:
        raise NotationError(f"lost: expected [plays, games, plays, games, ...], got {shown(flat)}")
    for value in flat:
        _whole(value, "lost")
    lengths = flat[::2]
    if any(a >= b for a, b in pairwise(lengths)):
        raise NotationError("lost: expected ascending numbers of plays")
    return dict(zip(lengths, flat[1::2], strict=True))


BLOCK: Final = 20_000
"""Games of a block: a seventh of a second."""
LONG_BLOCK: Final = 1_000_000
"""The same at most, in long runs: a block is a line of the results file, of some 80 kB however many games it has."""
BLOCKS: Final = 500
"""How many blocks a run may have before they get longer."""
BLOCK_OF_ENDLESS: Final = 16
"""The same where most games do not end."""


def blocks(run: Run, games: int, *, first: int = 0, executor: Executor = LOCAL) -> AbstractContextManager[Iterator[Block]]:
    """The blocks of the games from number `first` up to `games`, in order, until the context ends.

    Raises:
        ConfigError: a number of games that is not allowed.
    """
    if not 0 <= games <= MAX_GAMES:
        raise ConfigError(f"expected 0 to {MAX_GAMES:,} games, got {games:,}")
    size = BLOCK_OF_ENDLESS if run.rules.j_on_empty else min(LONG_BLOCK, BLOCK * max(1, games // (BLOCK * BLOCKS)))
    return executor.map(partial(_played_block, run, games, size), range(first, games, size), releases_gil=True)


def _played_block(run: Run, games: int, size: int, start: int) -> Block:
    from big2_env.games.fishing.kernels.loops import play_seeds  # numba takes a second to import

    number = min(size, games - start)
    plays, ends = play_seeds(run.rules, run.seed + start, number, max_plays=run.max_plays, watch_cycles=run.watch_cycles)
    return Block.of(start, plays, ends)


def simulate(run: Run | None = None, games: int = 10_000, *, executor: Executor = LOCAL) -> Tally:
    """What so many games showed; nothing is written.

    >>> print(simulate(games=1000).summary().mean)
    1308 ± 82
    """
    with blocks(run or Run(), games, executor=executor) as found:
        return Tally.of(found)
