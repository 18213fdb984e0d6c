"""What people look at, as plain values with all their words in one language.

A scene is what one viewer may know of a game at one moment; a page of rules explains a game.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

from big2_env.language import Language


@dataclass(frozen=True, slots=True)
class CardFace:
    """One card as it lies there."""

    text: str
    """Its notation, as one types it: `D[10]`, `BJ`; empty for a card that lies face down."""
    rank: str = ""
    """What stands in its corner: `10`, `K`, `LJ`; in UNO the face: `7`, `skip`, `+4`."""
    suit: str = ""
    """`club`, `diamond`, `heart` or `spade`, empty for a joker; in UNO `red`, `yellow`, `green`, `blue` or empty."""
    name: str = ""
    """Its name in words, for readers who do not see it: `10 of diamonds`."""

    @property
    def is_back(self) -> bool:
        """True if the card lies face down."""
        return not self.text


BACK: Final = CardFace("")
"""A card that lies face down."""


@dataclass(frozen=True, slots=True)
class ShownAct:
    """What a seat did."""

    seat: int
    """Who did it."""
    words: str
    """What it was: the name of the pattern, `pass`, what was said in an auction."""
    cards: tuple[CardFace, ...] = ()
    """The cards, in the order in which they are laid down; none for an act without cards."""
    kind: str = "play"
    """`play`, `pass` or `say`."""
    is_top: bool = False
    """True for the play that has to be beaten, or that was the last one of the game."""


@dataclass(frozen=True, slots=True)
class ShownSeat:
    """A seat at the table."""

    seat: int
    """Its number, from 0."""
    name: str
    """Who sits there."""
    count: int
    """How many cards it holds."""
    hand: tuple[CardFace, ...] | None = None
    """Its cards in the game's order, `None` where the viewer does not see them."""
    is_viewer: bool = False
    """True for the viewer's own seat."""
    is_turn: bool = False
    """True for the seat to move."""
    labels: tuple[str, ...] = ()
    """What else holds for it, in words: landlord, passed, out, points captured."""
    act: ShownAct | None = None
    """The last thing it did in the present trick or auction."""
    payoff: float | None = None
    """What the game paid it, once it is over."""
    score: float | None = None
    """The running score, where several games are played."""


@dataclass(frozen=True, slots=True)
class Area:
    """A place on the table that belongs to no seat: a pile, a row of cards, a column of Klondike."""

    key: str
    """What it is for programs: `draw_pile`, `bottom`, `waste`, `pile_3`."""
    label: str
    """What it is for people."""
    cards: tuple[CardFace, ...] = ()
    """The cards, `BACK` for those that lie face down; of a pile only the uppermost may be listed."""
    count: int = 0
    """How many cards there are in all."""
    layout: str = "row"
    """How they lie: `row` side by side, `column` overlapping downwards, `pile` on top of each other."""
    place: str = "side"
    """Where they lie: `side`, beside the play, or `centre`, where the play itself is about them."""


@dataclass(frozen=True, slots=True)
class ShownAdvice:
    """What an adviser thinks of one act."""

    act: ShownAct
    value: float | None = None
    """Mean payoff in play-outs."""
    interval: tuple[float, float] | None = None
    """Its 95 % interval."""
    probability: float | None = None
    """How likely a policy that draws its acts would make it."""
    playouts: int = 0
    """How many play-outs the value comes from."""
    is_proof: bool = False
    """True where the value is proven and no estimate."""
    is_played: bool = False
    """True for the act that was made."""
    note: str = ""
    """A remark in words."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What one viewer may know of a game at one moment."""

    game: str
    """The game's name for programs: `big2`, `uno`."""
    title: str
    """The game's name for people."""
    language: Language
    seats: tuple[ShownSeat, ...] = ()
    """The seats, by number."""
    areas: tuple[Area, ...] = ()
    """Places that belong to no seat."""
    viewer: int | None = None
    """Whose eyes this is, `None` for a spectator."""
    turn: int | None = None
    """The seat to move, `None` once the game is over."""
    ply: int = 0
    """How many acts have been made."""
    status: str = ""
    """One line: who is to move and what has to be beaten, or who has won."""
    facts: tuple[str, ...] = ()
    """Further facts in words: the stake, deals left."""
    events: tuple[str, ...] = ()
    """The last things that happened, a line each, the newest last."""
    advice: tuple[ShownAdvice, ...] = ()
    """What an adviser thinks of the acts, best first."""
    is_over: bool = False
    """True once the game is over."""

    @property
    def top(self) -> ShownAct | None:
        """The play that has to be beaten, or that was the last one of the game; `None` where the seat to move may lead."""
        return next((seat.act for seat in self.seats if seat.act is not None and seat.act.is_top), None)

    def as_json(self) -> dict[str, Any]:
        """The scene as JSON values: dicts, lists, numbers and texts."""
        return asdict(self) | {"language": self.language.value}


WIDTH: Final = 80
"""Columns of the text for a terminal."""


@dataclass(frozen=True, slots=True)
class RulesSection:
    """One subject of the rules."""

    title: str
    lines: tuple[str, ...]
    """What is to be known, a point each."""


@dataclass(frozen=True, slots=True)
class RulesPage:
    """The rules of a game in words, all in one language."""

    game: str
    """The game's name for programs: `big2`, `uno`."""
    title: str
    """The game's name for people."""
    language: Language
    sections: tuple[RulesSection, ...]
    """The subjects, in the order in which one learns a game."""

    def as_json(self) -> dict[str, Any]:
        """The page as JSON values: dicts, lists and texts."""
        return asdict(self) | {"language": self.language.value}

    def markdown(self) -> str:
        r"""The page as Markdown.

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
        """The page as text of at most so many columns."""
        return "\n".join(self.text_lines(width)) + "\n"

    def text_lines(self, width: int = WIDTH) -> Iterator[str]:
        """The lines of `text`; headings stand at the margin, all else is indented."""
        yield self.title
        for section in self.sections:
            yield ""
            yield section.title
            for line in section.lines:
                for number, part in enumerate(wrapped(line, max(width - 4, 10))):
                    yield f"{'  - ' if not number else '    '}{part}"


def wrapped(text: str, width: int) -> list[str]:
    """A text in lines of at most so many columns, a Chinese character taking two and breaking anywhere.

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
"""Punctuation that begins no line."""
NOT_LAST: Final = frozenset("（「")
"""Punctuation that ends no line."""


def columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)


def _pieces(text: str) -> Iterator[str]:
    """The parts between which a line may break: wide characters one by one, others by blanks."""
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
    """The parts with punctuation joined to what it may not be parted from."""
    joined: list[str] = []
    for piece in pieces:
        if joined and (piece.strip() in NOT_FIRST or joined[-1] in NOT_LAST):
            joined[-1] += piece
        else:
            joined.append(piece)
    return joined


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    return "".join(f"\\{character}" if character in "\\`*_<>[]#|" else character for character in text)
