"""Requests to a table, independent of transport: HTTP requests to a server, or messages from a page to its worker."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, Final, NamedTuple

from big2_env.base.errors import ConfigError, Refusal
from big2_env.base.language import Language, words
from big2_env.climbing.hands import readings
from big2_env.tables.browser import answers, deal_handlers, messages, moves
from big2_env.tables.browser.messages import Field, Refused, bad, cards_in
from big2_env.tables.browser.reviews import TableReview, review_answer, side_answer
from big2_env.tables.browser.shared_places import printable
from big2_env.tables.browser.shared_table import SharedTable
from big2_env.tables.browser.side_table import SideTable
from big2_env.tables.browser.table import Table
from big2_env.tables.browser.variants import elsewhere
from big2_env.tables.browser.web_table import WebTable
from big2_env.tables.session.watching import Watching
from big2_env.text.names import pattern_name
from big2_env.text.selection import select_cards

OWN: Final = (WebTable, SideTable)
SIDE: Final = (SideTable,)
SHARED: Final = (SharedTable,)
ANY: Final = (Table,)
MOST_PLAYS: Final = 400
"""Most plays that a page goes through with the keyboard."""


class Act(NamedTuple):
    """One kind of request to a table."""

    fields: Mapping[str, Field]
    """Keys of the message."""
    do: Callable[[Any, str, Mapping[str, Any], Language], Any]
    """Function of the table, the person, the message and the language that makes the change or returns the answer.

    It may return a function that returns the answer, which then needs no table that stays as it is.
    """
    thinks: bool = False
    """True if it takes as long as an agent thinks."""
    is_alone: bool = False
    """True if nothing may change the table meanwhile."""
    fits_any: bool = False
    """True if the `version` of the message is not compared with the table's."""
    kinds: tuple[type[Table], ...] = (WebTable,)
    """Kinds of table that it is for."""
    gives_up: bool = False
    """True if it may end a game that is not over."""
    is_kept: bool = False
    """True if the table is stored after the answer, because its text has changed."""
    is_hosts: bool = False
    """True if only the host of a table of several people may make it."""

    def expect(self, table: Table, owner: str, asked: Mapping[str, Any], lang: Language) -> None:
        """Refuse a request before it is made.

        Args:
            table: The table.
            owner: Digest of the person's secret.
            asked: Checked message.
            lang: Language of errors.

        Raises:
            Refused: Tables of this kind have no such request (404), the table has changed (409), or it is the host's (403).
        """
        if not isinstance(table, self.kinds):
            raise Refused(404, "http", "Not Found")
        if "version" in asked and not self.fits_any:
            table.expect(asked["version"], lang)
        if self.is_hosts:
            table.expect_host(owner, lang)

    def at(self, table: Table, owner: str, asked: Mapping[str, Any], lang: Language) -> Any:
        """Make the change, or return the answer; see `expect`.

        Raises:
            Refused: The request is refused.
        """
        self.expect(table, owner, asked, lang)
        return self.do(table, owner, asked, lang)


def look_from(table: WebTable, owner: str, asked: Mapping[str, Any], lang: Language) -> dict[str, Any]:
    """Show all hands of a table without a person, or what one seat sees, and return the state.

    Args:
        table: Table that the visitor watches.
        owner: Digest of the visitor's secret.
        asked: Message, with the `seat`; `None` for all hands.
        lang: Language of the state.

    Raises:
        Refused: The visitor has a seat at the table (409), or the seat does not exist (400).
    """
    if not isinstance(table.session, Watching):
        raise Refused(409, "not_watching", words(lang)("web.error_not_watching"))
    with table.guard:
        try:
            table.session.look_from(asked["seat"])
        except ConfigError as error:
            raise bad(f"seat: {error}") from None
        table.edition += 1
    return answers.state(table, owner, lang)


def look(table: Table, owner: str, asked: Mapping[str, Any], lang: Language) -> dict[str, Any]:
    """Return what selected cards are, and whether they may be played.

    Args:
        table: Table at which the person selects cards.
        owner: Digest of the person's secret.
        asked: Message, with the `cards`, such as `D[3]`.
        lang: Language of the texts.

    Raises:
        Refused: A text names no card (400), the person has no seat or no cards (409), or the game has no such question (404).
    """
    seat = table.place_of(owner, lang, is_climbing=True, moves=False)
    with table.guard:
        legal, version = table.session.legal_of(seat), table.version
    tr, rules = words(lang), legal.ruleset
    mask = cards_in(legal.hand, asked["cards"])
    found = select_cards(legal, mask, tr)
    known = found.plays or readings(rules, mask)
    return {
        "version": version,
        "legal": found.is_legal,
        "words": (found.refusal is Refusal.NO_PATTERN and elsewhere(rules, mask, tr)) or found.words,
        "pattern": pattern_name(rules, known[0].pattern, tr) if known else "",
        "readings": [answers.shown_move_json(rules, seat, play, tr) for play in found.plays] if len(found.plays) > 1 else [],
    }


def plays(table: Table, owner: str, asked: Mapping[str, Any], lang: Language) -> dict[str, Any]:
    """Return the cards of the person's legal plays, at most `MOST_PLAYS` of them, without passes.

    Args:
        table: Table at which the person plays. The list is empty unless it waits for the person.
        owner: Digest of the person's secret.
        asked: Message.
        lang: Language of errors.

    Raises:
        Refused: The person has no seat or no cards (409), or the game has no such question (404).
    """
    seat = table.place_of(owner, lang, is_climbing=True, moves=False)
    with table.guard:
        legal, is_asked, version = table.session.legal_of(seat), table.waits_for(seat), table.version
    masks = dict.fromkeys(play.mask for play in legal if play.mask) if is_asked else {}
    order = legal.ruleset.order
    return {"version": version, "plays": [[str(card) for card in order.sort(mask)] for mask in islice(masks, MOST_PLAYS)]}


