"""Reviews of games that people have played at tables, the person's decisions first.

A quick judge in plain Python answers within seconds. Where compiled code is at hand, a deep judge then replaces its values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from time import monotonic
from typing import Final

from big2_agents.review.analysis import GameReview, Review, known_unit, overlaid
from big2_agents.review.decision import DEFAULT_JUDGE, judge_named, paid
from big2_agents.review.deep_code import deep_code
from big2_agents.review.judged import judged_replay
from big2_agents.review.opinion import PlainOpinion
from big2_agents.review.quick_judge import PLAYOUTS, WIDTH, PlainAppraiser, PlainJudge
from big2_agents.review.verdict import Stage
from big2_env.climbing.game import Game
from big2_env.climbing.ruleset import RuleSet
from big2_env.errors import ConfigError
from big2_env.kernels.switch import Compilation
from big2_env.language import Language
from big2_env.notation.transcript import Transcript, game_at
from big2_env.show.replay_page import Replay

PROOF_POSITIONS: Final = 3_000
"""Positions that plain Python examines for one proof: a tenth of a second, three times as long in a browser."""
FIRST_SECONDS: Final = 1.2
"""Seconds from the first step to the end of the first look, not counting a last decision."""
DOUBT_SECONDS: Final = 0.6
"""Seconds from the first step after which no more moves are compared with the quick opinion."""
FIRST_PLAYOUTS: Final = 50
"""Playouts of a move made and of its alternative in the first look."""
SURE_PLAYOUTS: Final = 40
"""Playouts per candidate of the quick judge for moves that the quick opinion would make too."""


class TableReview:
    """Review in progress, in stages: a first look, the quick judge, the deep judge.

    The first look plays out the person's moves and the quick opinion's favorites, the most doubtful moves first, for
    `FIRST_SECONDS`. Then the quick judge examines all of the person's decisions, and the prospects of every moment. As soon as
    the deep judge's code is compiled, the deep judge takes over: the person's decisions, the costliest so far first, then
    everything else. Its values replace the others once all of the person's decisions have them.

    Args:
        game: Finished game.
        seat: Seat of the person.
        code: Compiled code of the deep judge; `None` for no deep judge.

    Raises:
        ConfigError: The game is not over.
    """

    def __init__(self, game: Game, seat: int, code: Compilation | None = None) -> None:
        if game.outcome is None:
            raise ConfigError("expected a game that is over, got one in progress")
        self._game, self._seat, self._code = game, seat, code
        self._judge = PlainJudge(FIRST_PLAYOUTS, 0)
        self._first, self._quick = self._of_plain(), self._of_plain()
        self._deep: GameReview | None = None
        self._results = self._first.found
        self._stage = Stage.FIRST
        self._own = [ply for ply, move in enumerate(game.history) if move.seat == seat]
        self._doubts: dict[int, float] = {}
        self._lengths = [len(self._own)] * 2 + [len(game.history) + 1]
        if code is not None:
            self._lengths += self._lengths[1:]
            code.start()
        self._begun, self._in_stage = 0, 0
        self._is_finished = False
        self._work = self._stages()
        self.edition = 0
        """Number of times that a whole stage has improved the results."""
        self.is_waiting = False
        """True while there is nothing to do but to wait for the deep judge's code."""

    def _of_plain(self) -> GameReview:
        game = self._game
        unit = known_unit(game.ruleset, game.num_players)
        assert game.outcome is not None
        return GameReview(
            game,
            self._judge,
            "plain",
            seats=[self._seat],
            appraiser=PlainAppraiser(0),
            unit=paid(game.outcome).size if unit is None else unit,
            proof_positions=PROOF_POSITIONS,
            remark="note_plain",
        )

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
        """Judge a little more; do nothing while waiting for the deep judge's code."""
        self._is_finished = next(self._work, True) is True

    def found(self) -> Review:
        """Return the best results so far."""
        return self._results()

    def judged(self, shown: Replay, transcript: Transcript, lang: Language) -> Replay:
        """Return the game's replay with the results so far."""
        return judged_replay(shown, transcript, self.found(), lang, person=self._seat, stage=self._stage)

    def _stages(self) -> Iterator[None]:
        """Judge the game, one step at a time."""
        opinion = PlainOpinion(self._game.ruleset, self._game.num_players)
        yield from self._doubt(opinion)
        order = sorted(self._doubts, key=lambda ply: -self._doubts[ply])
        if not self._is_ready:
            yield from self._look(opinion, order)
            yield from self._improve(1, Stage.FIRST)
        if not self._is_ready:
            self._judge.playouts, self._judge.width, self._judge.opinion = PLAYOUTS, WIDTH, opinion
            yield from self._decide(self._quick, self._by_cost(self._first.found(), order), self._doubts)
        if not self._is_ready:
            self._results = self._of_quick
            yield from self._improve(2, Stage.QUICK if self._code is None else Stage.DEEP_FOLLOWS)
            yield from self._finish(self._quick)
            yield from self._improve(3, self._stage)
        while self._code is not None and self._code.is_compiling:
            self.is_waiting = True
            yield
        self.is_waiting = False
        if not self._is_ready:  # there is no compiled code
            self._lengths = self._lengths[:3]
            if self._stage is not Stage.QUICK:
                yield from self._improve(3, Stage.QUICK)
            return
        self._deep = GameReview(self._game, judge_named(DEFAULT_JUDGE), DEFAULT_JUDGE)
        self._begun, self._in_stage = 3, 0
        yield from self._decide(self._deep, self._by_cost(self._of_quick(), order))
        self._results = self._of_deep
        yield from self._improve(4, Stage.DEEP)
        yield from self._finish(self._deep)
        yield from self._improve(5, Stage.DEEP)

    @property
    def _is_ready(self) -> bool:
        """True once the deep judge can begin."""
        return self._code is not None and self._code.is_ready

    def _improve(self, begun: int, stage: Stage) -> Iterator[None]:
        """Note the end of a stage, which is a step of its own: its results can be shown before the next stage begins."""
        self._begun, self._in_stage, self._stage = begun, 0, stage
        self.edition += 1
        yield

    def _doubt(self, opinion: PlainOpinion) -> Iterator[None]:
        """Compare the person's moves with the quick opinion, the last ones first: they take least time."""
        begun = monotonic()
        until, self._until = begun + DOUBT_SECONDS, begun + FIRST_SECONDS
        for ply in reversed(self._own):
            view = game_at(self._game, ply).view()
            legal = view.legal_plays()
            if len(legal) > 1:
                play = self._game.history[ply].play
                self._doubts[ply] = opinion.doubt(view, legal, play) if monotonic() < until else 0.0
        yield

    def _look(self, opinion: PlainOpinion, order: Sequence[int]) -> Iterator[None]:
        """Play out the doubtful moves and the quick opinion's favorites, while there is time."""
        self._judge.opinion = opinion
        for ply in order:
            if self._doubts[ply] > 0 and monotonic() < self._until:
                self._first.decide(ply)
            self._in_stage += 1
            yield

    def _decide(self, judging: GameReview, order: Sequence[int], doubts: Mapping[int, float] | None = None) -> Iterator[None]:
        """Judge the person's decisions, unless the deep judge can take over."""
        for ply in order:
            if judging is not self._deep and self._is_ready:
                return
            if doubts is not None:
                self._judge.playouts = PLAYOUTS if doubts[ply] > 0 else SURE_PLAYOUTS
            judging.decide(ply)
            self._in_stage += 1
            yield

    def _finish(self, judging: GameReview) -> Iterator[None]:
        """Judge all moments, unless the deep judge can take over."""
        while judging.done < judging.moments and (judging is self._deep or not self._is_ready):
            judging.step()
            self._in_stage += 1
            yield

    @staticmethod
    def _by_cost(found: Review, order: Sequence[int]) -> list[int]:
        """Return the decisions with the highest loss first, those without a loss in the given order."""
        losses = {one.ply: one.loss or 0.0 for one in found.decisions if one is not None}
        return sorted(order, key=lambda ply: -losses.get(ply, 0.0))

    def _of_quick(self) -> Review:
        return overlaid(self._first.found(), self._quick.found())

    def _of_deep(self) -> Review:
        assert self._deep is not None
        return overlaid(self._of_quick(), self._deep.found())


class TableReviewer:
    """Reviewer of games at tables.

    Args:
        is_deep: True for a deep judge after the quick one.
    """

    def __init__(self, is_deep: bool) -> None:
        self._is_deep = is_deep

    def __call__(self, game: Game, seat: int) -> TableReview:
        """Begin a review of a finished game.

        Args:
            game: The game.
            seat: Seat of the person.

        Raises:
            ConfigError: The game is not over.
        """
        return TableReview(game, seat, deep_code(game.ruleset, game.num_players) if self._is_deep else None)

    def prepare(self, rules: RuleSet, num_players: int) -> None:
        """Start to compile in the background what a review needs.

        Args:
            rules: The rules of the game.
            num_players: Number of seats.
        """
        if self._is_deep:
            deep_code(rules, num_players).start()


plain: Final = TableReviewer(False)
"""Reviewer without compiled code, which works anywhere."""
search: Final = TableReviewer(True)
"""Reviewer whose deep judge is the compiled search, as in `big2 show`."""
