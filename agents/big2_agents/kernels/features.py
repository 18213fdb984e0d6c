"""Features of the learned agents: the state as one seat sees it, its candidates, and the hidden hands for a critic.

All entries are small non-negative integers (int8). There are two layouts with one interface. `card_features` is card by card,
for four players with 13 cards each of a deck of 52. `rank_features` is by rank, for all other games. The type of a
`feature_record` selects the layout in compiled code. The heuristic's scores of the candidates are among the features, so
learning starts at its level. `ViewFeatures` serves single views.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from big2_agents.kernels.beat_odds import prospect
from big2_agents.kernels.card_features import write_card_hidden, write_card_plays, write_card_state
from big2_agents.kernels.endgame import DEPTH, finish_of
from big2_agents.kernels.feature_layout import (
    HIDDEN_SIZE,
    HOLDS,
    P_BEST,
    P_HOLD,
    P_WORSE,
    PLAY_SIZE,
    STATE_SIZE,
    WORSE,
    has_card_features,
    places,
    rank_layout,
)
from big2_agents.kernels.from_view import CandidatePlays, Memory
from big2_agents.kernels.heuristic import choose_by_heuristic, ends_hand
from big2_agents.kernels.heuristic_tables import heuristic_record
from big2_agents.kernels.plays import candidates_dtype, find_moves
from big2_agents.kernels.rank_features import write_rank_hidden, write_rank_plays, write_rank_state
from big2_agents.kernels.track import track_dtype
from big2_agents.models.formula import Weights
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import BIG2
from big2_env.climbing.view import View
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect import BY_CARD
from big2_env.kernels.dialect.kernel import kernel, specialize
from big2_env.kernels.dialect.records import COMPILED, END, as_record, read_only
from big2_env.kernels.tables import Tables
from big2_env.kernels.variants import variant_of


@cache
def rank_dtype() -> np.dtype[Any]:
    """Return the record type of a layout.

    It holds the start of each part (state `s_`, play `p_`, hidden `h_`), sizes, and derived numbers.
    """
    state, play, hidden, numbers = rank_layout(BIG2)  # any ruleset will do: the names are the same
    own = [f"p_{name}" for name in play if name not in ("best", "worse", "hold")]
    names = [*(f"s_{name}" for name in state), *own, *(f"h_{name}" for name in hidden), "best", "worse", "hold"]
    fields: list[Any] = [(name, np.int64) for name in (*names, "state_size", "play_size", "hidden_size")]
    fields += [(name, np.float64 if name == "points" else np.int64) for name in numbers]
    return np.dtype([*fields, (END, np.int64)])


def rank_fields(ruleset: RuleSet, num_players: int | None = None) -> dict[str, float]:
    """Return the fields of `rank_dtype` for a ruleset.

    Args:
        ruleset: The rules of the game.
        num_players: Number of seats, the ruleset's default if `None`.

    Raises:
        ConfigError: The ruleset cannot be compiled.
    """
    compile_tables(ruleset, num_players, numbers_moves=COMPILED)
    state, play, hidden, numbers = rank_layout(ruleset, num_players)
    found: dict[str, float] = dict(numbers)
    for letter, parts, size in (("s", state, "state_size"), ("p", play, "play_size"), ("h", hidden, "hidden_size")):
        begins, found[size] = places(parts)
        for name, place in begins.items():
            found[name if name in ("best", "worse", "hold") else f"{letter}_{name}"] = place
    return found


@kernel(inline=True)
def write_opinion(tab: Tables, game: Any, cand: Any, heur: Any, feats: Any, best: Any, out: Any, start: Any) -> None:
    """Write the heuristic's scores of the candidates in `cand` into rows `start`, ... of `out`, int8 (M, feats.play_size).

    `best` is the result of `choose_by_heuristic` just before, with the same `heur`.
    """
    out[start + best, feats.best] = 1
    goes_out = ends_hand(tab, game, cand, best)
    for j in range(cand.count):
        i = start + j
        if j != best:
            worse = 1e9 if goes_out else cand.score[best] - cand.score[j]
            for n in range(len(WORSE)):
                if worse > WORSE[n]:
                    out[i, feats.worse + n] = 1
        if cand.row[j] < 0 or goes_out:
            continue
        hold = prospect(tab, heur, tab.row_category[cand.row[j]] + 0, cand.power[j] + 0)[0]
        for n in range(len(HOLDS)):
            if hold > HOLDS[n]:
                out[i, feats.hold + n] = 1


class Sizes(NamedTuple):
    """Number of features of a state, a candidate and the hidden hands, and number of seats."""

    state: int
    play: int
    hidden: int
    seats: int


CARD_SIZES: Final = Sizes(STATE_SIZE, PLAY_SIZE, HIDDEN_SIZE, 4)
"""Sizes of the layout card by card."""


@cache
def _card_dtype() -> np.dtype[Any]:
    names = ("by_card", "state_size", "play_size", "hidden_size", "best", "worse", "hold")
    return np.dtype([*((name, np.int64) for name in names), (END, np.int64)])


def feature_record(ruleset: RuleSet, num_players: int | None = None) -> np.record:
    """Return the layout of a game's features for compiled code, read-only.

    Args:
        ruleset: The rules of the game.
        num_players: Number of seats, the ruleset's default if `None`.

    Raises:
        ConfigError: The ruleset cannot be compiled.
    """
    if has_card_features(ruleset, num_players):
        feats = np.zeros((), _card_dtype())
        feats["state_size"], feats["play_size"], feats["hidden_size"] = CARD_SIZES[:3]
        feats["best"], feats["worse"], feats["hold"] = P_BEST, P_WORSE, P_HOLD
    else:
        feats = np.zeros((), rank_dtype())
        for name, value in rank_fields(ruleset, num_players).items():
            feats[name] = value
    return as_record(read_only(feats))


def sizes_of(ruleset: RuleSet, num_players: int | None = None) -> Sizes:
    """Return the numbers of features of a game."""
    feats: Any = feature_record(ruleset, num_players)
    return Sizes(int(feats.state_size), int(feats.play_size), int(feats.hidden_size), num_players or ruleset.default_players)


write_state = specialize(BY_CARD, write_card_state, write_rank_state)
"""(tab, game, track, cand, feats, out, i): write the view of the seat to move into row `i` of `out`.

