"""Pao De Kuai (跑得快, "run fast"): 48 cards for three players, who must beat the top play if they can.

Source: https://newsflash.city/2401/208a4c2f0b365fd0.html, which describes the Hunan game with 15 cards each. It gives these
rules:

* Three players; the holder of S[3] leads. Ranks are 3 < ... < A < 2, and a two belongs to no run. Suits do not count otherwise.
* The plays are singles, pairs, bombs, runs of five or more cards, runs of two or more pairs, and planes (飛機) of two or more
  triples.
* A player who can beat the top play must do so: a pass is legal only if no play of the hand beats it (必須管).
* Each loser pays one point per card left, and double if it has played no card (關門).

Sources differ on other points. These follow the common form with 16 cards each:

* There are 48 cards: no jokers, no ace of spades, and only one two, the two of hearts.
* S[3] is part of the first play, and runs end at the ace.
* Four of a kind is a bomb. It beats every play except higher bombs and pays nothing extra.
* A triple always carries two cards (三帶二). So does each triple of a plane. These have other ranks than the plane, at most
  three of one rank, and at most two of a rank next to the run.
* A single card left costs nothing.
* Before a next player who holds one card, a single must be the highest that the player can play (報單).
* The winner leads the next deal with any play.
* A hand may end short of kickers: with a triple and one card, or a triple alone.
"""

from __future__ import annotations

from typing import Final

from big2_env.base.cards import Card, Deck, Rank, Suit
from big2_env.climbing.parts import LastCard, NextLead, PatternRule, pattern_rules
from big2_env.climbing.patterns.bomb import Bomb
from big2_env.climbing.patterns.pair_straight import PairStraight
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.patterns.triple import Triple
from big2_env.climbing.patterns.triple_single import TripleSingle
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
        PatternRule(TripleSingle(), last=True),
        PatternRule(Triple(), last=True),
    ),
    deck=Deck(without=(Card("S[A]"), Card("C[2]"), Card("D[2]"), Card("S[2]"))),
    min_players=3,
    max_players=3,
    hand_size=16,
    suits=(Suit.SPADE, Suit.CLUB, Suit.DIAMOND, Suit.HEART),
    suits_compare=False,
    ranks_only=True,
    must_cover=True,
    last_card=LastCard.HIGHEST,
    next_lead=NextLead.WINNER,
    scoring=CardsLeft(((1, 0), (2, 1), (16, 2))),
)
"""Rules for three players. The holder of S[3] leads with it, a player who can beat the top play must, a single must be the
highest if the next player holds one card, and each loser pays for its cards left.
"""
