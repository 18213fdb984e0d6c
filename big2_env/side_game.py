"""The protocol of a game that is not a climbing game.

A class that implements `SideGame` gets records, replays, sittings, a prompt, a table in the terminal and environments without
further code:

| what | where |
| --- | --- |
| records, one game per line | `big2_env.notation.side_records` |
| replays with a picture for every move | `big2_env.show.replays` |
| a person among computer players, with undo, kept move by move | `big2_env.play.side_sitting` |
| PettingZoo and Gymnasium environments | `big2_env.envs.side_aec`, `big2_env.envs.side_seat` |
| a prompt, the verbs | `big2_env.cli._side_play` |
| a table in the terminal | `big2_env.tui.side_screen` |

UNO, fishing and Klondike in `big2_env.games` implement it. Chance enters a game in two places: the classes' `deal` methods draw
everything from one seed, and `start_data` has the state of random streams (UNO shuffles its pile again). So a start and the
moves decide a game. Hidden cards are in `start_data`, `observe_all`, scenes with open hands and the game object itself. `view`,
`observe`, scenes and texts for a viewer hold what that viewer may know.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, Protocol, Self, TypeAlias

from big2_env.errors import ConfigError, NotationError, failure_text, quoted, repr_text
from big2_env.language import Language, Words
from big2_env.scene import RulesPage, Scene, ShownAct

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

MAX_SALT: Final = 2**63 - 1


class SideMove(NamedTuple):
    """A move that was made."""

    seat: int
    move: int


class SideView(Protocol):
    """What one seat may know: a value without a field for anything else."""

    @property
    def seat(self) -> int:
        """The viewer."""

    @property
    def moves(self) -> tuple[int, ...]:
        """The viewer's legal moves, ascending; none if it is not to move."""

    def seed(self, salt: int = 0) -> int:
        """A number of 64 bits that follows from the view alone: the seed of a player's random numbers."""


Player: TypeAlias = "Callable[[Any, np.random.Generator], int]"
"""A function `(view, rng) -> move`: one of `view.moves`, from what one seat may know."""


