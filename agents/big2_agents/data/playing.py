"""Recording of games for data sets: played in parallel by the compiled engine, with the observation of every decision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from big2_agents.data.rows import Array, Rows, pack_bits, spans
from big2_agents.kernels.heuristic_tables import heuristic_record
from big2_agents.kernels.rule_players import Player, check_games, move_of_seat, numbered, table_dtype
from big2_agents.rule_based.heuristic import player_of
from big2_env.agents.interface import aside, check_seats, make_agent, naming_game, play_turn, reset_seats
from big2_env.agents.time_limit import limited
from big2_env.base.salts import Salts
from big2_env.climbing.actions import action_space
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.batch import ENDED, NO_RESET, first_salts
from big2_env.kernels.compile import check_compiles, compile_tables
from big2_env.kernels.dialect.bits import U, borrowed
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.dialect.records import as_record
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.observe import start_stream
from big2_env.kernels.tables import Tables
from big2_env.kernels.variants import variant_of


@kernel(entry=True)
def _choose(tab: Tables, games: Any, heur: Any, players: Any, seated: Any, moves: Any, scratch: Any) -> None:
    """Write the action of the seat to move in each game.

    `seated` holds a `table_dtype` record per game; the other arguments match `move_of_seat`.
    """
    games, seated, players = borrowed(games), borrowed(seated), borrowed(players)
    for i in range(games.shape[0]):
        if games[i].winner < 0:
            moves[i] = move_of_seat(tab, games[i], heur, players, seated[i], scratch)


@kernel(entry=True)
def _start(tab: Tables, games: Any, seated: Any, salts: Any) -> None:
    """Give each seat of newly dealt games its random stream, which depends on the game's salt."""
    games, seated = borrowed(games), borrowed(seated)
    for i in range(games.shape[0]):
        for seat in range(tab.num_players):
            seated[i].rng[seat] = start_stream(tab, games[i], seat, U(0), salts[i])


class CompiledPlayers:
    """Compiled rule players in many games at once, with the same actions as the agents.

    Args:
        ruleset: The rules of the games.
        players: The players that `start` seats, by index.

    Raises:
        ConfigError: The ruleset cannot be compiled, or a listed heuristic has no compiled version for it.
    """

    def __init__(self, ruleset: RuleSet, players: Sequence[Player]) -> None:
        self._variant = variant_of(ruleset)
        self._compiledet = ruleset
        codes, self._weights = numbered(players)
        self._codes = np.array([codes[player] for player in players])
        self._heuristic = heuristic_record(ruleset) if len(self._weights) else None
        self._scratch = as_record(np.zeros((), self._variant.scratch))

    def start(self, seating: Array, salts: Array) -> Callable[[BatchEngine, int], Array]:
        """Return a function that chooses the actions of new games.

        Args:
            seating: Player of each seat, (N, seats).
            salts: Salt of each game, uint64 (N,).
        """
        number, seats = seating.shape
        seated: Any = np.zeros(number, table_dtype(self._variant.seats)).view(np.recarray)
        seated.code[:, :seats] = self._codes[seating]
        moves = np.zeros(number, np.int64)
        tables = compile_tables(self._compiledet, seats)

        def choose(engine: BatchEngine, step: int) -> Array:
            check_games(engine, self._compiledet, seats)
            if step == 0:
                _start(tables, engine.games, seated, salts)
            _choose(tables, engine.games, self._heuristic, self._weights, seated, moves, self._scratch)
            return moves

        return choose


Choose = Callable[[BatchEngine, int], Array]
"""Returns an action for each game, int64 (N,), from the engine and the number of actions so far; ignored for finished games."""


