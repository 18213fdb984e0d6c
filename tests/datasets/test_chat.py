"""Chats for fine-tuning: the prompts of language models, answers that read back as the move made, values by a teacher."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from run_cli import run_cli

from big2_agents.data import load
from big2_agents.data.chat import CHAT_COLUMNS, DEALS, Teacher, chat_lines
from big2_agents.data.plan import Plan
from big2_agents.data.playing import GameRecorder
from big2_agents.language_model.protocol import SYSTEM, Options, system
from big2_agents.learned.evaluator import VERSION
from big2_env import BIG2, ConfigError, Game, RuleSet
from big2_env.base.language import Language
from big2_env.climbing.actions import action_space
from big2_env.climbing.rulesets import ruleset
from big2_env.text.answers import Played, read_answer

PLAYERS = ("heuristic", "random", "greedy", "lowest")


def plan_of(rules: RuleSet = BIG2, **more: Any) -> Plan:
    return Plan(PLAYERS[: rules.default_players], rules, 3, 2, 2, "chat", **more)


@pytest.mark.parametrize("name", ["big2", pytest.param("dou_dizhu", marks=pytest.mark.long)])
@pytest.mark.parametrize("language", Language)
def test_lines__ask_what_models_are_asked_and_answer_what_was_played(name: str, language: Language) -> None:
    plan = plan_of(ruleset(name), language=language.value)
    rows = GameRecorder(plan.rules, plan.agents, plan.seed).record(0, 2)
    lines = list(chat_lines(rows, plan))
    assert len(lines) == int((rows.num_legal > 1).sum())
    assert tuple(lines[0]) == tuple(name for name, _, _ in CHAT_COLUMNS)
    space, options = action_space(plan.rules), Options("", language=language.value)
    games = {number: Game.deal(plan.rules, plan.seed + number, plan.players) for number in range(2)}
    waiting = iter(lines)
    for number, action in zip(rows.game.tolist(), rows.action.tolist(), strict=True):
        game = games[number]
        view, play = game.view(), space.verify(action, game.legal_plays())
        if len(view.legal_plays()) > 1:
            line = next(waiting)
            *asked, said = line["messages"]
            assert asked == options.conversation(view)
            assert asked[0]["content"] == system(plan.rules, language)
            assert (asked[0]["content"] == SYSTEM) == (language is Language.EN)
            assert read_answer(said["content"], view, language) == Played(play)
            assert (line["game"], line["seat"], line["action"]) == (number, view.seat, action)
            assert line["agent"] == plan.agents[(view.seat - number) % plan.players]
            assert (line["value"], line["regret"]) == (None, None)
        game.push(play)
    for line in lines:
        outcome = games[line["game"]].outcome
        assert outcome is not None
        assert line["return"] == pytest.approx(outcome.payoffs[line["seat"]])


def test_export__writes_chats_and_goes_on(tmp_path: Path) -> None:
    def export(*more: str) -> tuple[int, str, str]:
        options = "--format", "chat", "--games", "4", "--piece", "2", "--jobs", "1", "--out", str(tmp_path / "chat")
        return run_cli("export", "greedy", *options, *more)

    assert export()[0] == 0
    parts = sorted((tmp_path / "chat").glob("part-*.jsonl"))
    whole = [part.read_bytes() for part in parts]
    assert len(parts) == 2
    card = (tmp_path / "chat" / "README.md").read_text(encoding="utf-8")
    assert "--format chat --lang en" in card
    about = yaml.safe_load(card.split("---\n")[1])
    assert (about["task_categories"], about["language"]) == (["text-generation"], ["en"])
    assert sorted((tmp_path / "chat").glob(about["configs"][0]["data_files"])) == parts
    assert "Forced moves are left out" in card
    listed = (tmp_path / "chat" / "dataset.jsonl").read_text().splitlines()
    (tmp_path / "chat" / "dataset.jsonl").write_text("\n".join(listed[:-1]) + "\n")
    parts[1].unlink()
    assert export("--resume")[0] == 0
    assert [part.read_bytes() for part in parts] == whole
    assert "made with language en" in export("--resume", "--lang", "zh-Hans")[2]
    with pytest.raises(ConfigError, match="has chat: read its lines as JSON"):
        load(tmp_path / "chat")


def test_values__come_from_the_teacher(tmp_path: Path) -> None:
    options = "--format", "chat", "--games", "1", "--jobs", "1", "--values", "search:8", "--out", str(tmp_path)
    assert run_cli("export", "heuristic", *options)[0] == 0
    lines = [json.loads(line) for line in (tmp_path / "part-00000.jsonl").read_text(encoding="utf-8").splitlines()]
    assert all(isinstance(line["value"], float) and line["regret"] >= 0 for line in lines)


def test_values__by_learned_are_those_of_its_playouts() -> None:
    plan = plan_of(values="learned")
    rows = GameRecorder(plan.rules, plan.agents, plan.seed).record(0, 1)
    lines = list(chat_lines(rows, plan))
    assert all(-1 / 3 - 1e-6 <= line["value"] <= 1 for line in lines)
    assert sum(line["regret"] for line in lines) > 0
    assert lines == list(chat_lines(rows, plan))
    names = {line["seat"]: line["agent"] for line in lines}
    valued = [line["basis"] for line in lines if line["basis"] is not None]
    assert valued
    for basis in valued:
        assert (basis["version"], basis["deals"], basis["substitutes"]) == (VERSION, DEALS, ())
        assert list(basis["players"]) == [names[seat] for seat in range(4)]


@pytest.mark.parametrize("spec", ["learned", "search:200"])
def test_regrets__of_all_moves_are_those_of_each(spec: str) -> None:
    teacher, view = Teacher(spec, BIG2, 4), Game.deal(BIG2, 3).view()
    legal = list(view.legal_plays())
    found = teacher.regrets(view)
    assert len(found) == len(legal) > 3
    assert min(found) <= 0 < max(found)
    if spec == "learned":
        assert found == [teacher.judged(view, [play])[0].loss for play in legal]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--values", "learned"], "--values: expected --format chat, got --format npz"),
        (["--format", "chat", "--values", "greedy"], "agent 'greedy' gives no values to compare: expected"),
        (["--format", "chat", "--values", "learned:nowhere.npz"], "nowhere.npz"),
    ],
)
def test_wrong_values__are_one_line(tmp_path: Path, options: list[str], message: str) -> None:
    status, _, err = run_cli("export", "greedy", "--games", "2", "--out", str(tmp_path / "set"), *options)
    assert status != 0
    assert err.count("\n") == 1
    assert message in err
    assert not (tmp_path / "set").exists()
