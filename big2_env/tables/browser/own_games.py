"""The user's saved games for pages: the list that `big2 games --mine` prints, and the review of one game."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from threading import Lock
from typing import Any, Final

from big2_env.base.errors import ConfigError, NotationError
from big2_env.base.language import Language, Words, words
from big2_env.notation import records
from big2_env.notation.sources import opened
from big2_env.tables.browser.messages import Refused
from big2_env.tables.browser.reviews import TableReview, review_answer, side_answer
from big2_env.tables.session.reviewer import DEFAULT_REVIEWER
from big2_env.tables.session.saved import SavedGame, lines_of, saved_games, tally
from big2_env.tables.session.side_replays import MAX_RECORD, side_record
from big2_env.tables.session.side_session import saved_seats
from big2_env.text.names import agent_words
from big2_env.text.seating import players_of

LISTED: Final = 200
"""Number of recent games in the list."""
KEPT_REVIEWS: Final = 4
"""Number of reviews in memory."""
NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,200}\.jsonl")
"""Pattern of a file name, which has no folder."""
HEADS: Final = ("started", "game", "opponents", "acts", "result")
TALLY_HEADS: Final = ("game", "opponents", "games", "wins", "payoff", "broken_off")


class OwnGames:
    """The games in a folder, for pages on the user's own machine.

    Args:
        folder: Folder of games, see `session.saved`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._reviews: dict[str, TableReview] = {}
        """Reviews by record, the least recently used first."""
        self._lock = Lock()

    def listed(self, lang: Language) -> dict[str, Any]:
        """Return the latest games, and the results by game and opponents."""
        tr, games = words(lang), saved_games(self._folder)
        deals = Counter(game.path for game in games)
        return {
            "heads": {key: tr(f"mine.{key}") for key in (*HEADS, *TALLY_HEADS)},
            "games": [_game(game, deals[game.path] == 1, tr) for game in games[:LISTED]],
            "tally": [
                {
                    "title": tr.name("game", one.ruleset),
                    "opponents": [agent_words(name, tr) for name in one.opponents],
                    "games": one.games,
                    "wins": one.wins,
                    "payoff": one.payoff / one.games if one.games else None,
                    "broken_off": one.broken_off,
                }
                for one in tally(games)
            ],
        }

    def review(self, name: str, step: int, lang: Language) -> dict[str, Any]:
        """Return the page of a finished game, or judge a little more; see `table_handlers.review`.

        Args:
            name: Name of the game's file.
            step: 0 for the page, 1 to judge.
            lang: Language of the page.

        Raises:
            Refused: The folder has no such game (404), the game is not over, or it cannot be judged (409).
        """
        path = self._folder / name
        if not NAME.fullmatch(name) or not path.is_file():
            raise Refused(404, "unknown_game", words(lang)("web.error_unknown_game"))
        try:
            with opened(str(path), max_line=MAX_RECORD) as lines:
                side = side_record(lines, 1)
            if side is not None:
                if not side.game.is_over:
                    raise Refused(409, "not_over", words(lang)("web.error_not_over"))
                return side_answer(side.game, saved_seats(side.game, side.extra, lang), step, lang)
            line = lines_of(path)[-1]
            record = records.loads(line)
            seat = record.extra.get("seat")
            if not record.game.is_over or type(seat) is not int or not 0 <= seat < record.game.num_players:
                raise Refused(409, "not_over", words(lang)("web.error_not_over"))
            with self._lock:
                found = self._reviews.pop(line, None) or TableReview(record.game, seat, players_of(record), DEFAULT_REVIEWER)
                self._reviews[line] = found
                while len(self._reviews) > KEPT_REVIEWS:
                    del self._reviews[next(iter(self._reviews))]
            return review_answer(found, record.transcript.names, seat, step, lang)
        except (OSError, IndexError, NotationError, ConfigError) as error:
            raise Refused(409, "no_review", words(lang)("web.error_review", reason=str(error))) from None


def _game(game: SavedGame, is_alone: bool, tr: Words) -> dict[str, Any]:
    """Return an entry of the list. Only finished games, alone in their file, have one to open: others may be resumed."""
    return {
        "file": game.path.name if is_alone and game.payoff is not None else None,
        "title": tr.name("game", game.ruleset),
        "opponents": [agent_words(name, tr) for name in game.opponents],
        "started": game.started,
        "acts": game.moves,
        "payoff": game.payoff,
        "won": game.has_won,
    }
