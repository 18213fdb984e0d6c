"""The learned agent for single questions, without numba and numpy: interpreted kernels for features, the network in lists.

A decision takes tens of milliseconds, a hundred times longer than with compiled code (`learned.policy`). The network has the
same weights and layers as `learned.network`, in double precision. Most inputs are zero, so the first layers add up rows; later
layers skip inputs that the activation has set to zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from operator import add
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from big2_agents.kernels.feature_layout import check_features, feature_sizes, has_card_features
from big2_agents.learned.npz import Floats, learned_rules, read_floats, read_text
from big2_agents.models import shipped_weights
from big2_agents.models.formula import Weights, first_weights_of
from big2_env.agents.interface import make_agent
from big2_env.base.errors import ConfigError
from big2_env.base.json_values import parse_object
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import preset
from big2_env.climbing.saved_rules import rules_here
from big2_env.climbing.view import View
from big2_env.kernels.dialect import BY_CARD
from big2_env.kernels.dialect.loader import interpreted
from big2_env.kernels.switch import Compilation

if TYPE_CHECKING:
    from big2_agents.kernels.features import ViewFeatures
    from big2_agents.learned.weights import Network, TrainingRules


class WeightsSource:
    """Source of an agent's weights: the shipped files or a file of your own.

    Args:
        weights: A file. By default, the shipped weights for each game's ruleset. `FILE,any` also allows rules that the file was
            not trained for, if cards and seats are the same.

    Raises:
        ConfigError: The file holds no weights.
    """

    def __init__(self, weights: str | Path | None = None) -> None:
        self._settled: Path | None = None
        self._trained_for: TrainingRules | None = None
        self._given: Network | None = None
        if weights is not None:
            # Imported where it is used: a browser, where nobody gives files, has no numpy.
            from big2_agents.learned.weights import TrainingRules, load_network

            self._trained_for = TrainingRules(str(weights))
            self._given = load_network(self._trained_for.path)

    @classmethod
    def settled(cls, path: Path) -> WeightsSource:
        """Return the source of a file that has been checked against the rules already."""
        found = cls()
        found._settled = path
        return found

    def path(self, ruleset: RuleSet, num_players: int) -> Path:
        """Return the file with the weights for a game.

        Raises:
            ConfigError: Weights are missing, or were trained for other rules or features.
        """
        if self._settled is not None:
            return self._settled
        if self._trained_for is None or self._given is None:
            path = shipped_weights(ruleset, num_players)
            made = feature_sizes(preset(ruleset.name) or ruleset, num_players)
        else:
            self._trained_for.check(ruleset)
            path, made = self._trained_for.path, self._given.sizes
        check_features(path, made, ruleset, num_players)
        return path

    def trained_for(self, ruleset: RuleSet, num_players: int) -> RuleSet | None:
        """Return the rules that the weights for a game were trained for; `None` if they do not name them."""
        if self._trained_for is not None:
            return self._trained_for.rules
        rules = learned_rules(self.path(ruleset, num_players))
        return (None if rules is None else rules_here(rules)) or preset(ruleset.name)

    def network(self, path: Path) -> Network:
        """Return the arrays of the file that `path` returned.

        Raises:
            ConfigError: The file holds no network.
        """
        from big2_agents.learned.weights import load_network

        return self._given if self._given is not None else load_network(path)


HEURISTIC: Final = "heuristic"
"""Array of a weights file with the weights of the heuristic whose scores are features, as the text of a JSON object."""


def opinion_weights(path: str | PathLike[str], ruleset: RuleSet) -> Weights:
    """Return the heuristic's weights stored in a file, or the first weights if it stores none.

    Raises:
        ConfigError: The file is missing, or the stored weights are malformed.
    """
    text = read_text(path, HEURISTIC)
    try:
        return first_weights_of(ruleset) if text is None else Weights.from_json(parse_object(text))
    except (ConfigError, ValueError) as error:
        raise ConfigError(f"weights {path}: {HEURISTIC}: {error}") from None


Vector: TypeAlias = Sequence[float]
MATRICES: Final = ("trunk1", "trunk2", "trunk3", "state", "play", "deep", "head1")
NAMES: Final = (*(part for name in MATRICES for part in (name, f"{name}_bias") if part != "play_bias"), "head2", "head2_bias")
"""Names of the arrays in a file."""


class PlainNetwork:
    """Network in Python lists that scores the candidates of a state.

    Args:
        path: An `.npz` file, in the format of `learned.weights.load_network`.

    Raises:
        ConfigError: The file is missing, or its arrays do not fit together.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        found = read_floats(path, NAMES)
        _check(path, found)
        self._rows = {name: found[name].rows for name in MATRICES}
        self._biases = {name: list(found[name].values) for name in NAMES if name.endswith("_bias")}
        self._head2 = found["head2"].values
        self.sizes = len(self._rows["trunk1"]), len(self._rows["play"])
        """Number of features of a state, and of a candidate."""

    def scores(self, state: bytes | bytearray, plays: Iterable[bytes | bytearray]) -> list[float]:
        """Return the score of each candidate.

        Args:
            state: Features of the state, small non-negative numbers.
            plays: Features of each candidate.
        """
        trunk = _cut(self._layer("trunk1", state))
        for name in ("trunk2", "trunk3"):
            trunk = list(map(add, trunk, _cut(self._layer(name, trunk))))
        base = self._layer("state", trunk)
        known: dict[bytes, float] = {}  # candidates that look the same have the same score, to the last bit
        found = []
        for play in plays:
            key = bytes(play)
            if key not in known:
                known[key] = self._score(base, key)
            found.append(known[key])
        return found

    def _score(self, base: list[float], play: bytes) -> float:
        joint = _cut(_with_rows(base, self._rows["play"], play))
        deep = _cut(self._layer("deep", joint))
        last = _cut(self._layer("head1", [*joint, *deep]))
        return sum([x * weight for x, weight in zip(last, self._head2, strict=True)]) + self._biases["head2_bias"][0]

    def _layer(self, name: str, inputs: Iterable[float]) -> list[float]:
        return _with_rows(self._biases[f"{name}_bias"], self._rows[name], inputs)


