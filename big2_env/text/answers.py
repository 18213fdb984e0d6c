"""Moves in words: the one reader of lines at a prompt, answers of language models and texts over MCP.

`marked` finds the answer in the output of a model. It is read only if it is a move as a whole: every word of it is in this
table, in `notation.written_cards`, or in the list of remarks.

| written | meaning |
| --- | --- |
| cards as in `notation.written_cards` | a play of these cards |
| `[3H 3S]`, `3H, 3S`, `3H and 3S`, `10-J-Q-K-A` | several cards |
| `rocket`, `joker bomb`, 王炸 as the only candidate | the jokers of that pattern |
| `pair of fives: 5D 5H`, `pair of fives (5D 5H)`, `5D 5H (fives)` | the exact cards, if their ranks are the named ones |
| a name of a pattern before or after the cards: `pair: 3H 3S`, `44443333 quad_two_pairs#2` | the cards, read as that pattern |
| `pass`, `I pass`, 不出, 要不起, 过 | a pass |
| `call`, `call landlord`, `rob`, `bid 2`, `2`, `3 points`, `yes`, `no`, `decline`, 叫地主, 三分, 不叫 | auction decisions |

| remarks that add nothing | where |
| --- | --- |
| `I play`, `my move is`, `so`, 出, 我选择, 因此 and others in `_OPENER` and `_LEAD_IN` | before a move |
| quotes, full stops, Markdown, LaTeX and HTML, emoji of approval | around a move |
| a text in parentheses without words of `_HEDGE`, or of `_ADDITION` behind cards | behind exact cards or a pass |

A rank never means another number of cards: `5H` is a single, even if only the pair of fives is legal. A line typed at a prompt
may also be indices of the hand, or one of `PASSES` such as `/` and `-`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Generic, TypeAlias, TypeVar

from big2_env.base.cards import iter_cards
from big2_env.base.errors import IllegalPlayError, NotationError, quoted
from big2_env.base.language import Language, Words, as_language, words
from big2_env.base.side_game import SideGame
from big2_env.climbing.auction import CALL, ROB
from big2_env.climbing.hands import cards_at
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.notation.spec_input import PAST_EVERY_HAND
from big2_env.notation.written_cards import SUIT_WORDS, Wish, parsed, readings
from big2_env.text.events import play_text
from big2_env.text.marked import MAX_TEXT, PASSES, Stated, bare, plain, stated
from big2_env.text.names import cards_text, move_text, pattern_name, words_of
from big2_env.text.selection import refusal_text, select_cards

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
    """An answer that states a move that the rules do not allow."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An answer that states no move."""

    expected: str


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """An answer with several legal meanings.

    Args:
        readings: The meanings, each in a notation that has no other meaning.
        question: Question to a person, with a line for each meaning.
    """

    readings: tuple[str, ...]
    question: str = field(default="", compare=False, repr=False)


Refused: TypeAlias = Illegal | Unreadable | Ambiguous
"""Answer that is not played."""
Answer: TypeAlias = Played[Play] | Illegal | Unreadable | Ambiguous
"""Answer in a climbing game."""
SideAnswer: TypeAlias = Played[int] | Illegal | Unreadable | Ambiguous
"""Answer in a side game."""


def fault_name(refused: Refused) -> str:
    """Return the name of a fault, as counts and transcripts use it."""
    return type(refused).__name__.lower()


def fault_text(refused: Refused, tr: Words, key: str = "fault", **values: str) -> str:
    """Return what was wrong with an answer, as a sentence.

    Args:
        refused: The refused answer.
        tr: Texts of the language.
        key: Kind of sentence: `fault`, or `retry` with an `answer`.
        values: Other values of the sentence.
    """
    match refused:
        case Illegal(text) | Unreadable(text):
            pass
        case Ambiguous(readings):
            text = tr("look.or").join(readings)
    return tr(f"observation.{key}_{fault_name(refused)}", reason=text, expected=text, readings=text, **values)


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
    refusal = "" if view.is_on_turn else tr("look.not_your_turn" if view.outcome is None else "look.game_over")
    answer, reader = _stated(text), _Reader(legal, tr, refusal)
    is_alone = len(answer.moves) == 1
    for move in answer.moves:
        if (answer.is_marked or not reader.is_echo(move)) and (found := reader.read(move, is_alone)) is not None:
            return found
    return Unreadable(reader.expected(text))


