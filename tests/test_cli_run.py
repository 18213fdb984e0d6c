"""`big2 run` and `big2 convert`: the table of bad input row by row, pipes, and 20,000 inputs that nobody meant."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from io import BytesIO, StringIO
from pathlib import Path
from threading import Timer

import pytest
from random_transcripts import random_transcripts
from run_cli import Answer, run_cli

from big2_env import BIG2, DECK_52, Game
from big2_env.cli import STATUS, complaint
from big2_env.cli._text_game import play
from big2_env.notation import log, log_reader, records, spec_input
from big2_env.notation.records import GameRecord

DATA = Path(__file__).parent / "data"
SAMPLE = (DATA / "game.in").read_text("utf-8")
SAMPLE_LOG = (DATA / "game.out").read_text("utf-8")
DECK, *_rest = SAMPLE.splitlines()
NAMES, ACTIONS = _rest[:4], _rest[4:]
WHOSE = "line 50: the actions end before the game does: it is 地瓜球's turn"


def text_of(deck: str = DECK, names: list[str] = NAMES, actions: list[str] = ACTIONS, end: str = "\n") -> str:
    return "".join(line + end for line in [deck, *names, *actions])


def with_attempt(answer: str) -> str:
    """The sample's log with a refused attempt before its first play."""
    hand = "\n".join(SAMPLE_LOG.split("\n")[2:4])
    return SAMPLE_LOG.replace("玩家 地瓜球 打出了", f"{answer}\n{hand}\n玩家 地瓜球 打出了", 1)


def finished_game() -> tuple[str, str]:
    """An input that plays a game to its end, and its log."""
    (transcript,) = random_transcripts(BIG2, [11])
    return spec_input.dumps(transcript), log.dumps(transcript)


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
    assert wrong.err.startswith("big2: ruleset 'bigger2': allowed are big2")
    wrong = run_cli("run", "--players", "5", stdin=SAMPLE)
    assert (wrong.status, wrong.out, wrong.err) == (2, "", "big2: 5 players: big2 allows 4 to 4\n")


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
def test_row_1__an_act_that_is_not_legal_is_part_of_the_game(action: str, answer: str) -> None:
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
        ("", "line 1: the deck: C[3] is missing: 0 of 52 cards are given"),
        (text_of(DECK.replace("S[8]", "S[1]", 1)), "line 1: the deck: 'S[1]' is no card: "),
        (text_of(DECK.replace("S[8]", "s[8]", 1)), "line 1: the deck: 's[8]' is no card: "),
        (text_of(DECK.replace("S[8] ", "", 1)), "line 1: the deck: S[8] is missing: 51 of 52 cards are given"),
        (text_of(DECK.replace("S[8]", "S[9]", 1)), "line 1: the deck: S[9] is given twice"),
        (text_of(DECK + " S[8]"), "line 1: the deck: S[8] is given twice"),
        (text_of(DECK + " LJ"), "line 1: the deck: LJ is no card of this 52-card deck"),
        (text_of(DECK + " x" * 40_000), "line 1: more than 65536 characters"),
        (text_of("\n" + DECK), "line 1: the deck: C[3] is missing"),
        (f"{DECK}\n水球\n火球\n保齡球\n", "line 5: the name of player 3 is missing: 3 of 4 names are given"),
        (DECK, "line 2: the name of player 0 is missing: 0 of 4 names are given"),
        (text_of(names=["水球", "", "保齡球", "地瓜球"]), "line 3: the name '': allowed are printable characters"),
        (text_of(names=["水球", " \t", "保齡球", "地瓜球"]), "line 3: the name '': allowed are printable characters"),
        (text_of(names=["水球", "火球", "保\u200b齡球", "地瓜球"]), "line 4: the name '保\\u200b齡球': allowed are"),
        (text_of(names=["水球", "火球", "保齡球", "\ufeff地瓜球"]), "line 5: the name '\\ufeff地瓜球': allowed are"),
        (text_of(names=["水\x07球", "火球", "保齡球", "地瓜球"]), "line 2: the name '水\\x07球': allowed are"),
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
    assert err.startswith("big2: line 4: the name 'n\\udcff\\udcfe': allowed are")
    status, out, err = run_cli("run", stdin=text_of().encode("utf-16"))
    assert (status, out, err.count("\n")) == (2, "", 1)


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


