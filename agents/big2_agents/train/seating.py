"""Who sits where in the games of candidate PPO: itself, rule players, earlier selves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_agents.kernels.acts import GREEDY, HEURISTIC, LOWEST, NET, RANDOM
from big2_agents.train.hyper_parameters import OPPONENTS, CandidatePpoParameters
from big2_env.errors import ConfigError

Array = npt.NDArray[Any]
PAST: Final = -2
"""Controller code of an earlier self."""
KINDS: Final = {"greedy": GREEDY, "heuristic": HEURISTIC, "random": RANDOM, "lowest": LOWEST}
"""Rule players of the opponent pool, by name."""
NUM_RULE_PLAYERS: Final = len(KINDS)
"""How many kinds of them the critic tells apart."""
_WEIGHT: Final = re.compile(r"\d{1,2}", re.ASCII)


def opponents_named(text: str) -> tuple[int, ...]:
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
        known = ", ".join(KINDS)
        raise ConfigError(f"expected opponents among {known} with weights up to 99, as {OPPONENTS}, got {text!r}")
    return tuple(codes)


def seat_players(
    rng: np.random.Generator,
    num_games: int,
    seats: int,
    share: float,
    opponents: Sequence[int],
    with_past: bool,
    alone: float = CandidatePpoParameters.alone,
) -> Array:
    """Who sits where, int32 (N, seats): in a `share` of the games opponents have some seats.

    In `alone` of these the learner is alone, mostly against opponents of one kind, as in the tables of comparison: a seat
    alone learns to tell from their plays who they are, and what is best against them; self-play alone does not teach that.
    """
    codes = np.array([*opponents, *(PAST,) * 3 * with_past], np.int32)
    number = np.where(rng.random(num_games) < alone, seats - 1, rng.integers(1, max(2, seats - 1), num_games))
    number[rng.random(num_games) >= share] = 0
    is_opponent = rng.permuted(np.tile(np.arange(seats), (num_games, 1)), axis=1) < number[:, None]
    of_one_kind = rng.random(num_games) < 0.85
    kinds = np.where(of_one_kind[:, None], rng.choice(codes, (num_games, 1)), rng.choice(codes, (num_games, seats)))
    return np.where(is_opponent, kinds, NET).astype(np.int32)


def games_joined(rng: np.random.Generator, controllers: Array, share: float) -> Array:
    """The games in which the learner, alone against opponents, plays for its partners too: bool (N,), a `share` of these.

    A farmer (农民) that only ever has a rule player beside it learns nothing of what its own kind would do for it.
    """
    is_alone = (controllers == NET).sum(axis=1) == 1
    joined: Array = is_alone & (rng.random(len(controllers)) < share)
    return joined


def rule_players_of(controllers: Array, rows: Array, seats: Array) -> Array:
    """Which rule player each of the others is, in turn order from each seat, int8 (n, others * NUM_RULE_PLAYERS).

    All 0 for a network.
    """
    players = controllers.shape[1]
    others = controllers[rows[:, None], (seats[:, None] + np.arange(1, players)) % players]
    kinds: Array = (others[:, :, None] == np.arange(NUM_RULE_PLAYERS)).astype(np.int8)
    return kinds.reshape(len(rows), (players - 1) * NUM_RULE_PLAYERS)
