"""Who judges decisions where nothing compiled is at hand: the heuristic's favourites, played out by quick players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from big2_agents.estimates import Estimate, kind_of, of_estimates
from big2_agents.first_answers import view_scores
from big2_agents.formula import CERTAIN, weights_of
from big2_agents.review.decision import Prospect, estimated, paid
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
"""Once in so many acts a quick player makes any legal act."""


def open_position(view: View) -> Position:
    """The position of a view as far as it lies open: without hands, pile and further deals."""
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
    """The position of a view with its hidden cards dealt uniformly; nobody calls again where an auction finds nobody."""
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
    """The position after any legal act."""
    if position.bidding:
        return after_decision(ruleset, position, play)
    return after_play(ruleset, position, play) if play else after_pass(ruleset, position)


def play_out(ruleset: RuleSet, position: Position, rng: SplitMix64, interval: int = RANDOM_ACT_INTERVAL) -> tuple[float, ...]:
    """What each seat is paid where quick players play a position to its end.

    They get rid of cards as fast as they can: a lead has as many cards as possible, whoever can cover covers as cheaply as
    possible, bombs come last; only team mates are left on top. Once in `interval` acts they make any act.
    """
    while not is_over(ruleset, position):
        position = after(ruleset, position, quick_act(ruleset, position, rng, interval))
    return outcome_of(ruleset, position).payoffs


def quick_act(ruleset: RuleSet, position: Position, rng: SplitMix64, interval: int) -> Play:
    """The act of a quick player; in an auction the first word that nobody has topped."""
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
"""Play-outs of each act that is tried."""
WIDTH: Final = 4
"""How many acts are tried, besides the one made."""
PROSPECT_PLAYOUTS: Final = 30
"""Play-outs from each moment of a game."""


class PlainJudge:
    """Tries the acts that the heuristic likes best on sampled deals, all on the same ones.

    In an auction it plays nothing out: what is said there is compared by the heuristic's scores alone.
    """

    def __init__(self, playouts: int = PLAYOUTS, width: int = WIDTH) -> None:
        self.playouts = playouts
        self.width = width
        self._seed = 0
        self._heuristic: ViewScores | None = None

    def reset(self, seed: int) -> None:
        """Start a game; its deals are sampled by `seed`."""
        self._seed = seed

    def act(self, view: View, legal: LegalPlays) -> Play:
        """The act that is worth most."""
        return self.judge(view, legal)[0].play

    def judge(self, view: View, legal: LegalPlays, also: Sequence[Play] = ()) -> list[Advice]:
        """The legal acts, each in one piece of advice, a sure win or the highest value first; those of `also` are tried."""
        if self._heuristic is None or self._heuristic.ruleset is not view.ruleset:
            self._heuristic = view_scores(view.ruleset, weights_of(view.ruleset), view.num_players)
        acts = list(legal)
        scores = dict(zip(acts, self._heuristic(view, acts), strict=True))
        by_score = sorted(acts, key=lambda act: -scores[act])
        if view.bidding:
            return [Advice(act, score=scores[act]) for act in by_score]
        tried = _one_of_each(by_score, self.width, also)
        if len(tried) == 1:
            return of_estimates([Estimate(tried[0], 0.0, 0.0, 0)], legal)
        found = of_estimates(sorted(self._estimates(view, tried), key=lambda one: -one.value), legal)
        sure = [one for one in found if scores[one.play] > CERTAIN / 2]
        return [*(replace(one, sure=True) for one in sure), *(one for one in found if one not in sure)]

    def _estimates(self, view: View, acts: Sequence[Play]) -> list[Estimate]:
        """What the acts are worth on the same deals."""
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
    """Tells each seat's prospects by a few play-outs of the true deal."""

    def __init__(self, seed: int, playouts: int = PROSPECT_PLAYOUTS) -> None:
        self._seed = seed
        self._playouts = playouts

    def prospect(self, game: Game) -> Prospect:
        """What each seat can expect from where a game stands; in an auction, if nobody calls any more."""
        if game.outcome is not None:
            return paid(game.outcome)
        rng = SplitMix64(derived(self._seed, len(game.history)))
        position = game.position._replace(redeals=())
        payoffs = [play_out(game.ruleset, position, rng) for _ in range(self._playouts)]
        by_seat = list(zip(*payoffs, strict=True))
        return estimated([sum(one) for one in by_seat], [sum(each * each for each in one) for one in by_seat], self._playouts)


def _one_of_each(by_score: Sequence[Play], width: int, also: Sequence[Play]) -> list[Play]:
    """The best acts that differ in more than suits that decide nothing, and one of the kind of each of `also`."""
    first = {kind_of(act): act for act in reversed(by_score)}
    kinds = list(dict.fromkeys(map(kind_of, by_score)))[:width]
    kinds += [kind for kind in map(kind_of, also) if kind not in kinds]
    return [first[kind] for kind in kinds]
