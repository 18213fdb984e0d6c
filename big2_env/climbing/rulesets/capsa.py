"""Capsa (Indonesia, capsa banting): four players, diamonds lowest, five-card plays rank as in poker.

Sources: http://www.chaospark.com/category/capsa-card/ (players, opening, plays, two pairs, aces) and
http://www.united4th.com/capsa-banting-fun-card-game/ (order of ranks and suits). They give these rules:

* Four players with 13 cards each. Ranks are 3 < ... < A < 2, suits are diamond < club < heart < spade. The holder of D[3] leads
  with a play that contains it.
* The plays are singles, pairs, triples, and five cards: straight < flush < full house < four of a kind with a kicker < straight
  flush. Only plays with the same number of cards beat each other.
* The first empty hand wins, and the player with most cards has lost.

Tables differ on other points. In this ruleset, two pairs are not a pattern ("sometimes not allowed" in the first source).
Straights run from A-2-3-4-5 to 10-J-Q-K-A and compare by their highest card, so a straight with a 2 beats all others. A player
who passed may play again in the same trick. Each loser pays the winner one point per card left. House rules:

* two pairs, four cards: `CAPSA.with_patterns("two_pair")`
* a player who passes is out until the trick is over: `replace(CAPSA, pass_lock=PassLock.TRICK)`

Compared with `chu_da_di`: the same cards and plays, but four players only, and the winner gets a point per card left, instead
of a settlement between all pairs of seats with extra costs for twos. Compared with `hong_kong`: no two pairs, fours need a
kicker, A-2-3-4-5 and 2-3-4-5-6 are straights and J-Q-K-A-2 is not, and the first play may be any that contains D[3]. Compared
with `big2`: diamonds are lowest, more patterns, and five-card plays beat each other.
"""

from __future__ import annotations

from typing import Final

from big2_env.base.cards import Suit
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets.chu_da_di import POKER_PATTERNS
from big2_env.climbing.settlement import CardsLeft

CAPSA: Final = RuleSet(
    name="capsa",
    zh="印尼大老二",
    patterns=POKER_PATTERNS,
    suits=(Suit.DIAMOND, Suit.CLUB, Suit.HEART, Suit.SPADE),
    scoring=CardsLeft(),
)
"""Rules for four players. The holder of D[3] leads with it, and each loser pays for its cards left."""
