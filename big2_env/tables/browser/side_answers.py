"""Answers about a side game: everything the person at its table may see, as JSON values, and nothing else."""

from __future__ import annotations

from typing import Any, Final

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, words
from big2_env.tables.browser.messages import Refused
from big2_env.tables.browser.side_table import SideTable

SECONDS: Final = 0.35
"""Seconds of work on an estimate per request."""


def hint(table: SideTable, lang: Language) -> dict[str, Any]:
    """Return the moves that a hint suggests, in order.

    Args:
        table: Table at which the person asks.
        lang: Language of the text.

    Raises:
        Refused: It is not the person's turn, or the game gives no hint (409).
    """
    game, seat, tr = table.game, table.session.seat, words(lang)
    if not table.waits_for(seat):
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
