"""Meaning and legality of selected cards, before they are played."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from big2_env.base.errors import AmbiguousPlayError, IllegalPlayError, Refusal
from big2_env.base.language import Words
from big2_env.climbing.hands import readings
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.text.events import play_text
from big2_env.text.names import cards_text


@dataclass(frozen=True)
class Selection:
    """Meaning of selected cards under the rules."""

    plays: tuple[Play, ...]
    """Legal plays that the cards can form, in the order of the ruleset's patterns."""
    words: str
    """Text for people: the play, or the reason why it is not possible."""
    refusal: Refusal | None = None
    """Reason why no legal play is possible."""

    @property
    def is_legal(self) -> bool:
        """True if the cards may be played."""
        return bool(self.plays)


def select_cards(legal: LegalPlays, cards: int, tr: Words, name: str | None = None) -> Selection:
    """Return the meaning of some cards of the hand. No cards mean a pass.

    Args:
        legal: Legal moves.
        cards: The cards as a mask.
        tr: Texts in the user's language.
        name: Pattern or reading that the cards are meant to be; None for any.

    >>> from big2_env import BIG2, Game
    >>> from big2_env.base.language import Language, words
    >>> legal = Game.deal(BIG2, seed=7).legal_plays()
    >>> select_cards(legal, 0b1, words(Language.EN)).words
    'single C[3]'
    >>> select_cards(legal, 0b100000, words(Language.EN)).words
    'you do not hold D[4]'
    """
    rules = legal.ruleset
    try:
        found: tuple[Play, ...] = (legal.verify(cards),)
    except AmbiguousPlayError:
        found = tuple(play for play in readings(rules, legal.first_copies(cards)) if play in legal)
    except IllegalPlayError as error:
        return Selection((), refusal_text(legal, cards, error.refusal, tr), error.refusal)
    words = tr("look.or").join(play_text(rules, play, tr) for play in found)
    if name is None:
        return Selection(found, words)
    if plays := tuple(play for play in found if name in (play.pattern, rules.reading_name(play))):
        return Selection(plays, words)
    return Selection((), tr("prompt.not_read_so", play=words, name=name), Refusal.NO_PATTERN)


def refusal_text(legal: LegalPlays, cards: int, refusal: Refusal, tr: Words) -> str:
    """Return the reason in words why some cards, or a pass, may not be played."""
    rules = legal.ruleset
    text = partial(cards_text, rules)
    key = f"look.{refusal.name.lower()}"
    match refusal:
        case Refusal.NOT_IN_HAND:
            return tr(key, cards=text(cards & ~legal.hand))
        case Refusal.NO_PATTERN | Refusal.NOT_LAST:
            return tr(key, cards=text(cards))
        case Refusal.MISSES_OPENING_CARD:
            return tr(key, cards=text(legal.obligation))
        case Refusal.NOT_HIGHEST:
            return tr(key, cards=text(legal.highest_singles()))
        case Refusal.DOES_NOT_COVER:
            own = " / ".join(play_text(rules, play, tr) for play in readings(rules, cards))
            return tr(key, play=own, top="" if legal.top is None else play_text(rules, legal.top, tr))
        case _:
            return tr(key)
