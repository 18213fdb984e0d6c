"""Whole games between rule players, act for act those that the agents themselves play, and far faster.

Which of several acts such an agent makes may hang on the order of the legal acts, so they are put into the order of
`LegalPlays`: by row, then by the cards of the row's ranks as the reference goes through them.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

import numba as nb
import numpy as np
import numpy.typing as npt

from big2_agents.compiled.heuristic import score_of_pass, score_of_play, think
from big2_agents.compiled.heuristic_tables import NO_HEURISTIC, heuristic_record, row_places
from big2_agents.compiled.policies import GREEDY, HEURISTIC, LOWEST, RANDOM
from big2_agents.compiled.track import GAME, PLAIN
from big2_agents.first import FirstAgent
from big2_agents.greedy import GreedyAgent
from big2_agents.heuristic import HeuristicAgent, Weights
from big2_agents.random import RandomAgent
from big2_env.agents import Agent
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.bits import U, below, lowest_bit, popcount, random_next
from big2_env.kernels.compare import power_of
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.legal import legal_ids
from big2_env.kernels.legal_slots import row_of, slot_cards
from big2_env.kernels.settle import payoff
from big2_env.kernels.tables import MAX_CATEGORIES, MAX_ROWS, MAX_SLOT_ACTIONS, SAME, Tables, as_record
from big2_env.kernels.turn import deal, put_down
from big2_env.rng import derived

Array = npt.NDArray[Any]

ACTS: Final = np.dtype(
    [
        # The ruleset.
        ("row_place", np.int16, MAX_ROWS),  # at most 12 bits: where the reference lists a row
        ("row_part", np.int8, (MAX_ROWS, 13)),  # its parts in the order of the reference
        ("bomb", np.int64, MAX_CATEGORIES),
        # The legal acts of a decision.
        ("count", np.int64),
        ("cards", np.uint64, MAX_SLOT_ACTIONS),  # 0 for the pass
        ("row", np.int64, MAX_SLOT_ACTIONS),
        (
            "place",
            np.uint64,
            MAX_SLOT_ACTIONS,
        ),  # grows in the order of the reference: its row, then 4 bits for each of 13 ranks
        # A game.
        ("rng", np.uint64, 4),  # each seat's stream
        ("left", np.int32, 4),  # cards held, by seat
        ("paid", np.float64, 4),
    ]
)
"""What games of one ruleset are played with: not for two threads at once."""


@nb.njit(cache=True)
def _find_acts(t: Tables, g: Any, a: Any, scratch: Any) -> None:
    """List the legal acts of the seat to move, the pass last."""
    hand = g.hands[g.turn]
    a.count = legal_ids(t, hand, g.top_category, g.top_power, g.obligation[0], scratch)
    for i in range(a.count):
        if scratch.ids[i] == 0:
            a.cards[i], a.row[i], a.place[i] = U(0), -1, ~U(0)
            continue
        cards = slot_cards(t, scratch.ids[i], hand)
        row = row_of(t, cards)
        choice = U(0)
        if t.row_suits[row] == SAME:
            choice = U(lowest_bit(cards) & 3)
        else:
            for nth in range(t.row_parts[row]):
                shift = U(4) * U(t.row_ranks[row, a.row_part[row, nth]])
                choice = choice << U(4) | (cards >> shift) & U(15)
        a.place[i] = U(a.row_place[row]) << U(52) | choice
        a.cards[i], a.row[i] = cards, row


@nb.njit(cache=True)
def _nth(a: Any, wanted: Any) -> Any:
    """Which act the reference lists at a place, from 0."""
    for i in range(a.count):
        before = 0
        for j in range(a.count):
            before += a.place[j] < a.place[i]
        if before == wanted:
            return i
    return 0


@nb.njit(cache=True)
def _cheapest(t: Tables, g: Any, a: Any) -> Any:
    """The act of the greedy agent."""
    best, fewest, least_bomb, least_power = 0, 0, 0, 0
    for i in range(a.count):
        if a.row[i] < 0:
            continue
        size = -popcount(a.cards[i]) if g.top_category < 0 else 0
        bomb, power = a.bomb[t.row_category[a.row[i]]], power_of(t, a.row[i], a.cards[i])
        if i > 0:
            if size != fewest:
                is_better = size < fewest
            elif bomb != least_bomb:
                is_better = bomb < least_bomb
            elif power != least_power:
                is_better = power < least_power
            else:
                is_better = a.cards[i] < a.cards[best]
            if not is_better:
                continue
        best, fewest, least_bomb, least_power = i, size, bomb, power
    return best


@nb.njit(cache=True)
def _best_scored(t: Tables, g: Any, a: Any, h: Any) -> Any:
    """The act of the heuristic agent."""
    if a.count == 1:
        return 0
    hand = g.hands[g.turn]
    for i in range(a.count):
        if a.cards[i] == hand:
            return i
    think(t, g, a.left, h)
    best, most = 0, 0.0
    for i in range(a.count):
        if a.cards[i]:
            score = score_of_play(t, g, h, a.cards[i], np.int64(t.row_category[a.row[i]]), power_of(t, a.row[i], a.cards[i]))
        else:
            score = score_of_pass(t, g, a.left, h)
        if i == 0 or score > most or (score == most and a.place[i] < a.place[best]):
            best, most = i, score
    return best


@nb.njit(cache=True, nogil=True)
def _play(t: Tables, g: Any, a: Any, h: Any, seed: Any, codes: Any, scratch: Any) -> Any:
    """Play a game from its deal; returns the winner. `codes` int64 (4,), the rule player of each seat."""
    deal(t, g, seed, scratch)
    for seat in range(t.num_players):
        a.left[seat] = popcount(g.hands[seat])
    while g.winner < 0:
        _find_acts(t, g, a, scratch)
        code = codes[g.turn]
        if code == RANDOM:
            a.rng[g.turn], number = random_next(a.rng[g.turn])
            chosen = _nth(a, below(number, a.count))
        elif code == LOWEST:
            chosen = _nth(a, 0)
        elif code == GREEDY:
            chosen = _cheapest(t, g, a)
        else:
            chosen = _best_scored(t, g, a, h)
        a.left[g.turn] -= popcount(a.cards[chosen])
        put_down(t, g, a.cards[chosen])
    for seat in range(t.num_players):
        a.paid[seat] = payoff(t, g, seat)
    return g.winner


_CODES: Final[dict[type, int]] = {RandomAgent: RANDOM, FirstAgent: LOWEST, GreedyAgent: GREEDY, HeuristicAgent: HEURISTIC}


def code_of(agent: Agent) -> int | None:
    """The code of the rule player that repeats an agent act for act; none for most agents."""
    if isinstance(agent, HeuristicAgent) and agent.weights not in (None, Weights()):
        return None
    return _CODES.get(type(agent))


class RuleGames:
    """Plays games of one ruleset between the rule players that are named by their codes.

    Raises:
        ConfigError: the ruleset cannot be compiled, or does not fit the heuristic player's tables where that one is named.
    """

    def __init__(self, ruleset: RuleSet, codes: Collection[int]) -> None:
        self._tables = compile_tables(ruleset)
        self._game = as_record(np.zeros((), GAME))
        self._acts = as_record(np.zeros((), ACTS))
        self._heuristic = heuristic_record(ruleset) if HEURISTIC in codes else NO_HEURISTIC
        self._scratch = as_record(np.zeros((), PLAIN.scratch))
        self._players = ruleset.default_players
        t, a, table = self._tables, self._acts, ruleset.table
        for i, place, parts in row_places(t, ruleset):
            a.row_place[i] = place
            a.row_part[i, : len(parts)] = parts
        a.bomb[: len(table.categories)] = [category.bomb for category in table.categories]

    def play(self, seed: int, codes: Sequence[int]) -> tuple[int, tuple[int, ...], tuple[float, ...]]:
        """The winner, the cards left and the payoffs by seat of the game that `Game.deal` and `reset_seats` start by a seed."""
        t, a = self._tables, self._acts
        for seat in range(self._players):
            a.rng[seat] = derived(seed, seat)
        winner = _play(t, self._game, a, self._heuristic, U(seed & (1 << 64) - 1), np.array(codes, np.int64), self._scratch)
        seats = slice(self._players)
        return int(winner), tuple(a.left[seats].tolist()), tuple(a.paid[seats].tolist())
