r"""Plays as people type them, in Chinese or English, read against the hand that is to play them.

| typed | means |
| --- | --- |
| `/` `\` `-` `--` `-1` 要不起 不出 不打 不叫 不搶 pass, or nothing | the pass, and no in an auction |
| `A` `1`, `2` to `9`, `10` `T`, `J` `Q` `K`, in either case | a card of that point: the lowest of the hand not taken yet |
| 方块 梅花 红桃 红心 黑桃 (方塊 紅桃 紅心 too), `D` `C` `H` `S` or ♦ ♣ ♥ ♠, then a point | that very card |
| a point with `D` `C` `H` `S` or ♦ ♣ ♥ ♠ right behind it: `5H` | that very card |
| a suit without a point | the lowest card of the suit that is not taken yet |
| `L` 小王 小鬼, `B` 大王 大鬼 | the little, the big joker |
| `S[3]`, `LJ`, `BJ` | the notation of cards |
| 叫 叫地主 抢 搶地主 call rob yes, `3分` `bid 3` `3` | what is said in an auction |
| cards, then the name of a pattern: `44443333 quad_two_pairs#2` | those cards, read as that pattern |

Anything else separates. Very cards are taken first, then points, then suits, so `3 方块3` is two cards where the hand has them.
`334` is two threes and a four; a number that begins with 1 is ten only as `10`.

A suit between two points, as in `3D4`, goes with the first (`3D 4`) or with the second (`3 D4`). If only one of the two is a
legal play, that is meant. If both are, the text is ambiguous.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from big2_env.cards import RANK_NAMES, Card, Rank, Suit
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.errors import AmbiguousPlayError, IllegalPlayError, NotationError, Refusal, quoted

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
_POINT: Final = "10|[2-9AaJjQqKkTt1]"


def _token(unless: str) -> re.Pattern[str]:
    """The tokens of a text, where a suit right behind a point goes with it unless something follows."""
    return re.compile(
        rf"(?P<suit>{'|'.join(SUITS)})\s*\[?(?P<suited>{_POINT})\]?|(?P<joker>{'|'.join(JOKERS)})"
        rf"|(?P<point>{_POINT})(?:(?P<mark>[♦♣♥♠DdCcHhSs])(?!{unless}))?|(?P<bare>{'|'.join(SUITS)})"
    )


_TOKEN: Final = _token(r"\[")
"""Tokens from left to right: `3D4` is `3D` and `4`. `4D[3]` is `4` and `D[3]`."""
_SUIT_FIRST: Final = _token(rf"\[?(?:{_POINT})")
"""The same with `3D4` as `3` and `D4`."""


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


class Reading(NamedTuple):
    """One way to read a text as cards of the hand."""

    text: str
    """The text with a blank between cards, which can be read in this way only."""
    mask: int
    """The cards."""


def readings(text: str, legal: LegalPlays, pattern: str | None = None) -> list[Reading]:
    """Return what a text can mean: the legal plays among its readings, or the first reading if none is legal.

    Args:
        text: what was typed.
        legal: the legal acts of the seat that typed it.
        pattern: the pattern that was named with the cards.

    Raises:
        NotationError: too long a text.
        IllegalPlayError: a card that the hand has not, or not so often.

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
    """How many suits have no point."""
    return sum(wish.rank is None for wish in wishes)


def _reading(wishes: list[_Wish], legal: LegalPlays) -> Reading:
    """The cards of the hand that tokens ask for: very cards first, then points, then suits.

    Raises:
        IllegalPlayError: a card that the hand has not, or not so often.
    """
    left, taken = legal.ruleset.order.sort(legal.hand), 0
    for wish in sorted(wishes, key=lambda wish: (wish.rank is None, wish.suit is None)):
        card = next((card for card in left if wish.fits(card)), None)
        if card is None:
            hand = legal.ruleset.text(legal.hand)
            raise IllegalPlayError(f"{quoted(wish.text)}: not, or not so often, in the hand {hand}", Refusal.NOT_IN_HAND)
        left.remove(card)
        taken |= 1 << card
    return Reading(" ".join(wish.text for wish in wishes), taken)


def _is_play(legal: LegalPlays, mask: int, pattern: str | None) -> bool:
    """Whether some cards can be played, in whatever reading."""
    try:
        legal.verify(mask, pattern)
    except IllegalPlayError:
        return False
    except AmbiguousPlayError:
        pass
    return True


def cards_of(text: str, legal: LegalPlays, pattern: str | None = None) -> int:
    """The cards of the hand that a text names, as a mask; 0 for none.

    Raises:
        NotationError, IllegalPlayError: as `readings`.
        AmbiguousPlayError: different cards, depending on how the text is read, and each a legal play.
    """
    found = readings(text, legal, pattern)
    if len(found) > 1:
        listed = ", ".join(f"{one.text} ({legal.ruleset.text(one.mask)})" for one in found)
        raise AmbiguousPlayError(f"{quoted(text)} can be read in {len(found)} ways: type one of {listed}")
    return found[0].mask


def read(text: str, legal: LegalPlays, pattern: str | None = None) -> Play:
    """The legal act that a text names.

    Args:
        text: what was typed.
        legal: the legal acts of whoever typed it.
        pattern: the reading, where cards have several.

    Raises:
        NotationError: a text that names nothing.
        IllegalPlayError, AmbiguousPlayError: as `cards_of` and `LegalPlays.verify`.
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
