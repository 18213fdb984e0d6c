"""Places in the sorted hand (slots), as people and the text format name cards: to cards, to a legal play, and back."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from contextlib import suppress

from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import AmbiguousPlayError, NotationError


def slots_of(ruleset: RuleSet, hand: int, cards: int) -> tuple[int, ...]:
    """The places of cards in the sorted hand, ascending; hand and cards are masks.

    >>> from big2_env import BIG2
    >>> from big2_env.cards import as_mask
    >>> slots_of(BIG2, as_mask("S[4] C[3] D[4]"), as_mask("D[4] S[4]"))
    (1, 2)
    """
    return tuple([slot for slot, card in enumerate(ruleset.order.sort(hand)) if cards >> card & 1])


def cards_at(ruleset: RuleSet, hand: int, slots: Iterable[int]) -> int:
    """The cards at some places of the sorted hand, as a mask.

    Raises:
        NotationError: a place that the hand does not have, or one named twice.
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
    """Every play that these cards are under some patterns (`None` for all), in the order of the ruleset's patterns."""
    return [play for play in ruleset.table.classify(mask) if patterns is None or play.pattern in patterns]


def first_legal(legal: LegalPlays, mask: int, patterns: Collection[str] | None = None) -> Play:
    """The legal play of these cards: of several legal readings, the first in the order of the ruleset's patterns.

    Raises:
        IllegalPlayError: no reading (under these patterns) is legal.
    """
    if patterns is None:
        with suppress(AmbiguousPlayError):
            return legal.verify(mask)
    mask = legal.first_copies(mask)
    for play in readings(legal.ruleset, mask, patterns):
        if play in legal:
            return play
    return legal.verify(mask, None if patterns is None else next(iter(patterns), None))
