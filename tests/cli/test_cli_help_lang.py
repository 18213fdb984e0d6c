"""Help follows the language, and every text of it is translated."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from one_language import SCRIPTS, other_script
from run_cli import run_alone, run_cli
from typer import rich_utils
from typer.main import get_command

from big2_env.base.language import VARIABLE, Language
from big2_env.cli import _help, _verbs
from big2_env.cli._group import _HELP, _command, app

NAMES = ("automatic", "automatic, rule-v1", "big2", "Kayla,Samuel", "runs/METHOD-RULESET")
"""Defaults that are names."""
KEPT = re.compile(r"--[a-z][a-z-]*|\b[A-Z][A-Z_]{2,}\b|[\w-]+\.(?:jsonl?|npz|toml|pt|csv|svg|md|pip)\b|`[^`]+`")
"""What a translation keeps: options, metavars, files and code."""


def commands() -> Iterator[tuple[str, Any]]:
    """Every command of typer by its words, families and `big2` itself too."""
    yield "", get_command(app)
    for name in _verbs.available_verbs():
        command = _command(name)
        yield name, command
        for member, listed in getattr(command, "commands", {}).items():
            yield f"{name} {member}", listed._build() if hasattr(listed, "_build") else listed


@cache
def shown() -> dict[str, str]:
    """Every English text of the help, with the command that shows it."""
    found = dict.fromkeys((getattr(rich_utils, name) for name in _help.FIXED), "the renderer")
    found |= dict.fromkeys(("Usage:", _help.EXAMPLES, "Show this message and exit."), "every command")
    for words, command in commands():
        for text in _help.paragraphs((_HELP if not words else command.help or "").replace("\b", "").replace("\\[", "[")):
            if not text.startswith(_help.EXAMPLES) or not words:
                found.setdefault(text, words)
        for parameter in command.params:
            for part in ("help", "rich_help_panel"):
                if text := getattr(parameter, part, None):
                    found.setdefault(text, words)
            default = parameter.show_default
            if isinstance(default, str) and re.search("[a-z]{2}", default) and default not in NAMES:
                found.setdefault(default, words)
    return found


def test_help__is_found_in_every_command() -> None:
    assert len(dict(commands())) > 40
    assert len(shown()) > 350


def test_help__has_every_text_once_and_no_other_text() -> None:
    known = Counter(text["en"] for text in _help.catalogue())
    assert {text: words for text, words in shown().items() if text not in known} == {}
    assert [text for text in known if text not in shown()] == []
    assert [text for text, number in known.items() if number > 1] == []


@pytest.mark.parametrize("lang", SCRIPTS)
def test_help__is_chinese_in_one_script(lang: Language) -> None:
    assert [text["en"] for text in _help.catalogue() if not re.search("[\u3400-\u9fff]", text[lang.value])] == []
    found = {text["en"]: other_script(text[lang.value], lang) for text in _help.catalogue()}
    assert {text: characters for text, characters in found.items() if characters} == {}


@pytest.mark.parametrize("lang", SCRIPTS)
def test_help__keeps_options_metavars_files_and_code(lang: Language) -> None:
    lost = {text["en"]: set(KEPT.findall(text["en"])) - set(KEPT.findall(text[lang.value])) for text in _help.catalogue()}
    assert {text: names for text, names in lost.items() if names} == {}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("play --help --lang zh-Hans", "在牌桌上或文字界面和智能体打牌。"),
        ("play --lang=zh-Hant --help", "在牌桌上或文字介面和代理人打牌。"),
        ("uno strength --help --lang zh-Hant", "RLCard"),
        ("train ppo --lang ZH-HANS --help", "╭─ 牌局与对手 ─"),
        ("--help --lang zh-Hant", "╭─ 指令 ─"),
        ("--lang zh-Hans --help", "让四个智能体打一局"),
        ("--lang zh-Hans", "让四个智能体打一局"),
        ("uno --help --lang zh-Hans", "╭─ 命令 ─"),
        ("uno --lang zh-Hant --help", "用所有核心讓自動玩家打很多局"),
        ("uno --lang zh-Hant", "用所有核心讓自動玩家打很多局"),
    ],
)
def test_help__follows_lang_in_any_order(words: str, said: str) -> None:
    answer = run_cli(*words.split())
    assert (answer.status, answer.err) == (0, "")
    assert said in answer.out
    assert not re.search("Usage:|Options|Examples:|Show this|default:", answer.out)


def test_help__follows_the_variable_and_lang_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    english = run_cli("arena", "--help")
    monkeypatch.setenv(VARIABLE, "zh-Hant")
    assert "用同樣的牌、輪流坐遍所有座位，比較代理人。" in run_cli("arena", "--help").out
    assert run_cli("arena", "--help", "--lang", "en") == english
    monkeypatch.setenv(VARIABLE, "fr")
    assert run_cli("arena", "--help") == english


@pytest.mark.parametrize("columns", ["40", "80", "100"])
@pytest.mark.parametrize("lang", SCRIPTS)
def test_help__is_cut_nowhere(lang: Language, columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for words in ("arena", "fishing play", "games", "train candidate-ppo"):
        answer = run_cli(*words.split(), "--help", "--lang", lang.value)
        assert "…" not in answer.out.replace("AGENT…", "")


def test_line_breaks__keep_words_and_punctuation() -> None:
    text = "加上 --games 時，由代理人打（見 big2 play）。"
    breaks = [0, *_help.line_breaks(text, 12), len(text)]
    assert [text[start:end] for start, end in pairwise(breaks)] == [
        "加上 ",
        "--games 時，",
        "由代理人打",
        "（見 big2 ",
        "play）。",
    ]


def test_translated__leaves_texts_of_other_packages_in_english() -> None:
    own = _help.for_typer("Do [this].\n\nExamples:\n    big2 own [x]\n")
    assert _help.translated(own, _help.texts("zh-Hant")) == own.replace("Examples:", "範例：")


def test_renderer__leaves_out_markdown_until_it_is_used() -> None:
    then = (
        "from typer import rich_utils\n"
        "print({'rich.markdown', 'rich.traceback'} & set(sys.modules), file=sys.stderr)\n"
        "text, trace = rich_utils.Markdown('# A'), rich_utils.Traceback.from_exception(OSError, OSError(), None)\n"
        "print(type(text).__module__, type(trace).__module__, file=sys.stderr)"
    )
    done = run_alone(["--help"], then)
    assert done.err == "set()\nrich.markdown rich.traceback\n"
    assert "--version" in done.out
