"""What the golden files hold of the agents of climbing games: their moves, and the numbers that these come from."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from hashlib import sha256
from itertools import accumulate
from math import inf, isclose
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

import numpy as np
from golden_games import DECISIONS, FOLDER, RULESETS, Arrays, read, replayed

from big2_agents.kernels.estimates import Trials
from big2_agents.learned.plain_learned import PlainLearned
from big2_agents.models import learned_rulesets, shipped_weights
from big2_agents.models.formula import weights_of as heuristic_weights
from big2_agents.rule_based.heuristic import view_scores
from big2_agents.rule_based.search import PROPOSALS, SearchAgent, rule_trials
from big2_env import Game, RuleSet
from big2_env.climbing.actions import action_space
from big2_env.climbing.view import View
from big2_env.runs.progress import counting

if TYPE_CHECKING:
    from big2_agents.kernels.heuristic import HeuristicScorer

TIE: Final = 1e-4
"""Two moves whose scores differ by less may change places."""
MOVES: Final = 24
"""Legal acts of one position, at most, whose scores are kept."""
PLAYOUTS: Final = 40
FROZEN: Final = FOLDER / "weights"
"""Small networks that never change, made by `random_weights`; other rulesets' networks are those that are shipped."""


class Answer(NamedTuple):
    """What an agent makes of a position."""

    move: int
    """The action id."""
    scores: list[float]
    numbers: list[int]
    """What has to be equal exactly."""


class Asked(Protocol):
    """An agent, compiled or not, for the games of one ruleset."""

    def answer(self, game: Game) -> Answer: ...

    def gap(self, game: Game, one: int, other: int) -> float:
        """By how much the scores of two moves differ; infinitely where one is no legal move."""


def _heuristic(rules: RuleSet, is_compiled: bool) -> HeuristicScorer:
    if not is_compiled:
        return view_scores(rules, heuristic_weights(rules), rules.default_players)
    from big2_agents.kernels.heuristic import HeuristicScorer

    return HeuristicScorer(rules)


