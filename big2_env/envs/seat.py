"""One seat against given opponents, as a Gymnasium environment: the page of `SeatEnv`.

## Description

The learner has one seat; the opponents' acts happen inside `reset` and `step`, which return when the learner is to move or the
game is over. The learner gets its own payoff at the end of the game, whoever made the last act: it sees its losses. Every ruleset
runs here; numbers on this page are those of `big2` with four players. Many such games at once are
`gymnasium.make_vec(ID, num_envs=N)` (`big2_env.envs.vector`).

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
| `opponents` | `"random"` | one for all, or one for each seat after the learner's: the name of an agent (`"greedy"`, `"heuristic"`, `"learned"`, `"learned:PATH"`, any that `big2_env.agents` announces), an `Agent`, a class or function that makes one, a function `opponent(observations, masks, rng) -> actions` as of `big2_env.envs.vector`, or a `League` |
| `ruleset` | `"big2"` | a `RuleSet`, its name, a ruleset file (`*.json`, `*.toml`) or `MODULE:NAME` |
| `seat` | `"random"` | the learner's seat: drawn for every episode; or `"rotate"`: seat 0 first, then the next from episode to episode; or a number |
| `scoring` | `None` | `"winner"`, `"cards"` or a `Settlement`; `None` leaves the ruleset's own |
| `num_players` | `None` | how many play, where the ruleset allows several numbers; `None` is its default, `RuleSet.default_players` |
| `shaping` | `None` | `"cards_left"`, `"race"`, a function of observations or a `Shaping` (`big2_env.envs.shaping`), added to the rewards |
| `encoder` | `None` | what makes the observation of the learner's view instead: an object with a `space` and `encode(view)` (`big2_env.envs.options`) |
| `dtype` | `"int8"` | `"int8"` or `"float32"`, of the observation |
| `on_illegal` | `"terminate"` | or `"raise"` |
| `illegal_reward` | `-1.0` | what an illegal action brings; where a loss costs more, give more |
| `render_mode` | `None` | `"ansi"`: `render` returns the text format's log so far; `"human"`: it is printed as it happens; `"svg"`: a picture of the table as the learner sees it; `"rgb_array"`: the same as pixels, uint8 (600, 960, 3), with the extra `pictures` |
| `names` | `None` | names in the log, the learner's first, then the opponents' |
| `skip_forced` | `False` | the learner is not asked where it can only pass, but for its first turn of a game, which it sees in any case: every game is its own to win or lose. The opponents are asked all the same, and the games are the same either way; the log shows all passes |
| `engine` | `"auto"` | `"compiled"` (numba, which compiles for some seconds at first), `"reference"` (plain Python), or both: the first games by reference, while the compiled rules are made in the background, where the ruleset compiles; they differ in speed alone |

An opponent's observations are those that this page describes, whatever encoder or wrapper the learner has: a policy that was
trained behind a normalising wrapper has to normalise for itself, as `big2_env.envs.sb3.PolicyOpponent` does.

An agent that is given as an object is used as it is: copies of the environment in one process, as in a vector environment, would
share it, so give names, classes or functions there.

With the extra `pictures`, and moviepy, Gymnasium's recorder makes films:

    env = gymnasium.wrappers.RecordVideo(gymnasium.make("big2/Big2-v0", render_mode="rgb_array"), "films")

`reset(seed)` seeds the environment's generator, from which come every deal, the learner's seat and the members that
leagues draw. Opponents' seeds follow from their hands (`big2_env.agent_seeds`).
`reset(options=...)` may set up the game with one of `deck`, `hands` and `position` (see `big2_env.envs.options`), and the learner's
`seat` for this episode: a number, `"random"` or `"rotate"`.

## Version History

* v0: first version.
"""  # noqa: E501  # a table's row is one line

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from operator import index
from typing import Any, Final, Self, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from big2_env.agent_seeds import start_seed
from big2_env.climbing.game import Game
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_of
from big2_env.climbing.settlement import Settlement
from big2_env.envs.league import League
from big2_env.envs.opponents import OpponentLike, is_batch_function, resolve_agent
from big2_env.envs.options import (
    START_OPTIONS,
    Encoder,
    SeatChoice,
    checked_encoder,
    checked_illegal,
    draw_seed,
    game_set_up,
    illegal_text,
    known_options,
)
from big2_env.envs.screen import RENDER_MODES, Picture, Screen, seat_names
from big2_env.envs.shaping import Potential, Shaper, Shaping
from big2_env.envs.turn_engine import TurnEngine, for_next_game, make_engine
from big2_env.errors import ConfigError, IllegalPlayError, repr_text
from big2_env.kernels.opponents import RowPlayer, RowRandom, one_each
from big2_env.rng import SplitMix64, hashed

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
        opponents: OpponentLike | Sequence[OpponentLike] = "random",
        *,
        ruleset: str | RuleSet = "big2",
        seat: int | str = "random",
        scoring: str | Settlement | None = None,
        num_players: int | None = None,
        shaping: str | Potential | Shaping | None = None,
        encoder: Encoder | None = None,
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
        self._engine = make_engine(self.ruleset, num_players, dtype, kind=engine)
        self.skip_forced = skip_forced
        self._was_asked = False
        self.num_players = self._engine.num_players
        self.on_illegal = on_illegal
        self.illegal_reward = checked_illegal(on_illegal, illegal_reward)
        self._seats = SeatChoice(seat, self.num_players)
        self._players = SeatPlayers(opponents, self.num_players - 1)
        self._encoder = checked_encoder(encoder)
        self.render_mode = render_mode
        self._screen = Screen(render_mode)
        self.names = seat_names(names, ["learner", *(f"opponent_{i}" for i in range(1, self.num_players))])
        """The names in the log, the learner's first."""
        self.actions = self._engine.space
        self.layout = self._engine.layout
        self._shaper = None if shaping is None else Shaper(shaping, self.layout)
        own = spaces.Box(0, 1, (self.layout.size,), self._engine.dtype.type)
        self.observation_space = own if encoder is None else encoder.space
        self.action_space = spaces.Discrete(self.actions.n)
        self.seat = 0
        """The learner's seat in this episode."""
        self._is_running = False

    def __copy__(self) -> Self:
        return deepcopy(self)

    @property
    def opponents(self) -> tuple[Any, ...]:
        """The opponents, the first one on the seat after the learner's: agents, functions of batches, leagues."""
        return self._players.given

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
        given = known_options(options, *START_OPTIONS, "seat")
        self._seats.begin(given.get("seat"), anew=seed is not None)
        is_set_up = any(given.get(name) is not None for name in START_OPTIONS)
        self._engine = for_next_game(self._engine)
        for _ in range(1 if is_set_up else MAX_DEALS):
            number, game = draw_seed(self.np_random), game_set_up(self.ruleset, self.num_players, given)
            self.seat = self._seats.seat(int(self.np_random.integers(self.num_players)))
            self._players.choose([draw_seed(self.np_random) for _ in self.opponents])
            if game is None:
                self._engine.deal(number)
            else:
                self._engine.start(game)
            self._players.begin(self._engine, self.seat)
            self._was_asked = False
            if self._screen.is_live:
                self._screen.start(self._engine.game, self._names_by_seat())
            self._play_opponents()
            if self._is_running:
                if self._shaper is not None:
                    self._shaper.begin(self._engine.observe(self.seat)[0][None])
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
            raise ConfigError(f"expected an integer 0 to {self.actions.n - 1} as action, got {action!r}") from None
        except IllegalPlayError as error:
            message = illegal_text(error, action, self.on_illegal)
            self._is_running = False
            observation, info = self._look(illegal=message)
            return observation, self._shaped(self.illegal_reward), True, False, info
        self._play_opponents()
        if self._is_running:
            observation, info = self._look()
            return observation, self._shaped(0.0), False, False, info
        payoffs, outcome = self._engine.payoffs(), self._engine.game.outcome
        observation, info = self._look(winner=outcome.winner if outcome else -1, payoffs=np.array(payoffs))
        return observation, self._shaped(payoffs[self.seat]), True, False, info

    def _shaped(self, reward: float) -> float:
        """The reward of a step, with what the shaping adds."""
        if self._shaper is None:
            return reward
        seen, ended = self._engine.observe(self.seat)[0][None], np.array([not self._is_running])
        return reward + float(self._shaper.gains(seen, ended, np.array([False]))[0])

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
        observation, mask = self._engine.observe(self.seat)
        if not self._is_running:
            mask[:] = 0
        if self._encoder is not None:
            observation = self._encoder.encode(self._engine.game.view(self.seat))
        return observation, {"action_mask": mask, "seat": self.seat, **more}

    def _play_opponents(self) -> None:
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
            self._players.act(engine, (seat - self.seat) % self.num_players - 1)
        self._is_running = not engine.is_over
        if self._screen.is_live:
            engine.sync()
            self._screen.refresh()


