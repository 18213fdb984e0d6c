"""Pictures of games for notebooks: how `Game`, `View` and `Play` come to their `_repr_svg_`.

The rules know nothing of pictures: no module of `climbing` imports `show`, which stands above it. But a notebook asks the value
itself for its picture. So here, in one place, the module that draws is imported by its name, when a picture is asked for.
"""

from __future__ import annotations

from importlib import import_module


def picture(value: object) -> str:
    """An SVG document of a game, a view or a play.

    >>> from big2_env import BIG2, Game
    >>> picture(Game.deal(BIG2, seed=7))[:38]
    '<svg xmlns="http://www.w3.org/2000/svg'
    """
    drawn: str = import_module("big2_env.show.notebook").picture_of(value)
    return drawn
