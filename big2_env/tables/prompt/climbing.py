"""The prompt of `big2 play`: one line per turn, for terminals and pipes."""

from __future__ import annotations

import re
from typing import Final, NamedTuple, TextIO

from rich.text import Text

from big2_env.base.errors import AmbiguousPlayError, ConfigError, IllegalPlayError, visible
from big2_env.base.language import Language, Words, words
from big2_env.base.scene import Scene
from big2_env.cli._options import shows_signs
from big2_env.climbing.hands import slots_of
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.drawing.terminal import FOUR_COLOURS, SIGNS, STYLES, SUITS, coloured
from big2_env.runs.progress import waiting
from big2_env.tables.prompt.table_prompt import TablePrompt
from big2_env.tables.prompt.terminal import CARDS_TOO, COMMANDS, end_lines, hand_lines, table_lines
from big2_env.tables.session.advice_text import values_text
from big2_env.tables.session.move_reasons import sentences
from big2_env.tables.session.table_session import TableSession
from big2_env.text.answers import Ambiguous, Illegal, Played, Unreadable, read_line
from big2_env.text.events import play_text
from big2_env.text.names import cards_text, move_text, no_name, words_of
from big2_env.text.observation import observation

_SUIT_FIRST: Final = re.compile(r"\b([CDHS])(10|[2-9JQKA])\b")


class Turn(NamedTuple):
    """Meaning of a line: a move, or the reason why it is not one."""

    play: Play | None
    answer: str = ""


def read_turn(line: str, legal: LegalPlays, by_index: bool, tr: Words, commands: str | None = None) -> Turn:
    """Return the move that a line names.

    Args:
        line: Typed line.
        legal: Legal moves.
        by_index: True to read numbers as indices of the sorted hand if possible, False to read them as ranks.
        tr: Texts of the answer.
        commands: As in `read_line`.
    """
    match read_line(line, legal, tr, by_index=by_index, commands=commands):
        case Played(play):
            return Turn(play)
        case Illegal(reason) | Unreadable(reason) | Ambiguous(_, reason):
            return Turn(None, reason)


def typed_text(play: Play, legal: LegalPlays, by_index: bool, tr: Words) -> str:
    """Return a legal move as it would be typed.

    Args:
        play: Move to write.
        legal: Legal moves.
        by_index: True for indices, False for ranks, with suits if they matter.
        tr: Texts of the language.
    """
    rules = legal.ruleset
    if by_index and play.is_pass and not legal.calls:
        return "-1"
    if not play:
        return move_text(play, legal, tr)
    if by_index:
        words = [str(slot) for slot in slots_of(rules, legal.hand, play.mask)]
    elif rules.vocabulary is not None:
        words = [cards_text(rules, play.mask)]
    else:
        cards = map(str, rules.order.sort(play.mask))
        words = [re.sub(r"(.)\[(.+)\]", r"\2" if rules.ranks_only else r"\1\2", card) for card in cards]
    try:
        legal.verify(play.mask)
    except AmbiguousPlayError:
        words.append(rules.reading_name(play))
    return " ".join(words)


VALUES: Final = 8
"""Number of moves in the list of values."""


