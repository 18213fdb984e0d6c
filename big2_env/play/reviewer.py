"""Who judges a game after its end, move by move. The package that ships judges registers them under an entry-point group."""

from __future__ import annotations

from typing import Protocol

from big2_env.climbing.game import Game
from big2_env.errors import ConfigError, failure_text
from big2_env.language import Language
from big2_env.notation.transcript import Transcript
from big2_env.plugins import REVIEWERS, plugins
from big2_env.show.replay_page import Replay


class Reviewing(Protocol):
    """A review being made, one moment of the game at a time."""

    @property
    def moments(self) -> int:
        """How many moments there are to judge: one more than acts."""
        ...

    @property
    def done(self) -> int:
        """How many of them are judged."""
        ...

    def step(self) -> None:
        """Judge the next moment.

        Raises:
            ConfigError: the game cannot be judged.
        """
        ...

    def judged(self, shown: Replay, transcript: Transcript, lang: Language) -> Replay:
        """The game's replay with all that was found so far."""
        ...


class Reviewer(Protocol):
    """What is announced: it begins a review."""

    def __call__(self, game: Game, seat: int) -> Reviewing:
        """The review of a game, nothing of it judged yet.

        Args:
            game: a game that is over.
            seat: where the person sat, whose decisions are judged in any case.

        Raises:
            ConfigError: the game cannot be judged.
        """
        ...


def reviewing(name: str, game: Game, seat: int) -> Reviewing | None:
    """The review of a game by a reviewer of that name; `None` where no installed package announces one.

    Raises:
        ConfigError: the package that announces it is broken, or the game cannot be judged.
    """
    entry = plugins(REVIEWERS).get(name)
    if entry is None:
        return None
    reviewer: Reviewer = entry.load()
    try:
        return reviewer(game, seat)
    except (ConfigError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ConfigError(f"{entry} fails: {failure_text(error)}") from error
