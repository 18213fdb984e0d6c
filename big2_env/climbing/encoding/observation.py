"""Observations, made from a seat's view alone, and global states, for centralized critics.

Every entry is 0 or 1. Cards are indexed by their place in the ruleset's ascending order, which is the card id in `big2`. In an
observation, seats count from the viewer: 0 is the viewer, 1 the next to move after it.

A state contains every hand and the draw pile. Its seats are absolute, 0 to players - 1. It must never reach an acting policy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from big2_env.base.cards import CARDS, NUM_CARDS, iter_cards
from big2_env.climbing.encoding.layout import Layout, extra_windows, fill_extra
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View


class ObservationLayout(Layout):
    """Layout of a ruleset's observation, with an encoder for views.

    Args:
        ruleset: Rules of the game.
        num_players: Number of seats; None for the ruleset's default.

    >>> from big2_env import BIG2
    >>> layout = ObservationLayout(BIG2)
    >>> layout.size, layout.windows["played"].shape
    (547, (4, 52))
    """

    def __init__(self, ruleset: RuleSet, num_players: int | None = None) -> None:
        self.ruleset = ruleset
        self.num_players = ruleset.default_players if num_players is None else num_players
        cards, slots, seats = ruleset.deck.size, ruleset.max_hand, self.num_players
        self.pattern_index = {rule.pattern.name: i for i, rule in enumerate(ruleset.patterns)}
        super().__init__(
            [
                ("hand", (cards,), "the viewer holds the card"),
                ("slots", (slots, len(ruleset.ranks)), "the card at this place of the viewer's sorted hand has this value"),
                ("top", (cards,), "the card is part of the top play"),
                ("top_pattern", (len(ruleset.patterns),), "the top play is of this pattern, in the ruleset's order"),
                ("top_seat", (seats,), "this seat made the top play"),
                ("passed", (seats,), "this seat has passed and is not asked again for now"),
                ("cards_left", (seats, slots), "this seat holds more than this many cards"),
                ("played", (seats, cards), "this seat has played the card"),
                ("obligation", (1,), "the play must contain the lowest dealt card"),
                ("leading", (1,), "the table is clear: the seat to move leads"),
                *extra_windows(ruleset, seats, "this seat"),
            ]
        )
        self._has_extra = next(reversed(self.windows)) != "leading"
        self._start = {name: window.start for name, window in self.windows.items()}
        self._card_ids = np.array(ruleset.order.cards, np.intp)
        self._values = [ruleset.order.values[card.rank] for card in CARDS]
        self._unary = np.tri(slots + 1, slots, -1, np.int8)  # row n: n ones, then zeros

    def encode(self, view: View, out: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        """Return the observation of a view.

        Args:
            view: The view to encode.
            out: Array `(size,)` to overwrite and return; None for a new int8 array.
        """
        array = np.zeros(self.size, np.int8) if out is None else out
        array[:] = 0
        order, seats = self.ruleset.order, self.num_players
        start, around = self._start, [(view.seat + distance) % seats for distance in range(seats)]
        top = view.top.mask if view.top is not None else 0
        rows = self._cards_as_rows([view.hand, top, *(view.played[seat] for seat in around)])
        left = self._unary[[view.cards_left[seat] for seat in around]]
        for name, row in (("hand", rows[0]), ("top", rows[1]), ("played", rows[2:].ravel()), ("cards_left", left.ravel())):
            array[start[name] : start[name] + row.size] = row
        first, values, width = start["slots"], self._values, len(order.ranks)
        ones = [first + slot * width + values[card] for slot, card in enumerate(order.sort(view.hand))]
        ones += [start["passed"] + distance for distance, seat in enumerate(around) if view.passed >> seat & 1]
        if view.top is not None and view.top_seat is not None:
            ones.append(start["top_pattern"] + self.pattern_index[view.top.pattern])
            ones.append(start["top_seat"] + around.index(view.top_seat))
        if view.obligation:
            ones.append(start["obligation"])
        if view.top is None and not view.bidding:
            ones.append(start["leading"])
        array[ones] = 1
        if self._has_extra:
            fill_extra(self.ruleset, self.named(array), view, around)
        return array

    def _cards_as_rows(self, masks: list[int]) -> npt.NDArray[np.uint8]:
        """Return card masks as rows of zeros and ones, uint8 `(masks, cards)`, cards ascending."""
        size = -(-NUM_CARDS // 8)
        packed = np.frombuffer(b"".join([mask.to_bytes(size, "little") for mask in masks]), np.uint8).reshape(-1, size)
        bits: npt.NDArray[np.uint8] = np.unpackbits(packed, axis=1, bitorder="little")
        return bits[:, self._card_ids]


class StateLayout(Layout):
    """Layout of a ruleset's global state, with an encoder for games.

    Args:
        ruleset: Rules of the game.
        num_players: Number of seats; None for the ruleset's default.

    >>> from big2_env import BIG2
    >>> layout = StateLayout(BIG2)
    >>> layout.size, list(layout.windows)[:3]
    (486, ['hands', 'played', 'turn'])
    """

    def __init__(self, ruleset: RuleSet, num_players: int | None = None) -> None:
        self.ruleset = ruleset
        self.num_players = ruleset.default_players if num_players is None else num_players
        self.pattern_index = {rule.pattern.name: i for i, rule in enumerate(ruleset.patterns)}
        cards, seats = ruleset.deck.size, self.num_players
        windows: list[tuple[str, tuple[int, ...], str]] = [
            ("hands", (seats, cards), "the seat holds the card"),
            ("played", (seats, cards), "the seat has played the card"),
            ("turn", (seats,), "the seat is to move; all 0 once the game is over"),
            ("top", (cards,), "the card is part of the top play"),
            ("top_pattern", (len(ruleset.patterns),), "the top play is of this pattern, in the ruleset's order"),
            ("top_seat", (seats,), "the seat made the top play"),
            ("passed", (seats,), "the seat has passed and is not asked again for now"),
            ("obligation", (1,), "the play must contain the lowest dealt card"),
            ("leading", (1,), "the table is clear: the seat to move leads"),
        ]
        if ruleset.draw_pile:
            windows.append(("pile", (cards,), "the card lies in the draw pile; its place there is not told"))
        extra = extra_windows(ruleset, seats, "the seat")
        windows += [window for window in extra if window[0] != "pile_left"]
        self._has_extra = bool(extra)
        super().__init__(windows)

    def encode(self, game: Game, dtype: npt.DTypeLike = np.int8) -> npt.NDArray[Any]:
        """Return the global state of a game as an array `(size,)`."""
        array = np.zeros(self.size, dtype)
        windows = self.named(array)
        position, places = game.position, self.ruleset.order.positions

        def mark(window: npt.NDArray[Any], mask: int) -> None:
            window[[places[card] for card in iter_cards(mask)]] = 1

        for seat in range(self.num_players):
            mark(windows["hands"][seat], position.hands[seat])
            mark(windows["played"][seat], position.played[seat])
            windows["passed"][seat] = position.passed >> seat & 1
        if not game.is_over:
            windows["turn"][position.turn] = 1
        if position.top is not None:
            mark(windows["top"], position.top.mask)
            windows["top_pattern"][self.pattern_index[position.top.pattern]] = 1
            windows["top_seat"][position.top_seat] = 1
        windows["obligation"][0] = position.obligation > 0
        windows["leading"][0] = position.is_leading
        if "pile" in windows:
            windows["pile"][[places[card] for card in position.pile]] = 1
        if self._has_extra:
            fill_extra(self.ruleset, windows, position, range(self.num_players))
        return array
