"""The family's environments with every number of players, their masks, a seat's whole game; and what a seat may not see."""

from __future__ import annotations

import numpy as np
import pytest
from hidden_cards import reshuffled
from random_games import random_games

from big2_env import Game, Phase, Position, available_rulesets, ruleset
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.climbing.game import max_moves
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
    big_two = {name: [2, 3, 4] for name in ("big2", "chu_da_di", "hong_kong")}
    assert sizes == big_two | {
        "pusoy_dos": [3, 4],
        "wu_gua_pi": [*range(2, 11)],
        "qi_gui_521": [*range(2, 8)],
        "qi_gui_523": [*range(2, 8)],
    }


@pytest.mark.parametrize(("name", "number"), TABLES)
def test_environments__seat_every_number_of_players(name: str, number: int) -> None:
    everybody = env(ruleset=name, num_players=number)
    assert len(everybody.possible_agents) == number
    if number in (2, ruleset(name).max_players):
        assert check_masks(everybody, games=1, seed=number) > ruleset(name).hand_size
    one = SeatEnv("random", ruleset=name, num_players=number)
    observation, _ = one.reset(seed=number)
    assert one.observation_space.contains(observation)
    rng, moves, ended = np.random.default_rng(number), 0, False
    while not ended:
        observation, reward, ended, _, _ = one.step(int(rng.choice(np.flatnonzero(one.action_masks()))))
        moves += 1
    assert one.observation_space.contains(observation)
    assert reward == one.unwrapped.game.outcome.payoffs[one.unwrapped.seat]
    if ruleset(name).draw_pile:
        assert reward in (1.0, 1.0 - number)  # the last holder of cards pays each other one
    assert moves <= max_moves(ruleset(name), number)


def swapped(position: Position, seat: int, seed: int) -> Position:
    """The position with all cards that a seat does not see dealt anew: hands, pile, and the bottom as long as it is hidden."""
    if not position.bidding:
        return reshuffled(position, seat, seed, position.bottom | position.obligation)
    places = reshuffled(position._replace(hands=(*position.hands, position.bottom)), seat, seed).hands
    return position._replace(hands=places[:-1], bottom=places[-1], redeals=tuple(deck[::-1] for deck in position.redeals))


@pytest.mark.parametrize("name", available_rulesets())
def test_views__are_the_same_when_hidden_cards_are_swapped(name: str) -> None:
    """What a seat sees, what it may do, and what an agent's network is told: none of it hangs on what is hidden."""
    rules, different, seen = ruleset(name), 0, set()
    number = (rules.min_players + rules.max_players) // 2
    layout = ObservationLayout(rules, number)
    for step, game in enumerate(random_games(rules, [1, 2], number)):
        if step % 4 or game.is_over:
            continue
        for seat in range(number):
            one = Game.from_position(rules, game.position)
            other = Game.from_position(rules, swapped(game.position, seat, step + seat))
            assert one.view(seat) == other.view(seat)
            assert np.array_equal(layout.encode(one.view(seat)), layout.encode(other.view(seat)))
            different += one.position != other.position
            seen.add(one.phase)
    assert different > 10
    assert seen >= {Phase.STARTED, Phase.ASSIGNED if rules.auction is None else Phase.DEALT}
