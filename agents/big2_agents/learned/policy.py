"""Compiled policy: a network scores the candidate moves of its own seat's view, and the best one is played."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from big2_agents.kernels.endgame import DEPTH, finish_of
from big2_agents.kernels.features import feature_record, write_choice
from big2_agents.kernels.from_view import Memory, ShownMoves, shown_play, shown_word, unpack_game, unpack_track
from big2_agents.kernels.heuristic_tables import heuristic_record
from big2_agents.kernels.plays import candidates_dtype, find_moves
from big2_agents.kernels.track import track_dtype
from big2_agents.learned.network import score_plays
from big2_agents.learned.plain_learned import WeightsSource, opinion_weights
from big2_agents.learned.weights import MAX_WIDTH, Network
from big2_env.base.cards import NUM_FACES
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.dialect.bits import borrowed
from big2_env.kernels.dialect.cardsets import get
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.dialect.records import as_array
from big2_env.kernels.optional_extras import is_bidding
from big2_env.kernels.tables import Tables
from big2_env.kernels.variants import Variant, variant_of


class Scorer(NamedTuple):
    """Records, weights and scratch with which kernels score candidates by a network. It serves one thread at a time."""

    heur: Any
    """A `heuristic_record`, whose scores are features. Kernels write to its scratch fields."""
    feats: Any
    """A `feature_record`, read-only."""
    net: Network
    states: Any
    """Features of the last state, int8 (1, state size)."""
    plays: Any
    """Features of its candidates, int8 (maximum number of candidates, play size)."""
    scores: Any
    """Scores of its candidates, float32 (maximum number of candidates,)."""
    work: Any
    """Scratch of `score_plays`."""

    @classmethod
    def new(cls, heur: Any, feats: Any, net: Network, candidates: int) -> Self:
        """Return a scorer of a number of candidates at most."""
        states, plays = np.zeros((1, int(feats.state_size)), np.int8), np.zeros((candidates, int(feats.play_size)), np.int8)
        return cls(heur, feats, net, states, plays, np.zeros(candidates, np.float32), np.zeros((4, MAX_WIDTH), np.float32))

    @property
    def quick(self) -> tuple[Any, ...]:
        """The argument of `scorer_in`: kernels take plain tuples and arrays (1,) in less time than named tuples and records."""
        return as_array(self.heur), as_array(self.feats), tuple(self.net), *self[3:]


@kernel(inline=True)
def scorer_in(parts: Any) -> Any:
    """Return the scorer whose property `quick` is given."""
    heuristics, records, weights, states, plays, scores, work = parts
    heur, feats = borrowed(heuristics)[0], borrowed(records)[0]
    return Scorer(heur, feats, Network(*weights), borrowed(states), borrowed(plays), borrowed(scores), borrowed(work))


@kernel(inline=True)
def score_candidates(tab: Tables, game: Any, track: Any, cand: Any, scorer: Any) -> None:
    """Write the network's scores of the candidates in `cand` into `scorer.scores`.

    Args:
        tab: Tables of the ruleset.
        game: The game; other hands are not read.
        track: Its track.
        cand: Candidates of the seat to move.
        scorer: A `Scorer`.
    """
    write_choice(tab, game, track, cand, scorer.heur, scorer.feats, scorer.states, 0, scorer.plays, 0)
    score_plays(scorer.net, scorer.states[0], scorer.plays[: cand.count], scorer.scores, scorer.work)


@kernel(inline=True)
def decide(tab: Tables, game: Any, track: Any, cand: Any, stack: Any, scorer: Any) -> Any:
    """Return the index of the candidate to play, and whether it starts a forced win.

    Args:
        tab: Tables of the ruleset.
        game: The game; other hands are not read.
        track: Its track.
        cand: Candidates of the seat to move.
        stack: Scratch of `finish_of`.
        scorer: A `Scorer`.
    """
    best = np.int64(0)
    if cand.count <= 1:
        return best, False
    best = finish_of(tab, game, track.left, cand, stack)
    if best >= 0:
        return best, True
    score_candidates(tab, game, track, cand, scorer)
    best = np.int64(0)
    for i in range(1, cand.count):
        if scorer.scores[i] > scorer.scores[best]:
            best = np.int64(i)
    return best, False


@cache
def board_dtype(variant: Variant) -> np.dtype[Any]:
    """Return the record type with the working memory of one decision."""
    candidates = candidates_dtype(variant.by_slots, variant.words)
    return np.dtype(
        [
            ("game", variant.game),
            ("track", track_dtype(variant.seats)),
            ("candidates", candidates),
            ("stack", candidates, DEPTH),
            ("shown", np.int64, (len(np.zeros((), candidates)["row"]), 5)),  # the candidates as `ShownMoves` takes them
        ]
    )


@kernel(inline=True)
def _read(tab: Tables, board: Any, facts: Any, moves: Any) -> Any:
    """Unpack a view into the records, list its candidates, and return their number."""
    unpack_game(tab, facts, board.game)
    unpack_track(tab, facts, moves, board.game, board.track)
    find_moves(tab, board.game, board.candidates)
    return board.candidates.count


@kernel(inline=True)
def _shown(tab: Tables, game: Any, cand: Any, i: Any) -> Any:
    """Return a candidate as `ShownMoves` takes it."""
    row = np.int64(cand.row[i])
    if row < 0:
        return shown_word(np.int64(cand.ids[i]) if is_bidding(tab, game) else np.int64(0))
    return shown_play(tab, get(cand.mask, i), row, cand.power[i])


@kernel(entry=True)
def _rate(tables: Any, boards: Any, parts: Any, facts: Any, moves: Any) -> Any:
    """Score a packed view's candidates, write them to the board as `ShownMoves` takes them, and return their number.

    A single candidate scores 0. Records are passed as arrays (1,), made by `as_array`; `parts` is for `scorer_in`.
    """
    tab, board, scorer = borrowed(tables)[0], borrowed(boards)[0], scorer_in(parts)
    game, cand, count = board.game, board.candidates, _read(tab, board, borrowed(facts), borrowed(moves))
    if count > 1:
        score_candidates(tab, game, board.track, cand, scorer)
    else:
        scorer.scores[0] = 0.0
    for i in range(count):
        shown = board.shown[i]
        shown[0], shown[1], shown[2], shown[3], shown[4] = _shown(tab, game, cand, i)
    return count


@kernel(entry=True)
def _choose(tables: Any, boards: Any, parts: Any, facts: Any, moves: Any) -> Any:
    """Return the move for a packed view as `ShownMoves` takes it, and whether it starts a forced win; args as for `_rate`."""
    tab, board = borrowed(tables)[0], borrowed(boards)[0]
    _read(tab, board, borrowed(facts), borrowed(moves))
    best, sure = decide(tab, board.game, board.track, board.candidates, board.stack, scorer_in(parts))
    return _shown(tab, board.game, board.candidates, best), sure


class LearnedPolicy:
    """Compiled counterpart of `LearnedAgent`: plays the move with the highest score, or a forced win if it finds one.

    One policy serves one thread: each question overwrites the scratch of `scorer`, and so do the playouts of a
    `PolicyPlayouts` with its policy.

    Args:
        weights: A file, see `WeightsSource`, or a `WeightsSource`. By default, the shipped weights.

    Raises:
        ConfigError: The file holds no weights. `act` raises it if weights for the ruleset are missing.
    """

    def __init__(self, weights: str | Path | WeightsSource | None = None) -> None:
        self._source = weights if isinstance(weights, WeightsSource) else WeightsSource(weights)
        self._scorer: Scorer | None = None
        self._ruleset: Any = None
        self._num_players = 0
        self._memory = Memory()

    def check(self, ruleset: RuleSet, num_players: int) -> None:
        """Check, without compiling, that there are weights for a game.

        Raises:
            ConfigError: Weights are missing, or were trained for other rules.
        """
        self._source.path(ruleset, num_players)

    def reset(self, seed: int) -> None:
        """Start a game; the seed is ignored, since nothing is random."""
        self._memory = Memory()

    @property
    def scorer(self) -> Scorer:
        """Records, weights and scratch; they are loaded once the first view has shown the ruleset."""
        assert self._scorer is not None
        return self._scorer

    def prepare(self, view: View) -> None:
        """Load the weights for a view's ruleset.

        Raises:
            ConfigError: Weights are missing or were trained for other rules, or the view is not of a seat to move.
        """
        view.check()
        if view.ruleset is self._ruleset and view.num_players == self._num_players:
            return
        rules, players = view.ruleset, view.num_players
        path = self._source.path(rules, players)
        network, layout = self._source.network(path), feature_record(rules, players)
        self._board = np.zeros(1, board_dtype(variant_of(rules)))
        heuristic = heuristic_record(rules, opinion_weights(path, rules), players)
        self._scorer = Scorer.new(heuristic, layout, network, self._board["shown"].shape[1])
        self._records = as_array(compile_tables(rules, players)), self._board, self._scorer.quick
        self._patterns = {rule.pattern.name: i for i, rule in enumerate(rules.patterns)}
        self._moves = ShownMoves(rules)
        self._ruleset, self._num_players = rules, players

    def _ask(self, kernel: Any, view: View) -> Any:
        """Return the result of a kernel for a view."""
        if view.ruleset is not self._ruleset or view.num_players != self._num_players:
            self.prepare(view)
        self._memory.read(view, self._patterns)
        return kernel(*self._records, self._memory.facts, self._memory.moves)

    def scores(self, view: View) -> tuple[list[int], npt.NDArray[np.float32]]:
        """Return the candidates of the seat to move as card masks, and their scores, float32 (n,).

        The mask is 0 for a pass and during an auction.
        """
        count = self._ask(_rate, view)
        masks = [low | high << NUM_FACES for *_, low, high in self._board["shown"][0, :count].tolist()]
        return masks, self.scorer.scores[:count].copy()

    def rated(self, view: View, legal: LegalPlays) -> list[tuple[Play, float]]:
        """Return the candidates of the seat to move, each with its score."""
        count = self._ask(_rate, view)
        shown, scores = self._board["shown"][0, :count].tolist(), self.scorer.scores[:count].tolist()
        return [(self._moves.move(each, legal), score) for each, score in zip(shown, scores, strict=True)]

    def act(self, view: View, legal: LegalPlays) -> Play:
        """Return a move that starts a forced win, else the legal move with the highest score."""
        return self.decide(view, legal)[0]

    def decide(self, view: View, legal: LegalPlays) -> tuple[Play, bool]:
        """Return the move to make, and whether it starts a forced win."""
        shown, sure = self._ask(_choose, view)
        return self._moves.move(shown, legal), sure
