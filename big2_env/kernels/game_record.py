"""One game as a record. Sets of cards are places, see `cardsets.py`."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from big2_env.cards import NUM_CARDS
from big2_env.kernels.dialect.records import card_set
from big2_env.kernels.sources import MARK
from big2_env.kernels.tables import MAX_DEALS


@cache
def game_dtype(words: int, seats: int, has_parts: bool) -> np.dtype[Any]:
    """One game of a batch, for sets of so many words and so many seats; with the fields of the parts where there are any."""
    sets = card_set(words)
    parts = [
        ("captured", sets, (seats,)),  # the cards of the tricks won, by seat, where the settlement asks
        ("lead_over", sets, (1,)),  # with the lock for a round: what a lead has to cover to keep others out
        ("bottom", sets, (1,)),  # the cards left over for the landlord
        ("trick", sets, (1,)),  # the cards played in this trick, where the settlement asks
        ("stake", np.int64),
        ("factor", np.int64),
        *((name, np.int32) for name in ("lead_category", "lead_power", "lead_pattern")),
        ("bidding", np.int32),
        ("landlord", np.int32),  # -1 for none
        ("num_said", np.int32),
        ("num_finished", np.int32),
        ("num_pile", np.int32),
        ("num_redeals", np.int32),
        ("acted", np.int32, seats),  # how many hands each seat has played, in games with an auction
        ("said_seat", np.int8, seats + 2),
        ("said_value", np.int8, seats + 2),  # 0 for no
        ("finished", np.int8, seats),  # the seats that are out, the first one first
        ("pile", np.uint8, NUM_CARDS),  # the places of the cards to draw, the top one last
        ("redeals", np.uint8, (MAX_DEALS - 1, NUM_CARDS)),  # further decks, card ids from bottom to top, the next one first
    ]
    return np.dtype(
        [
            ("hands", sets, (seats,)),  # the cards held, by seat
            ("played", sets, (seats,)),  # the cards played, by seat
            ("top", sets, (1,)),  # the top play, none when the seat to move leads
            ("obligation", sets, (1,)),  # the card that the first play must contain, none once it was played
            ("rng", np.uint64),  # state of the game's own stream
            ("turn", np.int32),  # the seat to move
            ("top_category", np.int32),  # of the top play, -1 when the seat to move leads
            ("top_power", np.int32),
            ("top_pattern", np.int32),
            ("top_seat", np.int32),  # who made the last actual play, -1 before the first
            ("passed", np.int32),  # the seats that have passed and are not asked again for now, as bits
            ("winner", np.int32),  # -1 while the game goes on; as many as there are seats where an illegal act ended it
            ("actor", np.int32),  # who acted last, -1 before the first act
            ("steps", np.int32),  # acts so far
            ("players", np.int32),  # how many seats there are
            *(parts if has_parts else []),
            (MARK, np.int64),
        ],
        align=True,
    )
