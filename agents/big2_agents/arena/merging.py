"""Results files of several machines, put together to the file that one run would have written, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import Final, NamedTuple

from big2_agents.arena.results import check_same, load
from big2_agents.arena.schedule import Unit
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError
from big2_env.runs.replacing import check_place, replacing

NAMED: Final = 8
"""Most stretches of missing deals that a message names."""


class _Line(NamedTuple):
    """Where a unit's line is."""

    unit: Unit
    file: int
    start: int


def merge(
    paths: Sequence[Path],
    out: Path,
    *,
    deals: int | None = None,
    overwrite: bool = False,
    rulesets: Mapping[str, RuleSet] | None = None,
) -> None:
    """Write the results of several files, all of the same run, to one.

    Args:
        paths: the files; each has some of the deals.
        out: the file to write.
        deals: how many deals the run has; by default as many as the last one in the files says.
        overwrite: whether a file that is there is thrown away.
        rulesets: rules by name that are tried before the available ones.

    Raises:
        ConfigError: files of different runs, a deal in two files or in none; the message names it. Nothing is written.
        NotationError: a line that is wrong, with its number.
    """
    if not paths:
        raise ConfigError("expected at least one file to merge, got none")
    if out.exists() and not overwrite:
        raise ConfigError(f"{out} already exists: give --overwrite or another --out")
    check_place(out)
    if any(out.exists() and out.samefile(path) for path in paths):
        raise ConfigError(f"expected an --out that is not one of the files to merge, got {out}")
    first, _ = load(paths[0], rulesets)
    lines: list[_Line] = []
    for number, path in enumerate(paths):
        config, _ = load(path, rulesets)
        check_same(config, first, str(path))
        lines += _lines(path, number, rulesets)
    lines.sort()
    _check_once(lines, paths)
    _check_whole(lines, deals, len(first.contests()))
    streams = [path.open("rb") for path in paths]
    try:
        with replacing(out) as new, new.open("wb") as file:
            file.write(streams[0].readline())
            for line in lines:
                streams[line.file].seek(line.start)
                file.write(streams[line.file].readline())
    finally:
        for stream in streams:
            stream.close()


def _lines(path: Path, number: int, rulesets: Mapping[str, RuleSet] | None) -> Iterator[_Line]:
    """The lines of a file; each is read as results, so that nothing else gets into the merged file."""
    _, results = load(path, rulesets)
    with path.open("rb") as stream:
        start = len(stream.readline())
        for result in results:
            yield _Line(result.unit, number, start)
            start += len(stream.readline())


def _check_once(lines: Sequence[_Line], paths: Sequence[Path]) -> None:
    for one, other in pairwise(lines):
        if one.unit == other.unit:
            texts = [_text(paths[line.file], line.start) for line in (one, other)]
            how = "with the same results" if texts[0] == texts[1] else "with other results"
            twice = f"{paths[one.file]} and, {how}, in {paths[other.file]}"
            raise ConfigError(f"expected every deal in one file, got deal {one.unit.deal} in {twice}")


def _text(path: Path, start: int) -> bytes:
    with path.open("rb") as stream:
        stream.seek(start)
        return stream.readline()


def _check_whole(lines: Sequence[_Line], deals: int | None, contests: int) -> None:
    """Refuse holes: deals that lack a contest, or all."""
    last = lines[-1].unit.deal if lines else -1
    wanted = last + 1 if deals is None else deals
    if last >= wanted:
        raise ConfigError(f"expected {wanted} deals, got deal {last} as well")
    counts = {deal: len(list(group)) for deal, group in groupby(line.unit.deal for line in lines)}
    missing = [deal for deal in range(wanted) if counts.get(deal, 0) < contests]
    if missing:
        raise ConfigError(f"expected all of {wanted} deals, but {len(missing)} are missing: {stretches(missing)}")


def stretches(numbers: Iterable[int]) -> str:
    """Ascending numbers as text, those that follow each other as one stretch.

    >>> stretches([0, 3, 4, 5, 9, 10])
    '0, 3 to 5, 9, 10'
    """
    found: list[list[int]] = []
    for number in numbers:
        if found and found[-1][-1] == number - 1:
            found[-1].append(number)
        else:
            found.append([number])
    texts = [f"{each[0]} to {each[-1]}" if len(each) > 2 else ", ".join(map(str, each)) for each in found]
    return ", ".join(texts[:NAMED]) + (f" and {len(texts) - NAMED} more stretches" if len(texts) > NAMED else "")
