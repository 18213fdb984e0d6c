"""Thousands of inputs that nobody meant, and damaged records and logs: an exit status and one line."""

from __future__ import annotations

import random
from collections.abc import Iterator
from io import BytesIO, StringIO

import pytest
from random_transcripts import random_transcripts
from run_cli import Answer, run_cli
from sample_text import NAMES, SAMPLE, text_of

from big2_env import BIG2, DECK_52
from big2_env.cli import STATUS, complaint
from big2_env.cli._text_game import play
from big2_env.notation import log, log_reader, records, spec_input
from big2_env.notation.records import GameRecord

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


@pytest.mark.parametrize("inputs", [5_000, pytest.param(20_000, marks=pytest.mark.release)])
def test_fuzz__inputs_get_an_exit_status_and_one_line(inputs: int) -> None:
    statuses = dict.fromkeys((0, 2, 3), 0)
    for i, given in zip(range(inputs), fuzz_inputs(random.Random(20_260_000)), strict=False):
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
    assert min(statuses.values()) > inputs // 50, statuses


def test_fuzz__records_and_logs_get_a_game_or_one_line() -> None:
    rng = random.Random(4)
    games = list(random_transcripts(BIG2, range(10)))
    texts = [records.dumps(GameRecord(game)) for game in games] + [log.dumps(game) for game in games]
    kinds = set()
    for _ in range(150):
        text = rng.choice(texts)
        for _ in range(rng.randrange(1, 3)):
            text = damaged(text, rng)
        status, out, err = run_cli("convert", stdin=text.encode("utf-8", "surrogateescape"))
        kinds.add(status)
        assert (status, err.count("\n")) in ((0, 0), (2, 1)), text
        assert out or status, text
    assert kinds == {0, 2}
