"""Small rulesets made for tests, one for each parameter that `big2` leaves at its default."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from outside_patterns import Triple

from big2_env import (
    BIG2,
    DECK_54,
    DECK_108,
    Card,
    Chop,
    Deck,
    Ending,
    FinishingOrder,
    PassLock,
    Pattern,
    PatternRule,
    Rank,
    Rest,
    RuleSet,
    Shape,
    StepTable,
    Suit,
    Suits,
)
from big2_env.climbing.order import CardOrder
from big2_env.climbing.patterns.flush import Flush
from big2_env.climbing.patterns.four_of_a_kind import FourOfAKind
from big2_env.climbing.patterns.full_house import FullHouse
from big2_env.climbing.patterns.pair import Pair
from big2_env.climbing.patterns.pair_straight import PairStraight
from big2_env.climbing.patterns.single import Single
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.patterns.straight_flush import StraightFlush
from big2_env.climbing.runs import PointRuns, ValueRuns


@dataclass(frozen=True)
class Quad(Pattern):
    name = "quad"
    zh = "四條"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        for rank in order.suited_ranks:
            yield Shape.of({rank: 4}, key=rank)


@dataclass(frozen=True)
class QuadSingle(Pattern):
    name = "quad_single"
    zh = "金剛"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        for quad in order.suited_ranks:
            for single in order.ranks:
                if single is not quad:
                    yield Shape.of({quad: 4, single: 1}, key=quad, key_suit=False)


@dataclass(frozen=True)
class JokerPair(Pattern):
    name = "joker_pair"
    zh = "對鬼"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        yield Shape.of([Rank.LITTLE_JOKER, Rank.BIG_JOKER], key=Rank.BIG_JOKER)


@dataclass(frozen=True)
class TripleRun(Pattern):
    """Two triples in a row."""

    name = "triple_run"
    zh = "三順"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        for low, high in PointRuns(wrap=2).of(2, order):
            yield Shape.of({low: 3, high: 3}, key=high)


@dataclass(frozen=True)
class ThreeTwoOne(Pattern):
    """Triple, pair and single; the pair and the single may be of one rank. Two triples can be read in two ways."""

    name = "three_two_one"
    zh = "三兩一"

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        for triple in order.ranks:
            for pair in order.ranks:
                for single in order.ranks:
                    if triple not in (pair, single):
                        ranks = [triple] * 3 + [pair] * 2 + [single]
                        yield Shape.of(ranks, key=triple)


DIAMOND_LOWEST = (Suit.DIAMOND, Suit.CLUB, Suit.HEART, Suit.SPADE)
WRAP_1 = PointRuns(wrap=1)

TIERS = RuleSet(
    name="tiers",
    zh="五張分級",
    patterns=(
        *(PatternRule(pattern) for pattern in (Single(), Pair(), Triple())),
        PatternRule(Straight(runs=WRAP_1, suits=Suits.MIXED), "five", 1),
        PatternRule(Flush(runs=WRAP_1), "five", 2),
        PatternRule(FullHouse(), "five", 3),
        PatternRule(QuadSingle(), "five", 4),
        PatternRule(StraightFlush(runs=WRAP_1), "five", 5),
    ),
    suits=DIAMOND_LOWEST,
)
"""One comparison group of five-card plays with five tiers; diamonds below clubs."""

BOMBS = RuleSet(
    name="bombs",
    zh="炸彈",
    patterns=(
        *(PatternRule(pattern) for pattern in (Single(), Pair(), Triple(), Straight(runs=ValueRuns()), QuadSingle())),
        PatternRule(Quad(), bomb=1),
        PatternRule(JokerPair(), bomb=2),
    ),
    deck=DECK_54,
    min_players=3,
    max_players=3,
    hand_size=18,
    ranks=tuple(Rank),
    suits_compare=False,
)
"""Four of a kind beats what is no bomb, both jokers beat all; suits never compare."""

LOCKED = RuleSet(
    name="locked",
    zh="禁止回打",
    patterns=tuple(PatternRule(pattern) for pattern in (Single(), Pair(), Triple(), ThreeTwoOne(), TripleRun())),
    extra_covers=(("triple_run", "three_two_one"),),
    suits=DIAMOND_LOWEST,
    suits_compare=False,
    pass_lock=PassLock.ROUND,
    scoring=StepTable(((2, 1), (6, 2), (10, 3), (13, 5))),
)
"""Who passes is out for the round; a run of triples also beats the one pattern that has two readings."""

DRAWING = RuleSet(
    name="drawing",
    zh="補牌",
    patterns=(
        PatternRule(Single()),
        PatternRule(Pair(), "two"),
        PatternRule(JokerPair(), "two"),
        PatternRule(Triple()),
        PatternRule(Quad()),
    ),
    deck=DECK_54,
    min_players=2,
    max_players=10,
    hand_size=5,
    draw_pile=True,
    ranks=(*(Rank(r) for r in (*range(Rank.SIX, Rank.TWO + 1), Rank.THREE, Rank.FOUR, Rank.FIVE)), *tuple(Rank)[-2:]),
    suits=DIAMOND_LOWEST,
    ending=Ending.LAST_HOLDER,
    scoring=FinishingOrder(),
)
"""Hands are refilled from a pile, the last holder of cards loses; 6 is low, 5 and the jokers are high."""

TWO_DECKS = RuleSet(
    name="two_decks",
    zh="兩副牌",
    patterns=tuple(PatternRule(pattern) for pattern in (Single(), Pair(), Triple(), Quad(), Straight(runs=ValueRuns()))),
    deck=DECK_108,
    hand_size=27,
    ranks=tuple(Rank),
)
"""108 cards: every face twice."""

LAST_OUT = replace(BIG2, name="last_out", ending=Ending.LAST_HOLDER, scoring=FinishingOrder())
"""`big2` played until one seat is left with cards."""

HOUSE_RULES = [TIERS, BOMBS, LOCKED, DRAWING, TWO_DECKS, LAST_OUT, *(replace(BIG2, pass_lock=lock) for lock in PassLock)]
"""All of them, for laws."""

ODD_CARD = replace(
    BIG2, name="odd_card", min_players=3, max_players=3, players=3, hand_size=17, rest=Rest.LOWEST_HOLDER, must_cover=True
)
"""Three players of 17 cards; the odd card goes to the holder of the lowest; who can beat must."""

SUIT_FIRST = replace(
    TIERS.with_patterns(PatternRule(Flush(runs=WRAP_1, suit_first=True), "five", 2)),
    name="suit_first",
)
"""Flushes compare their suit before their highest rank."""

SHORT_DECK = replace(
    BIG2.with_patterns(Triple(), Flush(suit_first=True)),
    name="short_deck",
    deck=Deck(without=tuple(map(Card, ("C[3]", "S[5]", "H[A]", "C[2]", "H[2]", "S[2]")))),
    min_players=2,
    max_players=3,
    players=3,
    must_cover=True,
)
"""46 cards without the lowest, and all but one of the twos."""

CHOPPED = replace(
    TIERS.with_patterns(FourOfAKind(), PairStraight(length=3, longest=4, key_suit=True)),
    name="chopped",
    chops=(
        Chop("four_of_a_kind", over="single", rank=Rank.TWO),
        Chop("pair_straight", over="single", rank=Rank.TWO),
        Chop("pair_straight", over="pair", rank=Rank.TWO, sizes=(8, 8)),
        Chop("pair_straight", over="four_of_a_kind", sizes=(8, 8)),
        Chop("straight_flush", over="triple", rank=Rank.ACE),
        Chop("pair_straight", over="pair_straight", sizes=(8, 8), over_sizes=(6, 6)),
    ),
)
"""Chops over one rank, over all ranks, by and over one of several sizes, by one pattern of a comparison group of five."""

DEALS_AND_CHOPS = [ODD_CARD, SUIT_FIRST, SHORT_DECK, CHOPPED]
"""Rulesets of the deal, the duty to beat, chops and suits first."""
