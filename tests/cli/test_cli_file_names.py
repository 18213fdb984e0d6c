"""File names that are not UTF-8: any verb reads and writes them, and what must be text is refused in one line."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from places import ROOT
from run_cli import run_cli

from big2_env.tables.session.saved import saved_games

NAME = os.fsdecode(b"x\xff")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_play__keeps_and_resumes_a_game_in_a_file_of_any_name() -> None:
    status, out, err = run_cli("play", *["lowest"] * 3, "--seed", "3", "--record", f"{NAME}.jsonl", stdin="0\n")
    assert (status, err) == (0, "")
    assert f"kept in {NAME}.jsonl\n" in out
    assert out.endswith(f"big2 play --resume '{NAME}.jsonl'\n")
    status, out, err = run_cli("play", "--resume", f"{NAME}.jsonl", stdin="q\n")
    assert (status, err) == (0, "")
    assert "you: single D[3]\n" in out


def test_play__in_a_data_folder_of_any_name(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIG2_DATA", str(here / NAME))
    assert run_cli("play", *["lowest"] * 3, "--seed", "3", stdin="0\n").status == 0
    [game] = saved_games()
    assert game.path.parent.parent.name == NAME
    assert NAME in run_cli("games", "--mine").out.replace("\n", "")


@pytest.mark.parametrize("verb", ["uno", "klondike"])
def test_side_games__record_to_a_file_of_any_name(here: Path, verb: str) -> None:
    seat = ("--seat", "0") if verb == "uno" else ()
    status, _, err = run_cli(verb, "play", "--plain", "--seed", "3", *seat, "--record", NAME, stdin="q\n")
    assert (status, err) == (0, "")
    assert (here / NAME).exists()


def test_match__reads_and_writes_files_of_any_name(here: Path) -> None:
    game = run_cli("match", *["lowest"] * 4, "--log", "jsonl", "--html", f"{NAME}.html").out
    (here / NAME).write_text(game, encoding="utf-8")
    assert (here / f"{NAME}.html").exists()
    assert run_cli("match", *["lowest"] * 4, "--from", f"{NAME}:3").status == 0
    assert run_cli("show", NAME, "--svg", f"{NAME}.svg").status == 0
    assert run_cli("convert", NAME).status == 0


@pytest.mark.parametrize(
    "line",
    [
        "match lowest --seed 1 --html FILE",
        "fishing play --html FILE",
        "uno play --games 2 --html FILE",
        "klondike solve --html FILE",
        "klondike solve --record FILE",
        *(f"show missing --{kind} FILE" for kind in ("html", "svg", "gif")),
    ],
)
def test_verbs__refuse_a_file_in_a_missing_folder_before_they_work(line: str) -> None:
    file = str(Path("missing") / "file")
    status, out, err = run_cli(*line.replace("FILE", file).split())
    assert (status, out, err) == (2, "", "big2: expected a folder that exists, got missing\n")


def test_arena__writes_reports_of_any_name(here: Path) -> None:
    files = [f"{NAME}.{kind}" for kind in ("csv", "parquet", "png", "html")]
    places = [part for file in files for part in (f"--{file.partition('.')[2]}", file)]
    args = ("arena", "lowest", "random", "--schedule", "pairs", "--deals", "1", "--jobs", "1", "--out", NAME, *places)
    assert run_cli(*args).status == 0
    assert all((here / file).stat().st_size for file in files)


def test_export__writes_a_folder_of_any_name(here: Path) -> None:
    args = ("export", "lowest", "--games", "1", "--jobs", "1", "--format", "parquet", "--out", NAME)
    status, out, _ = run_cli(*args)
    assert (status, out.partition(":")[0]) == (0, NAME)
    assert (here / NAME / "part-00000.parquet").exists()


@pytest.mark.parametrize("verb", [("match", "lowest", "lowest", "lowest"), ("play", "lowest", "lowest"), ("arena", "lowest")])
def test_agent__of_a_file_whose_name_no_record_can_hold__is_refused(here: Path, verb: tuple[str, ...]) -> None:
    status, out, err = run_cli(*verb, f"learned:{NAME}", stdin="q\n")
    assert (status, out) == (2, "")
    assert err == "big2: expected an agent's name of printable characters in UTF-8, got 'learned:x\\udcff'\n"
    assert not list(here.iterdir())


@pytest.mark.parametrize(
    ("command", "first", "second"),
    [
        (["arena", "lowest", "greedy", "--deals", "1", "--jobs", "1"], "--out", "--csv"),
        (["show", str(ROOT / "tests" / "data" / "game.in")], "--svg", "--html"),
        (["fishing", "simulate"], "--out", "--plot"),
        (["klondike", "solve"], "--record", "--html"),
    ],
)
def test_verbs__write_one_result_to_a_file(here: Path, command: list[str], first: str, second: str) -> None:
    answer = run_cli(*command, first, "new", second, str(here / "new"))
    assert answer.status == 2
    assert re.fullmatch(r"big2: --\w+: expected another file than --\w+, got \S*new\n", answer.err)
    assert not (here / "new").exists()


def test_verbs__write_results_to_one_place_that_keeps_nothing() -> None:
    game = str(ROOT / "tests" / "data" / "game.in")
    answer = run_cli("show", game, "--judge", "none", "--svg", os.devnull, "--html", os.devnull)
    assert (answer.status, answer.err) == (0, "")
