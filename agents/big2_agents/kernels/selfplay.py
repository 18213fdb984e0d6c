"""Batches of games for agents that score candidates: play to the next real choice, write its features, make it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from big2_agents.kernels.codes import HEURISTIC, NET, RANDOM
from big2_agents.kernels.endgame import DEPTH, finish_of
from big2_agents.kernels.features import Sizes, feature_record, write_choice, write_hidden
from big2_agents.kernels.heuristic import heuristic_move
from big2_agents.kernels.heuristic_tables import heuristic_record
from big2_agents.kernels.moves import simple_move
from big2_agents.kernels.plays import candidates_dtype, find_moves
from big2_agents.kernels.track import are_partners, make_tracked, move_tracked, start_track, track_dtype
from big2_agents.models.formula import Weights, first_weights_of
from big2_env.base.errors import ConfigError
from big2_env.base.salts import Salts
from big2_env.base.validated import Copied
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.batch import checked_choice, checked_rows, first_salts
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.bits import U, borrowed, random_next
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.dialect.records import as_record, read_only
from big2_env.kernels.observe import start_stream
from big2_env.kernels.optional_extras import is_bidding, landlord_of
from big2_env.kernels.tables import Tables
from big2_env.kernels.turn import deal, payoff
from big2_env.kernels.variants import variant_of


@kernel(entry=True)
def deal_all(tab: Tables, games: Any, tracks: Any, streams: Any, scratch: Any, seeds: Any, salts: Any) -> None:
    """Deal each game from its seed, and give each seat its random stream, which depends on the game's salt."""
    games, tracks, streams = borrowed(games), borrowed(tracks), borrowed(streams)
    for i in range(games.shape[0]):
        deal(tab, games[i], seeds[i], scratch)
        start_track(tab, games[i], tracks[i])
        for seat in range(tab.num_players):
            streams[i, seat] = start_stream(tab, games[i], seat, U(0), salts[i])


@kernel
def _agent_move(tab: Tables, game: Any, heur: Any, left: Any, code: Any, number: Any, scratch: Any) -> Any:
    """Return the action id of the move of an agent, given its code."""
    if code == HEURISTIC:
        return heuristic_move(tab, game, left, heur, scratch)
    return simple_move(tab, game, code, number, scratch)


@kernel
def _join_partners(tab: Tables, game: Any, controllers: Any, i: Any) -> None:
    """Let a network also play for its partners once there is a landlord."""
    for seat in range(tab.num_players):
        for other in range(tab.num_players):
            if controllers[i, seat] == NET and are_partners(game, seat, other):
                controllers[i, other] = NET


@kernel(entry=True)
def advance(
    tab: Tables,
    games: Any,
    tracks: Any,
    candidates: Any,
    stack: Any,
    controllers: Any,
    joins: Any,
    is_drawn: Any,
    streams: Any,
    heur: Any,
    scratch: Any,
) -> None:
    """Play each game until it is over or a network has a real choice, whose candidates are then in `candidates`.

    A forced win is played without asking. In games marked by `is_drawn`, calls in the auction are random.
    """
    games, tracks, candidates, stack = borrowed(games), borrowed(tracks), borrowed(candidates), borrowed(stack)
    controllers, joins, is_drawn, streams = borrowed(controllers), borrowed(joins), borrowed(is_drawn), borrowed(streams)
    for i in range(games.shape[0]):
        game, track, cand = games[i], tracks[i], candidates[i]
        while game.winner < 0:
            if joins[i] and landlord_of(game) >= 0:
                _join_partners(tab, game, controllers, i)
                joins[i] = False
            code = np.int64(RANDOM if is_drawn[i] and is_bidding(tab, game) else controllers[i, game.turn])
            if code <= NET:
                find_moves(tab, game, cand)
                chosen = np.int64(0)
                if cand.count > 1:
                    chosen = finish_of(tab, game, track.left, cand, stack)
                    if chosen < 0:
                        break
                make_tracked(tab, game, track, cand, chosen, scratch)
            else:
                number = U(0)
                if code == RANDOM:
                    streams[i, game.turn], number = random_next(streams[i, game.turn])
                move_tracked(tab, game, track, _agent_move(tab, game, heur, track.left, code, number, scratch), scratch)


