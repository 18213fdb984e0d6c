"""Players of UNO by name: those of this package, and those that installed packages announce (`big2_env.uno_players`).

A player is a function `(view, rng) -> act`: one of `view.acts`, from what one seat may know. It plays in any environment:

    from big2_env.games.uno.aec import raw_env
    env, learned = raw_env(players=2), uno_player("learned")
    env.reset(seed=1)
    env.step(learned(env.game.view(), rng))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

import numpy as np

from big2_env.announced import UNO_PLAYERS, announced
from big2_env.errors import ConfigError, failure_text, quoted, repr_text
from big2_env.games.uno.automatic import automatic_act
from big2_env.games.uno.view import UnoView

UnoPlayer: TypeAlias = Callable[[UnoView, np.random.Generator], int]


def _random_act(view: UnoView, rng: np.random.Generator) -> int:
    return view.acts[int(rng.integers(len(view.acts)))]


def _automatic_act(view: UnoView, rng: np.random.Generator) -> int:
    return automatic_act(view)


BUILT_IN: Final[dict[str, UnoPlayer]] = {"random": _random_act, "automatic": _automatic_act}
"""The players that need no other package."""


def uno_player(name: str) -> UnoPlayer:
    """The player of a name.

    Args:
        name: `random`, `automatic`; or NAME or NAME:ARGUMENT of an announced class, which gets the argument as a string.

    Raises:
        ConfigError: no player has that name, or it cannot be made.
    """
    if name in BUILT_IN:
        return BUILT_IN[name]
    kind, colon, argument = name.partition(":")
    entry = announced(UNO_PLAYERS).get(kind)
    if entry is None:
        known = ", ".join([*BUILT_IN, *announced(UNO_PLAYERS)])
        raise ConfigError(f"expected one of {known} as UNO player, got {quoted(name)}")
    make = entry.load()
    try:
        player = make(argument) if colon else make()
    except (ConfigError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ConfigError(f"UNO player {quoted(name)} cannot be made: {failure_text(error)}") from error
    if not callable(player):
        raise ConfigError(f"{entry}: expected what makes a function (view, rng) -> act, got a {type(player).__name__}")
    made: UnoPlayer = player
    return made


def takes_from_record(name: str) -> bool:
    """Return True if a record, which may come from a stranger, may name this player: it opens no file that the record names.

    It is a player without an argument, or with one that its class takes from records (`Announced.takes_from_record`).
    """
    kind, colon, argument = name.partition(":")
    entry = announced(UNO_PLAYERS).get(kind)
    return name in BUILT_IN or not colon or (entry is not None and entry.takes_from_record(argument))


def seeded_act(player: UnoPlayer, view: UnoView, name: str = "", *, salt: int = 0) -> int:
    """Return the act of a player whose random numbers follow from the view and the salt, and from nothing that is hidden.

    Args:
        player: Who is asked.
        view: Of the seat to move.
        name: Of the player, for messages; by default its `repr`.
        salt: For other draws in the same views.

    Raises:
        ConfigError: as `act_of`.
    """
    if player is _automatic_act:
        return automatic_act(view)
    if player is _random_act:  # as compiled code draws
        return view.acts[(view.seed(salt) >> 32) * len(view.acts) >> 32]
    return act_of(player, view, np.random.default_rng(view.seed(salt)), name)


def act_of(player: UnoPlayer, view: UnoView, rng: np.random.Generator, name: str = "") -> int:
    """The act of a player, which may come from outside.

    Args:
        player: who is asked.
        view: of the seat to move.
        rng: what the player draws from.
        name: of the player, for messages; by default its `repr`.

    Raises:
        ConfigError: the player fails, or gives what is no legal act.
    """
    who = f"UNO player {name or repr_text(player)} on seat {view.seat}"
    try:
        given = player(view, rng)
        act = int(given) if isinstance(given, int | np.integer) else -1
    except (ConfigError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ConfigError(f"{who} fails: {failure_text(error)}") from error
    if act not in view.acts:
        raise ConfigError(f"{who}: expected one of the acts {list(view.acts)}, got {repr_text(given)}")
    return act
