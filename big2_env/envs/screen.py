"""How an environment shows its game: the text format's log, returned as a whole or printed as it happens."""

from __future__ import annotations

from collections.abc import Sequence

import gymnasium

from big2_env.climbing.game import Game
from big2_env.errors import ConfigError
from big2_env.notation.log import LogWriter, dumps
from big2_env.notation.transcript import Transcript, check_name

RENDER_MODES = ["human", "ansi"]
"""`human` prints the log as it happens, `ansi` returns it."""


class RenderModeError(ConfigError, TypeError):
    """A render mode that there is none of.

    A TypeError too, for stable-baselines3's `make_vec_env`: it asks every environment for `"rgb_array"`, and where it gets that
    error makes one without a render mode.
    """


class Screen:
    """The render mode of an environment, and the log of its present game.

    Raises:
        RenderModeError: no such render mode.
    """

    def __init__(self, render_mode: str | None) -> None:
        if render_mode not in (None, *RENDER_MODES):
            raise RenderModeError(f"render_mode {render_mode!r}: allowed are None, {', '.join(map(repr, RENDER_MODES))}")
        self.render_mode = render_mode
        self._game: Game | None = None
        self._names: Sequence[str] | None = None
        self._log: LogWriter | None = None

    def start(self, game: Game, names: Sequence[str]) -> None:
        """A new game begins; in mode `human` its beginning is printed. Raises as `Transcript` does."""
        if self.render_mode is None:
            return
        self._game, self._names = game, names
        self._log = LogWriter(Transcript(game, names)) if self.render_mode == "human" else None
        self.refresh()

    def refresh(self) -> None:
        """In mode `human` print what has happened since the last time."""
        if self._log is not None:
            print(self._log.read_new(), end="", flush=True)

    def render(self) -> str | None:
        """The log so far in mode `ansi`, otherwise `None`."""
        if self.render_mode is None:
            gymnasium.logger.warn(f"render() without a render mode shows nothing: give render_mode={' or '.join(RENDER_MODES)}")
        if self.render_mode == "ansi" and self._game is not None:
            return dumps(Transcript(self._game, self._names))
        self.refresh()
        return None


def seat_names(names: Sequence[str] | None, default: Sequence[str]) -> tuple[str, ...]:
    """The names for the log, one for each of `default`.

    Raises:
        ConfigError: another number of names.
        NotationError: an empty or unprintable name.
    """
    given = tuple(map(check_name, default if names is None else names))
    if len(given) != len(default):
        raise ConfigError(f"{len(given)} names: allowed is one for each of the {len(default)} seats")
    return given
