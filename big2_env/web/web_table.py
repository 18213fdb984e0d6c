"""One table of the server: a person's sitting, with version, lock and review."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from threading import Lock
from typing import Any, Final

from big2_env.agents import is_named_here
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.errors import ConfigError
from big2_env.language import Language, words
from big2_env.notation.transcript import Transcript
from big2_env.play import Sitting
from big2_env.play.reviewer import DEFAULT_REVIEWER, GameReview
from big2_env.play.saved import now
from big2_env.show.replay_page import Replay, Verdict, replay_page
from big2_env.show.replays import game_replay
from big2_env.web import moves
from big2_env.web.messages import Refused
from big2_env.web.visitor_table import VisitorTable

log = logging.getLogger(__name__)
SECONDS: Final = 0.4
"""Seconds of judging per request; one step may take longer."""


class TableReview(GameReview):
    """The review of a finished game that advances only when a page asks for it, so a person who leaves costs nothing more."""

    def __init__(self, game: Game, seat: int, players: Sequence[str | None], reviewer: str) -> None:
        super().__init__(game, seat, players, reviewer)
        self._failure: ConfigError | None = None
        self._lock = Lock()
        self._shown: tuple[Language, int, Replay] | None = None
        """Language, edition and replay that were shown last."""

    @property
    def is_waiting(self) -> bool:
        """True if there is nothing to judge at the moment."""
        return self._reviewing is not None and self._reviewing.is_waiting

    def step(self, seconds: float = SECONDS) -> None:
        """Judge for some time.

        Args:
            seconds: Intended duration.

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

    def shown(self, names: tuple[str, ...], viewer: int, lang: Language) -> tuple[int, Replay]:
        """Return an edition and the game with its values and all hands open; an older edition while a step is being made.

        Args:
            names: Names of the players, by seat.
            viewer: The person's seat.
            lang: Language of the texts.
        """
        last, transcript = self._shown, Transcript(self.game, names)
        if not self._lock.acquire(blocking=False):
            return last[1:] if last is not None and last[0] is lang else (0, game_replay(transcript, viewer, lang=lang))
        try:
            edition = self.edition
            if last is None or last[:2] != (lang, edition):
                replay = game_replay(transcript, viewer, lang=lang)
                if self._reviewing is not None and edition:
                    replay = self._reviewing.judged(replay, transcript, lang)
                last = self._shown = lang, edition, replay
            return last[1:]
        finally:
            self._lock.release()


def review(table: WebTable, asked: Mapping[str, Any], lang: Language) -> dict[str, Any]:
    """Return the page of a finished game with the values so far, or judge a little more.

    Every answer has the progress, and the person's best move and the turning point as far as they are known.

    Args:
        table: Table whose game is over.
        asked: Message, with the table's `version` and `step`, which is 0 for the page and 1 to continue.
        lang: Language of the page.

    Raises:
        Refused: The table has changed, the game is not over, or it cannot be judged (409).
    """
    table.expect(asked["version"], lang)
    moment = table.expect_over(lang)
    try:
        if table.review is None or table.review.game is not moment.game:
            table.review = TableReview(moment.game, table.sitting.seat, table.sitting.specs(), table.reviewer)
        names = tuple(table.sitting.names_in(lang))
        return {"version": moment.version} | review_answer(table.review, names, table.sitting.seat, asked["step"], lang)
    except ConfigError as error:
        raise Refused(409, "no_review", words(lang)("web.error_review", reason=str(error))) from None


def review_answer(found: TableReview, names: tuple[str, ...], seat: int, step: int, lang: Language) -> dict[str, Any]:
    """Return the progress of a review with the moves that it names, and the page unless it is to judge a little more.

    Args:
        found: The review.
        names: Names of the players, by seat.
        seat: The person's seat.
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
        "moves": {name: move and asdict(move) for name, move in (("best", verdict.best), ("turn", verdict.turn))},
        "page": None if step else replay_page([replay]),
    }


@dataclass(frozen=True)
class Moment:
    """Snapshot of a table between two moves. It is immutable, so it can be read while an agent thinks about the next move."""

    version: int
    """Number of changes of the table so far."""
    deal: int
    """Number of deals before this one."""
    seed: int
    """Seed of the deal."""
    game: Game
    """A copy of the game, hidden cards included."""
    legal: LegalPlays
    """Moves that are or would be legal for the person now."""
    scores: tuple[float, ...]
    """Running score by seat."""
    is_asked: bool
    """True if the game waits for the person's decision."""
    can_undo: bool
    """True if the person can take back a decision."""


