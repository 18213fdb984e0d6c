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
from big2_env.kernels.dialect.features import BY_CARD
from big2_env.kernels.dialect.kernel import either, kernel
from big2_env.kernels.dialect.records import as_record, read_only
from big2_env.kernels.tables import Tables


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


@kernel
def _card_state(t: Tables, g: Any, k: Any, c: Any, f: Any, out: Any, i: Any) -> None:
    write_card_state(t, g, k, c, out, i)


@kernel
def _rank_state(t: Tables, g: Any, k: Any, c: Any, f: Any, out: Any, i: Any) -> None:
    write_rank_state(t, g, k, f, out, i)


@kernel
def _card_hidden(t: Tables, g: Any, c: Any, f: Any, out: Any, i: Any) -> None:
    write_card_hidden(t, g, c, out, i)


@kernel
def _rank_hidden(t: Tables, g: Any, c: Any, f: Any, out: Any, i: Any) -> None:
    write_rank_hidden(t, g, f, out, i)


@kernel
def _card_plays(t: Tables, g: Any, k: Any, c: Any, h: Any, f: Any, best: Any, out: Any, start: Any) -> None:
    write_card_plays(t, g, k, c, out, start)


write_state = either(BY_CARD, _card_state, _rank_state)
"""(t, g, k, c, f, out, i): write what the seat to move sees into row `i` of `out`, int8 (N, f.state_size).

`t` are the tables, `g` the game, of which nothing is read that the seat does not know, `k` its public memory (`track`), `c` the
candidates of the seat to move, `f` a `feature_record`."""
write_hidden = either(BY_CARD, _card_hidden, _rank_hidden)
"""(t, g, c, f, out, i): write the hands of the others into row `i` of `out`, int8 (N, f.hidden_size): for a critic, in training
only."""
_write_plays = either(BY_CARD, _card_plays, write_rank_plays)
"""(t, g, k, c, h, f, best, out, start): write the candidates in `c` into rows `start`, ... of `out`, but for the opinion on
them."""


@kernel
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
