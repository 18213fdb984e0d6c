"""The lines and texts of the table."""

from __future__ import annotations

from collections.abc import Iterable

from rich.text import Text
from textual.content import Content

from big2_env.language import Words
from big2_env.scene import RulesPage
from big2_env.show import Scene
from big2_env.show.card_text import with_signs
from big2_env.text.names import points
from big2_env.tui.card_rows import inline
from big2_env.tui.table_view import seat_line


def title_line(title: str, facts: Iterable[str], tr: Words, *, seed: int | None, dealt: int | None = None) -> Text:
    """The game, the number of the deal and its seed where it has them, further facts."""
    deal = [] if dealt is None else [tr("tui.deal", number=dealt)]
    begun_by = [] if seed is None else [tr("tui.seed", seed=seed)]
    return Text(" · ".join([title, *deal, *begun_by, *facts]), no_wrap=True, overflow="ellipsis")


def your_line(scene: Scene, letters: bool, tr: Words) -> Text:
    """The person's own seat, and who is to move."""
    seat = scene.seats[scene.viewer or 0]
    line = Text.assemble(f"{'▶ ' if seat.is_turn else ''}{seat.name} · ", seat_line(seat, tr))
    if seat.score:
        line.append(f" · {tr('tui.score', points=points(seat.score))}")
    line.append(f"   {scene.status if letters else with_signs(scene.status)}", "not bold")
    line.no_wrap, line.overflow = True, "ellipsis"
    return line


def key_bar(keys: Iterable[tuple[str, str, str]]) -> Content:
    """Keys with what they do; each can be clicked."""
    parts = [f"[@click=screen.{action}][reverse]{key}[/reverse] {name}[/]" for key, name, action in keys]
    return Content.from_markup("  ".join(parts))


def help_text(page: RulesPage, width: int, keys: str, tr: Words) -> Text:
    """The keys, which the text `keys` explains, then the rules of a game in lines of at most `width` columns."""
    rules = page.text(width).rstrip("\n")
    return Text.assemble((tr("tui.keys_title"), "bold"), "\n", tr(keys).strip("\n"), "\n\n", rules)


def end_text(scene: Scene, letters: bool, tr: Words) -> Text:
    """What each seat was paid and has left."""
    text = Text()
    for seat in scene.seats:
        paid = points(seat.payoff or 0.0)
        text.append(f"{paid:>8}  {seat.name}", "bold" if (seat.payoff or 0) > 0 else "")
        text.append("".join(f" · {label}" for label in seat.labels))
        if seat.score is not None:
            text.append(f"   {tr('tui.score', points=points(seat.score))}", "dim")
        text.append("\n          ")
        text.append_text(inline(seat.hand, letters) if seat.hand else Text(tr("tui.nothing_left"), "dim"))
        text.append("\n")
    return text
