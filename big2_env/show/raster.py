"""Pictures as pixels, by resvg, and scenes as an animated GIF. Needs the extra `pictures`."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from big2_env.errors import ConfigError
from big2_env.runs.atomic_files import replace_file
from big2_env.scene import Scene
from big2_env.show.table_svg import table_svg

if TYPE_CHECKING:
    from PIL.Image import Image

GROUND: Final = "#103a2f"
"""What shows where a picture is transparent."""
NEEDS: Final = "pictures as pixels need resvg-py and pillow: pip install 'big2_env[pictures]'"


def has_rasteriser() -> bool:
    """True if the libraries that make pixels of an SVG are installed."""
    return find_spec("resvg_py") is not None and find_spec("PIL") is not None


def png(svg: str, width: int | None = None) -> bytes:
    """An SVG as the bytes of a PNG file, as wide as the SVG says or `width` pixels wide.

    Raises:
        ImportError: the extra `pictures` is not installed.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise ImportError(NEEDS) from None
    return svg_to_bytes(svg_string=svg, width=width, background=GROUND)


def image(svg: str, width: int | None = None) -> Image:
    """An SVG as an RGB image of Pillow. Raises as `png`."""
    try:
        from PIL.Image import open as open_image
    except ImportError:
        raise ImportError(NEEDS) from None
    return open_image(BytesIO(png(svg, width))).convert("RGB")


def pixels(svg: str, width: int | None = None) -> npt.NDArray[np.uint8]:
    """An SVG as pixels, uint8 `(height, width, 3)`, red, green, blue. Raises as `png`."""
    return np.array(image(svg, width), np.uint8)


COLOURS: Final = 64
"""Colours of a film's palette: cards and table need no more."""
MAX_FRAMES: Final = 2_000
"""Most scenes of a film."""


def write_gif(
    path: str | Path,
    scenes: Iterable[Scene],
    fps: float = 1.5,
    *,
    width: int = 720,
    four_colours: bool = False,
    hold: float = 3.0,
) -> int:
    """Write scenes as an animated GIF that runs for ever; returns how many frames it has.

    Args:
        path: the file; its folder exists.
        scenes: what is seen, in order; of one game, so that all pictures have one size.
        fps: pictures a second, more than 0 and at most 50.
        width: how many pixels wide.
        four_colours: True for green clubs and blue diamonds.
        hold: for how many seconds the last picture stays.

    Raises:
        ImportError: the extra `pictures` is not installed.
        ConfigError: no scene, more than `MAX_FRAMES`, or another number of pictures a second.
    """
    drawn = (table_svg(scene, four_colours=four_colours) for scene in scenes)
    return write_film(path, drawn, fps, width=width, hold=hold)


def write_film(path: str | Path, svgs: Iterable[str], fps: float = 1.5, *, width: int = 720, hold: float = 3.0) -> int:
    """Write pictures of one size, each an SVG, as an animated GIF; returns how many there are. Arguments as `write_gif`.

    Raises:
        ImportError: the extra `pictures` is not installed.
        ConfigError: no picture, more than `MAX_FRAMES`, or another number of pictures a second.
    """
    try:
        from PIL import Image
    except ImportError:
        raise ImportError(NEEDS) from None
    if not 0 < fps <= 50:
        raise ConfigError(f"expected more than 0 and at most 50 pictures a second, got {fps:g}")
    frames: list[Image.Image] = []
    palette: Image.Image | None = None
    for svg in svgs:
        if len(frames) == MAX_FRAMES:
            raise ConfigError(f"expected at most {MAX_FRAMES} pictures for a film, got more")
        drawn = image(svg, width)
        if palette is None:
            palette = drawn.quantize(COLOURS)
        frames.append(drawn.quantize(palette=palette, dither=Image.Dither.NONE))
    if not frames:
        raise ConfigError("expected at least one picture for a film, got none")
    each = round(1000 / fps)
    durations = [each] * (len(frames) - 1) + [max(each, round(1000 * hold))]
    with replace_file(Path(path)) as new, new.open("wb") as file:
        frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0, optimize=False)
    return len(frames)
