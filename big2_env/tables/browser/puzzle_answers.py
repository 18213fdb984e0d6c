"""Requests to a puzzle, independent of transport. Nothing is stored: a page sends the moves made so far with each request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from big2_env.base.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, NotationError
from big2_env.base.language import Language, words
from big2_env.climbing.rulesets import available_rulesets
from big2_env.tables.browser import answers, moves, table_handlers
from big2_env.tables.browser.messages import Refused, bad
from big2_env.tables.browser.web_table import WebTable
from big2_env.tables.puzzles import shipped
from big2_env.tables.session.puzzling import Puzzling

ACTS: Final = ("state", "play", "advance", "undo", "look", "plays")
"""Requests to a puzzle. All but the last two are answered with the state after the change, if any."""


def listed(lang: Language) -> dict[str, Any]:
    """Return all puzzles by game: each with its key, its grade and the number of plays to the win."""
    tr, rulesets = words(lang), available_rulesets()
    return {
        "games": [
            {
                "name": name,
                "title": tr.game(name, rulesets[name].zh),
                "puzzles": [[one.key, one.grade, one.moves] for one in shipped.puzzles_of(name)],
            }
            for name in shipped.games()
        ]
    }


def answer(key: str, act: str, asked: Mapping[str, Any], lang: Language) -> dict[str, Any]:
    """Return the answer to a request to a puzzle.

    Args:
        key: Key of the puzzle.
        act: One of `ACTS`.
        asked: Checked message: `moves` so far, `shown` with the solution, `cards` and `reading` of a move.
        lang: Language of texts and errors.

    Raises:
        Refused: The puzzle does not exist (404), the message is not valid (400), or the move is refused (409).
    """
    try:
        puzzle = shipped.puzzle(key)
    except ConfigError:
        raise Refused(404, "unknown_puzzle", words(lang)("web.error_puzzle")) from None
    try:
        session = Puzzling(puzzle, asked["moves"], shows_solution=asked["shown"] == 1)
    except (NotationError, ConfigError, IllegalPlayError, AmbiguousPlayError) as error:
        raise bad(f"moves: {error}") from None
    table = WebTable(key=puzzle.key, owner="", session=session, version=len(session.game.history))
    if act == "look":
        return table_handlers.look(table, "", {"cards": asked["cards"] or []}, lang)
    if act == "plays":
        return table_handlers.plays(table, "", asked, lang)
    if act == "play":
        moves.play(table, "", {**asked, "cards": asked["cards"] or []}, lang)
    elif act == "advance":
        table.advance(lang)
    elif act == "undo":
        table.undo("", lang)
    return _state(table, session, lang)


def _state(table: WebTable, session: Puzzling, lang: Language) -> dict[str, Any]:
    """Return the state of a table with what its page needs about the puzzle."""
    puzzle, every = session.puzzle, shipped.puzzles_of(session.puzzle.ruleset)
    place, (text, kind) = every.index(puzzle), session.said(lang)
    return answers.state(table, "", lang) | {
        "version": len(session.game.history),
        "puzzle": {
            "moves": session.moves,
            "text": text,
            "kind": kind,
            "error": session.error,
            "is_solved": session.is_solved,
            "number": place + 1,
            "of": len(every),
            "grade": puzzle.grade,
            "plays": puzzle.moves,
            "next": every[place + 1].key if place + 1 < len(every) else None,
        },
    }
