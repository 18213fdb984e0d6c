"""Sampled deals of the hidden cards, and playouts of candidates on them by rule players.

`choose` picks a rule player's move among the candidates. `RuleTrials` is the interface for Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from big2_agents.kernels.codes import GREEDY, HEURISTIC, RANDOM
from big2_agents.kernels.endgame import DEPTH, endgame_dtype, find_finish, solve
from big2_agents.kernels.estimates import Candidates
from big2_agents.kernels.feature_layout import MAX_CATEGORIES
from big2_agents.kernels.from_view import CandidatePlays, Memory
from big2_agents.kernels.heuristic import choose_by_heuristic
from big2_agents.kernels.heuristic_tables import heuristic_record
from big2_agents.kernels.moves import cards_held, is_cheaper
from big2_agents.kernels.plays import candidates_dtype, find_moves, move_id
from big2_agents.kernels.track import NOTHING, make_tracked, track_dtype, unseen_by
from big2_agents.models.formula import CERTAIN
from big2_env.base.cards import NUM_CARDS
from big2_env.climbing.actions import action_space
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect import HAS_EXTRAS
from big2_env.kernels.dialect.bits import U, below, borrowed, lowest_bit, popcount, random_next
from big2_env.kernels.dialect.cardsets import card_at, get, no_cards, put, without_lowest
from big2_env.kernels.dialect.kernel import copied, kernel, specialize, specialized
from big2_env.kernels.dialect.records import COMPILED, END, as_record, numbers
from big2_env.kernels.legal import height_alone, play_ids
from big2_env.kernels.tables import Tables
from big2_env.kernels.turn import payoff
from big2_env.kernels.variants import Variant, variant_of


@kernel
def _greedy(tab: Tables, game: Any, cand: Any) -> Any:
    """Return the greedy candidate: the cheapest answer, or the longest and then weakest lead; in an auction the first call."""
    best, leads = np.int64(0), game.top_category < 0
    for i in range(1, cand.count):
        if cand.row[i] >= 0 and is_cheaper(
            tab, leads, get(cand.mask, i), cand.row[i], cand.power[i], get(cand.mask, best), cand.row[best], cand.power[best]
        ):
            best = np.int64(i)
    return best


@kernel(inline=True)
def choose(tab: Tables, game: Any, left: Any, cand: Any, policy: Any, heur: Any) -> Any:
    """Return the index of the candidate that a rule player picks for the seat to move.

    Args:
        tab: Tables of the ruleset.
        game: The game; other hands are not read.
        left: Number of cards of each seat.
        cand: Candidates of the seat to move.
        policy: Code of the player.
        heur: A `heuristic_record`.
    """
    if policy == RANDOM:
        game.rng, number = random_next(game.rng)
        return below(number, cand.count)
    if policy == GREEDY:
        return _greedy(tab, game, cand)
    if policy == HEURISTIC:
        return choose_by_heuristic(tab, game, left, cand, heur)
    return np.int64(0)


DOUBT: Final = 0.7
"""Factor on the weight of a sampled deal for each pass of a seat that could have beaten."""
BROKEN: Final = 1e-3
"""The same factor if a seat that can beat must do so."""
POSITIONS: Final = 400
"""Maximum number of positions examined to solve an ending; beyond it, the deal is played out."""


@cache
def search_dtype(variant: Variant) -> np.dtype[Any]:
    """Return the record type with the working memory of a search."""
    game, track = variant.game, track_dtype(variant.seats)
    candidates = candidates_dtype(variant.by_slots, variant.words)
    return np.dtype(
        [
            ("proposals", np.int64),  # of how many deals one is drawn by their weights; up to 1, each counts by its weight
            ("exact", np.int64),  # play-outs with no more cards than this in all hands are solved, where that is quick
            ("root", game),  # the position, hands of the others empty
            ("root_track", track),
            ("sample", game),  # the same with what is hidden sampled
            ("drawn", game),  # the best of several samples so far
            ("game", game),  # a play-out
            ("track", track),
            ("root_candidates", candidates),
            ("candidates", candidates),
            ("stack", candidates, DEPTH),
            ("cards", np.uint8, NUM_CARDS),
            (END, np.int64),
        ]
    )


@kernel(inline=True)
def sample_deal(tab: Tables, search: Any, scratch: Any) -> Any:
    """Sample the hidden cards into `search.sample`, and return the sample's weight.

    The cards go to the other hands, by their sizes, and to the undealt rest. With several proposals, one is drawn in proportion
    to their weights, and its weight is 1.
    """
    if search.proposals <= 1:
        return _propose(tab, search, scratch)
    total = 0.0
    for _ in range(search.proposals):
        weight = _propose(tab, search, scratch)
        total += weight
        search.root.rng, number = random_next(search.root.rng)
        if np.float64(number >> U(11)) * (1.0 / 9007199254740992.0) * total < weight:
            search.drawn = copied(search.sample)
    search.sample = copied(search.drawn)
    return 1.0


@kernel
def _draw(search: Any, number: Any) -> Any:
    """Return a random card of the first `number` in `search.cards`, and move the last of them to its place."""
    search.root.rng, draw = random_next(search.root.rng)
    place = below(draw, number)
    card = search.cards[place]
    search.cards[place] = search.cards[number - 1]
    return U(card)


@kernel
def _next_hand(tab: Tables, track: Any, seat: Any, most: Any, last: Any) -> Any:
    """Return the seat to deal next, its limit and its distance: by limit, the lowest first, then in turn.

    Given are the limit and the distance of the seat before, -1 and 0 at first. In this order a seat may hold any card that the
    seats before may, so that all deals within the limits are equally likely.
    """
    best, found = np.int64(1) << 40, np.int64(0)
    for distance in range(1, tab.num_players):
        limit = np.int64(track.most_alone[(seat + distance) % tab.num_players])
        if (limit > most or (limit == most and distance > last)) and limit < best:
            best, found = limit, np.int64(distance)
    return (seat + found) % tab.num_players, best, found


@kernel(inline=True)
def _number_up_to(tab: Tables, search: Any, number: Any, most: Any, nothing: Any) -> Any:
    """Return how many of the first `number` cards, ascending, have at most a given height."""
    if most == NOTHING:
        return number
    allowed = np.int64(0)
    while allowed < number and height_alone(tab, card_at(nothing, U(search.cards[allowed]))) <= most:
        allowed += 1
    return allowed


@kernel
def list_hidden(tab: Tables, search: Any) -> Any:
    """Write the cards that may be in several places to `search.cards`, ascending, and return their number."""
    root, number = search.root, np.int64(0)
    unseen = unseen_by(tab, root, root.turn)
    unseen &= ~_known_of(tab, root, unseen, root.turn)
    while unseen:
        search.cards[number] = lowest_bit(unseen)
        unseen = without_lowest(unseen)
        number += 1
    return number


@kernel
def _propose(tab: Tables, search: Any, scratch: Any) -> Any:
    """Sample one deal into `search.sample` and return its weight, reduced for each pass that does not fit."""
    search.sample = copied(search.root)
    game = search.sample
    seat, weight, number = np.int64(game.turn), 1.0, list_hidden(tab, search)
    nothing = no_cards(get(game.top, 0))
    known = _known_of(tab, game, unseen_by(tab, game, seat), seat)
    most, last = np.int64(-1), np.int64(0)
    for _ in range(1, tab.num_players):
        who, most, last = _next_hand(tab, search.root_track, seat, most, last)
        hand = known if who == _landlord(game) else nothing
        wanted = search.root_track.left[who] - popcount(hand)
        allowed = _number_up_to(tab, search, number, most, nothing)
        if allowed < wanted:
            allowed = number
        for drawn in range(wanted):
            hand |= card_at(nothing, _draw(search, allowed - drawn))
        for i in range(allowed, number if allowed < number else 0):
            search.cards[i - wanted] = search.cards[i]
        number -= wanted
        put(game.hands, who, hand)
        if tab.refill:  # what was drawn since may be what beats
            continue
        for category in range(MAX_CATEGORIES):
            power = np.int64(search.root_track.passed_on[who, category])
            if power != NOTHING and play_ids(tab, hand, np.int64(category), power, nothing, scratch):
                weight *= BROKEN if tab.must_cover else DOUBT
    _lay_rest(tab, game, search, number)
    return weight


@specialized(HAS_EXTRAS, otherwise=-1)
def _landlord(game: Any) -> Any:
    """Return the seat that took the open cards, -1 if there is none."""
    return np.int64(game.landlord)


@kernel
def _known_cards(tab: Tables, game: Any, unseen: Any, seat: Any) -> Any:
    return get(game.bottom, 0) & unseen if game.landlord >= 0 and game.landlord != seat else no_cards(unseen)


@kernel
def _no_known_cards(tab: Tables, game: Any, unseen: Any, seat: Any) -> Any:
    return no_cards(unseen)


_known_of = specialize(HAS_EXTRAS, _known_cards, _no_known_cards)
"""(tab, game, unseen, seat): the unseen cards that another seat, the landlord, is known to hold."""


@specialized(HAS_EXTRAS)
def _lay_rest(tab: Tables, game: Any, search: Any, number: Any) -> None:
    """Assign the undealt cards to the draw pile or the landlord's cards, and shuffle the further decks."""
    bottom = no_cards(get(game.top, 0))
    for i in range(number):
        card = _draw(search, number - i)
        if game.bidding:
            bottom |= card_at(bottom, card)
        elif i < game.num_pile:
            game.pile[i] = card
    if not game.bidding:
        return
    put(game.bottom, 0, bottom)
    for deck in range(game.num_redeals):
        for i in range(tab.deck_size):
            search.cards[i] = tab.deck_cards[i]
        for i in range(tab.deck_size):
            game.redeals[deck, i] = _draw(search, tab.deck_size - i)


