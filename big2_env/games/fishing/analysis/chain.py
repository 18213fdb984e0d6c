"""Markov chains of the game's length, solved exactly: the game with most of its order forgotten.

In a real game the order of both hands decides everything. A model forgets it and keeps a few numbers:

* `EXCHANGEABLE`: every card that is not on the board is equally likely to be the next one. What is left is how many cards the
  mover has, how many lie on the board, whether a J lies under them, and where a joker lies.
* `OWNERS`: besides, whose hand each J is in. The next card is a J with the share of J's in the mover's hand.
* `APART`: instead of that, one bit: right after a capture by a J no J comes.
* `OWNERS_APART`: both, who holds the J's and the bit: in the real game a J seldom comes there, for a J that captures goes
  under the hand as the last card of a capture, and the card behind it is the first one of another.

Why these: a J played onto cards captures them all and goes under its player's hand again. So a J can change hands only if it
was put onto an empty board, which is empty because the same player has just captured all of it, or because the game begins; and
who holds a J that never gets there cannot lose. That is proven, for every deck, in the program's reading. How much it matters,
the models tell.

A model's figures follow from its linear equations; how well it models the game is seen from measured games only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, NamedTuple

import numpy as np

from big2_env.errors import ConfigError
from big2_env.games.fishing.cards import DECK_52, DECK_54, FishingDeck

ORDINARY: Final = 12
"""Ranks that are neither J nor joker, four cards each."""
COPIES: Final = 4


class Memory(Enum):
    """What a model knows besides sizes and the board."""

    EXCHANGEABLE = "exchangeable"
    OWNERS = "owners"
    APART = "apart"
    OWNERS_APART = "owners apart"


class State(NamedTuple):
    """A state of a chain, before a play."""

    cards: int
    """Cards of the mover."""
    board: int
    """Cards on the board."""
    under: int
    """1 if a J is the board's first card, else 0."""
    joker: int
    """The joker's place on the board, -1 where none lies there."""
    jacks: int = 0
    """J's in the mover's hand; always 0 in a model without owners."""
    after_jack: int = 0
    """1 right after a capture by a J; always 0 in a model without that bit."""


@dataclass(frozen=True)
class Solution:
    """What the linear equations of a chain give: all of it exact up to rounding."""

    states: int
    mean: float
    """E[T], plays."""
    sd: float
    """Standard deviation of T."""
    eigenvalue: float
    """The largest of the chain's eigenvalues: in the long run each play ends the game with one minus this."""

    @property
    def scale(self) -> float:
        """Plays in which the survival falls to 1 / e in the long run."""
        return -1 / math.log(self.eigenvalue)


class Model:
    """One chain: its deck (54 or 52 cards) and its memory."""

    def __init__(self, deck: FishingDeck = DECK_54, memory: Memory = Memory.EXCHANGEABLE) -> None:
        """A chain.

        Raises:
            ConfigError: another deck.
        """
        if deck not in (DECK_54, DECK_52):
            raise ConfigError(f"expected deck 54 or 52, whose ordinary ranks are counted together, got {deck}")
        self.cards = deck.size
        self.jokers = deck.counts[-1]
        self.owners = memory in (Memory.OWNERS, Memory.OWNERS_APART)
        self.apart = memory in (Memory.APART, Memory.OWNERS_APART)

    def starts(self) -> Iterator[tuple[float, State]]:
        """The states after the deal, with their chances."""
        hand = self.cards // 2
        if not self.owners:
            yield 1.0, State(hand, 0, 0, -1)
            return
        for jacks in range(COPIES + 1):
            combinations = math.comb(COPIES, jacks) * math.comb(self.cards - COPIES, hand - jacks)
            yield combinations / math.comb(self.cards, hand), State(hand, 0, 0, -1, jacks)

    def steps(self, state: State) -> Iterator[tuple[float, State]]:
        """The states after a play, with their chances; what is missing to 1 is the chance that the game ends."""
        unseen = self.cards - state.board
        unseen_jacks = COPIES - state.under
        jack = state.jacks / state.cards if self.owners else unseen_jacks / unseen
        if state.after_jack and jack < 1:
            jack = 0.0
        if jack:
            yield from self._captured(jack, state, 0, 1) if state.board else self._quiet(jack, state, 1)
        if jack == 1.0:
            return
        each = (1 - jack) / (unseen - unseen_jacks)
        on_board = int(state.joker >= 0)
        if on_board:
            yield from self._captured((self.jokers - 1) * each, state, state.joker, 0)
        elif self.jokers:
            yield from self._quiet(self.jokers * each, state, 0, joker=True)
        for place in range(state.under, state.board):
            if place != state.joker:
                yield from self._captured((COPIES - 1) * each, state, place, 0)
        absent = ORDINARY - (state.board - state.under - on_board)
        if absent:
            yield from self._quiet(COPIES * absent * each, state, 0)

    def _quiet(self, chance: float, state: State, jack: int, joker: bool = False) -> Iterator[tuple[float, State]]:
        if state.cards == 1:
            return
        under = state.under or jack
        others = COPIES - state.under - state.jacks if self.owners else 0
        place = state.board if joker else state.joker
        yield chance, State(self.cards - state.board - state.cards, state.board + 1, under, place, others)

    def _captured(self, chance: float, state: State, place: int, jack: int) -> Iterator[tuple[float, State]]:
        jacks = state.jacks + (state.under if self.owners and not place else 0)
        under = state.under if place else 0
        joker = state.joker if state.joker < place else -1
        after = int(self.apart and bool(jack))
        yield chance, State(state.cards + state.board - place, place, under, joker, jacks, after)


def solve(deck: FishingDeck = DECK_54, memory: Memory = Memory.EXCHANGEABLE) -> Solution:
    """The exact figures of a model: mean m = (I - P)^-1 1, second moment (I - P)^-1 (2 m - 1), largest eigenvalue of P.

    The 54-card chains with owners have 39,000 states and take about a second; the others less.

    Raises:
        ConfigError: another deck.
        ImportError: scipy is not installed.
    """
    try:
        from scipy.sparse import csc_matrix, identity
        from scipy.sparse.linalg import splu
    except ImportError:
        raise ImportError("chains need scipy: pip install 'big2_env[arena]'") from None
    model = Model(deck, memory)
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
    return Solution(size, first, math.sqrt(second - first * first), _largest_eigenvalue(solver, size))


def _largest_eigenvalue(solver: Any, size: int) -> float:
    """The largest eigenvalue of P by inverse iteration on I - P, which turns it into the smallest by far."""
    vector = np.ones(size) / math.sqrt(size)
    stretch = before = 0.0
    for _ in range(1000):
        after = solver.solve(vector)
        before, stretch = stretch, float(np.linalg.norm(after))
        vector = after / stretch
        if abs(stretch - before) <= 1e-13 * stretch:
            break
    return 1 - 1 / stretch
