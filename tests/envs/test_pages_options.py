"""The tables of the page on environments list the options of their constructors and the keys of their infos."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

import pytest

import big2_env.envs
from big2_env.envs.aec import raw_env
from big2_env.envs.seat import SeatEnv
from big2_env.envs.vector import BatchEnv

PAGE = Path(big2_env.envs.__file__).with_name("README.md").read_text(encoding="utf-8")
SEAT, BATCHES = {"SeatEnv", "BatchEnv", "SeatVecEnv"}, {"BatchEnv", "SeatVecEnv", "SelfPlayVecEnv"}
GROUPS = {"all": SEAT | BATCHES | {"AEC"}, "seat": SEAT, "batches": BATCHES}


def rows(section: str) -> list[list[str]]:
    """The cells of the first table of a section of the page."""
    _, _, text = PAGE.partition(f"\n## {section}\n")
    lines = [line for line in text.partition("\n## ")[0].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r" \| ", line.strip("| "))] for line in lines[2:]]


def members(cell: str) -> set[str]:
    """The environments that a cell names, by themselves or as a group."""
    named = (name.strip("` ") for name in cell.split(","))
    return {one for name in named for one in GROUPS.get(name, {name})}


def defaults(cell: str, environments: set[str]) -> dict[str, str]:
    """The default of each environment, from a cell such as "`False`; `SeatVecEnv`: `True`"."""
    common, *others = cell.split("; ")
    found = dict.fromkeys(environments, common.strip("`"))
    for other in others:
        names, _, value = other.partition(": ")
        found |= dict.fromkeys(members(names), value.strip("`"))
    return found


def documented() -> Iterator[tuple[str, str, str]]:
    """Environment, option and default, as the page lists them."""
    for option, _, default, _, environments in rows("Options"):
        for environment, value in defaults(default, members(environments)).items():
            yield environment, option.strip("`"), value


def taken(name: str, environment: type) -> Iterator[tuple[str, str, str]]:
    """Environment, option and default, as the constructor takes them."""
    for option, parameter in inspect.signature(environment).parameters.items():
        if option != "num_envs":
            value = parameter.default.value if isinstance(parameter.default, Enum) else parameter.default
            yield name, option, repr(value).replace("'", '"')


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch about itself
def test_page__lists_every_option_with_its_default_and_environments() -> None:
    pytest.importorskip("sb3_contrib")
    from big2_env.envs.sb3 import SeatVecEnv, SelfPlayVecEnv

    environments = (SeatEnv, BatchEnv, SeatVecEnv, SelfPlayVecEnv)
    expected = {("AEC", *option[1:]) for option in taken("AEC", raw_env)}
    for environment in environments:
        expected.update(taken(environment.__name__, environment))
    assert set(documented()) == expected


def test_page__lists_every_key_of_infos() -> None:
    listed = {(name, key) for keys, names, _ in rows("Info") for key in re.findall(r"`(\w+)`", keys) for name in members(names)}
    env = SeatEnv()
    _, info = env.reset(seed=1)
    _, _, _, _, refused = env.step(int(info["action_mask"].argmin()))
    _, begun = env.reset(seed=1)
    info = begun
    while "winner" not in info:
        _, _, _, _, info = env.step(int(info["action_mask"].argmax()))
    found = {("SeatEnv", key) for key in begun | info | refused}
    for masks in ("dense", "bits", "ids"):
        envs = BatchEnv(16, masks=masks)
        _, infos = envs.reset(seed=1)
        found |= {("BatchEnv", key) for key in infos}
        while "final_info" not in infos:
            _, _, _, _, infos = envs.step(envs.random_actions())
        found |= {("BatchEnv", key) for key in infos if not key.startswith("_")}
    assert listed == found
