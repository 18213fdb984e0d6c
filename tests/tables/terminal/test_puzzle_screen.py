"""Puzzles at the table in the terminal: all hands open, the win, an error and its refutation, the solution, the next one."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from run_cli import run_cli
from terminal_table import Driven, drive

from big2_env.base.language import Language, words
from big2_env.climbing.play import Play
from big2_env.tables.prompt.puzzle import PuzzlePrompt
from big2_env.tables.puzzles import shipped
from big2_env.tables.terminal.puzzle_screen import PuzzleScreen

PUZZLES = shipped.puzzles_of("big2")[:3]


def screen(lang: Language = Language.EN) -> PuzzleScreen:
    return PuzzleScreen(PUZZLES, lang, 0.0)


async def play(on: Driven, move: Play) -> None:
    if move.is_pass:
        await on.press("p")
        return
    on.table._choose(move)
    await on.press("enter")


def test_screen__solves_a_puzzle_and_goes_on() -> None:
    table = screen()

    async def steps(on: Driven) -> None:
        assert "Find the win" in on.told
        assert "N Next puzzle" in on.text
        assert "N new deal" not in on.text
        for name in ("Opponent 1", "Opponent 2", "Opponent 3"):
            assert name.lower() in on.text.lower()
        hands = table.puzzling.game.position.hands
        assert table.query_one("#every_hand").region.height == len(hands) - 1
        assert re.search(r"opponent 1 \(\d+\) \d+[♣♦♥♠]", on.text)  # the count is no card
        while table.puzzling.is_asked:
            await play(on, table.puzzling.solver.answer(table.puzzling.game))
        assert table.puzzling.is_solved
        assert "Solved!" in on.told
        await on.press("enter")
        assert table.puzzling.puzzle == PUZZLES[1]
        assert PUZZLES[1].key in on.text
        await on.press("n", "n")
        assert table.puzzling.puzzle == PUZZLES[0]
        await on.press("ctrl+q")

    drive(steps, table)


@pytest.mark.parametrize("lang", list(Language))
def test_screen__refutes_an_error(lang: Language) -> None:
    table, tr = screen(lang), words(lang)

    async def steps(on: Driven) -> None:
        puzzling = table.puzzling
        losing = next(
            one
            for one in puzzling.legal
            if one and not any(text.endswith(str(one)[len(one.pattern) :]) for text in puzzling.puzzle.winning)
        )
        await play(on, losing)
        assert puzzling.error == 0
        assert on.told.startswith("✗ ")
        assert puzzling.is_over
        await on.press("u")
        assert puzzling.is_asked
        assert puzzling.error is None
        await on.press("v")
        assert table.puzzling.is_over
        assert on.told == tr("puzzles.shown", count=table.puzzling.puzzle.moves)
        await on.press("u", "h", "g", "w", "question_mark")
        assert on.app.screen is not table
        await on.press("escape")
        assert table.puzzling.is_asked

    drive(steps, table)


def test_prompt__solves_and_errs() -> None:
    puzzle = PUZZLES[0]
    cards = puzzle.winning[0].split(" ", 1)[1]
    status, out, err = run_cli("puzzles", "play", puzzle.key, "--plain", stdin=f"v\n{cards}\n")
    assert (status, err) == (0, "")
    assert "Find the win" in out
    assert f"The solution: you win in {puzzle.moves} plays." in out
    assert "opponent 1: " in out
    status, out, _ = run_cli("puzzles", "play", puzzle.key, "--plain", stdin="0\n")
    assert status == 0
    assert out.splitlines()[-1].startswith("After ")


def test_prompt__goes_on_to_the_next_puzzle(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    typed = iter(("zz", "0", "n", "n", "q"))
    monkeypatch.setattr("builtins.input", lambda _: next(typed))
    lines: Any = SimpleNamespace(isatty=lambda: True)
    PuzzlePrompt(PUZZLES[:2], Language.EN, lines, letters=True).run()
    out = " ".join(capsys.readouterr().out.split())
    assert [out.count(f"{puzzle.key} · ") for puzzle in PUZZLES[:2]] == [2, 1]
    assert "'zz' names no card; indices of cards (0 2 5) or cards" in out
    assert out.count("v solution, n next puzzle") == 4
    assert "values" not in out


def test_list__counts_each_grade() -> None:
    out = run_cli("puzzles", "list").out
    for name in shipped.games():
        [line] = [line for line in out.splitlines() if f" {name} " in line]
        assert str(len(shipped.puzzles_of(name))) in line.split()
    assert len(run_cli("puzzles", "list", "--json").out.splitlines()) == sum(
        len(shipped.puzzles_of(name)) for name in shipped.games()
    )


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("big2-999999999",), "expected the key of a puzzle"),
        (("--ruleset", "nothing"), "expected a ruleset with puzzles"),
        (("--from", "pyproject.toml"), "line 1: "),
    ],
)
def test_play__refuses_what_does_not_exist(args: tuple[str, ...], message: str) -> None:
    status, _, err = run_cli("puzzles", "play", "--plain", *args)
    assert (status, len(err.splitlines())) == (2, 1)
    assert message in err
