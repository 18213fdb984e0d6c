"""`big2 run --check`: logs against expected ones."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import pytest
from run_cli import run_cli

SAMPLE = (files("big2_env.notation") / "sample.in").read_text(encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The sample game with its log."""
    (tmp_path / "a.in").write_text(SAMPLE, encoding="utf-8")
    (tmp_path / "a.out").write_text(run_cli("run", stdin=SAMPLE).out, encoding="utf-8")
    return tmp_path


def test_check__of_a_log_as_expected_passes(folder: Path) -> None:
    for args, given in (
        (["--check", str(folder / "a.out")], f"{folder}/a.in"),
        ([str(folder / "a.in"), "--check", str(folder / "a.out")], f"{folder}/a.in"),
        (["-", "--check", str(folder / "a.out")], "-"),
        (["--check", str(folder)], f"{folder}/a.in"),
    ):
        assert run_cli("run", *args, "--lang", "en", stdin=SAMPLE) == (0, f"pass  {given}\n", "")
    (folder / "a.in").unlink()
    assert run_cli("run", "--check", str(folder / "a.out"), "--lang", "en", stdin=SAMPLE) == (0, "pass  -\n", "")


def test_check__accepts_either_comma_and_any_line_ends(folder: Path) -> None:
    wide = run_cli("run", "--full-width", stdin=SAMPLE).out
    assert wide != (folder / "a.out").read_text("utf-8")
    (folder / "a.out").write_bytes(("\ufeff" + wide.replace("\n", "\r\n") + "\r\n").encode())
    assert run_cli("run", "--check", str(folder), "--lang", "en") == (0, f"pass  {folder}/a.in\n", "")


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        (
            "玩家 地瓜球 打出了 單張 C[3]\n",
            "玩家 地瓜球 打出了 單張 C[4]\n",
            "FAIL  {file}: line 5, turn 1 (地瓜球)\n"
            "  expected  玩家 地瓜球 打出了 單張 C[4]\n"
            "  got       玩家 地瓜球 打出了 單張 C[3]\n",
        ),
        (
            "新的回合開始了。\n輪到地瓜球了\n",
            "輪到地瓜球了\n",
            "FAIL  {file}: line 1, before the first turn\n  expected  輪到地瓜球了\n  got       新的回合開始了。\n",
        ),
        (
            "遊戲結束,遊戲的勝利者為 地瓜球\n",
            "",
            "FAIL  {file}: line 187, turn 45 (地瓜球)\n"
            "  expected  (the end of the log)\n"
            "  got       遊戲結束,遊戲的勝利者為 地瓜球\n",
        ),
        (
            "遊戲結束,遊戲的勝利者為 地瓜球\n",
            "遊戲結束,遊戲的勝利者為 地瓜球\n新的回合開始了。\n",
            "FAIL  {file}: line 188, turn 45 (地瓜球)\n  expected  新的回合開始了。\n  got       (the end of the log)\n",
        ),
    ],
)
def test_check__shows_the_first_line_that_differs_and_its_turn(old: str, new: str, shown: str, folder: Path) -> None:
    log = (folder / "a.out").read_text("utf-8")
    assert log.count(old) >= 1
    (folder / "a.out").write_text(log.replace(old, new, 1), encoding="utf-8")
    assert run_cli("run", "--check", str(folder), "--lang", "en") == (1, shown.format(file=folder / "a.in"), "")


def test_check__speaks_chinese_in_either_script(folder: Path) -> None:
    (folder / "a.out").write_text("新的回合開始了。\n", encoding="utf-8")
    shown = run_cli("run", "--check", str(folder), "--lang", "zh-Hant").out
    assert shown == f"不符  {folder}/a.in：第 2 行，第 1 手（地瓜球）\n  應為  （日誌到此為止）\n  實為  輪到地瓜球了\n"
    assert run_cli("run", "--check", str(folder), "--lang", "zh-Hans").out.startswith(f"不符  {folder}/a.in：第 2 行，")


def test_check__of_a_folder_goes_on_after_what_cannot_be_read(folder: Path) -> None:
    log = (folder / "a.out").read_text("utf-8")
    for name, given, expected in (
        ("b", SAMPLE, log.replace("C[3]", "C[9]")),
        ("c", SAMPLE.replace("C[3]", "C[1]"), log),
        ("d", SAMPLE, None),
        ("e", None, log),
        ("f", SAMPLE[: SAMPLE.rindex("\n0\n") + 1], "".join(log.splitlines(keepends=True)[:-2])),
    ):
        if given is not None:
            (folder / f"{name}.in").write_text(given, encoding="utf-8")
        if expected is not None:
            (folder / f"{name}.out").write_text(expected, encoding="utf-8")
    (folder / "g.in").write_text(SAMPLE, encoding="utf-8")
    (folder / "g.out").write_bytes(log.encode("big5"))
    status, out, err = run_cli("run", "--check", str(folder), "--lang", "en")
    assert status == 2
    assert [line.replace(str(folder), "") for line in out.splitlines() if not line.startswith(" ")] == [
        "pass  /a.in",
        "FAIL  /b.in: line 4, turn 1 (地瓜球)",
        "pass  /f.in",
        "2 of 7 pass",
    ]
    assert [line.replace(str(folder), "") for line in err.splitlines()] == [
        "big2: /c.in: line 1: the deck: expected a card <suit>[<rank>] with suit C D H S and rank 3 4 5 6 7 8 9 10 J Q K A 2, "
        "or LJ or BJ, got 'C[1]'",
        "big2: /d.out: No such file or directory",
        "big2: /e.in: No such file or directory",
        "big2: /f.in: line 50: the actions end before the game does: it is 地瓜球's turn",
        "big2: /g.out: line 1: expected text in UTF-8, got bytes that read as '新的回合開始了。' in Big5",
    ]


def test_check__refuses_a_folder_without_games_or_with_one(folder: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    refused = run_cli("run", "--check", str(empty))
    assert refused == (2, "", f"big2: --check {empty}: expected pairs of files, NAME.in and NAME.out, got none\n")
    refused = run_cli("run", "a.in", "--check", str(folder))
    says = f"big2: --check {folder}: expected a folder alone or a file with a game, got a folder with a.in\n"
    assert refused == (2, "", says)
    assert run_cli("run", "--check", str(empty / "none.out"), stdin=SAMPLE).status == 2


def test_check__takes_the_rules_of_another_game(tmp_path: Path) -> None:
    game = run_cli("match", *["lowest"] * 4, "--seed", "3", "--game", "hong_kong", "--log", "jsonl").out
    given = run_cli("convert", "--to", "input", stdin=game).out
    (tmp_path / "h.in").write_text(given, encoding="utf-8")
    (tmp_path / "h.out").write_text(run_cli("convert", "--to", "log", stdin=game).out, encoding="utf-8")
    assert run_cli("run", "--check", str(tmp_path), "--game", "Hong Kong Big Two", "--lang", "en").status == 0


def test_sample__says_which_action_was_added() -> None:
    text = " ".join(run_cli("sample", "--help").out.split())
    assert "sample lacks its last action, and its log stops there too. The added action is the last line, 0." in text
    assert SAMPLE.endswith("\n0\n")
