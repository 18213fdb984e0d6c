"""`big2 rules`: the rules of a game in words, or a check of a ruleset."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from typing import Annotated

import typer

from big2_env.base.errors import ConfigError
from big2_env.base.language import Words
from big2_env.base.scene import WIDTH, RulesPage, RulesSection
from big2_env.base.side_games import side_game, side_games
from big2_env.cli._options import Invented, Lang, or_invented, words_of
from big2_env.cli._status import STATUS
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.ruleset_data import SUFFIXES, differences, unknown_ruleset
from big2_env.climbing.rulesets import BIG2, OTHERWISE, available_rulesets, named
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.runs.progress import waiting
from big2_env.text.rules import rules_page


def command(
    game: Annotated[str, typer.Argument(help="Name from big2 games, ruleset file, or MODULE:NAME.")] = "big2",
    invented: Invented = None,
    lang: Lang = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object with title and sections.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Try the ruleset in every part of the package.")] = False,
) -> int:
    """Print the rules of a game in words, or check a ruleset.

    The text is generated from the ruleset, so it is right for variants and ruleset files as well. At the end are the settings
    that differ from big2.

    With --check, play short games by the ruleset in rules, text format, environments, compiled engine and agents instead. Each
    part gets a line, with the reason if it refuses the ruleset. Exit status: 0 if all parts pass, 1 if one fails.

    Examples:
        big2 rules
        big2 rules dou_dizhu --lang zh-Hans
        big2 rules mine.json --markdown > rules.md
        big2 rules --invented 7
        big2 rules mine.json --check
    """
    if markdown + as_json + check > 1:
        raise ConfigError("expected one of --markdown, --json and --check, got several")
    tr, game = words_of(lang), or_invented(game, invented)
    if check:
        return check_game(game, tr)
    page = page_of(game, tr)
    if markdown:
        print(page.markdown(), end="")
    elif as_json:
        print(json.dumps(page.as_json(), ensure_ascii=False))
    else:
        width = min(shutil.get_terminal_size((WIDTH, 24)).columns, 100) if sys.stdout.isatty() else WIDTH
        print(page.text(width), end="")
    return STATUS["done"]


def check_game(game: str, tr: Words) -> int:
    """Print the results of `check_ruleset`, and return the exit status.

    Args:
        game: Name of a ruleset, a ruleset file or MODULE:NAME.
        tr: Texts of the language.

    Raises:
        OSError: The ruleset file cannot be read.
        ConfigError: The ruleset does not exist.
    """
    from big2_env.testing.ruleset_checks import check_ruleset

    status = "done"
    for part, reason in check_ruleset(ruleset_named(game), during=lambda part: waiting(tr.name("ruleset_check", part))):
        name = tr.name("ruleset_check", part)
        print(tr("check.refused", file=name, reason=reason) if reason else tr("check.passed", file=name), flush=True)
        status = "differs" if reason else status
    return STATUS[status]


def page_of(game: str, tr: Words) -> RulesPage:
    """Return the rules of a game as a page.

    Args:
        game: Name of a game, a ruleset file or MODULE:NAME.
        tr: Texts of the language.

    Raises:
        OSError: The ruleset file cannot be read.
        ConfigError: The game does not exist.
    """
    found = side_game(game)
    if found is not None:
        return found.usual().rules_page(tr.language)
    is_name = ":" not in game and not game.lower().endswith(SUFFIXES)
    if is_name and named(game) is None:
        raise ConfigError(unknown_ruleset(game, available_rulesets(), [one.name for one in side_games()], OTHERWISE))
    rules = ruleset_named(game)
    page, settings = rules_page(rules, tr.language), tuple(_settings(rules))
    if not settings:
        return page
    line = tr("rules.settings", base=BIG2.name, settings=tr("rules.list").join(settings))
    section = RulesSection(tr("rules_title.settings"), (line,))
    return replace(page, sections=(*page.sections, section))


def _settings(rules: RuleSet) -> Iterator[str]:
    """Yield the settings in which a ruleset differs from the default one, with values that are short."""
    for name in differences(rules, BIG2):
        value = getattr(rules, name)
        value = value.value if isinstance(value, Enum) else value
        yield f"{name} = {json.dumps(value)}" if isinstance(value, bool | int | str) else name
