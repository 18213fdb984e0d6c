"""Work on Ray: the same files as on this machine, whatever becomes of workers, machines and the driver."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import work
from run_cli import run_cli

from big2_env.base.errors import ConfigError
from big2_env.runs.batches import Task
from big2_env.runs.executors import Local, Ray

ray = pytest.importorskip("ray", reason="the extra ray is not installed: pip install 'big2_env[ray]'")
pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore")]  # Ray's own warnings are not ours


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster of two machines of two cores each, on this machine; this process is connected to it."""
    from ray.cluster_utils import Cluster

    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "PYTHONPATH": os.pathsep.join(sys.path)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "object_store_memory": 80_000_000})
        cluster.add_node(num_cpus=2, object_store_memory=80_000_000)
        ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
        cluster.wait_for_nodes()
    yield cluster
    ray.shutdown()
    cluster.shutdown()


COMMANDS = {
    "arena": "arena lowest random --deals 40 --seed 7 --out {out}",
    "bench": "bench lowest --ruleset big2 --deals 6 --out {out}",
    "klondike": "klondike survey --deals 110 --out {out}",
    "fishing": "fishing simulate --games 50000 --out {out}",
    "hint": "klondike hint --games 5 --samples 2 --out {out}",
    "uno": "uno simulate --games 12000 --out {out}",
    "strength": "uno strength --against random --players 3 --games 9000 --out {out}",
}


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.mark.parametrize("name", COMMANDS)
def test_ray__writes_and_prints_what_this_machine_does(
    name: str, tmp_path: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("big2_env.runs.progress.LOG_SECONDS", 3600.0)  # a slow machine would print lines of progress
    found = []
    workers = (1, 2, 4) if name == "arena" else (1, 2)
    for number, more in enumerate([["--jobs", "1"], ["--jobs", "2"], *(["--ray", "--jobs", str(n)] for n in workers)]):
        folder = tmp_path / str(number)
        folder.mkdir()
        answer = run_cli(*COMMANDS[name].format(out=folder / "out").split(), *more)
        assert (answer.status, answer.err) == (0, "")
        found.append((answer.out.replace(str(folder), ""), files(folder)))
    assert all(one == found[0] for one in found)


def test_ray__workers_that_are_killed__are_replaced_and_nothing_is_lost_or_doubled(tmp_path: Path, cluster: Any) -> None:
    with Ray(jobs=2).map(partial(work.kill_once, tmp_path), range(25)) as results:
        assert list(results) == [-item for item in range(25)]
    assert sorted(int(mark.name) for mark in tmp_path.iterdir()) == [0, 10, 20]


def test_ray__a_machine_that_is_lost_and_one_that_joins__change_no_result(cluster: Any) -> None:
    lost = cluster.add_node(num_cpus=2, object_store_memory=80_000_000)
    with Ray().map(work.slow, range(400)) as results:
        done = [next(results) for _ in range(30)]
        cluster.remove_node(lost, allow_graceful=False)
        done += [next(results) for _ in range(100)]
        joined = cluster.add_node(num_cpus=1, object_store_memory=80_000_000)
        done.extend(results)
    cluster.remove_node(joined)
    assert done == [-item for item in range(400)]


def test_ray__errors_and_limits__are_those_of_this_machine(cluster: Any) -> None:
    executor, done = Ray(jobs=2, limit=1.0), []
    with executor.map(partial(work.fail_at, 5), range(9)) as results, pytest.raises(ValueError, match=r"^item 5$"):
        done.extend(results)
    assert done == [0, -1, -2, -3, -4]
    with (
        executor.map(partial(work.hang_at, 2), range(4)) as results,
        pytest.raises(ConfigError, match=r"^expected a result of 2 within 1 s, got none$"),
    ):
        list(results)
    with (
        executor.map(partial(work.kill_at, 3), range(9)) as results,
        pytest.raises(ConfigError, match=r"^expected a result of 3, got the end of 3 workers \(ActorDiedError\)$"),
    ):
        list(results)
    with (
        executor.map(Task(work.negative, work.refuse, ("no",)), range(9)) as none,
        pytest.raises(ValueError, match=r"^no$"),
    ):
        list(none)
    with executor.map(Task(work.how_begun, work.begin, ("once",)), range(9)) as begun:
        assert list(begun) == [(["once"], True)] * 9
    with executor.map(work.unsendable, [1]) as functions:
        assert [function() for function in functions] == [1]


def test_ray__a_driver_that_is_killed__is_gone_on_with_on_this_machine_and_back(tmp_path: Path, cluster: Any) -> None:
    whole, path = tmp_path / "whole.jsonl", tmp_path / "killed.jsonl"
    arena = ["arena", "greedy", "heuristic", "--seed", "7", "--deals", "300"]
    assert run_cli(*arena, "--jobs", "1", "--out", str(whole)).status == 0
    command = [sys.executable, "-m", "big2_env", *arena, "--out", str(path), "--resume", f"--ray={cluster.address}"]
    driver = subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)
    wait_for(path, 20)
    os.kill(driver.pid, signal.SIGKILL)
    driver.wait()
    kept = path.read_bytes()
    deals = kept.count(b"\n") // 2 + 20
    assert 20 < deals < 300
    assert run_cli(*arena[:-1], str(deals), "--jobs", "2", "--out", str(path), "--resume").status == 0
    assert run_cli(*arena, "--ray", "--out", str(path), "--resume").status == 0
    assert path.read_bytes() == whole.read_bytes()


