"""Large stakes: the reference rules count them exactly, environments and kernels refuse what float64 does not hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from big2_agents.rule_based.simple import LowestAgent
from big2_env import Card, ConfigError, Game, Rank, RuleSet, ruleset
from big2_env.agents.interface import play_out
from big2_env.climbing.auction import Bid, CallRob
from big2_env.climbing.outcome import check_exact, factors_of, payoff_range
from big2_env.climbing.position import lead_position
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.settlement import CapturedPoints, CardsLeft, PairwiseDifference, Standing, StepTable, TeamStake
from big2_env.envs.aec import raw_env
from big2_env.envs.seat import SeatEnv
from big2_env.envs.turn_engine import CompiledEngine, TurnEngine
from big2_env.envs.vector import BatchEnv
from big2_env.kernels.engine import BatchEngine
from big2_env.text.names import points

DOU, DOU_4P = ruleset("dou_dizhu"), ruleset("dou_dizhu_4p")
LARGE = [2**53 + 1, 2**60 + 7, 10**40 + 1]
REFUSED = "dou_dizhu.*: expected stakes whose payoffs float64 holds exactly, up to 2"


def ending(rules: RuleSet, stake: int, factor: int = 1) -> Game:
    """A game of three or four cards, the landlord to lead; nothing that may be played multiplies the stake."""
    hands = ["D[5] D[4]", *["C[3] H[3]", "S[6]", "S[7]"][: rules.default_players - 1]]
    masks = Game.from_hands(rules, hands).position.hands
    return Game.from_position(rules, lead_position(rules, masks, 0, stake, factor))


def finished(game: Game) -> tuple[float, ...]:
    return play_out(game, [LowestAgent()] * game.num_players).payoffs


@pytest.mark.parametrize("rules", [DOU, DOU_4P], ids=["3", "4"])
@pytest.mark.parametrize("stake", LARGE)
def test_payoffs__of_large_stakes__sum_to_zero(rules: RuleSet, stake: int) -> None:
    others = rules.default_players - 1
    for winner, unit in ((0, stake), (1, -stake)):
        hands = tuple(0 if seat == winner else 1 << seat for seat in range(others + 1))
        paid = TeamStake().payoffs(Standing(hands, (winner,), landlord=0, stake=stake))
        assert paid == (unit * others, *[-unit] * others)
        assert all(type(one) is int for one in paid)
        assert sum(paid) == 0


def test_payoffs__that_float64_holds__are_floats() -> None:
    paid = TeamStake().payoffs(Standing((0, 1, 2, 4), (0,), landlord=0, stake=2**51))
    assert list(map(repr, paid)) == ["6755399441055744.0", *["-2251799813685248.0"] * 3]


def test_game__of_a_large_stake__is_played_and_printed() -> None:
    rules = replace(DOU, spring=1, anti_spring=1)
    paid = finished(ending(rules, 2**60 + 7))
    assert sum(paid) == 0
    assert sorted(map(abs, paid)) == [2**60 + 7, 2**60 + 7, 2**61 + 14]
    assert sorted(points(one, signed=False).lstrip("-") for one in paid) == [
        "1152921504606846983",
        "1152921504606846983",
        "2305843009213693966",
    ]
    assert points(-(2**60 + 7)) == "-1152921504606846983"


def test_position__of_a_stake_that_is_no_number_to_print__is_refused() -> None:
    with pytest.raises(ConfigError, match=r"expected a stake that with its factor is below 2\*\*512"):
        ending(DOU, 10**150, 10**150)


@pytest.mark.parametrize("engine", [TurnEngine, pytest.param(CompiledEngine, marks=pytest.mark.long)])
@pytest.mark.parametrize("rules", [DOU, DOU_4P], ids=["3", "4"])
def test_engine__refuses_the_first_stake_that_float64_may_not_hold(engine: type[TurnEngine], rules: RuleSet) -> None:
    running = engine(rules)
    running.start(ending(rules, 1))
    kept = running.game
    fits = max(stake for stake in (2**power for power in range(64)) if _fits(rules, ending(rules, stake)))
    assert 2**30 < fits < 2**53
    assert [_fits(rules, ending(rules, fits // 8, factor)) for factor in (8, 16)] == [True, False]
    with pytest.raises(ConfigError, match=REFUSED):
        running.start(ending(rules, 2 * fits))
    assert running.game is kept
    running.start(ending(rules, fits))
    paid = finished(ending(rules, fits))
    while not running.is_over:
        _, mask = running.observe(running.turn)
        running.act(int(mask.nonzero()[0][0]))
    found = tuple(map(float, running.payoffs()))
    assert sum(found) == sum(paid) == 0
    assert set(map(abs, found)) == set(map(abs, paid))


def _fits(rules: RuleSet, game: Game) -> bool:
    try:
        check_exact(rules, rules.default_players, game.position)
    except ConfigError:
        return False
    return True


@pytest.mark.long
def test_both_engines__pay_the_same_at_the_largest_stake() -> None:
    rules = replace(DOU_4P, multipliers=(), spring=1, anti_spring=1)
    stake = 2**53 // 3
    paid = []
    for engine in (TurnEngine(rules), CompiledEngine(rules)):
        engine.start(ending(rules, stake))
        while not engine.is_over:
            _, mask = engine.observe(engine.turn)
            engine.act(int(mask.nonzero()[0][0]))
        paid.append(engine.payoffs())
    assert tuple(map(float, paid[0])) == tuple(map(float, paid[1]))
    assert sorted(map(abs, paid[0])) == [stake, stake, stake, 3 * stake]
    assert sum(paid[0]) == sum(paid[1]) == 0
    with pytest.raises(ConfigError, match=REFUSED):
        CompiledEngine(rules).start(ending(rules, stake + 1))


@pytest.mark.parametrize(
    "make",
    [
        lambda rules: raw_env(rules),
        lambda rules: raw_env(rules, engine="reference"),
        lambda rules: SeatEnv(ruleset=rules),
        lambda rules: BatchEnv(2, ruleset=rules),
        lambda rules: BatchEngine(rules, 1),
    ],
    ids=["aec", "aec reference", "seat", "vector", "kernels"],
)
@pytest.mark.parametrize("auction", [CallRob(stake=2**40), Bid(forced_stake=2**40)], ids=["call", "bid"])
def test_environment__of_stakes_that_float64_may_not_hold__is_refused(
    make: Callable[[RuleSet], object], auction: CallRob | Bid
) -> None:
    with pytest.raises(ConfigError, match=REFUSED) as caught:
        make(replace(DOU, auction=auction))
    assert str(caught.value).count("\n") == 0


def test_payoff_range__has_room_for_a_call_that_every_seat_has_robbed() -> None:
    rules = replace(DOU, multipliers=(), spring=1, anti_spring=1)
    game = Game.deal(rules, 0)
    while game.position.bidding:
        game.push(next(play for play in game.legal_plays() if not play.is_pass))
    paid = finished(game)
    assert max(map(abs, paid)) == 2 * 2**3
    low, high = payoff_range(rules, 3)
    assert low <= min(paid) < max(paid) <= high


def test_factors__of_bombs_are_those_of_their_sizes() -> None:
    rows = [row for row in DOU_4P.table.rows if row.pattern == "bomb"]
    assert {row.shape.size: factors_of(DOU_4P, row)[0] for row in rows} == {4: 1, 5: 1, 6: 2, 7: 2, 8: 3}


def test_shipped_rulesets__are_exact() -> None:
    for rules in available_rulesets().values():
        for players in range(rules.min_players, rules.max_players + 1):
            check_exact(rules, players)


@pytest.mark.parametrize(
    "make",
    [
        lambda: CardsLeft(((8, 1e17),)),
        lambda: StepTable(((1, 2**60),)),
        lambda: PairwiseDifference(bonuses=((Card(51), -1e300),)),
        lambda: CapturedPoints(((Rank.TWO, 10**400),)),
    ],
    ids=["cards", "steps", "bonuses", "points"],
)
def test_settlement__of_amounts_that_add_up_inexactly__is_refused(make: Callable[[], object]) -> None:
    with pytest.raises(ConfigError, match=r"expected amounts up to 1,000,000,000, got "):
        make()
