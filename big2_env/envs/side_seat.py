"""Gymnasium environment for one seat of any side game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from operator import index
from typing import Any, ClassVar, Final, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding

from big2_env.base.errors import ConfigError, IllegalPlayError
from big2_env.base.salts import Salts
from big2_env.base.side_game import Player, SideGame, seeded_move
from big2_env.base.validated import Copied
from big2_env.envs.options import SeatChoice, checked_illegal, draw_seed, illegal_text, known_options
from big2_env.envs.screen import RENDER_MODES, Picture
from big2_env.envs.side_aec import mask_of
from big2_env.envs.side_screen import SideScreen
from big2_env.kernels.opponents import one_each
from big2_env.notation.transcript import seat_names

Opponent: TypeAlias = "str | Player"
MAX_DEALS: Final = 1000
"""Maximum number of deals in a row that may end before the learner's first turn."""


class SideSeatEnv(Copied, gymnasium.Env[npt.NDArray[np.int8], np.int64]):
    """Gymnasium environment for one learner's seat of a side game against given opponents.

    Opponents move inside `reset` and `step`. The reward is 0 until the game ends, then the learner's payoff. A game that
    ends before the learner's first turn is dealt again. Observations are int8 `(size,)`, zeros and ones.

    Args:
        deal: Function that deals the game of a seed.
        opponents: Player's name or function `(view, rng) -> move`; one for all, or one per seat after the learner's.
        seat: The learner's seat: a number, `"random"` (drawn for each deal) or `"rotate"` (the next seat for each deal).
        agent_seed: Number from 0 to 2**63 - 1 for other random choices of opponents in the same games; `None` for none.
        scoring: One of the game's `scorings`; empty for the first.
        max_moves: Length of the game's history, in moves, at which an episode is truncated; `None` for no limit.
        on_illegal: Response to an illegal action. `"terminate"` ends the episode with `illegal_reward` and the reason in
            `info["illegal"]`. `"raise"` raises `IllegalPlayError` and leaves the game unchanged.
        illegal_reward: Reward of an illegal action.
        render_mode: One of `RENDER_MODES`, or `None`.
        set_up: Reset options that set up a game: by name, a function of the option's value and a random seed.

    Raises:
        ConfigError: If an argument is invalid.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": RENDER_MODES, "render_fps": 2}  # type: ignore[misc]

    def __init__(
        self,
        deal: Callable[[int], SideGame],
        opponents: Opponent | Sequence[Opponent] = "random",
        *,
        seat: int | str = "random",
        agent_seed: int | None = None,
        scoring: str = "",
        max_moves: int | None = None,
        on_illegal: str = "terminate",
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
        set_up: Mapping[str, Callable[[Any, int], SideGame]] | None = None,
    ) -> None:
        self._deal, self._set_up = deal, dict(set_up or {})
        game = deal(0)
        self.num_players, self.num_moves = game.num_players, game.num_moves
        self.scoring = game.checked_scoring(scoring)
        self._seats = SeatChoice(seat, self.num_players)
        self.on_illegal, self.illegal_reward = on_illegal, checked_illegal(on_illegal, illegal_reward)
        self.max_moves = max_moves
        self.opponents = _opponents_of(game, opponents, self.num_players - 1)
        """Opponents in order of play, starting with the seat after the learner's."""
        self._salts = Salts(agent_seed)
        self._salt = 0
        """Salt of the opponents' random numbers in the current game."""
        self._screen = SideScreen(render_mode, seat_names(None, self.num_players), self.scoring)
        self.render_mode = render_mode
        self.observation_space = spaces.Box(0, 1, game.observe(game.view(0)).shape, np.int8)
        self.action_space = spaces.Discrete(self.num_moves)
        self.seat = 0
        """The learner's seat in the current episode."""
        self._game: SideGame | None = None
        self._is_running = False

    @property
    def game(self) -> Any:
        """Current game, including hidden cards. Read-only; raises `ResetNeeded` before the first reset."""
        if self._game is None:
            raise ResetNeeded("no game before the first reset: call reset() first")
        return self._game

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        """Deal a game and let the opponents move until the learner's first turn.

        Args:
            seed: Seed of the environment's generator and of the salts (`big2_env.base.salts`); `None` continues them.
            options: Options named in `set_up`.

        Returns:
            The observation, and an info dict with `action_mask` (int8 `(num_moves,)`) and `seat` (int, the learner's
                seat). Games that end before the learner's first turn are dealt again: `skipped_games` (int) is their
                number, and `skipped_payoff` (float) the sum of their payoffs for the learner.

        Raises:
            ConfigError, NotationError: If the options set up no game, an opponent makes an illegal move, or games keep
                ending before the learner's first turn.
        """
        given = known_options(options, *self._set_up)
        asked = next((name for name in self._set_up if given.get(name) is not None), None)
        begun: SideGame | None = None
        if asked is not None:  # options that are refused change nothing
            rng = seeding.np_random(seed)[0] if seed is not None else deepcopy(self.np_random)
            begun = self._set_up[asked](given[asked], draw_seed(rng))
        super().reset(seed=seed)
        self._seats.begin(anew=seed is not None)
        self._salts.begin(seed)
        skipped_payoff = 0.0
        for skipped_games in range(MAX_DEALS):
            self.seat = self._seats.seat(int(self.np_random.integers(self.num_players)) if self._seats.is_drawn else 0)
            drawn, self._salt = draw_seed(self.np_random), self._salts.next()
            self._game = self._deal(drawn) if begun is None else begun
            self._screen.start(self._game, self.seat)
            self._let_opponents_play(self._game)
            if self._is_running:
                observation, info = self._look(self._game.view(self.seat))
                return observation, {**info, "skipped_games": skipped_games, "skipped_payoff": skipped_payoff}
            if asked is not None:
                raise ConfigError(f"reset option {asked}: the game ends before seat {self.seat} is asked")
            skipped_payoff += self._reward(self._game, 0.0, True)[0]
        raise ConfigError(f"{MAX_DEALS} games in a row ended before seat {self.seat} was asked")

    def step(self, action: Any) -> tuple[npt.NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """Make the learner's move and let the opponents move until its next turn or the end of the game.

        Args:
            action: Integer from 0 to `num_moves - 1`.

        Returns:
            Observation, reward, `terminated`, `truncated` (true after `max_moves`) and an info dict. The info has
                `action_mask` and `seat` as after `reset`. At the end of a game it also has `payoffs` (float64
                `(num_players,)`). After an illegal action it has `illegal` (str, the reason).

        Raises:
            ConfigError: If `action` is not an integer in the action space, or an opponent makes an illegal move.
            IllegalPlayError: If the action is illegal and `on_illegal="raise"`.
            ResetNeeded: If no game is running.
        """
        if not self._is_running:
            when = "before the first episode" if self._game is None else "after the end of the episode"
            raise ResetNeeded(f"step() {when}: call reset() first")
        game: SideGame = self.game
        before = self._standing(game)
        try:
            game.play(index(action))
        except TypeError:
            raise ConfigError(f"expected an integer action of 0 to {self.num_moves - 1}, got {action!r}") from None
        except IllegalPlayError as error:
            message = illegal_text(error, action, self.on_illegal)
            self._is_running = False
            observation, info = self._look(game.view(self.seat))
            return observation, self.illegal_reward, True, False, info | {"illegal": message}
        self._screen.move(game, self.seat, index(action), self.seat)
        self._let_opponents_play(game)
        over = not self._is_running
        truncated = not over and self.max_moves is not None and len(game.history) >= self.max_moves
        self._is_running = not (over or truncated)
        observation, info = self._look(game.view(self.seat))
        reward, ended = self._reward(game, before, over)
        return observation, reward, over, truncated, info | ended

    def _standing(self, game: SideGame) -> float:
        """Return the value that `_reward` needs from the game before a move."""
        return 0.0

    def _reward(self, game: SideGame, before: float, over: bool) -> tuple[float, dict[str, Any]]:
        """Return a move's reward and the additional info at the end of a game."""
        payoffs = game.payoffs(self.scoring) if over else None
        return (0.0, {}) if payoffs is None else (float(payoffs[self.seat]), {"payoffs": np.array(payoffs)})

    def _info(self, view: Any) -> dict[str, Any]:
        """Return the info without the mask."""
        return {"seat": self.seat}

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the learner's legal actions, bool `(num_moves,)`, all false after the end.

        Raises:
            ResetNeeded: Before the first reset.
        """
        mask = np.zeros(self.num_moves, np.bool_)
        moves = self.game.view(self.seat).moves
        if self._is_running:
            mask[list(moves)] = True
        return mask

    def render(self) -> Picture | None:
        """Return the moves so far in mode `ansi`, the learner's view in modes `svg` and `rgb_array`, otherwise `None`.

        In mode `human` moves are printed during the game.

        Raises:
            ResetNeeded: Before the first reset.
        """
        return self._screen.render(self.game, self.seat)

    def _look(self, view: Any) -> tuple[npt.NDArray[np.int8], dict[str, Any]]:
        """Return the learner's observation and info."""
        game: SideGame = self.game
        mask = mask_of(game, view) if self._is_running else np.zeros(self.num_moves, np.int8)
        return game.observe(view), {"action_mask": mask, **self._info(view)}

    def _let_opponents_play(self, game: SideGame) -> None:
        """Play the other seats until the learner is to move or the game is over."""
        self._is_running = False  # stays so if an opponent fails
        over = game.is_over
        while not over and game.turn != self.seat:
            opponent, view = self.opponents[(game.turn - self.seat) % self.num_players - 1], game.view()
            move = seeded_move(opponent, view, salt=self._salt)
            game.play(move)
            self._screen.move(game, view.seat, move, self.seat)
            over = game.is_over
        self._is_running = not over


def _opponents_of(game: SideGame, given: Opponent | Sequence[Opponent], number: int) -> tuple[Player, ...]:
    """Return the opponents as players, one per seat after the learner's.

    Raises:
        ConfigError: If their number does not match, or one is neither a known name nor a function.
    """
    if not number:
        return ()
    several = one_each(given, number)
    for one in several:
        if not isinstance(one, str) and not callable(one):
            raise ConfigError(f"expected a player's name or a function (view, rng) -> move as opponent, got {one!r}")
    return tuple(game.player(one) if isinstance(one, str) else one for one in several)
