"""One table: a person's sitting with what a server needs around it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any, Final

from big2_env.agents import available_agents
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset_data import unknown_ruleset
from big2_env.climbing.rulesets import available_rulesets, named
from big2_env.errors import AmbiguousPlayError, ConfigError, IllegalPlayError
from big2_env.language import Language, words
from big2_env.notation.transcript import Transcript
from big2_env.play import Sitting
from big2_env.play.reviewer import Reviewing, reviewing
from big2_env.play.saved import now
from big2_env.play.selection import refusal_text, select_cards
from big2_env.show.replay_page import replay_page
from big2_env.show.replays import game_replay
from big2_env.web.messages import Refused, bad, cards_in

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


DEFAULT_REVIEWER: Final = "search"
"""Who judges a game after its end."""


@dataclass(frozen=True)
class Moment:
    """A table as it stands between two acts. Nothing changes it, so it can be read while an agent thinks about the next act."""

    version: int
    """How often the table has changed."""
    deal: int
    """How many deals came before this one."""
    game: Game
    """A copy of the game, hidden cards included."""
    legal: LegalPlays
    """What is or would be legal for the person now."""
    scores: tuple[float, ...]
    """The running score, by seat."""
    """Seed of the deal and of the agents."""
    is_asked: bool
    """True if the game waits for the person to choose."""
    can_undo: bool
    """True if there is a choice that can be taken back."""


@dataclass
class WebTable:
    """A table that one visitor plays at. Methods that change it are called by one thread at a time (`lock`)."""

    key: str
    """Its public name, which stands in the page's address."""
    owner: str
    """Digest of the secret that the visitor shows."""
    sitting: Sitting
    """The person and the agents."""
    version: int = 0
    """How often the table has changed."""
    deal: int = 0
    """How many deals came before the present one."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    """Held by whoever changes the table."""
    users: int = 0
    """How many requests are being answered."""
    started: str = field(default_factory=now)
    """When the present deal began, as records say it."""
    is_saved: bool = False
    """True if the table is on disk as it is."""
    reviewer: str = DEFAULT_REVIEWER
    """Who judges a game after its end."""
    review: TableReview | None = None
    """What was found of the last game that was looked through."""

    def __post_init__(self) -> None:
        self.now = self._moment()

    def _moment(self) -> Moment:
        sitting = self.sitting
        game = sitting.game.copy()
        _ = game.events  # made here, so that those who read the moment change nothing
        return Moment(
            version=self.version,
            deal=self.deal,
            game=game,
            legal=sitting.legal,
            scores=tuple(sitting.scores),
            is_asked=sitting.is_asked,
            can_undo=sitting.can_undo,
        )

    def _changed(self) -> None:
        self.version += 1
        self.now = self._moment()

    def expect(self, version: int, lang: Language) -> None:
        """Refuse an act that was made for another state of the table.

        Raises:
            Refused: with status 409.
        """
        if version != self.version:
            raise Refused(409, "stale", words(lang)("web.error_stale"))

    def expect_over(self, lang: Language) -> Moment:
        """The table as it stands, its game over.

        Raises:
            Refused: with status 409; the game goes on.
        """
        moment = self.now
        if not moment.game.is_over:
            raise Refused(409, "not_over", words(lang)("web.error_not_over"))
        return moment

    def advance(self, lang: Language) -> None:
        """Make one act for whoever is to move but the person.

        Raises:
            Refused: the game waits for the person or is over; or the agent cannot play.
        """
        try:
            play = self.sitting.advance()
        except ConfigError as error:
            raise Refused(409, "agent_failed", words(lang)("web.error_agent", reason=str(error))) from error
        if play is None:
            raise Refused(409, "not_waiting", words(lang)("web.error_not_waiting"))
        self._changed()

    def play(self, texts: list[str], reading: int | None, lang: Language) -> None:
        """The person's act: cards by their texts, none for a pass; with the number of a reading where there are several.

        Raises:
            Refused: the act is not legal now.
        """
        sitting = self.sitting
        mask = cards_in(sitting.view.hand, texts)
        act: int | Play = mask
        if reading is not None:
            plays = select_cards(sitting.legal, mask, words(lang)).plays
            if reading >= len(plays):
                raise bad(f"reading: expected a number below {len(plays)}, got {reading}")
            act = plays[reading]
        self._act(act, None, lang)

    def bid(self, word: str, lang: Language) -> None:
        """The person's word in an auction.

        Raises:
            Refused: it cannot be said now.
        """
        self._act(0, word, lang)

    def _act(self, act: int | Play, word: str | None, lang: Language) -> None:
        sitting = self.sitting
        try:
            sitting.play(act, word)
        except IllegalPlayError as error:
            mask = act if isinstance(act, int) else act.mask
            raise Refused(409, "illegal", refusal_text(sitting.legal, mask, error.refusal, words(lang))) from None
        except AmbiguousPlayError:
            raise Refused(409, "ambiguous", words(lang)("web.error_ambiguous")) from None
        self._changed()

    def undo(self, lang: Language) -> None:
        """Take back the person's last choice.

        Raises:
            Refused: there is none.
        """
        if not self.sitting.undo():
            raise Refused(409, "nothing_to_undo", words(lang)("web.error_undo"))
        self._changed()

    def next_deal(self) -> None:
        """Deal again; a game that is not over is given up."""
        self.sitting.next_deal()
        self.deal += 1
        self.started = now()
        self._changed()


def new_sitting(game: str, opponents: list[str], seat: int | None, seed: int | None, adviser: str) -> Sitting:
    """A sitting by names that come from a page: of available games and agents only, never of files or modules.

    Raises:
        Refused: with status 400.
    """
    rules, agents = named(game), available_agents()
    if rules is None:
        raise bad(f"game: {unknown_ruleset(game, available_rulesets())}")
    if wrong := [name for name in opponents if name not in agents]:
        raise bad(f"opponents: expected names of {', '.join(agents)}, got {wrong[0]!r}")
    if not opponents:
        raise bad("opponents: expected at least one name, got none")
    try:
        return Sitting(rules, opponents, seat=seat or 0, seed=seed, adviser=adviser)
    except ConfigError as error:
        raise bad(str(error)) from None
