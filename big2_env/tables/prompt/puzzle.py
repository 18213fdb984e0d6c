"""A puzzle at the prompt, for terminals without a table and for pipes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import TextIO

from big2_env.base.language import Language
from big2_env.tables.prompt.climbing import Prompt
from big2_env.tables.puzzles import Puzzle
from big2_env.tables.session.puzzling import Puzzling
from big2_env.text.names import words_of


class PuzzlePrompt(Prompt):
    """A person who types moves of a puzzle. An error is refuted, and at a terminal can be taken back.

    Args:
        puzzles: The puzzle to begin with, and further ones.
        lang: Language of everything that is printed.
        lines: Stream of typed lines.
        letters: True for `C[3]` even on a terminal that can show 3♣.
        four_colours: True for green clubs and blue diamonds.
    """

    AFTER = "puzzles.after"

    def __init__(
        self, puzzles: Sequence[Puzzle], lang: Language, lines: TextIO, *, letters: bool, four_colours: bool = False
    ) -> None:
        self._puzzles = cycle(puzzles)
        self.puzzling = Puzzling(next(self._puzzles))
        """The person's session."""
        super().__init__(self.puzzling, lang, lines, by_index=True, letters=letters, four_colours=four_colours)

    def _show_start(self) -> None:
        grade = self.tr("web.puzzle_grade", grade=self.puzzling.puzzle.grade)
        self._print(f"{self.puzzling.puzzle.key} · {grade}")
        self._print(self.puzzling.said(self.tr.language)[0])
        self._print(self._help())

    def _begin_next(self) -> None:
        self.session = self.puzzling = Puzzling(next(self._puzzles))
        self._shown = 0
        self._show_start()

    def _command(self, line: str) -> str:
        if line.strip().lower() in ("n", "next"):
            self._begin_next()
            return "changed"
        return super()._command(line)

    def _help(self) -> str:
        tr = words_of(self.puzzling.ruleset, self.tr.language)
        return tr("puzzles.help" if self.by_index else "puzzles.help_points")

    def _show_position(self) -> None:
        game, tr = self.puzzling.game, self.tr
        for seat, name in enumerate(self.puzzling.names_in(tr.language)):
            if seat != self.puzzling.seat:
                self._print(tr("state.line", label=name, text=game.ruleset.text(game.position.hands[seat])))
        super()._show_position()

    def _advise(self, all_values: bool) -> None:
        """Print the sentence about the puzzle for the command `hint`, the solution for `values`."""
        shown = Puzzling(self.puzzling.puzzle, shows_solution=True) if all_values else self.puzzling
        self._print(shown.said(self.tr.language)[0])
        while all_values and shown.advance():
            pass
        for line in shown.lines_of(shown.game.events, self.tr.language) if all_values else ():
            self._print(line)

    def _advance(self) -> None:
        self.puzzling.advance()  # a forced pass is part of the puzzle and not announced

    def _show_result(self, is_hidden: bool) -> None:
        self._print(self.puzzling.said(self.tr.language)[0])
