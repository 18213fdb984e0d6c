"""Markov chains of the game's length, solved exactly: the game with most of its order forgotten.

In a real game the order of both hands decides everything. A model forgets it and keeps a few numbers:

* `EXCHANGEABLE`: every card that is not on the board is equally likely to be the next one. What is left is how many cards the
  mover has, how many lie on the board, whether a J lies under them, and where a joker lies.
* `OWNERS`: besides, whose hand each J is in. The next card is a J with the share of J's in the mover's hand.
* `APART`: instead of that, one bit: right after a capture by a J no J comes.
* `OWNERS_APART`: both, who holds the J's and the bit: in the real game a J seldom comes there, for a J that captures goes
  under the hand as the last card of a capture, and the card behind it is the first one of another.
* `LED`: the owners, who laid the board's lowest card, and by what the mover has just emptied the board. How much likelier a J
  or an equal card is then is counted in games (`odds.py`): 19 numbers, none of them about the length of a game.

Why these: a J played onto cards captures them all and goes under its player's hand again. So a J can change hands only if it
was put onto an empty board, which is empty because the same player has just captured all of it, or because the game begins. Who
holds a J that never gets there cannot lose; who holds none never gets one, for only a J captures a J. That is proven, for every
deck, in the program's reading. So a game has two parts: until a hand has no J, and from there to its end.

How much that matters, the models tell. The second part takes 126.9 of the game's 1,304 plays, and 206 of the 1,377 of
`OWNERS_APART`: nearly all that this model has too much. In the game the board's lowest card is captured 3.5 times as often by
the player who laid it as exchangeable cards would have it, and that player is mostly the one with the J's. `LED` knows it: its
second part takes 126.0 plays, its mean is 0.9 % under the game's; with 52 cards, by the odds counted with 54, 0.1 % under.

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
"""Ranks that are neither J nor joker, four cards each."""
COPIES: Final = 4


class Memory(Enum):
    """What a model knows besides sizes and the board."""

    EXCHANGEABLE = "exchangeable"
    OWNERS = "owners"
    APART = "apart"
    OWNERS_APART = "owners apart"
    LED = "led"


class State(NamedTuple):
    """A state of a chain, before a play."""

    cards: int
    board: int
    under: int
    """1 if a J is the board's first card, else 0."""
    joker: int
    """The joker's place on the board, -1 where none lies there."""
    jacks: int = 0
    """J's in the mover's hand; always 0 in a model without owners."""
    emptied: int = 0
    """By what the mover has just emptied the board: 1 by a J, 2 by an equal card (in `LED` only), 0 if not so or not known."""
    led: int = 0
    """1 if the mover laid the board's lowest card, no J; always 0 in other models than `LED`."""


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

    without: float
    """Of the mean, plays made while a hand has no J; NaN in a model without owners."""

    @property
    def scale(self) -> float:
        """Plays in which the survival falls to 1 / e in the long run."""
        return -1 / math.log(self.eigenvalue)


class Model:
    """One chain: its deck (54 or 52 cards) and its memory."""

    def __init__(self, deck: FishingDeck = DECK_54, memory: Memory = Memory.EXCHANGEABLE, odds: Odds = MEASURED) -> None:
        """A chain; only `LED` reads the odds.

        Raises:
            ConfigError: another deck.
        """
        if deck not in (DECK_54, DECK_52):
            raise ConfigError(f"expected deck 54 or 52, whose ordinary ranks are counted together, got {deck}")
        self.cards = deck.size
        self.jokers = deck.counts[-1]
        self.owners = memory in (Memory.OWNERS, Memory.OWNERS_APART, Memory.LED)
        self.apart = memory in (Memory.APART, Memory.OWNERS_APART)
        self.odds = odds if memory is Memory.LED else None

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
        """The chance that the next card is a J."""
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
        """How many of the hidden cards, no J's, count as equal to the board's card at this place."""
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
    """The exact figures of a model: mean m = (I - P)^-1 1, second moment (I - P)^-1 (2 m - 1), largest eigenvalue of P.

    The 54-card chains with owners have 39,000 states and take about a second, `LED` has 60,000 and takes two; the others less.

    Raises:
        ConfigError: another deck.
        ImportError: scipy is not installed.
    """
    try:
        from scipy.sparse import csc_matrix, identity
        from scipy.sparse.linalg import splu
    except ImportError:
        raise ImportError("chains need scipy: pip install 'big2_env[arena]'") from None
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
