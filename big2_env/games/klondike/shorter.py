"""Plans without the acts that they do not need."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from big2_env.errors import IllegalPlayError
from big2_env.games.klondike.actions import DEAL, move_of
from big2_env.games.klondike.moves import after
from big2_env.games.klondike.position import KlondikePosition

MAX_REMOVED = 2
"""Moves that are taken out together, as where the second takes back the first."""


def shortened(state: KlondikePosition, acts: Sequence[int]) -> tuple[int, ...]:
    """The acts without moves that change nothing or can as well wait, and without deals that no move needs.

    The last act, which turns a card, is the same. Whoever plays the moves left out after it has the same piles, foundations and
    dealer cards as after all the acts. How many cards are dealt may differ, for deals cost nothing.

    Args:
        state: the position before the acts.
        acts: legal acts, one after the other.
    """
    while (found := _shorter(state, acts)) is not None:
        acts = found
    return tuple(acts)


def _shorter(state: KlondikePosition, acts: Sequence[int]) -> list[int] | None:
    """Fewer acts that serve as well, `None` where there are none."""
    end = _played(state, acts)
    moves = [act for act in acts if act != DEAL]
    for number in range(MAX_REMOVED + 1):
        for removed in combinations(range(len(moves) - 1), number):
            kept = _with_deals(state, [move for place, move in enumerate(moves) if place not in removed])
            if kept is None or len(kept) >= len(acts):
                continue
            position = _played(state, kept)
            if position.down == end.down and (_is_same(position, end) or _leads_to(position, [moves[i] for i in removed], end)):
                return kept
    return None


def _leads_to(state: KlondikePosition, moves: Sequence[int], end: KlondikePosition) -> bool:
    """True if the moves, with deals between them, lead from a position to another, or if the game is won before them."""
    if state.is_won:
        return True
    acts = _with_deals(state, moves)
    return acts is not None and _is_same(_played(state, acts), end)


def _with_deals(state: KlondikePosition, moves: Sequence[int]) -> list[int] | None:
    """The moves with the deals that they need before them; `None` where one is not legal after any number of deals."""
    acts: list[int] = []
    for move in moves:
        for _ in range(len(state.dealer) + 2):
            try:
                state = after(state, move)
            except IllegalPlayError:
                if not state.dealer or not _waits_in_dealer(state, move):
                    return None
                state = after(state, DEAL)
                acts.append(DEAL)
            else:
                acts.append(move)
                break
        else:
            return None
    return acts


def _waits_in_dealer(state: KlondikePosition, act: int) -> bool:
    """True if the card that an act moves lies in the dealer area, out of reach."""
    move = move_of(act)
    return move is not None and move.card in state.dealer and move.card not in state.window


def _played(state: KlondikePosition, acts: Sequence[int]) -> KlondikePosition:
    for act in acts:
        state = after(state, act)
    return state


def _is_same(one: KlondikePosition, other: KlondikePosition) -> bool:
    """True if two positions differ in nothing but how many cards are dealt and what was scored."""
    return (one.piles, one.down, one.dealer, one.foundations) == (other.piles, other.down, other.dealer, other.foundations)
