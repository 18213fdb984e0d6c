"""Answers about a side game: everything the person at its table may see, as JSON values, and nothing else."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, Words, words
from big2_env.base.side_game import SideGame, SideMove
from big2_env.notation.side_records import dumps
from big2_env.tables.browser.messages import Refused
from big2_env.tables.browser.side_table import SideTable

SECONDS: Final = 0.35
"""Seconds of work on an estimate per request."""
TREND: Final = 160
"""Most points of a curve."""


def state(table: SideTable, lang: Language) -> dict[str, Any]:
    """Return the table as its person sees it now."""
    with table.guard:
        return _state(table, lang)


def _state(table: SideTable, lang: Language) -> dict[str, Any]:
    game, tr = table.game, words(lang)
    found = {
        "table": table.key,
        "version": table.version,
        "deal": table.deal,
        "scene": _scene(table, lang),
        "asked": table.is_asked,
        "waiting": table.is_waiting,
        "can_undo": table.can_undo,
        "moves": moves(game, table.session.seat, tr) if table.is_asked else [],
        "drawing": game.drawing_data(table.session.seat),
        "watch": None if game.has_choices else _watch(table),
    }
    if game.is_over:
        found["seed"] = str(table.session.seed)  # a page cannot hold 64 bits as a number
    return found


def _scene(table: SideTable, lang: Language) -> dict[str, Any]:
    """Return the scene that the person sees."""
    if table.game.has_choices:
        return table.session.scene(lang, last=1000).as_json()
    return table.game.scene(names=names(table, lang), lang=lang, last=60).as_json()


def names(table: SideTable, lang: Language) -> list[str]:
    """Return the name of each seat. Seats of a game without decisions have numbers as names."""
    if table.game.has_choices:
        return table.session.names(lang)
    return [words(lang)("web.seat_number", number=seat + 1) for seat in range(table.game.num_players)]


def moves(game: SideGame, seat: int, tr: Words) -> list[dict[str, Any]]:
    """Return a seat's legal moves: text in the notation of records, words and cards.

    Args:
        game: The game.
        seat: The seat.
        tr: Texts in the person's language.
    """
    shown = ((move, game.shown_move(SideMove(seat, move), tr)) for move in game.view(seat).moves)
    return [
        {"text": game.move_text(move), "words": look.words, "cards": [asdict(card) for card in look.cards]}
        for move, look in shown
    ]


def _watch(table: SideTable) -> dict[str, Any]:
    """Return what a person who watches has guessed, and how the numbers of cards in the hands have changed."""
    found = table.guesses
    return {"guess": found.now, "made": found.made, "right": found.right, "trend": _trend(table.game)}


def _trend(game: SideGame) -> list[list[int]]:
    """Return the number of cards in each hand at evenly spaced moments since the deal, the current one last."""
    counts: list[list[int]] = []
    again = game.restarted()
    every = max(1, -(-len(game.history) // TREND))
    for number, made in enumerate(game.history):
        if number % every == 0:
            counts.append([seat.count for seat in again.scene(last=1).seats])
        again.play(made.move)
    return [*counts, [seat.count for seat in game.scene(last=1).seats]]


def hint(table: SideTable, lang: Language) -> dict[str, Any]:
    """Return the moves that a hint suggests, in order.

    Args:
        table: Table at which the person asks.
        lang: Language of the text.

    Raises:
        Refused: It is not the person's turn, or the game gives no hint (409).
    """
    game, seat, tr = table.game, table.session.seat, words(lang)
    if not table.is_asked:
        raise Refused(409, "no_hint", words(lang)("web.error_hint", reason=tr("side_play.refused")))
    try:
        moves = game.hinted_moves(seat)
    except (ConfigError, ImportError) as error:  # a browser has no compiled code
        raise Refused(409, "no_hint", tr("web.error_hint", reason=str(error))) from None
    return {"version": table.version, "moves": [game.move_text(move) for move in moves]}


def chance(table: SideTable, lang: Language) -> dict[str, Any]:
    """Work a little on the estimate of the chance to win, and return it so far, with the version of the table that it is for.

    A game that is over has nothing left to estimate: the last move may be made while a page asks.

    Args:
        table: Table at which the person asks.
        lang: Language of errors.

    Raises:
        Refused: The game has no such estimate (409).
    """
    version, found = table.chance()
    if found is None and table.game.is_over:
        return {"version": version, "won": 0, "done": 0, "of": 0, "final": True}
    if found is None:
        raise Refused(409, "no_chance", words(lang)("web.error_chance"))
    with table.estimating:
        if not found.is_final:
            found.step(SECONDS)
        return {"version": version, "won": found.won, "done": found.done, "of": found.of, "final": found.is_final}


def record(table: SideTable) -> str:
    """Return the record of the current game as a line of JSON. It contains every card."""
    with table.guard:
        return dumps(table.session.persons_record(table.started))
