"""Vectorized Gymnasium environment on the batch engine: many games of one ruleset at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from big2_env.base.errors import ConfigError
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import ruleset as ruleset_of
from big2_env.climbing.settlement import Settlement
from big2_env.drawing import Scene
from big2_env.envs.opponents import OpponentLike, batch_opponents
from big2_env.envs.rows_env import MODES, Array, RowsEnv
from big2_env.envs.screen import PICTURE_MODES, check_render_mode, row_scene
from big2_env.envs.shaping import Potential, Shaper, Shaping
from big2_env.kernels.batch import DEALT
from big2_env.kernels.engine import BatchEngine

OBSERVATIONS: Final = ("entries", "bits")
"""Forms of observations: an entry per bit, or eight bits per byte."""


class BatchEnv(RowsEnv[BatchEngine]):
    """Gymnasium vector environment with one game per row, on the batch engine.

    `gymnasium.make_vec(ID, num_envs=N)` creates it. In mode `"seat"`, the default, each row is one learner's seat:
    opponents move inside `step`, and the reward is the learner's own payoff. This is the learning problem of
    `gymnasium.make(ID)`. In mode `"self_play"` (also `big2/Big2SelfPlay-v0`) a row shows the seat to move, and `step`
    makes that seat's move. One policy plays all seats, and the learner must assign rewards to seats, as
    `big2_env.envs.sb3.SelfPlayPPO` does.

    The numbers below are for ruleset `big2` with four players; N is the number of rows.

    Action space: `Discrete(1379)` per row. Infos list the legal actions in the form `masks`. `action_masks()` returns a
    mask, bool, and `legal_ids()` lists, whatever the form is. Choosing from a list is much faster than scanning a mask.
    `random_actions()` draws one legal action per row.

    Observation space: a `Box` of zeros and ones, `(547,)` per row. `layout.named(observations)` splits it into named
    windows. With `observation="bits"` it is a `Box` of bytes.

    Reward: float32 `(N,)`, 0 until a game ends. In seat mode it is then the learner's payoff. In self-play it is the
    payoff of the seat that moved. A game usually ends with the winner's move, so these rewards rarely show a loss;
    `infos["payoffs"]` has all seats' payoffs.

    Episode end: a row terminates when its game ends or after an illegal action. Nothing is truncated.

    Reproducibility: row i has its own streams of deals and of salts (`big2_env.base.salts`), seeded with `seed + i`. Games do
    not depend on the number of rows or threads.

    Compilation: up to 128 rows on one thread step interpreted at first, with identical results, at about 0.2 ms per row.
    Kernels that are not in numba's cache compile in the background after two seconds of such steps, and take over when they are
    ready. More rows or threads wait for compiled kernels. `engine.finish_compiling()` waits in any case.

    Infos (a key `_NAME`, bool `(N,)`, marks the rows in which `NAME` is valid, as usual in Gymnasium):

    | key | dtype, shape | meaning |
    | --- | --- | --- |
    | `action_mask` | int8 (N, actions) | `masks="dense"`: legal actions of the seat shown; all 0 if the game is over |
    | `action_bits` | uint8 (N, bytes) | `masks="bits"`: the same, eight actions per byte |
    | `legal_counts` | int32 (N,) | `masks="ids"`: number of legal actions; 0 if the game is over |
    | `legal_ids` | int32 (N, longest) | `masks="ids"`: these actions; entries beyond a row's count are undefined |
    | `seat` | int32 (N,) | seat shown: the seat to move, in seat mode the learner's; after an end the seat that moved |
    | `actor` | int32 (N,) | seat that moved and receives `reward`; -1 if the step only dealt; not after `reset` |
    | `payoffs` | float32 (N, seats) | each seat's payoff if this step ended the game, else 0; not after `reset` |
    | `skipped_games` | int32 (N,) | seat mode: games dealt by this step that ended before the learner's first turn |
    | `skipped_payoff` | float32 (N,) | seat mode: sum of their payoffs for the learner |
    | `illegal` | bool (N,) | true if this step's action was illegal; not after `reset` |
    | `final_obs` | object (N,) | `SAME_STEP` only: the last observation of a game that ended, else `None` |
    | `final_info` | dict | together with `final_obs`: `seat` and `payoffs` of the games that ended |

    Args:
        num_envs: Number of rows.
        ruleset: Ruleset name, `RuleSet`, path to a ruleset file (`*.json`, `*.toml`) or `MODULE:NAME`. One that does not
            compile, as all rulesets of the package do, is served slowly by the readable rules, after a warning.
        num_players: Number of players; `None` for the ruleset's default.
        mode: `"seat"` or `"self_play"`.
        opponents: Seat mode: one opponent for all other seats, or a sequence with one per seat after the learner's. Each
            is an agent's name, an agent, a class or function that makes one, a `League`, or a batch function
            `opponent(observations, masks, rng) -> actions`. The function is called for all rows in which it is to move;
            `rng` is a `RowRandom`.
        seat: Seat mode: the learner's seat. `"rotate"` moves it by one from deal to deal, starting with the row's index.
            `"random"` draws it for each deal. A number fixes it.
        agent_seed: Number from 0 to 2**63 - 1 for other random choices of opponents in the same games; `None` for none.
        scoring: `"winner"`, `"cards"` or a `Settlement`; `None` for the ruleset's own.
        shaping: Seat mode: `"cards_left"`, `"race"`, a function of observations or a `Shaping` (see
            `big2_env.envs.shaping`); `None` for unshaped rewards.
        dtype: Observation dtype, `"int8"` or `"float32"`.
        observation: `"entries"`, or `"bits"` for uint8 with eight entries per byte, the first one in the lowest bit and the
            last byte padded with zeros; `numpy.unpackbits(bits, axis=1, count=layout.size, bitorder="little")` are the
            entries. Opponents that are functions get bits, too.
        autoreset_mode: An `AutoresetMode` or its value. `SAME_STEP`: a row that ends shows its next game at once.
            `NEXT_STEP`: it shows the end, and the next step deals and ignores the action. `DISABLED`: call
            `reset(options={"reset_mask": ended})` yourself.
        skip_forced: Pass automatically for a seat that has no other legal action. In seat mode the learner's first turn
            of a game is always shown.
        on_illegal: Response to an illegal action. `"terminate"` ends the game with `illegal_reward` for the actor and 0
            for the others. `"raise"` raises `IllegalPlayError` and changes nothing.
        illegal_reward: Reward of an illegal action.
        copy: True to return arrays that never change: an array is used again only when no object refers to it or to a view
            of it. With False each call overwrites the arrays of the last one. `final_obs` then is an array of all rows; rows
            without an ended game are undefined.
        masks: Form of the legal actions in infos. `"dense"`: a mask, read-only if there are more than 4,096 actions, since
            a step writes only the entries that change. `"bits"`: a mask with eight actions per byte, the first action in
            the lowest bit, the last byte padded with zeros; `numpy.unpackbits(bits, axis=1, count=actions,
            bitorder="little")` is the dense mask. `"ids"`: lists, the fastest form.
        render_mode: `"rgb_array"`: `render` returns one picture per row, uint8 `(600, 960, 3)`; requires the extra
            `pictures`. `"svg"`: one SVG document with the tables of the first 16 rows. All hands are open in self-play,
            only the learner's in seat mode.
        threads: Number of threads that share the rows; useful from a few thousand rows.
        encoder: Refused: an option of single games.
        max_episode_steps: Moves after which a row's game is truncated, as by Gymnasium's `TimeLimit`; `None` for no limit.

    Raises:
        ConfigError: If an argument is invalid.

    Opponents see the games' own observations, even if the learner has wrappers. A policy trained behind a normalizing
    wrapper must normalize its inputs itself. Gymnasium's wrappers of observations, such as `TransformObservation` and
    `NormalizeObservation`, do not support `SAME_STEP`; create the batch with `autoreset_mode="NextStep"`. Encoders of a
    `View` and settlements that do not compile work in `SeatEnv` and the AEC environment only.

    >>> envs = BatchEnv(4, opponents="greedy")
    >>> observations, infos = envs.reset(seed=7)
    >>> observations, rewards, terminated, truncated, infos = envs.step(envs.random_actions())
    >>> observations.shape, rewards.dtype.name
    ((4, 547), 'float32')
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
        agent_seed: int | None = None,
        scoring: str | Settlement | None = None,
        shaping: str | Potential | Shaping | None = None,
        dtype: npt.DTypeLike = "int8",
        observation: str = "entries",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        skip_forced: bool = False,
        on_illegal: str = "terminate",
        illegal_reward: float = -1.0,
        copy: bool = True,
        masks: str = "dense",
        render_mode: str | None = None,
        threads: int = 1,
        encoder: None = None,
        max_episode_steps: int | None = None,
    ) -> None:
        if encoder is not None:
            raise ConfigError("encoder is an option of single games; make_vec takes it with vectorization_mode='sync'")
        rules = ruleset_of(ruleset)
        self.ruleset = rules if scoring is None else rules.with_scoring(scoring)
        self.mode = mode
        self.render_mode = check_render_mode(render_mode, PICTURE_MODES)
        if observation not in OBSERVATIONS:
            raise ConfigError(f"expected observation {' or '.join(map(repr, OBSERVATIONS))}, got {observation!r}")
        if observation == "bits":
            if dtype != "int8" or shaping is not None:
                raise ConfigError(
                    "observation='bits' has its own dtype, uint8, and cannot be shaped; pass neither dtype nor shaping"
                )
            dtype = np.uint8
        elif getattr(dtype, "__name__", str(dtype)) == "uint8":
            raise ConfigError("expected dtype int8 or float32, got uint8: observation='bits' packs entries into bytes")
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
        options |= {"num_players": num_players, "agent_seed": agent_seed, "may_interpret": True}
        engine = BatchEngine(self.ruleset, num_envs, **options)
        super().__init__(engine, autoreset_mode, on_illegal, illegal_reward, copy, max_episode_steps)
        self._shaper = None if shaping is None else Shaper(shaping, self.layout)

    def _begin(self, obs: Array, chosen: Array) -> None:
        super()._begin(obs, chosen)
        if self._shaper is not None:
            self._shaper.begin(obs)

    def _ends(self, status: Array, reward: Array, obs: Array) -> tuple[Array, Array]:
        ended, illegal = super()._ends(status, reward, obs)
        if self._shaper is not None:
            reward += self._shaper.gains(obs, ended, status == DEALT)
        return ended, illegal

    def scene(self, row: int) -> Scene:
        """Return the scene of a row's picture."""
        return row_scene(self.engine.game(row), int(self.engine.seat[row]), open_hands=self.mode == "self_play")
