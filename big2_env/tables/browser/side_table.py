"""A table of a side game: a person's session, with version and lock, and as one line of JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import Any, Final

from big2_env.base.errors import ConfigError, NotationError
from big2_env.base.json_values import numbers_at, parse_object, text_at, whole_at
from big2_env.base.language import Language, words
from big2_env.base.side_game import Chance, SideGame
from big2_env.base.side_games import side_entry
from big2_env.notation.side_records import dumps, loads
from big2_env.tables.browser.messages import MAX_INTEGER, Refused, bad
from big2_env.tables.browser.moves import make_each, side_moves
from big2_env.tables.browser.visitor_table import VisitorTable
from big2_env.tables.session.saved import STARTED, now
from big2_env.tables.session.side_session import SideSession, continued

MOST_MOVES: Final = 30_000
"""Most moves of a game, so that its text stays within the limits of the store."""


@dataclass
class Guesses:
    """Guesses of a visitor who watches games without decisions."""

    now: int | None = None
    """Seat that the person expects to win the current deal; `None` without a guess."""
    made: int = 0
    """Number of guesses in finished deals."""
    right: int = 0
    """Number of these that were right."""


@dataclass
class SideTable(VisitorTable[SideSession[Any]]):
    """A table at which one visitor plays or watches a side game."""

    guesses: Guesses = field(default_factory=Guesses)
    """Guesses, for a game without decisions."""
    guard: Lock = field(default_factory=Lock)
    """Held while the game is read or changed, because its answers are made in other threads."""
    estimating: Lock = field(default_factory=Lock)
    """Held during work on an estimate."""
    _chance: tuple[int, Chance | None] | None = None
    """Version of the table, and the estimate for it."""

    @property
    def game(self) -> SideGame:
        """Current game, including hidden cards."""
        found: SideGame = self.session.game
        return found

    @property
    def is_asked(self) -> bool:
        """True if the game waits for the person's decision."""
        return self.game.has_choices and self.session.is_asked

    @property
    def is_waiting(self) -> bool:
        """True if another player is to move."""
        return self.game.has_choices and not self.session.is_asked and not self.game.is_over

    @property
    def can_undo(self) -> bool:
        """True if the person can take back a move."""
        return self.game.has_choices and self.session.last_move_of(self.session.seat) is not None

    def advance(self, lang: Language) -> None:
        """Make one move of another player.

        Raises:
            Refused: It is the person's turn, the game is over, or the player failed (409).
        """
        with self.guard:
            try:
                made = self.session.advance() if self.game.has_choices else None
            except ConfigError as error:
                raise Refused(409, "agent_failed", words(lang)("web.error_agent", reason=str(error))) from error
            if made is None:
                raise Refused(409, "not_waiting", words(lang)("web.error_not_waiting"))
            self.version += 1

    def move(self, texts: Sequence[str], lang: Language) -> None:
        """Make the person's moves up to the first that is illegal; see `moves.make_each`.

        Raises:
            Refused: A text is not a move (400), the first move is illegal, or the game is too long (409).
        """
        made = side_moves(self.game, texts)
        with self.guard:
            if not self.is_asked or len(self.game.history) + len(made) > MOST_MOVES:
                raise Refused(409, "illegal", words(lang)("side_play.refused"))
            make_each(self.game, self.session.play, made, lang)
            self.version += 1

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
            self.version += 1

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
            self.version += 1

    def undo(self, lang: Language) -> None:
        """Take back the person's last move.

        Raises:
            Refused: The person has made no move yet (409).
        """
        with self.guard:
            if not self.can_undo or self.session.undo() is None:
                raise Refused(409, "nothing_to_undo", words(lang)("web.error_undo"))
            self.version += 1

    def next_deal(self) -> None:
        """Start the next deal; an unfinished game is abandoned."""
        with self.guard:
            self.session.next_deal()
            self.guesses.now = None
            self.deal += 1
            self.version += 1
            self.started = now()

    def chance(self) -> tuple[int, Chance | None]:
        """Return the version of the table, and the estimate of the chance to win; `None` if the game has none, or is over."""
        with self.guard:
            if self._chance is None or self._chance[0] != self.version:
                found = self.game.chance(self.session.seat) if self.is_asked else None
                self._chance = self.version, found
            return self._chance

    def expect_over(self, lang: Language) -> SideGame:
        """Return the game after its end.

        Raises:
            Refused: It is not over (409).
        """
        game = self.game
        if not game.is_over:
            raise Refused(409, "not_over", words(lang)("web.error_not_over"))
        return game

    def data(self) -> dict[str, Any]:
        """Return the table as JSON values."""
        session, game = self.session, self.game
        return {
            "version": self.version,
            "deal": self.deal,
            "score": session.scores[session.seat],
            "seats": game.num_players,
            "record": parse_object(dumps(session.persons_record(self.started))),
            "watched": None if game.has_choices else len(game.history),
            "counts": session.counts_seeds,
            "before": list(session.before),
            "dealt": session.dealt,
            "guess": self.guesses.now,
            "guesses": [self.guesses.made, self.guesses.right],
        }


def side_table_of(owner: str, key: str, data: Mapping[str, Any]) -> SideTable:
    """Return the table that JSON values describe.

    Args:
        owner: Digest of the visitor's secret.
        key: Key of the table.
        data: Output of `SideTable.data`.

    Raises:
        NotationError, ConfigError, IllegalPlayError: The values describe no table, or contradict the rules.
    """
    kept = data.get("record")
    if not isinstance(kept, dict) or (entry := side_entry(text_at(kept, "game", 60))) is None:
        raise NotationError("record: expected one of a side game")
    kind = entry.kind()
    record = loads(json.dumps(kept), kind)
    game, seats = record.game, record.game.num_players
    if not kind.has_choices:
        for _ in range(whole_at(data, "watched", MOST_MOVES)):
            game.play(game.legal_moves()[0] if not game.is_over else 0)
    session = continued(record, partial(kind.for_seats, seats), lambda name: name in kind.opponents())
    session.counts_seeds = data.get("counts") is True
    session.before = numbers_at(data, "before", seats)
    session.dealt = whole_at(data, "dealt", MAX_INTEGER)
    guess, made = data.get("guess"), data.get("guesses")
    if not (isinstance(made, list) and len(made) == 2 and all(type(one) is int for one in made)):
        raise NotationError("guesses: expected two numbers")
    guesses = Guesses(None if guess is None else whole_at(data, "guess", seats - 1), *made)
    numbers = whole_at(data, "version", MAX_INTEGER), whole_at(data, "deal", MAX_INTEGER)
    return SideTable(key, owner, session, *numbers, started=text_at(kept, STARTED, 40), guesses=guesses)


def side_text(table: SideTable, schema: int) -> str:
    """Return a table as one line of JSON."""
    return json.dumps({"schema": schema, **table.data()}, ensure_ascii=False) + "\n"
