"""Many games at once for agents that score candidate plays: advance to the next real choice, write its features, make it."""

from __future__ import annotations

import copy
from typing import Any, Final

import numba as nb
import numpy as np
import numpy.typing as npt

from big2_agents.compiled.acts import HEURISTIC
from big2_agents.compiled.features import (
    HIDDEN_SIZE,
    PLAY_SIZE,
    STATE_SIZE,
    check_learnable,
    write_hidden,
    write_plays,
    write_state,
)
from big2_agents.compiled.finish import DEPTH, find_finish
from big2_agents.compiled.heuristic_tables import NO_HEURISTIC, heuristic_record
from big2_agents.compiled.opinion import write_opinion
from big2_agents.compiled.plays import CANDIDATES, find_candidates
from big2_agents.compiled.policies import choose
from big2_agents.compiled.track import GAME, PLAIN, TRACK, put_down_tracked, start_track
from big2_agents.formula import Weights, first_weights_of
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError
from big2_env.kernels.bits import borrowed, random_next
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.settle import payoff
from big2_env.kernels.tables import Tables, as_record
from big2_env.kernels.turn import deal

Array = npt.NDArray[Any]
NET: Final = -1
"""Controllers from here down are networks; from 0 up they are rule players (`policies`)."""


@nb.njit(cache=True, nogil=True)
def _deal_all(t: Tables, games: Any, tracks: Any, scratch: Any, seeds: Any) -> None:
    games, tracks = borrowed(games), borrowed(tracks)
    for i in range(games.shape[0]):
        deal(t, games[i], seeds[i], scratch)
        _, games[i].rng = random_next(seeds[i])  # not the stream that shuffled the deck
        start_track(t, games[i], tracks[i])


@nb.njit(cache=True, nogil=True)
def _advance(t: Tables, games: Any, tracks: Any, candidates: Any, stack: Any, controllers: Any, h: Any) -> None:
    """Play each game on until it is over or a network has a real choice, whose candidates are then in `candidates`.

    A sure win is no choice: it is played.
    """
    games, tracks, candidates, stack = borrowed(games), borrowed(tracks), borrowed(candidates), borrowed(stack)
    for i in range(games.shape[0]):
        g, k, c = games[i], tracks[i], candidates[i]
        while g.winner < 0:
            find_candidates(t, g.hands[g.turn], g.top_category, g.top_power, g.obligation[0], c)
            chosen = np.int64(0)
            if c.count > 1:
                policy = controllers[i, g.turn]
                if policy <= NET:
                    chosen = find_finish(t, g, k.left, c, stack)
                    if chosen < 0:
                        break
                else:
                    chosen = choose(t, g, k.left, c, policy, h)
            put_down_tracked(t, g, k, c.mask[chosen])


@nb.njit(cache=True, nogil=True)
def _write_features(
    t: Tables,
    games: Any,
    tracks: Any,
    candidates: Any,
    h: Any,
    rows: Any,
    offsets: Any,
    states: Any,
    hidden: Any,
    plays: Any,
) -> None:
    """Write the features of the choices that some games stand at."""
    games, tracks, candidates = borrowed(games), borrowed(tracks), borrowed(candidates)
    rows, offsets, states, hidden, plays = (
        borrowed(rows),
        borrowed(offsets),
        borrowed(states),
        borrowed(hidden),
        borrowed(plays),
    )
    for n in range(rows.shape[0]):
        g, k, c = games[rows[n]], tracks[rows[n]], candidates[rows[n]]
        if hidden.shape[0]:
            write_hidden(t, g, c, hidden, n)
        write_state(t, g, k, c, states, n)
        if plays.shape[0]:
            write_plays(t, g, k, c, plays, offsets[n])
            write_opinion(t, g, k, c, h, plays, offsets[n])


@nb.njit(cache=True, nogil=True)
def _choose(t: Tables, games: Any, tracks: Any, candidates: Any, rows: Any, chosen: Any) -> None:
    """Make the choices of some games, each an index among its candidates."""
    games, tracks, candidates = borrowed(games), borrowed(tracks), borrowed(candidates)
    for n in range(rows.shape[0]):
        i = rows[n]
        put_down_tracked(t, games[i], tracks[i], candidates[i].mask[chosen[n]])


@nb.njit(cache=True, nogil=True)
def _payoffs(t: Tables, games: Any, out: Any) -> None:
    games = borrowed(games)
    for i in range(games.shape[0]):
        for seat in range(4):
            out[i, seat] = payoff(t, games[i], seat)


class Features:
    """The features of a batch of choices.

    `states` int8 (n, STATE_SIZE); `hidden` int8 (n, HIDDEN_SIZE), or (0, ...) unless asked for; `plays` int8 (m, PLAY_SIZE),
    the candidates of all choices one after the other; `offsets` int64 (n + 1,), where those of each choice begin.
    """

    def __init__(self, states: Array, hidden: Array, plays: Array, offsets: Array) -> None:
        self.states, self.hidden, self.plays, self.offsets = states, hidden, plays, offsets

    def places(self, chosen: Array) -> Array:
        """Where plays, int64 (n,), each an index among those of its choice, lie among all plays, int64 (n,)."""
        places: Array = self.offsets[:-1] + chosen
        return places


