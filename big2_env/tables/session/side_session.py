"""A person playing a side game: consecutive deals with undo, a running score and a file of all deals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from big2_env.base.errors import ConfigError, IllegalPlayError, Refusal, quoted
from big2_env.base.language import Language, words
from big2_env.base.rng import drawn_seed
from big2_env.base.salts import checked_salt
from big2_env.base.scene import Scene
from big2_env.base.side_game import SideGame, seeded_move
from big2_env.notation.side_records import SideRecord, dumps, loads
from big2_env.notation.transcript import check_name
from big2_env.tables.session.own_file import OwnFile
from big2_env.tables.session.saved import is_texts, last_broken_off
from big2_env.tables.session.session import STARTED, OwnSession
from big2_env.text.names import table_words
from big2_env.text.seating import by_seat

Game = TypeVar("Game", bound=SideGame)
Deal = Callable[[int], Game]
"""Function from a seed to a game."""

WHO: Final = "expected the keys seat, seed and agents"


class SideSession(OwnSession, Generic[Game]):
    """Session of one person against computer players, with the current game.

    Args:
        deal: Function that deals the game of a seed.
        seat: Seat of the person.
        seed: Seed of the first deal; each further deal adds one. By default every seed is random.
        against: Name of the player in all other seats, as accepted by the game's `player`; by default its `usual_player`.
        agent_seed: Seed of that player's random choices, which otherwise depend only on each seat's view.
        start: Game that does not come from a seed; further deals repeat it.

    Raises:
        ConfigError: The seat or the player does not exist.
    """

    def __init__(
        self,
        deal: Deal[Game],
        *,
        seat: int = 0,
        seed: int | None = None,
        against: str | None = None,
        agent_seed: int = 0,
        start: Game | None = None,
    ) -> None:
        self._deal = deal
        self.counts_seeds = seed is not None
        first = drawn_seed() if seed is None else seed
        self.seed: int | None = first if start is None else None
        self.game: Game = deal(first) if start is None else start
        self.has_choices = self.game.has_choices
        if not 0 <= seat < self.game.num_players:
            raise ConfigError(f"expected a seat from 0 to {self.game.num_players - 1}, got {seat}")
        self.seat = seat
        self.against = self.game.usual_player if against is None else against
        """Name of the player in all other seats."""
        self.agent_seed = checked_salt(agent_seed)
        """Seed of the other players' random choices."""
        self._player = self.game.player(self.against) if self.game.num_players > 1 else None
        self.dealt = 1
        self.ended: Callable[[SideRecord[Game]], None] | None = None
        """Called with the record of every deal that ends, finished or not, if it has a move."""
        self.before = (0.0,) * self.game.num_players

    @property
    def view(self) -> Any:
        """The person's view."""
        return self.game.view(self.seat)

    @property
    def is_asked(self) -> bool:
        """True if the game waits for the person's decision."""
        return not self.is_over and self.game.turn == self.seat

    def last_choice(self) -> int | None:
        """Return the number of moves before the person's last move in this game."""
        return self.last_move_of(self.seat) if self.has_choices else None

    def chosen(self) -> int | None:
        """Return a computer player's next move; `None` if the game waits for the person or is over.

        Raises:
            ConfigError: The player fails or returns an illegal move.
        """
        if self.is_over or self.is_asked or self._player is None:
            return None
        return seeded_move(self._player, self.game.view(), self.against, salt=self.agent_seed)

    def play(self, *moves: int) -> None:
        """Make the person's moves; an illegal move refuses them all.

        Raises:
            ConfigError: A number is not a move.
            IllegalPlayError: A move is illegal, or it is not the person's turn; nothing changes.
        """
        before = len(self.game.history)
        for move in moves:
            try:
                if not self.is_over and self.game.turn != self.seat:
                    raise IllegalPlayError("it is another player's turn", Refusal.NOT_YOUR_TURN)
                self.game.play(move)
            except IllegalPlayError as error:
                if made := len(self.game.history) - before:
                    self.game = self.game.rewound(before)
                    raise IllegalPlayError(f"{self.game.move_text(moves[made])}: {error}", error.refusal) from None
                raise
        self._changed()

    def deal(self) -> None:
        """Deal the game of the current seed, or the same one if it has none."""
        self.game = self.game.restarted() if self.seed is None else self._deal(self.seed)

    def next_deal(self) -> None:
        """Deal again, with the next seed or a random one. An unfinished game is abandoned and pays nothing."""
        self.leave()
        super().next_deal()
        self.dealt += 1

    def leave(self) -> None:
        """Pass the current game to `ended` if it has a move."""
        if self.ended is not None and self.game.history:
            self.ended(self.record())

    def record(self, **extra: Any) -> SideRecord[Game]:
        """Return the current game as a record.

        Args:
            **extra: Additional keys with JSON values.
        """
        found: dict[str, Any] = {} if self.seed is None else {"seed": self.seed}
        found |= {"seed_counts": True} if self.counts_seeds else {}
        if self.game.num_players > 1:
            other = self.game.record_names.get(self.against, self.against)
            found["players"] = ["person" if seat == self.seat else other for seat in range(self.game.num_players)]
            found |= {"agent_seed": self.agent_seed} if self.agent_seed else {}
        return SideRecord(self.game, {**found, **extra})

    def line(self, started: str) -> str:
        """Return the record of the current game as a line of JSON, with the seat, the other players and the payoffs.

        Args:
            started: Start of the deal, in the format of records.
        """
        payoffs = self.game.payoffs()
        return dumps(
            self.record(
                **{STARTED: started},
                seat=self.seat,
                agents=[self.against] * (self.game.num_players - 1),
                payoffs=None if payoffs is None else list(payoffs),
            )
        )

    def specs(self) -> list[str | None]:
        """Return the name of each seat's player, `None` for the person."""
        return [None if seat == self.seat else self.against for seat in range(self.game.num_players)]

    def scene(self, lang: Language, *, last: int = 8) -> Scene:
        """Return the scene that the person sees."""
        scores = self.scores if self.game.num_players > 1 else None
        return self.game.scene(self.seat, names=self.names_in(lang), lang=lang, last=last, scores=scores)

    def names_in(self, lang: Language) -> list[str]:
        """Return the name of each seat in a language. Seats of a game without decisions have numbers as names."""
        if self.has_choices:
            return table_words(self.specs(), words(lang))
        return [words(lang)("web.seat_number", number=seat + 1) for seat in range(self.game.num_players)]


