"""A table at which one game after another is played, with the phases Ready, Initialized, Dealt, Assigned, Started and Over.

| operation | allowed in | leads to |
| --- | --- | --- |
| `initialize` | any phase | Initialized |
| `deal` | Initialized or later | Dealt if there is an auction, else Assigned |
| `decide` | Dealt | Dealt, or Assigned when the auction is over |
| `start` | Assigned | Started, or Over |
| `play` | Started | Started, or Over |
| `set` | Initialized or later | the phase of the position |
| `display` | any phase | |

A refused operation changes nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import overload

from big2_env.base.cards import CardsLike
from big2_env.base.errors import ConfigError
from big2_env.base.rng import drawn_seed
from big2_env.climbing.game import Game, Outcome, Phase
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.ruleset_data import changes
from big2_env.climbing.rulesets import ruleset as ruleset_of
from big2_env.climbing.view import View


class Session:
    """A table whose phase decides which operations are allowed.

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
        """Current phase."""
        if self._game is not None:
            return self._game.phase
        return Phase.READY if self._ruleset is None else Phase.INITIALIZED

    @property
    def game(self) -> Game:
        """Current game, including hidden cards.

        Raises:
            ConfigError: No cards have been dealt.
        """
        if self._game is None:
            raise ConfigError(f"expected a game, which deal or set begins, got phase {self.phase.value!r}")
        return self._game

    @property
    def outcome(self) -> Outcome | None:
        """Result of the game, or None before its end."""
        return None if self._game is None else self._game.outcome

    def initialize(self, ruleset: str | RuleSet, num_players: int | None = None) -> None:
        """Choose the rules and the number of players. The current game is discarded.

        Args:
            ruleset: Rules of the game, by name or value.
            num_players: Number of players; None for the ruleset's default.

        Raises:
            ConfigError: The ruleset does not exist, or does not allow that number of players.
        """
        rules = ruleset_of(ruleset)
        self._ruleset, self._num_players, self._game = rules, rules.seats(num_players), None

    def deal(self, seed: int | None = None) -> None:
        """Shuffle and deal a new game. If the ruleset says so, the winner of the game before leads.

        Args:
            seed: Seed of the deck; None for a random one.

        Raises:
            ConfigError: `initialize` has not been called.
        """
        rules, leader = self._chosen("deal"), None if self._game is None else self._game.next_leader
        self._game = Game.deal(rules, drawn_seed() if seed is None else seed, self._num_players, leader)

    def set(self, source: str) -> None:
        """Load a position or a game in any form that `notation.sources` reads.

        Args:
            source: A game as text (JSON, or several lines), or a file, optionally with a move number as in `FILE:12`.

        Raises:
            OSError: The file cannot be read.
            NotationError: The source is not a game.
            ConfigError: The game has other rules or another number of players.
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
        """Make an auction decision for the seat to move and return it.

        Args:
            word: Decision such as `"call"` or `"bid_2"`; None for a pass.

        Raises:
            ConfigError: No auction is in progress.
            IllegalPlayError: The decision is not allowed now.
        """
        return self._in("decide", Phase.DEALT).play(0, word)

    def start(self, cards: CardsLike | Play, pattern: str | None = None) -> Play:
        """Make the first play of the game and return it.

        Args:
            cards: Cards to play.
            pattern: Pattern or reading to use if the cards are ambiguous.

        Raises:
            ConfigError: The phase is not Assigned.
            IllegalPlayError: The play is not legal.
            AmbiguousPlayError: The cards have several legal readings.
        """
        return self._in("start", Phase.ASSIGNED).play(cards, pattern)

    def play(self, cards: CardsLike | Play = 0, pattern: str | None = None) -> Play:
        """Play cards, or pass, for the seat to move and return the play.

        Args:
            cards: Cards to play; none for a pass.
            pattern: Pattern or reading to use if the cards are ambiguous.

        Raises:
            ConfigError: The phase is not Started.
            IllegalPlayError: The play is not legal.
            AmbiguousPlayError: The cards have several legal readings.
        """
        return self._in("play", Phase.STARTED).play(cards, pattern)

    @overload
    def display(self) -> str | None: ...
    @overload
    def display(self, seat: int) -> View | None: ...
    def display(self, seat: int | None = None) -> View | str | None:
        """Return what a seat may know, or the whole table as text, or None before any cards are dealt.

        Args:
            seat: Seat of the viewer; None for the text of `state_text`, with all hands open.
        """
        if self._game is None or seat is not None:
            return None if self._game is None else self._game.view(seat)
        from big2_env.text.state import state_text  # with the texts of all games

        return state_text(self._game)

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
