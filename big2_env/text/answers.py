"""Answers of language models as moves: the same notation that `observation` writes, and what models make of it.

`marked` finds the answer in a text. It is read only if it is a move as a whole:

| written | meaning |
| --- | --- |
| `3H` `H3` `3♥` `H[3]` `红桃3` `three of hearts` `hearts 3` | that exact card |
| `3`, `334`, `3 3`, `pair of threes`, `对3` | ranks: the lowest cards of the hand |
| `LJ` `BJ` `little joker` 小王 大鬼 | a joker |
| `[3H 3S]`, `3H, 3S`, `3H and 3S`, `10-J-Q-K-A` | several cards |
| `rocket`, `joker bomb`, 王炸 as the only candidate | the jokers of that pattern |
| `pair of fives: 5D 5H`, `pair of fives (5D 5H)` | the exact cards, if their ranks are the named ones |
| a name of a pattern before or after the cards: `pair: 3H 3S`, `44443333 quad_two_pairs#2` | the cards, read as that pattern |
| `pass`, `I pass`, 不出, 要不起, 过 | a pass |
| `call`, `rob`, `bid 2`, `2`, `yes`, `no`, 叫地主, 不叫 | auction decisions |
| `play`, `I play`, `I'll play`, `I open with`, 出 before the move | the move |

A rank never means another number of cards: `5H` is a single, even if only the pair of fives is legal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Generic, TypeAlias, TypeVar

from big2_env.climbing.auction import CALL, ROB
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.climbing.vocabulary import Vocabulary
from big2_env.errors import IllegalPlayError, NotationError, quoted
from big2_env.language import Language, Words, as_language, words
from big2_env.notation import typed
from big2_env.side_game import SideGame
from big2_env.text.marked import MAX_TEXT, Stated, stated
from big2_env.text.names import cards_text, move_text, pattern_name, words_of
from big2_env.text.selection import refusal_text, select_cards
from big2_env.text.written_cards import coded, written_cards

MoveT = TypeVar("MoveT")


@dataclass(frozen=True, slots=True)
class Played(Generic[MoveT]):
    """An answer that is a legal move.

    Args:
        play: The move: a `Play`, or the number of a side game's move.
    """

    play: MoveT


@dataclass(frozen=True, slots=True)
class Illegal:
    """An answer that states a move that the rules do not allow.

    Args:
        reason: Reason in words.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An answer that states no move.

    Args:
        expected: Description of a valid answer.
    """

    expected: str


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """An answer with several legal meanings.

    Args:
        readings: The meanings, each in a notation that has no other meaning.
    """

    readings: tuple[str, ...]


Answer: TypeAlias = Played[Play] | Illegal | Unreadable | Ambiguous
"""Answer in a climbing game."""
SideAnswer: TypeAlias = Played[int] | Illegal | Unreadable | Ambiguous
"""Answer in a side game."""


def read_answer(text: str, view: View, language: Language | str = Language.EN) -> Answer:
    r"""Return the move that an answer states. No text raises an exception.

    A stated answer is final: it is played or refused. The text may have at most `MAX_TEXT` characters.

    Args:
        text: The answer, with or without reasoning.
        view: View of the seat that is asked.
        language: Language of reasons.

    Raises:
        ConfigError: The language does not exist.

    >>> from big2_env import BIG2, Game
    >>> view = Game.deal(BIG2, seed=7).view()
    >>> read_answer("I have to open.\n**3♣**", view)
    Played(play=Play(pattern='single', mask=1, category=0, power=0))
    >>> read_answer("<answer>pass</answer>", view)
    Illegal(reason='you lead: a pass is not allowed')
    >>> read_answer("I play the pair of kings, because nothing beats it.", view)
    Unreadable(expected='cards of the hand (3H, 3♥ or H[3]) or pass')
    """
    tr, legal = words_of(view.ruleset, as_language(language)), view.legal_plays()
    answer, reader = _stated(text), _Reader(view, legal, tr)
    is_alone = len(answer.moves) == 1
    for move in answer.moves:
        if (answer.is_marked or not reader.is_echo(move)) and (found := reader.read(move, is_alone)) is not None:
            return found
    return Unreadable(_expected(legal, tr))


def _stated(text: str) -> Stated:
    return stated(text) if len(text) <= MAX_TEXT else Stated((), False)


def _expected(legal: LegalPlays, tr: Words) -> str:
    if legal.calls:
        return tr("observation.expected_call", words=_choices(legal, tr))
    return tr("observation.expected")


def _choices(legal: LegalPlays, tr: Words) -> str:
    return " / ".join(move_text(call, legal, tr) for call in legal)


def read_side_answer(text: str, game: SideGame, seat: int | None = None, language: Language | str = Language.EN) -> SideAnswer:
    r"""Return the move that an answer states in a side game. No text raises an exception.

    Args:
        text: The answer, with or without reasoning.
        game: The game.
        seat: Seat that is asked; None for the seat to move.
        language: Language of reasons.

    Raises:
        ConfigError: The language or the seat does not exist.

    >>> from big2_env.games.uno import UnoGame
    >>> game = UnoGame.usual(3)
    >>> game.text(), game.move_text(game.legal_moves()[0])
    ('B[9]', 'B[7]')
    >>> read_side_answer("I match the color.\n\\boxed{blue 7}", game)
    Played(play=37)
    """
    tr, view = words(as_language(language)), game.view(seat)
    for move in _stated(text).moves:
        found = game.stated_moves(move, view.seat, tr) or game.stated_moves(_without_lead_in(move), view.seat, tr)
        if found and not view.moves:
            return Illegal(tr("look.game_over" if game.is_over else "look.not_your_turn"))
        playable = tuple(one for one in found if one in view.moves)
        if len(playable) == 1:
            return Played(playable[0])
        if playable:
            return Ambiguous(tuple(map(game.move_text, playable)))
        if found:
            return Illegal(game.refusal_text(found[0], view.seat, tr))
    if not view.moves:
        return Unreadable(tr("observation.expected_nothing"))
    return Unreadable(tr("observation.expected_like", move=game.move_text(view.moves[0])))


_OPENER: Final = re.compile("^(?:(?:so|thus|therefore|hence),? |(?:所以|因此)[,，]? ?)", re.IGNORECASE)
_LEAD_IN: Final = re.compile(
    r"(?:i|we)(?:'ll| will)? (?:(?:choose|decide|want) to (?:play |lead )?"
    r"|(?:play|choose|pick|lead|put down|say|(?:go|lead|open|respond|answer) with) )"
    r"|(?:i'm|i am) (?:going to play|playing) |(?:(?:let's|let me) )?play "
    r"|(?:my|the) (?:final )?(?:move|play|answer|choice) is "
    r"|我?(?:选择|選擇|决定|決定)(?:出|打)?(?!完)[:：]?|我?(?:出的是|打出|出|打)(?!完)[:：]?|(?:我的)?(?:最终|最終)?答案是",
    re.IGNORECASE,
)
"""Words before a move that add nothing."""
_PASSES: Final = re.compile(
    r"(?:i(?:'ll| will| must| have to)? )?pass(?: this turn| the turn)?"
    r"|我?(?:不出|不要|要不起|不打|不跟|过|過|跳过|跳過|pass)(?:了|牌)?"
)
_SPEAKER: Final = re.compile("i(?:'ll| will)? |我")
_BID: Final = re.compile(r"bid[ _]?([0-9]{1,3})(?: points?)?|(?:叫 ?)?([0-9]{1,3}) ?分?")
_NO: Final = frozenset(("no", "no bid", "decline", "不叫", "不叫地主", "不抢", "不搶", "否"))
_YES: Final = frozenset(("yes", "是"))
_CALLS: Final = {
    **dict.fromkeys(("叫", "叫牌", "叫地主"), CALL.pattern),
    **dict.fromkeys(("抢", "抢牌", "抢地主", "搶", "搶牌", "搶地主"), ROB.pattern),
}
_JOKERS: Final = {"joker_pair": "LJ BJ", "joker_quad": "LJ LJ BJ BJ"}
"""Cards of the patterns that consist of jokers."""
_PLURAL: Final = re.compile("(?:10|[2-9JQKA])'?s")
_LONGEST_PLAY: Final = 5
"""Maximum number of cards of a hand that an answer may name as a whole although it is not a play."""
_REMARK: Final = re.compile(r"\s*\(([^()]*)\)$")
_CARDS_BEHIND: Final = re.compile(r"([^:()]+)(?:: ?([^:()]+)|\(([^:()]+)\))")
"""Ranks, then cards after a colon or in parentheses."""
_RANK: Final = re.compile("10|[2-9JQKA]")
_RANKS: Final = re.compile(rf"(?:{_RANK.pattern})(?: (?:{_RANK.pattern}))+")
_HEDGE: Final = re.compile(r"\b(?:or|maybe|perhaps|alternatively|if|unless|not)\b|\?|或|还是|還是", re.IGNORECASE)
"""Words of a remark after a move that leave the move open."""


def _without_lead_in(text: str) -> str:
    text = _OPENER.sub("", text, count=1)
    found = _LEAD_IN.match(text)
    return text if found is None else text[found.end() :]


def _without_ranks(text: str, vocabulary: Vocabulary | None) -> str:
    """Return the cards of a text that names their ranks before them, `pair of fives: 5D 5H`, or the text."""
    found = _CARDS_BEHIND.fullmatch(text)
    if found is None:
        return text
    behind = found[2] or found[3]
    ranks, cards = written_cards(found[1], vocabulary), written_cards(behind, vocabulary)
    if ranks is None or cards is None or not _RANKS.fullmatch(ranks):
        return text
    if sorted(_RANK.findall(ranks)) != sorted(_RANK.findall(cards.upper().replace("T", "10"))):
        return text
    return cards if vocabulary is None else behind


class _Reader:
    """Reader of one seat's answers.

    Args:
        view: View of the seat that is asked.
        legal: Its legal moves.
        tr: Texts of the reasons.
    """

    def __init__(self, view: View, legal: LegalPlays, tr: Words) -> None:
        self.view, self.legal, self.tr = view, legal, tr
        self.rules = view.ruleset

    def read(self, move: str, is_alone: bool = False) -> Answer | None:
        """Return the meaning of a text that is a move as a whole, or None.

        Args:
            move: The text.
            is_alone: True if nothing else may be the move. Then a pattern with only jokers needs no cards.
        """
        text = " ".join(move.split())
        if (remark := _REMARK.search(text)) is not None and self._adds_nothing(remark[1], text[: remark.start()]):
            text = text[: remark.start()]
        text = _without_lead_in(text).strip()
        word = text.lower()
        call = self._call(word)
        if call is not None:
            return self._decided(call)
        cards, pattern = self._named(_without_ranks(text, self.rules.vocabulary))
        if cards is None and is_alone:
            cards, pattern = _JOKERS.get(_names_of_patterns(self.rules).get(word.removeprefix("the "), "")), None
        return None if cards is None else self._played(cards, pattern)

    def is_echo(self, line: str) -> bool:
        """Return True if a line repeats a hand of more than `_LONGEST_PLAY` cards."""
        if self.legal.hand.bit_count() <= _LONGEST_PLAY or (cards := self._written(" ".join(line.split()))) is None:
            return False
        return self._masks(cards) == [self.legal.hand] and not self.legal.can(self.legal.hand)

    def _adds_nothing(self, remark: str, text: str) -> bool:
        """Return True if a remark in parentheses leaves the move before it as it is."""
        cards = self._written(remark)
        if cards is None:
            return not _HEDGE.search(remark)
        before = self._written(_without_lead_in(text))
        return before is not None and self._masks(before) == self._masks(cards) != []

    def _written(self, text: str) -> str | None:
        return written_cards(text, self.rules.vocabulary)

    def _masks(self, cards: str) -> list[int]:
        try:
            return [one.mask for one in typed.readings(cards, self.legal)]
        except (IllegalPlayError, NotationError):
            return []

    def _call(self, word: str) -> str | None:
        """Return the decision without cards that a word names, or None."""
        if _PASSES.fullmatch(word):
            return PASS.pattern
        auction = self.rules.auction
        if auction is None:
            return None
        word = word[found.end() :] if (found := _SPEAKER.match(word)) else word
        if self.legal.calls and word in _NO:
            return PASS.pattern
        value = _BID.fullmatch(word) if self.legal.calls or word.startswith("bid") else None
        if value is not None:
            return f"bid_{int(value[1] or value[2])}"
        if word in _YES and len(self.legal.calls) == 1:
            return self.legal.calls[0].pattern
        return _calls(self.rules).get(word)

    def _decided(self, call: str) -> Answer:
        """Return the meaning of a move without cards."""
        if not self.view.is_on_turn:
            return self._out_of_turn()
        try:
            return Played(self.legal.verify_pass() if call == PASS.pattern else self.legal.verify(0, call))
        except IllegalPlayError as error:
            if self.legal.calls:
                return Illegal(self.tr("prompt.calls", words=_choices(self.legal, self.tr)))
            return Illegal(refusal_text(self.legal, 0, error.refusal, self.tr))

    def _out_of_turn(self) -> Illegal:
        over = self.view.outcome is not None
        return Illegal(self.tr("look.game_over" if over else "look.not_your_turn"))

    def _named(self, text: str) -> tuple[str | None, str | None]:
        """Return the cards of a text, and the pattern or reading named before or after them; None for neither."""
        whole = self._written(text)
        found = _patterns(self.rules).match(text)
        if found is not None:
            rest = text[found.end() :].lstrip(" :,=-")
            cards = None if _PLURAL.fullmatch(rest) else self._written(rest.strip("()"))
            if cards is not None and (whole is None or " " in cards):  # 对子3 is a pair, 对子 3 3 too
                return cards, _names_of_patterns(self.rules)[found[1].lower()] + (found[2] or "")
        before, _, last = text.rpartition(" ")
        last = last.strip("()")
        name, mark, number = last.partition("#")
        if before and (pattern := _reading_names(self.rules).get(name)) is not None:
            return self._written(before), f"{pattern}{mark}{number}"
        return whole, None

    def _played(self, written: str, pattern: str | None) -> Answer:
        """Return the meaning of cards."""
        if not self.view.is_on_turn:
            return self._out_of_turn()
        if self.legal.calls:
            return Illegal(self.tr("look.auction_goes_on"))
        try:
            found = typed.readings(written, self.legal, pattern)
        except IllegalPlayError:
            return Illegal(self.tr("prompt.not_held", given=quoted(coded(written, self.rules.vocabulary), 40)))
        except NotationError:
            return Unreadable(_expected(self.legal, self.tr))
        if len(found) > 1:
            return Ambiguous(tuple(cards_text(self.rules, one.mask) for one in found))
        selected = select_cards(self.legal, found[0].mask, self.tr, pattern)
        if len(selected.plays) > 1:
            return Ambiguous(tuple(move_text(play, self.legal, self.tr) for play in selected.plays))
        return Played(selected.plays[0]) if selected.plays else Illegal(selected.words)


@lru_cache(maxsize=64)
def _calls(rules: RuleSet) -> dict[str, str]:
    """Return the auction decisions of a game by every name that texts give them."""
    assert rules.auction is not None
    acts = rules.auction.vocabulary
    named = {pattern_name(rules, act.pattern, words(one)).lower(): act.pattern for one in Language for act in acts}
    closed = {name.replace(" ", ""): act for name, act in named.items()}
    return _CALLS | named | closed | {act.pattern: act.pattern for act in acts}


@lru_cache(maxsize=64)
def _names_of_patterns(rules: RuleSet) -> dict[str, str]:
    """Return the patterns of a game by every name that texts give them, in lower case."""
    names = [rule.pattern.name for rule in rules.patterns]
    if rules.vocabulary is not None:
        given = [(name, rules.vocabulary.by_pattern[name]) for name in names]
        return {called: name for name, word in given for called in (word.en, word.zh)}
    named = {pattern_name(rules, name, words(one)).lower(): name for one in Language for name in names}
    for name in _JOKERS.keys() & set(names):
        named["王炸"] = name
    return {**{name.replace("_", " "): name for name in names}, **named, **{name: name for name in names}}


def _reading_names(rules: RuleSet) -> dict[str, str]:
    """Return the patterns of a game by the names that an answer may add to its cards."""
    if rules.vocabulary is not None:
        return _names_of_patterns(rules)
    return {rule.pattern.name: rule.pattern.name for rule in rules.patterns}


@lru_cache(maxsize=64)
def _patterns(rules: RuleSet) -> re.Pattern[str]:
    """Return the pattern of a name of a pattern at the start of a text."""
    listed = "|".join(map(re.escape, sorted(_names_of_patterns(rules), key=len, reverse=True)))
    return re.compile(rf"(?:an? )?({listed})(#[0-9]{{1,2}})?(?![a-z_])", re.IGNORECASE)
