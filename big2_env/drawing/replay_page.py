"""Games as one HTML page that works offline: the table move by move, with evaluations if there are any.

The page draws scenes, so it contains only what their viewer may know. Styles, script, cards and data are all in the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from html import escape
from importlib.resources import files
from typing import Any, Final

from big2_env.base.errors import ConfigError
from big2_env.base.language import Words, words
from big2_env.base.language.words import catalogue
from big2_env.base.scene import BACK, CardFace, Scene, ShownMove
from big2_env.drawing.card_svg import card_symbols, symbol_id
from big2_env.drawing.felt import felt_style, filled

MAX_FRAMES: Final = 20_000
"""Maximum number of positions on one page."""


@dataclass(frozen=True)
class Remark:
    """Sentence about one position.

    Args:
        text: The sentence.
        kind: `estimate`, or `proof` for a proven statement.
    """

    text: str
    kind: str = "estimate"


@dataclass(frozen=True)
class Curve:
    """Line of the graph: one value per position, with its interval.

    Args:
        name: Seat or player that the line belongs to.
        points: Value and ends of its interval for each position, or None if unknown.
    """

    name: str
    points: tuple[tuple[float, float, float] | None, ...]


@dataclass(frozen=True)
class NamedMove:
    """One move of the game in one line.

    Args:
        ply: Number of moves made before it.
        text: The line.
    """

    ply: int
    text: str


@dataclass(frozen=True)
class Verdict:
    """Result of a review in one sentence.

    Args:
        text: The sentence.
        ply: Number of moves before the move that it names; None if it names no move.
        source: Origin of the values.
        costs: Costly decisions, the costliest first.
        best: The reader's best move; None if no move was certainly better than all others.
        turn: Another player's move that changed the reader's expected payoff most; None if unknown, or if none changed it much.
    """

    text: str
    ply: int | None = None
    source: str = ""
    costs: tuple[NamedMove, ...] = ()
    best: NamedMove | None = None
    turn: NamedMove | None = None


@dataclass(frozen=True)
class Replay:
    """A game as a sequence of scenes, with evaluations if there are any.

    Args:
        title: Title of the game in a list of games.
        frames: Scene of each position, from the start to the end. The advice in a scene refers to the next move.
        moves: Moves; move `i` leads from position `i` to the next. There is one move less than positions.
        marks: `?!`, `?`, `??` or an empty text for each move; empty without evaluations.
        is_chance: True if values are chances to win in percent, instead of points.
        losses: Loss of each move; empty without evaluations.
        remarks: Remarks about each position.
        curves: Lines of the graph.
        proven: For each position, True if something is proven about it.
        summary: Rows of a table; the first row is the header.
        notes: Paragraphs about how the page was produced.
        verdict: The evaluations in one sentence; None without evaluations.
        start: Index of the position shown first.
    """

    title: str
    frames: tuple[Scene, ...]
    moves: tuple[ShownMove, ...]
    marks: tuple[str, ...] = ()
    is_chance: bool = False
    losses: tuple[float | None, ...] = ()
    remarks: tuple[tuple[Remark, ...], ...] = ()
    curves: tuple[Curve, ...] = ()
    proven: tuple[bool, ...] = ()
    summary: tuple[tuple[str, ...], ...] = ()
    notes: tuple[str, ...] = ()
    verdict: Verdict | None = None
    start: int = 0


def replay_page(replays: Sequence[Replay]) -> str:
    """Return an HTML document with one or more games.

    Args:
        replays: The games, all in the same language.

    Raises:
        ConfigError: The list is empty, there are too many positions, or the moves do not match the positions.
    """
    if not replays:
        raise ConfigError("expected at least one game to show, got none")
    if (number := sum(len(game.frames) for game in replays)) > MAX_FRAMES:
        raise ConfigError(f"too many moves for one page: {number:,} (limit {MAX_FRAMES:,})")
    if any(len(game.frames) != len(game.moves) + 1 for game in replays):
        raise ConfigError("expected one moment more than acts")
    tr = words(replays[0].frames[0].language)
    faces = _Faces()
    games = [_game(game, faces) for game in replays]
    data = {"words": _script_words(tr), "cards": faces.as_json(), "games": games}
    parts = {
        "lang": tr.language.value,
        "title": escape(replays[0].title or replays[0].frames[0].title),
        "style": felt_style() + _part("css"),
        "symbols": card_symbols(faces.faces),
        "data": script_json(data),
        "script": _part("js"),
    }
    return filled(_part("html"), lambda name: parts[name] if name in parts else escape(tr(name)))


def script_json(data: object) -> str:
    r"""Return JSON that is safe inside a script element, whatever its texts contain.

    >>> script_json({"name": "</script>"})
    '{"name":"\\u003c/script>"}'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


