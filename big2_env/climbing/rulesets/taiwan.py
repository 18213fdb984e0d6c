"""Big Two as played in Taiwan (台灣大老二): fours and straight flushes are bombs, other plays answer only their pattern.

Sources: the rule page of a Taiwanese game operator, https://ts5588.com.tw/twiner/boyiyousi/dalaoer/ (patterns, straights,
bombs), and `rules.md` of https://github.com/ShuKaiHu/AlphaBig2 (opening, ties, no triples, spade 2). They give these rules:

* Four players with 13 cards each. Ranks are 3 < ... < A < 2, suits are club < diamond < heart < spade. The holder of C[3] leads
  with a play that contains it.
* The plays are singles, pairs, straights, full houses, four of a kind with any fifth card, and straight flushes. Flushes are
  not a pattern.
* Straights, from high to low: 2-3-4-5-6, 10-J-Q-K-A, 9-10-J-Q-K, ..., 3-4-5-6-7, A-2-3-4-5. J-Q-K-A-2, Q-K-A-2-3 and K-A-2-3-4
  do not count as straights. Equal straights compare by the suit of the card that decides: the 2 of 2-3-4-5-6, the 5 of
  A-2-3-4-5, the highest card of the others.
* Four of a kind beats everything but straight flushes and higher fours. Straight flushes beat everything but higher ones. A
  play of any other pattern beats only weaker plays of its own pattern.

Tables differ on other points. In this ruleset, a player who passes is out until the trick is over, bombs beat the spade 2, and
triples are not a pattern (the operator's page allows them). The first empty hand ends the game, and each loser pays one point
per card left: doubled from 8 cards, tripled from 10, quadrupled at 13. House rules:

* triples: `TAIWAN.with_patterns("triple")`
* a player who passed may play again in the same trick: `replace(TAIWAN, pass_lock=PassLock.NONE)`
* nothing beats the spade 2 played alone, and its player leads at once: `replace(TAIWAN, top_single_final=True)`
* each 2 left doubles the payment: `replace(TAIWAN, scoring=replace(TAIWAN.scoring, doubled_by=(Rank.TWO,)))`

Compared with `big2`: fewer straights, A-2-3-4-5 is the lowest, two kinds of bombs, passes last until the trick is over, payment
by cards left. Compared with `hong_kong` and `chu_da_di`: clubs are lowest, no flushes and triples, bombs, other straights.
"""

from __future__ import annotations

from typing import Final

from big2_env.cards import Rank
from big2_env.climbing.parts import PassLock, PatternRule, pattern_rules
from big2_env.climbing.patterns.quad_single import QuadSingle
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.patterns.straight_flush import StraightFlush
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.runs import PointRuns
from big2_env.climbing.settlement import CardsLeft
from big2_env.climbing.shapes import Suits

_RUNS: Final = PointRuns(wrap=1)  # A-2-3-4-5 to 10-J-Q-K-A

TAIWAN: Final = RuleSet(
    name="taiwan",
    zh="台灣大老二",
    patterns=(
        *pattern_rules("single", "pair", Straight(runs=_RUNS, suits=Suits.MIXED, low=Rank.ACE), "full_house"),
        PatternRule(QuadSingle(), bomb=1, zh="鐵支"),
        PatternRule(StraightFlush(runs=_RUNS, low=Rank.ACE), bomb=2),
    ),
    pass_lock=PassLock.TRICK,
    scoring=CardsLeft(steps=((8, 2), (10, 3), (13, 4))),
)
"""Rules for four players. The holder of C[3] leads with it, four of a kind and straight flushes are bombs, and a pass lasts
until the trick is over.
"""
