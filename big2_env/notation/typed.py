r"""Plays as people type them, in Chinese or English, read with respect to the player's hand.

| typed | meaning |
| --- | --- |
| `/` `\` `-` `--` `-1` 要不起 不出 不打 不叫 不搶 pass, or nothing | pass, and no in an auction |
| `A` `1`, `2` to `9`, `10` `T`, `J` `Q` `K`, in either case | a card of that rank: the lowest in the hand not taken yet |
| 方块 梅花 红桃 红心 黑桃 (方塊 紅桃 紅心 too), `D` `C` `H` `S` or ♦ ♣ ♥ ♠, then a rank | that exact card |
| a rank followed directly by `D` `C` `H` `S` or ♦ ♣ ♥ ♠: `5H` | that exact card |
| a suit without a rank | the lowest card of the suit not taken yet |
| `L` 小王 小鬼, `B` 大王 大鬼 | the little, the big joker |
| `S[3]`, `LJ`, `BJ` | the notation of cards |
| 叫 叫地主 抢 搶地主 call rob yes, `3分` `bid 3` `3` | auction decisions |
| cards, then the name of a pattern: `44443333 quad_two_pairs#2` | those cards, read as that pattern |

Everything else is a separator. Exact cards are taken first, then ranks, then suits, so `3 方块3` means two cards if the hand
has them. `334` is two threes and a four. A leading 1 means ten only in `10`.

A suit between two ranks, as in `3D4`, may belong to the first (`3D 4`) or to the second (`3 D4`). If only one reading is a
legal play, it is used. If both are, the text is ambiguous.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from big2_env.cards import RANK_NAMES, Card, Rank, Suit
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.errors import AmbiguousPlayError, IllegalPlayError, NotationError, Refusal, quoted

MAX_TYPED: Final = 1000
"""Maximum number of characters."""
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
_POINT: Final = "10|[2-9AaJjQqKkTt1]"


def _token(unless: str) -> re.Pattern[str]:
    """Return the pattern of tokens, in which a suit directly after a rank belongs to it unless `unless` follows."""
    return re.compile(
        rf"(?P<suit>{'|'.join(SUITS)})\s*\[?(?P<suited>{_POINT})\]?|(?P<joker>{'|'.join(JOKERS)})"
        rf"|(?P<point>{_POINT})(?:(?P<mark>[♦♣♥♠DdCcHhSs])(?!{unless}))?|(?P<bare>{'|'.join(SUITS)})"
    )


_TOKEN: Final = _token(r"\[")
"""Tokens from left to right: `3D4` is `3D` and `4`, but `4D[3]` is `4` and `D[3]`."""
_SUIT_FIRST: Final = _token(rf"\[?(?:{_POINT})")
"""Tokens with `3D4` as `3` and `D4`."""


class _Wish(NamedTuple):
    """Request of one token; None leaves rank or suit open."""

    text: str
    rank: Rank | None
    suit: Suit | None

    def fits(self, card: Card) -> bool:
        return self.rank in (None, card.rank) and self.suit in (None, card.suit)


def _rank(point: str) -> Rank:
    name = {"1": "A", "T": "10"}.get(point.upper(), point.upper())
    return Rank(RANK_NAMES.index(name))


def names_no_card(text: str) -> bool:
    """Return True if a text has letters that belong to no card, like `yes` or `3分`.

    Args:
        text: The text.

    >>> names_no_card("foo bar"), names_no_card("D3 和 大王"), names_no_card("3分")
    (True, False, True)
    """
    return any((letter.isascii() and letter.isalnum()) or letter == "分" for letter in _TOKEN.sub("", text))


def next_card(text: str, start: int) -> int | None:
    """Return the end of the card at a place of a text, or None without a card that has a rank. 1 is not a card here.

    Args:
        text: The text.
        start: Place of the card.

    >>> next_card("3H10", 0), next_card("3H10", 2), next_card("H", 0), next_card("12", 0)
    (2, 4, None, None)
    """
    token = _TOKEN.match(text, start)
    if token is None or token["bare"] or "1" in (token["point"], token["suited"]):
        return None
    return token.end() if token["joker"] is None or len(token[0]) > 1 else None


class Reading(NamedTuple):
    """One way to read a text as cards of the hand.

    Args:
        text: The text with blanks between cards, which is unambiguous.
        mask: The cards as a mask.
    """

    text: str
    mask: int


def readings(text: str, legal: LegalPlays, pattern: str | None = None) -> list[Reading]:
    """Return what a text can mean: the legal plays among its readings, or the first reading if none is legal.

    Args:
        text: The text typed.
        legal: Legal moves of the player.
        pattern: Pattern named with the cards; None for any.

    Raises:
        NotationError: The text is too long.
        IllegalPlayError: The hand does not have a card, or not that many copies.

    >>> from big2_env import BIG2
    >>> hand = sum(1 << Card(card) for card in ("C[3]", "D[3]", "C[4]", "D[4]", "S[5]", "S[6]", "S[7]"))
    >>> [found.text for found in readings("3D4567", LegalPlays(BIG2, hand, None))]
    ['3D 4 5 6 7', '3 D4 5 6 7']
    """
    if len(text) > MAX_TYPED:
        raise NotationError(f"the text is too long: {quoted(text)} (limit {MAX_TYPED} characters)")
    first, second = ([_wish(token) for token in form.finditer(text)] for form in (_TOKEN, _SUIT_FIRST))
    if first == second or _bare(second) > _bare(first):
        return [_reading(first, legal)]
    found: dict[int, Reading] = {}
    refused = None
    for wishes in (first, second):
        try:
            one = _reading(wishes, legal)
        except IllegalPlayError as error:
            refused = refused or error
        else:
            found.setdefault(one.mask, one)
    if playable := [one for one in found.values() if _is_play(legal, one.mask, pattern)]:
        return playable
    if refused is not None:
        raise refused
    return list(found.values())[:1]


def _wish(token: re.Match[str]) -> _Wish:
    if token["suit"]:
        return _Wish(token[0], _rank(token["suited"]), SUITS[token["suit"]])
    if token["joker"]:
        return _Wish(token[0], JOKERS[token["joker"]], None)
    if token["point"]:
        return _Wish(token[0], _rank(token["point"]), SUITS[token["mark"]] if token["mark"] else None)
    return _Wish(token[0], None, SUITS[token["bare"]])


def _bare(wishes: list[_Wish]) -> int:
    """Return the number of suits without a rank."""
    return sum(wish.rank is None for wish in wishes)


def _reading(wishes: list[_Wish], legal: LegalPlays) -> Reading:
    """Return the cards of the hand that tokens request: exact cards first, then ranks, then suits.

    Raises:
        IllegalPlayError: The hand does not have a card, or not that many copies.
    """
    left, taken = legal.ruleset.order.sort(legal.hand), 0
    for wish in sorted(wishes, key=lambda wish: (wish.rank is None, wish.suit is None)):
        card = next((card for card in left if wish.fits(card)), None)
        if card is None:
            hand = legal.ruleset.text(legal.hand)
            raise IllegalPlayError(f"{quoted(wish.text)}: not, or not often enough, in the hand {hand}", Refusal.NOT_IN_HAND)
        left.remove(card)
        taken |= 1 << card
    return Reading(" ".join(wish.text for wish in wishes), taken)


def _is_play(legal: LegalPlays, mask: int, pattern: str | None) -> bool:
    """Return True if some reading of the cards is legal."""
    try:
        legal.verify(mask, pattern)
    except IllegalPlayError:
        return False
    except AmbiguousPlayError:
        pass
    return True


def cards_of(text: str, legal: LegalPlays, pattern: str | None = None) -> int:
    """Return the cards of the hand that a text names, as a mask; 0 for none.

    Args:
        text: The text typed.
        legal: Legal moves of the player.
        pattern: Pattern named with the cards; None for any.

    Raises:
        NotationError: The text is too long.
        IllegalPlayError: The hand does not have a card, or not that many copies.
        AmbiguousPlayError: The text can mean different cards, and each is a legal play.
    """
    found = readings(text, legal, pattern)
    if len(found) > 1:
        listed = ", ".join(f"{one.text} ({legal.ruleset.text(one.mask)})" for one in found)
        raise AmbiguousPlayError(f"{quoted(text)} can be read in {len(found)} ways: type one of {listed}")
    return found[0].mask


def read(text: str, legal: LegalPlays, pattern: str | None = None) -> Play:
    """Return the legal move that a text names.

    Args:
        text: The text typed.
        legal: Legal moves of the player.
        pattern: Pattern or reading to use if the cards are ambiguous.

    Raises:
        NotationError: The text names nothing.
        IllegalPlayError: The move is not legal; the reason is in `refusal`.
        AmbiguousPlayError: The text or the cards have several legal readings.
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
    mask = cards_of(text, legal, pattern)
    if not mask:
        raise NotationError(f"expected points (334), suits with points (方块3, D3, 3D) or jokers (小王, B), got {quoted(text)}")
    return legal.verify(mask, pattern)
