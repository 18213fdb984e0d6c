"""What people look at: a scene is a value that holds exactly what its viewer may know; renderers draw scenes and nothing else.

`scene(game, viewer=0)` makes one of a climbing game; the side games make their own (`games/*/scene.py`).
"""

from big2_env.show.climbing import scene
from big2_env.show.scene import Area, CardFace, Scene, ShownAct, ShownAdvice, ShownSeat

__all__ = ["Area", "CardFace", "Scene", "ShownAct", "ShownAdvice", "ShownSeat", "scene"]
