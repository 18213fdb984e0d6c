"""What the prompt of `big2 play` shows: a scene as lines of text, which are plain where there are no colours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from rich.text import Text

from big2_env.language import Words
from big2_env.show import CardFace, Scene, ShownSeat
from big2_env.show.numbers import points
from big2_env.show.texts import held_text

SUIT_STYLES: Final = {"club": "green", "diamond": "yellow", "heart": "red", "spade": "cyan", "": "magenta"}
SIGNS: Final = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}
QUIET: Final = "dim"
_CARD: Final = re.compile(r"([CDHS])\[(10|[2-9JQKA])\]|\b[LB]J\b")
_SUITS: Final = {"C": "club", "D": "diamond", "H": "heart", "S": "spade"}


def with_cards(line: str, signs: bool) -> Text:
    """A line with its cards coloured; `D[10]` as `10♦` where signs are wanted.

    >>> with_cards("pair C[10] S[10]", signs=True).plain
    'pair 10♣ 10♠'
    """
    text, end = Text(), 0
    for card in _CARD.finditer(line):
        text.append(line[end : card.start()])
        text.append(f"{card[2]}{SIGNS[card[1]]}" if signs and card[1] else card[0], SUIT_STYLES[_SUITS.get(card[1] or "", "")])
        end = card.end()
    return text.append(line[end:])


def face_text(face: CardFace, signs: bool) -> str:
    """A card as it stands in a line."""
    return with_cards(face.text, signs).plain


def hand_lines(hand: Sequence[CardFace], width: int, signs: bool, indices_too: bool = True) -> list[Text]:
    """A hand as lines that end between two cards, the indices above the cards unless they are not wanted."""
    found: list[Text] = []
    indices, cards, used = Text(), Text(), 0
    for index, face in enumerate(hand):
        shown = face_text(face, signs)
        cell = max(len(shown), len(str(index)) if indices_too else 0) + 1
        if used and used + cell > width:
            found += [indices, cards] if indices_too else [cards]
            indices, cards, used = Text(), Text(), 0
        indices.append(f"{index:<{cell}}", QUIET)
        cards.append(f"{shown:<{cell}}", SUIT_STYLES.get(face.suit, ""))
        used += cell
    found += [indices, cards] if indices_too else [cards]
    for line in found:
        line.rstrip()
    return found


def table_lines(scene: Scene, say: Words, signs: bool) -> list[Text]:
    """The seats, what lies on the table, what it is about."""
    seats = Text(", ", QUIET).join(Text(_seat(seat, say), "bold" if seat.is_turn else QUIET) for seat in scene.seats)
    areas = (f"{area.label}: {' '.join(card.text for card in area.cards) or area.count}" for area in scene.areas if area.count)
    facts = "; ".join([*scene.facts, *areas])
    return [Text(), seats, *([with_cards(facts, signs)] if facts else []), with_cards(scene.status, signs)]


def _seat(seat: ShownSeat, say: Words) -> str:
    count = held_text(seat.count, say)
    score = [say("tui.score", points=points(seat.score))] if seat.score else []
    return f"{seat.name} {' · '.join([count, *seat.labels, *score])}"


def end_lines(scene: Scene, signs: bool) -> list[Text]:
    """What each seat was paid and has left, once the game is over."""
    width = max(len(seat.name) for seat in scene.seats)
    return [
        Text.assemble(
            f"  {seat.name:<{width}}  {points(seat.payoff or 0.0):>6}  ",
            with_cards(" ".join(card.text for card in seat.hand or ()), signs),
        )
        for seat in scene.seats
    ]
