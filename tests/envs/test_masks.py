from __future__ import annotations

from contextlib import suppress
from typing import Any

import gymnasium
import numpy as np
import pytest
from house_rules import DRAWING, HOUSE_RULES
from outside_patterns import OUTSIDE

from big2_env import IllegalPlayError, RuleSet, available_rulesets
from big2_env.envs import aec
from big2_env.envs.seat import SeatEnv
from big2_env.testing import check_masks

RULES = [*available_rulesets().values(), OUTSIDE, *(rules for rules in HOUSE_RULES if rules.deck.size < 108)]


def ids(rules: RuleSet) -> str:
    return f"{rules.name}-{len(rules.patterns)}-{rules.pass_lock.value}"


@pytest.mark.parametrize("rules", RULES, ids=ids)
def test_masks__keep_their_laws(rules: RuleSet) -> None:
    kind = aec.env if rules is OUTSIDE else aec.raw_env
    assert check_masks(kind(ruleset=rules), games=2, seed=5) > 30


@pytest.mark.long
def test_masks__keep_their_laws_with_more_players() -> None:
    for number in (2, 6):
        env = aec.raw_env(DRAWING, num_players=number)
        assert len(env.possible_agents) == number
        assert check_masks(env, games=2) > 20


class Broken(aec.raw_env):
    """An environment with one thing wrong in its masks."""

    wrong: Any

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        seen = super().observe(agent)
        seen["action_mask"] = self.wrong(seen["action_mask"])
        return seen

    def step(self, action: Any) -> None:
        if action is None or self.observe(self.agent_selection)["action_mask"][action]:
            super().step(action)


def flipped(value: int) -> Any:
    """The mask with its first entry that has this value turned over, on turn only."""

    def flip(mask: np.ndarray) -> np.ndarray:
        if mask.any() and not mask.all():
            mask[np.flatnonzero(mask == value)[0]] = 1 - value
        return mask

    return flip


SHARED = np.ones(1379, np.int8)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda mask: mask * 0, "the mask of the agent to move is empty, at decision 0 of game 0"),
        (lambda mask: mask.astype(bool), "the mask is bool, not int8"),
        (lambda mask: mask.tolist(), "the mask is a list, not an array"),
        (lambda mask: np.append(mask, np.int8(0)), r"the mask has shape \(1380,\), the action space has 1379"),
        (lambda mask: mask * 2, "entries other than 0 and 1"),
        (lambda mask: SHARED, "two masks share memory"),
        (lambda mask: np.ones_like(mask), "masked in but not legal"),
        (flipped(0), "masked in but not legal"),
        (flipped(1), "legal but masked out|the mask of the agent to move is empty"),
        (
            lambda mask: np.maximum(mask, np.eye(1, 1379, 5, np.int8)[0] * (not mask.any())),
            "is not to move, and its mask is not",
        ),
    ],
)
def test_masks__checker_finds_what_is_wrong(wrong: Any, says: str) -> None:
    env = Broken()
    env.wrong = wrong
    with pytest.raises(AssertionError, match=says):
        check_masks(env)


