"""Renderers. A scene (`big2_env.scene`) holds what one viewer may know; everything here draws scenes and nothing else.

`scene(game, viewer=0)` makes the scene of a climbing game; the side games make their own (`games/*/scene.py`).

| module | contents |
| --- | --- |
| `terminal` | cards and scenes as rich text |
| `card_svg` | cards as SVG: symbols and single cards |
| `table_svg` | one scene or several as SVG, a row of cards; a scene in words for readers who do not see it |
| `raster` | SVG as pixels, scenes as an animated GIF (extra `pictures`) |
| `replays`, `replay_page`, `page/` | replays of climbing games; a replay as one HTML page |
| `notebook` | how notebooks show a `Game`, a `View`, a `Play` |
"""

from big2_env.scene import Area, CardFace, Scene, ShownAct, ShownAdvice, ShownSeat
from big2_env.text.climbing_scene import scene

__all__ = ["Area", "CardFace", "Scene", "ShownAct", "ShownAdvice", "ShownSeat", "scene"]
