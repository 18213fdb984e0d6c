"""The game of the specification's sample as text, whole, varied and damaged on purpose; and a game that ends."""

from __future__ import annotations

from places import DATA
from random_transcripts import random_transcripts

from big2_env import BIG2
from big2_env.notation import log, spec_input

SAMPLE = (DATA / "game.in").read_text("utf-8")
SAMPLE_LOG = (DATA / "game.out").read_text("utf-8")
DECK, *_rest = SAMPLE.splitlines()
NAMES, ACTIONS = _rest[:4], _rest[4:]


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
