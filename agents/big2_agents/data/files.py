"""Files of a data set: npz, read and written without pickle, Parquet, and chats. Equal rows give equal bytes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile

import numpy as np

from big2_agents.data.chat import write_chat
from big2_agents.data.plan import CHAT, LIST, Piece, Plan, lists
from big2_agents.data.rows import Array, Rows, join_rows
from big2_agents.evaluation.parquet import pyarrow
from big2_agents.learned.npz import MAX_HEADER, UNREADABLE
from big2_agents.learned.weights import read_array
from big2_env.base.errors import ConfigError, reason_text
from big2_env.base.outside import archive, file_digest
from big2_env.climbing.ruleset import RuleSet
from big2_env.runs.atomic_files import replace_file

ARRAYS: Final[dict[str, tuple[str, Any]]] = {
    "game": ("game", np.int64),
    "seat": ("seat", np.int8),
    "agent": ("agent", np.int8),
    "action": ("action", np.int32),
    "payoff": ("return", np.float32),
    "bits": ("observation", np.uint8),
    "legal": ("legal", np.int32),
    "legal_start": ("legal_start", np.int64),
    "final_bits": ("final_observation", np.uint8),
}
"""Name and dtype of each array in a file, by field of `Rows`."""


def write_piece(rows: Rows, plan: Plan, folder: Path, number: int) -> Piece:
    """Write the file of a piece atomically and return its entry in the list.

    Raises:
        ImportError: The format is Parquet, and pyarrow is not installed.
        OSError: The file cannot be written.
    """
    path, written = plan.file(folder, number), len(rows.action)
    with replace_file(path) as new:
        if plan.format == CHAT:
            written = write_chat(rows, plan, new)
        elif plan.format == "npz":
            with new.open("wb") as stream:
                np.savez_compressed(stream, **{name: getattr(rows, field) for field, (name, _) in ARRAYS.items()})
        else:
            _write_parquet(rows, plan.observation_size, new)
        digest = file_digest(new)
    return Piece(number, written, len(rows.legal), digest)


def _write_parquet(rows: Rows, size: int, path: Path) -> None:
    """Write rows as a Parquet table with columns for game, seat, agent, action and return, and two columns of lists."""
    pa = pyarrow()
    from pyarrow import parquet

    seen = pa.FixedSizeListArray.from_arrays(pa.array(rows.observations(size).ravel()), size)
    legal = pa.ListArray.from_arrays(pa.array(rows.legal_start.astype(np.int32)), pa.array(rows.legal))
    plain = {ARRAYS[field][0]: pa.array(getattr(rows, field)) for field in ("game", "seat", "agent", "action", "payoff")}
    with path.open("wb") as stream:  # pyarrow opens no names that are not UTF-8
        parquet.write_table(pa.table({**plain, "observation": seen, "legal": legal}), stream, compression="zstd")


def read_piece(plan: Plan, folder: Path, piece: Piece) -> Rows:
    """Return the rows of a piece from an npz file. Arrays larger than the list says are not decompressed.

    Raises:
        ConfigError: The file is missing, broken or not the one listed.
    """
    path = plan.file(folder, piece.number)
    first, stop = plan.games_of(piece.number)
    width = -(-plan.observation_size // 8)
    n = piece.rows
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(ARRAYS, (n,)) | {
        "bits": (n, width),
        "legal": (piece.legal,),
        "legal_start": (n + 1,),
        "final_bits": (stop - first, plan.players, width),
    }
    try:
        if file_digest(path) != piece.sha256:
            raise ValueError("expected the file that was written, its hash is another")
        dtypes = {field: np.dtype(dtype) for field, (_, dtype) in ARRAYS.items()}
        with archive(path, sum(math.prod(shapes[field]) * dtypes[field].itemsize + MAX_HEADER for field in dtypes)) as file:
            rows = Rows(**{field: _array(file, ARRAYS[field][0], dtypes[field], shapes[field]) for field in dtypes})
        _check(rows, plan, first, stop)
    except UNREADABLE as error:
        raise ConfigError(f"{path}: {reason_text(error)}") from None
    return rows


def _array(file: ZipFile, name: str, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    """Return an array of an npz file."""
    array = read_array(file, f"{name}.npy")
    if (array.shape, array.dtype) != (shape, dtype):
        raise ValueError(f"expected {name} {dtype} {shape}, got {array.dtype} {array.shape}")
    return array


def _check(rows: Rows, plan: Plan, first: int, stop: int) -> None:
    """Raise if a number is out of range, since some are used as indices."""
    bounds = {
        "game": (rows.game, first, stop),
        "seat": (rows.seat, 0, plan.players),
        "agent": (rows.agent, 0, plan.players),
        "action": (rows.action, 0, plan.num_actions),
        "legal": (rows.legal, 0, plan.num_actions),
        "legal_start": (rows.legal_start, 0, len(rows.legal) + 1),
    }
    for name, (array, low, high) in bounds.items():
        if array.size and not (low <= array.min() and array.max() < high):
            raise ValueError(f"expected {name} {low} to {high - 1}, got {array.min()} to {array.max()}")
    if rows.legal_start[0] != 0 or rows.legal_start[-1] != len(rows.legal) or (np.diff(rows.legal_start) < 1).any():
        raise ValueError("expected legal_start to grow from 0 to the number of legal actions listed")


class Dataset:
    """A data set opened by `load`; a running export may still add pieces.

    Args:
        folder: Its folder.
        plan: Agents, rules, seed and sizes.
        pieces: Entries of the list of pieces.
    """

    def __init__(self, folder: Path, plan: Plan, pieces: list[Piece]) -> None:
        self.folder = folder
        self.plan = plan
        """Agents, rules, seed and sizes."""
        self.piece_list = pieces
        """Entries of the list of pieces."""

    def __len__(self) -> int:
        """Return the number of decisions."""
        return sum(piece.rows for piece in self.piece_list)

    def pieces(self) -> Iterator[Rows]:
        """Yield the rows of each piece, one in memory at a time.

        Raises:
            ConfigError: A file is missing, broken or not the one listed.
        """
        for piece in self.piece_list:
            yield read_piece(self.plan, self.folder, piece)

    def rows(self) -> Rows:
        """Return all rows.

        Raises:
            ConfigError: A file is missing, broken or not the one listed.
        """
        return join_rows(list(self.pieces()))


def load(folder: str | PathLike[str], rulesets: Mapping[str, RuleSet] | None = None) -> Dataset:
    """Return a data set of npz files, finished or not.

    Args:
        folder: Folder written by `big2 export`.
        rulesets: Rulesets by name that take precedence over the available ones.

    Raises:
        ConfigError: No piece is finished, the files have another format, or the rules are unknown.
        NotationError: A line of its list is malformed; the message has its number.
        OSError: The list cannot be read.
    """
    path = Path(folder) / LIST
    plan, listed = lists(rulesets).load(path)
    if plan.format != "npz":
        how = "read its lines as JSON" if plan.format == CHAT else "read these with pyarrow, pandas or polars"
        raise ConfigError(f"expected npz files, {folder} has {plan.format}: {how}")
    pieces = list(listed)
    if not pieces:
        raise ConfigError(f"{path}: no piece has been finished yet")
    return Dataset(Path(folder), plan, pieces)
