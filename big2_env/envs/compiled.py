"""The compiled rules as an engine of the turn-by-turn environments, for the rulesets that compile.

The game with its history stays the reference engine's: acts are told to it when somebody asks for it, and it checks them then.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from big2_env.cards import iter_cards
from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.settlement import Standing
from big2_env.envs.engine import Array, Engine
from big2_env.kernels import positions, single
from big2_env.kernels.records import address
from big2_env.kernels.state import GAME, SCRATCH
from big2_env.kernels.tables import as_record, compile_tables


class CompiledEngine(Engine):
    """An `Engine` by the compiled rules.

    Raises:
        ConfigError: as `Engine`; a ruleset that cannot be compiled.

    >>> from big2_env import BIG2
    >>> engine = CompiledEngine(BIG2)
    >>> engine.start(Game.deal(BIG2, seed=7))
    >>> engine.act(1)
    >>> engine.turn, len(engine.game.history)
    (2, 1)
    """

    def __init__(
        self,
        ruleset: RuleSet,
        num_players: int | None = None,
        dtype: npt.DTypeLike = np.int8,
        skip_forced: bool = False,
    ) -> None:
        super().__init__(ruleset, num_players, dtype, skip_forced)
        self._tables, self._scratch = compile_tables(ruleset), as_record(np.zeros((), SCRATCH))  # held while addresses are used
        self._tables_at, self._scratch_at = address(self._tables), address(self._scratch)
        self._starts = np.array([window.start for window in self.layout.windows.values()], np.int64)
        self._games: Array = np.zeros(1, GAME)
        self._sizes = (1, self.layout.size), (1, self.space.n)
        self._game: Game | None = None
        self._untold: list[int] = []
        """The acts that the reference game has not been told of yet."""
        self._turn, self._is_over = 0, False

    def __reduce__(self) -> tuple[Any, ...]:
        game = None if self._game is None else self.game
        return type(self), (self.ruleset, self.num_players, self.dtype, self.skip_forced), game

    def __setstate__(self, game: Game) -> None:
        self.start(game)

    def start(self, game: Game) -> None:
        """Go on with a game, which is shared and not copied."""
        positions.pack(self.ruleset, game.position, self._games.view(np.recarray)[0])
        self._game = game
        self._untold.clear()
        self._note(single.standing(self._tables_at, self._games, self._scratch_at, self.skip_forced))

    def _note(self, standing: int) -> None:
        """Note where the game stands now."""
        self._turn, self._is_over = standing & 0xFF, bool(standing & single.OVER)
        if standing >= single.PASSES:
            self._untold += [0] * (standing // single.PASSES)

    @property
    def is_started(self) -> bool:
        """Whether there is a game."""
        return self._game is not None

    @property
    def game(self) -> Game:
        """The game with its history, hidden cards included: to look at, not to play."""
        self.tell()
        assert self._game is not None  # the environments see to it
        return self._game

    def tell(self) -> None:
        """Tell the game of all acts so far: for those who hold it themselves."""
        game = self._game
        if game is not None:
            for action in self._untold:
                game.push(self.space.verify(action, game.legal_plays()))
            self._untold.clear()

    @property
    def turn(self) -> int:
        """The seat to move; without meaning once the game is over."""
        return self._turn

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._is_over

    def look(self, seat: int) -> tuple[Array, npt.NDArray[np.int8]]:
        """What a seat sees, int8 or float32 `(size,)`, and its legal acts, int8 `(num_actions,)`: 0 for all off turn."""
        size, number = self._sizes
        observation, mask = np.empty(size, self.dtype), np.empty(number, np.int8)
        single.look(self._tables_at, self._starts, self._games, self._scratch_at, seat, observation, mask)
        return observation[0], mask[0]

    def is_forced(self) -> bool:
        """Whether the only legal act of the seat to move is the pass."""
        return bool(single.is_forced(self._tables_at, self._games, self._scratch_at))

    def act(self, action: int) -> None:
        """Make the act of an id. A refused one changes nothing. Raises as `HandSlots.verify` does."""
        standing = -1
        if 0 <= action < self.space.n:
            standing = single.make_act(self._tables_at, self._games, self._scratch_at, action, self.skip_forced)
        if standing < 0:
            self.space.verify(action, self.game.legal_plays())
            raise RuntimeError(f"action {action}: the compiled engine refuses what the rules allow")
        self._untold.append(action)
        self._note(standing)

    def play(self, play: Play) -> None:
        """Make an act given as a play. A refused one changes nothing. Raises as `Game.play` does."""
        mask = self.game.play(play).mask
        place_of = self.ruleset.order.positions
        places = sum([1 << place_of[card] for card in iter_cards(mask)])
        self._note(single.make_play(self._tables_at, self._games, self._scratch_at, places, self.skip_forced))

    def payoffs(self) -> tuple[float, ...]:
        """What each seat gets; 0 for everyone before the end."""
        if not self._is_over:
            return (0.0,) * self.num_players
        position = positions.unpack(self.ruleset, self._games.view(np.recarray)[0])
        return self.ruleset.scoring.payoffs(Standing(position.hands, position.finished))
