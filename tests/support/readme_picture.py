"""The picture of the README: a real game, each player's prospects below it. `python tests/support/readme_picture.py` renews it.

Four players on the same table: `learned`, `heuristic`, `greedy` and `lowest` in ruleset `big2`, seed 9.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from places import NOTEBOOKS

from big2_agents.review.decision import Prospect
from big2_agents.review.prospects import OpenPlayouts
from big2_env import BIG2, Game
from big2_env.agents.interface import make_agent, play_out, reset_seats
from big2_env.base.language import Language, words
from big2_env.drawing import scene
from big2_env.drawing.raster import write_film
from big2_env.drawing.table_svg import table_svg
from big2_env.notation.transcript import replay
from big2_env.text.names import seat_words

AGENTS = ("learned", "heuristic", "greedy", "lowest")
NAMES = seat_words(AGENTS, words(Language.EN))
SEED = 9
WIDE, HIGH, GRAPH = 960, 600, 170
LINES = (("#7fe0b8", ""), ("#ffb3a0", "14 6"), ("#a9c8ff", "3 5"), ("#ffd75e", "16 5 3 5"))
"""Colour and dashes of each seat's line."""


def graph(prospects: Sequence[Prospect], now: int) -> str:
    """Each seat's expected payoff over the game, drawn up to the present moment."""
    left, right, top, bottom = 150, WIDE - 30, HIGH + 14, HIGH + GRAPH - 26
    step = (right - left) / (len(prospects) - 1)

    def y(value: float) -> float:
        return bottom - (value + 0.4) / 1.45 * (bottom - top)

    parts = [f'<rect x="0" y="{HIGH}" width="{WIDE}" height="{GRAPH}" fill="#103a2f"/>']
    for value, label in ((1.0, "wins +1"), (0.0, "0"), (-1 / 3, "loses -1/3")):
        parts.append(f'<path d="M{left} {y(value):.1f}H{right}" stroke="#3d6a5b"/>')
        parts.append(
            f'<text x="{left - 12}" y="{y(value) + 5:.1f}" fill="#d5e5dd" font-size="15" text-anchor="end">{label}</text>'
        )
    for seat, (colour, dashes) in enumerate(LINES):
        points = " ".join(f"{left + step * ply:.1f},{y(prospects[ply].means[seat]):.1f}" for ply in range(now + 1))
        pen = f'fill="none" stroke="{colour}" stroke-width="3" stroke-dasharray="{dashes}"'
        parts.append(f'<polyline points="{points}" {pen}/>')
        x = left + 10 + seat * 195
        parts.append(f'<path d="M{x} {HIGH + GRAPH - 12}h44" {pen}/>')
        parts.append(f'<text x="{x + 52}" y="{HIGH + GRAPH - 7}" fill="#ffffff" font-size="15">{NAMES[seat]}</text>')
    return "".join(parts)


def frames() -> Iterator[str]:
    """The table at each moment, and the graph below it, as SVG."""
    game = Game.deal(BIG2, SEED)
    agents = [make_agent(name) for name in AGENTS]
    reset_seats(agents, game)
    play_out(game, agents)
    moments = [frame.game for frame in replay(game)]
    players = OpenPlayouts(BIG2, 4)
    prospects = [players.prospect(moment) for moment in moments]
    for ply, moment in enumerate(moments):
        table = table_svg(scene(moment, open_hands=True, names=NAMES, lang=Language.EN), width=WIDE)
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH + GRAPH}" font-family="sans-serif">'
        yield f"{head}{table}{graph(prospects, ply)}</svg>"


if __name__ == "__main__":
    print(write_film(NOTEBOOKS / "game.gif", frames(), 1.2, width=640, hold=6.0), "pictures")
