"""The family's environments with every number of players; their masks, and a seat's whole game."""

from __future__ import annotations

import numpy as np
import pytest

from big2_env import available_rulesets, ruleset
from big2_env.climbing.game import max_acts
from big2_env.envs.aec import env
from big2_env.envs.seat import SeatEnv
from big2_env.testing import check_masks

TABLES = [
    (name, number)
    for name, rules in available_rulesets().items()
    for number in range(rules.min_players, rules.max_players + 1)
    if rules.max_players > rules.min_players
]


def test_tables__are_those_of_the_page() -> None:
    sizes = {name: [number for other, number in TABLES if other == name] for name, _ in TABLES}
    assert sizes == {"wu_gua_pi": [*range(2, 11)], "qi_gui_521": [*range(2, 8)], "qi_gui_523": [*range(2, 8)]}


@pytest.mark.parametrize(("name", "number"), TABLES)
def test_environments__seat_every_number_of_players(name: str, number: int) -> None:
    everybody = env(ruleset=name, num_players=number)
    assert len(everybody.possible_agents) == number
    if number in (2, ruleset(name).max_players):
        assert check_masks(everybody, games=1, seed=number) > ruleset(name).hand_size
    one = SeatEnv("random", ruleset=name, num_players=number)
    observation, _ = one.reset(seed=number)
    assert one.observation_space.contains(observation)
    rng, acts, ended = np.random.default_rng(number), 0, False
    while not ended:
        observation, reward, ended, _, _ = one.step(int(rng.choice(np.flatnonzero(one.action_masks()))))
        acts += 1
    assert one.observation_space.contains(observation)
    assert reward in (1.0, 1.0 - number)  # the last holder of cards pays each other one
    assert acts <= max_acts(ruleset(name), number)
