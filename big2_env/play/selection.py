"""What selected cards are, and whether they may be played: said before anything is played."""

from __future__ import annotations

from dataclasses import dataclass

from big2_env.climbing.hands import readings
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.errors import AmbiguousPlayError, IllegalPlayError, Refusal
from big2_env.language import Words
from big2_env.text.events import play_text


@dataclass(frozen=True)
class Selection:
    """What selected cards are under the rules."""

    plays: tuple[Play, ...]
    """The legal plays that they can be, in the order of the ruleset's patterns: several where there are several readings."""
    words: str
    """The same for people: the play, or why there is none."""
    refusal: Refusal | None = None
    """Why there is none."""

    @property
    def is_legal(self) -> bool:
        """True if the cards may be played."""
        return bool(self.plays)


def select_cards(legal: LegalPlays, cards: int, tr: Words) -> Selection:
    """What some cards of the hand, given as a mask, are under the rules; no cards are a pass.

    >>> from big2_env import BIG2, Game
    >>> from big2_env.language import Language, words
    >>> legal = Game.deal(BIG2, seed=7).legal_plays()
    >>> select_cards(legal, 0b1, words(Language.EN)).words
    'single C[3]'
    >>> select_cards(legal, 0b100000, words(Language.EN)).words
    'you do not hold D[4]'
    """
    rules = legal.ruleset
    try:
        play = legal.verify(cards)
    except AmbiguousPlayError:
        mask = legal.first_copies(cards)
        found = tuple(play for play in readings(rules, mask) if play in legal)
        return Selection(found, tr("look.or").join(play_text(rules, play, tr) for play in found))
    except IllegalPlayError as error:
        return Selection((), refusal_text(legal, cards, error.refusal, tr), error.refusal)
    return Selection((play,), play_text(rules, play, tr))


def refusal_text(legal: LegalPlays, cards: int, refusal: Refusal, tr: Words) -> str:
    """Why some cards, or a pass, may not be played here."""
    rules = legal.ruleset
    text = rules.text
    key = f"look.{refusal.name.lower()}"
    match refusal:
        case Refusal.NOT_IN_HAND:
            return tr(key, cards=text(cards & ~legal.hand))
        case Refusal.NO_PATTERN:
            return tr(key, cards=text(cards))
        case Refusal.MISSES_OPENING_CARD:
            return tr(key, cards=text(legal.obligation))
        case Refusal.DOES_NOT_COVER:
            own = " / ".join(play_text(rules, play, tr) for play in readings(rules, cards))
            return tr(key, play=own, top="" if legal.top is None else play_text(rules, legal.top, tr))
        case _:
            return tr(key)
