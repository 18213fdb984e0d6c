"""Interface for reviewing a finished game move by move. Packages register reviewers under an entry-point group."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Final, Protocol

from big2_env.base.errors import ConfigError, failure_text
from big2_env.base.language import Language
from big2_env.base.plugins import REVIEWERS, plugins
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.drawing.replay_page import Replay
from big2_env.notation.transcript import Transcript

DEFAULT_REVIEWER: Final = "search"
"""Name of the judge of finished games."""


class Reviewing(Protocol):
    """Review in progress, one step at a time, such as the judgement of one position."""

    @property
    def moments(self) -> int:
        """Number of steps."""

    @property
    def done(self) -> int:
        """Number of finished steps."""

    @property
    def edition(self) -> int:
        """Number that grows when better results should be shown."""

    @property
    def is_waiting(self) -> bool:
        """True if the next step is not possible yet, for example because code is being compiled."""

    def step(self) -> None:
        """Make the next step.

        Raises:
            ConfigError: The game cannot be judged.
        """

    def judged(self, shown: Replay, transcript: Transcript, lang: Language) -> Replay:
        """Return the replay of the game with all results so far.

        Args:
            shown: Replay of the game without results.
            transcript: The game as text.
            lang: Language of the results.
        """


class Reviewer(Protocol):
    """Registered callable that begins a review."""

    def __call__(self, game: Game, seat: int, players: Sequence[str | None]) -> Reviewing:
        """Begin a review of a game.

        Args:
            game: Finished game.
            seat: Seat of the person, whose decisions are always judged.
            players: Name of the agent in each seat, `None` for people; none if nothing is known.

        Raises:
            ConfigError: The game cannot be judged.
        """

    def prepare(self, rules: RuleSet, num_players: int) -> None:
        """Start what reviews of such games need and takes long, such as compiling, and return at once."""


def prepare(name: str, rules: RuleSet, num_players: int) -> None:
    """Let a registered reviewer prepare for a kind of game; do nothing if no package registers this name, or it is broken."""
    entry = plugins(REVIEWERS).get(name)
    if entry is not None:
        with suppress(Exception):  # the first review reports it
            entry.load().prepare(rules, num_players)


def reviewing(name: str, game: Game, seat: int, players: Sequence[str | None]) -> Reviewing | None:
    """Begin a review with a registered reviewer; `None` if no installed package registers this name.

    Args:
        name: Name of the reviewer.
        game: Finished game.
        seat: Seat of the person.
        players: As in `Reviewer`.

    Raises:
        ConfigError: The package that registers it is broken, or the game cannot be judged.
    """
    entry = plugins(REVIEWERS).get(name)
    if entry is None:
        return None
    reviewer: Reviewer = entry.load()
    try:
        return reviewer(game, seat, players)
    except (ConfigError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ConfigError(f"{entry} fails: {failure_text(error)}") from error


class GameReview:
    """Review of a finished game, whose judge is loaded when it begins, because loading compiled code is slow.

    Args:
        game: Game that is over.
        seat: The person's seat.
        players: As in `Reviewer`.
        reviewer: Name of the judge.
    """

    def __init__(self, game: Game, seat: int, players: Sequence[str | None], reviewer: str) -> None:
        self.game = game
        """Game that is over."""
        self._begin = partial(reviewing, reviewer, game, seat, players)
        self._has_begun = False
        self._reviewing: Reviewing | None = None

    @property
    def of(self) -> int:
        """Number of steps of the judge; 0 once it is known that no judge is available."""
        if not self._has_begun:
            return len(self.game.history) + 1
        return 0 if self._reviewing is None else self._reviewing.moments

    @property
    def done(self) -> int:
        """Number of finished steps."""
        return 0 if self._reviewing is None else self._reviewing.done

    @property
    def edition(self) -> int:
        """Number that grows when the page should be shown again."""
        return 0 if self._reviewing is None else self._reviewing.edition
