"""Colors and style of the felt, the same in pages, pictures and films."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.resources import files


def felt_style() -> str:
    """Return the style sheet of felt, seats, plays and cards, with the colors."""
    return colour_style() + _sheet("felt")


def colour_style() -> str:
    """Return the style sheet that defines the colors of all pages, light and dark."""
    return _sheet("colours")


def felt_colour(name: str) -> str:
    """Return a color of the light style, such as `#1d5a49`.

    Args:
        name: Name of its variable, such as `felt`.

    Raises:
        KeyError: The style has no such color.
    """
    light = _sheet("colours").partition("@media")[0]
    colours: dict[str, str] = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", light))
    return colours[name]


def filled(page: str, part: Callable[[str], str]) -> str:
    """Return a page in which each `{{NAME}}` is replaced by its part. No part is looked through for names again.

    Args:
        page: The page with the names.
        part: Function from the name of a part to the part.
    """
    first, *pieces = page.split("{{")
    return first + "".join(part(name) + rest for name, _, rest in (piece.partition("}}") for piece in pieces))


def _sheet(name: str) -> str:
    return (files(__package__) / "page" / f"{name}.css").read_text(encoding="utf-8")
