"""Networks as opponents in many games at once, with the same moves as the agents that have these weights.

Features of the learned agent depend on who passed on which play, and game records do not contain that. Each row therefore has a
shadow game next to the engine's game, which follows the moves that the engine has recorded.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from big2_agents.kernels.endgame import DEPTH, find_finish
from big2_agents.kernels.feature_layout import check_features
from big2_agents.kernels.features import feature_record
from big2_agents.kernels.heuristic_tables import heuristic_record
from big2_agents.kernels.plays import candidates_dtype, find_moves, move_id
from big2_agents.kernels.rule_players import asked_rows
from big2_agents.kernels.track import clear_track, count_left, move_tracked, start_track, track_dtype
from big2_agents.learned.actor import Actor
from big2_agents.learned.policy import Scorer, decide, scorer_in
from big2_agents.learned.weights import Network, checked_network
from big2_agents.models.formula import Weights
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.bits import borrowed, popcount
from big2_env.kernels.dialect.cardsets import get
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.dialect.records import as_array, as_record
from big2_env.kernels.legal import check_action
from big2_env.kernels.opponents import RowGames, RowPlayer, RowRandom
from big2_env.kernels.tables import Tables
from big2_env.kernels.turn import deal
from big2_env.kernels.variants import variant_of

Array = npt.NDArray[Any]


@kernel
def _is_same(tab: Tables, game: Any, seen: Any) -> Any:
    """Return True if two games are at the same position."""
    same = (
        game.turn == seen.turn
        and game.passed == seen.passed
        and get(game.top, 0) == get(seen.top, 0)
        and game.top_seat == seen.top_seat
    )
    for seat in range(tab.num_players):
        same = same and get(game.hands, seat) == get(seen.hands, seat) and get(game.played, seat) == get(seen.played, seat)
    return same


@kernel
def _follow(tab: Tables, game: Any, seen: Any, track: Any, moves: Any, scratch: Any) -> None:
    """Advance a game and its track to the position of another game of the same deal, by that game's moves."""
    while seen.steps < game.steps:
        action = np.int64(moves[seen.steps])
        is_legal, _, _ = check_action(tab, seen, action, scratch)
        if not is_legal:
            return
        move_tracked(tab, seen, track, action, scratch)


@kernel
def _catch_up(
    tab: Tables, games: Any, i: Any, numbers: Any, seeds: Any, history: Any, known: Any, shadows: Any, tracks: Any, scratch: Any
) -> None:
    """Advance row `i` of `shadows` and `tracks` to the position of its game.

    A game that was set to a position by hand is tracked from that position on.
    """
    game, seen, track = games[i], shadows[i], tracks[i]
    if known[i] != numbers[i] or seen.steps > game.steps:
        deal(tab, seen, seeds[i], scratch)
        start_track(tab, seen, track)
        known[i] = numbers[i]
    _follow(tab, game, seen, track, history[i], scratch)
    if not _is_same(tab, game, seen):
        shadows[i] = game
        clear_track(tab, track)
        count_left(tab, seen, track)


@kernel(inline=True)
def _drawn(scores: Any, count: Any, best: Any, temperature: Any, draw: Any) -> Any:
    """Return the index of a candidate, sampled by the softmax of the scores.

    Args:
        scores: Scores of the candidates.
        count: Number of candidates.
        best: Index of the highest score.
        temperature: Divisor of the scores, above 0.
        draw: Random number from [0, 1).
    """
    whole = 0.0
    for i in range(count):
        whole += math.exp((scores[i] - scores[best]) / temperature)
    left = draw * whole
    for i in range(count):
        left -= math.exp((scores[i] - scores[best]) / temperature)
        if left < 0.0:
            return np.int64(i)
    return best


@kernel(entry=True)
def _write_moves(
    tables: Any,
    games: Any,
    rows: Any,
    numbers: Any,
    seeds: Any,
    history: Any,
    known: Any,
    shadows: Any,
    tracks: Any,
    candidates: Any,
    stack: Any,
    parts: Any,
    scratches: Any,
    temperature: Any,
    draws: Any,
    actions: Any,
) -> None:
    """Write the move of the seat to move in each of the games `rows` into `actions`, int64 (M,); `parts` is for `scorer_in`.

    With a `temperature` above 0, moves that are not forced wins are sampled by `draws`, float64 (M,).
    """
    tab, cand, scratch, scorer = borrowed(tables)[0], borrowed(candidates)[0], borrowed(scratches)[0], scorer_in(parts)
    for n in range(len(rows)):
        i = rows[n]
        _catch_up(tab, games, i, numbers, seeds, history, known, shadows, tracks, scratch)
        game, track = shadows[i], tracks[i]
        find_moves(tab, game, cand)
        best, is_sure = decide(tab, game, track, cand, stack, scorer)
        if temperature > 0.0 and cand.count > 1 and not is_sure:
            best = _drawn(scorer.scores, cand.count, best, temperature, draws[n])
        actions[n] = move_id(tab, game, cand, best)


