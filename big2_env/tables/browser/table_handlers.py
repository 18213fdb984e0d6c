"""Requests to a table, independent of transport: HTTP requests to a server, or messages from a page to its worker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, words
from big2_env.tables.browser import answers, deal_handlers, messages, side_answers
from big2_env.tables.browser.messages import Field, Refused, bad
from big2_env.tables.browser.reviews import TableReview, review_answer, side_answer
from big2_env.tables.browser.side_table import SideTable
from big2_env.tables.browser.web_table import WebTable
from big2_env.tables.session.watching import Watching

AnyTable: TypeAlias = WebTable | SideTable
ANY: Final = (WebTable, SideTable)
SIDE_ONLY: Final = (SideTable,)


class Act(NamedTuple):
    """One kind of request to a table."""

    fields: Mapping[str, Field]
    """Keys of the message."""
    do: Callable[[Any, Mapping[str, Any], Language], Any]
    """Function that makes the change or returns the answer."""
    thinks: bool = False
    """True if it takes as long as an agent thinks."""
    is_alone: bool = False
    """True if nothing may change the table meanwhile."""
    kinds: tuple[type[AnyTable], ...] = (WebTable,)
    """Kinds of table that it is for."""

    def at(self, table: AnyTable, asked: Mapping[str, Any], lang: Language) -> Any:
        """Make the change, or return the answer.

        Args:
            table: The table.
            asked: Checked message.
            lang: Language of texts and errors.

        Raises:
            Refused: Tables of this kind have no such request (404), or it is refused.
        """
        if not isinstance(table, self.kinds):
            raise Refused(404, "http", "Not Found")
        return self.do(table, asked, lang)


def state(table: AnyTable, lang: Language) -> dict[str, Any]:
    """Return a table as its person sees it now."""
    return side_answers.state(table, lang) if isinstance(table, SideTable) else answers.state(table, lang)


def hint(table: AnyTable, asked: Mapping[str, Any], lang: Language) -> dict[str, Any]:
    """Return the adviser's view of the person's best moves.

    Args:
        table: Table at which the person asks.
        asked: Message, with the table's `version`.
        lang: Language of the texts.

    Raises:
        Refused: The table has changed, or the adviser gives no advice (409).
    """
    table.expect(asked["version"], lang)
    if isinstance(table, SideTable):
        return side_answers.hint(table, lang)
    try:
        return answers.hint(table, lang)
    except ConfigError as error:
        raise Refused(409, "no_hint", words(lang)("web.error_hint", reason=str(error))) from None


def check(table: WebTable, asked: Mapping[str, Any], lang: Language) -> dict[str, Any]:
    """Return a question to ask before a move that is a blunder.

    Args:
        table: Table at which the person is about to move.
        asked: Message, with the table's `version` and the move.
        lang: Language of the question.

    Raises:
        Refused: The table has changed (409), or a text names no card (400).
    """
    table.expect(asked["version"], lang)
    return answers.checked(table, asked["cards"] or [], asked["reading"] or 0, asked["word"], lang)


def look_from(table: WebTable, asked: Mapping[str, Any], lang: Language) -> dict[str, Any]:
    """Show all hands of a table without a person, or what one seat sees, and return the state.

    Args:
        table: Table that the visitor watches.
        asked: Message, with the `seat`; `None` for all hands.
        lang: Language of the state.

    Raises:
        Refused: The visitor has a seat at the table (409), or the seat does not exist (400).
    """
    if not isinstance(table.session, Watching):
        raise Refused(409, "not_watching", words(lang)("web.error_not_watching"))
    try:
        table.session.look_from(asked["seat"])
    except ConfigError as error:
        raise bad(f"seat: {error}") from None
    return answers.state(table, lang)


def look(table: WebTable, asked: Mapping[str, Any], lang: Language) -> dict[str, Any]:
    """Return what selected cards are, and whether they may be played.

    Args:
        table: Table at which the person selects cards.
        asked: Message, with the `cards`.
        lang: Language of the texts.

    Raises:
        Refused: A text names no card (400).
    """
    now = table.now
    return {"version": now.version, **answers.looked(now.legal, table.session.seat, asked["cards"], lang)}


def plays(table: WebTable, asked: Mapping[str, Any], lang: Language) -> dict[str, Any]:
    """Return the cards of the person's legal plays.

    Args:
        table: Table at which the person plays.
        asked: Message.
        lang: Language of the texts.
    """
    now = table.now
    return {"version": now.version, "plays": answers.plays(now.legal, now.is_asked)}


def review(table: AnyTable, asked: Mapping[str, Any], lang: Language) -> dict[str, Any]:
    """Return the page of a finished game with the values so far, or judge a little more.

    Every answer has the progress and the record, and the person's best move, costly decisions and the turning point as far as
    they are known.

    Args:
        table: Table whose game is over.
        asked: Message, with the table's `version` and `step`, which is 0 for the page and 1 to continue.
        lang: Language of the page.

    Raises:
        Refused: The table has changed, the game is not over, or it cannot be judged (409).
    """
    table.expect(asked["version"], lang)
    try:
        if isinstance(table, SideTable):
            return side_answer(table.expect_over(lang), side_answers.names(table, lang), asked["step"], lang)
        game, session = table.expect_over(lang).game, table.session
        if table.review is None or table.review.game is not game:
            table.review = TableReview(game, session.seat, session.specs(), table.reviewer)
        found = review_answer(table.review, tuple(session.names_in(lang)), session.seat, asked["step"], lang)
        return found | {"record": answers.record(table)}
    except ConfigError as error:
        raise Refused(409, "no_review", words(lang)("web.error_review", reason=str(error))) from None


def record(table: AnyTable, lang: Language) -> str:
    """Return the record of a finished game as a line of JSON.

    Raises:
        Refused: The game is not over, and its record contains hidden cards (409).
    """
    table.expect_over(lang)
    return side_answers.record(table) if isinstance(table, SideTable) else answers.record(table)


CHANGES: Final[Mapping[str, Act]] = {
    "advance": Act(messages.VERSION, lambda table, asked, lang: table.advance(lang), thinks=True, kinds=ANY),
    "play": Act(messages.PLAY, lambda table, asked, lang: table.play(asked["cards"], asked["reading"], lang)),
    "say": Act(messages.SAY, lambda table, asked, lang: table.bid(asked["word"], lang)),
    "undo": Act(messages.VERSION, lambda table, asked, lang: table.undo(lang), kinds=ANY),
    "deal": Act(messages.VERSION, lambda table, asked, lang: table.next_deal(), kinds=ANY),
    "move": Act(messages.MOVE, lambda table, asked, lang: table.move(asked["moves"], lang), kinds=SIDE_ONLY),
    "watch": Act(messages.WATCH, lambda table, asked, lang: table.watch(asked["count"], lang), kinds=SIDE_ONLY),
    "guess": Act(messages.GUESS, lambda table, asked, lang: table.guess(asked["seat"], lang), kinds=SIDE_ONLY),
}
"""Requests that change a table: accepted if made for its current version, answered with its new state."""
QUESTIONS: Final[Mapping[str, Act]] = {
    "look": Act(messages.CARDS, look),
    "look_from": Act(messages.LOOK_FROM, look_from),
    "plays": Act(messages.VERSION, plays),
    "hint": Act(messages.VERSION, hint, thinks=True, is_alone=True, kinds=ANY),
    "check": Act(messages.CHECK, check, thinks=True, is_alone=True),
    "review": Act(messages.REVIEW, review, thinks=True, kinds=ANY),
    "compare": Act(messages.VERSION, deal_handlers.compare, thinks=True),
    "chance": Act(
        messages.VERSION,
        lambda table, asked, lang: side_answers.chance(table, lang),  # names the version that it is for
        thinks=True,
        kinds=SIDE_ONLY,
    ),
}
"""Requests that change nothing in the game."""