def _with_rows(start: list[float], rows: Sequence[Vector], inputs: Iterable[float]) -> list[float]:
    """Return a vector plus the rows of a matrix, each multiplied by its input."""
    out = start
    for row, x in zip(rows, inputs, strict=True):
        if x == 1:
            out = list(map(add, out, row))
        elif x:
            out = [a + x * b for a, b in zip(out, row, strict=True)]
    return out


def _cut(values: Iterable[float]) -> list[float]:
    """Return the rectified values."""
    return [x if x > 0.0 else 0.0 for x in values]


def _check(path: str | PathLike[str], found: dict[str, Floats]) -> None:
    """Raise ConfigError if the arrays do not fit together."""
    width, joint, deep, head = (found[f"{name}_bias"].shape for name in ("trunk1", "state", "deep", "head1"))
    inputs = {"trunk1": found["trunk1"].shape[:1], "play": found["play"].shape[:1]}
    wanted = {
        "trunk1": inputs["trunk1"] + width,
        "trunk2": width * 2,
        "trunk3": width * 2,
        "state": width + joint,
        "play": inputs["play"] + joint,
        "deep": joint + deep,
        "head1": (sum(joint + deep), *head),
        "head2": head,
        "head2_bias": (1,),
        **{f"{name}_bias": width for name in ("trunk2", "trunk3")},
    }
    for name, shape in wanted.items():
        if found[name].shape != shape:
            raise ConfigError(f"weights {path}: expected {name} of the shape {shape}, got {found[name].shape}")


class Choice(NamedTuple):
    """Evaluation of a decision."""

    features: tuple[bytearray, list[bytearray]]
    """Features of the state and of the candidates; empty for a single candidate."""
    plays: list[Play]
    scores: list[float]


class PlainLearned:
    """Policy network for views of one game.

    Raises:
        ConfigError: The file holds no weights, or weights for features of other sizes.
    """

    def __init__(self, weights: Path, ruleset: RuleSet, num_players: int) -> None:
        self._network = PlainNetwork(weights)
        self._view = one_view(ruleset, num_players, opinion_weights(weights, ruleset))
        check_features(weights, self._network.sizes, ruleset, num_players)

    def choose(self, view: View, legal: LegalPlays) -> Choice:
        """Return the candidates of the seat to move with their scores; a single candidate scores 0."""
        return self._choice(self._view.read(view), view, legal)

    def _choice(self, count: int, view: View, legal: LegalPlays) -> Choice:
        features, scores = (bytearray(), list[bytearray]()), [0.0]
        if count > 1:
            features = self._view.features()
            scores = self._network.scores(*features)
        return Choice(features, [self._view.play(view, legal, i) for i in range(count)], scores)

    def decide(self, view: View, legal: LegalPlays) -> tuple[Play, bool]:
        """Return the move to make, and whether it starts a forced win.

        If captured points are paid, forced wins are not looked for.
        """
        count = self._view.read(view)
        sure = self._view.sure_win() if count > 1 else -1
        if sure >= 0:
            return self._view.play(view, legal, sure), True
        choice = self._choice(count, view, legal)
        return choice.plays[max(range(count), key=choice.scores.__getitem__)], False

    def rated(self, view: View, legal: LegalPlays) -> list[tuple[Play, float]]:
        """Return the candidates of the seat to move, each with its score."""
        choice = self.choose(view, legal)
        return list(zip(choice.plays, choice.scores, strict=True))


def one_view(ruleset: RuleSet, num_players: int, weights: Weights | None = None) -> ViewFeatures:
    """Return a reader of views of a game, with features and candidates, interpreted.

    Args:
        ruleset: The rules of the game.
        num_players: Number of seats.
        weights: Weights of the heuristic whose scores are features.

    Raises:
        ConfigError: The kernels do not support the ruleset.
    """
    more = [BY_CARD] if has_card_features(ruleset, num_players) else []
    found: ViewFeatures = (
        interpreted(ruleset, *more).module("big2_agents.kernels.features").ViewFeatures(ruleset, num_players, weights)
    )
    return found


@lru_cache(maxsize=8)
def plain_learned(weights: Path, changed: float, ruleset: RuleSet, num_players: int) -> PlainLearned:
    """Return the agent for a file, made once per file and modification time.

    Args:
        weights: The file.
        changed: Its modification time, in seconds since the epoch.
        ruleset: The rules of the game.
        num_players: Number of seats.

    Raises:
        ConfigError: The file holds no weights, or weights for features of other sizes.
    """
    return PlainLearned(weights, ruleset, num_players)


@lru_cache(maxsize=64)
def compilation_of_searches(path: Path, ruleset: RuleSet, num_players: int) -> Compilation:
    """Return the compilation of searches by a file of weights."""

    def prepare() -> None:
        search: Any = make_agent(f"learned-search:1,{path},any")
        search.prepare(Game.deal(ruleset, 0, num_players).view())

    def kind() -> str:
        from big2_env.kernels.variants import variant_of

        return f"search-{variant_of(ruleset).name}-{'cards' if has_card_features(ruleset, num_players) else 'ranks'}"

    return Compilation(prepare, "big2_agents.learned.playouts.play_out_actions", kind=kind, what="a search by a network")
