"""Rule players in every row of a batch: interpreted until compiled, in batches that may be interpreted.

Nothing here imports numba before compiled code is wanted.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from big2_agents.formula import Weights
from big2_env.background_compile import BackgroundCompile
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect import HEURISTIC_SITS
from big2_env.kernels.dialect.loader import interpreted
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.interim import may_be_compiled
from big2_env.kernels.opponents import OneGame, RowGames, RowPlayer, RowRandom

if TYPE_CHECKING:
    from big2_agents.kernels.rule_players import Player, RuleRows

_FIRST: Final = np.zeros(1, np.int64)
_KERNELS: Final = "big2_agents.kernels.rule_players"


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
        self._compiled: RuleRows | None = None
        self._interpreted: RuleRows | None = None
        self._has_begun = False
        if may_be_compiled(_KERNELS, "write_acts"):
            self._compiled = _compiled(*self._given)
        else:
            compile_tables(ruleset, num_players)  # refuses what the interpreted player would; the batch decides which is made

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._given

    def acts(self, engine: RowGames, rows: npt.NDArray[Any], rng: RowRandom) -> npt.ArrayLike:
        """Return the player's action in each game, as `RuleRows` does."""
        if not self._has_begun:
            self._has_begun = True
            if engine.may_interpret and (self._compiled is None or not _is_compiled(self._compiled, engine)):
                self._interpreted = _interpreted(*self._given)
        if self._interpreted is not None:
            compiling = _compilation(*self._given)
            if not compiling.is_ready:
                with compiling.timed():
                    return self._interpreted.acts(engine, rows, rng)
            self._interpreted = None
        if self._compiled is None:
            self._compiled = _compiled(*self._given)
        return self._compiled.acts(engine, rows, rng)

    def prepared(self, engine: RowGames, rows: npt.NDArray[Any], actions: npt.NDArray[Any]) -> Callable[[int], object] | None:
        """Return a quick form of `acts`, once the player is compiled."""
        if self._compiled is None or not self._has_begun or self._interpreted is not None:
            return None
        return self._compiled.prepared(engine, rows, actions)


def _interpreted(ruleset: RuleSet, player: Player, num_players: int) -> RuleRows:
    more = [HEURISTIC_SITS] if isinstance(player, Weights) else []
    found: RuleRows = interpreted(ruleset, *more).module(_KERNELS).RuleRows(ruleset, player, num_players)
    return found


def _compiled(ruleset: RuleSet, player: Player, num_players: int) -> RuleRows:
    from big2_agents.kernels.rule_players import RuleRows

    return RuleRows(ruleset, player, num_players)


def _is_compiled(player: RuleRows, engine: RowGames) -> bool:
    """Return whether a player's kernels are compiled, in this process or in numba's cache on disk."""
    from big2_agents.kernels.rule_players import write_acts
    from big2_env.kernels.dialect.kernel import is_compiled

    return is_compiled(write_acts, *player.arguments(engine, _FIRST))


def chooser_of(player: Player, engine: OneGame) -> Callable[[], int] | None:
    """Return a function that gives a player's action in an engine's game from its record.

    While the player is not compiled, that begins in the background, and there is none.

    Args:
        player: As `RuleRows`.
        engine: The game; its engine is compiled.
    """
    given = engine.ruleset, player, engine.num_players
    compiling = _compilation(*given)
    if not compiling.is_ready and compiling.thread is not None:  # on the way, or impossible
        return None
    try:
        rows = _compiled(*given)
    except ConfigError:  # more than its tables hold
        return None
    if not compiling.is_ready and _is_compiled(rows, engine.batch):
        compiling.finish()
    if not compiling.is_ready:
        compiling.start()
        return None
    actions = np.zeros(1, np.int64)
    chosen, write = actions.data, rows.prepared(engine.batch, _FIRST, actions)

    def choose() -> int:
        write(1)
        return chosen[0]

    return choose


@lru_cache(maxsize=64)
def _compilation(ruleset: RuleSet, player: Player, num_players: int) -> BackgroundCompile:
    """Return this process's background compilation of a player."""

    def prepare() -> None:
        from big2_agents.kernels.rule_players import write_acts
        from big2_env.kernels.dialect.kernel import form_for

        engine = BatchEngine(ruleset, 1, num_players=num_players)
        form_for(write_acts, *_compiled(ruleset, player, num_players).arguments(engine, _FIRST))

    return BackgroundCompile(prepare, what=f"a player of {ruleset.name}")
