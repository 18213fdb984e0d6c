"""Results files of a kind of run: written, continued, read and merged."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from big2_env import ConfigError, NotationError
from big2_env.base.json_values import whole_at
from big2_env.runs.resumable import Format

SQUARES: Format[tuple[str, int], int] = Format(
    kind="test squares",
    header=lambda run: {"agents": (run[0],), "rules": {"seed": run[1]}},
    run=lambda data: (data["agents"][0], whole_at(data["rules"], "seed")),
    blocks=lambda run: lambda data: whole_at(data, "number"),
    line=lambda number: {"number": number, "square": number**2},
)
"""A run is a name and a seed, a block is a number."""
RUN = ("anna", 7)


def written(path: Path, numbers: list[int], run: tuple[str, int] = RUN, **options: bool) -> list[int]:
    """Write numbers to a file, and return those that it held before."""
    before: list[int] = []
    with SQUARES.open(path, run, before.append, **options) as write:
        for number in numbers:
            write(number)
    return before


def merged(paths: list[Path], out: Path, most: int = 9, **options: bool) -> None:
    def check(run: tuple[str, int], found: list[int]) -> None:
        assert run == RUN
        if len(found) < most:
            raise ConfigError(f"expected {most}, got {found}")

    SQUARES.merge(paths, out, lambda number: number, lambda number: f"square {number}", check, **options)


def test_format__writes_continues_and_reads_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    assert written(path, [1, 2]) == []
    assert written(path, [3], resume=True) == [1, 2]
    header = '{"schema":1,"kind":"test squares","agents":["anna"],"rules":{"seed":7}}'
    assert path.read_text().splitlines() == [header, *(f'{{"number":{n},"square":{n**2}}}' for n in (1, 2, 3))]
    run, numbers = SQUARES.load(path)
    assert (run, list(numbers)) == (RUN, [1, 2, 3])
    assert written(path, [5], overwrite=True) == []
    found: list[Any] = []
    assert SQUARES.gather(path, lambda run, number: found.append((run, number))) == RUN
    assert found == [(RUN, 5)]
    with SQUARES.open(None, RUN) as write:
        write(4)


@pytest.mark.parametrize(
    ("run", "says"),
    [
        (("bert", 7), r"a\.jsonl: made with agents \['anna'\], but this run has \['bert'\]$"),
        (("anna", 8), r"a\.jsonl: made with rules seed 7, but this run has 8$"),
    ],
)
def test_format__refuses_the_file_of_another_run_and_names_the_difference(
    tmp_path: Path, run: tuple[str, int], says: str
) -> None:
    path, other = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    written(path, [1])
    written(other, [2], run)
    before = path.read_bytes()
    with pytest.raises(ConfigError, match=says):
        written(path, [2], run, resume=True)
    assert path.read_bytes() == before
    with pytest.raises(ConfigError, match=r"b\.jsonl: made with .*, but this run has"):
        merged([path, other], tmp_path / "all.jsonl")
    assert not (tmp_path / "all.jsonl").exists()


def test_format__refuses_what_it_does_not_read_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("")
    with pytest.raises(NotationError, match=r"a\.jsonl: expected results of test squares, got no whole line$"):
        SQUARES.load(path)
    written(path, [1], overwrite=True)
    text = path.read_text()
    path.write_text(text.replace("test squares", "test cubes"))
    with pytest.raises(NotationError, match="line 1: expected kind test squares, schema 1, got"):
        SQUARES.load(path)
    path.write_text(text + '{"number":-1}\n')
    with pytest.raises(NotationError, match=r"line 3: number: expected a whole number of at least 0, got '-1'$"):
        list(SQUARES.load(path)[1])

    def refuse(run: object, number: int) -> None:
        raise ConfigError(f"{number} is out of order")

    with pytest.raises(NotationError, match=r"line 2: 1 is out of order$"):
        SQUARES.gather(path, refuse)


def test_merge__gives_the_file_of_one_machine(tmp_path: Path) -> None:
    whole, one, two, out = (tmp_path / f"{name}.jsonl" for name in ("whole", "one", "two", "out"))
    written(whole, list(range(9)))
    written(one, [0, 2, 8, 4, 6])  # with a hole that was filled later
    written(two, [1, 3, 5, 7])
    merged([two, one], out)
    assert out.read_bytes() == whole.read_bytes()
    with pytest.raises(ConfigError, match="already exists: give --overwrite or another --out"):
        merged([one, two], out)
    merged([one, two], out, overwrite=True)
    assert out.read_bytes() == whole.read_bytes()


def test_merge__writes_nothing_if_blocks_are_missing_or_twice(tmp_path: Path) -> None:
    one, two, out = (tmp_path / f"{name}.jsonl" for name in ("one", "two", "out"))
    written(one, [0, 1])
    written(two, [1, 2])
    with pytest.raises(
        ConfigError,
        match=r"^expected every block in one file, got square 1 in .*one\.jsonl and, with the same results, in .*two",
    ):
        merged([one, two], out)
    two.write_text(two.read_text().replace('"square":1}', '"square":2}'))
    with pytest.raises(ConfigError, match="and, with other results, in"):
        merged([one, two], out)
    with pytest.raises(ConfigError, match=r"expected 9, got \[0, 1\]"):
        merged([one], out)
    with pytest.raises(ConfigError, match="expected at least one file to merge, got none"):
        merged([], out)
    with pytest.raises(ConfigError, match="expected an --out that is not one of the files to merge"):
        merged([one], one, overwrite=True)
    assert not out.exists()
