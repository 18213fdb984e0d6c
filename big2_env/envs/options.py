"""Spaces, arguments and reset options of several environments: encoders, the learner's seat, illegal actions, given games."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from functools import lru_cache
from inspect import currentframe
from math import isfinite
from numbers import Real
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from big2_env.base.cards import Card
from big2_env.base.errors import ConfigError, IllegalPlayError, repr_text
from big2_env.climbing.game import Game
from big2_env.climbing.outcome import check_exact
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.kernels.opponents import checked_seat

_PACKAGE = str(Path(__file__).parents[1])
START_OPTIONS = ("deck", "hands", "position")
"""Reset options that set up a game. Each reset accepts at most one."""


class BinaryBox(spaces.Box):
    """`Box` of zeros and ones. All boxes of one shape and dtype share their bounds, which pickles leave out."""

    def __init__(self, shape: tuple[int, ...], dtype: npt.DTypeLike) -> None:
        self.__dict__.update(_box(shape, np.dtype(dtype)))

    def __reduce__(self) -> tuple[Any, ...]:
        state = {name: value for name, value in vars(self).items() if not isinstance(value, np.ndarray)}
        return type(self), (self.shape, self.dtype), state


@lru_cache(maxsize=64)
def _box(shape: tuple[int, ...], dtype: np.dtype[Any]) -> dict[str, Any]:
    """Return the attributes of a box, with read-only bounds."""
    made = vars(spaces.Box(0, 1, shape, dtype.type))
    for array in (value for value in made.values() if isinstance(value, np.ndarray)):
        array.flags.writeable = False
    return made


class Encoder(Protocol):
    """Observation encoder for `SeatEnv` and the AEC environment, in any ruleset.

    It computes an observation from a seat's `View`, which has no field for hidden cards. Batches have no views. There,
    wrap the observations instead, for example with `gymnasium.wrappers.vector.TransformObservation` and
    `autoreset_mode="NextStep"`.
    """

    space: spaces.Space[Any]
    """Space that contains the results of `encode`."""

    def encode(self, view: View) -> npt.NDArray[Any]:
        """Return the observation of a view, as a new array."""


def checked_encoder(encoder: Encoder | None) -> Encoder | None:
    """Return the encoder given.

    Raises:
        ConfigError: If it has no `space` or no method `encode`, or is a class.
    """
    has_space = isinstance(getattr(encoder, "space", None), spaces.Space)
    if encoder is not None and not (has_space and callable(getattr(encoder, "encode", None)) and not isinstance(encoder, type)):
        raise ConfigError(f"expected an encoder with a gymnasium space as `space` and encode(view), got {encoder!r}")
    return encoder


def encoded(encoder: Encoder, view: View) -> npt.NDArray[Any]:
    """Return an encoder's observation of a view.

    Raises:
        ConfigError: The encoder's space does not contain it.
    """
    found = encoder.encode(view)
    if not encoder.space.contains(found):
        got = f"{found.dtype} {found.shape} {found}" if isinstance(found, np.ndarray) else repr(found)
        raise ConfigError(f"expected the encoder to return an element of its space, {encoder.space}, got {got}")
    return found


def draw_seed(rng: np.random.Generator) -> int:
    """Draw a seed for a stream of `big2_env.base.rng`, from 0 to 2**64 - 1."""
    source = rng.bit_generator
    if type(source) is np.random.PCG64:  # the same number, five times as fast
        return source.random_raw()
    return int(rng.integers(2**64, dtype=np.uint64))


def checked_illegal(on_illegal: str, illegal_reward: float) -> float:
    """Return the reward of an illegal action as a float.

    Raises:
        ConfigError: If `on_illegal` is neither `"terminate"` nor `"raise"`, or the reward is not finite.
    """
    if on_illegal not in ("terminate", "raise"):
        raise ConfigError(f"expected on_illegal 'terminate' or 'raise', got {on_illegal!r}")
    if not isinstance(illegal_reward, Real) or not isfinite(illegal_reward):
        raise ConfigError(f"expected a finite number as illegal_reward, got {illegal_reward!r}")
    return float(illegal_reward)


def checked_steps(max_episode_steps: Any) -> int | None:
    """Return a limit on the moves of an episode, `None` for no limit.

    Raises:
        ConfigError: If it is not a positive integer.
    """
    if max_episode_steps is not None and not (type(max_episode_steps) is int and max_episode_steps > 0):
        raise ConfigError(f"expected max_episode_steps from 1, or None, got {repr_text(max_episode_steps)}")
    return max_episode_steps


def illegal_text(error: IllegalPlayError, action: object, on_illegal: str) -> str:
    """Return the text of `info["illegal"]` for an illegal action.

    Raises:
        IllegalPlayError: With `on_illegal="raise"`: the same error, with the action.
    """
    message = f"action {action}: {error}"
    if on_illegal == "raise":
        raise IllegalPlayError(message, error.refusal) from None
    return message


def known_options(options: Mapping[str, Any] | None, *known: str) -> Mapping[str, Any]:
    """Return the options of a reset, an empty mapping for `None`.

    Unknown options only cause a warning, because the environment checkers of other libraries send some.

    Raises:
        ConfigError: If `options` is not a mapping.
    """
    if options is not None and not isinstance(options, Mapping):
        raise ConfigError(f"expected a dict of reset options, got {options!r}")
    given = options or {}
    if unknown := [name for name in given if name not in known]:
        allowed = f": known {'are' if len(known) > 1 else 'is'} {', '.join(known)}" if known else ""
        warnings.warn(f"reset options {unknown} are not known and do nothing{allowed}", stacklevel=_depth_outside())
    return given


def _depth_outside() -> int:
    """Return the number of frames up to the code outside the package that called one of its functions."""
    frame, depth = currentframe(), 0
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame, depth = frame.f_back, depth + 1
    return depth


def game_set_up(ruleset: RuleSet, num_players: int, options: Mapping[str, Any]) -> Game | None:
    """Return the game that the reset options set up, or `None` if a game is to be dealt.

    | option | value |
    | --- | --- |
    | `deck` | the complete deck from bottom to top, as text or as cards; the last card goes to seat 0 |
    | `hands` | one hand per seat, each as text, mask or cards; the ruleset decides who leads |
    | `position` | a `Position`, with hands as masks |

    Args:
        ruleset: Ruleset of the game.
        num_players: Number of seats in the environment.
        options: Result of `known_options`.

    Raises:
        NotationError: If a text is not a deck or a hand.
        ConfigError: If the game cannot be set up, is already over, has a different number of seats, or its payoffs may not be
            exact in float64.
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
    check_exact(ruleset, num_players, game.position)
    return game


