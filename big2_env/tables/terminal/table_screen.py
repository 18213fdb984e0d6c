"""Table of the climbing games."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

from textual.binding import Binding, BindingType

from big2_env.agents.advice import Advice
from big2_env.base.errors import system_text
from big2_env.base.language import Language
from big2_env.base.scene import RulesPage
from big2_env.climbing.hands import slots_of
from big2_env.climbing.play import Play
from big2_env.climbing.view import View
from big2_env.tables.session.advice_text import hint_line, values_text
from big2_env.tables.session.review_file import ReviewFile, open_page
from big2_env.tables.session.table_session import TableSession
from big2_env.tables.terminal.card_table import CardTable
from big2_env.tables.terminal.table_frame import Key, PickDialog
from big2_env.tables.terminal.table_view import sentence
from big2_env.text.events import play_text
from big2_env.text.names import agent_words, no_name, pattern_name
from big2_env.text.rules import rules_page
from big2_env.text.selection import select_cards

RANK_KEYS = {"0": ("10",), "t": ("10",), "1": ("A",), "a": ("A",), "j": ("J",), "q": ("Q",), "k": ("K",), "b": ("BJ", "LJ")} | {
    str(number): (str(number),) for number in range(2, 10)
}
"""Ranks of the cards that each key selects."""
VALUES = 8
"""Number of moves in the list of values."""
COACHES = ("hints", "warn", "off")
"""Levels of the coach: hints when asked, also a question before a blunder, neither."""


class TableScreen(CardTable):
    """Table of a climbing game.

    Args:
        session: The person's session.
        lang: Language at the start.
        pause: Pause in seconds after each move of an agent.
    """

    session: TableSession
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "call(1)", show=False),
        Binding("v", "values", show=False),
        Binding("g", "coach", show=False),
        Binding("w", "write_review", show=False),
    ]

    def __init__(self, session: TableSession, lang: Language, pause: float) -> None:
        super().__init__(session, lang, pause)
        self.legal = session.legal
        """The person's legal moves, as last read."""
        self._listed: list[Play] = []
        self._at = -1
        self._hinted: Play | None = None
        """A pass or a call that the last hint suggested, which Enter confirms."""
        self._coach = COACHES[0]
        self._review: ReviewFile | None = None
        self._has_opened = False

    def read_table(self) -> None:
        """Read the state of the session and draw it."""
        if not self.session.is_over:
            self._review = None
        self.legal = self.session.legal
        self._listed, self._at, self._hinted = [], -1, None
        super().read_table()

    @property
    def adviser(self) -> str:
        """Name of the agent that gives advice."""
        return self.session.adviser

    def rules_page(self) -> RulesPage:
        """Return the rules of the game."""
        return rules_page(self.legal.ruleset, self.tr.language)

    def leave_text(self) -> str | None:
        """Return the text that names the file of the saved game."""
        return self.tr("tui.leave_text")

    def act_keys(self) -> list[Key]:
        """Return the keys available now."""
        tr = self.tr
        if self.game_is_over:
            return [*self.end_keys(), ("W", tr("tui.write_review"), "write_review")]
        calls = [pattern_name(self.legal.ruleset, call.pattern, tr) for call in self.legal.calls] if self.is_asked else []
        acts = [(str(number), name, f"call({number})") for number, name in enumerate(calls, start=1)]
        acts = acts or [("Enter", tr("tui.play"), "play"), ("Tab", tr("tui.next_play"), "next_play(1)")]
        acts.append(("P", no_name(self.legal.calls if self.is_asked else (), tr), "pass"))
        acts += [("H", tr("tui.hint"), "hint"), ("V", tr("tui.values"), "values"), ("U", tr("tui.undo"), "undo")]
        return acts

    def said_on_turn(self) -> tuple[str, str]:
        """Return the message for the person's turn: the meaning of the selected cards, or what the game expects."""
        tr = self.tr
        if self.game_is_over and self._review is not None:
            return self._review_line(self._review), "good"
        if self.hand.chosen and not self.game_is_over:
            found = select_cards(self.legal, self.chosen_cards(), tr)
            if not found.is_legal:
                return found.words, "bad"
            if not self.is_asked:
                return tr("tui.would_beat", play=found.words), ""
            one = tr("tui.beats", play=found.words)
            return (tr("tui.readings", plays=found.words) if len(found.plays) > 1 else one), "good"
        if not self.is_asked:
            return self.shown_scene.status, ""
        problem = getattr(self.session.keep, "problem", None)
        if problem is not None:
            return tr("tui.not_kept", problem=problem), "bad"
        return tr("tui.choose_call" if self.legal.calls else "tui.choose"), ""

    # Choosing and playing.

    def on_hand_view_chosen(self) -> None:
        """Show the meaning of the selected cards; selecting some discards a hinted pass."""
        if self.hand.chosen:
            self._hinted = None
        super().on_hand_view_chosen()

    def chosen_cards(self) -> int:
        """Return the selected cards as a mask."""
        cards = self.legal.ruleset.order.sort(self.legal.hand)
        return sum(1 << card for place, card in enumerate(cards) if place in self.hand.chosen)

    def on_key(self, event: Any) -> None:
        """Select cards by rank; in an auction, make the call with that number."""
        key = event.character or ""
        if self.is_asked and self.legal.calls and key.isdigit():
            event.stop()
            self.action_call(int(key))
        elif key in RANK_KEYS and not self.game_is_over:
            event.stop()
            ranks = RANK_KEYS[key]
            if not self.hand.choose_rank(ranks):
                self.tell(self.tr("tui.no_rank_leave" if key == "q" else "tui.no_rank", rank=ranks[0]), "bad")

    def action_next_play(self, by: int) -> None:
        """Select the cards of the next legal play."""
        if not self.may_act() or self.legal.calls:
            return
        self._listed = self._listed or [play for play in self.legal if play]
        if self._listed:
            self._at = (self._at + by) % len(self._listed) if self._at >= 0 else (0 if by > 0 else len(self._listed) - 1)
            self._choose(self._listed[self._at])
        else:
            self.tell(select_cards(self.legal, 0, self.tr).words)

    def _choose(self, play: Play) -> None:
        places = set(slots_of(self.legal.ruleset, self.legal.hand, play.mask))
        self.hand.cursor = min(places, default=self.hand.cursor)
        self.hand.choose(places)

    def action_play(self) -> None:
        """Play the selected cards."""
        if self.game_is_over:
            self.action_new_deal()
        elif not self.may_act():
            pass
        elif not self.hand.chosen and self._hinted is not None:
            self._do(self._hinted)
        elif not self.hand.chosen:
            self.tell(self.tr("tui.choose_call" if self.legal.calls else "tui.choose"))
        else:
            found = select_cards(self.legal, self.chosen_cards(), self.tr)
            if not found.is_legal:
                self.tell(found.words, "bad")
            elif len(found.plays) == 1:
                self._do(found.plays[0])
            else:
                lines = [sentence(play_text(self.legal.ruleset, play, self.tr), self.card_style) for play in found.plays]
                asked = PickDialog(self.tr("tui.which"), lines)
                self.app.push_screen(asked, lambda at: None if at is None else self._do(found.plays[at]))

    def action_pass(self) -> None:
        """Pass, or decline in an auction."""
        if self.may_act():
            found = select_cards(self.legal, 0, self.tr)
            if found.is_legal:
                self._do(found.plays[0])
            else:
                self.tell(found.words, "bad")

    def action_call(self, number: int) -> None:
        """Make the auction call with this number, counted from 1."""
        if self.may_act() and 1 <= number <= len(self.legal.calls):
            self._do(self.legal.calls[number - 1])

    def _do(self, play: Play) -> None:
        """Make a move, after a question if the coach is to warn of blunders."""

        def make() -> None:
            self.session.play(play)
            self.acted()

        def asked(question: str) -> None:
            if question:
                self.ask_yes(self.tr("tui.coach"), question, make)
            else:
                make()

        if self._coach == "warn":
            self.advise(lambda: self.session.warning(play, self.tr.language) or "", asked)
        else:
            make()

    # The review page.

    def end_acts(self) -> dict[str, tuple[str, Callable[[], Any]]]:
        """Return the keys of the dialog at the end of a deal, with their descriptions and effects."""
        return {**super().end_acts(), "w": (self.tr("tui.write_review"), self.action_write_review)}

    def action_write_review(self) -> None:
        """Write the review page of the finished game, open it, and let the judge add values in a thread."""
        if not self.game_is_over:
            self.tell(self.tr("tui.review_later"))
            return
        if self._review is None:
            if self.session.keep is not None and not self.session.was_over:
                self.session.keep(self.session)
            review = ReviewFile(self.session, self.tr.language)
            if not self._written(review):
                return
            self._review = review
            self.in_thread(partial(self._judge, review), partial(self._judged, review))
        self._has_opened = open_page(self._review.path)
        self.draw_look()

    def _written(self, review: ReviewFile) -> bool:
        """Write the page, or show why it cannot be written."""
        try:
            review.write()
        except OSError as error:
            self.tell(self.tr("tui.review_failed", problem=system_text(error)), "bad")
            return False
        return True

    def _judge(self, review: ReviewFile) -> None:
        for _ in review.judge():
            if not self.app.is_running or self._review is not review:
                return
            self.app.call_from_thread(self._judged, review)

    def _judged(self, review: ReviewFile, found: None = None, fault: Exception | None = None) -> None:
        """Show the progress, the end or the failure of the judge's work."""
        if self._review is not review:
            return
        if fault is None:
            self.draw_look()
        else:
            problem = system_text(fault) if isinstance(fault, OSError) else str(fault)
            self.tell(self.tr("tui.review_stopped", path=review.path, problem=problem), "bad")

    def _review_line(self, review: ReviewFile) -> str:
        """Return the message about the review page: its file, and the progress of the judge."""
        tr = self.tr
        if not review.is_complete:
            return tr("tui.review_judging", path=review.path, done=review.done, of=review.of)
        key = "review_reload" if self._has_opened and review.of else "review_written"
        return tr(f"tui.{key}", path=review.path)

    # Advice.

    def may_ask(self) -> bool:
        """Return True if the coach gives hints and the person is asked."""
        if self._coach == "off":
            self.tell(self.tr("tui.coach_off"))
            return False
        return super().may_ask()

    def action_coach(self) -> None:
        """Switch to the next level of the coach."""
        self._coach = COACHES[(COACHES.index(self._coach) + 1) % len(COACHES)]
        self.draw()
        self.tell(self.tr(f"tui.coach_{self._coach}"))

    def action_hint(self) -> None:
        """Select the adviser's play and explain it."""
        view = self.session.view
        self.advise(self.session.advise, lambda advice: self._show_hint(view, advice))

    def action_values(self) -> None:
        """List the best moves with their numbers."""
        view, tr = self.session.view, self.tr
        title = tr("hint.values_title", name=agent_words(self.session.adviser, tr))
        self.advise(lambda: values_text(view, self.session.advise()[:VALUES], tr), lambda text: self.read_text(title, text))

    def _show_hint(self, view: View, advice: list[Advice]) -> None:
        best = advice[0].play
        self._choose(best)
        self._hinted = None if best else best
        line = hint_line(view, advice, self.tr, "" if best else self.tr("tui.enter_confirms"))
        self.call_after_refresh(self.tell, line)
