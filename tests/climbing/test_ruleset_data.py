"""Rulesets as data: every value comes back equal, equal rules have one digest, and bad data give one clear line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, replace

import pytest
from house_rules import HOUSE_RULES
from hypothesis import given, settings
from hypothesis import strategies as st
from outside_patterns import OUTSIDE, Triple
from random_rulesets import random_ruleset

from big2_env import BIG2, HONG_KONG, CardsLeft, ConfigError, PassLock, RuleSet, Settlement, StepTable, available_rulesets
from big2_env.climbing.auction import Bid
from big2_env.climbing.earlier_rules import EARLIER
from big2_env.climbing.patterns.full_house import FullHouse
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.plain_data import decoded, encoded
from big2_env.climbing.ruleset import PatternRule
from big2_env.climbing.ruleset_data import changes, digest, from_data, whole
from big2_env.climbing.runs import PointRuns, ValueRuns
from big2_env.climbing.saved_rules import SavedRules
from big2_env.climbing.settlement import PairwiseDifference, Standing

PRESETS = available_rulesets()
DOU_DIZHU = PRESETS["dou_dizhu"]
VARIANTS = {
    "flush": BIG2.with_patterns("flush", Straight(length=6, runs=PointRuns(wrap=2))),
    "lock": replace(BIG2, pass_lock=PassLock.ROUND),
    "scoring": BIG2.with_scoring(PairwiseDifference(steps=((8, 2.5),), bonuses=((BIG2.deck.cards[51], 7),))),
    "steps": replace(HONG_KONG, scoring=StepTable(((2, 1), (6, 2)))),
    "bids": replace(DOU_DIZHU, auction=Bid(most=5), spring=3, multipliers=DOU_DIZHU.multipliers[:1]),
    "beats": replace(HONG_KONG, extra_covers=(("five", "four"),), suits=BIG2.suits),
    "order": replace(PRESETS["wu_gua_pi"], ranks=PRESETS["wu_gua_pi"].ranks[::-1], suits_compare=False, max_players=6),
    "renamed": replace(PRESETS["dou_dizhu_4p"], name="mine", zh="我的"),
}


@dataclass(frozen=True)
class Pot(Settlement):
    """A settlement from outside."""

    size: int = 4

    def payoffs(self, standing: Standing) -> tuple[float, ...]:
        return (0.0,) * len(standing.hands)


DIGESTS = {
    "big2": "63305d4b11d710ac",
    "capsa": "0c7643e4daf47a43",
    "chu_da_di": "b0eb263d3598e332",
    "dou_dizhu": "77dfc6240b0a5bd6",
    "dou_dizhu_4p": "a119157648600702",
    "dou_dizhu_x": "d1d80d896f3e4790",
    "hong_kong": "e58eff657e5365f3",
    "pao_de_kuai": "34825780df758d1e",
    "pusoy_dos": "a38b61066769587f",
    "qi_gui_521": "b6d9af561b0a2cab",
    "qi_gui_523": "cc32b3ffc7a48e07",
    "taiwan": "cc2c5c3a696813f1",
    "three_two_one": "f968c1092465f675",
    "tien_len": "5543feaf1bade103",
    "wu_gua_pi": "1accbb6c6418025a",
}
"""What records name their rules by: another digest makes every record of that game unreadable."""
EARLIER_DIGESTS = {"pao_de_kuai": "cd1cbec24fb7036c", "taiwan": "93d3da347f933024"}
"""The same of rules that records and frozen benchmarks still have."""


def test_digest__of_every_preset_is_the_one_that_records_have() -> None:
    assert {name: digest(rules) for name, rules in PRESETS.items()} == DIGESTS
    assert {name: digest(rules) for name, rules in EARLIER.items()} == EARLIER_DIGESTS


@pytest.mark.parametrize("name", EARLIER_DIGESTS)
def test_earlier_rules__are_those_of_games_saved_under_them(name: str) -> None:
    saved = {"ruleset": name, "rules": {"digest": EARLIER_DIGESTS[name]}}
    assert SavedRules().of(saved) == EARLIER[name] != SavedRules().of({"ruleset": name})
    changed = replace(EARLIER[name], must_cover=not EARLIER[name].must_cover)
    saved["rules"] = {"digest": digest(changed), "changes": {"must_cover": changed.must_cover}}
    assert SavedRules().of(saved) == changed
    with pytest.raises(ConfigError, match=f"here it is '{digest(PRESETS[name])}'"):
        SavedRules().of({"ruleset": name, "rules": {"digest": "0"}})


@pytest.mark.parametrize("name", [*PRESETS, *VARIANTS])
def test_ruleset__comes_back_from_json(name: str) -> None:
    rules = (PRESETS | VARIANTS)[name]
    again = from_data(json.loads(json.dumps(whole(rules))), {})
    assert again == rules
    assert repr(again) == repr(rules)
    for base in (BIG2, DOU_DIZHU):
        differs = json.loads(json.dumps(changes(rules, base)))
        assert from_data({"preset": base.name, **differs}, PRESETS, rules.name) == rules
    assert digest(again) == digest(rules)
    assert not changes(rules, rules)


def test_digest__tells_rules_apart_and_nothing_else() -> None:
    found = {name: digest(rules) for name, rules in (PRESETS | VARIANTS).items()}
    assert found.pop("renamed") == found["dou_dizhu_4p"]
    assert len(set(found.values())) == len(found)
    assert digest(replace(BIG2, zh="大二")) == digest(BIG2)
    assert digest(BIG2.with_patterns(PatternRule(FullHouse(), zh="三帶二"))) == digest(BIG2)
    assert digest(BIG2.with_scoring(CardsLeft(((8, 2.0),)))) == digest(BIG2.with_scoring(CardsLeft(((8, 2),))))
    reordered = replace(BIG2, patterns=BIG2.patterns[::-1])
    assert digest(reordered) != digest(BIG2)  # the order decides which reading of several is taken


def test_digest__is_the_same_in_another_process() -> None:
    code = (
        "from big2_env import available_rulesets as r\nfrom big2_env.climbing.ruleset_data import digest\n"
        "print(*[digest(one) for one in r().values()])"
    )
    environment = os.environ | {"PYTHONHASHSEED": "77"}
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True).stdout
    assert printed.split() == [digest(rules) for rules in PRESETS.values()]


def test_digest__of_a_field_that_is_added_later_stays() -> None:
    @dataclass(frozen=True)
    class Later(RuleSet):
        something_new: int = 0

    values = {name: getattr(HONG_KONG, name) for name in RuleSet.__dataclass_fields__}
    data, old = encoded(Later(**values), Later), encoded(HONG_KONG, RuleSet)
    assert data == old
    assert encoded(Later(**values, something_new=1), Later) == old | {"something_new": 1}  # type: ignore[operator]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_data__of_random_rulesets_with_classes_from_outside(seed: int) -> None:
    rules = random_ruleset(seed)
    data = whole(rules)
    assert digest(rules) == digest(replace(rules, name="other"))
    if any(":" in json.dumps(one) for one in [data["patterns"]]):
        with pytest.raises(ConfigError, match=r"^patterns\[\d+\].*is not part of this package, and is not imported from data$"):
            from_data(data, {})
    else:
        assert from_data(data, {}) == rules


def test_data__of_the_house_rules() -> None:
    found = {json.dumps(whole(rules)): digest(rules) for rules in HOUSE_RULES}
    assert len(set(found.values())) == len(found) > 5


def test_data__name_classes_from_outside_but_never_import_them() -> None:
    assert "outside_patterns:Triple" in json.dumps(whole(OUTSIDE))
    assert digest(OUTSIDE) != digest(BIG2.with_patterns("triple", OUTSIDE.patterns[-1]))  # one of that name is ours
    pot = changes(BIG2.with_scoring(Pot()), BIG2)
    assert pot == {"scoring": f"{__name__}:Pot"}
    assert changes(BIG2.with_scoring(Pot(5)), BIG2) == {"scoring": {"kind": f"{__name__}:Pot", "size": 5}}
    assert digest(BIG2.with_scoring(Pot(5))) != digest(BIG2.with_scoring(Pot()))
    for data in (pot, {"scoring": "os:system"}, {"scoring": {"kind": "os:system", "command": "true"}}):
        with pytest.raises(ConfigError, match=r"^scoring: '.*' is not part of this package, and is not imported from data$"):
            from_data({"preset": "big2", **data}, PRESETS)
    with pytest.raises(ConfigError, match=r"^patterns\[4\]\.pattern: 'outside_patterns:Triple' is not part"):
        from_data({"preset": "big2", **changes(BIG2.with_patterns(Triple()), BIG2)}, PRESETS)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"preset": "big3"}, "preset: expected one of .*hong_kong.*, got 'big3'"),
        ({"preset": 7}, "preset: expected one of .*, got '7'"),
        ({}, "zh is missing"),
        ({"zh": "x"}, "patterns is missing"),
        ({"preset": "big2", "passlock": "round"}, "unknown key 'passlock'; allowed: preset, name, zh, patterns, "),
        ({"preset": "big2", "pass_lock": "rond"}, "pass_lock: expected one of none, trick, round, got '\"rond\"'"),
        ({"preset": "big2", "pass_lock": ["round"]}, "pass_lock: expected one of none, trick, round, got "),
        ({"preset": "big2", "hand_size": "13"}, "hand_size: expected a whole number, got '\"13\"'"),
        ({"preset": "big2", "hand_size": True}, "hand_size: expected a whole number, got 'true'"),
        ({"preset": "big2", "hand_size": 13.0}, "hand_size: expected a whole number, got '13.0'"),
        ({"preset": "big2", "hand_size": 99}, "hands of 99 from 52 cards"),
        ({"preset": "big2", "auto_lead": 1}, "auto_lead: expected true or false, got '1'"),
        ({"preset": "big2", "zh": 1}, "zh: expected a text, got '1'"),
        ({"preset": "big2", "suits": "CDHS"}, "suits: expected a list of at most 1000, got "),
        ({"preset": "big2", "suits": ["C"] * 1001}, "suits: expected a list of at most 1000, got "),
        ({"preset": "big2", "suits": ["C", "D", "H", "X"]}, r"suits\[3\]: expected one of C, D, H, S, got '\"X\"'"),
        ({"preset": "big2", "suits": ["C", "D", "H", "H"]}, "suit order"),
        ({"preset": "big2", "ranks": [3]}, r"ranks\[0\]: expected one of 3, 4, .*, got '3'"),
        ({"preset": "big2", "patterns": "single"}, "patterns: expected a list"),
        ({"preset": "big2", "patterns": []}, r"expected at least one pattern, each once, got \[\]"),
        ({"preset": "big2", "patterns": ["solo"]}, r"patterns\[0\].pattern: expected one of bomb, .*, got '\"solo\"'"),
        ({"preset": "big2", "patterns": [5]}, r"patterns\[0\].pattern: expected one of bomb, .*, got '5'"),
        ({"preset": "big2", "patterns": [{"tier": 1}]}, r"patterns\[0\]: pattern is missing"),
        (
            {"preset": "big2", "patterns": [{"pattern": "single", "tier": -1}]},
            r"patterns\[0\]: single: expected tier from 0 to 1000, got -1",
        ),
        (
            {"preset": "big2", "patterns": [{"kind": "straight", "length": 99}]},
            r"patterns\[0\].pattern: straight: expected a length of 1 to 13, got 99",
        ),
        ({"preset": "big2", "patterns": [{"kind": "straight", "runs": "Runs"}]}, "runs: expected one of PointRuns, ValueRuns"),
        ({"preset": "big2", "patterns": [{"kind": "straight", "wide": 1}]}, r"pattern: unknown key 'wide'; allowed: length, "),
        ({"preset": "big2", "patterns": [{"kind": "pair", "name": "x"}]}, r"pattern: unknown key 'name'; allowed: "),
        ({"preset": "big2", "scoring": "winner"}, "scoring: expected one of CapturedPoints, CardsLeft, .*, got '\"winner\"'"),
        ({"preset": "big2", "scoring": "PenaltySettlement"}, "scoring: expected one of CapturedPoints, CardsLeft, "),
        ({"preset": "big2", "scoring": None}, "scoring: expected one of .*, got 'null'"),
        ({"preset": "big2", "scoring": {"kind": "CardsLeft", "steps": [[1]]}}, r"scoring.steps\[0\]: expected a list of 2"),
        (
            {"preset": "big2", "scoring": {"kind": "CardsLeft", "steps": [[9, 1], [8, 2]]}},
            r"scoring: expected steps of \(cards, value\), cards ascending, nothing",
        ),
        ({"preset": "big2", "scoring": "StepTable"}, "scoring: steps is missing"),
        (
            {"preset": "big2", "scoring": {"kind": "CardsLeft", "steps": [[1, float("inf")]]}},
            "expected a finite number, got inf",
        ),
        (
            {"preset": "chu_da_di", "scoring": {"kind": "PairwiseDifference", "bonuses": [["S[0]", 1]]}},
            r"scoring.bonuses\[0\]\[0\]: expected a card <suit>\[<rank>\] with suit C D H S",
        ),
        ({"preset": "big2", "deck": 52}, "deck: expected a table, got '52'"),
        ({"preset": "big2", "deck": {"copies": 3}}, "deck: "),
        ({"preset": "dou_dizhu", "auction": "Auction"}, "auction: expected one of Bid, CallRob, got '\"Auction\"'"),
        (
            {"preset": "dou_dizhu", "multipliers": ["nothing"]},
            "multiplier of unknown pattern 'nothing'; expected one of single, pair,",
        ),
    ],
)
def test_data__that_are_no_ruleset_say_where(data: dict[str, object], says: str) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        from_data(data, PRESETS, "mine")  # type: ignore[arg-type]
    assert len(str(caught.value)) < 600
    assert "\n" not in str(caught.value)


def test_data__short_forms_mean_the_long_ones() -> None:
    short = from_data({"preset": "dou_dizhu", "multipliers": ["bomb"]}, PRESETS)
    assert short == from_data({"preset": "dou_dizhu", "multipliers": [{"pattern": "bomb", "factor": 2}]}, PRESETS)
    for written in ("ValueRuns", {"kind": "ValueRuns"}, {"kind": "ValueRuns", "cap": "A"}):
        assert decoded({"kind": "straight", "runs": written}, PatternRule, "") == PatternRule(Straight(runs=ValueRuns()))


def test_data__of_a_value_that_has_no_plain_form() -> None:
    @dataclass(frozen=True)
    class Odd(Settlement):
        rate: object = object

        def payoffs(self, standing: Standing) -> tuple[float, ...]:
            return ()

    with pytest.raises(ConfigError, match="a function cannot be written as data: "):
        digest(BIG2.with_scoring(Odd(rate=lambda: 1)))
