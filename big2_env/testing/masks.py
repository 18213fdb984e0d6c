"""Checker for action masks on random games. PettingZoo's and Gymnasium's own checkers ignore masks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any, Final, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from pettingzoo import AECEnv

from big2_env.base.errors import IllegalPlayError
from big2_env.climbing.actions import ActionSpace

Mask: TypeAlias = npt.NDArray[Any]
MAX_ASKED: Final = 3000
"""Largest action space in which the rules are asked about every action."""
LegalIds: TypeAlias = Callable[[Any], Collection[int]]
"""Function from an environment to the legal ids of the agent to move."""


def check_masks(env: Any, *, games: int = 2, seed: int = 0, legal: LegalIds | None = None) -> int:
    """Check the action masks of an environment on random games, and return the number of decisions checked.

    Masks of an AEC environment are read from the info or the observation, as PettingZoo allows. Masks of a Gymnasium
    environment come from `action_masks()`, and the info must agree. The checks:

    * The mask of the agent to move has zeros and ones only, one entry per action, and is not all 0. It is int8 (bool from
      `action_masks()`).
    * Asking twice gives equal masks; masks of observations are in separate arrays.
    * The mask equals the legal actions.
    * The mask is all 0 for every agent that is not to move, and for all agents after the end. A game that a wrapper
      truncates, such as `TimeLimit`, has not ended.
    * An unwrapped environment of this package rejects masked actions without changing its state.

    Args:
        env: PettingZoo AEC or Gymnasium environment; it is reset.
        games: Number of games.
        seed: Seed of the first game and of the actions.
        legal: Function that returns the legal ids by other means. Environments of this package do not need it.

    Raises:
        AssertionError: If a check fails, with the place.
    """
    _claim(isinstance(env, AECEnv | gymnasium.Env), f"a {type(env).__name__} is no AECEnv and no gymnasium.Env", "")
    legal = legal or (_by_the_rules if _is_ours(env) else None)
    rng = np.random.default_rng(seed)
    check = _check_aec_game if isinstance(env, AECEnv) else _check_seat_game
    decisions = sum(check(env, None if game else seed, legal, rng, f"game {game}") for game in range(games))
    _claim(decisions > 0, "no game has a decision", "")
    return decisions


def _claim(holds: Any, broken: str, where: str) -> None:
    """Raise AssertionError if a condition is false. An assert statement would be removed by `python -O`."""
    if not holds:
        raise AssertionError(f"{broken}{where and f', at {where}'}")


def _is_ours(env: Any) -> bool:
    return isinstance(getattr(env.unwrapped, "actions", None), ActionSpace)


def _by_the_rules(env: Any) -> set[int]:
    """Return the ids of the legal plays; at every eighth move, ask the rules about single actions instead.

    They are asked about every action. In large spaces they are asked about the listed ones and a regular sample of the
    others.
    """
    ours = env.unwrapped
    moves, actions, number = ours.game.legal_plays(), ours.actions, len(ours.game.history)
    listed = {actions.of_play(play, moves.hand) for play in moves}
    if number % 8:
        return listed
    step = 1 if actions.n < MAX_ASKED else 1 + actions.n // 500
    asked = {*range(number // 8 % step, actions.n, step), *listed}
    return {action for action in asked if actions.play(action, moves) is not None}


def _check_on_turn(mask: Any, again: Any, size: int, dtype: type, ids: Collection[int] | None, where: str) -> None:
    for one in (mask, again):
        _claim(isinstance(one, np.ndarray), f"the mask is a {type(one).__name__}, not an array", where)
        _claim(one.dtype == dtype, f"the mask is {one.dtype}, not {np.dtype(dtype)}", where)
        _claim(one.shape == (size,), f"the mask has shape {one.shape}, the action space has {size}", where)
    _claim(np.isin(mask, (0, 1)).all(), "the mask has entries other than 0 and 1", where)
    _claim(mask.any(), "the mask of the agent to move is empty", where)
    _claim(np.array_equal(mask, again), "the mask asked twice is not the same", where)
    _claim(not np.shares_memory(mask, again), "two masks share memory", where)
    if ids is not None:
        masked = set(np.flatnonzero(mask).tolist())
        wrong = f"masked in but not legal {sorted(masked - set(ids))}, legal but masked out {sorted(set(ids) - masked)}"
        _claim(masked == set(ids), wrong, where)


def _aec_mask(env: Any, agent: Any) -> Mask | None:
    """Return an agent's mask from the info or the observation; `None` if neither has one."""
    observation = env.observe(agent)
    info = env.infos.get(agent, {})
    if "action_mask" in info:
        return copy(info["action_mask"])  # type: ignore[no-any-return]  # infos are the same objects until the next step
    return observation.get("action_mask") if isinstance(observation, dict) else None


