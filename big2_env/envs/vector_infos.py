"""What a step of a batch tells besides observations and rewards: of games that ended, of acts that are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from big2_env.errors import ConfigError, IllegalPlayError
from big2_env.kernels.batch import Batch

Array = npt.NDArray[Any]


def refuse_illegal(engine: Batch, acts: Array) -> None:
    """Refuse acts, int64 (N,), of which some are not legal; rows that are over are not looked at.

    Raises:
        ConfigError, IllegalPlayError: of the first such row, with the reason.
    """
    refused = np.flatnonzero(~engine.are_legal(acts) & (engine.games.winner < 0))
    if not len(refused):
        return
    row = int(refused[0])
    try:
        engine.verify(row, int(acts[row]))
    except ConfigError as error:
        raise ConfigError(f"row {row}, {error}") from None
    except IllegalPlayError as error:
        raise IllegalPlayError(f"row {row}, action {acts[row]}: {error}", error.refusal) from None


def final_infos(engine: Batch, ended: Array, is_copied: bool) -> dict[str, Any]:
    """What is told of games that ended, bool (N,), and were dealt anew in the same step; in new arrays if `is_copied`."""
    final_obs, seat, payoffs = engine.final_observation, engine.actor, engine.payoffs
    if is_copied:
        rows = np.flatnonzero(ended)
        seat, payoffs = np.zeros_like(engine.actor), payoffs.copy()
        seat[rows] = engine.actor[rows]
        final_obs = by_row(final_obs, ended)
    final_info = {"seat": seat, "_seat": ended.copy(), "payoffs": payoffs, "_payoffs": ended.copy()}
    return {"final_obs": final_obs, "_final_obs": ended.copy(), "final_info": final_info, "_final_info": ended.copy()}


def by_row(array: Array, chosen: Array) -> Array:
    """Copies of the chosen rows of an array, `None` for the others: object (N,)."""
    rows = np.flatnonzero(chosen)
    found = np.empty(len(chosen), object)
    for row, values in zip(rows.tolist(), array[rows], strict=True):
        found[row] = values
    return found
