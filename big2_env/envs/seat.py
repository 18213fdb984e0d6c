"""One seat against given opponents, as a Gymnasium environment: the page of `SeatEnv`.

## Description

The learner has one seat; the opponents' acts happen inside `reset` and `step`, which return when the learner is to move or the
game is over. The learner gets its own payoff at the end of the game, whoever made the last act: it sees its losses. Every ruleset
runs here; numbers on this page are those of `big2` with four players. Many such games at once, with opponents that are functions
of whole batches, are `gymnasium.make_vec(ID, num_envs=N, mode="seat")` (`big2_env.envs.vector`).

## Action Space

`Discrete(1379)` for ruleset `big2`: the hand slots of `big2_env.climbing.actions`, as in `big2_env.envs.aec`.

## Observation Space

A flat `Box` of zeros and ones, int8 or float32, `(547,)` for `big2`, filled from the learner's view alone; the windows are those
of `big2_env.envs.aec`, and `layout.named(observation)` gives them by name. The mask is no part of it.

## Legal Actions Mask

`action_masks()` gives it as bool `(1379,)`, the form that sb3-contrib asks for; `info["action_mask"]` as int8, the form that
`action_space.sample(mask)` asks for. Never empty while the game goes on, all zero after the end.

## Rewards

0 until the game ends; then the learner's payoff by the ruleset's settlement.

## Episode End

Terminated when the game ends; never truncated. An action that is not legal terminates too, with `illegal_reward` and the reason
in `info["illegal"]`; with `on_illegal="raise"` it raises and changes nothing. `info` has the learner's `seat`, and at the end of
a game the `winner`'s seat and every seat's `payoffs`.

## Arguments

| argument | default | meaning |
| --- | --- | --- |
| `opponents` | `"random"` | an agent for all, or one for each seat after the learner's: a name (`big2_env.agents`), an `Agent`, or a class or function that makes one |
| `ruleset` | `"big2"` | a `RuleSet`, its name, a ruleset file (`*.json`, `*.toml`) or `MODULE:NAME` |
| `seat` | `"random"` | the learner's seat: drawn for every episode, or a number |
| `scoring` | `None` | `"winner"`, `"cards"` or a `Settlement`; `None` leaves the ruleset's own |
| `num_players` | `None` | how many play, where the ruleset allows several numbers; `None` is its default, `RuleSet.default_players` |
| `dtype` | `"int8"` | `"int8"` or `"float32"`, of the observation |
| `on_illegal` | `"terminate"` | or `"raise"` |
| `illegal_reward` | `-1.0` | what an illegal action brings; where a loss costs more, give more |
| `render_mode` | `None` | `"ansi"`: `render` returns the text format's log so far; `"human"`: it is printed as it happens; `"svg"`: a picture of the table as the learner sees it; `"rgb_array"`: the same as pixels, uint8 (600, 960, 3), with the extra `pictures` |
| `names` | `None` | names in the log, the learner's first, then the opponents' |
| `skip_forced` | `False` | the learner is not asked where it can only pass, but for its first turn of a game, which it sees in any case: every game is its own to win or lose. The opponents are asked all the same, and the games are the same either way; the log shows all passes |
| `engine` | `"auto"` | `"compiled"` (numba), `"reference"` (plain Python), or compiled where the ruleset compiles, as all of the package do; they differ in speed alone |

An agent that is given as an object is used as it is: copies of the environment in one process, as in a vector environment, would
share it, so give names, classes or functions there.

With the extra `pictures`, and moviepy, Gymnasium's recorder makes films:

    env = gymnasium.wrappers.RecordVideo(gymnasium.make("big2/Big2-v0", render_mode="rgb_array"), "films")

`reset(seed)` seeds the environment's generator, from which come every deal, the learner's seat and the seeds of the opponents.
`reset(options=...)` may set up the game with one of `deck`, `hands` and `position` (see `big2_env.envs.start`), and the learner's
`seat` for this episode.

## Version History

* v0: first version.
"""  # noqa: E501  # a table's row is one line

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from operator import index
from typing import Any, Final, Self, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from big2_env.agents import Agent, make_agent
from big2_env.climbing.game import Game
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_of
from big2_env.climbing.settlement import Settlement
from big2_env.envs.engines import make_engine
from big2_env.envs.screen import RENDER_MODES, Picture, Screen, seat_names
from big2_env.envs.start import START_OPTIONS, draw_seed, game_set_up
from big2_env.errors import ConfigError, IllegalPlayError

