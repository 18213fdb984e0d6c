"""The compiled engine plays as the reference engine does.

What is compared how often stands at the head of `big2_env/testing/differential.py`. Here: some random games of each of the
three rulesets below; `.ci/run` compares these and hundreds more by the same module's command.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from house_rules import TIERS, Quad, QuadSingle
from outside_patterns import OUTSIDE
from random_games import random_games
from random_rulesets import random_ruleset
from table_faults import FAULTS, tampered

from big2_env import (
    BIG2,
    HONG_KONG,
    CardsLeft,
    ConfigError,
    Doubling,
    Game,
    Lead,
    PassLock,
    Pattern,
    PatternRule,
    Rank,
    RuleSet,
    Shape,
    StepTable,
    When,
    ruleset,
)
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.climbing.order import CardOrder
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.runs import PointRuns
from big2_env.kernels import game_batch
from big2_env.kernels.dialect.loader import interpreted
from big2_env.kernels.observe import SEAT
from big2_env.testing.differential import DisagreementError, compare, compare_positions, random_positions, replay
from big2_env.testing.interpreted import InterpretedGame

RULES = {"big2": BIG2, "hong_kong": HONG_KONG, "outside": OUTSIDE}

AUTO = replace(HONG_KONG, auto_lead=True)
VARIANTS = {
    "auto_lead": AUTO,
    "trick": replace(BIG2, pass_lock=PassLock.TRICK),
    "hong_kong_trick": replace(HONG_KONG, pass_lock=PassLock.TRICK),
    "cards": BIG2.with_scoring("cards"),
    "winner": HONG_KONG.with_scoring("winner"),
    "cards_in_steps": BIG2.with_scoring(CardsLeft(((8, 2), (10, 3), (13, 4)))),
    "step_table": BIG2.with_scoring(StepTable(((2, 1), (6, 2.5), (13, 5)))),
    "any_lead": replace(BIG2, lead=Lead.ANY),
    "exact_lead": replace(BIG2, lead=Lead.EXACT, auto_lead=True),
    "suits_are_equal": replace(HONG_KONG, suits_compare=False),
    "other_order": replace(HONG_KONG, ranks=(*list(Rank)[3:13], *list(Rank)[:3])),
    "tiers": TIERS,
    "chu_da_di": ruleset("chu_da_di"),  # twos cost more, and each pays every other
    "bombs": BIG2.with_patterns(PatternRule(Quad(), bomb=1), PatternRule(QuadSingle(), bomb=2)),
    "extra_covers": replace(OUTSIDE, extra_covers=(("full_house", "straight"), ("straight", "full_house"))),
    "fewer": HONG_KONG.without_patterns("triple", "flush", "two_pair"),
    "singles": BIG2.without_patterns("pair", "straight", "full_house"),
    "final_single": replace(BIG2, top_single_final=True),
    "points": BIG2.with_scoring(
        CardsLeft(((8, 1.5),), ((Rank.KING, 10), (Rank.THREE, 0)), (Doubling(When.LEFT, rank=Rank.TWO),))
    ),
    "low_ace": BIG2.with_patterns(Straight(runs=PointRuns(wrap=1), low=Rank.ACE)),
    "hand_sizes": replace(BIG2, hand_sizes=((4, 11), (2, 20))),
}


@dataclass(frozen=True)
class OneTriple(Pattern):
    """Three cards of one rank, and one of another."""

    triple: Rank
    single: Rank
    zh = "三帶一"

    @property
    def name(self) -> str:  # type: ignore[override]
        """A name for each pair of ranks."""
        return f"{self.triple.name}_{self.single.name}".lower()

    def shapes(self, order: CardOrder) -> Iterator[Shape]:
        yield Shape.of({self.triple: 3, self.single: 1}, key=self.triple, key_suit=False)


MANY_PATTERNS = BIG2.with_patterns(
    *(PatternRule(OneTriple(one, other), "four") for one in BIG2.ranks[:9] for other in BIG2.ranks if other != one)
)
"""More patterns than a word has bits, in one comparison group."""


@pytest.mark.parametrize("games", [100, pytest.param(400, marks=pytest.mark.release)])
@pytest.mark.parametrize("name", RULES)
def test_engines__agree_on_random_games(name: str, games: int) -> None:
    done = compare(RULES[name], games)
    assert done.games == games
    assert 65 * games < done.decisions < 85 * games
    assert done.in_full > games // 3


@pytest.mark.parametrize("positions", [100, pytest.param(500, marks=pytest.mark.release)])
@pytest.mark.parametrize("name", RULES)
def test_engines__agree_on_what_follows_random_positions(name: str, positions: int) -> None:
    done = compare_positions(RULES[name], positions, seed=7)
    assert done.positions == positions <= done.in_full


@pytest.mark.parametrize("number", [30, pytest.param(60, marks=pytest.mark.release)])
@pytest.mark.parametrize("name", VARIANTS)
def test_engines__agree_under_every_parameter(name: str, number: int) -> None:
    rules = VARIANTS[name]
    done = compare(rules, number, every=32).plus(compare_positions(rules, number))
    assert (done.games, done.positions) == (number, number)


def test_observations__have_a_bit_for_each_of_many_patterns() -> None:
    names = [rule.pattern.name for rule in MANY_PATTERNS.patterns]
    layout, observe = ObservationLayout(MANY_PATTERNS), interpreted(MANY_PATTERNS).module("big2_env.kernels.observe").observe
    seen = set()
    for position in random_positions(MANY_PATTERNS, 60, seed=1):
        one, row = InterpretedGame(MANY_PATTERNS, position), [0] * layout.size
        observe(one.tables, one.game, position.turn, one.scratch, row)
        assert row == layout.encode(one.reference.view(position.turn)).tolist()
        seen.add(position.top and names.index(position.top.pattern) // 64)
    assert seen == {None, 0, 1}
    assert compare_positions(MANY_PATTERNS, 60, seed=1).positions == 60


@pytest.mark.parametrize("first", [0, 15, *(pytest.param(first, marks=pytest.mark.long) for first in (30, 45))])
def test_engines__agree_on_random_rulesets(first: int) -> None:
    for seed in range(first, first + 15):
        rules = random_ruleset(seed)
        compare(rules, 8, every=16)
        compare_positions(rules, 12, seed=seed)


def test_random_positions__bring_every_pattern_before_full_hands() -> None:
    positions = list(random_positions(HONG_KONG, 400, seed=1))
    on_table = {position.top.pattern for position in positions if position.top}
    assert on_table == {rule.pattern.name for rule in HONG_KONG.patterns}
    assert any(position.obligation for position in positions)
    full = [p for p in positions if p.top and p.hands[p.turn].bit_count() >= 11]
    assert len({p.top.pattern for p in full}) == 9
    for position in positions:
        assert Game.from_position(HONG_KONG, position).position == position


def test_compare__refuses_what_compares_nothing() -> None:
    for act in (compare, compare_positions):
        with pytest.raises(ConfigError, match=r"^expected every to be 1 or more decisions, got 0$"):
            act(HONG_KONG, 1, every=0)
    for players in (1, 9):  # the positions themselves are refused too
        with pytest.raises(ConfigError, match=rf"players, got {players}$"):
            next(random_positions(HONG_KONG, 1, 0, players))


@pytest.mark.parametrize("fault", FAULTS)
def test_compare__finds_a_fault_and_prints_code_that_shows_it(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change, what = FAULTS[fault]
    with monkeypatch.context() as patch:
        patch.setattr(game_batch, "compile_tables", tampered(change))
        with pytest.raises(DisagreementError) as found:
            compare(BIG2, 20, every=1)
        message = str(found.value)
        assert message.startswith(f"big2: {what}")
        assert "\n  reference: " in message
        assert "\n  compiled:  " in message
        code = message.partition("To reproduce it:\n")[2]
        with pytest.raises(DisagreementError) as again:
            exec(code, {})
        assert str(again.value) == message
    exec(code, {})  # without the fault the engines agree


def test_compare__finds_what_only_one_entry_of_the_observation_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    shifted = tampered(lambda t: t["window"].__setitem__(SEAT, t["window"][SEAT] + 1))
    monkeypatch.setattr(game_batch, "compile_tables", shifted)
    with pytest.raises(DisagreementError, match="the observation"):
        compare(BIG2, 3, every=1)


def test_disagreement__of_an_own_ruleset_prints_the_ruleset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_batch, "compile_tables", tampered(FAULTS["power"][0]))
    with pytest.raises(DisagreementError) as found:
        compare_positions(replace(HONG_KONG, name="mine"), 20)
    assert "replay(RuleSet(name='mine'" in str(found.value)
    assert "Position(hands=(" in str(found.value)
    assert str(pickle.loads(pickle.dumps(found.value))) == str(found.value)  # it has to cross processes


def test_replay__gives_the_game_and_refuses_what_is_not_legal() -> None:
    *_, game = random_games(AUTO, [5])
    space = BothIds(AUTO, 5)
    moves = [space.of(move.play) for move in game.history[1:]]
    assert replay(AUTO, 5, moves) == game
    with pytest.raises(ConfigError, match=r"after 0 moves: expected an action of \[0, .*\], got 2379"):
        replay(AUTO, 5, [2379])


class BothIds:
    """The ids of a game's plays, one after the other."""

    def __init__(self, rules: RuleSet, seed: int) -> None:
        from big2_env.climbing.actions import HandSlots

        self.space, self.game = HandSlots(rules), Game.deal(rules, seed)

    def of(self, play: Any) -> int:
        action = self.space.of_play(play, self.game.position.hands[self.game.turn])
        self.game.push(play)
        return action
