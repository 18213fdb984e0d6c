"""Pao De Kuai (跑得快), "run fast": 48 cards for three, and whoever can beat the top play must.

Source: the public descriptions of the Hunan game with 16 cards each (Baidu Baike 跑得快), and for the duty to beat, the
opening, the runs and the doubling https://newsflash.city/2401/208a4c2f0b365fd0.html. The facts taken from them:

* Three players, 16 cards each: no jokers, one two, three aces. The holder of S[3] leads with it. Suits count for nothing else.
* Ranks 3 < ... < A < 2. A two is in no run.
* Single; pair; three with two others (三帶二); runs of five or more cards; runs of two or more pairs; planes (飛機): runs of
  two or more triples, each with two others; four of a kind is a bomb (炸彈) that covers every play but higher bombs.
* A pass is legal only where no play of the hand covers the top play (必須管).
* Each loser pays one per card left: nothing for the last card (報單保本), double where it has played none (關門).

Decided here, where tables differ: the cards taken out are the ace of spades and all twos but that of hearts; triples
carry cards of other ranks, a plane at most three of one rank, and two of a rank next to the run; no triple goes without its two
cards, not even as the last play; bombs pay nothing of their own.
"""

from __future__ import annotations

from typing import Final

from big2_env.cards import Card, Deck, Rank, Suit
from big2_env.climbing.parts import PatternRule, pattern_rules
from big2_env.climbing.patterns.bomb import Bomb
from big2_env.climbing.patterns.pair_straight import PairStraight
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.patterns.triple_straight_singles import TripleStraightSingles
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.runs import ValueRuns
from big2_env.climbing.settlement import CardsLeft

_RUNS: Final = ValueRuns(cap=Rank.ACE)

PAO_DE_KUAI: Final = RuleSet(
    name="pao_de_kuai",
    zh="跑得快",
    patterns=(
        *pattern_rules(
            *("single", "pair", "triple_two"),
            Straight(length=5, longest=12, runs=_RUNS),
            PairStraight(length=2, longest=8, runs=_RUNS),
        ),
        PatternRule(TripleStraightSingles(length=2, longest=3, runs=_RUNS, each=2), zh="飛機"),
        PatternRule(Bomb(), bomb=1),
    ),
    deck=Deck(without=(Card("S[A]"), Card("C[2]"), Card("D[2]"), Card("S[2]"))),
    min_players=3,
    max_players=3,
    hand_size=16,
    suits=(Suit.SPADE, Suit.CLUB, Suit.DIAMOND, Suit.HEART),
    suits_compare=False,
    ranks_only=True,
    must_cover=True,
    scoring=CardsLeft(((1, 0), (2, 1), (16, 2))),
)
"""Three players; the holder of S[3] leads with it; who can beat the top play must; each loser pays its cards left."""
