"""Markov chains for the length of a game, solved exactly. Each model keeps a few numbers and forgets most of the card order.

The order of both hands determines a real game. The models (`Memory`) replace it as follows:

* `EXCHANGEABLE`: every card that is not on the board is equally likely to be next. The state is the size of the mover's hand,
  the size of the board, whether its lowest card is a J, and the place of a joker.
* `OWNERS`: also tracks the owner of each J. The next card is a J with probability (J's in the mover's hand) / (hand size).
* `APART`: like `EXCHANGEABLE`, plus one bit: no J follows directly after a capture by a J.
* `OWNERS_APART`: owners and bit together. In the real game a J rarely follows there: the capturing J goes under the hand as
  the last card of its capture, so the next card is the first card of another capture.
* `LED`: owners, the player who played the lowest card of the board, and how the mover has just emptied the board. The odds of
  a J or an equal card in these cases come from simulated games (`odds.py`): 19 numbers, none about the length of a game.

Motivation: a J played onto a non-empty board captures everything and returns under its player's hand. It can change hands only
if it was played onto an empty board: at the start, or right after the same player emptied the board. A player who
keeps one J away from empty boards cannot lose. A player without a J never gets one, because only a J captures a J. This is
proven for every deck under the rules of the article's program. A game therefore has two phases: until one hand has no J, and
from there to the end.

Comparing the models shows the effect of each part. The second phase takes 126.9 of the game's 1,304 plays, but 206 of 1,377 in
`OWNERS_APART`, which explains nearly all of that model's error. In the game, the player who played the lowest card of the board
captures it 3.5 times as often as with exchangeable cards, and this is usually the player who has the J's. `LED` includes the
effect: its second phase takes 126.0 plays, and its mean is within 1% of the game's for 54 and for 52 cards. The odds were
counted with 54 cards in both cases.

A model's values follow exactly from linear equations. Only simulated games show how well it describes the real game.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, NamedTuple

import numpy as np

from big2_env.base.errors import ConfigError, needing
from big2_env.games.fishing.analysis.odds import (
    AFTER_EQUAL,
    AFTER_JACK,
    HIGHER,
    JACK_LIES,
    JOKER,
    LIES,
    LOWEST_OTHER,
    LOWEST_OWN,
    MEASURED,
    Odds,
)
from big2_env.games.fishing.cards import DECK_52, DECK_54, FishingDeck

ORDINARY: Final = 12
"""Number of ranks that are neither J nor joker; each has four cards."""
COPIES: Final = 4


class Memory(Enum):
    """Information that a model keeps in addition to hand sizes and the board."""

    EXCHANGEABLE = "exchangeable"
    OWNERS = "owners"
    APART = "apart"
    OWNERS_APART = "owners apart"
    LED = "led"


class State(NamedTuple):
    """State of a chain before a play."""

    cards: int
    board: int
    under: int
    """1 if the lowest card of the board is a J, else 0."""
    joker: int
    """Place of the joker on the board; -1 if it is not there."""
    jacks: int = 0
    """J's in the mover's hand; always 0 in models without owners."""
    emptied: int = 0
    """1 if the mover has just emptied the board with a J, 2 if with an equal card (`LED` only), else 0."""
    led: int = 0
    """1 if the mover played the lowest card of the board and it is not a J; always 0 except in `LED`."""


@dataclass(frozen=True)
class Solution:
    """Solution of a chain's linear equations, exact up to rounding. T is the length of a game in plays."""

    states: int
    mean: float
    """E[T] in plays."""
    sd: float
    """Standard deviation of T in plays."""
    eigenvalue: float
    """Largest eigenvalue of the chain. In the long run each play ends the game with probability 1 minus this value."""

    without: float
    """Mean number of plays made while one hand has no J; NaN in a model without owners."""

    @property
    def scale(self) -> float:
        """Number of plays in which the survival probability falls by a factor of e in the long run."""
        return -1 / math.log(self.eigenvalue)


