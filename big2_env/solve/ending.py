"""Tables of a position for the solver: every play that a hand can still make, which play beats which, and the goal.

A hand only gains cards from the draw pile, so all its future plays can be made from the hand together with the pile.
Cards of equal worth are one *kind*: the copies of a card, or a whole rank if suits never matter. A hand is one number
with a field per kind: how many cards of it are held, and above that a guard bit, always 0. A play is written the same way
and subtracted from a hand. It fits if subtracting it from the hand with all guard bits set clears no guard bit.

A `Goal` is to be first out, or to be paid as much as the team can force. `Payment` expresses it in numbers.
"""

from __future__ import annotations

from enum import StrEnum
from itertools import accumulate, combinations, islice
from math import prod
from typing import Final, NamedTuple, TypeAlias

from big2_env.base.cards import CARDS, NUM_FACES, Rank, as_mask, iter_cards
from big2_env.base.errors import ConfigError
from big2_env.climbing.game import Game
from big2_env.climbing.outcome import bodies, last_factor
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.ruleset import Ending as GameEnding
from big2_env.climbing.ruleset import LastCard, PassLock, Refill, RefillOrder, RuleSet
from big2_env.climbing.settlement import (
    CapturedPoints,
    CardsLeft,
    FinishingOrder,
    PairwiseDifference,
    PenaltySettlement,
    Standing,
    TeamStake,
    When,
)

FIRST_OUT: Final = 0
PENALTY: Final = 1
PAIRWISE: Final = 2
STAKE: Final = 3
ORDER: Final = 4
POINTS: Final = 5
"""Forms of payment: 1 for being first out, and the five settlements."""
_FORMS: Final = (
    (PenaltySettlement, PENALTY),
    (PairwiseDifference, PAIRWISE),
    (TeamStake, STAKE),
    (FinishingOrder, ORDER),
    (CapturedPoints, POINTS),
)
MAX_TALLY: Final = 1 << 30
"""Bound of points and multipliers, so that the search can store them in one word."""


class Goal(StrEnum):
    """Objective of a team."""

    FIRST_OUT = "first-out"
    """One of the team's seats is first out."""
    SETTLEMENT = "settlement"
    """The team's total payoff is as high as possible."""


class Payment(NamedTuple):
    """Payoff of a team as the search computes it. Factors and points count from the solved position."""

    form: int
    """FIRST_OUT, PENALTY, PAIRWISE, STAKE, ORDER or POINTS."""
    by_cards: list[list[float]]
    """By winner (0 a single seat, 1 the opponents of a landlord) and cards left: a loser's payment, or the cost of the hand."""
    card_factor: list[float]
    """By cards left: factor of the payment, which then depends on the cards too."""
    by_number: bool
    """True if only the number of cards left counts."""
    landlord: int
    unit: float
    """The stake times its factor so far."""
    spring: float
    anti_spring: float
    factor: list[list[int]]
    """By play: multiplier of the factor, as an answer and as a lead."""
    points: list[int]
    """By play: points of its cards."""
    last: list[int]
    """By play: multiplier of all payments if it is the winner's last play."""


