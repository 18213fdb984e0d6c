"""A table of a climbing game: a person's session, with version and review."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from big2_env.agents.interface import is_named_here
from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, words
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.tables.browser import moves
from big2_env.tables.browser.messages import Refused
from big2_env.tables.browser.reviews import TableReview
from big2_env.tables.browser.visitor_table import VisitorTable
from big2_env.tables.session import TableSession
from big2_env.tables.session.reviewer import DEFAULT_REVIEWER
from big2_env.tables.session.saved import now

log = logging.getLogger(__name__)


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
class WebTable(VisitorTable[TableSession]):
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
        self.session.waits_for_compilation = False
        self.now = self._moment()

    def _moment(self) -> Moment:
        session = self.session
        game = session.game.copy()
        _ = game.events  # made here, so that those who read the moment change nothing
        return Moment(
            version=self.version,
            deal=self.deal,
            seed=session.seed,
            game=game,
            legal=session.legal,
            scores=session.scores,
            is_asked=session.is_asked,
            can_undo=session.can_undo,
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
            play = self.session.advance()
        except ConfigError as error:
            spec, reason = self.session.specs()[self.session.turn], str(error)
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
        self._move(moves.chosen(self.session.legal, texts, reading, lang), None, lang)

    def bid(self, word: str, lang: Language) -> None:
        """Make the person's call in an auction.

        Args:
            word: Call, such as `3` points or a pass.
            lang: Language of errors.

        Raises:
            Refused: The call is not allowed now (409).
        """
        self._move(0, word, lang)

    def _move(self, move: int | Play, word: str | None, lang: Language) -> None:
        moves.make(self.session.play, lambda: self.session.legal, move, word, lang)
        self._changed()

    def undo(self, lang: Language) -> None:
        """Take back the person's last decision.

        Raises:
            Refused: The person has made no decision yet (409).
        """
        if not self.session.undo():
            raise Refused(409, "nothing_to_undo", words(lang)("web.error_undo"))
        self._changed()

    def next_deal(self) -> None:
        """Start the next deal; an unfinished game is abandoned. Practice does not count."""
        if self.is_practice:
            self.session.was_over = True
            self.is_practice = False
        self.linked = None
        self.session.next_deal()
        self.deal += 1
        self.started = now()
        self._changed()
