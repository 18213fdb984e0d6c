"""`big2 puzzles make`: the same puzzles each time, also after a stop; refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from run_cli import run_cli

from big2_env.climbing.rulesets import ruleset
from big2_env.tables.puzzles.making import Maker
from big2_env.tables.puzzles.proving import check
from big2_env.tables.puzzles.puzzle import load

ARGS = ("puzzles", "make", "--ruleset", "tien_len")


def made(count: int, *more: str, out: Path) -> list[str]:
    status, said, err = run_cli(*ARGS, "--count", str(count), "--out", str(out), *more)
    assert (status, err) == (0, ""), err
    assert said == f"{count} puzzles in {out}\n"
    return out.read_text(encoding="utf-8").splitlines()


OWN_PATTERN = """
from big2_env import BIG2, Pattern, Shape

class Rocket(Pattern):
    name, zh = "rocket", "火箭"

    def shapes(self, order):
        return [Shape.of([rank] * 4, key=rank) for rank in order.ranks]

HOUSE = BIG2.with_patterns(Rocket())
"""


def test_make__resumes_to_the_same_puzzles(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    lines = made(3, out=whole)
    assert made(2, out=parts) != lines
    with parts.open("a", encoding="utf-8") as file:
        file.write('{"game":')  # killed while writing
    assert made(3, "--resume", out=parts)[1:] == lines[1:]
    for puzzle in load(whole.read_text(encoding="utf-8")):
        check(puzzle)


def test_make__stopped_by_ctrl_c_keeps_all_puzzles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, out = Maker._candidates, tmp_path / "out.jsonl"
    numbers: list[int] = []

    def stop(self: Maker, number: int) -> object:
        numbers.append(number)
        if len(self.found) == 1:
            raise KeyboardInterrupt
        return found(self, number)

    monkeypatch.setattr(Maker, "_candidates", stop)
    status, _, err = run_cli(*ARGS, "--count", "3", "--out", str(out))
    assert status == 130
    assert "stopped with 1 of 3 puzzles; --resume continues" in err
    [puzzle] = load(out.read_text(encoding="utf-8"))
    assert numbers[-1] == puzzle.number + 1
    monkeypatch.undo()
    assert made(2, "--resume", out=out)[1] == out.read_text(encoding="utf-8").splitlines()[1]


def test_play__takes_puzzles_of_house_rules_and_of_any_shipped_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_puzzle_rules.py").write_text(OWN_PATTERN)
    monkeypatch.syspath_prepend(str(tmp_path))
    own = ["--ruleset", "my_puzzle_rules:HOUSE"]
    for options in (own, ["--ruleset", "tien_len"]):
        out = tmp_path / f"{options[1].partition(':')[0]}.jsonl"
        assert run_cli("puzzles", "make", *options, "--count", "1", "--out", str(out)).status == 0
        answer = run_cli("puzzles", "play", "--from", str(out), "--plain", *(own if options is own else ()), stdin="q\n")
        assert answer.err == ""
        assert "Find the win" in answer.out


def test_make__refuses_another_runs_file(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    made(1, out=out)
    before, mine = out.read_bytes(), tmp_path / "tien_len.json"
    mine.write_text('{"preset": "tien_len", "pass_lock": "none"}', encoding="utf-8")
    for more, message in (
        ((), "already exists"),
        (("--resume", "--seed", "5"), "made with seed 0, but this run has 5"),
        (("--resume", "--ruleset", "big2"), "made with ruleset tien_len"),
        (("--resume", "--ruleset", str(mine)), "line 2: position: expected the rules of this run, "),
        (("--resume", "--overwrite"), "expected one of --resume and --overwrite"),
    ):
        status, _, err = run_cli(*ARGS, "--count", "1", "--out", str(out), *more)
        assert (status, len(err.splitlines())) == (2, 1)
        assert message in err
    assert out.read_bytes() == before


def test_make__refuses_a_line_that_is_no_puzzle(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    header, line = made(1, out=out)
    out.write_text(f"{header}\n{json.dumps(json.loads(line) | {'grade': 9})}\n", encoding="utf-8")
    status, _, err = run_cli(*ARGS, "--count", "1", "--out", str(out), "--resume")
    assert status == 2
    assert f"{out} line 2: expected different winning moves and grade" in err


def test_maker__takes_one_puzzle_per_game_and_mixes_grades() -> None:
    maker = Maker(ruleset("tien_len"), 5)
    found = [one for one in maker.run() if one is not None]
    assert found == maker.found
    assert len({one.number for one in found}) == 5
    assert max(sum(one.grade == grade for one in found) for grade in range(1, 6)) <= 2
