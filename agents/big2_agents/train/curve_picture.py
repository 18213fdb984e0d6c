"""The learning curve of a run as SVG: wins and points per game by minutes of training, one line per opponent."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Final, TypeVar

from big2_agents.train.curve import opponents_in, wins_in

T = TypeVar("T")
Point = Mapping[str, float]

COLORS: Final = {"random": "#3f86d2", "greedy": "#2f9a63", "heuristic": "#cf7420"}
"""Colors of opponents, readable on white and on black."""
INK: Final = "#7c7c7c"
WIDTH: Final = 720
HEIGHT: Final = 236
LEFT, RIGHT, TOP, BOTTOM = 44, 16, 44, 36
"""Margins of a panel."""
MAX_POINTS: Final = 120


def curve_picture(curve: Sequence[Point], breaks: Collection[float] = (), par: float | None = None) -> str:
    """Return the picture of a curve: the same bytes for the same curve.

    Args:
        curve: Evaluations, each with `minutes` and, for every opponent, `wins_NAME` (0 to 1) and `payoff_NAME`.
        breaks: Minutes from which on the heuristic opponent is another version; its line is interrupted there.
        par: Fraction of games that equal agents win, drawn as a dashed line.
    """
    curve = thinned(curve)
    names = opponents_in(map(wins_in, curve))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11" '
        f'fill="{INK}">',
        f"<title>Wins and points per game by minutes of training, against {', '.join(names)}</title>",
    ]
    for place, name in enumerate(names):
        x = LEFT + 90 * place
        parts.append(f'<path d="M{x} 12h18" stroke="{COLORS.get(name, INK)}" stroke-width="2"/>')
        parts.append(f'<text x="{x + 23}" y="16">{name}</text>')
    payoffs = [value for point in curve for key, value in point.items() if key.startswith("payoff_")]
    panels = (
        ("games won, %", "wins", 100.0, (0.0, 100.0), par),
        ("points per game", "payoff", 1.0, (min(0.0, *payoffs), max(0.0, *payoffs)), 0.0),
    )
    for place, (title, prefix, factor, limits, equal) in enumerate(panels):
        left = place * WIDTH / 2
        panel = Panel(left, (curve[0]["minutes"], curve[-1]["minutes"]), limits)
        parts += panel.axes(title)
        if equal is not None:
            y = panel.y(factor * equal)
            parts.append(f'<path d="M{panel.left:g} {y}H{panel.right:g}" stroke="{INK}" stroke-dasharray="3 3"/>')
        for name in names:
            for part in parts_of(curve, breaks if name == "heuristic" else ()):
                key = f"{prefix}_{name}"
                places = ((panel.x(point["minutes"]), panel.y(factor * point[key])) for point in part if key in point)
                line = " ".join(f"{x:g},{y:g}" for x, y in places)
                color = COLORS.get(name, INK)
                parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="1.6"/>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def thinned(curve: Sequence[T]) -> Sequence[T]:
    """Return at most `MAX_POINTS` evenly spaced points of a curve, the first and the last among them."""
    if len(curve) <= MAX_POINTS:
        return curve
    return [curve[round(i * (len(curve) - 1) / (MAX_POINTS - 1))] for i in range(MAX_POINTS)]


def parts_of(curve: Sequence[Point], breaks: Collection[float]) -> Iterator[list[Point]]:
    """Yield the pieces of a curve between breaks."""
    for _, part in groupby(curve, lambda point: sum(point["minutes"] >= minute for minute in breaks)):
        yield list(part)


def ticks(low: float, high: float, about: int = 4) -> list[float]:
    """Return round numbers from `low` to `high`, roughly `about` of them.

    >>> ticks(0, 100), ticks(-0.3, 0.9)
    ([0.0, 20.0, 40.0, 60.0, 80.0, 100.0], [-0.2, 0.0, 0.2, 0.4, 0.6, 0.8])
    """
    rough = (high - low or 1.0) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = min((power * factor for factor in (1, 2, 5, 10)), key=lambda found: abs(found - rough))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 9) + 0.0 for number in range(first, last + 1)]


class Panel:
    """Coordinates of one panel.

    Args:
        left: Left edge in the picture.
        minutes: First and last minute.
        values: Lowest and highest value.
    """

    def __init__(self, left: float, minutes: tuple[float, float], values: tuple[float, float]) -> None:
        self.left, self.right = left + LEFT, left + WIDTH / 2 - RIGHT
        self._minutes, self._values = minutes, values

    def x(self, minutes: float) -> float:
        """Return the horizontal position of a minute."""
        first, last = self._minutes
        return round(self.left + (self.right - self.left) * (minutes - first) / (last - first or 1.0), 1)

    def y(self, value: float) -> float:
        """Return the vertical position of a value."""
        low, high = self._values
        return round(HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (value - low) / (high - low or 1.0), 1)

    def axes(self, title: str) -> list[str]:
        """Return title, grid lines and labels."""
        found = [f'<text x="{self.left:g}" y="{TOP - 10}">{title}</text>']
        for value in ticks(*self._values):
            y = self.y(value)
            found.append(f'<path d="M{self.left:g} {y}H{self.right:g}" stroke="{INK}" stroke-opacity=".25"/>')
            found.append(f'<text x="{self.left - 5:g}" y="{y + 4:g}" text-anchor="end">{value:g}</text>')
        below = HEIGHT - BOTTOM + 16
        found += [
            f'<text x="{self.x(minutes):g}" y="{below}" text-anchor="middle">{minutes:g}</text>'
            for minutes in ticks(*self._minutes, about=5)
        ]
        middle = (self.left + self.right) / 2
        found.append(f'<text x="{middle:g}" y="{HEIGHT - 4}" text-anchor="middle">minutes of training</text>')
        return found
