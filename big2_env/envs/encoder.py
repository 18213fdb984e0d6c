"""An observation of your own, in the environments that show one game at a time."""

from __future__ import annotations

from typing import Any, Protocol

import numpy.typing as npt
from gymnasium import spaces

from big2_env.climbing.view import View


class Encoder(Protocol):
    """What a network sees of a seat's view, for `SeatEnv` and the AEC environment, in every ruleset.

    A view has no field for what the seat may not know. Batches have no views: there an encoder is a wrapper of their
    observations, as `gymnasium.wrappers.vector.TransformObservation`.
    """

    space: spaces.Space[Any]
    """What `encode` gives one of."""

    def encode(self, view: View) -> npt.NDArray[Any]:
        """The observation of a view, a new array."""
        ...
