"""Vector environment for UNO: many games at once in compiled code.

    import big2_env, gymnasium
    envs = gymnasium.make_vec("big2/Uno-v0", num_envs=1024, players=2, opponents="automatic")

By default (`mode="seat"`) every row has one learner: opponents move inside a step, and the reward is the learner's payoff. This is
the same learning problem as `gymnasium.make(ID)`. With `mode="self_play"`, or the id `big2/UnoSelfPlay-v0`, a row shows the seat
to move and a step makes that seat's move, so one policy plays all seats.

`big2_env.games.uno.aec` describes actions, masks and observations. `big2_env.envs.vector` describes rewards, infos, seeds, resets,
`legal_ids()`, `action_masks()`, `random_actions()` and `step_into()`.

| argument | default | meaning |
| --- | --- | --- |
| `num_envs` | `1` | number of rows |
| `rules` | `"table"` | `UnoRules`, or the name of a preset |
| `mode` | `"seat"` | or `"self_play"` |
| `opponents` | `"random"` | seat mode: `"random"` or `"automatic"`, which are compiled; one for all, or a list with one for each seat after the learner's. Other players of `big2_env.games.uno.seat_env`, and functions, work in `gymnasium.make` and in `make_vec(..., vectorization_mode="sync")` |
| `seat` | `"rotate"` | seat mode: `"rotate"` (from deal to deal, starting with the row number), `"random"` or a number |
| `agent_seed` | `None` | seat mode: number from 0 to 2**63 - 1 for other random choices of opponents in the same games |
| `scoring` | `"winner"` | or `"points"` |
| `dtype`, `autoreset_mode`, `on_illegal`, `illegal_reward`, `copy`, `threads`, `max_episode_steps` | | see `big2_env.envs.vector` |
| `render_mode` | `None` | `"rgb_array"`: `render` returns a picture of each row, uint8 (600, 960, 3), with the extra `pictures`; `"svg"`: one SVG document with the tables of the first 16 rows. Self-play shows all hands, seat mode only the learner's |
| others | | any field of `UnoRules`, such as `players=4` |

A game that ends before the learner's first turn is dealt again, and counted in `infos["skipped_games"]`. Row i is seeded by `seed + i`. The same seed gives the same games
for any number of rows and threads.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from big2_env.base.errors import ConfigError
from big2_env.base.scene import Scene
from big2_env.envs.rows_env import MODES, Array, RowsEnv
from big2_env.envs.screen import PICTURE_MODES, check_render_mode, learner_names
from big2_env.games.uno.cards import WILD, Colour, card_of
from big2_env.games.uno.kernels.dtypes import OPPONENTS
from big2_env.games.uno.kernels.engine import UnoBatchEngine
from big2_env.games.uno.rules import UnoRules, uno_rules
from big2_env.games.uno.scene import view_scene
from big2_env.games.uno.view import UnoView
from big2_env.kernels.opponents import one_each


class UnoBatchEnv(RowsEnv[UnoBatchEngine]):
    """Vector environment with one game of UNO per row; the module docstring describes spaces and infos.

    Args:
        num_envs: Number of rows.
        rules: Rules of the game, or the name of a preset.
        mode: `"seat"` (one learner per row) or `"self_play"` (one policy in all seats).
        opponents: In seat mode, `"random"` or `"automatic"`, for all other seats or as a list.
        seat: In seat mode, the learner's seat: `"rotate"`, `"random"` or a number.
        agent_seed: In seat mode, number for other random choices of opponents in the same games; `None` for none.
        scoring: `"winner"` or `"points"`.
        dtype: Type of the observation, int8 or float32.
        autoreset_mode: Gymnasium's autoreset mode.
        on_illegal: `"terminate"` or `"raise"`.
        illegal_reward: Reward of an illegal action that terminates the game.
        copy: False to return the engine's own arrays, which the next step overwrites.
        render_mode: `None`, `"svg"` or `"rgb_array"`.
        threads: Number of threads that step the games.
        max_episode_steps: Moves after which a row's game is truncated; `None` for no limit.
        **changes: Fields of `UnoRules` to change, such as `players=4`.

    Raises:
        ConfigError: An argument is invalid.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        rules: str | UnoRules = "table",
        mode: str = "seat",
        opponents: str | Sequence[str] = "random",
        seat: int | str = "rotate",
        agent_seed: int | None = None,
        scoring: str = "winner",
        dtype: npt.DTypeLike = "int8",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        on_illegal: str = "terminate",
        illegal_reward: float = -1.0,
        copy: bool = True,
        render_mode: str | None = None,
        threads: int = 1,
        max_episode_steps: int | None = None,
        **changes: Any,
    ) -> None:
        self.rules = uno_rules(rules, **changes)
        self.mode = mode
        self.render_mode = check_render_mode(render_mode, PICTURE_MODES)
        options: dict[str, Any] = {"scoring": scoring, "dtype": dtype, "threads": threads, "may_interpret": True}
        if mode == "seat":
            options |= {"opponents": _opponents_of(opponents, self.rules.players - 1), "seat": seat, "agent_seed": agent_seed}
        elif mode != "self_play":
            raise ConfigError(f"expected mode {' or '.join(map(repr, MODES))}, got {mode!r}")
        elif opponents != "random" or seat != "rotate" or agent_seed is not None:
            raise ConfigError("opponents, seat and agent_seed need mode='seat'")
        engine = UnoBatchEngine(self.rules, num_envs, **options)
        super().__init__(engine, autoreset_mode, on_illegal, illegal_reward, copy, max_episode_steps)

    def random_actions(self) -> Array:
        """Return a random legal action for each row, from a generator that `reset(seed)` seeds."""
        self._check_started("random_actions()")
        return self._out(self.engine.random_actions())

    def scene(self, row: int) -> Scene:
        """Return the scene of a row, as its picture shows it."""
        return row_scene(self.engine, row, open_hands=self.mode == "self_play")


