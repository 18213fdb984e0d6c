"""Games played for a data set: all games of a piece side by side on the compiled engine, which says what every seat saw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from big2_agents.datasets.rows import Array, Rows, packed, spans
from big2_agents.datasets.rule_choices import RuleChoices
from big2_agents.heuristic import player_of
from big2_env.agents import aside, check_seats, make_agent, naming_game, play_turn, reset_seats
from big2_env.climbing.actions import action_space
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.batch import ENDED, NO_RESET
from big2_env.kernels.compile import check_compiles
from big2_env.kernels.engine import BatchEngine
from big2_env.time_limit import limited

Choose = Callable[[BatchEngine, int], Array]
"""Gives an action for each game, int64 (N,), from the engine and the number of actions made so far; ended games take any."""


class Player:
    """Plays the games of a data set. Agents are made once, and reset for each game.

    Game k is dealt by the seed `seed + k` and seats agent c at seat (c + k) mod seats, so that every agent plays every seat.
    Agents that compiled code repeats act for act play compiled; one that it does not repeat makes all play one view at a time.

    Args:
        ruleset: the rules.
        agents: an agent for each chair.
        seed: of game 0.
        limit: most seconds that an agent may take for an act; `None` for any number.

    Raises:
        ConfigError: no such agent, one that cannot play this game, a ruleset that cannot be compiled, or a limit that cannot
            be kept here.
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
        """True if the games are played by compiled code."""
        self._rules = RuleChoices(ruleset, players) if self.is_compiled else None
        self._space = action_space(ruleset)

    def warm_up(self) -> None:
        """Compile, or load, what the games need, so that several processes do not each do it."""
        if self._rules is not None:
            self.play(0, 1)

    def play(self, first: int, stop: int) -> Rows:
        """The decisions of the games from `first` up to `stop`."""
        games = np.arange(first, stop)
        chairs = (np.arange(len(self._agents)) - games[:, None]) % len(self._agents)
        engine = BatchEngine(self.ruleset, len(games), num_players=len(self._agents), masks=False)
        return _recorded(engine, games, self.seed, chairs, self._choices(games, chairs))

    def _choices(self, games: Array, chairs: Array) -> Choose:
        """What chooses the acts of some games."""
        if self._rules is not None:
            return self._rules.start(chairs)
        with aside():
            made = [self._acts(row, int(game)) for row, game in zip(chairs, games, strict=True)]
        table = np.zeros((len(made), max(map(len, made))), np.int64)
        for row, acts in zip(table, made, strict=True):
            row[: len(acts)] = acts
        return lambda _, step: np.ascontiguousarray(table[:, step])

    def _acts(self, chairs: Array, number: int) -> list[int]:
        """The actions of one game that agents play, one view at a time; `chairs` has the chair of each seat.

        Raises:
            ConfigError: an agent fails, takes too long or gives what is no legal act; the message names the game.
        """
        seats, specs = [self._agents[chair] for chair in chairs], [self._specs[chair] for chair in chairs]
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


def _recorded(engine: BatchEngine, games: Array, seed: int, chairs: Array, choose: Choose) -> Rows:
    """The decisions of games that are played from their deals to their ends."""
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
        bits = packed(engine.observation[rows])
        seats, actions = engine.seat[rows], acts[rows]
        steps.append({"row": rows, "seat": seats, "action": actions, "bits": bits, "count": counts, "legal": ids[listed]})
        engine.step(acts, NO_RESET)
        ended = rows[engine.status[rows] == ENDED]
        payoffs[ended] = engine.payoffs[ended]
    finals = []
    for viewer in range(engine.num_players):
        engine.show(np.full(len(games), viewer))
        finals.append(packed(engine.observation))
    return _in_order(steps, games, chairs, payoffs, np.stack(finals, axis=1))


def _in_order(steps: list[dict[str, Array]], games: Array, chairs: Array, payoffs: Array, finals: Array) -> Rows:
    """Decisions that were made side by side, game after game."""
    found: dict[str, Any] = {name: np.concatenate([step[name] for step in steps]) for name in steps[0]}
    order = np.argsort(found["row"], kind="stable")
    counts, starts = found["count"], np.cumsum(found["count"]) - found["count"]
    row, seat = found["row"][order], found["seat"][order]
    return Rows(
        game=games[row].astype(np.int64),
        seat=seat.astype(np.int8),
        agent=chairs[row, seat].astype(np.int8),
        action=found["action"][order].astype(np.int32),
        payoff=payoffs[row, seat],
        bits=found["bits"][order],
        legal=found["legal"][spans(starts[order], counts[order])].astype(np.int32),
        legal_start=np.concatenate([np.zeros(1, np.int64), np.cumsum(counts[order])]),
        final_bits=finals,
    )
