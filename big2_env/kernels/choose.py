"""Which of the compiled engines serves a ruleset."""

from __future__ import annotations

from typing import Any

from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.tables import compile_tables
from big2_env.kernels.wide.compile import compile_wide
from big2_env.kernels.wide.engine import WideEngine


def is_narrow(ruleset: RuleSet, num_players: int | None = None) -> bool:
    """Whether the first engine serves a ruleset; else the wide one does.

    Raises:
        ConfigError: neither can be compiled for the ruleset.
    """
    try:
        compile_tables(ruleset)
    except ConfigError as narrow:
        try:
            compile_wide(ruleset, ruleset.default_players if num_players is None else num_players)
        except ConfigError as wide:
            raise ConfigError(f"{narrow}; the wide engine: {wide}") from None
        return False
    return True


def batch_engine(ruleset: RuleSet, num_games: int, *, masks: bool = True, **options: Any) -> BatchEngine:
    """The engine that serves a ruleset: that for 52 cards in hands of 13, or the wide one.

    Args:
        ruleset: the games' rules.
        num_games: how many games.
        masks: `False` leaves out the masks of the wide engine, see `WideEngine`; the other one always writes them.
        options: as of `BatchEngine`.

    Raises:
        ConfigError: neither can be compiled for the ruleset, or a bad argument.
    """
    if is_narrow(ruleset, options.get("num_players")):
        return BatchEngine(ruleset, num_games, **options)
    return WideEngine(ruleset, num_games, masks=masks, **options)
