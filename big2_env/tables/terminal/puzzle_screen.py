"""Table with a puzzle: all hands open, the person in one seat, the solver in all others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.text import Text
from textual.widget import Widget
from textual.widgets import Static

from big2_env.base.language import Language
from big2_env.tables.puzzles.puzzle import GRADES, Puzzle
from big2_env.tables.session.puzzling import Puzzling
from big2_env.tables.terminal.table_frame import Key, title_line
from big2_env.tables.terminal.table_screen import TableScreen
from big2_env.tables.terminal.table_view import hands_table


class PuzzleScreen(TableScreen):
    """Table of a puzzle, and of the following ones.

    Args:
        puzzles: Puzzles in the order in which they are shown.
        lang: Language at the start.
        pause: Pause in seconds after each move of the solver.
    """

    KEYS_TEXT = "tui.puzzle_keys"

    def __init__(self, puzzles: Sequence[Puzzle], lang: Language, pause: float) -> None:
        self.puzzles = puzzles
        """Puzzles in the order in which they are shown."""
        self.at = 0
        """Index of the puzzle on the table."""
        self.puzzling = Puzzling(puzzles[0])
        """The person's session."""
        super().__init__(self.puzzling, lang, pause)

    def parts(self) -> Iterable[Widget]:
        """Yield the seats, the middle, all other hands, and the person's line and hand."""
        seats, middle, *own = super().parts()
        return seats, middle, Static(id="every_hand"), *own

    def draw_parts(self) -> None:
        """Draw the seats, the middle and the hands."""
        super().draw_parts()
        number, mine = len(self.shown_scene.seats), self.puzzling.seat
        others = [self.shown_scene.seats[(mine + step) % number] for step in range(1, number)]
        self.query_one("#every_hand", Static).update(hands_table(others, self.card_style))

    def title_text(self) -> Text:
        """Return the game, the key and the grade of the puzzle, and facts of the game."""
        puzzle, scene = self.puzzling.puzzle, self.shown_scene
        stars = "★" * puzzle.grade + "☆" * (GRADES - puzzle.grade)
        return title_line(scene.title, [puzzle.key, stars, *scene.facts], self.tr, seed=None)

    def act_keys(self) -> list[Key]:
        """Return the keys available now."""
        tr = self.tr
        play = [("Enter", tr("tui.play"), "play"), ("Tab", tr("tui.next_play"), "next_play(1)")]
        play.append(("P", tr("cards.pass"), "pass"))
        more = [
            ("U", tr("web.puzzle_again"), "undo"),
            ("V", tr("web.puzzle_solution"), "values"),
            ("N", tr("web.puzzle_next"), "new_deal"),
        ]
        return more if self.game_is_over or not self.is_asked else play + more

    def view_keys(self) -> list[Key]:
        """Return the keys available at any time, without N, which is a key of the puzzle."""
        return [key for key in super().view_keys() if key[2] != "new_deal"]

    def said_on_turn(self) -> tuple[str, str]:
        """Return the meaning of selected cards, else the task, the refutation of an error, or the result."""
        if self.is_asked and self.hand.chosen:
            return super().said_on_turn()
        return self.puzzling.said(self.tr.language)

    def action_new_deal(self) -> None:
        """Show the next puzzle."""
        self.at = (self.at + 1) % len(self.puzzles)
        self._begin(Puzzling(self.puzzles[self.at]))

    def action_undo(self) -> None:
        """Take back a losing move, or the last one."""
        if self.is_waiting:
            self.tell(self.waited_for())
        elif self.puzzling.shows_solution:
            self._begin(Puzzling(self.puzzling.puzzle))
        else:
            super().action_undo()

    def action_values(self) -> None:
        """Show the solution."""
        self._begin(Puzzling(self.puzzling.puzzle, shows_solution=True))

    def _begin(self, puzzling: Puzzling) -> None:
        """Put a puzzle on the table, when the solver has moved."""
        if self.is_waiting:
            self.tell(self.waited_for())
            return
        self.puzzling = self.session = puzzling
        self.hand.choose(set())
        self.acted()

    def action_hint(self) -> None:
        """Repeat the sentence about the puzzle."""
        self.tell(*self.puzzling.said(self.tr.language))

    def action_coach(self) -> None:
        """Repeat the sentence, because puzzles have no coach."""
        self.action_hint()

    def action_write_review(self) -> None:
        """Repeat the sentence, because puzzles have no review."""
        self.action_hint()

    def leave_text(self) -> None:
        """Return `None`: no progress can be lost."""

    def _show_end(self) -> None:
        """Leave the result in the line below the hand."""
        self.draw_look()
