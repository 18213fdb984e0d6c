"""Weights from `.npz` files, read as data: no pickle, every shape checked, sizes limited.

Covers the arrays of the policy network and its critic, the rules that they were trained for, and permission to play other
rules.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias
from zipfile import ZipFile

import numpy as np
import numpy.typing as npt

from big2_agents.learned.npz import RULES, learned_rules, open_arrays, parsed
from big2_env.base.errors import ConfigError
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.ruleset_data import differences
from big2_env.climbing.saved_rules import identity, rules_here

Array = npt.NDArray[Any]
Shapes: TypeAlias = Callable[[dict[str, Array]], dict[str, tuple[int, ...]]]
"""Returns the required shape of each array, from the arrays by name."""
MAX_WIDTH: Final = 4096
"""Maximum width of a layer in a weights file."""

PATTERNS: Final = "patterns"
"""Array of a weights file with the names of the patterns of its training game."""


def load_arrays(
    path: str | PathLike[str],
    names: Iterable[str],
    shapes: Shapes,
    limit: Callable[[str], int] = lambda name: MAX_WIDTH,
) -> dict[str, Array]:
    """Return the named arrays of a file as float32 in C order.

    Args:
        path: The file.
        names: Names of the arrays.
        shapes: Returns the required shape of each array.
        limit: Returns the maximum width of a layer, by the name of its bias.

    Raises:
        ConfigError: The file is missing, or an array is missing, has another shape or dtype, is too wide, or is not finite.
    """
    names = list(names)
    with open_arrays(path) as file:
        held = set(file.namelist())
        arrays = {name: read_array(file, f"{name}.npy") for name in names if f"{name}.npy" in held}
    missing = [name for name in names if name not in arrays]
    if missing:
        raise ConfigError(f"weights {path}: {', '.join(missing)} missing")
    return check_arrays(arrays, f"weights {path}", shapes, limit)


def check_arrays(
    arrays: dict[str, Array], where: str, shapes: Shapes, limit: Callable[[str], int] = lambda name: MAX_WIDTH
) -> dict[str, Array]:
    """Return arrays as float32 in C order after checking them.

    Args:
        arrays: The arrays by name.
        where: Start of error messages.
        shapes: Returns the required shape of each array.
        limit: Returns the maximum width of a layer, by the name of its bias.

    Raises:
        ConfigError: An array has another shape or dtype, is too wide, or is not finite.
    """
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray):
            raise ConfigError(f"{where}: expected an array {name}, got {type(array).__name__}")
        if name.endswith("_bias") and array.size > limit(name):
            raise ConfigError(f"{where}: expected a layer of up to {limit(name)} in {name}, got {array.size}")
    found: dict[str, Array] = {}
    for name, shape in shapes(arrays).items():
        array = arrays[name]
        if array.shape != shape or array.dtype.kind != "f":
            raise ConfigError(f"{where}: expected {name} to be float {shape}, got {array.dtype} {array.shape}")
        with np.errstate(over="ignore"):
            found[name] = np.ascontiguousarray(array, np.float32)
        if not np.isfinite(found[name]).all():
            raise ConfigError(f"{where}: expected {name} to be finite as float32, got NaN or infinity in it")
    return found


def rows_of(array: Array) -> int:
    """Return the number of rows of a matrix, 0 for other arrays."""
    return int(array.shape[0]) if array.ndim == 2 else 0


def learned_patterns(path: str | PathLike[str]) -> list[str] | None:
    """Return the names of the patterns of the training game, `None` if the file does not list them.

    Raises:
        ConfigError: The file is missing, or the names are malformed.
    """
    with open_arrays(path) as file:
        if f"{PATTERNS}.npy" not in file.namelist():
            return None
        names = read_array(file, f"{PATTERNS}.npy")
        if names.ndim != 1 or names.dtype.kind != "U":
            raise ValueError(f"expected names in {PATTERNS}, got {names.dtype} {names.shape}")
        return [str(name) for name in names]


def read_array(file: ZipFile, name: str) -> Array:
    """Return an array of a file; objects, or another size than the header promises, raise an error of `UNREADABLE`."""
    header, data = parsed(file.read(name))
    dtype, shape = np.dtype(header["descr"]), header["shape"]
    if dtype.hasobject or math.prod(shape) * max(dtype.itemsize, 1) != len(data):
        raise ValueError(f"{name}: expected plain numbers that fill it, got {dtype} {shape} in {len(data)} bytes")
    array: Array = np.ndarray(shape, dtype, data, order="F" if header["fortran_order"] else "C").copy("K")
    if array.dtype.kind == "U":
        codes = np.frombuffer(array.tobytes(), np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
        if codes.size and codes.max() > sys.maxunicode:
            raise ValueError(f"{name}: expected characters up to {sys.maxunicode}, got {codes.max()}")
    return array


class Network(NamedTuple):
    """Weights of the policy network, float32; matrices are (inputs, outputs)."""

    trunk1: Array
    trunk1_bias: Array
    trunk2: Array
    trunk2_bias: Array
    trunk3: Array
    trunk3_bias: Array
    state: Array
    state_bias: Array
    play: Array
    deep: Array
    deep_bias: Array
    head1: Array
    head1_bias: Array
    head2: Array
    """(head,)."""
    head2_bias: Array
    """(1,)."""

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of features of a state and of a play."""
        return len(self.trunk1), len(self.play)


