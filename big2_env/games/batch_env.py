"""What the vector environments of the side games share: their engines draw the random acts."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from big2_env.envs.vector import BatchEnv


class DrawingEngine(Protocol):
    """A batch engine with a stream of its own for random acts."""

    def random_actions(self) -> npt.NDArray[Any]:
        """A random legal act of each game, int64 (N,), 0 where it is over."""


class GamesEnv(BatchEnv):
    """Many games of one kind, a row each."""

    def _set_engine(self, engine: DrawingEngine) -> None:
        """Take the engine, and make the spaces."""
        batch: Any = engine
        self.engine = batch
        self._drawing = engine
        self._set_spaces()

    def random_actions(self) -> npt.NDArray[np.int64]:
        """A random legal action of each row, int64 (N,), 0 where a game is over, from a stream that `reset(seed)` starts anew.

        With `copy=False` the array is written over by the next call.
        """
        self._check_started("random_actions()")
        return self._out(self._drawing.random_actions())
