"""Interface of games that are not climbing games.

A class that implements `SideGame` gets records, replays, a prompt, a table in the terminal and environments without further
code:

| feature | module |
| --- | --- |
| records, one game per line | `big2_env.notation.side_records` |
| replays with a picture for every move | `big2_env.drawing.replays` |
| a person against computer players, with undo, saved after every move | `big2_env.tables.session.side_session` |
| PettingZoo and Gymnasium environments | `big2_env.envs.side_aec`, `big2_env.envs.side_seat` |
| a prompt, the commands | `big2_env.tables.prompt.side_play` |
| a table in the terminal | `big2_env.tables.terminal.side_screen` |
| a table in the browser | `big2_env.tables.browser.side_table` |

UNO, fishing and Klondike in `big2_env.games` implement it.

Randomness enters in two places. The `deal` methods draw everything from one seed, and `start_data` contains the state of random
streams (UNO reshuffles its pile). So the start and the moves determine a game.

Hidden cards are in `start_data`, `observe_all`, scenes with open hands and the game object itself. `view`, `observe`, scenes
and texts for a viewer contain only what that viewer may know.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self, TypeAlias

from big2_env.base.errors import ConfigError, NotationError, failure_text, quoted, repr_text
from big2_env.base.language import Language, Words, language, words
from big2_env.base.scene import RulesPage, Scene, ShownMove

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class SideMove(NamedTuple):
    """A move that was made."""

    seat: int
    move: int


class Look(NamedTuple):
    """Options of a scene; see `SideGame.scene`."""

    viewer: int | None
    open_hands: bool
    names: Sequence[str] | None
    tr: Words
    last: int
    scoring: str
    scores: Sequence[float] | None


class SideView(Protocol):
    """Knowledge of one seat, as a value without fields for anything else."""

    @property
    def seat(self) -> int:
        """Seat of the viewer."""

    @property
    def moves(self) -> tuple[int, ...]:
        """Legal moves of the viewer, ascending; empty if it is not to move."""

    def seed(self, salt: int = 0) -> int:
        """Return a 64-bit seed for a player's random numbers, computed from the view alone.

        Args:
            salt: Number that varies the seed.
        """


class Chance(Protocol):
    """Estimate of the chance to win, which grows more exact with work. It depends on one seat's view alone."""

    @property
    def of(self) -> int:
        """Number of arrangements of the hidden cards to examine."""

    @property
    def won(self) -> int:
        """Number of examined arrangements that can be won."""

    @property
    def done(self) -> int:
        """Number of arrangements examined so far."""

    @property
    def is_final(self) -> bool:
        """True if no work is left."""

    def step(self, seconds: float) -> None:
        """Work for some time."""


Player: TypeAlias = "Callable[[Any, np.random.Generator], int]"
"""Function `(view, rng) -> move` that chooses one of `view.moves`."""


