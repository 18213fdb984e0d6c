"""Pictures of games for notebooks, used by `_repr_svg_` of `Game`, `View` and `Play`.

The rules must not import `drawing`, which depends on them, but notebooks ask the values themselves for a picture. So this
module imports `drawing` by name when a picture is requested.
"""

from __future__ import annotations

from importlib import import_module


def picture(value: object) -> str:
    """Return an SVG document of a game, a view or a play.

    Args:
        value: A `Game`, a `View` or a `Play`.

    >>> from big2_env import BIG2, Game
    >>> picture(Game.deal(BIG2, seed=7))[:38]
    '<svg xmlns="http://www.w3.org/2000/svg'
    """
    drawn: str = import_module("big2_env.drawing.notebook").picture_of(value)
    return drawn
