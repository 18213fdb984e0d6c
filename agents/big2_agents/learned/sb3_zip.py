"""Models saved by stable-baselines3, read as data: no pickle in the file is run.

The zip written by `model.save` holds `data` and `policy.pth`. `data` is JSON in which each object is a pickle, with its
attributes as text next to it. Only these attributes are read; the name of a pickled class is taken from the pickle's opcodes by
`pickletools`, which builds no objects. The weights are loaded by `torch.load(weights_only=True)`. Sizes are checked before
anything is unpacked.

The statistics of a `VecNormalize` are not in the zip, but in a file next to it (`statistics_path`). The zip keeps the last
observations: if these are not zeros and ones, the model needs such a file.
"""

from __future__ import annotations

import base64
import io
import os
import pickle
import pickletools
import re
from collections.abc import Mapping
from os import PathLike
from typing import Any, Final
from zipfile import ZipFile

import numpy as np
import numpy.typing as npt

from big2_agents.learned.actor import ACTIVATIONS, Actor, actor_of_state, folded, load_inputs, statistics_path
from big2_agents.learned.npz import MAX_BYTES, UNREADABLE
from big2_env.base.errors import ConfigError, NotationError, needing, one_line, quoted, reason_text
from big2_env.base.json_values import parse_object
from big2_env.base.outside import archive

MAX_DATA: Final = 1 << 25
"""Maximum size of the settings in bytes; they include the last observations of every row."""
MAX_POLICY: Final = 1 << 28
"""Maximum size of the unpacked weights in bytes."""
POLICIES: Final = (
    "stable_baselines3.common.policies.ActorCriticPolicy",
    "sb3_contrib.common.maskable.policies.MaskableActorCriticPolicy",
    "big2_env.envs.sb3_policy.LegalPolicy",
)
"""Policy classes whose moves `Actor` reproduces."""
BOXES: Final = "gymnasium.spaces.box.Box", "big2_env.envs.options.BinaryBox"
HARMLESS: Final = frozenset(
    {
        *("net_arch", "activation_fn", "ortho_init", "optimizer_class", "optimizer_kwargs", "normalize_images", "log_std_init"),
        *("share_features_extractor", "features_extractor_class", "features_extractor_kwargs", "use_sde", "squash_output"),
    }
)
"""Policy arguments that are checked here, or that do not change the moves of a network of linear layers."""


def load_sb3(path: str | PathLike[str]) -> Actor:
    """Return the actor of a PPO or MaskablePPO model with an MLP policy.

    A model trained with `VecNormalize` needs the file of its statistics in the same folder.

    Args:
        path: The zip written by `model.save`.

    Raises:
        ConfigError: The file is missing, its moves cannot be reproduced, or its statistics are missing or of another model.
        ImportError: torch is not installed.
    """
    where = f"model {path}"
    with needing("sb3: agents need torch: pip install 'big2_env[sb3]'"):
        import torch
    try:
        with ZipFile(path) as file:
            data = parse_object(_member(file, "data", MAX_DATA).decode())
            weights = _member(file, "policy.pth", MAX_POLICY)
        archive(io.BytesIO(weights), MAX_POLICY).close()
        activation = _activation(data, where)
        is_normalized = _is_normalized(data)
        state = torch.load(io.BytesIO(weights), map_location="cpu", weights_only=True)
        arrays = _arrays(state, where)
    except OSError as error:
        longer = f"; expected {path}.zip?" if os.path.exists(f"{path}.zip") else ""
        raise ConfigError(f"{where}: {reason_text(error)}{longer}") from None
    except (*UNREADABLE, NotationError, pickle.UnpicklingError, AttributeError) as error:
        if isinstance(error, ConfigError):
            raise
        raise ConfigError(f"{where}: {_first_line(error)}") from None
    found = actor_of_state(arrays, activation, where)
    if (there := _sizes(data)) != found.size:
        raise ConfigError(f"{where}: expected weights for the spaces' {there} inputs and actions, got {found.size}")
    statistics = statistics_path(path)
    if statistics.exists():
        if is_normalized is False:
            raise ConfigError(f"{where}: expected no {statistics.name} for a model that was trained on zeros and ones")
        return folded(found, load_inputs(statistics), where)
    if is_normalized:
        raise ConfigError(
            f"{where}: expected {statistics.name} in the same folder, since it was trained with VecNormalize "
            "(big2_agents.train.export.write_statistics writes it), got none"
        )
    return found


def _member(file: ZipFile, name: str, limit: int) -> bytes:
    """Return the bytes of a member; raise if it is too large."""
    if name not in file.namelist():
        raise ValueError(f"expected a model saved by stable-baselines3, got a zip without {name}")
    _check_size(name, file.getinfo(name).file_size, limit)
    with file.open(name) as stream:  # the zip's own table may lie about the size
        found = stream.read(limit + 1)
    _check_size(name, len(found), limit)
    return found


def _check_size(name: str, size: int, limit: int) -> None:
    if size > limit:
        raise ValueError(f"expected up to {limit:,} bytes of {name}, got {size:,}")


