"""Agents with weights for another payoff or other rules: who says so, where, and how often."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from friends import friends
from run_cli import run_cli
from terminal_table import Driven, drive
from web_visitor import visit

from big2_agents.learned.weights import rules_array
from big2_agents.models import models_folder, shipped_weights
from big2_agents.models.formula import DEFAULT_WEIGHTS, WeightsFile, shipped_files
from big2_agents.rule_based.simple import GreedyAgent
from big2_env import BIG2, ConfigError, RuleSet, ruleset
from big2_env.agents.interface import Agent, make_agent, named_agents
from big2_env.base.language import Language, words
from big2_env.climbing.earlier_rules import EARLIER
from big2_env.climbing.parts import PassLock
from big2_env.climbing.saved_rules import identity
from big2_env.climbing.settlement import CardsLeft
from big2_env.tables.browser import shared_timers
from big2_env.tables.session.table_session import TableSession
from big2_env.tables.session.watching import Watching
from big2_env.text.seating import weights_notes

TAIWAN = EARLIER["taiwan"]
"""The rules for which the weights of `heuristic:bench-v3` were made."""
STRANGE = f"learned:{models_folder() / 'chu_da_di.npz'},any"
"""An agent that was trained for other rules than taiwan's, which it can play."""
PAYOFF, RULES = "plays by weights made for another payoff: ", "plays by weights made for Chu Da Di with other rules: "


def notes(agent: str | Agent, rules: RuleSet, lang: Language = Language.EN) -> list[str]:
    return list(weights_notes({"it": make_agent(agent)}, rules, rules.default_players, words(lang)))


@pytest.mark.parametrize(
    ("agent", "rules"),
    [
        ("heuristic", ruleset("taiwan")),
        ("heuristic:bench-v3", TAIWAN),
        (f"heuristic:{shipped_files()['taiwan']}", ruleset("taiwan")),
        ("learned", ruleset("taiwan")),
    ],
)
def test_notes__are_on_weights_for_another_payoff(agent: str, rules: RuleSet) -> None:
    assert notes(agent, rules) == []
    [line] = notes(agent, rules.with_scoring("cards"))
    first = "8 or 9" if rules is TAIWAN else "10 to 13"
    assert line.startswith(f"it {PAYOFF}Each loser pays the winner 1 point for each card left. With {first} cards left, ")
    if agent == "learned":
        assert notes(agent, ruleset("dou_dizhu")) == []
        assert "stake" in notes(agent, ruleset("dou_dizhu").with_scoring("cards"))[0]
    for lang in Language:
        [line] = notes(agent, rules.with_scoring("cards"), lang)
        assert line.startswith("it")


TO_TAIWAN, TO_PAO_DE_KUAI = ("taiwan", "last_card, scoring"), ("pao_de_kuai", "patterns, last_card, next_lead")


@pytest.mark.parametrize(
    ("agent", "changed"), [("heuristic:bench-v3", (TO_TAIWAN, TO_PAO_DE_KUAI)), ("learned", (TO_PAO_DE_KUAI,))]
)
def test_notes__are_on_weights_for_earlier_rules(agent: str, changed: tuple[tuple[str, str], ...]) -> None:
    """Shipped weights of rulesets that have changed since; those of other rulesets have no note."""
    for name, fields in changed:
        [line] = notes(agent, ruleset(name))
        assert line.endswith(f" with other rules: {fields}")
    assert all(notes(agent, ruleset(name)) == [] for name in ("big2", "hong_kong", "capsa", "dou_dizhu"))


@pytest.mark.parametrize("agent", ["random", "heuristic:first", "search:1"])
def test_notes__are_not_on_agents_without_fitted_weights(agent: str) -> None:
    for rules in (TAIWAN, TAIWAN.with_scoring("cards"), TAIWAN.with_scoring("winner"), replace(TAIWAN, must_cover=True)):
        assert notes(agent, rules) == []


