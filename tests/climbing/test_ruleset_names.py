"""Rulesets by the names that people write."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from run_cli import run_cli

from big2_env.base.errors import ConfigError
from big2_env.base.language.words import catalogue
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset_data import folded
from big2_env.climbing.rulesets import BIG2, available_rulesets, named, ruleset
from big2_env.climbing.saved_rules import SavedRules
from big2_env.envs.aec import raw_env
from big2_env.notation import positions
from big2_env.tables.browser.messages import Refused
from big2_env.tables.browser.new_tables import new_session
from big2_env.text.session import Session

NAMES = {
    "BIG2": "big2",
    "BigTwo": "big2",
    "big-two": "big2",
    "大老二": "big2",
    "Hong Kong Big Two": "hong_kong",
    "锄大弟": "chu_da_di",
    "鋤大弟": "chu_da_di",
    "鋤大D": "chu_da_di",
    "臺灣大老二": "taiwan",
    "Taiwanese Big Two": "taiwan",
    "PusoyDos": "pusoy_dos",
    "菲律宾大老二": "pusoy_dos",
    "Capsa Banting": "capsa",
    "印尼大老二": "capsa",
    "Dou Dizhu": "dou_dizhu",
    "DOU_DIZHU": "dou_dizhu",
    "Landlords": "dou_dizhu",
    "二打一": "dou_dizhu",
    "2打1": "dou_dizhu",
    "欢乐斗地主": "dou_dizhu",
    "歡樂鬥地主": "dou_dizhu",
    "竞技二打一（扑克）": "dou_dizhu",
    "landlordsx": "dou_dizhu_x",
    "Dou Dizhu Extended": "dou_dizhu_x",
    "斗地主 拓展版": "dou_dizhu_x",
    "Landlords4P": "dou_dizhu_4p",
    "4人斗地主": "dou_dizhu_4p",
    "4人鬥地主": "dou_dizhu_4p",
    "3两1": "three_two_one",
    "3兩1": "three_two_one",
    "ThreeTwoOne": "three_two_one",
    "5瓜皮": "wu_gua_pi",
    "Wuguapi": "wu_gua_pi",
    "7鬼521": "qi_gui_521",
    "Qiguiwueryi": "qi_gui_521",
    "七鬼523": "qi_gui_523",
    "7鬼５２３": "qi_gui_523",
    "Qi Gui 5-2-3": "qi_gui_523",
    "QIGUIWUERSAN": "qi_gui_523",
}


@pytest.mark.parametrize(("name", "expected"), NAMES.items())
def test_names__in_either_script_and_any_spelling_find_the_ruleset(name: str, expected: str) -> None:
    assert ruleset(name) is named(name) is available_rulesets()[expected]


def test_names__no_two_games_share_one() -> None:
    owners: dict[str, set[str]] = {}
    for key, texts in catalogue().items():
        file, _, game = key.partition(".")
        if file in ("game", "game_synonyms"):
            called = texts.values() if file == "game" else (one for text in texts.values() for one in text.split(","))
            for name in [game, *called]:
                owners.setdefault(folded(name), set()).add(game)
    assert {name: games for name, games in owners.items() if len(games) > 1} == {}
    assert {key.partition(".")[2] for key in catalogue() if key.startswith("game_synonyms.")} <= set(available_rulesets())


def test_names__of_everything_that_takes_one_are_read_alike(tmp_path: Path) -> None:
    rules = ruleset("qi_gui_523")
    table = Session()
    table.initialize("7鬼523")
    table.deal(seed=1)
    (tmp_path / "mine.toml").write_text('preset = "7鬼523"\n', "utf-8")
    assert run_cli("games", "7鬼523").out == run_cli("games", "qi_gui_523").out
    assert table.game.ruleset is rules
    assert raw_env("7鬼523").ruleset is rules
    assert SavedRules().of({"ruleset": "7鬼523"}) is rules
    assert ruleset(tmp_path / "mine.toml").ranks == rules.ranks
    assert new_session("7鬼523", ["lowest"], None, 1, "lowest").ruleset is rules
    assert run_cli("rules", "Un-O").out == run_cli("rules", "uno").out


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("big3", "unknown ruleset 'big3'; did you mean big2? (big2 games lists all)"),
        ("斗地猪", "unknown ruleset '斗地猪'; did you mean dou_dizhu? (big2 games lists all)"),
        ("landlord", "unknown ruleset 'landlord'; did you mean dou_dizhu, dou_dizhu_x or dou_dizhu_4p? (big2 games lists all)"),
        (
            "whist",
            "unknown ruleset 'whist'; expected big2, capsa, chu_da_di, dou_dizhu, dou_dizhu_4p, dou_dizhu_x, hong_kong, "
            "pao_de_kuai, pusoy_dos, qi_gui_521, qi_gui_523, taiwan, three_two_one, tien_len, wu_gua_pi, "
            "invented:SEED, a file (*.json, *.toml) or MODULE:NAME",
        ),
    ],
)
def test_names__that_are_unknown_get_the_nearest_in_one_line(name: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ruleset(name)
    assert str(caught.value) == says
    assert run_cli("play", "--game", name) == (2, "", f"big2: {says}\n")


def test_names__that_are_unknown_get_the_nearest_in_rules_and_on_the_web_too() -> None:
    assert run_cli("rules", "unoo").err == "big2: unknown ruleset 'unoo'; did you mean uno? (big2 games lists all)\n"
    with pytest.raises(Refused, match=r"^game: unknown ruleset 'big3'; did you mean big2\? \(big2 games lists all\)$"):
        new_session("big3", ["lowest"], None, 1, "lowest")
    assert named("x" * 10_000) is None
    with pytest.raises(ConfigError, match=r"^unknown ruleset 'xxx"):
        ruleset("x" * 10_000)


def test_name__that_a_ruleset_may_have_can_be_read_from_records() -> None:
    rules = replace(BIG2, name="x" * 100)
    game = Game.deal(rules, 1)
    assert positions.loads(positions.dumps(game), {rules.name: rules}).ruleset == rules
    with pytest.raises(ConfigError, match=r"^name: expected at most 100 characters, got 'x+'\.\.\.$"):
        replace(BIG2, name="x" * 101)