def read_line(line: str, legal: LegalPlays, tr: Words, *, by_index: bool, commands: str | None = None) -> Answer:
    """Return the move that a person typed.

    Args:
        line: The line.
        legal: Legal moves.
        tr: Texts of the answer.
        by_index: True to read numbers as indices of the sorted hand if possible, False to read them as ranks.
        commands: Text of what can be typed, for a line that names no card; by default as at a table.
    """
    reader = _Reader(legal, tr, by_index=by_index)
    if line.strip().lower() in PASSES:
        return reader.decided(PASS.pattern)
    return reader.read(bare(plain(line.strip())), is_alone=True) or Unreadable(reader.expected(line.strip(), commands))


def _stated(text: str) -> Stated:
    return stated(text) if len(text) <= MAX_TEXT else Stated((), False)


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


def read_side_line(line: str, game: SideGame, seat: int, tr: Words) -> tuple[int, ...]:
    """Return the moves that a person typed in a side game, of which a game may allow several in a line.

    Raises:
        NotationError, IllegalPlayError: As of `SideGame.typed_moves`.
    """
    return game.typed_moves(_without_lead_in(line.strip()), seat, tr)


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
_SPEAKER: Final = re.compile("i(?:'ll| will)? |我(?:要)?")
_POINTS: Final = {
    **dict.fromkeys(("one", "一"), 1),
    **dict.fromkeys(("two", "二", "两", "兩"), 2),
    **dict.fromkeys(("three", "三"), 3),
}
_BID: Final = re.compile(
    r"(?:bid|call)[ _:]{0,2}([0-9]{1,3}|one|two|three)(?: points?)?"
    r"|叫? ?([0-9]{1,3}|[一二两兩三]) ?分|叫 ?([0-9一二两兩三])|([0-9]{1,3})(?: points?)?|(one|two|three)(?: points?)?"
)
_NO: Final = re.compile(
    "no(?: bid| call)?|decline|(?:don't|do not|won't|will not|not) (?:call|rob|bid)(?:(?: the)? landlord)?"
    "|否|不(?:叫|[抢搶])(?:牌|地主)?了?"
)
_YES: Final = frozenset(("yes", "y", "是"))
_LANDLORD: Final = {
    re.compile("call(?: for)?(?:(?: the)? landlord)?|叫(?:牌|地主)?"): CALL.pattern,
    re.compile("rob(?:(?: the)? landlord)?|[抢搶](?:牌|地主)?"): ROB.pattern,
}
_JOKERS: Final = {"joker_pair": "LJ BJ", "joker_quad": "LJ LJ BJ BJ"}
"""Cards of the patterns that consist of jokers."""
_PLURAL: Final = re.compile("(?:10|[2-9JQKA])'?s")
_LONGEST_PLAY: Final = 5
"""Maximum number of cards of a hand that an answer may name as a whole although it is not a play."""
_BEHIND: Final = re.compile(r"([^:()]+?) ?(?:: ?([^:()]+)|\(([^()]*)\))")
"""A move, then the same after a colon, or a remark in parentheses."""
_HEDGE: Final = re.compile(r"\b(?:or|maybe|perhaps|alternatively|if|unless|not)\b|\?|或|还是|還是", re.IGNORECASE)
"""Words of a remark after a move that leave the move open."""
_ADDITION: Final = re.compile(
    r"\b(?:and|with|plus|also|both|then|together|no|wait|actually|rather|instead)\b"
    r"|\b(?:two|three|four|times|x ?[0-9]|[0-9] ?x|red|black)\b"
    "|[和加带帶與与不改张張个個红紅黑]",
    re.IGNORECASE,
)
"""Words of a remark that may name other cards than those before it."""
_SUIT: Final = re.compile(
    rf"\b(?:club|diamond|heart|spade)s?\b|{'|'.join(name for name in SUIT_WORDS if not name.isascii())}"
    r"|(?<![0-9AJQKT])[♣♦♥♠](?![0-9AJQKT])|(?<![\w'])[CDHS](?![\w'])",
    re.IGNORECASE,
)
_ARTICLE: Final = re.compile(r"[\s,]+an?$")
"""Article before the name of a pattern. A capital A is a card."""
_SEPARATORS: Final = re.compile(r"[\s,、;]+")
_NUMBER: Final = re.compile("[0-9]+")
_RANK: Final = re.compile("10|[2-9]")
_RANKS: Final = re.compile("(?:10|[2-9])+")


