"""Texts of others in the terminal: nothing in them moves the cursor, changes colors or turns the direction of writing."""

from __future__ import annotations

from pathlib import Path

import pytest
from run_cli import run_cli

from big2_env.agents.interface import make_agent
from big2_env.base.errors import ConfigError, RemoteError, failure_text, one_line, visible

RAW = "\x1b[2J\x07\x9b31m\u202e\u2028\x00"
HOSTILE = f"a{RAW}b"


def test_errors__show_control_characters_as_escapes() -> None:
    for text in (one_line(HOSTILE), failure_text(RemoteError(HOSTILE)), failure_text(ValueError(HOSTILE)), visible(HOSTILE)):
        assert text.isprintable()
        assert r"a\x1b[2J\x07\x9b31m\u202e" in text
    assert visible("你好\u3000 x\nA♠") == "你好\u3000 x\nA♠"


@pytest.mark.parametrize("verb", ["run", "show", "convert", "state"])
def test_file_names__are_shown_as_escapes(verb: str, tmp_path: Path) -> None:
    found = run_cli(verb, str(tmp_path / "no\x1b[2J\u202ename"))
    assert found.status == 2
    assert r"no\x1b[2J\u202ename" in found.err
    assert found.err.strip().isprintable()


def test_logs__that_differ_and_their_file_names_are_shown_as_escapes(tmp_path: Path) -> None:
    game = run_cli("sample").out.encode()
    path = tmp_path / "no\x1b[2J\u202ename.in"
    path.write_bytes(game)
    path.with_suffix(".out").write_text(f"新的{RAW[:-1]}", encoding="utf-8")
    (tmp_path / "a\x1b[2J.in").write_bytes(game)
    (tmp_path / "a\x1b[2J.out").write_text(run_cli("run", stdin=game).out, encoding="utf-8")
    found = run_cli("run", "--check", str(tmp_path))
    assert found.status == 1
    assert r"新的\x1b[2J\x07" in found.out
    assert r"no\x1b[2J\u202ename" in found.out
    assert found.out.replace("\n", "").isprintable()


def test_agents__whose_module_fails_with_hostile_words__are_named_in_printable_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hostile_agent.py").write_text(f"class Bad:\n    def __init__(self):\n        raise OSError({HOSTILE!r})\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ConfigError, match=r"cannot be made: OSError: a\\x1b\[2J") as caught:
        make_agent("hostile_agent:Bad")
    assert str(caught.value).isprintable()
