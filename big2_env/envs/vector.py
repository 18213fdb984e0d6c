"""Many games at once, as a Gymnasium vector environment over the compiled engine: the page of `BatchEnv`.

    import big2_env, gymnasium
    envs = gymnasium.make_vec("big2/Big2-v0", num_envs=1024)

## Description

A row is a game of any ruleset that compiles, as all of the package do. By default (`mode="seat"`) a row is one learner's: the
opponents' acts happen inside a step, and the reward is the learner's own payoff. That is the learning problem of
`gymnasium.make(ID)`. With `mode="self_play"`, or by the id `big2/Big2SelfPlay-v0`, a row shows the seat to move, and a step makes
that seat's act: one policy plays all seats. There a game is ended by its winner, so a row's rewards never show a loss; a learner
has to take them apart by seat, as `big2_env.envs.sb3` does.

Same seed, same games: row i has its own stream of deals, seeded by `seed + i`, whatever the number of rows and threads.

## Action Space

`Discrete(1379)` for each row of ruleset `big2`: the hand slots of `big2_env.climbing.actions`; of games in which suits never
matter the rank table of `big2_env.climbing.actions`. Legal acts come three ways: as
`infos["action_mask"]`, int8 `(N, 1379)`; as `action_masks()`, bool; and as lists by `legal_ids()`, counts int32 `(N,)` and ids
int32 `(N, longest)`: choosing from a list is many times faster than scanning a mask. `random_actions()` does it at random.

    counts, ids = envs.unwrapped.legal_ids()
    actions = ids[np.arange(len(ids)), (rng.random(len(ids)) * counts).astype(int)]

## Observation Space

A `Box` of zeros and ones, int8 or float32, `(547,)` a row for `big2`, with the windows of `big2_env.envs.aec`;
`layout.named(observations)` gives them by name.

## Rewards

float32 `(N,)`. In self-play the payoff of the seat that acted, which ends a game only by winning it: the other seats' payoffs
are in `infos["payoffs"]`. In seat mode the learner's own payoff whoever ended the game. 0 while a game goes on.

## Episode End

Terminated when the game ends; never truncated. An act that is not legal terminates too, with `illegal_reward`, and nobody else
gets anything; with `on_illegal="raise"` it raises and changes nothing.

## Infos

| key | dtype, shape | meaning |
| --- | --- | --- |
| `action_mask` | int8 (N, actions) | the legal acts of the seat that the row shows; all 0 where the game is over |
| `seat` | int32 (N,) | the seat that the row shows: the one to move, in seat mode the learner's; after an end the one that acted |
| `actor` | int32 (N,) | the seat that made the act of this step and gets `reward`; -1 where a step only dealt. Not after `reset` |
| `payoffs` | float32 (N, seats) | what each seat got where this step ended a game, else 0. Not after `reset` |
| `illegal` | bool (N,) | whether this step's act was not legal. Not after `reset` |
| `final_obs` | object (N,) | `SAME_STEP`, where games ended: the observation at the end by who acted (the learner), else `None` |
| `final_info` | dict | with `final_obs`: `seat` and `payoffs` of the games that ended |

`_payoffs`, `_final_obs`, `_final_info` and the like say, bool `(N,)`, in which rows the key counts, as everywhere in Gymnasium.

## Arguments

| argument | default | meaning |
| --- | --- | --- |
| `num_envs` | `1` | rows |
| `ruleset` | `"big2"` | a `RuleSet` that can be compiled, as all of the package can, its name, a ruleset file (`*.json`, `*.toml`) or `MODULE:NAME` |
| `num_players` | `None` | how many play, where the ruleset allows several numbers; `None` is its default, `RuleSet.default_players` |
| `mode` | `"seat"` | or `"self_play"`; both serve every ruleset and number of players |
| `opponents` | `"random"` | seat mode: one for all, or one for each seat after the learner's: a name (`"greedy"`, `"heuristic"`, `"learned"`, `"learned:PATH"`, `"search:50"`, any that `big2_env.agents` announces), an agent, a class or function that makes one; a function `opponent(observations, masks, rng) -> actions` of the rows where it is to move, `rng` being a `RowRandom`; or a `League` |
| `seat` | `"rotate"` | seat mode: the learner's seat goes round from deal to deal, beginning with the row's number; or `"random"`: drawn for each deal; or a number |
| `scoring` | `None` | `"winner"`, `"cards"` or a `Settlement`; `None` leaves the ruleset's own |
| `shaping` | `None` | seat mode: `"cards_left"`, `"race"`, a function of observations or a `Shaping` (`big2_env.envs.shaping`), added to the rewards |
| `dtype` | `"int8"` | `"int8"` or `"float32"`, of the observations |
| `autoreset_mode` | `SAME_STEP` | a `gymnasium.vector.AutoresetMode` or its value. `SAME_STEP`: a row that ends shows the next game at once. `NEXT_STEP`: it shows the end, and the next step deals, whatever the action. `DISABLED`: reset it yourself, `reset(options={"reset_mask": ended})` |
| `skip_forced` | `False` | a seat whose only legal act is the pass is passed by the engine; in seat mode the learner's first turn of a game is shown all the same |
| `on_illegal` | `"terminate"` | or `"raise"` |
| `illegal_reward` | `-1.0` | what an illegal act brings |
| `copy` | `True` | new arrays at each call. `False`: the same arrays each time, written over by the next call; faster. `final_obs` is then an array of all rows, and what stands where no game ended has no meaning |
| `masks` | `True` | `False`: no `action_mask` in the infos, which takes most of the time and memory where there are 27,474 actions; legal acts come by `legal_ids()`, and by `action_masks()` when asked for |
| `render_mode` | `None` | `"rgb_array"`: `render` returns a picture of each row, uint8 (600, 960, 3), with the extra `pictures`; `"svg"`: one SVG document with the first 16 rows' tables. In self-play all hands lie open, in seat mode the learner's alone |
| `threads` | `1` | threads that share the rows; worth it from a few thousand rows on |

`"random"`, `"lowest"`, `"greedy"`, `"heuristic"` and `"learned"` play in compiled code in all rows at once, act for act as their
agents do (`"random"` with draws of its own). Any other agent is asked one view at a time: right, and slow. What an opponent draws
follows from the row's stream: same seed, same games, whatever the number of rows.

Opponents see the games, not what wrappers make of them: a policy trained behind a normalising wrapper has to normalise for itself.
An encoder of your own is a wrapper of observations (`gymnasium.wrappers.vector.TransformObservation`). Gymnasium's wrappers of
observations, `NormalizeObservation` among them, refuse `SAME_STEP`, whose `final_obs` they would leave as it is: make the batch with
`autoreset_mode="NextStep"`. An encoder that needs a `View` works in `SeatEnv` and the AEC environment, and so does a `Settlement` of
your own that does not compile.

`reset(seed)` takes a number, or one for each row, `None` for any. Without a seed the rows deal on from their streams.

## Version History

* v0: first version.
"""  # noqa: E501  # a table's row is one line

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_of
from big2_env.climbing.settlement import Settlement
from big2_env.envs.opponents import OpponentLike, batch_opponents
from big2_env.envs.rows_env import MODES, Array, RowsEnv
from big2_env.envs.screen import PICTURE_MODES, check_render_mode, row_scene
from big2_env.envs.shaping import Potential, Shaper, Shaping
from big2_env.errors import ConfigError
from big2_env.kernels.batch import DEALT
from big2_env.kernels.compile import check_compiles
from big2_env.kernels.engine import BatchEngine
from big2_env.show import Scene


