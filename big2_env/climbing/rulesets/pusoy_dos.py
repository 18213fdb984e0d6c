"""Pusoy Dos (Philippines): diamonds are highest, five-card plays rank as in poker, and losers pay the points of their cards.

Sources: https://www.chuodaidi.net/pusoy-dos.html (suits, patterns, points) and the article "Pusoy Dos" of Wikipedia, as quoted
by public mirrors (three or four players, opening, triples as a variation). They give these rules:

* Ranks are 3 < ... < A < 2, suits are club < spade < heart < diamond. The holder of C[3] leads with it.
* The plays are singles, pairs, triples, and five cards: straight < flush < full house < four of a kind with a kicker < straight
  flush. Two pairs are not a pattern. Only plays with the same number of cards beat each other.
* A loser pays the points of the cards left: ten for a 10, J, Q or K, the face value for other cards.

Sources are silent on other points. In this ruleset, four players get 13 cards each. Three get 17, and the holder of the lowest
dealt card also takes the odd card. Straights run from A-2-3-4-5 to 10-J-Q-K-A and compare by their highest card, so a straight
with a 2 beats all others. An ace left costs one point and a 2 two. A player who passed may play again in the same trick. House
rules:

* no triples: `PUSOY_DOS.without_patterns("triple")`
* C[3] alone as the first play: `replace(PUSOY_DOS, lead=Lead.EXACT)`
* a player who passes is out until the trick is over: `replace(PUSOY_DOS, pass_lock=PassLock.TRICK)`
* J-Q-K-A-2 is a straight too: `runs=PointRuns(wrap=2)` in `Straight`, `Flush` and `StraightFlush`

Compared with `hong_kong` and `chu_da_di`: diamonds are the highest suit, not the lowest, and payment is by points of ranks.
`hong_kong` has two pairs, fours without a kicker and other straights. Compared with `big2`: more patterns, and five-card plays
beat each other.

Hands have up to 18 cards (three players, with the odd card), so the action space has 9,556 actions. Hands of 13 cards need no
more than the first ids of each size. For four players only, `replace(PUSOY_DOS, min_players=4, hand_sizes=(), rest=Rest.NONE)`
has 1,665 actions.
"""

from __future__ import annotations

from typing import Final

from big2_env.base.cards import Suit
from big2_env.climbing.order import THREE_TO_TWO
from big2_env.climbing.ruleset import Rest, RuleSet
from big2_env.climbing.rulesets.chu_da_di import POKER_PATTERNS
from big2_env.climbing.settlement import CardsLeft

PUSOY_DOS: Final = RuleSet(
    name="pusoy_dos",
    zh="菲律賓大老二",
    patterns=POKER_PATTERNS,
    min_players=3,
    max_players=4,
    players=4,
    hand_sizes=((3, 17),),
    rest=Rest.LOWEST_HOLDER,
    suits=(Suit.CLUB, Suit.SPADE, Suit.HEART, Suit.DIAMOND),
    scoring=CardsLeft(points=tuple(zip(THREE_TO_TWO, (3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 1, 2), strict=True))),
)
"""Rules for three or four players. The holder of C[3] leads with it, and losers pay the points of their cards left."""
