"""Games as one HTML page that needs no network: the table move by move, and what somebody found out about it.

The page draws scenes, so it holds what their viewer may know and nothing else. All of it is in the file: styles, script, cards
and data.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from typing import Any, Final

from big2_env.errors import ConfigError
from big2_env.language import Words, words
from big2_env.language.words import catalogue
from big2_env.scene import BACK, CardFace, Scene, ShownAct
from big2_env.show.card_svg import card_symbols, symbol_id

MAX_FRAMES: Final = 20_000
"""Most moments that one page may hold."""


@dataclass(frozen=True)
class Remark:
    """A sentence about one moment."""

    text: str
    kind: str = "estimate"
    """`estimate`, or `proof` for what is proven."""


@dataclass(frozen=True)
class Curve:
    """A line of the graph: one number for each moment, with its interval."""

    name: str
    """Whose line it is."""
    points: tuple[tuple[float, float, float] | None, ...]
    """By moment: the number, and the ends of its interval; `None` where it is not known."""


@dataclass(frozen=True)
class Replay:
    """A game to look through."""

    title: str
    """What the game is called among others."""
    frames: tuple[Scene, ...]
    """The moments, the one before the first act first. The advice of each is on the act that comes next."""
    acts: tuple[ShownAct, ...]
    """What was done: act `i` leads from moment `i` to the next. One act less than moments."""
    marks: tuple[str, ...] = ()
    """By act, `?!`, `?`, `??` or nothing; empty where nobody judged."""
    losses: tuple[float | None, ...] = ()
    """By act, what it cost; empty where nobody judged."""
    remarks: tuple[tuple[Remark, ...], ...] = ()
    """By moment, what there is to say about it."""
    curves: tuple[Curve, ...] = ()
    """The lines of the graph."""
    proven: tuple[bool, ...] = ()
    """By moment, true where something is proven about it."""
    summary: tuple[tuple[str, ...], ...] = ()
    """A table, its first row the heads."""
    notes: tuple[str, ...] = ()
    """How the page came about, a paragraph each."""
    start: int = 0
    """The moment that is shown first."""


def replay_page(replays: Sequence[Replay]) -> str:
    """The page of one game or several, as a document.

    Args:
        replays: the games, all in the same language.

    Raises:
        ConfigError: no game, more moments than a page may hold, or a game whose acts do not fit its moments.
    """
    if not replays:
        raise ConfigError("expected at least one game to show, got none")
    if (number := sum(len(game.frames) for game in replays)) > MAX_FRAMES:
        raise ConfigError(f"too many moves for one page: {number:,} (limit {MAX_FRAMES:,})")
    if any(len(game.frames) != len(game.acts) + 1 for game in replays):
        raise ConfigError("expected one moment more than acts")
    tr = words(replays[0].frames[0].language)
    faces = _Faces()
    games = [_game(game, faces) for game in replays]
    data = {"words": _script_words(tr), "cards": faces.as_json(), "games": games}
    return _filled(
        tr,
        lang=tr.language.value,
        title=escape(" · ".join(dict.fromkeys(game.title for game in replays[:1])) or replays[0].frames[0].title),
        style=_part("css"),
        symbols=card_symbols(faces.faces),
        data=script_json(data),
        script=_part("js"),
    )


def script_json(data: object) -> str:
    r"""JSON that may stand in a script element of a page, whatever its texts are.

    >>> script_json({"name": "</script>"})
    '{"name":"\\u003c/script>"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


class _Faces:
    """The cards of a page, each once; scenes name them by their places."""

    def __init__(self) -> None:
        self.faces: list[CardFace] = []
        self._places: dict[CardFace, int] = {}

    def place(self, face: CardFace) -> int:
        """Where a card stands."""
        if face not in self._places:
            self._places[face] = len(self.faces)
            self.faces.append(face)
        return self._places[face]

    def as_json(self) -> list[dict[str, Any]]:
        """The cards, as JSON values."""
        return [
            {
                "id": symbol_id(face),
                "text": face.text,
                "rank": face.rank,
                "suit": face.suit,
                "name": face.name,
            }
            for face in self.faces
        ]


def _game(game: Replay, faces: _Faces) -> dict[str, Any]:
    return {
        "title": game.title,
        "frames": [_frame(frame, faces) for frame in game.frames],
        "acts": [_act(act, faces) for act in game.acts],
        "marks": list(game.marks),
        "losses": list(game.losses),
        "remarks": [[{"text": one.text, "kind": one.kind} for one in each] for each in game.remarks],
        "curves": [
            {"name": curve.name, "points": [point and _rounded(point) for point in curve.points]} for curve in game.curves
        ],
        "proven": list(game.proven),
        "summary": [list(row) for row in game.summary],
        "notes": list(game.notes),
        "start": game.start,
    }


def _frame(frame: Scene, faces: _Faces) -> dict[str, Any]:
    """A scene as JSON values, its cards as places."""
    shown = frame.as_json()
    for given, seat in zip(frame.seats, shown["seats"], strict=True):
        seat["hand"] = None if given.hand is None else _cards(given.hand, faces)
        seat["act"] = None if given.act is None else _act(given.act, faces)
        if given.hand is None:
            faces.place(BACK)  # what the script draws for each of its cards
    for area, drawn in zip(frame.areas, shown["areas"], strict=True):
        is_hidden_pile = area.layout == "pile" and area.count and not area.cards
        drawn["cards"] = _cards((BACK,) if is_hidden_pile else area.cards, faces)
    for advice, listed in zip(frame.advice, shown["advice"], strict=True):
        listed["act"] = _act(advice.act, faces)
        listed["value"] = None if advice.value is None else round(advice.value, 4)
        listed["interval"] = None if advice.interval is None else _rounded(advice.interval)
    for left_out in ("events", "language", "game"):
        del shown[left_out]
    return shown


def _act(act: ShownAct, faces: _Faces) -> dict[str, Any]:
    return {"seat": act.seat, "words": act.words, "cards": _cards(act.cards, faces), "kind": act.kind, "top": act.is_top}


def _cards(cards: Iterable[CardFace], faces: _Faces) -> list[int]:
    return [faces.place(face) for face in cards]


def _rounded(numbers: Iterable[float]) -> list[float]:
    return [round(number, 4) for number in numbers]


def _script_words(tr: Words) -> dict[str, str]:
    """The texts that the script needs, by their names without the file's."""
    names = (key.removeprefix("replay.") for key in catalogue() if key.startswith("replay."))
    return {name: tr(f"replay.{name}") for name in names}


def _part(kind: str) -> str:
    return (files(__package__) / "page" / f"replay.{kind}").read_text(encoding="utf-8")


def _filled(tr: Words, **parts: str) -> str:
    """The page with its parts and, for each `{{replay.KEY}}`, a text, put in at once: no part is looked through again."""
    pieces = _part("html").split("{{")
    filled = [pieces[0]]
    for piece in pieces[1:]:
        name, _, rest = piece.partition("}}")
        filled += [parts[name] if name in parts else escape(tr(name)), rest]
    return "".join(filled)