def _check_off_turn(env: Any, agents: Collection[Any], where: str) -> None:
    for agent in agents:
        mask = _aec_mask(env, agent)
        _claim(mask is None or not mask.any(), f"{agent} is not to move, and its mask is not all 0", where)


@contextmanager
def _unchanged(env: Any, where: str) -> Iterator[None]:
    """Check that the code inside is rejected and leaves the environment unchanged."""
    before = env.state(), env.agent_selection, _aec_mask(env, env.agent_selection)
    try:
        yield
    except IllegalPlayError:
        after = env.state(), env.agent_selection, _aec_mask(env, env.agent_selection)
        same = all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))
        _claim(same, "a refused action changed the game", where)
    else:
        _claim(False, "an action that is masked out was accepted", where)


def _check_aec_game(env: Any, seed: int | None, legal: LegalIds | None, rng: np.random.Generator, game: str) -> int:
    env.reset(seed=seed)
    refuses = env is env.unwrapped and _is_ours(env)
    decisions = 0
    while env.agents:
        agent = env.agent_selection
        where = f"decision {decisions} of {game} ({agent})"
        if env.terminations[agent] or env.truncations[agent]:
            _check_off_turn(env, env.agents, where)
            env.step(None)
            continue
        mask, again = _aec_mask(env, agent), _aec_mask(env, agent)
        _claim(mask is not None, "there is no mask in the observation or the info", where)
        assert mask is not None
        _check_on_turn(mask, again, int(env.action_space(agent).n), np.int8, legal and legal(env), where)
        _check_off_turn(env, [other for other in env.agents if other != agent], where)
        if refuses and not mask.all():
            with _unchanged(env, where):
                env.step(rng.choice(np.flatnonzero(mask == 0)))
        env.step(rng.choice(np.flatnonzero(mask)))
        decisions += 1
    _check_off_turn(env, env.possible_agents, f"the end of {game}")
    return decisions


def _check_seat_game(env: Any, seed: int | None, legal: LegalIds | None, rng: np.random.Generator, game: str) -> int:
    _claim(env.has_wrapper_attr("action_masks"), "there is no action_masks()", game)
    ask = env.get_wrapper_attr("action_masks")
    _, info = env.reset(seed=seed)
    size = int(env.action_space.n)
    decisions, terminated, truncated = 0, False, False
    while not (terminated or truncated):
        where = f"decision {decisions} of {game}"
        mask, given = ask(), info.get("action_mask")
        ids = legal and legal(env)
        _check_on_turn(mask, ask(), size, np.bool_, ids, where)
        _check_on_turn(given, ask().astype(np.int8), size, np.int8, ids, where)
        _, _, terminated, truncated, info = env.step(rng.choice(np.flatnonzero(mask)))
        decisions += 1
    if terminated or env is env.unwrapped:
        _claim(not ask().any(), "the mask is not all 0", f"the end of {game}")
        _claim(not info["action_mask"].any(), "the mask in the info is not all 0", f"the end of {game}")
    return decisions