def test_ray__rollout_workers_play_for_a_learner_as_processes_of_this_machine_do(
    tmp_path: Path, cluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from big2_agents.train.candidate_ppo import Learner, train
    from big2_agents.train.hyper_parameters import CandidatePpoParameters
    from big2_agents.train.loop import Callbacks

    monkeypatch.setattr(Learner, "phase_progress", lambda _: 0.0)  # which depends on the clock
    found = []
    for number, executor in enumerate([Local(jobs=1), Ray(jobs=2)]):
        args = CandidatePpoParameters(
            games=16, width=8, evaluation_deals=1, warm_up=1, snapshot_every=2, staleness=2, bfloat16=True,
            out=tmp_path / str(number),
        )  # fmt: skip
        stale: list[int] = []
        callbacks = Callbacks(lambda at, _, seen=stale: seen.append(at.staleness), lambda seen=stale: len(seen) == 4)
        learner = train(args, callbacks, executor)
        assert stale == [0, 1, 2, 2]
        found.append([*learner.policy.parameters(), *learner.critic.parameters()])
    assert all((one == other).all() for one, other in zip(*found, strict=True))


def test_ray__rollout_workers_of_ppo_and_of_a_fit__do_what_processes_of_this_machine_do(tmp_path: Path, cluster: Any) -> None:
    from big2_agents.train.fit.fitting import Fit
    from big2_agents.train.fit.scoring import scorer_of
    from big2_agents.train.hyper_parameters import FitParameters, PpoParameters
    from big2_agents.train.loop import Callbacks
    from big2_agents.train.ppo import train

    policies, searches = [], []
    for number, executor in enumerate([Local(jobs=1), Ray(jobs=2)]):
        args = PpoParameters(
            games=4, steps=16, width=8, evaluation_deals=1, minutes=1e12, snapshot_every=1, tensorboard=False, staleness=1,
            out=tmp_path / f"ppo{number}",
        )  # fmt: skip
        done: list[int] = []
        callbacks = Callbacks(lambda at, _, seen=done: seen.append(at.iteration), lambda seen=done: len(seen) == 4)
        learner = train(args, callbacks, executor)
        policies.append(list(learner.model.policy.parameters()))
        fit = Fit(FitParameters(generations=2, population=4, deals=6, measured_deals=60, out=tmp_path / f"fit{number}"))
        with scorer_of(fit.local, executor) as fit.scorer, fit.opened() as write:
            fit.run(lambda _: None, lambda: False, write)
            searches.append((fit.evolution.mean.tolist(), fit.measure()))
    assert all((one == other).all() for one, other in zip(*policies, strict=True))
    assert searches[0] == searches[1]


HANGING = """
import time

class Bot:
    turns, hangs = 0, True

    def reset(self, seed): ...

    def act(self, view, legal):
        Bot.turns += 1
        if Bot.hangs and Bot.turns > 1500:  # some deals go well
            time.sleep(600)
        return next(iter(legal))
"""


def test_ray__an_agent_that_hangs_is_stopped_and_named__and_what_was_played_is_gone_on_with(
    tmp_path: Path, cluster: Any
) -> None:
    arena = ["arena", "hanging:Bot", "lowest", "--deals", "60", "--seed", "5", "--limit", "5", "--jobs", "2", "--out"]
    out, module = tmp_path / "a.jsonl", tmp_path / "hanging.py"

    def play(*more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "big2_env", *arena, *more]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)

    module.write_text(HANGING)  # an agent of one's own, in the current directory
    stopped = play(str(out), f"--ray={cluster.address}")
    assert (stopped.returncode, stopped.stdout) == (2, "")
    deal = (out.read_bytes().count(b"\n") - 1) // 2
    assert 0 < deal < 60
    where = rf"deal {deal}, seed {deal + 5}, seat \d, agent 'hanging:Bot'"
    message = rf"big2: {where}: expected a move within 5 s, got none; {deal} deals? (is|are) kept in {out}"
    assert re.fullmatch(message, stopped.stderr.splitlines()[-1]), stopped.stderr
    module.write_text(HANGING.replace("True", "False"))
    assert play(str(out), "--resume", f"--ray={cluster.address}").returncode == 0
    assert play(str(tmp_path / "whole.jsonl")).returncode == 0
    assert out.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def wait_for(path: Path, lines: int) -> None:
    until = time.monotonic() + 240
    while time.monotonic() < until:
        if path.exists() and path.read_bytes().count(b"\n") >= lines:
            return
        time.sleep(0.02)
    raise AssertionError(f"{path} never had {lines} lines")


def test_ray__an_address_without_a_cluster__is_refused_in_one_line(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "big2_env", "fishing", "simulate", "--games", "10", "--ray", "127.0.0.1:1"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith("big2: expected a Ray cluster at 127.0.0.1:1, found none: ")
    assert answer.stderr.count("\n") == 1


def test_ray__started_here__gives_its_workers_as_much_of_the_processor_as_processes_get() -> None:
    script = (
        "import work; from big2_env.runs.executors import Ray\nwith Ray(jobs=1).map(work.niceness, [0]) as found: print(*found)"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    answer = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, timeout=120)
    assert answer.stdout == f"{os.nice(0)}\n", answer.stderr
