"""Kernels for deals, moves and legality; same rules as `big2_env.games.klondike.moves`."""

from __future__ import annotations

from typing import Any

import numpy as np

from big2_env.games.klondike.kernels.dtypes import (
    EMPTY,
    FITS,
    NOBODY,
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
from big2_env.kernels.dialect.bits import U, below, lowest_bit, random_next
from big2_env.kernels.dialect.kernel import kernel


@kernel(entry=True)
def deal(g: Any, seed: Any) -> None:
    """Deal a game, with the same result as `KlondikeGame.deal(seed)`."""
    deck = g.deck
    for card in range(52):
        deck[card] = card
    state = U(seed)
    for last in range(51, 0, -1):
        state, number = random_next(state)
        other = U(below(number, last + 1))
        deck[U(last)], deck[other] = deck[other], deck[U(last)]
    for pile in range(PILES):
        top = deck[STARTS[pile] + pile]
        g.tops[pile] = top
        g.up[pile] = ONE << U(top)
        g.down[pile] = pile
    stock = U(0)
    for place in range(STOCK, 52):
        stock |= ONE << U(deck[place])
    g.stock = stock
    g.left = 52 - STOCK
    g.dealt = g.seen = 0
    for suit in range(SUITS):
        g.foundations[suit] = 0
    g.score = g.acts = 0
    g.winner = -1
    g.stuck = False


@kernel(entry=True)
def window_of(g: Any) -> Any:
    """Return the set of cards that may be taken from the dealer area."""
    cards = U(0)
    dealt: Any = np.int64(g.dealt)
    for place in range(max(0, dealt - WINDOW), dealt):
        cards |= ONE << U(g.deck[U(STOCK + place)])
    return cards


@kernel(entry=True)
def write_legal(g: Any, legal: Any, i: Any) -> Any:
    """Write the legal actions as bits into row `i` of `legal`, uint64 (N, 7); none if the game is over.

    Returns:
        True if all cards of the dealer area have been seen and only deals are left, now and after any number of deals.
    """
    for word in range(WORDS):
        legal[i, U(word)] = U(0)
    if g.winner >= 0:
        return False
    window = window_of(g)
    open_cards, tops, wanted, found = window, window, U(0), False
    for pile in range(PILES):
        open_cards |= g.up[U(pile)]
        top = U(g.tops[U(pile)])
        if top < U(EMPTY):
            tops |= ONE << top
    for suit in range(SUITS):
        number = np.int64(g.foundations[U(suit)])
        card = suit * 13 + number
        if number > 0:
            open_cards |= ONE << U(card - 1)
        if number < 13:
            wanted |= ONE << U(card)
            if tops >> U(card) & ONE:
                found = True
                act = U(8 * card + 8)
                legal[i, act >> U(6)] |= ONE << (act & U(63))
    for pile in range(PILES):
        fits = FITS[U(g.tops[U(pile)])]
        wanted |= fits
        fits &= open_cards
        while fits != U(0):
            found = True
            act = U(8 * lowest_bit(fits) + 1 + pile)
            legal[i, act >> U(6)] |= ONE << (act & U(63))
            fits &= fits - ONE
    if g.left > 0:
        legal[i, U(0)] |= ONE
    return not found and g.seen == g.left and g.stock & wanted == U(0)


@kernel(entry=True)
def take_from_stock(g: Any, card: Any) -> None:
    """Remove a card of the window from the dealer area. The index stays, so the next card, if any, counts as dealt."""
    place: Any = np.int64(g.dealt) - 1
    while g.deck[U(STOCK + place)] != card:
        place -= 1
    left = np.int64(g.left) - 1
    for each in range(place, left):
        g.deck[U(STOCK + each)] = g.deck[U(STOCK + each + 1)]
    g.stock &= ~(ONE << U(card))
    g.left = left
    g.dealt = min(np.int64(g.dealt), left)
    g.seen = max(np.int64(g.seen) - 1, np.int64(g.dealt))


@kernel(entry=True)
def take_from_pile(g: Any, pile: Any, card: Any) -> Any:
    """Remove a card and all cards on top of it from a pile, and turn the card below face up. Return the removed cards."""
    rank = card % 13
    taken = g.up[U(pile)] & UP_TO[U(rank)]
    rest = g.up[U(pile)] & ~taken
    down = np.int64(g.down[U(pile)])
    if rest != U(0):
        g.tops[U(pile)] = lowest_bit(rest & UP_TO[U(rank + 1)])
    elif down > 0:
        top = g.deck[U(STARTS[U(pile)] + down - 1)]
        g.tops[U(pile)] = top
        rest = ONE << U(top)
        g.down[U(pile)] = down - 1
        g.score += FLIP_SCORE
    else:
        g.tops[U(pile)] = EMPTY
    g.up[U(pile)] = rest
    return taken


@kernel(entry=True)
def make_act(g: Any, act: Any) -> None:
    """Make a move without checking that it is legal."""
    g.acts += 1
    if act == 0:
        dealt = 0 if g.dealt == g.left else np.int64(g.dealt) + 1
        g.dealt = dealt
        g.seen = max(np.int64(g.seen), dealt)
        return
    card, target = (act - 1) >> 3, (act - 1) & 7
    bit, top, suit = ONE << U(card), card, card // 13
    taken = bit
    if g.stock & bit:
        take_from_stock(g, card)
        g.score += DEALER_TO_FOUNDATION if target == PILES else DEALER_TO_PILE
    elif g.foundations[U(suit)] > card % 13:
        g.foundations[U(suit)] -= 1
        g.score += FOUNDATION_TO_PILE
    else:
        pile = 0
        while g.up[U(pile)] & bit == U(0):
            pile += 1
        top = np.int64(g.tops[U(pile)])
        taken = take_from_pile(g, pile, card)
        g.score += PILE_TO_FOUNDATION if target == PILES else 0
    if target == PILES:
        g.foundations[U(suit)] += 1
    else:
        g.up[U(target)] |= taken
        g.tops[U(target)] = top
    check_won(g)


@kernel(entry=True)
def check_won(g: Any) -> None:
    """End the game as won, with the bonus for remaining cards, if all cards of the tableau are face up."""
    hidden: Any = 0
    gone: Any = 0
    for pile in range(PILES):
        hidden += np.int64(g.down[U(pile)])
    if hidden == 0:
        for suit in range(SUITS):
            gone += np.int64(g.foundations[U(suit)])
        left = np.int64(g.left)
        g.winner = WON
        g.score += DEALER_BONUS * left + TABLEAU_BONUS * (52 - left - gone)


@kernel(entry=True)
def end_unwon(g: Any) -> None:
    """End a game that is not won."""
    g.winner = NOBODY