def _opponents_of(given: Any, number: int) -> list[str]:
    """Return the opponents by name, one for each other seat.

    Raises:
        ConfigError: The number of opponents is wrong, or one of the names is not a compiled opponent.
    """
    several = one_each(given, number)
    for one in several:
        if not isinstance(one, str) or one not in OPPONENTS:
            raise ConfigError(
                f"expected opponents {' or '.join(map(repr, OPPONENTS))} (other players and functions play in gymnasium.make, "
                f"and in make_vec with vectorization_mode='sync'), got {one!r}"
            )
    return several


def row_view(engine: UnoBatchEngine, row: int, seat: int) -> UnoView:
    """Return a seat's view of one game of a batch.

    Only the last played card is in its real place; the others are in drawing order.
    """
    game, seats = engine.games[row], range(engine.rules.players)
    cards = [int(code) - (int(code) >> 4) for code in game.codes[: int(game.taken)]]
    held = [_ages(game.seats[one]) for one in seats]
    in_hands = {age for ages in held for age in ages}
    played = [card for age, card in enumerate(cards) if age not in in_hands]
    face, turn = int(game.face), int(game.turn)
    last = next(card for card in played if card == card_of(int(game.colour) if face < WILD else Colour.BLANK, face))
    played.remove(last)
    on_turn, moves = seat == turn, tuple[int, ...]()
    if on_turn:
        counts, ids = engine.legal_ids()
        moves = tuple(ids[row, : counts[row]].tolist())
    return UnoView(
        rules=engine.rules,
        seat=seat,
        turn=turn,
        hand=tuple(cards[age] for age in held[seat]),
        colour=int(game.colour),
        face=face,
        direction=int(game.direction),
        cards_left=tuple(map(len, held)),
        discards=(*played, last),
        pile=int(game.left),
        fresh=tuple(_fresh(int(game.seats[one].fresh)) for one in seats),
        drawn=cards[int(game.drawn)] if on_turn and game.drawn >= 0 else None,
        naming=bool(game.naming),
        moves=moves,
        is_over=bool(game.ended),
    )


def row_scene(engine: UnoBatchEngine, row: int, *, open_hands: bool) -> Scene:
    """Return the scene of one game of a batch, with all hands open or as its learner sees it."""
    shown, players = int(engine.seat[row]), engine.rules.players
    view = row_view(engine, row, shown)
    if not open_hands:
        return view_scene(view, shown, names=learner_names(shown, players))
    return view_scene(view, hands={seat: row_view(engine, row, seat).hand for seat in range(players)})


def _ages(seat: Any) -> list[int]:
    """Return the ages of a hand's cards, ascending."""
    hand = int(seat.low) | int(seat.high) << 64
    return [age for age in range(hand.bit_length()) if hand >> age & 1]


def _fresh(word: int) -> tuple[int, ...]:
    """Unpack a word with one byte per color into bounds on a hand's cards; the number of low bits set is the bound."""
    return tuple((word >> 8 * colour & 255).bit_count() for colour in Colour)
