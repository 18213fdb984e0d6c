"""Commands that write a file, on a full disk: one line says so, and no empty or half file is left."""

from __future__ import annotations

from pathlib import Path

import pytest
from broken_disk import Disk, Fault, failing
from run_cli import run_cli


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("games") / "game.jsonl"
    path.write_text(run_cli("match", "lowest", "lowest", "--game", "mini6", "--log", "jsonl").out)
    return path


COMMANDS = {
    "match": "match lowest lowest lowest lowest --seed 1 --html {file}",
    "uno": "uno play --games 1 --html {file}",
    "fishing": "fishing play --games 1 --max-plays 50 --html {file}",
    "klondike": "klondike solve --seed 7 --html {file}",
    "klondike record": "klondike solve --seed 7 --record {file}",
    "klondike play": "klondike play --plain --seed 7 --record {file}",
    "show html": "show {record} --judge none --html {file}",
    "show svg": "show {record} --svg {file}",
    "show gif": "show {record} --gif {file}",
    "arena csv": "arena lowest random --deals 2 --jobs 1 --overwrite --out {record}.arena --csv {file}",
    "arena html": "arena lowest random --deals 2 --jobs 1 --overwrite --out {record}.arena --html {file}",
}


@pytest.mark.parametrize("old", ["", "an older file\n"])
@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.long] * (name == "show gif")) for name in COMMANDS])
def test_full_disk__leaves_no_empty_or_half_file(tmp_path: Path, record: Path, name: str, old: str) -> None:
    file = tmp_path / "out.file"
    if old:
        file.write_text(old)
    args = COMMANDS[name].format(file=file, record=record).split()
    for share in (0.0, 0.5):
        with failing(Disk(tmp_path, 1 - bool(old and "--record" in args), Fault.FULL, share)) as disk:
            done = run_cli(*args, stdin="d\nq\n")
        assert disk.has_failed, done.err
        assert (done.status, done.err) == (2, f"big2: {file}: No space left on device\n")
        assert [path.read_text() for path in tmp_path.iterdir()] == [old] * bool(old)


def test_full_disk__stops_the_site__which_can_be_written_again(tmp_path: Path) -> None:
    for at in (0, 3, 9):
        with failing(Disk(tmp_path, at, Fault.FULL, 0.5)):
            done = run_cli("site", str(tmp_path / "site"), "--cdn", "--days", "0")
        assert done.status == 2
        assert done.err.startswith(f"big2: {tmp_path / 'site'}")
        assert done.err.endswith(": No space left on device\n")
    assert run_cli("site", str(tmp_path / "site"), "--cdn", "--days", "0").status == 0
    assert run_cli("site", str(tmp_path / "whole"), "--cdn", "--days", "0").status == 0
    there, whole = (
        {path.relative_to(tmp_path / name): path.read_bytes() for path in (tmp_path / name).rglob("*") if path.is_file()}
        for name in ("site", "whole")
    )
    assert there == whole
