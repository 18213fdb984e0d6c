"""Rule players in every row of a batch, and in a game of one: interpreted until compiled, in batches that may be interpreted.

Nothing here imports numba before compiled code is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from big2_agents.models.formula import Weights
from big2_env.base.errors import ConfigError
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect import HEURISTIC_SITS
from big2_env.kernels.dialect.loader import interpreted
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.opponents import OneGame, RowGames, RowPlayer, RowRandom
from big2_env.kernels.switch import Compilation, Switch

if TYPE_CHECKING:
    from big2_agents.kernels.rule_players import Player, RuleGames, RuleRows

_FIRST: Final = np.zeros(1, np.int64)
_KERNELS: Final = "big2_agents.kernels.rule_players"
_ENTRY: Final = f"{_KERNELS}.write_moves"


class SwitchedRows(RowPlayer):
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
        compile_tables(ruleset, num_players)  # refuses what either form would; the first batch decides which is made
        forms = partial(_interpreted, *self._given), partial(_compiled, *self._given)
        self._switch = Switch(_compilation(*self._given), *forms)
        self._has_begun = False

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._given

    def moves(self, engine: RowGames, rows: npt.NDArray[Any], rng: RowRandom) -> npt.ArrayLike:
        """Return the player's action in each game, as `RuleRows` does."""
        if not self._has_begun:
            self._has_begun = True
            if not engine.may_interpret:
                self._switch.compilation.finish()
            else:
                self._switch.compilation.load()
        return self._switch.ask(lambda form: form.moves(engine, rows, rng))

    def prepared(self, engine: RowGames, rows: npt.NDArray[Any], actions: npt.NDArray[Any]) -> Callable[[int], object] | None:
        """Return a quick form of `moves`, once the player is compiled."""
        return self._switch.form.prepared(engine, rows, actions) if self._switch.compilation.is_ready else None


def _interpreted(ruleset: RuleSet, player: Player, num_players: int) -> RuleRows:
    more = [HEURISTIC_SITS] if isinstance(player, Weights) else []
    found: RuleRows = interpreted(ruleset, *more).module(_KERNELS).RuleRows(ruleset, player, num_players)
    return found


def _compiled(ruleset: RuleSet, player: Player, num_players: int) -> RuleRows:
    from big2_agents.kernels.rule_players import RuleRows

    return RuleRows(ruleset, player, num_players)


def chooser_of(player: Player, engine: OneGame) -> Callable[[], int] | None:
    """Return a function that gives a player's action in an engine's game from its record.

    While the player is not compiled, that begins in the background, and there is none.

    Args:
        player: As `RuleRows`.
        engine: The game; its engine is compiled.
    """
    given = engine.ruleset, player, engine.num_players
    compilation = _compilation(*given)
    try:
        if not compilation.load():
            compilation.start()
            return None
        rows = _compiled(*given)
    except ConfigError:  # more than its tables hold
        return None
    actions = np.zeros(1, np.int64)
    chosen, write = actions.data, rows.prepared(engine.batch, _FIRST, actions)

    def choose() -> int:
        write(1)
        return chosen[0]

    return choose


def rule_games(ruleset: RuleSet, players: Collection[Player], num_players: int) -> Switch[RuleGames]:
    """Return games between rule players.

    Args:
        ruleset: The rules of the games.
        players: The players that may sit at the table.
        num_players: Number of seats.
    """
    given = ruleset, players, num_players

    def plain() -> RuleGames:
        more = [HEURISTIC_SITS] if any(isinstance(player, Weights) for player in players) else []
        found: RuleGames = interpreted(ruleset, *more).module(_KERNELS).RuleGames(*given)
        return found

    def compiled() -> RuleGames:
        from big2_agents.kernels.rule_players import RuleGames

        return RuleGames(*given)

    def prepare() -> None:
        from big2_agents.kernels.rule_players import play_game
        from big2_env.kernels.dialect.kernel import form_for

        form_for(play_game, *arguments())

    def arguments() -> tuple[Any, ...]:
        return compiled().arguments(0, 0)

    compilation = Compilation(prepare, f"{_KERNELS}.play_game", arguments=arguments, what=f"games of {ruleset.name}")
    return Switch(compilation, plain, compiled)


@lru_cache(maxsize=64)
def _compilation(ruleset: RuleSet, player: Player, num_players: int) -> Compilation:
    """Return this process's compilation of a player."""

    def arguments() -> tuple[Any, ...]:
        engine = BatchEngine(ruleset, 1, num_players=num_players)
        return _compiled(ruleset, player, num_players).arguments(engine, _FIRST)

    def prepare() -> None:
        from big2_agents.kernels.rule_players import write_moves
        from big2_env.kernels.dialect.kernel import form_for

        form_for(write_moves, *arguments())

    return Compilation(prepare, _ENTRY, arguments=arguments, what=f"a player of {ruleset.name}")