class InInfos(aec.raw_env):
    """An environment that keeps its masks in the infos, as PettingZoo allows."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        super().reset(seed, options)
        self.infos = {agent: {"action_mask": self.observe(agent)["action_mask"]} for agent in self.agents}

    def step(self, action: Any) -> None:
        super().step(action)
        self.infos = {agent: {"action_mask": self.observe(agent)["action_mask"]} for agent in self.agents}


def test_masks__checker_reads_infos() -> None:
    assert check_masks(InInfos(), games=1) > 20


def test_masks__checker_looks_at_finished_games() -> None:
    class Dead(aec.raw_env):
        def observe(self, agent: str) -> dict[str, np.ndarray]:
            seen = super().observe(agent)
            seen["action_mask"][7] |= self.terminations.get(agent, False)
            return seen

    class Gone(aec.raw_env):
        def observe(self, agent: str) -> dict[str, np.ndarray]:
            seen = super().observe(agent)
            seen["action_mask"][7] |= not self.agents
            return seen

    with pytest.raises(AssertionError, match=r"is not to move, and its mask is not all 0, at decision \d+ of game 0"):
        check_masks(Dead())
    with pytest.raises(AssertionError, match="player_0 is not to move, and its mask is not all 0, at the end of game 0"):
        check_masks(Gone())


def test_masks__checker_finds_moves_that_should_be_refused_or_that_change_the_game() -> None:
    class Lax(aec.raw_env):
        def step(self, action: Any) -> None:
            with suppress(IllegalPlayError):
                super().step(action)

    class NeverReset(aec.raw_env):
        def step(self, action: Any) -> None:
            try:
                super().step(action)
            except IllegalPlayError:
                self.agent_selection = self.possible_agents[self.possible_agents.index(self.agent_selection) - 1]
                raise

    with pytest.raises(AssertionError, match="an action that is masked out was accepted"):
        check_masks(Lax())
    with pytest.raises(AssertionError, match="a refused action changed the game"):
        check_masks(NeverReset())


def test_masks__are_those_that_gymnasium_samples_from() -> None:
    env = aec.raw_env()
    env.reset(seed=3)
    for seed, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(seed)
    moves = 0
    while not any(env.terminations.values()):
        agent = env.agent_selection
        mask = env.observe(agent)["action_mask"]
        action = env.action_space(agent).sample(mask)
        assert mask[action]
        env.step(action)
        moves += 1
    assert moves > 13


@pytest.mark.parametrize("seat", ["random", 1])
@pytest.mark.parametrize("rules", RULES, ids=ids)
def test_masks__of_one_seat_keep_their_laws(rules: RuleSet, seat: int | str) -> None:
    assert check_masks(SeatEnv("random", ruleset=rules, seat=seat), games=3, seed=2) > 10


def test_masks__of_one_seat_are_found_when_they_are_wrong() -> None:
    class Late(SeatEnv):
        """Gives the mask of the decision before."""

        before = np.zeros(1379, bool)

        def step(self, action: Any) -> Any:
            self.before = super().action_masks()
            return super().step(action)

        def action_masks(self) -> np.ndarray:
            return self.before if self.before.any() else super().action_masks()

    class Talks(SeatEnv):
        def reset(self, **options: Any) -> Any:
            observation, info = super().reset(**options)
            return observation, {**info, "action_mask": info["action_mask"].astype(bool)}

    with pytest.raises(AssertionError, match=r"masked in but not legal|two masks share memory"):
        check_masks(Late())
    with pytest.raises(AssertionError, match="the mask is bool, not int8, at decision 0 of game 0"):
        check_masks(Talks())
    with pytest.raises(AssertionError, match=r"a int is no AECEnv and no gymnasium.Env$"):
        check_masks(5)


def test_masks__of_a_game_that_a_wrapper_truncates_stay_as_they_are() -> None:
    assert check_masks(gymnasium.wrappers.TimeLimit(SeatEnv(), 3)) == 6


def test_masks__checker_names_an_environment_without_them() -> None:
    with pytest.raises(AssertionError, match="there is no mask in the observation or the info, at decision 0 of game 0"):
        check_masks(aec.raw_env(masks="ids"))
    with pytest.raises(AssertionError, match=r"there is no action_masks\(\), at game 0"):
        check_masks(gymnasium.make("CartPole-v1"))


def test_masks__checker_takes_what_is_legal_from_its_caller() -> None:
    env = aec.raw_env()
    assert check_masks(env, legal=lambda env: np.flatnonzero(env.observe(env.agent_selection)["action_mask"])) > 30
    with pytest.raises(AssertionError, match=r"legal but masked out \[1378\]"):
        check_masks(env, legal=lambda env: [1378, *np.flatnonzero(env.observe(env.agent_selection)["action_mask"])])
