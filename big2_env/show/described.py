"""Scenes in words, for readers who do not see the picture."""

from __future__ import annotations

from collections.abc import Sequence

from big2_env.language import words
from big2_env.scene import CardFace, Scene
from big2_env.text.events import held_text
from big2_env.text.names import points


def described(scene: Scene) -> str:
    """A scene in words, for readers who do not see the picture: a line for each seat and area."""
    tr = words(scene.language)
    lines = [": ".join(part for part in (scene.title, scene.status) if part), *scene.facts]
    for seat in scene.seats:
        held = held_text(seat.count, tr)
        line = [f"{seat.name}: {held}", *seat.labels]
        if seat.hand:
            line.append(named(seat.hand))
        if seat.act is not None:
            line.append(" ".join(part for part in (seat.act.words, named(seat.act.cards)) if part))
        if seat.payoff is not None:
            line.append(points(seat.payoff))
        lines.append("; ".join(line))
    areas = ((f"{area.label}: {area.count}", named(area.cards)) for area in scene.areas)
    lines += ["; ".join(filter(None, parts)) for parts in areas]
    return "\n".join(lines)


def named(cards: Sequence[CardFace]) -> str:
    """The names of cards that lie face up, with commas between."""
    return ", ".join(face.name or face.text for face in cards if not face.is_back)
