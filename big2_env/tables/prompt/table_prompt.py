"""Deals at the prompt, for terminals without a table and for pipes: what all kinds of game share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, TextIO

from rich.console import Console

from big2_env.base.errors import visible
from big2_env.base.language import Words
from big2_env.base.scene import Scene
from big2_env.tables.prompt.terminal import COMMANDS, MAX_LINE, TypedLines, end_lines


class TablePrompt(ABC):
    """A person who types at a terminal, or a program at the end of a pipe.

    Args:
        session: The person's seat at the table.
        tr: Texts of the language.
        lines: Stream of typed lines.
    """

    AFTER: ClassVar = "prompt.after"
    """Text of the commands after a deal."""

    def __init__(self, session: Any, tr: Words, lines: TextIO) -> None:
        self.session = session
        self.tr = tr
        self._lines = TypedLines(lines)
        self._console = Console(highlight=False, soft_wrap=not self._lines.is_terminal)
        self._shown = 0

    def run(self) -> None:
        """Play deals until the person leaves; one deal from a pipe."""
        self._show_start()
        while self._play_deal() and self._lines.is_terminal and self._goes_on():
            pass

    def _show_start(self) -> None:
        """Print the seed, if it may be known, the commands, and lines about the players."""
        known = self.session.shown_seed
        self._print("; ".join([*([] if known is None else [self.tr("tui.seed", seed=known)]), self._help()]))
        for note in self._notes():
            self._print(note)

    def _notes(self) -> list[str]:
        """Return lines about the players, before the first deal."""
        return []

    def _play_deal(self) -> bool:
        """Play the deal to its end; return False if the person left before."""
        is_hidden = self.session.shown_seed is None
        while not self.session.is_over:
            if not self.session.is_asked:
                self._advance()
            elif not self._ask_turn():
                return False
        self._show_events()
        self._show_result(is_hidden)
        return True

    def _advance(self) -> None:
        """Make a move that is not the person's choice."""
        self.session.advance()

    def _ask_turn(self) -> bool:
        """Let the person take one turn; return False if the person leaves."""
        self._show_events()
        self._show_position()
        while True:
            line = self._lines.read()
            if line is not None and len(line) >= MAX_LINE:
                self._print(self.tr("prompt.line_too_long", most=MAX_LINE))
                continue
            asked = "quit" if line is None else self._command(line)
            if line is None or asked == "quit":
                return False
            if asked == "changed" or (not asked and self._answer(line)):
                return True

    def _goes_on(self) -> bool:
        """Ask what to do after a deal, and return True to continue with the next deal or with the same one after undoing."""
        while True:
            self._print(self.tr(self.AFTER))
            word = (self._lines.read() or "q").strip().lower()
            if word in ("n", "next", "y"):
                self._begin_next()
                return True
            if not word or COMMANDS.get(word) == "quit":
                return False
            if self._command(word) == "changed":
                return True

    def _begin_next(self) -> None:
        self.session.next_deal()
        self._shown = 0

    def _show_result(self, is_hidden: bool) -> None:
        """Print how the deal ended; also its seed, if that was hidden before."""
        scene = self.session.scene(self.tr.language)
        self._print(self.tr("prompt.over", status=scene.status))
        if is_hidden and self.session.seed is not None:
            self._print(self.tr("tui.seed", seed=self.session.seed))
        self._show_end(scene)

    def _print(self, text: str) -> None:
        self._console.print(visible(text), markup=False)

    def _show_end(self, scene: Scene) -> None:
        for line in end_lines(scene, signs=True) if scene.seats else ():
            self._console.print(line)

    @abstractmethod
    def _help(self) -> str:
        """Return what can be typed."""

    @abstractmethod
    def _show_position(self) -> None:
        """Print the position in which the person is to move."""

    @abstractmethod
    def _show_events(self) -> None:
        """Print everything that happened since the last call."""

    @abstractmethod
    def _answer(self, line: str) -> bool:
        """Make the move that a line names; if it names none, print the reason and return False."""

    @abstractmethod
    def _command(self, line: str) -> str:
        """Run a command that is not a move, and return its name.

        Returns:
            `changed` if it has changed the position; empty if the line is not a command.
        """