def items_of(value: Any, name: str) -> Iterable[Any]:
    """Return the value of a reset option as an iterable of items.

    Raises:
        ConfigError: If the value is a single item or a text.
    """
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ConfigError(f"expected one item for each place in reset option {name}, got a {type(value).__name__}")
    return value


class SeatChoice:
    """The learner's seat, episode by episode.

    Args:
        given: A seat number, `"random"` (drawn for each deal) or `"rotate"` (the next seat for each deal).
        num_seats: Number of seats.

    Raises:
        ConfigError: If `given` is something else.
    """

    def __init__(self, given: Any, num_seats: int) -> None:
        self._num_seats = num_seats
        self._given = checked_seat(given, num_seats)
        self._now = self._given
        self._turns = 0

    def checked(self, asked: Any) -> int | str:
        """Return the seat choice of an episode, the usual one for `None`.

        Raises:
            ConfigError: If `asked` is not a seat choice.
        """
        return self._given if asked is None else checked_seat(asked, self._num_seats, "reset option seat")

    def begin(self, choice: int | str | None = None, *, anew: bool = False) -> None:
        """Start an episode.

        Args:
            choice: Result of `checked` for this episode only; `None` for the usual one.
            anew: True to restart the rotation at seat 0, as after a seed.
        """
        self._now = self._given if choice is None else choice
        if anew:
            self._turns = 0

    @property
    def is_drawn(self) -> bool:
        """True if the seat is drawn at random."""
        return self._now == "random"

    def seat(self, drawn: int) -> int:
        """Return the seat of the next deal. `drawn` is the seat used for `"random"`."""
        if self.is_drawn:
            return drawn
        if self._now == "rotate":
            self._turns += 1
            return (self._turns - 1) % self._num_seats
        return int(self._now)
