"""SVG as pixels, using resvg, and scenes as an animated GIF. Requires the extra `pictures`."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from big2_env.base.errors import ConfigError, needing
from big2_env.base.scene import Scene
from big2_env.drawing.felt import felt_colour
from big2_env.drawing.table_svg import table_svg
from big2_env.runs.atomic_files import replace_file

if TYPE_CHECKING:
    from PIL.Image import Image

GROUND: Final = felt_colour("felt-edge")
"""Color of transparent parts."""
NEEDS: Final = "pictures as pixels need resvg-py and pillow: pip install 'big2_env[pictures]'"


def has_rasteriser() -> bool:
    """Return True if the libraries that convert SVG to pixels are installed."""
    return find_spec("resvg_py") is not None and find_spec("PIL") is not None


def png(svg: str, width: int | None = None) -> bytes:
    """Return an SVG as the bytes of a PNG file.

    Args:
        svg: The SVG document.
        width: Width in pixels; None for the width of the SVG.

    Raises:
        ImportError: The extra `pictures` is not installed.
    """
    with needing(NEEDS):
        from resvg_py import svg_to_bytes
    return svg_to_bytes(svg_string=svg, width=width, background=GROUND)


def image(svg: str, width: int | None = None) -> Image:
    """Return an SVG as an RGB image of Pillow.

    Args:
        svg: The SVG document.
        width: Width in pixels; None for the width of the SVG.

    Raises:
        ImportError: The extra `pictures` is not installed.
    """
    with needing(NEEDS):
        from PIL.Image import open as open_image
    return open_image(BytesIO(png(svg, width))).convert("RGB")


def pixels(svg: str, width: int | None = None) -> npt.NDArray[np.uint8]:
    """Return an SVG as pixels, uint8 `(height, width, 3)` in RGB order.

    Args:
        svg: The SVG document.
        width: Width in pixels; None for the width of the SVG.

    Raises:
        ImportError: The extra `pictures` is not installed.
    """
    return np.array(image(svg, width), np.uint8)


COLOURS: Final = 64
"""Number of colors in the palette of a GIF."""
MAX_FRAMES: Final = 2_000
"""Maximum number of frames in a GIF."""


def write_gif(
    path: str | Path,
    scenes: Iterable[Scene],
    fps: float = 1.5,
    *,
    width: int = 720,
    four_colours: bool = False,
    hold: float = 3.0,
) -> int:
    """Write scenes as an animated GIF that loops forever, and return the number of frames.

    Args:
        path: File to write; its folder must exist.
        scenes: Scenes in order, all of the same game, so that all frames have the same size.
        fps: Frames per second, more than 0 and at most 50.
        width: Width in pixels.
        four_colours: True for green clubs and blue diamonds.
        hold: Seconds for which the last frame stays.

    Raises:
        ImportError: The extra `pictures` is not installed.
        ConfigError: The number of scenes is 0 or above `MAX_FRAMES`, or `fps` is out of range.
    """
    drawn = (table_svg(scene, four_colours=four_colours) for scene in scenes)
    return write_film(path, drawn, fps, width=width, hold=hold)


def write_film(path: str | Path, svgs: Iterable[str], fps: float = 1.5, *, width: int = 720, hold: float = 3.0) -> int:
    """Write SVG pictures of equal size as an animated GIF that loops forever, and return the number of frames.

    Args:
        path: File to write; its folder must exist.
        svgs: SVG documents in order.
        fps: Frames per second, more than 0 and at most 50.
        width: Width in pixels.
        hold: Seconds for which the last frame stays.

    Raises:
        ImportError: The extra `pictures` is not installed.
        ConfigError: The number of pictures is 0 or above `MAX_FRAMES`, or `fps` is out of range.
    """
    with needing(NEEDS):
        from PIL import Image
    if not 0 < fps <= 50:
        raise ConfigError(f"expected more than 0 and at most 50 pictures per second, got {fps:g}")
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
