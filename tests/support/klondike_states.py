"""Positions of Klondike for tests: from text, and of random games."""

from __future__ import annotations

import random

from big2_env.games.klondike import (
    KlondikeGame,
    KlondikePosition,
    parse_cards,
)


def state_of(piles: str, dealer: str = "", foundations: tuple[int, ...] = (0, 0, 0, 0), dealt: int = 0) -> KlondikePosition:
    """A position from text, with as few cards as a case needs: piles between |, face-down cards first, in brackets."""
    columns, down = [], []
    for text in (*piles.split("|"), *[""] * 7)[:7]:
        hidden, _, shown = text.rpartition(")")
        down.append(len(parse_cards(hidden.replace("(", ""))))
        columns.append(parse_cards(hidden.replace("(", "") + " " + shown))
    return KlondikePosition(tuple(columns), tuple(down), parse_cards(dealer), dealt, dealt, foundations, 0)


def random_states(seed: int, moves: int, games: int = 4) -> list[KlondikePosition]:
    """Every position of some random games."""
    rng, found = random.Random(seed), []
    for number in range(games):
        game = KlondikeGame.deal(seed * 1000 + number)
        for _ in range(moves):
            found.append(game.state)
            if not (legal := game.legal_moves()):
                break
            game.play(rng.choice(legal[1:] if len(legal) > 1 and rng.random() < 0.7 else legal))
    return found


def played(seed: int, moves: int) -> KlondikePosition:
    """A position of a random game, in which cards seldom come down from the foundations."""
    game, rng = KlondikeGame.deal(seed), random.Random(seed)
    for _ in range(moves):
        legal = game.legal_moves()
        if not legal:
            break
        move = rng.choice(legal)
        if game.play(move) < 0 and rng.random() < 0.9:
            game.undo()
    return game.state