class Prompt(TablePrompt):
    """A person who types at a terminal, or a program at the end of a pipe.

    Args:
        session: The person's seat at the table.
        lang: Language of everything that is printed.
        lines: Stream of typed lines.
        by_index: True if numbers are indices of the hand, False if they are ranks.
        letters: True for `C[3]` even on a terminal that can show 3♣.
        four_colours: True for green clubs and blue diamonds.
    """

    def __init__(
        self,
        session: TableSession,
        lang: Language,
        lines: TextIO,
        *,
        by_index: bool,
        letters: bool,
        four_colours: bool = False,
    ) -> None:
        super().__init__(session, words(lang), lines)
        self.by_index = by_index
        self._signs = not letters and shows_signs()
        self._styles = FOUR_COLOURS if four_colours else STYLES

    def _notes(self) -> list[str]:
        notes: list[str] = self.session.notes(self.tr.language)
        return notes

    def _advance(self) -> None:
        forced = self.session.is_forced_pass
        with waiting(self.tr("prompt.waiting")):
            self.session.advance()
        if forced:
            self._show_events()
            self._print(self.tr("prompt.forced"))

    def _show_end(self, scene: Scene) -> None:
        for line in end_lines(scene, self._signs, self._styles):
            self._console.print(line)

    def _show_position(self) -> None:
        scene = self.session.scene(self.tr.language)
        for shown in table_lines(scene, self.tr, self._signs, self._styles):
            self._console.print(shown)
        legal = self.session.legal
        if legal.calls:
            typed = (typed_text(move, legal, True, self.tr) for move in legal)
            self._print(self.tr("prompt.calls", words=" / ".join(typed)))
        hand = scene.seats[self.session.seat].hand or ()
        for shown in hand_lines(hand, self._console.width, self._signs, self.by_index, self._styles):
            self._console.print(shown)

    def _answer(self, line: str) -> bool:
        if not line.strip() and not self._lines.is_terminal and self.by_index:
            return False  # scripts have always been free to leave lines blank
        turn = read_turn(line, self.session.legal, self.by_index, self.tr, self._help())
        if turn.play is None:
            self._print(turn.answer)
            return False
        try:
            self.session.play(turn.play)
        except (IllegalPlayError, AmbiguousPlayError) as error:
            self._print(str(error))
            return False
        return True

    def _command(self, line: str) -> str:
        word = line.strip().lower()
        if not self.by_index and word in CARDS_TOO and not self.session.legal.calls:
            return ""
        asked = COMMANDS.get(word, "")
        if asked in ("hint", "values"):
            self._advise(asked == "values")
        elif asked == "undo":
            if self.session.undo():
                self._print(self.tr("prompt.undone"))
                self._shown = len(self.session.game.events)
                return "changed"
            self._print(self.tr("tui.nothing_to_undo"))
        elif asked == "review":
            for text in self.session.scene(self.tr.language, last=10_000).events:
                self._print(f"  {text}")
        elif asked == "state":
            self._print(observation(self.session.view, self.tr.language))
        elif asked in ("points", "indices"):
            self.by_index = asked == "indices"
            self._print(self._help())
        elif asked == "help":
            self._print(self._help())
        return asked

    def _help(self) -> str:
        tr = words_of(self.session.legal.ruleset, self.tr.language)
        return tr("prompt.help_indices" if self.by_index else "prompt.help_points")

    def _advise(self, all_values: bool) -> None:
        """Print the adviser's best move with a sentence, or its best moves with their numbers."""
        view, rules = self.session.view, self.session.ruleset
        try:
            with waiting(self.tr("prompt.waiting")):
                advice = self.session.advise()[:VALUES]
        except ConfigError as error:
            self._print(str(error))
            return
        if all_values:
            self._print(values_text(view, advice, self.tr).plain)
            return
        best = advice[0]
        legal = view.legal_plays()
        play = no_name(legal.calls, self.tr) if best.play.is_pass else play_text(rules, best.play, self.tr)
        typed_move = typed_text(best.play, legal, self.by_index, self.tr)
        if self._signs and rules.vocabulary is None:
            typed_move = _SUIT_FIRST.sub(lambda card: f"{card[2]}{SIGNS[SUITS[card[1]]]}", typed_move)
        self._print(self.tr("prompt.hint", typed=typed_move, play=play))
        self._print(f"  {sentences(view, [best], self.tr)[0]}")

    def _show_events(self) -> None:
        events = self.session.game.events
        new = len(events) - self._shown
        if new > 0:
            for line in self.session.lines_of(events[self._shown :], self.tr.language):
                self._print(line)
        self._shown = len(events)

    def _print(self, text: str) -> None:
        self._console.print(coloured(visible(text), signs=self._signs, styles=self._styles) if text else Text())
