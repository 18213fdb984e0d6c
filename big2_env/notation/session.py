"""A table at which one game after another is played: Ready, Initialized, Dealt, Assigned, Started, Over.

| operation | allowed in | leads to |
| --- | --- | --- |
| `initialize` | any | Initialized |
| `deal` | Initialized or later | Dealt where there is an auction, else Assigned |
| `decide` | Dealt | Dealt, and Assigned when the auction is over |
| `start` | Assigned | Started, or Over |
| `play` | Started | Started, or Over |
| `set` | Initialized or later | what the position says |
| `display` | any | |

An operation that is refused changes nothing.
"""

from __future__ import annotations

from dataclasses import replace

from big2_env.cards import CardsLike
from big2_env.climbing.game import Game, Outcome, Phase
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.ruleset_data import changes
from big2_env.climbing.rulesets import ruleset as ruleset_of
from big2_env.climbing.view import View
from big2_env.errors import ConfigError


class Session:
    """One table, and the operations that its phase allows.

    >>> from big2_env import Session
    >>> table = Session()
    >>> table.initialize("dou_dizhu")
    >>> table.deal(seed=3)
    >>> table.phase, [act.pattern for act in table.game.legal_plays()]
    (Phase.DEALT, ['call', 'pass'])
    """

    def __init__(self) -> None:
        self._ruleset: RuleSet | None = None
        self._num_players = 0
        self._game: Game | None = None

    @property
    def phase(self) -> Phase:
        """The phase of the table, which decides what is allowed."""
        if self._game is not None:
            return self._game.phase
        return Phase.READY if self._ruleset is None else Phase.INITIALIZED

    @property
    def game(self) -> Game:
        """The game as it stands, hidden cards included.

        Raises:
            ConfigError: no cards are dealt yet.
        """
        if self._game is None:
            raise ConfigError(f"expected a game, which deal or set begins, got phase {self.phase.value!r}")
        return self._game

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, with its settlement; `None` before that."""
        return None if self._game is None else self._game.outcome

    def initialize(self, ruleset: str | RuleSet, num_players: int | None = None) -> None:
        """Choose the rules and the number of players; whatever was played is gone.

        Args:
            ruleset: the rules, by name or value.
            num_players: how many play; by default the ruleset's `default_players`, 4 for `big2`.

        Raises:
            ConfigError: no such ruleset, or a number of players that it does not allow.
        """
        rules = ruleset_of(ruleset)
        self._ruleset, self._num_players, self._game = rules, rules.seats(num_players), None

    def deal(self, seed: int) -> None:
        """Shuffle and deal by a seed. Raises ConfigError before `initialize`."""
        self._game = Game.deal(self._chosen("deal"), seed, self._num_players)

    def set(self, source: str) -> None:
        """Take a position or a game in any form, as JSON or from a file, `FILE:12` after a move; see `notation.sources`.

        Raises:
            OSError: the file cannot be read.
            NotationError, ConfigError: it describes no game, or one of other rules or another number of players.
        """
        rules = self._chosen("set")
        from big2_env.notation.sources import game_in  # with records and logs, which a session may never need

        game = game_in(source, rules, num_players=self._num_players).game
        if (game.ruleset.name, game.num_players) != (rules.name, self._num_players):
            given = f"{game.ruleset.name} with {game.num_players} players"
            raise ConfigError(f"expected a game of {rules.name} with {self._num_players} players, got one of {given}")
        if differs := changes(replace(game.ruleset, scoring=rules.scoring), rules):
            raise ConfigError(f"a game recorded under other rules: {', '.join(differs)} differ from the table's {rules.name}")
        self._game = game

    def decide(self, word: str | None = None) -> Play:
        """The decision of the seat to move in the auction, made: a word such as `"call"` or `"bid_2"`, `None` for no.

        Raises:
            ConfigError: no auction goes on.
            IllegalPlayError: the word may not be said now.
        """
        return self._in("decide", Phase.DEALT).play(0, word)

    def start(self, cards: CardsLike | Play, pattern: str | None = None) -> Play:
        """The first hand, played.

        Raises:
            ConfigError: it is not the time for it.
            IllegalPlayError, AmbiguousPlayError: as `Game.play`.
        """
        return self._in("start", Phase.ASSIGNED).play(cards, pattern)

    def play(self, cards: CardsLike | Play = 0, pattern: str | None = None) -> Play:
        """A hand of the seat to move, or its pass, played. Raises as `start`."""
        return self._in("play", Phase.STARTED).play(cards, pattern)

    def display(self, seat: int) -> View | None:
        """What a seat may see, `None` before any cards are dealt."""
        return None if self._game is None else self._game.view(seat)

    def _chosen(self, operation: str) -> RuleSet:
        if self._ruleset is None:
            raise ConfigError(f"expected initialize before {operation}, got phase {self.phase.value!r}")
        return self._ruleset

    def _in(self, operation: str, phase: Phase) -> Game:
        if self._game is None or self.phase is not phase:
            raise ConfigError(f"expected phase {phase.value!r} for {operation}, got phase {self.phase.value!r}")
        return self._game

    def __repr__(self) -> str:
        return f"<Session: {self.phase.value}{f', {self._game!r}' if self._game else ''}>"
