"""Reviews of games that are over, for pages."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from threading import Lock
from typing import Any, Final

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language
from big2_env.base.side_game import SideGame
from big2_env.climbing.game import Game
from big2_env.drawing.replay_page import Replay, Verdict, replay_page
from big2_env.drawing.replays import MAX_SHOWN, game_replay, side_replay
from big2_env.notation.transcript import Transcript
from big2_env.tables.session.reviewer import GameReview

SECONDS: Final = 0.4
"""Seconds of judging per request; one step may take longer."""
MOVES: Final = ("text", "best", "turn", "costs")
"""Parts of a verdict that pages use."""


class TableReview(GameReview):
    """The review of a finished game that advances only when a page asks for it, so a person who leaves costs nothing more."""

    def __init__(self, game: Game, seat: int, players: Sequence[str | None], reviewer: str) -> None:
        super().__init__(game, seat, players, reviewer)
        self._failure: ConfigError | None = None
        self._lock = Lock()
        self._shown: tuple[tuple[Language, tuple[str, ...]], int, Replay] | None = None
        """Language and names, edition, and replay that were shown last."""

    @property
    def is_waiting(self) -> bool:
        """True if there is nothing to judge at the moment."""
        return self._reviewing is not None and self._reviewing.is_waiting

    def step(self, seconds: float = SECONDS) -> None:
        """Judge for some time.

        Raises:
            ConfigError: The game cannot be judged, now or later.
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
        edition = self.edition
        while self._reviewing is not None and self.done < self.of and time.monotonic() < end:
            self._reviewing.step()
            if self._reviewing.is_waiting or self.edition > edition:  # nothing to do, or something to show
                return

    def shown(self, names: tuple[str, ...], viewer: int | None, lang: Language) -> tuple[int, Replay]:
        """Return an edition and the game with its values and all hands open; an older edition while a step is being made.

        Args:
            names: Names of the players, by seat.
            viewer: The person's seat; `None` for a spectator, whom no verdict is about.
            lang: Language of the texts.
        """
        last, transcript, said = self._shown, Transcript(self.game, names), (lang, names)
        if not self._lock.acquire(blocking=False):
            return last[1:] if last is not None and last[0] == said else (0, game_replay(transcript, viewer, lang=lang))
        try:
            edition = self.edition
            if last is None or last[:2] != (said, edition):
                replay = game_replay(transcript, viewer, lang=lang)
                if self._reviewing is not None and edition:
                    replay = self._reviewing.judged(replay, transcript, lang)
                    replay = replay if viewer is not None else replace(replay, verdict=None)
                last = self._shown = said, edition, replay
            return last[1:]
        finally:
            self._lock.release()


def review_answer(found: TableReview, names: tuple[str, ...], seat: int | None, step: int, lang: Language) -> dict[str, Any]:
    """Return the progress of a review with the moves that it names, and the page unless it is to judge a little more.

    Args:
        found: The review.
        names: Names of the players, by seat.
        seat: The person's seat, `None` for a spectator.
        step: 0 for the page, 1 to judge.
        lang: Language of the page.

    Raises:
        ConfigError: The game cannot be judged.
    """
    if step:
        found.step()
    edition, replay = found.shown(names, seat, lang)
    verdict = replay.verdict or Verdict("")
    return {
        "done": found.done,
        "of": found.of,
        "edition": edition,
        "waiting": found.is_waiting,
        "moves": {name: value for name, value in asdict(verdict).items() if name in MOVES},
        "page": None if step else replay_page([replay]),
    }


def side_answer(game: SideGame, names: Sequence[str] | None, step: int, lang: Language) -> dict[str, Any]:
    """Return the page of a side game that is over, which no one judges.

    Args:
        game: The game.
        names: Names of the players, by seat; `None` for the default names.
        step: As in `review_answer`.
        lang: Language of the page.

    Raises:
        ConfigError: The game has too many moves for a page.
    """
    if len(game.history) > MAX_SHOWN:
        raise ConfigError(f"expected at most {MAX_SHOWN} moves, got {len(game.history)}")
    moves = {name: value for name, value in asdict(Verdict("")).items() if name in MOVES}
    page = None if step else replay_page([side_replay(game, names=names, lang=lang)])
    return {"done": 0, "of": 0, "edition": 0, "waiting": False, "moves": moves, "page": page}
