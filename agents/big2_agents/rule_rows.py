"""Rule players in every row of a batch: interpreted until compiled, in batches that may be interpreted."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_agents.formula import Weights
from big2_agents.kernels.rule_players import Player, RuleRows, write_acts
from big2_env.background_compile import BackgroundCompile
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.dialect import HEURISTIC_SITS
from big2_env.kernels.dialect.kernel import form_for, is_compiled
from big2_env.kernels.dialect.loader import interpreted
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.opponents import RowGames, RowPlayer, RowRandom

_FIRST: Final = np.zeros(1, np.int64)


class InterimRows(RowPlayer):
    """`RuleRows`, interpreted while it is not compiled if the batch may be (`BatchEngine.may_interpret`).

    Args:
        ruleset: The rules of the games.
        player: As `RuleRows`.
        num_players: Number of seats.

    Raises:
        ConfigError: As `RuleRows`.
    """

    def __init__(self, ruleset: RuleSet, player: Player, num_players: int) -> None:
        self._given = ruleset, player, num_players
        self._compiled = RuleRows(*self._given)
        self._interpreted: RuleRows | None = None
        self._has_begun = False

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._given

    def acts(self, engine: RowGames, rows: npt.NDArray[Any], rng: RowRandom) -> npt.ArrayLike:
        """Return the player's action in each game, as `RuleRows` does."""
        if not self._has_begun:
            self._has_begun = True
            if engine.may_interpret and not is_compiled(write_acts, *self._compiled.arguments(engine, _FIRST)):
                self._interpreted = _interpreted(*self._given)
        if self._interpreted is not None:
            compiling = _compilation(*self._given)
            if not compiling.is_ready:
                with compiling.timed():
                    return self._interpreted.acts(engine, rows, rng)
            self._interpreted = None
        return self._compiled.acts(engine, rows, rng)


def _interpreted(ruleset: RuleSet, player: Player, num_players: int) -> RuleRows:
    more = [HEURISTIC_SITS] if isinstance(player, Weights) else []
    module = interpreted(ruleset, *more).module("big2_agents.kernels.rule_players")
    found: RuleRows = module.RuleRows(ruleset, player, num_players)
    return found


@lru_cache(maxsize=64)
def _compilation(ruleset: RuleSet, player: Player, num_players: int) -> BackgroundCompile:
    """Return this process's background compilation of a player."""

    def prepare() -> None:
        engine = BatchEngine(ruleset, 1, num_players=num_players)
        form_for(write_acts, *RuleRows(ruleset, player, num_players).arguments(engine, _FIRST))

    return BackgroundCompile(prepare, what=f"a player of {ruleset.name}")
