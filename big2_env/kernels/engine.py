"""The batch engine: many games of one compiled ruleset, stepped together. The Python side of the kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_env.climbing.actions import action_space
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.climbing.game import Game, max_acts
from big2_env.climbing.play import Play
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError
from big2_env.kernels import loops
from big2_env.kernels.arguments import LEARNER, address
from big2_env.kernels.batch import LISTED, SAME_STEP, Array, Batch, check_batch, checked_rows, read_only, seeds_of_games
from big2_env.kernels.bits import GOLDEN_GAMMA, mixed
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.history import ActHistory
from big2_env.kernels.opponents import Opponent, RandomRows, ask_opponents, opponents_of, uses_history
from big2_env.kernels.packing import Positions
from big2_env.kernels.tables import as_record
from big2_env.kernels.variants import arguments_of, variant_of

OUTPUTS: Final = ("obs", "mask", "reward", "status")
"""The arrays of a step that may be the caller's."""

SEATS: Final = {"rotate": loops.IN_TURN, "random": loops.DRAWN}
"""The ways to choose a learner's seat besides a number."""


def _round_up(length: int) -> int:
    """The next multiple of `LISTED`."""
    return -(-length // LISTED) * LISTED


def _fixed_seat_of(seat: int | str, players: int) -> int:
    """A learner's seat as the kernels take it.

    Raises:
        ConfigError: neither "rotate" nor "random" nor the number of a seat.
    """
    if isinstance(seat, int | np.integer) and not isinstance(seat, bool) and 0 <= seat < players:
        return int(seat)
    if seat not in SEATS:
        raise ConfigError(f"expected seat {', '.join(map(repr, SEATS))} or 0 to {players - 1}, got {seat!r}")
    return SEATS[seat]


class BatchEngine(Batch):
    """`num_games` games of a ruleset in one array, with the buffers that a step fills.

    Every game has a stream of its own, seeded by `seed + its index`: the games are the same for every number of games and
    threads. Deals come from that stream, one number a deal, exactly as `Game.deal(ruleset, number)` deals.

    Without opponents a row shows the seat to move, and a step makes its act. With opponents (seat mode) a row is one learner's:
    its observation, its acts, its payoff whoever ended the game; the opponents act inside the step, and their draws follow from
    the deal: what the learner does in one game changes nothing in the next. With `skip_forced` the learner is shown its first
    turn of each game all the same.

    Args:
        ruleset: the games' rules.
        num_games: how many games.
        num_players: how many seats a game has; `None` is the ruleset's default.
        opponents: one for all or one for each seat after the learner's, see `Opponent`; `None` for games without a learner.
        seat: the learner's seat: a number; `"rotate"`: it goes round from deal to deal, beginning with the row's number modulo
            seats; `"random"`: drawn for each deal.
        dtype: of the observations, int8 or float32.
        skip_forced: a seat whose only legal act is the pass is passed by the engine.
        masks: `False` leaves `mask` without columns: it takes as many bytes a game as there are actions.
        threads: that share the games.

    Raises:
        ConfigError: the ruleset cannot be compiled, not for so many players, or a bad argument.

    >>> from big2_env import BIG2
    >>> engine = BatchEngine(BIG2, 3)
    >>> engine.reset(seed=7)
    >>> engine.mask.shape, int(engine.mask[0].sum()) == len(engine.game(0).legal_plays())
    ((3, 1379), True)
    """

    apart = ("rng", "steps", "actor")
    """The fields of a game that no position tells."""

    def __init__(
        self,
        ruleset: RuleSet,
        num_games: int,
        *,
        num_players: int | None = None,
        opponents: Opponent | Sequence[Opponent] | None = None,
        seat: int | str = "rotate",
        dtype: npt.DTypeLike = np.int8,
        skip_forced: bool = False,
        masks: bool = True,
        threads: int = 1,
    ) -> None:
        check_batch(num_games, threads, dtype)
        players = ruleset.seats(num_players)
        self.ruleset = ruleset
        self.tables = compile_tables(ruleset, players)
        self.variant = variant_of(ruleset, np.dtype(dtype) == np.float32)
        self.layout = ObservationLayout(ruleset, players)
        super().__init__(num_games, players, int(self.tables["num_actions"]), self.layout.size, dtype, threads, masks)
        self._fixed_seat = _fixed_seat_of(seat, players)
        if opponents is None and self._fixed_seat != loops.IN_TURN:
            raise ConfigError(f"expected opponents beside seat={seat!r}: without them every seat is the learner's")
        self._opponents = opponents_of(opponents, players - 1)
        self.skip_forced = skip_forced
        games, learners = np.zeros(num_games, self.variant.game), np.zeros(num_games, LEARNER)
        games["players"] = players
        learners["seat"], learners["first"] = 0 if self.opponents else -1, np.arange(num_games) % players
        self._games: Any = games.view(np.recarray)
        self._learners: Any = learners.view(np.recarray)
        self._paid: Array = np.zeros((num_games, players))
        kinds = [loops.RANDOM if opponent == "random" else loops.OUTSIDE for opponent in self.opponents]
        self._kinds = np.array([loops.OUTSIDE, *kinds], np.int8) if kinds else np.zeros(players, np.int8)
        self._history: ActHistory | None = None
        if any(map(uses_history, self.opponents)):
            self.keep_history()
        self._positions = Positions(ruleset, self.variant.game)
        self._seeds: Array = np.zeros(num_games, np.uint64)
        self._viewers, self._rows = np.zeros((2, num_games), np.int64)
        self._set_arguments()

    @property
    def games(self) -> Any:
        """The games, a record each (`kernels.game_record`), (N,); read-only: `set_position` puts a game elsewhere."""
        return read_only(self._games)

    @property
    def learners(self) -> Any:
        """The learner's side of the games, `kernels.arguments.LEARNER` (N,); read-only."""
        return read_only(self._learners)

    @property
    def opponents(self) -> tuple[Opponent, ...]:
        """The opponents, the first one on the seat after the learner's; none where every seat is the learner's."""
        return self._opponents

    @property
    def history(self) -> Array:
        """The acts of each game by their step, int32 (N, most acts), without columns before `keep_history`; read-only.

        An act that the deal made (the forced first play of some rulesets) stands as 0, and so does a pass.
        """
        return read_only(np.zeros((self.num_games, 0), np.int32) if self._history is None else self._history.acts)

    @property
    def deal_seeds(self) -> Array:
        """The number that `redeal` dealt each game by, as for `Game.deal`, uint64 (N,)."""
        seeds: Array = mixed(self._games.rng)
        return seeds

    @property
    def paid(self) -> Array:
        """As `payoffs`, float64; read-only."""
        return read_only(self._paid)

    @property
    def has_learner(self) -> bool:
        """Whether one seat of each game is a learner's and the others are opponents'."""
        return bool(self.opponents)

    @property
    def _has_outsiders(self) -> bool:
        """Whether some opponents act outside of the compiled loop."""
        return loops.OUTSIDE in self._kinds[1:] if self.has_learner else False

    def keep_history(self) -> None:
        """Note every act from now on, for opponents that remember more of a game than its record holds.

        Random opponents act outside of the loop from then on, with the same draws: what the loop does is not noted.
        """
        if self._history is not None:
            return
        self._history = ActHistory(self.num_games, max_acts(self.ruleset, self.num_players) + 1)
        if self.has_learner:
            drawn = RandomRows()
            self._opponents = tuple(drawn if opponent == "random" else opponent for opponent in self._opponents)
            self._kinds[:] = loops.OUTSIDE

    def _set_arguments(self) -> None:
        """Make the record of arguments for each thread: where everything lies, and how games go on."""
        self._scratch = [as_record(np.zeros((), self.variant.scratch)) for _ in range(self.threads)]
        self._args: Any = np.zeros(self.threads, arguments_of(self.variant))
        arrays = {
            "tables": self.tables, "games": self._games, "learners": self._learners, "kinds": self._kinds,
            "actions": self._actions, "chosen": self._all, "seeds": self._seeds, "rows": self._rows, "viewers": self._viewers,
            "obs": self.observation, "mask": self.mask, "reward": self.reward, "status": self.status, "payoffs": self.payoffs,
            "paid": self._paid, "final_obs": self.final_observation, "counts": self._counts, "ids": self._ids,
            "seats": self._seat, "actor": self._actor,
        }  # fmt: skip
        numbers = {
            "num_games": self.num_games, "num_actions": self.num_actions, "obs_size": self.layout.size,
            "num_players": self.num_players, "capacity": self._ids.shape[1], "skip_forced": self.skip_forced,
            "fixed_seat": self._fixed_seat, "writes_obs": 1, "writes_mask": self.mask.size > 0, "writes_ids": 1, "shows": 1,
        }  # fmt: skip
        for name, array in arrays.items():
            self._args[name] = address(array)
        for name, number in numbers.items():
            self._args[name] = number
        self._args["scratch"] = [address(scratch) for scratch in self._scratch]
        self._threads_args = [self._args[thread : thread + 1] for thread in range(self.threads)]

    def __getstate__(self) -> dict[str, Any]:
        left_out = ("_args", "_threads_args", "_scratch", "tables", "_positions")
        return {name: value for name, value in super().__getstate__().items() if name not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_games" not in state or state["_games"].dtype.names != state["variant"].game.names:  # read amiss by compiled code
            raise ConfigError("these games were saved by another version of big2_env: deal anew")
        super().__setstate__(state)
        self.tables = compile_tables(self.ruleset, self.num_players)
        self._positions = Positions(self.ruleset, self.variant.game)
        self._games, self._learners = self._games.view(np.recarray), self._learners.view(np.recarray)
        self._set_arguments()

    def __deepcopy__(self, memo: dict[int, Any]) -> BatchEngine:
        other = object.__new__(type(self))
        memo[id(self)] = other
        shared = ("ruleset", "layout", "variant")
        state = self.__getstate__()
        other.__setstate__({name: value if name in shared else deepcopy(value, memo) for name, value in state.items()})
        return other

    def _call(self, command: int, **changed: Array | int) -> list[Any]:
        """Call `serve` on each thread's share of the games, with some arguments changed for this call."""
        args, kept = self._args, {}
        deals = None if self._history is None else self._learners.deals.copy()
        for name, value in changed.items():
            kept[name] = args[name][0]
            args[name] = address(value) if isinstance(value, np.ndarray) else value
        try:
            return self._each(loops.serve, command)
        finally:
            for name, value in kept.items():
                args[name] = value
            if deals is not None and self._history is not None:
                self._history.forget(self._learners.deals != deals)

    def _each(self, kernel: Callable[..., Any], *args: Any) -> list[Any]:
        """Call a kernel on each thread's share of the games."""
        return self._on_threads(lambda thread: kernel(self._threads_args[thread], *args, *self._slices[thread]))

    def seed(self, seed: int | Sequence[int], chosen: Array | None = None) -> None:
        """As `Batch.seed`; a learner's seat begins its round anew."""
        streams = seeds_of_games(seed, self.num_games)
        which: Any = slice(None) if chosen is None else chosen
        self._games.rng[which] = mixed(streams + GOLDEN_GAMMA)[which]  # the first number of each
        self._learners.deals[which] = 0

    def redeal(self, chosen: Array) -> None:
        """As `Batch.redeal`; opponents act up to the learner's first turn."""
        chosen = self._checked(chosen)
        if not self.has_learner:
            self._call(loops.DEAL, chosen=chosen)
        else:
            self._reset_required = True
            self._call(loops.DEAL, chosen=chosen, shows=0, reset=SAME_STEP)
            self._let_outsiders_act(SAME_STEP)
            self._call(loops.SHOW, chosen=chosen)
            self._reset_required = False
        self._has_lists = False

    def deal(self, seeds: npt.ArrayLike) -> None:
        """Deal every game by a seed of its own, (N,), as `Game.deal` does, and show it. Their streams stay.

        Raises:
            ConfigError: games with a learner: its seat and the opponents' draws come with the deal from the game's own stream.
        """
        if self.has_learner:
            raise ConfigError("deals by given seeds need games without a learner; seed the streams with `seed`")
        self._seeds[:] = np.asarray(seeds).astype(np.uint64)
        self._call(loops.DEAL, by_seed=1)
        self._has_lists = False

    def show(self, seats: npt.ArrayLike | None = None) -> None:
        """Fill `observation` and `mask` for the seats to move (the learners), or for given seats, integers (N,).

        Raises:
            ConfigError: another number of seats, or one that there is not.
        """
        if seats is None:
            self._call(loops.SHOW)
        else:
            given = np.asarray(seats)
            fits = given.shape == (self.num_games,) and given.dtype.kind in "iu"
            if not fits or ((given < 0) | (given >= self.num_players)).any():
                raise ConfigError(f"expected {self.num_games} seats 0 to {self.num_players - 1}, got {seats!r}")
            self._viewers[:] = given
            shown = self._seat.copy()
            self._call(loops.SHOW, by_viewer=1, writes_ids=0)
            self._seat[:] = shown
        self._has_lists = False

    def masks(self) -> Array:
        """The legal acts of the seats to move as new arrays, int8 (N, num_actions)."""
        mask = np.empty((self.num_games, self.num_actions), np.int8)
        self._call(loops.SHOW, mask=mask, writes_mask=1, writes_obs=0, writes_ids=0)
        return mask

    def _step(self, actions: Array, obs: Array, mask: Array, reward: Array, status: Array, reset: int) -> None:
        given = zip(OUTPUTS, (obs, mask, reward, status), (self.observation, self.mask, self.reward, self.status), strict=True)
        changed: dict[str, Array | int] = {name: array for name, array, own in given if array is not own}
        self._reset_required = self._has_outsiders
        shows = not self._has_outsiders
        if self._history is not None:
            self._history.note(self._games, np.arange(self.num_games), actions)
        self._call(loops.STEP, actions=actions, reset=reset, shows=shows, **changed)
        self._has_lists = True
        if not shows:
            self._let_outsiders_act(reset, **changed)
            self._call(loops.SHOW, **changed)
            self._reset_required = False

    def _let_outsiders_act(self, reset: int, **changed: Array | int) -> None:
        """Ask the opponents outside of the loop until every game waits for its learner or is over."""
        if self._has_outsiders:
            ask_opponents(self, lambda rows, actions: self._answer(rows, actions, {"reset": reset, **changed}))

    def _answer(self, rows: Array, actions: Array, changed: dict[str, Array | int]) -> int:
        """Make acts in the games `rows`, int64 (M,); the place of the first that is not legal, else -1."""
        self._rows[: len(rows)] = rows
        if self._history is not None:
            self._history.note(self._games, rows, actions)
        return self._on_rows(loops.ANSWER, len(rows), **{**changed, "actions": actions, "by_row": 1, "shows": 0})

    def look_at(self, rows: Array) -> tuple[Array, Array]:
        """What the seats to move in the games `rows`, int64 (M,), see: observations (M, size) and masks int8 (M, actions).

        Raises:
            ConfigError: a row that there is not, or more rows than games.
        """
        rows = self._checked_rows(rows)
        number = len(rows)
        obs, mask = np.empty((number, self.layout.size), self.observation.dtype), np.empty((number, self.num_actions), np.int8)
        self._rows[:number] = rows
        self._viewers[:] = self._games.turn
        seats = self._seat.copy()
        self._on_rows(loops.SHOW, number, obs=obs, mask=mask, by_row=1, by_viewer=1, writes_mask=1, writes_ids=0)
        self._seat[:] = seats
        return obs, mask

    def legal_ids_at(self, rows: Array) -> tuple[Array, Array]:
        """The legal acts of the seats to move in the games `rows`, int64 (M,): counts int32 (M,), ids int32 (M, longest).

        In the order in which the loop's own random opponents draw from them.

        Raises:
            ConfigError: a row that there is not, or more rows than games.
        """
        rows = self._checked_rows(rows)
        number, longest = len(rows), self._ids.shape[1]
        while True:
            counts, ids = np.zeros(self.num_games, np.int32), np.empty((self.num_games, longest), np.int32)
            self._rows[:number] = rows
            self._viewers[:] = self._games.turn
            asked: dict[str, Array | int] = {"counts": counts, "ids": ids, "capacity": longest, "by_row": 1, "by_viewer": 1}
            self._on_rows(loops.SHOW, number, writes_obs=0, writes_mask=0, **asked)
            if not number or counts[:number].max() <= longest:
                return counts[:number], ids[:number]
            longest = _round_up(int(counts[:number].max()))

    def _checked_rows(self, rows: Array) -> Array:
        given = checked_rows(rows, self.num_games)
        if len(given) > self.num_games:
            raise ConfigError(f"expected at most {self.num_games} rows, got {len(given)}")
        return given

    def _on_rows(self, command: int, number: int, **changed: Array | int) -> int:
        """Call `serve` for the first so many of `_rows`, on one thread."""
        slices, self._slices = self._slices, [(0, number), *[(0, 0)] * (self.threads - 1)]
        try:
            return int(self._call(command, **changed)[0])
        finally:
            self._slices = slices

    def try_act(self, action: int) -> bool:
        """Make an act in the only game of this engine; `False`, and nothing done, where it is not legal."""
        try:
            self._actions[0] = action
        except OverflowError:  # more than 64 bits
            return False
        if not self._has_lists:  # reading takes a tenth of the time of writing
            self._has_lists = True
        made: int = loops.serve(self._args, loops.ANSWER, 0, 1)
        return made < 0

    def legal_ids(self, capacity: int | None = None) -> tuple[Array, Array]:
        """The legal acts of each game as lists: counts int32 (N,), and ids int32 (N, capacity) from the left.

        Without a capacity the rows are as long as need be, and the arrays are the engine's own: the next step writes over them.
        What stands right of a list has no meaning.

        Raises:
            ConfigError: a list is longer than the `capacity` given.
        """
        if capacity is None:
            if not self._has_lists:
                self._call(loops.SHOW, writes_obs=0, writes_mask=0)
                self._has_lists = True
            if self._counts.max() > self._ids.shape[1]:
                self._ids = np.zeros((self.num_games, _round_up(int(self._counts.max()))), np.int32)
                self._args["ids"], self._args["capacity"] = address(self._ids), self._ids.shape[1]
                self._call(loops.SHOW, writes_obs=0, writes_mask=0)
            return self._counts, self._ids
        if not isinstance(capacity, int | np.integer) or capacity < 1:
            raise ConfigError(f"expected a capacity of 1 or more, got {capacity!r}")
        capacity = min(int(capacity), self.num_actions)
        counts, ids = np.zeros(self.num_games, np.int32), np.zeros((self.num_games, _round_up(capacity)), np.int32)
        self._call(loops.SHOW, counts=counts, ids=ids, capacity=ids.shape[1], writes_obs=0, writes_mask=0)
        if counts.max() > capacity:
            raise ConfigError(f"a list of {counts.max()} legal acts is longer than the capacity given ({capacity})")
        return counts, ids[:, :capacity]

    def are_legal(self, actions: npt.ArrayLike) -> Array:
        """Whether each game may go on by the action given for it, any integer (N,): bool (N,)."""
        answers = np.zeros(self.num_games, np.bool_)
        given = np.asarray(actions)
        if given.dtype.kind not in "iu" or given.shape not in ((), (1,), (self.num_games,)):
            raise ConfigError(f"expected an integer, or {self.num_games} of them, got {given.dtype} {given.shape}")
        self._actions[:] = given
        self._each(loops.ask_games, answers)
        return answers

    def verify(self, index: int, action: int) -> Play:
        """The legal act that an action names in a game. Raises as `ActionSpace.verify` does."""
        return action_space(self.ruleset).verify(action, self.game(index).legal_plays())

    def play_random(self, steps: int) -> int:
        """Play `steps` random legal acts in each game, all buffers written at every decision; returns how many games ended."""
        if not isinstance(steps, int | np.integer):
            raise ConfigError(f"expected a whole number of steps, got {steps!r}")
        self._has_lists = False
        return int(sum(self._each(loops.play_random, int(steps))))

    def position(self, index: int) -> Position:
        """Where a game stands, as the reference engine says it."""
        return self._positions.unpack(self._games[index])

    def game(self, index: int) -> Game:
        """A reference game that goes on from where a game stands."""
        return Game(self.ruleset, self.position(index))

    def set_position(self, index: int, position: Position) -> None:
        """Put a game into any position, as `Game.from_position` does; `show` writes what it looks like.

        Raises:
            ConfigError: with every fault of the position.
        """
        checked = Game.from_position(self.ruleset, position).position
        if len(checked.hands) != self.num_players:
            raise ConfigError(f"expected a position of {self.num_players} seats, got {len(checked.hands)}")
        self._positions.pack(checked, self._games[index])
        self._has_lists = False

    def repeat(self, source: BatchEngine, index: int) -> None:
        """Put all games where a game of another engine of this ruleset stands, its stream included.

        Raises:
            ConfigError: an engine of another ruleset or number of seats.
        """
        if (source.ruleset, source.num_players) != (self.ruleset, self.num_players):
            raise ConfigError(f"expected games of {self.ruleset.name} with {self.num_players} seats")
        self._games[:] = source._games[index]
        self._has_lists = False

    def rollouts(self) -> Array:
        """Play every game to its end by random legal acts; returns the payoffs, float64 (N, seats)."""
        self._has_lists = False
        self._each(loops.rollouts)
        return self._paid.copy()
