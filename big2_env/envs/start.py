"""How an episode starts: a deal by the environment's own stream, or the game that the reset options set up."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np

from big2_env.cards import Card
from big2_env.climbing.game import Game
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError, IllegalPlayError

START_OPTIONS = ("deck", "hands", "position")
"""The reset options that set up a game; at most one of them."""


def draw_seed(rng: np.random.Generator) -> int:
    """A seed for a stream of `big2_env.rng`, 0 .. 2**64 - 1."""
    return int(rng.integers(2**64, dtype=np.uint64))


def checked_illegal(on_illegal: str, illegal_reward: float) -> float:
    """What an illegal act brings, once it is known what else it does.

    Raises:
        ConfigError: `on_illegal` is neither "terminate" nor "raise", or the reward no finite number.
    """
    if on_illegal not in ("terminate", "raise"):
        raise ConfigError(f"expected on_illegal 'terminate' or 'raise', got {on_illegal!r}")
    if not isinstance(illegal_reward, Real) or not isfinite(illegal_reward):
        raise ConfigError(f"expected a finite number as illegal_reward, got {illegal_reward!r}")
    return float(illegal_reward)


def illegal_text(error: IllegalPlayError, action: object, on_illegal: str) -> str:
    """What `info["illegal"]` says of an illegal action.

    Raises:
        IllegalPlayError: with `on_illegal="raise"`, the same.
    """
    message = f"action {action}: {error}"
    if on_illegal == "raise":
        raise IllegalPlayError(message, error.refusal) from None
    return message


def known_options(options: Mapping[str, Any] | None, *known: str) -> Mapping[str, Any]:
    """The options of a reset, none where `None` is given.

    Those not known are warned about, and no more, because checkers of other libraries send some.

    Raises:
        ConfigError: no mapping.
    """
    if options is not None and not isinstance(options, Mapping):
        raise ConfigError(f"expected a dict of reset options, got {options!r}")
    given = options or {}
    if unknown := [name for name in given if name not in known]:
        allowed = f": known {'are' if len(known) > 1 else 'is'} {', '.join(known)}" if known else ""
        warnings.warn(f"reset options {unknown} are not known and do nothing{allowed}", stacklevel=3)
    return given


def game_set_up(ruleset: RuleSet, num_players: int, options: Mapping[str, Any]) -> Game | None:
    """The game that the options of a reset set up, `None` where they ask for none and a game is to be dealt.

    | option | value |
    | --- | --- |
    | `deck` | the whole deck from bottom to top, as a text or as cards; the last card goes to seat 0 |
    | `hands` | a hand per seat, each a text, a mask or cards; the holder of the lowest card leads as the ruleset says |
    | `position` | a `Position`, hands as masks |

    Args:
        ruleset: the game's rules.
        num_players: how many seats the environment has.
        options: as `known_options` gives them.

    Raises:
        NotationError: a text that is no deck or hand.
        ConfigError: a game that cannot be set up, is over already, or has another number of seats.
    """
    given = [name for name in START_OPTIONS if options.get(name) is not None]
    if len(given) > 1:
        raise ConfigError(f"expected at most one of the reset options {', '.join(START_OPTIONS)}, got {' and '.join(given)}")
    if not given:
        return None
    value = options[given[0]]
    if given[0] == "deck":
        cards = ruleset.deck.parse(value) if isinstance(value, str) else [Card(card) for card in items_of(value, "deck")]
        return Game.from_deck(ruleset, cards, num_players)
    if given[0] == "hands":
        game = Game.from_hands(ruleset, items_of(value, "hands"))
    elif isinstance(value, Position):
        game = Game.from_position(ruleset, value)
    else:
        raise ConfigError(f"expected a Position as reset option position, got a {type(value).__name__}")
    if game.num_players != num_players:
        raise ConfigError(f"expected {num_players} seats in reset option {given[0]}, got {game.num_players}")
    if game.is_over:
        raise ConfigError(f"reset option {given[0]}: the game is over already")
    return game


def items_of(value: Any, name: str) -> Iterable[Any]:
    """The value of a reset option, one item for each place.

    Raises:
        ConfigError: it is one thing, or a text.
    """
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ConfigError(f"expected one item for each place in reset option {name}, got a {type(value).__name__}")
    return value