def review(table: Table, owner: str, asked: Mapping[str, Any], lang: Language) -> Callable[[], dict[str, Any]]:
    """Return a function that returns the page of a finished game with the values so far, or judges a little more.

    Every answer has the progress, and what is known of the verdict: sentence, best move, costly decisions and turning point.
    At a table of one visitor who played it has the record.

    Args:
        table: Table whose game is over.
        owner: Digest of the person's secret.
        asked: Message, with the `step`, which is 0 for the page and 1 to continue.
        lang: Language of the page.

    Raises:
        Refused: The game is not over (409); the function raises it if the game cannot be judged.
    """
    with table.guard:
        session, seat = table.expect_over(lang), table.seat_of(owner)
        names = tuple(map(printable, table.names_for(owner, lang)))
        game, players, known = session.game, table.players(), table.reviews
        if table.is_climbing and seat not in known:
            known[seat] = TableReview(game.copy(), seat or 0, players, table.reviewer)
        found = known.get(seat)
    more = {} if table.is_shared or found is None or seat is None else {"record": table.record()}

    def answer() -> dict[str, Any]:
        try:
            if found is None:
                return side_answer(game, names, asked["step"], lang)
            return review_answer(found, names, seat, asked["step"], lang) | more
        except ConfigError as error:
            raise Refused(409, "no_review", words(lang)("web.error_review", reason=str(error))) from None

    return answer


def record(table: Table, lang: Language) -> str:
    """Return the record of a finished game as a line of JSON.

    Raises:
        Refused: The game is not over, and its record contains hidden cards (409).
    """
    table.expect_over(lang)
    return table.record()


CHANGES: Final[Mapping[str, Act]] = {
    "play": Act(messages.PLAY, moves.play, kinds=ANY),
    "say": Act(messages.SAY, moves.say, kinds=ANY),
    "move": Act(messages.MOVE, moves.move, kinds=ANY),
    "advance": Act(messages.VERSION, lambda table, who, asked, lang: table.advance(lang), thinks=True, kinds=OWN),
    "undo": Act(messages.VERSION, lambda table, who, asked, lang: table.undo(who, lang), kinds=ANY),
    "deal": Act(
        messages.VERSION, lambda table, who, asked, lang: table.next_deal(lang), kinds=ANY, gives_up=True, is_hosts=True
    ),
    "watch": Act(messages.WATCH, lambda table, who, asked, lang: table.watch(asked["count"], lang), kinds=SIDE),
    "guess": Act(messages.GUESS, lambda table, who, asked, lang: table.guess(asked["seat"], lang), kinds=SIDE),
    "consent": Act(messages.CONSENT, lambda table, who, asked, lang: table.consent(who, asked["yes"] == 1, lang), kinds=SHARED),
    "sight": Act(messages.LOOK_FROM, lambda table, who, asked, lang: table.ask_sight(who, asked["seat"], lang), kinds=SHARED),
    "show": Act(
        messages.SHOW, lambda table, who, asked, lang: table.show(who, asked["number"], asked["yes"] == 1, lang), kinds=SHARED
    ),
    "back": Act(messages.VERSION, lambda table, who, asked, lang: table.back(who), kinds=SHARED),
    "rename": Act(messages.NAME, lambda table, who, asked, lang: table.rename(who, asked["name"], lang), kinds=SHARED),
    "leave": Act({}, lambda table, who, asked, lang: table.leave(who), kinds=SHARED),
    "start": Act(messages.VERSION, lambda table, who, asked, lang: table.start(lang), kinds=SHARED, is_hosts=True),
    "link": Act(messages.VERSION, lambda table, who, asked, lang: table.renew(), kinds=SHARED, is_hosts=True),
    "seat": Act(
        messages.SEAT,
        lambda table, who, asked, lang: table.set_seat(asked["seat"], asked["kind"], asked["agent"], lang),
        kinds=SHARED,
        is_hosts=True,
    ),
}
"""Requests that change a table, answered with its new state. Those with `version` are accepted only for the current one."""
QUESTIONS: Final[Mapping[str, Act]] = {
    "look": Act(messages.CARDS, look, kinds=(WebTable, SharedTable)),
    "plays": Act(messages.VERSION, plays, fits_any=True, kinds=(WebTable, SharedTable)),
    "review": Act(messages.REVIEW, review, thinks=True, is_alone=True, kinds=ANY),
    "look_from": Act(messages.LOOK_FROM, look_from, is_kept=True),
    "hint": Act(
        messages.VERSION, lambda table, who, asked, lang: table.hint(lang), thinks=True, is_alone=True, is_kept=True, kinds=OWN
    ),
    "check": Act(
        messages.CHECK,
        lambda table, who, asked, lang: table.check(asked["cards"] or [], asked["reading"] or 0, asked["word"], lang),
        thinks=True,
        is_alone=True,
    ),
    "compare": Act(messages.VERSION, deal_handlers.compare, thinks=True),
    "chance": Act(
        messages.VERSION,
        lambda table, who, asked, lang: table.chance(lang),  # names the version that it is for
        thinks=True,
        fits_any=True,
        kinds=SIDE,
    ),
}
"""Requests that change no game."""
