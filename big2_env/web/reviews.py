"""A game that is over as the page of `big2 show --html`: at once as it was played, piece by piece with a judge's opinion."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from threading import Lock
from typing import Any, Final

from big2_env.errors import ConfigError
from big2_env.language import Language, words
from big2_env.notation.transcript import Transcript
from big2_env.play.reviewer import Reviewing, reviewing
from big2_env.show.replay_page import replay_page
from big2_env.show.replays import game_replay
from big2_env.web.messages import Refused
from big2_env.web.web_table import Moment, WebTable

SECONDS: Final = 0.4
"""After so long a piece of judging is answered; one moment of a game may take longer."""


class TableReview:
    """The review of the game at which a table stands.

    It is judged only as long as somebody asks, so a person who leaves costs nothing more.

    Args:
        moment: the table with its game over.
        seat: where the person sits.
        reviewer: who judges, as `play.reviewer` knows it; asked for with the first step, for compiled code takes long to load.
    """

    def __init__(self, moment: Moment, seat: int, reviewer: str) -> None:
        self.moment = moment
        """What is reviewed."""
        self._failure: ConfigError | None = None
        self._lock = Lock()
        self._begin = partial(reviewing, reviewer, moment.game, seat)
        self._has_begun = False
        self._reviewing: Reviewing | None = None

    @property
    def of(self) -> int:
        """How many moments there are to judge; 0 once it is known that nobody judges."""
        if not self._has_begun:
            return len(self.moment.game.history) + 1
        return 0 if self._reviewing is None else self._reviewing.moments

    @property
    def done(self) -> int:
        """How many of them are judged."""
        return 0 if self._reviewing is None else self._reviewing.done

    def step(self, seconds: float = SECONDS) -> None:
        """Judge for about so long.

        Raises:
            ConfigError: the game cannot be judged; from then on nothing more is.
        """
        with self._lock:
            if self._failure is not None:
                raise self._failure
            try:
                self._judge(time.monotonic() + seconds)
            except ConfigError as error:
                self._failure = error
                raise

    def _judge(self, end: float) -> None:
        if not self._has_begun:
            self._reviewing = self._begin()
            self._has_begun = True
        while self._reviewing is not None and self.done < self.of and time.monotonic() < end:
            self._reviewing.step()

    def page(self, names: tuple[str, ...], viewer: int, lang: Language) -> str:
        """The page with what was found so far, all hands open."""
        transcript = Transcript(self.moment.game, names)
        replay = game_replay(transcript, viewer, lang=lang)
        with self._lock:
            if self._reviewing is not None and self.done:
                replay = self._reviewing.judged(replay, transcript, lang)
        return replay_page([replay])


def review(table: WebTable, asked: Mapping[str, Any], lang: Language) -> dict[str, Any]:
    """The page of a game that is over as far as it is judged; or, asked for a step, how far that is after a little more.

    Raises:
        Refused: with status 409; the table has moved on, the game is not over, or it cannot be judged.
    """
    table.expect(asked["version"], lang)
    moment = table.expect_over(lang)
    page = None
    try:
        if table.review is None or table.review.moment is not moment:
            table.review = TableReview(moment, table.sitting.seat, table.reviewer)
        found = table.review
        if asked["step"]:
            found.step()
        else:
            page = found.page(tuple(table.sitting.names_in(lang)), table.sitting.seat, lang)
    except ConfigError as error:
        raise Refused(409, "no_review", words(lang)("web.error_review", reason=str(error))) from None
    return {"version": moment.version, "done": found.done, "of": found.of, "page": page}
