"""A person with a puzzle, independent of any user interface.

The person moves for one seat. The solver moves for all others: the opponents defend as long as they can, and a partner helps.
After a losing move the solver plays for the person too, so that the refutation is seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from big2_env.base.language import Language, words
from big2_env.climbing.play import PASS, Play
from big2_env.drawing import Scene, ShownAdvice, scene
from big2_env.notation import records
from big2_env.solve import Solver
from big2_env.tables.puzzles.proving import wins
from big2_env.tables.puzzles.puzzle import Puzzle
from big2_env.tables.session.table_session import TableSession
from big2_env.text.events import play_text

MOST_SEARCHED: Final = 60_000
"""Most positions that the solver searches while a puzzle is played."""
BETWEEN: Final = "/"
"""Character between the moves of a text."""


class Puzzling(TableSession):
    """Session of a person with a puzzle.

    Args:
        puzzle: The puzzle.
        moves: Moves made so far, as records write them, with `BETWEEN` between them.
        shows_solution: True to let the solver move for the person too.

    Raises:
        NotationError: The position or a move is not valid.
        ConfigError: The position is inconsistent, or too large for the solver.
        IllegalPlayError: A move is illegal.
    """

    def __init__(self, puzzle: Puzzle, moves: str = "", *, shows_solution: bool = False) -> None:
        self.puzzle = puzzle
        """The puzzle."""
        self.shows_solution = shows_solution
        """True if the solver moves for the person too."""
        self.start_game = game = puzzle.game()
        """The position before any move."""
        self.solver = Solver(game, plain_positions=MOST_SEARCHED, compiles=False)
        """Solver of the position."""
        self.error: int | None = None
        """Number of moves before the person's losing move; `None` if there was none."""
        others = ["heuristic"] * (game.num_players - 1)  # never asked
        super().__init__(game.ruleset, others, seat=game.turn, seed=puzzle.number, adviser="heuristic")
        self.watched = None
        for text in moves.split(BETWEEN) if moves else ():
            self.game.play(PASS if text == PASS.pattern else records.play_of(game.ruleset, text))
            self._changed()

    def deal(self) -> None:
        """Begin the puzzle."""
        self.error = None
        self.start(self.start_game.copy(), self.puzzle.number)

    @property
    def moves(self) -> str:
        """Moves made so far, as a text."""
        rules = self.ruleset
        return BETWEEN.join(PASS.pattern if play.is_pass else records.play_text(rules, play) for _, play in self.game.history)

    @property
    def is_asked(self) -> bool:
        """True if the person is to move, and can still win."""
        return super().is_asked and self.error is None and not self.shows_solution

    @property
    def is_solved(self) -> bool:
        """True if the person has won without the solution."""
        return self.is_over and self.error is None and not self.shows_solution

    def chosen(self) -> Play | None:
        """Return the solver's move, for any seat that the person does not move now.

        Returns:
            The move; `None` if the puzzle waits for the person or is over.

        Raises:
            ConfigError: The position is too large for the solver.
        """
        return None if self.is_over or self.is_asked else self.solver.answer(self.game)

    def undo(self) -> Any:
        """Take back the losing move with everything after it, or else the person's last choice; see `OwnSession.undo`."""
        while self.error is not None and len(self.game.history) > self.error + 1:
            self.game.undo()
        return super().undo()

    def next_deal(self) -> None:
        """Begin the puzzle again."""
        self.shows_solution = False
        super().next_deal()

    def _changed(self) -> None:
        ply = len(self.game.history)
        if self.error is not None and ply <= self.error:
            self.error = None
        elif self.error is None and not wins(self.solver, self.game):
            self.error = ply - 1
        super()._changed()

    def scene(self, lang: Language, advice: Iterable[ShownAdvice] = (), last: int = 8) -> Scene:
        """Return the scene with all hands.

        Args:
            lang: Language.
            advice: Advice to show.
            last: Number of recent moves to include as events.
        """
        return scene(self.game, self.seat, open_hands=True, names=self.names_in(lang), lang=lang, last=last, advice=advice)

    def names_in(self, lang: Language) -> list[str]:
        """Return the name of each seat in a language: the person, partners and opponents."""
        tr, number = words(lang), len(self.names)
        found = [tr("table.you")] * number
        for key, is_partner in (("partner", True), ("opponent", False)):
            after = [(self.seat + step) % number for step in range(1, number)]
            seats = [seat for seat in after if (seat in self.solver.team) == is_partner]
            for place, seat in enumerate(seats, start=1):
                found[seat] = tr(f"puzzles.{key}") if len(seats) == 1 else tr(f"puzzles.{key}_number", number=place)
        return found

    def said(self, lang: Language) -> tuple[str, str]:
        """Return a sentence about the puzzle and its kind: `good`, `bad` or empty.

        It is the task, the winner after a losing move, or the result.
        """
        tr = words(lang)
        if self.error is not None:
            move, winner = self.game.history[self.error].play, self.names_in(lang)[self._winner()]
            if move.is_pass:
                return tr("puzzles.wrong_pass", name=winner), "bad"
            return tr("puzzles.wrong", play=play_text(self.ruleset, move, tr), name=winner), "bad"
        if self.shows_solution:
            return tr("puzzles.shown", count=self.puzzle.moves), ""
        if self.is_over:
            return tr("puzzles.solved"), "good"
        if self.game.history:
            return tr("puzzles.right"), "good"
        return tr("puzzles.task" if len(self.solver.team) == 1 else "puzzles.task_team"), ""

    def _winner(self) -> int:
        """Return the seat that is first out if the solver continues for all."""
        game = self.game.copy()
        while not game.position.finished:
            game.push(self.solver.answer(game))
        return game.position.finished[0]
