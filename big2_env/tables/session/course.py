"""A game in the text format of the specification, looked through and checked: an input or a log, and an expected log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any, Final

from big2_env.base.errors import NotationError
from big2_env.base.language import Language, Words, words
from big2_env.climbing.events import Passed, Played, Said
from big2_env.climbing.hands import cards_at
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import BIG2
from big2_env.drawing.replay_page import Remark, replay_page
from big2_env.drawing.replays import game_replay
from big2_env.notation import log, log_reader, spec_input
from big2_env.notation.lines import Lines
from big2_env.notation.log_check import Difference, difference, is_full_width, ply_at
from big2_env.notation.sources import Form
from big2_env.notation.transcript import RefusedMove, Transcript

MOST_TEXT: Final = 1 << 17
"""Most characters of a text."""
MOST_ACTIONS: Final = 5_000
"""Most actions of an input, refused ones included."""


@dataclass(frozen=True)
class CourseGame:
    """A game that was read from a text.

    Args:
        form: `INPUT` or `LOG`.
        transcript: The game.
        log: Its log.
        last_line: Number of the last line that belongs to the game.
        surplus: Number of the first line after the end of the game; None if there is none.
    """

    form: Form
    transcript: Transcript
    log: str
    last_line: int
    surplus: int | None = None


def read_game(text: str, ruleset: RuleSet = BIG2) -> CourseGame:
    """Return the game of an input or a log, whichever the text is. Both may stop before the end of the game.

    Args:
        text: The text.
        ruleset: Rules of the game.

    Raises:
        NotationError: A line is not valid; the message gives its number and what was expected.
    """
    lines = Lines(text)
    first = lines.peek()
    if first is None:
        raise NotationError(f"line 1: expected a deck of {len(ruleset.deck.cards)} cards or a log, got an empty text")
    if not first.isascii():  # a log; only a deck has one card after another there
        read = log_reader.loads(text, ruleset)
        return CourseGame(Form.LOG, read.transcript, read.dumps(), text.rstrip().count("\n") + 1)
    transcript = spec_input.read_game(lines, ruleset, most_actions=MOST_ACTIONS)
    last = lines.number
    surplus = lines.number if transcript.game.is_over and lines.next_filled() is not None else None
    return CourseGame(Form.INPUT, transcript, log.dumps(transcript), last, surplus)


def check(game: CourseGame, expected: str, ruleset: RuleSet = BIG2) -> Difference | None:
    """Return the first line in which the log of a game differs from the expected one. Either comma is accepted.

    Raises:
        NotationError: The expected text is an input.
    """
    expected = expected.removeprefix("\ufeff")
    first = Lines(expected).peek() or ""
    if first.isascii() and len(first.split()) >= ruleset.cards_each(ruleset.default_players):
        raise NotationError(f"line 1: expected a log, which begins with {log.TRICK}, got an input")
    wide = is_full_width(expected)
    return difference(expected, log.dumps(game.transcript, full_width=wide) if game.form is Form.INPUT else game.log)


def course_answer(text: str, expected: str, lang: Language) -> dict[str, Any]:
    """Return the page of a game with what is remarkable about it, and the result of its check, as JSON values.

    Args:
        text: An input or a log.
        expected: The expected log; an empty text for none.
        lang: Language of the texts.

    Raises:
        NotationError: A line is not valid; the message gives its number and what was expected.
    """
    tr = words(lang)
    game = read_game(text.removeprefix("\ufeff"))
    transcript = game.transcript
    found = check(game, expected) if expected.strip() else None
    ply = None if found is None else ply_at(transcript, found.line)
    start = 0 if ply is None else ply
    shown = game_replay(transcript, lang=lang, start=start)
    remarks = _remarks(transcript, tr)
    if found is not None and ply is not None:
        remarks[ply].insert(0, Remark(tr("course.differs", line=found.line)))
    notes = []
    if game.surplus is not None:
        notes.append(tr("course.surplus", line=game.surplus))
    if not transcript.game.is_over:
        name = transcript.names[transcript.game.turn]
        notes.append(tr("course.ends_early", line=game.last_line, name=name))
    return {
        "form": game.form.value,
        "moves": len(transcript.game.history),
        "refused": sum(isinstance(event, RefusedMove) for event in transcript.events),
        "notes": notes,
        "log": game.log,
        "checked": bool(expected.strip()),
        "difference": None if found is None else _difference(found, start, tr),
        "page": replay_page([replace(shown, remarks=tuple(map(tuple, remarks)))]),
    }


def _difference(found: Difference, ply: int, tr: Words) -> dict[str, Any]:
    """Return a difference as JSON values; a line that does not exist is `None`."""
    turn = tr("check.turn", number=found.turn, name=found.name) if found.turn else tr("check.no_turn")
    return {"line": found.line, "turn": turn, "expected": found.expected, "got": found.got, "ply": ply}


def _remarks(transcript: Transcript, tr: Words) -> list[list[Remark]]:
    """Return the refused attempts before each move, and at the end, as remarks."""
    remarks: list[list[Remark]] = [[]]
    for event in transcript.events:
        if isinstance(event, Played | Passed | Said):
            remarks.append([])
        elif isinstance(event, RefusedMove):
            remarks[-1].append(Remark(_refused(transcript, event, tr)))
    return remarks


def _refused(transcript: Transcript, event: RefusedMove, tr: Words) -> str:
    """Return a refused attempt in words, with the cards if its indices have some."""
    name = transcript.names[event.seat]
    if event.is_pass:
        return tr("course.refused_pass", name=name)
    if event.slots is None or isinstance(event.slots, str):
        return tr("course.refused", name=name)
    return tr("course.refused_play", name=name, attempt=_attempt(transcript.game.ruleset, event.hand, event.slots))


def _attempt(ruleset: RuleSet, hand: int, slots: Sequence[int]) -> str:
    try:
        return ruleset.text(cards_at(ruleset, hand, slots))
    except NotationError:
        return " ".join(map(str, slots[:20]))


@cache
def sample_texts() -> dict[str, str]:
    """Return the sample of the specification: its input with the action that it lacks, and the log of that game."""
    text = (files("big2_env.notation") / "sample.in").read_text(encoding="utf-8")
    return {"input": text, "log": read_game(text).log}
