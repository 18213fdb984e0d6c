"""The arrays of the policy network, from an `.npz` file."""

from __future__ import annotations

from os import PathLike
from typing import Any, NamedTuple

import numpy.typing as npt

from big2_agents.learned.weights import check_arrays, load_arrays, rows_of

Array = npt.NDArray[Any]


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