def payment_of(game: Game, goal: Goal, plays: list[Play], cards: int) -> Payment:
    """Return the payoff of a team with a goal.

    Args:
        game: A running game.
        goal: The team's objective.
        plays: All plays of the rest of the game.
        cards: Number of cards held or in the draw pile.

    Raises:
        ConfigError: If the settlement is unknown to the solver, or numbers are too large.
    """
    rules, position, number = game.ruleset, game.position, game.num_players
    form = form_of(rules) if goal is Goal.SETTLEMENT else FIRST_OUT
    scoring = rules.scoring
    by_cards, card_factor, by_number = [[0.0] * (cards + 1)] * 2, [1.0] * (cards + 1), True
    if isinstance(scoring, CardsLeft) and not scoring.is_by_number:
        by_cards, by_number = [[float(left) for left in range(cards + 1)]] * 2, False
        card_factor = [float(scoring.factor(left)) for left in range(cards + 1)]
    elif isinstance(scoring, PenaltySettlement):
        by_cards = [[scoring.penalty(left, players) for left in range(cards + 1)] for players in (number, 2)]
    elif isinstance(scoring, PairwiseDifference):
        bare = PairwiseDifference(scoring.steps)
        by_cards, by_number = [[bare.value((1 << left) - 1) for left in range(cards + 1)]] * 2, False
    factor, points = [[1, 1]] * len(plays), [0] * len(plays)
    if form == STAKE:
        factor = [[_factor(rules, play, leads) for leads in (False, True)] for play in plays]
        if max((max(pair) for pair in factor), default=1) ** (cards // 2) >= MAX_TALLY:
            raise ConfigError("the solver needs multipliers whose product stays below 2**30")
    if form == POINTS:
        points = [points_of(rules, play.mask) for play in plays]
        if number * points_of(rules, rules.deck.mask) >= MAX_TALLY:
            raise ConfigError("the solver needs points that stay below 2**30")
    return Payment(
        form=form,
        by_cards=by_cards,
        card_factor=card_factor,
        by_number=by_number,
        landlord=-1 if position.landlord is None else position.landlord,
        unit=float(position.stake * position.factor),
        spring=float(rules.spring),
        anti_spring=float(rules.anti_spring),
        factor=factor,
        points=points,
        last=[last_factor(rules, play) if form == PENALTY else 1 for play in plays],
    )


def form_of(rules: RuleSet) -> int:
    """Return the form of a ruleset's settlement.

    Raises:
        ConfigError: If the settlement is unknown to the solver.
    """
    found = [form for kind, form in _FORMS if isinstance(rules.scoring, kind)]
    if not found:
        raise ConfigError(f"the solver expects a settlement that it knows, got {type(rules.scoring).__name__}")
    return found[0]


def gains_by_first_out(rules: RuleSet) -> bool:
    """Return whether a team's payoff is positive exactly if one of its seats is first out, whatever cards are left."""
    if rules.ending is not GameEnding.FIRST_OUT or form_of(rules) not in (PENALTY, STAKE):
        return False
    if not isinstance(rules.scoring, PenaltySettlement):
        return True
    if isinstance(rules.scoring, CardsLeft) and any(points <= 0 for _, points in rules.scoring.points):
        return False
    seats = range(rules.min_players, rules.max_players + 1)
    return all(rules.scoring.penalty(left, number) > 0 for number in {2, *seats} for left in range(1, rules.deck.size))


def card_cost_of(rules: RuleSet, kind: int) -> float:
    """Return the cost of holding a card beyond the number of cards. `kind` is its mask, of one or more copies."""
    scoring = rules.scoring
    if isinstance(scoring, CardsLeft):
        return dict(scoring.points).get(_rank_of(kind), 1) - 1.0
    if not isinstance(scoring, PairwiseDifference):
        return 0.0
    return sum(amount for card, amount in scoring.bonuses if kind >> card & 1)


def lots_of(rules: RuleSet, cards: int) -> list[tuple[int, int, int]]:
    """Return the parts of some cards that multiply a loser's payment: cards as a mask, which doubling, and its factor."""
    found: list[tuple[int, int, int]] = []
    for one in rules.scoring.doublings if isinstance(rules.scoring, CardsLeft) else ():
        number = 1 + found[-1][1] if found else 0
        if one.when is When.LAST:
            continue
        if one.pattern is not None:
            found += [(mask, number, one.factor) for mask in bodies(rules, one.pattern, cards)]
        elif one.card is not None:
            found += [(1 << one.card, number, one.factor)] if cards >> one.card & 1 else []
        elif one.rank is not None:  # the first card of the rank, the second and so on multiply by themselves
            held = [1 << card for card in iter_cards(cards & rules.order.rank_masks[one.rank])]
            for size in range(1, 1 + (min(len(held), 1) if one.once else len(held))):
                found += [(sum(choice), number + size, one.factor) for choice in combinations(held, size)]
    if len(found) > MAX_PLAYS:
        raise ConfigError(
            f"the solver needs an ending: a hand has more than {MAX_PLAYS:,} lots of cards that multiply payments"
        )
    return found


def _rank_of(kind: int) -> Rank:
    return CARDS[kind.bit_length() - 1].rank


def captured_score(rules: RuleSet, captured: tuple[int, ...], team: tuple[int, ...]) -> int:
    """Return a team's payoff for the captured cards."""
    if not isinstance(rules.scoring, CapturedPoints):
        return 0
    payoffs = rules.scoring.payoffs(Standing((), (), captured=captured))
    return round(sum(payoffs[seat] for seat in team))


def points_of(rules: RuleSet, cards: int) -> int:
    """Return the points of a mask of cards, 0 if the settlement does not count points."""
    return rules.scoring.points_of(cards) if isinstance(rules.scoring, CapturedPoints) else 0


def _factor(rules: RuleSet, play: Play, leads: bool) -> int:
    return prod(one.of(play, leads) for one in rules.multipliers)


MAX_PLAYS: Final = 50_000
"""Maximum number of plays of one hand. An ending has a few hundred at most."""
FIELDS: Final = 64
"""Bits available for the fields of a hand."""
FIRST_PLACES: Final = 1 << 11
"""Initial slots of the compiled search's memo, which grows by factors of 4."""
MAX_PLACES: Final = 1 << 23
"""Default maximum number of slots: 400 MB in games of four."""


Hands: TypeAlias = tuple[int, ...]
"""Each seat's cards as encoded by `Ending.code`."""


class State(NamedTuple):
    """Position without the hands. Rungs represent plays, 0 for none."""

    turn: int
    top: int
    top_seat: int
    passed: int
    lead_over: int
    pile: int = 0
    out: int = 0
    """1 plus the seat that was first out, 0 for none."""
    factor: int = 1
    """Multiplier of the stake by plays since the solved position."""
    acted: int = 0
    """Number of hands the landlord has played, at most 2, plus 4 if another seat has played any."""
    score: int = 0
    """The team's payoff for the cards captured so far."""
    trick: int = 0
    """Points of the cards in the current trick."""


class Tables(NamedTuple):
    """Tables that the search reads. Rungs are the strengths of plays, (category, power), counted from 1; rung 0 means none."""

    first: list[int]
    """Index of each seat's first play, and the end of the last seat's plays."""
    code: list[int]
    """By play: its cards, in the fields of the seat's hand."""
    rung: list[int]
    """By play: its rung."""
    merit: list[int]
    """By play: priority as a lead."""
    last: list[bool]
    """By play: True if it is legal only as the seat's last play."""
    skips: list[bool]
    """By play: True if no seat is asked to answer it."""
    guard: list[int]
    """By seat: guard bits of its hand."""
    beats: list[list[bool]]
    """By rung of the top play and of a play: True if the play beats it."""
    team: list[int]
    """By seat: 1 for the team that is to win."""
    size: int
    """Number of seats in the team."""
    lock: int
    """Duration of a pass's effect: index of the value in `PassLock`."""
    must_cover: bool
    """True if a seat that can beat the top play must not pass."""
    last_card: bool
    """True if a single must be the highest before a next seat with one card."""
    height: list[int]
    """By play: height of a single, 0 for other plays."""
    ends_at_once: bool
    """True if playing a last card decides the game: the goal is to be first out, and the draw pile is empty."""
    ends_first: bool
    """True if the search ends when the first seat is out, False if it ends when only one seat holds cards."""
    draw: list[list[int]]
    """By seat and index in the draw pile, bottom first: value that the card adds to the seat's hand."""
    hand_size: int
    """Hand size up to which a seat draws."""
    refill: int
    """When seats draw: index of the value in `Refill`."""
    one_each: bool
    """True if seats draw one card each in turn, False if each draws all its cards at once."""
    shift: list[list[int]]
    """By seat and kind: lowest bit of its field, padded with 0."""
    most: list[list[int]]
    """By seat and kind: highest value of its field, padded with 0."""
    card_cost: list[list[float]]
    """By seat and kind: cost of each such card at the end beyond the number of cards, padded with 0."""
    lots: list[int]
    """Index of each seat's first lot, and the end of the last seat's. A lot is cards that multiply the payment at the end."""
    lot_code: list[int]
    """By lot: its cards, in the fields of the seat's hand."""
    lot_doubling: list[int]
    """By lot: which doubling it is of; of each one lot at most counts."""
    lot_factor: list[int]
    """By lot: multiplier."""
    pay: Payment
    """The team's payoff at the end."""


class Ending:
    """Tables of a game's current position.

    Args:
        game: A running game.
        team: Seats that are to win.
        goal: Their objective.

    Raises:
        ConfigError: If the position cannot be solved.
    """

    def __init__(self, game: Game, team: tuple[int, ...], goal: Goal = Goal.FIRST_OUT) -> None:
        ruleset, position, table = game.ruleset, game.position, game.ruleset.table
        _check(game, goal)
        self.ruleset = ruleset
        kinds = _kinds(ruleset)
        pile = as_mask(position.pile)
        reach = [hand | pile for hand in position.hands]
        self.num_cards = sum(map(int.bit_count, position.hands)) + len(position.pile)
        """Number of cards held or in the draw pile."""
        self._fields: list[list[tuple[int, int]]] = []
        """By seat: (cards of a kind, lowest bit of its field)."""
        guard = []
        for seat, mask in enumerate(reach):
            fields, guards, bit = [], 0, 0
            for kind in kinds:
                if number := (mask & kind).bit_count():
                    fields.append((kind, bit))
                    bit += number.bit_length()
                    guards |= 1 << bit
                    bit += 1
            if bit > FIELDS:
                raise ConfigError(f"the solver needs an ending: seat {seat} holds or may draw {mask.bit_count()} cards")
            self._fields.append(fields)
            guard.append(guards)
        held = [list(islice(ruleset.table.plays(mask, with_early=True), MAX_PLAYS + 1)) for mask in reach]
        if max(map(len, held)) > MAX_PLAYS:
            raise ConfigError(f"the solver needs an ending: a hand has more than {MAX_PLAYS:,} plays")
        tops = [play for play in (position.top, position.lead_over) if play is not None]
        rungs = sorted({(play.category, play.power) for play in (*tops, *(play for plays in held for play in plays))})
        self._rungs = {rung: number for number, rung in enumerate(rungs, start=1)}
        self.plays: list[Play] = [play for plays in held for play in plays]
        """All plays, by seat. Other games with the same hands may have other cards of the same kinds."""
        first_out = goal is Goal.FIRST_OUT
        lots = [[] if first_out else lots_of(ruleset, mask) for mask in reach]
        widest = max(map(len, self._fields))
        self.tables = Tables(
            first=[0, *accumulate(map(len, held))],
            code=[self.code(seat, play.mask) for seat, plays in enumerate(held) for play in plays],
            rung=[self.rung(play) for play in self.plays],
            merit=[_merit(ruleset, play) for play in self.plays],
            last=[table.categories[play.category].last for play in self.plays],
            skips=[table.is_final(play) or (ruleset.auto_skip_unbeatable and table.is_unbeatable(play)) for play in self.plays],
            guard=guard,
            beats=_beats(ruleset, rungs),
            team=[int(seat in team) for seat in range(game.num_players)],
            size=len(team),
            lock=list(PassLock).index(ruleset.pass_lock),
            must_cover=ruleset.must_cover,
            last_card=ruleset.last_card is LastCard.HIGHEST,
            height=[_height(ruleset, play) for play in self.plays],
            ends_at_once=first_out and not pile,
            ends_first=first_out or ruleset.ending is GameEnding.FIRST_OUT,
            draw=[[self.code(seat, 1 << card) for card in position.pile] for seat in range(game.num_players)],
            hand_size=ruleset.hand_size,
            refill=list(Refill).index(ruleset.refill),
            one_each=ruleset.refill_order is RefillOrder.ROUND_ROBIN,
            shift=[[bit for _, bit in fields] + [0] * (widest - len(fields)) for fields in self._fields],
            most=[
                [(1 << (mask & kind).bit_count().bit_length()) - 1 for kind, _ in fields] + [0] * (widest - len(fields))
                for mask, fields in zip(reach, self._fields, strict=True)
            ],
            card_cost=[
                [card_cost_of(ruleset, kind) for kind, _ in fields] + [0.0] * (widest - len(fields)) for fields in self._fields
            ],
            lots=[0, *accumulate(map(len, lots))],
            lot_code=[self.code(seat, mask) for seat, found in enumerate(lots) for mask, _, _ in found],
            lot_doubling=[number for found in lots for _, number, _ in found],
            lot_factor=[factor for found in lots for _, _, factor in found],
            pay=payment_of(game, goal, self.plays, self.num_cards),
        )

    def code(self, seat: int, mask: int) -> int:
        """Return cards in the fields of a seat's hand."""
        return sum([(mask & kind).bit_count() << bit for kind, bit in self._fields[seat]])

    def rung(self, play: Play | None) -> int:
        """Return the rung of a play, 0 for none."""
        return 0 if play is None else self._rungs[play.category, play.power]

    def play(self, number: int, game: Game) -> Play:
        """Return the play of a number with the cards that the seat to move now holds; PASS for a negative number."""
        if number < 0:
            return PASS
        named = self.plays[number]
        wanted = named.pattern, named.power, self.tables.code[number]
        return next(
            play for play in game.legal_plays() if (play.pattern, play.power, self.code(game.turn, play.mask)) == wanted
        )


def _check(game: Game, goal: Goal) -> None:
    """Reject a position whose result does not follow from open cards."""
    position = game.position
    refused = (
        (game.is_over, "the solver needs a running game, got one that is over"),
        (position.bidding, "the solver needs a position with a landlord, got a running auction"),
        (
            goal is Goal.FIRST_OUT and bool(position.finished),
            f"the goal {Goal.FIRST_OUT} needs a position before the first seat is out, got seats {list(position.finished)} out "
            f"(the goal {Goal.SETTLEMENT} takes it)",
        ),
    )
    if faults := [fault for is_wrong, fault in refused if is_wrong]:
        raise ConfigError(faults[0])


def _kinds(ruleset: RuleSet) -> list[int]:
    """Return masks of the cards of equal worth."""
    counts_cards = isinstance(ruleset.scoring, PairwiseDifference) and ruleset.scoring.bonuses
    if ruleset.ranks_only and not counts_cards and all(one.card is None for one in ruleset.scoring.doublings):
        return [mask for mask in ruleset.order.rank_masks if mask]
    return [
        (1 << face | 1 << face + NUM_FACES) & ruleset.deck.mask for face in range(NUM_FACES) if ruleset.deck.mask >> face & 1
    ]


def _merit(ruleset: RuleSet, play: Play) -> int:
    """Return a lead's priority: many cards first, bombs last. The search breaks ties by the lowest rung."""
    return len(play) - (1000 if ruleset.table.categories[play.category].bomb else 0)


def _height(ruleset: RuleSet, play: Play) -> int:
    """Return the height of a single as the last-card rule compares it, 0 for another play."""
    if len(play) > 1:
        return 0
    [card] = play.cards
    order = ruleset.order
    return 1 + (order.positions[card] if ruleset.suits_compare else order.values[card.rank])


def _beats(ruleset: RuleSet, rungs: list[tuple[int, int]]) -> list[list[bool]]:
    """Return which rung beats which, [top][play]. Everything beats rung 0, and rung 0 beats nothing."""
    table = ruleset.table
    found = [[False, *[True] * len(rungs)]]
    for top, height in rungs:
        full, rivals = table.beaters[top], table.rivals[top]
        found.append([False, *(play in full or (play in rivals and power > height) for play, power in rungs)])
    return found
