"""The prompt of `big2 play`: one line a turn, for terminals and pipes."""

from __future__ import annotations

from typing import Final, TextIO

from rich.console import Console
from rich.text import Text

from big2_env.cli._screen import end_lines, hand_lines, table_lines
from big2_env.cli._turn import call_help, read_turn, typed_text
from big2_env.cli._typed_lines import COMMANDS, MAX_LINE, TypedLines, shows_signs
from big2_env.errors import AmbiguousPlayError, ConfigError, IllegalPlayError
from big2_env.language import Language, words
from big2_env.play import Sitting
from big2_env.play.advice_text import reasons, values_text
from big2_env.play.chances import beaten_chances
from big2_env.runs.progress import waiting
from big2_env.show.card_text import coloured
from big2_env.text.events import play_text
from big2_env.text.names import no_name

VALUES: Final = 8
"""How many acts the list of values has."""
_CARDS_TOO: Final = ("h", "q")
"""Commands that are cards where numbers are ranks: the lowest heart, a queen."""


class Prompt:
    """A person who types, at a terminal or at the end of a pipe.

    Args:
        sitting: the person's place.
        lang: the language of everything that is printed.
        lines: where the person's lines come from.
        by_index: True if numbers are indices of the hand, False if they are ranks.
        letters: True for `C[3]` also on a terminal that can show 3♣.
    """

    def __init__(self, sitting: Sitting, lang: Language, lines: TextIO, *, by_index: bool, letters: bool) -> None:
        self.sitting = sitting
        self.tr = words(lang)
        self.by_index = by_index
        self._lines = TypedLines(lines)
        self._console = Console(highlight=False, soft_wrap=True)
        self._is_terminal = self._lines.is_terminal
        self._signs = not letters and shows_signs()
        self._shown = 0

    def run(self) -> None:
        """Play one deal after another until the person leaves; at the end of a pipe one deal."""
        known = self.sitting.shown_seed
        self._print("; ".join([*([] if known is None else [self.tr("tui.seed", seed=known)]), self._help()]))
        while self._play_deal() and self._is_terminal and self._goes_on():
            self._shown = 0

    def _play_deal(self) -> bool:
        """Play the deal to its end; False if the person has left before."""
        is_hidden = self.sitting.shown_seed is None
        while not self.sitting.is_over:
            if self.sitting.is_asked:
                if not self._ask_turn():
                    return False
                continue
            forced = self.sitting.is_forced_pass
            with waiting(self.tr("prompt.waiting")):
                self.sitting.advance()
            if forced:
                self._show_events()
                self._print(self.tr("prompt.forced"))
        self._show_events()
        scene = self.sitting.scene(self.tr.language)
        self._print(self.tr("prompt.over", status=scene.status))
        if is_hidden:
            self._print(self.tr("tui.seed", seed=self.sitting.seed))
        for line in end_lines(scene, self._signs):
            self._console.print(line)
        return True

    def _ask_turn(self) -> bool:
        """Let the person make one act; False if they leave."""
        self._show_events()
        scene = self.sitting.scene(self.tr.language)
        for shown in table_lines(scene, self.tr, self._signs):
            self._console.print(shown)
        legal = self.sitting.legal
        if legal.calls:
            self._print(call_help(legal, self.tr))
        for shown in hand_lines(scene.seats[self.sitting.seat].hand or (), self._console.width, self._signs, self.by_index):
            self._console.print(shown)
        while True:
            line = self._read()
            if line is None:
                return False
            asked = self._command(line)
            if asked == "quit":
                return False
            if asked == "undone":
                return True
            if not asked and self._answer(line):
                return True

    def _answer(self, line: str) -> bool:
        """Make the act that a line names; False, with the reason printed, if it names none."""
        if not line.strip() and not self._is_terminal and self.by_index:
            return False  # scripts have always been free to leave lines blank
        turn = read_turn(line, self.sitting.legal, self.by_index, self.tr)
        if turn.play is None:
            self._print(turn.answer)
            return False
        try:
            self.sitting.play(turn.play)
        except (IllegalPlayError, AmbiguousPlayError) as error:
            self._print(str(error))
            return False
        return True

    def _command(self, line: str) -> str:
        """Do what a line asks for that is no act; what it was, empty for none."""
        word = line.strip().lower()
        if len(line) >= MAX_LINE:
            self._print(self.tr("prompt.line_too_long", most=MAX_LINE))
            return "help"
        if not self.by_index and word in _CARDS_TOO and not self.sitting.legal.calls:
            return ""
        asked = COMMANDS.get(word, "")
        if asked in ("hint", "values"):
            self._advise(asked == "values")
        elif asked == "undo":
            if self.sitting.undo():
                self._print(self.tr("prompt.undone"))
                self._shown = len(self.sitting.game.events)
                return "undone"
            self._print(self.tr("tui.nothing_to_undo"))
        elif asked == "review":
            for text in self.sitting.scene(self.tr.language, last=10_000).events:
                self._print(f"  {text}")
        elif asked in ("points", "indices"):
            self.by_index = asked == "indices"
            self._print(self._help())
        elif asked == "help":
            self._print(self._help())
        return asked

    def _help(self) -> str:
        return self.tr("prompt.help_indices" if self.by_index else "prompt.help_points")

    def _advise(self, all_values: bool) -> None:
        """Print what the adviser would play and why, or its best acts."""
        view, rules = self.sitting.view, self.sitting.ruleset
        try:
            with waiting(self.tr("prompt.waiting")):
                advice = self.sitting.advise()[:VALUES]
        except ConfigError as error:
            self._print(str(error))
            return
        beaten = beaten_chances(view, [one.play for one in advice[: VALUES if all_values else 1]], samples=100)
        if all_values:
            self._print(values_text(rules, advice, beaten, self.tr).plain)
            return
        best = advice[0]
        legal = view.legal_plays()
        play = no_name(legal.calls, self.tr) if best.play.is_pass else play_text(rules, best.play, self.tr)
        self._print(self.tr("prompt.hint", typed=typed_text(best.play, legal, self.by_index, self.tr), play=play))
        if why := reasons(best, beaten[0], self.tr):
            self._print(f"  {' · '.join(why)}")

    def _show_events(self) -> None:
        """Everything that has happened since the last time."""
        events = self.sitting.game.events
        new = len(events) - self._shown
        if new > 0:
            for line in self.sitting.lines_of(events[self._shown :], self.tr.language):
                self._print(line)
        self._shown = len(events)

    def _goes_on(self) -> bool:
        """What comes after a deal: True for more, the next deal or the same one with a choice taken back."""
        while True:
            self._print(self.tr("prompt.after"))
            line = self._read()
            word = (line or "q").strip().lower()
            if word in ("n", "next", "y"):
                self.sitting.next_deal()
                return True
            if word in ("u", "undo") and self.sitting.undo():
                return True
            if word in ("", "q", "quit", "exit"):
                return False
            self._command(word)

    def _read(self) -> str | None:
        """A line, `None` at the end of the input."""
        return self._lines.read()

    def _print(self, text: str) -> None:
        self._console.print(coloured(text, signs=self._signs) if text else Text())
