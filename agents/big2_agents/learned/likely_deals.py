"""Deals of the hidden cards, drawn by how likely the moves of the other seats would be if they held them.

A deal counts by p ** `SHARPNESS`, where p is the probability that the network would have made all moves so far of the seats in
which it plays. A few chains of deals exchange one hidden card for another at a time (Metropolis et al., Journal of Chemical
Physics 21, 1953). The moves of a seat depend on its own cards only, so an exchange concerns two seats. All follows from the
view.

Moves of other players tell nothing here: taken for the network's, moves of `heuristic` make wrong deals more likely. Nor do
moves whose hands are not known: in games with a draw pile, and in games that began at a position.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_agents.kernels.from_view import Memory
from big2_agents.kernels.playouts import list_hidden, sample_deal
from big2_agents.kernels.plays import find_moves
from big2_agents.kernels.track import track_dtype
from big2_agents.learned.policy import Scorer, score_candidates
from big2_env.climbing.position import after_pass, after_play, first_position, lead_position
from big2_env.climbing.ruleset import Lead
from big2_env.climbing.view import View, some_position
from big2_env.kernels.dialect.bits import U, below, borrowed, random_next
from big2_env.kernels.dialect.cardsets import card_at, get, no_cards, put, unary
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.dialect.records import card_set
from big2_env.kernels.tables import Tables
from big2_env.kernels.variants import Variant

Sets = npt.NDArray[np.uint64]
SHARPNESS: Final = 0.5
"""Exponent of the probability of all moves; with 1, fewer exchanges are accepted, and chains depend longer on their start."""
SLIP: Final = 0.02
"""Probability with which a seat is expected to move at random."""
UNLISTED: Final = math.log(1e-4)
"""Log probability of a move whose ranks no candidate of a hand has."""
CHAINS: Final = 4
"""Number of chains, which take turns. Deals of one chain depend on each other, so intervals from them are too narrow."""
BURN_IN: Final = 120
"""Proposed exchanges in each chain before its first deal."""
THINNING: Final = 6
"""Proposed exchanges before each deal."""


def past_views(view: View) -> list[View]:
    """Return the view of every other seat at each of its moves so far, oldest first, without the auction.

    Their hidden cards are dealt in some way. The list is empty if the hands of that time do not follow from later ones.
    """
    rules, history = view.ruleset, view.history
    first = next((number for number, (_, play) in enumerate(history) if play.mask), len(history))
    some = some_position(view)
    if rules.draw_pile or first == len(history) or some is None:
        return []
    hands = tuple(hand | played for hand, played in zip(some.hands, view.played, strict=True))
    leader, opening = history[first]
    if rules.auction is None:
        obligation = 0 if rules.lead is Lead.ANY else 1 << rules.order.lowest(opening.mask)
        position = first_position(rules, hands)._replace(turn=leader, obligation=obligation)
    else:
        award = rules.auction.award(view.said) or (view.landlord or 0, view.stake)
        position = lead_position(rules, hands, *award)._replace(bottom=view.bottom, said=view.said)
    found = []
    for number in range(first, len(history)):
        seat, play = history[number]
        if position.turn != seat:
            return []
        if seat != view.seat:
            found.append(View.of_position(rules, position, seat, history[:number], is_sound=True))
        position = after_play(rules, position, play) if play.mask else after_pass(rules, position)
    return found if position.played == view.played else []


@kernel
def _fit(tab: Tables, search: Any, scorer: Any, past: Any, tracks: Any, who: Any, hand: Any, least: Any) -> Any:
    """Return the log probability of a seat's moves if it now holds `hand`, or less than `least` as soon as it is below that."""
    cand, later, total = search.candidates, get(search.root.played, who), 0.0
    for n in range(len(past) - 1, -1, -1):
        game = past[n]
        if game.turn != who:
            continue
        if total < least:
            break
        before = get(game.played, who)
        made = later & ~before
        later = before
        hand |= made
        put(game.hands, who, hand)
        find_moves(tab, game, cand)
        found = np.int64(-1)
        for i in range(cand.count):  # candidates of equal ranks and power stand for each other
            if unary(get(cand.mask, i)) == unary(made) and (found < 0 or get(cand.mask, found) != made):
                found = np.int64(i)
        if found < 0:
            total += UNLISTED
        elif cand.count > 1:
            score_candidates(tab, game, tracks[n], cand, scorer)
            highest, weight = scorer.scores[found], 0.0
            for i in range(cand.count):
                highest = max(highest, scorer.scores[i])
            for i in range(cand.count):
                weight += math.exp(scorer.scores[i] - highest)
            total += math.log(SLIP / cand.count + (1.0 - SLIP) * math.exp(scorer.scores[found] - highest) / weight)
    return total


@kernel
def _holder(tab: Tables, search: Any, hands: Any, card: Any) -> Any:
    """Return the other seat that holds a card, -1 if it was not dealt."""
    for seat in range(tab.num_players):
        if seat != search.root.turn and get(hands, seat) & card:
            return np.int64(seat)
    return np.int64(-1)


