"""A person at a table does anything in any order: scores add up, undo restores what was seen, refusals change nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from hypothesis.strategies import booleans, integers, lists, sampled_from

from big2_env import AmbiguousPlayError, ConfigError, IllegalPlayError
from big2_env.base.cards import as_mask
from big2_env.climbing.rulesets import ruleset
from big2_env.notation import records
from big2_env.tables.session.table_session import TableSession, resumed


def seen(session: TableSession) -> tuple[Any, ...]:
    """What the person sees of the present game and of the score."""
    return session.view, session.game.position, session.scores, session.deals, session.is_asked, session.can_undo


def whole(session: TableSession) -> tuple[Any, ...]:
    """All that an operation may change."""
    return *seen(session), records.dumps(session.record()), session.dealt, session.seed, session.undone, session.hints


class AtTable(RuleBasedStateMachine):
    """A person at a table of agents."""

    @initialize(
        game=sampled_from(["big2", "dou_dizhu", "qi_gui_521", "tien_len"]),
        agent=sampled_from(["lowest", "random"]),
        seat=integers(0, 2),
        seed=integers(0, 10**6),
        passes=booleans(),
    )
    def sit_down(self, game: str, agent: str, seat: int, seed: int, passes: bool) -> None:
        rules = ruleset(game)
        others = [agent] * (rules.default_players - 1)
        self.options = {"auto_pass": passes, "adviser": "lowest"}
        self.session = TableSession(rules, others, seat=min(seat, len(others)), seed=seed, **self.options)
        self.paid: list[tuple[float, ...]] = []
        """What the earlier deals paid, those that were played to their end."""
        self.counts_now = True
        self.dealt, self.undone, self.hints = 1, 0, 0
        self.choices: list[tuple[int, tuple[Any, ...]]] = []
        """The person's choices in this deal: how many acts were made before, and what was seen."""

    @property
    def is_on_turn(self) -> bool:
        return not self.session.is_over and self.session.turn == self.session.seat

    @rule(moves=integers(1, 8))
    def advance(self, moves: int) -> None:
        for _ in range(moves):
            session, before = self.session, whole(self.session)
            history, waits = len(session.game.history), session.is_over or session.is_asked
            assert (session.advance() is None) == waits
            assert len(session.game.history) == history + (not waits)
            if waits:
                assert whole(session) == before

    @precondition(lambda self: self.is_on_turn)
    @rule(choice=integers(0, 10**6))
    def play(self, choice: int) -> None:
        session = self.session
        legal = list(session.view.legal_plays())
        if len(legal) > 1 or not legal[0].is_pass:
            self.choices.append((len(session.game.history), seen(session)))
        play = legal[choice % len(legal)]
        assert session.play(play) == play
        assert session.game.history[-1][:2] == (session.seat, play)

    @rule(choice=integers(0, 10**6), rounds=sampled_from([1, 2, 5, 50]))
    def play_on(self, choice: int, rounds: int) -> None:
        for number in range(rounds):
            if self.session.is_over:
                break
            self.advance(8)
            if self.is_on_turn:
                self.play(choice + number)

    @rule(chosen=lists(integers(0, 53), max_size=6, unique=True))
    def play_what_may_be_refused(self, chosen: list[int]) -> None:
        session, before = self.session, whole(self.session)
        cards = [card for card in chosen if session.ruleset.deck.mask >> card & 1]
        mask = as_mask(cards)
        if self.is_on_turn and any(play.mask == mask for play in session.view.legal_plays()):
            return
        with pytest.raises((IllegalPlayError, AmbiguousPlayError)):
            session.play(cards)
        assert whole(session) == before

    @rule()
    def undo(self) -> None:
        session, before = self.session, whole(self.session)
        assert session.can_undo == bool(session.undo()) == bool(self.choices)
        if not self.choices:
            assert whole(session) == before
            return
        history, view = self.choices.pop()
        self.undone += 1
        assert len(session.game.history) == history
        assert seen(session) == view

    @rule()
    def advise(self) -> None:
        session, before = self.session, whole(self.session)
        if not self.is_on_turn:
            with pytest.raises(ConfigError, match="not your turn"):
                session.advise()
            assert whole(session) == before
            return
        legal = list(session.view.legal_plays())
        assert all(advice.play in legal for advice in session.advise())
        self.hints += 1
        assert seen(session) == before[: len(seen(session))]

    @rule()
    def next_deal(self) -> None:
        seed, outcome = self.session.seed, self.session.game.outcome
        if outcome is not None and self.counts_now:
            self.paid.append(outcome.payoffs)
        self.session.next_deal()
        assert self.session.seed == seed + 1
        assert not self.session.game.history
        self.dealt, self.undone, self.hints, self.choices, self.counts_now = self.dealt + 1, 0, 0, [], True

    @rule()
    def record_and_resume(self) -> None:
        old = self.session
        line = records.dumps(old.record())
        self.session = resumed(records.loads(line), **self.options)
        assert records.dumps(self.session.record()) == line
        same = ("view", "game", "seed", "deck", "seat", "names", "opponents", "undone", "hints", "is_asked", "can_undo")
        for name in same:
            assert getattr(self.session, name) == getattr(old, name), name
        self.counts_now, self.paid, self.dealt = not old.is_over, [], 2
        # What was seen before is the same but for the score, which begins again.
        number = len(self.session.names)
        self.choices = [(history, (*view[:2], (0.0,) * number, 0, *view[4:])) for history, view in self.choices]

    @invariant()
    def scores_add_up(self) -> None:
        session, outcome = self.session, self.session.game.outcome
        paid = [*self.paid, *([outcome.payoffs] if outcome is not None and self.counts_now else [])]
        assert session.scores == pytest.approx([sum(each) for each in zip(*paid, strict=True)] or [0.0] * len(session.names))
        assert (session.deals, session.dealt) == (len(paid), self.dealt)
        assert (session.undone, session.hints) == (self.undone, self.hints)

    @invariant()
    def somebody_is_to_move_or_it_is_over(self) -> None:
        assert self.session.is_over == (self.session.game.outcome is not None)
        assert not self.session.is_asked or self.is_on_turn


TestAtTable = AtTable.TestCase
TestAtTable.settings = settings(max_examples=12, stateful_step_count=25)


@pytest.mark.long
class TestAtTableForLong(AtTable.TestCase):  # type: ignore[misc]
    """The same, many times over."""

    settings = settings(max_examples=250, stateful_step_count=50)
