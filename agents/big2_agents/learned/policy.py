"""A network that scores the candidate plays of its own seat's view, and plays the best of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numba as nb
import numpy as np
import numpy.typing as npt

from big2_agents.compiled.features import PLAY_SIZE, STATE_SIZE, check_learnable
from big2_agents.compiled.finish import DEPTH
from big2_agents.compiled.from_view import Memory, as_array, cards_of, unpack_game, unpack_track
from big2_agents.compiled.heuristic_tables import heuristic_record
from big2_agents.compiled.plays import CANDIDATES, find_candidates
from big2_agents.compiled.slot_plays import MAX_CANDIDATES
from big2_agents.compiled.track import GAME, TRACK
from big2_agents.learned.best_candidate import decide, score_candidates
from big2_agents.learned.network import Network, load_network
from big2_agents.learned.weights import MAX_WIDTH, learned_patterns
from big2_agents.models import shipped_weights
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError
from big2_env.kernels.bits import borrowed
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.opponents import Opponent
from big2_env.kernels.tables import Tables

BOARD: Final = np.dtype(
    [
        ("game", GAME),
        ("track", TRACK),
        ("candidates", CANDIDATES),
        ("stack", CANDIDATES, DEPTH),
        ("cards", np.uint64, MAX_CANDIDATES),  # the candidates as card ids
    ]
)
"""What one decision works on."""


@nb.njit(cache=True, nogil=True)
def _read(t: Tables, b: Any, facts: Any, moves: Any) -> Any:
    """Write a packed view over the records and list its candidates; returns how many there are."""
    unpack_game(t, facts, b.game)
    unpack_track(t, facts, moves, b.game, b.track)
    g = b.game
    find_candidates(t, g.hands[g.turn], g.top_category, g.top_power, g.obligation[0], b.candidates)
    return b.candidates.count


@nb.njit(cache=True, nogil=True)
def _rate(
    tables: Any,
    boards: Any,
    heuristics: Any,
    net: Network,
    facts: Any,
    moves: Any,
    states: Any,
    plays: Any,
    scores: Any,
    work: Any,
) -> Any:
    """Score a packed view's candidates, 0 for an only one, and leave their cards on the board; returns how many there are.

    Records come in arrays (1,), as `as_array` gives them.
    """
    t, b, h = borrowed(tables)[0], borrowed(boards)[0], borrowed(heuristics)[0]
    count = _read(t, b, borrowed(facts), borrowed(moves))
    if count > 1:
        score_candidates(
            t, b.game, b.track, b.candidates, h, net, borrowed(states), borrowed(plays), borrowed(scores), borrowed(work)
        )
    else:
        scores[0] = 0.0
    for i in range(count):
        b.cards[i] = cards_of(t, b.candidates.mask[i])
    return count


@nb.njit(cache=True, nogil=True)
def _choose(
    tables: Any,
    boards: Any,
    heuristics: Any,
    net: Network,
    facts: Any,
    moves: Any,
    states: Any,
    plays: Any,
    scores: Any,
    work: Any,
) -> Any:
    """The act for a packed view: cards as ids, 0 for the pass, pattern, category, power, and whether it begins a sure win.

    Arguments as for `_rate`.
    """
    t, b, h = borrowed(tables)[0], borrowed(boards)[0], borrowed(heuristics)[0]
    _read(t, b, borrowed(facts), borrowed(moves))
    c = b.candidates
    best, sure = decide(
        t, b.game, b.track, c, b.stack, h, net, borrowed(states), borrowed(plays), borrowed(scores), borrowed(work)
    )
    row = c.row[best]
    if row < 0:
        return np.int64(0), np.int64(0), np.int64(-1), np.int64(-1), sure
    mask, category = np.int64(cards_of(t, c.mask[best])), np.int64(t.row_category[row])
    return mask, np.int64(t.row_pattern[row]), category, np.int64(c.power[best]), sure


class LearnedPolicy:
    """Plays a sure win where it sees one, else the candidate with the best score.

    Args:
        weights: a file of your own; by default those shipped for the game's ruleset.

    Raises:
        ConfigError: a weights file that is none; by `act`, a ruleset without weights, or with other patterns.
    """

    def __init__(self, weights: str | Path | None = None) -> None:
        self._path = weights
        self._given = None if weights is None else load_network(weights)
        self._learned = None if weights is None else learned_patterns(weights)
        self._network = self._given
        self._ruleset: Any = None
        self._num_players = 0
        self._board = np.zeros(1, BOARD)
        self._states = np.zeros((1, STATE_SIZE), np.int8)
        self._plays = np.zeros((MAX_CANDIDATES, PLAY_SIZE), np.int8)
        self._scores = np.zeros(MAX_CANDIDATES, np.float32)
        self._work = np.zeros((4, MAX_WIDTH), np.float32)
        self._memory = Memory()

    def check(self, ruleset: RuleSet, num_players: int) -> None:
        """See, without loading or compiling anything, if there are weights for a game.

        Raises:
            ConfigError: there are none, or they learned other patterns.
        """
        if self._path is None:
            shipped_weights(ruleset, num_players)
        self._check_patterns(ruleset)

    def _check_patterns(self, ruleset: RuleSet) -> None:
        names = [rule.pattern.name for rule in ruleset.patterns]
        if self._learned not in (None, names):
            given, learned = ", ".join(names), ", ".join(self._learned or ())
            raise ConfigError(f"weights {self._path}: {ruleset.name} has {given}; they learned {learned}")

    def reset(self, seed: int) -> None:
        """Start a game; nothing the agent does is random."""
        self._memory = Memory()

    @property
    def network(self) -> Network:
        """The network; it is loaded when the first view says for which ruleset."""
        assert self._network is not None
        return self._network

    def prepare(self, view: View) -> None:
        """Be ready for the view's ruleset.

        Raises:
            ConfigError: there are no weights for it, weights that learned other patterns, or as `View.check`.
        """
        view.check()
        if view.ruleset is not self._ruleset or view.num_players != self._num_players:
            path = shipped_weights(view.ruleset, view.num_players) if self._path is None else None
            check_learnable(view.ruleset, view.num_players)
            self._tables = as_array(compile_tables(view.ruleset))
            self.heuristic: Any = heuristic_record(view.ruleset)
            self._heuristics = as_array(self.heuristic)
            self._names = [rule.pattern.name for rule in view.ruleset.patterns]
            self._patterns = {name: i for i, name in enumerate(self._names)}
            self._check_patterns(view.ruleset)
            self._network = self._given if path is None else load_network(path)
            self._ruleset, self._num_players = view.ruleset, view.num_players

    def batched(self, ruleset: RuleSet, num_players: int) -> Opponent:
        """The same player for many games at once.

        Raises:
            ConfigError: as `check`; games that its features do not describe.
        """
        from big2_agents.learned.learned_rows import LearnedRows

        self.check(ruleset, num_players)
        check_learnable(ruleset, num_players)
        return LearnedRows(ruleset, self._given or load_network(shipped_weights(ruleset, num_players)))

    def scores(self, view: View) -> tuple[list[int], npt.NDArray[np.float32]]:
        """The candidate plays of the seat to move as card masks, 0 for the pass, and the score of each, float32 (n,)."""
        self.prepare(view)
        memory = self._memory
        memory.read(view, self._patterns)
        count = _rate(
            self._tables, self._board, self._heuristics, self._network, memory.facts, memory.moves,
            self._states, self._plays, self._scores, self._work,
        )  # fmt: skip
        return self._board["cards"][0, :count].tolist(), self._scores[:count].copy()

    def act(self, view: View, legal: LegalPlays) -> Play:
        """A play that begins a sure win, else the legal play with the best score."""
        return self._chosen(view)[0]

    def _chosen(self, view: View) -> tuple[Play, bool]:
        """What is played, and whether it begins a sure win."""
        self.prepare(view)
        memory = self._memory
        memory.read(view, self._patterns)
        mask, pattern, category, power, sure = _choose(
            self._tables, self._board, self._heuristics, self._network, memory.facts, memory.moves,
            self._states, self._plays, self._scores, self._work,
        )  # fmt: skip
        return Play(self._names[pattern], mask, category, power) if mask else PASS, sure
