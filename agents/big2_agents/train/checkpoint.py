"""Checkpoints of training runs: written whole or not at all, read as tensors and numbers; nothing in the file is run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, Final

import torch

from big2_env.errors import ConfigError
from big2_env.runs.replacing import replacing

BROKEN: Final = (OSError, EOFError, LookupError, RuntimeError, AttributeError, TypeError, ValueError, UnpicklingError)
"""What reading a file that is no checkpoint, and using what it holds, may raise."""


def write_checkpoint(path: Path, state: Mapping[str, Any]) -> None:
    """Write a checkpoint; a kill at any time leaves the old one or the new one."""
    whole = BytesIO()  # what torch writes itself fails on a full disk without the system's error
    torch.save(dict(state), whole)
    with replacing(path) as new:
        new.write_bytes(whole.getbuffer())


@contextmanager
def read_checkpoint(path: Path, of: str = "run") -> Iterator[dict[str, Any]]:
    """What a checkpoint holds, to be taken inside the block.

    Raises:
        ConfigError: a file that is no checkpoint, or whose content the block cannot take.
    """
    try:
        yield torch.load(path, map_location="cpu", weights_only=True)
    except BROKEN as error:
        raise ConfigError(f"{path}: no checkpoint of this {of} ({type(error).__name__})") from None
