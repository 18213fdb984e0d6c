"""Game engine of the environments that show one seat at a time: readable rules, compiled rules, and switching between them.

`TurnEngine` uses the readable rules and supports every ruleset. `CompiledEngine` gives the same answers several times
faster, for rulesets that compile. `make_engine` and `for_next_game` choose between them.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import local
from typing import Any, Final, NoReturn

import numpy as np
import numpy.typing as npt

from big2_env.base.errors import ConfigError
from big2_env.climbing.actions import ActionSpace, action_space
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.climbing.game import Game
from big2_env.climbing.outcome import check_exact
from big2_env.climbing.play import PASS, Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.batch import ENDED, RUNNING, Array
from big2_env.kernels.compile import check_compiles, only_readable
from big2_env.kernels.engine import BatchEngine, compilation

ENGINES: Final = ("auto", "compiled", "reference")
"""Engine kinds. `"auto"` starts with the readable rules and switches to compiled ones once they are ready."""
AEC_MASKS: Final = ("dense", "ids")
"""Forms of the legal actions: a mask next to each observation, or lists only (`legal_ids`)."""


class TurnEngine:
    """One game at a time, with the readable rules. Returned arrays are always new.

    Args:
        ruleset: Ruleset of the games.
        num_players: Number of seats; `None` for the ruleset's default.
        dtype: Observation dtype, int8 or float32.
        skip_forced: Pass automatically if the seat to move has no other legal action. The history contains these passes.
        masks: `"dense"`, or `"ids"` if `legal_ids` is asked instead of `observe`, which spares `CompiledEngine` the masks.

    Raises:
        ConfigError: If the ruleset does not allow the number of players, its payoffs are not exact in float64, or the
            dtype is unsupported.

    >>> from big2_env import BIG2
    >>> engine = TurnEngine(BIG2)
    >>> engine.start(Game.deal(BIG2, seed=7))
    >>> observation, mask = engine.observe(engine.turn)
    >>> engine.turn, observation.shape, int(mask.sum())
    (1, (547,), 2)
    """

    def __init__(
        self,
        ruleset: RuleSet,
        num_players: int | None = None,
        dtype: npt.DTypeLike = np.int8,
        skip_forced: bool = False,
        masks: str = "dense",
    ) -> None:
        # No defaults in the class, and no cached properties: either makes every attribute slower to read.
        self.turn = 0
        """Seat to move; meaningless after the end of the game."""
        self.is_over = self.is_started = False
        self._game: Game | None = None
        self._ids: list[int] | None = None
        """Legal ids of the current position, computed on demand."""
        self.ruleset = ruleset
        self.num_players = ruleset.seats(num_players)
        check_exact(ruleset, self.num_players)
        try:
            self.dtype = np.dtype(dtype)
        except TypeError:
            self.dtype = np.dtype(object)
        if self.dtype not in (np.dtype(np.int8), np.dtype(np.float32)):
            raise ConfigError(f"expected dtype 'int8' or 'float32', got {dtype!r}")
        if masks not in AEC_MASKS:
            raise ConfigError(f"expected masks {' or '.join(map(repr, AEC_MASKS))}, got {masks!r}")
        self.skip_forced, self.masks = skip_forced, masks
        self.space: ActionSpace = action_space(ruleset)
        self.layout = ObservationLayout(ruleset, self.num_players)
        self._prepare()

    def _prepare(self) -> None:
        """Build the form of a subclass."""

    def start(self, game: Game) -> None:
        """Continue a game, which is shared, not copied.

        Raises:
            ConfigError: If its payoffs may not be exact in float64.
        """
        check_exact(self.ruleset, self.num_players, game.position)
        self._game, self.is_started = game, True
        self._follow()

    def deal(self, seed: int) -> None:
        """Start the game that `Game.deal` deals from a seed."""
        self.start(Game.deal(self.ruleset, seed, self.num_players))

    def _follow(self) -> None:
        """Make forced passes after a change of the game, then update `turn` and `is_over`."""
        self._ids = None
        while self.skip_forced and self.is_forced():
            self.game.push(PASS)
        self.turn, self.is_over = self.game.turn, self.game.is_over

    @property
    def game(self) -> Game:
        """Game with its history, including hidden cards. Read-only."""
        assert self._game is not None  # the environments see to it
        return self._game

    def observe(self, seat: int) -> tuple[Array, npt.NDArray[np.int8]]:
        """Return a seat's observation and legal actions.

        Returns:
            Observation, int8 or float32 `(size,)`, and mask, int8 `(num_actions,)`, all zero for a seat that is not to
                move.
        """
        mask = np.zeros(self.space.n, np.int8)
        if seat == self.game.turn:
            mask[self._legal()] = 1
        return self._encoded(seat), mask

    def observation(self, seat: int) -> Array:
        """Return a seat's observation, int8 or float32 `(size,)`."""
        return self._encoded(seat)

    def _encoded(self, seat: int) -> Array:
        return self.layout.encode(self.game.view(seat), np.empty(self.layout.size, self.dtype))

    def legal_ids(self) -> list[int]:
        """Return the legal actions of the seat to move in ascending order, in a new list; none after the end."""
        return sorted(self._legal())

    def _legal(self) -> list[int]:
        if self._ids is None:
            self._ids = self.space.ids(self.game.legal_plays())
        return self._ids

    def is_forced(self) -> bool:
        """Return whether the pass is the only legal action of the seat to move."""
        return next(iter(self.game.legal_plays()), None) is PASS

    def act(self, action: int) -> None:
        """Make the move of an action id. A rejected id changes nothing. Raises as `ActionSpace.verify` does."""
        self.game.push(self.space.verify(action, self.game.legal_plays()))
        self._follow()

    def play(self, play: Play) -> None:
        """Make a move given as a `Play`. A rejected play changes nothing. Raises as `Game.play` does."""
        self.game.play(play)
        self._follow()

    def start_hand(self, seat: int) -> int:
        """Return a seat's starting hand in a game that has just been dealt or started, as a mask."""
        return self.game.start.hands[seat]

    @property
    def winner(self) -> int:
        """First seat without cards, -1 during a game."""
        outcome = self.game.outcome
        return -1 if outcome is None else outcome.winner

    def payoffs(self) -> tuple[float, ...]:
        """Return each seat's payoff, zeros during a game."""
        outcome = self.game.outcome
        return (0.0,) * self.num_players if outcome is None else outcome.payoffs


