"""Pictures of games, views and plays in notebooks, called through `big2_env.base.pictures`."""

from __future__ import annotations

from typing import Final

from big2_env.base.language import language, words
from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.climbing.view import View
from big2_env.drawing.table_svg import row_svg, table_svg
from big2_env.text.climbing_scene import scene
from big2_env.text.names import face, spoken_name

TABLE_WIDTH: Final = 760
"""Width of a table in a notebook, in pixels."""


def picture_of(value: object) -> str:
    """Return an SVG of a value: the table with all hands open, the table as a seat sees it, or the cards of a play.

    Args:
        value: A `Game`, a `View` or a `Play`.

    Raises:
        TypeError: `value` has another type.
    """
    if isinstance(value, Game):
        return table_svg(scene(value, open_hands=True), width=TABLE_WIDTH)
    if isinstance(value, View):
        return table_svg(scene(value), width=TABLE_WIDTH)
    if isinstance(value, Play):
        tr = words(language())
        cards = [face(card, tr) for card in value.cards]
        return row_svg(cards, spoken_name(value.pattern, tr) or tr.name("pattern", value.pattern))
    raise TypeError(f"expected a Game, a View or a Play, got {type(value).__name__}")