def _without_lead_in(text: str) -> str:
    text = _OPENER.sub("", text, count=1)
    found = _LEAD_IN.match(text)
    return text if found is None else text[found.end() :]


@dataclass(frozen=True, slots=True)
class _Move:
    """Move that a text names.

    Args:
        call: Decision without cards; empty for cards.
        meanings: Meanings of the text as cards.
        pattern: Pattern or reading named with the cards.
        text: Text of the cards.
    """

    call: str = ""
    meanings: Sequence[Sequence[Wish]] = ()
    pattern: str | None = None
    text: str = ""


class _Reader:
    """Reader of one seat's answers.

    Args:
        legal: Legal moves of the seat.
        tr: Texts of the reasons.
        refusal: Reason why the seat may not move; empty if it may.
        by_index: For lines at a prompt: True if numbers are indices if possible, False if they are ranks.
    """

    def __init__(self, legal: LegalPlays, tr: Words, refusal: str = "", *, by_index: bool | None = None) -> None:
        self.legal, self.tr, self.rules = legal, tr, legal.ruleset
        self._refusal, self._by_index, self._by_hand = refusal, by_index, by_index is not None

    def expected(self, given: str, commands: str | None = None) -> str:
        """Return what a text that names no move should have been."""
        tr = words_of(self.rules, self.tr.language)
        if self.legal.calls:
            return tr("prompt.calls" if self._by_hand else "observation.expected_call", words=self._choices())
        if not self._by_hand:
            return tr("observation.expected")
        help_text = commands or tr("prompt.help_indices" if self._by_index else "prompt.help_points")
        return tr("prompt.no_card", given=quoted(given, 20), help=help_text)

    def read(self, move: str, is_alone: bool = False) -> Answer | None:
        """Return the meaning of a text that is a move as a whole, or None.

        Args:
            move: The text.
            is_alone: True if nothing else may be the move. Then a pattern with only jokers needs no cards.
        """
        text = _without_lead_in(" ".join(move.split())).strip()
        try:
            found = self._move(text)
            if found is None and (parts := _BEHIND.fullmatch(text)) is not None:
                found = self._joined(self._move(parts[1]), self._move(parts[2] or parts[3]), parts[3])
        except NotationError:
            given = quoted(" ".join(_SEPARATORS.split(text)), 20)
            return Unreadable(self.tr("prompt.no_index", last=self.legal.hand.bit_count() - 1, given=given))
        if found is None and is_alone:
            jokers = _JOKERS.get(_names_of_patterns(self.rules).get(text.lower().removeprefix("the "), ""))
            found = None if jokers is None else _Move(meanings=parsed(jokers), text=jokers)
        if found is None:
            return None
        return self.decided(found.call) if found.call else self._played(found)

    def is_echo(self, line: str) -> bool:
        """Return True if a line repeats a hand of more than `_LONGEST_PLAY` cards."""
        if self.legal.hand.bit_count() <= _LONGEST_PLAY or self.legal.can(self.legal.hand):
            return False
        try:
            return [one.mask for one in readings(self._cards(" ".join(line.split())), self.legal)] == [self.legal.hand]
        except IllegalPlayError:
            return False

    def decided(self, call: str) -> Answer:
        """Return the meaning of a move without cards."""
        if self._refusal:
            return Illegal(self._refusal)
        try:
            return Played(self.legal.verify_pass() if call == PASS.pattern else self.legal.verify(0, call))
        except IllegalPlayError as error:
            if self.legal.calls:
                return Illegal(self.tr("prompt.calls", words=self._choices()))
            return Illegal(refusal_text(self.legal, 0, error.refusal, self.tr))

    def _choices(self) -> str:
        return " / ".join(move_text(call, self.legal, self.tr) for call in self.legal)

    def _move(self, text: str) -> _Move | None:
        """Return the move that a text without remarks names, or None."""
        if (call := self._call(text.lower())) is not None:
            return _Move(call)
        whole, names = self._cards(text), _names_of_patterns(self.rules)
        if (found := _patterns(self.rules).match(text)) is not None:
            rest = text[found.end() :].lstrip(" :,=-")
            cards = [] if _PLURAL.fullmatch(rest) else self._named(rest.removeprefix("(").removesuffix(")"))
            if cards and (not whole or len(cards[0]) > 1):  # 对子3 is a pair, 对子 3 3 too
                return _Move("", cards, names[found[1].lower()] + (found[2] or ""), rest)
        if not whole and (found := _patterns_behind(self.rules).fullmatch(text)) is not None:
            given = dict.fromkeys((_ARTICLE.sub("", found[1]), found[1]))  # an "a" may be an ace, too
            cards = [meaning for text in given for meaning in self._cards(text)]
            return _Move("", cards, names[found[3].lower()] + (found[4] or ""), found[1]) if cards else None
        return _Move("", whole, None, text) if whole else None

    def _joined(self, move: _Move | None, again: _Move | None, remark: str | None) -> _Move | None:
        """Return the move that a text and the text behind it name together, or None if they differ.

        Args:
            move: The move of the first text.
            again: The move of the second.
            remark: The second text if it is in parentheses.
        """
        if move is None:
            return None
        if again is None:
            return move if remark is not None and self._adds_nothing(remark, move) else None
        if move.call or again.call:
            return move if move.call == again.call else None
        if len(move.meanings) != 1 or len(again.meanings) != 1 or (move.pattern and again.pattern):
            return None
        less, more = sorted((move, again), key=lambda one: sum(wish.suit is not None for wish in one.meanings[0]))
        ranks, cards = ([Counter(wish[:number] for wish in one.meanings[0]) for one in (less, more)] for number in (1, 2))
        exact = Counter({card: number for card, number in cards[0].items() if card[1] is not None})
        if ranks[0] != ranks[1] or exact - cards[1]:
            return None
        return _Move("", more.meanings, move.pattern or again.pattern, more.text)

    def _adds_nothing(self, remark: str, move: _Move) -> bool:
        """Return True if a remark in parentheses leaves the move before it as it is."""
        if _HEDGE.search(remark):
            return False
        if move.call:
            return True
        wishes = move.meanings[0]
        if len(move.meanings) > 1 or _ADDITION.search(remark) or not all(self._is_exact(wish) for wish in wishes):
            return False
        suits = {wish.suit for wish in wishes}
        return all({one.suit for one in parsed(found[0], by_hand=True)[0]} <= suits for found in _SUIT.finditer(remark))

    def _is_exact(self, wish: Wish) -> bool:
        return wish.suit is not None or wish.rank in (13, 14) or self.rules.ranks_only

    def _cards(self, text: str) -> Sequence[Sequence[Wish]]:
        """Return the meanings of a text as cards of the hand, none if it is not cards.

        Numbers are ranks if they cannot be indices: one occurs twice, or is too high and names several ranks at once
        (`44443333`). A single rank that is too high for an index is refused, because a slip of one position must not play
        another card.

        Raises:
            NotationError: Numbers that are neither.
        """
        words = [word for word in _SEPARATORS.split(text) if word]
        if self._by_index and words:
            if any(_NUMBER.fullmatch(word[1:]) for word in words if word[0] == "-"):
                raise NotationError("no index")
            if all(map(_NUMBER.fullmatch, words)) and len({*map(_number, words)}) == len(words):
                if all(_number(word) < self.legal.hand.bit_count() for word in words):
                    cards = iter_cards(cards_at(self.rules, self.legal.hand, map(_number, words)))
                    return [[Wish(card.rank, card.suit, str(card)) for card in cards]]
                if not all(map(_RANKS.fullmatch, words)) or all(map(_RANK.fullmatch, words)):
                    raise NotationError("no index")
        return self._named(text)

    def _named(self, text: str) -> Sequence[Sequence[Wish]]:
        """Return the meanings of a text as cards, without indices."""
        return parsed(text, self.rules.vocabulary, by_hand=self._by_hand)

    def _call(self, word: str) -> str | None:
        """Return the decision without cards that a word names, or None."""
        if _PASSES.fullmatch(word):
            return PASS.pattern
        auction = self.rules.auction
        if auction is None:
            return None
        if self.legal.calls and word in _YES and len(self.legal.calls) == 1:
            return self.legal.calls[0].pattern
        word = word[found.end() :] if (found := _SPEAKER.match(word)) else word
        if self.legal.calls and _NO.fullmatch(word):
            return PASS.pattern
        value = _BID.fullmatch(word) if self.legal.calls or word.startswith("bid") else None
        if value is not None:
            points = next(filter(None, value.groups()))
            return f"bid_{_POINTS[points] if points in _POINTS else int(points)}"
        return next((move for form, move in _LANDLORD.items() if form.fullmatch(word)), None) or _calls(self.rules).get(word)

    def _played(self, move: _Move) -> Answer:
        """Return the meaning of cards."""
        tr, rules = self.tr, self.rules
        if self._refusal:
            return Illegal(self._refusal)
        if self.legal.calls:
            return Illegal(tr("look.auction_goes_on"))
        try:
            found = readings(move.meanings, self.legal, move.pattern)
        except IllegalPlayError:
            return Illegal(tr("prompt.not_held", given=quoted(move.text, 20 if self._by_hand else 40)))
        if len(found) > 1:
            lines = [f"  {one.text}  ({select_cards(self.legal, one.mask, tr).words})" for one in found]
            question = "\n".join([tr("prompt.which_cards", count=len(found)), *lines])
            return Ambiguous(tuple(cards_text(rules, one.mask) for one in found), question)
        selected = select_cards(self.legal, found[0].mask, tr, move.pattern)
        if len(selected.plays) > 1:
            lines = [f"  {rules.reading_name(play)}  ({play_text(rules, play, tr)})" for play in selected.plays]
            question = "\n".join([tr("prompt.which", count=len(selected.plays)), *lines])
            return Ambiguous(tuple(move_text(play, self.legal, tr) for play in selected.plays), question)
        return Played(selected.plays[0]) if selected.plays else Illegal(selected.words)


