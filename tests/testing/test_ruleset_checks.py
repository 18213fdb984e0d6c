"""`check_ruleset` passes what works, and names the part that does not, with its reason."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from house_rules import HOUSE_RULES
from outside_patterns import OUTSIDE

from big2_agents.rule_based.heuristic import HeuristicAgent
from big2_env import BIG2, RuleSet, Settlement, available_rulesets, ruleset
from big2_env.climbing.table import PlayTable
from big2_env.envs import aec
from big2_env.envs.rows_env import RowsEnv
from big2_env.envs.seat import SeatEnv
from big2_env.kernels.engine import BatchEngine
from big2_env.notation import records, spec_input
from big2_env.testing.ruleset_checks import AGENTS, CHECKS, check_ruleset

PARTS = [*CHECKS, *AGENTS]


def failed(rules: RuleSet) -> dict[str, str]:
    return {result.part: result.reason for result in check_ruleset(rules) if result.reason}


WORKING = [OUTSIDE, ruleset("taiwan"), ruleset("mini6"), ruleset("invented:7")]


@pytest.mark.parametrize("rules", WORKING, ids=lambda rules: rules.name)
def test_check__of_rules_that_work_passes_in_every_part(rules: RuleSet) -> None:
    results = list(check_ruleset(rules))
    assert [result.part for result in results] == PARTS
    assert [result.reason for result in results] == [""] * len(PARTS)


@pytest.mark.long
@pytest.mark.parametrize("name", available_rulesets())
def test_check__of_a_shipped_ruleset_passes(name: str) -> None:
    assert failed(ruleset(name)) == {}


@pytest.mark.parametrize("rules", HOUSE_RULES, ids=lambda rules: rules.name)
def test_check__of_text_and_records_passes_for_every_parameter(rules: RuleSet) -> None:
    for part in ("rules", "text_format", "record"):
        CHECKS[part](rules)


@dataclass(frozen=True)
class Pot(Settlement):
    """The winner gets what all others pay."""

    pot: float = 3.0

    def payoffs(self, standing: Any) -> tuple[float, ...]:
        seats = range(len(standing.hands))
        return tuple(self.pot if seat == standing.finished[0] else -3.0 / (len(seats) - 1) for seat in seats)


def test_check__gives_the_reason_of_each_part_that_refuses() -> None:
    reasons = failed(BIG2.with_scoring(Pot()))
    assert list(reasons) == ["compiled"]
    assert reasons["compiled"] == "big2 cannot be compiled: it has the settlement Pot(pot=3.0)"


def test_check__stops_if_the_rules_fail() -> None:
    for rules, says in (
        (BIG2.with_scoring(Pot(4.0)), "do not sum to zero"),
        (BIG2.without_patterns("single"), "big2: expected a pattern that plays any card alone"),
    ):
        [result] = check_ruleset(rules)
        assert result.part == "rules"
        assert says in result.reason


def turned_pass(function: Any) -> Any:
    """The function, with the pass legal in its masks exactly where it is not."""

    def turned(*args: Any) -> Any:
        found = function(*args)
        masks = [found] if isinstance(found, np.ndarray) else [found[key] for key in found if key.startswith("action_")]
        for mask in masks:
            mask[..., 0] = 1 - mask[..., 0]
        return found

    return turned


def without_a_line(function: Any) -> Any:
    return lambda transcript: function(transcript).rstrip("\n").rpartition("\n")[0]


def broken(function: Any) -> Any:
    def breaks(*args: Any, **options: Any) -> Any:
        raise RuntimeError("of\n this test")

    return breaks


@pytest.mark.parametrize(
    ("part", "owner", "name", "fault", "says"),
    [
        ("rules", PlayTable, "plays", broken, "RuntimeError: of this test"),
        ("text_format", spec_input, "dumps", without_a_line, "a game is read differently from its text: "),
        ("record", records, "dumps", broken, "RuntimeError: of this test"),
        ("aec", aec, "env", broken, "RuntimeError: of this test"),
        ("seat", SeatEnv, "action_masks", turned_pass, "masked in but not legal"),
        ("make_vec", RowsEnv, "_mask_info", turned_pass, "mode='self_play', masks='dense', row 0, step 0: expected actions "),
        ("compiled", BatchEngine, "are_legal", broken, "RuntimeError: of this test"),
        ("heuristic", HeuristicAgent, "act", broken, "at seat 0 fails: RuntimeError: of this test"),
    ],
)
def test_check__finds_a_fault(part: str, owner: Any, name: str, fault: Any, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owner, name, fault(getattr(owner, name)))
    assert says in next(result.reason for result in check_ruleset(BIG2) if result.part == part)


def test_check__runs_each_part_in_the_context_for_progress() -> None:
    entered: list[str] = []

    @contextmanager
    def during(part: str) -> Iterator[None]:
        entered.append(part)
        yield

    for number, result in enumerate(check_ruleset(OUTSIDE, during=during), start=1):
        assert (len(entered), entered[-1]) == (number, result.part)
    assert entered == PARTS