def _activation(data: Mapping[str, Any], where: str) -> str:
    """Return the name of the activation, after checking that the model is supported."""
    policy = _class_name(data.get("policy_class"))
    if policy not in POLICIES:
        raise ConfigError(
            f"{where}: expected a policy of {', '.join(each.rpartition('.')[2] for each in POLICIES)}, got {policy}"
        )
    given = data.get("policy_kwargs")
    kwargs = {} if not isinstance(given, dict) else {key: value for key, value in given.items() if not key.startswith(":")}
    if unknown := sorted(kwargs.keys() - HARMLESS):
        raise ConfigError(
            f"{where}: expected an MLP policy without policy_kwargs of its own, got {', '.join(map(quoted, unknown))}"
        )
    extractor = _named_class(kwargs.get("features_extractor_class"), "stable_baselines3.common.torch_layers.FlattenExtractor")
    if extractor != "stable_baselines3.common.torch_layers.FlattenExtractor":
        raise ConfigError(f"{where}: expected no feature extractor but FlattenExtractor, got {extractor}")
    if data.get("use_sde") or kwargs.get("use_sde") or kwargs.get("squash_output"):
        raise ConfigError(f"{where}: expected a policy without use_sde, got one with it")
    _check_spaces(data, where)
    module, _, name = _named_class(kwargs.get("activation_fn"), "torch.nn.modules.activation.Tanh").rpartition(".")
    if module != "torch.nn.modules.activation" or name not in ACTIVATIONS:
        raise ConfigError(f"{where}: expected an activation of {', '.join(ACTIVATIONS)}, got {module}.{name}")
    return name


def _check_spaces(data: Mapping[str, Any], where: str) -> None:
    """Raise if the spaces cannot be the observations and actions of a seat."""
    kinds = [_named_class(_attribute(data, space, ":type:"), "no space") for space in ("observation_space", "action_space")]
    if kinds[0] not in BOXES or kinds[1] != "gymnasium.spaces.discrete.Discrete":
        raise ConfigError(f"{where}: expected Box observations and Discrete actions, got {' and '.join(kinds)}")
    for end, digits in (("low", "0"), ("high", "1")):
        values = str(_attribute(data, "observation_space", end))
        if not re.fullmatch(rf"[\[\]\s.{digits}]*", values):  # numpy shortens what is long by dots
            first = next(iter(re.findall(r"[^\s\[\]]+", values)), "")
            raise ConfigError(f"{where}: expected observations of 0 and 1, got {end} {quoted(first)}")
    if str(_attribute(data, "action_space", "start")) != "0":
        raise ConfigError(
            f"{where}: expected actions from 0 on, got start {quoted(str(_attribute(data, 'action_space', 'start')))}"
        )


def _sizes(data: Mapping[str, Any]) -> tuple[Any, Any]:
    """Return the number of inputs and actions given by the spaces."""
    shape, actions = _attribute(data, "observation_space", "_shape"), str(_attribute(data, "action_space", "n"))
    inputs = shape[0] if isinstance(shape, list) and len(shape) == 1 else shape
    return inputs, int(actions) if actions.isdecimal() and len(actions) < 10 else quoted(actions)


def _attribute(data: Mapping[str, Any], name: str, attribute: str) -> Any:
    given = data.get(name)
    return given.get(attribute) if isinstance(given, dict) else None


def _named_class(text: Any, default: str) -> str:
    """Return the dotted name in the `repr` of a class; other text is returned quoted."""
    if text is None:
        return default
    found = re.fullmatch(r"<class '([\w.]+)'>", text) if isinstance(text, str) else None
    return found[1] if found else quoted(str(text))


def _class_name(given: Any) -> str:
    """Return the dotted name of a class that was pickled by name, without importing it."""
    serialized = given.get(":serialized:") if isinstance(given, dict) else None
    if not isinstance(serialized, str):
        return "none"
    texts, names = [], []
    for opcode, argument, _ in pickletools.genops(base64.b64decode(serialized, validate=True)):
        if "UNICODE" in opcode.name:
            texts.append(str(argument))
        elif opcode.name == "STACK_GLOBAL":
            names.append(".".join(texts[-2:]))
        elif opcode.name == "GLOBAL":
            names.append(str(argument).replace(" ", "."))
        elif opcode.name not in ("PROTO", "FRAME", "MEMOIZE", "BINPUT", "STOP"):
            return "a class of its own"
    return names[0] if len(names) == 1 and len(texts) <= 2 else "a class of its own"


def _is_normalized(data: Mapping[str, Any]) -> bool | None:
    """Return True if the last observations were not zeros and ones, `None` if there are none."""
    serialized = _attribute(data, "_last_obs", ":serialized:")
    if not isinstance(serialized, str):
        return None
    held = (argument for _, argument, _ in pickletools.genops(base64.b64decode(serialized, validate=True)))
    raw = max((bytes(each) for each in held if isinstance(each, bytes | bytearray)), key=len, default=b"")
    if not raw:
        return None
    types = [each for each in (np.int8, np.float32, np.float64) if not len(raw) % np.dtype(each).itemsize]
    return not any(np.isin(np.frombuffer(raw, each), (0, 1)).all() for each in types)


def _arrays(state: Any, where: str) -> dict[str, npt.NDArray[Any]]:
    """Return the tensors of a `state_dict` as float32 arrays."""
    import torch

    if not isinstance(state, dict):
        raise ConfigError(f"{where}: expected the weights of a policy, got a {type(state).__name__}")
    found = {}
    for name, tensor in state.items():
        if not isinstance(name, str) or not isinstance(tensor, torch.Tensor) or tensor.layout != torch.strided:
            raise ConfigError(f"{where}: expected a tensor for each name, got {quoted(str(name))} as a {type(tensor).__name__}")
        if tensor.numel() * 4 > MAX_BYTES:
            raise ConfigError(f"{where}: expected up to {MAX_BYTES // 4:,} numbers in {quoted(name)}, got {tensor.numel():,}")
        if tensor.is_floating_point():
            found[name] = tensor.detach().to(torch.float32).numpy()
        else:
            found[name] = np.zeros(tuple(tensor.shape), np.int8)  # refused by its kind, if it belongs to the actor
    return found


def _first_line(error: Exception) -> str:
    """Return the first line of an error, without the advice that follows."""
    return one_line((str(error).strip() or type(error).__name__).splitlines()[0])