class SideGame(ABC):
    """A game in progress, including hidden cards. Moves are the actions of its environments, numbers below `num_moves`.

    Attributes:
        name: Identifier in records, commands and texts.
        num_moves: Number of different moves, legal or not.
        move_texts: Text of every move in records, by number; empty for games with a notation of their own.
        scorings: Scorings that `payoffs` supports; the first is the default.
        usual_player: Default opponent of people.
        record_names: Names of players in records, if they differ from the names that users type.
        seats: Fewest, most and usual number of seats at a table with a person.
        has_choices: False for a game without decisions: every position has one legal move, and records have no moves.
        start_keys: Keys that `start_data` may have.
        max_record: Maximum number of characters of a record.
        max_moves: Maximum number of moves in a record.
        num_players: Number of seats.
        turn: Seat to move; meaningless once the game is over.
        history: Moves so far; each has a `seat` and a `move`.
    """

    name: ClassVar[str]
    num_moves: ClassVar[int]
    move_texts: ClassVar[tuple[str, ...]] = ()
    scorings: ClassVar[tuple[str, ...]] = ("points",)
    usual_player: ClassVar[str] = "random"
    record_names: ClassVar[Mapping[str, str]] = {}
    seats: ClassVar[tuple[int, int, int]] = (1, 1, 1)
    has_choices: ClassVar[bool] = True
    start_keys: ClassVar[tuple[str, ...]]
    max_record: ClassVar[int] = 1 << 20
    max_moves: ClassVar[int] = 30_000

    num_players: int
    turn: int
    history: Sequence[Any]

    # Rules.

    @classmethod
    @abstractmethod
    def usual(cls, seed: int = 0) -> Self:
        """Deal a game under the usual rules. All hidden cards follow from the seed."""

    @classmethod
    def for_seats(cls, number: int, seed: int = 0) -> Self:
        """Deal a game for a number of seats under the usual rules.

        Raises:
            ConfigError: The game is not played by this number.
        """
        cls.checked_seats(number)
        return cls.usual(seed)

    @classmethod
    def checked_seats(cls, number: int) -> int:
        """Return a number of seats after checking it.

        Raises:
            ConfigError: The game is not played by this number.
        """
        least, most, _ = cls.seats
        if not least <= number <= most:
            raise ConfigError(f"expected {least} to {most} seats, got {number}")
        return number

    @property
    @abstractmethod
    def is_over(self) -> bool:
        """True once the game has ended."""

    @property
    def is_stopped(self) -> bool:
        """True if the game is over, or has reached a limit of its record."""
        return self.is_over

    @abstractmethod
    def legal_moves(self) -> tuple[int, ...]:
        """Return the legal moves of the seat to move, ascending; empty once the game is over."""

    @abstractmethod
    def play(self, move: int) -> Any:
        """Make a move for the seat to move. A rejected move changes nothing.

        Raises:
            ConfigError: The number is out of range.
            IllegalPlayError: The move is not legal now; the message gives the reason.
        """

    @abstractmethod
    def payoffs(self, scoring: str = "") -> tuple[float, ...] | None:
        """Return each seat's payoff, or None before the end.

        Args:
            scoring: One of `scorings`; empty for the first.

        Raises:
            ConfigError: The scoring is unknown.
        """

    @abstractmethod
    def view(self, seat: int | None = None) -> Any:
        """Return the `SideView` of a seat.

        Args:
            seat: The seat; None for the seat to move.

        Raises:
            ConfigError: The seat does not exist.
        """

    def checked_seat(self, seat: int | None) -> int:
        """Return a seat after checking it, or the seat to move for None.

        Raises:
            ConfigError: The seat does not exist.
        """
        if seat is not None and not 0 <= seat < self.num_players:
            raise ConfigError(f"expected a seat of 0 to {self.num_players - 1}, got {seat}")
        return self.turn if seat is None else seat

    def checked_scoring(self, scoring: str) -> str:
        """Return a scoring after checking it, or the default for an empty name.

        Raises:
            ConfigError: The scoring is unknown.
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
        """Create the game of a record, at its start.

        Raises:
            NotationError: The data have another form.
            ConfigError: No game can start like this.
        """

    @abstractmethod
    def result_data(self) -> dict[str, Any]:
        """Return the result as JSON values; the same keys with None before the end."""

    def restarted(self) -> Self:
        """Return a copy of this game at its start."""
        return self.from_start(self.start_data())

    def rewound(self, number: int) -> Self:
        """Return a copy of this game after a number of moves."""
        again = self.restarted()
        for made in self.history[:number]:
            again.play(made.move)
        return again

    @classmethod
    def move_text(cls, move: int, /) -> str:
        """Return the text of a move in records, by default from `move_texts`."""
        return cls.move_texts[move]

    @classmethod
    def parse_move(cls, text: str, /) -> int:
        """Return the move of a text in records.

        Raises:
            NotationError: The text is not a move.
        """
        if text not in cls.move_texts:
            raise NotationError(f"expected a move such as {cls.move_texts[0]}, got {quoted(text, 20)}")
        return cls.move_texts.index(text)

    # What people see.

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
        """Return the scene for one viewer.

        Args:
            viewer: Seat of the viewer; None for a spectator.
            open_hands: True to show all hands, for replays.
            names: Name of each seat; None for `player_0`, `player_1`, ...
            lang: Language; None for the user's.
            last: Number of latest moves in the scene's events.
            scoring: Scoring of the payoffs of a finished game.
            scores: Running score of each seat.

        Raises:
            ConfigError: `viewer` does not exist, or the number of names does not fit.
        """
        tr = words(language() if lang is None else lang)
        return self.shown(Look(viewer, open_hands, names, tr, last, self.checked_scoring(scoring), scores))

    @abstractmethod
    def shown(self, look: Look) -> Scene:
        """Return a scene; see `scene`."""

    def drawing_data(self, seat: int) -> dict[str, Any]:
        """Return what a drawing of the table needs besides the scene, as JSON values; the seat may know all of it."""
        return {}

    @abstractmethod
    def shown_move(self, made: Any, tr: Words) -> ShownMove:
        """Return a move of the history as every player sees it.

        Args:
            made: The move.
            tr: Texts in the user's language.
        """

    def rules_page(self, lang: Language | None = None) -> RulesPage:
        """Return the rules in words. The default is a page without sections.

        Args:
            lang: Language; None for the user's.
        """
        shown = self.scene(lang=lang)
        return RulesPage(self.name, shown.title, shown.language, ())

    def opening_text(self, tr: Words) -> str:
        """Return the first line of a game's log, with what every player sees before the first move; empty for none.

        Args:
            tr: Texts in the user's language.
        """
        return ""

    def turn_text(self, move: int, tr: Words) -> str:
        """Return a move that is about to be made, as a line of a log with all hands open.

        Args:
            move: Number of the move.
            tr: Texts in the user's language.
        """
        return f"{self.turn}: {self.move_text(move)}"

    def result_text(self, names: Sequence[str], tr: Words) -> str:
        """Return the last line of the log of a finished game.

        Args:
            names: Name of each seat; empty for the default names.
            tr: Texts in the user's language.
        """
        return self.scene(names=names or None, lang=tr.language).status

    def position_text(self, seat: int, tr: Words) -> str | None:
        """Return the position for a prompt, or None to print the scene.

        Args:
            seat: Seat of the person.
            tr: Texts in the user's language.
        """
        return None

    def typed_moves(self, line: str, seat: int, tr: Words) -> tuple[int, ...]:
        """Return the moves that a person typed, as the index of a legal move or as its text.

        Args:
            line: Line that was typed.
            seat: Seat of the person.
            tr: Texts in the user's language.

        Raises:
            NotationError: The line is not a legal move; the message is for people.
            IllegalPlayError: The move is not legal; the message is for people.
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

    def stated_moves(self, text: str, seat: int, tr: Words) -> tuple[int, ...]:
        """Return the moves that a text can name as a whole, legal or not; empty if it names none.

        Unlike `typed_moves`, this reads no indices and no shortcuts.

        Args:
            text: The text.
            seat: Seat that is asked.
            tr: Texts in the user's language.
        """
        try:
            return (self.parse_move(text),)
        except NotationError:
            return ()

    def refusal_text(self, move: int, seat: int, tr: Words) -> str:
        """Return the reason why a move is illegal, based on what the seat may know.

        Args:
            move: The illegal move.
            seat: Seat that is asked.
            tr: Texts in the user's language.
        """
        return tr("side_play.refused")

    def answer(self, line: str, tr: Words) -> str:
        """Return the answer to a question that is specific to this game's prompt; empty for other lines.

        Args:
            line: Line that was typed.
            tr: Texts in the user's language.
        """
        return ""

    def prompt_help(self, tr: Words) -> str:
        """Return help on what can be typed at the prompt.

        Args:
            tr: Texts in the user's language.
        """
        return tr(
            "side_play.help", moves=" ".join(f"{at}:{self.move_text(move)}" for at, move in enumerate(self.legal_moves()))
        )

    def hint_text(self, seat: int, tr: Words) -> str:
        """Return advice for a person, based on what their seat may know.

        Args:
            seat: Seat of the person.
            tr: Texts in the user's language.
        """
        return tr("side_play.no_hint")

    def hinted_moves(self, seat: int) -> tuple[int, ...]:
        """Return the moves that a hint suggests, in order, based on what the seat may know; empty for none."""
        return ()

    def chance(self, seat: int) -> Chance | None:
        """Return an estimate of the chance to win, based on what the seat may know; `None` if the game has none."""
        return None

    # Players and networks.

    @classmethod
    def opponents(cls) -> tuple[str, ...]:
        """Return the names of players for the other seats of a table with a person, the strongest first."""
        return ("random",)

    @classmethod
    def player(cls, name: str) -> Player:
        """Return the player with a given name.

        Raises:
            ConfigError: The player does not exist.
        """
        if name != "random":
            raise ConfigError(f"expected random as {cls.name} player, got {quoted(name)}")
        return random_player

    @abstractmethod
    def observe(self, view: Any) -> npt.NDArray[np.int8]:
        """Return a view as network input: zeros and ones, int8 `(size,)`, with the same size for all views of the rules."""

    def observe_all(self) -> npt.NDArray[np.int8]:
        """Return the whole game as network input, int8 `(size,)`. The default concatenates all seats' observations."""
        import numpy as np

        return np.concatenate([self.observe(self.view(seat)) for seat in range(self.num_players)])


