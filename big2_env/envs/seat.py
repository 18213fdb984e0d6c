"""Gymnasium environment for one learner's seat against given opponents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import Any, Final, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.error import ResetNeeded

from big2_env.agents.interface import check_seats
from big2_env.agents.seeds import hand_seed
from big2_env.base.errors import ConfigError, IllegalPlayError, repr_text
from big2_env.base.rng import SplitMix64, hashed
from big2_env.base.salts import Salts
from big2_env.base.validated import Copied
from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_of
from big2_env.climbing.settlement import Settlement
from big2_env.envs.league import League
from big2_env.envs.opponents import OpponentLike, is_batch_function, own_method, resolve_agent
from big2_env.envs.options import (
    START_OPTIONS,
    BinaryBox,
    Encoder,
    SeatChoice,
    checked_encoder,
    checked_illegal,
    draw_seed,
    encoded,
    game_set_up,
    illegal_text,
    known_options,
)
from big2_env.envs.screen import RENDER_MODES, Picture, Screen, learner_names
from big2_env.envs.shaping import Potential, Shaper, Shaping
from big2_env.envs.turn_engine import CompiledEngine, TurnEngine, for_next_game, make_engine
from big2_env.kernels.opponents import RowPlayer, RowRandom, one_each
from big2_env.notation.transcript import check_name, seat_names

Array: TypeAlias = npt.NDArray[Any]

MAX_DEALS: Final = 100
"""Maximum number of deals in a row that may end before the learner's first turn."""


