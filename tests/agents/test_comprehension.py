"""Questions about legal moves: frozen, answered by the engine, asked over an endpoint."""

from __future__ import annotations

import gc
import json
import re
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from loopback_endpoint import loopback, set_key_alone
from run_cli import run_cli

from big2_agents.comprehension import asking, command
from big2_agents.comprehension.asking import BASELINES, answerer, prompt, protocol, read_letter
from big2_agents.comprehension.command import run
from big2_agents.comprehension.items import ILLEGAL, LEGAL, RULESETS, items
from big2_agents.comprehension.reasons import Reason, verdict
from big2_agents.comprehension.scores import Score
from big2_env.errors import ConfigError
from big2_env.language import Language, words

EN = words(Language.EN)
MODEL = "llm:tiny,no-rules"


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    set_key_alone(monkeypatch)


def test_items__are_balanced_and_answered_by_the_engine() -> None:
    asked = items()
    assert len(asked) == 200
    assert Counter(item.view.ruleset.name for item in asked) == dict.fromkeys(RULESETS, LEGAL + ILLEGAL)
    counts = Counter(item.answer for item in asked)
    assert counts.pop(None) == 100
    assert set(counts) == set(Reason)
    assert set(counts.values()) == {11, 12}
    for item in asked:
        assert verdict(item.view, item.cards) == item.answer
        assert item.options.count(item.answer) == item.options.count(None) == 1
        assert len(set(item.options)) == len(item.options) == 5


def test_items__show_no_hidden_card_and_no_standard_name() -> None:
    for item in items()[::19]:
        for lang in Language:
            text = prompt(item, lang, rules=item.view.ruleset.vocabulary is not None)
            assert len(re.findall(r"^[a-e]\) ", text, re.MULTILINE)) == 5
            if item.view.ruleset.vocabulary is not None:
                assert not re.search(r"[CDHS]\[|bomb|炸|pair|straight", text)


def test_baselines__bound_the_scores() -> None:
    found = {}
    for name in BASELINES:
        ask = answerer(name)
        found[name] = Score.of(name, "", "", items(), [ask(number, item) for number, item in enumerate(items())])
    assert (found["oracle"].legality.right, found["oracle"].reason.right) == (200, 100)
    assert (found["always-legal"].legality.right, found["always-legal"].reason.right) == (100, 0)
    assert 80 <= found["random"].legality.right <= 120
    silent = Score.of("silent", "", "", items(), [None] * 200)
    assert (silent.legality.right, silent.reason.right, silent.unreadable) == (0, 0, 200)
    assert silent.as_json()["legality"]["low"] == pytest.approx(0)


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("<answer>b</answer>", "b"),
        ("a) no\nb) yes\n**Answer: (D)**", "d"),
        ("I think about it.\nC", "c"),
        ("E) The move is legal.", "e"),
        ("答案：选项 b", "b"),
        ("A card is missing", None),
        ("<answer>f</answer>", None),
        ("<answer>legal</answer>", None),
        ("b" * 200_000, None),
    ],
)
def test_letters__are_read(text: str, letter: str | None) -> None:
    assert read_letter(text) == letter


def test_model__is_asked_again_after_a_kill_only_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = (*{item.answer: item for item in items()}.values(), *items()[150:180])
    monkeypatch.setattr(asking, "items", lambda: few)
    monkeypatch.setattr(command, "items", lambda: few)
    right = {prompt(item, Language.EN, rules=False): item.letter for item in few}
    path = tmp_path / "comprehension-tiny.jsonl"

    def say(messages: list[str], number: int) -> str:
        return "hm" if number % 10 == 3 else f"<answer>{right[messages[0]]}</answer>"

    with loopback(say) as server:
        monkeypatch.setenv("BIG2_LLM_URL", server.url)
        monkeypatch.setenv("BIG2_LLM_BUDGET", "20")
        with pytest.raises(ConfigError, match="budget of 20 calls"):
            run([MODEL], [path], 32, resume=False, overwrite=False, tr=EN)
        monkeypatch.delenv("BIG2_LLM_BUDGET")
        while server.answered < server.calls or any(thread.name.endswith("(_work)") for thread in threading.enumerate()):
            time.sleep(0.01)
        gc.collect()  # closes the replies, as the end of a process does
        with path.open("ab") as stream:
            stream.write(b'{"item":20,"ans')
        [score] = run([MODEL], [path], 32, resume=True, overwrite=False, tr=EN)
        assert server.calls == len(few) == 40
    assert (score.legality.right, score.unreadable) == (36, 4)
    assert score.language == "en"
    assert json.loads(path.with_suffix(".json").read_text(encoding="utf-8")) == score.as_json()
    monkeypatch.setenv("BIG2_LLM_URL", "cache")
    with pytest.raises(ConfigError, match="made with agent"):
        run(["oracle"], [path], 32, resume=True, overwrite=False, tr=EN)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:11]), encoding="utf-8")
    assert run([MODEL], [path], 32, resume=True, overwrite=False, tr=EN) == [score]


def test_protocol__names_everything_but_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "items", lambda: items()[:3])
    asking.protocol.cache_clear()
    hashes = {protocol(name) for name in ("oracle", MODEL, "llm:tiny,no-rules,temperature=0")}
    assert len(hashes) == 3
    assert protocol("llm:other,no-rules") in hashes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["heuristic"], "expected llm:MODEL, oracle, always-legal, random, got 'heuristic'"),
        (["llm:tiny,legal"], "legal and history= are not options of --comprehension"),
        (["oracle", "--deals", "4"], "got an option for games"),
    ],
)
def test_bad_input__gets_one_line(arguments: list[str], message: str, tmp_path: Path) -> None:
    status, out, err = run_cli("bench", "--comprehension", *arguments, "--out", str(tmp_path / "out"))
    assert (status, out) == (2, "")
    assert message in err
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())


def test_bench__prints_the_scores_of_baselines(tmp_path: Path) -> None:
    status, out, _ = run_cli("bench", "--comprehension", "oracle", "--out", str(tmp_path), "--json")
    assert status == 0
    [score] = json.loads(out)
    assert (score["agent"], score["legality"]["right"], score["reason"]["share"]) == ("oracle", 200, 1.0)
    assert {path.name for path in tmp_path.iterdir()} == {"comprehension-oracle.jsonl", "comprehension-oracle.json"}
