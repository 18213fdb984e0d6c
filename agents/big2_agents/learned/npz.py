"""Arrays from `.npz` files with the standard library only, for places without numpy such as a browser."""

from __future__ import annotations

import ast
import math
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from os import PathLike
from tokenize import TokenError
from typing import Any, Final, NamedTuple
from zipfile import BadZipFile, ZipFile
from zlib import error as ZlibError  # noqa: N812 (zlib calls it so)

from big2_env.base.errors import ConfigError, NotationError, reason_text
from big2_env.base.json_values import parse_object
from big2_env.base.outside import archive

MAX_BYTES: Final = 1 << 26
"""Maximum size of all arrays of a file, unpacked."""
MAX_NUMBERS: Final = 1 << 23
"""Maximum number of numbers that `read_floats` returns, each of which takes 32 bytes."""
MAX_HEADER: Final = 10_000
"""Maximum size of an array's header."""
FORMATS: Final = {"<f2": "e", "<f4": "f", "<f8": "d"}
"""Accepted number types and their `struct` codes."""
UNREADABLE: Final = (
    OSError, EOFError, ValueError, TypeError, RuntimeError, NotImplementedError, LookupError, ArithmeticError, MemoryError,
    BadZipFile, ZlibError, SyntaxError, TokenError, struct.error,
)  # fmt: skip
"""Errors that reading a broken file may raise."""
RULES: Final = "rules"
"""Array with the rules that weights were trained for, as the text of a JSON object."""
MAGIC: Final = b"\x93NUMPY"


class Floats(NamedTuple):
    """Array of numbers, in C order."""

    shape: tuple[int, ...]
    values: tuple[float, ...]

    @property
    def rows(self) -> list[tuple[float, ...]]:
        """Rows of a matrix."""
        number, width = self.shape
        return [self.values[i * width : (i + 1) * width] for i in range(number)]


@contextmanager
def open_arrays(path: str | PathLike[str], what: str = "weights {}") -> Iterator[ZipFile]:
    """Open a file of arrays of up to `MAX_BYTES` during the block.

    Args:
        path: The file.
        what: Beginning of the message of errors, with `{}` for the path.

    Raises:
        ConfigError: The file is missing or larger, or the block raises an error of `UNREADABLE`.
    """
    try:
        with archive(path, MAX_BYTES) as file:
            yield file
    except UNREADABLE as error:
        raise ConfigError(f"{what.format(path)}: {reason_text(error)}") from None


def read_floats(path: str | PathLike[str], names: Iterable[str]) -> dict[str, Floats]:
    """Return the named arrays of a file; no code in the file is run.

    Raises:
        ConfigError: The file is missing, or an array is missing or not a vector or matrix of finite floats.
    """
    with open_arrays(path) as file:
        found = {name: parsed(file.read(f"{name}.npy")) for name in names}
        if (count := sum(len(data) // 2 for _, data in found.values())) > MAX_NUMBERS:
            raise ValueError(f"expected up to {MAX_NUMBERS:,} numbers, got up to {count:,}")
        return {name: _floats(header, data, name) for name, (header, data) in found.items()}


def read_text(path: str | PathLike[str], name: str) -> str | None:
    """Return the text stored as an array of a file, `None` if the array is missing.

    Raises:
        ConfigError: The file is missing, or the array is not a text.
    """
    with open_arrays(path) as file:
        if f"{name}.npy" not in file.namelist():
            return None
        header, data = parsed(file.read(f"{name}.npy"))
        if header.get("shape") != () or header.get("descr") != f"<U{len(data) // 4}":
            raise ValueError(f"expected one text in {name}, got {header.get('descr')} {header.get('shape')}")
        return data.decode("utf-32-le").rstrip("\0")


def learned_rules(path: str | PathLike[str]) -> dict[str, Any] | None:
    """Return the rules that weights were trained for, as `saved_rules.identity` gives them; `None` if the file lacks them.

    Raises:
        ConfigError: The file is missing, or the rules are malformed.
    """
    if (text := read_text(path, RULES)) is None:
        return None
    try:
        rules = parse_object(text)
        if not (isinstance(rules.get("ruleset"), str) and isinstance(rules.get("rules"), dict)):
            raise ConfigError("expected the name of a ruleset and its rules")
        if not isinstance(rules["rules"].get("digest"), str):
            raise ConfigError("expected the digest of the rules")
    except (ConfigError, NotationError) as error:
        raise ConfigError(f"weights {path}: {RULES}: {reason_text(error)}") from None
    return rules


def parsed(content: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the header of an `.npy` file, and the data after it.

    Args:
        content: The file; broken ones raise errors of `UNREADABLE`.
    """
    if content[:6] != MAGIC or content[6] not in (1, 2):
        raise ValueError("expected an array in the format .npy")
    start = 10 if content[6] == 1 else 12
    length = int.from_bytes(content[8:start], "little")
    if length > MAX_HEADER:
        raise ValueError(f"expected a header of up to {MAX_HEADER} bytes, got {length}")
    end = start + length
    header = ast.literal_eval(content[start:end].decode("latin-1").strip())
    if not isinstance(header, dict):
        raise ValueError("expected an array in the format .npy")
    return header, content[end:]


def _floats(header: dict[str, Any], data: bytes, name: str) -> Floats:
    descr, shape = header.get("descr"), header.get("shape")
    is_shape = isinstance(shape, tuple) and len(shape) <= 2 and all(type(n) is int and n >= 0 for n in shape)
    if descr not in FORMATS or not is_shape or type(header.get("fortran_order")) is not bool:
        raise ValueError(f"{name}: expected a vector or a matrix of floats, got {descr} {shape}")
    assert isinstance(shape, tuple)
    values = struct.unpack(f"<{math.prod(shape)}{FORMATS[str(descr)]}", data)
    if not all(map(math.isfinite, values)):
        raise ValueError(f"{name}: expected finite numbers, got NaN or infinity")
    if header.get("fortran_order") and len(shape) == 2:
        values = tuple(chain.from_iterable(values[i :: shape[0]] for i in range(shape[0])))
    return Floats(shape, values)
