"""Side games: UNO, the fishing game and Klondike, one package each.

Side games are not climbing games. They share the interface `big2_env.side_game.SideGame`, so records, screens, prompts and
environments work for all of them. Packages use the same file names for the same parts:

| module | contents |
| --- | --- |
| `cards`, `plays`, `position`, `moves` | values for cards, moves and positions, with their text notation |
| `rules` | rule options as a frozen value, and the rules in words |
| `game`, `kernel_game` | readable reference implementation; the same interface on top of kernels |
| `view`, `observation` | information available to one seat; its encoding as a network input |
| `scene` | what a screen shows: scenes, moves in words |
| `players` | players by name |
| `env`, `seat_env`, `aec`, `vector` | Gymnasium, PettingZoo and vector environments |
| `kernels/` | the same rules as kernels |
| `simulate`, `survey` | large samples on all cores: totals and results files |
| `plot` | pictures |
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Final

from big2_env.climbing.ruleset_data import folded
from big2_env.language import Language, words
from big2_env.side_game import SideGame


@dataclass(frozen=True)
class SideGameEntry:
    """Description of a side game, for listings that should not import it.

    Args:
        name: Name of the game and of its package in `big2_env.games`.
        kind_name: Name of the game class in the package's module `game`.
        players: Fewest and most players.
        deck: Number of cards.
        environment: Environment id; empty if the game has none.
    """

    name: str
    kind_name: str
    players: tuple[int, int]
    deck: int
    environment: str = ""

    def kind(self) -> type[SideGame]:
        """Import the game's class and return it."""
        found: type[SideGame] = getattr(import_module(f"big2_env.games.{self.name}.game"), self.kind_name)
        return found

    def usual(self, seed: int = 0) -> SideGame:
        """Deal a game with the default rules."""
        return self.kind().usual(seed)


SIDE_GAMES: Final = (
    SideGameEntry("uno", "UnoGame", (2, 14), 108, "big2/Uno-v0"),
    SideGameEntry("fishing", "FishingGame", (2, 2), 54),
    SideGameEntry("klondike", "KlondikeGame", (1, 1), 52, "big2/Klondike-v0"),
)
"""All side games that come with the package."""


def side_game(name: str) -> SideGameEntry | None:
    """Return the side game with this name or with this title in any supported language; `None` without a match."""
    asked = folded(name)
    for game in SIDE_GAMES:
        titles = (words(lang).name("game", game.name) for lang in Language)
        if asked in map(folded, (game.name, *titles)):
            return game
    return None