Opponent: TypeAlias = str | Agent | Callable[[], Agent]
"""What names an opponent."""
Array: TypeAlias = npt.NDArray[Any]

MAX_DEALS: Final = 100
"""So often in a row may a deal end before the learner is asked."""


class SeatEnv(gymnasium.Env[Array, np.int64]):
    """One learner's seat against given opponents; see the module's page.

    Raises:
        ConfigError: an argument that cannot be served.
        NotationError: a name that cannot be printed.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 2}  # noqa: RUF012  # as the base class has it

    def __init__(
        self,
        opponents: Opponent | Sequence[Opponent] = "random",
        *,
        ruleset: str | RuleSet = "big2",
        seat: int | str = "random",
        scoring: str | Settlement | None = None,
        num_players: int | None = None,
        dtype: npt.DTypeLike = "int8",
        on_illegal: str = "terminate",
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
        names: Sequence[str] | None = None,
        skip_forced: bool = False,
        engine: str = "auto",
    ) -> None:
        rules = ruleset_of(ruleset)
        self.ruleset = rules if scoring is None else rules.with_scoring(scoring)
        """The game's rules."""
        self._engine = make_engine(self.ruleset, num_players, dtype, kind=engine)
        self.skip_forced = skip_forced
        self._was_asked = False
        self.num_players = self._engine.num_players
        """How many seats there are."""
        if on_illegal not in ("terminate", "raise"):
            raise ConfigError(f"on_illegal {on_illegal!r}: allowed are 'terminate', 'raise'")
        self.on_illegal = on_illegal
        self.illegal_reward = float(illegal_reward)
        self._fixed_seat = self._check_seat(seat, "argument")
        self.opponents = _make_opponents(opponents, self.num_players - 1)
        """The opponents, the first one on the seat after the learner's."""
        self.render_mode = render_mode
        self._screen = Screen(render_mode)
        self.names = seat_names(names, ["learner", *(f"opponent_{i}" for i in range(1, self.num_players))])
        """The names in the log, the learner's first."""
        self.actions = self._engine.space
        """Acts as numbers."""
        self.layout = self._engine.layout
        """The windows of an observation."""
        self.observation_space = spaces.Box(0, 1, (self.layout.size,), self._engine.dtype.type)
        self.action_space = spaces.Discrete(self.actions.n)
        self.seat = 0
        """The learner's seat in this episode."""
        self._is_running = False

    def __copy__(self) -> Self:
        return deepcopy(self)

    def _check_seat(self, seat: Any, where: str) -> int | None:
        if isinstance(seat, str) and seat == "random":
            return None
        if isinstance(seat, int | np.integer) and 0 <= seat < self.num_players:
            return int(seat)
        raise ConfigError(f"{where} seat={seat!r}: allowed are 'random' and 0 to {self.num_players - 1}")

    @property
    def game(self) -> Game:
        """The game as it stands, hidden cards included: to look at, not to play."""
        if not self._engine.is_started:
            raise ResetNeeded("game before the first reset: call reset() first")
        return self._engine.game

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Start a game and let the opponents play up to the learner's first turn.

        Raises:
            ConfigError, NotationError: options that set up no game, or one that ends before the learner is asked.
            IllegalPlayError: an opponent's act is not legal.
        """
        super().reset(seed=seed)
        options = options or {}
        asked = options.get("seat")
        chosen = self._fixed_seat if asked is None else self._check_seat(asked, "reset option")
        is_set_up = any(options.get(name) is not None for name in START_OPTIONS)
        for _ in range(1 if is_set_up else MAX_DEALS):
            number, game = draw_seed(self.np_random), game_set_up(self.ruleset, self.num_players, options, also=("seat",))
            drawn = int(self.np_random.integers(self.num_players))
            self.seat = drawn if chosen is None else chosen
            for agent in self.opponents:
                agent.reset(draw_seed(self.np_random))
            if game is None:
                self._engine.deal(number)
            else:
                self._engine.start(game)
            self._was_asked = False
            if self._screen.is_live:
                self._screen.start(self._engine.game, self._names_by_seat())
            self._let_opponents_act()
            if self._is_running:
                return self._look()
        what = "the game that the reset options set up" if is_set_up else f"{MAX_DEALS} games in a row"
        raise ConfigError(f"{what} ended before the learner, seat {self.seat}, was asked")

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Make the learner's act and let the opponents act up to its next turn or the end.

        Raises:
            ConfigError: no action has that number.
            IllegalPlayError: with `on_illegal="raise"`, an action that is not legal now; or an opponent's act that is not.
            ResetNeeded: no game is running.
        """
        self._check_running("step()")
        try:
            self._engine.act(index(action))
        except TypeError:
            raise ConfigError(f"action {action!r}: allowed is an integer 0 to {self.actions.n - 1}") from None
        except IllegalPlayError as error:
            message = f"action {action}: {error}"
            if self.on_illegal == "raise":
                raise IllegalPlayError(message, error.refusal) from None
            self._is_running = False
            observation, info = self._look(illegal=message)
            return observation, self.illegal_reward, True, False, info
        self._let_opponents_act()
        if self._is_running:
            observation, info = self._look()
            return observation, 0.0, False, False, info
        payoffs, outcome = self._engine.payoffs(), self._engine.game.outcome
        observation, info = self._look(winner=outcome.winner if outcome else -1, payoffs=np.array(payoffs))
        return observation, payoffs[self.seat], True, False, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The learner's legal actions, bool `(num_actions,)`; all false after the end. Raises ResetNeeded before a reset."""
        if not self._engine.is_started:
            raise ResetNeeded("action_masks() before the first reset: call reset() first")
        mask: npt.NDArray[np.int8] = self._look()[1]["action_mask"]
        return mask.astype(np.bool_)

    def render(self) -> Picture | None:
        """The text format's log so far in mode `ansi`, the table as the learner sees it in modes `svg` and `rgb_array`.

        In mode `human` the log has been printed, and this is `None`. The log has all hands; the picture has the learner's alone
        until the game is over.
        """
        if not self._engine.is_started:
            raise ResetNeeded("render() before the first reset: call reset() first")
        return self._screen.render(self._engine.game, self._names_by_seat(), self.seat)

    def _names_by_seat(self) -> list[str]:
        return [self.names[(seat - self.seat) % self.num_players] for seat in range(self.num_players)]

    def _check_running(self, call: str) -> None:
        if not self._is_running:
            when = "after the end of the episode" if self._engine.is_started else "before the first episode"
            raise ResetNeeded(f"{call} {when}: call reset() first")

    def _look(self, **more: Any) -> tuple[Array, dict[str, Any]]:
        """What the learner sees, and the info."""
        observation, mask = self._engine.look(self.seat)
        if not self._is_running:
            mask[:] = 0
        return observation, {"action_mask": mask, "seat": self.seat, **more}

    def _let_opponents_act(self) -> None:
        """Play for the other seats until the learner is to move or the game is over."""
        engine = self._engine
        self._is_running = False  # stays so when an opponent fails
        while not engine.is_over:
            seat = engine.turn
            if seat == self.seat:
                if not (self.skip_forced and self._was_asked and engine.is_forced()):
                    self._was_asked = True
                    break
                engine.play(PASS)
                continue
            agent = self.opponents[(seat - self.seat) % self.num_players - 1]
            play = agent.act(engine.game.view(), engine.game.legal_plays())
            try:
                if not isinstance(play, Play):
                    raise ConfigError(f"its act is a {type(play).__name__}, allowed is one of the legal plays")
                engine.play(play)
            except ConfigError as error:
                raise ConfigError(f"opponent {agent!r} on seat {seat}: {error}") from None
            except IllegalPlayError as error:
                raise IllegalPlayError(f"opponent {agent!r} on seat {seat}: {error}", error.refusal) from None
        self._is_running = not engine.is_over
        if self._screen.is_live:
            engine.sync()
            self._screen.refresh()


def _make_opponents(given: Opponent | Sequence[Opponent], number: int) -> tuple[Agent, ...]:
    """The agents that were given, one for all or one for each.

    Raises:
        ConfigError: another number of them, a name that no agent has, or something that is no agent.
    """
    several = list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given] * number
    if len(several) != number:
        raise ConfigError(f"{len(several)} opponents: allowed is one for all or one for each of the {number} other seats")
    return tuple(map(_make_opponent, several))


def _make_opponent(given: Opponent) -> Agent:
    made = make_agent(given) if isinstance(given, str) else given
    if isinstance(made, type) or not isinstance(made, Agent):  # a class has the methods of its objects, and is none
        if not callable(made):
            raise ConfigError(f"opponent {made!r}: allowed is a name, an agent with reset and act, or what makes one")
        made = made()
        if not isinstance(made, Agent):
            raise ConfigError(f"opponent {given!r} makes a {type(made).__name__}: allowed is an agent with reset and act")
    return made
