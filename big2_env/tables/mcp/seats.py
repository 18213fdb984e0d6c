"""One seat of a game as text: views, legal moves, moves in words, advice."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Final, Generic, Literal, TypeVar

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, words
from big2_env.tables.session.advice_text import beaten_chances, numbers
from big2_env.tables.session.move_reasons import sentences
from big2_env.tables.session.side_session import SideSession
from big2_env.tables.session.table_session import TableSession
from big2_env.text.answers import Answer, Played, SideAnswer, fault_text, read_answer, read_side_answer
from big2_env.text.climbing_scene import scene
from big2_env.text.events import settled_text
from big2_env.text.names import cards_text, move_text
from big2_env.text.observation import (
    MAX_LISTED,
    by_pattern,
    legal_lines,
    observation,
    seat_numbers,
    side_legal_lines,
    side_observation,
)

S = TypeVar("S", bound=TableSession | SideSession[Any])
SHOWN_ADVICE: Final = 5
"""Maximum number of moves in advice."""


class Seat(ABC, Generic[S]):
    """A client's seat in one game. Every text contains only what this seat may know."""

    def __init__(self, session: S, lang: Language) -> None:
        self.session = session
        """The game with its agents, including hidden cards."""
        self.tr = words(lang)
        """Texts in the client's language."""

    @abstractmethod
    def view(self, *, to_move: bool = False) -> str:
        """Return everything that the seat knows.

        Args:
            to_move: True for a seat that has just seen the rest: the legal moves too, and of a side game only the latest moves.
        """

    @abstractmethod
    def legal(self) -> str:
        """Return the legal moves, or a line that no move is expected."""

    @abstractmethod
    def _play(self, text: str) -> None:
        """Make a move of the seat, which is to move."""

    def play(self, text: str) -> None:
        """Make a move, then let the agents move until the seat is asked again.

        Raises:
            ConfigError: The text is not a legal move and nothing has changed, or an agent fails.
        """
        self.advance()
        if self.session.is_over:
            raise ConfigError(self.tr("look.game_over"))
        self._play(text)
        self.advance()

    @abstractmethod
    def result(self) -> str:
        """Return the result of the game, or who is to move."""

    @abstractmethod
    def _advice(self) -> str:
        """Return the best moves of the seat, which is to move."""

    def advice(self) -> str:
        """Return the best moves with reasons.

        Raises:
            ConfigError: It is not the seat's turn, or the adviser fails.
        """
        if not self.session.is_asked:
            raise ConfigError(self.tr("look.game_over" if self.session.is_over else "look.not_your_turn"))
        return self._advice()

    def advance(self) -> None:
        """Let the agents move until the seat is asked or the game is over.

        Raises:
            ConfigError: An agent fails.
        """
        while not self.session.is_over and not self.session.is_asked:
            self.session.advance()

    @abstractmethod
    def _legal(self) -> list[str]:
        """Return the legal moves that `legal` lists, as `play` takes them; none if no move is expected."""

    def state(self) -> dict[str, Any]:
        """Return the state of the game for programs."""
        shown = self.session.scene(self.tr.language)
        return {
            "seat": self.session.seat,
            "your_turn": self.session.is_asked,
            "over": self.session.is_over,
            "hand": [card.text for card in shown.seats[self.session.seat].hand or ()] if shown.seats else [],
            "legal": self._legal() if self.session.is_asked else [],
            "to_beat": self._to_beat(),
            "payoffs": self.session.payoffs(),
            "scores": list(self.session.scores),
        }

    def _to_beat(self) -> str | None:
        """Return the play to beat; None if there is none."""
        return None

    def _checked(self, answer: Answer | SideAnswer) -> Any:
        """Return the move of an answer.

        Raises:
            ConfigError: The answer is not a legal move.
        """
        if isinstance(answer, Played):
            return answer.play
        raise ConfigError(fault_text(answer, self.tr))


class ClimbingSeat(Seat[TableSession]):
    """A seat in a climbing game."""

    def view(self, *, to_move: bool = False) -> str:
        """Return everything that the seat knows; see `Seat.view`."""
        return observation(self.session.view, self.tr.language, legal=to_move)

    def legal(self) -> str:
        """Return the legal moves, or a line that no move is expected."""
        view = self.session.view
        return "\n".join(legal_lines(view, self.tr) if view.is_on_turn else [self.result()])

    def _legal(self) -> list[str]:
        legal = self.session.view.legal_plays()
        return [move_text(play, legal, self.tr) for _, plays in by_pattern(legal) for play in plays[:MAX_LISTED]]

    def _to_beat(self) -> str | None:
        view = self.session.view
        return None if view.top is None or view.outcome is not None else cards_text(view.ruleset, view.top.mask, self.tr)

    def _play(self, text: str) -> None:
        self.session.play(self._checked(read_answer(text, self.session.view, self.tr.language)))

    def result(self) -> str:
        """Return the result of the game, or who is to move."""
        view = self.session.view
        names = seat_numbers(view.num_players, view.seat, self.tr)
        return settled_text(scene(view, names=names, lang=self.tr.language))

    def _advice(self) -> str:
        view, best = self.session.view, self.session.advise()[:SHOWN_ADVICE]
        beaten, legal = beaten_chances(view, [one.play for one in best]), view.legal_plays()
        lines: list[str] = []
        for one, chance, sentence in zip(best, beaten, sentences(view, best, self.tr), strict=True):
            parts = [move_text(one.play, legal, self.tr), sentence, *numbers(view, one, chance, self.tr)]
            lines.append(f"{len(lines) + 1}. {' · '.join(parts)}")
        return "\n".join(lines)


class SideSeat(Seat[SideSession[Any]]):
    """A seat in a side game."""

    def view(self, *, to_move: bool = False) -> str:
        """Return everything that the seat knows; see `Seat.view`."""
        history: Literal["full", "trick"] = "trick" if to_move else "full"
        return side_observation(self.session.game, self.session.seat, self.tr.language, legal=to_move, history=history)

    def legal(self) -> str:
        """Return the legal moves, or a line that no move is expected."""
        game, view = self.session.game, self.session.view
        return "\n".join(side_legal_lines(game, view, self.tr) if view.moves else [self.result()])

    def _legal(self) -> list[str]:
        return [self.session.game.move_text(move) for move in self.session.view.moves[:MAX_LISTED]]

    def _play(self, text: str) -> None:
        game, seat = self.session.game, self.session.seat
        self.session.play(self._checked(read_side_answer(text, game, seat, self.tr.language)))

    def result(self) -> str:
        """Return the result of the game, or who is to move."""
        game, seat = self.session.game, self.session.seat
        names = None if game.num_players == 1 else seat_numbers(game.num_players, seat, self.tr)
        return settled_text(game.scene(seat, names=names, lang=self.tr.language))

    def _advice(self) -> str:
        return str(self.session.game.hint_text(self.session.seat, self.tr))