def test_notes__name_what_differs_in_other_rules(tmp_path: Path) -> None:
    for agent in ("heuristic", "learned"):
        house = replace(ruleset("taiwan"), pass_lock=PassLock.NONE, scoring=CardsLeft())
        [line] = notes(agent, house)
        assert line.endswith(" with other rules: pass_lock, scoring")
    house = replace(TAIWAN, pass_lock=PassLock.NONE, scoring=CardsLeft())
    assert notes("heuristic", replace(TAIWAN, scoring=BIG2.scoring)) == []  # which get weights that no payoff has fitted
    [line] = notes(STRANGE, TAIWAN)
    assert line.startswith(f"it {RULES}")
    assert "suits" in line
    path = tmp_path / "house.json"
    WeightsFile("house", DEFAULT_WEIGHTS, rules=identity(replace(house, name="house"))).write(path)
    assert notes(f"heuristic:{path}", replace(house, name="house")) == []
    assert "pass_lock" in notes(f"heuristic:{path}", TAIWAN)[0]
    text = path.read_text("utf-8")
    path.write_text(text.replace('"ruleset": "house"', r'"ruleset": "a\u001b[2Jb"'), "utf-8")
    assert notes(f"heuristic:{path}", TAIWAN) == []  # such a name is refused, so nothing is known of its rules
    WeightsFile("nowhere", DEFAULT_WEIGHTS).write(path)
    assert notes(f"heuristic:{path}", TAIWAN) == []  # of whose rules nothing is known


@pytest.mark.parametrize("kind", ["ppo", "learned", "learned-search:1"])
def test_notes__follow_the_rules_in_a_file_of_weights(kind: str, tmp_path: Path) -> None:
    def trained_for(rules: RuleSet | None) -> str:
        with np.load(models_folder() / ("big2_ppo.npz" if kind == "ppo" else "big2.npz")) as arrays:
            kept = {name: arrays[name] for name in arrays.files if name != "rules"}
        np.savez(tmp_path / "mine.npz", **kept, **(rules_array(rules) if rules else {}))
        return f"{kind}{',' if ':' in kind else ':'}{tmp_path / 'mine.npz'}"

    cards = BIG2.with_scoring("cards")
    assert notes(trained_for(BIG2), BIG2) == notes(trained_for(cards), cards) == []
    assert notes(trained_for(None), BIG2) == notes(trained_for(None), cards) == []
    assert notes(trained_for(BIG2), cards) == [f"it {PAYOFF}The losers pay the winner 1 in equal shares."]
    assert PAYOFF in notes(trained_for(cards), BIG2)[0]


def test_notes__an_agent_that_fails_is_named_in_one_line() -> None:
    class Fails:
        def reset(self, seed: int) -> None: ...

        def act(self, view: Any, legal: Any) -> Any: ...

        def trained_for(self, ruleset: RuleSet, num_players: int) -> Any:
            raise OSError("no server")

        def __repr__(self) -> str:
            return "Fails"

    with pytest.raises(ConfigError, match=r"^agent Fails fails in trained_for: OSError: no server$"):
        notes(Fails(), BIG2)
    Fails.trained_for = lambda self, ruleset, num_players: "big2"  # type: ignore[method-assign]
    assert notes(Fails(), BIG2) == []


@pytest.mark.parametrize("isolate", [(), ("--isolate",)])
def test_commands__print_one_line_for_each_agent(isolate: tuple[str, ...], tmp_path: Path) -> None:
    payoff = f"big2: learned {PAYOFF}The losers pay the winner 1 in equal shares.\n"
    table = ("learned", "greedy", "learned", "greedy")
    one = ("--seed", "3", "--scoring", "cards", *isolate)
    assert run_cli("match", *table, *one, "--log", "jsonl").err == payoff
    assert run_cli("match", *table, "--seed", "3", *isolate, "--log", "jsonl").err == ""
    run = ("arena", *table, "--deals", "1", "--jobs", "1", "--out", str(tmp_path / "a.jsonl"))
    assert run_cli(*run, *one).err == payoff
    assert run_cli(*run, "--overwrite", "--seed", "3", *isolate).err == ""


@pytest.mark.long
def test_commands__of_advice_and_data_sets_say_it_too(tmp_path: Path) -> None:
    played = run_cli("match", *["greedy"] * 4, "--seed", "3", "--scoring", "cards", "--log", "jsonl").out
    payoff = f"big2: learned {PAYOFF}The losers pay the winner 1 in equal shares.\n"
    found = run_cli("advise", "--all", "--top", "1", stdin=played * 2)
    assert (found.status, found.err.count(payoff)) == (0, 1)
    export = ("export", "learned", "greedy", "greedy", "greedy", "--games", "2", "--out", str(tmp_path / "data"), "--jobs", "1")
    assert run_cli(*export, "--scoring", "cards").err.count(payoff) == 1
    positions = ("bench", STRANGE, "--positions", "--game", "taiwan", "--decisions", "2", "--jobs", "1")
    assert f"big2: {STRANGE} {RULES}" in run_cli(*positions, "--out", str(tmp_path / "bench")).err


