"""Moves of people at a table of several people."""

from __future__ import annotations

from typing import Any

from big2_env.base.language import Language, words
from big2_env.climbing.play import Play
from big2_env.tables.browser import moves
from big2_env.tables.browser.messages import Refused
from big2_env.tables.browser.shared_table import SharedTable
from big2_env.tables.session.shared_session import MOST_MOVES, SharedClimbing, SharedSide


def _asked(table: SharedTable, owner: str, lang: Language, kind: type[Any]) -> Any:
    """Return the game in which a person is to move.

    Raises:
        Refused: The game is of another kind (404), or it is not the person's turn (409).
    """
    seat = table.own_seat(owner, lang)
    if table.session is None or table.session.is_over:
        raise Refused(409, "not_playing", words(lang)("web.error_not_playing"))
    if not isinstance(table.session, kind):
        raise Refused(404, "http", "Not Found")
    if table.session.turn != seat:
        raise Refused(409, "not_your_turn", words(lang)("web.error_turn", name=table.names(lang)[table.session.turn]))
    return table.session


def play(table: SharedTable, owner: str, texts: list[str], reading: int | None, lang: Language) -> None:
    """Make a person's move in a climbing game.

    Args:
        table: The table.
        owner: Digest of the person's secret.
        texts: Cards, such as `D[3]`; none for a pass.
        reading: Number of the interpretation, if the cards form several plays.
        lang: Language of errors.

    Raises:
        Refused: The move is illegal or ambiguous, or it is not the person's turn (409), or the message is not valid (400).
    """
    session: SharedClimbing = _asked(table, owner, lang, SharedClimbing)
    _move(table, session, moves.chosen(session.legal(session.turn), texts, reading, lang), None, lang)


def say(table: SharedTable, owner: str, word: str, lang: Language) -> None:
    """Make a person's call in an auction.

    Args:
        table: The table.
        owner: Digest of the person's secret.
        word: Call.
        lang: Language of errors.

    Raises:
        Refused: The call is not allowed, or it is not the person's turn (409).
    """
    _move(table, _asked(table, owner, lang, SharedClimbing), 0, word, lang)


def _move(table: SharedTable, session: SharedClimbing, move: int | Play, word: str | None, lang: Language) -> None:
    with table.guard:
        moves.make(session.play, lambda: session.legal(session.turn), move, word, lang)
    table.moved_on()


def move(table: SharedTable, owner: str, texts: list[str], lang: Language) -> None:
    """Make a person's moves in a side game, up to the first that is illegal or is another seat's.

    Args:
        table: The table.
        owner: Digest of the person's secret.
        texts: Moves in the notation of records.
        lang: Language of errors.

    Raises:
        Refused: A text is not a move (400), the first move is illegal, or it is not the person's turn (409).
    """
    session: SharedSide = _asked(table, owner, lang, SharedSide)
    made = moves.side_moves(session.game, texts)
    with table.guard:
        if len(session.game.history) + len(made) > MOST_MOVES:
            raise Refused(409, "illegal", words(lang)("side_play.refused"))
        moves.make_each(session.game, session.push, made, lang)
    table.moved_on()
