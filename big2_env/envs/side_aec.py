"""PettingZoo AEC environment for any side game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from operator import index
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
from gymnasium.error import ResetNeeded

from big2_env.base.errors import ConfigError, IllegalPlayError
from big2_env.base.side_game import SideGame
from big2_env.envs.aec_base import AecBase
from big2_env.envs.options import draw_seed, known_options
from big2_env.envs.screen import RENDER_MODES, Picture
from big2_env.envs.side_screen import SideScreen


class Stepper(Protocol):
    """Interface of a running game to its environment. Kernels can implement it faster than the game itself."""

    turn: int
    is_over: bool

    @property
    def game(self) -> SideGame:
        """Current game with its history, including hidden cards. Read-only."""

    def deal(self, seed: int) -> None:
        """Start the game of a seed."""

    def start(self, game: SideGame) -> None:
        """Continue a given game."""

    def look(self, seat: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Return a seat's observation and legal moves, int8 `(size,)` and `(num_moves,)`, in new arrays."""

    def play(self, move: int) -> None:
        """Make a move for the seat to move. Raises as `SideGame.play` does."""

    def payoffs(self, scoring: str) -> tuple[float, ...]:
        """Return each seat's payoff in a finished game."""


class GameStepper:
    """`Stepper` that uses the game itself.

    Args:
        deal: Function that deals the game of a seed.
    """

    def __init__(self, deal: Callable[[int], SideGame]) -> None:
        self._deal = deal

    def deal(self, seed: int) -> None:
        """Start the game of a seed."""
        self.start(self._deal(seed))

    def start(self, game: SideGame) -> None:
        """Continue a given game."""
        self.game = game
        self._note()

    def _note(self) -> None:
        self.turn, self.is_over = self.game.turn, self.game.is_over

    def look(self, seat: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Return a seat's observation and legal moves."""
        view = self.game.view(seat)
        return self.game.observe(view), mask_of(self.game, view)

    def play(self, move: int) -> None:
        """Make a move for the seat to move."""
        self.game.play(move)
        self._note()

    def payoffs(self, scoring: str) -> tuple[float, ...]:
        """Return each seat's payoff, zeros during a game."""
        return self.game.payoffs(scoring) or (0.0,) * self.game.num_players


def mask_of(game: SideGame, view: Any) -> npt.NDArray[np.int8]:
    """Return the legal moves of a view, int8 `(num_moves,)`."""
    mask = bytearray(game.num_moves)
    for move in view.moves:
        mask[move] = 1
    return np.frombuffer(mask, np.int8)


class SideAEC(AecBase):
    """PettingZoo AEC environment for a side game, with one agent per seat.

    Observations are dicts of `observation`, int8 `(size,)`, and `action_mask`, int8 `(num_moves,)`. Rewards are 0 until
    the game ends; then every agent receives its payoff. The environment can be pickled and copied in mid-game.

    Args:
        stepper: Object that runs the games; `GameStepper(deal)` works for every game.
        scoring: One of the game's `scorings`; empty for the first.
        render_mode: One of `RENDER_MODES`, or `None`.
        set_up: Reset options that set up a game: by name, a function of the option's value and a random seed.

    Raises:
        ConfigError: If an argument is invalid.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "side_game_v0",
        "render_modes": RENDER_MODES,
        "render_fps": 2,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        stepper: Stepper,
        *,
        scoring: str = "",
        render_mode: str | None = None,
        set_up: Mapping[str, Callable[[Any, int], SideGame]] | None = None,
    ) -> None:
        super().__init__()
        stepper.deal(0)
        game = stepper.game
        self.num_moves = game.num_moves
        self.scoring, self.render_mode = game.checked_scoring(scoring), render_mode
        self._set_spaces(game.num_players, stepper.look(0)[0].size, game.num_moves, game.observe_all().size, np.int8)
        self._table, self._set_up = stepper, dict(set_up or {})
        self._screen = SideScreen(render_mode, self.possible_agents, self.scoring)
        self._is_started = False

    def _running(self, call: str) -> Stepper:
        if not self._is_started:
            raise ResetNeeded(f"{call} before the first game: call reset() first")
        return self._table

    @property
    def game(self) -> Any:
        """Current game, including hidden cards. Read-only."""
        return self._running("game").game

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game: a new deal, or the game that the options set up.

        Args:
            seed: Seed of the environment's generator; `None` continues it.
            options: Options named in `set_up`.

        Raises:
            ConfigError, NotationError: If the options do not set up a game. The previous game continues.
        """
        given = known_options(options, *self._set_up)
        asked = [name for name in self._set_up if given.get(name) is not None]
        rng = self._generator(seed)
        if asked:
            rng = deepcopy(rng)  # options that are refused change nothing
            self._table.start(self._set_up[asked[0]](given[asked[0]], draw_seed(rng)))
        else:
            self._table.deal(draw_seed(rng))
        self._is_started = True
        self._begin(rng, self._table.turn)
        if self._screen.is_text:
            self._screen.start(self.game)

    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]]:
        """Return an agent's current observation and legal moves, in new arrays.

        Raises:
            ConfigError: If `agent` is unknown.
            ResetNeeded: Before the first reset.
        """
        observation, mask = self._running("observe()").look(self._seat(agent))
        if self._is_done(agent):
            mask[:] = 0
        return {"observation": observation, "action_mask": mask}

    def state(self) -> npt.NDArray[np.int8]:
        """Return the complete game, including all hands, as int8 `(size,)`.

        Raises:
            ResetNeeded: Before the first reset.
        """
        return self._running("state()").game.observe_all()

    def step(self, action: Any) -> None:
        """Make the selected agent's move. A rejected move changes nothing.

        Args:
            action: Integer move; `None` for an agent that has terminated.

        Raises:
            ConfigError: If `action` is not an integer in the action space.
            IllegalPlayError: If the move is illegal now.
            ResetNeeded: Before the first reset, or if all agents are done.
        """
        table = self._running("step()")
        seat = table.turn
        if self._is_done(self.agent_selection):
            self._leave(action)
            return
        try:
            table.play(index(action))
        except (TypeError, ConfigError, IllegalPlayError) as error:
            raise self._refusal(action, error) from None
        if self._screen.is_text:
            self._screen.move(self.game, seat, index(action))
        if table.is_over:
            self._pay(table.payoffs(self.scoring))
        else:
            self.agent_selection = self.possible_agents[table.turn]

    def render(self) -> Picture | None:
        """Return the moves so far in mode `ansi`, a picture in modes `svg` and `rgb_array`, otherwise `None`.

        Pictures show all hands. In mode `human` moves are printed during the game.

        Raises:
            ResetNeeded: Before the first reset.
        """
        return self._screen.render(self._running("render()").game)
