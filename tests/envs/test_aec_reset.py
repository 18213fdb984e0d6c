"""How the environment of all seats is made and reset: games set up, seeds, arguments and options refused."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from aec_states import everything, moved
from drawn_position import DRAWN
from house_rules import DRAWING

from big2_env import BIG2, ConfigError, Game, NotationError
from big2_env.envs import aec


def test_reset__sets_up_any_game() -> None:
    env = aec.raw_env()
    deck = BIG2.deck.shuffled(5)
    for given in (deck, [int(card) for card in deck], " ".join(map(str, deck))):
        env.reset(options={"deck": given})
        assert env.game == Game.from_deck(BIG2, deck)
    hands = ["C[4] D[4]", "C[3]", [2, 3], 1 << 51]
    env.reset(options={"hands": hands})
    assert (env.game, env.agent_selection) == (Game.from_hands(BIG2, hands), "player_1")
    env.reset(options={"position": DRAWN})
    assert (env.game.position, env.agent_selection) == (DRAWN, "player_2")
    env.step(0)  # seats 1 and 2 have passed
    env.step(0)
    assert (env.agent_selection, env.game.top) == ("player_0", None)
    env.step(1)
    assert [env.rewards[agent] for agent in env.possible_agents] == [1.0, *[-1 / 3] * 3]


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"deck": "C[3] C[3]"}, NotationError, r"C\[3\] is given twice"),
        ({"deck": "C[3]"}, NotationError, r"D\[3\] is missing: 1 of 52 cards are given"),
        ({"deck": [0, 1, 2]}, ConfigError, "expected a deck with each of the 52 cards once, got 3 cards"),
        ({"deck": 7}, ConfigError, "in reset option deck, got a int"),
        ({"hands": "C[3]"}, ConfigError, "expected one item for each place in reset option hands, got a str"),
        ({"hands": ["C[3]", "C[3]", "D[3]", "H[3]"]}, ConfigError, r"position: C\[3\] twice"),
        ({"hands": ["C[3]", "D[3]"]}, ConfigError, "expected 4 seats in reset option hands, got 2"),
        (
            {"hands": ["C[3]", "D[3]", "", "H[3]"]},
            ConfigError,
            r"expected hands of at least one card, got \[1, 1, 0, 1\] cards",
        ),
        ({"position": [0]}, ConfigError, "expected a Position as reset option position, got a list"),
        ({"position": DRAWN._replace(turn=9)}, ConfigError, "position: expected a turn of a seat that holds cards, got 9"),
        (
            {"position": DRAWN._replace(hands=(0, *DRAWN.hands[1:]), finished=(0,))},
            ConfigError,
            "reset option position: the game is over already",
        ),
        ({"hands": ["C[3]"] * 4, "deck": "C[3]"}, ConfigError, "position, got deck and hands"),
    ],
)
def test_reset__refuses_what_is_no_game(options: dict[str, Any], error: type[Exception], says: str) -> None:
    env = moved(aec.raw_env(), 4, 5)
    before = everything(env)
    with pytest.raises(error, match=says):
        env.reset(options=options)
    assert everything(env) == before


def test_reset__of_another_number_of_players_is_refused() -> None:
    env = aec.raw_env(DRAWING, num_players=3)
    with pytest.raises(ConfigError, match="expected 3 seats in reset option hands, got 2"):
        env.reset(options={"hands": ["D[6]", "C[6]"]})


def test_reset__warns_of_options_that_nobody_knows() -> None:
    with pytest.warns(
        UserWarning, match=r"reset options \['hand'\] are not known and do nothing: known are deck, hands, position"
    ):
        aec.raw_env().reset(options={"hand": "C[3]"})


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"ruleset": "big3"}, ConfigError, "unknown ruleset 'big3'; did you mean big2?"),
        ({"scoring": "loser"}, ConfigError, "unknown scoring 'loser'; expected winner, cards or a Settlement"),
        ({"num_players": 5}, ConfigError, "big2 needs 2 to 4 players, got 5"),
        ({"dtype": "int16"}, ConfigError, "expected dtype 'int8' or 'float32', got 'int16'"),
        ({"dtype": "bytes9"}, ConfigError, "expected dtype 'int8' or 'float32', got 'bytes9'"),
        ({"render_mode": "video"}, ConfigError, "expected render_mode 'human', 'ansi', 'svg', 'rgb_array' or None"),
        ({"names": ["Ann", "Bo"]}, ConfigError, "expected a name for each of the 4 seats, got 2"),
        (
            {"names": ["Ann", "Bo", "", "Di"]},
            NotationError,
            "expected a name of printable characters without blanks at the ends, got ''",
        ),
    ],
)
def test_raw_env__refuses_arguments_it_cannot_serve(arguments: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        aec.raw_env(**arguments)


def test_seed__fixes_every_later_game_too() -> None:
    envs = aec.raw_env(), aec.raw_env()
    starts = []
    for seed in (11, None, None, 12):
        for env in envs:
            env.reset(seed=seed)
        assert envs[0].game == envs[1].game
        starts.append(envs[0].game.start.hands)
    assert all(one != other for one, other in pairwise(starts))
    assert len(set(starts)) == 4
    envs[0].reset(seed=11)
    assert envs[0].game.start.hands == starts[0]
    # the same in every process and release: numpy's PCG64 draws the deal's seed, and the deal is our own stream
    assert BIG2.text(starts[0][0]) == "C[3] C[7] C[8] S[8] H[9] S[9] S[Q] D[K] H[K] C[2] D[2] H[2] S[2]"


def test_seed__is_not_needed() -> None:
    hands = set()
    for _ in range(3):
        env = aec.raw_env()
        env.reset()
        hands.add(env.game.start.hands)
    assert len(hands) == 3


def test_reset__without_a_seed_draws_from_the_generator_that_the_caller_has_set() -> None:
    deals = []
    for seed in (3, 4):
        env = aec.raw_env()
        env.reset(seed=seed)
        env.np_random = np.random.default_rng(5)
        env.reset()
        deals.append(env.game.start.hands)
    assert deals[0] == deals[1]
