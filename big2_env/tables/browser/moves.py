"""Moves of people, at tables of one person and of several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from big2_env.base.errors import AmbiguousPlayError, IllegalPlayError, NotationError
from big2_env.base.language import Language, words
from big2_env.climbing.play import Play
from big2_env.tables.browser.messages import Refused, bad, cards_in
from big2_env.tables.browser.table import Table
from big2_env.text.selection import refusal_text, select_cards

MOST_MOVES: Final = 30_000
"""Most moves of a side game, so that its text stays within the limits of the store."""


def play(table: Table, owner: str, asked: Mapping[str, Any], lang: Language) -> None:
    """Make a person's move in a climbing game.

    Args:
        table: The table.
        owner: Digest of the person's secret.
        asked: Message, with the `cards`, none for a pass, and with the number of the `reading` if they form several plays.
        lang: Language of errors.

    Raises:
        Refused: The move is illegal or ambiguous, or it is not the person's turn (409), or the message is not valid (400).
    """
    seat = table.place_of(owner, lang, is_climbing=True)
    legal, reading = table.session.legal_of(seat), asked["reading"]
    mask = cards_in(legal.hand, asked["cards"])
    plays = () if reading is None else select_cards(legal, mask, words(lang)).plays
    if reading is not None and reading >= len(plays):
        raise bad(f"reading: expected a number below {len(plays)}, got {reading}")
    _make(table, seat, mask if reading is None else plays[reading], None, lang)


def say(table: Table, owner: str, asked: Mapping[str, Any], lang: Language) -> None:
    """Make a person's call in an auction.

    Args:
        table: The table.
        owner: Digest of the person's secret.
        asked: Message, with the `word`, such as `3` points or a pass.
        lang: Language of errors.

    Raises:
        Refused: The call is not allowed, or it is not the person's turn (409).
    """
    _make(table, table.place_of(owner, lang, is_climbing=True), 0, asked["word"], lang)


def _make(table: Table, seat: int, move: int | Play, word: str | None, lang: Language) -> None:
    with table.guard:
        try:
            table.session.play(move, word)
        except IllegalPlayError as error:
            mask = move if isinstance(move, int) else move.mask
            text = refusal_text(table.session.legal_of(seat), mask, error.refusal, words(lang))
            raise Refused(409, "illegal", text) from None
        except AmbiguousPlayError:
            raise Refused(409, "ambiguous", words(lang)("web.error_ambiguous")) from None
        table.moved_on()


def move(table: Table, owner: str, asked: Mapping[str, Any], lang: Language) -> None:
    """Make a person's moves in a side game, up to the first that is illegal or is another seat's.

    The moves before it stay: taken back, they would have shown cards that the person cannot see otherwise.

    Args:
        table: The table.
        owner: Digest of the person's secret.
        asked: Message, with the `moves` in the notation of records.
        lang: Language of errors.

    Raises:
        Refused: A text is not a move (400), the first move is illegal, the game is too long, or it is not the person's turn
            (409).
    """
    seat, session = table.place_of(owner, lang, is_climbing=False), table.session
    try:
        made = [session.game.parse_move(text) for text in asked["moves"]]
    except NotationError as error:
        raise bad(f"moves: {error}") from None
    if not made:
        raise bad("moves: expected at least one, got none")
    with table.guard:
        if not session.has_choices or len(session.game.history) + len(made) > MOST_MOVES:
            raise Refused(409, "illegal", words(lang)("side_play.refused"))
        for number, each in enumerate(made):
            if number and (session.is_over or session.turn != seat):
                break
            try:
                session.play(each)
            except IllegalPlayError:
                if not number:
                    raise Refused(409, "illegal", session.game.refusal_text(each, seat, words(lang))) from None
                break
        table.moved_on()
