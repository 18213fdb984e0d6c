"""Rulesets named by a file or by MODULE:NAME."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from functools import reduce
from itertools import pairwise
from operator import getitem
from pathlib import Path
from time import process_time

import pytest

import big2_env
from big2_env import BIG2, HONG_KONG, ConfigError, Game, Lead, PassLock, available_rulesets, ruleset
from big2_env.base.cards import as_mask
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.ruleset import PatternRule
from big2_env.climbing.ruleset_data import dump_ruleset
from big2_env.climbing.saved_rules import SavedRules, identity
from big2_env.climbing.settlement import CardsLeft
from big2_env.climbing.shapes import Suits
from big2_env.kernels.compile import compile_tables

STRICT = """
preset = "big2"
pass_lock = "round"
scoring = { kind = "CardsLeft", steps = [[8, 2], [10, 3]] }
patterns = ["single", "pair", { pattern = { kind = "straight", suits = "mixed" }, group = "five" }]
"""


def test_file__in_toml_and_in_json_gives_the_same_ruleset(tmp_path: Path) -> None:
    toml = tmp_path / "strict.toml"
    toml.write_text(STRICT, "utf-8")
    rules = ruleset(str(toml))
    five = PatternRule(Straight(suits=Suits.MIXED), "five")
    assert rules == replace(
        BIG2,
        name="strict",
        pass_lock=PassLock.ROUND,
        scoring=CardsLeft(((8, 2), (10, 3))),
        patterns=(*BIG2.patterns[:2], five),
    )
    for base in (BIG2, HONG_KONG, None):
        written = tmp_path / "other.JSON"
        written.write_text("\ufeff" + dump_ruleset(rules, base), "utf-8")
        assert ruleset(written) == rules


def test_file__of_the_manual_is_one(tmp_path: Path) -> None:
    page = (Path(big2_env.__file__).parent / "climbing" / "README.md").read_text("utf-8")
    path = tmp_path / "house.toml"
    path.write_text(page.split("```toml\n")[1].split("```")[0], "utf-8")
    rules = ruleset(path)
    assert (rules.name, rules.pass_lock, rules.scoring) == ("house", PassLock.TRICK, CardsLeft(((8, 2), (10, 3))))
    assert {rule.pattern.name for rule in rules.patterns} == {"single", "pair", "full_house", "triple", "flush"}


def test_file__of_another_program_in_the_manual_has_its_rules(tmp_path: Path) -> None:
    page = (Path(big2_env.__file__).parent / "climbing" / "README.md").read_text("utf-8")
    path = tmp_path / "bluo42.json"
    path.write_text(page.split("```json\n")[1].split("```")[0], "utf-8")
    rules = ruleset(path)
    assert (rules.name, rules.pass_lock, rules.lead) == ("bluo42", PassLock.TRICK, Lead.CONTAINS)
    rungs = (
        *("S[10] S[J] S[Q] S[K] D[A]", "D[3] D[5] D[6] D[7] D[2]", "C[3] C[5] C[6] C[7] C[8]", "S[3] S[5] S[6] S[7] S[8]"),
        *("D[3] C[3] H[3] D[4] C[4]", "D[3] C[3] H[3] S[3] D[4]", "D[3] D[4] D[5] D[6] D[7]"),
    )
    plays = [rules.play(rung) for rung in rungs]
    assert all(rules.beats(higher, lower) for lower, higher in pairwise(plays))
    assert [rules.table.classify(as_mask(cards)) for cards in ("D[3] C[3] H[3]", "D[2] C[3] H[4] S[5] D[6]")] == [[], []]
    assert [rules.scoring.owed((1 << left) - 1, 4) for left in (9, 10, 12, 13)] == [9, 20, 24, 39]


@pytest.mark.parametrize("name", available_rulesets())
def test_file__of_a_preset_stands_alone(name: str, tmp_path: Path) -> None:
    path = tmp_path / "copy.json"
    path.write_text(dump_ruleset(ruleset(name)), "utf-8")
    assert ruleset(path) == ruleset(name)
    path.write_text(json.dumps({"preset": name}), "utf-8")
    assert ruleset(path) == replace(ruleset(name), name="copy")


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.toml", b"preset = ", "a.toml: "),
        ("a.toml", b'preset = "big2"\npreset = "big2"', "a.toml: "),
        ("a.toml", b'preset = "big2"\nhand_size = 1979-05-27', "a.toml: hand_size: expected a whole number, got "),
        ("a.toml", b"x = " + b"[" * 5000, "a.toml: "),
        ("a.json", b"[]", r"a.json: expected a JSON object"),
        ("a.json", b'{"preset": "big2", "preset": "big2"}', "a.json: the key 'preset' is given twice"),
        ("a.json", b"[" * 5000, "a.json: invalid JSON"),
        ("a.json", b'{"preset": "big2", "hand_size": NaN}', "a.json: NaN is no JSON number"),
        ("a.json", b"\xff\xff", "a.json: line 1: expected text in UTF-8, got the byte 0xff"),
        ("a.json", b" " * (1 << 16) + b"{}", "a.json: expected at most 65,536 bytes, got more"),
        ("a.json", b'{"preset": "big2", "scoring": "os:system"}', "a.json: scoring: 'os:system' is not part of this package"),
        ("a.json", b'{"preset": "big2", "name": "../a"}', "a.json: name: expected up to 60 letters"),
        ("a b.json", b'{"preset": "big2"}', "a b.json: name: expected .* got 'a b', the file's own; give it a name"),
        ("empty.toml", b"", "empty.toml: zh is missing: expected preset with what differs from it, or a whole ruleset"),
        ("a.json", b'{"preset": "a.json"}', "a.json: preset: expected one of "),
    ],
)
def test_file__that_is_no_ruleset_gives_one_line(name: str, content: bytes, says: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=says) as caught:
        ruleset(str(path))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600 + len(str(path))


NUMBERS = (-1, 2**31, 2**63, 10**30, -(10**30), 1e300)
PLACES = [
    ("dou_dizhu", ("hand_size",)), ("dou_dizhu", ("min_players",)), ("dou_dizhu", ("max_players",)),
    ("dou_dizhu", ("patterns", 5, "longest")), ("dou_dizhu", ("patterns", 6, "length")),
    ("dou_dizhu", ("patterns", 12, "bomb")),
    ("dou_dizhu", ("deck", "copies")), ("dou_dizhu", ("spring",)), ("dou_dizhu_4p", ("patterns", 8, "bomb_per_card")),
    ("dou_dizhu_4p", ("multipliers", 0, "sizes", 1)), ("three_two_one", ("scoring", "steps", 0, 1)),
    ("chu_da_di", ("scoring", "bonuses", 0, 1)), ("pao_de_kuai", ("patterns", 5, "pattern", "each")), ("big2", ("players",)),
]  # fmt: skip
"""Numbers of the files of presets."""


@pytest.mark.parametrize(("name", "place"), PLACES, ids=[f"{name}.{'.'.join(map(str, place))}" for name, place in PLACES])
def test_file__of_huge_numbers__is_refused_in_one_line_or_serves_both_engines(
    name: str, place: tuple[str | int, ...], tmp_path: Path
) -> None:
    path, *outer, last = tmp_path / "huge.json", *place
    for number in NUMBERS:
        data = json.loads(dump_ruleset(ruleset(name)))
        reduce(getitem, outer, data)[last] = number
        path.write_text(json.dumps(data))
        began, refused = process_time(), ""
        try:
            rules = ruleset(path)
            assert len(Game.deal(rules, 1).legal_plays())
            compile_tables(rules)
        except ConfigError as error:
            refused = str(error)
        assert "\n" not in refused
        assert process_time() - began < 5


def test_file__of_a_long_list__is_refused_in_a_short_line(tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    for key, content in (("patterns", ["single", "pair"] * 2000), ("suits", ["S", "H"] * 2000), ("ranks", ["3"] * 4000)):
        path.write_text(json.dumps({"preset": "big2", key: content}))
        with pytest.raises(ConfigError, match=r"long.json: .*\.\.\.$") as caught:
            ruleset(path)
        assert len(str(caught.value)) < 620 + len(str(path))


def test_file__that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        ruleset(str(tmp_path / "none.toml"))


def test_module__gives_its_ruleset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_rules.py").write_text("from big2_env import BIG2\nMINE = BIG2.with_patterns('flush')\nOTHER = 4\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert ruleset("own_rules:MINE") == BIG2.with_patterns("flush")
    for name, says in [
        ("own_rules:OTHER", "ruleset 'own_rules:OTHER': expected a RuleSet, got int"),
        ("own_rules:NONE", "ruleset 'own_rules:NONE': expected a RuleSet, got nothing"),
        ("own_rules:", "expected a RuleSet, got nothing"),
        ("no_such_module:X", "'no_such_module' cannot be imported: No module named 'no_such_module'"),
        (":X", "'' cannot be imported"),
        ("..:X", "'..' cannot be imported"),
        ("nothing", "unknown ruleset 'nothing'; expected big2, capsa, chu_da_di, dou_dizhu,"),
        ("x" * 1000, "ruleset 'xxx"),
    ]:
        with pytest.raises(ConfigError, match=says):
            ruleset(name)


def test_module__is_looked_for_in_the_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "rules_here.py").write_text("from big2_env import BIG2\nMINE = BIG2.with_patterns('flush')\n")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    assert ruleset("rules_here:MINE") == BIG2.with_patterns("flush")


def test_module__that_fails_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    for name, code, says in [
        ("rules_raising", "1 / 0", "ZeroDivisionError: division by zero"),
        ("rules_misspelt", "def x(:", "SyntaxError: invalid syntax"),
        ("rules_leaving", "raise SystemExit(0)", "SystemExit: 0"),
        ("rules_needing", "import nothing_of_that_name", "ModuleNotFoundError: No module named 'nothing_of_that_name'"),
    ]:
        (tmp_path / f"{name}.py").write_text(code)
        with pytest.raises(ConfigError, match=rf"ruleset '{name}:X': '{name}' cannot be imported: {says}") as caught:
            ruleset(f"{name}:X")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["\x1b]0;owned\x07", "大\u202e老二", "\u2028", "\x9b31m"])
def test_file__with_unprintable_texts__is_refused_in_printable_ones(text: str, tmp_path: Path) -> None:
    path, recorded = tmp_path / "own.json", identity(replace(ruleset("big2"), zh="printable"))
    path.write_text(json.dumps({"preset": "big2", "zh": text}))
    recorded["rules"]["changes"]["zh"] = text
    for read in (lambda: ruleset(path), lambda: SavedRules().of(recorded), lambda: replace(ruleset("big2"), zh=text)):
        with pytest.raises(ConfigError, match=r"expected printable characters, got") as caught:
            read()
        assert str(caught.value).isprintable()


@pytest.mark.parametrize("number", [0, -3, 1, 53, 10**9])
def test_file__of_an_impossible_number_of_players__is_refused(number: int, tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps({"preset": "big2", "players": number}))
    with pytest.raises(ConfigError, match=rf"own.json: players: expected None or a number from 2 to 52, got {number}"):
        ruleset(path)


@pytest.mark.parametrize(
    ("name", "content"), [("own.toml", "players = {}"), ("own.json", '{{"preset": "big2", "players": {}}}')]
)
def test_file__of_a_number_of_5000_digits__is_refused_in_one_line(name: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content.format("9" * 5000))
    with pytest.raises(ConfigError, match=rf"{name}: invalid .*: .*limit") as caught:
        ruleset(path)
    assert "\n" not in str(caught.value)
