"""Renderers. A scene (`big2_env.base.scene`) holds what one viewer may know; this package draws scenes and nothing else.

`scene(game, viewer=0)` creates the scene of a climbing game; side games create their own (`games/*/scene.py`).

| module | contents |
| --- | --- |
| `terminal` | cards and scenes as rich text |
| `card_svg` | cards as SVG: symbols and single cards |
| `table_svg` | scenes and rows of cards as SVG, with a description in words |
| `raster` | SVG as pixels, scenes as an animated GIF (extra `pictures`) |
| `felt` | colors and style of all pages and pictures |
| `replays`, `replay_page`, `page/` | replays of games; a replay as one HTML page |
| `notebook` | pictures of a `Game`, a `View` or a `Play` in notebooks |
"""

from big2_env.base.scene import Area, CardFace, Scene, ShownAdvice, ShownMove, ShownSeat
from big2_env.text.climbing_scene import scene

__all__ = ["Area", "CardFace", "Scene", "ShownAdvice", "ShownMove", "ShownSeat", "scene"]
