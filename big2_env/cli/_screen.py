"""What the prompt of `big2 play` shows: a scene as lines of text, which are plain where there are no colours."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from big2_env.language import Words
from big2_env.show import CardFace, Scene, ShownSeat
from big2_env.show.card_text import QUIET, STYLES, cards_text, coloured, face_text
from big2_env.text.events import seat_facts
from big2_env.text.names import points


def hand_lines(hand: Sequence[CardFace], width: int, signs: bool, indices_too: bool = True) -> list[Text]:
    """A hand as lines that end between two cards, the indices above the cards unless they are not wanted."""
    found: list[Text] = []
    indices, cards, used = Text(), Text(), 0
    for index, face in enumerate(hand):
        shown = face_text(face, notation=not signs)
        cell = max(len(shown), len(str(index)) if indices_too else 0) + 1
        if used and used + cell > width:
            found += [indices, cards] if indices_too else [cards]
            indices, cards, used = Text(), Text(), 0
        indices.append(f"{index:<{cell}}", QUIET)
        cards.append(f"{shown:<{cell}}", STYLES.get(face.suit, STYLES[""]))
        used += cell
    found += [indices, cards] if indices_too else [cards]
    for line in found:
        line.rstrip()
    return found


def table_lines(scene: Scene, tr: Words, signs: bool) -> list[Text]:
    """The seats, what lies on the table, what it is about."""
    seats = Text(", ", QUIET).join(Text(_seat(seat, tr), "bold" if seat.is_turn else QUIET) for seat in scene.seats)
    areas = (f"{area.label}: {' '.join(card.text for card in area.cards) or area.count}" for area in scene.areas if area.count)
    facts = "; ".join([*scene.facts, *areas])
    return [Text(), seats, *([coloured(facts, signs=signs)] if facts else []), coloured(scene.status, signs=signs)]


def _seat(seat: ShownSeat, tr: Words) -> str:
    score = [tr("tui.score", points=points(seat.score))] if seat.score else []
    return f"{seat.name} {' · '.join([*seat_facts(seat, tr), *score])}"


def end_lines(scene: Scene, signs: bool) -> list[Text]:
    """What each seat was paid and has left, once the game is over."""
    width = max(len(seat.name) for seat in scene.seats)
    return [
        Text.assemble(
            f"  {seat.name:<{width}}  {points(seat.payoff or 0.0):>6}  ",
            cards_text(seat.hand or (), notation=not signs),
        )
        for seat in scene.seats
    ]
