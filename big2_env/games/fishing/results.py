"""The results file of a simulation: JSON lines, a header and then one line for each finished block of games, in order.

| line | keys |
| --- | --- |
| first | `schema` 1, `kind` "big2 fishing", `rules` (as `rules_data` gives them), `seed`, `max_plays`, `watch_cycles` |
| others | `first`, `games`; by losing seat `lost` `[plays, games, ...]`; `cycles` `[[game, period], ...]`; `undecided` games |

Blocks follow each other without gaps, so the games of the file are the first so many of the run, whoever played them. How a
killed run goes on with its file is the matter of `big2_env.runs.resumable`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from big2_env.errors import ConfigError, NotationError
from big2_env.games.fishing.game import MAX_PLAYS
from big2_env.games.fishing.rules import LISTING, CaptureOrder, FishingRules, check_cycles_watched
from big2_env.games.fishing.tally import Block, Tally
from big2_env.json_values import shown, text_at
from big2_env.runs.resumable import Take, opened, read_blocks, read_header

SCHEMA: Final = 1
KIND: Final = "big2 fishing"
MAX_LINE: Final = 1 << 24
"""Most bytes that a line may have."""
MAX_GAMES: Final = 10**12
"""Most games of a run."""
MAX_LENGTH: Final = 1 << 53
"""Most plays that a game may have."""

FLAGS: Final = ("empty_first", "j_on_empty", "j_power", "again")


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


def rules_data(rules: FishingRules) -> dict[str, Any]:
    """Rules as JSON values: `deck` and `order` as texts, the rest as true and false.

    >>> rules_data(LISTING)["deck"]
    '54'
    """
    return {"deck": str(rules.deck), "order": rules.order.value} | {flag: getattr(rules, flag) for flag in FLAGS}


def rules_of(data: Any) -> FishingRules:
    """The rules of JSON values.

    Raises:
        NotationError: they are none.
        ConfigError: rules that cannot be.
    """
    if (
        not isinstance(data, dict)
        or set(data) != {"deck", "order", *FLAGS}
        or not all(type(data[flag]) is bool for flag in FLAGS)
    ):
        raise NotationError(f"rules: expected deck, order, and true or false for {', '.join(FLAGS)}, got {shown(data)}")
    order = text_at(data, "order", 20)
    if order not in list(CaptureOrder):
        raise NotationError(f"unknown order {shown(order)}; expected one of {', '.join(CaptureOrder)}")
    flags = {flag: data[flag] for flag in FLAGS}
    return FishingRules(order=CaptureOrder(order), **flags).with_deck(text_at(data, "deck", 100))


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
