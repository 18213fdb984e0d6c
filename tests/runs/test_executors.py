"""Work goes through executors: in order, whoever does it, whatever happens to the workers."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from functools import partial
from itertools import count, islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import work
from run_cli import run_cli

from big2_env.base.errors import ConfigError
from big2_env.cli._options import executor_of, with_ray_address
from big2_env.runs.batches import (
    MAX_LOSSES,
    WINDOW,
    BatchResult,
    Done,
    Event,
    Lost,
    Ready,
    Task,
    Worker,
    check_version,
    in_order,
    installed_version,
    portable,
)
from big2_env.runs.executors import Executor, Local, Ray, by_threads, num_cores

TWO = Local(2)


class FakeWorkers:
    """Workers that answer one at a time, the last one asked first; they say that items take `each` seconds."""

    batch_seconds = 1.0

    def __init__(self, number: int, each: float = 0.01, deadly: int = -1) -> None:
        self.number, self.each, self.deadly = number, each, deadly
        self.events: deque[Event] = deque()
        self.sizes: list[int] = []
        self.started = 0

    def capacity(self) -> int:
        return self.number

    def start(self, worker: int) -> None:
        self.started += 1
        self.events.append(Ready(worker))

    def send(self, worker: int, first: int, items: Sequence[Any]) -> None:
        self.sizes.append(len(items))
        if any(isinstance(event, Lost) and event.worker == worker for event in self.events):
            return
        if self.deadly in items:
            self.events.append(Lost(worker, "gone"))
            return
        done = Done(worker, first, BatchResult([-item for item in items], self.each * len(items)))
        after = [event for event in self.events if event.worker == worker]  # type: ignore[union-attr]
        self.events.insert(self.events.index(after[-1]) + 1 if after else 0, done)

    def wait(self, seconds: float) -> list[Event]:
        return [self.events.popleft()] if self.events else []

    def stop(self, worker: int) -> None:
        raise AssertionError(f"worker {worker} does not hang")


@pytest.mark.parametrize("number", [1, 2, 5])
def test_batches__grow_until_they_take_as_long_as_they_should(number: int) -> None:
    workers = FakeWorkers(number)
    assert list(in_order(workers, range(3000))) == [-item for item in range(3000)]
    assert workers.started == number
    assert workers.sizes[0] == 1
    assert max(workers.sizes) == 100  # batches of a second, items of 10 ms


def test_batches__items_are_taken_as_they_are_needed() -> None:
    taken, workers = count(), FakeWorkers(2, each=10.0)
    results = in_order(workers, taken)
    assert list(islice(results, 50)) == [-item for item in range(50)]
    assert next(taken) <= 50 + 2 * (WINDOW + 2)


def test_batches__no_more_workers_are_started_than_there_is_work() -> None:
    workers = FakeWorkers(8)
    assert list(in_order(workers, range(3))) == [0, -1, -2]
    assert workers.started == 3
    assert list(in_order(FakeWorkers(8), [])) == []


def test_batches__an_item_that_ends_its_workers_is_found_and_named() -> None:
    workers = FakeWorkers(2, deadly=777)
    results, done = in_order(workers, range(3000)), []
    with pytest.raises(ConfigError, match=rf"^expected a result of 777, got the end of {MAX_LOSSES} workers \(gone\)$"):
        done.extend(results)
    assert done == [-item for item in range(len(done))]
    assert len(done) <= 777


def test_local__keeps_the_order_and_starts_each_process_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(work, "_begun", [])
    for executor in (Local(1), TWO):
        with executor.map(Task(work.how_begun, work.begin, ("once",)), range(40)) as results:
            assert list(results) == [(["once"], True)] * 40
    with TWO.map(os.getenv, ["OMP_NUM_THREADS"] * 2) as values:
        assert list(values) == ["1", "1"]
    assert "OMP_NUM_THREADS" not in os.environ


def test_local__work_that_releases_the_gil__is_done_by_threads_of_this_process() -> None:
    seen = []
    with Local(3).map(seen.append, range(9), releases_gil=True) as results:
        assert list(results) == [None] * 9
    assert sorted(seen) == list(range(9))


def test_local__processes_that_are_killed__are_replaced_and_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    with TWO.map(partial(work.kill_once, tmp_path), range(25)) as results:
        assert list(results) == [-item for item in range(25)]
    assert sorted(int(mark.name) for mark in tmp_path.iterdir()) == [0, 10, 20]


def test_local__an_item_that_kills_every_process__ends_the_run() -> None:
    with (
        TWO.map(partial(work.kill_at, 3), range(9)) as results,
        pytest.raises(ConfigError, match=r"^expected a result of 3, got the end of 3 workers \(exit status -9\)$"),
    ):
        list(results)


def test_local__an_item_over_the_limit__is_named_after_the_results_before_it() -> None:
    done = []
    with (
        Local(1, limit=0.5).map(partial(work.hang_at, 5), range(9)) as results,
        pytest.raises(ConfigError, match=r"^expected a result of 5 within 0\.5 s, got none$"),
    ):
        done.extend(results)
    assert done == [0, -1, -2, -3, -4]


@pytest.mark.parametrize("executor", [Local(1), TWO])
def test_local__an_error__comes_after_the_results_before_it(executor: Executor) -> None:
    done = []
    with executor.map(partial(work.fail_at, 5), range(9)) as results, pytest.raises(ValueError, match=r"^item 5$") as caught:
        done.extend(results)
    assert done == [0, -1, -2, -3, -4]
    assert executor == Local(1) or "fail_at" in str(caught.value.__cause__)


def test_local__what_cannot_begin_or_be_sent__is_an_error() -> None:
    with (
        TWO.map(Task(work.negative, work.refuse, ("no",)), range(9)) as results,
        pytest.raises(ValueError, match=r"^no$"),
    ):
        list(results)
    says = r"Can't (pickle|get) local object 'unsendable"
    with TWO.map(work.unsendable, range(9)) as values, pytest.raises(Exception, match=says):
        list(values)


def test_batches__items_may_follow_from_results_and_go_one_by_one() -> None:
    workers, known = FakeWorkers(2), deque([0, 1, 2])
    results = in_order(workers, iter(Refilled(known)), largest=1)
    for item in range(40):
        assert next(results) == -item
        known.append(item + 3)
    assert set(workers.sizes) == {1}


class Refilled:
    """An iterator that ends while a queue is empty."""

    def __init__(self, queue: deque[int]) -> None:
        self.queue = queue

    def __iter__(self) -> Refilled:
        return self

    def __next__(self) -> int:
        if not self.queue:
            raise StopIteration
        return self.queue.popleft()


def test_local__a_worker_does_not_wait_for_a_parent_that_is_busy(tmp_path: Path) -> None:
    with Local(1).workers(Task(partial(work.large, tmp_path))) as workers:
        workers.start(0)
        for item in range(2):
            workers.send(0, item, [item])
        until = time.monotonic() + 60
        while not (tmp_path / "1").exists() and time.monotonic() < until:
            time.sleep(0.02)  # nothing is read from it
        assert (tmp_path / "1").exists()
        shared = workers.share([1, 2])
        assert shared.get() == [1, 2]
        assert shared.get() is not shared.get()


def test_worker__keeps_what_came_before_an_error() -> None:
    outcome = Worker(Task(partial(work.fail_at, 2))).do(range(5))
    assert (outcome.results, type(outcome.error)) == ([0, -1], ValueError)
    assert "item 2" in outcome.traceback


def test_portable__an_error_that_cannot_be_sent__is_told_in_words() -> None:
    error = ConfigError("x")
    assert portable(error) is error
    error.add_note("y")
    error.where = lambda: 0  # type: ignore[attr-defined]
    assert repr(pickle.loads(pickle.dumps(portable(error)))) == "RuntimeError('ConfigError: x')"


def test_check_version__refuses_machines_with_another_one() -> None:
    check_version(installed_version(), "this machine")
    with pytest.raises(ConfigError, match=f"^expected big2_env {installed_version()} on every machine, got 0.0.1 on node 7$"):
        check_version("0.0.1", "node 7")


def test_executors__refuse_what_they_cannot_be() -> None:
    for kind in (Local, Ray):
        with pytest.raises(ConfigError, match=r"^expected 0 or more jobs, got -1$"):
            kind(jobs=-1)
        with pytest.raises(ConfigError, match=r"^expected a limit of more than 0 seconds, got 0$"):
            kind(limit=0)


@pytest.mark.parametrize(
    ("args", "becomes"),
    [
        ("arena a b --ray", "arena a b --ray=local"),
        ("arena --ray a b", "arena --ray=local a b"),
        ("arena --ray auto b", "arena --ray=auto b"),
        ("x --ray 10.0.0.7:6379 --jobs 2", "x --ray=10.0.0.7:6379 --jobs 2"),
        ("x --ray ray://head:10001 y", "x --ray=ray://head:10001 y"),
        ("arena --ray search:50 b", "arena --ray=local search:50 b"),
        ("arena --ray my.agents:Best b", "arena --ray=local my.agents:Best b"),
        ("x --ray=head:6379 y", "x --ray=head:6379 y"),
        ("x --ray --ray", "x --ray=local --ray=local"),
    ],
)
def test_ray_option__its_address_may_be_left_out(args: str, becomes: str) -> None:
    assert with_ray_address(args.split()) == becomes.split()


def test_executor_of__is_this_machine_unless_ray_is_asked_for() -> None:
    assert executor_of(None, 3) == Local(3)
    assert executor_of("local", 3) == Ray(None, 3)
    assert executor_of("auto", 0) == Ray("auto")


@pytest.mark.parametrize(
    "command",
    [
        *("arena lowest random", "bench lowest", "fishing simulate", "klondike survey", "uno simulate", "uno strength"),
        "train candidate-ppo",
    ],
)
def test_ray_option__a_missing_extra_is_named_before_anything_is_done(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert run_cli(*command.split(), "--ray") == (2, "", "big2: Ray is needed for this: pip install 'big2_env[ray]'\n")
    assert list(tmp_path.iterdir()) == []


def test_by_threads__takes_items_as_they_are_needed_and_stops_with_the_first_error() -> None:
    taken = count(1)
    results = by_threads(lambda number: 10 // (7 - number), taken, threads=3)
    assert [next(results) for _ in range(6)] == [10 // (7 - number) for number in range(1, 7)]
    assert next(taken) <= 7 + 6
    with pytest.raises(ZeroDivisionError):
        next(results)
    assert list(by_threads(abs, [])) == []


def test_num_cores__are_those_that_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 8}, raising=False)
    assert num_cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert num_cores() == 1


PARENT = """
import signal
import work
from big2_env.runs.executors import Local
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # which whoever runs the tests in the background ignores
    print("begun", flush=True)
    with Local(3).map(work.slow, range(10**6)) as results:
        for result in results:
            print(result, flush=True)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("after", [0.0, 0.25, 2.0])
