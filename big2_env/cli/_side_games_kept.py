"""Games of UNO and Klondike as `big2 games --mine` lists them: kept act by act, each deal in a file of its own."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Final

from big2_env.errors import ConfigError, quoted
from big2_env.games.klondike import records as klondike_records
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.uno import records as uno_records
from big2_env.games.uno.named_players import takes_from_record
from big2_env.games.uno.sitting import UnoSitting
from big2_env.language import Words
from big2_env.play.own_file import OwnFile
from big2_env.play.saved import STARTED, last_broken_off

WHO: Final = "expected the keys seat, seed and agents"


def uno_kept(file: OwnFile) -> Callable[[UnoSitting], None]:
    """What is called with a sitting after every act: it writes the deal once the person has acted in it."""

    def keep(sitting: UnoSitting) -> None:
        if not file.has(sitting.dealt) and all(move.seat != sitting.seat for move in sitting.game.history):
            file.retry()
            return
        outcome = sitting.game.outcome
        extra = {"seat": sitting.seat, "agents": [sitting.against] * (sitting.rules.players - 1)}
        payoffs = {"payoffs": None if outcome is None else list(outcome.payoffs())}
        file.write(
            "uno", sitting.dealt, lambda started: uno_records.dumps(sitting.record(**{STARTED: started}, **extra, **payoffs))
        )

    return keep


def klondike_kept(file: OwnFile) -> Callable[[KlondikeGame, int | None], None]:
    """What is called with a game and its seed after every act: a game that is won, or lost for good, pays its score."""

    def keep(game: KlondikeGame, seed: int | None) -> None:
        if not file.has(game) and not game.history:
            file.retry()
            return
        extra = {"seat": 0, "agents": [], "payoffs": [game.score] if game.is_won or game.is_stuck else None}
        extra |= {} if seed is None else {"seed": seed}
        file.write(
            "klondike",
            game,
            lambda started: klondike_records.dumps(klondike_records.KlondikeRecord(game, extra | {STARTED: started})),
        )

    return keep


def uno_resumed(path: Path | None, file: OwnFile) -> UnoSitting:
    """A sitting that goes on with the last UNO game that was broken off, and whose deal `file` goes on with.

    Args:
        path: the file to look in; by default all of the user's games.
        file: what keeps the sitting's games.

    Raises:
        OSError, NotationError: the file cannot be read, or has a line that is no record.
        ConfigError: there is no such game; or its record does not say who played.
    """
    found, line, record = last_broken_off(uno_records.loads, lambda record: record.game.is_over, path, "uno")
    seat, agents, seed = (record.extra.get(key) for key in ("seat", "agents", "seed"))
    rules = record.game.rules
    against = agents[0] if isinstance(agents, list) and agents == agents[:1] * (rules.players - 1) else None
    if type(seat) is not int or type(seed) is not int or not isinstance(against, str):
        raise ConfigError(f"the record does not say who played: {WHO} of a game of big2 uno play")
    if not takes_from_record(against):
        raise ConfigError(
            f"{found}: expected a UNO player that opens no file, got {quoted(against)}; begin a new game with --against"
        )
    first, salt = seed if record.extra.get("seed_counts") is True else None, record.extra.get("agent_seed", 0)
    sitting = UnoSitting(rules, seat=seat, seed=first, against=against, agent_seed=salt)
    sitting.start(record.game, seed)
    file.go_on(found, line, sitting.dealt, str(record.extra.get(STARTED, "")))
    return sitting


def klondike_resumed(path: Path | None, file: OwnFile) -> tuple[KlondikeGame, int | None]:
    """The last Klondike game that was broken off, with which `file` goes on, and the seed of its deal, if it has one.

    Raises:
        OSError, NotationError: as `uno_resumed`.
        ConfigError: there is no such game.
    """
    found, line, record = last_broken_off(
        klondike_records.loads, lambda record: record.game.is_won or record.game.is_stuck, path, "klondike"
    )
    seed = record.extra.get("seed")
    file.go_on(found, line, record.game, str(record.extra.get(STARTED, "")))
    return record.game, seed if type(seed) is int and seed >= 0 else None


def say_kept(file: OwnFile, tr: Words, verb: str | None) -> None:
    """Say where the last deal is kept, or why it is not; and how `big2 VERB play` goes on with it, if it does."""
    if file.problem is not None:
        print(tr("tui.not_kept", problem=file.problem))
    elif file.path is not None:
        print(tr("prompt.kept", path=file.path))
        if verb is not None:
            print(tr("prompt.go_on", command=shlex.join(["big2", verb, "play", "--resume", str(file.path)])))
