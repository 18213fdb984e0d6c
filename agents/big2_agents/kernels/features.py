"""Features of the learned players: a state as one seat sees it, its candidates, the hidden hands for a critic.

All entries are small integers from 0 (int8). There are two layouts behind one interface: card by card (`card_features`), where
four players have 13 cards each of a deck of 52, and by ranks (`rank_features`), sized by the ruleset, for all other games. The
type of a `feature_record` tells compiled code which.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from big2_agents.kernels.card_features import write_card_hidden, write_card_plays, write_card_state
from big2_agents.kernels.feature_layout import (
    HIDDEN_SIZE,
    P_BEST,
    P_HOLD,
    P_WORSE,
    PLAY_SIZE,
    STATE_SIZE,
    has_card_features,
)
from big2_agents.kernels.heuristic import choose_by_heuristic
from big2_agents.kernels.mark import AGENTS_MARK
from big2_agents.kernels.opinion import write_opinion
from big2_agents.kernels.rank_features import write_rank_hidden, write_rank_plays, write_rank_state
from big2_agents.kernels.rank_layout import rank_dtype, rank_fields
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
        feats = np.zeros((), _card_dtype())
        feats["state_size"], feats["play_size"], feats["hidden_size"] = CARD_SIZES[:3]
        feats["best"], feats["worse"], feats["hold"] = P_BEST, P_WORSE, P_HOLD
    else:
        feats = np.zeros((), rank_dtype())
        for name, value in rank_fields(ruleset, num_players).items():
            feats[name] = value
    return as_record(read_only(feats))


def sizes_of(ruleset: RuleSet, num_players: int | None = None) -> Sizes:
    """How many features a game has."""
    feats: Any = feature_record(ruleset, num_players)
    return Sizes(int(feats.state_size), int(feats.play_size), int(feats.hidden_size), num_players or ruleset.default_players)


@kernel
def _card_state(tab: Tables, game: Any, track: Any, cand: Any, feats: Any, out: Any, i: Any) -> None:
    write_card_state(tab, game, track, cand, out, i)


@kernel
def _rank_state(tab: Tables, game: Any, track: Any, cand: Any, feats: Any, out: Any, i: Any) -> None:
    write_rank_state(tab, game, track, feats, out, i)


@kernel
def _card_hidden(tab: Tables, game: Any, cand: Any, feats: Any, out: Any, i: Any) -> None:
    write_card_hidden(tab, game, cand, out, i)


@kernel
def _rank_hidden(tab: Tables, game: Any, cand: Any, feats: Any, out: Any, i: Any) -> None:
    write_rank_hidden(tab, game, feats, out, i)


@kernel
def _card_plays(tab: Tables, game: Any, track: Any, cand: Any, heur: Any, feats: Any, best: Any, out: Any, start: Any) -> None:
    write_card_plays(tab, game, track, cand, out, start)


write_state = either(BY_CARD, _card_state, _rank_state)
"""(tab, game, track, cand, feats, out, i): write what the seat to move sees into row `i` of `out`, int8 (N, feats.state_size).

`tab` are the tables, `game` the game, of which nothing is read that the seat does not know, `track` its public memory
(`track`), `cand` the
candidates of the seat to move, `feats` a `feature_record`."""
write_hidden = either(BY_CARD, _card_hidden, _rank_hidden)
"""(tab, game, cand, feats, out, i): write the hands of the others into row `i` of `out`, int8 (N, feats.hidden_size): for a
critic, in training
only."""
_write_plays = either(BY_CARD, _card_plays, write_rank_plays)
"""(tab, game, track, cand, heur, feats, best, out, start): write the candidates in `cand` into rows `start`, ... of `out`,
but for the opinion on
them."""


@kernel
def write_choice(
    tab: Tables, game: Any, track: Any, cand: Any, heur: Any, feats: Any, states: Any, i: Any, plays: Any, start: Any
) -> None:
    """Write a choice: the state into row `i` of `states`, its candidates into rows `start`, ... of `plays`.

    Kickers of the candidates in `cand` are chosen anew, by the heuristic, whose scores are left there.

    Args:
        tab: as of `write_state`, with `game`, `track`, `cand` and `feats`.
        game: the game.
        track: the public memory.
        cand: the candidates.
        feats: a `feature_record`.
        heur: a `heuristic_record`.
        states: int8 (N, feats.state_size), written.
        i: the row.
        plays: int8 (M, feats.play_size), written.
        start: the first row.
    """
    best = choose_by_heuristic(tab, game, track.left, cand, heur)
    write_state(tab, game, track, cand, feats, states, i)
    _write_plays(tab, game, track, cand, heur, feats, best, plays, start)
    write_opinion(tab, game, cand, heur, feats, best, plays, start)