def test_convert__goes_round_between_the_three_forms(tmp_path: Path) -> None:
    games = list(random_transcripts(BIG2, range(3)))
    logs = "".join(map(log.dumps, games))
    path = tmp_path / "games.jsonl"
    with path.open("w", encoding="utf-8") as file:
        records.dump(map(GameRecord, games), file)
    assert run_cli("convert", str(path)) == (0, logs, "")
    assert run_cli("convert", "--full-width", stdin=path.read_bytes()) == (0, logs.replace(",", "，"), "")
    assert run_cli("convert", str(path), "--to", "record") == (0, path.read_text("utf-8"), "")
    back = run_cli("convert", stdin=logs)
    assert run_cli("convert", stdin=back.out) == (0, logs, "")
    assert run_cli("convert", "--to", "log", stdin=logs) == (0, logs, "")
    given = spec_input.dumps(games[0])
    assert run_cli("convert", "--to", "input", stdin=path.read_text("utf-8").split("\n")[0]).out == given
    assert run_cli("convert", stdin=given).out == path.read_text("utf-8").split("\n")[0] + "\n"
    assert run_cli("convert", "--to", "log", stdin="\ufeff" + given).out == log.dumps(games[0])
    seats = run_cli("convert", "--to", "record", "--names", ",".join(games[1].names), stdin=log.dumps(games[1]))
    assert next(records.load(seats.out)).game == games[1].game


@pytest.mark.parametrize(
    ("args", "given", "says"),
    [
        ((), "", "line 1: the deck: C[3] is missing"),
        ((), '{"schema": 2}', "line 1: schema '2': allowed is 1"),
        ((), "\n\n{\n", "line 3: no JSON"),
        ((), SAMPLE_LOG[:100], "line 1: the log stops before anybody was asked"),
        (("--names", "水球,火球,地瓜球,保齡球"), SAMPLE_LOG, "line 14: asked are, in this order"),
        (("--names", "水球,火球"), SAMPLE_LOG, "2 names: big2 has 4 to 4"),
        (("--to", "input"), with_attempt("此牌型不合法,請再嘗試一次。"), "a refused attempt whose indices are not known"),
        ((), SAMPLE_LOG.replace("單張 C[5]\n", "單張 C[7]\n", 1), "line 9: C[7]: not in the hand"),
    ],
)
def test_convert__says_what_is_wrong(args: tuple[str, ...], given: str, says: str) -> None:
    status, _, err = run_cli("convert", *args, stdin=given)
    assert status == 2
    assert err.count("\n") == 1
    assert err.startswith(f"big2: {says}")


FUZZ = 20_000
SPICE = [
    "\n",
    "\r",
    "\ufeff",
    "\x00",
    "\u2028",
    "\u3000",
    "-1",
    "0 ",
    "S[",
    "C[3]",
    "]",
    "9" * 30,
    "٣",
    "\x1b[31m",
    "玩家",
    "-",
    " ",
]


