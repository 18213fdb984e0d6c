"""The side games: games that are not climbing games, a package each. All implement `big2_env.side_game.SideGame`.

| module | contents |
| --- | --- |
| `cards`, `plays`, `position`, `moves` | cards, moves and positions as values, and their text |
| `rules` | the parameters of the rules as a frozen value, and the rules in words |
| `game`, `kernel_game` | the readable game, which is the oracle; the same stepped by kernels |
| `view`, `observation` | what one seat may know; as a network's input |
| `scene` | what people see: scenes, moves in words |
| `players` | players by name |
| `env`, `seat_env`, `aec`, `vector` | environments: Gymnasium, PettingZoo, many games at once |
| `kernels/` | the same rules as kernels |
| `simulate`, `survey` | many games on all cores, their totals, the file that keeps them |
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
    """A side game as verbs list it."""

    name: str
    kind_name: str
    """The class in its module `game`."""
    players: tuple[int, int]
    """Fewest and most players."""
    deck: int
    """How many cards there are."""
    environment: str = ""
    """Its environment id, empty if it has none."""

    def kind(self) -> type[SideGame]:
        """Import and return the class of its games."""
        found: type[SideGame] = getattr(import_module(f"big2_env.games.{self.name}.game"), self.kind_name)
        return found

    def usual(self, seed: int = 0) -> SideGame:
        """Deal a game by the usual rules."""
        return self.kind().usual(seed)


SIDE_GAMES: Final = (
    SideGameEntry("uno", "UnoGame", (2, 14), 108, "big2/Uno-v0"),
    SideGameEntry("fishing", "FishingGame", (2, 2), 54),
    SideGameEntry("klondike", "KlondikeGame", (1, 1), 52, "big2/Klondike-v0"),
)
"""The side games."""


def side_game(name: str) -> SideGameEntry | None:
    """Return the side game of a name, or of a title in any language; `None` if there is none."""
    asked = folded(name)
    for game in SIDE_GAMES:
        titles = (words(lang).name("game", game.name) for lang in Language)
        if asked in map(folded, (game.name, *titles)):
            return game
    return None