class BatchEnv(RowsEnv[BatchEngine]):
    """Many games of one compiled ruleset, a row each; see the module's page.

    By default, and so by `gymnasium.make_vec(ID)`, a row is one learner's seat against opponents, the same learning problem as
    `gymnasium.make(ID)`. Self-play is `mode="self_play"`.

    Raises:
        ConfigError: an argument that cannot be served, or a ruleset that cannot be compiled.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        ruleset: str | RuleSet = "big2",
        num_players: int | None = None,
        mode: str = "seat",
        opponents: OpponentLike | Sequence[OpponentLike] = "random",
        seat: int | str = "rotate",
        scoring: str | Settlement | None = None,
        shaping: str | Potential | Shaping | None = None,
        dtype: npt.DTypeLike = "int8",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        skip_forced: bool = False,
        on_illegal: str = "terminate",
        illegal_reward: float = -1.0,
        copy: bool = True,
        masks: bool = True,
        render_mode: str | None = None,
        threads: int = 1,
    ) -> None:
        rules = ruleset_of(ruleset)
        self.ruleset = rules if scoring is None else rules.with_scoring(scoring)
        self.mode = mode
        self.render_mode = check_render_mode(render_mode, PICTURE_MODES)
        self.has_masks = masks
        _check_compiles(self.ruleset, num_players)
        options: dict[str, Any] = {"dtype": dtype, "skip_forced": skip_forced, "threads": threads, "masks": masks}
        if mode == "seat":
            players = self.ruleset.seats(num_players)
            options |= {"opponents": batch_opponents(opponents, self.ruleset, players), "seat": seat}
        elif mode != "self_play":
            raise ConfigError(f"expected mode {' or '.join(map(repr, MODES))}, got {mode!r}")
        elif opponents != "random" or seat != "rotate":
            raise ConfigError("opponents and seat need mode='seat'; big2_env.envs.sb3.SelfPlayVecEnv has an opponent pool")
        elif shaping is not None:
            raise ConfigError("shaping needs mode='seat'; big2_env.envs.sb3.SelfPlayVecEnv shapes self-play by seat")
        engine = BatchEngine(self.ruleset, num_envs, num_players=num_players, **options)
        super().__init__(engine, autoreset_mode, on_illegal, illegal_reward, copy)
        self._shaper = None if shaping is None else Shaper(shaping, self.layout)

    def _begin(self, obs: Array) -> None:
        if self._shaper is not None:
            self._shaper.begin(obs)

    def _ends(self, status: Array, reward: Array, obs: Array) -> tuple[Array, Array]:
        ended, illegal = super()._ends(status, reward, obs)
        if self._shaper is not None:
            reward += self._shaper.gains(obs, ended, status == DEALT)
        return ended, illegal

    def scene(self, row: int) -> Scene:
        """What a row's picture shows."""
        return row_scene(self.engine.game(row), int(self.engine.seat[row]), open_hands=self.mode == "self_play")


def _check_compiles(ruleset: RuleSet, num_players: int | None) -> None:
    """Refuse a ruleset that has no compiled form, and say where it runs.

    Raises:
        ConfigError: with every reason.
    """
    try:
        check_compiles(ruleset, num_players)
    except ConfigError as error:
        if str(error).endswith("serves it"):
            raise ConfigError(f"{error} in SeatEnv and the AEC environment") from None
        raise
