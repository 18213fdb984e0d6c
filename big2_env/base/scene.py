"""Contents of screens as plain values, with all words in one language.

`Scene` is one viewer's knowledge of a game at one moment. `RulesPage` contains the rules.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from big2_env.base.language import Language, Words


@dataclass(frozen=True, slots=True)
class CardFace:
    """One card as it is displayed.

    Args:
        text: Notation as users type it, such as `D[10]` or `BJ`; empty for a face-down card.
        rank: Text in its corner: `10`, `K`, `LJ`; in UNO the face: `7`, `skip`, `+4`.
        suit: `club`, `diamond`, `heart` or `spade`, empty for a joker; in UNO `red`, `yellow`, `green`, `blue` or empty.
        name: Name in words for screen readers, such as `10 of diamonds`.
    """

    text: str
    rank: str = ""
    suit: str = ""
    name: str = ""

    @property
    def is_back(self) -> bool:
        """True if the card is face down."""
        return not self.text


BACK: Final = CardFace("")
"""A face-down card."""


@dataclass(frozen=True, slots=True)
class ShownMove:
    """A move as it is displayed.

    Args:
        seat: Seat that moved.
        words: Name of the pattern, `pass`, or the auction decision.
        cards: Cards in the order in which they are laid down; empty for a move without cards.
        kind: `play`, `pass` or `say`.
        is_top: True for the play to beat, or the last play of a finished game.
    """

    seat: int
    words: str
    cards: tuple[CardFace, ...] = ()
    kind: str = "play"
    is_top: bool = False


@dataclass(frozen=True, slots=True)
class ShownSeat:
    """A seat at the table.

    Args:
        seat: Number of the seat, from 0.
        name: Name of the player.
        count: Number of cards in its hand.
        hand: Its cards in the game's order, or None if hidden from the viewer.
        is_viewer: True for the viewer's own seat.
        is_turn: True for the seat to move.
        labels: Its status in words: landlord, passed, out, points captured.
        act: Its last move in the current trick or auction.
        payoff: Its payoff, once the game is over.
        score: Running score, if several games are played.
    """

    seat: int
    name: str
    count: int
    hand: tuple[CardFace, ...] | None = None
    is_viewer: bool = False
    is_turn: bool = False
    labels: tuple[str, ...] = ()
    act: ShownMove | None = None
    payoff: float | None = None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Area:
    """Place on the table that belongs to no seat: a pile, a row of cards, or a column of Klondike.

    Args:
        key: Identifier: `draw_pile`, `bottom`, `waste`, `pile_3`.
        label: Name for people.
        cards: Cards, with `BACK` for face-down ones. A pile may list only the top card.
        count: Total number of cards.
        layout: `row` (side by side), `column` (overlapping downward) or `pile` (stacked).
        place: `side` (next to the play) or `centre` (if the play itself is about them).
    """

    key: str
    label: str
    cards: tuple[CardFace, ...] = ()
    count: int = 0
    layout: str = "row"
    place: str = "side"


@dataclass(frozen=True, slots=True)
class ShownAdvice:
    """Evaluation of one move as it is displayed.

    Args:
        act: The move.
        value: Mean payoff in playouts, or chance to win in percent.
        interval: 95% confidence interval of the value.
        is_chance: True if the value is a chance to win.
        probability: Probability of the move under a stochastic policy.
        playouts: Number of playouts behind the value.
        is_proof: True if the value is proven rather than estimated.
        is_played: True for the move that was made.
        note: Remark in words.
    """

    act: ShownMove
    value: float | None = None
    interval: tuple[float, float] | None = None
    is_chance: bool = False
    probability: float | None = None
    playouts: int = 0
    is_proof: bool = False
    is_played: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Scene:
    """Knowledge of one viewer about a game at one moment.

    Args:
        game: Identifier of the game, such as `big2` or `uno`.
        title: Name of the game for people.
        language: Language of all words.
        seats: Seats by number.
        areas: Places that belong to no seat.
        viewer: Seat of the viewer, or None for a spectator.
        turn: Seat to move, or None once the game is over.
        ply: Number of moves made.
        status: One line: the seat to move and the play to beat, or the winner.
        facts: Further facts in words, such as the stake and the deals left.
        events: Latest events in words, newest last.
        advice: Evaluated moves, best first.
        is_over: True once the game is over.
    """

    game: str
    title: str
    language: Language
    seats: tuple[ShownSeat, ...] = ()
    areas: tuple[Area, ...] = ()
    viewer: int | None = None
    turn: int | None = None
    ply: int = 0
    status: str = ""
    facts: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    advice: tuple[ShownAdvice, ...] = ()
    is_over: bool = False

    @property
    def top(self) -> ShownMove | None:
        """Play to beat, or the last play of a finished game; None if the seat to move may lead."""
        return next((seat.act for seat in self.seats if seat.act is not None and seat.act.is_top), None)

    def as_json(self) -> dict[str, Any]:
        """Return the scene as JSON values: dicts, lists, numbers and texts."""
        return asdict(self) | {"language": self.language.value}


WIDTH: Final = 80
"""Columns of the text for a terminal."""


@dataclass(frozen=True, slots=True)
class RulesSection:
    """One topic of the rules."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RulesPage:
    """Rules of a game in words, in one language.

    Args:
        game: Identifier of the game, such as `big2` or `uno`.
        title: Name of the game for people.
        language: Language of all words.
        sections: Topics, in an order that suits a beginner.
    """

    game: str
    title: str
    language: Language
    sections: tuple[RulesSection, ...]

    @classmethod
    def of(cls, game: str, title: str, topics: Mapping[str, Iterable[str]], tr: Words) -> RulesPage:
        """Return a page of the topics that contain lines.

        Args:
            game: Identifier of the game.
            title: Name of the game for people.
            topics: Lines by topic, in order. A topic is a name in the texts of `rules_title`.
            tr: Texts in the user's language.
        """
        sections = (RulesSection(tr.name("rules_title", topic), tuple(lines)) for topic, lines in topics.items())
        return cls(game, title, tr.language, tuple(section for section in sections if section.lines))

    def as_json(self) -> dict[str, Any]:
        """Return the page as JSON values: dicts, lists and texts."""
        return asdict(self) | {"language": self.language.value}

    def markdown(self) -> str:
        r"""Return the page as Markdown.

        >>> page = RulesPage("big2", "Big Two", Language.EN, (RulesSection("Aim", ("Be out first.",)),))
        >>> page.markdown()
        '# Big Two\n\n## Aim\n\n- Be out first.\n'
        """
        parts = [f"# {_escaped(self.title)}"]
        for section in self.sections:
            parts.append(f"## {_escaped(section.title)}")
            parts.append("\n".join(f"- {_escaped(line)}" for line in section.lines))
        return "\n\n".join(parts) + "\n"

    def text(self, width: int = WIDTH) -> str:
        """Return the page as plain text."""
        return "\n".join(self.text_lines(width)) + "\n"

    def text_lines(self, width: int = WIDTH) -> Iterator[str]:
        """Yield the lines of `text`. Headings start at the margin, everything else is indented."""
        yield self.title
        for section in self.sections:
            yield ""
            yield section.title
            for line in section.lines:
                for number, part in enumerate(wrapped(line, max(width - 4, 10))):
                    yield f"{'  - ' if not number else '    '}{part}"


