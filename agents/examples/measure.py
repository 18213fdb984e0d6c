"""Speed of the example scripts in decisions per processor second: `python agents/examples/measure.py [SCRIPT...]`.

Each script runs twice, for few and for many decisions. The rate is the difference in decisions divided by the difference in
processor seconds, so start-up, evaluation and other processes do not count. Scripts without their library are skipped.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
RUNS = {
    "cleanrl_ppo": ("torch", [], ["--updates", "1"], ["--updates", "6"]),
    "sb3_callbacks": (
        "sb3_contrib",
        ["--out", "FOLDER", "--every", "10000000"],
        ["--decisions", "2048"],
        ["--decisions", "20480"],
    ),
    "reinforce": ("torch", [], ["--minutes", "0.02"], ["--minutes", "0.5"]),
    "rllib_self_play": ("ray.rllib", ["--minutes", "0"], ["--batch", "500"], ["--batch", "2500"]),
    "torchrl_ppo": ("torchrl", ["--minutes", "0"], ["--batch", "512"], ["--batch", "2560"]),
    "tianshou_dqn": ("tianshou", [], ["--decisions", "512"], ["--decisions", "2560"]),
    "agilerl_ppo": ("agilerl", ["--minutes", "0"], ["--batch", "1024"], ["--batch", "40960"]),
}
"""Library, common arguments, arguments of the short run and arguments of the long run, by script."""


def run(script: str, arguments: list[str]) -> tuple[int, float]:
    """Return the decisions of a run and the processor seconds of its processes."""
    with tempfile.TemporaryDirectory() as folder:
        words = [word.replace("FOLDER", folder) for word in arguments]
        before = os.times()
        done = subprocess.run(
            [sys.executable, str(HERE / f"{script}.py"), "--evaluation-games", "4", *words],
            capture_output=True,
            text=True,
            check=False,
        )
        after = os.times()
    if done.returncode:
        sys.exit(f"{script}: {done.stderr[-2000:]}")
    decisions = re.findall(r"([\d,]+) decisions", done.stdout)
    spent = after.children_user + after.children_system - before.children_user - before.children_system
    return int(decisions[-1].replace(",", "")), spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "scripts", nargs="*", default=list(RUNS), metavar="SCRIPT", help="names such as cleanrl_ppo; all by default"
    )
    for script in parser.parse_args().scripts:
        library, both, short, long = RUNS[script]
        if subprocess.run([sys.executable, "-c", f"import {library}"], capture_output=True, check=False).returncode:
            print(f"skipped {script}: {library} is not installed")
            continue
        start = time.perf_counter()
        (few, less), (many, more) = run(script, both + short), run(script, both + long)
        rate, seconds = (many - few) / (more - less), time.perf_counter() - start
        run_text = f"{many - few:,} decisions, {seconds:.0f} s"
        print(f"{script}: {rate:,.0f} decisions per processor second ({run_text})", flush=True)


if __name__ == "__main__":
    main()