class _Faces:
    """Cards of a page, stored once each. Scenes refer to them by index."""

    def __init__(self) -> None:
        self.faces: list[CardFace] = []
        self._places: dict[CardFace, int] = {}

    def place(self, face: CardFace) -> int:
        """Return the index of a card."""
        if face not in self._places:
            self._places[face] = len(self.faces)
            self.faces.append(face)
        return self._places[face]

    def as_json(self) -> list[dict[str, Any]]:
        """Return the cards as JSON values."""
        return [{"id": symbol_id(face), **asdict(face)} for face in self.faces]


def _game(game: Replay, faces: _Faces) -> dict[str, Any]:
    return {
        "title": game.title,
        "frames": [_frame(frame, faces) for frame in game.frames],
        "acts": [_move(move, faces) for move in game.moves],
        "marks": list(game.marks),
        "is_chance": game.is_chance,
        "losses": list(game.losses),
        "remarks": [[{"text": one.text, "kind": one.kind} for one in each] for each in game.remarks],
        "curves": [
            {"name": curve.name, "points": [point and _rounded(point) for point in curve.points]} for curve in game.curves
        ],
        "proven": list(game.proven),
        "summary": [list(row) for row in game.summary],
        "notes": list(game.notes),
        "verdict": None if game.verdict is None else asdict(game.verdict),
        "start": game.start,
    }


def _frame(frame: Scene, faces: _Faces) -> dict[str, Any]:
    """Return a scene as JSON values, with cards as indices."""
    shown = frame.as_json()
    for given, seat in zip(frame.seats, shown["seats"], strict=True):
        seat["hand"] = None if given.hand is None else _cards(given.hand, faces)
        seat["act"] = None if given.act is None else _move(given.act, faces)
        if given.hand is None:
            faces.place(BACK)  # what the script draws for each of its cards
    for area, drawn in zip(frame.areas, shown["areas"], strict=True):
        is_hidden_pile = area.layout == "pile" and area.count and not area.cards
        drawn["cards"] = _cards((BACK,) if is_hidden_pile else area.cards, faces)
    for advice, listed in zip(frame.advice, shown["advice"], strict=True):
        listed["act"] = _move(advice.act, faces)
        listed["value"] = None if advice.value is None else round(advice.value, 4)
        listed["interval"] = None if advice.interval is None else _rounded(advice.interval)
    for left_out in ("events", "language", "game"):
        del shown[left_out]
    return shown


def _move(move: ShownMove, faces: _Faces) -> dict[str, Any]:
    return {"seat": move.seat, "words": move.words, "cards": _cards(move.cards, faces), "kind": move.kind, "top": move.is_top}


def _cards(cards: Iterable[CardFace], faces: _Faces) -> list[int]:
    return [faces.place(face) for face in cards]


def _rounded(numbers: Iterable[float]) -> list[float]:
    return [round(number, 4) for number in numbers]


def _script_words(tr: Words) -> dict[str, str]:
    """Return the texts that the script needs, by name."""
    names = (key.removeprefix("replay.") for key in catalogue() if key.startswith("replay."))
    return {name: tr(f"replay.{name}") for name in names}


def _part(kind: str) -> str:
    return (files(__package__) / "page" / f"replay.{kind}").read_text(encoding="utf-8")