class CompiledEngine(TurnEngine):
    """`TurnEngine` with the compiled rules: a batch of one game.

    The `Game` and its history are built only on request; its rules then check all pending actions.

    Args:
        ruleset: Ruleset of the games.
        num_players: Number of seats; `None` for the ruleset's default.
        dtype: Observation dtype, int8 or float32.
        skip_forced: Pass automatically if the seat to move has no other legal action.
        masks: As in `TurnEngine`. With `"ids"` the masks of `observe` are empty.

    Raises:
        ConfigError: As `TurnEngine`; or if the ruleset cannot be compiled.

    >>> from big2_env import BIG2
    >>> engine = CompiledEngine(BIG2)
    >>> engine.start(Game.deal(BIG2, seed=7))
    >>> engine.act(1)
    >>> engine.turn, len(engine.game.history)
    (2, 1)
    """

    def _prepare(self) -> None:
        check_compiles(self.ruleset, self.num_players)
        self.batch = batch = BatchEngine(
            self.ruleset, 1, num_players=self.num_players, dtype=self.dtype, skip_forced=self.skip_forced, masks=self.masks
        )
        self._record = batch.games[0]
        self._observation, self._mask = batch.observation[0], batch.mask[0].view(np.ndarray)
        self._seat, self._status = batch.seat.data, batch.status.data  # quicker to read than arrays
        self._is_bound = False
        self._place: memoryview
        self._move: Callable[[], int]
        self._deal: Callable[[int], None]
        self._seed: int | None = None
        """Seed of a deal for which no `Game` has been built yet."""
        self._pending: list[int] = []
        """Actions that have not been applied to the `Game` yet."""
        self._observed = 0
        """Seat whose observation the buffers hold."""

    def __reduce__(self) -> tuple[Any, ...]:
        game = self.game if self.is_started else None
        return type(self), (self.ruleset, self.num_players, self.dtype, self.skip_forced, self.masks), game

    def __setstate__(self, game: Game) -> None:
        self.start(game)

    def deal(self, seed: int) -> None:
        """Start the game of a seed, as `TurnEngine.deal` does."""
        self._game, self._seed, self.is_started = None, seed, True
        self._pending.clear()
        if self._is_bound:
            self._deal(seed)
        else:
            self.batch.deal([seed])
            self._bind()
        if self.skip_forced:  # forced passes after a forced lead
            self._pending += [0] * (int(self._record.steps) - self.ruleset.auto_lead)
        self._note_turn()

    def _follow(self) -> None:
        """Load the game's position, make forced passes, and update `turn` and `is_over`."""
        self._pending.clear()
        self.batch.set_position(0, self.game.position)
        self._status[0] = ENDED if self._record.winner >= 0 else RUNNING
        self.batch.show()
        if not self._is_bound:
            self._bind()
        self._note_turn()
        if self.skip_forced and self.is_forced():
            self.act(0)

    def _bind(self) -> None:
        """Set the functions that call compiled code faster than the engine's methods, once that code is compiled."""
        batch = self.batch
        self._place, self._move = batch.single_move()
        self._deal = batch.single_deal()
        self._bind_lists()
        self._is_bound = True

    def _bind_lists(self) -> None:
        """Set the views of the legal actions, with room for the current ones. All calls of compiled code update them."""
        counts, ids = self.batch.legal_ids()
        self._count, self._listed = counts.data, ids[0].data
        self._room = len(self._listed)

    def _note_turn(self) -> None:
        self.turn = self._observed = self._seat[0]
        self.is_over = self._status[0] == ENDED
        if self.is_over:  # then the buffers hold what the seat that acted last sees
            self.turn = int(self._record.turn)

    @property
    def game(self) -> Game:
        """Game with its history, including hidden cards. Read-only. Pending actions are applied to it first."""
        if self._game is None and self._seed is not None:
            self._game = Game.deal(self.ruleset, self._seed, self.num_players)
        game = self._game
        if game is not None:
            for action in self._pending:
                game.push(self.space.verify(action, game.legal_plays()))
            self._pending.clear()
        return super().game

    def observe(self, seat: int) -> tuple[Array, npt.NDArray[np.int8]]:
        """Return a seat's observation and mask, as `TurnEngine.observe` does."""
        return self.observation(seat), self._mask.copy()

    def observation(self, seat: int) -> Array:
        """Return a seat's observation, as `TurnEngine.observation` does."""
        if seat != self._observed:
            self._observed = -1  # until the buffers hold it, also after an interruption
            self.batch.show([seat])
            self._observed = seat
        found: Array = self._observation.copy()
        return found

    def legal_ids(self) -> list[int]:
        """Return the legal actions in ascending order, as `TurnEngine.legal_ids` does."""
        found: list[int] = self.listed().tolist()
        found.sort()
        return found

    def is_forced(self) -> bool:
        """Return whether the pass is the only legal action."""
        return self.legal_ids() == [0]

    def act(self, action: int) -> None:
        """Make the move of an action id, as `TurnEngine.act` does."""
        before = int(self._record.steps) if self.skip_forced else 0
        try:
            self._place[0] = action
        except ValueError:  # more than 64 bits
            self._refuse(action)
        if self._move() >= 0:
            self._refuse(action)
        self._pending.append(action)
        self.turn = self._observed = self._seat[0]
        if self._status[0] == ENDED:
            self._note_turn()
        if self.skip_forced:
            self._pending += [0] * (int(self._record.steps) - before - 1)

    def _refuse(self, action: int) -> NoReturn:
        """Raise the error of an illegal action."""
        self.space.verify(action, self.game.legal_plays())
        raise RuntimeError(f"action {action}: the compiled engine refuses what the rules allow")

    def play(self, play: Play) -> None:
        """Make a move given as a `Play`, as `TurnEngine.play` does."""
        game = self.game
        hand = game.position.hands[game.turn]
        made = game.play(play)
        action = self.space.of_play(made, hand)
        if made and self.space.cards(action, hand) != made.mask:  # other cards of these ranks than an action names
            self._follow()
        else:
            self.act(action)
            del self._pending[0]  # the game has made this move

    def start_hand(self, seat: int) -> int:
        """Return a seat's starting hand, as `TurnEngine.start_hand` does."""
        has_drawn = self._record.steps and self.ruleset.draw_pile
        return self.batch.hand_dealt(0, seat) if self._game is None and not has_drawn else super().start_hand(seat)

    @property
    def winner(self) -> int:
        """First seat without cards, -1 during a game."""
        return int(self._record.winner)

    def listed(self) -> Any:
        """Return the legal actions in the order of `LegalPlays`, as a memoryview that the next move overwrites."""
        count = self._count[0]
        if count > self._room:
            self._bind_lists()
        return self._listed[:count]

    def payoffs(self) -> tuple[float, ...]:
        """Return each seat's payoff, as `TurnEngine.payoffs` does."""
        return tuple((self.batch.paid[0] + 0.0).tolist()) if self.is_over else (0.0,) * self.num_players


