"""Potential-based reward shaping, which leaves the optimal policy unchanged.

Each decision's reward is increased by `gamma * potential(next) - potential(now)`. `next` is the observation at the same
seat's next decision. The potential of a finished game is 0 (Ng, Harada, Russell, ICML 1999). Payoffs in infos are not
shaped.

| potential | value for a seat |
| --- | --- |
| `"cards_left"` | fraction of the largest hand already played: 1 - cards held / maximum hand size |
| `"race"` | lead over the fastest other seat in cards, divided by the maximum hand size; from -1 to 1 |
| a function | M numbers from observations, int8 or float32 (M, size); the environment's `layout` names their windows |

Shaping works in `SeatEnv`, in `BatchEnv` in seat mode (`make`, `make_vec`), in `SeatVecEnv`, and in `SelfPlayVecEnv` with
`SelfPlayPPO`. In self-play every seat's decisions are shaped by its own observations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from big2_env.base.errors import ConfigError
from big2_env.climbing.encoding.observation import ObservationLayout

Array: TypeAlias = npt.NDArray[Any]
Potential: TypeAlias = Callable[[Array], npt.ArrayLike]
"""Function of observations (M, size) that returns M numbers."""


@dataclass(frozen=True)
class Shaping:
    """Potential-based shaping of rewards.

    Args:
        potential: `"cards_left"`, `"race"` or a function of observations.
        weight: Factor of the potential.
        gamma: Discount factor of the learner, 0 to 1. The optimal policy is preserved if both agree. `SelfPlayPPO` uses
            its own.

    Raises:
        ConfigError: If the potential is unknown, the weight is not finite, or `gamma` is outside 0 to 1.
    """

    potential: str | Potential
    weight: float = 1.0
    gamma: float = 1.0

    def __post_init__(self) -> None:
        if not callable(self.potential) and self.potential not in POTENTIALS:
            known = ", ".join(map(repr, POTENTIALS))
            raise ConfigError(f"expected shaping by {known} or a function of observations, got {self.potential!r}")
        if not isinstance(self.weight, Real) or not isfinite(self.weight):
            raise ConfigError(f"expected a finite number as weight, got {self.weight!r}")
        if not isinstance(self.gamma, Real) or not 0.0 <= self.gamma <= 1.0:
            raise ConfigError(f"expected gamma from 0 to 1, got {self.gamma!r}")


def _cards_held(observations: Array, layout: ObservationLayout) -> tuple[Array, int]:
    """Return each seat's number of cards, float64 (M, seats) with seats counted from the viewer, and the maximum hand size."""
    window = layout.windows["cards_left"]
    shown = observations[:, window.start : window.stop].reshape(len(observations), *window.shape)
    return shown.sum(axis=2, dtype=np.float64), int(window.shape[1])


def _cards_left(observations: Array, layout: ObservationLayout) -> Array:
    held, most = _cards_held(observations, layout)
    found: Array = 1.0 - held[:, 0] / most
    return found


def _race(observations: Array, layout: ObservationLayout) -> Array:
    held, most = _cards_held(observations, layout)
    found: Array = (held[:, 1:].min(axis=1) - held[:, 0]) / most
    return found


POTENTIALS: Final[dict[str, Callable[[Array, ObservationLayout], Array]]] = {"cards_left": _cards_left, "race": _race}
"""The named potentials."""


class Shaper:
    """Shaping of the rows of one environment.

    Args:
        given: A potential or a `Shaping`.
        layout: Layout of the observations.

    Raises:
        ConfigError: As `Shaping`.
    """

    def __init__(self, given: str | Potential | Shaping, layout: ObservationLayout) -> None:
        self.shaping = given if isinstance(given, Shaping) else Shaping(given)
        self._layout = layout
        self._before: Array = np.zeros(0)

    def potentials(self, observations: Array) -> Array:
        """Return the weighted potential of each row, float64 (M,), for observations (M, size).

        Raises:
            ConfigError: If a function does not return M finite numbers.
        """
        potential, number = self.shaping.potential, len(observations)
        if isinstance(potential, str):
            return self.shaping.weight * POTENTIALS[potential](observations, self._layout)
        given = np.asarray(potential(observations))
        if given.shape != (number,) or given.dtype.kind not in "fiub" or not np.isfinite(given).all():
            raise ConfigError(f"expected {number} finite numbers from potential {potential!r}, got {given.dtype} {given.shape}")
        return self.shaping.weight * given.astype(np.float64)

    def begin(self, observations: Array) -> None:
        """Store the potentials of newly started games, with observations (M, size)."""
        self._before = self.potentials(observations)

    def gains(self, observations: Array, ended: Array, dealt: Array) -> Array:
        """Return the terms that a step adds to the rewards, float64 (M,).

        Args:
            observations: Observations after the step. Rows that dealt a new game at once show that game.
            ended: Bool (M,), true if the step ended a game.
            dealt: Bool (M,), true if the step only dealt a game.
        """
        now = self.potentials(observations)
        found: Array = np.where(ended, 0.0, self.shaping.gamma * now) - self._before
        found[dealt] = 0.0
        self._before = now
        return found