class Model:
    """Markov chain for one deck and one kind of memory.

    Args:
        deck: `DECK_54` or `DECK_52`.
        memory: Information that the model keeps.
        odds: Odds relative to exchangeable cards; read by `Memory.LED` only.

    Raises:
        ConfigError: Any other deck.
    """

    def __init__(self, deck: FishingDeck = DECK_54, memory: Memory = Memory.EXCHANGEABLE, odds: Odds = MEASURED) -> None:
        if deck not in (DECK_54, DECK_52):
            raise ConfigError(f"expected deck 54 or 52, whose ordinary ranks are counted together, got {deck}")
        self.cards = deck.size
        self.jokers = deck.counts[-1]
        self.owners = memory in (Memory.OWNERS, Memory.OWNERS_APART, Memory.LED)
        self.apart = memory in (Memory.APART, Memory.OWNERS_APART)
        self.odds = odds if memory is Memory.LED else None

    def starts(self) -> Iterator[tuple[float, State]]:
        """Yield the states after the deal with their probabilities."""
        hand = self.cards // 2
        if not self.owners:
            yield 1.0, State(hand, 0, 0, -1)
            return
        for jacks in range(COPIES + 1):
            combinations = math.comb(COPIES, jacks) * math.comb(self.cards - COPIES, hand - jacks)
            yield combinations / math.comb(self.cards, hand), State(hand, 0, 0, -1, jacks)

    def steps(self, state: State) -> Iterator[tuple[float, State]]:
        """Yield the states after a play with their probabilities. The game ends with the remaining probability."""
        jack = self._jack(state)
        if jack:
            yield from self._captured(jack, state, 0, 1) if state.board else self._quiet(jack, state, 1)
        if jack == 1.0:
            return
        unseen = self.cards - state.board - (COPIES - state.under)
        places = {place: self._equal(state, place) / unseen for place in range(state.under, state.board)}
        on_board = int(state.joker >= 0)
        joker = 0 if on_board else self.jokers
        absent = joker + COPIES * (ORDINARY - (state.board - state.under - on_board))
        captured = sum(places.values())
        if not absent or captured > 1:  # by the odds, nearly full boards would be captured with a chance of more than 1
            places = {place: chance / captured for place, chance in places.items()}
            captured = 1.0
        for place, chance in places.items():
            if chance:
                yield from self._captured((1 - jack) * chance, state, place, 0)
        if captured < 1:
            each = (1 - jack) * (1 - captured) / absent
            if joker:
                yield from self._quiet(joker * each, state, 0, joker=True)
            if absent > joker:
                yield from self._quiet((absent - joker) * each, state, 0)

    def _jack(self, state: State) -> float:
        """Return the probability that the next card is a J."""
        jacks, cards = (state.jacks, state.cards) if self.owners else (COPIES - state.under, self.cards - state.board)
        chance = jacks / cards
        if jacks == cards:
            return chance
        if self.odds is None:
            return 0.0 if state.emptied else chance
        if state.cards == 1 or not (state.board or state.emptied):
            return chance  # the only card, or the first play
        known = (JACK_LIES if state.under else LIES) if state.board else AFTER_JACK if state.emptied == 1 else AFTER_EQUAL
        return min(1.0, chance * self.odds.jack[known][state.jacks])

    def _equal(self, state: State, place: int) -> float:
        """Return the effective number of hidden cards, without J's, that match the board's card at this place."""
        copies = self.jokers - 1 if place == state.joker else COPIES - 1
        if self.odds is None:
            return copies
        lowest = LOWEST_OWN if state.led else LOWEST_OTHER
        return copies * self.odds.equal[lowest if not place else JOKER if place == state.joker else HIGHER]

    def _quiet(self, chance: float, state: State, jack: int, joker: bool = False) -> Iterator[tuple[float, State]]:
        if state.cards == 1:
            return
        under = state.under or jack
        others = COPIES - state.under - state.jacks if self.owners else 0
        place = state.board if joker else state.joker
        # The other player moves now: the lowest card is that one's if it was not the mover's, who lays it on an empty board.
        led = int(self.odds is not None and not under and state.board > 0 and not state.led)
        yield chance, State(self.cards - state.board - state.cards, state.board + 1, under, place, others, led=led)

    def _captured(self, chance: float, state: State, place: int, jack: int) -> Iterator[tuple[float, State]]:
        jacks = state.jacks + (state.under if self.owners and not place else 0)
        under = state.under if place else 0
        joker = state.joker if state.joker < place else -1
        by_equal = 0 if self.odds is None or place else 2
        emptied = int(self.apart or self.odds is not None) if jack else by_equal
        led = state.led if place else 0
        yield chance, State(state.cards + state.board - place, place, under, joker, jacks, emptied, led)


def solve(deck: FishingDeck = DECK_54, memory: Memory = Memory.EXCHANGEABLE, odds: Odds = MEASURED) -> Solution:
    """Solve a model exactly.

    The mean is m = (I - P)^-1 1, the second moment (I - P)^-1 (2 m - 1), and the eigenvalue is the largest one of P.
    Models with owners have tens of thousands of states and take seconds.

    Args:
        deck: `DECK_54` or `DECK_52`.
        memory: Information that the model keeps.
        odds: Odds relative to exchangeable cards; read by `Memory.LED` only.

    Raises:
        ConfigError: Any other deck.
        ImportError: scipy is not installed.
    """
    with needing("chains need scipy: pip install 'big2_env[arena]'"):
        from scipy.sparse import csc_matrix, identity
        from scipy.sparse.linalg import splu
    model = Model(deck, memory, odds)
    starts = list(model.starts())
    number = {state: i for i, (_, state) in enumerate(starts)}
    states = [state for _, state in starts]
    rows, columns, chances = [], [], []
    for row, state in enumerate(states):  # grows while it is walked
        for chance, after in model.steps(state):
            if after not in number:
                number[after] = len(states)
                states.append(after)
            rows.append(row)
            columns.append(number[after])
            chances.append(chance)
    size = len(states)
    transitions: Any = csc_matrix((chances, (rows, columns)), shape=(size, size))
    solver: Any = splu(identity(size, format="csc") - transitions)
    means = solver.solve(np.ones(size))
    squares = solver.solve(2 * means - 1)
    first = sum(chance * float(means[i]) for i, (chance, _) in enumerate(starts))
    second = sum(chance * float(squares[i]) for i, (chance, _) in enumerate(starts))
    alone = math.nan
    if model.owners:
        none = np.array([not s.jacks or s.jacks + s.under == COPIES for s in states], float)
        visits = solver.solve(none)
        alone = sum(chance * float(visits[i]) for i, (chance, _) in enumerate(starts))
    return Solution(size, first, math.sqrt(second - first * first), _largest_eigenvalue(solver, size), alone)


def _largest_eigenvalue(solver: Any, size: int) -> float:
    """Return the largest eigenvalue of P, by inverse iteration on I - P."""
    vector = np.ones(size) / math.sqrt(size)
    stretch = before = 0.0
    for _ in range(1000):
        after = solver.solve(vector)
        before, stretch = stretch, float(np.linalg.norm(after))
        vector = after / stretch
        if abs(stretch - before) <= 1e-13 * stretch:
            break
    return 1 - 1 / stretch
