"""Weights from `.npz` files, read as data: no pickle, every shape checked, sizes bounded.

The arrays of the policy network and of its critic; which rules they were trained for, and whether they may play others.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias
from zipfile import ZipFile

import numpy as np
import numpy.typing as npt

from big2_agents.learned.npz import MAX_BYTES, UNREADABLE
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.saved_rules import SavedRules, identity
from big2_env.errors import ConfigError, NotationError, one_line
from big2_env.json_values import parse_object

Array = npt.NDArray[Any]
Shapes: TypeAlias = Callable[[dict[str, Array]], dict[str, tuple[int, ...]]]
"""Says from the arrays, by name, what shape each must have."""
MAX_WIDTH: Final = 4096
"""Widest layer that a weights file may have."""

PATTERNS: Final = "patterns"
"""The array of a weights file that names the patterns of the game it was learned on."""
RULES: Final = "rules"
"""The array of a weights file that says which rules it was trained for: the JSON object of `saved_rules.identity` as text."""
FITTED: Final = "fitted"
"""The array by which a critic's file says that `big2 train critic` has fitted it to what a search asks."""


def load_arrays(
    path: str | PathLike[str],
    names: Iterable[str],
    shapes: Shapes,
    limit: Callable[[str], int] = lambda name: MAX_WIDTH,
) -> dict[str, Array]:
    """The named arrays of a file as float32 in C order.

    Args:
        path: the file.
        names: the arrays to read.
        shapes: says from the biases what shape each array must have.
        limit: the widest layer, by the name of its bias.

    Raises:
        ConfigError: no such file, arrays that are missing, of another shape or dtype, too wide, or not finite.
    """
    names = list(names)
    try:
        with ZipFile(path) as file:
            held = set(file.namelist())
            arrays = {name: read_array(file, f"{name}.npy") for name in names if f"{name}.npy" in held}
    except UNREADABLE as error:
        raise ConfigError(f"weights {path}: {one_line(str(error))}") from None
    missing = [name for name in names if name not in arrays]
    if missing:
        raise ConfigError(f"weights {path}: {', '.join(missing)} missing")
    return check_arrays(arrays, f"weights {path}", shapes, limit)


