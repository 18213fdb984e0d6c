"""RLCard's UNO in this package's numbers, for tests that compare the two."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

from big2_env.base.rng import SplitMix64
from big2_env.games.uno import DRAW

COLOURS = {"r": 0, "y": 1, "b": 2, "g": 3}
FACES = {"skip": 10, "reverse": 11, "draw_2": 12, "wild": 13, "wild_draw_4": 14}


def card_of(text: str) -> int:
    """A card of RLCard's as a card of ours."""
    letter, face = text.split("-")
    number = FACES.get(face) or int(face)
    return (4 if number > 12 else COLOURS[letter]) * 15 + number


def move_of(text: str) -> int:
    """An action of RLCard's as a move of ours."""
    letter, _, face = text.partition("-")
    return DRAW if text == "draw" else COLOURS[letter] * 15 + (FACES.get(face) or int(face))


def positions(games: int, seed: int) -> Iterator[tuple[dict[str, Any], int, int]]:
    """Positions of random games of RLCard: its state, the card in force and the colour in force."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import rlcard
    rng, env = SplitMix64(seed), rlcard.make("uno", config={"seed": seed})
    for _ in range(games):
        state, _ = env.reset()
        while not env.is_over():
            up = env.game.round.target  # its text keeps the colour that a wild card had before
            yield state, card_of(f"{up.color}-{up.trait}"), COLOURS[up.color]
            choices = list(state["legal_actions"])
            state, _ = env.step(choices[rng.below(len(choices))])
