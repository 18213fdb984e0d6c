"""Deals of the hidden cards that fit what a seat knows: number for number those that `compiled.playouts` samples."""

from __future__ import annotations

from typing import Final, NamedTuple

from big2_agents.plain.playouts import open_position
from big2_agents.plain.track import Track
from big2_env.cards import Card
from big2_env.climbing.play import Play
from big2_env.climbing.position import Position
from big2_env.climbing.view import View
from big2_env.rng import SplitMix64

DOUBT: Final = 0.7
"""Weight of a sampled deal for each pass that does not fit it: a seat that could have covered, and passed."""
BROKEN: Final = 1e-3
"""The same where a seat that can cover must."""


class Proposal(NamedTuple):
    """One sampled deal."""

    position: Position
    weight: float
    """Less than 1 for each pass that does not fit it."""


class SampledDeals:
    """Samples what one view does not show."""

    def __init__(self, view: View) -> None:
        self._view = view
        rules = view.ruleset
        self._known = 0
        if view.landlord is not None and view.landlord != view.seat:
            self._known = view.bottom & view.unseen
        self._cards = rules.order.sort(view.unseen & ~self._known)
        self._doubt = BROKEN if rules.must_cover else DOUBT
        # Where hands are filled up, what was drawn since may be what covers.
        passed_on = [] if rules.draw_pile else Track(view).passed_on
        self._passed_on = [[Play("", 0, category, known[category]) for category in sorted(known)] for known in passed_on]
        self._open = open_position(view)

    def sample(self, rng: SplitMix64, proposals: int) -> Proposal:
        """One of several proposals, drawn with chances as their weights: its weight is 1. Of up to one, the proposal."""
        if proposals <= 1:
            return self.propose(rng)
        total, drawn = 0.0, None
        for _ in range(proposals):
            one = self.propose(rng)
            total += one.weight
            if (rng.next() >> 11) * (1.0 / 9007199254740992.0) * total < one.weight or drawn is None:
                drawn = one
        assert drawn is not None
        return Proposal(drawn.position, 1.0)

    def propose(self, rng: SplitMix64) -> Proposal:
        """A deal that fits how many cards each seat has, all of these alike, and its weight."""
        view, cards = self._view, [*self._cards]
        hands, weight = [0] * view.num_players, 1.0
        hands[view.seat] = view.hand
        for distance in range(1, view.num_players):
            seat = (view.seat + distance) % view.num_players
            hand = self._known if seat == view.landlord else 0
            for _ in range(view.cards_left[seat] - hand.bit_count()):
                hand |= 1 << _draw(cards, rng)
            hands[seat] = hand
            if self._passed_on:
                plays = view.ruleset.table.plays
                for top in self._passed_on[seat]:
                    if next(plays(hand, top), None) is not None:
                        weight *= self._doubt
        rest = [_draw(cards, rng) for _ in range(len(cards))]
        position = self._open._replace(hands=tuple(hands))
        if view.bidding:
            bottom = sum([1 << card for card in rest])
            position = position._replace(bottom=bottom, redeals=tuple(self._deck(rng) for _ in range(view.redeals_left)))
        elif view.pile_left:
            position = position._replace(pile=tuple(rest[: view.pile_left]))
        return Proposal(position, weight)

    def _deck(self, rng: SplitMix64) -> tuple[Card, ...]:
        """A further deck, shuffled."""
        cards = sorted(self._view.ruleset.deck.cards)
        return tuple([_draw(cards, rng) for _ in range(len(cards))])


def _draw(cards: list[Card], rng: SplitMix64) -> Card:
    """A random card, taken out: the last one goes in its place."""
    place = rng.below(len(cards))
    card, last = cards[place], cards.pop()
    if place < len(cards):
        cards[place] = last
    return card
