"""`big2 rules`: the rules of a game in words."""

from __future__ import annotations

import json
import shutil
import sys
from typing import Annotated

import typer

from big2_env.cli._options import Invented, Lang, or_invented, words_of
from big2_env.climbing.ruleset_data import SUFFIXES, unknown_ruleset
from big2_env.climbing.rulesets import OTHERWISE, available_rulesets, named
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.errors import ConfigError
from big2_env.games import SIDE_GAMES, side_game
from big2_env.language import Words
from big2_env.scene import WIDTH, RulesPage
from big2_env.text.rules import rules_page


def command(
    game: Annotated[str, typer.Argument(help="Name from big2 games, ruleset file, or MODULE:NAME.")] = "big2",
    invented: Invented = None,
    lang: Lang = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print Markdown.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON object with title and sections.")] = False,
) -> None:
    """Print the rules of a game in words.

    The text is generated from the ruleset, so it is right for variants and ruleset files as well.

    Examples:
        big2 rules
        big2 rules dou_dizhu --lang zh-Hans
        big2 rules mine.json --markdown > rules.md
        big2 rules --invented 7
    """
    if markdown and as_json:
        raise ConfigError("expected one of --markdown and --json, got both")
    page = page_of(or_invented(game, invented), words_of(lang))
    if markdown:
        print(page.markdown(), end="")
    elif as_json:
        print(json.dumps(page.as_json(), ensure_ascii=False))
    else:
        width = min(shutil.get_terminal_size((WIDTH, 24)).columns, 100) if sys.stdout.isatty() else WIDTH
        print(page.text(width), end="")


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
        raise ConfigError(unknown_ruleset(game, available_rulesets(), [one.name for one in SIDE_GAMES], OTHERWISE))
    return rules_page(ruleset_named(game), tr.language)
