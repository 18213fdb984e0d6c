r"""Plays as people type them, in Chinese or English, read against the hand that is to play them.

| typed | means |
| --- | --- |
| `/` `\` `-` `--` `-1` 要不起 不出 不打 不叫 不搶 pass, or nothing | the pass, and no in an auction |
| `A` `1`, `2` to `9`, `10` `T`, `J` `Q` `K`, in either case | a card of that point: the lowest of the hand not taken yet |
| 方块 梅花 红桃 红心 黑桃 (方塊 紅桃 紅心 too), `D` `C` `H` `S` or ♦ ♣ ♥ ♠, then a point | that very card |
| a point, then ♦ ♣ ♥ ♠ | that very card |
| a suit without a point | the lowest card of the suit that is not taken yet |
| `L` 小王 小鬼, `B` 大王 大鬼 | the little, the big joker |
| `S[3]`, `LJ`, `BJ` | the notation of cards |
| 叫 叫地主 抢 搶地主 call rob yes, `3分` `bid 3` `3` | what is said in an auction |
| cards, then the name of a pattern: `44443333 quad_two_pairs#2` | those cards, read as that pattern |

Anything else separates. Very cards are taken first, then points, then suits, so `3 方块3` is two cards where the hand has them.
`334` is two threes and a four; a number that begins with 1 is ten only as `10`.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from big2_env.cards import RANK_NAMES, Card, Rank, Suit
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.errors import IllegalPlayError, NotationError, Refusal, quoted

MAX_TYPED: Final = 1000
"""Most characters that are looked at."""
PASSES: Final = frozenset(
    ("", "/", "\\", "-", "--", "-1", "要不起", "不出", "不打", "不叫", "不抢", "不搶", "pass", "p", "n", "no", "否")
)
YES: Final = frozenset(("y", "yes", "是", "叫", "叫地主", "叫牌", "抢", "抢地主", "抢牌", "搶", "搶地主", "call", "rob"))
SUITS: Final = {
    **dict.fromkeys(("方块", "方塊", "D", "d", "♦"), Suit.DIAMOND),
    **dict.fromkeys(("梅花", "C", "c", "♣"), Suit.CLUB),
    **dict.fromkeys(("红桃", "红心", "紅桃", "紅心", "H", "h", "♥"), Suit.HEART),
    **dict.fromkeys(("黑桃", "S", "s", "♠"), Suit.SPADE),
}
JOKERS: Final = {
    **dict.fromkeys(("小王", "小鬼", "LJ", "L", "l"), Rank.LITTLE_JOKER),
    **dict.fromkeys(("大王", "大鬼", "BJ", "B", "b"), Rank.BIG_JOKER),
}
_BID: Final = re.compile(r"(?:bid[ _]?)?([0-9]{1,3}) ?分?")
_TOKEN: Final = re.compile(
    rf"(?P<suit>{'|'.join(SUITS)})\s*\[?(?P<suited>10|[2-9AaJjQqKkTt1])\]?|(?P<joker>{'|'.join(JOKERS)})"
    rf"|(?P<point>10|[2-9AaJjQqKkTt1])(?P<mark>[♦♣♥♠])?|(?P<bare>{'|'.join(SUITS)})"
)


class _Wish(NamedTuple):
    """What one token asks for; `None` leaves it open."""

    text: str
    rank: Rank | None
    suit: Suit | None

    def fits(self, card: Card) -> bool:
        return self.rank in (None, card.rank) and self.suit in (None, card.suit)


def _rank(point: str) -> Rank:
    name = {"1": "A", "T": "10"}.get(point.upper(), point.upper())
    return Rank(RANK_NAMES.index(name))


def names_no_card(text: str) -> bool:
    """True if a text has letters that belong to no card, as words have that only look like cards: `yes`, `3分`.

    >>> names_no_card("foo bar"), names_no_card("D3 和 大王"), names_no_card("3分")
    (True, False, True)
    """
    return any((letter.isascii() and letter.isalnum()) or letter == "分" for letter in _TOKEN.sub("", text))


def cards_of(text: str, legal: LegalPlays) -> int:
    """The cards of the hand that a text names, as a mask; 0 for none.

    Raises:
        NotationError: too long a text.
        IllegalPlayError: a card that the hand has not, or not so often.
    """
    if len(text) > MAX_TYPED:
        raise NotationError(f"the text is too long: {quoted(text)} (limit {MAX_TYPED} characters)")
    exact, points, suits = [], [], []
    for token in _TOKEN.finditer(text):
        if token["suit"]:
            exact.append(_Wish(token[0], _rank(token["suited"]), SUITS[token["suit"]]))
        elif token["mark"]:
            exact.append(_Wish(token[0], _rank(token["point"]), SUITS[token["mark"]]))
        elif token["joker"]:
            points.append(_Wish(token[0], JOKERS[token["joker"]], None))
        elif token["point"]:
            points.append(_Wish(token[0], _rank(token["point"]), None))
        else:
            suits.append(_Wish(token[0], None, SUITS[token["bare"]]))
    left, taken = legal.ruleset.order.sort(legal.hand), 0
    for wish in (*exact, *points, *suits):
        card = next((card for card in left if wish.fits(card)), None)
        if card is None:
            hand = legal.ruleset.text(legal.hand)
            raise IllegalPlayError(f"{quoted(wish.text)}: not, or not so often, in the hand {hand}", Refusal.NOT_IN_HAND)
        left.remove(card)
        taken |= 1 << card
    return taken


def read(text: str, legal: LegalPlays, pattern: str | None = None) -> Play:
    """The legal act that a text names.

    Args:
        text: what was typed.
        legal: the legal acts of whoever typed it.
        pattern: the reading, where cards have several.

    Raises:
        NotationError: a text that names nothing.
        IllegalPlayError, AmbiguousPlayError: as `LegalPlays.verify`.
    """
    word = text.strip()
    if word.lower() in PASSES:
        return legal.verify_pass()
    if legal.calls:
        value = _BID.fullmatch(word.lower())
        calls = [f"bid_{int(value[1])}"] if value else []
        if word.lower() in YES and not legal.calls[0].pattern.startswith("bid_"):
            calls = [legal.calls[0].pattern]
        return legal.verify(0, calls[0] if calls else word)
    cards, _, last = word.rpartition(" ")
    if pattern is None and last.partition("#")[0] in [rule.pattern.name for rule in legal.ruleset.patterns]:
        text, pattern = cards, last
    mask = cards_of(text, legal)
    if not mask:
        raise NotationError(f"expected points (334), suits with points (方块3, D3) or jokers (小王, B), got {quoted(text)}")
    return legal.verify(mask, pattern)
