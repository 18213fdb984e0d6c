"""Shards of a run on several machines, and their files put together to the file of one run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from run_cli import Answer, run_cli

from big2_agents.evaluation.arena.results import stretches
from big2_agents.evaluation.arena.schedule import Contest, Shard, units
from big2_env import ConfigError

AGENTS = ("greedy", "random")


def arena(out: Path, *more: str) -> Answer:
    return run_cli("arena", *AGENTS, "--seed", "7", "--jobs", "1", "--out", str(out), *more)


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The files of one run and of its three shards, 8 deals."""
    folder = tmp_path_factory.mktemp("parts")
    found = [folder / f"{name}.jsonl" for name in ("whole", "one", "two", "three")]
    for path, shard in zip(found, ("1/1", "1/3", "2/3", "3/3"), strict=True):
        answer = arena(path, "--deals", "8", "--shard", shard)
        assert (answer.status, answer.err) == (0, "")
    return found


def merged(out: Path, *files: Path, more: tuple[str, ...] = ()) -> Answer:
    return run_cli("arena", "--merge", *map(str, files), "--out", str(out), *more)


def test_shards__have_every_deal_once() -> None:
    planned = (Contest((0, 1, 1, 1)), Contest((1, 0, 0, 0)))
    found = [unit for number in (1, 2, 3) for unit in units(8, planned, Shard(number, 3))]
    assert sorted(found) == list(units(8, planned))
    assert [len(Shard(number, 3).deals(8)) for number in (1, 2, 3)] == [3, 3, 2]


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "1/", "/3", "a/b", "-1/3", "1/3/5", "1/99999999999"])
def test_shard__that_is_none_is_refused_before_anything_is_played(text: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="expected a shard as 1/3, 2/3 or 3/3, got"):
        Shard.parse(text)
    assert arena(tmp_path / "a.jsonl", f"--shard={text}").status == 2
    assert not list(tmp_path.iterdir())


def test_merge__is_the_file_of_one_run_byte_for_byte(parts: list[Path], tmp_path: Path) -> None:
    whole, one, two, three = parts
    assert all(len(path.read_bytes()) < len(whole.read_bytes()) for path in (one, two, three))
    answer = merged(tmp_path / "all.jsonl", two, three, one)
    assert (answer.status, answer.err) == (0, "")
    assert "8 deals" in answer.out
    assert (tmp_path / "all.jsonl").read_bytes() == whole.read_bytes()
    one_more = arena(tmp_path / "all.jsonl", "--deals", "9", "--resume")
    assert one_more.status == 0
    assert (tmp_path / "all.jsonl").read_bytes().startswith(whole.read_bytes())


def test_shard__goes_on_where_it_was_killed_and_takes_more_deals(parts: list[Path], tmp_path: Path) -> None:
    path = tmp_path / "two.jsonl"
    path.write_bytes(parts[2].read_bytes()[:-150])
    assert arena(path, "--deals", "8", "--shard", "2/3", "--resume").status == 0
    assert path.read_bytes() == parts[2].read_bytes()


def test_merge__names_missing_deals(parts: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "all.jsonl"
    said = merged(out, parts[1], parts[3])
    assert (said.status, said.out, said.err) == (2, "", "big2: expected all of 7 deals, but 2 are missing: 1, 4\n")
    said = merged(out, parts[1], parts[3], more=("--deals", "8"))
    assert said.err == "big2: expected all of 8 deals, but 3 are missing: 1, 4, 7\n"
    assert merged(out, parts[0], more=("--deals", "5")).err == "big2: expected 5 deals, got deal 7 as well\n"
    partial = tmp_path / "partial.jsonl"
    partial.write_bytes(b"".join(parts[0].read_bytes().splitlines(keepends=True)[:-1]))  # its last deal lacks a contest
    assert merged(out, partial).err == "big2: expected all of 8 deals, but 1 are missing: 7\n"
    assert not out.exists()


def test_merge__refuses_what_overlaps_contradicts_or_is_of_another_run(parts: list[Path], tmp_path: Path) -> None:
    out, other = tmp_path / "all.jsonl", tmp_path / "other.jsonl"
    said = merged(out, *parts[1:], parts[1])
    assert (
        said.err
        == f"big2: expected every block in one file, got deal 0 in {parts[1]} and, with the same results, in {parts[1]}\n"
    )
    lines = parts[1].read_bytes().splitlines(keepends=True)
    other.write_bytes(lines[0] + re.sub(rb"\[\[\d", lambda found: b"[[1" if found[0] == b"[[0" else b"[[0", lines[1]))
    assert "with other results" in merged(out, *parts[1:], other).err
    arena(other, "--deals", "1", "--overwrite", "--scoring", "winner")
    said = merged(out, parts[1], other)
    assert said.err == f"big2: {other}: made with scoring winner, but this run has own\n"
    assert merged(parts[0], *parts[1:]).err.endswith("already exists: give --overwrite or another --out\n")
    assert "is not one of the files to merge" in merged(parts[1], *parts[1:], more=("--overwrite",)).err
    assert "got an option for playing" in merged(out, *parts[1:], more=("--shard", "1/2")).err
    assert "No such file" in merged(out, tmp_path / "none.jsonl").err
    assert not out.exists()


@pytest.mark.usefixtures("check_opponents_once")
def test_bench__in_shards_is_the_bench_of_one_run(tmp_path: Path) -> None:
    for name, more in (("whole", ()), ("one", ("--shard", "1/2")), ("two", ("--shard", "2/2"))):
        args = "lowest", "--ruleset", "big2", "--deals", "5", "--jobs", "1", "--out", str(tmp_path / name)
        assert run_cli("bench", *args, *more).status == 0
    answer = run_cli("bench", "--merge", str(tmp_path / "one"), str(tmp_path / "two"), "--out", str(tmp_path / "all"))
    assert (answer.status, answer.err) == (0, "")
    for name in ("big2-lowest.jsonl", "big2-lowest.json"):
        assert (tmp_path / "all" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    said = run_cli("bench", "--merge", str(tmp_path), "--out", str(tmp_path / "new"))
    assert said.err.startswith("big2: expected folders with results of big2 bench, got none in ")


def test_stretches__are_cut_where_there_are_many() -> None:
    assert stretches(range(0, 40, 2)) == "0, 2, 4, 6, 8, 10, 12, 14 and 12 more stretches"
