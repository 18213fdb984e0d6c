"""Games of one compiled ruleset in one array: calls of compiled code, and queries between moves."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from big2_env.base.errors import ConfigError
from big2_env.climbing.actions import action_space
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.batch import LISTED, MARKED, Array, Batch, check_batch, checked_rows, mixed
from big2_env.kernels.compile import compile_tables, only_readable
from big2_env.kernels.dialect.records import address, as_record, read_only
from big2_env.kernels.packing import Positions
from big2_env.kernels.plain_loops import PlainLoops, compiled_loops
from big2_env.kernels.reuse import Group
from big2_env.kernels.tables import ADDRESSES, DENSE, NUMBERS, SHOW
from big2_env.kernels.variants import ENTRIES, variant_of

PLACE: Final = {name: place for place, name in enumerate((*ADDRESSES, *NUMBERS))}
"""Index of an argument in the record of a call."""
RESET: Final = PLACE["reset"]
SHOWS: Final = PLACE["shows"]


class GameBatch(Batch):
    """Records of `num_games` games (`kernels.tables`), arguments of compiled code, and legal actions.

    Args:
        ruleset: Ruleset of the games.
        num_games: Number of games.
        num_players: Number of seats per game; `None` for the ruleset's default.
        dtype: Observation dtype, int8 or float32; uint8 packs eight entries into a byte, the first one lowest.
        masks: Form of `mask`, as in `Batch`.
        threads: Number of threads that share the games.

    Raises:
        ConfigError: If an argument is invalid.
    """

    dtypes = ENTRIES
    apart = ("rng", "steps", "actor")
    """Fields of a game that are not part of its position."""

    def __init__(
        self, ruleset: RuleSet, num_games: int, num_players: int | None, dtype: npt.DTypeLike, masks: str, threads: int
    ) -> None:
        check_batch(num_games, threads, dtype, self.dtypes)
        players = ruleset.seats(num_players)
        self.ruleset = ruleset
        self._set_tables(players)
        self.variant = variant_of(ruleset, np.dtype(dtype).name)
        self.layout = ObservationLayout(ruleset, players)
        size = self.layout.size if np.dtype(dtype) != np.uint8 else -(-self.layout.size // 8)
        super().__init__(num_games, players, action_space(ruleset).n, size, dtype, 1 if self._only_readable else threads, masks)
        games = np.zeros(num_games, self.variant.game)
        games["players"] = players
        self._games = games.view(np.recarray)
        self._paid: Array = np.zeros((num_games, players))
        self._positions = Positions(ruleset, self.variant.game)
        self._seeds: Array = np.zeros(num_games, np.uint64)
        self._viewers, self._rows = np.zeros((2, num_games), np.int64)
        self._plain: PlainLoops | None = None

    def _set_tables(self, players: int) -> None:
        self._only_readable = only_readable(self.ruleset, players)
        self.tables: Any = np.zeros((), np.int64) if self._only_readable else compile_tables(self.ruleset, players)

    @property
    def deal_seeds(self) -> Array:
        """Seed with which `redeal` dealt each game, as for `Game.deal`; uint64 (N,)."""
        return mixed(self._games.rng)

    @property
    def paid(self) -> Array:
        """`payoffs` as float64; read-only."""
        return read_only(self._paid)

    def _set_arguments(self, **others: Array | int) -> None:
        """Build each thread's argument record: addresses of arrays and settings, extended by `others`."""
        self._scratch = [as_record(np.zeros((), self.variant.scratch)) for _ in range(self.threads)]
        self._args: Any = np.zeros(self.threads, self.variant.arguments)
        arguments: dict[str, Any] = {
            "tables": self.tables, "games": self._games, "actions": self.actions, "chosen": self._all, "seeds": self._seeds,
            "rows": self._rows, "viewers": self._viewers,
            "reward": self.reward, "status": self.status, "payoffs": self.payoffs,
            "paid": self._paid, "final_obs": self.final_observation, "counts": self._counts, "ids": self._ids,
            "seats": self._seat, "actor": self._actor,
            "num_games": self.num_games, "num_actions": self.num_actions, "obs_size": self.observation.shape[1],
            "num_players": self.num_players, "capacity": self._ids.shape[1],
            "mask_size": self.mask.shape[1], "mark_size": 1 + MARKED,
            "writes_obs": 1, "writes_mask": self._mask_kind, "writes_ids": 1, "shows": 1,
        }  # fmt: skip
        self._arrays = {name: value for name, value in (arguments | others).items() if isinstance(value, np.ndarray)}
        for name, value in (arguments | others).items():
            self._args[name] = as_argument(value)
        self._args["scratch"] = [address(scratch) for scratch in self._scratch]
        self._threads_args = [self._args[thread : thread + 1] for thread in range(self.threads)]
        words = self._args.view(np.int64).data
        length = len(words) // self.threads
        self._words = [words[thread * length : (thread + 1) * length] for thread in range(self.threads)]
        for name, reused in self._outputs.items():
            self._replace(name, reused.now)

    def _replace(self, name: str, group: Group) -> None:
        super()._replace(name, group)
        self._put(PLACE["obs" if name == "observation" else "mask"], group.addresses[0])
        if len(group.addresses) > 1:
            self._put(PLACE["marks"], group.addresses[1])

    def _put(self, place: int, number: int) -> None:
        """Set an argument for all threads."""
        for words in self._words:
            words[place] = number

    def __getstate__(self) -> dict[str, Any]:
        memory = ("_args", "_arrays", "_threads_args", "_words", "_scratch", "tables")
        left_out = (*memory, "_positions", "_plain", "_into", "_quick_calls", "_quick_turns", "_skipped")
        return {name: value for name, value in super().__getstate__().items() if name not in left_out}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_games" not in state or state["_games"].dtype.names != state["variant"].game.names:  # read amiss by compiled code
            raise ConfigError("these games were saved by another version of big2_env: deal them again")
        super().__setstate__(state)
        self._set_tables(self.num_players)
        self._positions = Positions(self.ruleset, self.variant.game)
        self._games = self._games.view(np.recarray)

    def _call(self, command: int, **changed: Array | int) -> list[Any]:
        """Call `serve` on each thread's share of the games, with some arguments changed for this call."""
        kept = []
        for name, value in changed.items():
            place = PLACE[name]
            kept.append((place, self._words[0][place]))
            self._put(place, as_argument(value))
        try:
            return self._each("serve", command, **changed)
        finally:
            for place, number in kept:
                self._put(place, number)

    def _one(self, kernel: str, *args: Any, **changed: Array | int) -> Any:
        """Call a kernel of `loops.py` on one thread, interpreted until it is compiled."""
        plain = self._plain
        if plain is None or plain.compilation.is_ready:
            self._plain = None
            return getattr(compiled_loops(), kernel)(self._threads_args[0], *args)
        masks = self._outputs["mask"].now
        arrays = self._arrays | {"obs": self.observation, "ids": self._ids, "mask": masks.base}
        if masks.behind:
            arrays["marks"] = masks.behind[1]
        arrays |= {name: value for name, value in changed.items() if isinstance(value, np.ndarray)}
        return plain.call(kernel, dict(zip(PLACE, self._words[0], strict=False)), arrays, *args)

    def _each(self, kernel: str, *args: Any, **changed: Array | int) -> list[Any]:
        """Call a kernel of `loops.py` on each thread's share of the games."""
        if self._pool is None:
            return [self._one(kernel, *args, *self._slices[0], **changed)]
        call = getattr(compiled_loops(), kernel)
        return self._on_threads(lambda thread: call(self._threads_args[thread], *args, *self._slices[thread]))

    def _on_rows(self, command: int, number: int, **changed: Array | int) -> int:
        """Call `serve` for the first `number` entries of `_rows`, on one thread."""
        slices, self._slices = self._slices, [(0, number), *[(0, 0)] * (self.threads - 1)]
        try:
            return int(self._call(command, **changed)[0])
        finally:
            self._slices = slices

    def show(self, seats: npt.ArrayLike | None = None) -> None:
        """Fill `observation` and `mask` for the seats to move (the learners).

        Args:
            seats: Seats to show instead, integers (N,).

        Raises:
            ConfigError: If the number of seats does not match, or a seat is out of range.
        """
        if seats is None:
            self._call(SHOW)
        else:
            given = np.asarray(seats)
            fits = given.shape == (self.num_games,) and given.dtype.kind in "iu"
            if not fits or ((given < 0) | (given >= self.num_players)).any():
                raise ConfigError(f"expected {self.num_games} seats 0 to {self.num_players - 1}, got {seats!r}")
            self._viewers[:] = given
            shown = self._seat.copy()
            self._call(SHOW, by_viewer=1, writes_ids=0)
            self._seat[:] = shown
        self._has_lists = False

    def masks(self) -> Array:
        """Return the legal actions in a new array, as `Batch.masks` does."""
        mask = np.empty((self.num_games, self.num_actions), np.int8)
        self._call(SHOW, mask=mask, mask_size=self.num_actions, writes_mask=DENSE, writes_obs=0, writes_ids=0)
        return mask

    def look_at(self, rows: Array) -> tuple[Array, Array]:
        """Return observations (M, size) and masks int8 (M, actions) of the seats to move in the games `rows`, int64 (M,).

        Raises:
            ConfigError: If a row is out of range, or there are more rows than games.
        """
        rows = self._checked_rows(rows)
        number = len(rows)
        obs = np.empty((number, self.observation.shape[1]), self.observation.dtype)
        mask = np.empty((number, self.num_actions), np.int8)
        self._rows[:number] = rows
        self._viewers[:] = self._games.turn
        seats = self._seat.copy()
        asked: dict[str, Array | int] = {"obs": obs, "mask": mask, "mask_size": self.num_actions, "writes_mask": DENSE}
        self._on_rows(SHOW, number, by_row=1, by_viewer=1, writes_ids=0, **asked)
        self._seat[:] = seats
        return obs, mask

    def legal_ids_at(self, rows: Array) -> tuple[Array, Array]:
        """Return the legal actions of the seats to move in the games `rows`, int64 (M,), as lists.

        Returns:
            Counts, int32 (M,), and ids, int32 (M, longest), in the order from which the loop's own random opponents draw.

        Raises:
            ConfigError: If a row is out of range, or there are more rows than games.
        """
        rows = self._checked_rows(rows)
        number, longest = len(rows), self._ids.shape[1]
        while True:
            counts, ids = np.zeros(self.num_games, np.int32), np.empty((self.num_games, longest), np.int32)
            self._rows[:number] = rows
            self._viewers[:] = self._games.turn
            asked: dict[str, Array | int] = {"counts": counts, "ids": ids, "capacity": longest, "by_row": 1, "by_viewer": 1}
            self._on_rows(SHOW, number, writes_obs=0, writes_mask=0, **asked)
            if not number or counts[:number].max() <= longest:
                return counts[:number], ids[:number]
            longest = _round_up(int(counts[:number].max()))

    def _checked_rows(self, rows: Array) -> Array:
        given = checked_rows(rows, self.num_games)
        if len(given) > self.num_games:
            raise ConfigError(f"expected at most {self.num_games} rows, got {len(given)}")
        return given

    def legal_ids(self, capacity: int | None = None) -> tuple[Array, Array]:
        """Return the legal actions of each game as lists.

        Args:
            capacity: Number of columns. `None` for as many as needed, in the engine's own arrays, which the next step
                overwrites.

        Returns:
            Counts, int32 (N,), and ids, int32 (N, capacity). Entries beyond a game's count are undefined.

        Raises:
            ConfigError: If a list is longer than `capacity`.
        """
        if capacity is None:
            if not self._has_lists:
                self._call(SHOW, writes_obs=0, writes_mask=0)
                self._has_lists = True
            if self._counts.max() > self._ids.shape[1]:
                self._ids = np.zeros((self.num_games, _round_up(int(self._counts.max()))), np.int32)
                self._args["ids"], self._args["capacity"] = address(self._ids), self._ids.shape[1]
                self._buffers = (None,) * 4  # what was prepared for them has the old address
                self._call(SHOW, writes_obs=0, writes_mask=0)
            return self._counts, self._ids
        if not isinstance(capacity, int | np.integer) or capacity < 1:
            raise ConfigError(f"expected a capacity of 1 or more, got {capacity!r}")
        capacity = min(int(capacity), self.num_actions)
        counts, ids = np.zeros(self.num_games, np.int32), np.zeros((self.num_games, _round_up(capacity)), np.int32)
        self._call(SHOW, counts=counts, ids=ids, capacity=ids.shape[1], writes_obs=0, writes_mask=0)
        if counts.max() > capacity:
            raise ConfigError(f"expected at most {capacity} legal actions (the capacity), got {counts.max()}")
        return counts, ids[:, :capacity]

    def are_legal(self, actions: npt.ArrayLike) -> Array:
        """Return whether actions are legal, as `Batch.are_legal` does."""
        answers = np.zeros(self.num_games, np.bool_)
        given = np.asarray(actions)
        if given.dtype.kind not in "iu" or given.shape not in ((), (1,), (self.num_games,)):
            raise ConfigError(f"expected an integer, or {self.num_games} of them, got {given.dtype} {given.shape}")
        self.actions[:] = given
        self._each("ask_games", answers)
        return answers

    def verify(self, index: int, action: int) -> Play:
        """Return the play that a legal action names in a game. Raises as `ActionSpace.verify` does."""
        return action_space(self.ruleset).verify(action, self.game(index).legal_plays())

    def position(self, index: int) -> Position:
        """Return a game's position as a value of the reference engine."""
        return self._positions.unpack(self._games[index])

    def hand_dealt(self, index: int, seat: int) -> int:
        """Return the cards that a seat held or has played, as a mask: its starting hand in a game without a draw pile."""
        game = self._games[index]
        return self._positions.mask(game.hands[seat].tolist()) | self._positions.mask(game.played[seat].tolist())

    def game(self, index: int) -> Game:
        """Return a reference game that continues from a game's position."""
        return Game(self.ruleset, self.position(index))

    def set_position(self, index: int, position: Position) -> None:
        """Put a game into any position, as `Game.from_position` does. Call `show` to update the buffers.

        Raises:
            ConfigError: With all faults of the position.
        """
        checked = Game.from_position(self.ruleset, position).position
        if len(checked.hands) != self.num_players:
            raise ConfigError(f"expected a position of {self.num_players} seats, got {len(checked.hands)}")
        self._positions.pack(checked, self._games[index])
        self._has_lists = False

    def repeat(self, source: GameBatch, index: int) -> None:
        """Copy one game of another engine, including its stream, to all games.

        Args:
            source: Engine of the same ruleset and number of seats.
            index: Index of the game there.

        Raises:
            ConfigError: If ruleset or number of seats differ.
        """
        if (source.ruleset, source.num_players) != (self.ruleset, self.num_players):
            raise ConfigError(f"expected games of {self.ruleset.name} with {self.num_players} seats")
        self._games[:] = source._games[index]
        self._has_lists = False


def as_argument(value: Any) -> Any:
    """Return a number unchanged, or the address of an array or a record."""
    return address(value) if isinstance(value, np.ndarray | np.void) else value


def _round_up(length: int) -> int:
    """Return the next multiple of `LISTED`."""
    return -(-length // LISTED) * LISTED