@kernel
def _exchange(tab: Tables, search: Any, scorer: Any, past: Any, tracks: Any, hands: Any, fits: Any, number: Any) -> None:
    """Propose to exchange two of the first `number` cards in `search.cards`, both hidden, and accept it by its likelihood."""
    root, nothing = search.root, no_cards(get(search.root.top, 0))
    root.rng, draw = random_next(root.rng)
    one = card_at(nothing, search.cards[below(draw, number)])
    root.rng, draw = random_next(root.rng)
    other = card_at(nothing, search.cards[below(draw, number)])
    root.rng, draw = random_next(root.rng)
    a, b = _holder(tab, search, hands, one), _holder(tab, search, hands, other)
    if a == b:
        return
    least, changed = math.log((np.float64(draw >> U(11)) + 0.5) / 9007199254740992.0) / SHARPNESS, one ^ other
    fit_a = fit_b = 0.0
    if a >= 0:
        least += fits[a]
    if b >= 0:
        least += fits[b]
    if a >= 0:
        fit_a = _fit(tab, search, scorer, past, tracks, a, get(hands, a) ^ changed, least)
    if fit_a >= least and b >= 0:
        fit_b = _fit(tab, search, scorer, past, tracks, b, get(hands, b) ^ changed, least - fit_a)
    if fit_a + fit_b < least:
        return
    if a >= 0:
        put(hands, a, get(hands, a) ^ changed)
        fits[a] = fit_a
    if b >= 0:
        put(hands, b, get(hands, b) ^ changed)
        fits[b] = fit_b


@kernel(entry=True)
def _draw_deals(
    tab: Tables, search: Any, scorer: Any, past: Any, tracks: Any, chains: Any, fits: Any, deals: Any, start: Any, scratch: Any
) -> None:
    """Write the hands on further deals to `deals`, after `start` deals drawn before."""
    past, tracks, chains, fits, deals = borrowed(past), borrowed(tracks), borrowed(chains), borrowed(fits), borrowed(deals)
    if start == 0:
        for chain in range(len(chains)):
            sample_deal(tab, search, scratch)
            for seat in range(tab.num_players):
                put(chains[chain], seat, get(search.sample.hands, seat))
                if seat != search.root.turn:
                    fits[chain, seat] = _fit(tab, search, scorer, past, tracks, seat, get(search.sample.hands, seat), -np.inf)
    number = list_hidden(tab, search)
    if start == 0:
        for chain in range(len(chains)):
            for _ in range(BURN_IN):
                _exchange(tab, search, scorer, past, tracks, chains[chain], fits[chain], number)
    for n in range(len(deals)):
        chain = (start + n) % len(chains)
        for _ in range(THINNING):
            _exchange(tab, search, scorer, past, tracks, chains[chain], fits[chain], number)
        for seat in range(tab.num_players):
            put(deals[n], seat, get(chains[chain], seat))


def empty_deals(variant: Variant, number: int = 0) -> Sets:
    """Return room for the hands on a number of deals, sets of cards (number, seats, ...)."""
    found: Sets = np.zeros((number, variant.seats), card_set(variant.words))
    return found


class LikelyDeals:
    """Deals for one decision after another.

    Args:
        variant: Variant of the ruleset.
        tables: Tables of the ruleset.
        patterns: Index of each pattern in the ruleset.
        search: Record of the search, whose root is the position of the decision.
        scratch: Scratch of the variant.
    """

    def __init__(self, variant: Variant, tables: Any, patterns: dict[str, int], search: Any, scratch: Any) -> None:
        self._variant, self._tables, self._patterns, self._search, self._scratch = variant, tables, patterns, search, scratch
        self._chains = empty_deals(variant, CHAINS)
        """Hands on the last deal of each chain."""
        self._fits = np.zeros((CHAINS, variant.seats))
        """Log probabilities of the moves of each seat there."""

    def open(self, view: View, weighed: Collection[int]) -> None:
        """Begin a decision, whose position is the root of the search.

        Args:
            view: The view.
            weighed: Seats whose moves the network made.
        """
        views = [each for each in past_views(view) if each.seat in weighed] if weighed else []
        kinds = self._variant.game, track_dtype(self._variant.seats)
        # The games before each of the moves that count, and what was public; kernels write hands into them.
        self._past, self._tracks = (np.zeros(len(views), kind).view(np.recarray) for kind in kinds)
        memory = Memory()
        for game, track, each in zip(self._past, self._tracks, views, strict=True):
            memory.update(self._tables, each, self._patterns, game, track)
        self._drawn = 0

    def more(self, number: int, scorer: Scorer) -> Sets:
        """Return the hands on the next deals, sets of cards (number, seats, ...), none if no move tells anything."""
        deals = empty_deals(self._variant, number if len(self._past) else 0)
        if len(deals):
            _draw_deals(
                self._tables, self._search, scorer, self._past, self._tracks, self._chains, self._fits, deals,
                self._drawn, self._scratch,
            )  # fmt: skip
            self._drawn += number
        return deals
