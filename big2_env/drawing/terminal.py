"""Cards and scenes as rich text. It degrades to plain text without colors, and never breaks a line within a card."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.table import Table
from rich.text import Text

from big2_env.base.language import Words, words
from big2_env.base.scene import Area, CardFace, Scene, ShownAdvice, ShownMove, ShownSeat
from big2_env.text.events import seat_facts
from big2_env.text.names import points

SIGNS: Final = {"club": "♣", "diamond": "♦", "heart": "♥", "spade": "♠"}
"""Symbols of the suits."""
Styles: TypeAlias = Mapping[str, str | Style]
STYLES: Final[Styles] = {
    "club": "",
    "diamond": "red",
    "heart": "red",
    "spade": "",
    "red": "red",
    "yellow": "yellow",
    "green": "green",
    "blue": "blue",
    "": "magenta",
}
"""Text style of a card, by suit or by UNO color."""
FOUR_COLOURS: Final[Styles] = {**STYLES, "club": "green", "diamond": "bright_blue"}
"""Text style of a card with green clubs and blue diamonds."""
QUIET: Final = "dim"
"""Style of less important text."""
BACK_TEXT: Final = "▒▒"
"""Text of a face-down card."""
_CARD: Final = re.compile(r"(?<![A-Za-z0-9_])(?:([CDHS])\[(10|[2-9JQKA])\]|[LB]J(?![A-Za-z0-9_]))(\*?)")
_SHORT_CARD: Final = re.compile(r"(?<![A-Za-z0-9])([2-9TJQKA])([CDHS])(?![A-Za-z0-9])( (?= ))?")
SUITS: Final = {name[0].upper(): name for name in SIGNS}
"""Suits by their letters."""


def with_signs(line: str) -> str:
    """Replace card notation in a sentence with suit symbols.

    >>> with_signs("player_1 leads D[10], player_2 passes")
    'player_1 leads 10♦, player_2 passes'
    """
    return _CARD.sub(lambda card: _written(card, True), line)


def with_short_signs(text: str) -> str:
    """Replace cards with a rank before the letter of the suit with suit symbols. A ten takes a blank after it, so columns stay.

    >>> with_short_signs("9H  TD  KS  TC onto pile 3"), with_short_signs("TH>3")
    ('9♥  10♦ K♠  10♣ onto pile 3', '10♥>3')
    """
    return _SHORT_CARD.sub(_short_written, text)


def _short_written(card: re.Match[str]) -> str:
    sign, blank = SIGNS[SUITS[card[2]]], card[3] or ""
    return f"10{sign}" if card[1] == "T" else f"{card[1]}{sign}{blank}"


def coloured(line: str | Text, style: str = "", *, signs: bool = False, styles: Styles = STYLES) -> Text:
    """Return a sentence with its cards in the colors of their suits.

    Args:
        line: The sentence, with cards in notation. Styles of a `Text` are kept.
        style: Style of the other text.
        signs: True for suit symbols (`10♦`), False to keep the notation (`D[10]`).
        styles: Text style of a card by suit.

    >>> coloured("pair C[10] S[10]", signs=True).plain
    'pair 10♣ 10♠'
    """
    given = Text(line) if isinstance(line, str) else line
    text, end = Text(style=style or given.style), 0
    for card in _CARD.finditer(given.plain):
        drawn = given[card.start() : card.end()]
        drawn.plain = _written(card, signs)
        drawn.stylize(styles[SUITS.get(card[1] or "", "")])
        text.append_text(given[end : card.start()]).append_text(drawn)
        end = card.end()
    return text.append_text(given[end:])


def _written(card: re.Match[str], signs: bool) -> str:
    return f"{card[2]}{SIGNS[SUITS[card[1]]]}{card[3]}" if signs and card[1] else card[0]


def face_text(face: CardFace, *, notation: bool = False) -> str:
    """Return a card as text: `10♦`, or `D[10]` in notation, or two blocks if it is face down.

    Args:
        face: The card.
        notation: True for notation instead of suit symbols.
    """
    if face.is_back:
        return BACK_TEXT
    return face.text if notation or face.suit not in SIGNS else f"{face.rank}{SIGNS[face.suit]}"


def card_text(face: CardFace, *, notation: bool = False, styles: Styles = STYLES) -> Text:
    """Return a card as `face_text` writes it, in the color of its suit.

    Args:
        face: The card.
        notation: True for notation instead of suit symbols.
        styles: Text style of a card by suit.
    """
    return Text(face_text(face, notation=notation), QUIET if face.is_back else styles.get(face.suit, styles[""]))


def cards_text(cards: Iterable[CardFace], *, notation: bool = False, styles: Styles = STYLES) -> Text:
    """Return cards separated by blanks, without blanks inside a card.

    Args:
        cards: The cards.
        notation: True for notation instead of suit symbols.
        styles: Text style of a card by suit.
    """
    return Text(" ").join(card_text(face, notation=notation, styles=styles) for face in cards)


INDENT: Final = 4


def move_text(move: ShownMove, *, notation: bool = False) -> Text:
    """Return a move in words, with its cards.

    Args:
        move: The move.
        notation: True for notation instead of suit symbols.
    """
    text = Text(move.words, QUIET if move.kind == "pass" else "")
    return text.append(" ").append_text(cards_text(move.cards, notation=notation)) if move.cards else text


def scene_text(scene: Scene, *, notation: bool = False) -> Group:
    """Return a table as text: seats with their hands, areas, the seat to move, and advice if the scene has any.

    Args:
        scene: The scene.
        notation: True for cards as users type them (`D[10]`) instead of `10♦`.
    """
    tr = words(scene.language)
    parts: list[RenderableType] = [Text.assemble((scene.title, "bold"), (f"  {scene.ply}" if scene.ply else "", QUIET))]
    for seat in scene.seats:
        parts.append(_seat_line(seat, tr, notation))
        if seat.hand:
            parts.append(Padding(cards_text(seat.hand, notation=notation), (0, 0, 0, INDENT)))
    parts += [_area_line(area, notation) for area in scene.areas if area.layout != "column"]
    if columns := [area for area in scene.areas if area.layout == "column"]:
        parts.append(_columns(columns, notation))
    if scene.facts:
        parts.append(Text(" · ".join(scene.facts), QUIET))
    written = str if notation else with_signs
    parts += [Text(f"  {written(line)}", QUIET) for line in scene.events]
    if scene.status:
        parts.append(Text(written(scene.status), "bold"))
    if scene.advice:
        parts.append(advice_table(scene.advice, tr, notation=notation))
    return Group(*parts)


def advice_table(advice: Sequence[ShownAdvice], tr: Words, *, notation: bool = False) -> Table:
    """Return a table of evaluated moves, one per row. Columns without values are omitted.

    Args:
        advice: The moves with their values.
        tr: Texts in the user's language.
        notation: True for notation instead of suit symbols.
    """
    table = Table(box=box.SIMPLE, pad_edge=False)
    table.add_column("")
    table.add_column(tr("replay.act"), overflow="fold")
    has_values = any(one.value is not None for one in advice)
    has_chances = any(one.probability is not None for one in advice)
    if has_values:
        table.add_column(tr("replay.value"), justify="right", no_wrap=True)
        table.add_column(tr("replay.interval"), no_wrap=True)
    if has_chances:
        table.add_column(tr("replay.probability"), justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    for one in advice:
        cells = [Text(tr("replay.played") if one.is_played else "", "bold"), move_text(one.act, notation=notation)]
        if has_values:
            low, high = ("", "") if one.interval is None else (_value(one, end) for end in one.interval)
            ends = "" if one.interval is None else tr("replay.to", low=low, high=high)
            cells += [Text("" if one.value is None else _value(one, one.value)), Text(ends)]
        if has_chances:
            cells.append(Text("" if one.probability is None else f"{one.probability:.1%}"))
        table.add_row(*cells, Text(one.note, QUIET))
    return table


def _value(advice: ShownAdvice, value: float) -> str:
    """Return a value of advice in its unit."""
    return f"{min(max(value, 0.0), 100.0):.0f} %" if advice.is_chance else f"{value:+.2f}"


def _seat_line(seat: ShownSeat, tr: Words, notation: bool) -> Text:
    """Return the line of a seat: name, number of cards, labels and last move."""
    text = Text("▸ " if seat.is_turn else "  ", "bold")
    text.append(seat.name, "bold").append(f"  {' · '.join(seat_facts(seat, tr))}", QUIET)
    if seat.payoff is not None:
        text.append(f"  {points(seat.payoff)}", "bold green" if seat.payoff > 0 else "bold red")
    if seat.score is not None:
        text.append(f"  Σ {points(seat.score)}")
    if seat.act is not None:
        text.append("  » " if seat.act.is_top else "  – ").append_text(move_text(seat.act, notation=notation))
    return text


def _area_line(area: Area, notation: bool) -> Text:
    """Return the line of a pile or a row."""
    cards = area.cards[-1:] if area.layout == "pile" else area.cards
    count = f" ({area.count})" if area.layout == "pile" or not cards else ""
    return Text(f"  {area.label}{count}: ", QUIET).append_text(
        cards_text(cards, notation=notation) if cards else Text("–", QUIET)
    )


def _columns(columns: Sequence[Area], notation: bool) -> Table:
    """Return columns side by side, with their cards downward."""
    table = Table(box=None, pad_edge=False)
    for area in columns:
        table.add_column(area.label, header_style=QUIET)
    for row in range(max((len(area.cards) for area in columns), default=0)):
        table.add_row(*(card_text(area.cards[row], notation=notation) if row < len(area.cards) else "" for area in columns))
    return table