class SideGame(ABC):
    """A game in progress, hidden cards included. Moves are numbers below `num_moves`: the actions of its environments."""

    name: ClassVar[str]
    """The name for programs: of records, the verb and the texts."""
    num_moves: ClassVar[int]
    """How many different moves the game knows, legal or not."""
    scorings: ClassVar[tuple[str, ...]] = ("points",)
    """What `payoffs` can be asked for; the first one is the default."""
    usual_player: ClassVar[str] = "random"
    """The player that people meet if they name none."""
    record_names: ClassVar[Mapping[str, str]] = {}
    """What records call a player, for names that differ from those that people give."""
    has_choices: ClassVar[bool] = True
    """False for a game that plays itself: every position has one legal move, and records have no moves."""
    start_keys: ClassVar[tuple[str, ...]]
    """The keys that `start_data` may have."""
    max_record: ClassVar[int] = 1 << 20
    """Most characters of a record."""
    max_moves: ClassVar[int] = 30_000
    """Most moves of a record."""

    num_players: int
    turn: int
    """The seat to move; without meaning once the game is over."""
    history: Sequence[Any]
    """The moves so far; each has a `seat` and a `move`."""

    # Rules.

    @classmethod
    @abstractmethod
    def usual(cls, seed: int = 0) -> Self:
        """Deal a game by the usual rules: all hidden cards follow from the seed."""

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """True once the game has ended."""

    @abstractmethod
    def legal_moves(self) -> tuple[int, ...]:
        """Return the legal moves of the seat to move, ascending; none once the game is over."""

    @abstractmethod
    def play(self, move: int) -> Any:
        """Make a move of the seat to move. A refused one changes nothing.

        Raises:
            ConfigError: no move has that number.
            IllegalPlayError: the move is not legal now, with the reason.
        """

    @abstractmethod
    def payoffs(self, scoring: str = "") -> tuple[float, ...] | None:
        """Return each seat's payoff, `None` before the end.

        Args:
            scoring: One of `scorings`; by default the first.

        Raises:
            ConfigError: another scoring.
        """

    @abstractmethod
    def view(self, seat: int | None = None) -> Any:
        """Return the `SideView` of a seat, by default of the seat to move.

        Raises:
            ConfigError: there is no such seat.
        """

    def checked_scoring(self, scoring: str) -> str:
        """Return a scoring once it is known, the default one for an empty name.

        Raises:
            ConfigError: another scoring.
        """
        if scoring and scoring not in self.scorings:
            raise ConfigError(f"expected scoring {' or '.join(map(repr, self.scorings))}, got {scoring!r}")
        return scoring or self.scorings[0]

    # Data: the start with everything hidden, the moves as text, the result.

    @abstractmethod
    def start_data(self) -> dict[str, Any]:
        """Return rules, deal and random streams as JSON values."""

    @classmethod
    @abstractmethod
    def from_start(cls, data: dict[str, Any]) -> Self:
        """Begin the game of a record.

        Raises:
            NotationError, ConfigError: data that start no game.
        """

    @abstractmethod
    def result_data(self) -> dict[str, Any]:
        """Return how the game ended as JSON values; the same keys with `None` before the end."""

    def restarted(self) -> Self:
        """Return this game as it was at its start."""
        return self.from_start(self.start_data())

    def rewound(self, number: int) -> Self:
        """Return this game as it was after a number of moves."""
        again = self.restarted()
        for made in self.history[:number]:
            again.play(made.move)
        return again

    @staticmethod
    @abstractmethod
    def move_text(move: int, /) -> str:
        """Return the text of a move, as records have it."""

    @staticmethod
    @abstractmethod
    def parse_move(text: str, /) -> int:
        """Return the move of a text.

        Raises:
            NotationError: it is none.
        """

    # What people see.

    @abstractmethod
    def scene(
        self,
        viewer: int | None = None,
        *,
        open_hands: bool = False,
        names: Sequence[str] | None = None,
        lang: Language | None = None,
        last: int = 8,
        scoring: str = "",
        scores: Sequence[float] | None = None,
    ) -> Scene:
        """Return what a viewer may know now, with all its words.

        Args:
            viewer: The seat whose eyes this is; `None` for a spectator.
            open_hands: True to show all hands, for replays.
            names: A name for each seat; by default `player_0`, `player_1`, ...
            lang: The language; by default the user's.
            last: How many of the last moves are events of the scene.
            scoring: What the payoffs of a game that is over are.
            scores: A running score for each seat.

        Raises:
            ConfigError: no such seat, or not one name for each seat.
        """

    @abstractmethod
    def shown_move(self, made: Any, tr: Words) -> ShownAct:
        """Return a move of the history as it is shown to everybody."""

    def rules_page(self, lang: Language | None = None) -> RulesPage:
        """Return the rules in words; by default a page without sections."""
        shown = self.scene(lang=lang)
        return RulesPage(self.name, shown.title, shown.language, ())

    def opening_text(self, tr: Words) -> str:
        """Return the first line of a game's log: what everybody sees before the first move; empty for nothing."""
        return ""

    def turn_text(self, move: int, tr: Words) -> str:
        """Return a move that is about to be made as a line of a log with all hands open."""
        return f"{self.turn}: {self.move_text(move)}"

    def result_text(self, names: Sequence[str], tr: Words) -> str:
        """Return the last line of the log of a game that is over."""
        return self.scene(names=names or None, lang=tr.language).status

    def position_text(self, seat: int, tr: Words) -> str | None:
        """Return the position for a prompt; `None` for the lines of the scene."""
        return None

    def typed_moves(self, line: str, seat: int, tr: Words) -> tuple[int, ...]:
        """Return the moves that a person typed: the index of a legal move, or its text.

        Raises:
            NotationError, IllegalPlayError: the line names no legal move; the message is for people.
        """
        moves, word = self.view(seat).moves, line.strip()
        if word.isascii() and word.isdigit() and len(word) < 6 and int(word) < len(moves):
            return (moves[int(word)],)
        try:
            move = self.parse_move(word)
        except NotationError:
            move = -1
        if move not in moves:
            choices = ", ".join(map(self.move_text, moves))
            raise NotationError(tr("side_play.expected_move", given=quoted(word, 20), choices=choices))
        return (move,)

    def answer(self, line: str, tr: Words) -> str:
        """Return the answer to a question that only this game knows at its prompt; empty for another line."""
        return ""

    def prompt_help(self, tr: Words) -> str:
        """Return what can be typed at the prompt."""
        return tr(
            "side_play.help", moves=" ".join(f"{at}:{self.move_text(move)}" for at, move in enumerate(self.legal_moves()))
        )

    def hint_text(self, seat: int, tr: Words) -> str:
        """Return advice for a person, from what their seat may know."""
        return tr("side_play.no_hint")

    # Players and networks.

    @classmethod
    def player(cls, name: str) -> Player:
        """Return the player of a name.

        Raises:
            ConfigError: no player has that name.
        """
        if name != "random":
            raise ConfigError(f"expected random as {cls.name} player, got {quoted(name)}")
        return random_player

    @abstractmethod
    def observe(self, view: Any) -> npt.NDArray[np.int8]:
        """Return a view as a network's input, zeros and ones, int8 `(size,)` with one size for all views of the rules."""

    def observe_all(self) -> npt.NDArray[np.int8]:
        """Return the whole game as a network's input, int8 `(size,)`: by default all seats' observations in a row."""
        import numpy as np

        return np.concatenate([self.observe(self.view(seat)) for seat in range(self.num_players)])


