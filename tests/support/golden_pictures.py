"""The pictures that are kept in `tests/data/pictures`. To renew them after a change that is meant, look at them and commit:

python tests/support/golden_pictures.py
"""

from __future__ import annotations

import random
from pathlib import Path

from big2_env.base.language import Language
from big2_env.base.scene import BACK, CardFace
from big2_env.climbing.game import Game
from big2_env.climbing.rulesets import ruleset
from big2_env.drawing import scene
from big2_env.drawing.card_svg import card_svg
from big2_env.drawing.table_svg import table_svg
from big2_env.games.fishing.game import FishingGame
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.rules import uno_rules

FOLDER = Path(__file__).parents[1] / "data" / "pictures"


def played(name: str, moves: int, seed: int = 7) -> Game:
    """A game of so many acts, drawn at random."""
    game, rng = Game.deal(ruleset(name), seed), random.Random(3)
    while len(game.history) < moves and not game.is_over:
        game.push(rng.choice(list(game.legal_plays())))
    return game


def uno_played(moves: int, players: int = 4) -> UnoGame:
    """A game of UNO of so many acts, drawn at random."""
    game, rng = UnoGame.deal(uno_rules("table", players=players), 3), random.Random(1)
    while len(game.history) < moves and not game.is_over:
        game.play(rng.choice(game.legal_moves()))
    return game


def klondike_played(moves: int) -> KlondikeGame:
    """A game of Klondike of so many acts, drawn at random, deals only where nothing else can be done."""
    game, rng = KlondikeGame.deal(7), random.Random(1)
    for _ in range(moves):
        game.play(rng.choice(game.legal_moves()[1:] or game.legal_moves()))
    return game


def golden() -> dict[str, str]:
    """Every kept picture by the name of its file."""
    fishing = FishingGame.deal(seed=4)
    for _ in range(9):
        fishing.play()
    return {
        "back.svg": card_svg(BACK),
        "queen.svg": card_svg(CardFace("D[Q]", "Q", "diamond", "Q of diamonds"), four_colours=True),
        "joker.svg": card_svg(CardFace("BJ", "BJ", "", "big joker")),
        "big2.svg": table_svg(scene(played("big2", 60), open_hands=True, lang=Language.EN)),
        "dou_dizhu.svg": table_svg(scene(played("dou_dizhu", 40), 1, lang=Language.HANS)),
        "uno.svg": table_svg(uno_played(20).scene(1, lang=Language.EN)),
        "fishing.svg": table_svg(fishing.scene(lang=Language.HANT)),
        "klondike.svg": table_svg(klondike_played(20).scene(lang=Language.EN)),
    }


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, drawn in golden().items():
        (FOLDER / name).write_text(drawn, encoding="utf-8")
        print(FOLDER / name, len(drawn))
