"""Events of a climbing game in words, as every player sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from big2_env.base.language import Words, words
from big2_env.base.scene import Scene, ShownSeat
from big2_env.climbing.events import (
    Event,
    LandlordFound,
    Passed,
    Played,
    Redealt,
    Refilled,
    Said,
    SeatOut,
    StakeMultiplied,
    TrickWon,
)
from big2_env.climbing.hands import hand_order
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.text.names import cards_text, pattern_name, points

_NO: Final = {"不叫": "auction.decline", "不搶": "auction.not_rob"}
"""Key of a pass in an auction, by its Chinese word."""


def held_text(count: int, tr: Words) -> str:
    """Return the number of cards in a hand, in words.

    Args:
        count: Number of cards.
        tr: Texts in the user's language.
    """
    return tr("table.one_card_left") if count == 1 else tr("table.cards_left", count=count)


def seat_facts(seat: ShownSeat, tr: Words) -> list[str]:
    """Return the number of cards of a seat and its labels.

    Args:
        seat: The seat.
        tr: Texts in the user's language.
    """
    return [held_text(seat.count, tr), *seat.labels]


def play_text(ruleset: RuleSet, play: Play, tr: Words) -> str:
    """Return a play in one line: its pattern and its cards, kickers last. Chinese names jokers.

    Args:
        ruleset: Rules of the game.
        play: The play.
        tr: Texts in the user's language.
    """
    name, cards = pattern_name(ruleset, play.pattern, tr), cards_text(ruleset, hand_order(ruleset, play), tr)
    return f"{name}{'' if len(play) == 1 and not cards.isascii() else ' '}{cards}".strip()


def said_text(ruleset: RuleSet, event: Said, tr: Words) -> str:
    """Return an auction decision in words.

    Args:
        ruleset: Rules of the game.
        event: The decision.
        tr: Texts in the user's language.
    """
    if event.move.is_pass:
        return tr(_NO[event.zh]) if event.zh in _NO else tr("cards.pass")
    return pattern_name(ruleset, event.move.pattern, tr)


def of_seat(key: str, names: Sequence[str], seat: int, tr: Words, **fields: object) -> str:
    """Return the text `table.KEY` about a seat, or `you.KEY` if the seat is the viewer.

    Args:
        key: Key without its first part.
        names: Name of each seat; the viewer's name is `you` in the user's language.
        seat: The seat.
        tr: Texts in the user's language.
        **fields: Further values in the text.
    """
    if names[seat] == tr("table.you"):
        return tr(f"you.{key}", **fields)
    return tr(f"table.{key}", name=names[seat], **fields)


def won_text(names: Sequence[str], winners: Sequence[int], tr: Words) -> str:
    """Return the line that names the winners.

    Args:
        names: Name of each seat.
        winners: Seats that won.
        tr: Texts in the user's language.
    """
    if [names[seat] for seat in winners] == [tr("table.you")]:
        return tr("you.won")
    return tr("table.won", names=" & ".join(names[seat] for seat in winners))


def settled_text(scene: Scene) -> str:
    """Return the status of a scene with the payoffs of a finished game, for displays without payoffs next to the seats."""
    tr = words(scene.language)
    paid = [tr("table.paid", name=seat.name, points=points(seat.payoff)) for seat in scene.seats if seat.payoff is not None]
    return f"{scene.status} ({', '.join(paid)})" if paid else scene.status


def event_text(ruleset: RuleSet, names: Sequence[str], event: Event, tr: Words) -> str | None:
    """Return an event in one line, or None for an event without a text. Cards that a seat drew are not named.

    Args:
        ruleset: Rules of the game.
        names: Name of each seat.
        event: The event.
        tr: Texts in the user's language.
    """
    match event:
        case Played(seat, play):
            return tr("table.acted", name=names[seat], play=play_text(ruleset, play, tr))
        case Passed(seat):
            return of_seat("passes", names, seat, tr)
        case Said(seat):
            return tr("table.said", name=names[seat], words=said_text(ruleset, event, tr))
        case Redealt():
            return tr("table.redealt")
        case LandlordFound(seat, bottom):
            return of_seat("landlord_found", names, seat, tr, cards=cards_text(ruleset, bottom, tr))
        case StakeMultiplied(_, by):
            return tr("table.multiplied", by=by)
        case Refilled(seat, cards):
            return of_seat("draws", names, seat, tr, count=cards.bit_count())
        case SeatOut(seat):
            return of_seat("is_out", names, seat, tr)
        case TrickWon(seat):
            return of_seat("wins_trick", names, seat, tr)
        case _:
            return None
