"""Side games: UNO, the fishing game and Klondike, one package each.

Side games are not climbing games. They share the interface `big2_env.base.side_game.SideGame`, so records, screens, prompts and
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
| `command` | the verb of the command line |
"""

from __future__ import annotations

from typing import Final

from big2_env.base.side_games import SideGameEntry

FISHING: Final = SideGameEntry("fishing", "big2_env.games.fishing.game", "FishingGame", (2, 2), 54)
KLONDIKE: Final = SideGameEntry("klondike", "big2_env.games.klondike.game", "KlondikeGame", (1, 1), 52, "big2/Klondike-v0")
UNO: Final = SideGameEntry("uno", "big2_env.games.uno.game", "UnoGame", (2, 14), 108, "big2/Uno-v0")
