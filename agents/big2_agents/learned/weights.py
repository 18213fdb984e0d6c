"""Weights from `.npz` files, read as data: no pickle, every shape checked, sizes bounded."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from os import PathLike
from typing import Any, Final, TypeAlias
from zipfile import ZipFile

import numpy as np
import numpy.typing as npt

from big2_agents.learned.npz import MAX_BYTES, UNREADABLE
from big2_env.errors import ConfigError, one_line
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
