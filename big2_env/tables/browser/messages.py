"""Messages from pages: strictly checked JSON objects, and the errors that answer invalid ones."""

from __future__ import annotations

import hmac
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from big2_env.base.cards import DECK_108, NUM_FACES, as_mask
from big2_env.base.errors import NotationError, quoted
from big2_env.base.json_values import parse_object, shown
from big2_env.base.language import Language, words
from big2_env.base.outside import text_of
from big2_env.base.rng import MASK_64

log = logging.getLogger(__name__)

MAX_BODY: Final = 1 << 14
"""Most bytes of a request body."""
MAX_INTEGER: Final = (1 << 53) - 1
"""Largest whole number that JavaScript holds exactly."""


class Refused(Exception):  # noqa: N818  # an answer, and as expected as any other
    """A request that is answered with an error and has changed nothing.

    Args:
        status: HTTP status.
        code: Error as a word for programs.
        message: Error for people.
        state: Current state of the table, if it helps the page to continue.
    """

    def __init__(self, status: int, code: str, message: str, state: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.state = state

    def as_json(self) -> dict[str, Any]:
        """Return the body of the answer."""
        found: dict[str, Any] = {"error": self.code, "message": str(self)}
        return found if self.state is None else found | {"state": self.state}


def same(given: str, expected: str) -> bool:
    """Return whether two texts are equal, in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), expected.encode())


def bad(message: str) -> Refused:
    """Return the error for a request that our pages never send."""
    return Refused(400, "bad_request", message)


def unknown(lang: Language) -> Refused:
    """Return the error for a table that does not exist, or at which the visitor has no place."""
    return Refused(404, "unknown_table", words(lang)("web.error_unknown"))


def no_room(*, is_own: bool, lang: Language) -> Refused:
    """Return the error for a new table of a visitor, or of a server, with too many."""
    status, code, text = (429, "busy", "many_new") if is_own else (503, "full", "full")
    return Refused(status, code, words(lang)(f"web.error_{text}"))


def not_read(error: Exception, lang: Language) -> Refused:
    """Return the error for a table that cannot be read, and log why."""
    log.warning("a table cannot be read: %s", error)
    return Refused(503, "not_read", words(lang)("web.error_not_read"))


def not_saved(lang: Language) -> Refused:
    """Return the error for a change that could not be stored."""
    return Refused(503, "not_saved", words(lang)("web.error_not_saved"))


@dataclass(frozen=True)
class Field:
    """Type and limits of a value in a message.

    Args:
        kind: `int`, `str` or `list` (of texts).
        most: Largest number, or most characters or list entries.
        required: False if the key may be missing or `null`.
    """

    kind: type[Any]
    most: int
    required: bool = True

    def read(self, key: str, value: Any) -> Any:
        """Return a value after checking it.

        Raises:
            Refused: The value is not valid (400).
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
    """A 64-bit seed as a string of decimal digits, because JavaScript cannot hold it as a number.

    A number up to 2^53 - 1 is accepted too.
    """

    kind: type[Any] = int
    most: int = MAX_INTEGER

    def read(self, key: str, value: Any) -> Any:
        """Return the seed as a number.

        Raises:
            Refused: The value is not a seed (400).
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
    "watch": Field(int, 1, required=False),
}
DEAL: Final = {"game": Field(str, 60), "name": Field(str, 40)}
LOOK_FROM: Final = {"seat": Field(int, 20, required=False)}
CARDS: Final = {"cards": Field(list, 2 * NUM_FACES)}
PLAY: Final = VERSION | CARDS | {"reading": Field(int, 100, required=False)}
SAY: Final = VERSION | {"word": Field(str, 20)}
CHECK: Final = VERSION | {
    "cards": Field(list, 2 * NUM_FACES, required=False),
    "reading": Field(int, 100, required=False),
    "word": Field(str, 20, required=False),
}
STEP: Final = {"step": Field(int, 1)}
REVIEW: Final = VERSION | STEP
PRACTICE: Final = {"record": Field(str, 12_000), "ply": Field(int, MAX_INTEGER)}
MOVE: Final = VERSION | {"moves": Field(list, 200)}
WATCH: Final = VERSION | {"count": Field(int, 30_000)}
GUESS: Final = VERSION | {"seat": Field(int, 20)}
PUZZLE: Final = {
    "moves": Field(str, 4_000),
    "shown": Field(int, 1, required=False),
    "cards": Field(list, 2 * NUM_FACES, required=False),
    "reading": Field(int, 100, required=False),
}
TOKEN: Final = {"token": Field(str, 200)}

INVITE: Final = {"invite": Field(str, 64)}
NAME: Final = {"name": Field(str, 200)}
CREATE_SHARED: Final = NAME | {
    "game": Field(str, 60),
    "seats": Field(int, 20),
    "agent": Field(str, 60, required=False),
    "clock": Field(int, 600),
}
JOIN: Final = INVITE | NAME
SEAT: Final = VERSION | {"seat": Field(int, 20), "kind": Field(str, 20), "agent": Field(str, 60, required=False)}
YES: Final = {"yes": Field(int, 1)}
CONSENT: Final = VERSION | YES
SHOW: Final = YES | {"number": Field(int, MAX_INTEGER)}


def read(body: bytes, fields: Mapping[str, Field]) -> dict[str, Any]:
    """Return the object in a request body, with `None` for optional keys that are missing.

    Args:
        body: Body of the request.
        fields: Every key that the object may have.

    Raises:
        Refused: The body does not match the fields (400).
    """
    try:
        data = parse_object(text_of(body))
    except NotationError as error:
        raise bad(str(error)) from None
    return checked(data, fields)


def checked(data: Mapping[str, Any], fields: Mapping[str, Field]) -> dict[str, Any]:
    """Return an object after checking it, with `None` for optional keys that are missing.

    Args:
        data: The object.
        fields: Every key that the object may have.

    Raises:
        Refused: The object does not match the fields (400).
    """
    if unknown := sorted(set(data) - set(fields)):
        raise bad(f"unknown key {quoted(unknown[0])}; expected {', '.join(fields)}")
    for key, field in fields.items():
        if field.required and key not in data:
            raise bad(f"{key}: expected {_KINDS[field.kind]}, got nothing")
    return {key: field.read(key, data.get(key)) for key, field in fields.items()}


def cards_in(hand: int, texts: list[str]) -> int:
    """Return the cards that texts name, as a mask; a text that occurs twice names both copies.

    The mask may contain cards that are not in the hand; the rules refuse them later.

    Args:
        hand: Mask of the hand, which decides the copy if there are two decks.
        texts: Cards, such as `D[3]`.

    Raises:
        Refused: A text does not name one card, or a card is named too often (400).
    """
    if any(len(text.split()) != 1 for text in texts):
        raise bad(f"cards: expected one card in each text, got {shown(texts)}")
    try:
        return as_mask(" ".join(texts), hand | DECK_108.mask >> NUM_FACES << NUM_FACES)
    except NotationError as error:
        raise bad(f"cards: {error}") from None
