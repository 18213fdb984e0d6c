"""Pictures of the rows of a batch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy.typing as npt

from big2_env.climbing.game import Game
from big2_env.envs.screen import PICTURE_MODES, warn_of_no_mode
from big2_env.show import Scene, scene
from big2_env.show.raster import pixels
from big2_env.show.table_svg import table_svg, tables_svg

MAX_TABLES: Final = 16
"""Most tables of a picture of all rows."""
TABLES_IN_LINE: Final = 4


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
