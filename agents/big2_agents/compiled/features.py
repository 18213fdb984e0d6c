"""Features of the learned players: a state as one seat sees it, its candidates, the hidden hands for a critic.

All entries are small integers from 0 (int8). There are two layouts behind one interface: card by card (`card_features`), where
four players have 13 cards each of a deck of 52, and by ranks (`rank_features`), sized by the ruleset, for all other games. The
type of a `feature_record` tells compiled code which.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from big2_agents.compiled.card_features import write_card_hidden, write_card_plays, write_card_state
from big2_agents.compiled.feature_layout import (
    HIDDEN_SIZE,
    P_BEST,
    P_HOLD,
    P_WORSE,
    PLAY_SIZE,
    STATE_SIZE,
    has_card_features,
)
from big2_agents.compiled.heuristic import choose_by_heuristic
from big2_agents.compiled.mark import AGENTS_MARK
from big2_agents.compiled.opinion import write_opinion
from big2_agents.compiled.rank_features import write_rank_hidden, write_rank_plays, write_rank_state
from big2_agents.compiled.rank_layout import rank_dtype, rank_fields
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.batch import read_only
from big2_env.kernels.bits import by_type, inner
from big2_env.kernels.tables import Tables, as_record


class Sizes(NamedTuple):
    """How many features there are."""

    state: int
    """Of a state."""
    play: int
    """Of a candidate."""
    hidden: int
    """Of the hidden hands."""
    seats: int
    """How many play."""


CARD_SIZES: Final = Sizes(STATE_SIZE, PLAY_SIZE, HIDDEN_SIZE, 4)
"""Of the layout card by card."""


@cache
def _card_dtype() -> np.dtype[Any]:
    names = ("by_card", "state_size", "play_size", "hidden_size", "best", "worse", "hold")
    return np.dtype([*((name, np.int64) for name in names), (AGENTS_MARK, np.int64)])


def feature_record(ruleset: RuleSet, num_players: int | None = None) -> np.record:
    """The layout of a game's features, for compiled code; read-only.

    Raises:
        ConfigError: the ruleset cannot be compiled.
    """
    if has_card_features(ruleset, num_players):
        f = np.zeros((), _card_dtype())
        f["state_size"], f["play_size"], f["hidden_size"] = CARD_SIZES[:3]
        f["best"], f["worse"], f["hold"] = P_BEST, P_WORSE, P_HOLD
    else:
        f = np.zeros((), rank_dtype())
        for name, value in rank_fields(ruleset, num_players).items():
            f[name] = value
    return as_record(read_only(f))


def sizes_of(ruleset: RuleSet, num_players: int | None = None) -> Sizes:
    """How many features a game has."""
    f: Any = feature_record(ruleset, num_players)
    return Sizes(int(f.state_size), int(f.play_size), int(f.hidden_size), num_players or ruleset.default_players)


def write_state(t: Tables, g: Any, k: Any, c: Any, f: Any, out: Any, i: Any) -> None:
    """Write what the seat to move sees into row `i` of `out`, int8 (N, f.state_size).

    Args:
        t: the tables of the ruleset.
        g: the game; nothing is read of what the seat does not know.
        k: the public memory of the game (`track`).
        c: the candidates of the seat to move.
        f: a `feature_record`.
        out: written.
        i: the row.
    """


@by_type(write_state)
def _write_state(t: Any, g: Any, k: Any, c: Any, f: Any, out: Any, i: Any) -> Any:
    if "by_card" in f.fields:
        return lambda t, g, k, c, f, out, i: write_card_state(t, g, k, c, out, i)
    return lambda t, g, k, c, f, out, i: write_rank_state(t, g, k, f, out, i)


def write_hidden(t: Tables, g: Any, c: Any, f: Any, out: Any, i: Any) -> None:
    """Write the hands of the others into row `i` of `out`, int8 (N, f.hidden_size): for a critic, in training only."""


@by_type(write_hidden)
def _write_hidden(t: Any, g: Any, c: Any, f: Any, out: Any, i: Any) -> Any:
    if "by_card" in f.fields:
        return lambda t, g, c, f, out, i: write_card_hidden(t, g, c, out, i)
    return lambda t, g, c, f, out, i: write_rank_hidden(t, g, f, out, i)


def _write_plays(t: Tables, g: Any, k: Any, c: Any, h: Any, f: Any, best: Any, out: Any, start: Any) -> None:
    """Write the candidates in `c` into rows `start`, ... of `out`, but for the opinion on them."""


@by_type(_write_plays)
def _plays_by_type(t: Any, g: Any, k: Any, c: Any, h: Any, f: Any, best: Any, out: Any, start: Any) -> Any:
    if "by_card" in f.fields:
        return lambda t, g, k, c, h, f, best, out, start: write_card_plays(t, g, k, c, out, start)
    return lambda t, g, k, c, h, f, best, out, start: write_rank_plays(t, g, k, c, h, f, best, out, start)


@inner
def write_choice(t: Tables, g: Any, k: Any, c: Any, h: Any, f: Any, states: Any, i: Any, plays: Any, start: Any) -> None:
    """Write a choice: the state into row `i` of `states`, its candidates into rows `start`, ... of `plays`.

    Kickers of the candidates in `c` are chosen anew, by the heuristic, whose scores are left there.

    Args:
        t: as of `write_state`, with `g`, `k`, `c` and `f`.
        g: the game.
        k: the public memory.
        c: the candidates.
        f: a `feature_record`.
        h: a `heuristic_record`.
        states: int8 (N, f.state_size), written.
        i: the row.
        plays: int8 (M, f.play_size), written.
        start: the first row.
    """
    best = choose_by_heuristic(t, g, k.left, c, h)
    write_state(t, g, k, c, f, states, i)
    _write_plays(t, g, k, c, h, f, best, plays, start)
    write_opinion(t, g, c, h, f, best, plays, start)
