"""Threads: one agent or solver serves several of them, and environments of different threads do not disturb each other."""

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import gymnasium
import numpy as np
import pytest

from big2_env import BIG2, Game
from big2_env.agents import available_agents, make_agent
from big2_env.climbing.rulesets import preset
from big2_env.envs import aec
from big2_env.isolated import IsolatedAgent
from big2_env.solve import Solver

THREADS = 3
SPECS = {"search": "search:6", "learned-search": "learned-search:6"}


@pytest.fixture(autouse=True)
def often() -> Iterator[None]:
    """Let threads take turns a thousand times more often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    yield
    sys.setswitchinterval(before)


def together(work: Callable[[int], Any]) -> list[Any]:
    start = Barrier(THREADS)

    def run(number: int) -> Any:
        start.wait()
        return work(number)

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(run, range(THREADS)))


def views_of(*names: str) -> list[Any]:
    """Return views from the first moves of a game of each ruleset."""
    found = []
    for name in names:
        game = Game.deal(preset(name), 3)
        for _ in range(4):
            game.push(list(game.legal_plays())[-1])
            found.append(game.view())
    return found


@pytest.mark.parametrize("name", [*sorted({*available_agents()} - {"random"}), "isolated"])
def test_one_agent_in_several_threads_moves_as_in_one(name: str) -> None:
    agent = IsolatedAgent("greedy") if name == "isolated" else make_agent(SPECS.get(name, name))
    views = views_of("big2", *["taiwan"] * (name != "ppo"))
    agent.reset(7)

    def moves(number: int) -> list[Any]:
        turned = views[number:] + views[:number]
        found = [agent.act(view, view.legal_plays()) for _ in range(3) for view in turned]
        return [found[(i - number) % len(views)] for i in range(len(views))]

    alone = moves(0)
    assert together(moves) == [alone] * THREADS


def test_one_solver_in_several_threads_answers_as_in_one() -> None:
    game = Game.from_hands(BIG2, ["C[3] C[7] S[2] D[7]", "C[9] D[9] S[J] S[4]", "H[9] H[10] D[4]", "C[K] C[A] D[6] S[5]"])
    games = [game]
    for play in game.legal_plays():
        games.append(game.copy())
        games[-1].push(play)

    def answers(number: int) -> list[Any]:
        turned = games[number:] + games[:number]
        found = [(solver.gains(game=one), solver.answer(one)) for one in turned]
        return [found[(i - number) % len(games)] for i in range(len(games))]

    solver = Solver(game, plain_positions=10**6)
    alone = answers(0)
    for _ in range(8):
        solver = Solver(game, plain_positions=10**6)
        assert together(answers) == [alone] * THREADS


def of_aec(seed: int) -> list[Any]:
    env, seen = aec.raw_env(ruleset="big2"), []
    for episode in range(2):
        env.reset(seed=seed + episode)
        for agent in env.agent_iter():
            observation, reward, ended, cut, _ = env.last()
            seen.append((agent, reward))
            env.step(None if ended or cut else int(np.flatnonzero(observation["action_mask"])[-1]))
    return seen


def of_seat(seed: int) -> list[Any]:
    env, seen = gymnasium.make("big2/Big2-v0", opponents="greedy").unwrapped, []
    for episode in range(2):
        observation, _ = env.reset(seed=seed + episode)
        is_over = False
        while not is_over:
            observation, reward, is_over, _, _ = env.step(int(np.flatnonzero(env.action_masks())[-1]))
            seen.append((reward, observation.sum() if isinstance(observation, np.ndarray) else None))
    return seen


def of_vector(seed: int) -> list[Any]:
    env = gymnasium.make_vec("big2/Big2-v0", 8)
    _, info = env.reset(seed=seed)
    seen = []
    for _ in range(40):
        mask = info["action_mask"]
        _, reward, *_, info = env.step(mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1))
        seen.append(reward.tolist())
    return seen


@pytest.mark.parametrize("play", [of_aec, of_seat, of_vector])
def test_environments_of_several_threads_play_as_alone(play: Callable[[int], list[Any]]) -> None:
    assert together(play) == [play(number) for number in range(THREADS)]