def test_local__when_the_parent_ends__its_workers_go_without_a_word(tmp_path: Path, how: signal.Signals, after: float) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with (tmp_path / "errors").open("wb") as errors:
        parent = subprocess.Popen(
            [sys.executable, str(script)], stdout=subprocess.PIPE, stderr=errors, env=environment, start_new_session=True
        )
    assert parent.stdout is not None
    with parent.stdout:
        assert parent.stdout.readline() == b"begun\n"  # Ctrl-C before that may be ignored
        if after > 1:
            parent.stdout.readline()
        else:
            time.sleep(after)  # while it starts its workers
        if how is signal.SIGINT:
            os.killpg(parent.pid, how)  # as Ctrl-C reaches all processes of a terminal
        else:
            os.kill(parent.pid, how)
        parent.wait()
        parent.stdout.read()  # ends when the last process that could write to it is gone
    said = (tmp_path / "errors").read_text()
    unborn = said.count("EOFError: Ran out of input")  # Python's word for a parent that ended while it started a child
    assert said.count("Traceback") - unborn == (how is signal.SIGINT), said  # Ctrl-C is the parent's own, and only its


MASKED = """
import signal
import time
from big2_env.runs.executors import Local
def blocked(_):
    time.sleep(0.01)  # so that both workers do some
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, [])
if __name__ == "__main__":
    with Local(2).map(blocked, range(64)) as results:
        print(*results)
"""


def test_local__workers_never_hear_ctrl_c__the_first_one_no_more_than_others(tmp_path: Path) -> None:
    script = tmp_path / "masked.py"
    script.write_text(MASKED)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    said = subprocess.run([sys.executable, str(script)], env=environment, capture_output=True, text=True, check=True)
    assert "False" not in said.stdout
    assert "True" in said.stdout


def test_ray__that_does_not_start__is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def init(**_: object) -> None:
        raise Exception("The current node timed out during startup.\nThis could happen because")

    ended: list[bool] = []
    fake = SimpleNamespace(is_initialized=lambda: False, init=init, shutdown=lambda: ended.append(True))
    monkeypatch.setitem(sys.modules, "ray", fake)
    with pytest.raises(
        ConfigError, match=r"^expected a Ray that starts on this machine, got none: The current node timed out "
    ):
        Ray().map(abs, [1]).__enter__()
    assert ended == [True]
