"""Pao De Kuai (跑得快), "run fast": 48 cards for three, and whoever can beat the top play must.

Source: https://newsflash.city/2401/208a4c2f0b365fd0.html, which describes the Hunan game with 15 cards each. Taken from it:

* Three players; the holder of S[3] leads. Ranks 3 < ... < A < 2; a two is in no run. Suits count for nothing else.
* Singles, pairs, bombs; runs of five or more cards; runs of two or more pairs; planes (飛機) of two or more triples.
* Who can beat the top play must: a pass is legal only where no play of the hand covers it (必須管).
* Each loser pays one per card left, double where it has played none (關門).

Decided here, after the common form with 16 cards each, where tables differ: 48 cards, without the jokers, the ace of spades and
all twos but that of hearts; S[3] is part of the first play; runs go up to the ace; four of a kind is a bomb, which covers every
play but higher bombs and pays nothing of its own; a triple always carries two cards (三帶二), and so does each triple of a
plane: of other ranks, at most three of one rank, and two of a rank next to the run; the last card left costs nothing.
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
