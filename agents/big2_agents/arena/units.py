"""Playing of units, in this process or in several; the results do not depend on the number of processes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from time import thread_time
from typing import TYPE_CHECKING, Any, Final

from big2_agents.arena.results import Config, GameResult, UnitResult
from big2_agents.arena.schedule import Unit
from big2_agents.first_answers import rule_games
from big2_agents.heuristic import player_of
from big2_env.agents import Agent, aside, check_seats, make_agent, naming_game, play_out, reset_seats
from big2_env.climbing.forfeit import Forfeit, ForfeitError
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError
from big2_env.isolated import IsolatedAgent
from big2_env.kernels.interim import may_be_compiled
from big2_env.runs.executors import Executor, num_cores
from big2_env.time_limit import Limited, TimeLimit

if TYPE_CHECKING:
    from big2_agents.kernels.rule_players import Player, RuleGames

WARM_UP: Final = 100
"""Number of units played before compiled code is loaded; interpreted, they take about as long as loading."""
COMPILING: Final = 45.0
"""CPU seconds that compiling takes. Runs that take no longer interpreted are not compiled."""


class Table:
    """Player of the units of one configuration; agents are made once per chair and contest, and reset for each game.

    Games between agents that are rule players (`kernels.rule_players`) run in kernels: the first `warm_up` units interpreted,
    unless moves are timed, the others compiled, since loading takes longer than a few units. If the kernels are not in
    numba's cache, and compiling them would take longer than the rest of the run, all units run interpreted. The results are
    the same. Output that agents print goes to standard error, since standard output is for the report.

    Args:
        config: Configuration of the run.
        limit: Maximum seconds per move; `None` for no limit.
        warm_up: Number of units played before compiled code is loaded.
        number: Number of units that this table is expected to play; `None` if it is not known.
        isolate: Run each agent in its own process (`IsolatedAgent`); games are then never compiled.
        is_aside: True if the caller keeps the agents' output out of standard output, for several tables in threads.

    Raises:
        ConfigError: The limit cannot be enforced here.
    """

    def __init__(
        self,
        config: Config,
        limit: float | None = None,
        warm_up: int = WARM_UP,
        *,
        number: int | None = None,
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
        self._isolate = isolate
        self._isolated: dict[tuple[str, int], IsolatedAgent] = {}
        self._units, self._warm_up, self._number = 0, warm_up, number
        self._spent = 0.0
        """CPU seconds of games between rule players."""
        self._players: set[Player] = set()
        self._make_games: Callable[[RuleSet, Collection[Player], int], RuleGames]
        self._games: dict[int, RuleGames | None] = {}

    def play(self, unit: Unit) -> UnitResult:
        """Return the results of a unit: its deal in every rotation of the contest.

        Each seat's random stream depends only on its hand and seat, so equal agents play equal games in all rotations. `big2
        match` with the agents of a rotation and the deal's seed repeats the game.
        """
        contest = self._contests[unit.contest]
        if not self._isolate and self._units in (0, self._warm_up):
            self._load(self._units < self._warm_up or self._stays_interpreted())
        self._units += 1
        return UnitResult(unit, tuple(self.game(unit, rotation) for rotation in range(contest.rotations)))

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

    def close(self) -> None:
        """End the processes of isolated agents."""
        for agent in self._isolated.values():
            agent.close()

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
        check_seats(seated, self._rules, len(seated))  # the rules are sent now, and not within the first act's time
        return seated

    def _prepare(self, chairs: list[Agent]) -> None:
        """Compile agents whose moves depend on their speed, so that results do not depend on earlier compilation."""
        for agent in chairs:
            if getattr(agent, "plays_by_time", False) or (self._limit is not None and hasattr(agent, "plays_by_time")):
                agent.prepare(Game.deal(self._rules, 0, len(chairs)).view())  # type: ignore[attr-defined]

    def _load(self, is_interpreted: bool) -> None:
        """Load the rule players of the agents, if there are any."""
        if is_interpreted and self._limit is not None:
            return
        if is_interpreted:
            self._make_games = rule_games
        else:
            from big2_agents.kernels.rule_players import RuleGames

            self._make_games = RuleGames
        self._games.clear()
        with self._aside():
            found = [player_of(make_agent(spec), self._rules) for spec in set(self._specs)]
        self._players = {player for player in found if player is not None}

    def _stays_interpreted(self) -> bool:
        """Return whether the rest of the run takes less time interpreted than compiling."""
        if self._number is None or self._limit is not None or not self._units:
            return False
        rest = self._spent / self._units * (self._number - self._units)
        return rest < COMPILING and not self._is_compiled()

    def _is_compiled(self) -> bool:
        """Return whether the games of the first contest are compiled, in this process or in numba's cache on disk."""
        if not may_be_compiled("big2_agents.kernels.rule_players", "play_game"):
            return False
        from big2_agents.kernels.rule_players import RuleGames, play_game
        from big2_env.kernels.dialect.kernel import is_compiled

        with suppress(ConfigError):
            games = RuleGames(self._rules, self._players, len(self._contests[0].chairs))
            return is_compiled(play_game, *games.arguments(0, 0))
        return False

    def _games_of(self, seats: int) -> RuleGames | None:
        """Return games between rule players for a number of seats, `None` if the kernels do not support the ruleset."""
        if seats not in self._games:
            self._games[seats] = None
            with suppress(ConfigError):  # the reference engine serves every ruleset
                self._games[seats] = self._make_games(self._rules, self._players, seats)
        return self._games[seats]

    def _by_rules(self, seats: list[Agent], seed: int) -> GameResult | None:
        """Return the result of a game between rule players, `None` unless all agents are."""
        if not self._players:
            return None
        players = [player for agent in seats if (player := player_of(agent, self._rules)) is not None]
        if len(players) < len(seats) or (games := self._games_of(len(seats))) is None:
            return None
        codes = [games.code_of(player) for player in players]
        start = thread_time()
        result = GameResult(*games.play(seed, codes, self._config.agent_seed))
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


@contextmanager
def played(
    config: Config,
    units: Iterable[Unit],
    executor: Executor,
    limit: float | None = None,
    *,
    number: int | None = None,
    isolate: bool = False,
) -> Iterator[Iterator[UnitResult]]:
    """Return a context with the results of units, in order and as they are finished.

    Args:
        config: Configuration of the run.
        units: The units to play.
        executor: Processes that play them.
        limit: Maximum seconds per move; `None` for no limit.
        number: Number of units in all processes together; `None` if it is not known.
        isolate: Run each agent in its own process.
    """
    each = None if number is None else -(-number // (executor.jobs or num_cores()))
    try:
        with executor.map(_play, units, start=_start_worker, given=(config, limit, each, isolate)) as results:
            yield results
    finally:
        if _worker is not None:  # the units were played in this process; others end with what they have started
            _worker.close()


_worker: Table | None = None


def _start_worker(config: Config, limit: float | None, number: int | None, isolate: bool) -> None:
    global _worker
    _worker = Table(config, limit, number=number, isolate=isolate)


def _play(unit: Unit) -> UnitResult:
    assert _worker is not None
    return _worker.play(unit)
