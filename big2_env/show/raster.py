"""Pictures as pixels, by resvg. Needs the extra `pictures`."""

from __future__ import annotations

from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

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
