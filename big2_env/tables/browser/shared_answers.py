"""Answers about tables of several people: everything that one person may see, as JSON, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, words
from big2_env.drawing import scene
from big2_env.tables.browser import answers, side_answers
from big2_env.tables.browser.messages import Refused
from big2_env.tables.browser.reviews import TableReview, review_answer, side_answer
from big2_env.tables.browser.shared_places import Presence
from big2_env.tables.browser.shared_table import SharedTable
from big2_env.tables.session.reviewer import DEFAULT_REVIEWER
from big2_env.tables.session.shared_session import SharedClimbing, SharedSide


def state_text(table: SharedTable, owner: str, is_here: Presence, time: float, lang: Language) -> str:
    """Return the table as a person sees it now, as JSON text.

    The game of each edition is written once for all who see the same.

    Args:
        table: The table.
        owner: Digest of the person's secret.
        is_here: Presence of people.
        time: Time now.
        lang: Language of the texts.
    """
    game = game_text(table, owner, lang)
    shared = json.dumps(_shared(table, owner, is_here, time, lang), ensure_ascii=False)
    return f'{game[:-1]}, "shared": {shared}}}'


def state(table: SharedTable, owner: str, is_here: Presence, time: float, lang: Language) -> dict[str, Any]:
    """Return the table as a person sees it now; see `state_text`.

    Args:
        table: The table.
        owner: Digest of the person's secret.
        is_here: Presence of people.
        time: Time now.
        lang: Language of the texts.
    """
    found: dict[str, Any] = json.loads(state_text(table, owner, is_here, time, lang))
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
    session, tr = table.session, words(lang)
    found: dict[str, Any] = {
        "table": table.key,
        "version": table.version,
        "title": table.kind.title(lang),
        "game": table.kind.name,
    }
    if session is None:
        return found
    asked = seat is not None and not session.is_over and session.turn == seat
    can_undo = seat is not None and not session.is_over and session.last_move_of(seat) is not None
    found |= {
        "deal": table.number,
        "asked": asked,
        "waiting": not asked and not session.is_over,
        "can_undo": can_undo and table.question is None and seat not in table.asked,
    }
    names = table.names(lang)
    if seat is not None:
        names[seat] = tr("table.you")
    shown: dict[str, Any] = {"names": names, "lang": lang, "last": 1000, "scores": session.scores}
    if isinstance(session, SharedClimbing):
        agents = [] if table.number else [place.agent for place in table.places if place.owner is None]
        found["scene"] = scene(session.game, viewer, notes=session.notes(agents, lang), **shown).as_json()
        place = 0 if viewer is None else viewer  # of which only public values are used
        legal = session.legal(place)
        found |= answers.choices(session.game.view(place), legal, asked, tr)
    else:
        game = session.game
        found["scene"] = game.scene(viewer, **shown).as_json()
        found["moves"] = [] if seat is None or not asked else side_answers.moves(game, seat, tr)
        found["drawing"] = game.drawing_data((game.turn + 1) % game.num_players if viewer is None else viewer)
        found["watch"] = None
    if session.is_over:
        found["seed"] = str(session.seed)  # a page cannot hold 64 bits as a number
    return found


def _shared(table: SharedTable, owner: str, is_here: Presence, time: float, lang: Language) -> dict[str, Any]:
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
                "here": place.owner is not None and is_here(place.owner),
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


def looked(table: SharedTable, owner: str, texts: Sequence[str], lang: Language) -> dict[str, Any]:
    """Return what cards selected by a person are, and whether they may be played.

    Args:
        table: The table.
        owner: Digest of the person's secret.
        texts: Selected cards, such as `D[3]`.
        lang: Language of the texts.

    Raises:
        Refused: A text names no card (400), the person has no seat or no cards (409), or the game has no such question (404).
    """
    seat, session = _hand_of(table, owner, lang)
    with table.guard:
        legal, version = session.legal(seat), table.version
    return {"version": version, **answers.looked(legal, seat, texts, lang)}


def plays(table: SharedTable, owner: str, lang: Language) -> dict[str, Any]:
    """Return the cards of a person's legal plays.

    Args:
        table: The table.
        owner: Digest of the person's secret.
        lang: Language of errors.

    Raises:
        Refused: The person has no seat or no cards (409), or the game has no such question (404).
    """
    seat, session = _hand_of(table, owner, lang)
    with table.guard:
        legal, version = session.legal(seat), table.version
        asked = not session.is_over and session.turn == seat
    return {"version": version, "plays": answers.plays(legal, asked)}


def review(table: SharedTable, owner: str, asked: Mapping[str, Any], lang: Language) -> Callable[[], dict[str, Any]]:
    """Return a function that returns the page of a deal that is over, or judges a little more; see `table_handlers.review`.

    Args:
        table: The table, as it is stored.
        owner: Digest of the person's secret.
        asked: Message, with the table's `version` and `step`.
        lang: Language of the page.

    Raises:
        Refused: The table has changed, or the deal is not over (409); the function raises it if the deal cannot be judged.
    """
    table.expect(asked["version"], lang)
    session, seat, names = table.expect_over(lang), table.seat_of(owner), table.names(lang)
    game, players = session.game, [place.agent if place.owner is None else None for place in table.places]
    if seat is not None:
        names[seat] = words(lang)("table.you")

    def answer() -> dict[str, Any]:
        try:
            if isinstance(session, SharedSide):
                return side_answer(game, names, asked["step"], lang)
            found = table.reviews.get(seat)
            if found is None or found.game is not game:
                found = table.reviews[seat] = TableReview(game, seat or 0, players, DEFAULT_REVIEWER)
            return review_answer(found, tuple(names), seat, asked["step"], lang)
        except ConfigError as error:
            raise Refused(409, "no_review", words(lang)("web.error_review", reason=str(error))) from None

    return answer


def _hand_of(table: SharedTable, owner: str, lang: Language) -> tuple[int, SharedClimbing]:
    seat = table.own_seat(owner, lang)
    if table.session is None:
        raise Refused(409, "not_playing", words(lang)("web.error_not_playing"))
    if isinstance(table.session, SharedSide):
        raise Refused(404, "http", "Not Found")
    return seat, table.session


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
