"""Rulesets from a file or a module work wherever a ruleset is named; what they save is read again."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import gymnasium
import pytest
from places import ROOT, write_modules
from run_cli import run_cli

from big2_agents.evaluation.arena.results import load
from big2_agents.train.run_folder import IDENTITY, read_args
from big2_env import BIG2, PassLock, ruleset
from big2_env.base.language import Language, words
from big2_env.climbing.saved_rules import SavedRules, identity
from big2_env.envs.aec import raw_env
from big2_env.envs.vector import BatchEnv
from big2_env.notation import records

STRICT = replace(BIG2.with_patterns("flush"), name="strict", pass_lock=PassLock.TRICK)
MODULE = """
from dataclasses import dataclass
from big2_env import BIG2
from big2_env.climbing.settlement import Settlement

@dataclass(frozen=True)
class Pot(Settlement):
    def payoffs(self, standing):
        seats = range(len(standing.hands))
        return tuple(5.0 if seat == standing.finished[0] else -5.0 / (len(seats) - 1) for seat in seats)

POT = BIG2.with_scoring(Pot())
"""


@pytest.fixture
def strict(tmp_path: Path) -> str:
    path = tmp_path / "strict.toml"
    path.write_text('preset = "big2"\npass_lock = "trick"\npatterns = ["single", "pair", "straight", "full_house", "flush"]\n')
    return str(path)


@pytest.fixture
def pot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "pot_rules.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    return "pot_rules:POT"


def test_file__works_with_every_verb_of_the_package(strict: str, tmp_path: Path) -> None:
    games = run_cli("match", "greedy", "greedy", "greedy", "random", "--game", strict, "--seed", "3", "--log", "jsonl")
    assert games.status == 0, games.err
    record = records.loads(games.out)
    assert record.game.ruleset == STRICT
    text = run_cli("convert", "--to", "input", stdin=games.out)
    log = run_cli("convert", "--to", "log", stdin=games.out)
    assert run_cli("run", "--game", strict, stdin=text.out) == log
    names = ",".join(record.transcript.names)
    again = run_cli("convert", "--ruleset", strict, "--names", names, stdin=log.out)
    assert records.loads(again.out).game.history == record.game.history
    advised = run_cli("advise", "--move", "5", "--agent", "heuristic", "--json", stdin=games.out)
    assert (advised.status, advised.err) == (0, "")
    played = run_cli("play", "lowest", "lowest", "lowest", "--game", strict, "--seed", "7", stdin="q\n")
    assert played.out.endswith(f"the same deal again: big2 play lowest lowest lowest --game {strict} --seat 0 --seed 7\n")
    solved = run_cli("solve", "-", "--back", "4", "--json", stdin=games.out)
    assert solved.status == 0, solved.err


def test_module__works_and_its_records_are_read_with_it_alone(pot: str) -> None:
    games = run_cli("match", "lowest", "lowest", "lowest", "random", "--game", pot, "--log", "jsonl")
    assert games.status == 0, games.err
    assert max(json.loads(games.out)["payoffs"]) == 5.0
    refused = run_cli("convert", stdin=games.out)
    assert refused.status == 2
    assert "recorded under other rules: 'big2', which is 'big2' with scoring" in refused.err
    assert "'pot_rules:Pot' is not part of this package, and is not imported from data" in refused.err
    assert run_cli("convert", "--game", pot, stdin=games.out).status == 0


@pytest.mark.parametrize("which", ["strict", "pot"])
def test_arena__keeps_the_rules_in_its_file(which: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    name = request.getfixturevalue(which)
    out = tmp_path / "results.jsonl"
    args = ["arena", "lowest", "random", "--game", name, "--scoring", "own", "--out", str(out), "--json", "--deals"]
    done = run_cli(*args, "2", "--jobs", "1")
    assert done.status == 0, done.err
    rules = ruleset(name)
    head = json.loads(out.read_text().split("\n")[0])
    assert (head["ruleset"], head["identity"]) == (rules.name, identity(rules))
    more = run_cli(*args, "4", "--jobs", "2", "--resume")
    assert more.status == 0, more.err
    assert json.loads(more.out)["ruleset"] == rules.name
    other = run_cli(*args, "5", "--resume", "--game", "big2")
    assert other.status == 2
    says = {
        "strict": "made with ruleset strict, but this run has big2",
        "pot": "recorded under other rules: 'big2', which is 'big2' with scoring \"pot_rules:Pot\"",
    }
    assert says[which] in other.err
    if which == "strict":
        Path(name).unlink()  # the results stand for themselves
        config, units = load(out)
        assert config.rules() == rules
        assert len(list(units)) == 8


def test_arena__refuses_results_whose_identity_is_of_another_ruleset(tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    args = ["arena", "lowest", "random", "--out", str(out), "--jobs", "1", "--deals"]
    assert run_cli(*args, "2").status == 0
    first, *others = out.read_text().split("\n")
    head = json.loads(first)
    for edited, says in (
        ({"identity": 4}, "line 1: expected an identity that names the same ruleset, got '4'"),
        ({"identity": {"ruleset": "hong_kong"}}, "line 1: expected an identity that names the same ruleset, got '{"),
        (
            {"ruleset": "pot_rules:POT", "identity": {"ruleset": "pot_rules:POT"}},
            "unknown ruleset 'pot_rules:POT'; expected big2, ",
        ),
    ):
        out.write_text("\n".join([json.dumps(head | edited), *others]))
        refused = run_cli(*args, "3", "--resume")
        assert refused.status == 2
        assert says in refused.err


def test_environments__take_files_and_modules(strict: str, pot: str) -> None:
    assert raw_env(ruleset=strict).ruleset == STRICT
    assert raw_env(ruleset=pot).ruleset == ruleset(pot)
    assert gymnasium.make("big2/Big2-v0", ruleset=strict).unwrapped.ruleset == STRICT  # type: ignore[attr-defined]
    assert BatchEnv(2, ruleset=strict).ruleset == STRICT


@pytest.mark.parametrize("method", [pytest.param("candidate-ppo", marks=pytest.mark.long), "ppo"])
def test_train__keeps_the_rules_in_its_folder(method: str, strict: str, tmp_path: Path) -> None:
    small = {
        "candidate-ppo": ["--games", "8", "--width", "16"],
        "ppo": ["--games", "4", "--steps", "8", "--width", "8", "--no-tensorboard"],
    }[method]
    args = ["train", method, "--minutes", "1e-6", "--evaluation-deals", "1", *small, "--out", str(tmp_path / "run"), "--game"]
    done = run_cli(*args, strict)
    assert done.status == 0, done.err
    assert (tmp_path / "run" / "strict.npz").exists()
    made = read_args(tmp_path / "run")
    assert made["ruleset"] == "strict"
    Path(strict).write_text('preset = "big2"\n')
    assert SavedRules().of(made[IDENTITY]) == STRICT
    refused = run_cli(*args, strict)
    assert refused.status == 2
    assert f"big2: {tmp_path / 'run'}: made with identity rules digest " in refused.err


def test_games__prints_a_ruleset_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text(run_cli("games", "dou_dizhu").out)
    assert ruleset(path) == ruleset("dou_dizhu")
    assert run_cli("games", str(path)).out == path.read_text()


@pytest.mark.parametrize("verb", [["match", *["lowest"] * 4], ["play"], ["run"], ["convert"], ["arena", "lowest", "random"]])
def test_verbs__refuse_a_ruleset_that_is_none_in_one_line(verb: list[str], tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text('{"preset": "big2", "colour": 1}')
    for name, says in [
        (str(bad), f"big2: {bad}: unknown key 'colour'; allowed: preset, name, "),
        (str(tmp_path / "none.toml"), "none.toml: No such file or directory"),
        ("no_module:X", "big2: ruleset 'no_module:X': 'no_module' cannot be imported: "),
        ("nothing", "big2: unknown ruleset 'nothing'; expected big2, "),
    ]:
        refused = run_cli(*verb, "--game", name)
        assert refused.status == 2
        assert says in refused.err
        assert refused.err.count("\n") == 1


@pytest.mark.parametrize(("lang", "passed", "refused"), [("en", "pass  ", "FAIL  "), ("zh-Hant", "通過  ", "不符  ")])
def test_rules__check_names_each_part_and_why_it_refuses(lang: str, passed: str, refused: str, strict: str, pot: str) -> None:
    works = run_cli("rules", strict, "--check", "--lang", lang)
    assert (works.status, works.err) == (0, "")
    lines = works.out.splitlines()
    assert len(lines) == 10
    assert all(line.startswith(passed) for line in lines)
    refuses = run_cli("rules", pot, "--check", "--lang", lang)
    assert (refuses.status, refuses.err) == (1, "")
    faults = [line for line in refuses.out.splitlines() if not line.startswith(passed)]
    tr = words(Language(lang))
    [fault] = faults
    assert fault.partition("big2")[0].rstrip(": ：") == refused + tr("ruleset_check.compiled")
    assert "cannot be compiled: it has the settlement Pot()" in fault


@pytest.mark.parametrize("page", ["KATA.md", "KATA.zh-Hant.md"])
def test_rules__check_prints_what_the_page_shows(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = ROOT / "big2_env" / "climbing" / page
    write_modules(path, tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    [(args, shown)] = re.findall(r"^\$ big2 (rules my_rules.*)\n((?:.+\n)*?)```", path.read_text("utf-8"), re.MULTILINE)
    assert run_cli(*args.split()) == (0, shown, "")


def test_rules__check_refuses_what_is_no_ruleset_in_one_line(tmp_path: Path) -> None:
    for args, says in [
        (["nothing"], "big2: unknown ruleset 'nothing'; expected big2, "),
        (["uno"], "big2: unknown ruleset 'uno'; expected big2, "),
        (["no_module:X"], "big2: ruleset 'no_module:X': 'no_module' cannot be imported: "),
        ([str(tmp_path / "none.toml")], "none.toml: No such file or directory"),
        (["--json"], "big2: expected one of --markdown, --json and --check, got several"),
    ]:
        refused = run_cli("rules", *args, "--check")
        assert (refused.status, refused.out) == (2, "")
        assert says in refused.err
        assert refused.err.count("\n") == 1
