"""Events of a climbing game in words, as everybody at the table sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

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
from big2_env.language import Words, words
from big2_env.scene import Scene, ShownSeat
from big2_env.text.names import pattern_name, points

_NO: Final = {"不叫": "auction.decline", "不搶": "auction.not_rob"}
"""What a pass in an auction is, by its Chinese word."""


def held_text(count: int, tr: Words) -> str:
    """How many cards a seat holds."""
    return tr("table.one_card_left") if count == 1 else tr("table.cards_left", count=count)


def seat_facts(seat: ShownSeat, tr: Words) -> list[str]:
    """How many cards a seat holds, and what else holds for it."""
    return [held_text(seat.count, tr), *seat.labels]


def play_text(ruleset: RuleSet, play: Play, tr: Words) -> str:
    """A play in one line: its pattern and its cards, what is carried last."""
    return " ".join([pattern_name(ruleset, play.pattern, tr), *map(str, hand_order(ruleset, play))])


def said_text(ruleset: RuleSet, event: Said, tr: Words) -> str:
    """What a seat said in an auction."""
    if event.act.is_pass:
        return tr(_NO[event.zh]) if event.zh in _NO else tr("cards.pass")
    return pattern_name(ruleset, event.act.pattern, tr)


def of_seat(key: str, names: Sequence[str], seat: int, tr: Words, **fields: object) -> str:
    """A text about a seat, `table.KEY`; a viewer who is called `you` is addressed instead, by `you.KEY`."""
    if names[seat] == tr("table.you"):
        return tr(f"you.{key}", **fields)
    return tr(f"table.{key}", name=names[seat], **fields)


def won_text(names: Sequence[str], winners: Sequence[int], tr: Words) -> str:
    """Who has won."""
    if [names[seat] for seat in winners] == [tr("table.you")]:
        return tr("you.won")
    return tr("table.won", names=" & ".join(names[seat] for seat in winners))


def settled_text(scene: Scene) -> str:
    """The status of a scene, and once the game is over what each seat was paid: for texts without payments beside the seats."""
    tr = words(scene.language)
    paid = [tr("table.paid", name=seat.name, points=points(seat.payoff)) for seat in scene.seats if seat.payoff is not None]
    return f"{scene.status} ({', '.join(paid)})" if paid else scene.status


def event_text(ruleset: RuleSet, names: Sequence[str], event: Event, tr: Words) -> str | None:
    """One line for an event, `None` for one that needs none. Cards that a seat drew are not named."""
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
            return of_seat("landlord_found", names, seat, tr, cards=ruleset.text(bottom))
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
