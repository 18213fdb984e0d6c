"""Cards as language models write them, as text for `notation.typed`.

In a game with a vocabulary, only its names are cards: `Ba`, `bodo of ando`, `ando bodo`, `B` and `bodo` for the rank, 青山.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from big2_env.cards import RANK_NAMES, SUIT_NAMES, Card, Rank
from big2_env.climbing.vocabulary import Vocabulary, Word
from big2_env.notation.typed import next_card

_POINTS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_NUMBERS: Final = ("ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king")
_RANKS: Final = dict(zip(_NUMBERS, _POINTS, strict=True))
_PLURALS: Final = {"sixes" if name == "six" else f"{name}s": point for name, point in _RANKS.items()}
_CHINESE: Final = dict(zip("二三四五六七八九十", _POINTS[1:10], strict=True))
_SIGNS: Final = {"♣": "C", "♦": "D", "♥": "H", "♠": "S"}
_ENGLISH: Final = {f"{suit}{ending}": suit[0].upper() for suit in ("club", "diamond", "heart", "spade") for ending in ("s", "")}
_CHINESE_SUITS: Final = {
    **dict.fromkeys(("梅花", "草花"), "C"),
    **dict.fromkeys(("方块", "方塊", "方片"), "D"),
    **dict.fromkeys(("红桃", "红心", "紅桃", "紅心"), "H"),
    "黑桃": "S",
}
_JOKERS: Final = {
    **dict.fromkeys(("little joker", "small joker", "black joker", "小王", "小鬼"), "LJ"),
    **dict.fromkeys(("big joker", "large joker", "red joker", "大王", "大鬼"), "BJ"),
}
_COUNTS: Final = {"pair of": 2, "two": 2, "three": 3, "triple": 3, "four": 4}
_CHINESE_COUNTS: Final = {
    **dict.fromkeys(("一对", "一對", "对子", "對子", "对", "對"), 2),
    **dict.fromkeys(("三张", "三張", "三个", "三個"), 3),
    **dict.fromkeys(("四张", "四張", "四个", "四個"), 4),
}


def _any(texts: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(texts, key=len, reverse=True)))


_POINT: Final = "10|[2-9JQKA]"
_RANK: Final = f"(?:{_POINT}|{_any(_RANKS)})"
_END: Final = "(?![a-z0-9])"
_TOKEN: Final = re.compile(
    rf"(?P<joker>{_any(_JOKERS)}){_END}"
    rf"|(?-i:an? )?(?P<number>{_any(_COUNTS)}) (?:(?P<plural>{_any(_PLURALS)})|(?P<points>{_POINT})'?s){_END}"
    rf"|(?P<chinese_number>{_any(_CHINESE_COUNTS)}) ?(?P<counted>{_POINT}|[{''.join(_CHINESE)}]){_END}"
    rf"|(?-i:an? )?(?P<rank>{_RANK}) (?:of (?:the )?)?(?P<suit>{_any(_ENGLISH)}){_END}"
    rf"|(?P<rank_before>{_RANK}) (?:of )?(?P<sign>[♣♦♥♠CDHS])(?= ?(?:,|$)| and )"
    rf"|(?:^|(?<=, ))(?P<sign_before>[♣♦♥♠]) (?P<rank_behind>{_RANK}){_END}"
    rf"|(?P<suit_before>{_any(_ENGLISH)}) (?P<rank_after>{_RANK}){_END}"
    rf"|(?P<chinese_suit>{_any(_CHINESE_SUITS)}) ?(?P<chinese_rank>{_POINT}|[{''.join(_CHINESE)}]){_END}"
    rf"|(?-i:an? )?(?P<word>{_any(_RANKS)}){_END}"
    r"|(?P<run>[0-9AJQKTCDHSLB♣♦♥♠\[\]]+)(?![a-z])",
    re.IGNORECASE,
)
_SEPARATOR: Final = re.compile(r"""(?:[ ,，、;；+&\-–—"'“”和加与與带帶]|and |with |plus |the |my )+""", re.IGNORECASE)
_LETTERS: Final = re.compile("(?:[AJQKT][CDHScdhs]?|[CDHS][AJQKT]|[LB]J)+|[jqk][cdhs]?")
"""Runs without a number or sign: the words `as`, `that` and `ask` are not cards."""
_ORDINAL: Final = re.compile("[0-9](?:st|th)", re.IGNORECASE)
_UNCLEAR: Final = re.compile(rf"(?:.* )?[2-4] (?:{_POINT})s\b.*|(?P<low>[^ –—-]+) ?[-–—] ?(?!(?P=low)$)[^ –—-]+")
"""Two fives or a two and a spade; the ends of a run or two cards."""
_JOINED: Final = re.compile("[-_]of[-_]", re.IGNORECASE)


def written_cards(text: str, vocabulary: Vocabulary | None = None) -> str | None:
    """Return cards in words or signs as a text for `typed.readings`, or None if the text contains anything else.

    Args:
        text: The text, with single blanks.
        vocabulary: Names of the game's cards; None for the standard names.

    >>> written_cards("three of hearts and 3♠"), written_cards("pair of kings"), written_cards("红桃三、小王")
    ('H[3] 3♠', 'K K', 'H[3] LJ')
    >>> written_cards("keep the 3H"), written_cards("ask"), written_cards("2024")
    (None, None, None)
    """
    found: list[str] = []
    if text.startswith(("-", "–", "—", "+")) or _UNCLEAR.fullmatch(text):
        return None
    text, at = _JOINED.sub(" of ", text), 0
    while at < len(text):
        if (blank := _SEPARATOR.match(text, at)) is not None:
            at = blank.end()
            continue
        token = (_TOKEN if vocabulary is None else _invented(vocabulary)).match(text, at)
        cards = None if token is None else _cards(token) if vocabulary is None else " ".join(_named_cards(token, vocabulary))
        if token is None or cards is None:
            return None
        found.append(cards)
        at = token.end()
    return " ".join(found) or None


def _cards(token: re.Match[str]) -> str | None:
    """Return the cards of a token, or None for letters or digits that are not cards."""
    part = {name: text.lower() for name, text in token.groupdict().items() if text is not None}
    if "joker" in part:
        return _JOKERS[part["joker"]]
    if "number" in part:
        point = _PLURALS.get(part.get("plural", ""), part.get("points", "")).upper()
        return " ".join([point] * _COUNTS[part["number"]])
    if "chinese_number" in part:
        return " ".join([_point(part["counted"])] * _CHINESE_COUNTS[part["chinese_number"]])
    if "suit" in part:
        return f"{_ENGLISH[part['suit']]}[{_point(part['rank'])}]"
    if "sign" in part:
        return f"{_SIGNS.get(part['sign'], part['sign'].upper())}[{_point(part['rank_before'])}]"
    if "sign_before" in part:
        return f"{_SIGNS[part['sign_before']]}[{_point(part['rank_behind'])}]"
    if "suit_before" in part:
        return f"{_ENGLISH[part['suit_before']]}[{_point(part['rank_after'])}]"
    if "chinese_suit" in part:
        return f"{_CHINESE_SUITS[part['chinese_suit']]}[{_point(part['chinese_rank'])}]"
    if "word" in part:
        return _RANKS[part["word"]]
    return _run(token["run"])


def _point(rank: str) -> str:
    return _RANKS.get(rank) or _CHINESE.get(rank) or rank.upper()


def _run(run: str) -> str | None:
    """Return a run of letters, digits and signs if all are cards, or None."""
    if not re.search(r"[0-9♣♦♥♠\\[]", run) and not _LETTERS.fullmatch(run):
        return None
    if _ORDINAL.search(run):
        return None
    at = 0
    while at < len(run):
        end = next_card(run, at)
        if end is None:
            return None
        at = end
    return run


@lru_cache(maxsize=64)
def _invented(vocabulary: Vocabulary) -> re.Pattern[str]:
    """Return the pattern of cards and ranks under the names of a vocabulary. Ranks alone are capital letters."""
    ranks, suits = (_any(word.en for word in words) for words in (vocabulary.ranks, vocabulary.suits))
    chinese, chinese_suits = (_any(word.zh for word in words) for words in (vocabulary.ranks, vocabulary.suits))
    rank, suit = ("".join(word.en[0] for word in words) for words in (vocabulary.ranks, vocabulary.suits))
    return re.compile(
        rf"(?:an? )?(?P<rank>{ranks}) (?:of (?:the )?)?(?P<suit>{suits}){_END}"
        rf"|(?P<suit_before>{suits}) (?P<rank_after>{ranks}){_END}"
        rf"|(?P<chinese_suit>{chinese_suits}) ?(?P<chinese_rank>{chinese})"
        rf"|(?P<word>{ranks}|{chinese}){_END}"
        rf"|(?P<cards>(?:[{rank}][{suit}])+){_END}"
        rf"|(?P<letters>(?-i:[{rank.upper()}])+){_END}",
        re.IGNORECASE,
    )


def _named_cards(token: re.Match[str], vocabulary: Vocabulary) -> Iterator[str]:
    """Yield the cards or ranks of a token under their standard names."""
    ranks = {
        name: rank for rank, word in zip(RANK_NAMES, vocabulary.ranks, strict=False) for name in (word.en, word.zh, word.en[0])
    }
    suits = {
        name: suit for suit, word in zip(SUIT_NAMES, vocabulary.suits, strict=True) for name in (word.en, word.zh, word.en[0])
    }
    part = {name: text.lower() for name, text in token.groupdict().items() if text is not None}
    match part:
        case {"rank": rank, "suit": suit} | {"rank_after": rank, "suit_before": suit}:
            yield f"{suits[suit]}[{ranks[rank]}]"
        case {"chinese_rank": rank, "chinese_suit": suit}:
            yield f"{suits[suit]}[{ranks[rank]}]"
        case {"word": rank}:
            yield ranks[rank]
        case {"cards": cards}:
            yield from (f"{suits[suit]}[{ranks[rank]}]" for rank, suit in zip(cards[::2], cards[1::2], strict=True))
        case {"letters": letters}:
            yield from (ranks[letter] for letter in letters)


def _standard(names: Sequence[str], words: Sequence[Word]) -> dict[str, str]:
    """Return standard names by the words for them and their initials."""
    return {one: name for name, word in zip(names, words, strict=False) for one in (word.en, word.zh, word.en[0])}


def coded(written: str, vocabulary: Vocabulary | None) -> str:
    """Return cards that `written_cards` found, as the game writes them.

    Args:
        written: The cards.
        vocabulary: Names of the game's cards; None for the standard names.
    """
    if vocabulary is None:
        return written
    return " ".join(
        vocabulary.card(Card(one)) if "[" in one else vocabulary.rank(Rank(RANK_NAMES.index(one))) for one in written.split()
    )
