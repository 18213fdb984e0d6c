"""Reviews for tables that people have played at: by the compiled search, and by what runs anywhere."""

from __future__ import annotations

from big2_agents.review.analysis import GameReview
from big2_agents.review.appraiser import paid
from big2_agents.review.judge import DEFAULT_JUDGE, judge_named
from big2_agents.review.quick_judge import PlainAppraiser, PlainJudge
from big2_agents.review.replays import judged_replay
from big2_env.climbing.game import Game
from big2_env.errors import ConfigError
from big2_env.language import Language
from big2_env.notation.transcript import Transcript
from big2_env.show.replay_page import Replay

PROOF_POSITIONS = 3_000
"""Positions that plain Python looks at for one proof: a tenth of a second, three times that in a browser."""


class ShownReview(GameReview):
    """A review that shells can show."""

    def judged(self, shown: Replay, transcript: Transcript, lang: Language) -> Replay:
        """The game's replay with all that was found so far."""
        return judged_replay(shown, transcript, self.found(), lang)


def search(game: Game, seat: int) -> ShownReview:
    """The review of `big2 show`: every decision by the compiled search, every moment by compiled play-outs."""
    return ShownReview(game, judge_named(DEFAULT_JUDGE), DEFAULT_JUDGE)


def plain(game: Game, seat: int) -> ShownReview:
    """A review without compiled code: one seat's decisions, and what was proven of the end.

    Raises:
        ConfigError: the game is not over; its payoffs are the unit of the losses.
    """
    if game.outcome is None:
        raise ConfigError("expected a game that is over, got one that goes on")
    return ShownReview(
        game,
        PlainJudge(),
        "plain",
        seats=[seat],
        appraiser=PlainAppraiser(0),
        unit=paid(game.outcome).size,
        proof_positions=PROOF_POSITIONS,
        remark="note_plain",
    )
