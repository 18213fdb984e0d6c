"""Deals of one game among several people and agents, independent of any user interface."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from big2_env.agents.advice import default_adviser
from big2_env.agents.interface import available_agents, check_seats, hurried, make_agent, play_turn
from big2_env.agents.seeds import agent_seed
from big2_env.base.errors import ConfigError, NotationError
from big2_env.base.json_values import whole_at
from big2_env.base.language import Language, words
from big2_env.base.rng import MASK_64, drawn_seed
from big2_env.base.side_game import SideGame, seeded_move
from big2_env.base.side_games import side_entry
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import named
from big2_env.notation import records, side_records
from big2_env.notation.side_records import SideRecord
from big2_env.notation.transcript import Transcript
from big2_env.tables.session.session import ClimbingDeals, Session
from big2_env.text.names import agent_words
from big2_env.text.seating import weights_notes


class SharedSession(Session):
    """Deals of one game with a running score. The caller decides who makes the move of a seat: a person, or an agent.

    Every seed is random, and nothing shows it before the end of a deal. An agent is made for each of its moves, and sees only
    its seat's view.
    """

    def __init__(self, seats: int) -> None:
        self.seats = seats
        """Number of seats."""
        self.before = (0.0,) * seats
        self.seed = drawn_seed()
        self.deal()

    @abstractmethod
    def chosen(self, agent: str, guard: AbstractContextManager[Any]) -> Any:
        """Return an agent's move for the seat to move. The agent gets a copy of what it sees, so the game may change meanwhile.

        Args:
            agent: Name of the agent.
            guard: Held while the game is copied.

        Raises:
            ConfigError: The agent fails, or its move is illegal.
        """

    @abstractmethod
    def record(self, names: Sequence[str], **extra: Any) -> str:
        """Return the current deal as one line in the format of records. It contains every card.

        Args:
            names: Name of each seat.
            **extra: Additional keys with JSON values.
        """


class SharedClimbing(SharedSession, ClimbingDeals):
    """Deals of a climbing game."""

    def __init__(self, ruleset: RuleSet, seats: int) -> None:
        self.ruleset = ruleset
        super().__init__(seats)

    def chosen(self, agent: str, guard: AbstractContextManager[Any]) -> Play:
        """Return an agent's move for the seat to move; see `SharedSession.chosen`.

        Args:
            agent: Name of the agent.
            guard: Held while the game is copied.
        """
        with guard:
            game = self.game.copy()
        view = game.view()
        player = make_agent(agent)
        player.reset(agent_seed(view))
        with hurried():
            return play_turn(game, [player] * self.seats)

    def notes(self, agents: Iterable[str], lang: Language) -> list[str]:
        """Return a line for each agent with weights made for another payoff or other rules.

        Args:
            agents: Names of the agents at the table.
            lang: Language of the lines.
        """
        tr = words(lang)
        made = {agent_words(name, tr): make_agent(name) for name in agents}
        return list(weights_notes(made, self.ruleset, self.seats, tr))

    def play(self, cards: int | Play, word: str | None = None) -> None:
        """Make the move of the seat to move.

        Args:
            cards: Cards to play; none for a pass.
            word: Word of an auction, `None` for other moves.

        Raises:
            IllegalPlayError: The move is illegal; nothing changes.
            AmbiguousPlayError: The cards match several patterns.
        """
        self.game.play(cards, word)

    def record(self, names: Sequence[str], **extra: Any) -> str:
        """Return the current deal as one line of JSON; see `SharedSession.record`.

        Args:
            names: Name of each seat.
            **extra: Additional keys with JSON values.
        """
        transcript = Transcript(self.game, tuple(names))
        return records.dumps(records.GameRecord(transcript, self.deck, {"seed": self.seed, **extra}))

    def restore(self, text: str) -> None:
        """Continue a deal.

        Args:
            text: Output of `record`.

        Raises:
            NotationError, ConfigError: The text is not a deal of this game for as many seats.
        """
        record = records.loads(text)
        if record.game.ruleset != self.ruleset or record.game.num_players != self.seats or record.deck is None:
            raise NotationError(f"deal: expected {self.ruleset.name} for {self.seats} seats, with its deck")
        self.game, self.deck = record.game, record.deck


class SharedSide(SharedSession):
    """Deals of a side game with decisions."""

    game: SideGame

    def __init__(self, kind: type[SideGame], seats: int) -> None:
        self.kind = kind
        """Class of the game."""
        self._deal = partial(kind.for_seats, kind.checked_seats(seats))
        super().__init__(seats)

    def deal(self) -> None:
        """Deal the game of the current seed."""
        self.game = self._deal(self.seed)

    def chosen(self, agent: str, guard: AbstractContextManager[Any]) -> int:
        """Return a player's move for the seat to move; see `SharedSession.chosen`.

        Args:
            agent: Name of the player.
            guard: Held while the game is copied.
        """
        with guard:
            view = self.game.view()
        return seeded_move(self.kind.player(agent), view, agent)

    def play(self, move: int) -> None:
        """Make the move of the seat to move.

        Raises:
            IllegalPlayError: The move is illegal; nothing changes.
        """
        self.game.play(move)

    def record(self, names: Sequence[str], **extra: Any) -> str:
        """Return the current deal as one line of JSON; see `SharedSession.record`.

        Args:
            names: Name of each seat.
            **extra: Additional keys with JSON values.
        """
        return side_records.dumps(SideRecord(self.game, {"seed": self.seed, "players": list(names), **extra}))

    def restore(self, text: str) -> None:
        """Continue a deal.

        Args:
            text: Output of `record`.

        Raises:
            NotationError, ConfigError, IllegalPlayError: The text is not a deal of this game for as many seats.
        """
        game = side_records.loads(text, self.kind).game
        if game.num_players != self.seats:
            raise NotationError(f"deal: expected {self.seats} seats, got {game.num_players}")
        self.game = game


class SharedGame:
    """A game that several people can play: a climbing game, or a side game with decisions for several seats.

    Raises:
        ConfigError: The game does not exist or is not for several people.
    """

    def __init__(self, name: str) -> None:
        self.ruleset = named(name)
        """Rules of a climbing game; `None` for a side game."""
        entry = side_entry(name)
        self.kind = None if entry is None or entry.players[1] == 1 else entry.kind()
        """Class of a side game; `None` for a climbing game."""
        if self.ruleset is None and (self.kind is None or not self.kind.has_choices):
            raise ConfigError("expected a game for several people")
        self.name = name
        """Name of the game."""

    def agents(self) -> Sequence[str]:
        """Return the names of agents for its seats."""
        return list(available_agents()) if self.kind is None else self.kind.opponents()

    def usual_agent(self) -> str:
        """Return the agent for seats for which none is chosen."""
        return "heuristic" if self.kind is None else self.kind.usual_player

    def stand_in(self, seats: int) -> str:
        """Return the agent that continues for a person: in climbing games `learned` if it has weights, else the usual one."""
        return self.usual_agent() if self.ruleset is None else default_adviser(self.ruleset, seats)

    def check(self, seats: int, agents: Sequence[str]) -> None:
        """Check a table.

        Raises:
            ConfigError: The game is not played by this number, or an agent does not exist or cannot play it.
        """
        known = self.agents()
        if wrong := [name for name in agents if name not in known]:
            raise ConfigError(f"agent: expected one of {', '.join(known)}, got {wrong[0]!r}")
        if self.ruleset is not None:
            number = self.ruleset.seats(seats)
            check_seats([make_agent(name) for name in agents], self.ruleset, number)
        elif self.kind is not None:
            self.kind.checked_seats(seats)

    def sit(self, seats: int) -> SharedClimbing | SharedSide:
        """Return the first deal for a number of seats."""
        if self.ruleset is not None:
            return SharedClimbing(self.ruleset, seats)
        assert self.kind is not None
        return SharedSide(self.kind, seats)

    def title(self, lang: Language) -> str:
        """Return the name of the game in a language."""
        if self.ruleset is not None:
            return words(lang).game(self.ruleset.name, self.ruleset.zh)
        return words(lang).name("game", self.name)

    def restored(self, seats: int, kept: object) -> SharedClimbing | SharedSide:
        """Return a session with the deal of a record.

        Args:
            seats: Number of seats.
            kept: Record of the deal as JSON values.

        Raises:
            NotationError, ConfigError, IllegalPlayError: The values describe no such deal, or contradict the rules.
        """
        if not isinstance(kept, dict):
            raise NotationError("record: expected an object")
        made = self.sit(seats)
        made.restore(json.dumps(kept, ensure_ascii=False))
        made.seed = whole_at(kept, "seed", MASK_64)
        return made