class LearnedRows(RowPlayer):
    """Policy network as the opponent in every row.

    Args:
        ruleset: The rules of the games.
        network: Weights.
        num_players: Number of seats.
        opinion: Weights of the heuristic whose scores are features.
        temperature: Divisor of the scores from whose softmax moves are sampled; 0 for the best move.

    Raises:
        ConfigError: The ruleset cannot be compiled, or the weights expect other features.
    """

    uses_history = True

    def __init__(
        self, ruleset: RuleSet, network: Network, num_players: int, opinion: Weights, temperature: float = 0.0
    ) -> None:
        self._network = checked_network(network, "network")
        self._given = ruleset, self._network, num_players, opinion, temperature
        self._temperature, self._no_draws = temperature, np.zeros(0)
        self._variant = variant = variant_of(ruleset)
        tables: Any = compile_tables(ruleset, num_players)
        layout: Any = feature_record(ruleset, num_players)
        check_features("network", network.sizes, ruleset, num_players)
        candidates = candidates_dtype(variant.by_slots, variant.words)
        most = len(np.zeros((), candidates)["row"])
        self._tables = as_array(tables)
        self._scorer = Scorer.new(heuristic_record(ruleset, opinion, num_players), layout, self._network, most).quick
        self._candidates = as_array(as_record(np.zeros((), candidates)))
        self._stack = np.zeros(DEPTH, candidates).view(np.recarray)
        self._scratch = as_array(as_record(np.zeros((), variant.scratch)))
        self._remember(0)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._given  # what it remembers follows from the games

    def _remember(self, rows: int) -> None:
        """Start tracking a number of games."""
        self._shadows = np.zeros(rows, self._variant.game).view(np.recarray)
        self._tracks = np.zeros(rows, track_dtype(self._variant.seats)).view(np.recarray)
        self._known = np.full(rows, -1, np.int64)

    def moves(self, engine: RowGames, rows: Array, rng: RowRandom) -> npt.NDArray[np.int64]:
        """Return the agent's action in each game, int64 (M,).

        Raises:
            ConfigError: As `asked_rows`.
        """
        rows = asked_rows(engine, rows, self._given[0], self._given[2])
        if len(self._known) != engine.num_games:
            self._remember(engine.num_games)
        engine.keep_history()
        actions = np.zeros(len(rows), np.int64)
        draws = rng.random() if self._temperature > 0.0 else self._no_draws
        _write_moves(
            self._tables, engine.games, rows, engine.game_numbers, engine.deal_seeds, engine.history, self._known,
            self._shadows, self._tracks, self._candidates, self._stack, self._scorer, self._scratch, self._temperature, draws,
            actions,
        )  # fmt: skip
        return actions


@kernel(entry=True)
def _write_finishes(tables: Any, games: Any, rows: Any, left: Any, candidates: Any, stack: Any, actions: Any) -> None:
    """Write the action that starts a forced win into `actions`, int64 (M,); -1 if none is found or only one move is legal."""
    tab, cand = borrowed(tables)[0], borrowed(candidates)[0]
    for n in range(len(rows)):
        game = games[rows[n]]
        find_moves(tab, game, cand)
        for seat in range(tab.num_players):
            left[seat] = popcount(get(game.hands, seat))
        best = np.int64(-1) if cand.count == 1 else np.int64(find_finish(tab, game, left, cand, stack))
        actions[n] = move_id(tab, game, cand, best) if best >= 0 else -1


class ActorRows(RowPlayer):
    """Actor network as the opponent in every row; it makes its most probable move.

    Args:
        actor: The network.
        ruleset: The rules of the games.
        num_players: Number of seats.
        finishes: True to play a forced win first if there is one.

    Raises:
        ConfigError: Forced wins are wanted in a ruleset that cannot be compiled.
    """

    def __init__(self, actor: Actor, ruleset: RuleSet, num_players: int, *, finishes: bool) -> None:
        self._actor, self._ruleset, self._num_players, self._finishes = actor, ruleset, num_players, finishes
        if finishes:
            variant, tables = variant_of(ruleset), compile_tables(ruleset, num_players)
            candidates = candidates_dtype(variant.by_slots, variant.words)
            self._tables, self._candidates = as_array(tables), as_array(as_record(np.zeros((), candidates)))
            self._stack, self._left = np.zeros(DEPTH, candidates).view(np.recarray), np.zeros(num_players, np.int32)

    def moves(self, engine: RowGames, rows: Array, rng: RowRandom) -> npt.NDArray[np.int64]:
        """Return the network's action in each game, int64 (M,).

        Raises:
            ConfigError: As `asked_rows`.
        """
        rows = asked_rows(engine, rows, self._ruleset, self._num_players)
        actions = np.full(len(rows), -1, np.int64)
        if self._finishes:
            _write_finishes(self._tables, engine.games, rows, self._left, self._candidates, self._stack, actions)
        asked = np.flatnonzero(actions < 0)
        if len(asked):
            for n, seen, mask in zip(asked.tolist(), *engine.look_at(rows[asked]), strict=True):
                legal = np.flatnonzero(mask)
                actions[n] = legal[self._actor.scores(seen, legal).argmax()]
        return actions