def random_player(view: SideView, rng: np.random.Generator) -> int:
    """Return any legal move, each with the same probability."""
    return view.moves[int(rng.integers(len(view.moves)))]


def seeded_move(player: Player, view: SideView, name: str = "", *, salt: int = 0) -> int:
    """Return the move of a player, whose random numbers follow from its view and the salt and from nothing hidden.

    Args:
        player: The player, which may come from outside.
        view: Of the seat to move.
        name: Of the player, for messages; by default its `repr`.
        salt: For other random numbers in the same views.

    Raises:
        ConfigError: as `move_of`.
    """
    if player is random_player:  # as compiled code draws
        return view.moves[(view.seed(salt) >> 32) * len(view.moves) >> 32]
    import numpy as np

    return move_of(player, view, np.random.default_rng(view.seed(salt)), name)


def move_of(player: Player, view: SideView, rng: np.random.Generator, name: str = "") -> int:
    """Return the move of a player, which may come from outside.

    Args:
        player: The player.
        view: Of the seat to move.
        rng: What the player draws from.
        name: Of the player, for messages; by default its `repr`.

    Raises:
        ConfigError: the player fails, or returns something that is not a legal move.
    """
    who = f"player {name or repr_text(player)} on seat {view.seat}"
    try:
        given: Any = player(view, rng)
    except (ConfigError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise ConfigError(f"{who} fails: {failure_text(error)}") from error
    try:
        move = index(given)
    except TypeError:
        move = -1
    if move not in view.moves:
        raise ConfigError(f"{who}: expected one of the moves {list(view.moves)}, got {repr_text(given)}")
    return move


def checked_salt(salt: int) -> int:
    """Return a salt of players' random numbers once it is valid.

    Raises:
        ConfigError: not an integer from 0 to 2**63 - 1.
    """
    if isinstance(salt, bool) or not isinstance(salt, int) or not 0 <= salt <= MAX_SALT:
        raise ConfigError(f"expected an agent_seed of 0 to 2**63 - 1, got {quoted(repr(salt))}")
    return salt