class SeatPlayers:
    """The opponents of one learner's seat.

    Raises:
        ConfigError: another number of opponents than one or one for each other seat; a name that no agent has, or what is none.
    """

    def __init__(self, given: OpponentLike | Sequence[OpponentLike], number: int) -> None:
        self.given = tuple(one if isinstance(one, League) else _player(one) for one in one_each(given, number))
        """Agents, functions of batches and leagues, the first one on the seat after the learner's."""
        self._members: dict[tuple[int, int], tuple[Any, Any]] = {}
        """By seat and member of a league: what was given, and the player made of it."""
        self._playing: list[tuple[Any, bool]] = []
        """By seat: who plays this game, and whether that is a function of batches."""

    def choose(self, seeds: Sequence[int]) -> None:
        """Choose who plays the next game: leagues draw their members by these seeds, one for each opponent.

        No opponent receives its seed.
        """
        numbers: dict[int, float] = {}  # a league on several seats draws once
        self._playing = []
        for place, (one, seed) in enumerate(zip(self.given, seeds, strict=True)):
            player: Any = one
            if isinstance(one, League):
                number = numbers.setdefault(id(one), SplitMix64(seed).next() / 2**64)
                player = self._member(place, one, number)
            self._playing.append((player, is_batch_function(player)))

    def begin(self, engine: TurnEngine, learner: int) -> None:
        """Reset the agents for the game that was dealt, in which the learner has a seat."""
        for place, (player, is_function) in enumerate(self._playing):
            if not is_function:
                player.reset(start_seed(engine.game, (learner + place + 1) % engine.num_players))

    def _member(self, place: int, league: League, number: float) -> Any:
        """The player that a league puts on a seat."""
        opponent = league.members[int(league.draw([number])[0])].opponent
        key = place, id(opponent)
        if key not in self._members:
            present = {id(member.opponent) for one in self.given if isinstance(one, League) for member in one.members}
            self._members = {key: made for key, made in self._members.items() if key[1] in present}
            self._members[key] = opponent, _player(opponent)
        return self._members[key][1]

    def act(self, engine: TurnEngine, place: int) -> None:
        """Make the act of the seat to move, whose opponent is the `place`-th.

        Raises:
            ConfigError: what the opponent gives is no act.
            IllegalPlayError: it is not legal.
        """
        (player, is_function), seat = self._playing[place], engine.turn
        try:
            if is_function:
                self._act_by_function(engine, player)
                return
            play = player.act(engine.game.view(), engine.game.legal_plays())
            if not isinstance(play, Play):
                raise ConfigError(f"expected one of the legal plays, got a {type(play).__name__}")
            engine.play(play)
        except ConfigError as error:
            raise ConfigError(f"opponent {repr_text(player)} on seat {seat}: {error}") from None
        except IllegalPlayError as error:
            raise IllegalPlayError(f"opponent {repr_text(player)} on seat {seat}: {error}", error.refusal) from None

    def _act_by_function(self, engine: TurnEngine, player: Any) -> None:
        """Let a function of batches act in this one game."""
        observation, mask = engine.observe(engine.turn)
        game = engine.game
        rng = RowRandom(np.array([hashed(game.turn, game.position.hands[game.turn], len(game.history))], np.uint64))
        given = np.asarray(player(observation[None], mask[None], rng))
        if given.shape != (1,) or given.dtype.kind not in "iu":
            raise ConfigError(f"expected 1 integer, got {given.dtype} {given.shape}")
        engine.act(int(given[0]))


def _player(given: OpponentLike) -> Any:
    """An agent, or a function of batches as it is.

    Raises:
        ConfigError: neither.
    """
    if isinstance(given, RowPlayer):
        raise ConfigError(
            f"expected an agent or a function of observations, masks and draws, got {given!r}, which plays in batches"
        )
    return given if is_batch_function(given) else resolve_agent(given)
