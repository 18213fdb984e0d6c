"""Batch engine: many games of one compiled ruleset, stepped together, with opponents and optional histories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from big2_env.base.errors import ConfigError
from big2_env.base.rng import MASK_64
from big2_env.base.salts import Salts
from big2_env.climbing.game import max_moves
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.batch import (
    GAMMA,
    IN_TURN,
    NO_RESET,
    SAME_STEP,
    Array,
    checked_choice,
    checked_rows,
    first_salts,
    mixed,
    seeds_of_games,
)
from big2_env.kernels.compile import check_compiles
from big2_env.kernels.dialect.records import read_only
from big2_env.kernels.game_batch import RESET, SHOWS, GameBatch, as_argument
from big2_env.kernels.opponents import (
    Opponent,
    RandomRows,
    RowRandom,
    ask,
    fixed_seat,
    opponents_of,
    refuse_act,
    uses_history,
)
from big2_env.kernels.plain_loops import LOOPS, MOST_ROWS, PlainLoops, compiled_loops
from big2_env.kernels.quick_turns import QuickTurns
from big2_env.kernels.readable import ReadableCalls
from big2_env.kernels.switch import Compilation
from big2_env.kernels.tables import ANSWER, CHANGES, DEAL, DENSE, LEARNER, OUTSIDE, RANDOM, SHOW, STEP
from big2_env.kernels.variants import variant_of


class _CallersArrays(NamedTuple):
    """Arrays into which steps write: the `_buffers` that were checked, arguments that differ, and the calls with them."""

    buffers: object
    changed: Mapping[str, Array | int]
    arguments: Any
    words: Any
    calls: dict[int, Callable[[], int]]


class MoveHistory:
    """The moves of each game, by step.

    Args:
        num_games: Number of games.
        most_moves: Maximum number of moves in a game.

    Attributes:
        moves: Action ids, int32 (N, most_moves); 0 for moves not made yet.
    """

    def __init__(self, num_games: int, most_moves: int) -> None:
        self.moves: Array = np.zeros((num_games, most_moves), np.int32)

    def note(self, games: Any, rows: Array, actions: Array) -> None:
        """Record moves about to be made in the games `rows`, int64 (M,). Finished games are skipped."""
        runs = games.winner[rows] < 0
        running = rows[runs]
        self.moves[running, games.steps[running]] = actions[runs]

    def forget(self, chosen: Array) -> None:
        """Clear the moves of the selected games, bool (N,), which were dealt again."""
        self.moves[chosen] = 0


class BatchEngine(GameBatch):
    """`num_games` games of a ruleset in one array, with the buffers that a step fills.

    Every game has its own stream, seeded with `seed` plus its index, so games do not depend on the number of games or
    threads. Each deal takes one number from the stream and equals `Game.deal(ruleset, number)`.

    Without opponents each row shows the seat to move, and a step makes that seat's move. With opponents (seat mode) a row
    shows one learner's seat: its observation, its moves, and its payoff no matter which seat ends the game. Opponents
    move inside the step. Their random draws depend on their hands and on the game's salt (`big2_env.base.salts`), so a
    learner's behavior in one game does not affect the next.

    A ruleset that does not compile is served by the readable rules, on one thread, at about a millisecond per move; a warning
    says so once.

    Args:
        ruleset: Ruleset of the games.
        num_games: Number of games.
        num_players: Number of seats per game; `None` for the ruleset's default.
        opponents: One for all other seats, or one per seat after the learner's (see `Opponent`); `None` for games without
            a learner.
        seat: The learner's seat: a number; `"rotate"` (from deal to deal, starting with the row's index modulo the number
            of seats); or `"random"` (drawn for each deal).
        agent_seed: Number that is mixed into the salts, for other random choices of opponents in the same games.
        dtype: Observation dtype, int8 or float32; uint8 packs eight entries into a byte, the first one lowest.
        skip_forced: Pass automatically for seats without another legal action. The learner still sees its first turn of
            each game.
        masks: Form of `mask`, as in `Batch`. Bits and lists save time and memory if there are tens of thousands of actions.
        threads: Number of threads that share the games.
        may_interpret: Step interpreted while the kernels are not compiled, with the same results. Compilation then begins in
            the background after about two seconds of work. Applies to up to `plain_loops.MOST_ROWS` games on one thread.

    Raises:
        ConfigError: If an argument is invalid.

    >>> from big2_env import BIG2
    >>> engine = BatchEngine(BIG2, 3)
    >>> engine.reset(seed=7)
    >>> engine.mask.shape, int(engine.mask[0].sum()) == len(engine.game(0).legal_plays())
    ((3, 1379), True)
    """

    def __init__(
        self,
        ruleset: RuleSet,
        num_games: int,
        *,
        num_players: int | None = None,
        opponents: Opponent | Sequence[Opponent] | None = None,
        seat: int | str = "rotate",
        agent_seed: int | None = None,
        dtype: npt.DTypeLike = np.int8,
        skip_forced: bool = False,
        masks: str = "dense",
        threads: int = 1,
        may_interpret: bool = False,
    ) -> None:
        super().__init__(ruleset, num_games, num_players, dtype, masks, threads)
        self.may_interpret: bool = may_interpret and threads == 1 and num_games <= MOST_ROWS
        """True if kernels run interpreted while they are not compiled."""
        players = self.num_players
        self._fixed_seat = fixed_seat(seat, players)
        if opponents is None and self._fixed_seat != IN_TURN:
            raise ConfigError(f"expected opponents with seat={seat!r}: without them every seat is the learner's")
        self._opponents = opponents_of(opponents, players - 1)
        self.skip_forced = bool(skip_forced)
        self._salts = Salts(agent_seed)
        learners = np.zeros(num_games, LEARNER)
        learners["seat"], learners["first"] = 0 if self.opponents else -1, np.arange(num_games) % players
        self._learners: Any = learners.view(np.recarray)
        kinds = [RANDOM if opponent == "random" else OUTSIDE for opponent in self.opponents]
        self._kinds = np.array([OUTSIDE, *kinds], np.int8) if kinds else np.zeros(players, np.int8)
        self._groups: Array = np.full(players, players, np.int8)
        self._group_outsiders()
        self._dealt_before: Array = np.zeros(num_games, np.int64)
        self._history: MoveHistory | None = None
        self._keep_history_if_used()
        self._set_learners_arguments()

    def _set_learners_arguments(self) -> None:
        """Build the argument record, with the settings of learner and opponents."""
        self._set_arguments(
            learners=self._learners, kinds=self._kinds, skip_forced=self.skip_forced, fixed_seat=self._fixed_seat
        )
        fields = self._learners.view(np.ndarray)
        self._skipped = (fields["skipped_games"], fields["skipped_payoff"]) if self.has_learner else None
        self._into: _CallersArrays | None = None
        self._plain = ReadableCalls(self.ruleset, self.num_players, self.variant) if self._only_readable else None
        if self._plain is None and self.may_interpret:
            compiling = compilation(self.ruleset, self.num_players, self.observation.dtype.name)
            if not compiling.is_cached():
                self._plain = PlainLoops(self.ruleset, self.num_players, self.variant, compiling)

    def finish_compiling(self) -> None:
        """Wait until the kernels are compiled, if they run interpreted."""
        if self._plain is not None:
            self._plain.compilation.finish()

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._learners = self._learners.view(np.recarray)
        self._set_learners_arguments()

    def _call(self, command: int, **changed: Array | int) -> list[Any]:
        if self._history is None:
            return super()._call(command, **changed)
        deals = self._learners.deals.copy()
        try:
            return super()._call(command, **changed)
        finally:
            self._history.forget(self._learners.deals != deals)

    @property
    def learners(self) -> Any:
        """The learner's records of the games, `kernels.tables.LEARNER` (N,); read-only."""
        return read_only(self._learners)

    @property
    def salts(self) -> Array:
        """Salt of each game (`big2_env.base.salts`), uint64 (N,)."""
        found: Array = self._learners.salt
        return found

    @property
    def game_numbers(self) -> Array:
        """Number of each game, int64 (N,): no other game of its row has it, even if the same seed dealt that game."""
        found: Array = self._dealt_before + self._learners.deals
        return found

    @property
    def skipped(self) -> tuple[Array, Array] | None:
        """Games that ended before the learner's first turn, as of `Batch`."""
        return self._skipped

    @property
    def opponents(self) -> tuple[Opponent, ...]:
        """Opponents in order of play, starting with the seat after the learner's; empty without a learner."""
        return self._opponents

    @property
    def history(self) -> Array:
        """Moves of each game by step, int32 (N, most moves); read-only, without columns before `keep_history`.

        Passes are 0, and so are moves made by the deal (the forced first play of some rulesets).
        """
        return read_only(np.zeros((self.num_games, 0), np.int32) if self._history is None else self._history.moves)

    @property
    def has_learner(self) -> bool:
        """True if one seat of each game is a learner's and the others are opponents'."""
        return bool(self.opponents)

    def _group_outsiders(self) -> None:
        """Assign numbers to the opponents outside the compiled loop; seats with the same one share a number."""
        self._outsiders: list[Opponent] = []
        for distance, opponent in enumerate(self._opponents, start=1):
            if self._kinds[distance] == OUTSIDE:
                if not any(opponent is one for one in self._outsiders):
                    self._outsiders.append(opponent)
                self._groups[distance] = next(i for i, one in enumerate(self._outsiders) if one is opponent)

    def _keep_history_if_used(self) -> None:
        """Record all moves from now on if an opponent needs them: a league may have got such a member since the last call."""
        if self._history is None and any(map(uses_history, self._outsiders)):
            self.keep_history()

    def keep_history(self) -> None:
        """Record all moves from now on, for opponents that need more than a game's record.

        Random opponents then move outside the loop, with the same draws, because the loop records nothing.
        """
        if self._history is not None:
            return
        self._history = MoveHistory(self.num_games, max_moves(self.ruleset, self.num_players) + 1)
        if self.has_learner:
            drawn = RandomRows()
            self._opponents = tuple(drawn if opponent == "random" else opponent for opponent in self._opponents)
            self._kinds[:] = OUTSIDE
            self._group_outsiders()

    def seed(self, seed: int | Sequence[int], chosen: Array | None = None) -> None:
        """Seed the streams of deals and of salts as `Batch.seed` does, and restart the rotation of the learner's seat."""
        streams = seeds_of_games(seed, self.num_games)
        which: Any = slice(None) if chosen is None else chosen
        self._games.rng[which] = mixed(streams + GAMMA)[which]  # the first number of each
        self._learners.salts[which] = first_salts(self._salts, streams[which].tolist())
        self._dealt_before[which] += self._learners.deals[which] + 1
        self._learners.deals[which] = 0

    def redeal(self, chosen: Array) -> None:
        """Deal games as `Batch.redeal` does, and let opponents move until the learner's first turn."""
        chosen = checked_choice(chosen, self.num_games)
        self._keep_history_if_used()
        if not self.has_learner:
            self._call(DEAL, chosen=chosen, reset=NO_RESET)
        else:
            self._reset_required = True
            self._put(RESET, SAME_STEP)
            self._call(DEAL, chosen=chosen, shows=0)
            self._let_outsiders_act({})
            self._call(SHOW, chosen=chosen)
            self._reset_required = False
        self._has_lists = False

    def _show_ended(self, chosen: Array) -> None:
        self._games.actor[chosen] = self._actor[chosen]
        self._call(SHOW, chosen=chosen)

    def deal(self, seeds: npt.ArrayLike) -> None:
        """Deal every game from its own seed, (N,), as `Game.deal` does, and update the buffers. The streams are unaffected.

        Raises:
            ConfigError: If the games have a learner, whose seat and opponents depend on the games' own streams.
        """
        if self.has_learner:
            raise ConfigError("deals by given seeds need games without a learner; seed the streams with `seed`")
        self._seeds[:] = np.asarray(seeds).astype(np.uint64)
        self._dealt_before += 1
        self._call(DEAL, by_seed=1, reset=NO_RESET)
        self._has_lists = False

    def _step(self, actions: Array, obs: Array, mask: Array, reward: Array, status: Array, reset: int) -> None:
        if actions is not self.actions:
            np.copyto(self.actions, actions)
        if self._outsiders:
            self._keep_history_if_used()
        if self._history is not None:
            self._history.note(self._games, np.arange(self.num_games), actions)
        self._put(RESET, reset)
        is_own = obs is self.observation and mask is self.mask and reward is self.reward and status is self.status
        changed = {} if is_own else self._changed(obs, mask, reward, status)
        if self._outsiders:
            self._reset_required = True
            self._put(SHOWS, 0)
            try:
                self._serve(STEP, changed)
            finally:
                self._put(SHOWS, 1)
            self._let_outsiders_act(changed)
            self._serve(SHOW, changed)
            self._reset_required = False
        else:
            self._serve(STEP, changed)
        self._has_lists = True

    def _changed(self, obs: Array, mask: Array, reward: Array, status: Array) -> Mapping[str, Array | int]:
        """Return the arguments of a step into the caller's arrays, prepared once for as long as the same ones are given."""
        if self._into is None or self._into.buffers is not self._buffers:
            given, own = (obs, mask, reward, status), (self.observation, self.mask, self.reward, self.status)
            arrays = zip(("obs", "mask", "reward", "status"), given, own, strict=True)
            changed: dict[str, Array | int] = {name: array for name, array, known in arrays if array is not known}
            if mask is not self.mask:
                changed["writes_mask"] = DENSE if self._mask_kind == CHANGES else self._mask_kind
            arguments = self._args.copy()
            for name, value in changed.items():
                arguments[name] = as_argument(value)
            self._into = _CallersArrays(self._buffers, changed, arguments, arguments.view(np.int64).data, {})
        return self._into.changed

    def _serve(self, command: int, changed: Mapping[str, Array | int]) -> None:
        """Call `serve` for all games, with less overhead if one thread runs compiled code."""
        if self._history is not None or self._pool is not None or self._plain is not None:
            self._call(command, **changed)
        elif changed:
            assert self._into is not None  # `_changed` has made it
            _, _, arguments, words, calls = self._into
            if command not in calls:
                calls[command] = self._quick(command, self.num_games, arguments)
            words[RESET], words[SHOWS] = self._words[0][RESET], self._words[0][SHOWS]
            calls[command]()
        else:
            self._quick_calls[command]()

    def _let_outsiders_act(self, changed: Mapping[str, Array | int]) -> None:
        """Let opponents outside the loop move until every game waits for its learner or is over.

        Raises:
            IllegalPlayError: If an opponent makes an illegal move.
            ConfigError: If an opponent does not return one action per row.
        """
        while self._outsiders:
            is_quick = not changed and self._history is None and self._plain is None
            group, number = self._quick_turns.find() if is_quick else self._one("write_waiting", self._groups, self._rows)
            if not number:
                return
            opponent = self._outsiders[group]
            choose = self._quick_turns.choice_of(group, opponent) if is_quick else None
            if choose is not None:
                choose(number)
                actions, wrong = self._quick_turns.actions, self._quick_turns.answer(number)
            else:
                rows = self._rows[:number].copy()
                actions = ask(self, opponent, rows, RowRandom(self.move_streams(rows)))
                wrong = self._answer(rows, actions, changed)
            if wrong >= 0:
                refuse_act(self, f"opponent {opponent!r}", int(self._rows[wrong]), int(actions[wrong]))

    def _answer(self, rows: Array, actions: Array, changed: Mapping[str, Array | int]) -> int:
        """Make moves in the games `rows`, int64 (M,). Return the index of the first illegal one, otherwise -1."""
        self._rows[: len(rows)] = rows
        if self._history is not None:
            self._history.note(self._games, rows, actions)
        return self._on_rows(ANSWER, len(rows), **{**changed, "actions": actions, "by_row": 1, "shows": 0})

    def move_streams(self, rows: Array) -> Array:
        """Return a random stream for the seat to move in each of the games `rows`, int64 (M,): uint64 (M,).

        It is a hash of the seat, its hand, the number of moves so far and the game's salt, and reveals nothing about hidden
        cards.
        """
        rows = checked_rows(rows, self.num_games)
        streams = np.zeros(len(rows), np.uint64)
        self._one("write_streams", rows, streams)
        return streams

    def single_move(self) -> tuple[memoryview, Callable[[], int]]:
        """Return the place of the first game's next move, and a function that makes this move.

        Together they are several times as fast as `step` with one game. They skip opponents and history, and a game that ends
        is not dealt again. The function returns 0 and changes nothing if the move is illegal, otherwise -1.
        """
        self._put(RESET, NO_RESET)
        return self.actions.data, self._quick(ANSWER, 1)

    def single_record(self) -> tuple[memoryview, Callable[[], int]]:
        """Return the first game's record as bytes to read and replace, and a function that shows the game after that."""
        return self._games[:1].view(np.uint8).data, self._quick(SHOW, 1)

    @cached_property
    def _quick_calls(self) -> Mapping[int, Callable[[], int]]:
        """Functions that step or show all games on one thread, with less overhead than `_each`."""
        return {command: self._quick(command, self.num_games) for command in (STEP, SHOW)}

    @cached_property
    def _quick_turns(self) -> QuickTurns:
        """Quick calls with which outside opponents move."""
        return QuickTurns(self, self._threads_args[0], self._groups, self._rows)

    def _quick(self, command: int, number: int, arguments: Any = None) -> Callable[[], int]:
        """Return a quick function that calls `serve` for the first `number` games, with the engine's arguments or others."""
        from big2_env.kernels.dialect.kernel import form_for  # it imports numba

        given = self._args if arguments is None else arguments, command, 0, number
        return partial(form_for(compiled_loops().serve, *given), *given)

    def single_deal(self) -> Callable[[int], None]:
        """Return a function that deals the first game from a seed, as `deal` does but several times as fast."""
        seeds, by_seed, call = self._seeds.data, self._args["by_seed"], self._quick(DEAL, 1)
        self._put(RESET, NO_RESET)

        def deal(seed: int) -> None:
            seeds[0], by_seed[0] = seed & MASK_64, 1
            call()
            by_seed[0] = 0

        return deal

    def play_random(self, steps: int) -> int:
        """Play `steps` random legal moves in each game and return the number of games that ended.

        All buffers are written at every decision.
        """
        if not isinstance(steps, int | np.integer):
            raise ConfigError(f"expected a whole number of steps, got {steps!r}")
        self._has_lists = False
        self.finish_compiling()
        return int(sum(self._each("play_random", int(steps))))

    def rollouts(self) -> Array:
        """Play every game to its end with random legal moves; return the payoffs, float64 (N, seats)."""
        self._has_lists = False
        self.finish_compiling()
        self._each("rollouts")
        return self._paid.copy()


@lru_cache(maxsize=64)
def compilation(ruleset: RuleSet, num_players: int, dtype: str) -> Compilation:
    """Return this process's background compilation of the kernels of batches, which environments of one game use too.

    Args:
        ruleset: Ruleset of the games.
        num_players: Number of seats per game.
        dtype: Observation dtype.
    """

    def prepare() -> None:
        check_compiles(ruleset, num_players)
        engine = BatchEngine(ruleset, 1, num_players=num_players, dtype=dtype)
        engine.reset(0)
        engine.are_legal(0)
        engine.move_streams(np.zeros(1, np.int64))

    def arguments() -> tuple[Any, ...]:
        return np.zeros(1, variant_of(ruleset, dtype).arguments), 0, 0, 0

    return Compilation(prepare, f"{LOOPS}.serve", arguments=arguments, what=f"the rules of {ruleset.name}")
