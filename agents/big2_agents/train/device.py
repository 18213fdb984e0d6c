"""Where networks compute while they learn: on the processor, or on a GPU."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from big2_env.errors import ConfigError

if TYPE_CHECKING:
    import torch


class Device(StrEnum):
    """Where networks compute; `auto` is a GPU if torch finds one."""

    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"


def torch_device(name: str) -> torch.device:
    """The device of that name.

    Raises:
        ConfigError: an unknown name, or a GPU where torch finds none.
    """
    import torch

    found = ["cpu", "cuda"] if torch.cuda.is_available() else ["cpu"]
    if name not in (Device.AUTO, *found):
        raise ConfigError(f"expected device auto or {' or '.join(found)}, got {str(name)!r}")
    return torch.device(found[-1] if name == Device.AUTO else name)
