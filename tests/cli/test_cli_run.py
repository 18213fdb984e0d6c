"""`big2 run`: the sample byte for byte, the table of bad input row by row, pipes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Timer
from time import sleep

import pytest
from places import DATA
from random_transcripts import random_transcripts
from run_cli import run_cli
from sample_text import ACTIONS, DECK, NAMES, SAMPLE, SAMPLE_LOG, finished_game, text_of, with_attempt

from big2_env import BIG2, DECK_52, Game
from big2_env.notation import log_reader, spec_input

WHOSE = "line 50: the actions end before the game does: it is 地瓜球's turn"


def test_run__gives_the_sample_byte_for_byte(tmp_path: Path) -> None:
    for answer in [run_cli("run", str(DATA / "game.in")), run_cli("run", stdin=SAMPLE), run_cli("run", "-", stdin=SAMPLE)]:
        assert answer == (3, SAMPLE_LOG, f"big2: {WHOSE}\n")


def test_run__switches_the_comma() -> None:
    given, expected = finished_game()
    assert run_cli("run", stdin=given) == (0, expected, "")
    wide = run_cli("run", "--full-width", stdin=given)
    assert wide == (0, expected.replace(",", "，"), "")
    assert "此牌型不合法，請再嘗試一次。" in wide.out
    assert "遊戲結束，遊戲的勝利者為 " in wide.out


@pytest.mark.parametrize("ruleset", ["big2"])
def test_run__takes_a_ruleset_by_name(ruleset: str) -> None:
    assert run_cli("run", "--ruleset", ruleset, stdin=SAMPLE).out == SAMPLE_LOG
    given, expected = finished_game()
    assert run_cli("run", "--full-width", "--ruleset", ruleset, stdin=given) == (0, expected.replace(",", "，"), "")
    assert run_cli("run", "--players", "4", str(DATA / "game.in")) == (3, SAMPLE_LOG, f"big2: {WHOSE}\n")
    assert run_cli("run", "game.in", "game.in").status == 2
    wrong = run_cli("run", "--ruleset", "bigger2", stdin=SAMPLE)
    assert (wrong.status, wrong.out) == (2, "")
    assert wrong.err.startswith("big2: unknown ruleset 'bigger2'; did you mean big2? (big2 games lists all)")
    wrong = run_cli("run", "--players", "5", stdin=SAMPLE)
    assert (wrong.status, wrong.out, wrong.err) == (2, "", "big2: big2 needs 2 to 4 players, got 5\n")


# Row 1: what is legal text and no legal act is part of the game.
@pytest.mark.parametrize(
    ("action", "answer"),
    [
        ("13", "此牌型不合法,請再嘗試一次。"),
        ("99999999999999999999999999", "此牌型不合法,請再嘗試一次。"),
        ("0 0", "此牌型不合法,請再嘗試一次。"),
        ("0 1", "此牌型不合法,請再嘗試一次。"),
        ("0 1 2 3 4 5 6 7 8 9 10 11 12", "此牌型不合法,請再嘗試一次。"),
        ("1", "此牌型不合法,請再嘗試一次。"),
        ("-1", "你不能在新的回合中喊 PASS"),
    ],
)
def test_row_1__an_move_that_is_not_legal_is_part_of_the_game(action: str, answer: str) -> None:
    assert run_cli("run", stdin=text_of(actions=[action, *ACTIONS])) == (
        *(3, with_attempt(answer)),
        f"big2: {WHOSE.replace('50', '51')}\n",
    )


def test_row_1__a_play_that_does_not_beat_the_top() -> None:
    """C[3], C[6], then S[3], H[4], S[4] and S[5], none of which beats C[6], then H[6]."""
    answer = run_cli("run", stdin=text_of(actions=["0", "2", "0", "1", "2", "3", "4"]))
    assert answer.out.count("此牌型不合法,請再嘗試一次。") == 4
    assert "H[A] C[2]\n玩家 火球 打出了 單張 H[6]\n輪到保齡球了\n" in answer.out


# Row 2: nothing is played.
@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("", "line 1: the deck is missing: the input is empty"),
        (text_of(DECK.replace("S[8]", "S[1]", 1)), "line 1: the deck: expected a card <suit>[<rank>]"),
        (text_of(DECK.replace("S[8]", "s[8]", 1)), "line 1: the deck: expected a card <suit>[<rank>]"),
        (text_of(DECK.replace("S[8] ", "", 1)), "line 1: the deck: S[8] is missing: 51 of 52 cards are given"),
        (text_of(DECK.replace("S[8]", "S[9]", 1)), "line 1: the deck: S[9] is given twice"),
        (text_of(DECK + " S[8]"), "line 1: the deck: S[8] is given twice"),
        (text_of(DECK + " LJ"), "line 1: the deck: LJ is not a card of this 52-card deck"),
        (text_of(DECK + " x" * 40_000), "line 1: more than 65536 characters"),
        (text_of("\n" + DECK), "line 1: the deck: C[3] is missing"),
        (f"{DECK}\n水球\n火球\n保齡球\n", "line 5: the name of player 3 is missing: 3 of 4 names are given"),
        (DECK, "line 2: the name of player 0 is missing: 0 of 4 names are given"),
        (
            text_of(names=["水球", "", "保齡球", "地瓜球"]),
            "line 3: expected a name of printable characters without blanks at the ends, got ''",
        ),
        (
            text_of(names=["水球", " \t", "保齡球", "地瓜球"]),
            "line 3: expected a name of printable characters without blanks at the ends, got ''",
        ),
        (
            text_of(names=["水球", "火球", "保\u200b齡球", "地瓜球"]),
            "line 4: expected a name of printable characters without blanks at the ends, got '保\\u200b齡球'",
        ),
        (
            text_of(names=["水球", "火球", "保齡球", "\ufeff地瓜球"]),
            "line 5: expected a name of printable characters without blanks at the ends, got '\\ufeff地瓜球'",
        ),
        (
            text_of(names=["水\x07球", "火球", "保齡球", "地瓜球"]),
            "line 2: expected a name of printable characters without blanks at the ends, got '水\\x07球'",
        ),
    ],
)
def test_row_2__a_bad_deck_or_name_plays_nothing(given: str, says: str) -> None:
    status, out, err = run_cli("run", stdin=given)
    assert (status, out) == (2, "")
    assert err.startswith(f"big2: {says}")
    assert err.count("\n") == 1
    assert len(err) < 300


def test_row_2__bytes_that_are_not_utf_8() -> None:
    given = text_of(names=["水球", "火球", "name", "地瓜球"]).encode()
    status, out, err = run_cli("run", stdin=given.replace(b"name", b"n\xff\xfe"))
    assert (status, out) == (2, "")
    assert err == "big2: line 4: expected text in UTF-8, got the byte 0xff\n"
    for verb, encoding in [("run", "utf-16-le"), ("run", "utf-32-le"), ("show", "utf-16-le"), ("convert", "utf-16-be")]:
        status, out, err = run_cli(verb, stdin=text_of().encode(encoding))
        assert (status, out) == (2, "")
        assert err == "big2: line 1: expected text in UTF-8, got zero bytes, as in UTF-16 without a byte order mark\n"
    status, out, err = run_cli("run", stdin="風球 A\n".encode("utf-16-le"))  # its first bytes are no text in UTF-8 either
    assert (status, out) == (2, "")
    assert err == "big2: line 1: expected text in UTF-8, got zero bytes, as in UTF-16 without a byte order mark\n"


@pytest.mark.parametrize("verb", ["run", "convert", "show", "state", "solve", "advise"])
@pytest.mark.parametrize(("encoding", "name"), [("big5", "Big5"), ("gbk", "GBK")])
def test_row_2__chinese_in_another_encoding_is_named(verb: str, encoding: str, name: str, tmp_path: Path) -> None:
    """All commands read text through `big2_env.base.outside`, from files and from pipes."""
    file = tmp_path / "game"
    for text, line, chinese in [(text_of(), 2, "水球"), (SAMPLE_LOG, 1, "新的回合開始了。")][: 1 if verb == "run" else 2]:
        file.write_bytes(text.encode(encoding))
        for answer in (run_cli(verb, str(file)), run_cli(verb, "-", stdin=file.read_bytes())):
            assert (answer.status, answer.out) == (2, "")
            assert answer.err.startswith(f"big2: line {line}: expected text in UTF-8, got bytes that read as ")
            assert f"'{chinese}' in {name}" in answer.err
            assert answer.err.count("\n") == 1


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-8"])
def test_row_1__a_byte_order_mark_names_the_encoding(encoding: str, tmp_path: Path) -> None:
    """PowerShell's `>` writes UTF-16."""
    game, log, (given, expected) = tmp_path / "game.in", tmp_path / "game.out", finished_game()
    game.write_bytes(f"\ufeff{given}".encode(encoding))
    log.write_bytes(f"\ufeff{expected}".replace("\n", "\r\n").encode(encoding))
    assert run_cli("run", str(game)) == run_cli("run", stdin=game.read_bytes()) == (0, expected, "")
    assert run_cli("run", "--check", str(log), "--lang", "en") == (0, f"pass  {game}\n", "")
    for verb in ("convert", "show", "state"):
        for file, text in ((game, given), (log, expected)):
            assert run_cli(verb, str(file)) == run_cli(verb, "-", stdin=text)
            assert run_cli(verb, str(file)).status == 0


