"""The blocks of README, and a look at each part of the core, on the installed wheel without extras.

    python smoke.py     # in a folder outside the clone

README comes from the metadata of the wheel. A line with its processor time follows each part; the first fault ends all.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
import warnings
from importlib.metadata import metadata
from pathlib import Path

import gymnasium
import numpy as np

import big2_env
from big2_env import BIG2, Game
from big2_env.agents.interface import make_agent, play_out, reset_seats
from big2_env.envs import aec

SET_UP = re.compile(r"(python3? -m venv|pip install|pytest)\b")
BASH = shutil.which("bash") or "bash"  # on Windows the first one in PATH, where subprocess would take another one
EXTRA = re.compile(r"pip install .*\[")
LEARNER = "sb3_contrib"
"""Library of an example in README that an extra brings; the tests run it."""


def blocks(language: str) -> list[str]:
    """Return the blocks of README in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", metadata("big2_env").get_payload(), re.MULTILINE | re.DOTALL)


def readme_in_python() -> None:
    """Run the examples in Python, with warnings as errors."""
    globs: dict[str, object] = {"__name__": "__main__"}
    found = blocks("pycon")
    assert found, "README has no example in Python"
    for block in (block for block in found if LEARNER not in block):
        test = doctest.DocTestParser().get_doctest(block, globs, "README.md", "README.md", 0)
        with warnings.catch_warnings(action="error"):
            assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0


def readme_in_a_shell() -> None:
    """Run the commands that need no extra, and compare what they print."""
    ran = 0
    for block in blocks("console"):
        if not EXTRA.search(block):
            parts = [part.split("\n", 1) for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
            for command, output in parts:
                if not SET_UP.match(command):
                    done = subprocess.run(
                        [BASH, "-c", command], stdout=subprocess.PIPE, encoding="utf-8", timeout=120, check=True
                    )
                    assert done.stdout.splitlines() == output.splitlines(), f"$ {command}\n{done.stdout}"
                    ran += 1
    assert ran, "README has no command to run"


def aec_with_log() -> None:
    """Play a game with its log, and replay the log."""
    env = aec.env(render_mode="ansi")
    env.reset(seed=11)
    for i, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(i)
    payoffs = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, _, _ = env.last()
        payoffs[agent] += reward
        env.step(None if terminated else env.action_space(agent).sample(observation["action_mask"]))
    assert sorted(payoffs.values()) == [-1 / 3, -1 / 3, -1 / 3, 1.0], payoffs
    Path("game.log").write_text(env.render(), encoding="utf-8", newline="\n")
    for source, target in (("game.log", "record"), ("game.jsonl", "log")):
        done = subprocess.run(["big2", "convert", source, "--to", target], check=True, timeout=60, stdout=subprocess.PIPE)
        Path("game.jsonl").write_bytes(done.stdout)
    assert done.stdout.decode().splitlines() == env.render().splitlines(), done.stdout.decode()


def one_seat() -> None:
    """Play games by `gymnasium.make` against each kind of opponent, in games of several kinds."""
    for name in ("Big2-v0", "HongKong-v0"):
        for opponents in ("random", "greedy", "heuristic", "learned"):
            env = gymnasium.make(f"big2/{name}", opponents=opponents)
            _, info = env.reset(seed=5)
            env.action_space.seed(5)
            ended = False
            while not ended:
                _, reward, ended, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
                assert not truncated
            assert np.isfinite(reward)
            env.close()


def many_rows() -> None:
    """Step a batch on compiled kernels, and a small one on interpreted kernels."""
    generator = np.random.default_rng(3)
    for rows, steps in ((4, 60), (1024, 60)):
        envs = gymnasium.make_vec("big2/Big2-v0", num_envs=rows, opponents="greedy")
        _, info = envs.reset(seed=9)
        games = 0
        for _ in range(steps):
            masks = info["action_mask"]
            actions = (generator.random(masks.shape, np.float32) * masks).argmax(1)
            _, _, ended, _, info = envs.step(actions)
            games += int(ended.sum())
        assert games > rows, (rows, games)
        envs.close()


def arena() -> None:
    """Compare four agents on four deals."""
    command = [
        "big2",
        "arena",
        "learned",
        "heuristic",
        "greedy",
        "random",
        "--deals",
        "4",
        "--seed",
        "1",
        "--out",
        "arena.jsonl",
    ]
    subprocess.run(command, check=True, timeout=300, stdout=subprocess.DEVNULL)
    assert len(Path("arena.jsonl").read_text("utf-8").splitlines()) >= 5


def learned() -> None:
    """Play `learned` against `random` alone, which it beats."""
    agents = [make_agent(name) for name in ("learned", "random", "random", "random")]
    wins = 0
    for seed in range(10):
        game = Game.deal(BIG2, seed)
        reset_seats(agents, game)
        wins += play_out(game, agents).winner == 0
    assert wins >= 5, wins


def main() -> None:
    """Run all parts."""
    os.environ["PYTHONUTF8"] = "1"
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    clone = Path(__file__).resolve().parents[1]
    found = Path(big2_env.__file__).resolve()
    if found.is_relative_to(clone) or Path.cwd().resolve().is_relative_to(clone):
        raise SystemExit(f"expected an installed wheel, and a folder outside {clone}, but got {found} in {Path.cwd()}")
    print(f"Python {sys.version.split()[0]}, NumPy {np.__version__}, {found.parent}", flush=True)
    for part in (readme_in_python, readme_in_a_shell, aec_with_log, one_seat, many_rows, arena, learned):
        before = os.times()
        part()
        seconds = sum(after - start for start, after in zip(before[:4], os.times()[:4], strict=True))
        print(f"{seconds:5.1f} s  {part.__name__}", flush=True)


if __name__ == "__main__":
    main()