class PlayedGames:
    """A batch of games of one ruleset between rule players and networks, stepped from real choice to real choice.

    Args:
        ruleset: the rules.
        num_games: how many games are played at once.
        opinion: weights of the heuristic whose opinion networks see; by default the first ones, which never change.

    Raises:
        ConfigError: the ruleset is not one of those that a network can learn.
    """

    def __init__(self, ruleset: RuleSet, num_games: int, opinion: Weights | None = None) -> None:
        check_learnable(ruleset)
        self.tables = compile_tables(ruleset)
        self._ruleset = ruleset
        self.opinion = first_weights_of(ruleset) if opinion is None else opinion
        """The weights of the heuristic whose opinion networks see: a network that is played or trained on must see the same."""
        self._heuristic = self._opinion = NO_HEURISTIC
        self.games = np.zeros(num_games, GAME).view(np.recarray)
        self.tracks = np.zeros(num_games, TRACK).view(np.recarray)
        self.candidates = np.zeros(num_games, CANDIDATES).view(np.recarray)
        self.controllers = np.full((num_games, 4), NET, np.int32)
        """Who sits where, int32 (N, 4): `NET` or below for networks, a code of `policies` for rule players."""
        self._stack = np.zeros(DEPTH, CANDIDATES).view(np.recarray)
        self._scratch = as_record(np.zeros((), PLAIN.scratch))

    def deal(self, seeds: Array, controllers: Array) -> None:
        """Deal every game by its seed, (N,), and seat its players, (N, 4).

        Raises:
            ConfigError: a heuristic player is seated whose tables the ruleset does not fit; another number of seeds.
        """
        words = np.asarray(seeds).astype(np.uint64)
        if words.shape != (len(self.games),):
            raise ConfigError(f"expected {len(self.games)} seeds, got {words.shape}")
        self.controllers[:] = controllers
        if self._heuristic is NO_HEURISTIC and (self.controllers == HEURISTIC).any():
            self._heuristic = heuristic_record(self._ruleset)
        if self._opinion is NO_HEURISTIC and (self.controllers <= NET).any():
            self._opinion = heuristic_record(self._ruleset, self.opinion)
        _deal_all(self.tables, self.games, self.tracks, self._scratch, words)

    def advance(self) -> Array:
        """Play on to the next choices of networks; returns which games have one, int64."""
        _advance(self.tables, self.games, self.tracks, self.candidates, self._stack, self.controllers, self._heuristic)
        return np.flatnonzero(self.games.winner < 0)

    def branch(self, rows: Array, chosen: Array) -> PlayedGames:
        """Copies of the games `rows`, which may name one many times, each with a choice made; this batch stays as it is."""
        other = copy.copy(self)
        for name in ("games", "tracks", "candidates", "controllers"):
            setattr(other, name, getattr(self, name)[rows])
        other.choose(np.arange(len(rows)), chosen)
        return other

    def features(self, rows: Array, *, hidden: bool = False, plays: bool = True) -> Features:
        """The features of the choices that these games stand at; hidden hands and plays are empty if not asked for."""
        self._check_rows(rows)
        offsets = np.zeros(len(rows) + 1, np.int64)
        if plays:
            np.cumsum(self.candidates.count[rows], out=offsets[1:])
        states = np.empty((len(rows), STATE_SIZE), np.int8)
        others = np.empty((len(rows) if hidden else 0, HIDDEN_SIZE), np.int8)
        scored = np.empty((int(offsets[-1]), PLAY_SIZE), np.int8)
        h = self._opinion
        _write_features(self.tables, self.games, self.tracks, self.candidates, h, rows, offsets, states, others, scored)
        return Features(states, others, scored, offsets)

    def _check_rows(self, rows: Array) -> None:
        if ((rows < 0) | (rows >= len(self.games))).any():
            raise ConfigError(f"expected games 0 to {len(self.games) - 1}, got {rows!r}")

    def choose(self, rows: Array, chosen: Array) -> None:
        """Make the choices, int64, of these games.

        Raises:
            ConfigError: a game that there is not, or a choice that it does not have.
        """
        self._check_rows(rows)
        if np.shape(chosen) != np.shape(rows) or ((chosen < 0) | (chosen >= self.candidates.count[rows])).any():
            raise ConfigError(f"expected a candidate of each of {len(rows)} games, got {chosen!r}")
        _choose(self.tables, self.games, self.tracks, self.candidates, rows, chosen)

    def payoffs(self) -> Array:
        """What each seat got, float64 (N, 4); 0 where a game goes on."""
        out = np.zeros((len(self.games), 4))
        _payoffs(self.tables, self.games, out)
        return out