class AskedHeuristic:
    def __init__(self, rules: RuleSet, is_compiled: bool) -> None:
        self._formula = _heuristic(rules, is_compiled)
        self._space = action_space(rules)

    def answer(self, game: Game) -> Answer:
        view, legal = game.view(), game.legal_plays()
        moves = list(legal)
        shown = moves[:: -(-len(moves) // MOVES)]
        return Answer(self._space.of_play(self._formula.act(view, legal), view.hand), self._formula(view, shown), [len(moves)])

    def gap(self, game: Game, one: int, other: int) -> float:
        legal = game.legal_plays()
        moves = [move for move in (self._space.play(action, legal) for action in (one, other)) if move is not None]
        scores = self._formula(game.view(), moves)
        return abs(scores[0] - scores[1]) if len(scores) == 2 else inf


class AskedLearned:
    def __init__(self, rules: RuleSet, is_compiled: bool) -> None:
        path = weights_of(rules)
        if is_compiled:
            from big2_agents.learned.policy import LearnedPolicy

        self._player = LearnedPolicy(path) if is_compiled else PlainLearned(path, rules, rules.default_players)
        self._space = action_space(rules)

    def answer(self, game: Game) -> Answer:
        view, legal = game.view(), game.legal_plays()
        move, is_sure = self._player.decide(view, legal)
        ids, scores, state, plays = self._seen(game)
        seen = [len(ids), len(state), *{len(play) for play in plays}, zlib.crc32(state + b"".join(plays)), _checksum(ids)]
        return Answer(self._space.of_play(move, view.hand), scores, [int(is_sure), *seen])

    def _seen(self, game: Game) -> tuple[list[int], list[float], bytes, list[bytes]]:
        """The candidates with their scores, and the features of the position and of each candidate."""
        view, legal = game.view(), game.legal_plays()
        rated = self._player.rated(view, legal)
        ids, scores = [self._space.of_play(play, view.hand) for play, _ in rated], [score for _, score in rated]
        if len(ids) == 1:
            return ids, scores, b"", []
        if isinstance(self._player, PlainLearned):
            state, plays = self._player.choose(view, legal).features
            return ids, scores, bytes(state), [bytes(play) for play in plays]
        return (
            ids,
            scores,
            self._player.buffers.states[0].tobytes(),
            [row.tobytes() for row in self._player.buffers.plays[: len(ids)]],
        )

    def gap(self, game: Game, one: int, other: int) -> float:
        ids, scores, *_ = self._seen(game)
        return abs(scores[ids.index(one)] - scores[ids.index(other)]) if {one, other} <= {*ids} else inf


class AskedSearch:
    def __init__(self, rules: RuleSet, is_compiled: bool) -> None:
        trials: Trials = rule_trials(rules, rules.default_players, PROPOSALS)
        if is_compiled:
            from big2_agents.kernels.playouts import RuleTrials

            trials = RuleTrials(rules, rules.default_players, PROPOSALS)
        self._agent, self._space = _SearchBy(trials), action_space(rules)

    def answer(self, game: Game) -> Answer:
        view = game.view()
        self._agent.reset(len(game.history))
        found = self._agent.estimates(view, game.legal_plays())
        ids = [self._space.of_play(each.play, view.hand) for each in found]
        numbers = [number for action, each in zip(ids, found, strict=True) for number in (action, each.samples)]
        return Answer(ids[0], [score for each in found for score in (each.value, each.error)], numbers)

    def gap(self, game: Game, one: int, other: int) -> float:
        return inf


class _SearchBy(SearchAgent):
    """A search whose play-outs are made by what it is given."""

    def __init__(self, trials: Trials) -> None:
        super().__init__(PLAYOUTS)
        self._given = trials

    def _trials(self, view: View) -> Trials:
        return self._given


class Part(NamedTuple):
    """An agent in the golden files."""

    asked: Callable[[RuleSet, bool], Asked]
    number: int
    """Positions per ruleset."""
    sample: int
    """As many of them as the tests of every change look at."""
    tolerance: float


PARTS: Final = {
    "heuristic": Part(AskedHeuristic, DECISIONS, 40, 1e-9),
    "learned": Part(AskedLearned, 200, 5, 1e-4),
    "search": Part(AskedSearch, 50, 1, 1e-9),
}


def rulesets_of(part: str) -> list[str]:
    """The rulesets that an agent of the golden files plays; `learned` needs weights."""
    return [name for name in RULESETS if part != "learned" or name in learned_rulesets()]


def weights_of(rules: RuleSet) -> Path:
    """The file of weights by which `learned` plays in the golden files."""
    path = FROZEN / f"{rules.name}.npz"
    return path if path.exists() else shipped_weights(rules)


def answers(part: str, name: str) -> Arrays:
    """The answers of an agent in a ruleset, in plain Python, as arrays."""
    asked, rows = PARTS[part].asked(RULESETS[name], False), range(0, DECISIONS, DECISIONS // PARTS[part].number)
    found = []
    with counting(f"{part}/{name}", len(rows)) as advance:
        for game in replayed(name, rows):
            found.append(asked.answer(game))
            advance(1)
    return {
        "rows": np.array(rows, np.int32),
        "moves": np.array([one.move for one in found], np.int32),
        "scores": np.array([score for one in found for score in one.scores]),
        "score_ends": np.array([*accumulate(len(one.scores) for one in found)], np.int32),
        "numbers": np.array([number for one in found for number in one.numbers], np.int64),
        "number_ends": np.array([*accumulate(len(one.numbers) for one in found)], np.int32),
        "weights": np.array(weights_digest(part, name)),
    }


class Compared(NamedTuple):
    """How an agent's answers compare with a golden file."""

    number: int
    ties: int
    """Other moves whose scores are nearly the same."""
    faults: list[str]
    """What differs, a line each."""


def compare(part: str, name: str, *, is_compiled: bool, sample: bool = False) -> Compared:
    """Ask an agent about a ruleset's positions: all of them, or a few of the first games."""
    file, kind = read(f"{part}/{name}"), PARTS[part]
    if str(file["weights"]) != weights_digest(part, name):
        return Compared(0, 0, [f"{part}/{name}: made with other weights than today's"])
    asked, chosen = kind.asked(RULESETS[name], is_compiled), range(len(file["rows"]))
    if sample:
        step = len(chosen) // 5 // kind.sample
        chosen = range(step // 2, step * kind.sample, step)
    scores, numbers = (np.split(file[f"{each}s"], file[f"{each}_ends"][:-1]) for each in ("score", "number"))
    ties, faults = 0, []
    for i, game in zip(chosen, replayed(name, file["rows"][list(chosen)].tolist()), strict=True):
        found, wanted = asked.answer(game), Answer(int(file["moves"][i]), scores[i].tolist(), numbers[i].tolist())
        if found.move != wanted.move:
            is_tie = asked.gap(game, found.move, wanted.move) < TIE
            ties += is_tie
            faults += [] if is_tie else [f"{name} {i}: expected the move {wanted.move}, got {found.move}"]
        if found.numbers != wanted.numbers:
            faults.append(f"{name} {i}: expected the numbers {wanted.numbers}, got {found.numbers}")
        if not _are_close(found.scores, wanted.scores, kind.tolerance):
            faults.append(f"{name} {i}: expected the scores {wanted.scores}, got {found.scores}")
    return Compared(len(chosen), ties, faults)


def _are_close(found: list[float], wanted: list[float], tolerance: float) -> bool:
    pairs = zip(found, wanted, strict=False)
    return len(found) == len(wanted) and all(isclose(*pair, rel_tol=0.0, abs_tol=tolerance) for pair in pairs)


def _checksum(ids: list[int]) -> int:
    return zlib.crc32(np.array(ids, "<i8").tobytes())


def weights_digest(part: str, name: str) -> str:
    """The hash of the weights by which an agent plays: of its network's file, or of the heuristic's formula."""
    rules = RULESETS[name]
    weights = weights_of(rules).read_bytes() if part == "learned" else repr(heuristic_weights(rules)).encode()
    return sha256(weights).hexdigest()
