"""The engine that an environment runs on: the reference rules at once, compiled ones from the game on when they are ready."""

from __future__ import annotations

from functools import lru_cache
from time import perf_counter
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.envs.reference import ReferenceEngine
from big2_env.envs.turn_engine import Array, Engine
from big2_env.errors import ConfigError
from big2_env.runs.background_compile import BackgroundCompile

ENGINES: Final = ("auto", "compiled", "reference")
"""What an environment may be asked to run on; `"auto"` begins with reference, and goes on compiled where it can."""


def make_engine(
    ruleset: RuleSet,
    num_players: int | None = None,
    dtype: npt.DTypeLike = np.int8,
    *,
    skip_forced: bool = False,
    kind: str = "auto",
) -> Engine:
    """An engine of the kind, one of `ENGINES`.

    Raises:
        ConfigError: as `Engine`; no such kind, or `"compiled"` for a ruleset that does not compile.
    """
    if kind not in ENGINES:
        raise ConfigError(f"expected engine {', '.join(map(repr, ENGINES))}, got {kind!r}")
    if kind == "compiled":
        from big2_env.envs.compiled import CompiledEngine  # numba takes half a second to import

        return CompiledEngine(ruleset, num_players, dtype, skip_forced)
    if kind == "reference":
        return ReferenceEngine(ruleset, num_players, dtype, skip_forced)
    return for_next_game(FirstEngine(ruleset, num_players, dtype, skip_forced))


def for_next_game(engine: Engine) -> Engine:
    """The engine for the next game of an environment: a compiled one in the place of a `FirstEngine`, once that is ready."""
    if isinstance(engine, FirstEngine) and engine.compiling.is_ready:
        from big2_env.envs.compiled import CompiledEngine

        return CompiledEngine(engine.ruleset, engine.num_players, engine.dtype, engine.skip_forced)
    return engine


class FirstEngine(ReferenceEngine):
    """The reference rules for the first games of a process, while compiled ones are made in the background."""

    def __init__(
        self,
        ruleset: RuleSet,
        num_players: int | None = None,
        dtype: npt.DTypeLike = np.int8,
        skip_forced: bool = False,
    ) -> None:
        super().__init__(ruleset, num_players, dtype, skip_forced)
        self._find()

    def _find(self) -> None:
        # Kept at hand: to look it up by ruleset would take a sixth of an act.
        self.compiling = compiling(self.ruleset, self.num_players, str(self.dtype))
        """Whether compiled rules are ready for such games."""

    def __getstate__(self) -> dict[str, Any]:
        """All but what a process compiles, which copies share and another process has of its own."""
        return {name: value for name, value in self.__dict__.items() if name != "compiling"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._find()

    def look(self, seat: int) -> tuple[Array, npt.NDArray[np.int8]]:
        """As `Engine.look`."""
        start = perf_counter()
        seen = super().look(seat)
        self.compiling.spend(perf_counter() - start)
        return seen

    def act(self, action: int) -> None:
        """As `Engine.act`."""
        start = perf_counter()
        super().act(action)
        self.compiling.spend(perf_counter() - start)

    def play(self, play: Play) -> None:
        """As `Engine.play`."""
        start = perf_counter()
        super().play(play)
        self.compiling.spend(perf_counter() - start)


@lru_cache(maxsize=64)
def compiling(ruleset: RuleSet, num_players: int, dtype: str) -> BackgroundCompile:
    """Whether compiled rules are ready for the games of a ruleset."""

    def prepare() -> None:
        from big2_env.envs.compiled import CompiledEngine

        engine: Any = CompiledEngine(ruleset, num_players, dtype)
        for game in (None, Game.deal(ruleset, 0, num_players)):
            if game is None:
                engine.deal(0)
            else:
                engine.start(game)
            engine.is_forced()
            engine.act(int(engine.mask(engine.turn).nonzero()[0][0]))
            engine.look((engine.turn + 1) % num_players)
            engine.payoffs()

    return BackgroundCompile(prepare, what=f"the rules of {ruleset.name}")
