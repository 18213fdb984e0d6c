"""Reviews of games that people have played at tables, the person's decisions first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final

from big2_agents.review.analysis import GameReview, Review, overlaid
from big2_agents.review.decision import default_judge, judge_named
from big2_agents.review.deep_code import deep_code
from big2_agents.review.judged import judged_replay
from big2_agents.review.verdict import Stage
from big2_env.agents.advice import Advice
from big2_env.base.errors import ConfigError
from big2_env.base.language import Language
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.drawing.replay_page import Replay
from big2_env.kernels.switch import Compilation
from big2_env.notation.transcript import Transcript

PROOF_POSITIONS: Final = 3_000
"""Positions that plain Python examines for one proof: a tenth of a second, three times as long in a browser."""


class TableReview:
    """Review in progress, in two stages: without compiled code, then with it.

    Before code is compiled, the person's decisions have certain wins and the judge's order of moves, without values. As soon
    as the code is compiled, the judge evaluates the person's decisions, the ones that differ from its order first, then
    everything else. Its results replace the others once all of the person's decisions have them.

    Args:
        game: Finished game.
        seat: Seat of the person.
        players: Name of the agent in each seat, `None` for people; none if nothing is known.
        code: Compiled code; `None` for none.

    Raises:
        ConfigError: The game is not over.
    """

    def __init__(self, game: Game, seat: int, players: Sequence[str | None] = (), code: Compilation | None = None) -> None:
        if game.outcome is None:
            raise ConfigError("expected a game that is over, got one in progress")
        self._game, self._seat, self._players, self._code = game, seat, players, code
        self._judge = default_judge(game.ruleset, game.num_players)
        self._ordering = GameReview(
            game,
            Ordering(self._judge),
            self._judge,
            seats=[seat],
            unit=math.inf,  # nothing has a value, so there are no marks
            has_prospects=False,
            has_proofs=True,
            proof_positions=PROOF_POSITIONS,
            remark="note_plain",
        )
        self._deep: GameReview | None = None
        self._results = self._ordering.found
        self._stage = Stage.ORDER if code is None else Stage.ORDER_FOLLOWS
        self._own = [ply for ply, move in enumerate(game.history) if move.seat == seat]
        self._lengths = [len(self._own), len(game.history) + 1]
        if code is not None:
            self._lengths += self._lengths
            code.start()
        self._begun, self._in_stage = 0, 0
        self._is_finished = False
        self._work = self._stages()
        self.edition = 0
        """Number of times that a whole stage has improved the results."""
        self.is_waiting = False
        """True while there is nothing to do but to wait for compiled code."""

    @property
    def moments(self) -> int:
        """Number of steps of all stages."""
        return sum(self._lengths)

    @property
    def done(self) -> int:
        """Number of finished steps, all of them only after the last improvement."""
        finished = sum(self._lengths[: self._begun]) + self._in_stage
        return self.moments if self._is_finished else min(finished, self.moments - 1)

    def step(self) -> None:
        """Judge a little more; do nothing while waiting for compiled code."""
        self._is_finished = next(self._work, True) is True

    def found(self) -> Review:
        """Return the best results so far."""
        return self._results()

    def judged(self, shown: Replay, transcript: Transcript, lang: Language) -> Replay:
        """Return the game's replay with the results so far."""
        return judged_replay(shown, transcript, self.found(), lang, person=self._seat, stage=self._stage)

    def _stages(self) -> Iterator[None]:
        """Judge the game, one step at a time."""
        if not self._is_ready:
            yield from self._decide(self._ordering, self._own)
            yield from self._improve(1, self._stage)
        if not self._is_ready:
            yield from self._finish(self._ordering)
            yield from self._improve(2, self._stage)
        while self._code is not None and self._code.is_compiling:
            self.is_waiting = True
            yield
        self.is_waiting = False
        if not self._is_ready:  # there is no compiled code
            self._lengths = self._lengths[:2]
            if self._stage is not Stage.ORDER:
                yield from self._improve(2, Stage.ORDER)
            return
        self._deep = GameReview(self._game, judge_named(self._judge), self._judge, players=self._players)
        self._begun, self._in_stage = 2, 0
        found = self._ordering.found().decisions
        doubtful = {one.ply for one in found if one is not None and one.advice and one.chosen is not one.advice[0]}
        yield from self._decide(self._deep, sorted(self._own, key=lambda ply: ply not in doubtful))
        self._results = self._of_deep
        yield from self._improve(3, Stage.DEEP)
        yield from self._finish(self._deep)
        yield from self._improve(4, Stage.DEEP)

    @property
    def _is_ready(self) -> bool:
        """True once the judge can give values."""
        return self._code is not None and self._code.is_ready

    def _improve(self, begun: int, stage: Stage) -> Iterator[None]:
        """Note the end of a stage, which is a step of its own: its results can be shown before the next stage begins."""
        self._begun, self._in_stage, self._stage = begun, 0, stage
        self.edition += 1
        yield

    def _decide(self, judging: GameReview, order: Sequence[int]) -> Iterator[None]:
        """Judge the person's decisions, unless there can be values from now on."""
        for ply in order:
            if judging is not self._deep and self._is_ready:
                return
            judging.decide(ply)
            self._in_stage += 1
            yield

    def _finish(self, judging: GameReview) -> Iterator[None]:
        """Judge all moments, unless there can be values from now on."""
        while judging.done < judging.moments and (judging is self._deep or not self._is_ready):
            judging.step()
            self._in_stage += 1
            yield

    def _of_deep(self) -> Review:
        assert self._deep is not None
        return overlaid(self._ordering.found(), self._deep.found())


class Ordering:
    """A judge's order of moves and its certain wins, without values."""

    def __init__(self, name: str) -> None:
        self._agent: Any = judge_named(name)

    def reset(self, seed: int) -> None:
        """Do nothing: nothing is random."""

    def act(self, view: View, legal: LegalPlays) -> Play:
        """Return the first move of the order."""
        return self.judge(view, legal)[0].play

    def judge(self, view: View, legal: LegalPlays, also: Sequence[Play] = ()) -> list[Advice]:
        """Return every legal move in the judge's order."""
        found: list[Advice] = self._agent.order(view, legal)
        return found


class TableReviewer:
    """Reviewer of games at tables.

    Args:
        is_deep: True for values from compiled code.
    """

    def __init__(self, is_deep: bool) -> None:
        self._is_deep = is_deep

    def __call__(self, game: Game, seat: int, players: Sequence[str | None] = ()) -> TableReview:
        """Begin a review of a finished game.

        Args:
            game: The game.
            seat: Seat of the person.
            players: As in `TableReview`.

        Raises:
            ConfigError: The game is not over.
        """
        return TableReview(game, seat, players, deep_code(game.ruleset, game.num_players) if self._is_deep else None)

    def prepare(self, rules: RuleSet, num_players: int) -> None:
        """Start to compile in the background what a review needs."""
        if self._is_deep:
            deep_code(rules, num_players).start()


plain: Final = TableReviewer(False)
"""Reviewer without compiled code, which works anywhere."""
search: Final = TableReviewer(True)
"""Reviewer with values from compiled code, as in `big2 show`."""
