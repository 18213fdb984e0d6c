"""Every command of a page works, as a newcomer types it; long, for some train and judge."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from forking_shell import forking_shell
from loopback_endpoint import KEY, loopback
from places import PAGES, ROOT, write_modules

SHOWN = {
    str(page.relative_to(ROOT)): commands
    for page in PAGES
    if (commands := re.findall(r"^\$ (big2 .*)$", page.read_text(encoding="utf-8"), re.MULTILINE))
}
"""By the page that shows them."""


def once(shown: dict[str, list[str]]) -> dict[str, list[str]]:
    """Leave out commands that an earlier page shows, in any language, unless a later one of the page reads what they write."""
    kept: dict[str, list[str]] = {}
    seen: set[str] = set()
    for page, commands in shown.items():
        bare = [re.sub(r" --lang \S+| +#.*", "", command) for command in commands]
        found: list[str] = []
        needed = ""
        for command, text in reversed(list(zip(commands, bare, strict=True))):
            written = re.findall(r"(?:>|--out) *(\S+)", text)
            if text not in seen or any(name in needed for name in written):
                found.append(command)
                needed += f" {text}"
        seen.update(bare)
        kept |= {page: found[::-1]} if found else {}
    return kept


COMMANDS = once(SHOWN)
SHORTER = {
    r"--minutes \d+\b(?!\.)": "--minutes 0.02",
    r"--generations \d\d": "--generations 2",
    r"--choices \d+": "--choices 200",
    r"\btrain weights (?!.*--measured-deals)": "train weights --measured-deals 20 ",
    r"\btrain (ppo|candidate-ppo) (?!.*--evaluation-deals)": r"train \1 --evaluation-deals 20 ",
    r"\btrain candidate-ppo (?!.*--games)": "train candidate-ppo --games 64 ",
    r"\btrain candidate-ppo (?!.*--width)": "train candidate-ppo --width 16 ",
    r"--games \d{3,}": "--games 64",
    r"--values search:\d+": "--values search:10",
    r"\barena (?=learned)(?!.*--deals)": "arena --deals 4 ",
    r"(\barena learned.*--deals) \d+": r"\1 4",
    r"(\barena .*--invented \d+ --deals) \d+": r"\1 2",
    r"\bsite (?!.*--days)": "site --days 0 ",
    r"--deals (\d+)0\b": r"--deals \1",
    r"\b(arena|bench) (?!.*--(jobs|positions))": r"\1 --jobs 1 ",
}
"""Replacements that shorten what takes minutes, and avoid processes of workers in commands that do not name them."""


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """The URL of an endpoint for the language models of the pages."""
    with loopback() as server:
        yield server.url


@pytest.fixture(scope="module")
def environment() -> Iterator[Mapping[str, str]]:
    """An environment in which `big2` starts at once."""
    with forking_shell() as environment:
        yield environment


@pytest.mark.parametrize("page", COMMANDS)
def test_pages__every_command_works(page: str, tmp_path: Path, endpoint: str, environment: Mapping[str, str]) -> None:
    """One after the other, as a user types them who leaves `big2 play` at once."""
    environment = {**environment, "OPENAI_API_KEY": KEY}
    write_modules(ROOT / page, tmp_path)
    for command in COMMANDS[page]:
        shell = command
        for long, short in SHORTER.items():
            shell = re.sub(long, short, shell)
        shell = re.sub(r"--llm-url http\S+", f"--llm-url {endpoint}", shell)
        done = subprocess.run(
            shell, shell=True, cwd=tmp_path, capture_output=True, encoding="utf-8", timeout=300, input="q\n", env=environment
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        assert "Traceback" not in done.stderr, command


def test_pages__there_are_commands() -> None:
    assert sum(map(len, COMMANDS.values())) >= 40


def test_once__leaves_out_what_was_run_and_keeps_what_is_read() -> None:
    shown = {
        "first": ["big2 sample > game.in  # a game", "big2 run game.in", "big2 rules"],
        "second": ["big2 sample > game.in", "big2 rules --lang zh-Hans", "big2 state game.in:12"],
        "third": ["big2 sample > game.in", "big2 run game.in"],
    }
    assert once(shown) == {"first": shown["first"], "second": ["big2 sample > game.in", "big2 state game.in:12"]}
