"""Playing of units, in this process or in several; the results do not depend on the number of processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from time import thread_time
from typing import TYPE_CHECKING, Any, Final

from big2_agents.evaluation.arena.results import Config, GameResult, UnitResult
from big2_agents.evaluation.arena.schedule import Unit
from big2_agents.rule_based.batched import rule_games
from big2_agents.rule_based.heuristic import player_of
from big2_env.agents.interface import Agent, aside, check_seats, make_agent, naming_game, play_out, reset_seats
from big2_env.agents.isolated import IsolatedAgent
from big2_env.agents.time_limit import Limited, TimeLimit
from big2_env.base.errors import ConfigError
from big2_env.climbing.forfeit import Forfeit, ForfeitError
from big2_env.climbing.game import Game
from big2_env.kernels.switch import PATIENCE, Switch
from big2_env.runs.batches import Task
from big2_env.runs.executors import Executor

if TYPE_CHECKING:
    from big2_agents.kernels.rule_players import Player, RuleGames

COMPILING: Final = 10.0
"""CPU seconds of interpreted games after which a run compiles, and waits for it: a second thread would slow both down."""


class Table:
    """Player of the units of one configuration; agents are made once per chair and contest, and reset for each game.

    Games between agents that are rule players (`kernels.rule_players`) run in kernels, interpreted until compiled ones are
    ready, with the same results. Output that agents print goes to standard error, since standard output is for the report.

    Args:
        config: Configuration of the run.
        limit: Maximum seconds per move; `None` for no limit.
        patience: CPU seconds of interpreted games after which the table compiles their kernels.
        isolate: Run each agent in its own process (`IsolatedAgent`); games are then never compiled.
        is_aside: True if the caller keeps the agents' output out of standard output, for several tables in threads.

    Raises:
        ConfigError: The limit cannot be enforced here.
    """

    def __init__(
        self,
        config: Config,
        limit: float | None = None,
        *,
        patience: float = COMPILING,
        isolate: bool = False,
        is_aside: bool = False,
    ) -> None:
        self._aside: Callable[[], AbstractContextManager[object]] = nullcontext if is_aside else aside
        self._limit = None if limit is None else TimeLimit(limit)
        self._rules = config.rules()
        self._config = config
        self._contests = config.contests()
        self._specs = config.agents
        self._agents: dict[int, list[Agent]] = {}
        self._isolate, self._patience, self._spent = isolate, patience, 0.0
        self._isolated: dict[tuple[str, int], IsolatedAgent] = {}
        self._players: frozenset[Player] = frozenset()
        if not isolate:
            with self._aside():
                found = [player_of(make_agent(spec), self._rules) for spec in set(self._specs)]
            self._players = frozenset(player for player in found if player is not None)
        self._games: dict[int, Switch[RuleGames] | None] = {}

    def play(self, unit: Unit) -> UnitResult:
        """Return the results of a unit: its deal in every rotation of the contest.

        Each seat's random stream depends only on its hand and seat, so equal agents play equal games in all rotations. `big2
        match` with the agents of a rotation and the deal's seed repeats the game.
        """
        contest = self._contests[unit.contest]
        try:
            return UnitResult(unit, tuple(self.game(unit, rotation) for rotation in range(contest.rotations)))
        except BaseException:
            for agent in self._isolated.values():  # their processes end now, and not with the error's traceback
                agent.close()
            raise

    def game(self, unit: Unit, rotation: int) -> GameResult:
        """Return the result of one game of a unit."""
        contest = self._contests[unit.contest]
        chairs = self._agents.get(unit.contest)
        if chairs is None:
            with self._aside():
                chairs = self._agents[unit.contest] = self._seated([self._specs[agent] for agent in contest.chairs])
                self._prepare(chairs)
        seats = [chairs[contest.chair_at(seat, rotation)] for seat in range(len(chairs))]
        specs = [self._specs[agent] for agent in contest.seating(rotation)]
        seed = self._config.deal_seed(unit.deal)
        return self._by_rules(seats, seed) or self._by_agents(seats, specs, unit.deal, seed)

    def _seated(self, specs: list[str]) -> list[Agent]:
        """Return an agent for each chair; isolated agents are shared by contests, but not by chairs of the same contest."""
        if not self._isolate:
            return [make_agent(spec) for spec in specs]
        seated: list[Agent] = []
        taken: Counter[str] = Counter()
        for spec in specs:
            key = spec, taken[spec]
            taken[spec] += 1
            if key not in self._isolated:
                self._isolated[key] = IsolatedAgent(spec)
            seated.append(self._isolated[key])
        check_seats(seated, self._rules, len(seated))  # the rules are sent now, and not within the first move's time
        return seated

    def _prepare(self, chairs: list[Agent]) -> None:
        """Compile agents whose moves depend on their speed, so that results do not depend on earlier compilation."""
        for agent in chairs:
            if getattr(agent, "plays_by_time", False) or (self._limit is not None and hasattr(agent, "plays_by_time")):
                agent.prepare(Game.deal(self._rules, 0, len(chairs)).view())  # type: ignore[attr-defined]

    def _games_of(self, seats: int) -> Switch[RuleGames] | None:
        """Return games between rule players for a number of seats, `None` if the kernels do not support the ruleset."""
        if seats not in self._games:
            self._games[seats] = None
            with suppress(ConfigError):  # the reference engine serves every ruleset
                games = rule_games(self._rules, self._players, seats)
                self._games[seats] = games if games.form else None
        return self._games[seats]

    def _by_rules(self, seats: list[Agent], seed: int) -> GameResult | None:
        """Return the result of a game between rule players, `None` unless all agents are."""
        if not self._players:
            return None
        players = [player for agent in seats if (player := player_of(agent, self._rules)) is not None]
        if len(players) < len(seats) or (games := self._games_of(len(seats))) is None:
            return None
        if self._spent >= self._patience or (self._spent >= PATIENCE and games.compilation.is_cached()):
            games.compilation.finish()
        start, form = thread_time(), games.form
        result = GameResult(*form.play(seed, [form.code_of(player) for player in players], self._config.agent_seed))
        self._spent += thread_time() - start
        return result

    def _by_agents(self, seats: list[Agent], specs: list[str], deal: int, seed: int) -> GameResult:
        """Return the result of a game played move by move.

        Raises:
            ConfigError: An agent fails, takes too long or makes an illegal move; the message names the game.
        """
        where = f"deal {deal}, seed {seed}"
        game = Game.deal(self._rules, seed, len(seats))
        if self._limit is not None:
            seats = [Limited(agent, self._limit) for agent in seats]
        given_up: Forfeit | None = None
        with self._aside():
            with naming_game(where, specs):
                reset_seats(seats, game, salt=self._config.agent_seed)
            with naming_game(where, specs, game):
                try:
                    play_out(game, seats)
                except ForfeitError as error:
                    given_up = error.forfeit
        return _result(game, given_up, seats)


def _result(game: Game, given_up: Forfeit | None, agents: Sequence[Agent]) -> GameResult:
    """Return the result of a game, with notes if it was forfeited or an agent counts something (`counts`)."""
    counts = {str(seat): found for seat, agent in enumerate(agents) if (found := getattr(agent, "counts", None))}
    notes: dict[str, Any] | None = {"counts": {seat: dict(found) for seat, found in counts.items()}} if counts else None
    if given_up is not None:
        notes = (notes or {"counts": {}}) | {"forfeit": (given_up.seat, given_up.reason)}
    if notes is not None and game.position.landlord is not None:
        notes["landlord"] = game.position.landlord
    if given_up is not None:
        return GameResult(-1, game.view().cards_left, given_up.payoffs, notes)
    outcome = game.outcome
    assert outcome is not None
    return GameResult(outcome.winner, outcome.cards_left, outcome.payoffs, notes)


def played(
    config: Config, units: Iterable[Unit], executor: Executor, limit: float | None = None, *, isolate: bool = False
) -> AbstractContextManager[Iterator[UnitResult]]:
    """Return a context with the results of units, in order and as they are finished.

    Args:
        config: Configuration of the run.
        units: The units to play.
        executor: Processes that play them.
        limit: Maximum seconds per move; `None` for no limit.
        isolate: Run each agent in its own process.
    """
    return executor.map(Task(Table.play, partial(Table, isolate=isolate), (config, limit)), units)
