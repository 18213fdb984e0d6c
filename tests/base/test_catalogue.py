"""Every text stands in every language, with the same fields."""

from __future__ import annotations

import re
from string import Formatter
from typing import Any

import pytest

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, language, words
from big2_env.base.language.words import catalogue
from big2_env.climbing.rulesets import available_rulesets
from big2_env.text.names import pattern_name

TAGS = {one.value for one in Language}
CHINESE = re.compile("[\u3400-\u9fff]")


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def test_catalogue__every_key_has_every_language_and_the_same_fields() -> None:
    for key, texts in catalogue().items():
        assert set(texts) == TAGS, key
        assert all(texts.values()), key
        assert len({frozenset(fields(text)) for text in texts.values()}) == 1, key
        assert not CHINESE.search(texts["en"]), key


def test_catalogue__names_every_game_and_pattern_as_the_rules_do() -> None:
    for rules in available_rulesets().values():
        assert f"game.{rules.name}" in catalogue()
        for rule in rules.patterns:
            assert pattern_name(rules, rule.pattern.name, words(Language.HANT)) == rules.zh_of(rule.pattern.name)


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, Language.EN),
        ({"LANG": "C.UTF-8"}, Language.EN),
        ({"LANG": "zh_HK.UTF-8"}, Language.HANT),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "zh_TW"}, Language.HANT),
        ({"LANG": "zh_SG"}, Language.HANS),
        ({"LANG": "zh_MO@x"}, Language.HANT),
        ({"LANG": "zh-Hans-HK"}, Language.HANS),
        ({"LANG": "Chinese (Traditional)_Hong Kong SAR.950"}, Language.HANT),
        ({"LANG": "Chinese_Taiwan.950"}, Language.HANT),
        ({"LANG": "Chinese (Simplified)_China.936"}, Language.HANS),
        ({"LANG": "zh_CN.UTF-8", "BIG2_LANG": "en"}, Language.EN),
    ],
)
def test_language__of_the_environment(environ: dict[str, str], expected: Language) -> None:
    assert language(None, environ) is expected


def test_language__says_what_is_expected() -> None:
    with pytest.raises(ConfigError, match=r"--lang: expected en, zh-Hant, zh-Hans, got 'fr'"):
        language("fr")
    with pytest.raises(ConfigError, match=r"BIG2_LANG: expected en, zh-Hant, zh-Hans, got 'xx'"):
        language(None, {"BIG2_LANG": "xx"})


def test_words__of_what_is_in_no_catalogue() -> None:
    assert words(Language.EN).name("pattern", "my_pattern", fallback="我的") == "my pattern"
    assert words(Language.HANS).name("pattern", "my_pattern", fallback="我的") == "我的"
    assert words(Language.HANS).name("pattern", "my_pattern", fallback="") == "my pattern"
    assert words(Language.HANT).game("my_house", "") == "my house"


def test_game__of_ones_own_is_called_by_its_name_unless_it_was_given_a_chinese_one() -> None:
    """A preset with changes has the preset's Chinese name, which would say that it is that game."""
    for one in Language:
        tr = words(one)
        assert tr.game("my_house", "大老二") == tr.game("my_house", "斗地主") == "my house"
    assert words(Language.HANT).game("my_house", "我家的") == words(Language.HANS).game("my_house", "我家的") == "我家的"
    assert words(Language.HANT).game("dou_dizhu", "斗地主") == "鬥地主"


@pytest.mark.parametrize("given", ["en", "zh-Hant", None, 5])
def test_words__takes_a_language_only(given: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        words(given)
    assert str(caught.value) == f"expected Language.EN, Language.HANT, Language.HANS, got {given!r}"
