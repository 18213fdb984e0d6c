"""What a centralised critic sees: one flat array of the whole game, every hand and the draw pile included.

Unlike an observation it is filled from the game itself and belongs to no seat: seats are absolute, 0 to players - 1. It must
never reach an acting policy. Every entry is 0 or 1; cards stand by their place in the ruleset's ascending order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from big2_env.cards import iter_cards
from big2_env.climbing.encoding.layout import Layout, extra_windows, fill_extra
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet


class StateLayout(Layout):
    """Where everything stands in the global state of a ruleset.

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
            ("leading", (1,), "the table is clear: whoever is to move opens a trick"),
        ]
        if ruleset.draw_pile:
            windows.append(("pile", (cards,), "the card lies in the draw pile; its place there is not told"))
        extra = extra_windows(ruleset, seats, "the seat")
        windows += [window for window in extra if window[0] != "pile_left"]
        self._has_extra = bool(extra)
        super().__init__(windows)

    def encode(self, game: Game, dtype: npt.DTypeLike = np.int8) -> npt.NDArray[Any]:
        """The whole game as an array `(size,)`."""
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
