"""Answers about tables of several people: who is there, as far as one person may see it, as JSON."""

from __future__ import annotations

import json
from typing import Any

from big2_env.base.language import Language
from big2_env.tables.browser.shared_table import SharedTable


def with_people(game: str, table: SharedTable, owner: str, now: float, lang: Language) -> str:
    """Return the text of a game with the people at its table, as a person sees them now, as JSON text.

    Args:
        game: Text of the game; see `answers.written`.
        table: The table.
        owner: Digest of the person's secret.
        now: Time of `time.monotonic`.
        lang: Language of the texts.
    """
    shared = json.dumps(_shared(table, owner, now, lang), ensure_ascii=False)
    return f'{game[:-1]}, "shared": {shared}}}'


def _shared(table: SharedTable, owner: str, now: float, lang: Language) -> dict[str, Any]:
    """Return who is at the table, as one person may see it."""
    seat = table.seat_of(owner)
    names, question, turn = table.names(lang), table.question, table.turn
    left = None
    if table.seconds and turn is not None and not table.is_agents_turn and question is None:
        left = max(0, round((table.moved + table.seconds - now) * 1000))
    return {
        "phase": table.phase,
        "you": seat,
        "host": table.host,
        "seats": [
            {
                "seat": number,
                "kind": place.kind,
                "name": "" if place.kind == "free" else names[number],
                "left": place.name if place.owner is None and table.phase == "playing" else "",
                "here": place.owner is not None and table.is_here(place.owner),
                "stand_in": place.stand_in,
            }
            for number, place in enumerate(table.places)
        ],
        "clock": {"seconds": table.seconds, "left": left},
        "undo": None if question is None else {"by": question.by, "waiting": list(question.waiting)},
        "spectators": len(table.spectators),
        "invite": table.invite,
        "can_sit": seat is None and table.free_seat(owner, table.invite, lang) is not None,
        **_sights(table, owner, seat),
    }


def _sights(table: SharedTable, owner: str, seat: int | None) -> dict[str, Any]:
    """Return which spectators see whose hands, and the wishes that a person has or may answer."""
    sights, own = table.sights, table.sights.of.get(owner)
    named = [(table.spectators[each], sight) for each, sight in sights.of.items()]
    return {
        "watching": [
            {"name": name, "seat": sight.seat, "number": sight.number if sight.seat == seat else None}
            for name, sight in named
            if sight.is_allowed
        ],
        "wishes": [
            {"name": name, "number": sight.number} for name, sight in named if sight.seat == seat and not sight.is_allowed
        ],
        "sight": None if own is None else {"seat": own.seat, "allowed": own.is_allowed},
        "sights": sights.choices(owner, table.places, table.phase == "playing") if seat is None else [],
    }


def preview(table: SharedTable, owner: str, invite: str, lang: Language) -> dict[str, Any]:
    """Return what an invited person sees before joining: the game, the names and the seat to get, `None` for a spectator.

    Raises:
        Refused: The invitation is not valid (404).
    """
    seat, names = table.free_seat(owner, invite, lang), table.names(lang)
    return {
        "game": table.kind.name,
        "title": table.kind.title(lang),
        "seat": seat,
        "names": ["" if place.kind == "free" else name for place, name in zip(table.places, names, strict=True)],
        "host": table.host,
        "here": owner in table.owners,
    }


def listed(table: SharedTable, owner: str, lang: Language) -> dict[str, Any]:
    """Return the table's entry in a person's list.

    Args:
        table: The table.
        owner: Digest of the person's secret.
        lang: Language of the texts.
    """
    seat, session, names = table.seat_of(owner), table.session, table.names(lang)
    return {
        "table": table.key,
        "title": table.kind.title(lang),
        "names": [name for place, name in zip(table.places, names, strict=True) if place.kind != "free"],
        "asked": session is not None and not session.is_over and session.turn == seat,
        "over": table.phase == "over",
        "host": seat is not None and seat == table.host,
    }
