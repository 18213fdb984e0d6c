"""The precision of the layers: decided by the processor, kept by the run, said once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from run_cli import run_cli

from big2_agents.train.candidate_ppo import Learner, train
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.loop import Callbacks
from big2_env.kernels.dialect import bits

SMALL: dict[str, Any] = {"games": 4, "width": 16, "evaluation_deals": 1, "warm_up": 0, "minutes": 1e6}


def run(out: Path, iterations: int = 2, **settings: Any) -> Learner:
    """Train for some iterations."""
    reports: list[int] = []
    args = CandidatePpoParameters(out=out, **(SMALL | settings))
    return train(args, Callbacks(lambda run, found: reports.append(run.iteration), lambda: len(reports) >= iterations))


@pytest.mark.parametrize("has", [False, True])
@pytest.mark.parametrize("budget", ["--choices 40", "--minutes 0.0001"])
def test_run__follows_the_instructions_of_the_processor(
    has: bool, budget: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    names = "avx512bf16" if has else "avx512f"
    monkeypatch.setattr(bits, "get_host_cpu_features", lambda: {names: True, "amx-bf16": False})
    words = f"train candidate-ppo --games 4 --width 16 --evaluation-deals 1 {budget} --lang en --out"
    line = "layers in bfloat16 instead of float32, as this processor has instructions for it; --no-bfloat16 overrides this"
    other = "layers in float32, as this processor lacks instructions for bfloat16 or a GPU learns; --bfloat16 overrides this"
    first = run_cli(*words.split(), str(tmp_path))
    assert first.err.splitlines()[0] == (line if has else other)
    assert json.loads((tmp_path / "args.json").read_text())["bfloat16"] is has
    assert not any("layers in" in shown for shown in run_cli(*words.split(), str(tmp_path)).err.splitlines())
    given = run_cli(*words.split(), str(tmp_path / "given"), "--no-bfloat16" if has else "--bfloat16")
    assert "layers in" not in given.err
    assert json.loads((tmp_path / "given" / "args.json").read_text())["bfloat16"] is not has


@pytest.mark.parametrize("kept", [False, True])
def test_resumed_run__keeps_what_it_began_with(kept: bool, tmp_path: Path) -> None:
    run(tmp_path, iterations=1, bfloat16=kept)
    assert run(tmp_path, iterations=1).args.bfloat16 is kept
    assert run(tmp_path, iterations=1, bfloat16=not kept).args.bfloat16 is not kept, "an option counts"
    assert json.loads((tmp_path / "args.json").read_text())["bfloat16"] is not kept
