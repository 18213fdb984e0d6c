"""Side games by name, from the entry points of installed packages (group `big2_env.side_games`)."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, folded, words
from big2_env.base.plugins import SIDE_GAMES, plugins
from big2_env.base.side_game import SideGame


@dataclass(frozen=True)
class SideGameEntry:
    """Description of a side game, for listings that should not import it.

    Args:
        name: Name of the game.
        module: Module of the game's class.
        kind_name: Name of that class.
        players: Fewest and most players.
        deck: Number of cards.
        environment: Environment id; empty if the game has none.
    """

    name: str
    module: str
    kind_name: str
    players: tuple[int, int]
    deck: int
    environment: str = ""

    def kind(self) -> type[SideGame]:
        """Import the game's class and return it."""
        found: type[SideGame] = getattr(import_module(self.module), self.kind_name)
        return found

    def usual(self, seed: int = 0) -> SideGame:
        """Deal a game with the default rules."""
        return self.kind().usual(seed)


def side_games() -> tuple[SideGameEntry, ...]:
    """Return all registered side games, those for most players first.

    Raises:
        ConfigError: An entry point cannot be loaded, or is no `SideGameEntry`.
    """
    found = []
    for plugin in plugins(SIDE_GAMES).values():
        entry = plugin.load()
        if not isinstance(entry, SideGameEntry):
            raise ConfigError(f"{plugin}: expected a SideGameEntry, got {type(entry).__name__}")
        found.append(entry)
    return tuple(sorted(found, key=lambda entry: (-entry.players[1], entry.name)))


def side_entry(name: object) -> SideGameEntry | None:
    """Return the side game with this name, as records and messages have it; `None` if it does not exist.

    Raises:
        ConfigError: An entry point is wrong.
    """
    return next((entry for entry in side_games() if entry.name == name), None)


def side_game(name: str) -> SideGameEntry | None:
    """Return the side game with this name or with this title in any supported language; `None` without a match.

    Args:
        name: Name or title, in any case and with any punctuation.

    Raises:
        ConfigError: An entry point is wrong.
    """
    asked = folded(name)
    for game in side_games():
        titles = (words(lang).name("game", game.name) for lang in Language)
        if asked in map(folded, (game.name, *titles)):
            return game
    return None
