"""The prompt of `big2 uno play`: one line a turn, for terminals and pipes."""

from __future__ import annotations

from typing import TextIO

from rich.console import Console

from big2_env.cli._screen import end_lines, hand_lines, table_lines
from big2_env.cli._typed_lines import COMMANDS, TypedLines
from big2_env.errors import NotationError, quoted
from big2_env.games.uno.actions import DRAW, played_card
from big2_env.games.uno.automatic import automatic_act
from big2_env.games.uno.cards import NUM_FACES
from big2_env.games.uno.scene import face
from big2_env.games.uno.sitting import UnoSitting
from big2_env.games.uno.texts import act_words, colour_words
from big2_env.games.uno.typed import parse_colour, parse_typed
from big2_env.language import Words
from big2_env.notation.typed import PASSES

DRAWS = PASSES | {"d", "draw", "k", "keep", "摸", "摸牌", "留", "留牌"}
"""What is typed to draw, or to keep the card just drawn."""


class UnoPrompt:
    """A person who types, at a terminal or at the end of a pipe.

    Args:
        sitting: the person's place.
        tr: the texts of one language.
        lines: where the person's lines come from.
    """

    def __init__(self, sitting: UnoSitting, tr: Words, lines: TextIO) -> None:
        self.sitting = sitting
        self.tr = tr
        self._lines = TypedLines(lines)
        self._console = Console(highlight=False, soft_wrap=True)
        self._shown = 0

    def run(self) -> None:
        """Play one deal after another until the person leaves; at the end of a pipe one deal."""
        known = self.sitting.shown_seed
        shown = [] if known is None else [self.tr("tui.seed", seed=known)]
        self._print("; ".join([*shown, self.tr("side_play.uno_help")]))
        while self._play_deal() and self._lines.is_terminal and self._goes_on():
            pass

    def _play_deal(self) -> bool:
        """Play the deal to its end; False if the person has left before."""
        sitting = self.sitting
        is_hidden = sitting.shown_seed is None
        while not sitting.is_over:
            if not sitting.is_asked:
                sitting.advance()
            elif not self._ask_turn():
                return False
        self._show_events()
        scene = sitting.scene(self.tr.language)
        self._print(self.tr("prompt.over", status=scene.status))
        if is_hidden:
            self._print(self.tr("tui.seed", seed=sitting.seed))
        for line in end_lines(scene, signs=True):
            self._console.print(line)
        return True

    def _ask_turn(self) -> bool:
        """Let the person make one act; False if they leave."""
        self._show_events()
        sitting = self.sitting
        scene = sitting.scene(self.tr.language)
        hand = scene.seats[sitting.seat].hand or ()
        for line in [*table_lines(scene, self.tr, signs=True), *hand_lines(hand, self._console.width, signs=True)]:
            self._console.print(line)
        while True:
            typed = self._lines.read()
            asked = "quit" if typed is None else COMMANDS.get(typed.strip().lower(), "")
            if typed is None or asked == "quit":
                return False
            if asked == "undo" and sitting.undo():
                self._print(self.tr("prompt.undone"))
                self._shown = len(sitting.game.history)
                return True
            if asked:
                self._command(asked)
            elif (act := self._act_of(typed)) is not None:
                sitting.play(act)
                return True

    def _command(self, asked: str) -> None:
        """Do what is no act."""
        if asked == "undo":
            self._print(self.tr("tui.nothing_to_undo"))
        elif asked == "review":
            for line in self.sitting.scene(self.tr.language, last=10_000).events:
                self._print(f"  {line}")
        elif asked in ("hint", "values"):
            self._print(self.tr("side_play.uno_hint", act=act_words(automatic_act(self.sitting.view), self.tr)))
        else:
            self._print(self.tr("side_play.uno_help"))

    def _act_of(self, line: str) -> int | None:
        """The legal act that a line names; `None`, with the reason printed, if it names none."""
        view, tr, word = self.sitting.view, self.tr, line.strip().lower()
        if view.naming:
            colour = int(word) - 1 if word in ("1", "2", "3", "4") else parse_colour(word)
            if colour is None:
                self._print(self._colours(view.acts))
                return None
            return view.acts[colour]
        if word in DRAWS:
            act = next((act for act in view.acts if act >= DRAW), None)
            if act is None:
                self._print(tr("side_play.may_not_draw"))
            return act
        try:
            card, colour = self._card(word)
        except NotationError as error:
            self._print(str(error))
            return None
        if card not in view.hand:
            self._print(tr("side_play.uno_not_held", card=face(card, tr).name))
            return None
        acts = [act for act in view.acts if act < DRAW and played_card(act) == card]
        named = [act for act in acts if len(acts) == 1 or act // NUM_FACES == colour]
        if not acts:
            key = "fits_not" if view.drawn is None else "only_drawn"
            self._print(tr(f"side_play.{key}", card=face(card, tr).name))
        elif not named:
            self._print(self._colours(acts))
        return named[0] if named else None

    def _card(self, word: str) -> tuple[int, int | None]:
        """The card that a word names by itself or by its index in the sorted hand, and the colour that it names.

        Raises:
            NotationError: it names none; the message is for people.
        """
        hand, parts = sorted(self.sitting.view.hand), word.replace(",", " ").split()
        if parts and parts[0].isascii() and parts[0].isdigit() and len(parts) <= 2:
            if len(parts[0]) > 4 or int(parts[0]) >= len(hand):
                raise NotationError(self.tr("side_play.uno_no_index", last=len(hand) - 1, given=quoted(parts[0], 10)))
            return hand[int(parts[0])], parse_colour(parts[1]) if len(parts) == 2 else None
        try:
            return parse_typed(word)
        except NotationError:
            help_text = self.tr("side_play.uno_help")
            raise NotationError(self.tr("side_play.uno_unclear", given=quoted(word, 20), help=help_text)) from None

    def _colours(self, acts: list[int] | tuple[int, ...]) -> str:
        """The question which colour."""
        choices = " / ".join(colour_words(act // NUM_FACES, self.tr) for act in acts)
        return self.tr("side_play.uno_which_colour", choices=choices)

    def _show_events(self) -> None:
        """Everything that has happened since the last time."""
        made = len(self.sitting.game.history)
        if made > self._shown:
            for line in self.sitting.scene(self.tr.language, last=made - self._shown).events:
                self._print(line)
        self._shown = made

    def _goes_on(self) -> bool:
        """What comes after a deal: True for more, the next deal or the same one with a choice taken back."""
        while True:
            self._print(self.tr("prompt.after"))
            word = (self._lines.read() or "q").strip().lower()
            if word in ("n", "next", "y"):
                self.sitting.next_deal()
                self._shown = 0
                return True
            asked = COMMANDS.get(word, "")
            if asked == "undo" and self.sitting.undo():
                self._shown = len(self.sitting.game.history)
                return True
            if word == "" or asked == "quit":
                return False
            self._command(asked)

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False)