def test_row_1__half_a_byte_order_mark_waits_for_the_rest() -> None:
    given, expected = finished_game()
    content = f"\ufeff{given}".encode("utf-16-le")
    args = [sys.executable, "-m", "big2_env", "run"]
    with subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as running:
        assert running.stdin is not None
        for part in (content[:1], content[1:7], content[7:]):
            running.stdin.write(part)
            sleep(0.2)
        assert running.communicate()[0].decode() == expected


# Row 3: the log so far, then one line.
@pytest.mark.parametrize(
    "action", ["x", "-2", "1.5", "0,1", "-1 0", "0 -1", "+1", "１", "0 \u200b", "--", "\ufeff0", "0" * 70_000]
)
def test_row_3__a_line_that_is_no_action_ends_the_log(action: str) -> None:
    status, out, err = run_cli("run", stdin=text_of(actions=[*ACTIONS[:7], action, *ACTIONS[7:]]))
    played = run_cli("run", stdin=text_of(actions=ACTIONS[:7]))
    assert (status, out) == (2, played.out)
    assert err.startswith("big2: line 13: ")
    assert err.count("\n") == 1
    if len(action) < 100:
        assert any(repr(token) in err for token in action.split())


def test_row_3__refused_moves_without_end_are_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are kept, so they have to be bounded: each counts one, and one more for each index."""
    monkeypatch.setattr(spec_input, "MAX_KEPT", 20)
    given = text_of(actions=["0 0"] * 6 + ["-1"] * 10)
    message = "big2: line 14: more than 20 moves and indices in one game\n"
    status, out, err = run_cli("run", stdin=given)
    assert (status, err) == (2, message)
    assert out.count("此牌型不合法,請再嘗試一次。") == 6
    assert out.count("你不能在新的回合中喊 PASS") == 2
    assert run_cli("convert", stdin=given) == (2, "", message)


# Row 4: the log so far, and whose turn it was.
@pytest.mark.parametrize("actions", [0, 1, 8, 43])
def test_row_4__actions_that_end_early_say_whose_turn_it_was(actions: int) -> None:
    status, out, err = run_cli("run", stdin=text_of(actions=ACTIONS[:actions]))
    assert status == 3
    assert SAMPLE_LOG.startswith(out)
    asked = out.rsplit("輪到", 1)[1].split("了\n")[0]
    assert err == f"big2: line {6 + actions}: the actions end before the game does: it is {asked}'s turn\n"


# Row 5: a warning.
@pytest.mark.parametrize(
    ("surplus", "line"), [("0\n", 1), ("x\n1\n", 1), ("\n \r\n\n-1", 4), ("\ufeff", 1), ("9" * 200_000, 1)]
)
def test_row_5__lines_after_the_end_are_ignored_with_a_warning(surplus: str, line: int) -> None:
    given, expected = finished_game()
    warning = f"big2: warning: line {len(given.splitlines()) + line}: the game has ended, further lines are ignored\n"
    assert run_cli("run", stdin=given + surplus) == (0, expected, warning)


def test_row_5__blank_lines_after_the_end_are_nothing() -> None:
    given, expected = finished_game()
    for blank in ("", "\n\n", "  \r\n\t\n"):
        assert run_cli("run", stdin=given + blank) == (0, expected, "")
    assert run_cli("run", stdin=given.rstrip("\n")) == (0, expected, "")


# Row 6: accepted.
@pytest.mark.parametrize(
    "given",
    [
        "\ufeff" + SAMPLE,
        SAMPLE.replace("\n", "\r\n"),
        "\ufeff" + SAMPLE.replace("\n", " \t \r\n"),
        text_of(end="   \n"),
        text_of("  " + DECK.replace(" ", "   ")),
        text_of(actions=[line for action in ACTIONS for line in ("", action, "  ")]),
        text_of(actions=[f"  {action.replace(' ', '   ')}" for action in ACTIONS]),
        text_of().rstrip("\n"),
    ],
)
def test_row_6__byte_order_mark_line_ends_and_blanks_are_accepted(given: str) -> None:
    answer = run_cli("run", stdin=given)
    assert (answer.status, answer.out) == (3, SAMPLE_LOG)


def test_row_6__a_byte_order_mark_stands_only_at_the_start() -> None:
    for bad in ("\ufeff\ufeff" + SAMPLE, text_of(actions=[*ACTIONS[:3], "\ufeff" + ACTIONS[3]])):
        answer = run_cli("run", stdin=bad)
        assert answer.status == 2
        assert "\\ufeff" in answer.err


def test_pipes__each_action_is_answered_before_the_next_is_given() -> None:
    """Another program plays a whole game: it reads its hand from the log, tries cards, and passes when nothing fits."""
    deck = " ".join(map(str, DECK_52.shuffled(5)))
    command = [sys.executable, "-m", "big2_env", "run"]
    with subprocess.Popen(command, stdin=-1, stdout=-1, stderr=-1, encoding="utf-8") as process:
        guard = Timer(60, process.kill)
        guard.start()
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        said: list[str] = []

        def tell(line: str) -> None:
            assert process.stdin is not None
            process.stdin.write(line + "\n")
            process.stdin.flush()

        def hear() -> str:
            assert process.stdout is not None
            said.append(process.stdout.readline())
            return said[-1].rstrip("\n")

        tell("\n".join([deck, *NAMES]))
        attempts: Iterator[str] = iter(())
        answers = 0
        while not (line := hear()).startswith("遊戲結束"):
            if line == "新的回合開始了。" or line.startswith("玩家 "):
                continue
            fresh = line.startswith("輪到")
            assert fresh or line.startswith(("此牌型不合法", "你不能"))
            indices = hear().split()
            cards = hear().split(" ")
            assert indices == [str(i) for i in range(len(cards))]
            if fresh:
                attempts = iter([*indices, "-1"])
            tell(next(attempts))
            answers += 1
        # The driver still holds its end of the pipe open; the game is over all the same.
        assert process.wait(timeout=30) == 0
        assert process.stderr.read() == ""
        process.stdin.close()
        guard.cancel()
    assert answers > 52
    found = log_reader.loads("".join(said), names=NAMES)
    assert found.transcript.game.start == Game.from_deck(BIG2, DECK_52.parse(deck)).start
    assert found.transcript.game.is_over


def test_transcript__of_a_run_is_the_game() -> None:
    """The log on stdout, read back, is the game that the same actions give in Python."""
    given, expected = finished_game()
    (transcript,) = random_transcripts(BIG2, [11])
    found = log_reader.loads(run_cli("run", stdin=given).out, names=transcript.names)
    assert found.transcript.game == transcript.game
    assert found.dumps() == expected