def saved_seats(game: SideGame, extra: Mapping[str, Any], lang: Language) -> list[str] | None:
    """Return names for the seats of a saved game; `None` if its record does not include the person's seat.

    Raises:
        NotationError: A name is empty or unprintable.
    """
    seat, agents = extra.get("seat"), extra.get("agents")
    if type(seat) is not int or not is_texts(agents) or not len(agents) + 1 == game.num_players > seat >= 0:
        return None
    return table_words(by_seat([check_name(agent) for agent in agents], seat), words(lang)) if agents else None


def resumed(
    kind: type[Game], deal_like: Callable[[Game], Deal[Game]], path: Path | None, file: OwnFile, takes: Callable[[str], bool]
) -> SideSession[Game]:
    """Return a session that continues the last unfinished game of a kind, and let `file` continue its line.

    Args:
        kind: Class of the game.
        deal_like: Function from a game to a function that deals with the same rules.
        path: File to search; by default all of the user's games.
        file: Autosave of the session.
        takes: Function that returns True if a record from an untrusted source may name this player.

    Raises:
        OSError: The file cannot be read.
        NotationError: A line of the file is not a record.
        ConfigError: No such game was found, or its record does not name the players.
    """
    found, line, record = last_broken_off(lambda text: loads(text, kind), lambda one: one.game.is_over, path, kind.name)
    session = continued(record, deal_like(record.game), takes, found)
    file.go_on(found, line, session.dealt, str(record.extra.get(STARTED, "")))
    return session


def continued(
    record: SideRecord[Game], deal: Deal[Game], takes: Callable[[str], bool], source: object = "the record"
) -> SideSession[Game]:
    """Return a session that continues the game of a record, which names the person's seat and the other players.

    Args:
        record: Record of `SideSession.line`.
        deal: Function that deals with the same rules.
        takes: Function that returns True if a record from an untrusted source may name this player.
        source: Name of the record in messages.

    Raises:
        ConfigError: The record does not name the players.
    """
    extra, game = record.extra, record.game
    seat, agents, seed = (extra.get(key) for key in ("seat", "agents", "seed"))
    against: str | None = None
    if game.num_players > 1:
        given = agents[0] if isinstance(agents, list) and agents == agents[:1] * (game.num_players - 1) else None
        if type(seat) is not int or type(seed) is not int or not isinstance(given, str):
            raise ConfigError(f"the record does not say who played: {WHO} of a game of big2 {game.name} play")
        against = given
        if not takes(against):
            raise ConfigError(
                f"{source}: expected a player that opens no file, got {quoted(against)}; begin a new game with --against"
            )
    known = seed if type(seed) is int else None
    session = SideSession(
        deal,
        seat=seat if type(seat) is int and game.num_players > 1 else 0,
        seed=known if extra.get("seed_counts") is True else None,
        against=against,
        agent_seed=extra.get("agent_seed", 0),
        start=game,
    )
    session.seed = known
    return session