def _number(word: str) -> int:
    """Return the number of a word; a word of many digits gives a number past every hand."""
    digits = word.lstrip("0")
    return int(digits or "0") if len(digits) < 10 else PAST_EVERY_HAND


@lru_cache(maxsize=64)
def _calls(rules: RuleSet) -> dict[str, str]:
    """Return the auction decisions of a game by every name that texts give them."""
    assert rules.auction is not None
    moves = rules.auction.vocabulary
    named = {pattern_name(rules, move.pattern, words(one)).lower(): move.pattern for one in Language for move in moves}
    closed = {name.replace(" ", ""): move for name, move in named.items()}
    return named | closed | {move.pattern: move.pattern for move in moves}


@lru_cache(maxsize=64)
def _names_of_patterns(rules: RuleSet) -> dict[str, str]:
    """Return the patterns of a game by every name that texts give them, in lower case."""
    names = [rule.pattern.name for rule in rules.patterns]
    if rules.vocabulary is not None:
        given = [(name, rules.vocabulary.by_pattern[name]) for name in names]
        return {called: name for name, word in given for called in (word.en, word.zh)}
    named = {pattern_name(rules, name, words(one)).lower(): name for one in Language for name in names}
    for name in _JOKERS.keys() & set(names):
        named |= dict.fromkeys(("王炸", "双王", "雙王"), name)
    for name, counts in (("pair", "一对 一對 对 對"), ("triple", "三张 三張")):
        named |= dict.fromkeys(counts.split() if name in names else (), name)
    return {**{name.replace("_", " "): name for name in names}, **named, **{name: name for name in names}}


@lru_cache(maxsize=64)
def _patterns(rules: RuleSet) -> re.Pattern[str]:
    """Return the pattern of a name of a pattern at the start of a text."""
    return re.compile(rf"(?:an? )?({_listed(rules)})(#[0-9]{{1,2}})?(?![a-z_])", re.IGNORECASE)


@lru_cache(maxsize=64)
def _patterns_behind(rules: RuleSet) -> re.Pattern[str]:
    """Return the pattern of a text with the name of a pattern at its end."""
    return re.compile(rf"(.+?)(?:[\s,]+|[\s,]*(\()(?:an? )?)({_listed(rules)})(#[0-9]{{1,2}})?(?(2)\))", re.IGNORECASE)


def _listed(rules: RuleSet) -> str:
    return "|".join(map(re.escape, sorted(_names_of_patterns(rules), key=len, reverse=True)))
