"""Games of a data set: played in parallel on the compiled engine and recorded with the observation of every decision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from big2_agents.datasets.rows import Array, Rows, pack_bits, spans
from big2_agents.heuristic import player_of
from big2_agents.kernels.acts import order_record
from big2_agents.kernels.heuristic_tables import heuristic_record
from big2_agents.kernels.rule_players import Player, act_of_seat, check_games, numbered, table_dtype
from big2_env.agents import aside, check_seats, make_agent, naming_game, play_turn, reset_seats
from big2_env.climbing.actions import action_space
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.batch import ENDED, NO_RESET
from big2_env.kernels.compile import check_compiles, compile_tables
from big2_env.kernels.dialect.bits import U, borrowed
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.dialect.records import as_record
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.observe import start_stream
from big2_env.kernels.tables import Tables
from big2_env.kernels.variants import variant_of
from big2_env.time_limit import limited


@kernel(entry=True)
def _choose(tab: Tables, games: Any, order: Any, heur: Any, players: Any, seated: Any, acts: Any, scratch: Any) -> None:
    """Write the action of the seat to move of each game.

    `seated` has a record of `table_dtype` for each game; the other arguments are those of `act_of_seat`.
    """
    games, seated, players = borrowed(games), borrowed(seated), borrowed(players)
    for i in range(games.shape[0]):
        if games[i].winner < 0:
            acts[i] = act_of_seat(tab, games[i], order, heur, players, seated[i], scratch)


@kernel(entry=True)
def _start(tab: Tables, games: Any, seated: Any) -> None:
    """Give each seat of games that were just dealt its stream."""
    games, seated = borrowed(games), borrowed(seated)
    for i in range(games.shape[0]):
        for seat in range(tab.num_players):
            seated[i].rng[seat] = start_stream(tab, games[i], seat, U(0), U(0))


class CompiledPlayers:
    """Rule players in many games at once, whose actions are those of the agents.

    Args:
        ruleset: The rules.
        players: The players that `start` seats, by index.

    Raises:
        ConfigError: The ruleset cannot be compiled, or has no compiled heuristic if that player is named.
    """

    def __init__(self, ruleset: RuleSet, players: Sequence[Player]) -> None:
        self._variant = variant_of(ruleset)
        self._compiledet = ruleset
        codes, self._weights = numbered(players)
        self._codes = np.array([codes[player] for player in players])
        self._heuristic = heuristic_record(ruleset) if len(self._weights) else None
        self._scratch = as_record(np.zeros((), self._variant.scratch))

    def start(self, seating: Array) -> Callable[[BatchEngine, int], Array]:
        """Return a function that chooses the actions of new games; `seating` has the player of each seat, (N, seats)."""
        number, seats = seating.shape
        seated: Any = np.zeros(number, table_dtype(self._variant.seats)).view(np.recarray)
        seated.code[:, :seats] = self._codes[seating]
        acts = np.zeros(number, np.int64)
        tables = compile_tables(self._compiledet, seats)
        order = order_record(self._compiledet, tables)

        def choose(engine: BatchEngine, step: int) -> Array:
            check_games(engine, self._compiledet, seats)
            if step == 0:
                _start(tables, engine.games, seated)
            _choose(tables, engine.games, order, self._heuristic, self._weights, seated, acts, self._scratch)
            return acts

        return choose


Choose = Callable[[BatchEngine, int], Array]
"""Returns an action for each game, int64 (N,), given the engine and the number of actions so far; any for games that ended."""


class GameRecorder:
    """Plays and records the games of a data set. Agents are made once and reset for each game.

    Game k is dealt by the seed `seed + k`; agent c is at seat (c + k) mod seats, so that every agent plays every seat.
    Games are compiled if all agents are; otherwise they are played one view at a time.

    Args:
        ruleset: The rules.
        agents: An agent for each seat.
        seed: Seed of game 0.
        limit: Seconds that an agent may take for an action; `None` for any number.

    Raises:
        ConfigError: No such agent, one that cannot play this game, a ruleset that cannot be compiled, or a limit that cannot
            be enforced here.
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
        """Whether compiled code plays the games."""
        self._compiled = CompiledPlayers(ruleset, players) if self.is_compiled else None
        self._space = action_space(ruleset)

    def warm_up(self) -> None:
        """Compile or load what the games need, so that several processes need not do so."""
        if self._compiled is not None:
            self.record(0, 1)

    def record(self, first: int, stop: int) -> Rows:
        """Play the games from `first` up to `stop` and return their decisions."""
        games = np.arange(first, stop)
        seating = (np.arange(len(self._agents)) - games[:, None]) % len(self._agents)
        engine = BatchEngine(self.ruleset, len(games), num_players=len(self._agents), masks=False)
        return _record(engine, games, self.seed, seating, self._actions(games, seating))

    def _actions(self, games: Array, seating: Array) -> Choose:
        """Return a function that chooses the actions of some games."""
        if self._compiled is not None:
            return self._compiled.start(seating)
        with aside():
            made = [self._actions_of_game(row, int(game)) for row, game in zip(seating, games, strict=True)]
        table = np.zeros((len(made), max(map(len, made))), np.int64)
        for row, acts in zip(table, made, strict=True):
            row[: len(acts)] = acts
        return lambda _, step: np.ascontiguousarray(table[:, step])

    def _actions_of_game(self, seating: Array, number: int) -> list[int]:
        """Play one game one view at a time and return its actions; `seating` has the agent of each seat.

        Raises:
            ConfigError: An agent fails, takes too long or acts illegally; the message names the game.
        """
        seats, specs = [self._agents[chair] for chair in seating], [self._specs[chair] for chair in seating]
        seed = self.seed + number
        game, where = Game.deal(self.ruleset, seed, len(seats)), f"game {number}, seed {seed}"
        with naming_game(where, specs):
            reset_seats(seats, game)
        acts = []
        while not game.is_over:
            hand = game.position.hands[game.turn]
            with naming_game(where, specs, game):
                play = play_turn(game, seats)
            acts.append(self._space.of_play(play, hand))
        return acts


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
        acts = choose(engine, len(steps))
        bits = pack_bits(engine.observation[rows])
        seats, actions = engine.seat[rows], acts[rows]
        steps.append({"row": rows, "seat": seats, "action": actions, "bits": bits, "count": counts, "legal": ids[listed]})
        engine.step(acts, NO_RESET)
        ended = rows[engine.status[rows] == ENDED]
        payoffs[ended] = engine.payoffs[ended]
    finals = []
    for viewer in range(engine.num_players):
        engine.show(np.full(len(games), viewer))
        finals.append(pack_bits(engine.observation))
    return _in_order(steps, games, seating, payoffs, np.stack(finals, axis=1))


def _in_order(steps: list[dict[str, Array]], games: Array, seating: Array, payoffs: Array, finals: Array) -> Rows:
    """Sort decisions of parallel games by game."""
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
