"""A table of a climbing game: a person's session, with practice and named deals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, Words, words
from big2_env.climbing.play import Play
from big2_env.tables.browser.answers import shown_move_json
from big2_env.tables.browser.messages import Refused, cards_in
from big2_env.tables.browser.table import Table
from big2_env.tables.session.advice_text import beaten_chances, numbers
from big2_env.tables.session.move_reasons import sentences
from big2_env.tables.session.table_session import TableSession
from big2_env.tables.session.watching import Watching
from big2_env.text.names import agent_words, no_name
from big2_env.text.selection import select_cards

SHOWN_ADVICE: Final = 3
"""Number of moves in a hint."""


@dataclass(kw_only=True)
class WebTable(Table):
    """A table at which one visitor plays a climbing game."""

    session: TableSession
    linked: str | None = None
    """Name of the current deal, if it has one (`session.deals`)."""

    def __post_init__(self) -> None:
        self.session.waits_for_compilation = False

    @property
    def is_practice(self) -> bool:
        """True if the current deal began in the middle of a game that was over: the person may know hidden cards."""
        return self.session.was_over

    @property
    def is_kept(self) -> bool:
        """True if the person has moved in the current game. Practice is not kept."""
        return not self.is_practice and not isinstance(self.session, Watching) and super().is_kept

    def stored(self) -> dict[str, Any]:
        """Return the score, the watched seat, and whether the deal is practice or has a name."""
        found = super().stored()
        if isinstance(self.session, Watching):
            found["watch"] = self.session.watched
        if self.is_practice:
            found["practice"] = True
        if self.linked is not None:
            found["linked"] = self.linked
        return found

    def seat_of(self, owner: str) -> int | None:
        """Return the person's seat; `None` for a visitor who only watches; see `Table.seat_of`."""
        return None if isinstance(self.session, Watching) else self.session.seat

    def viewer_of(self, owner: str) -> int | None:
        """Return the seat whose hand a person sees; see `Table.viewer_of`."""
        session = self.session
        return session.seat if session.watched is None else session.watched

    def shown(self, lang: Language) -> dict[str, Any]:
        """Return notes about the agents, and whether all hands are shown."""
        session = self.session
        return {"notes": self.first_notes(lambda: session.notes(lang)), "open_hands": session.watched is None}

    def about(self, lang: Language) -> dict[str, Any]:
        """Return the name of the deal, and whether it is practice or only watched."""
        found: dict[str, Any] = {}
        if self.linked is not None:
            found["linked"] = {"game": self.session.ruleset.name, "name": self.linked}
        if self.is_practice:
            found["practice"] = True
        if isinstance(self.session, Watching):
            found["watch"] = {"seat": self.session.watched}
        return found

    def hint(self, lang: Language) -> dict[str, Any]:
        """Return the adviser's best moves, each with a sentence and with numbers. Takes as long as the adviser thinks.

        Args:
            lang: Language of the texts.

        Raises:
            Refused: It is not the person's turn, or the adviser gives no advice on this game (409).
        """
        session, tr = self.session, words(lang)
        try:
            view, best = session.view, session.advise()[:SHOWN_ADVICE]
            beaten = beaten_chances(view, [one.play for one in best])
            said = sentences(view, best, tr)
        except ConfigError as error:
            raise Refused(409, "no_hint", tr("web.error_hint", reason=str(error))) from None
        return {
            "version": self.version,
            "adviser": agent_words(session.adviser, tr),
            "advice": [
                self._suggested(one.play, tr) | {"why": sentence, "numbers": numbers(view, one, chance, tr)}
                for one, chance, sentence in zip(best, beaten, said, strict=True)
            ],
        }

    def _suggested(self, play: Play, tr: Words) -> dict[str, Any]:
        """Return a suggested move as JSON values, with the word that makes it in an auction."""
        call = play.pattern if not play and not play.is_pass else None
        found = shown_move_json(self.session.ruleset, self.session.seat, play, tr) | {"word": call}
        return found | {"words": no_name(self.session.legal.calls, tr)} if play.is_pass else found

    def check(self, texts: Sequence[str], reading: int, word: str | None, lang: Language) -> dict[str, Any]:
        """Return a question to ask before a move that is a blunder, `None` for other moves.

        Args:
            texts: Cards of the move, such as `D[3]`; none for a pass or a call.
            reading: Number of the interpretation, if the cards form several plays.
            word: Call in an auction, `None` for other moves.
            lang: Language of the question.

        Raises:
            Refused: A text names no card (400).
        """
        legal = self.session.legal
        if word is not None:
            plays = [call for call in legal.calls if call.pattern == word]
        else:
            plays = list(select_cards(legal, cards_in(legal.hand, list(texts)), words(lang)).plays)
        play = plays[reading] if reading < len(plays) else None
        return {"version": self.version, "warning": None if play is None else self.session.warning(play, lang)}

    def next_deal(self, lang: Language) -> None:
        """Start the next deal; an unfinished game is abandoned."""
        self.linked = None
        super().next_deal(lang)