def check_arrays(
    arrays: dict[str, Array], where: str, shapes: Shapes, limit: Callable[[str], int] = lambda name: MAX_WIDTH
) -> dict[str, Array]:
    """Arrays as float32 in C order; the other arguments are those of `load_arrays`.

    Raises:
        ConfigError: one of another shape or dtype, too wide, or not finite; the message begins with `where`.
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
    """How many rows a matrix has; 0 for what is none."""
    return int(array.shape[0]) if array.ndim == 2 else 0


def has_array(path: str | PathLike[str], name: str) -> bool:
    """True if a file of weights has an array of a name. Raises ConfigError for a file that is none."""
    try:
        with ZipFile(path) as file:
            return f"{name}.npy" in file.namelist()
    except UNREADABLE as error:
        raise ConfigError(f"weights {path}: {one_line(str(error))}") from None


def learned_patterns(path: str | PathLike[str]) -> list[str] | None:
    """The names of the patterns of the game that weights were learned on, where the file says so.

    Raises:
        ConfigError: no such file, or something else in the place of the names.
    """
    try:
        with ZipFile(path) as file:
            if f"{PATTERNS}.npy" not in file.namelist():
                return None
            names = read_array(file, f"{PATTERNS}.npy")
        if names.ndim != 1 or names.dtype.kind != "U":
            raise ValueError(f"expected names in {PATTERNS}, got {names.dtype} {names.shape}")
        return [str(name) for name in names]
    except UNREADABLE as error:
        raise ConfigError(f"weights {path}: {one_line(str(error))}") from None


def learned_rules(path: str | PathLike[str]) -> dict[str, Any] | None:
    """What a file says of the rules that it was trained for, as `saved_rules.identity` does; None where it says nothing.

    Raises:
        ConfigError: no such file, or something else in the place of the rules.
    """
    try:
        rules = _object(path, RULES)
        if rules is not None and not (isinstance(rules.get("ruleset"), str) and isinstance(rules.get("rules"), dict)):
            raise ConfigError("expected the name of a ruleset and its rules")
        if rules is not None and not isinstance(rules["rules"].get("digest"), str):
            raise ConfigError("expected the digest of the rules")
    except (ConfigError, *UNREADABLE) as error:
        raise ConfigError(f"weights {path}: {RULES}: {one_line(str(error))}") from None
    return rules


def _object(path: str | PathLike[str], name: str) -> dict[str, Any] | None:
    """The JSON object of a text in a file, None where the file has no such array."""
    with ZipFile(path) as file:
        if f"{name}.npy" not in file.namelist():
            return None
        text = read_array(file, f"{name}.npy")
    if text.shape != () or text.dtype.kind != "U":
        raise ConfigError(f"expected one text, got {text.dtype} {text.shape}")
    return parse_object(str(text))


def read_array(file: ZipFile, name: str) -> Array:
    """An array of the file. Its header is looked at first: it must not promise more than there is, nor objects.

    Raises:
        ValueError: it does; or one of the other errors of `UNREADABLE`.
    """
    size = file.getinfo(name).file_size
    if size > MAX_BYTES:
        raise ValueError(f"{name}: expected up to {MAX_BYTES} bytes, got {size}")
    with file.open(name) as stream:
        version = np.lib.format.read_magic(stream)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = header(stream)
    if dtype.hasobject or math.prod(shape) * max(dtype.itemsize, 1) > size:
        raise ValueError(f"{name}: expected plain numbers that fill it, got {dtype} {shape} in {size} bytes")
    with file.open(name) as stream:
        array: Array = np.lib.format.read_array(stream, allow_pickle=False)
    if array.dtype.kind == "U":
        codes = np.frombuffer(array.tobytes(), np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
        if codes.size and codes.max() > sys.maxunicode:
            raise ValueError(f"{name}: expected characters up to {sys.maxunicode}, got {codes.max()}")
    return array


class Network(NamedTuple):
    """Weights, float32; matrices are (inputs, outputs)."""

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


class CriticNetwork(NamedTuple):
    """Weights, float32; matrices are (inputs, outputs)."""

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
    """(1,): what one unit of the output is worth in payoff."""


def load_critic(path: str | PathLike[str]) -> CriticNetwork:
    """The critic of an `.npz` file; nothing in the file is run. Raises ConfigError as `load_arrays` does."""

    def shapes(arrays: dict[str, Array]) -> dict[str, tuple[int, ...]]:
        widths = [rows_of(arrays["layer1"]), *(arrays[f"layer{i}_bias"].size for i in (1, 2, 3))]
        found: dict[str, tuple[int, ...]] = {"layer4": (widths[3],), "layer4_bias": (1,), "scale": (1,)}
        for i in (1, 2, 3):
            found |= {f"layer{i}": (widths[i - 1], widths[i]), f"layer{i}_bias": (widths[i],)}
        return found

    return CriticNetwork(**load_arrays(path, CriticNetwork._fields, shapes))


def is_fitted(path: Path) -> bool:
    """True if there is a critic and it was fitted to what a search asks. Raises ConfigError for a file that is none."""
    return path.exists() and has_array(path, FITTED)


def load_network(path: str | PathLike[str]) -> Network:
    """The network of an `.npz` file, for as many features as it was made for; nothing in the file is run.

    Raises:
        ConfigError: as `load_arrays`.
    """
    return Network(**load_arrays(path, Network._fields, _shapes))


def checked_network(network: Network, where: str) -> Network:
    """A network as compiled code takes it.

    Raises:
        ConfigError: as `check_arrays`; the message begins with `where`.
    """
    return Network(**check_arrays(network._asdict(), where, _shapes))


def _shapes(arrays: dict[str, Array]) -> dict[str, tuple[int, ...]]:
    """The shape that each array must have."""
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
"""What stands behind a path where its weights may play other rules too."""


def rules_array(ruleset: RuleSet) -> dict[str, Any]:
    """The array of a weights file that says which rules it was trained for, by its name; none where rules are no data."""
    try:
        return {RULES: np.array(json.dumps(identity(ruleset)))}
    except ConfigError:
        return {}


class TrainingRules:
    """What a file of weights says of the rules it was trained for.

    Args:
        weights: the path, with `,any` behind it where other rules are allowed as well.

    Raises:
        ConfigError: a file that is none, or that says something else in the place of the rules.
    """

    def __init__(self, weights: str) -> None:
        self._is_any = weights.endswith(ANY)
        self.path = Path(weights.removesuffix(ANY))
        self._patterns = learned_patterns(self.path)
        self._rules = learned_rules(self.path)
        self._checked: Any = None

    def check(self, ruleset: RuleSet) -> None:
        """See if the weights may play a ruleset; whatever it pays is its own affair.

        Raises:
            ConfigError: they were trained for other rules, and nobody said that they may play any.
        """
        if ruleset is self._checked or self._is_same(ruleset):
            return
        learned = self._rules["ruleset"] if self._rules else ", ".join(self._patterns or ())
        if not self._is_any:
            raise ConfigError(
                f"weights {self.path}: trained for {learned}, asked to play {ruleset.name}; "
                f"'{self.path}{ANY}' lets them, where the cards are the same"
            )
        warnings.warn(f"weights {self.path}: trained for {learned}, they play {ruleset.name}", stacklevel=2)
        self._checked = ruleset

    def _is_same(self, ruleset: RuleSet) -> bool:
        """True for the rules they were trained for, by whatever is paid; for files that do not say which, by the patterns."""
        if self._rules is None:
            return self._patterns in (None, [rule.pattern.name for rule in ruleset.patterns])
        if identity(ruleset)["rules"]["digest"] == self._rules["rules"]["digest"]:
            return True
        try:
            return replace(ruleset, scoring=(learned := SavedRules().of(self._rules)).scoring) == learned
        except (ConfigError, NotationError):  # rules made of classes that are not here
            return False


def check_features(path: str | PathLike[str], net: Network, layout: Any, ruleset: RuleSet, num_players: int) -> None:
    """Refuse weights that were made for features of other sizes than a game has.

    Raises:
        ConfigError: they were; for other cards, say, or for another number of players.
    """
    made, given = (len(net.trunk1), len(net.play)), (int(layout.state_size), int(layout.play_size))
    if made != given:
        raise ConfigError(
            f"weights {path}: expected a network for {given[0]} and {given[1]} features, those of {ruleset.name} "
            f"with {num_players} players, got one for {made[0]} and {made[1]}"
        )
