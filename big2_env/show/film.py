"""Films: scenes as an animated GIF. Needs the extra `pictures`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from big2_env.errors import ConfigError
from big2_env.runs.replacing import replacing
from big2_env.scene import Scene
from big2_env.show.raster import NEEDS, image
from big2_env.show.table_svg import table_svg

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
    with replacing(Path(path)) as new, new.open("wb") as file:
        frames[0].save(file, "GIF", save_all=True, append_images=frames[1:], duration=durations, loop=0, optimize=False)
    return len(frames)
