"""`--lang` is an option of every verb, and changes no data."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from places import ROOT
from run_cli import run_cli

from big2_agents.data.files import load
from big2_agents.review import command
from big2_env.base.language import Language
from big2_env.cli import Family, available_verbs, family_verbs, load_verb

SEVERAL = {
    Language.EN: "expected one game, which is all that an input can hold, got several",
    Language.HANT: "輸入檔只能容納一局，卻有多局",
    Language.HANS: "输入文件只能容纳一局，却有多局",
}


def verbs() -> Iterator[tuple[str, ...]]:
    """The words of every verb, those of families too."""
    for name in available_verbs():
        found = load_verb(name)
        if isinstance(found, Family):
            yield from ((name, member) for member in family_verbs(name, found))
        else:
            yield (name,)


def test_lang__is_an_option_of_every_verb() -> None:
    found = list(verbs())
    assert len(found) > 30
    assert [words for words in found if "--lang" not in run_cli(*words, "--help").out] == []


@pytest.mark.parametrize(
    "words",
    [
        "bench lowest",
        "convert",
        "export lowest --out unused",
        "sample",
        *(f"train {method}" for method in ("candidate-ppo", "ppo", "weights")),
    ],
)
def test_lang__that_is_none_is_refused_before_anything_is_done(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = run_cli(*words.split(), "--lang", "fr")
    assert answer == (2, "", "big2: --lang: expected en, zh-Hant, zh-Hans, got 'fr'\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("lang", list(Language))
def test_lang__changes_errors_of_convert_and_no_data(lang: Language) -> None:
    sample = run_cli("sample", "--lang", lang.value)
    assert (sample, sample.out.count("\n"), sample.err) == (run_cli("sample"), 50, "")
    records = run_cli("convert", "--lang", lang.value, stdin=sample.out)
    assert (records, records.out.count("\n"), records.err) == (run_cli("convert", stdin=sample.out), 1, "")
    log = run_cli("convert", "--lang", lang.value, stdin=records.out)
    assert (log, log.out[:9]) == (run_cli("convert", stdin=records.out), "新的回合開始了。\n")
    several = run_cli("convert", "--to", "input", "--lang", lang.value, stdin=2 * records.out)
    assert several == (2, "", f"big2: {SEVERAL[lang]}\n")


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("zh-Hant", "{folder}：5 局，{decisions} 次決策，3 個檔案共 {size:,} 位元組\n"),
        ("zh-Hans", "{folder}：5 局，{decisions} 次决策，3 个文件共 {size:,} 字节\n"),
    ],
)
def test_export__speaks_chinese_and_writes_the_same_data(lang: str, said: str, tmp_path: Path) -> None:
    arguments = ["export", "greedy", "--games", "5", "--piece", "2", "--jobs", "1", "--out"]
    answer = run_cli(*arguments, str(tmp_path / "one"), "--lang", lang)
    size = sum(path.stat().st_size for path in (tmp_path / "one").glob("*.npz"))
    shown = said.format(folder=tmp_path / "one", decisions=len(load(tmp_path / "one")), size=size)
    assert answer == (0, shown, "")
    assert run_cli(*arguments, str(tmp_path / "two"), "--lang", "en").status == 0
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes()


def test_notes__on_standard_error_are_in_the_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    titles: list[str] = []

    @contextmanager
    def noted(what: str, total: int) -> Iterator[Callable[[int], None]]:
        titles.append(what)
        yield lambda number: None

    monkeypatch.setattr(command, "counting", noted)
    game, gif, page = str(ROOT / "tests" / "data" / "game.in:40"), tmp_path / "game.gif", tmp_path / "game.html"
    shown = run_cli("show", game, "--gif", str(gif), "--html", str(page), "--judge", "heuristic", "--lang", "zh-Hans")
    assert (shown.status, titles) == (0, ["评析", "绘图"])
    out = tmp_path / "arena.jsonl"
    answer = run_cli("arena", "lowest", "greedy", "--deals", "1", "--jobs", "1", "--out", str(out), "--lang", "zh-Hant")
    assert "big2: 再打同樣的牌：--seed drawn:" in answer.err