@kernel(entry=True)
def write_features(
    tab: Tables,
    games: Any,
    tracks: Any,
    candidates: Any,
    heur: Any,
    feats: Any,
    rows: Any,
    offsets: Any,
    states: Any,
    hidden: Any,
    plays: Any,
) -> None:
    """Write the features of the current choices of some games."""
    games, tracks, candidates = borrowed(games), borrowed(tracks), borrowed(candidates)
    rows, offsets, states, hidden, plays = (
        borrowed(rows),
        borrowed(offsets),
        borrowed(states),
        borrowed(hidden),
        borrowed(plays),
    )
    for n in range(rows.shape[0]):
        game, track, cand = games[rows[n]], tracks[rows[n]], candidates[rows[n]]
        if hidden.shape[0]:
            write_hidden(tab, game, cand, feats, hidden, n)
        write_choice(tab, game, track, cand, heur, feats, states, n, plays, offsets[n])


@kernel(entry=True)
def choose(tab: Tables, games: Any, tracks: Any, candidates: Any, scratch: Any, rows: Any, chosen: Any) -> None:
    """Make the choices of some games, each an index among its candidates."""
    games, tracks, candidates = borrowed(games), borrowed(tracks), borrowed(candidates)
    for n in range(rows.shape[0]):
        i = rows[n]
        make_tracked(tab, games[i], tracks[i], candidates[i], np.int64(chosen[n]), scratch)


@kernel(entry=True)
def settle(tab: Tables, games: Any, paid: Any, won: Any) -> None:
    """Write payoffs and winners; rows of unfinished games are not changed."""
    games = borrowed(games)
    for i in range(games.shape[0]):
        game = games[i]
        if game.winner < 0:
            continue
        for seat in range(tab.num_players):
            paid[i, seat] = payoff(tab, game, seat)
        for seat in range(tab.num_players):
            won[i, seat] = seat == game.winner or (paid[i, seat] == paid[i, game.winner] and paid[i, seat] > 0)


Array = npt.NDArray[Any]


class Features:
    """Features of a batch of n choices with m candidates in all.

    `states` is int8 (n, sizes.state). `hidden` is int8 (n, sizes.hidden), or (0, ...) unless requested. `plays` is int8 (m,
    sizes.play), the candidates of one choice after another. `offsets` is int64 (n + 1,), the start of each choice's candidates.
    """

    def __init__(self, states: Array, hidden: Array, plays: Array, offsets: Array) -> None:
        self.states, self.hidden, self.plays, self.offsets = states, hidden, plays, offsets

    def places(self, chosen: Array) -> Array:
        """Return the indices among all plays, int64 (n,), of chosen plays given as indices within their choices, int64 (n,)."""
        return self.offsets[:-1] + chosen