@kernel(inline=True)
def next_sample(tab: Tables, search: Any, scratch: Any) -> Any:
    """Sample the next deal and return its weight, and the random stream that each of its playouts starts from."""
    weight = sample_deal(tab, search, scratch)
    search.root.rng, stream = random_next(search.root.rng)
    return weight, stream


@kernel(inline=True)
def begin_playout(tab: Tables, search: Any, i: Any, stream: Any, scratch: Any) -> None:
    """Copy the sampled deal into `search.game` and make the seat's candidate there."""
    search.game = copied(search.sample)
    search.track = copied(search.root_track)
    make_tracked(tab, search.game, search.track, search.root_candidates, i, scratch)
    search.game.rng = stream


@kernel(entry=True)
def play_out_by_rules(
    tab: Tables,
    search: Any,
    policy: Any,
    heur: Any,
    ends: Any,
    chosen: Any,
    samples: Any,
    totals: Any,
    squares: Any,
    scratch: Any,
) -> Any:
    """Play candidates out on sampled deals, the same deals for each candidate.

    Args:
        tab: Tables of the ruleset.
        search: Record of the search; games and random streams are written.
        policy: Code of the player in all seats.
        heur: A `heuristic_record`.
        ends: Record for endings.
        chosen: Candidates to try, bool (n,).
        samples: Number of sampled deals.
        totals: By candidate, float64; weighted payoffs are added.
        squares: By candidate, float64; weighted squared payoffs are added.
        scratch: Scratch of the variant.

    Returns:
        The sum of the deals' weights, and the sum of their squared weights.
    """
    chosen, totals, squares = borrowed(chosen), borrowed(totals), borrowed(squares)
    seat = np.int64(search.root.turn)
    weights = squared_weights = 0.0
    for _ in range(samples):
        weight, stream = next_sample(tab, search, scratch)
        weights += weight
        squared_weights += weight * weight
        for i in range(search.root_candidates.count):
            if not chosen[i]:
                continue
            begin_playout(tab, search, i, stream, scratch)
            game, track, cand = search.game, search.track, search.candidates
            tries = search.exact > 0
            paid = np.nan
            while game.winner < 0:
                if tries and cards_held(tab, game) <= search.exact:
                    tries = False
                    if solve(tab, game, ends, POSITIONS):
                        paid = ends.payoffs[seat]
                        break
                find_moves(tab, game, cand)
                best = choose(tab, game, track.left, cand, policy, heur) if cand.count > 1 else np.int64(0)
                make_tracked(tab, game, track, cand, best, scratch)
            if game.winner >= 0:
                paid = payoff(tab, game, seat)
            totals[i] += weight * paid
            squares[i] += weight * paid * paid
    return weights, squared_weights


