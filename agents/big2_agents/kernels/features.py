"""Features of the learned players: a state as one seat sees it, its candidates, the hidden hands for a critic.

All entries are small integers from 0 (int8). There are two layouts behind one interface: card by card (`card_features`), where
four players have 13 cards each of a deck of 52, and by ranks (`rank_features`), sized by the ruleset, for all other games. The
type of a `feature_record` tells compiled code which. What the heuristic thinks of each candidate is among the features: learned
players begin where it ends. `OneView` asks about one view at a time.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np

from big2_agents.formula import Weights
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
from big2_agents.kernels.outlook import prospect
from big2_agents.kernels.plays import candidates_dtype, find_acts
from big2_agents.kernels.rank_features import write_rank_hidden, write_rank_plays, write_rank_state
from big2_agents.kernels.sources import AGENTS_SOURCES
from big2_agents.kernels.track import track_dtype
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import BIG2
from big2_env.climbing.view import View
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect import BY_CARD
from big2_env.kernels.dialect.kernel import either, kernel
from big2_env.kernels.dialect.records import COMPILED, as_record, read_only
from big2_env.kernels.tables import Tables
from big2_env.kernels.variants import variant_of


@cache
def rank_dtype() -> np.dtype[Any]:
    """The layout of a ruleset: where each part begins (state `s_`, play `p_`, hidden `h_`), sizes, and the numbers behind."""
    state, play, hidden, numbers = rank_layout(BIG2)  # any ruleset will do: the names are the same
    own = [f"p_{name}" for name in play if name not in ("best", "worse", "hold")]
    names = [*(f"s_{name}" for name in state), *own, *(f"h_{name}" for name in hidden), "best", "worse", "hold"]
    fields: list[Any] = [(name, np.int64) for name in (*names, "state_size", "play_size", "hidden_size")]
    fields += [(name, np.float64 if name == "points" else np.int64) for name in numbers]
    return np.dtype([*fields, (AGENTS_SOURCES, np.int64)])


def rank_fields(ruleset: RuleSet, num_players: int | None = None) -> dict[str, float]:
    """The fields of `rank_dtype` for a ruleset.

    Raises:
        ConfigError: the ruleset cannot be compiled.
    """
    compile_tables(ruleset, num_players, numbers_acts=COMPILED)
    state, play, hidden, numbers = rank_layout(ruleset, num_players)
    found: dict[str, float] = dict(numbers)
    for letter, parts, size in (("s", state, "state_size"), ("p", play, "play_size"), ("h", hidden, "hidden_size")):
        begins, found[size] = places(parts)
        for name, place in begins.items():
            found[name if name in ("best", "worse", "hold") else f"{letter}_{name}"] = place
    return found


@kernel
def write_opinion(tab: Tables, game: Any, cand: Any, heur: Any, feats: Any, best: Any, out: Any, start: Any) -> None:
    """Write the opinion on the candidates in `cand` into rows `start`, ... of `out`, int8 (M, feats.play_size).

    `best` is what `choose_by_heuristic` gave just before, with the `heuristic_record` `heur`; `feats` is a `feature_record`.
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
    """How many features a state, a candidate and the hidden hands have; and how many play."""

    state: int
    play: int
    hidden: int
    seats: int


CARD_SIZES: Final = Sizes(STATE_SIZE, PLAY_SIZE, HIDDEN_SIZE, 4)
"""Of the layout card by card."""


@cache
def _card_dtype() -> np.dtype[Any]:
    names = ("by_card", "state_size", "play_size", "hidden_size", "best", "worse", "hold")
    return np.dtype([*((name, np.int64) for name in names), (AGENTS_SOURCES, np.int64)])


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


class OneView:
    """Candidates, sure wins and features of views of one game, one view after the other.

    Raises:
        ConfigError: the kernels do not serve the ruleset.
    """

    def __init__(self, ruleset: RuleSet, num_players: int, weights: Weights | None) -> None:
        variant = variant_of(ruleset)
        candidates = candidates_dtype(variant.by_slots, variant.words)
        self._tables: Any = compile_tables(ruleset, num_players, numbers_acts=False)
        self._heuristic: Any = heuristic_record(ruleset, weights, num_players)
        self.layout: Any = feature_record(ruleset, num_players)
        self._game: Any = np.zeros((), variant.game)
        self._track: Any = np.zeros((), track_dtype(variant.seats))
        self._candidates: Any = as_record(np.zeros((), candidates))
        self._stack: Any = np.zeros(DEPTH, candidates)
        self._patterns = {rule.pattern.name: i for i, rule in enumerate(ruleset.patterns)}
        self._plays, self._memory = CandidatePlays(ruleset, self._tables), Memory()

    def read(self, view: View) -> int:
        """List the candidates of the seat to move; returns how many there are. Raises as `View.check`."""
        self._memory.update(self._tables, view, self._patterns, self._game, self._track)
        find_acts(self._tables, self._game, self._candidates)
        return int(self._candidates.count)

    def sure_win(self) -> int:
        """The candidate that begins a sure win, -1 where none is found."""
        return int(finish_of(self._tables, self._game, self._track.left, self._candidates, self._stack))

    def features(self) -> tuple[bytearray, list[bytearray]]:
        """Of the state and of the candidates, two or more, which get the kickers that the hand needs least."""
        state, feats = bytearray(int(self.layout.state_size)), self.layout
        plays = [bytearray(int(feats.play_size)) for _ in range(self._candidates.count)]
        write_choice(self._tables, self._game, self._track, self._candidates, self._heuristic, feats, [state], 0, plays, 0)
        return state, plays

    def play(self, view: View, legal: LegalPlays, i: int) -> Play:
        """A candidate as a legal act."""
        return self._plays.verified(view, legal, self._candidates, i)