def fuzz_inputs(rng: random.Random) -> Iterator[bytes]:
    """Random bytes, random tokens, random actions after a good start, and good games with many kinds of damage."""
    games = [*sorted(map(spec_input.dumps, random_transcripts(BIG2, range(40))), key=len)[:10], SAMPLE]
    cards = list(map(str, DECK_52.cards))
    while True:
        yield rng.randbytes(rng.randrange(60))
        yield " ".join(rng.choices([*cards, *SPICE], k=rng.randrange(70))).encode()
        rng.shuffle(cards)
        actions = [
            " ".join(str(rng.randrange(14)) for _ in range(rng.choice([1, 1, 1, 2, 5]))) for _ in range(rng.randrange(20))
        ]
        yield text_of(" ".join(cards), NAMES, [rng.choice([action, action, "-1"]) for action in actions]).encode()
        text = rng.choice(games)
        for _ in range(rng.randrange(1, 4)):
            text = damaged(text, rng)
        yield text.encode("utf-8", "surrogateescape")
        data = bytearray(rng.choice(games).encode())
        for _ in range(rng.randrange(1, 6)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        yield bytes(data)


def damaged(text: str, rng: random.Random) -> str:
    kind = rng.randrange(7)
    if kind == 0:
        return text[: rng.randrange(len(text) + 1)]
    if kind == 1:
        place = rng.randrange(len(text) + 1)
        return text[:place] + rng.choice(SPICE) + text[place:]
    if kind == 2:
        start = rng.randrange(len(text) + 1)
        return text[:start] + text[start + rng.randrange(1, 30) :]
    lines = text.split("\n")
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    if kind == 3:
        lines[first], lines[second] = lines[second], lines[first]
    elif kind == 4:
        lines.insert(first, lines[second])
    elif kind == 5:
        del lines[first]
    else:
        lines[first] = rng.choice(SPICE) * rng.randrange(4)
    return "\n".join(lines)


def answer_in_process(given: bytes) -> Answer:
    """What `big2 run` answers, without the parsing of its arguments."""
    out, err = StringIO(), StringIO()
    try:
        status = play(BytesIO(given), out, err, BIG2)
    except Exception as error:
        line = complaint(error)
        if line is None:
            raise
        print("big2:", line, file=err)
        status = STATUS["bad input"]
    return Answer(status, out.getvalue(), err.getvalue())


def test_fuzz__20_000_inputs_get_an_exit_status_and_one_line() -> None:
    statuses = dict.fromkeys((0, 2, 3), 0)
    for i, given in zip(range(FUZZ), fuzz_inputs(random.Random(20_260_000)), strict=False):
        answer = answer_in_process(given)
        statuses[answer.status] += 1
        assert answer.err.count("\n") == (1 if answer.status else answer.err.count("warning")), given
        assert len(answer.err) < 500, given
        answer.out.encode()
        if i % 40 == 0:  # the same through the whole command line
            whole = run_cli("run", stdin=given)
            assert (whole.status, whole.out) == (answer.status, answer.out)
            assert whole.err.count("\n") == answer.err.count("\n")
            assert "Traceback" not in whole.err
        if i % 20 == 3 and answer.out:  # whatever was played is a game by the rules
            assert log_reader.loads(answer.out).dumps() == answer.out
    assert min(statuses.values()) > FUZZ // 50, statuses


def test_fuzz__records_and_logs_get_a_game_or_one_line() -> None:
    rng = random.Random(4)
    games = list(random_transcripts(BIG2, range(10)))
    texts = [records.dumps(GameRecord(game)) for game in games] + [log.dumps(game) for game in games]
    kinds = set()
    for _ in range(400):
        text = rng.choice(texts)
        for _ in range(rng.randrange(1, 3)):
            text = damaged(text, rng)
        status, out, err = run_cli("convert", stdin=text.encode("utf-8", "surrogateescape"))
        kinds.add(status)
        assert (status, err.count("\n")) in ((0, 0), (2, 1)), text
        assert out or status, text
    assert kinds == {0, 2}


def test_transcript__of_a_run_is_the_game() -> None:
    """The log on stdout, read back, is the game that the same actions give in Python."""
    given, expected = finished_game()
    (transcript,) = random_transcripts(BIG2, [11])
    found = log_reader.loads(run_cli("run", stdin=given).out, names=transcript.names)
    assert found.transcript.game == transcript.game
    assert found.dumps() == expected
