"""Values of moves: against whom, on which deals, with which intervals, and what they never depend on."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hidden_cards import exchanged, reshuffled

from big2_agents.advise import advise
from big2_agents.learned import evaluator
from big2_agents.learned.agent import LearnedAgent
from big2_agents.learned.evaluator import (
    DEALS,
    FINALISTS,
    GLANCES,
    LOOK_WORK,
    LOOKS,
    VALUE_WORK,
    Evaluator,
    interval_of,
)
from big2_agents.models import shipped_weights
from big2_agents.review.analysis import review
from big2_env import BIG2, Game
from big2_env.agents.advice import Advice, advice_of
from big2_env.agents.interface import make_agent, play_out, reset_seats
from big2_env.agents.seeds import agent_seed
from big2_env.climbing.play import Play
from big2_env.climbing.rulesets import ruleset
from big2_env.climbing.view import View
from big2_env.tables.session.table_session import TableSession


class Paid:
    """Playouts that pay the mover what a test says, by action, plus noise that is the same for all moves of a deal."""

    cost = 0
    """Work of the network in a playout."""

    def __init__(self, means: dict[int, float]) -> None:
        self.means, self.noise, self.asked = means, random.Random(4), []

    @property
    def work(self) -> int:
        return self.cost * sum(len(actions) * deals for actions, deals in self.asked)

    def more(self, actions: Sequence[int], deals: int) -> np.ndarray:
        self.asked.append((list(actions), deals))
        shared = np.array([self.noise.gauss(0, 3) for _ in range(deals)])
        own = np.array([[self.noise.gauss(0, 0.2) for _ in range(deals)] for _ in actions])
        paid = shared + own + np.array([[self.means.get(action, 0.0)] for action in actions])
        return np.multiply.outer(paid, np.arange(4) == opening().turn)


def opening() -> Game:
    """A lead with all moves of a hand."""
    return Game.from_position(BIG2, Game.deal(BIG2, 5).position._replace(obligation=0))


class Lucky(Paid):
    """The second move pays more on the first deals, and no more than the first one on later ones."""

    def more(self, actions: Sequence[int], deals: int) -> np.ndarray:
        is_first = sum(deals for _, deals in self.asked) < DEALS
        paid, second = super().more(actions, deals), list(self.means)[1]
        if second in actions:
            paid[list(actions).index(second), :, opening().turn] += [self.noise.gauss(0.5 * is_first, 3) for _ in range(deals)]
        return paid


def judged(
    monkeypatch: pytest.MonkeyPatch, means: Sequence[float], also: Sequence[Play] = (), pays: type[Paid] = Paid
) -> tuple[list[Advice], Paid]:
    """Return advice on the plays of a hand in their own order, with payoffs by place."""
    game = opening()
    view, legal = game.view(), game.legal_plays()
    plays = list(legal)
    asked = Evaluator(BIG2, 4, shipped_weights(BIG2, 4))
    ids = [evaluator.action_space(BIG2).of_play(play, view.hand) for play in plays]
    paid = pays(dict(zip(ids, means, strict=False)))
    monkeypatch.setattr(Evaluator, "has_values", property(lambda self: True))
    monkeypatch.setattr(Evaluator, "_open", lambda self, view, seed: paid)
    ordered = [Advice(play, score=-float(number)) for number, play in enumerate(plays)]
    return asked.judge(view, legal, ordered, 1, also), paid


def test_judge__overrules_the_first_candidate_only_for_certain(monkeypatch: pytest.MonkeyPatch) -> None:
    plays = list(opening().legal_plays())
    found, _ = judged(monkeypatch, [0.0, 0.0, 2.0])
    assert found[0].play == plays[2]
    assert found[0].behind is None
    for one in found[1:FINALISTS]:
        assert one.behind is not None
        assert one.behind[0] < 2.0 < one.behind[1]
        assert one.interval is not None
        assert one.interval[1] - one.interval[0] > 3 * (one.behind[1] - one.behind[0])  # noise that all moves share cancels
    found, paid = judged(monkeypatch, [0.0, 0.0, 0.001])
    assert found[0].play == plays[0]
    assert [deals for _, deals in paid.asked][2:-1] == [
        (LOOKS[1][0] - 1) * DEALS,
        (LOOKS[2][0] - LOOKS[1][0]) * DEALS,
    ]  # until the last look
    assert [one.value is not None for one in found].count(True) == FINALISTS


def test_judge__takes_fewer_deals_in_longer_games(monkeypatch: pytest.MonkeyPatch) -> None:
    means, values = [0.0, 0.0, 0.001], []
    for cost in (0, 100, 300, 600):
        found, paid = judged(monkeypatch, means, pays=type("Costly", (Paid,), {"cost": cost}))
        values.append(found[0].playouts)
        assert paid.asked[-1][1] == found[0].playouts == found[0].basis.deals
        assert paid.work <= VALUE_WORK + LOOK_WORK
        assert sum(deals for _, deals in paid.asked[1:-1]) > found[0].playouts - GLANCES  # some are left for a second look
    assert values[0] == values[1] == DEALS > values[2] > values[3] >= GLANCES


def test_judge__compares_two_rivals_on_more_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    plays = list(opening().legal_plays())
    found, paid = judged(monkeypatch, [0.0, 0.0, 0.08, -1.0], pays=Lucky)
    assert [len(actions) for actions, _ in paid.asked] == [8, 4, 3, 4]
    assert found[0].play == plays[2]


def test_judge__gives_a_move_that_was_made_a_value_and_changes_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    plays = list(opening().legal_plays())
    without, _ = judged(monkeypatch, [1.0])
    with_last, paid = judged(monkeypatch, [1.0], [plays[-1]])
    made = next(one for one in with_last if one.play == plays[-1])
    assert made.value is not None
    assert made.behind is not None
    assert made.behind[0] > 0
    assert with_last[0].play == without[0].play
    assert {one.playouts for one in with_last if one.value is not None} == {DEALS}
    assert made.stakes == pytest.approx(3 / 2, rel=0.2)  # over all seats, three of which are paid nothing
    assert paid.asked[-1][1] == DEALS  # values come from deals that had no part in the choice


def test_interval__contains_the_mean_as_often_as_it_says() -> None:
    draw, hits, tries = random.Random(1), 0, 2000
    for _ in range(tries):
        chance = draw.choice([0.02, 0.2, 0.5, 0.9])
        low, high = interval_of([float(draw.random() < chance) for _ in range(DEALS)], 0.5)
        hits += low <= chance <= high
    assert 0.93 < hits / tries < 0.985


def test_seats__are_held_by_the_players_at_the_table_or_by_a_named_substitute() -> None:
    path = shipped_weights(BIG2, 4)
    made = Evaluator(BIG2, 4, path)
    made.seat_players(["greedy", None, "search:20", "heuristic:first"])
    assert made._seated == (("greedy", "learned", "learned", "heuristic:first"), (1, 2))
    made.seat_players(["learned", "nobody", "random", "lowest"])
    assert made._seated == (("learned", "learned", "random", "lowest"), (1,))
    made.seat_players(())
    assert made._seated[1] == (0, 1, 2, 3)
    assert Evaluator(BIG2, 4, None)._seated[0] == ("heuristic",) * 4


def test_seats__are_asked_for_again_after_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    made = Evaluator(BIG2, 4, None)

    def interrupt(name: str, rules: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(evaluator, "_player", interrupt)
        with pytest.raises(KeyboardInterrupt):
            made.seat_players(["greedy"] * 4)
    made.seat_players(["greedy"] * 4)
    assert made._seated[0] == ("greedy",) * 4


@pytest.fixture(scope="module")
def coach() -> LearnedAgent:
    agent = LearnedAgent()
    agent.prepare(Game.deal(BIG2, 0).view())
    return agent


def moments(number: int) -> list[Game]:
    """Positions with a choice in games of mixed players."""
    found: list[Game] = []
    seed = 0
    while len(found) < number:
        game, seed = Game.deal(BIG2, seed), seed + 1
        agents = [make_agent(name) for name in ("greedy", "heuristic", "random", "greedy")]
        reset_seats(agents, game)
        while not game.is_over and len(found) < number:
            if len(game.legal_plays()) > 1 and len(game.history) % 7 == seed % 7:
                found.append(game.copy())
            game.push(agents[game.turn].act(game.view(), game.legal_plays()))
    return found


def advised(coach: LearnedAgent, view: View, players: Sequence[str | None]) -> list[Advice]:
    coach.reset(agent_seed(view))
    return advice_of(coach, view, view.legal_plays(), players)


@pytest.mark.long
def test_advice__does_not_depend_on_hidden_cards(coach: LearnedAgent) -> None:
    for game in moments(6):
        view = game.view()
        other = exchanged(game, view.seat, 3)
        assert other is not None
        assert advised(coach, other.view(view.seat), ["greedy"] * 4) == advised(coach, view, ["greedy"] * 4)


@pytest.mark.long
def test_advice__depends_on_the_players_at_the_table(coach: LearnedAgent) -> None:
    differing = 0
    for game in moments(8):
        view = game.view()
        weak, strong = (advised(coach, view, [name] * 4) for name in ("greedy", "learned"))
        assert {one.basis.players for one in weak if one.basis is not None} <= {("greedy",) * 4}
        differing += any(one.value != other.value for one, other in zip(weak, strong, strict=True))
        coach.seat_players(["greedy"] * 4)
        assert advise(view, coach) == weak  # an agent object stays at its table
    assert differing


@pytest.mark.long
def test_review__never_blames_a_move_that_was_advised(coach: LearnedAgent) -> None:
    for seed in range(3):
        session = TableSession(ruleset("big2"), ["greedy", "heuristic", "greedy"], seed=seed)
        while not session.is_over:
            if session.is_asked:
                session.game.push(session.advise()[0].play)
            else:
                session.advance()
        found = review(session.game, coach, "learned", seats=[0], players=session.specs(), has_prospects=False)
        losses = [one.loss for one in found.decisions if one is not None]
        assert losses
        assert set(losses) <= {0.0}


@pytest.mark.long
def test_values__are_those_of_games_that_are_dealt_again(coach: LearnedAgent) -> None:
    agents = {0: make_agent("learned"), 1: make_agent("greedy")}
    for game in moments(3):
        view = game.view()
        found = [one for one in advised(coach, view, ["greedy"] * 4) if one.value is not None]
        for one in found[:2]:
            paid = []
            for number in range(100):
                deal = Game.from_position(BIG2, reshuffled(game.position, view.seat, number))
                deal.push(one.play)
                players = [agents[int(seat != view.seat)] for seat in range(4)]
                play_out(deal, players)
                assert deal.outcome is not None
                paid.append(deal.outcome.payoffs[view.seat])
            assert one.interval is not None
            low, high = interval_of(paid, 0.6)
            assert low < one.interval[1]
            assert one.interval[0] < high
