"""The rules of a game in words as a value, and as text for a terminal or as Markdown."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

from big2_env.language import Language

WIDTH: Final = 80
"""Columns of the text for a terminal."""


@dataclass(frozen=True, slots=True)
class RulesSection:
    """One subject of the rules."""

    title: str
    """Its heading."""
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
    """The language of all words."""
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
