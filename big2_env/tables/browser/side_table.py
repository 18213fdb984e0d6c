"""A table of a side game: a person's session, with guesses and estimates."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Final

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, words
from big2_env.base.side_game import Chance, SideGame
from big2_env.tables.browser.messages import Refused, bad
from big2_env.tables.browser.moves import MOST_MOVES
from big2_env.tables.browser.table import Table
from big2_env.tables.session.side_session import SideSession

SECONDS: Final = 0.35
"""Seconds of work on an estimate per request."""
TREND: Final = 160
"""Most points of a curve."""


@dataclass
class Guesses:
    """Guesses of a visitor who watches games without decisions."""

    now: int | None = None
    """Seat that the person expects to win the current deal; `None` without a guess."""
    made: int = 0
    """Number of guesses in finished deals."""
    right: int = 0
    """Number of these that were right."""


@dataclass(kw_only=True)
class SideTable(Table):
    """A table at which one visitor plays or watches a side game."""

    session: SideSession[Any]
    guesses: Guesses = field(default_factory=Guesses)
    """Guesses, for a game without decisions."""
    estimating: Lock = field(default_factory=Lock)
    """Held during work on an estimate."""
    _chance: tuple[int, Chance | None] | None = None
    """Version of the table, and the estimate for it."""

    @property
    def game(self) -> SideGame:
        """Current game, including hidden cards."""
        found: SideGame = self.session.game
        return found

    def stored(self) -> dict[str, Any]:
        """Return the score, the guesses, and what the record of a game of one seat or without decisions does not include."""
        session, found = self.session, self.guesses
        return super().stored() | {
            "counts": session.counts_seeds,
            "guess": found.now,
            "guesses": [found.made, found.right],
            "watched": None if session.has_choices else len(session.game.history),
        }

    def viewer_of(self, owner: str) -> int | None:
        """Return the seat whose hand a person sees; `None` in a game without decisions."""
        return self.session.seat if self.session.has_choices else None

    def shown(self, lang: Language) -> dict[str, Any]:
        """Return how many events are shown, and the scores only if seats compete by decisions."""
        if not self.session.has_choices:
            return {"last": 60, "scores": None}
        return {"scores": None} if self.game.num_players == 1 else {}

    def about(self, lang: Language) -> dict[str, Any]:
        """Return what a person who watches has guessed, and how the numbers of cards in the hands have changed."""
        if self.session.has_choices:
            return {}
        found = self.guesses
        return {"watch": {"guess": found.now, "made": found.made, "right": found.right, "trend": self._trend()}}

    def _trend(self) -> list[list[int]]:
        """Return the number of cards in each hand at evenly spaced moments since the deal, the current one last."""
        counts: list[list[int]] = []
        game, again = self.game, self.game.restarted()
        every = max(1, -(-len(game.history) // TREND))
        for number, made in enumerate(game.history):
            if number % every == 0:
                counts.append([seat.count for seat in again.scene(last=1).seats])
            again.play(made.move)
        return [*counts, [seat.count for seat in game.scene(last=1).seats]]

    def watch(self, count: int, lang: Language) -> None:
        """Let a game without decisions run.

        Raises:
            Refused: The game has decisions, or is over (409).
        """
        with self.guard:
            game = self.game
            if game.has_choices or game.is_over or len(game.history) >= MOST_MOVES:
                raise Refused(409, "not_waiting", words(lang)("web.error_not_waiting"))
            for _ in range(min(count, MOST_MOVES - len(game.history))):
                game.play(game.legal_moves()[0])
                if game.is_over:
                    self._count_guess()
                    break
            self.decided()

    def _count_guess(self) -> None:
        """Count a guess at the end of its deal."""
        found, paid = self.guesses, self.game.payoffs()
        if found.now is not None and paid is not None:
            found.made += 1
            found.right += paid[found.now] == max(paid)

    def guess(self, seat: int, lang: Language) -> None:
        """Guess which seat will win, before the first move.

        Raises:
            Refused: The seat does not exist (400), the game has decisions, or it has begun (409).
        """
        with self.guard:
            game = self.game
            if seat >= game.num_players:
                raise bad(f"seat: expected a number below {game.num_players}, got {seat}")
            if game.has_choices or game.history:
                raise Refused(409, "late", words(lang)("web.error_late"))
            self.guesses.now = seat
            self.decided()

    def next_deal(self, lang: Language) -> None:
        """Start the next deal; an unfinished game is abandoned."""
        self.guesses.now = None
        super().next_deal(lang)

    def hint(self, lang: Language) -> dict[str, Any]:
        """Return the moves that a hint suggests, in order.

        Args:
            lang: Language of the text.

        Raises:
            Refused: It is not the person's turn, or the game gives no hint (409).
        """
        game, tr = self.game, words(lang)
        try:
            if not self.waits_for(self.session.seat):
                raise ConfigError(tr("side_play.refused"))
            moves = game.hinted_moves(self.session.seat)
        except (ConfigError, ImportError) as error:  # a browser has no compiled code
            raise Refused(409, "no_hint", tr("web.error_hint", reason=str(error))) from None
        return {"version": self.version, "moves": [game.move_text(move) for move in moves]}

    def chance(self, lang: Language) -> dict[str, Any]:
        """Work a little on the estimate of the chance to win, and return it so far, with the version that it is for.

        A game that is over has nothing left to estimate: the last move may be made while a page asks.

        Args:
            lang: Language of errors.

        Raises:
            Refused: The game has no such estimate (409).
        """
        with self.guard:
            version, game = self.version, self.game
            if self._chance is None or self._chance[0] != version:
                self._chance = version, game.chance(self.session.seat) if self.waits_for(self.session.seat) else None
            found = self._chance[1]
        if found is None and game.is_over:
            return {"version": version, "won": 0, "done": 0, "of": 0, "final": True}
        if found is None:
            raise Refused(409, "no_chance", words(lang)("web.error_chance"))
        with self.estimating:
            if not found.is_final:
                found.step(SECONDS)
            return {"version": version, "won": found.won, "done": found.done, "of": found.of, "final": found.is_final}
