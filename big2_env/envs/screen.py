"""Rendering of environments: the game log as text, a picture of one table, pictures of many tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, as_language, words
from big2_env.climbing.game import Game
from big2_env.drawing import Scene, scene
from big2_env.drawing.raster import NEEDS, has_rasteriser, pixels
from big2_env.drawing.table_svg import table_svg, tables_svg
from big2_env.notation.log import LogWriter, dumps
from big2_env.notation.transcript import Transcript
from big2_env.text.events import event_text, settled_text

PICTURE_MODES: Final = ["svg", "rgb_array"] if has_rasteriser() else ["svg"]
"""Picture render modes available in this installation: `svg`, and `rgb_array` with the extra `pictures`."""
RENDER_MODES: Final = ["human", "ansi", *PICTURE_MODES]
"""All render modes: `human` prints the log during the game, `ansi` returns it, the others are pictures."""
MAX_TABLES: Final = 16
TABLES_IN_LINE: Final = 4

Picture: TypeAlias = str | npt.NDArray[np.uint8]
"""An SVG document, or pixels, uint8 `(height, width, 3)`."""


class RenderModeError(ConfigError, TypeError):
    """Unknown render mode, or `rgb_array` without the extra `pictures`.

    It is also a `TypeError` for the sake of stable-baselines3's `make_vec_env`. That function requests `"rgb_array"` from
    every environment and falls back to no render mode on a `TypeError`.
    """


def check_render_mode(render_mode: str | None, allowed: Sequence[str] = tuple(RENDER_MODES)) -> str | None:
    """Return the render mode given.

    Raises:
        RenderModeError: If the mode is not allowed, or needs an extra that is not installed.
    """
    if render_mode == "rgb_array" and not has_rasteriser():
        raise RenderModeError(f"render_mode 'rgb_array': {NEEDS}")
    if render_mode not in (None, *allowed):
        raise RenderModeError(f"expected render_mode {', '.join(map(repr, allowed))} or None, got {render_mode!r}")
    return render_mode


def picture(render_mode: str | None, shown: Scene) -> Picture | None:
    """Return the picture of a scene; `None` if the mode is not a picture mode."""
    if render_mode not in PICTURE_MODES:
        return None
    drawn = table_svg(shown)
    return drawn if render_mode == "svg" else pixels(drawn)


def warn_of_no_mode(allowed: Sequence[str] = tuple(RENDER_MODES)) -> None:
    """Warn that `render` without a render mode shows nothing."""
    gymnasium.logger.warn(f"render() without a render mode shows nothing: give render_mode={' or '.join(allowed)}")


class Screen:
    """Render mode of an environment, with the log of the current game in modes `ansi` and `human`.

    Args:
        render_mode: One of `RENDER_MODES`, or `None`.
        lang: Language in which mode `human` prints the game in words; `None` for the log.

    Raises:
        RenderModeError: If the mode is unknown, or needs an extra that is not installed.
        ConfigError: If the language is unknown, or given for another mode.
    """

    def __init__(self, render_mode: str | None, lang: str | None = None) -> None:
        self.render_mode = check_render_mode(render_mode)
        if lang is not None and render_mode != "human":
            raise ConfigError(f"expected render_mode 'human' with lang {lang!r}, got {render_mode!r}")
        self._lang = None if lang is None else as_language(lang)
        self._printed: tuple[Game | None, int] = None, 0
        """Game of the last words, and the number of its events in them."""
        self.is_live = render_mode == "human"
        """True if the game is printed move by move."""
        self.is_text = render_mode in ("ansi", "human")
        self._log: LogWriter | None = None

    def _log_of(self, game: Game, names: Sequence[str]) -> LogWriter:
        """Return the log of the current game; a new one if `game` is another than before."""
        if self._log is None or self._log.transcript.game is not game:
            self._log = LogWriter(Transcript(game, names))
        return self._log

    def refresh(self, game: Game, names: Sequence[str]) -> None:
        """In mode `human`, print everything that has happened since the last call. Raises as `Transcript` does."""
        if self.is_live:
            new = self._log_of(game, names).read_new() if self._lang is None else self._words(game, names, self._lang)
            print(new, end="", flush=True)

    def _words(self, game: Game, names: Sequence[str], lang: Language) -> str:
        """Return what has happened since the last call, a line per event."""
        printed, number = self._printed
        self._printed = game, len(game.events)
        fresh = game.events[number if printed is game else 0 :]
        lines = [event_text(game.ruleset, names, event, words(lang)) for event in fresh]
        if game.is_over and fresh:
            lines.append(settled_text(scene(game, open_hands=True, names=names, lang=lang)))
        return "".join(f"{line}\n" for line in lines if line)

    def refuse(self, game: Game, names: Sequence[str], action: int) -> None:
        """Add an illegal action of the seat to move to the log, with the lines that `big2 run` prints for it."""
        self._log_of(game, names).transcript.refuse(None if action else ())
        self.refresh(game, names)

    def render(self, game: Game, names: Sequence[str], viewer: int | None = None) -> Picture | None:
        """Return the log in mode `ansi`, a picture in modes `svg` and `rgb_array`, otherwise `None`.

        Args:
            game: Game to render.
            names: One name per seat.
            viewer: Seat whose view the picture shows; `None` for all hands open. The log always has all hands.
        """
        if self.render_mode is None:
            warn_of_no_mode()
        if self.render_mode == "ansi":
            return dumps(self._log_of(game, names).transcript)
        if self.render_mode in PICTURE_MODES:
            return picture(self.render_mode, scene(game, viewer, open_hands=viewer is None, names=names))
        self.refresh(game, names)
        return None


def pictures(
    render_mode: str | None, num_rows: int, scene_of: Callable[[int], Scene]
) -> tuple[npt.NDArray[Any], ...] | str | None:
    """Return a picture of each row in mode `rgb_array`, or one document of the first rows in mode `svg`.

    Args:
        render_mode: One of `PICTURE_MODES`. `None` causes a warning and returns `None`.
        num_rows: Number of rows.
        scene_of: Function that returns the scene of a row.

    Returns:
        A tuple of `num_rows` uint8 arrays `(600, 960, 3)`, or an SVG document with at most `MAX_TABLES` tables.
    """
    if render_mode is None:
        warn_of_no_mode(PICTURE_MODES)
        return None
    if render_mode == "svg":
        shown = [scene_of(row) for row in range(min(num_rows, MAX_TABLES))]
        return tables_svg(shown, columns=min(len(shown), TABLES_IN_LINE))
    return tuple(pixels(table_svg(scene_of(row))) for row in range(num_rows))


def row_scene(game: Game, shown: int, *, open_hands: bool) -> Scene:
    """Return the scene of a game in a batch: all hands open, or as the learner on seat `shown` sees it."""
    if open_hands:
        return scene(game, open_hands=True)
    return scene(game, shown, names=learner_names(shown, game.num_players))


def learner_names(learner: int, players: int) -> list[str]:
    """Return a name for each of the `players` seats, `learner` being the learner's seat."""
    names = ["learner", *(f"opponent_{i}" for i in range(1, players))]
    return [names[(seat - learner) % players] for seat in range(players)]
