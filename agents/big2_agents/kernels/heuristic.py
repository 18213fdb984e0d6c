"""The heuristic's score (`big2_agents.models.formula`) for every ruleset, from public information only.

The seat to move is given by a game record `game`; other hands are not read. `left` has the number of cards of each seat, `heur`
is a `heuristic_record`, and `cand` has candidates listed by `plays.find_moves`.

Hands are decomposed by `slot_decompositions` or `rank_decompositions`. Calls in an auction are scored in stakes, by comparing
the hand with random hands. `HeuristicScorer` serves single views.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from big2_agents.kernels.beat_odds import open_beat_odds, partner_out_chance, pile_left, prospect, prospect_of_move
from big2_agents.kernels.from_view import (
    LEFT,
    NUM_FACTS,
    NUM_PLAYERS,
    CandidatePlays,
    ShownMoves,
    pack_facts,
    shown_play,
    shown_word,
    unpack_game,
)
from big2_agents.kernels.heuristic_tables import heuristic_record
from big2_agents.kernels.plays import counts_of_cards, find_moves, move_id
from big2_agents.kernels.rank_decompositions import (
    best_hold_of_counts,
    best_of_counts,
    carry_best,
    counts_go_out,
    decompose_counts,
)
from big2_agents.kernels.slot_decompositions import best_hold_of_cards, best_of_cards, cards_go_out, decompose_cards
from big2_agents.kernels.track import are_partners, unseen_by
from big2_agents.models.formula import CERTAIN, Weights
from big2_env.base.errors import ConfigError
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect import BY_SLOTS, HAS_EXTRAS
from big2_env.kernels.dialect.bits import U, below, borrowed, popcount, random_next
from big2_env.kernels.dialect.cardsets import card_at, get, no_cards
from big2_env.kernels.dialect.kernel import kernel, specialize, specialized
from big2_env.kernels.dialect.records import COMPILED, as_array, as_record, numbers, set_of
from big2_env.kernels.legal import game_ids, power_of, read_action
from big2_env.kernels.optional_extras import is_bidding, landlord_of, points_of
from big2_env.kernels.tables import CALL_ROB, CAPTURED, Tables
from big2_env.kernels.turn import hand_cost
from big2_env.kernels.variants import variant_of


@kernel
def _cards_shown(tab: Tables, cards: Any) -> Any:
    return cards


@kernel
def _nothing_carried(tab: Tables, game: Any, heur: Any, cand: Any, i: Any) -> None:
    pass


as_parts = specialize(BY_SLOTS, _cards_shown, counts_of_cards)
"""(tab, cards): cards in the form that decompositions take, unchanged or as counts by value."""
decompose = specialize(BY_SLOTS, decompose_cards, decompose_counts)
"""(tab, heur, hand): find the decompositions of a hand, after `open_beat_odds`."""
best_decomposition = specialize(BY_SLOTS, best_of_cards, best_of_counts)
"""(tab, heur, shown): (utility, run) of the best decomposition of some cards of the hand."""
goes_out = specialize(BY_SLOTS, cards_go_out, counts_go_out)
"""(tab, heur, shown): True if some cards of the hand form plays of which at most one can be beaten."""
best_hold = specialize(BY_SLOTS, best_hold_of_cards, best_hold_of_counts)
"""(tab, heur, category, shown): the best hold of a play of a category among some cards of the hand, 0 without one."""
pick_kickers = specialize(BY_SLOTS, _nothing_carried, carry_best)
"""(tab, game, heur, cand, i): choose the kickers that the hand needs least for a candidate, if it has any."""


@kernel(inline=True)
def open_decision(tab: Tables, game: Any, left: Any, heur: Any) -> None:
    """Compute everything that the moves of the seat to move share. `left` holds the number of cards of each seat."""
    open_beat_odds(tab, game, left, unseen_by(tab, game, game.turn), heur)
    decompose(tab, heur, get(game.hands, game.turn))


SAMPLE: Final = 60
"""Number of random hands with which a hand is compared."""


@kernel(inline=True)
def _value(tab: Tables, game: Any, left: Any, heur: Any, hand: Any) -> Any:
    """Return the value of a hand by its best decomposition if all other cards are unseen."""
    open_beat_odds(tab, game, left, get(tab.deck, 0) & ~hand, heur)
    decompose(tab, heur, hand)
    return best_decomposition(tab, heur, as_parts(tab, hand))[0]


@kernel
def _measure(tab: Tables, game: Any, left: Any, heur: Any) -> None:
    """Store mean and deviation of the value of random hands."""
    size, held, state = tab.deck_size, popcount(get(game.hands, game.turn)), U(tab.deck_size)
    total = squares = 0.0
    for _ in range(SAMPLE):
        hand = no_cards(get(tab.deck, 0))
        for i in range(size):
            heur.sampled[i] = tab.deck_cards[i]
        for i in range(held):
            state, number = random_next(state)
            other = i + below(number, size - i)
            heur.sampled[i], heur.sampled[other] = heur.sampled[other], heur.sampled[i]
            hand |= card_at(hand, tab.place_of[heur.sampled[i]])
        value = _value(tab, game, left, heur, hand)
        total += value
        squares += value * value
    mean = total / SAMPLE
    deviation = math.sqrt(max(squares / SAMPLE - mean * mean, 0.0))
    heur.weights.usual[0], heur.weights.usual[1] = mean, deviation if deviation else 1.0


@specialized(HAS_EXTRAS, otherwise=0.0)
def strength(tab: Tables, game: Any, left: Any, heur: Any) -> Any:
    """Return the strength of the hand of the seat to move, in standard deviations above random hands."""
    if heur.weights.usual[1] == 0.0:
        _measure(tab, game, left, heur)
    return (_value(tab, game, left, heur, get(game.hands, game.turn)) - heur.weights.usual[0]) / heur.weights.usual[1]


@specialized(HAS_EXTRAS, otherwise=1.0)
def _price(tab: Tables, game: Any, value: Any) -> Any:
    """Return the stake if the auction ended with a given call, or now for 0."""
    yes, last = np.int64(0), np.int64(0)
    for i in range(game.num_said):
        if game.said_value[i]:
            yes += 1
            last = np.int64(game.said_value[i])
    if value:
        yes, last = yes + 1, np.int64(value)
    if yes == 0:
        return 1.0
    if tab.auction != CALL_ROB:
        return np.float64(last)
    price = np.float64(tab.stake)
    for _ in range(yes - 1):
        price *= tab.rob_factor
    return price


@specialized(HAS_EXTRAS, otherwise=False)
def _somebody_wants_it(game: Any) -> Any:
    """Return True if a seat has called."""
    yes = 0
    for i in range(game.num_said):
        yes += game.said_value[i] > 0
    return yes > 0


@kernel(inline=True)
def value_said(tab: Tables, action: Any) -> Any:
    """Return the value of an auction action, 0 for no."""
    if action == 0:
        return np.int64(0)
    return np.int64(1) if tab.auction == CALL_ROB else action - tab.first_call + 1


@specialized(HAS_EXTRAS, otherwise=0.0)
def score_call(tab: Tables, game: Any, heur: Any, better: Any, value: Any) -> Any:
    """Return the expected payoff of a call in stakes; for a yes, as if it won the auction. 0 means no.

    `better` is the strength of the seat's hand.
    """
    if not value:
        return -(2.0 * heur.weights.rival - 1.0) * _price(tab, game, value) if _somebody_wants_it(game) else 0.0
    chance = 1.0 / (1.0 + math.exp(-heur.weights.even - heur.weights.slope * better))
    return (tab.num_players - 1) * (2.0 * chance - 1.0) * _price(tab, game, value)


@specialized(HAS_EXTRAS, otherwise=0.0)
def _trick_points(tab: Tables, game: Any, cards: Any, hold: Any) -> Any:
    """Return the points that a play is expected to gain or lose."""
    if tab.settlement != CAPTURED:
        return 0.0
    points = points_of(tab, cards)
    return hold * (points_of(tab, get(game.trick, 0)) + points) - (1.0 - hold) * points


@kernel
def score_of_play(tab: Tables, game: Any, heur: Any, cards: Any, category: Any, power: Any) -> Any:
    """Return the score of a play of the seat to move; call `open_decision` first."""
    hand = get(game.hands, game.turn)
    hold, danger, sure = prospect_of_move(tab, game, heur, category, power)
    rest = as_parts(tab, hand & ~cards)
    value, run = best_decomposition(tab, heur, rest)
    if sure and goes_out(tab, heur, rest):
        return CERTAIN + value
    run_out = 0.0 if heur.pile else heur.weights.run_out
    score = value + hold * (heur.weights.lead + run_out * run)
    score += heur.weights.hurry * popcount(cards) * heur.nearest - danger
    if hold < 1.0:
        score += heur.weights.again * (1.0 - hold) * best_hold(tab, heur, category, rest)
    if heur.num_partners:
        score += heur.weights.feed * partner_out_chance(tab, game, heur, category, power)
    if heur.weights.pay or heur.weights.relief or heur.weights.loss:
        left_to_pay = hand_cost(tab, hand & ~cards)
        score += (heur.weights.pay * heur.nearest + heur.weights.relief) * (hand_cost(tab, hand) - left_to_pay)
        score -= heur.weights.loss * danger * left_to_pay
    return score + heur.weights.capture * _trick_points(tab, game, cards, hold)


@kernel
def score_of_pass(tab: Tables, game: Any, left: Any, heur: Any) -> Any:
    """Return the score of passing; call `open_decision` first."""
    hand = get(game.hands, game.turn)
    score = best_decomposition(tab, heur, as_parts(tab, hand))[0] + heur.weights.patience
    score -= heur.weights.cheap_lead * popcount(np.uint64(game.passed)) + heur.weights.full * popcount(hand)
    if game.top_category >= 0 and game.top_seat >= 0 and left[game.top_seat]:
        hold, near = prospect(tab, heur, np.int64(game.top_category), np.int64(game.top_power))[0], 0.0
        if not heur.pile:
            near = heur.weights.near[left[game.top_seat]]
        if are_partners(game, game.turn, game.top_seat):
            if game.passed >> landlord_of(game) & 1:
                hold = 1.0  # nobody of the other team is asked again
            score += hold * (heur.weights.partner + heur.weights.alarm * near)
        else:
            score -= heur.weights.alarm * hold * near
            if heur.weights.loss:
                score -= heur.weights.loss * heur.weights.alarm * hold * near * hand_cost(tab, hand)
    return score


@kernel(entry=True)
def choose_by_heuristic(tab: Tables, game: Any, left: Any, cand: Any, heur: Any) -> Any:
    """Return the index of the candidate with the highest score, and leave all scores in `cand`.

    Ties go to the first candidate in the ruleset's order. Kickers of the candidates are chosen again.
    """
    if is_bidding(tab, game):
        return _choose_call(tab, game, left, cand, heur)
    hand = get(game.hands, game.turn)
    if pile_left(game) == 0:
        for i in range(cand.count):
            if get(cand.mask, i) == hand:
                return np.int64(i)
    open_decision(tab, game, left, heur)
    best = np.int64(0)
    for i in range(cand.count):
        pick_kickers(tab, game, heur, cand, i)
        row, best_row = np.int64(cand.row[i]), np.int64(cand.row[best])
        if row >= 0:
            power = power_of(tab, row, get(cand.mask, i))
            cand.score[i] = score_of_play(tab, game, heur, get(cand.mask, i), np.int64(tab.row_category[row]), power)
        else:
            cand.score[i] = score_of_pass(tab, game, left, heur)
        ties = cand.score[i] == cand.score[best] and row >= 0 and best_row >= 0
        if cand.score[i] > cand.score[best] or (ties and tab.row_place[row] < tab.row_place[best_row]):
            best = np.int64(i)
    return best


@kernel
def _best_candidate(tab: Tables, game: Any, left: Any, heur: Any, scratch: Any) -> Any:
    cand = heur.candidates
    find_moves(tab, game, cand)
    chosen = choose_by_heuristic(tab, game, left, cand, heur) if cand.count > 1 else np.int64(0)
    return move_id(tab, game, cand, chosen)


@kernel
def _best_legal(tab: Tables, game: Any, left: Any, heur: Any, scratch: Any) -> Any:
    """Return the legal move with the highest score, the first one on ties."""
    count = game_ids(tab, game, scratch)
    hand, best, most = get(game.hands, game.turn), np.int64(scratch.ids[0]), 0.0
    if count == 1:
        return best
    bids = is_bidding(tab, game)
    if not bids and pile_left(game) == 0:
        for i in range(count):
            if scratch.ids[i] and read_action(tab, game, np.int64(scratch.ids[i]))[0] == hand:
                return np.int64(scratch.ids[i])
    better = 0.0
    if bids:
        better = strength(tab, game, left, heur)
    else:
        open_decision(tab, game, left, heur)
    for i in range(count):
        action = np.int64(scratch.ids[i])
        if bids:
            score = score_call(tab, game, heur, better, value_said(tab, action))
        elif action:
            cards, row = read_action(tab, game, action)
            score = score_of_play(tab, game, heur, cards, np.int64(tab.row_category[row]), power_of(tab, row, cards))
        else:
            score = score_of_pass(tab, game, left, heur)
        if i == 0 or score > most:
            best, most = action, score
    return best


heuristic_move = specialize(BY_SLOTS, _best_legal, _best_candidate)
"""(tab, game, left, heur, scratch): the action id of the heuristic's move for the seat to move.

