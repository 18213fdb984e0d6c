"""What a shape amounts to with the cards of a deck: how many plays it has, by products, and how high a suit can decide one."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from big2_env.climbing.order import CardOrder
from big2_env.climbing.shapes import NUM_RANKS, Shape, Suits


def number_of_plays(order: CardOrder, shape: Shape, choices: Callable[[int, int], int]) -> int:
    """How many different plays of the deck a shape has, without listing them; 0 where the deck lacks the cards.

    `choices(held, count)` is the number of ways to take `count` (at least 1) of the cards held of one rank, given as a mask.
    """
    masks, counts = order.rank_masks, shape.counts
    if shape.kickers is not None:
        variants = [
            [choices(mask, number) if number else 1 for number in range(body, mask.bit_count() + 1)]
            for mask, body in zip(masks, counts, strict=True)
        ]
        return shape.kickers.count(variants)
    ranks = [rank for rank in range(NUM_RANKS) if counts[rank]]
    every = prod(choices(masks[rank], counts[rank]) for rank in ranks)
    if shape.suits is Suits.ANY:
        return every
    of_one_suit = sum(all(masks[rank] & suit for rank in ranks) for suit in order.suit_masks)
    return of_one_suit if shape.suits is Suits.SAME else every - of_one_suit


def top_suit(order: CardOrder, shape: Shape) -> int:
    """The place in the suit order of the highest suit that can decide a play of a shape; 0 for a joker."""
    masks, key = order.rank_masks, shape.key
    others = [masks[rank] for rank in range(NUM_RANKS) if shape.counts[rank] and rank != key]
    for place, suit in reversed([*enumerate(order.suit_masks)]):
        if shape.suits is Suits.SAME:
            fits = all(mask & suit for mask in others)
        else:
            fits = shape.suits is Suits.ANY or any(mask & ~suit for mask in others)
        if masks[key] & suit and fits:
            return place
    return 0
