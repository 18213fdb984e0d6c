"""Judge without compiled code: playouts of the heuristic's favorite moves by quick players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from big2_agents.estimates import Estimate, kind_of, of_estimates
from big2_agents.formula import CERTAIN, weights_of
from big2_agents.heuristic import view_scores
from big2_agents.review.decision import Prospect, estimated, paid
from big2_agents.review.opinion import PlainOpinion
from big2_env.advice import Advice
from big2_env.cards import Card, iter_cards
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.outcome import is_over, outcome_of
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.position import Position, after_decision, after_pass, after_play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.rng import SplitMix64, derived

if TYPE_CHECKING:
    from big2_agents.kernels.heuristic import ViewScores

RANDOM_ACT_INTERVAL = 8
"""A quick player makes one random legal move in this many."""


def open_position(view: View) -> Position:
    """Return the public part of a view's position: without hands, pile and further deals."""
    trick = 0
    for mask in view.played if view.captured else ():
        trick |= mask
    for mask in view.captured:
        trick &= ~mask
    return Position(
        hands=(),
        turn=view.turn,
        top=view.top,
        top_seat=view.top_seat,
        passed=view.passed,
        obligation=view.obligation,
        played=view.played,
        finished=view.finished,
        lead_over=view.lead_over,
        bidding=view.bidding,
        said=view.said,
        landlord=view.landlord,
        bottom=view.bottom,
        stake=view.stake,
        factor=view.factor,
        acted=view.acted,
        trick=trick,
        captured=view.captured,
    )


def sampled_deal(view: View, rng: SplitMix64) -> Position:
    """Return a view's position with its hidden cards dealt uniformly.

    If all seats pass in an auction, no new deal follows.
    """
    number = view.num_players
    hands = [0] * number
    hands[view.seat] = view.hand
    if view.landlord is not None and view.landlord != view.seat:
        hands[view.landlord] = view.bottom & ~view.played[view.landlord]
    unseen = list(iter_cards(view.unseen & ~sum(hands[seat] for seat in range(number) if seat != view.seat)))
    rng.shuffle(unseen)
    for seat in range(number):
        while hands[seat].bit_count() < view.cards_left[seat]:
            hands[seat] |= 1 << unseen.pop()
    pile = tuple(map(Card, unseen[: view.pile_left]))
    bottom = sum(1 << card for card in unseen) if view.bidding else view.bottom
    return open_position(view)._replace(hands=tuple(hands), pile=pile, bottom=bottom)


def after(ruleset: RuleSet, position: Position, play: Play) -> Position:
    """Return the position after any legal move."""
    if position.bidding:
        return after_decision(ruleset, position, play)
    return after_play(ruleset, position, play) if play else after_pass(ruleset, position)


def play_out(ruleset: RuleSet, position: Position, rng: SplitMix64, interval: int = RANDOM_ACT_INTERVAL) -> tuple[float, ...]:
    """Return each seat's payoff if quick players play a position to its end.

    They shed cards as fast as they can: a lead has as many cards as possible, answers are as cheap as possible, and bombs come
    last. They do not cover teammates.

    Args:
        ruleset: The rules of the game.
        position: The starting position.
        rng: Random stream.
        interval: One move in this many is random; 0 for none.
    """
    while not is_over(ruleset, position):
        position = after(ruleset, position, quick_act(ruleset, position, rng, interval))
    return outcome_of(ruleset, position).payoffs


def quick_act(ruleset: RuleSet, position: Position, rng: SplitMix64, interval: int) -> Play:
    """Return the move of a quick player; it passes in an auction."""
    hand, top = position.hands[position.turn], position.top
    auction = ruleset.auction
    calls = auction.acts(position.said) if position.bidding and auction is not None else ()
    legal = LegalPlays(ruleset, hand, top, position.obligation, False, calls)
    plays = list(legal)
    if len(plays) == 1 or calls:
        return PASS if calls else plays[0]
    if interval and rng.below(interval) == 0:
        return plays[rng.below(len(plays))]
    landlord = position.landlord
    if landlord is not None and top is not None and position.turn != landlord and position.top_seat != landlord:
        return PASS
    return _cheapest(ruleset, plays, top is None)


def _cheapest(ruleset: RuleSet, plays: Sequence[Play], leads: bool) -> Play:
    categories = ruleset.table.categories

    def price(play: Play) -> tuple[int, ...]:
        bomb = categories[play.category].bomb
        return bomb, -len(play) if leads else 0, play.power, play.mask

    return min((play for play in plays if play), key=price, default=plays[-1])