def wrapped(text: str, width: int) -> list[str]:
    """Return a text wrapped to a number of columns. Chinese characters take two columns and allow a break anywhere.

    >>> wrapped("one two three", 8), wrapped("大老二 C[3]", 8)
    (['one two', 'three'], ['大老二', 'C[3]'])
    """
    if text.isascii():
        return textwrap.wrap(text, width, break_long_words=True, break_on_hyphens=False)
    lines, line = [], ""
    for piece in _unbroken(_pieces(text)):
        if line and columns(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
        line += piece if line else piece.lstrip()
    return [*lines, line.rstrip()] if line.strip() else lines


NOT_FIRST: Final = frozenset("，。、：；）」！？")
"""Punctuation that may not begin a line."""
NOT_LAST: Final = frozenset("（「")
"""Punctuation that may not end a line."""


def columns(text: str) -> int:
    """Return the number of terminal columns of a text."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _pieces(text: str) -> Iterator[str]:
    """Yield the parts between which a line may break: single wide characters, and words with their blanks."""
    word = ""
    for character in text:
        if unicodedata.east_asian_width(character) in "WF":
            if word:
                yield word
            yield character
            word = ""
        elif character == " ":
            yield word + character
            word = ""
        else:
            word += character
    if word:
        yield word


def _unbroken(pieces: Iterable[str]) -> list[str]:
    """Return the parts, with punctuation joined to its neighbor."""
    joined: list[str] = []
    for piece in pieces:
        if joined and (piece.strip() in NOT_FIRST or joined[-1] in NOT_LAST):
            joined[-1] += piece
        else:
            joined.append(piece)
    return joined


def _escaped(text: str) -> str:
    """Return text that Markdown displays literally."""
    return "".join(f"\\{character}" if character in "\\`*_<>[]#|" else character for character in text)
