"""The engine that an environment runs on."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from big2_env.climbing.ruleset import RuleSet
from big2_env.envs.reference import ReferenceEngine
from big2_env.envs.turn_engine import Engine
from big2_env.errors import ConfigError

ENGINES: Final = ("auto", "compiled", "reference")
"""What an environment may be asked to run on; `"auto"` is compiled where the ruleset compiles, else reference."""


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
    if kind != "reference":
        # Imported where it is used: numba takes half a second to import.
        from big2_env.envs.compiled import CompiledEngine
        from big2_env.kernels.compile import check_compiles

        try:
            check_compiles(ruleset, num_players)
        except ConfigError:
            if kind == "compiled":
                raise
        else:
            return CompiledEngine(ruleset, num_players, dtype, skip_forced)
    return ReferenceEngine(ruleset, num_players, dtype, skip_forced)
