"""Observation of an UNO learner: a flat array of zeros and ones with named windows, computed from a seat's view.

Seats are ordered by distance from the viewer, who is 0. Cards are indexed by color and face, like actions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt

from big2_env.climbing.encoding.layout import Layout
from big2_env.games.uno.cards import DRAW, NUM_COLOURS, NUM_FACES, WILD, Colour, card_of, face_of, is_wild
from big2_env.games.uno.rules import UnoRules
from big2_env.games.uno.view import MOST_FRESH, UnoView

HELD_SHOWN: Final = 20
"""Maximum number of cards per hand that an observation distinguishes."""
PILE_STEPS: Final = 7
"""Number of thresholds (0, 1, 3, 7, ... cards) for the size of the pile."""
WILD_COPIES: Final = 4


class UnoLayout(Layout):
    """Layout of an observation.

    >>> layout = UnoLayout(UnoRules())
    >>> layout.size, layout.windows["cards_left"].shape
    (406, (2, 20))
    """

    def __init__(self, rules: UnoRules) -> None:
        self.rules = rules
        seats, cards = rules.players, (2, NUM_COLOURS, NUM_FACES)
        super().__init__(
            (
                ("hand", cards, "the viewer holds more than this many of the card; wild cards stand once, under each colour"),
                ("played", cards, "more than this many of the card were played; no wild cards"),
                ("colour", (5,), "the colour in force; the last: anything fits"),
                ("face", (NUM_FACES,), "the face in force"),
                ("naming", (1,), "the seat to move names the colour of the wild card turned up"),
                ("drawn", (1,), "the viewer has just drawn a card and may play it"),
                ("forward", (1,), "play goes from seat to seat upwards"),
                ("pile", (PILE_STEPS,), "the pile has more than 2 to the power of this, less 1, cards"),
                ("wild", (2, WILD_COPIES), "the viewer holds more than this many plain wild cards; wild fours"),
                ("wild_played", (2, WILD_COPIES), "more than this many plain wild cards were played; wild fours"),
                ("cards_left", (seats, HELD_SHOWN), "this seat holds more than this many cards"),
                (
                    "fresh",
                    (seats, 5, MOST_FRESH),
                    "this seat may hold more than this many cards of this colour (`UnoGame.fresh`)",
                ),
            )
        )

    def encode(self, view: UnoView) -> npt.NDArray[np.int8]:
        """Return the observation of a view as a new array, int8 `(size,)`."""
        array = np.zeros(self.size, np.int8)
        part, seats = self.named(array), self.rules.players
        around = [(view.seat + distance) % seats for distance in range(seats)]
        hand, played = part["hand"].reshape(2, DRAW), part["played"].reshape(2, DRAW)
        for cards, plane, wild in ((view.hand, hand, part["wild"]), (view.discards, played, part["wild_played"])):
            for card in cards:
                if is_wild(card):
                    kind = wild[face_of(card) - WILD]
                    kind[int(kind.sum())] = 1
                else:
                    plane[1, card] = plane[0, card]
                    plane[0, card] = 1
        for face in {face_of(card) for card in view.hand if is_wild(card)}:
            for colour in range(NUM_COLOURS):
                hand[0, card_of(colour, face)] = 1
        _encode_table(part, view)
        part["pile"][:] = [view.pile > (1 << step) - 1 for step in range(PILE_STEPS)]
        part["cards_left"][:] = [[view.cards_left[seat] > k for k in range(HELD_SHOWN)] for seat in around]
        part["fresh"][:] = [[[count > k for k in range(MOST_FRESH)] for count in view.fresh[seat]] for seat in around]
        return array


class UnoStateLayout(Layout):
    """Layout of the global state for centralized critics: every hand and the pile, by absolute seat."""

    def __init__(self, rules: UnoRules) -> None:
        self.rules = rules
        seats, kinds = rules.players, (NUM_COLOURS + 1, NUM_FACES)
        super().__init__(
            (
                ("hands", (seats, WILD_COPIES, *kinds), "the seat holds more than this many of the card"),
                ("pile", (WILD_COPIES, *kinds), "the pile has more than this many of the card"),
                ("next", kinds, "the top card of the pile"),
                ("turn", (seats,), "the seat is to move; all 0 once the game is over"),
                ("colour", (5,), "the colour in force; the last: anything fits"),
                ("face", (NUM_FACES,), "the face in force"),
                ("naming", (1,), "the seat to move names the colour of the wild card turned up"),
                ("drawn", (1,), "the seat to move has just drawn a card and may play it"),
                ("forward", (1,), "play goes from seat to seat upwards"),
            )
        )

    def encode(self, hands: Sequence[Sequence[int]], pile: Sequence[int], view: UnoView) -> npt.NDArray[np.int8]:
        """Return the state of a game as a new array, int8 `(size,)`.

        Args:
            hands: Cards of each seat.
            pile: Draw pile, top card last.
            view: View of the seat to move.
        """
        array = np.zeros(self.size, np.int8)
        part, kinds = self.named(array), (Colour.BLANK + 1) * NUM_FACES
        for cards, planes in (*zip(hands, part["hands"], strict=True), (pile, part["pile"])):
            counts = np.bincount(np.array(cards, np.intp), minlength=kinds)
            planes.reshape(WILD_COPIES, kinds)[:] = counts > np.arange(WILD_COPIES)[:, None]
        if pile:
            part["next"].reshape(kinds)[pile[-1]] = 1
        if not view.is_over:
            part["turn"][view.turn] = 1
        _encode_table(part, view)
        return array


def _encode_table(part: Mapping[str, npt.NDArray[np.int8]], view: UnoView) -> None:
    """Write what every seat sees into the windows that both layouts have."""
    part["colour"][view.colour] = 1
    part["face"][view.face] = 1
    part["naming"][0] = view.naming
    part["drawn"][0] = view.drawn is not None
    part["forward"][0] = view.direction > 0


@lru_cache(maxsize=64)
def windows_of(rules: UnoRules) -> tuple[UnoLayout, UnoStateLayout]:
    """Return the layouts of observations and of the global state."""
    return UnoLayout(rules), UnoStateLayout(rules)
