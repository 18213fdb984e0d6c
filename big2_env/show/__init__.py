"""What people look at: a scene is a value that holds exactly what its viewer may know; renderers draw scenes and nothing else.

`scene(game, viewer=0)` makes one of a climbing game; the side games make their own (`games/*/scene.py`).

| module | what it has |
| --- | --- |
| `scene` | the value |
| `climbing`, `faces`, `texts`, `numbers` | scenes of the climbing games, and their words |
| `text`, `card_text` | a scene as rich text; cards in sentences and lines |
| `card_svg`, `card_shapes` | cards as SVG: symbols, single cards; the paths they are made of |
| `table_svg`, `table_places` | a scene as SVG, several of them, a row of cards; where things lie |
| `svg_text`, `described` | lines of text in pictures; a scene in words for readers who do not see it |
| `raster`, `film` | SVG as pixels, scenes as an animated GIF (extra `pictures`) |
| `seat_words` | what seats are called in a language |
| `rules_words`, `pattern_words`, `beat_words`, `settlement_words` | the rules of a climbing game in words |
| `rules_page`, `state_text` | rules as text and Markdown; the state of a game as text |
| `replays`, `replay_page`, `page/` | games to be looked through; the same as one HTML page |
| `notebook` | what a notebook shows of a `Game`, a `View`, a `Play` |
"""

from big2_env.show.climbing import scene
from big2_env.show.scene import Area, CardFace, Scene, ShownAct, ShownAdvice, ShownSeat

__all__ = ["Area", "CardFace", "Scene", "ShownAct", "ShownAdvice", "ShownSeat", "scene"]