@pytest.mark.parametrize("kind", [TableSession, Watching])
def test_session__says_it_in_its_first_deal(kind: type[TableSession]) -> None:
    session = kind(TAIWAN, [STRANGE] * (4 if kind is Watching else 3), seed=3)
    if kind is Watching:
        assert isinstance(session, Watching)
        session.advance()
    events = session.scene(Language.EN, last=1000).events
    assert [RULES in line for line in events] == [True] + [False] * (len(events) - 1)
    assert RULES not in session.scene(Language.EN, last=1).events[0] or len(events) == 1
    session.next_deal()
    assert not any(RULES in line for line in session.scene(Language.EN, last=1000).events)


def test_prompt__says_it_once(tmp_path: Path) -> None:
    found = run_cli("play", STRANGE, "--game", "taiwan", "--seed", "3", stdin="p\np\nq\n")
    assert (found.status, found.out.count(RULES)) == (0, 1)


def test_screen__says_it_at_first() -> None:
    async def steps(on: Driven) -> None:
        assert "plays by weights made" in " ".join(on.text.split())

    with named_agents({"me": STRANGE}):  # a path may be longer than the line
        drive(steps, TableSession(TAIWAN, ["me"] * 3, seed=3))


def test_browser__says_it_in_the_first_deal_by_the_name_of_the_agent(tmp_path: Path) -> None:
    with named_agents({"me": STRANGE}), visit(tmp_path) as visitor:
        visitor.sit_down("taiwan", ["me", "greedy", "me"])
        assert [line.startswith(f"me {RULES}") for line in visitor.state["scene"]["events"]].count(True) == 1
        visitor.play_out()
        assert visitor.state["scene"]["events"][0].startswith(f"me {RULES}")
        visitor.act("deal")
        for _ in range(2):  # the second time read from the store
            assert not any(RULES in line for line in visitor.get(f"{visitor.path}?lang=en").json()["scene"]["events"])
            visitor.server.lobby._unload(visitor.state["table"])
        assert not any("npz" in text for text in visitor.received)


def test_friends__see_it_in_the_first_deal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_timers, "PACE", 0.0)
    with named_agents({"me": STRANGE}), friends(tmp_path, "taiwan", people=3, agent="me") as people:
        anna, ben, _ = people
        anna.act("start")
        rng = random.Random(3)
        for one in people:
            assert [RULES in line for line in one.look()["scene"]["events"]].count(True) == 1
        assert "npz" not in json.dumps(ben.state)
        while not anna.look()["scene"]["is_over"]:
            for one in people:
                if one.look()["asked"]:
                    one.go(rng)
        assert anna.state["scene"]["events"][0].startswith(f"me {RULES}")
        anna.act("deal")
        assert not any(RULES in line for line in anna.look()["scene"]["events"])


def test_browser__plays_with_an_agent_that_does_not_say_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = tmp_path / "me.npz"
    weights.write_bytes(shipped_weights(BIG2).read_bytes())
    with named_agents({"me": f"learned:{weights}"}), friends(tmp_path, people=2, agent="me") as (anna, _):
        anna.act("start")
        weights.unlink()
        assert anna.post(f"{anna.path}/rename", {"name": "Ann"}).status == 200
        assert anna.look()["shared"]["seats"][0]["name"] == "Ann"
        monkeypatch.setattr(GreedyAgent, "trained_for", lambda *_: 1 / 0, raising=False)
        anna.sit_down("big2", ["greedy"] * 3)


def test_error__on_other_rules_names_what_differs(tmp_path: Path) -> None:
    with np.load(shipped_weights(BIG2)) as arrays:
        kept = {name: arrays[name] for name in arrays.files if name != "rules"}
    np.savez(tmp_path / "mine.npz", **kept, **rules_array(replace(BIG2, pass_lock=PassLock.ROUND, must_cover=True)))
    table = (f"learned:{tmp_path / 'mine.npz'}", "greedy", "greedy", "greedy")
    found = run_cli("match", *table, "--scoring", "cards")
    says = "trained for big2, asked to play big2, which differs in must_cover, pass_lock; "
    assert (found.status, says in found.err, found.err.count("\n")) == (2, True, 1)
