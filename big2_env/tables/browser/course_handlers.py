"""Requests of the page for games in the text format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from big2_env.base.errors import NotationError
from big2_env.base.language import Language, words
from big2_env.tables.browser.messages import Field, Refused
from big2_env.tables.session.course import MOST_TEXT, course_answer, sample_texts

MAX_BODY: Final = 1 << 21
"""Most bytes of a request's body, which holds two texts."""
COURSE: Final = {"text": Field(str, MAX_BODY), "expected": Field(str, MAX_BODY)}
"""Keys of the message: an input or a log, and the expected log or an empty text."""


def sample() -> dict[str, Any]:
    """Return the sample of the specification, and the most characters of a text."""
    return sample_texts() | {"most": MOST_TEXT}


def course(asked: Mapping[str, Any], lang: Language) -> dict[str, Any]:
    """Return the page of a game in the text format and the result of its check, or the `problem` of a text that has no game.

    Args:
        asked: Checked message.
        lang: Language of texts and errors.

    Raises:
        Refused: A text is too long (413).
    """
    tr = words(lang)
    for text in asked.values():
        if len(text) > MOST_TEXT:
            raise Refused(413, "too_large", tr("course.too_long", count=f"{len(text):,}", most=f"{MOST_TEXT:,}"))
    try:
        return course_answer(asked["text"], asked["expected"], lang)
    except NotationError as error:
        return {"problem": tr("course.game", reason=str(error))}
