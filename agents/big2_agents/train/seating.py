"""Who sits where in the games of the strong learner: itself, rule players, earlier selves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_agents.compiled.acts import GREEDY, HEURISTIC, LOWEST, RANDOM
from big2_agents.compiled.selfplay import NET
from big2_agents.train.hyper_parameters import GUESTS
from big2_agents.train.network import NUM_GUESTS
from big2_env.errors import ConfigError

Array = npt.NDArray[Any]
PAST: Final = -2
"""Controller code of an earlier self."""
KINDS: Final = {"greedy": GREEDY, "heuristic": HEURISTIC, "random": RANDOM, "lowest": LOWEST}
"""Rule players that may be guests, by name."""
_WEIGHT: Final = re.compile(r"\d{1,2}", re.ASCII)


def guests_named(text: str) -> tuple[int, ...]:
    """The controller codes of rule players, each as often as its weight says, as in `greedy=2,random=1`.

    Raises:
        ConfigError: text of another form.
    """
    codes: list[int] = []
    for part in text.split(","):
        name, _, weight = part.strip().partition("=")
        if name not in KINDS or not _WEIGHT.fullmatch(weight):
            codes = []
            break
        codes += [KINDS[name]] * int(weight)
    if not codes:
        raise ConfigError(f"guests {text!r}: allowed are {', '.join(KINDS)} with weights up to 99, as {GUESTS}")
    return tuple(codes)


def seat_players(rng: np.random.Generator, num_games: int, share: float, guests: Sequence[int], with_past: bool) -> Array:
    """Who sits where, int32 (N, 4): in a `share` of the games guests, rule players or an earlier self, have one to three seats.

    Mostly the learner is alone against three guests of one kind, as in the tables of comparison: a seat alone learns to
    tell from their plays who they are, and what is best against them; self-play alone does not teach that.
    """
    codes = np.array([*guests, *(PAST,) * 3 * with_past], np.int32)
    number = np.where(rng.random(num_games) < 0.9, 3, rng.integers(1, 3, num_games))
    number[rng.random(num_games) >= share] = 0
    is_guest = rng.permuted(np.tile(np.arange(4), (num_games, 1)), axis=1) < number[:, None]
    of_one_kind = rng.random(num_games) < 0.85
    kinds = np.where(of_one_kind[:, None], rng.choice(codes, (num_games, 1)), rng.choice(codes, (num_games, 4)))
    return np.where(is_guest, kinds, NET).astype(np.int32)


def guests_of(controllers: Array, rows: Array, seats: Array) -> Array:
    """Which rule player each of the others is, in turn order from each seat, int8 (n, 3 * NUM_GUESTS); networks are all 0."""
    others = controllers[rows[:, None], (seats[:, None] + np.arange(1, 4)) % 4]
    kinds: Array = (others[:, :, None] == np.arange(NUM_GUESTS)).astype(np.int8)
    return kinds.reshape(len(rows), 3 * NUM_GUESTS)
