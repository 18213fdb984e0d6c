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
triples are not a pattern (the operator's page allows them). Before a next player who holds one card, a single must be the
highest that the player can play (頂大). The first empty hand ends the game. Each loser pays one point per card left, doubled

* from 10 cards on,
* for each 2 left, once for any four of a kind left, and once for any straight flush left,
* if the winner's last play is a bomb, and again if a 2 decides its strength.

House rules:

* triples: `TAIWAN.with_patterns("triple")`
* a player who passed may play again in the same trick: `replace(TAIWAN, pass_lock=PassLock.NONE)`
* no duty before a last card: `replace(TAIWAN, last_card=LastCard.NONE)`
* nothing beats the spade 2 played alone, and its player leads at once: `replace(TAIWAN, top_single_final=True)`
* points doubled from 8 cards, tripled from 10, quadrupled at 13: `TAIWAN.with_scoring(CardsLeft(((8, 2), (10, 3), (13, 4))))`

Compared with `big2`: fewer straights, A-2-3-4-5 is the lowest, two kinds of bombs, passes last until the trick is over, a duty
before a last card, payment by cards left. Compared with `hong_kong` and `chu_da_di`: clubs are lowest, no flushes and triples,
bombs, other straights.
"""

from __future__ import annotations

from typing import Final

from big2_env.base.cards import Rank
from big2_env.climbing.parts import LastCard, PassLock, PatternRule, pattern_rules
from big2_env.climbing.patterns.quad_single import QuadSingle
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.patterns.straight_flush import StraightFlush
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.runs import PointRuns
from big2_env.climbing.settlement import CardsLeft, Doubling, When
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
    last_card=LastCard.HIGHEST,
    scoring=CardsLeft(
        steps=((10, 2),),
        doublings=(
            Doubling(When.LEFT, rank=Rank.TWO),
            Doubling(When.LEFT, pattern="four_of_a_kind"),
            Doubling(When.LEFT, pattern="straight_flush"),
            Doubling(When.LAST, pattern="quad_single"),
            Doubling(When.LAST, pattern="straight_flush"),
            Doubling(When.LAST, rank=Rank.TWO),
        ),
    ),
)
"""Rules for four players. The holder of C[3] leads with it, four of a kind and straight flushes are bombs, a pass lasts until
the trick is over, and a single must be the highest if the next player holds one card.
"""
