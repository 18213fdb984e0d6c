"""Tien Len (Tiến lên, Thirteen): runs without twos, suits that always count, and quads and runs of pairs that beat twos.

Sources: https://foicica.com/thirteen/01_Rules.html (ranks, suits, chops), https://cardgames.io/thirteen/ (plays, opening) and
http://everything2.com/title/Tien+Len (passes). They give these rules:

* Four players with 13 cards each. Ranks are 3 < ... < A < 2, suits are spade < club < diamond < heart. The holder of S[3] leads
  with it.
* The plays are singles, pairs, triples, fours, runs of three or more cards, and runs of pairs. A two belongs to no run. Plays
  of one kind and number of cards compare by their highest card.
* Four of a kind, or a run of three or more pairs, beats a single two. A run of four or more pairs beats a pair of twos. A run
  of five or more pairs beats three twos.
* A player who passes is out until the trick is over.

Sources differ on other points. In this ruleset, runs of pairs have three or more pairs, and a player who has passed may not
return with a chop. Chops beat only twos, and no hand wins instantly. The first empty hand ends the game, and each loser pays
one point per card left.
"""

from __future__ import annotations

from typing import Final

from big2_env.base.cards import Rank, Suit
from big2_env.climbing.parts import Chop, PassLock, pattern_rules
from big2_env.climbing.patterns.four_of_a_kind import FourOfAKind
from big2_env.climbing.patterns.pair_straight import PairStraight
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.patterns.triple import Triple
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.runs import ValueRuns
from big2_env.climbing.settlement import CardsLeft

_RUNS: Final = ValueRuns(cap=Rank.ACE)

TIEN_LEN: Final = RuleSet(
    name="tien_len",
    zh="越南大老二",
    patterns=pattern_rules(
        "single",
        "pair",
        Triple(),
        FourOfAKind(),
        Straight(length=3, longest=12, runs=_RUNS),
        PairStraight(length=3, longest=6, runs=_RUNS, key_suit=True),
    ),
    suits=(Suit.SPADE, Suit.CLUB, Suit.DIAMOND, Suit.HEART),
    chops=(
        Chop("four_of_a_kind", over="single", rank=Rank.TWO),
        Chop("pair_straight", over="single", rank=Rank.TWO),
        Chop("pair_straight", over="pair", rank=Rank.TWO, sizes=(8, 12)),
        Chop("pair_straight", over="triple", rank=Rank.TWO, sizes=(10, 12)),
    ),
    pass_lock=PassLock.TRICK,
    scoring=CardsLeft(),
)
"""Rules for four players. The holder of S[3] leads with it, quads and runs of pairs beat twos, and a pass lasts until the trick
is over.
"""
