"""The rule players in compiled games: which one sits where, and what the seat to move does."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from big2_agents.formula import Weights
from big2_agents.kernels.acts import HEURISTIC, RANDOM, simple_act
from big2_agents.kernels.heuristic import heuristic_act
from big2_agents.kernels.heuristic_tables import WEIGHTS, weights_record
from big2_env.kernels.dialect.bits import U, popcount, random_next
from big2_env.kernels.dialect.cardsets import get
from big2_env.kernels.dialect.features import HEURISTIC_SITS
from big2_env.kernels.dialect.kernel import copied, either, kernel
from big2_env.kernels.tables import Tables


@cache
def table_dtype(seats: int) -> np.dtype[Any]:
    """What is kept of a game besides its record, by seat."""
    return np.dtype(
        [
            ("rng", np.uint64, seats),  # each seat's stream
            ("code", np.int64, seats),  # its rule player; from `HEURISTIC` up, heuristic players with weights of their own
            ("left", np.int32, seats),  # cards held
            ("paid", np.float64, seats),
        ]
    )


@kernel
def _act_of(tab: Tables, game: Any, heur: Any, players: Any, number: Any, left: Any, scratch: Any) -> Any:
    heur.weights = copied(players[number])
    action = heuristic_act(tab, game, left, heur, scratch)
    if tab.auction:
        players[number] = heur.weights  # with what hands are usually worth to it, once that is measured
    return action


@kernel
def _no_act(tab: Tables, game: Any, heur: Any, players: Any, number: Any, left: Any, scratch: Any) -> Any:
    return np.int64(0)


_weighed_act = either(HEURISTIC_SITS, _act_of, _no_act)
"""(tab, game, heur, players, number, left, scratch): the id of a heuristic player's act; 0, the pass, where there is no such
player."""


@kernel
def act_of_seat(tab: Tables, game: Any, order: Any, heur: Any, players: Any, seats: Any, scratch: Any) -> Any:
    """The id of the act of the seat to move in a game that goes on.

    `order` is an `order_record`; `heur` a `heuristic_record`, None where no heuristic player sits; `players` are the weights of
    heuristic players, `WEIGHTS` (N,), for the codes from `HEURISTIC` up; `seats` is a record of `table_dtype`.
    """
    seat = np.int64(game.turn)
    if seats.code[seat] >= HEURISTIC:
        for who in range(tab.num_players):
            seats.left[who] = popcount(get(game.hands, who))
        return _weighed_act(tab, game, heur, players, seats.code[seat] - HEURISTIC, seats.left, scratch)
    number = U(0)
    if seats.code[seat] == RANDOM:
        seats.rng[seat], number = random_next(seats.rng[seat])
    return np.int64(simple_act(tab, game, order, seats.code[seat], number, scratch))


Player: TypeAlias = int | Weights
"""A rule player: one of the codes below `HEURISTIC`, or the weights of a heuristic player."""


def numbered(players: Iterable[Player]) -> tuple[dict[Player, int], npt.NDArray[Any]]:
    """A code for each player, and the weights of heuristic players, `WEIGHTS` (N,), whose codes begin with `HEURISTIC`."""
    players = list(dict.fromkeys(players))
    weights = [player for player in players if isinstance(player, Weights)]
    codes: dict[Player, int] = {player: player for player in players if isinstance(player, int)}
    codes |= {each: HEURISTIC + number for number, each in enumerate(weights)}
    return codes, np.array([weights_record(each) for each in weights], WEIGHTS)
