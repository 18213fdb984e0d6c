"""Viewer for the fishing game, whose players make no decisions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from big2_env.base.language import Language
from big2_env.games.fishing.game import FishingGame, decide
from big2_env.games.fishing.plays import FishingOutcome
from big2_env.games.fishing.scene import outcome_text
from big2_env.tables.session.side_session import SideSession
from big2_env.tables.terminal.side_screen import SideTable
from big2_env.tables.terminal.table_frame import Key, title_line
from big2_env.tables.terminal.table_view import MiddleView, SeatsView, inline

FASTEST = 0.05
"""Minimum pause in seconds between plays, about the limit of what the eye can follow."""
KEPT = 500
"""Number of recent plays kept for review."""
MOST_PLAYED = 20_000
"""Maximum number of plays to make at once to reach the end of a game; longer games are only reported."""


class FishingScreen(SideTable):
    """Table with both seats, the board between them, and the hands below.

    Args:
        session: The session, whose players move by themselves.
        lang: Language at the start.
        pause: Pause in seconds after each play.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "go", show=False),
        Binding("right,enter", "step(1)", show=False),
        Binding("left", "step(-1)", show=False),
        Binding("e", "end", show=False),
        Binding("o", "open", show=False),
    ]
    KEYS_TEXT = "side_play.fishing_keys"

    def __init__(self, session: SideSession[FishingGame], lang: Language, pause: float) -> None:
        super().__init__(session, lang, pause)
        self.is_running_on = True
        """True while plays follow automatically."""
        self._open = False
        self._timer: Timer | None = None

    def parts(self) -> Iterable[Widget]:
        """Yield the seats, the board and the hands."""
        return SeatsView(), MiddleView(), Static(id="hands")

    def on_mount(self) -> None:
        """Let the game run. Textual also calls the handler of `SessionTable`."""
        self._wait()

    @property
    def is_waiting(self) -> bool:
        """True during the search for the end of the game."""
        return self._advising

    def read_table(self) -> None:
        """Read the state of the game and draw it."""
        self.shown_scene = self.game.scene(open_hands=self._open, lang=self.tr.language, last=60)
        self.draw()

    def title_text(self) -> Text:
        """Return the title: game, seed and number of plays."""
        return title_line(self.shown_scene.title, self.shown_scene.facts, self.tr, seed=self.session.seed)

    def draw_parts(self) -> None:
        """Draw the seats, the board and the hands."""
        scene, tr = self.shown_scene, self.tr
        self.query_one(SeatsView).show(scene, self.card_style, tr)
        self.query_one(MiddleView).show(scene, self.card_style, tr)
        width = max(len(seat.name) for seat in scene.seats)
        lines = []
        for seat in scene.seats:
            line = Text(f"{seat.name:<{width}} {seat.count:>3}  ")
            line.append_text(Text("█" * seat.count) if seat.hand is None else inline(seat.hand, self.card_style))
            line.truncate(max(20, self.app.size.width - 4), overflow="ellipsis")
            lines.append(line)
        self.query_one("#hands", Static).update(Text("\n").join(lines))

    def act_keys(self) -> list[Key]:
        """Return the keys available now."""
        pairs = [("Space", "go", "go"), ("→", "forward", "step(1)"), ("←", "back", "undo")]
        pairs += [("E", "to_end", "end"), ("O", "open_hands", "open")]
        return [(key, self.tr(f"side_play.{words}"), action) for key, words, action in pairs]

    def look_line(self) -> tuple[str, str]:
        """Return the status message."""
        tr, status = self.tr, self.shown_scene.status
        if self._advising:
            return tr("side_play.computing_end"), ""
        if self.game_is_over:
            return status, ""
        if not self.is_running_on:
            return tr("side_play.stopped", status=status), ""
        return tr("side_play.running", status=status, seconds=f"{self.pause or FASTEST:g}"), ""

    def review_lines(self) -> Iterable[str]:
        """Yield the most recent plays."""
        return list(self.game.scene(lang=self.tr.language, last=KEPT).events)

    def leave_text(self) -> None:
        """Return `None`: the person loses nothing."""

    def action_undo(self) -> None:
        """Go back by one play."""
        self.action_step(-1)

    def action_hint(self) -> None:
        """Do nothing, because the game has no decisions."""

    # How the game goes on.

    def _wait(self) -> None:
        """Start the timer for the next play, unless one is running."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(self.pause or FASTEST, self._go_on)

    def _go_on(self) -> None:
        """Make the next play unless the game is paused."""
        if self.is_running_on and not self._advising:
            self._to(self.game.plays + 1)
            if not self.game_is_over:
                self._wait()

    def action_go(self) -> None:
        """Pause or resume."""
        if self.game_is_over or self._advising:
            return
        self.is_running_on = not self.is_running_on
        self.draw_look()
        if self.is_running_on:
            self._wait()

    def action_step(self, by: int) -> None:
        """Pause, and go forward or back by one play."""
        if self._advising:
            return
        self.is_running_on = False
        self._to(self.game.plays + by)

    def _to(self, plays: int) -> None:
        """Show the game after a number of plays."""
        if self.game.plays > plays:
            self.session.deal()
        while self.game.plays < plays and self.game.loser is None:
            self.game.play()
        self.read_table()

    def action_end(self) -> None:
        """Go to the end of the game, or report that it never ends."""
        if self._advising or self.game_is_over:
            return
        self.is_running_on = False
        rules, start = self.game.rules, self.game.start
        self.advise(lambda: decide(rules, start), self._ended)
        self.draw_look()

    def _ended(self, found: FishingOutcome) -> None:
        if found.plays is not None and found.plays <= MOST_PLAYED and found.loser is not None:
            self._to(found.plays)
        else:
            self.tell(outcome_text(found, None, self.tr))

    def action_open(self) -> None:
        """Toggle between both hands and their sizes."""
        self._open = not self._open
        self.read_table()

    def deal_again(self) -> None:
        """Begin the next deal."""
        self.is_running_on = True
        super().deal_again()
        self._wait()

    def action_new_deal(self) -> None:
        """Deal again without asking."""
        if not self._advising:
            self.deal_again()