`out` is int8 (N, feats.state_size). Only public information and the own hand are read from `game`; `track` is its public
memory,
and `cand` has the candidates of the seat to move.
"""
write_hidden = specialize(BY_CARD, write_card_hidden, write_rank_hidden)
"""(tab, game, cand, feats, out, i): write the other hands into row `i` of `out`, int8 (N, feats.hidden_size).

Only a critic in training may see them.
"""
_write_plays = specialize(BY_CARD, write_card_plays, write_rank_plays)
"""(tab, game, track, cand, heur, feats, best, out, start): write the candidates without the heuristic's scores.

They go into rows `start`, ... of `out`.
"""


@kernel(inline=True)
def write_choice(
    tab: Tables, game: Any, track: Any, cand: Any, heur: Any, feats: Any, states: Any, i: Any, plays: Any, start: Any
) -> None:
    """Write a decision: the state into row `i` of `states`, its candidates into rows `start`, ... of `plays`.

    The heuristic chooses the kickers of the candidates in `cand` again, and leaves its scores there.

    Args:
        tab: Tables of the ruleset.
        game: The game; other hands are not read.
        track: Its public memory.
        cand: Candidates of the seat to move.
        heur: A `heuristic_record`.
        feats: A `feature_record`.
        states: Output, int8 (N, feats.state_size).
        i: Row of the state.
        plays: Output, int8 (M, feats.play_size).
        start: First row of the candidates.
    """
    best = choose_by_heuristic(tab, game, track.left, cand, heur)
    write_state(tab, game, track, cand, feats, states, i)
    _write_plays(tab, game, track, cand, heur, feats, best, plays, start)
    write_opinion(tab, game, cand, heur, feats, best, plays, start)


class ViewFeatures:
    """Candidates, forced wins and features for one view of a game after another.

    Args:
        ruleset: The rules of the game.
        num_players: Number of seats.
        weights: Weights of the heuristic whose scores are features.

    Raises:
        ConfigError: The kernels do not support the ruleset.
    """

    def __init__(self, ruleset: RuleSet, num_players: int, weights: Weights | None) -> None:
        variant = variant_of(ruleset)
        candidates = candidates_dtype(variant.by_slots, variant.words)
        self._tables: Any = compile_tables(ruleset, num_players, numbers_moves=False)
        self._heuristic: Any = heuristic_record(ruleset, weights, num_players)
        self.layout: Any = feature_record(ruleset, num_players)
        self._game: Any = np.zeros((), variant.game)
        self._track: Any = np.zeros((), track_dtype(variant.seats))
        self._candidates: Any = as_record(np.zeros((), candidates))
        self._stack: Any = np.zeros(DEPTH, candidates)
        self._patterns = {rule.pattern.name: i for i, rule in enumerate(ruleset.patterns)}
        self._plays, self._memory = CandidatePlays(ruleset, self._tables), Memory()

    def read(self, view: View) -> int:
        """List the candidates of the seat to move and return their number.

        Raises:
            ConfigError: The view is inconsistent, see `View.check`.
        """
        self._memory.update(self._tables, view, self._patterns, self._game, self._track)
        find_moves(self._tables, self._game, self._candidates)
        return int(self._candidates.count)

    def sure_win(self) -> int:
        """Return the index of the candidate that starts a forced win, -1 if none is found."""
        return int(finish_of(self._tables, self._game, self._track.left, self._candidates, self._stack))

    def features(self) -> tuple[bytearray, list[bytearray]]:
        """Return the features of the state and of the candidates, at least two, with the kickers that the hand needs least."""
        state, feats = bytearray(int(self.layout.state_size)), self.layout
        plays = [bytearray(int(feats.play_size)) for _ in range(self._candidates.count)]
        write_choice(self._tables, self._game, self._track, self._candidates, self._heuristic, feats, [state], 0, plays, 0)
        return state, plays

    def play(self, view: View, legal: LegalPlays, i: int) -> Play:
        """Return a candidate as a legal move."""
        return self._plays.verified(view, legal, self._candidates, i)