def no_network() -> Network:
    """Return weights of the least size, for kernels that never ask the network."""
    matrices = ("trunk1", "trunk2", "trunk3", "state", "play", "deep", "head1")
    return Network(**{name: np.zeros((1,) * (1 + (name in matrices)), np.float32) for name in Network._fields})


class CriticNetwork(NamedTuple):
    """Weights of the critic, float32; matrices are (inputs, outputs)."""

    layer1: Array
    layer1_bias: Array
    layer2: Array
    layer2_bias: Array
    layer3: Array
    layer3_bias: Array
    layer4: Array
    """(width,)."""
    layer4_bias: Array
    """(1,)."""
    scale: Array
    """(1,): payoff per unit of output."""


def load_critic(path: str | PathLike[str]) -> CriticNetwork:
    """Return the critic in an `.npz` file; no code in the file is run.

    Raises:
        ConfigError: The file is missing or malformed.
    """

    def shapes(arrays: dict[str, Array]) -> dict[str, tuple[int, ...]]:
        widths = [rows_of(arrays["layer1"]), *(arrays[f"layer{i}_bias"].size for i in (1, 2, 3))]
        found: dict[str, tuple[int, ...]] = {"layer4": (widths[3],), "layer4_bias": (1,), "scale": (1,)}
        for i in (1, 2, 3):
            found |= {f"layer{i}": (widths[i - 1], widths[i]), f"layer{i}_bias": (widths[i],)}
        return found

    return CriticNetwork(**load_arrays(path, CriticNetwork._fields, shapes))


def load_network(path: str | PathLike[str]) -> Network:
    """Return the policy network in an `.npz` file, with its own number of features; no code in the file is run.

    Raises:
        ConfigError: The file is missing or malformed.
    """
    return Network(**load_arrays(path, Network._fields, _shapes))


def checked_network(network: Network, where: str) -> Network:
    """Return a network in the layout that compiled code takes.

    Raises:
        ConfigError: As `check_arrays`.
    """
    return Network(**check_arrays(network._asdict(), where, _shapes))


def _shapes(arrays: dict[str, Array]) -> dict[str, tuple[int, ...]]:
    """Return the required shape of each array."""
    width, joint, deep, head = (arrays[f"{layer}_bias"].size for layer in ("trunk1", "state", "deep", "head1"))
    return {
        "trunk1": (rows_of(arrays["trunk1"]), width),
        "trunk1_bias": (width,),
        "trunk2": (width, width),
        "trunk2_bias": (width,),
        "trunk3": (width, width),
        "trunk3_bias": (width,),
        "state": (width, joint),
        "state_bias": (joint,),
        "play": (rows_of(arrays["play"]), joint),
        "deep": (joint, deep),
        "deep_bias": (deep,),
        "head1": (joint + deep, head),
        "head1_bias": (head,),
        "head2": (head,),
        "head2_bias": (1,),
    }


ANY: Final = ",any"
"""Suffix of a path that allows its weights to play other rules."""
FREE: Final = frozenset(("scoring", "last_card", "next_lead", "patterns"))
"""Fields in which the rules of weights may differ from those they play: the features are the same."""


def rules_array(ruleset: RuleSet) -> dict[str, Any]:
    """Return the array with the training rules for a weights file, by its name; empty if the rules cannot be saved as data."""
    try:
        return {RULES: np.array(json.dumps(identity(ruleset)))}
    except ConfigError:
        return {}


class TrainingRules:
    """The rules that a file of weights was trained for.

    Args:
        weights: The path, with the suffix `,any` to allow other rules.

    Raises:
        ConfigError: The file holds no weights, or its rules are malformed.
    """

    def __init__(self, weights: str) -> None:
        self._is_any = weights.endswith(ANY)
        self.path = Path(weights.removesuffix(ANY))
        self._patterns = learned_patterns(self.path)
        self._rules = learned_rules(self.path)
        self.rules = None if self._rules is None else rules_here(self._rules)
        """The rules; `None` if the file lacks them or they are not available here."""
        self.name = self._rules["ruleset"] if self._rules else ", ".join(self._patterns or ())
        """Name of the rules, or of their patterns."""

    def check(self, ruleset: RuleSet) -> None:
        """Check that the weights may play a ruleset; the scoring may differ.

        Raises:
            ConfigError: They were trained for other rules, and the path lacks the suffix `,any`.
        """
        if self._is_any or self.is_same(ruleset):
            return
        fields = [] if self.rules is None else differences(ruleset, replace(self.rules, scoring=ruleset.scoring))
        which = f", which differs in {', '.join(fields)}" if fields else ""
        raise ConfigError(
            f"weights {self.path}: trained for {self.name}, asked to play {ruleset.name}{which}; "
            f"'{self.path}{ANY}' lets them, if the cards are the same"
        )

    def is_same(self, ruleset: RuleSet) -> bool:
        """Return True for the training rules with any changes of `FREE`, and with any patterns that must be the last play.

        Files without rules are compared by patterns.
        """
        if self._rules is None:
            return self._patterns in (None, [rule.pattern.name for rule in ruleset.usual_patterns])
        if identity(ruleset)["rules"]["digest"] == self._rules["rules"]["digest"]:
            return True
        known = self.rules
        return known is not None and known.usual_patterns == ruleset.usual_patterns and {*differences(ruleset, known)} <= FREE