With slot actions all legal moves are scored, and ties go to the first in their order. With rank actions the candidates are
scored.
"""


@specialized(HAS_EXTRAS, otherwise=0)
def _choose_call(tab: Tables, game: Any, left: Any, cand: Any, heur: Any) -> Any:
    best, better = np.int64(0), strength(tab, game, left, heur)
    for i in range(cand.count):
        cand.score[i] = score_call(tab, game, heur, better, value_said(tab, np.int64(cand.ids[i])))
        if cand.score[i] > cand.score[best]:
            best = np.int64(i)
    return best


@kernel(inline=True)
def ends_hand(tab: Tables, game: Any, cand: Any, i: Any) -> Any:
    """Return True if a candidate empties the hand; the heuristic then makes it without scoring."""
    return not is_bidding(tab, game) and pile_left(game) == 0 and get(cand.mask, i) == get(game.hands, game.turn)


@kernel(inline=True)
def _open_view(tab: Tables, facts: Any, game: Any, left: Any) -> None:
    """Write the facts of a view into a game record, and the number of cards of each seat into `left`."""
    unpack_game(tab, facts, game)
    for seat in range(facts[NUM_PLAYERS]):
        left[seat] = facts[LEFT + seat]


@kernel(entry=True)
def _score(
    tables: Any, facts: Any, games: Any, left: Any, players: Any, cards: Any, categories: Any, powers: Any, scores: Any
) -> None:
    """Write the scores of legal moves in the position of a view into `scores`, float64 (N,).

    Args:
        tables: Tables of the ruleset; this and the other records are passed as arrays (1,), made by `as_array`.
        facts: The view.
        games: Working memory, like `left`.
        left: Working memory.
        players: A `heuristic_record`.
        cards: Cards of each move, as a field of records.
        categories: Category as in `Play`, int64 (N,); -1 for a pass.
        powers: Power as in `Play`, int64 (N,); the call in an auction.
        scores: Output.
    """
    tab, game, heur, left = borrowed(tables)[0], borrowed(games)[0], borrowed(players)[0], borrowed(left)
    cards, categories, powers, scores = borrowed(cards), borrowed(categories), borrowed(powers), borrowed(scores)
    _open_view(tab, borrowed(facts), game, left)
    if is_bidding(tab, game):
        better = strength(tab, game, left, heur)
        for i in range(len(scores)):
            scores[i] = score_call(tab, game, heur, better, powers[i])
        return
    open_decision(tab, game, left, heur)
    for i in range(len(scores)):
        if categories[i] >= 0:
            scores[i] = score_of_play(tab, game, heur, get(cards, i), categories[i], powers[i])
        else:
            scores[i] = score_of_pass(tab, game, left, heur)


@kernel(entry=True)
def _move(tables: Any, facts: Any, games: Any, left: Any, players: Any, scratches: Any) -> Any:
    """Return the heuristic's move in the position of a view as `ShownMoves` takes it; args as for `_score`."""
    tab, game, left = borrowed(tables)[0], borrowed(games)[0], borrowed(left)
    _open_view(tab, borrowed(facts), game, left)
    action = heuristic_move(tab, game, left, borrowed(players)[0], borrowed(scratches)[0])
    if action == 0 or action >= tab.first_call:
        return shown_word(action)
    cards, row = read_action(tab, game, action)
    return shown_play(tab, cards, row, power_of(tab, row, cards))


