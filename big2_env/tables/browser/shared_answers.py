"""Answers about tables of several people: everything that one person may see, as JSON, and nothing else."""

from __future__ import annotations

import json
from typing import Any

from big2_env.base.language import Language, words
from big2_env.tables.browser import answers
from big2_env.tables.browser.shared_table import SharedTable
from big2_env.tables.session.shared_session import SharedClimbing


def state_text(table: SharedTable, owner: str, time: float, lang: Language) -> str:
    """Return the table as a person sees it now, as JSON text.

    The game of each edition is written once for all who see the same.

    Args:
        table: The table.
        owner: Digest of the person's secret.
        time: Time now.
        lang: Language of the texts.
    """
    game = game_text(table, owner, lang)
    shared = json.dumps(_shared(table, owner, time, lang), ensure_ascii=False)
    return f'{game[:-1]}, "shared": {shared}}}'


def state(table: SharedTable, owner: str, time: float, lang: Language) -> dict[str, Any]:
    """Return the table as a person sees it now; see `state_text`.

    Args:
        table: The table.
        owner: Digest of the person's secret.
        time: Time now.
        lang: Language of the texts.
    """
    found: dict[str, Any] = json.loads(state_text(table, owner, time, lang))
    return found


def game_text(table: SharedTable, owner: str, lang: Language) -> str:
    """Return the game as a person sees it, as JSON text.

    Before the end of a deal a spectator sees no hand, or what the seat sees whose person allows it.

    Args:
        table: The table.
        owner: Digest of the person's secret.
        lang: Language of the texts.
    """
    with table.guard:
        key = table.seat_of(owner), table.viewer_of(owner), lang
        edition, text = table.cached.get(key, (-1, ""))
        if edition != table.edition:
            edition, text = table.edition, json.dumps(_game(table, *key), ensure_ascii=False)
            table.cached[key] = edition, text
        return text


def is_written(table: SharedTable, owner: str, lang: Language) -> bool:
    """Return whether `game_text` has its text ready.

    Args:
        table: The table.
        owner: Digest of the person's secret.
        lang: Language of the texts.
    """
    return table.cached.get((table.seat_of(owner), table.viewer_of(owner), lang), (-1, ""))[0] == table.edition


def _game(table: SharedTable, seat: int | None, viewer: int | None, lang: Language) -> dict[str, Any]:
    session = table.session
    found: dict[str, Any] = {
        "table": table.key,
        "version": table.version,
        "title": table.kind.title(lang),
        "game": table.kind.name,
    }
    if session is None:
        return found
    names, is_playing = table.names(lang), seat is not None and not session.is_over
    if seat is not None:
        names[seat] = words(lang)("table.you")
    shown: dict[str, Any] = {"names": names}
    if isinstance(session, SharedClimbing):
        agents = [] if table.deal else [place.agent for place in table.places if place.owner is None]
        shown["notes"] = session.notes(agents, lang)
    can_undo = is_playing and session.last_move_of(seat or 0) is not None
    return found | answers.seen(
        table,
        seat,
        viewer,
        lang,
        is_asked=is_playing and session.turn == seat,
        can_undo=can_undo and table.question is None and seat not in table.asked,
        **shown,
    )


def _shared(table: SharedTable, owner: str, time: float, lang: Language) -> dict[str, Any]:
    """Return who is at the table, as one person may see it."""
    seat = table.seat_of(owner)
    names, question, turn = table.names(lang), table.question, table.turn
    left = None
    if table.seconds and turn is not None and not table.is_agents_turn and question is None:
        left = max(0, round((table.moved + table.seconds - time) * 1000))
    return {
        "phase": table.phase,
        "you": seat,
        "host": table.host,
        "seats": [
            {
                "seat": number,
                "kind": place.kind,
                "name": "" if place.kind == "free" else names[number],
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
