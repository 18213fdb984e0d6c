r"""Cards in words, letters and signs: the one grammar of prompts, language models and MCP.

Every character of a text is a card, or belongs to a separator; otherwise the text has no meaning.

| written | meaning |
| --- | --- |
| `3H` `H3` `3♥` `h3` `H[3]` `3 H` `3 (H)` `three of hearts` `hearts 3` 红桃3 `3红桃` `3（红桃）` | that exact card |
| `3`, `334`, `3 3`, `three`, `T` | ranks: the lowest cards of the hand that no other word takes |
| `pair of tens`, `three kings`, `一对10`, `两个4`, `三张K` | that many cards of a rank |
| `pair of tens (H, S)`, `pair of tens of hearts and spades` | the exact cards, if there are as many suits as ranks |
| `LJ` `BJ` `little joker` 小王 大鬼; 大小王 `both jokers` | one joker; two |
| blanks, commas, `+`, `and`, `with`, `the`, 和, 带 and others in `_SEPARATOR` | nothing |

A suit belongs to the rank that it touches, or to the nearer one. `3D4` may be `3D 4` or `3 D4`, and the suit in 红桃34567 may
belong to one rank or to all of them: `parsed` returns each meaning. `5-K` has none, for it may mean two cards or a run.

At a prompt, `1` is an ace, `L` and `B` are jokers, and a text of suits alone names the lowest cards of those suits.

In a game with a vocabulary, only its names are cards: `Ba`, `bodo of ando`, `ando bodo`, `B` and `bodo` for the rank, 青山.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import takewhile
from typing import Final, NamedTuple

from big2_env.base.cards import RANK_NAMES, Card
from big2_env.base.errors import AmbiguousPlayError, IllegalPlayError, Refusal, quoted
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.vocabulary import Vocabulary

MAX_MEANINGS: Final = 64
"""Maximum number of meanings of a text; one with more is not read."""
_ENGLISH: Final = ("three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace", "two")
_NUMERALS: Final = dict(zip("三四五六七八九十二", [*range(8), 12], strict=True))
_LETTERS: Final = {**{name: rank for rank, name in enumerate(RANK_NAMES[:13])}, "T": 7, "1": 11}
_PLURALS: Final = {"sixes" if name == "six" else f"{name}s": rank for rank, name in enumerate(_ENGLISH)}
SUIT_WORDS: Final = {
    suit: rank
    for rank, names in enumerate(
        ("clubs club 梅花 草花", "diamonds diamond 方块 方塊 方片", "hearts heart 红桃 红心 紅桃 紅心", "spades spade 黑桃")
    )
    for suit in names.split()
}
SIGNS: Final = dict(zip("CDHS♣♦♥♠", [*range(4)] * 2, strict=True))
JOKERS: Final = {
    name: jokers
    for jokers, names in (
        ((13,), "little joker,small joker,black joker,小王,小鬼,LJ"),
        ((14,), "big joker,large joker,red joker,大王,大鬼,BJ"),
        ((13, 14), "both jokers,大小王,小大王,大小鬼"),
    )
    for name in names.lower().split(",")
}
_COUNTS: Final = {"two": 2, "three": 3, "triple": 3, "four": 4}
_CHINESE_COUNTS: Final = {"一": 1, "1": 1, **dict.fromkeys("二两兩2", 2), **dict.fromkeys("三3", 3), **dict.fromkeys("四4", 4)}


def _any(texts: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(texts, key=len, reverse=True)))


_END: Final = "(?![a-z0-9])"
_WORD_END: Final = f"(?:(?<![a-z])|{_END})"
_POINT: Final = "10|[2-9AJQKT]"
_CARD: Final = rf"[CDHS♣♦♥♠]\[(?:{_POINT})\]"
_SEPARATOR: Final = re.compile(
    rf"""(?P<weak>[\s"“”‘’]|'(?!s{_END})|(?:the|my|(?-i:an?)(?= (?!(?:and|with|plus)\b)[a-z]{{3}})|a(?= pair of)){_END})"""
    rf"|(?P<dash>[-–—])|[,，、;；+&和加与與带帶跟]|(?:and|with|plus){_END}",
    re.IGNORECASE,
)
_COUNTED: Final = (
    rf"(?:(?P<pair_of>pair of)|(?P<count>{_any(_COUNTS)})) "
    rf"(?:(?P<plural>{_any(_PLURALS)})|(?P<points>{_POINT})(?:'?s|(?(pair_of)|(?!)))){_END}"
    rf"|(?:(?P<chinese_count>[{''.join(_CHINESE_COUNTS)}]) ?[张張个個]|(?P<pair>[一1]?[对對](?:子)?)) ?"
    rf"(?P<counted>{_POINT}|[{''.join(_NUMERALS)}]){_END}"
)
_ALONE: Final = re.compile(
    r"(?:[AJQKT][CDHScdhs]?|[CDHS][AJQKT]|[LB]J)+|(?i:(?:[AJQKT][CDHS]|[LB]J)+|(?:[CDHS][AJQKT]|[LB]J)+|[AJQKT]{3,}|([AJQKTLBCDHS])\1*)"
)
"""Runs of letters that are cards although no number or sign shows it; not the words `at` and `ask`."""
_ORDINAL: Final = re.compile("[0-9](?:st|th)", re.IGNORECASE)
_UNCLEAR: Final = re.compile(rf"\b[2-4] (?:{_POINT})s\b|\ba [CDHScdhs♣♦♥♠]?(?:{_POINT}|[jqkt])[CDHScdhs♣♦♥♠]?$")
"""Two fives, or a two and a spade; an article, or an ace."""
_AND: Final = re.compile(r"\band\b")
_JOINED: Final = re.compile("[-_]of[-_]", re.IGNORECASE)


class Wish(NamedTuple):
    """Card that a text requests; None leaves rank or suit open."""

    rank: int | None
    suit: int | None
    text: str

    def fits(self, card: Card) -> bool:
        """Return True for a card that fulfills the request."""
        return self.rank in (None, card.rank) and self.suit in (None, card.suit)


@dataclass(slots=True)
class _Atom:
    """Rank, suit, list of suits or exact card at a place of a text.

    Args:
        gap: 0 if it touches the one before, 1 after blanks, 2 after a separator between cards.
        suits: Suits of a list, which belong to as many ranks before it.
        is_fixed: True for an exact card, and for a joker.
        is_word: True for a suit in letters that no rank can be confused with.
        prefers_right: True for a Chinese suit, which is usually written before its rank.
        needs_suit: True for a Chinese numeral, which alone is a number.
    """

    text: str
    gap: int
    rank: int | None = None
    suit: int | None = None
    suits: tuple[int, ...] = ()
    is_fixed: bool = False
    is_word: bool = False
    is_dashed: bool = False
    follows: bool = False
    prefers_right: bool = False
    needs_suit: bool = False

    @property
    def is_open(self) -> bool:
        """True for a rank without a suit."""
        return self.rank is not None and not self.is_fixed


class _Names:
    """Standard names of cards, or names in a vocabulary.

    Args:
        vocabulary: The vocabulary; None for the standard names.
    """

    def __init__(self, vocabulary: Vocabulary | None) -> None:
        self._is_standard = vocabulary is None
        self.ranks: dict[str, int]
        self.suits: dict[str, int]
        self.signs: dict[str, int]
        self.points: dict[str, int]
        if vocabulary is None:
            self.ranks = {**{name: rank for rank, name in enumerate(_ENGLISH)}, **_NUMERALS}
            self.suits, self.signs, self.points = SUIT_WORDS, SIGNS, _LETTERS
            run, more = f"(?:{_CARD}|[0-9AJQKTCDHSLB♣♦♥♠])", rf"|{_COUNTED}|(?P<joker>{_any(JOKERS)}){_WORD_END}"
        else:
            self.ranks = {one: rank for rank, word in enumerate(vocabulary.ranks) for one in (word.en, word.zh)}
            self.suits = {one: suit for suit, word in enumerate(vocabulary.suits) for one in (word.en, word.zh)}
            self.signs = {word.en[0].upper(): suit for suit, word in enumerate(vocabulary.suits)}
            self.points = {word.en[0].upper(): rank for rank, word in enumerate(vocabulary.ranks)}
            run, more = f"[{''.join(self.points)}{''.join(self.signs)}]", ""
        names, signs = _any(self.suits), "".join(self.signs)
        suit = rf"(?:(?:{names}|[{signs}]){_WORD_END})"
        self._token = re.compile(
            rf" ?[(\[{{【「] ?(?:of (?:the )?)?(?P<listed>{suit}(?:(?:,| |、|and|&|\+|/|和)*{suit})*) ?[)\]}}】」]"
            rf"|of (?:the )?(?P<several>{suit}(?: (?:and|&) {suit})+)"
            rf"{more}|(?P<of>of (?:the )?)?(?P<suit>{names}){_WORD_END}"
            rf"|of (?P<sign>[{signs}]){_END}|(?P<rank>{_any(self.ranks)}){_WORD_END}"
            rf"|(?P<run>{run}++)(?![a-z])",
            re.IGNORECASE,
        )
        self._part = re.compile(
            rf"(?P<card>{_CARD})|(?P<joker>[LB]J)|(?P<point>{_any(self.points)})|(?P<sign>[{signs}])", re.IGNORECASE
        )
        self._suit = re.compile(suit, re.IGNORECASE)

    def atoms(self, text: str, *, by_hand: bool) -> list[_Atom]:
        """Return the parts of a text, none if it contains anything else."""
        found: list[_Atom] = []
        at, gap, dashed = 0, 0, False
        while at < len(text):
            if (blank := _SEPARATOR.match(text, at)) is not None:
                gap, dashed, at = max(gap, 1 if blank["weak"] else 2), dashed or bool(blank["dash"]), blank.end()
                continue
            token = self._token.match(text, at)
            atoms = [] if token is None else list(self._of(token, by_hand))
            if token is None or not atoms or (gap == 2 and not found):
                return []
            atoms[0].gap, atoms[0].is_dashed = gap if found else 2, dashed
            found += atoms
            at, gap, dashed = token.end(), 0, False
        return [] if gap == 2 else found  # something is missing after the last "and"

    def _of(self, token: re.Match[str], by_hand: bool) -> Iterator[_Atom]:
        """Yield the parts of a token; nothing for letters or digits that are not cards."""
        part = {name: text.lower() for name, text in token.groupdict().items() if text is not None}
        word = token[0].strip()
        match part:
            case {"listed": suits} | {"several": suits}:
                yield _Atom(word, 0, suits=tuple(map(self._named_suit, self._suit.findall(_AND.sub(" ", suits)))))
            case {"joker": joker}:
                yield from (_Atom(RANK_NAMES[rank], 0, rank, is_fixed=True) for rank in JOKERS[joker])
            case {"plural": point} | {"points": point}:
                rank = _PLURALS[point] if point in _PLURALS else _LETTERS[point.upper()]
                yield from (_Atom(RANK_NAMES[rank], 0, rank) for _ in range(_COUNTS.get(part.get("count", ""), 2)))
            case {"counted": point}:
                rank = _NUMERALS[point] if point in _NUMERALS else _LETTERS[point.upper()]
                number = _CHINESE_COUNTS[part["chinese_count"]] if "chinese_count" in part else 2
                yield from (_Atom(RANK_NAMES[rank], 0, rank) for _ in range(number))
            case {"suit": suit} | {"sign": suit}:
                is_chinese = not suit.isascii() and suit.upper() not in self.signs
                suited = _Atom(suit, 0, suit=self._named_suit(suit), is_word=True, prefers_right=is_chinese)
                suited.follows = "of" in part or "sign" in part
                yield suited
            case {"rank": rank_word}:
                yield _Atom(word, 0, self.ranks[rank_word], needs_suit=rank_word in _NUMERALS and self._is_standard)
            case {"run": run}:
                yield from self._run(token["run"], by_hand) if self._is_standard else self._coded(token["run"], run)

    def _named_suit(self, name: str) -> int:
        return self.suits[name.lower()] if name.lower() in self.suits else self.signs[name.upper()]

    def _run(self, run: str, by_hand: bool) -> Iterator[_Atom]:
        """Yield the parts of letters, digits and signs without blanks."""
        if (run.isalpha() and not _ALONE.fullmatch(run)) or _ORDINAL.search(run):
            return
        atoms, at = [], 0
        while at < len(run):
            if (part := self._part.match(run, at)) is not None:
                upper = part[0].upper()
                if part["card"] is not None:
                    atoms.append(_Atom(upper, 0, self.points[upper[2:-1]], self.signs[upper[0]], is_fixed=True))
                elif (joker := part["joker"]) is not None:
                    atoms.append(_Atom(upper, 0, JOKERS[joker.lower()][0], is_fixed=True))
                elif part["point"] is not None and (by_hand or upper != "1"):
                    atoms.append(_Atom(part[0], 0, self.points[upper]))
                elif part["sign"] is not None:
                    atoms.append(_Atom(part[0], 0, suit=self.signs[upper]))
                else:
                    return
            elif by_hand and run[at] in "LlBb":
                atoms.append(_Atom(run[at], 0, 13 if run[at] in "Ll" else 14, is_fixed=True))
            else:
                return
            at = at + 1 if part is None else part.end()
        yield from atoms

    def _coded(self, run: str, lower: str) -> Iterator[_Atom]:
        """Yield the cards of a run of letters in a vocabulary: two for each card, or capital letters of ranks."""
        ranks, suits = lower[::2].upper(), lower[1::2].upper()
        if len(ranks) == len(suits) and self.points.keys() >= {*ranks} and self.signs.keys() >= {*suits}:
            for rank, suit in zip(ranks, suits, strict=True):
                yield _Atom(rank + suit.lower(), 0, self.points[rank], self.signs[suit], is_fixed=True)
        elif self.points.keys() >= {*run}:
            yield from (_Atom(rank, 0, self.points[rank]) for rank in run)


_names: Final = lru_cache(maxsize=64)(_Names)


def parsed(text: str, vocabulary: Vocabulary | None = None, *, by_hand: bool = False) -> list[tuple[Wish, ...]]:
    """Return every meaning of a text as cards; none if the text contains anything else.

    Args:
        text: The text, with single blanks.
        vocabulary: Names of the game's cards; None for the standard names.
        by_hand: True for a prompt, where single letters and suits alone are cards too.

    >>> [[wish.text for wish in wishes] for wishes in parsed("3D4, ten of hearts")]
    [['3D', '4', 'ten hearts'], ['3', 'D4', 'ten hearts']]
    >>> parsed("keep the 3H"), parsed("ask"), parsed("2024"), parsed("10 of")
    ([], [], [], [])
    """
    if _UNCLEAR.search(text):
        return []
    atoms = _names(vocabulary).atoms(_JOINED.sub(" of ", text), by_hand=by_hand)
    if not atoms or _has_range(atoms):
        return []
    if by_hand and all(atom.suit is not None and atom.rank is None and not atom.follows for atom in atoms):
        return [tuple(Wish(None, atom.suit, atom.text) for atom in atoms)]
    meanings = _meanings(atoms)
    least = min((cost for cost, _ in meanings), default=0)
    found = {tuple(wish[:2] for wish in wishes): wishes for cost, wishes in reversed(meanings) if cost == least}
    return [*reversed(found.values())]


def _has_range(atoms: Sequence[_Atom]) -> bool:
    """Return True if a dash joins two cards of different ranks and no third: the ends of a run, or two cards."""
    chains: list[list[list[int]]] = []
    for atom in atoms:
        if atom.rank is None:
            continue
        if atom.is_dashed and chains:
            chains[-1].append([])
        elif atom.gap or not chains:
            chains.append([[]])
        chains[-1][-1].append(atom.rank)
    return any(len(chain) == 2 and len(chain[0]) == len(chain[1]) == 1 and chain[0] != chain[1] for chain in chains)


def _meanings(atoms: Sequence[_Atom]) -> list[tuple[int, tuple[Wish, ...]]]:
    """Return the ways to give every suit to ranks, each with the number of unusual choices; none if there are too many."""
    partial: list[tuple[int, dict[int, tuple[int, str]]]] = [(0, {})]
    for at, one in enumerate(atoms):
        if one.rank is not None:
            continue
        blank, extended = " " if one.is_word and one.text.isascii() else "", []
        for cost, suited in partial:
            for places, is_left, more in _choices(atoms, at, suited):
                given = dict(suited)
                for place, suit in zip(places, one.suits or [one.suit or 0] * len(places), strict=True):
                    sign, rank = "CDHS"[suit] if one.suits else one.text, atoms[place].text
                    given[place] = suit, f"{rank}{blank}{sign}" if is_left else f"{sign}{blank}{rank}"
                extended.append((cost + more, given))
        partial = extended if len(extended) <= MAX_MEANINGS else []
    return [
        (
            cost,
            tuple(
                Wish(one.rank, *suited.get(at, (one.suit, one.text))) for at, one in enumerate(atoms) if one.rank is not None
            ),
        )
        for cost, suited in partial
        if not any(one.needs_suit and at not in suited for at, one in enumerate(atoms))
    ]


def _choices(atoms: Sequence[_Atom], at: int, suited: dict[int, tuple[int, str]]) -> Iterator[tuple[list[int], bool, int]]:
    """Yield the ranks to which a suit may belong: their places, whether they are before it, and 1 for an unusual choice."""
    one = atoms[at]

    def free(place: int) -> bool:
        return 0 <= place < len(atoms) and atoms[place].is_open and place not in suited

    before = list(takewhile(free, range(at - 1, -1, -1)))
    if one.suits:
        clause = next((number for number, place in enumerate(before, 1) if atoms[place].gap == 2), len(before))
        if one.gap < 2 and clause == len(one.suits):
            yield before[:clause][::-1], True, 0
        return
    after = [] if one.follows else list(takewhile(free, range(at + 1, len(atoms))))
    left = one.gap if before else 2
    right = atoms[after[0]].gap if after else 2
    if left == right == 2 or (left == right == 1 and not one.is_word):
        return
    for gap, ranks, is_left in ((left, before, True), (right, after, False)):
        if gap < 2 and gap <= min(left, right):
            near = next((number for number, place in enumerate(ranks[1:], 1) if atoms[place + is_left].gap > gap), len(ranks))
            cost = int(is_left and one.prefers_right and right == left)
            yield from ((ranks[:number], is_left, cost) for number in dict.fromkeys((1, near)))


class Reading(NamedTuple):
    """One way to read a text as cards of the hand.

    Args:
        text: The text with blanks between cards, which is unambiguous.
        mask: The cards as a mask.
    """

    text: str
    mask: int


def readings(meanings: Iterable[Sequence[Wish]], legal: LegalPlays, pattern: str | None = None) -> list[Reading]:
    """Return what a text can mean: the legal plays among its readings, or the first reading if none is legal.

    Args:
        meanings: Meanings of the text.
        legal: Legal moves of the player.
        pattern: Pattern named with the cards; None for any.

    Raises:
        IllegalPlayError: The hand does not have a card, or not that many copies.

    >>> from big2_env import BIG2
    >>> hand = sum(1 << Card(card) for card in ("C[3]", "D[3]", "C[4]", "D[4]", "S[5]", "S[6]", "S[7]"))
    >>> [found.text for found in readings(parsed("3D4567"), LegalPlays(BIG2, hand, None))]
    ['3D 4 5 6 7', '3 D4 5 6 7']
    """
    found: dict[int, Reading] = {}
    refused = None
    for wishes in meanings:
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


def _reading(wishes: Sequence[Wish], legal: LegalPlays) -> Reading:
    """Return the cards of the hand that a text requests: exact cards first, then ranks, then suits.

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
