"""Games in the text format, looked through and checked: what a text is, what is wrong with it, and where a log differs."""

from __future__ import annotations

import re

import pytest
from sample_text import ACTIONS, DECK, NAMES, finished_game, text_of

from big2_env.base.errors import NotationError
from big2_env.base.language import Language
from big2_env.notation.log_check import ply_at
from big2_env.notation.sources import Form
from big2_env.tables.session.course import MOST_ACTIONS, check, course_answer, read_game, sample_texts

INPUT, LOG = sample_texts()["input"], sample_texts()["log"]


def answer(text: str, expected: str = "") -> dict[str, object]:
    return course_answer(text, expected, Language.EN)


def test_course__tells_input_from_log() -> None:
    for text, form in ((INPUT, Form.INPUT), (LOG, Form.LOG), ("\ufeff" + LOG.replace("\n", "\r\n"), Form.LOG)):
        found = answer(text, LOG)
        assert (found["form"], found["moves"], found["checked"], found["difference"]) == (form.value, 45, True, None)
        assert found["log"] == LOG
    assert answer(INPUT)["checked"] is False


@pytest.mark.parametrize("form", [INPUT, LOG])
@pytest.mark.parametrize("number", range(1, 187, 23))
def test_course__shows_the_first_line_that_differs_at_its_move(number: int, form: str) -> None:
    lines = LOG.split("\n")
    lines[number - 1] += " "
    found = answer(form, "\n".join(lines))["difference"]
    assert isinstance(found, dict)
    assert (found["line"], found["expected"], found["got"]) == (number, lines[number - 1], lines[number - 1][:-1])
    made = [line for line in lines[: number - 1] if re.match("玩家 .* (打出了|PASS)", line)]
    assert found["ply"] == len(made)


def test_course__a_log_that_is_longer_or_shorter() -> None:
    short = "\n".join(LOG.split("\n")[:150]) + "\n"
    longer, shorter = answer(LOG, short)["difference"], answer(INPUT, LOG + "more\n")["difference"]
    assert isinstance(longer, dict)
    assert isinstance(shorter, dict)
    assert (longer["line"], longer["expected"]) == (151, None)
    assert (shorter["line"], shorter["expected"], shorter["got"], shorter["ply"]) == (188, "more", None, 45)


def test_course__accepts_either_comma() -> None:
    given = text_of(actions=["0 5", *ACTIONS])
    log = read_game(given).log
    assert "," in log
    wide = log.replace(",", "，")
    assert check(read_game(given), wide) is None
    assert check(read_game(given), log) is None


def test_course__refused_attempts_and_lines_beyond_the_game_are_remarked() -> None:
    found = answer(text_of(actions=["-1", "0 5", "99", *ACTIONS]))
    assert found["refused"] == 3
    assert found["notes"] == ["Line 52: the text ends before the game does. It is 地瓜球's turn."]
    page = str(found["page"])
    for text in ("地瓜球 tried to pass", r"地瓜球 tried C\[3\] \w\[10\]", "地瓜球 tried 99"):
        assert re.search(text, page)
    given, _ = finished_game()
    assert answer(given)["notes"] == []
    number = given.count("\n") + 1
    assert answer(given + "0\n")["notes"] == [
        f"Line {number}: the game is over, so this line and the ones after it are ignored."
    ]


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("", 1, "expected a deck of 52 cards or a log"),
        ("hello", 1, "expected a card"),
        (text_of(deck=DECK[5:]), 1, "51 of 52 cards"),
        (text_of(names=NAMES[:2], actions=[]), 4, "name of player 2 is missing"),
        (text_of(actions=["0", "1 x"]), 7, "expected card indices from 0, or -1"),
        (LOG.replace("單張 C[3]", "單張 C[4]", 1), 5, "C[4]"),
        (LOG.replace("PASS.", "PASS", 1), 37, "not a line of a log"),
        (text_of(actions=["99"] * (MOST_ACTIONS + 1)), MOST_ACTIONS + 6, f"expected at most {MOST_ACTIONS} actions"),
    ],
)
def test_course__errors_name_the_line(text: str, line: int, expected: str) -> None:
    with pytest.raises(NotationError, match=rf"^line {line}: ") as caught:
        answer(text)
    assert expected in str(caught.value)


def test_course__an_input_is_no_expected_log() -> None:
    with pytest.raises(NotationError, match=r"^line 1: expected a log, which begins with "):
        answer(INPUT, INPUT)


def test_course__lines_after_the_end_are_about_the_end() -> None:
    transcript = read_game(INPUT).transcript
    assert [ply_at(transcript, line) for line in (1, 2, 5, 6, 187, 10_000)] == [0, 0, 0, 1, 45, 45]
