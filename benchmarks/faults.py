"""Check that long runs survive random kills: nothing lost, doubled or left behind.

    python benchmarks/faults.py --kills 30
    python benchmarks/faults.py --kills 30 --ray

Commands that keep a file are started, killed at a random time, and resumed with `--resume`, on this machine and, with
`--ray`, on a Ray cluster of two machines. The kill hits the command itself, one of its workers, or a machine of the
cluster. At the end each file must equal the file of an undisturbed run, byte for byte.

The last lines count, for each command, the kills, lines lost and doubled, other differences, tracebacks, and processes that
outlived their command by 20 seconds. The exit status is 1 if a count other than the kills is not zero.

Needs `/proc`, and the extra `ray` for `--ray`. Takes about ten seconds per kill.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

COMMANDS = {
    "arena": "arena greedy heuristic --deals {size} --out {folder}/out.jsonl",
    "bench": "bench greedy --ruleset hong_kong --deals {size} --out {folder}",
    "klondike survey": "klondike survey --deals {size}0 --out {folder}/out.jsonl",
    "fishing simulate": "fishing simulate --games {size}0000 --out {folder}/out.jsonl",
    "uno simulate": "uno simulate --games {size}000 --out {folder}/out.jsonl",
    "uno strength": "uno strength --against random --players 3 --games {size}00 --out {folder}/out.jsonl",
    "export": "export greedy --games {size} --piece 5 --out {folder}",
}


@dataclass
class Count:
    """Outcome of the kills of one command."""

    kills: Counter[str] = field(default_factory=Counter)
    lost: int = 0
    """Lines of the undisturbed file that are missing."""
    doubled: int = 0
    """Lines that are there too often."""
    other: int = 0
    """Files that differ otherwise, and runs that ended with an error."""
    tracebacks: int = 0
    left: int = 0
    """Processes that outlived their command by 20 seconds."""


def arguments(name: str, folder: Path, size: int) -> list[str]:
    """Return a command line with its files in a folder."""
    return [
        sys.executable,
        "-m",
        "big2_env",
        *(word.format(folder=folder, size=size) for word in COMMANDS[name].split()),
        "--resume",
    ]


def parents() -> dict[int, int]:
    """Return the parent of each process."""
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            found[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:  # it has ended meanwhile
            continue
    return found


def descendants(pid: int, title: str = "") -> list[int]:
    """Return the descendants of a process whose command line contains a text."""
    by_parent: dict[int, list[int]] = {}
    for child, parent in parents().items():
        by_parent.setdefault(parent, []).append(child)
    found, rest = [], [pid]
    while rest:
        children = by_parent.get(rest.pop(), [])
        rest += children
        found += children
    return [one for one in found if title in command_of(one)]


def command_of(pid: int) -> str:
    """Return the command line of a process, "" if it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def kill(pid: int) -> bool:
    """Kill a descendant of this process; return False if it has ended already."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


@contextmanager
def cluster_of_two() -> Iterator[Any]:
    """Start a Ray cluster on this machine: a head with two cores, and a machine with two cores that may be killed."""
    from ray.cluster_utils import Cluster

    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_raylet_start_wait_time_s": "120"}
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "object_store_memory": 80_000_000})
    cluster.add_node(num_cpus=2, object_store_memory=80_000_000)
    yield cluster
    cluster.shutdown()


def disturb(name: str, folder: Path, size: int, rng: random.Random, cluster: Any, count: Count) -> bool:
    """Run a command, killing workers and machines until it is killed itself; return False if it finished before."""
    on_ray = cluster is not None and rng.random() < 0.5
    where = [f"--ray={cluster.address}"] if on_ray else ["--jobs", str(rng.choice((1, 2, 3)))]
    label, workers = " on Ray" * on_ray, set[int]()
    with (folder.parent / "stderr").open("w+b") as errors:
        process = subprocess.Popen(
            [*arguments(name, folder, size), *where], stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True
        )
        before = size_of(folder)
        until = time.monotonic() + rng.choice((rng.uniform(0, 10), 120, 120))  # some kills while it starts
        while process.poll() is None and time.monotonic() < until and size_of(folder) == before:
            time.sleep(0.02)
        while True:
            time.sleep(rng.uniform(0, 3))
            if process.poll() is not None:
                break
            now = descendants(os.getpid(), "ray::RayTask") if on_ray else descendants(process.pid, "spawn_main")
            workers.update(now)
            what = rng.choice(("driver", "worker", "worker", "machine"))
            if what == "driver" or not (now or on_ray):
                count.kills[f"driver{label}"] += kill(process.pid)
                break
            if what == "machine" and on_ray:
                cluster.remove_node(next(iter(cluster.worker_nodes)), allow_graceful=False)
                cluster.add_node(num_cpus=2, object_store_memory=80_000_000)
                count.kills["machine"] += 1
            elif now:
                count.kills[f"worker{label}"] += kill(rng.choice(now))
        done = process.wait() == 0
        end = time.monotonic() + 20
        while (left := [pid for pid in workers if command_of(pid)]) and time.monotonic() < end:
            time.sleep(0.1)
        count.left += len(left)
        errors.seek(0)
        said = errors.read()
        count.tracebacks += said.count(b"Traceback")
        if not done and process.returncode != -signal.SIGKILL:
            count.other += 1
            print(said.decode(), flush=True)
    return not done


def undisturbed(name: str, folder: Path, size: int) -> None:
    """Run a command to its end without kills."""
    print(f"{name}: an undisturbed run", flush=True)
    subprocess.run([*arguments(name, folder, size), "--jobs", "2"], check=True, stdout=subprocess.DEVNULL)


def size_of(folder: Path) -> int:
    """Return the bytes of the files of a folder."""
    return sum(path.stat().st_size for path in folder.glob("*.jsonl"))


def compare(folder: Path, whole: Path, count: Count) -> None:
    """Count the lines that the file of killed runs lacks or has too often."""
    (ours,), (theirs,) = folder.glob("*.jsonl"), whole.glob("*.jsonl")
    one, other = ours.read_bytes(), theirs.read_bytes()
    have, should = Counter(one.splitlines()), Counter(other.splitlines())
    count.lost += (should - have).total()
    count.doubled += (have - should).total()
    count.other += one != other and have == should


def main(
    kills: Annotated[int, typer.Option(min=1, help="Number of kills.")] = 30,
    size: Annotated[int, typer.Option(min=20, max=2000, help="Deals of arena and bench; other commands do as much.")] = 300,
    ray: Annotated[bool, typer.Option("--ray", help="Half of the runs on a Ray cluster.")] = False,
    seed: Annotated[int, typer.Option(help="Seed of the kills.")] = 0,
    only: Annotated[list[str] | None, typer.Option(help=f"Command, repeatable: {', '.join(COMMANDS)}.")] = None,
) -> None:
    """Kill runs at random and compare their files with files of undisturbed runs."""
    rng, counts = random.Random(seed), {name: Count() for name in only or COMMANDS}
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        for name in counts:
            for part in ("whole", "killed"):
                (work / name / part).mkdir(parents=True)
            undisturbed(name, work / name / "whole", size)
        try:
            with cluster_of_two() if ray else nullcontext() as cluster:
                while (number := sum(count.kills.total() for count in counts.values())) < kills:
                    name = rng.choice(list(counts))
                    folder = work / name / "killed"
                    print(f"{number} kills; {name}", flush=True)
                    if not disturb(name, folder, size, rng, cluster, counts[name]):
                        compare(folder, work / name / "whole", counts[name])
                        for path in folder.iterdir():
                            path.unlink()
        except KeyboardInterrupt:
            print("stopped; killed runs are resumed and compared", flush=True)
        for name, count in counts.items():
            undisturbed(name, work / name / "killed", size)
            compare(work / name / "killed", work / name / "whole", count)
    for name, count in counts.items():
        killed = ", ".join(f"{number} {what}" for what, number in sorted(count.kills.items())) or "none"
        print(
            f"{name}: killed {killed}; lines lost {count.lost}, doubled {count.doubled}, other differences "
            f"{count.other}; tracebacks {count.tracebacks}, processes left {count.left}"
        )
    bad = sum(count.lost + count.doubled + count.other + count.tracebacks + count.left for count in counts.values())
    raise typer.Exit(min(bad, 1))


if __name__ == "__main__":
    typer.run(main)
