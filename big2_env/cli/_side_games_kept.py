"""Games of UNO and Klondike as `big2 games --mine` lists them: kept act by act, each deal in a file of its own."""

from __future__ import annotations

from collections.abc import Callable

from big2_env.games.klondike import records as klondike_records
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.uno import records as uno_records
from big2_env.games.uno.sitting import UnoSitting
from big2_env.language import Words
from big2_env.play.own_file import OwnFile
from big2_env.play.saved import STARTED


def uno_kept(file: OwnFile) -> Callable[[UnoSitting], None]:
    """What is called with a sitting after every act: it writes the deal once the person has acted in it."""

    def keep(sitting: UnoSitting) -> None:
        if not file.has(sitting.dealt) and all(move.seat != sitting.seat for move in sitting.game.history):
            return
        outcome = sitting.game.outcome
        extra = {"seat": sitting.seat, "agents": [sitting.against] * (sitting.rules.players - 1)}
        payoffs = {"payoffs": None if outcome is None else list(outcome.payoffs())}
        file.write(sitting.dealt, lambda started: uno_records.dumps(sitting.record(**{STARTED: started}, **extra, **payoffs)))

    return keep


def klondike_kept(file: OwnFile) -> Callable[[KlondikeGame, int | None], None]:
    """What is called with a game and its seed after every act: a game that is won, or lost for good, pays its score."""

    def keep(game: KlondikeGame, seed: int | None) -> None:
        if not file.has(game) and not game.history:
            return
        extra = {"seat": 0, "agents": [], "payoffs": [game.score] if game.is_won or game.is_stuck else None}
        extra |= {} if seed is None else {"seed": seed}
        file.write(
            game, lambda started: klondike_records.dumps(klondike_records.KlondikeRecord(game, extra | {STARTED: started}))
        )

    return keep


def say_kept(file: OwnFile, say: Words) -> None:
    """Say where the last deal is kept, or why it is not."""
    if file.problem is not None:
        print(say("tui.not_kept", problem=file.problem))
    elif file.path is not None:
        print(say("prompt.kept", path=file.path))
