"""The precision of the layers: timed without a trace, kept by the run, said once."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from run_cli import run_cli

from big2_agents.train import precision
from big2_agents.train.candidate_ppo import Learner, train
from big2_agents.train.hyper_parameters import CandidatePpoParameters
from big2_agents.train.precision import Timing, time_both
from big2_env.kernels.dialect import bits

SMALL: dict[str, Any] = {"games": 4, "width": 16, "evaluation_deals": 1, "warm_up": 0, "minutes": 1e6}
CPU = torch.device("cpu")


def run(out: Path, iterations: int = 2, *, timed: Callable[[Any], None] = lambda found: None, **settings: Any) -> Learner:
    """Train for some iterations."""
    reports: list[int] = []
    args = CandidatePpoParameters(out=out, **(SMALL | settings))
    return train(args, lambda run, found: reports.append(run.iteration), lambda: len(reports) >= iterations, timed=timed)


def state_of(learner: Learner) -> dict[str, Any]:
    """Everything that learns."""
    return copy.deepcopy({name: part.state_dict() for name, part in learner.parts.items()})


def same(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor):
        return torch.equal(one, other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(same(*pair) for pair in zip(one, other, strict=True))
    return bool(one == other)


def generators() -> tuple[Any, ...]:
    return torch.get_rng_state(), random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[index]


@pytest.fixture
def without_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Learning rates that do not depend on the minutes so far, and trials as short as they may be."""
    monkeypatch.setattr(Learner, "phase_progress", lambda self: 0.0)
    monkeypatch.setattr(precision, "TRIAL_SECONDS", 0.0)


@pytest.fixture
def no_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> Timing:
        raise AssertionError("timed")

    monkeypatch.setattr(Learner, "time_precisions", refuse)


def test_time_both__alternates_and_takes_minima_after_a_first_round(monkeypatch: pytest.MonkeyPatch) -> None:
    now, calls = 0.0, list[bool]()
    costs = {False: iter([90.0, 0.3, 0.2, 0.4]), True: iter([90.0, 0.1, 0.15, 0.12])}

    def work(bfloat16: bool) -> None:
        nonlocal now
        calls.append(bfloat16)
        now += next(costs[bfloat16])

    monkeypatch.setattr(precision.time, "thread_time", lambda: now)
    timing = time_both(work, CPU)
    assert calls == [False, True] * 4
    assert timing == pytest.approx((0.2, 0.1))
    assert timing.prefers_bfloat16
    assert not Timing(0.2, 0.2).prefers_bfloat16


def test_trial__leaves_weights_optimizer_and_generators_as_they_were(without_clock: None, tmp_path: Path) -> None:
    learner = run(tmp_path, bfloat16=False)
    before, random_state = state_of(learner), generators()
    timing = learner.time_precisions()
    assert min(timing) > 0
    assert same(before, state_of(learner))
    assert same(random_state, generators())


@pytest.mark.parametrize("is_faster", [False, True])
def test_run__that_chose_learns_what_one_with_that_option_learns(
    is_faster: bool, without_clock: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    measured, said = Learner.time_precisions, list[Timing]()

    def biased(self: Learner, **given: Any) -> Timing:
        timing = measured(self, **given)
        return Timing(*sorted(timing, reverse=is_faster))

    monkeypatch.setattr(Learner, "time_precisions", biased)
    chosen = run(tmp_path / "chosen", timed=said.append)
    given = run(tmp_path / "given", bfloat16=is_faster)
    assert [timing.prefers_bfloat16 for timing in said] == [is_faster]
    assert chosen.args.bfloat16 is is_faster
    assert json.loads((tmp_path / "chosen" / "args.json").read_text())["bfloat16"] is is_faster
    assert same(state_of(chosen), state_of(given))
    curves = [(tmp_path / name / "curve.csv").read_text().splitlines() for name in ("chosen", "given")]
    assert curves[0][1].split(",")[2:-1] == curves[1][1].split(",")[2:-1], "the first evaluation, without its seconds"


@pytest.mark.parametrize("has", [False, True])
def test_run__of_a_number_of_choices_follows_the_instructions_of_the_processor(
    has: bool, no_trial: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    names = "avx512bf16" if has else "avx512f"
    monkeypatch.setattr(bits, "get_host_cpu_features", lambda: {names: True, "amx-bf16": False})
    words = "train candidate-ppo --games 4 --width 16 --evaluation-deals 1 --choices 40 --lang en --out"
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
def test_resumed_run__keeps_what_it_began_with(kept: bool, without_clock: None, no_trial: None, tmp_path: Path) -> None:
    run(tmp_path, iterations=1, bfloat16=kept)
    assert run(tmp_path, iterations=1).args.bfloat16 is kept
    assert run(tmp_path, iterations=1, bfloat16=not kept).args.bfloat16 is not kept, "an option counts"
    assert json.loads((tmp_path / "args.json").read_text())["bfloat16"] is not kept


def test_log__has_one_line_about_it(without_clock: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(Learner, "time_precisions", lambda self, **_: Timing(1.0, 8.7))
    words = "train candidate-ppo --games 4 --width 16 --evaluation-deals 1 --minutes 0.0001 --lang en --out"
    line = "layers in float32, 8.7 times as fast as bfloat16 here; --bfloat16 or --no-bfloat16 overrides this"
    first = run_cli(*words.split(), str(tmp_path))
    again = run_cli(*words.split(), str(tmp_path))
    assert (first.status, first.err.count(line)) == (0, 1)
    assert (again.status, again.err.count("layers in")) == (0, 0)
