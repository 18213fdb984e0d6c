"""Threads: one agent or solver serves several of them, and environments of different threads do not disturb each other."""

import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib import import_module
from itertools import count, islice
from threading import Barrier
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import pytest

from big2_env import BIG2, Game
from big2_env.agents.interface import available_agents, make_agent
from big2_env.agents.isolated import IsolatedAgent
from big2_env.base.language import Language, words
from big2_env.climbing.rulesets import preset
from big2_env.envs import aec
from big2_env.games.uno import aec as uno_aec
from big2_env.games.uno.kernel_game import KernelUnoGame
from big2_env.games.uno.rules import UnoRules
from big2_env.solve import Solver
from big2_env.text.names import move_text

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


@pytest.mark.long
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


Steps: TypeAlias = Callable[[Any, int], Iterator[Any]]
"""Plays an environment for ever from a seed, and yields what it returns."""


def highest(mask: Any) -> int:
    """Return the legal action with the highest id."""
    return int(np.flatnonzero(mask)[-1])


def aec_steps(env: Any, seed: int) -> Iterator[Any]:
    for episode in count(seed):
        env.reset(seed=episode)
        for agent in env.agent_iter():
            observation, reward, ended, cut, _ = env.last()
            yield agent, reward
            env.step(None if ended or cut else highest(observation["action_mask"]))


def seat_steps(env: Any, seed: int) -> Iterator[Any]:
    for episode in count(seed):
        yield env.reset(seed=episode)[0].tolist()
        is_over = False
        while not is_over:
            observation, reward, is_over, is_cut, _ = env.step(highest(env.action_masks()))
            is_over |= is_cut
            yield reward, observation.tolist()


def vector_steps(env: Any, seed: int) -> Iterator[Any]:
    _, info = env.reset(seed=seed)
    while True:
        mask = info["action_mask"]
        _, reward, *_, info = env.step(mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1))
        yield reward.tolist()


def sb3_steps(env: Any, seed: int) -> Iterator[Any]:
    env.seed(seed)
    env.reset()
    while True:
        yield env.step(env.action_masks().argmax(axis=1))[1].tolist()


def text_steps(env: Any, seed: int) -> Iterator[Any]:
    for episode in count(seed):
        env.reset(num_players=4, seed=episode)
        is_over = False
        while not is_over:
            legal = env.game.legal_plays()
            move = list(legal)[-1]
            is_over, info = env.step(f"<answer>{move_text(move, legal, words(Language.EN))}</answer>")
            yield is_over, info


def spiel_steps(game: Any, seed: int) -> Iterator[Any]:
    rng = np.random.default_rng(seed)
    while True:
        state = game.new_initial_state()
        while not state.is_terminal():
            yield state.apply_action(int(rng.choice(state.legal_actions())))
        yield list(state.returns())


def made(identifier: str, **options: Any) -> Any:
    return gymnasium.make(identifier, disable_env_checker=True, **options).unwrapped


def of_sb3(name: str) -> Any:
    return getattr(import_module("big2_env.envs.sb3"), name)(4)


ENVIRONMENTS: dict[str, tuple[Callable[[], Any], Steps]] = {
    "aec": (lambda: aec.raw_env(ruleset="big2"), aec_steps),
    "wrapped": (lambda: aec.env(ruleset="big2"), aec_steps),
    "uno": (uno_aec.raw_env, aec_steps),
    "seat": (lambda: made("big2/Big2-v0", opponents="greedy"), seat_steps),
    "uno seat": (lambda: made("big2/Uno-v0"), seat_steps),
    "klondike": (lambda: made("big2/Klondike-v0"), seat_steps),
    **{
        f"vector {name}": (partial(gymnasium.make_vec, f"big2/{name}-v0", 8), vector_steps)
        for name in ("Big2", "Big2SelfPlay", "UnoSelfPlay", "Klondike")
    },
    **{name: (partial(of_sb3, name), sb3_steps) for name in ("SeatVecEnv", "SelfPlayVecEnv")},
    "textarena": (lambda: import_module("big2_env.envs.textarena").TextArenaEnv(), text_steps),
    "openspiel": (lambda: import_module("big2_env.envs.openspiel").load_game("mini6"), spiel_steps),
}
"""By name: the function that makes an environment, and the one that plays it. RLlib's holds one of the first."""
STEPS = 60
"""Steps that are compared."""


def played(name: str, seed: int) -> list[Any]:
    make, steps = ENVIRONMENTS[name]
    return list(islice(steps(make(), seed), STEPS))


@pytest.mark.parametrize("seconds", [3, pytest.param(60, marks=[pytest.mark.long, pytest.mark.release])])
def test_environments_of_several_threads_play_as_alone(seconds: float) -> None:
    wanted = [{name: played(name, number) for name in ENVIRONMENTS} for number in range(THREADS)]

    def work(number: int) -> int:
        names, end = sorted(ENVIRONMENTS), time.monotonic() + seconds
        for done in count(number):
            name = names[done * (number + 1) % len(names)]
            if time.monotonic() > end:
                return done - number
            assert played(name, number) == wanted[number][name], name
        raise AssertionError

    assert min(together(work)) > 0


def test_uno__shows_a_seat_while_another_thread_moves() -> None:
    game = KernelUnoGame(UnoRules())
    game.deal(7)
    seen = {seat: game.look(seat)[0].tolist() for seat in range(2)}

    def work(number: int) -> int:
        for _ in range(3_000):
            seat = number % 2
            assert game.look(seat)[0].tolist() == seen[seat]
        return 1

    assert sum(together(work)) > 1
