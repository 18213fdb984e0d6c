"""A data set of `big2 export` as arrays, read piece by piece and without pickle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path

from big2_agents.datasets.piece_files import read_piece
from big2_agents.datasets.plan import LIST, MAX_LINE, Piece, Plan, piece_of, plan_of
from big2_agents.datasets.rows import Rows, joined
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError, NotationError
from big2_env.runs.resumable import read_blocks, read_header


class Dataset:
    """The pieces of a data set that are there; a run that goes on may add more. `load` makes one."""

    def __init__(self, folder: Path, plan: Plan, pieces: list[Piece]) -> None:
        self.folder = folder
        self.plan = plan
        """How it was made: agents, rules, seed, sizes."""
        self.listed = pieces
        """What the list says of each piece."""

    def __len__(self) -> int:
        """How many decisions there are."""
        return sum(piece.rows for piece in self.listed)

    def pieces(self) -> Iterator[Rows]:
        """The rows of one piece after another; only one is in memory at a time.

        Raises:
            ConfigError: a file that is missing, broken or another than the one that was written.
        """
        for piece in self.listed:
            yield read_piece(self.plan, self.folder, piece)

    def rows(self) -> Rows:
        """All rows at once. Raises as `pieces`."""
        return joined(list(self.pieces()))


def load(folder: str | PathLike[str], rulesets: Mapping[str, RuleSet] | None = None) -> Dataset:
    """A data set in npz files, whole or as far as its run has come.

    Args:
        folder: where `big2 export` wrote it.
        rulesets: house rules by name, tried before the available ones.

    Raises:
        ConfigError: no data set, one in Parquet files, or of rules that are not known here.
        NotationError: a line of its list that is wrong, with its number.
        OSError: the list cannot be read.
    """
    path = Path(folder) / LIST
    plan = read_header(path, lambda data: plan_of(data, rulesets), max_line=MAX_LINE)
    if plan is None:
        raise ConfigError(f"expected a data set of big2 export, {path} has no whole line")
    if plan.format != "npz":
        raise ConfigError(f"expected npz files, {folder} has {plan.format}: read these with pyarrow, pandas or polars")
    pieces = list(read_blocks(path, lambda data: piece_of(data, plan), max_line=MAX_LINE))
    if [piece.number for piece in pieces] != list(range(len(pieces))):
        raise NotationError(f"{path}: expected pieces 0, 1, 2 and so on, one line each")
    if not pieces:
        raise ConfigError(f"{path}: no piece has been finished yet")
    return Dataset(Path(folder), plan, pieces)