@kernel
def _choose(tab: Tables, facts: Any, game: Any, left: Any, heur: Any) -> Any:
    """Return the index of the heuristic's move among the candidates of a view, which are left in `heur.candidates`."""
    _open_view(tab, facts, game, left)
    cand = heur.candidates
    find_moves(tab, game, cand)
    return choose_by_heuristic(tab, game, left, cand, heur) if cand.count > 1 else 0


class HeuristicScorer:
    """The heuristic for views of one ruleset and number of seats.

    Args:
        ruleset: The rules of the game.
        weights: Weights of the heuristic, the ruleset's by default.
        num_players: Number of seats.

    Raises:
        ConfigError: The kernels do not support the ruleset.
    """

    def __init__(self, ruleset: RuleSet, weights: Weights | None = None, num_players: int | None = None) -> None:
        variant, self.ruleset, self._num_players = variant_of(ruleset), ruleset, ruleset.seats(num_players)
        self._tables: Any = compile_tables(ruleset, num_players, numbers_moves=COMPILED)
        self._heuristic: Any = heuristic_record(ruleset, weights, num_players)
        self._game: Any = as_record(np.zeros((), variant.game))
        self._left = np.zeros(variant.seats, np.int32)
        self._scratch = as_record(np.zeros((), variant.scratch))
        self._facts = np.zeros(NUM_FACTS, np.int64)
        self._patterns = {rule.pattern.name: i for i, rule in enumerate(ruleset.patterns)}
        self._words, self._by_slots = variant.words, variant.by_slots
        self._plays = CandidatePlays(ruleset, self._tables)
        self._moves = ShownMoves(ruleset) if COMPILED else None
        self._arrays = [as_array(record) for record in (self._tables, self._game, self._heuristic, self._scratch)]

    def act(self, view: View, legal: LegalPlays) -> Play:
        """Return the move with the highest score; with slot actions, the first such move of the legal list."""
        if self._moves is not None:
            tables, games, players, scratches = self._arrays
            self._read(view)
            return self._moves.move(_move(tables, self._facts, games, self._left, players, scratches), legal)
        if self._by_slots or view.bidding:
            return self._best(view, list(legal))
        self._read(view)
        candidates = self._heuristic.candidates
        chosen = _choose(self._tables, self._facts, self._game, self._left, self._heuristic)
        return self._plays.verified(view, legal, candidates, chosen)

    def _best(self, view: View, moves: list[Play]) -> Play:
        """Return the best of a few moves in interpreted mode, which has no action ids."""
        if len(moves) == 1:
            return moves[0]
        if not view.pile_left and not view.bidding:
            for play in moves:
                if play.mask == view.hand:
                    return play
        scores = self(view, moves)
        return moves[scores.index(max(scores))]

    def __call__(self, view: View, moves: Sequence[Play]) -> list[float]:
        """Return the score of each given legal move of the seat to move."""
        self._read(view)
        places = [self._plays.places(move.mask) for move in moves]
        cards = np.array(places if self._words == 1 else [set_of(each, 2) for each in places], np.uint64)
        categories = np.array([move.category if move else -1 for move in moves], np.int64)
        # In an auction the pass says 0.
        powers, scores = np.array([max(move.power, 0) for move in moves], np.int64), np.zeros(len(moves))
        tables, games, players, _ = self._arrays
        _score(tables, self._facts, games, self._left, players, cards, categories, powers, scores)
        return numbers(scores)

    def _read(self, view: View) -> None:
        is_same = view.ruleset is self.ruleset or view.ruleset == self.ruleset
        if not is_same or view.num_players != self._num_players:
            expected, given = f"{self.ruleset.name} with {self._num_players}", f"{view.ruleset.name} with {view.num_players}"
            raise ConfigError(f"expected a view of {expected} players, got one of {given}")
        pack_facts(view, self._patterns, self._facts)