PLAYOUTS: Final = 100
"""Playouts per candidate."""
WIDTH: Final = 4
"""Number of candidates, not counting the move made."""
PROSPECT_PLAYOUTS: Final = 30
"""Playouts from each moment of a game."""


class PlainJudge:
    """Judge in plain Python: plays the heuristic's favorite moves out on the same sampled deals.

    Bids are compared by the heuristic's scores alone, without playouts.

    Args:
        playouts: Playouts per candidate.
        width: Number of candidates by the heuristic's score, not counting the move made.
        opinion: Its favorite is a candidate too; `None` for the heuristic's alone.
    """

    def __init__(self, playouts: int = PLAYOUTS, width: int = WIDTH, opinion: PlainOpinion | None = None) -> None:
        self.playouts = playouts
        self.width = width
        self.opinion = opinion
        self._seed = 0
        self._heuristic: ViewScores | None = None

    def reset(self, seed: int) -> None:
        """Start a game; deals are sampled from `seed`."""
        self._seed = seed

    def act(self, view: View, legal: LegalPlays) -> Play:
        """Return the move with the highest value."""
        return self.judge(view, legal)[0].play

    def judge(self, view: View, legal: LegalPlays, also: Sequence[Play] = ()) -> list[Advice]:
        """Return advice on each legal move, a forced win or the highest value first; moves in `also` are tried."""
        if self._heuristic is None or self._heuristic.ruleset is not view.ruleset:
            self._heuristic = view_scores(view.ruleset, weights_of(view.ruleset), view.num_players)
        acts = list(legal)
        scores = dict(zip(acts, self._heuristic(view, acts), strict=True))
        by_score = sorted(acts, key=lambda act: -scores[act])
        if view.bidding:
            return [Advice(act, score=scores[act]) for act in by_score]
        if self.opinion is not None:
            also = [*also, self.opinion.favourite(view, legal)]
        tried = _one_of_each(by_score, self.width, also)
        if len(tried) == 1:
            return of_estimates([Estimate(tried[0], 0.0, 0.0, 0)], legal)
        found = of_estimates(sorted(self._estimates(view, tried), key=lambda one: -one.value), legal)
        sure = [one for one in found if scores[one.play] > CERTAIN / 2]
        return [*(replace(one, sure=True) for one in sure), *(one for one in found if one not in sure)]

    def _estimates(self, view: View, acts: Sequence[Play]) -> list[Estimate]:
        """Return estimates of the moves on the same deals."""
        sums, squares = [0.0] * len(acts), [0.0] * len(acts)
        for number in range(self.playouts):
            seed = derived(self._seed, len(view.history), number)
            deal = sampled_deal(view, SplitMix64(seed))
            for place, act in enumerate(acts):
                value = play_out(view.ruleset, after(view.ruleset, deal, act), SplitMix64(seed ^ 1))[view.seat]
                sums[place] += value
                squares[place] += value * value
        found = []
        for act, total, square in zip(acts, sums, squares, strict=True):
            mean = total / self.playouts
            error = (max(0.0, square / self.playouts - mean * mean) / self.playouts) ** 0.5
            found.append(Estimate(act, mean, error, self.playouts))
        return found


class PlainAppraiser:
    """Appraiser in plain Python: estimates prospects by a few playouts of the true deal.

    Args:
        seed: Seed of the playouts.
        playouts: Playouts from each moment.
    """

    def __init__(self, seed: int, playouts: int = PROSPECT_PLAYOUTS) -> None:
        self._seed = seed
        self._playouts = playouts

    def prospect(self, game: Game) -> Prospect:
        """Return each seat's expected payoff from the current position; in an auction, as if no one bid any more."""
        if game.outcome is not None:
            return paid(game.outcome)
        rng = SplitMix64(derived(self._seed, len(game.history)))
        position = game.position._replace(redeals=())
        payoffs = [play_out(game.ruleset, position, rng) for _ in range(self._playouts)]
        by_seat = list(zip(*payoffs, strict=True))
        return estimated([sum(one) for one in by_seat], [sum(each * each for each in one) for one in by_seat], self._playouts)


def _one_of_each(by_score: Sequence[Play], width: int, also: Sequence[Play]) -> list[Play]:
    """Return the best moves, one of each kind, and one of the kind of each move in `also`."""
    first = {kind_of(act): act for act in reversed(by_score)}
    kinds = list(dict.fromkeys(map(kind_of, by_score)))[:width]
    kinds += [kind for kind in map(kind_of, also) if kind not in kinds]
    return [first[kind] for kind in kinds]