@kernel(entry=True)
def open_root(tab: Tables, search: Any, policy: Any, heur: Any) -> Any:
    """List the candidates at the root and return the one that a rule player picks.

    The heuristic leaves its scores with the candidates. If a candidate empties the hand, it is picked without scoring.
    """
    cand = search.root_candidates
    find_moves(tab, search.root, cand)
    return choose(tab, search.root, search.root_track.left, cand, policy, heur) if cand.count > 1 else np.int64(0)


@kernel(entry=True)
def name_moves(tab: Tables, search: Any, ids: Any) -> None:
    """Write the action ids of the candidates at the root, int64."""
    for i in range(search.root_candidates.count):
        ids[i] = move_id(tab, search.root, search.root_candidates, i)


class RuleTrials:
    """Playouts of one ruleset's candidates by heuristic players.

    Args:
        ruleset: The rules of the game.
        num_players: Number of seats.
        proposals: Number of proposed deals from which one sample is drawn, weighted by how well it explains the passes.

    Raises:
        ConfigError: The kernels do not support the ruleset, or it has more shapes or powers than the heuristic's tables hold.
    """

    def __init__(self, ruleset: RuleSet, num_players: int, proposals: int) -> None:
        variant = variant_of(ruleset)
        self._space = action_space(ruleset) if COMPILED else None
        self._tables: Any = compile_tables(ruleset, num_players, numbers_moves=COMPILED)
        self._patterns = {rule.pattern.name: i for i, rule in enumerate(ruleset.patterns)}
        self._plays = CandidatePlays(ruleset, self._tables)
        self._search: Any = as_record(np.zeros((), search_dtype(variant)))
        self._search.proposals = proposals
        self._scratch = as_record(np.zeros((), variant.scratch))
        self._ids = np.zeros(len(self._search.root_candidates.score), np.int64)
        self._endgame: Any = as_record(np.zeros((), endgame_dtype(variant)))
        self._heuristic: Any = heuristic_record(ruleset, num_players=num_players)
        self._memory = Memory()

    def open(self, view: View, legal: LegalPlays, seed: int) -> Candidates:
        """Begin a decision as `estimates.Trials.open` does."""
        search, tab = self._search, self._tables
        self._memory.update(tab, view, self._patterns, search.root, search.root_track)
        search.root.rng = seed
        candidates = search.root_candidates
        candidates["score"] = 0.0
        best = int(open_root(tab, search, HEURISTIC, self._heuristic))
        count = int(candidates.count)
        if self._space is not None:
            name_moves(tab, search, self._ids)
            plays = [self._space.verify(action, legal) for action in numbers(self._ids[:count])]
        else:
            plays = [self._plays.verified(view, legal, candidates, i) for i in range(count)]
        sure = best if candidates.score[best] > CERTAIN / 2 and not view.bidding else -1
        if sure < 0 or view.ruleset.auction is not None:  # in which bombs multiply the stake
            finish = int(find_finish(tab, search.root, search.root_track.left, candidates, search.stack))
            sure = finish if finish >= 0 else sure
        return Candidates(plays, numbers(candidates.score[:count]), sure)

    def forget(self) -> None:
        """Forget solved endings."""
        self._endgame["key"] = 0

    def play_out(
        self, chosen: Sequence[int], samples: int, exact: int, totals: list[float], squares: list[float]
    ) -> tuple[float, float]:
        """Play candidates out as `estimates.Trials.play_out` does."""
        alive, sums = np.zeros(len(totals), np.bool_), [np.array(totals), np.array(squares)]
        for i in chosen:
            alive[i] = True
        self._search.exact = exact
        weights, squared = self._run(alive, samples, sums)
        totals[:], squares[:] = map(numbers, sums)
        return float(weights), float(squared)

    def _run(self, chosen: Any, samples: int, sums: Any) -> Any:
        return play_out_by_rules(
            self._tables, self._search, HEURISTIC, self._heuristic, self._endgame,
            chosen, samples, sums[0], sums[1], self._scratch,
        )  # fmt: skip