class SeatEnv(Copied, gymnasium.Env[Array, np.int64]):
    """Gymnasium environment for one learner's seat against given opponents.

    Opponents move inside `reset` and `step`, which return when the learner is to move or the game is over. The learner's
    payoff arrives at the end of the game, no matter which seat ended it, so losses reach the learner's own trajectory.
    For many games at once use `gymnasium.make_vec(ID, num_envs=N)`, that is `big2_env.envs.vector.BatchEnv`.

    The numbers below are for ruleset `big2` with four players. `big2_env/envs/README.md` lists all rulesets.

    Action space: `Discrete(1379)`. 0 is the pass. Every other id names positions in the sorted hand
    (`big2_env.climbing.actions`).

    Observation space: a flat `Box` of zeros and ones, `(547,)`, computed from the learner's view only.
    `env.layout.named(observation)` splits it into named windows.

    Action mask: `info["action_mask"]` is int8 `(1379,)`, 1 for each legal action, as `action_space.sample(mask)` expects
    it. `action_masks()` returns the same as bool, as MaskablePPO of sb3-contrib expects it. The mask is never empty
    during a game and all zero after the end.

    Reward: 0 until the game ends, then the learner's payoff. `shaping` adds its terms to every step.

    Episode end: `terminated` is true when the game ends or after an illegal action. `truncated` is always false.

    Args:
        opponents: One opponent for all other seats, or a sequence with one per seat after the learner's. Each is an
            agent's name (`"random"`, `"greedy"`, `"heuristic"`, `"learned"`, `"learned:PATH"`, ...), an `Agent`, a class
            or function that makes one, a `League`, or a batch function `opponent(observations, masks, rng) -> actions`.
        ruleset: Ruleset name, `RuleSet`, path to a ruleset file (`*.json`, `*.toml`) or `MODULE:NAME`.
        seat: The learner's seat: a number, `"random"` (drawn for each deal) or `"rotate"` (0, then the next seat for each
            deal).
        agent_seed: Number from 0 to 2**63 - 1 for other random choices of opponents in the same games; `None` for none.
        scoring: `"winner"`, `"cards"` or a `Settlement`; `None` for the ruleset's own.
        num_players: Number of players; `None` for the ruleset's default.
        shaping: `"cards_left"`, `"race"`, a function of observations or a `Shaping` (see `big2_env.envs.shaping`); `None`
            for unshaped rewards.
        encoder: Replacement for the built-in observation: an object with a `space` and a method `encode(view)` (see
            `big2_env.envs.options.Encoder`).
        dtype: Observation dtype, `"int8"` or `"float32"`.
        on_illegal: Response to an illegal action. `"terminate"` ends the episode with `illegal_reward` and the reason in
            `info["illegal"]`. `"raise"` raises `IllegalPlayError` and leaves the game unchanged.
        illegal_reward: Reward of an illegal action. Choose a lower value if a loss can cost more than 1.
        render_mode: Result of `render`. `"ansi"`: the game log so far, with illegal moves. `"human"`: nothing, the log is
            printed during the game. `"svg"`: a picture of the table as the learner sees it. `"rgb_array"`: the same picture as
            pixels, uint8 `(600, 960, 3)`; requires the extra `pictures`.
        lang: With `"human"`: `"en"`, `"zh-Hant"` or `"zh-Hans"`, to print the game in words instead of the log.
        names: Names in the log, the learner's first.
        skip_forced: Pass automatically if the learner has no other legal action. The learner's first turn of a game is
            always shown. The games and the log are unaffected.
        engine: `"compiled"` (numba, compiles on first use), `"reference"` (plain Python) or `"auto"`, which starts with
            plain Python and switches to compiled rules once they are ready. Results are identical.

    Raises:
        ConfigError: If an argument is invalid.
        NotationError: If a name cannot be printed.

    Opponents receive the observations described here, even if the learner has an encoder or wrappers. A policy trained
    behind a normalizing wrapper must normalize its inputs itself, as `big2_env.envs.sb3.PolicyOpponent` does. An agent
    object is used as it is, without a copy. For several environments in one process pass names, classes or functions
    instead.

    >>> env = SeatEnv(["greedy", "heuristic", "greedy"], seat=0)
    >>> observation, info = env.reset(seed=7)
    >>> observation.shape, int(info["action_mask"].sum()) > 0
    ((547,), True)
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 2}  # noqa: RUF012  # as the base class has it

    def __init__(
        self,
        opponents: OpponentLike | Sequence[OpponentLike] = "random",
        *,
        ruleset: str | RuleSet = "big2",
        seat: int | str = "random",
        agent_seed: int | None = None,
        scoring: str | Settlement | None = None,
        num_players: int | None = None,
        shaping: str | Potential | Shaping | None = None,
        encoder: Encoder | None = None,
        dtype: npt.DTypeLike = "int8",
        on_illegal: str = "terminate",
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
        lang: str | None = None,
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
        self._salts = Salts(agent_seed)
        self._players = SeatPlayers(opponents, self.ruleset, self.num_players)
        self._encoder = checked_encoder(encoder)
        self.render_mode = render_mode
        self._screen = Screen(render_mode, lang)
        given = learner_names(0, self.num_players) if names is None else names
        self.names = tuple(map(check_name, seat_names(given, self.num_players)))
        """Names in the log, the learner's first."""
        self.actions = self._engine.space
        self.layout = self._engine.layout
        self._shaper = None if shaping is None else Shaper(shaping, self.layout)
        own = BinaryBox((self.layout.size,), self._engine.dtype)
        self.observation_space = own if encoder is None else encoder.space
        self.action_space = spaces.Discrete(self.actions.n)
        self.seat = 0
        """The learner's seat in the current episode."""
        self._is_running = False

    @property
    def opponents(self) -> tuple[Any, ...]:
        """Opponents in order of play, starting with the seat after the learner's: agents, batch functions or leagues."""
        return self._players.given

    @property
    def game(self) -> Game:
        """Current game, including hidden cards. Read-only."""
        if not self._engine.is_started:
            raise ResetNeeded("game before the first reset: call reset() first")
        return self._engine.game

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Start a game and let the opponents move until the learner's first turn.

        All deals, the learner's seat and the draws of leagues come from the environment's generator. Opponents' seeds
        depend only on what their seats see and on the game's salt (`big2_env.base.salts`).

        Args:
            seed: Seed of the environment's generator and of the salts; `None` continues them.
            options: At most one of `deck`, `hands` and `position` to set up the game (see
                `big2_env.envs.options.game_set_up`). `seat` overrides the learner's seat for this episode: a number,
                `"random"` or `"rotate"`.

        Returns:
            The observation, and an info dict with `action_mask` (int8 `(num_actions,)`) and `seat` (int, the learner's
                seat). Games that end before the learner's first turn are dealt again: `skipped_games` (int) is their
                number, and `skipped_payoff` (float) the sum of their payoffs for the learner.

        Raises:
            ConfigError, NotationError: If the options set up no game, or a game that ends before the learner's first
                turn.
            IllegalPlayError: If an opponent makes an illegal move.
        """
        given = known_options(options, *START_OPTIONS, "seat")
        game, choice = game_set_up(self.ruleset, self.num_players, given), self._seats.checked(given.get("seat"))
        super().reset(seed=seed)  # what is refused changes nothing
        self._is_running = False  # stays so when an opponent fails
        self._seats.begin(choice, anew=seed is not None)
        self._salts.begin(seed)
        self._engine = for_next_game(self._engine)
        skipped_payoff = 0.0
        for skipped_games in range(MAX_DEALS if game is None else 1):
            number = draw_seed(self.np_random)
            self.seat = self._seats.seat(int(self.np_random.integers(self.num_players)))
            self._players.choose([draw_seed(self.np_random) for _ in self.opponents])
            if game is None:
                self._engine.deal(number)
            else:
                self._engine.start(game)
            self._players.begin(self._engine, self.seat, self._salts.next())
            self._was_asked = False
            if self._screen.is_live:
                self._screen.refresh(self._engine.game, self._names_by_seat())
            self._play_opponents()
            if self._is_running:
                if self._shaper is not None:
                    self._shaper.begin(self._engine.observe(self.seat)[0][None])
                return self._look(skipped_games=skipped_games, skipped_payoff=skipped_payoff)
            skipped_payoff += self._engine.payoffs()[self.seat]
        what = f"{MAX_DEALS} games in a row" if game is None else "the game that the reset options set up"
        raise ConfigError(f"{what} ended before the learner, seat {self.seat}, was asked")

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Make the learner's move and let the opponents move until its next turn or the end of the game.

        Args:
            action: Integer from 0 to `num_actions - 1`.

        Returns:
            Observation, reward, `terminated`, `truncated` (always false) and an info dict. The info has `action_mask` and
                `seat` as after `reset`. At the end of a game it also has `winner` (int, a seat) and `payoffs` (float64
                `(num_players,)`). After an illegal action it has `illegal` (str, the reason).

        Raises:
            ConfigError: If `action` is not an integer in the action space.
            IllegalPlayError: If an opponent's move is illegal, or the learner's with `on_illegal="raise"`.
            ResetNeeded: If no game is running.
        """
        self._check_running("step()")
        try:
            self._engine.act(index(action))
        except TypeError:
            raise ConfigError(f"expected an integer 0 to {self.actions.n - 1} as action, got {action!r}") from None
        except IllegalPlayError as error:
            if self._screen.is_text:
                self._screen.refuse(self._engine.game, self._names_by_seat(), index(action))
            message = illegal_text(error, action, self.on_illegal)
            self._is_running = False
            observation, info = self._look(illegal=message)
            return observation, self._shaped(self.illegal_reward), True, False, info
        self._play_opponents()
        if self._is_running:
            observation, info = self._look()
            return observation, self._shaped(0.0), False, False, info
        payoffs = self._engine.payoffs()
        observation, info = self._look(winner=self._engine.winner, payoffs=np.array(payoffs))
        return observation, self._shaped(payoffs[self.seat]), True, False, info

    def _shaped(self, reward: float) -> float:
        """Return a step's reward with shaping added."""
        if self._shaper is None:
            return reward
        seen, ended = self._engine.observe(self.seat)[0][None], np.array([not self._is_running])
        return reward + float(self._shaper.gains(seen, ended, np.array([False]))[0])

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the learner's legal actions, bool `(num_actions,)`, all false after the end.

        Raises:
            ResetNeeded: Before the first reset.
        """
        if not self._engine.is_started:
            raise ResetNeeded("action_masks() before the first reset: call reset() first")
        mask: npt.NDArray[np.int8] = self._look()[1]["action_mask"]
        return mask.astype(np.bool_)

    def render(self) -> Picture | None:
        """Return the current picture or log, as `render_mode` says.

        The log shows all hands. A picture shows only the learner's hand until the game is over.

        Returns:
            The log as text in mode `ansi`, an SVG document in mode `svg`, pixels in mode `rgb_array`, otherwise `None`.

        Raises:
            ResetNeeded: Before the first reset.
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
        """Return the learner's observation and info."""
        observation, mask = self._engine.observe(self.seat)
        if not self._is_running:
            mask[:] = 0
        if self._encoder is not None:
            observation = encoded(self._encoder, self._engine.game.view(self.seat))
        return observation, {"action_mask": mask, "seat": self.seat, **more}

    def _play_opponents(self) -> None:
        """Play the other seats until the learner is to move or the game is over."""
        engine = self._engine
        self._is_running = False  # stays so when an opponent fails
        while not engine.is_over:
            seat = engine.turn
            if seat == self.seat:
                if not (self.skip_forced and self._was_asked and engine.is_forced()):
                    self._was_asked = True
                    break
                engine.act(0)
                continue
            self._players.act(engine, (seat - self.seat) % self.num_players - 1)
        self._is_running = not engine.is_over
        if self._screen.is_live:
            self._screen.refresh(engine.game, self._names_by_seat())


