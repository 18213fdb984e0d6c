"""Rules of Klondike: legal moves, their scores, and the position after a move."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from big2_env.base.errors import IllegalPlayError, Refusal
from big2_env.games.klondike.cards import (
    DEAL,
    FOUNDATION,
    NUM_CARDS,
    NUM_PILES,
    NUM_RANKS,
    card_move,
    card_text,
    fits_pile,
    move_of,
    rank_of,
    suit_of,
)
from big2_env.games.klondike.position import KlondikePosition

FLIP_SCORE: Final = 5
"""Points for turning a face-down card that has become the last of its pile."""
DEALER_TO_PILE: Final = 10
DEALER_TO_FOUNDATION: Final = 25
PILE_TO_FOUNDATION: Final = 15
FOUNDATION_TO_PILE: Final = -15


_FITS: Final = {top: tuple(card for card in range(NUM_CARDS) if fits_pile(card, top)) for top in (None, *range(NUM_CARDS))}
"""Cards that may be placed on each card; the kings for `None`, an empty pile."""


class Area(StrEnum):
    """Location of a card."""

    DEALER = "dealer"
    PILE = "pile"
    FOUNDATION = "foundation"


def fits_foundation(state: KlondikePosition, card: int) -> bool:
    """Return True if the card is the next one for its foundation."""
    return state.foundations[suit_of(card)] == rank_of(card)


def source_of(state: KlondikePosition, card: int) -> tuple[Area, int, bool] | None:
    """Return the source of a card; `None` if it may not be moved.

    Returns:
        Area, index of the pile (0 for other areas), and True if no card is on top of it.
    """
    for number, pile in enumerate(state.piles):
        if card in pile:
            return (Area.PILE, number, card == pile[-1]) if pile.index(card) >= state.down[number] else None
    if card in state.window:
        return Area.DEALER, 0, True
    return (Area.FOUNDATION, 0, True) if state.foundations[suit_of(card)] == rank_of(card) + 1 else None


def legal_moves(state: KlondikePosition) -> tuple[int, ...]:
    """Return the legal moves, ascending; empty if the game is won."""
    if state.is_won:
        return ()
    moves = [DEAL] if state.dealer else []
    last, taken_from = set(state.window), set(state.window)
    for pile, down in zip(state.piles, state.down, strict=True):
        if pile:
            last.add(pile[-1])
            taken_from.update(pile[down:])
    for suit, count in enumerate(state.foundations):
        card = suit * NUM_RANKS + count
        if count < NUM_RANKS and card in last:
            moves.append(move_of(card, FOUNDATION))
        if count:
            taken_from.add(card - 1)
    for target, pile in enumerate(state.piles):
        # No card fits onto its own pile: those in it have other ranks than the one below the last.
        for card in _FITS[pile[-1] if pile else None]:
            if card in taken_from:
                moves.append(move_of(card, target))  # noqa: PERF401  # seven lists would take longer
    return tuple(sorted(moves))


def double_click(state: KlondikePosition, card: int) -> int | None:
    """Return the move for a double click on a card: to its foundation, else to the first pile that accepts it, else `None`.

    The published program also moves face-down cards this way. That is probably a bug and is not copied.
    """
    moves = {moved.target: move for move in legal_moves(state) if (moved := card_move(move)) is not None and moved.card == card}
    return moves.get(FOUNDATION, moves[min(moves)] if moves else None)


def is_stuck(state: KlondikePosition) -> bool:
    """Return True if only deals are left, now and after any number of deals. The game is then lost.

    False as long as cards of the dealer area have not been seen: the answer tells nothing about hidden cards.
    """
    if state.is_won or state.seen < len(state.dealer) or any(move != DEAL for move in legal_moves(state)):
        return False
    tops = [pile[-1] if pile else None for pile in state.piles]
    return not any(fits_foundation(state, card) or any(fits_pile(card, top) for top in tops) for card in state.dealer)


def after(state: KlondikePosition, move: int) -> KlondikePosition:
    """Return the position after a move.

    Raises:
        ConfigError: The number is not a move.
        IllegalPlayError: The move is illegal.
    """
    moved = card_move(move)
    if state.is_won:
        raise IllegalPlayError("the game is over: every card of the tableau is face up", Refusal.GAME_OVER)
    if moved is None:
        return _after_deal(state)
    card, target = moved
    source = source_of(state, card)
    if source is None:
        raise IllegalPlayError(
            f"{card_text(card)} cannot be taken: only the last three dealt cards, face-up cards of the tableau "
            "and the tops of the foundations can",
            Refusal.NOT_IN_HAND,
        )
    area, pile, is_last = source
    if target == FOUNDATION:
        _check_foundation(state, card, area, is_last)
    elif (area is Area.PILE and target == pile) or not fits_pile(
        card, state.piles[target][-1] if state.piles[target] else None
    ):
        raise IllegalPlayError(_no_fit(state, card, target), Refusal.DOES_NOT_COVER)
    return _moved(state, card, area, pile, target)


def _after_deal(state: KlondikePosition) -> KlondikePosition:
    if not state.dealer:
        raise IllegalPlayError("deal: the dealer area is empty", Refusal.NOT_IN_HAND)
    dealt = 0 if state.dealt == len(state.dealer) else state.dealt + 1
    return state._replace(dealt=dealt, seen=max(state.seen, dealt))


def _check_foundation(state: KlondikePosition, card: int, area: Area, is_last: bool) -> None:
    if area is Area.FOUNDATION:
        raise IllegalPlayError(f"{card_text(card)} is already on its foundation", Refusal.DOES_NOT_COVER)
    if not is_last:
        raise IllegalPlayError(f"{card_text(card)} to its foundation: another card covers it", Refusal.DOES_NOT_COVER)
    if not fits_foundation(state, card):
        wanted = suit_of(card) * NUM_RANKS + state.foundations[suit_of(card)]
        raise IllegalPlayError(
            f"{card_text(card)} to its foundation: expected the next one, {card_text(wanted)}", Refusal.DOES_NOT_COVER
        )


def _no_fit(state: KlondikePosition, card: int, target: int) -> str:
    pile = state.piles[target]
    what = f"{card_text(card)} onto pile {target + 1}"
    if card in pile:
        return f"{what}: it is already there"
    if not pile:
        return f"{what}, which is empty: only a king goes there"
    return f"{what}: allowed onto {card_text(pile[-1])} is a card of the other colour, one rank lower"


def _moved(state: KlondikePosition, card: int, area: Area, pile: int, target: int) -> KlondikePosition:
    """Return the position after a legal move."""
    piles, down, foundations = list(state.piles), list(state.down), list(state.foundations)
    dealer, dealt, seen, score = state.dealer, state.dealt, state.seen, state.score
    run: tuple[int, ...] = (card,)
    if area is Area.DEALER:
        # The index stays, so the next card counts as dealt, unless there is none.
        dealer = tuple(one for one in dealer if one != card)
        dealt = min(dealt, len(dealer))
        seen = max(seen - 1, dealt)
        score += DEALER_TO_FOUNDATION if target == FOUNDATION else DEALER_TO_PILE
    elif area is Area.PILE:
        place = piles[pile].index(card)
        run = piles[pile][place:]
        piles[pile] = piles[pile][:place]
        if piles[pile] and down[pile] == place:
            down[pile] -= 1
            score += FLIP_SCORE
        score += PILE_TO_FOUNDATION if target == FOUNDATION else 0
    else:
        foundations[suit_of(card)] -= 1
        score += FOUNDATION_TO_PILE
    if target < NUM_PILES:
        piles[target] += run
    else:
        foundations[suit_of(card)] += 1
    return KlondikePosition(tuple(piles), tuple(down), dealer, dealt, seen, tuple(foundations), score)
