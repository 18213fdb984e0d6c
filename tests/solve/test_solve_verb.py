"""`big2 solve`: positions as JSON and records in, verdict and line out, one line for bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from one_language import strangers
from run_cli import run_cli

from big2_env import BIG2, Game, ruleset
from big2_env.base.language import Language, words
from big2_env.base.rng import SplitMix64
from big2_env.cli import solve as solve_verb
from big2_env.notation import positions, records
from big2_env.notation.records import GameRecord
from big2_env.notation.transcript import Transcript
from big2_env.solve import solve
from big2_env.testing.random_positions import dealt_ending

ENDING = '{"ruleset": "dou_dizhu", "hands": ["C[3] C[A] D[A]", "C[5] C[K]", "C[7] D[7] H[7]"], "turn": 0, "landlord": 0}'


def test_verb__prints_hands_verdict_and_line() -> None:
    status, out, err = run_cli("solve", ENDING, "--lang", "en")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[:-1] == [
        "Dou Dizhu",
        "seat 0 (landlord) to move: C[3] D[A] C[A]",
        "seat 1: C[5] C[K]",
        "seat 2: D[7] C[7] H[7]",
        "forced win, first out: seat 0 (landlord)",
        "  seat 0 (landlord): pair C[A] D[A]",
        "  pass: seat 1, seat 2",
        "  seat 0 (landlord): single C[3]",
    ]
    assert lines[-1].split()[1] == "positions,"


@pytest.mark.parametrize("lang", list(Language))
def test_verb__speaks_one_language(lang: Language) -> None:
    out = run_cli("solve", ENDING, "--lang", lang.value).out
    assert strangers(out, lang) == []
    assert words(lang)("solve.landlord_seat", seat=0) in out
    assert run_cli("solve", ENDING, "--json", "--lang", lang.value).out.startswith('{"verdict": "forced win", ')


def test_verb__reads_files_and_standard_input_as_literals(tmp_path: Path) -> None:
    (tmp_path / "ending.json").write_text(ENDING, encoding="utf-8")
    answers = [run_cli("solve", ENDING, "--json"), run_cli("solve", str(tmp_path / "ending.json"), "--json")]
    answers.append(run_cli("solve", "-", "--json", stdin=f"\ufeff{ENDING}\n"))
    for status, out, err in answers:
        data = json.loads(out)
        assert (status, err, data.pop("seconds") >= 0) == (0, "", True)
        assert data == {
            "verdict": "forced win",
            "goal": "first-out",
            "side": [0],
            "line": [[0, "pair D[A] C[A]"], [1, "pass"], [2, "pass"], [0, "single C[3]"]],
            "positions": 1,
        }


def test_verb__says_which_goal_was_proven() -> None:
    position = '{"ruleset": "wu_gua_pi", "hands": ["D[6]", "S[7] S[8]", "D[7]"]}'
    out = run_cli("solve", position, "--seat", "1", "--lang", "en").out
    assert "no forced win, first out: seat 1" in out
    out = run_cli("solve", position, "--seat", "1", "--goal", "settlement", "--lang", "en").out
    assert "best settlement: +1 for seat 1" in out
    data = json.loads(run_cli("solve", position, "--seat", "2", "--goal", "settlement", "--json").out)
    assert (data["verdict"], data["goal"], data["payoff"]) == ("no forced win", "settlement", -2.0)


def test_verb__takes_moves_of_a_record_back_and_another_seat() -> None:
    game = Game.from_hands(BIG2, dealt_ending(BIG2, 10, SplitMix64(4)).position.hands)
    line = solve(game).line
    for _, play in line:
        game.push(play)
    record = records.dumps(GameRecord(Transcript(game)))
    for back in (1, len(line)):
        seat = line[-1].seat
        status, out, _ = run_cli("solve", "-", "--back", str(back), "--seat", str(seat), "--json", stdin=record)
        assert status == 0
        assert json.loads(out)["side"] == [seat]
    assert json.loads(out)["line"] == [
        [move.seat, records.play_text(BIG2, move.play) if move.play else "pass"] for move in line
    ]


def test_verb__says_what_is_undecided() -> None:
    deal = positions.dumps(Game.deal(BIG2, 1))
    status, out, err = run_cli("solve", deal, "--seconds", "0.01")
    assert (status, err) == (0, "")
    assert "undecided: seat 3" in out
    assert "undecided after 0.01 s; raise --seconds" in out


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["{"], "big2: "),
        (["nothing.json"], "big2: nothing.json: No such file or directory"),
        (["-"], "big2: expected a game, got an empty text"),
        ([ENDING, "--seat", "3"], "big2: expected a seat of 0 to 2, got 3"),
        ([ENDING, "--seconds", "0"], "big2: expected a limit of more than 0 seconds, got 0.0"),
        ([ENDING, "--back", "1"], "big2: --back: expected at most the 0 moves of the game, got 1"),
        ([positions.dumps(Game.deal(ruleset("dou_dizhu"), 1))], "big2: the solver needs a position with a landlord"),
    ],
)
def test_verb__refuses_bad_input_in_one_line(args: list[str], says: str) -> None:
    status, out, err = run_cli("solve", *args)
    assert (status, out) == (2, "")
    assert err.startswith(says)
    assert err.count("\n") == 1


def test_verb__stops_quietly_when_it_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(number: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(solve_verb, "_progress", lambda: interrupt)
    assert run_cli("solve", positions.dumps(Game.deal(BIG2, 1))) == (130, "", "")