@dataclass
class WebTable(VisitorTable[Sitting]):
    """A table at which one visitor plays a climbing game."""

    is_practice: bool = False
    """True if the current deal began in the middle of a game that was over, so that the person may know hidden cards."""
    linked: str | None = None
    """Name of the current deal, if it has one (`play.deals`)."""
    reviewer: str = DEFAULT_REVIEWER
    """Name of the judge of finished games."""
    review: TableReview | None = None
    """Review of the game that was reviewed last."""

    def __post_init__(self) -> None:
        self.sitting.waits_for_compilation = False
        self.now = self._moment()

    def _moment(self) -> Moment:
        sitting = self.sitting
        game = sitting.game.copy()
        _ = game.events  # made here, so that those who read the moment change nothing
        return Moment(
            version=self.version,
            deal=self.deal,
            seed=sitting.seed,
            game=game,
            legal=sitting.legal,
            scores=tuple(sitting.scores),
            is_asked=sitting.is_asked,
            can_undo=sitting.can_undo,
        )

    def _changed(self) -> None:
        self.version += 1
        self.now = self._moment()

    def expect_over(self, lang: Language) -> Moment:
        """Return the table after the end of its game.

        Raises:
            Refused: The game is not over (409).
        """
        moment = self.now
        if not moment.game.is_over:
            raise Refused(409, "not_over", words(lang)("web.error_not_over"))
        return moment

    def advance(self, lang: Language) -> None:
        """Make one move of an opponent.

        Raises:
            Refused: It is the person's turn, the game is over, or the agent failed (409).
        """
        try:
            play = self.sitting.advance()
        except ConfigError as error:
            spec, reason = self.sitting.specs()[self.sitting.turn], str(error)
            if spec is not None and is_named_here(spec):  # the reason may name its file
                log.warning("agent %s: %s", spec, error)
                reason = spec
            raise Refused(409, "agent_failed", words(lang)("web.error_agent", reason=reason)) from error
        if play is None:
            raise Refused(409, "not_waiting", words(lang)("web.error_not_waiting"))
        self._changed()

    def play(self, texts: list[str], reading: int | None, lang: Language) -> None:
        """Make the person's move.

        Args:
            texts: Cards, such as `D[3]`; none for a pass.
            reading: Number of the interpretation, if the cards form several plays.
            lang: Language of errors.

        Raises:
            Refused: The move is illegal or ambiguous (409), or the message is not valid (400).
        """
        self._act(moves.chosen(self.sitting.legal, texts, reading, lang), None, lang)

    def bid(self, word: str, lang: Language) -> None:
        """Make the person's call in an auction.

        Args:
            word: Call, such as `3` points or a pass.
            lang: Language of errors.

        Raises:
            Refused: The call is not allowed now (409).
        """
        self._act(0, word, lang)

    def _act(self, act: int | Play, word: str | None, lang: Language) -> None:
        moves.make(self.sitting.play, lambda: self.sitting.legal, act, word, lang)
        self._changed()

    def undo(self, lang: Language) -> None:
        """Take back the person's last decision.

        Raises:
            Refused: The person has made no decision yet (409).
        """
        if not self.sitting.undo():
            raise Refused(409, "nothing_to_undo", words(lang)("web.error_undo"))
        self._changed()

    def next_deal(self) -> None:
        """Start the next deal; an unfinished game is abandoned. Practice does not count."""
        if self.is_practice:
            self.sitting.scores, self.sitting.deals = [0.0] * len(self.sitting.names), 0
            self.is_practice = False
        self.linked = None
        self.sitting.next_deal()
        self.deal += 1
        self.started = now()
        self._changed()
