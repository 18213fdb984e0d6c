"""What a person does and asks at a table, whatever carries the messages: a server's requests, or a page to its own worker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from big2_env.errors import ConfigError
from big2_env.language import Language, words
from big2_env.web import answers, messages
from big2_env.web.messages import Field, Refused
from big2_env.web.web_table import WebTable, review


class Act(NamedTuple):
    """One kind of message to a table."""

    fields: Mapping[str, Field]
    """What the message must hold."""
    do: Callable[[WebTable, Mapping[str, Any], Language], Any]
    """Does it, or answers it."""
    thinks: bool = False
    """True if it takes as long as an agent thinks."""
    is_alone: bool = False
    """True if nothing may change the table meanwhile."""


def hint(table: WebTable, asked: Mapping[str, Any], lang: Language) -> dict[str, Any]:
    """What the adviser thinks of the person's best acts.

    Raises:
        Refused: with status 409; the table has moved on, or the adviser has nothing to say.
    """
    table.expect(asked["version"], lang)
    try:
        return answers.hint(table, lang)
    except ConfigError as error:
        raise Refused(409, "no_hint", words(lang)("web.error_hint", reason=str(error))) from None


def record(table: WebTable, lang: Language) -> str:
    """The record of a game that is over, a line of JSON.

    Raises:
        Refused: with status 409; the game goes on, and its record names hidden cards.
    """
    table.expect_over(lang)
    return answers.record(table)


CHANGES: Final[Mapping[str, Act]] = {
    "advance": Act(messages.VERSION, lambda table, asked, lang: table.advance(lang), thinks=True),
    "play": Act(messages.PLAY, lambda table, asked, lang: table.play(asked["cards"], asked["reading"], lang)),
    "say": Act(messages.SAY, lambda table, asked, lang: table.bid(asked["word"], lang)),
    "undo": Act(messages.VERSION, lambda table, asked, lang: table.undo(lang)),
    "deal": Act(messages.VERSION, lambda table, asked, lang: table.next_deal()),
}
"""What changes a table: made if it was meant for the table as it is, and answered with the state that comes of it."""
QUESTIONS: Final[Mapping[str, Act]] = {
    "look": Act(messages.CARDS, lambda table, asked, lang: answers.looked(table, asked["cards"], lang)),
    "hint": Act(messages.VERSION, hint, thinks=True, is_alone=True),
    "review": Act(messages.REVIEW, review, thinks=True),
}
"""What changes nothing that the person sees."""
