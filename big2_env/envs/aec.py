"""PettingZoo AEC environment for every ruleset of `big2_env.climbing`: `env` and `raw_env`."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy.typing as npt
from gymnasium.error import ResetNeeded

from big2_env.base.errors import ConfigError, IllegalPlayError
from big2_env.base.salts import Salts
from big2_env.climbing.encoding.observation import StateLayout
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_of
from big2_env.climbing.settlement import Settlement
from big2_env.envs.aec_base import AecBase, Env, Wrapped
from big2_env.envs.options import START_OPTIONS, Encoder, checked_encoder, draw_seed, encoded, game_set_up, known_options
from big2_env.envs.screen import RENDER_MODES, Picture, Screen
from big2_env.envs.turn_engine import TurnEngine, for_next_game, make_engine
from big2_env.notation.transcript import check_name, seat_names


def env(**kwargs: Any) -> Env:
    """Return `raw_env` in PettingZoo's usual wrappers.

    With the wrappers an illegal move ends the game, with -1 for the agent that made it and 0 for the others. An action
    outside the space fails an assertion, and calls in the wrong order are rejected. `raw_env` is a little faster, checks
    every move as well and raises on errors.

    Args:
        **kwargs: Arguments of `raw_env`.

    Raises:
        ConfigError: If an argument is invalid, or for `masks="ids"`: the wrappers read masks.

    >>> table = env(render_mode="ansi")
    >>> table.reset(seed=7)
    >>> for agent in table.agent_iter():
    ...     observation, reward, terminated, truncated, info = table.last()
    ...     legal = observation["action_mask"].nonzero()[0]
    ...     table.step(None if terminated else legal[-1])
    """
    made = raw_env(**kwargs)
    if made.masks != "dense":
        raise ConfigError(f"expected masks 'dense' in PettingZoo's wrappers, got {made.masks!r}: use raw_env")
    return Wrapped(made)


class raw_env(AecBase):  # noqa: N801  # as PettingZoo names it
    """PettingZoo AEC environment with one agent per seat, without wrappers.

    Agents are `player_0`, `player_1`, ..., one per seat. Moves are strictly sequential;
    `turn_based_aec_to_parallel` of PettingZoo gives the parallel API. The environment can be pickled and copied in mid-game.

    The numbers below are for ruleset `big2` with four players. `big2_env/envs/README.md` lists all rulesets.

    Action space: `Discrete(1379)`. 0 is the pass. Every other id names positions in the sorted hand
    (`big2_env.climbing.actions`); `actions` translates in both directions. In games without suits, ids name plays by rank
    instead. Bids of games with an auction are actions too.

    Observation space: a dict of `observation`, a `Box` of zeros and ones `(547,)`, and `action_mask`, int8 `(1379,)`. The
    observation is computed from the agent's own view. Cards are in ascending order. Seats are counted from the viewer: 0
    is the viewer, 1 the next seat. `layout.windows` lists the windows with their shapes and meanings;
    `layout.named(observation)` splits an observation into them.

    Action mask: 1 for each legal action. It is all zero for agents that are not to move and after the end of the game,
    and never all zero for the agent to move. With `masks="ids"` observations have no mask, and `legal_ids` lists the legal
    actions, which is faster if there are tens of thousands of actions.

    State: `state()` shows all hands, for centralized critics. Seats are absolute there. `state_layout` describes it as
    `layout` describes an observation.

    Rewards: 0 until the game ends, then every agent receives its payoff, no matter which seat moved last.

    Episode end: all agents terminate when the game ends. Nothing is truncated.
    `big2_env.climbing.game.max_moves(ruleset, num_players)` is an upper bound on the moves of a game.

    Args:
        ruleset: Ruleset name, `RuleSet`, path to a ruleset file (`*.json`, `*.toml`) or `MODULE:NAME`.
        scoring: `"winner"`, `"cards"` or a `Settlement`; `None` for the ruleset's own.
        num_players: Number of players; `None` for the ruleset's default.
        encoder: Replacement for the built-in observation: an object with a `space` and a method `encode(view)` (see
            `big2_env.envs.options.Encoder`).
        dtype: Dtype of observations and state, `"int8"` or `"float32"`.
        render_mode: Result of `render`. `"ansi"`: the game log so far, with illegal moves. `"human"`: nothing, the log is
            printed during the game. `"svg"`: a picture of the table with all hands open. `"rgb_array"`: the same picture as
            pixels, uint8 `(600, 960, 3)`; requires the extra `pictures`.
        lang: With `"human"`: `"en"`, `"zh-Hant"` or `"zh-Hans"`, to print the game in words instead of the log.
        names: Names of the players in the log; by default the names of the agents.
        skip_forced: Pass automatically for an agent that has no other legal action. The log shows these passes.
        engine: `"compiled"` (numba, compiles on first use), `"reference"` (plain Python) or `"auto"`, which starts with
            plain Python and switches to compiled rules once they are ready. Results are identical.
        masks: `"dense"`: observations have an `action_mask`. `"ids"`: they have none; ask `legal_ids`.
        agent_seed: Number from 0 to 2**63 - 1 for other random choices of `AgentPolicy` in the same games; `None` for none.

    Raises:
        ConfigError: If an argument is invalid.
        NotationError: If a name cannot be printed.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  # as the base class has it
        "name": "big2_v0",
        "render_modes": RENDER_MODES,
        "render_fps": 2,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        ruleset: str | RuleSet = "big2",
        *,
        scoring: str | Settlement | None = None,
        num_players: int | None = None,
        encoder: Encoder | None = None,
        dtype: npt.DTypeLike = "int8",
        render_mode: str | None = None,
        lang: str | None = None,
        names: Sequence[str] | None = None,
        skip_forced: bool = False,
        engine: str = "auto",
        masks: str = "dense",
        agent_seed: int | None = None,
    ) -> None:
        super().__init__()
        self._salts = Salts(agent_seed)
        rules = ruleset_of(ruleset)
        self.ruleset = rules if scoring is None else rules.with_scoring(scoring)
        self._engine = make_engine(self.ruleset, num_players, dtype, skip_forced=skip_forced, kind=engine, masks=masks)
        self.masks = masks
        self._screen = Screen(render_mode, lang)
        self.actions = self._engine.space
        self.layout = self._engine.layout
        self.state_layout = StateLayout(self.ruleset, self._engine.num_players)
        self.render_mode = render_mode
        self.metadata = {**type(self).metadata, "name": f"{self.ruleset.name}_v0"}
        sizes = self.layout.size, self.actions.n, self.state_layout.size
        self._encoder = checked_encoder(encoder)
        self._is_plain = encoder is None and type(self).observe is raw_env.observe
        seen, has_mask = None if encoder is None else encoder.space, masks == "dense"
        self._set_spaces(self._engine.num_players, *sizes, self._engine.dtype, seen=seen, has_mask=has_mask)
        self._has_mask = has_mask
        self.names = tuple(map(check_name, seat_names(names, self._engine.num_players)))

    def _running(self, call: str) -> TurnEngine:
        if not self._engine.is_started:
            raise ResetNeeded(f"{call} before the first game: call reset() first")
        return self._engine

    @property
    def game(self) -> Game:
        """Current game, including hidden cards. Read-only."""
        return self._running("game").game

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game: a new deal, or the game that the options set up.

        Args:
            seed: Seed of the environment's generator and of the salts; `None` continues them.
            options: At most one of `deck`, `hands` and `position` (see `big2_env.envs.options.game_set_up`).

        Raises:
            ConfigError, NotationError: If the options do not set up a game. The previous game continues.
        """
        rng, given = self._generator(seed), known_options(options, *START_OPTIONS)
        game = game_set_up(self.ruleset, len(self.possible_agents), given)
        number = draw_seed(rng)
        self._engine = for_next_game(self._engine)
        if game is None:
            self._engine.deal(number)
        else:
            self._engine.start(game)
        self._begin(rng, self._engine.turn)
        self._salts.begin(seed)
        self._salts.advance()
        if self._screen.is_live:
            self._screen.refresh(self._engine.game, self.names)

    @property
    def salt(self) -> int:
        """Salt of the current game (`big2_env.base.salts`)."""
        self._running("salt")
        return self._salts.now

    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]]:
        """Return an agent's current observation and legal actions, in new arrays.

        Works for every agent at any time, including after the end.

        Returns:
            A dict of `observation`, `(size,)`, and `action_mask`, int8 `(num_actions,)`; without it for `masks="ids"`.

        Raises:
            ConfigError: If `agent` is unknown.
            ResetNeeded: Before the first reset.
        """
        engine = self._engine
        if not engine.is_started:
            self._running("observe()")
        try:
            seat = self._seats[agent]
        except (KeyError, TypeError):
            seat = self._seat(agent)
        seen = self._seen(engine, seat)
        if self._has_mask and (self.terminations.get(agent, True) or self.truncations.get(agent, True)):
            seen["action_mask"][:] = 0
        if self._encoder is not None:
            seen["observation"] = encoded(self._encoder, engine.game.view(seat))
        return seen

    def _seen(self, engine: TurnEngine, seat: int) -> dict[str, npt.NDArray[Any]]:
        """Return the built-in observation of a seat, with the mask if observations have one."""
        if not self._has_mask:
            return {"observation": engine.observation(seat)}
        observation, mask = engine.observe(seat)
        return {"observation": observation, "action_mask": mask}

    def last(self, observe: bool = True) -> tuple[dict[str, npt.NDArray[Any]] | None, float, bool, bool, dict[str, Any]]:
        """Return observation, cumulative reward, terminated, truncated and info of the agent to move, as in PettingZoo.

        Args:
            observe: False returns `None` instead of the observation.
        """
        agent = self.agent_selection
        terminated, truncated, seen = self.terminations[agent], self.truncations[agent], None
        if terminated or truncated or not self._is_plain:
            seen = self.observe(agent) if observe else None
        elif observe:  # the same without a search for what does not apply
            seen = self._seen(self._engine, self._seats[agent])
        return seen, self._cumulative_rewards[agent], terminated, truncated, self.infos[agent]

    def legal_ids(self) -> list[int]:
        """Return the legal actions of the agent to move in ascending order. Faster than searching a mask.

        The list is empty for an agent that has terminated.

        Raises:
            ResetNeeded: Before the first reset.
        """
        engine = self._engine
        if not engine.is_started:
            self._running("legal_ids()")
        agent = self.agent_selection
        if self.terminations.get(agent, True) or self.truncations.get(agent, True):
            return []
        return engine.legal_ids()

    def state(self) -> npt.NDArray[Any]:
        """Return the complete game, including all hands, as int8 or float32 `(state_size,)`.

        Raises:
            ResetNeeded: Before the first reset.
        """
        return self.state_layout.encode(self._running("state()").game, self._engine.dtype)

    def step(self, action: Any) -> None:
        """Make the selected agent's move. A rejected move changes nothing but the log, which keeps illegal ones.

        Args:
            action: Integer action; `None` for an agent that has terminated.

        Raises:
            ConfigError: If `action` is not an integer in the action space.
            IllegalPlayError: If the action is illegal now.
            ResetNeeded: Before the first reset, or if all agents are done.
        """
        engine = self._engine
        if not engine.is_started:
            self._running("step()")
        agent = self.agent_selection
        if self.terminations.get(agent, True) or self.truncations.get(agent, True):
            self._leave(action)
            return
        try:
            engine.act(index(action))
        except (TypeError, ConfigError, IllegalPlayError) as error:
            raise self._refusal(action, error) from None
        if engine.is_over:
            self._pay(engine.payoffs())
        self.agent_selection = self.possible_agents[engine.turn]
        if self._screen.is_live:
            self._screen.refresh(engine.game, self.names)

    def keep_illegal(self, action: Any) -> None:
        """Add an action to the log as a refused move if it is illegal now. `step` and the wrappers of `env` call this."""
        if self._screen.is_text and (legal := self.legal_ids()) and action not in legal:
            self._screen.refuse(self._engine.game, self.names, action)

    def render(self) -> Picture | None:
        """Return the game log in mode `ansi`, a picture in modes `svg` and `rgb_array`, otherwise `None`.

        Pictures show all hands. In mode `human` the log is printed during the game.

        Raises:
            ResetNeeded: Before the first reset.
        """
        return self._screen.render(self._running("render()").game, self.names)
