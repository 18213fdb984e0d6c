from __future__ import annotations

import json
from pathlib import Path

import behavior
import pytest
import typer

from big2_agents.rule_based.simple import GreedyAgent, LowestAgent

NAME = "pao_de_kuai"


def test_behavior__is_that_of_the_committed_file(capsys: pytest.CaptureFixture[str]) -> None:
    behavior.command([NAME])
    kept = behavior.read(behavior.FILE)
    assert list(kept) == list(behavior.own_rulesets())
    out = capsys.readouterr().out
    for probe in behavior.PROBES:
        assert probe.agent in out
        if probe.is_exact:
            assert f" {kept[NAME][probe.agent]} │" in out


def test_behavior__of_another_kind_fails_until_the_file_is_rewritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, kept = tmp_path / "behavior.json", behavior.read(behavior.FILE)
    file.write_bytes(behavior.FILE.read_bytes())
    monkeypatch.setattr(behavior, "PROBES", [probe for probe in behavior.PROBES if probe.agent in ("lowest", "greedy")])
    monkeypatch.setattr(GreedyAgent, "act", LowestAgent.act)
    with pytest.raises(typer.Exit) as caught:
        behavior.command([NAME], file=file)
    out = capsys.readouterr().out
    assert caught.value.exit_code == 1
    assert out.endswith(
        f"expected the choices of behavior.json, got others of greedy in {NAME}; if the change is intended, run "
        "PYTHONPATH=tests/support python -m behavior --write\n"
    )
    first = kept[NAME]["lowest"]
    assert f" {first} │" in out
    assert " ! │" in out
    behavior.command([NAME], write=True, file=file)
    assert " ! │" not in capsys.readouterr().out
    found = json.loads(file.read_text(encoding="utf-8"))
    assert {name: found[name] for name in found if name != NAME} == {name: kept[name] for name in kept if name != NAME}
    assert found[NAME] == kept[NAME] | {"greedy": found[NAME]["greedy"]}
    assert found[NAME]["greedy"] != kept[NAME]["greedy"]
    behavior.command([NAME], file=file)
