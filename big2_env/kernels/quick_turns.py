"""Prepared calls with which opponents outside the compiled loop move: a batch of few games spends its time between calls."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from big2_env.kernels.batch import Array
from big2_env.kernels.dialect.records import address
from big2_env.kernels.game_batch import RESET
from big2_env.kernels.opponents import Opponent, RowGames, RowPlayer
from big2_env.kernels.plain_loops import compiled_loops
from big2_env.kernels.tables import ANSWER


class QuickTurns:
    """Compiled calls for the opponents' turns in an engine's games.

    Args:
        engine: The games.
        arguments: The engine's arguments of `serve`, (1,).
        groups: As for `loops.write_waiting`.
        rows: Place for games, int64 (N,), which the arguments name.
    """

    def __init__(self, engine: RowGames, arguments: Array, groups: Array, rows: Array) -> None:
        # Imported where it is used: numba takes half a second to load.
        from big2_env.kernels.dialect.kernel import form_for

        self.actions: Array = np.zeros(engine.num_games, np.int64)
        """Moves in the games of `rows`."""
        self._engine, self._rows = engine, rows
        self._own = arguments.copy()
        self._own["actions"], self._own["by_row"], self._own["shows"] = address(self.actions), 1, 0
        self._words, self._engines_words = self._own.view(np.int64).data, arguments.view(np.int64).data
        waiting = arguments, groups, rows
        self.find: Callable[[], tuple[int, int]] = partial(form_for(compiled_loops().write_waiting, *waiting), *waiting)
        """Function that calls `loops.write_waiting`."""
        self._serve = form_for(compiled_loops().serve, self._own, ANSWER, 0, 1)
        self._choices: dict[int, Callable[[int], object]] = {}

    def choice_of(self, group: int, opponent: Opponent) -> Callable[[int], object] | None:
        """Return a function that writes the moves of a group's opponent to `actions`, `None` if none is prepared."""
        choose = self._choices.get(group)
        if choose is None and isinstance(opponent, RowPlayer):
            choose = opponent.prepared(self._engine, self._rows, self.actions)
            if choose is not None:
                self._choices[group] = choose
        return choose

    def answer(self, number: int) -> int:
        """Make the moves in the first games of `rows`. Return the index of the first illegal one, otherwise -1."""
        self._words[RESET] = self._engines_words[RESET]
        return int(self._serve(self._own, ANSWER, 0, number))
