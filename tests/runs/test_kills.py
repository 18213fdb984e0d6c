"""Commands that keep files, killed at random moments and continued: the files of an undisturbed run, and nothing else."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

KILLS = int(os.environ.get("BIG2_KILLS", "2"))
"""Kills of each command."""
COMMANDS = {
    "train weights": "train weights --ruleset big2 --generations 12 --population 4 --deals 6 --measured-deals 60 --minutes 99 "
    "--out {out}",
    "train candidate-ppo": "train candidate-ppo --choices 1200 --games 16 --width 16 --evaluate-every 0.01 "
    "--evaluation-deals 4 --no-bfloat16 --no-tensorboard --out {out}",
    "bench": "bench lowest --ruleset big2 --deals 40 --jobs 2 --out {out} --resume",
    "export": "export random greedy lowest random --games 400 --piece 20 --jobs 2 --out {out} --resume",
    "puzzles make": "puzzles make --ruleset tien_len --count 3 --out {out}/puzzles.jsonl --resume",
}
TIMED = re.compile("minute|seconds|per_second|date|load$|origin|out$|^agent$|^curve$")
"""Names of values that differ from run to run."""


def started(name: str, out: Path) -> subprocess.Popen[bytes]:
    words = [word.format(out=out) for word in COMMANDS[name].split()]
    out.mkdir(exist_ok=True)
    return subprocess.Popen(
        [sys.executable, "-m", "big2_env", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )


def finished(process: subprocess.Popen[bytes]) -> None:
    """Wait for a run that nothing disturbs any more."""
    said, _ = process.communicate(timeout=600)
    assert process.returncode == 0, said.decode()


def untimed(data: Any) -> Any:
    """Return JSON values without times."""
    if isinstance(data, dict):
        return {key: untimed(value) for key, value in data.items() if not TIMED.search(key)}
    return [untimed(value) for value in data] if isinstance(data, list) else data


def content(path: Path) -> Any:
    """Return what a file contains, as far as it is the same in each run."""
    match path.suffix:
        case ".npz":
            with np.load(path) as arrays:
                return {name: arrays[name].tobytes() for name in arrays.files}
        case ".json":
            return untimed(json.loads(path.read_text()))
        case ".jsonl":
            return [untimed(json.loads(line)) for line in path.read_text().splitlines()]
        case ".csv":
            names, *rows = [line.split(",") for line in path.read_text().splitlines()]
            if path.stem == "curve":  # evaluated by the clock, but for the first and the last time
                rows = [rows[0], rows[-1]]
            return [[cell for name, cell in zip(names, row, strict=True) if not TIMED.search(name)] for row in [names, *rows]]
    return None  # a picture or a page with times, or a checkpoint


def contents(out: Path) -> dict[str, Any]:
    return {path.relative_to(out).as_posix(): content(path) for path in sorted(out.rglob("*")) if path.is_file()}


def killed(name: str, folder: Path, kills: int, seed: int) -> None:
    """Kill a command that often, and compare each finished run."""
    rng, whole = random.Random(seed), folder / "whole"
    begun = time.monotonic()
    finished(started(name, whole))
    duration, wanted = time.monotonic() - begun, contents(whole)
    number = run = 0
    while number < kills:
        process = started(name, out := folder / f"run{run}")
        try:
            said, _ = process.communicate(timeout=rng.uniform(0.1, duration))
            assert process.returncode == 0, said.decode()
            assert contents(out) == wanted
            run += 1
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said, _ = process.communicate()
            number += 1
        assert b"Traceback" not in said, said.decode()
    finished(started(name, folder / f"run{run}"))
    assert contents(folder / f"run{run}") == wanted


@pytest.mark.long
@pytest.mark.parametrize("name", COMMANDS)
def test_kills__change_no_file_and_leave_none(name: str, tmp_path: Path) -> None:
    killed(name, tmp_path, KILLS, 0)
