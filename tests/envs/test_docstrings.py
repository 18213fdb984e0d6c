"""`help` of an environment lists the arguments of its constructor, in their order."""

from __future__ import annotations

import inspect
import re

import pytest

from big2_env.envs.aec import raw_env
from big2_env.envs.aec_policy import AgentPolicy
from big2_env.envs.league import League, Member
from big2_env.envs.rows_env import RowsEnv
from big2_env.envs.seat import SeatEnv
from big2_env.envs.shaping import Shaping
from big2_env.envs.side_aec import SideAEC
from big2_env.envs.side_seat import SideSeatEnv
from big2_env.envs.vector import BatchEnv
from big2_env.games.klondike.env import KlondikeEnv
from big2_env.games.klondike.vector import KlondikeBatchEnv
from big2_env.games.uno.aec import raw_env as uno_env
from big2_env.games.uno.seat_env import UnoSeatEnv
from big2_env.games.uno.vector import UnoBatchEnv


def arguments(documented: type) -> list[str]:
    """The names under `Args:` in a docstring."""
    _, _, rest = inspect.cleandoc(documented.__doc__ or "").partition("Args:\n")
    return re.findall(r"^ {4}(?:\*\*)?(\w+): ", re.split(r"^\S", rest, maxsplit=1, flags=re.MULTILINE)[0], re.MULTILINE)


@pytest.mark.parametrize(
    "documented",
    [
        *(SeatEnv, raw_env, BatchEnv, RowsEnv, SideAEC, SideSeatEnv, AgentPolicy, League, Member, Shaping),
        *(KlondikeEnv, KlondikeBatchEnv, uno_env, UnoSeatEnv, UnoBatchEnv),
    ],
)
def test_classes__list_the_arguments_of_their_constructors(documented: type) -> None:
    assert arguments(documented) == list(inspect.signature(documented).parameters)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch about itself
def test_adapters_of_sb3__list_the_arguments_of_their_constructors() -> None:
    pytest.importorskip("sb3_contrib")
    from big2_env.envs.sb3 import PolicyOpponent, SeatVecEnv, SelfPlayVecEnv, SnapshotCallback

    for documented in (SeatVecEnv, SelfPlayVecEnv, PolicyOpponent, SnapshotCallback):
        assert arguments(documented) == list(inspect.signature(documented).parameters)


def test_pages__have_the_sizes_of_the_code() -> None:
    env = raw_env()
    for documented in (SeatEnv, raw_env, BatchEnv):
        assert set(re.findall(r"Discrete\((\d+)\)", documented.__doc__ or "")) == {str(env.actions.n)}
        assert set(re.findall(r"\((\d+),\)", documented.__doc__ or "")) <= {str(env.layout.size), str(env.actions.n)}
