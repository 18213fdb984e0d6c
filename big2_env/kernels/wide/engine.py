"""The batch engine over the wide kernels."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.wide import loops, positions
from big2_env.kernels.wide.compile import compile_wide
from big2_env.kernels.wide.records import GAME, SCRATCH


class WideEngine(BatchEngine):
    """A `BatchEngine` of rulesets with other decks, auctions, draw piles or ranks alone.

    `mask` takes as many bytes a game as there are actions. With `masks=False` it has no columns and is not written; lists of
    legal acts (`legal_ids`) and masks that are asked for (`masks`) are there all the same.

    Raises:
        ConfigError: as `BatchEngine`.

    >>> from big2_env import ruleset
    >>> engine = WideEngine(ruleset("dou_dizhu"), 3, masks=False)
    >>> engine.reset(seed=7)
    >>> engine.legal_ids()[0].tolist(), engine.num_actions
    ([2, 2, 2], 27474)
    """

    apart: ClassVar = ("rng", "steps", "actor")
    _loops: ClassVar[Any] = loops
    _positions: ClassVar[Any] = positions
    _game: ClassVar[np.dtype[Any]] = GAME
    _scratch_type: ClassVar[np.dtype[Any]] = SCRATCH

    def __init__(self, ruleset: RuleSet, num_games: int, *, masks: bool = True, **options: Any) -> None:
        super().__init__(ruleset, num_games, **options)
        if not masks:
            self.mask = np.zeros((num_games, 0), np.int8)

    def _compile(self) -> np.record:
        return compile_wide(self.ruleset, self.num_players)
