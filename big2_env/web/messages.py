"""What pages send: JSON objects, strictly checked, and the errors that answer those that are none."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from big2_env.cards import NUM_FACES
from big2_env.errors import NotationError
from big2_env.json_values import parse_object, shown
from big2_env.notation.copies import mask_of
from big2_env.rng import MASK_64

MAX_BODY: Final = 1 << 14
"""Most bytes of a request's body."""
MAX_INTEGER: Final = (1 << 53) - 1
"""The largest whole number that a page can hold exactly."""


class Refused(Exception):  # noqa: N818  # an answer, and as expected as any other
    """A request that is answered with an error and has changed nothing.

    Args:
        status: the HTTP status.
        code: the error as a word for programs.
        message: the error for people.
        state: the table as it is, where that helps the page to go on.
    """

    def __init__(self, status: int, code: str, message: str, state: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.state = state


def bad(message: str) -> Refused:
    """A request that no page of ours sends."""
    return Refused(400, "bad_request", message)


@dataclass(frozen=True)
class Field:
    """What a value of a message must be.

    Args:
        kind: `int`, `str` or `list` (of texts).
        most: the largest number, the longest text, the most texts.
        required: False if the key may be missing or `null`.
    """

    kind: type[Any]
    most: int
    required: bool = True

    def read(self, key: str, value: Any) -> Any:
        """Return a value that is as expected.

        Raises:
            Refused: with status 400; it is not.
        """
        if value is None and not self.required:
            return None
        if isinstance(value, bool) or not isinstance(value, self.kind):
            raise bad(f"{key}: expected {_KINDS[self.kind]}, got {shown(value)}")
        if isinstance(value, int):
            if not 0 <= value <= self.most:
                raise bad(f"{key}: expected a number from 0 to {self.most}, got {shown(value)}")
            return value
        assert isinstance(value, (str, list))
        if len(value) > self.most:
            raise bad(f"{key}: expected at most {self.most} {_PARTS[self.kind]}, got {len(value)}")
        if isinstance(value, list) and not all(isinstance(one, str) and len(one) <= MAX_TEXT for one in value):
            raise bad(f"{key}: expected texts of at most {MAX_TEXT} characters")
        return value


@dataclass(frozen=True)
class Seed(Field):
    """A seed of 64 bits in decimal digits, because a page cannot hold it as a number; a number that it can hold is read too."""

    kind: type[Any] = int
    most: int = MAX_INTEGER

    def read(self, key: str, value: Any) -> Any:
        """Return the seed as a number.

        Raises:
            Refused: with status 400; it is none.
        """
        if not isinstance(value, str):
            return super().read(key, value)
        if not _DIGITS.fullmatch(value) or int(value) > MASK_64:
            raise bad(f"{key}: expected a whole number from 0 to {MASK_64}, got {shown(value)}")
        return int(value)


_DIGITS: Final = re.compile("[0-9]{1,20}")
_KINDS: Final[dict[type[Any], str]] = {int: "a whole number", str: "a text", list: "a list of texts"}
_PARTS: Final[dict[type[Any], str]] = {str: "characters", list: "texts"}
MAX_TEXT: Final = 40
"""Most characters of a text in a list."""

VERSION: Final = {"version": Field(int, MAX_INTEGER)}
CREATE: Final = {
    "game": Field(str, 60),
    "opponents": Field(list, 20),
    "seat": Field(int, 20, required=False),
    "seed": Seed(required=False),
}
CARDS: Final = {"cards": Field(list, 2 * NUM_FACES)}
PLAY: Final = VERSION | CARDS | {"reading": Field(int, 100, required=False)}
SAY: Final = VERSION | {"word": Field(str, 20)}
REVIEW: Final = VERSION | {"step": Field(int, 1)}
TOKEN: Final = {"token": Field(str, 200)}


def read(body: bytes, fields: Mapping[str, Field]) -> dict[str, Any]:
    """The object of a request's body, with exactly these keys; those that are missing and may be are `None`.

    Raises:
        Refused: with status 400, and what was expected.
    """
    try:
        data = parse_object(body.decode("utf-8"))
    except UnicodeDecodeError:
        raise bad("the body is not UTF-8") from None
    except NotationError as error:
        raise bad(str(error)) from None
    if unknown := sorted(set(data) - set(fields)):
        raise bad(f"unknown key {shown(unknown[0])}; expected {', '.join(fields)}")
    for key, field in fields.items():
        if field.required and key not in data:
            raise bad(f"{key}: expected {_KINDS[field.kind]}, got nothing")
    return {key: field.read(key, data.get(key)) for key, field in fields.items()}


def cards_in(hand: int, texts: list[str]) -> int:
    """The cards of a hand that texts name, as a mask; a text that stands there twice is both copies.

    Cards that the hand does not hold are in the mask too, for the rules to refuse.

    Raises:
        Refused: with status 400: a text that names no card, or one card too often.
    """
    mask = 0
    for text in texts:
        try:
            face = mask_of(text)
        except NotationError as error:
            raise bad(f"cards: {error}") from None
        if face.bit_count() != 1 or face >= 1 << NUM_FACES:
            raise bad(f"cards: expected one card in each text, got {shown(text)}")
        copies = [copy for copy in (face, face << NUM_FACES) if not mask & copy]
        if not copies:
            raise bad(f"cards: {text} is named three times")
        mask |= next((copy for copy in copies if hand & copy), copies[0])
    return mask