class SeatPlayers:
    """Opponents around one learner's seat.

    Args:
        given: One opponent for all seats, or one per seat.
        ruleset: Ruleset of the games.
        num_players: Number of seats per game.

    Raises:
        ConfigError: If the number of opponents does not match, an entry is not an opponent, or an opponent or a league's
            member cannot play the ruleset.
    """

    def __init__(self, given: OpponentLike | Sequence[OpponentLike], ruleset: RuleSet, num_players: int) -> None:
        self._table = ruleset, num_players
        several = one_each(given, num_players - 1)
        self.given = tuple(one if isinstance(one, League) else _player(one, ruleset, num_players) for one in several)
        """Agents, batch functions and leagues, starting with the seat after the learner's."""
        self._always = [(one, not isinstance(one, League) and is_batch_function(one)) for one in self.given]
        """By seat: the opponent and whether it is a batch function; of leagues, nothing of use."""
        self._members: list[tuple[int, Any, tuple[Any, bool]]] = []
        """Seat and opponent as given of a league's member, with the player made from it and whether it is a function."""
        for place, one in enumerate(self.given):
            for member in one.members if isinstance(one, League) else ():
                self._member(place, member.opponent)
        self._prepared: dict[int, tuple[Any, TurnEngine, Callable[[], int]]] = {}
        """By seat: the player and engine, and the function that returns the player's action from the engine's record."""
        self._playing: list[tuple[Any, bool]] = []
        """By seat: the player of the current game, and whether it is a batch function."""

    def choose(self, seeds: Sequence[int]) -> None:
        """Choose the players of the next game. Leagues draw their members here.

        The seeds are used for the draws only; no opponent receives one.

        Args:
            seeds: One seed per opponent.
        """
        numbers: dict[int, float] = {}  # a league on several seats draws once
        self._playing = []
        for place, (one, seed) in enumerate(zip(self.given, seeds, strict=True)):
            if isinstance(one, League):
                number = numbers.setdefault(id(one), SplitMix64(seed).next() / 2**64)
                self._playing.append(self._member(place, one.members[int(one.draw([number])[0])].opponent))
            else:
                self._playing.append(self._always[place])

    def begin(self, engine: TurnEngine, learner: int, salt: int) -> None:
        """Reset the agents for the game just dealt.

        Args:
            engine: Engine that holds the game.
            learner: The learner's seat.
            salt: The game's salt.
        """
        self._salt = salt
        for place, (player, is_function) in enumerate(self._playing):
            if is_function:
                self._prepared.pop(place, None)  # of the member that a league drew before
            elif not self._prepare(place, player, engine) or getattr(player, "is_stochastic", True):
                seat = (learner + place + 1) % engine.num_players
                player.reset(hand_seed(seat, engine.start_hand(seat), salt=salt))

    def _prepare(self, place: int, player: Any, engine: TurnEngine) -> bool:
        """Keep the function by which an agent chooses from the engine's record; return whether it has one."""
        known = self._prepared.get(place)
        if known is None or known[0] is not player or known[1] is not engine:
            chooser = own_method(player, "chooser") if isinstance(engine, CompiledEngine) else None
            choose = None if chooser is None else chooser(engine)
            self._prepared.pop(place, None)
            if choose is not None:
                self._prepared[place] = player, engine, choose
        return place in self._prepared

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without functions bound to one engine."""
        return self.__dict__ | {"_prepared": {}}

    def _member(self, place: int, opponent: Any) -> tuple[Any, bool]:
        """Return the player of a league's member for a seat, and whether it is a batch function."""
        for seat, given, made in self._members:
            if seat == place and given is opponent:
                return made
        present = {id(member.opponent) for one in self.given if isinstance(one, League) for member in one.members}
        player = _player(opponent, *self._table)
        made = player, is_batch_function(player)
        self._members = [*(known for known in self._members if id(known[1]) in present), (place, opponent, made)]
        return made

    def act(self, engine: TurnEngine, place: int) -> None:
        """Make the move of the seat to move.

        Args:
            engine: Engine that holds the game.
            place: Index of the opponent in `given`.

        Raises:
            ConfigError: If the opponent returns something other than a move.
            IllegalPlayError: If the move is illegal.
        """
        (player, is_function), seat = self._playing[place], engine.turn
        prepared = self._prepared.get(place)
        try:
            if prepared is not None:
                engine.act(prepared[2]())
                return
            if is_function:
                self._move_by_function(engine, player)
                return
            play = player.act(engine.game.view(), engine.game.legal_plays())
            if not isinstance(play, Play):
                raise ConfigError(f"expected one of the legal plays, got a {type(play).__name__}")
            engine.play(play)
        except ConfigError as error:
            raise ConfigError(f"opponent {repr_text(player)} on seat {seat}: {error}") from None
        except IllegalPlayError as error:
            raise IllegalPlayError(f"opponent {repr_text(player)} on seat {seat}: {error}", error.refusal) from None

    def _move_by_function(self, engine: TurnEngine, player: Any) -> None:
        """Let a batch function move in a single game."""
        observation, mask = engine.observe(engine.turn)
        game = engine.game
        known = game.turn, game.position.hands[game.turn], len(game.history)
        rng = RowRandom(np.array([hashed(*known, self._salt)], np.uint64))
        given = np.asarray(player(observation[None], mask[None], rng))
        if given.shape != (1,) or given.dtype.kind not in "iu":
            raise ConfigError(f"expected 1 integer, got {given.dtype} {given.shape}")
        engine.act(int(given[0]))


def _player(given: OpponentLike, ruleset: RuleSet, num_players: int) -> Any:
    """Return an agent that can play the game, or a batch function unchanged.

    Raises:
        ConfigError: If `given` is neither.
    """
    if isinstance(given, RowPlayer):
        raise ConfigError(
            f"expected an agent or a function of observations, masks and draws, got {given!r}, which plays in batches"
        )
    if is_batch_function(given):
        return given
    agent = resolve_agent(given)
    check_seats([agent], ruleset, num_players)
    return agent
