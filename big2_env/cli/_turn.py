"""What a person types at the prompt on their turn: cards, or what is said in an auction."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from big2_env.climbing.hands import cards_at, slots_of
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.errors import AmbiguousPlayError, IllegalPlayError, NotationError, quoted
from big2_env.language import Language, Words
from big2_env.notation import typed
from big2_env.notation.spec_input import PAST_EVERY_HAND
from big2_env.play import look
from big2_env.text.events import play_text
from big2_env.text.names import no_name, pattern_name

_SEPARATORS: Final = re.compile(r"[\s,，、;；]+")
_NUMBER: Final = re.compile("[0-9]+")
_NEGATIVE: Final = re.compile("-[0-9]+")
_RANK: Final = re.compile("10|[2-9]")
_RANKS: Final = re.compile("(?:10|[2-9])+")


class Turn(NamedTuple):
    """What a line means: an act, or why there is none."""

    play: Play | None
    answer: str = ""


def read_turn(line: str, legal: LegalPlays, by_index: bool, tr: Words) -> Turn:
    """The act that a line names.

    Args:
        line: what was typed; numbers are indices of the sorted hand where `by_index`, unless they cannot be.
        legal: what is legal.
        by_index: False if numbers are ranks.
        tr: the words of the answer.
    """
    if legal.calls:
        return _read_call(line, legal, tr)
    words = [word for word in _SEPARATORS.split(line.strip()) if word]
    if line.strip().lower() in typed.PASSES:
        passed = look(legal, 0, tr)
        return Turn(passed.plays[0]) if passed.plays else Turn(None, passed.words)
    names = [rule.pattern.name for rule in legal.ruleset.patterns]
    name = words.pop() if words[-1].partition("#")[0] in names else None
    try:
        found = _readings(words, name, legal, by_index)
    except NotationError:
        return Turn(None, tr("prompt.no_index", last=legal.hand.bit_count() - 1, given=quoted(" ".join(words), 20)))
    except IllegalPlayError:
        return Turn(None, tr("prompt.not_held", given=quoted(" ".join(words), 20)))
    if len(found) > 1:
        lines = (f"  {one.text}  ({look(legal, one.mask, tr).words})" for one in found)
        return Turn(None, "\n".join([tr("prompt.which_cards", count=len(found)), *lines]))
    mask = found[0].mask
    if not mask:
        key = "prompt.help_indices" if by_index else "prompt.help_points"
        return Turn(None, tr("prompt.no_card", given=quoted(line.strip(), 20), help=tr(key)))
    return _read_as(mask, name, legal, tr)


def _readings(words: list[str], name: str | None, legal: LegalPlays, by_index: bool) -> list[typed.Reading]:
    """The cards that words can mean: several sets only if each is a legal play.

    Numbers are ranks where they cannot be indices: one is named twice, or is too high and several ranks at once (`44443333`).
    A single rank too high for an index is refused: a slip of one place must not play another card.

    Raises:
        NotationError: numbers that are neither.
        IllegalPlayError: cards that the hand has not.
    """
    text = " ".join(words)
    if by_index and any(map(_NEGATIVE.fullmatch, words)):
        raise NotationError("no index")
    if by_index and all(map(_NUMBER.fullmatch, words)) and len({*map(_number, words)}) == len(words):
        if all(_number(word) < legal.hand.bit_count() for word in words):
            return [typed.Reading(text, cards_at(legal.ruleset, legal.hand, map(_number, words)))]
        if not all(map(_RANKS.fullmatch, words)) or all(map(_RANK.fullmatch, words)):
            raise NotationError("no index")
    return [typed.Reading(text, 0)] if typed.names_no_card(text) else typed.readings(text, legal, name)


def _number(word: str) -> int:
    """The number that a word is; where it has many digits, one that is past every hand."""
    digits = word.lstrip("0")
    return int(digits or "0") if len(digits) < 10 else PAST_EVERY_HAND


def _read_as(mask: int, name: str | None, legal: LegalPlays, tr: Words) -> Turn:
    """The act of some cards, read as the pattern that is named."""
    rules, found = legal.ruleset, look(legal, mask, tr)
    if not found.plays:
        return Turn(None, found.words)
    plays = [play for play in found.plays if name is None or name in (play.pattern, rules.reading_name(play))]
    if len(plays) == 1:
        return Turn(plays[0])
    if not plays:
        return Turn(None, tr("prompt.not_read_so", play=found.words, name=name))
    lines = (f"  {rules.reading_name(play)}  ({play_text(rules, play, tr)})" for play in plays)
    return Turn(None, "\n".join([tr("prompt.which", count=len(plays)), *lines]))


def _read_call(line: str, legal: LegalPlays, tr: Words) -> Turn:
    try:
        return Turn(typed.read(line, legal))
    except (IllegalPlayError, NotationError, AmbiguousPlayError):
        return Turn(None, call_help(legal, tr))


def call_help(legal: LegalPlays, tr: Words) -> str:
    """What may be typed in an auction now."""
    return tr("prompt.calls", words=" / ".join(typed_text(act, legal, True, tr) for act in legal))


def typed_text(play: Play, legal: LegalPlays, by_index: bool, tr: Words) -> str:
    """A legal act as one types it: indices where `by_index`, else ranks, with suits where they matter."""
    rules = legal.ruleset
    if by_index and play.is_pass and not legal.calls:
        return "-1"
    if not play and tr.language is Language.EN:
        return "pass" if play.is_pass else play.pattern.replace("_", " ")
    if not play:
        return no_name(legal.calls, tr) if play.is_pass else pattern_name(rules, play.pattern, tr).replace(" ", "")
    if by_index:
        words = [str(slot) for slot in slots_of(rules, legal.hand, play.mask)]
    else:
        cards = map(str, rules.order.sort(play.mask))
        words = [re.sub(r"(.)\[(.+)\]", r"\2" if rules.ranks_only else r"\1\2", card) for card in cards]
    try:
        legal.verify(play.mask)
    except AmbiguousPlayError:
        words.append(rules.reading_name(play))
    return " ".join(words)
