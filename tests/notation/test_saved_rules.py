"""A game that is saved keeps its rules: house rules come back as they were, or the reader says what differs."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from outside_patterns import OUTSIDE

from big2_env import BIG2, HONG_KONG, ConfigError, Game, NotationError, PassLock, RuleSet, Settlement, available_rulesets
from big2_env.base.rng import SplitMix64
from big2_env.climbing import saved_rules
from big2_env.climbing.auction import Bid
from big2_env.climbing.game import decks_of
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.ruleset_data import digest
from big2_env.climbing.runs import PointRuns
from big2_env.climbing.saved_rules import SavedRules, identity
from big2_env.climbing.settlement import CardsLeft, Standing, StepTable
from big2_env.notation import positions, records, sources
from big2_env.notation.records import GameRecord
from big2_env.notation.transcript import Transcript
from big2_env.text.session import Session

DATA = Path(__file__).parents[1] / "data" / "house_rules"
LOCKED = replace(BIG2, pass_lock=PassLock.TRICK)
VARIANTS = {
    "flush": BIG2.with_patterns("flush", "triple"),
    "lock": LOCKED,
    "cards": LOCKED.with_scoring("cards"),
    "steps": LOCKED.with_scoring(CardsLeft(((8, 2),))),
    "mine": replace(HONG_KONG, name="mine", pass_lock=PassLock.TRICK),
    "auction": replace(available_rulesets()["dou_dizhu"], spring=4),
    "chinese": replace(BIG2, zh="另一個"),
}


@dataclass(frozen=True)
class Pot(Settlement):
    """A settlement from outside."""

    def payoffs(self, standing: Standing) -> tuple[float, ...]:
        return (0.0,) * len(standing.hands)


def played(rules: RuleSet, seed: int, moves: int = 10_000) -> tuple[Game, tuple[int, ...]]:
    """A game with random acts, and its deck."""
    deck, *redeals = decks_of(rules, seed)
    game, rng = Game.from_deck(rules, deck, redeals=redeals), SplitMix64(seed)
    while not game.is_over and len(game.history) < moves:
        legal = list(game.legal_plays())
        game.push(legal[rng.below(len(legal))])
    return game, tuple(deck)


@pytest.mark.parametrize("name", VARIANTS)
def test_records_and_positions__of_house_rules_come_back(name: str) -> None:
    rules = VARIANTS[name]
    for seed in range(4):
        game, deck = played(rules, seed)
        line = records.dumps(GameRecord(Transcript(game), deck))  # type: ignore[arg-type]
        again = records.loads(line)
        assert again.game == game
        assert again.game.ruleset == rules
        assert records.dumps(again) == line
        early, _ = played(rules, seed, 12)
        assert positions.loads(positions.dumps(early)).ruleset == rules


def test_identity__of_a_preset_is_its_name_and_digest() -> None:
    for name, rules in available_rulesets().items():
        found = identity(rules)
        assert found.pop("rules") == {"digest": digest(rules)}
        assert found.pop("ruleset") == name
        assert set(found) <= {"scoring"}
    assert identity(BIG2.with_scoring("cards"))["rules"] == {"digest": digest(BIG2.with_scoring("cards"))}


def test_identity__has_what_differs_from_the_nearest_preset() -> None:
    assert identity(LOCKED) == {
        "ruleset": "big2",
        "scoring": "winner",
        "rules": {"digest": digest(LOCKED), "changes": {"pass_lock": "trick"}},
    }
    assert identity(VARIANTS["mine"])["rules"] == {
        "digest": digest(VARIANTS["mine"]),
        "preset": "hong_kong",
        "changes": {"pass_lock": "trick"},
    }
    identity(LOCKED)["rules"].clear()
    assert identity(LOCKED)["rules"]


def with_rules(rules: RuleSet, **edits: Any) -> dict[str, Any]:
    """The identity of a ruleset with its rules edited."""
    found = identity(rules)
    return found | {"rules": {key: value for key, value in (found["rules"] | edits).items() if value is not ...}}


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (
            identity(OUTSIDE),
            r"^recorded under other rules: 'big2', which is 'big2' with patterns .*: patterns\[4\].*Triple' is not",
        ),
        (with_rules(LOCKED, changes=...), "^recorded under other rules: 'big2': their digest is '[0-9a-f]{16}', here it is '"),
        (
            with_rules(BIG2, digest="0" * 16),
            "^recorded under other rules: 'big2': their digest is '0000000000000000', here it is",
        ),
        (with_rules(LOCKED, changes={"pass_lock": "round"}), "which is 'big2' with pass_lock \"round\": their digest is "),
        (with_rules(LOCKED, changes={"gravity": 2}), "which is 'big2' with gravity 2: unknown key 'gravity'"),
        (with_rules(LOCKED, changes={"pass_lock": "no"}), 'with pass_lock "no": pass_lock: expected one of none'),
        (with_rules(LOCKED, preset="big3"), "which is 'big3' with pass_lock \"trick\": unknown ruleset 'big3'"),
        (with_rules(LOCKED, preset="os:system"), "unknown ruleset 'os:system'"),
        (with_rules(LOCKED, preset="/etc/x.json"), "unknown ruleset '/etc/x.json'"),
        ({"ruleset": "os:system"}, "^unknown ruleset 'os:system'; expected big2, capsa, chu_da_di, dou_dizhu,"),
        ({"ruleset": "x.toml"}, "^unknown ruleset 'x.toml'; expected big2, capsa, chu_da_di, dou_dizhu,"),
        (
            identity(replace(BIG2, name="other", scoring=Pot())),
            "'other', which is 'big2' with scoring .*:Pot\": scoring: '.*:Pot' is not",
        ),
    ],
)
def test_saved_rules__that_are_not_known_here_say_what_differs(data: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        SavedRules().of(data)
    assert len(str(caught.value)) < 900


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ("big2", "rules: expected an object with the keys digest, preset, changes, got '\"big2\"'"),
        ({}, "digest: expected a text of at most 100 characters, got 'null'"),
        ({"digest": 4}, "digest: expected a text of at most 100 characters, got '4'"),
        ({"digest": "0", "more": 1}, "rules: expected an object with the keys digest, preset, changes, got"),
        ({"digest": "0", "changes": []}, "changes: expected an object of fields, got '"),
        ({"digest": "0", "changes": {"preset": "hong_kong"}}, "changes: expected an object of fields, got '"),
        ({"digest": "0", "preset": ["big2"]}, "preset: expected a text of at most 100 characters, got '\\[\"big2\"\\]'"),
        ({"digest": "0", "preset": "x" * 101}, "preset: expected a text of at most 100 characters, got"),
    ],
)
def test_saved_rules__of_another_form_are_refused(rules: object, says: str) -> None:
    with pytest.raises(NotationError, match=says):
        SavedRules().of({"ruleset": "big2", "rules": rules})


def test_saved_rules__with_classes_from_outside_are_read_with_the_ruleset_given() -> None:
    game, deck = played(OUTSIDE, 3)
    line = records.dumps(GameRecord(Transcript(game), deck))  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="recorded under other rules"):
        records.loads(line)
    assert records.loads(line, {"big2": OUTSIDE}).game == game
    _, games = sources.load(line, OUTSIDE)
    assert next(games).game == game
    with pytest.raises(ConfigError, match="recorded under other rules"):
        records.loads(line, {"big2": LOCKED})


def test_saved_rules__given_under_the_same_name_do_not_hide_those_recorded() -> None:
    game, deck = played(LOCKED, 3)
    line = records.dumps(GameRecord(Transcript(game), deck))  # type: ignore[arg-type]
    assert records.loads(line, {"big2": BIG2}).game.ruleset == LOCKED
    old = json.loads(line)
    del old["rules"]  # as revisions before wrote it
    assert SavedRules({"big2": LOCKED}).of(old) == LOCKED
    assert SavedRules().of(old) == BIG2


def test_session__refuses_a_game_of_other_rules() -> None:
    game, _ = played(LOCKED, 3, 10)
    table = Session()
    table.initialize("big2")
    with pytest.raises(ConfigError, match="a game recorded under other rules: pass_lock differ from the table's big2"):
        table.set(positions.dumps(game))
    table.initialize(LOCKED)
    table.set(positions.dumps(game))
    assert table.game == Game.from_position(LOCKED, game.position)


def test_records__of_house_rules_from_before_are_read() -> None:
    """What the first revision that saved rules wrote: it has to stay readable."""
    lines = (DATA / "games.jsonl").read_text("utf-8").splitlines()
    found = [records.loads(line) for line in lines]
    assert [records.dumps(record) for record in found] == [line.replace("-0.0,", "0.0,") for line in lines]
    assert [record.game.ruleset.name for record in found] == ["big2", "hong_kong", "mine", "dou_dizhu"]
    assert found[0].game.ruleset.patterns[2].pattern == Straight(runs=PointRuns(wrap=1))
    assert found[1].game.ruleset == replace(HONG_KONG, pass_lock=PassLock.TRICK, auto_lead=True)
    assert found[2].game.ruleset == replace(BIG2, name="mine", zh="我的", scoring=StepTable(((2, 1), (6, 2.5))))
    assert found[3].game.ruleset.auction == Bid(most=5)


def test_reader__keeps_a_bounded_number_of_rulesets() -> None:
    reader = SavedRules()
    for points in range(2 * saved_rules.MAX_MADE):
        rules = BIG2.with_scoring(StepTable(((2, points),)))
        assert reader.of(identity(rules)) == rules
        assert len(reader._made) <= saved_rules.MAX_MADE


def test_keys__are_those_of_records() -> None:
    assert set(saved_rules.KEYS) <= set(records.KEYS) & set(positions.KEYS)
