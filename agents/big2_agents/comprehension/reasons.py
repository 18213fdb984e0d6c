"""Reasons why a move is not legal, as the engine finds them."""

from __future__ import annotations

from typing import Final

from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.parts import PatternRule
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import AmbiguousPlayError, IllegalPlayError, Refusal
from big2_env.named import Named


class Reason(Named):
    """Reason why a move is not legal."""

    NO_PATTERN = "no_pattern"
    OTHER_KIND = "other_kind"
    """A pattern or number of cards that does not compare with the play to beat."""
    TOO_LOW = "too_low"
    """Comparable with the play to beat, but not stronger."""
    NEEDS_BOMB = "needs_bomb"
    """The play to beat is a bomb, and this is none."""
    NOT_HELD = "not_held"
    MISSES_OPENING = "misses_opening"
    MUST_LEAD = "must_lead"
    """A pass of the leader."""
    MUST_COVER = "must_cover"
    """A pass of a player who can beat the play and therefore must."""
    NOT_TURN = "not_turn"


_REASONS: Final = {
    Refusal.NO_PATTERN: Reason.NO_PATTERN,
    Refusal.NOT_IN_HAND: Reason.NOT_HELD,
    Refusal.MISSES_OPENING_CARD: Reason.MISSES_OPENING,
    Refusal.MUST_PLAY: Reason.MUST_LEAD,
    Refusal.MUST_COVER: Reason.MUST_COVER,
}


def verdict(view: View, cards: int) -> Reason | None:
    """Return why a move is not legal; None for a legal one.

    Args:
        view: View of the player who moves, after the auction and before the end of the game.
        cards: Cards of the move as a mask; 0 for a pass.
    """
    if not view.is_on_turn:
        return Reason.NOT_TURN
    legal = view.legal_plays()
    try:
        legal.verify(cards)
    except IllegalPlayError as error:
        if error.refusal is Refusal.DOES_NOT_COVER:
            return _short_of(legal, cards)
        return _REASONS[error.refusal]
    except AmbiguousPlayError:  # several legal readings
        return None
    return None


def _short_of(legal: LegalPlays, cards: int) -> Reason:
    """Return why some cards do not beat the top play."""
    rules, top = legal.ruleset, legal.top
    assert top is not None
    found = rules.table.classify(cards)
    if is_bomb(rules, top) and not any(is_bomb(rules, play) for play in found):
        return Reason.NEEDS_BOMB
    return Reason.TOO_LOW if any(is_comparable(rules, play, top) for play in found) else Reason.OTHER_KIND


def rule_of(rules: RuleSet, play: Play) -> PatternRule:
    """Return the rule of a play's pattern.

    Args:
        rules: Rules of the game.
        play: A play.
    """
    return next(rule for rule in rules.patterns if rule.pattern.name == play.pattern)


def is_bomb(rules: RuleSet, play: Play) -> bool:
    """Return True if a play is a bomb.

    Args:
        rules: Rules of the game.
        play: A play.
    """
    return rule_of(rules, play).bomb_level(len(play)) > 0


def is_comparable(rules: RuleSet, play: Play, top: Play) -> bool:
    """Return True if plays are of one comparison group and number of cards, or both are bombs.

    Args:
        rules: Rules of the game.
        play: A play.
        top: Another play.
    """
    if is_bomb(rules, play) and is_bomb(rules, top):
        return True
    return len(play) == len(top) and rule_of(rules, play).group_name == rule_of(rules, top).group_name