class RecordEngine(CompiledEngine):
    """`CompiledEngine` that takes up one game after another, each given by its record: bytes.

    Args:
        *args: As for `CompiledEngine`.
        **options: As for `CompiledEngine`.
    """

    def _prepare(self) -> None:
        super()._prepare()
        self._bind()
        self._memory, self._show = self.batch.single_record()
        self._taken: bytes | None = None
        """Record of the game in the buffers; `None` while they change, also after an error or an interruption."""

    def record_of(self, game: Game) -> bytes:
        """Return the record of a game."""
        self._taken = None
        self.start(game)
        self._taken = bytes(self._memory)
        return self._taken

    def take_up(self, record: bytes) -> None:
        """Continue the game of a record. Its payoffs and `Game` are not known."""
        if record is not self._taken:
            self._memory[:], self._taken = record, None
            self._show()
            self.turn = self._observed = self._seat[0]
            self._taken = record

    def move(self, action: int) -> bytes:
        """Make a legal move in the game taken up, and return its new record."""
        self.is_over, self._taken = False, None
        self.act(action)
        self._pending.clear()
        self._taken = bytes(self._memory)
        return self._taken


_OF_THREAD = local()


def record_engine(ruleset: RuleSet, num_players: int) -> RecordEngine | None:
    """Return this thread's engine for records; `None` while its kernels are not ready."""
    engines: dict[Any, RecordEngine] = _OF_THREAD.__dict__
    found = engines.get((ruleset, num_players))
    if found is None and compilation(ruleset, num_players, "int8").is_ready:
        found = engines[ruleset, num_players] = RecordEngine(ruleset, num_players, masks="ids")
    return found


