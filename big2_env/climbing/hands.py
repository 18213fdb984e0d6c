"""Cards of a hand as the text format refers to them: places in the sorted hand (slots), and the printed order of a play."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache

from big2_env.base.cards import Card, Rank
from big2_env.base.errors import AmbiguousPlayError, NotationError
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.runs import NATURAL


def slots_of(ruleset: RuleSet, hand: int, cards: int) -> tuple[int, ...]:
    """Return the places of cards in the sorted hand, ascending.

    >>> from big2_env import BIG2
    >>> from big2_env.base.cards import as_mask
    >>> slots_of(BIG2, as_mask("S[4] C[3] D[4]"), as_mask("D[4] S[4]"))
    (1, 2)
    """
    return tuple([slot for slot, card in enumerate(ruleset.order.sort(hand)) if cards >> card & 1])


def cards_at(ruleset: RuleSet, hand: int, slots: Iterable[int]) -> int:
    """Return the cards at places of the sorted hand, as a mask.

    Args:
        ruleset: Rules of the game.
        hand: Cards of the hand, as a mask.
        slots: Places from 0, in any order.

    Raises:
        NotationError: A place is out of range or repeated.
    """
    held = ruleset.order.sort(hand)
    mask = 0
    for slot in slots:
        if not 0 <= slot < len(held):
            raise NotationError(f"expected indices from 0 to {len(held) - 1}, got {slot}")
        card = held[slot]
        if mask >> card & 1:
            raise NotationError(f"index {slot} ({card}) is named twice")
        mask |= 1 << card
    return mask


def readings(ruleset: RuleSet, mask: int, patterns: Collection[str] | None = None) -> list[Play]:
    """Return every play that cards form, in the order of the ruleset's patterns.

    Args:
        ruleset: Rules of the game.
        mask: The cards, as a mask.
        patterns: Names of patterns to consider; None for all.
    """
    return [play for play in ruleset.table.classify(mask) if patterns is None or play.pattern in patterns]


def reading_mark(ruleset: RuleSet, play: Play) -> str:
    """Return `#2`, `#3`, ... for a play that is not the first reading of its cards as its pattern; empty for others."""
    number = readings(ruleset, play.mask, (play.pattern,)).index(play) + 1
    return f"#{number}" if number > 1 else ""


def first_legal(legal: LegalPlays, mask: int, patterns: Collection[str] | None = None) -> Play:
    """Return the legal play of cards. With several legal readings, the first in the order of the ruleset's patterns wins.

    Args:
        legal: Legal moves in the position.
        mask: The cards, as a mask.
        patterns: Names of patterns to consider; None for all.

    Raises:
        IllegalPlayError: No reading under these patterns is legal.
    """
    if patterns is None:
        with suppress(AmbiguousPlayError):
            return legal.verify(mask)
    mask = legal.first_copies(mask)
    for play in readings(legal.ruleset, mask, patterns):
        if play in legal:
            return play
    return legal.verify(mask, None if patterns is None else next(iter(patterns), None))


def hand_order(ruleset: RuleSet, play: Play) -> list[Card]:
    """Return the cards of a play in canonical order (牌向量); empty for a pass.

    Units of the body come first, from strongest to weakest, then the kickers in the same order. Within a unit, suits descend. A
    run ranked by its last point is listed downward from that card, past the ace if needed. Other runs are listed by value.

    >>> from big2_env.climbing.rulesets import BIG2
    >>> from big2_env.base.cards import as_mask
    >>> [play] = BIG2.table.classify(as_mask("C[4] D[4] S[4] H[9] S[9]"))
    >>> [str(card) for card in hand_order(BIG2, play)]
    ['S[4]', 'D[4]', 'C[4]', 'S[9]', 'H[9]']
    """
    return list(_hand_order(ruleset, play)) if play else []


@lru_cache(maxsize=4096)
def _hand_order(ruleset: RuleSet, play: Play) -> tuple[Card, ...]:
    """Return the cards of a play with cards in canonical order. Tables show the same plays many times."""
    cards: dict[Rank, list[Card]] = {}
    for card in reversed(ruleset.order.sort(play.mask)):  # so ranks and suits descend
        cards.setdefault(card.rank, []).append(card)
    counts, key = _body(ruleset, play, {rank: len(unit) for rank, unit in cards.items()})
    units = _units(ruleset, play)
    if len(units) > sum(map(bool, counts)):
        return tuple(_unit_by_unit(units, cards, key))
    ranks = sorted((rank for rank in cards if counts[rank]), key=lambda rank: counts[rank], reverse=True)
    if ranks[0] != key:
        ranks = _down_from(key, ranks) or [key, *(rank for rank in ranks if rank != key)]
    body = [card for rank in ranks for card in cards[rank][: counts[rank]]]
    carried = [card for rank, unit in cards.items() for card in unit[counts[rank] :]]
    return (*body, *carried)


def _body(ruleset: RuleSet, play: Play, held: dict[Rank, int]) -> tuple[tuple[int, ...], Rank]:
    """Return the number of cards of each rank in the body of a play, and its key rank."""
    for row in ruleset.table.rows:
        powers = range(row.power, row.top + 1, row.suit_step or 1)
        if (row.category, row.pattern) != (play.category, play.pattern) or play.power not in powers:
            continue
        if row.shape.size == len(play) and all(
            number <= held.get(Rank(rank), 0) for rank, number in enumerate(row.shape.counts)
        ):
            return row.body, row.shape.key
    raise AssertionError(f"{play} is not a play of {ruleset.name}")


def _units(ruleset: RuleSet, play: Play) -> Sequence[int]:
    """Return the size of each unit in the body of such plays, descending: 3, 2, 1 for a triple with a pair and a single.

    The shape with the most ranks decides. A shape with fewer has two units of one rank, such as 333+44+3.
    """
    rows = [row for row in ruleset.table.rows if (row.category, row.pattern) == (play.category, play.pattern)]
    bodies = {tuple(sorted(filter(None, row.body), reverse=True)) for row in rows if row.shape.size == len(play)}
    return max(sorted(bodies), key=len, default=())


def _unit_by_unit(units: Sequence[int], cards: dict[Rank, list[Card]], key: Rank) -> list[Card]:
    """Return the cards as units of these sizes. The first has the key rank, each other the rank with the most cards left."""
    left = {rank: list(unit) for rank, unit in cards.items()}
    ordered = []
    for number, size in enumerate(units):
        rank = max(left, key=lambda one: len(left[one])) if number else key
        ordered += left[rank][:size]
        del left[rank][:size]
    return ordered


def _down_from(key: Rank, ranks: list[Rank]) -> list[Rank]:
    """Return a run of points from its top down, or an empty list if the ranks are not a run that ends at `key`."""
    if not set(ranks) <= set(NATURAL):
        return []
    top = NATURAL.index(key)
    run = [NATURAL[(top - step) % len(NATURAL)] for step in range(len(ranks))]
    return run if len(run) > 1 and set(run) == set(ranks) else []