class GameRecorder:
    """Recorder of a data set's games; agents are made once and reset for each game.

    Game k is dealt by seed `seed + k`, and agent c is at seat (c + k) mod seats, so every agent plays every seat. Games run
    compiled if all agents have compiled versions; otherwise agents are asked view by view.

    Args:
        ruleset: The rules of the games.
        agents: Specification of an agent for each seat.
        seed: Seed of game 0.
        limit: Maximum seconds per action; `None` for no limit.

    Raises:
        ConfigError: An agent is unknown or cannot play the game, the ruleset cannot be compiled, or the limit cannot be
            enforced here.

    >>> from big2_env import BIG2
    >>> len(GameRecorder(BIG2, ["greedy"] * 4, seed=0).record(0, 2).final_bits)
    2
    """

    def __init__(self, ruleset: RuleSet, agents: Sequence[str], seed: int, limit: float | None = None) -> None:
        check_compiles(ruleset, len(agents))
        self.ruleset = ruleset
        self.seed = seed
        self._specs = agents
        made = [make_agent(spec) for spec in agents]
        check_seats(made, ruleset, len(agents))
        self._agents = limited(made, limit)
        players = [player for agent in made if (player := player_of(agent, ruleset)) is not None]
        self.is_compiled = len(players) == len(agents)
        """True if compiled code plays the games."""
        self._compiled = CompiledPlayers(ruleset, players) if self.is_compiled else None
        self._space = action_space(ruleset)

    def warm_up(self) -> None:
        """Compile or load the code for the games, so that worker processes find it in the cache."""
        if self._compiled is not None:
            self.record(0, 1)

    def record(self, first: int, stop: int) -> Rows:
        """Play the games from `first` up to but not including `stop`, and return their decisions."""
        games = np.arange(first, stop)
        seating = (np.arange(len(self._agents)) - games[:, None]) % len(self._agents)
        engine = BatchEngine(self.ruleset, len(games), num_players=len(self._agents), masks="ids")
        return _record(engine, games, self.seed, seating, self._actions(games, seating))

    def _actions(self, games: Array, seating: Array) -> Choose:
        """Return a function that chooses the actions of some games."""
        if self._compiled is not None:
            return self._compiled.start(seating, first_salts(Salts(), (self.seed + int(game) for game in games)))
        with aside():
            made = [self._actions_of_game(row, int(game)) for row, game in zip(seating, games, strict=True)]
        table = np.zeros((len(made), max(map(len, made))), np.int64)
        for row, moves in zip(table, made, strict=True):
            row[: len(moves)] = moves
        return lambda _, step: np.ascontiguousarray(table[:, step])

    def _actions_of_game(self, seating: Array, number: int) -> list[int]:
        """Play one game view by view and return its actions; `seating` has the agent of each seat.

        Raises:
            ConfigError: An agent fails, takes too long or makes an illegal move; the message names the game.
        """
        seats, specs = [self._agents[chair] for chair in seating], [self._specs[chair] for chair in seating]
        seed = self.seed + number
        game, where = Game.deal(self.ruleset, seed, len(seats)), f"game {number}, seed {seed}"
        with naming_game(where, specs):
            reset_seats(seats, game, salt=Salts().first(seed))
        moves = []
        while not game.is_over:
            hand = game.position.hands[game.turn]
            with naming_game(where, specs, game):
                play = play_turn(game, seats)
            moves.append(self._space.of_play(play, hand))
        return moves


def _record(engine: BatchEngine, games: Array, seed: int, seating: Array, choose: Choose) -> Rows:
    """Play games to their ends and return their decisions."""
    engine.deal(np.array([(seed + int(game)) % 2**64 for game in games], np.uint64))
    payoffs = np.zeros((len(games), engine.num_players), np.float32)
    steps: list[dict[str, Array]] = []
    while len(rows := np.flatnonzero(engine.games.winner < 0)):
        counts, ids = engine.legal_ids()
        counts, ids = counts[rows].astype(np.int64), ids[rows]
        listed = np.arange(ids.shape[1]) < counts[:, None]
        ids[~listed] = np.iinfo(np.int32).max
        ids.sort(axis=1)
        moves = choose(engine, len(steps))
        bits = pack_bits(engine.observation[rows])
        seats, actions = engine.seat[rows], moves[rows]
        steps.append({"row": rows, "seat": seats, "action": actions, "bits": bits, "count": counts, "legal": ids[listed]})
        engine.step(moves, NO_RESET)
        ended = rows[engine.status[rows] == ENDED]
        payoffs[ended] = engine.payoffs[ended]
    finals = []
    for viewer in range(engine.num_players):
        engine.show(np.full(len(games), viewer))
        finals.append(pack_bits(engine.observation))
    return _in_order(steps, games, seating, payoffs, np.stack(finals, axis=1))


def _in_order(steps: list[dict[str, Array]], games: Array, seating: Array, payoffs: Array, finals: Array) -> Rows:
    """Return the decisions of parallel games sorted by game."""
    found: dict[str, Any] = {name: np.concatenate([step[name] for step in steps]) for name in steps[0]}
    order = np.argsort(found["row"], kind="stable")
    counts, starts = found["count"], np.cumsum(found["count"]) - found["count"]
    row, seat = found["row"][order], found["seat"][order]
    return Rows(
        game=games[row].astype(np.int64),
        seat=seat.astype(np.int8),
        agent=seating[row, seat].astype(np.int8),
        action=found["action"][order].astype(np.int32),
        payoff=payoffs[row, seat],
        bits=found["bits"][order],
        legal=found["legal"][spans(starts[order], counts[order])].astype(np.int32),
        legal_start=np.concatenate([np.zeros(1, np.int64), np.cumsum(counts[order])]),
        final_bits=finals,
    )
