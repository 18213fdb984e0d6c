"""The games that are no climbing games, as verbs name and list them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from big2_env.climbing.ruleset_data import folded
from big2_env.language import Language, words
from big2_env.registration import SINGLE_PLAYER_IDS, UNO_ID
from big2_env.text.rules import RulesPage


@dataclass(frozen=True)
class SideGame:
    """A game with a verb of its own."""

    name: str
    """The verb."""
    players: tuple[int, int]
    """Fewest and most players."""
    deck: int
    """How many cards there are."""
    environment: str = ""
    """Its environment id, empty where it has none."""

    def rules_page(self, lang: Language) -> RulesPage:
        """Its rules in words."""
        page: Callable[..., RulesPage] = import_module(f"big2_env.games.{self.name}.rules_words").rules_page
        return page(lang=lang)


SIDE_GAMES: Final = (
    SideGame("uno", (2, 14), 108, UNO_ID),
    SideGame("fishing", (2, 2), 54),
    SideGame("klondike", (1, 1), 52, next(iter(SINGLE_PLAYER_IDS))),
)
"""The side games."""


def side_game(name: str) -> SideGame | None:
    """The side game of that name, or of that title in any language, read as names of rulesets are; `None` if there is none."""
    asked = folded(name)
    for game in SIDE_GAMES:
        titles = (words(lang).name("game", game.name) for lang in Language)
        if asked in map(folded, (game.name, *titles)):
            return game
    return None
