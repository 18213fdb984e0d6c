"""Kernels for deals, moves and legality; same rules as `big2_env.games.klondike.moves`."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.games.klondike.kernels.dtypes import (
    EMPTY,
    FITS,
    ONE,
    PILES,
    STARTS,
    STOCK,
    SUITS,
    UP_TO,
    WON,
    WORDS,
)
from big2_env.games.klondike.moves import (
    DEALER_TO_FOUNDATION,
    DEALER_TO_PILE,
    FLIP_SCORE,
    FOUNDATION_TO_PILE,
    PILE_TO_FOUNDATION,
)
from big2_env.games.klondike.position import DEALER_BONUS, TABLEAU_BONUS, WINDOW
from big2_env.kernels.dialect.bits import U, lowest_bit, shuffle
from big2_env.kernels.dialect.kernel import kernel


@kernel(entry=True)
def deal(game: Any, seed: Any) -> None:
    """Deal a game, with the same result as `KlondikeGame.deal(seed)`."""
    deck = game.deck
    for card in range(52):
        deck[card] = card
    shuffle(deck, 52, U(seed))
    for pile in range(PILES):
        top = deck[STARTS[pile] + pile]
        game.tops[pile] = top
        game.up[pile] = ONE << U(top)
        game.down[pile] = pile
    stock = U(0)
    for place in range(STOCK, 52):
        stock |= ONE << U(deck[place])
    game.stock = stock
    game.left = 52 - STOCK
    game.dealt = game.seen = 0
    for suit in range(SUITS):
        game.foundations[suit] = 0
    game.score = game.moves = 0
    game.winner = -1
    game.stuck = False


@kernel(entry=True)
def window_of(game: Any) -> Any:
    """Return the set of cards that may be taken from the dealer area."""
    cards = U(0)
    dealt: Any = np.int64(game.dealt)
    for place in range(max(0, dealt - WINDOW), dealt):
        cards |= ONE << U(game.deck[U(STOCK + place)])
    return cards


@kernel(entry=True)
def write_legal(game: Any, legal: Any, i: Any) -> Any:
    """Write the legal actions as bits into row `i` of `legal`, uint64 (N, 7); none if the game is over.

    Returns:
        True if all cards of the dealer area have been seen and only deals are left, now and after any number of deals.
    """
    for word in range(WORDS):
        legal[i, U(word)] = U(0)
    if game.winner >= 0:
        return False
    window = window_of(game)
    open_cards, tops, wanted, found = window, window, U(0), False
    for pile in range(PILES):
        open_cards |= game.up[U(pile)]
        top = U(game.tops[U(pile)])
        if top < U(EMPTY):
            tops |= ONE << top
    for suit in range(SUITS):
        number = np.int64(game.foundations[U(suit)])
        card = suit * 13 + number
        if number > 0:
            open_cards |= ONE << U(card - 1)
        if number < 13:
            wanted |= ONE << U(card)
            if tops >> U(card) & ONE:
                found = True
                move = U(8 * card + 8)
                legal[i, move >> U(6)] |= ONE << (move & U(63))
    for pile in range(PILES):
        fits = FITS[U(game.tops[U(pile)])]
        wanted |= fits
        fits &= open_cards
        while fits != U(0):
            found = True
            move = U(8 * lowest_bit(fits) + 1 + pile)
            legal[i, move >> U(6)] |= ONE << (move & U(63))
            fits &= fits - ONE
    if game.left > 0:
        legal[i, U(0)] |= ONE
    return not found and game.seen == game.left and game.stock & wanted == U(0)


@kernel(entry=True)
def take_from_stock(game: Any, card: Any) -> None:
    """Remove a card of the window from the dealer area. The index stays, so the next card, if any, counts as dealt."""
    place: Any = np.int64(game.dealt) - 1
    while game.deck[U(STOCK + place)] != card:
        place -= 1
    left = np.int64(game.left) - 1
    for each in range(place, left):
        game.deck[U(STOCK + each)] = game.deck[U(STOCK + each + 1)]
    game.stock &= ~(ONE << U(card))
    game.left = left
    game.dealt = min(np.int64(game.dealt), left)
    game.seen = max(np.int64(game.seen) - 1, np.int64(game.dealt))


@kernel(entry=True)
def take_from_pile(game: Any, pile: Any, card: Any) -> Any:
    """Remove a card and all cards on top of it from a pile, and turn the card below face up. Return the removed cards."""
    rank = card % 13
    taken = game.up[U(pile)] & UP_TO[U(rank)]
    rest = game.up[U(pile)] & ~taken
    down = np.int64(game.down[U(pile)])
    if rest != U(0):
        game.tops[U(pile)] = lowest_bit(rest & UP_TO[U(rank + 1)])
    elif down > 0:
        top = game.deck[U(STARTS[U(pile)] + down - 1)]
        game.tops[U(pile)] = top
        rest = ONE << U(top)
        game.down[U(pile)] = down - 1
        game.score += FLIP_SCORE
    else:
        game.tops[U(pile)] = EMPTY
    game.up[U(pile)] = rest
    return taken


@kernel(entry=True)
def make_move(game: Any, move: Any) -> None:
    """Make a move without checking that it is legal."""
    game.moves += 1
    if move == 0:
        dealt = 0 if game.dealt == game.left else np.int64(game.dealt) + 1
        game.dealt = dealt
        game.seen = max(np.int64(game.seen), dealt)
        return
    card, target = (move - 1) >> 3, (move - 1) & 7
    bit, top, suit = ONE << U(card), card, card // 13
    taken = bit
    if game.stock & bit:
        take_from_stock(game, card)
        game.score += DEALER_TO_FOUNDATION if target == PILES else DEALER_TO_PILE
    elif game.foundations[U(suit)] > card % 13:
        game.foundations[U(suit)] -= 1
        game.score += FOUNDATION_TO_PILE
    else:
        pile = 0
        while game.up[U(pile)] & bit == U(0):
            pile += 1
        top = np.int64(game.tops[U(pile)])
        taken = take_from_pile(game, pile, card)
        game.score += PILE_TO_FOUNDATION if target == PILES else 0
    if target == PILES:
        game.foundations[U(suit)] += 1
    else:
        game.up[U(target)] |= taken
        game.tops[U(target)] = top
    check_won(game)


@kernel(entry=True)
def check_won(game: Any) -> None:
    """End the game as won, with the bonus for remaining cards, if all cards of the tableau are face up."""
    hidden: Any = 0
    gone: Any = 0
    for pile in range(PILES):
        hidden += np.int64(game.down[U(pile)])
    if hidden == 0:
        for suit in range(SUITS):
            gone += np.int64(game.foundations[U(suit)])
        left = np.int64(game.left)
        game.winner = WON
        game.score += DEALER_BONUS * left + TABLEAU_BONUS * (52 - left - gone)