def card_numbers(cards: Iterable[Any]) -> tuple[int, ...]:
    """Return cards given as numbers, of numpy's types too, as plain integers.

    Raises:
        ConfigError: One is not an integer.
    """
    given = tuple(cards)
    try:
        return tuple(map(index, given))
    except TypeError:
        raise ConfigError(f"expected cards as integers, got {repr_text(given)}") from None


def random_player(view: SideView, rng: np.random.Generator) -> int:
    """Return a legal move, uniformly at random."""
    return view.moves[int(rng.integers(len(view.moves)))]


def seeded_move(player: Player, view: SideView, name: str = "", *, salt: int = 0) -> int:
    """Return a player's move, with random numbers that depend only on its view and the salt.

    Args:
        player: The player, which may be external code.
        view: View of the seat to move.
        name: Name of the player for messages; empty for its `repr`.
        salt: Number that varies the random numbers for the same view.

    Raises:
        ConfigError: The player fails, or returns an illegal move.
    """
    if player is random_player:  # as compiled code draws
        return view.moves[(view.seed(salt) >> 32) * len(view.moves) >> 32]
    return move_of(player, view, _generator(view.seed(salt)), name)


def _generator(seed: int) -> Any:
    """Return a generator of random numbers; `None` in a browser, which has no numpy and only players that need none."""
    try:
        import numpy as np
    except ImportError:
        return None
    return np.random.default_rng(seed)


def move_of(player: Player, view: SideView, rng: np.random.Generator, name: str = "") -> int:
    """Return a player's move after checking it.

    Args:
        player: The player, which may be external code.
        view: View of the seat to move.
        rng: Random number generator of the player.
        name: Name of the player for messages; empty for its `repr`.

    Raises:
        ConfigError: The player fails, or returns an illegal move.
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