class InterimEngine(TurnEngine):
    """`TurnEngine` for the first games of a process.

    After about two seconds of work it has the rules compiled in the background.

    Args:
        ruleset: Ruleset of the games.
        num_players: Number of seats; `None` for the ruleset's default.
        dtype: Observation dtype, int8 or float32.
        skip_forced: Pass automatically if the seat to move has no other legal action.
        masks: As in `TurnEngine`.
    """

    def _prepare(self) -> None:
        self.__setstate__({})

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without the compilation, which belongs to the process."""
        return {name: value for name, value in self.__dict__.items() if name != "compilation"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        # Kept, because finding it by ruleset would take a sixth of an action.
        self.compilation = compilation(self.ruleset, self.num_players, str(self.dtype))

    def observe(self, seat: int) -> tuple[Array, npt.NDArray[np.int8]]:
        """Return a seat's observation and mask, as `TurnEngine.observe` does."""
        with self.compilation.timed():
            return super().observe(seat)

    def observation(self, seat: int) -> Array:
        """Return a seat's observation, as `TurnEngine.observation` does."""
        with self.compilation.timed():
            return super().observation(seat)

    def legal_ids(self) -> list[int]:
        """Return the legal actions in ascending order, as `TurnEngine.legal_ids` does."""
        with self.compilation.timed():
            return super().legal_ids()

    def act(self, action: int) -> None:
        """Make the move of an action id, as `TurnEngine.act` does."""
        with self.compilation.timed():
            super().act(action)

    def play(self, play: Play) -> None:
        """Make a move given as a `Play`, as `TurnEngine.play` does."""
        with self.compilation.timed():
            super().play(play)


def make_engine(
    ruleset: RuleSet,
    num_players: int | None = None,
    dtype: npt.DTypeLike = np.int8,
    *,
    skip_forced: bool = False,
    kind: str = "auto",
    masks: str = "dense",
) -> TurnEngine:
    """Return a new engine.

    Args:
        ruleset: Ruleset of the games.
        num_players: Number of seats; `None` for the ruleset's default.
        dtype: Observation dtype, int8 or float32.
        skip_forced: Pass automatically if the seat to move has no other legal action.
        kind: One of `ENGINES`.
        masks: One of `AEC_MASKS`.

    Raises:
        ConfigError: As `TurnEngine`; or if `kind` is unknown.
    """
    if kind not in ENGINES:
        raise ConfigError(f"expected engine {', '.join(map(repr, ENGINES))}, got {kind!r}")
    if kind == "compiled" and only_readable(ruleset, ruleset.seats(num_players)):
        kind = "reference"
    made = {"auto": InterimEngine, "compiled": CompiledEngine, "reference": TurnEngine}[kind]
    return for_next_game(made(ruleset, num_players, dtype, skip_forced, masks))


def for_next_game(engine: TurnEngine) -> TurnEngine:
    """Return the engine for the next game: a compiled one instead of an interim one, once it is ready."""
    if isinstance(engine, InterimEngine) and engine.compilation.is_ready:
        return CompiledEngine(engine.ruleset, engine.num_players, engine.dtype, engine.skip_forced, engine.masks)
    return engine
