"""Endings solved for what they pay: the search, compiled or not, against minimax by the reference engine; lines that pay it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from big2_env import (
    CapturedPoints,
    CardsLeft,
    ConfigError,
    Doubling,
    Game,
    LastCard,
    PassLock,
    Rank,
    RuleSet,
    When,
    available_rulesets,
    ruleset,
)
from big2_env.base.cards import Card, as_mask, parse_cards
from big2_env.base.rng import SplitMix64
from big2_env.climbing.parts import Refill, RefillOrder
from big2_env.climbing.position import Position
from big2_env.climbing.settlement import Settlement, Standing
from big2_env.solve import Goal, Solver, Verdict, solve

WU, QI = ruleset("wu_gua_pi"), ruleset("qi_gui_523")
DOUBLINGS = (
    *(Doubling(When.LEFT, rank=rank) for rank in (Rank.TWO, Rank.ACE)),
    Doubling(When.LEFT, rank=Rank.KING, once=True, factor=3),
    Doubling(When.LEFT, card=Card("S[3]")),
    Doubling(When.LEFT, pattern="pair"),
    Doubling(When.LAST, pattern="pair"),
    Doubling(When.LAST, rank=Rank.TWO),
)
CASES = [
    *[(rules, None) for rules in available_rulesets().values()],
    (WU, 3),
    (QI, 4),
    (ruleset("pusoy_dos"), 3),
    (ruleset("taiwan").with_scoring(CardsLeft(((2, 3),), ((Rank.KING, 10),), doublings=DOUBLINGS)), None),
    *[(replace(ruleset("big2"), last_card=LastCard.HIGHEST, pass_lock=lock), None) for lock in PassLock],
    (replace(ruleset("three_two_one"), last_card=LastCard.HIGHEST), None),
    (replace(WU, scoring=CapturedPoints()), 3),
    (replace(WU, scoring=CardsLeft(), refill=Refill.AFTER_PLAY), 3),
    (replace(QI, scoring=CapturedPoints(), refill_order=RefillOrder.ROUND_ROBIN), 2),
]


def value(game: Game, team: tuple[int, ...], known: dict[Position, float]) -> float:
    """What a team is paid where it and all others together play best: every act tried, by the reference engine."""
    outcome = game.outcome
    if outcome is not None:
        return sum(outcome.payoffs[seat] for seat in team)
    key = game.position._replace(played=())
    if key not in known:
        found = []
        for play in game.legal_plays():
            game.push(play)
            found.append(value(game, team, known))
            game.undo()
        known[key] = max(found) if game.turn in team else min(found)
    return known[key]


def late_position(rules: RuleSet, players: int | None, cards: int, rng: SplitMix64) -> Game:
    """A position of random play in which at most so many cards are held or to be drawn; in some a seat is out."""
    while True:
        game = Game.deal(rules, rng.below(1 << 62), players)
        while not game.is_over:
            position = game.position
            left = sum(hand.bit_count() for hand in position.hands) + len(position.pile)
            if not position.bidding and left <= cards and not rng.below(3):
                return Game.from_position(rules, position)
            moves = list(game.legal_plays())
            game.push(moves[rng.below(len(moves))])


@pytest.mark.parametrize(("rules", "players"), CASES)
def test_settlement__is_what_minimax_finds_for_every_seat(rules: RuleSet, players: int | None) -> None:
    rng, values = SplitMix64(3), set()
    for _ in range(3):
        game = late_position(rules, players, 7, rng)
        for seat in range(game.num_players):
            plain, compiled, both = (Solver(game, seat, goal=Goal.SETTLEMENT, plain_positions=most) for most in (10**6, 0, 9))
            found, other, third = plain.solve(), compiled.solve(), both.solve()
            assert found.payoff == pytest.approx(value(game.copy(), plain.team, {}))
            assert found.payoff is not None
            assert (found.verdict is Verdict.FORCED) is (found.payoff > 0) is plain.gains()
            assert (found.line, found.payoff) == (other.line, other.payoff) == (third.line, third.payoff)
            assert found.positions == other.positions == third.positions
            played = game.copy()
            for move in found.line:
                played.play(move.play)
            outcome = played.outcome
            assert outcome is not None
            assert sum(outcome.payoffs[one] for one in plain.team) == pytest.approx(found.payoff)
            values.add(found.payoff)
    assert len(values) > 1


def test_first_out__is_not_what_pays_where_only_the_last_one_pays() -> None:
    game = Game.from_hands(WU, ["D[6]", "S[7] S[8]", "D[7]"])
    assert [solve(game, seat).verdict for seat in range(3)] == [Verdict.FORCED, Verdict.NOT_FORCED, Verdict.NOT_FORCED]
    found = [solve(game, seat, goal=Goal.SETTLEMENT) for seat in range(3)]
    assert [(one.goal, one.payoff) for one in found] == [(Goal.SETTLEMENT, payoff) for payoff in (1.0, 1.0, -2.0)]
    game.play("D[6]")
    with pytest.raises(ConfigError, match=r"got seats \[0\] out \(the goal settlement takes it\)"):
        solve(game)
    assert solve(game, 2, goal=Goal.SETTLEMENT).payoff == -2.0


def test_draw_pile__decides_who_is_first_out() -> None:
    rules = replace(WU, hand_size=2)
    hands = as_mask("C[7] H[J]"), as_mask("H[10] C[A]")
    for pile, verdict in (("S[5] D[3]", Verdict.FORCED), ("D[3] S[5]", Verdict.NOT_FORCED)):
        game = Game.from_position(rules, Position(hands, turn=0, pile=tuple(parse_cards(pile))))
        for most in (10**6, 0):
            assert solve(game, plain_positions=most).verdict is verdict


class Nothing(Settlement):
    """A settlement of somebody's own."""

    def payoffs(self, standing: Standing) -> tuple[float, ...]:
        return (0.0,) * len(standing.hands)


def test_refusals__of_a_settlement_that_the_solver_does_not_know() -> None:
    game = Game.from_hands(replace(WU, scoring=Nothing()), ["C[6]", "C[7]"])
    with pytest.raises(ConfigError, match="the solver expects a settlement that it knows, got Nothing"):
        solve(game, goal=Goal.SETTLEMENT)
