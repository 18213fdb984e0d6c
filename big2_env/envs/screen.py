"""How an environment shows its games: the text format's log, a picture of the table, pictures of many tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt

from big2_env.climbing.game import Game
from big2_env.errors import ConfigError
from big2_env.notation.log import LogWriter, dumps
from big2_env.notation.transcript import Transcript, check_name
from big2_env.show import Scene, scene
from big2_env.show.raster import NEEDS, has_rasteriser, pixels
from big2_env.show.table_svg import table_svg, tables_svg

PICTURE_MODES: Final = ["svg", "rgb_array"] if has_rasteriser() else ["svg"]
"""The render modes that are pictures of the table, as far as this installation can draw them: an SVG document, or pixels, which
need the extra `pictures`."""
RENDER_MODES: Final = ["human", "ansi", *PICTURE_MODES]
"""`human` prints the log as it happens, `ansi` returns it; the others are pictures."""
MAX_TABLES: Final = 16
TABLES_IN_LINE: Final = 4

Picture: TypeAlias = str | npt.NDArray[np.uint8]
"""An SVG document, or pixels, uint8 `(height, width, 3)`."""


class RenderModeError(ConfigError, TypeError):
    """An unknown render mode, or `rgb_array` without the extra `pictures`.

    A TypeError too, for stable-baselines3's `make_vec_env`: it asks every environment for `"rgb_array"`, and where it gets that
    error makes one without a render mode.
    """


def check_render_mode(render_mode: str | None, allowed: Sequence[str] = tuple(RENDER_MODES)) -> str | None:
    """The render mode given.

    Raises:
        RenderModeError: it is not one of those allowed, or needs an extra that is not installed.
    """
    if render_mode == "rgb_array" and not has_rasteriser():
        raise RenderModeError(f"render_mode 'rgb_array': {NEEDS}")
    if render_mode not in (None, *allowed):
        raise RenderModeError(f"expected render_mode {', '.join(map(repr, allowed))} or None, got {render_mode!r}")
    return render_mode


def picture(render_mode: str | None, shown: Scene) -> Picture | None:
    """The picture of a scene in a render mode; `None` in a mode that is none."""
    if render_mode not in PICTURE_MODES:
        return None
    drawn = table_svg(shown)
    return drawn if render_mode == "svg" else pixels(drawn)


def warn_of_no_mode(allowed: Sequence[str] = tuple(RENDER_MODES)) -> None:
    """The warning of a `render` without a render mode."""
    gymnasium.logger.warn(f"render() without a render mode shows nothing: give render_mode={' or '.join(allowed)}")


class Screen:
    """The render mode of an environment, and in mode `human` the log of its present game.

    Raises:
        RenderModeError: an unknown render mode, or one that needs an extra that is not installed.
    """

    def __init__(self, render_mode: str | None) -> None:
        self.render_mode = check_render_mode(render_mode)
        self.is_live = render_mode == "human"
        """True if the game is shown while it goes on, act by act."""
        self._log: LogWriter | None = None

    def start(self, game: Game, names: Sequence[str]) -> None:
        """Print how a new game begins, in mode `human`. Raises as `Transcript` does."""
        if self.is_live:
            self._log = LogWriter(Transcript(game, names))
            self.refresh()

    def refresh(self) -> None:
        """In mode `human` print what has happened since the last time."""
        if self._log is not None:
            print(self._log.read_new(), end="", flush=True)

    def render(self, game: Game, names: Sequence[str], viewer: int | None = None) -> Picture | None:
        """The log so far in mode `ansi`, a picture in modes `svg` and `rgb_array`, otherwise `None`.

        Args:
            game: the game as it stands.
            names: a name for each seat.
            viewer: whose eyes the picture is seen with; `None` for all hands open. The log has all hands in any case.
        """
        if self.render_mode is None:
            warn_of_no_mode()
        if self.render_mode == "ansi":
            return dumps(Transcript(game, names))
        if self.render_mode in PICTURE_MODES:
            return picture(self.render_mode, scene(game, viewer, open_hands=viewer is None, names=names))
        self.refresh()
        return None


def pictures(
    render_mode: str | None, num_rows: int, scene_of: Callable[[int], Scene]
) -> tuple[npt.NDArray[Any], ...] | str | None:
    """A picture of each row in mode `rgb_array`, N times uint8 (600, 960, 3); one document of the first rows in mode `svg`.

    Without a mode a warning and `None`.
    """
    if render_mode is None:
        warn_of_no_mode(PICTURE_MODES)
        return None
    if render_mode == "svg":
        shown = [scene_of(row) for row in range(min(num_rows, MAX_TABLES))]
        return tables_svg(shown, columns=min(len(shown), TABLES_IN_LINE))
    return tuple(pixels(table_svg(scene_of(row))) for row in range(num_rows))


def row_scene(game: Game, shown: int, *, open_hands: bool) -> Scene:
    """A game of a batch: all hands open, or seen by the learner, who has the seat that the row shows."""
    if open_hands:
        return scene(game, open_hands=True)
    return scene(game, shown, names=learner_names(shown, game.num_players))


def learner_names(learner: int, players: int) -> list[str]:
    """The names of the seats of a row, `players` of them, of which one is the learner's."""
    names = ["learner", *(f"opponent_{i}" for i in range(1, players))]
    return [names[(seat - learner) % players] for seat in range(players)]


def seat_names(names: Sequence[str] | None, default: Sequence[str]) -> tuple[str, ...]:
    """The names for the log, one for each of `default`.

    Raises:
        ConfigError: another number of names.
        NotationError: an empty or unprintable name.
    """
    given = tuple(map(check_name, default if names is None else names))
    if len(given) != len(default):
        raise ConfigError(f"expected a name for each of the {len(default)} seats, got {len(given)}")
    return given
