"""An observation of your own, in the environments that show one game at a time."""

from __future__ import annotations

from typing import Any, Protocol

import numpy.typing as npt
from gymnasium import spaces

from big2_env.climbing.view import View
from big2_env.errors import ConfigError


class Encoder(Protocol):
    """What a network sees of a seat's view, for `SeatEnv` and the AEC environment, in every ruleset.

    A view has no field for what the seat may not know. Batches have no views: there an encoder is a wrapper of their
    observations, as `gymnasium.wrappers.vector.TransformObservation` with `autoreset_mode="NextStep"`.
    """

    space: spaces.Space[Any]
    """What `encode` gives one of."""

    def encode(self, view: View) -> npt.NDArray[Any]:
        """The observation of a view, a new array."""
        ...


def checked_encoder(encoder: Encoder | None) -> Encoder | None:
    """The encoder given.

    Raises:
        ConfigError: it has no space or no method `encode`, or is a class.
    """
    has_space = isinstance(getattr(encoder, "space", None), spaces.Space)
    if encoder is not None and not (has_space and callable(getattr(encoder, "encode", None)) and not isinstance(encoder, type)):
        raise ConfigError(f"expected an encoder with a gymnasium space as `space` and encode(view), got {encoder!r}")
    return encoder
