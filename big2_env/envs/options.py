"""Arguments and reset options that several environments share: encoders, the learner's seat, illegal actions, a game set up."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from math import isfinite
from numbers import Real
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from big2_env.cards import Card
from big2_env.climbing.game import Game
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.errors import ConfigError, IllegalPlayError
from big2_env.kernels.opponents import checked_seat

START_OPTIONS = ("deck", "hands", "position")
"""The reset options that set up a game; at most one of them."""


class Encoder(Protocol):
    """What a network sees of a seat's view, for `SeatEnv` and the AEC environment, in every ruleset.

    A view has no field for what the seat may not know. Batches have no views: there an encoder is a wrapper of their
    observations, as `gymnasium.wrappers.vector.TransformObservation` with `autoreset_mode="NextStep"`.
    """

    space: spaces.Space[Any]
    """What `encode` gives one of."""

    def encode(self, view: View) -> npt.NDArray[Any]:
        """The observation of a view, a new array."""
        ...


def checked_encoder(encoder: Encoder | None) -> Encoder | None:
    """The encoder given.

    Raises:
        ConfigError: it has no space or no method `encode`, or is a class.
    """
    has_space = isinstance(getattr(encoder, "space", None), spaces.Space)
    if encoder is not None and not (has_space and callable(getattr(encoder, "encode", None)) and not isinstance(encoder, type)):
        raise ConfigError(f"expected an encoder with a gymnasium space as `space` and encode(view), got {encoder!r}")
    return encoder


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


class SeatChoice:
    """Which seat is the learner's: a number, `"random"` for one drawn each episode, `"rotate"` for each in turn.

    Raises:
        ConfigError: something else.
    """

    def __init__(self, given: Any, num_seats: int) -> None:
        self._num_seats = num_seats
        self._given = checked_seat(given, num_seats)
        self._now = self._given
        self._turns = 0

    def begin(self, asked: Any = None, *, anew: bool = False) -> None:
        """An episode begins: `asked` counts for it alone; `anew`, by a seed, the round begins at seat 0.

        Raises:
            ConfigError: `asked` is no seat.
        """
        self._now = self._given if asked is None else checked_seat(asked, self._num_seats, "reset option seat")
        if anew:
            self._turns = 0

    @property
    def is_drawn(self) -> bool:
        """True if the seat is drawn at random."""
        return self._now == "random"

    def seat(self, drawn: int) -> int:
        """The seat of the next deal; `drawn` is the one at random."""
        if self.is_drawn:
            return drawn
        if self._now == "rotate":
            self._turns += 1
            return (self._turns - 1) % self._num_seats
        return int(self._now)