class _Working(NamedTuple):
    """Working memory of one thread."""

    stack: Any
    scratch: Any
    heuristic: Any
    """Record of the rule-based player."""
    opinion: Any
    """Record whose scores are features."""


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Return the threads of all batches with that many."""
    return ThreadPoolExecutor(threads, "games")


class PlayedGames(Copied):
    """Batch of games of one ruleset between rule players and networks, advanced from real choice to real choice.

    Rule players make the same moves as the agents of their names. Arrays that compiled code reads are read-only for other code.

    Args:
        ruleset: The rules of the games.
        num_games: Number of games played at once.
        opinion: Weights of the heuristic whose scores are features; by default the first ones, which never change.
        threads: Threads that play; each has an equal part of the games, and results do not depend on their number.

    Raises:
        ConfigError: The ruleset cannot be compiled.
    """

    def __init__(self, ruleset: RuleSet, num_games: int, opinion: Weights | None = None, *, threads: int = 1) -> None:
        variant = variant_of(ruleset)
        self._tables: Any = compile_tables(ruleset)
        self._layout: Any = feature_record(ruleset)
        self._games: Any = np.zeros(num_games, variant.game).view(np.recarray)
        self._tracks: Any = np.zeros(num_games, track_dtype(variant.seats)).view(np.recarray)
        self._candidates: Any = np.zeros(num_games, candidates_dtype(variant.by_slots, variant.words)).view(np.recarray)
        self._controllers = np.full((num_games, self.seats), NET, np.int32)
        self._joins = np.zeros(num_games, np.bool_)
        """True if a network will also play for its partners."""
        self._is_drawn = np.zeros(num_games, np.bool_)
        """True if calls in the auction are random."""
        self._has_choice = np.zeros(num_games, np.bool_)
        """True if the candidates belong to the game's current choice."""
        self._streams = np.zeros((num_games, self.seats), np.uint64)
        self._working = [
            _Working(
                np.zeros(DEPTH, self._candidates.dtype).view(np.recarray),
                as_record(np.zeros((), variant.scratch)),
                heuristic_record(ruleset),
                heuristic_record(ruleset, first_weights_of(ruleset) if opinion is None else opinion),
            )
            for _ in range(threads)
        ]

    def _share_out(self, number: int, work: Callable[[_Working, slice], None]) -> None:
        """Do some work for rows 0 to `number` - 1, each thread for an equal part of them."""
        if len(self._working) == 1 or number < len(self._working):
            work(self._working[0], slice(number))
            return
        bounds = np.linspace(0, number, len(self._working) + 1).astype(np.int64).tolist()
        parts = [slice(start, stop) for start, stop in pairwise(bounds)]
        list(_pool(len(parts)).map(work, self._working, parts))

    @property
    def seats(self) -> int:
        """Number of seats."""
        return int(self._tables.num_players)

    @property
    def games(self) -> Any:
        """Records of the games, (N,)."""
        return read_only(self._games)

    @property
    def candidates(self) -> Any:
        """Candidates of each game with a choice (`plays.candidates_dtype`), (N,)."""
        return read_only(self._candidates)

    @property
    def controllers(self) -> Array:
        """Player of each seat, int32 (N, seats): `NET` or below for networks, a code of `moves` for rule players."""
        return read_only(self._controllers)

    @property
    def sizes(self) -> Sizes:
        """Numbers of features."""
        feats = self._layout
        return Sizes(int(feats.state_size), int(feats.play_size), int(feats.hidden_size), self.seats)

    @property
    def has_auction(self) -> bool:
        """True if an auction determines a landlord, who plays against all others."""
        return bool(self._tables.auction)

    def deal(self, seeds: Array, controllers: Array, *, joins: Array | None = None, is_drawn: Array | None = None) -> None:
        """Deal every game from its seed and seat its players.

        Args:
            seeds: Seed of each game, integers (N,), of which `Salts.first` is the salt of its random players.
            controllers: Player of each seat, integers (N, seats).
            joins: Games in which `NET` also plays for its partners once it has some, bool (N,); `controllers` then changes.
            is_drawn: Games in which calls in the auction are random for all players, bool (N,).

        Raises:
            ConfigError: The number of seeds, players or marks is wrong, or a code is unknown.
        """
        number, seated = len(self._games), np.asarray(controllers)
        if np.shape(seeds) != (number,) or np.asarray(seeds).dtype.kind not in "iu":
            raise ConfigError(f"expected {number} seeds, integers, got {np.shape(seeds)}")
        if seated.shape != (number, self.seats) or seated.dtype.kind not in "iu" or (seated > HEURISTIC).any():
            raise ConfigError(f"expected players ({number}, {self.seats}), each a code up to {HEURISTIC}, got {seated.shape}")
        self._joins, self._is_drawn = (
            np.zeros(number, np.bool_) if given is None else checked_choice(given, number).copy() for given in (joins, is_drawn)
        )
        words = np.asarray(seeds).astype(np.uint64)
        self._controllers[:] = seated
        salts = first_salts(Salts(), words.tolist())
        deal_all(self._tables, self._games, self._tracks, self._streams, self._working[0].scratch, words, salts)
        self._has_choice[:] = False

    def advance(self) -> Array:
        """Play to the next choices of networks, and return the indices of the games that have one, int64."""

        def work(own: _Working, part: slice) -> None:
            advance(
                self._tables, self._games[part], self._tracks[part], self._candidates[part], own.stack, self._controllers[part],
                self._joins[part], self._is_drawn[part], self._streams[part], own.heuristic, own.scratch,
            )  # fmt: skip

        self._share_out(len(self._games), work)
        self._has_choice[:] = self._games.winner < 0
        return np.flatnonzero(self._has_choice)

    def features(self, rows: Array, *, hidden: bool = False) -> Features:
        """Return the features of the current choices of some games.

        Raises:
            ConfigError: A game does not exist, or has no choice.
        """
        rows = self._checked_rows(rows)
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(self._candidates.count[rows], out=offsets[1:])
        sizes = self.sizes
        states = np.empty((len(rows), sizes.state), np.int8)
        others = np.empty((len(rows) if hidden else 0, sizes.hidden), np.int8)
        scored = np.empty((int(offsets[-1]), sizes.play), np.int8)

        def work(own: _Working, part: slice) -> None:
            write_features(
                self._tables, self._games, self._tracks, self._candidates, own.opinion, self._layout, rows[part],
                offsets[:-1][part], states[part], others[part], scored,
            )  # fmt: skip

        self._share_out(len(rows), work)
        return Features(states, others, scored, offsets)

    def _checked_rows(self, rows: Array) -> Array:
        """Return the indices of games with a choice, as compiled code takes them."""
        given = checked_rows(rows, len(self._games))
        if not self._has_choice[given].all():
            raise ConfigError(f"expected games that have a choice, got {given[~self._has_choice[given]][0]}")
        return given

    def choose(self, rows: Array, chosen: Array) -> None:
        """Make the choices of some games.

        Args:
            rows: Indices of the games.
            chosen: Index of a candidate for each, int64.

        Raises:
            ConfigError: A game does not exist, is listed twice or has no choice, or a candidate does not exist.
        """
        rows, picks = self._checked_rows(rows), np.asarray(chosen)
        are_candidates = picks.shape == rows.shape and (not picks.size or picks.dtype.kind in "iu")
        if not are_candidates or ((picks < 0) | (picks >= self._candidates.count[rows])).any():
            raise ConfigError(f"expected a candidate of each of {len(rows)} games, got {picks.dtype} {picks.shape}")
        if len(twice := np.flatnonzero(np.bincount(rows) > 1)):
            raise ConfigError(f"expected each game once, got {twice[0]} again")
        picks = picks.astype(np.int64)

        def work(own: _Working, part: slice) -> None:
            choose(self._tables, self._games, self._tracks, self._candidates, own.scratch, rows[part], picks[part])

        self._share_out(len(rows), work)
        self._has_choice[rows] = False

    def payoffs(self) -> Array:
        """Return the payoff of each seat, float64 (N, seats); 0 in unfinished games."""
        return self._settled()[0]

    def won(self) -> Array:
        """Return the winners, bool (N, seats), as the arena counts them.

        A whole team wins, or all but the last seat if only that one loses.
        """
        return self._settled()[1]

    def _settled(self) -> tuple[Array, Array]:
        paid, won = np.zeros((len(self._games), self.seats)), np.zeros((len(self._games), self.seats), np.bool_)
        settle(self._tables, self._games, paid, won)
        return paid, won
