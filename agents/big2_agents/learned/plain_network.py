"""The policy network in plain Python: the same weights as `learned.network`, the same sums, in double precision.

Inputs are mostly zeros, so rows of the first layers are added up; later layers skip what the activation has cut to zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import add
from os import PathLike
from typing import Final, TypeAlias

from big2_agents.learned.npz import Floats, read_floats
from big2_env.errors import ConfigError

Vector: TypeAlias = Sequence[float]
MATRICES: Final = ("trunk1", "trunk2", "trunk3", "state", "play", "deep", "head1")
NAMES: Final = (*(part for name in MATRICES for part in (name, f"{name}_bias") if part != "play_bias"), "head2", "head2_bias")
"""The arrays of a file."""


class PlainNetwork:
    """A network that scores the candidates of a state.

    Args:
        path: an `.npz` file, as `learned.network.load_network` reads it.

    Raises:
        ConfigError: no such file, or arrays that do not fit each other.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        found = read_floats(path, NAMES)
        _check(path, found)
        self._rows = {name: found[name].rows for name in MATRICES}
        self._biases = {name: list(found[name].values) for name in NAMES if name.endswith("_bias")}
        self._head2 = found["head2"].values
        self.sizes = len(self._rows["trunk1"]), len(self._rows["play"])
        """How many features of a state, and of a candidate, it was made for."""

    def scores(self, state: bytes | bytearray, plays: Iterable[bytes | bytearray]) -> list[float]:
        """The score of each candidate of a state, both as features, each a small number from 0."""
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
    """A vector plus the rows of a matrix, each times its input."""
    out = start
    for row, x in zip(rows, inputs, strict=True):
        if x == 1:
            out = list(map(add, out, row))
        elif x:
            out = [a + x * b for a, b in zip(out, row, strict=True)]
    return out


def _cut(values: Iterable[float]) -> list[float]:
    """The numbers, 0 for those below."""
    return [x if x > 0.0 else 0.0 for x in values]


def _check(path: str | PathLike[str], found: dict[str, Floats]) -> None:
    """Refuse arrays that do not fit each other."""
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
