"""Shaped rewards: a potential of what a seat sees, paid out by its differences, which changes no optimal policy.

To the reward of each decision `gamma * potential(next) - potential(now)` is added, where `next` is what the seat sees at its
next decision, and the potential of a game that is over is 0 (Ng, Harada, Russell, ICML 1999). Payoffs in infos stay as they
are.

| potential | of a seat |
| --- | --- |
| `"cards_left"` | the share of the largest hand that it has got rid of: 1 - its cards / most cards of a hand |
| `"race"` | how many cards it is ahead of the fastest other seat, by the same measure, from -1 to 1 |
| a function | of the observations, int8 or float32 (M, size), as the environment's `layout` names them: M numbers |

It works in `SeatEnv`, in `BatchEnv` with a learner's seat (`make`, `make_vec`), in `SeatVecEnv`, and in `SelfPlayVecEnv` with
`SelfPlayPPO`, where every seat's decisions are shaped by what that seat sees.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.errors import ConfigError

Array: TypeAlias = npt.NDArray[Any]
Potential: TypeAlias = Callable[[Array], npt.ArrayLike]
"""Of observations (M, size): M numbers."""


@dataclass(frozen=True)
class Shaping:
    """What is added to rewards.

    Raises:
        ConfigError: a potential that is neither known nor a function, an infinite `weight`, a `gamma` outside of 0 to 1.
    """

    potential: str | Potential
    weight: float = 1.0
    """The potential is multiplied by it."""
    gamma: float = 1.0
    """The learner's discount: policies keep their order where both are the same. `SelfPlayPPO` takes its own."""

    def __post_init__(self) -> None:
        if not callable(self.potential) and self.potential not in POTENTIALS:
            known = ", ".join(map(repr, POTENTIALS))
            raise ConfigError(f"expected shaping by {known} or a function of observations, got {self.potential!r}")
        if not isinstance(self.weight, Real) or not isfinite(self.weight):
            raise ConfigError(f"expected a finite number as weight, got {self.weight!r}")
        if not isinstance(self.gamma, Real) or not 0.0 <= self.gamma <= 1.0:
            raise ConfigError(f"expected gamma from 0 to 1, got {self.gamma!r}")


def _cards_held(observations: Array, layout: ObservationLayout) -> tuple[Array, int]:
    """How many cards each seat holds, by its distance from the viewer, (M, seats); and the most cards that a hand has."""
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
"""The potentials that have a name."""


class Shaper:
    """The shaping of an environment's rows.

    Raises:
        ConfigError: as `Shaping`.
    """

    def __init__(self, given: str | Potential | Shaping, layout: ObservationLayout) -> None:
        self.shaping = given if isinstance(given, Shaping) else Shaping(given)
        self._layout = layout
        self._before: Array = np.zeros(0)

    def potentials(self, observations: Array) -> Array:
        """The potential of each row, weighted, float64 (M,), from observations (M, size).

        Raises:
            ConfigError: a function gives something else than M finite numbers.
        """
        potential, number = self.shaping.potential, len(observations)
        if isinstance(potential, str):
            return self.shaping.weight * POTENTIALS[potential](observations, self._layout)
        given = np.asarray(potential(observations))
        if given.shape != (number,) or given.dtype.kind not in "fiub" or not np.isfinite(given).all():
            raise ConfigError(f"expected {number} finite numbers from potential {potential!r}, got {given.dtype} {given.shape}")
        found: Array = self.shaping.weight * given.astype(np.float64)
        return found

    def begin(self, observations: Array) -> None:
        """Games were dealt, or put elsewhere: this is what their rows show now, (M, size)."""
        self._before = self.potentials(observations)

    def gains(self, observations: Array, ended: Array, dealt: Array) -> Array:
        """What a step adds to the rewards, float64 (M,).

        Args:
            observations: what the rows show after it; where a game ended and the next is dealt at once, the next one's.
            ended: bool (M,), whether it ended a game.
            dealt: bool (M,), whether it dealt a game and did nothing else.
        """
        now = self.potentials(observations)
        found: Array = np.where(ended, 0.0, self.shaping.gamma * now) - self._before
        found[dealt] = 0.0
        self._before = now
        return found
