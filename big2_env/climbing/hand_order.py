"""The canonical order of a played hand (牌向量): what decides its strength first, what it carries last."""

from __future__ import annotations

from big2_env.cards import Card, Rank
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.runs import NATURAL


def hand_order(ruleset: RuleSet, play: Play) -> list[Card]:
    """The cards of a play in canonical order; none for a pass.

    Body units come from strongest to weakest, then what is carried in the same way, the cards of a unit by suit, descending. A
    run whose strength is its last point is listed from there down, across the ace where it passes it; other runs by value.

    >>> from big2_env.climbing.rulesets import BIG2
    >>> from big2_env.cards import as_mask
    >>> [play] = BIG2.table.classify(as_mask("C[4] D[4] S[4] H[9] S[9]"))
    >>> [str(card) for card in hand_order(BIG2, play)]
    ['S[4]', 'D[4]', 'C[4]', 'S[9]', 'H[9]']
    """
    if not play:
        return []
    cards: dict[Rank, list[Card]] = {}
    for card in reversed(ruleset.order.sort(play.mask)):  # so ranks and suits descend
        cards.setdefault(card.rank, []).append(card)
    counts, key = _body(ruleset, play, {rank: len(unit) for rank, unit in cards.items()})
    units = _units(ruleset, play)
    if len(units) > sum(map(bool, counts)):
        return _unit_by_unit(units, cards, key)
    ranks = sorted((rank for rank in cards if counts[rank]), key=lambda rank: counts[rank], reverse=True)
    if ranks[0] != key:
        ranks = _down_from(key, ranks) or [key, *(rank for rank in ranks if rank != key)]
    body = [card for rank in ranks for card in cards[rank][: counts[rank]]]
    carried = [card for rank, unit in cards.items() for card in unit[counts[rank] :]]
    return body + carried


def _body(ruleset: RuleSet, play: Play, held: dict[Rank, int]) -> tuple[tuple[int, ...], Rank]:
    """How many cards of each rank the body of a play has, by rank, and the rank that decides."""
    for row in ruleset.table.rows:
        powers = range(row.power, row.top + 1, row.suit_step or 1)
        if (row.category, row.pattern) != (play.category, play.pattern) or play.power not in powers:
            continue
        counts = row.shape.counts
        if row.shape.size == len(play) and all(number <= held.get(Rank(rank), 0) for rank, number in enumerate(counts)):
            return counts, row.shape.key
    raise AssertionError(f"{play} is no play of {ruleset.name}")


def _units(ruleset: RuleSet, play: Play) -> list[int]:
    """How many cards each unit of the body of such plays has, descending: 3, 2, 1 for a triple with a pair and a single.

    The shape with the most ranks tells. One with fewer has two units of one rank, such as 333+44+3.
    """
    rows = [row for row in ruleset.table.rows if (row.category, row.pattern) == (play.category, play.pattern)]
    bodies = [sorted(filter(None, row.shape.counts), reverse=True) for row in rows if row.shape.size == len(play)]
    return max(bodies, key=len, default=[])


def _unit_by_unit(units: list[int], cards: dict[Rank, list[Card]], key: Rank) -> list[Card]:
    """The cards as units of these sizes: the first of the rank that decides, each other of the rank with the most left."""
    left = {rank: list(unit) for rank, unit in cards.items()}
    ordered = []
    for number, size in enumerate(units):
        rank = max(left, key=lambda one: len(left[one])) if number else key
        ordered += left[rank][:size]
        del left[rank][:size]
    return ordered


def _down_from(key: Rank, ranks: list[Rank]) -> list[Rank]:
    """A run of points listed from its top down; empty where the ranks are none that ends at `key`."""
    if not set(ranks) <= set(NATURAL):
        return []
    top = NATURAL.index(key)
    run = [NATURAL[(top - step) % len(NATURAL)] for step in range(len(ranks))]
    return run if len(run) > 1 and set(run) == set(ranks) else []
