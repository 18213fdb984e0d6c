"""What compiles and what is refused, and that no list and no row is ever overrun."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np
import pytest
from house_rules import BOMBS, DRAWING, LAST_OUT, LOCKED, ODD_CARD, TWO_DECKS, JokerPair
from outside_patterns import OUTSIDE
from random_rulesets import named

from big2_env import (
    BIG2,
    HONG_KONG,
    CardSet,
    ConfigError,
    FinishingOrder,
    Game,
    Kickers,
    Lead,
    LegalPlays,
    PassLock,
    PatternRule,
    Rank,
    RuleSet,
    Settlement,
    Shape,
    Suits,
    available_patterns,
)
from big2_env.base.errors import warn_once
from big2_env.base.rng import SplitMix64
from big2_env.climbing.actions import HandSlots
from big2_env.climbing.patterns.straight import Straight
from big2_env.kernels.batch import NO_RESET
from big2_env.kernels.compile import compile_tables, only_readable
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.tables import LARGE, MAX_TIERS, SLACK, USUAL
from big2_env.kernels.variants import variant_of
from big2_env.testing.differential import compare, compare_positions
from big2_env.testing.interpreted import replay_interpreted

RANKS = list(Rank)[:13]


def with_shapes(name: str, shapes: Iterable[Shape], **place: Any) -> RuleSet:
    """BIG2 with one more pattern of these shapes."""
    return BIG2.with_patterns(PatternRule(named(name)(tuple(shapes)), **place))


def sets(*sizes: int) -> list[Shape]:
    """A shape for each choice of so many ranks, where BIG2 has none."""
    runs = {shape.counts for shape in BIG2.pattern("straight").shapes(BIG2.order)}
    shapes = [Shape.of(ranks, key=ranks[-1]) for size in sizes for ranks in combinations(RANKS, size)]
    return [shape for shape in shapes if shape.counts not in runs]


def doubled(*sizes: int) -> list[Shape]:
    """A shape for each choice of so many ranks, one of them twice."""
    chosen = [(ranks, twice) for size in sizes for ranks in combinations(RANKS, size) for twice in ranks]
    return [Shape.of([*ranks, twice], key=twice) for ranks, twice in chosen]


def carrying(number: int) -> list[Shape]:
    """Three of each rank with any cards of other ranks."""
    limits = {rank: tuple(4 * (other is not rank and other in RANKS) for other in Rank) for rank in RANKS}
    return [Shape.of({rank: 3}, key=rank, key_suit=False, kickers=Kickers(number, limits[rank])) for rank in RANKS]


def groups(number: int) -> RuleSet:
    """BIG2 with more patterns until there are so many comparison groups."""
    shapes = sets(6)[: number - 4]
    return BIG2.with_patterns(*(named(f"group_{i}")((shape,)) for i, shape in enumerate(shapes)))


def suited(number: int) -> RuleSet:
    """BIG2 with one-suited shapes of so many sizes."""
    shapes = [Shape.of(RANKS[:size], key=RANKS[0], suits=Suits.SAME) for size in range(6, 6 + number)]
    return with_shapes("suited", shapes)


def tiered(number: int) -> RuleSet:
    """BIG2 with straights and full houses in one group, so many tiers apart."""
    rules = {rule.pattern.name: replace(rule, group="five") for rule in BIG2.patterns if rule.pattern.name != "full_house"}
    top = PatternRule(BIG2.pattern("full_house"), "five", number - 1)
    return replace(BIG2, patterns=(*rules.values(), top))


def empty_patterns(number: int) -> RuleSet:
    """BIG2 with patterns of no shapes, so many in all."""
    return BIG2.with_patterns(*(named(f"empty_{i}")(()) for i in range(number - 4)))


def ladders(number: int) -> RuleSet:
    """BIG2 with one more pattern in tiers of its own, until there are so many."""
    shapes = sets(6)[: number - 4]
    rules = (PatternRule(named(f"tier_{i}")((shape,)), f"more_{i // 200}", i % 200) for i, shape in enumerate(shapes))
    return BIG2.with_patterns(*rules)


class Nothing(Settlement):
    """Nobody pays."""

    def payoffs(self, standing: Any) -> tuple[float, ...]:
        return (0.0,) * len(standing.hands)

    def __repr__(self) -> str:
        return "Nothing()"


two_triples = [Shape.of({a: 3, b: 3}, key=b) for a, b in combinations(RANKS, 2)]

REFUSED: dict[str, tuple[Callable[[], RuleSet], str]] = {
    "two decks": (lambda: TWO_DECKS, "two_decks cannot be compiled: it has .*two decks with suits"),
    "own settlement": (lambda: replace(BIG2, scoring=Nothing()), r"big2 cannot be compiled: it has the settlement Nothing\(\)"),
    "shapes": (lambda: with_shapes("sets", [*sets(5, 6, 7), *doubled(6, 7)]), r"\d+ shapes \(limit 16384\)"),
    "kickers": (lambda: with_shapes("five_more", carrying(5)), r"it has kickers with suits that are more than 16384 shapes"),
    "patterns": (lambda: empty_patterns(8_000), r"\d+ entries of an observation \(limit \d+\)"),
    "tiers": (lambda: tiered(MAX_TIERS + 1), r"257 tiers \(limit 256\)"),
    "ladders": (lambda: ladders(LARGE.ladders + 1), r"513 ladders of shapes \(limit 512\)"),
    "groups": (lambda: groups(LARGE.categories + 1), r"129 comparison groups \(limit 128\)"),
    "long hands": (
        lambda: replace(BIG2, hand_size=26, min_players=2, max_players=2),
        r"hands of 26 cards with suits \(limit 20\)",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_compile__says_what_the_kernels_do_not_serve_in_one_line(case: str) -> None:
    build, says = REFUSED[case]
    rules = build()
    with pytest.raises(ConfigError, match=says) as caught:
        compile_tables(rules)
    assert "\n" not in str(caught.value)
    game = Game.deal(rules, 1, rules.default_players)  # which the reference engine plays all the same
    game.push(next(iter(game.legal_plays())))


@pytest.mark.long
@pytest.mark.parametrize(
    ("case", "dtype"),
    [
        ("own settlement", "int8"),
        ("own settlement", "float32"),
        ("own settlement", "uint8"),
        ("kickers", "int8"),
        ("two decks", "int8"),
    ],
)
def test_batch__of_rules_that_do_not_compile_plays_by_the_readable_rules(case: str, dtype: str) -> None:
    build, says = REFUSED[case]
    rules = build()
    warn_once.cache_clear()
    only_readable.cache_clear()
    with pytest.warns(UserWarning, match=says) as warned:
        engine = BatchEngine(rules, 3, dtype=dtype, masks="bits", agent_seed=5)
    BatchEngine(rules, 2)
    assert len(warned) == 1
    engine.reset(seed=4)
    games, space = [Game.deal(rules, int(seed)) for seed in engine.deal_seeds], HandSlots(rules)
    for step in range(6):
        assert [engine.game(row).position for row in range(3)] == [game.position for game in games]
        counts, ids = engine.legal_ids()
        for row, game in enumerate(games):
            listed = ids[row][: counts[row]].tolist()
            assert listed == space.ids(game.legal_plays())
            mask = np.unpackbits(engine.mask[row], bitorder="little")[: engine.num_actions]
            assert np.flatnonzero(mask).tolist() == sorted(listed)
            seen = engine.layout.encode(game.view(), np.empty(engine.layout.size, np.int8 if dtype == "uint8" else dtype))
            shown = engine.observation[row]
            shown = np.unpackbits(shown, bitorder="little")[: len(seen)] if dtype == "uint8" else shown
            assert (shown == seen).all()
        actions = np.array([ids[row][(step * 7) % counts[row]] for row in range(3)], np.int64)
        for game, action in zip(games, actions.tolist(), strict=True):
            game.push(space.verify(action, game.legal_plays()))
        engine.step(actions, NO_RESET)
        assert engine.games.steps.tolist() == [len(game.history) for game in games]
    assert not engine.are_legal(engine.num_actions).any()


LIMITS: dict[str, Callable[[], RuleSet]] = {
    "shapes": lambda: with_shapes("sets", sets(5, 6, 7)[: USUAL.rows - len(BIG2.table.rows)]),
    "two readings of one pattern": lambda: with_shapes(
        "sixes", [*two_triples, *(replace(shape, key=Rank(shape.counts.index(3))) for shape in two_triples)]
    ),
    "two readings of two patterns": lambda: with_shapes(
        "runs", [replace(shape, suits=Suits.SAME) for shape in Straight().shapes(BIG2.order)], bomb=1
    ),
    "two readings of a whole game": lambda: LOCKED,
    "two readings of pairs": lambda: with_shapes(
        "twins", [Shape.of({rank: 2}, key=rank, key_suit=False) for rank in RANKS], bomb=1
    ),
    "two readings of the forced lead": lambda: replace(
        with_shapes("ones", [Shape.of({rank: 1}, key=rank) for rank in RANKS], bomb=1), lead=Lead.EXACT, auto_lead=True
    ),
    "kickers": lambda: with_shapes("one_more", carrying(1)),
    "patterns": lambda: empty_patterns(1_024),
    "tiers": lambda: tiered(MAX_TIERS),
    "ladders": lambda: ladders(USUAL.ladders),
    "groups": lambda: groups(USUAL.categories),
    "suited sizes": lambda: suited(USUAL.suited),
    "trick lock": lambda: replace(BIG2, pass_lock=PassLock.TRICK),
    "jokers and bombs in long hands": lambda: BOMBS,
    "draw pile": lambda: DRAWING,
    "round lock": lambda: replace(BIG2, pass_lock=PassLock.ROUND),
    "last holder": lambda: LAST_OUT,
    "finishing order": lambda: replace(BIG2, scoring=FinishingOrder()),
    # Shapes that no hand can hold are patterns all the same; they must not be taken for others.
    "jokers": lambda: BIG2.with_patterns(JokerPair()),
    "five of a rank": lambda: with_shapes("five", [Shape.of({rank: 5}, key=rank) for rank in RANKS]),
    "fourteen cards": lambda: with_shapes(
        "fourteen", [Shape.of({RANKS[0]: 4, RANKS[1]: 4, RANKS[2]: 4, RANKS[3]: 2}, key=RANKS[3])]
    ),
}
"""Functions, for some rulesets take a second to build, which no worker needs that only collects the tests."""


LARGE_LIMITS: dict[str, Callable[[], RuleSet]] = {
    "shapes": lambda: with_shapes("sets", sets(5, 6, 7, 8, 9, 10, 11, 12, 13)),
    "every pattern of the package": lambda: BIG2.with_patterns(*available_patterns()),
    "ladders": lambda: ladders(LARGE.ladders),
    "groups": lambda: groups(LARGE.categories),
    "suited sizes": lambda: suited(USUAL.suited + 2),
    "actions": lambda: replace(ODD_CARD, name="long").with_patterns(named("sevens")((Shape.of(RANKS[:7], key=RANKS[6]),))),
}


@pytest.mark.long
@pytest.mark.parametrize("case", LARGE_LIMITS)
def test_compile__serves_many_patterns_with_larger_tables(case: str) -> None:
    rules = LARGE_LIMITS[case]()
    assert variant_of(rules).is_large
    game, rng, moves, space = Game.deal(rules, 3), SplitMix64(3), list[int](), HandSlots(rules)
    while not game.is_over and len(moves) < 40:
        ids = space.ids(game.legal_plays())
        moves.append(ids[rng.below(len(ids))])
        game.push(space.verify(moves[-1], game.legal_plays()))
    assert replay_interpreted(rules, 3, moves).moves == moves


@pytest.mark.long  # such tables are compiled code of their own
def test_engines__agree_with_every_pattern_of_the_package() -> None:
    rules = LARGE_LIMITS["every pattern of the package"]()
    done = compare(rules, 20, every=16).plus(compare_positions(rules, 60))
    assert (done.games, done.positions) == (20, 60)


@pytest.mark.parametrize("case", LIMITS)
def test_compile__serves_rulesets_up_to_the_bounds(case: str) -> None:
    rules = LIMITS[case]()
    done = compare(rules, 4, every=16).plus(compare_positions(rules, 12))
    assert (done.games, done.positions) == (4, 12)


# Buffers.


def leading(engine: BatchEngine, hands: list[int]) -> np.ndarray:
    """How many legal acts a seat has that leads with each of these hands, masks of places."""
    games = engine._games
    games.hands[:] = 1 << 51  # the other seats hold something
    games.hands[:, 0] = hands
    games.turn = games.obligation = games.top = games.passed = 0
    games.top_category = games.top_power = games.top_pattern = games.top_seat = games.winner = -1
    engine._has_lists = False
    return engine.legal_ids()[0].copy()


def longest(rules: RuleSet) -> tuple[int, int]:
    """The hand with the longest list of moves that a climb finds, and the length: some cards are changed while that helps."""
    rng = SplitMix64(1)
    engine = BatchEngine(rules, 512)
    runs = [sum(((1 << n) - 1) << 4 * (3 + i) for i, n in enumerate(counts)) for counts in set(product((2, 3), repeat=5))]
    best = max((hand for hand in runs if hand.bit_count() == 13), key=lambda hand: leading(engine, [hand] * 512)[0])
    length = int(leading(engine, [best] * 512)[0])
    misses = 0
    while misses < 12:
        hands = []
        for _ in range(512):
            hand = best
            for _ in range(1 + rng.below(3)):
                held, free = [b for b in range(52) if hand >> b & 1], [b for b in range(52) if not hand >> b & 1]
                hand ^= 1 << held[rng.below(13)] | 1 << free[rng.below(39)]
            hands.append(hand)
        counts = leading(engine, hands)
        misses = 0 if counts.max() > length else misses + 1
        if counts.max() >= length:
            best, length = hands[int(counts.argmax())], int(counts.max())
    return best, length


@pytest.mark.parametrize(("rules", "at_least"), [(BIG2, 175), (OUTSIDE, 295), (HONG_KONG, 298)], ids=["big2", "outside", "hk"])
def test_legal_ids__of_the_fullest_hands_are_all_there(rules: RuleSet, at_least: int) -> None:
    places, length = longest(rules)
    hand = sum(1 << rules.order.cards[place] for place in range(52) if places >> place & 1)
    legal = LegalPlays(rules, hand, None)
    engine = BatchEngine(rules, 1)
    assert leading(engine, [places])[0] == len(legal) == length >= at_least
    counts, ids = engine.legal_ids(capacity=length)
    assert sorted(ids[0].tolist()) == sorted(HandSlots(rules).ids(legal))
    for capacity in (1, length - 1):
        with pytest.raises(ConfigError, match=rf"expected at most {capacity} legal actions \(the capacity\), got {length}"):
            engine.legal_ids(capacity=capacity)
    for capacity in (0, -1):
        with pytest.raises(ConfigError, match=f"expected a capacity of 1 or more, got {capacity}"):
            engine.legal_ids(capacity=capacity)
    assert counts.tolist() == [length]


def test_legal_ids__reach_the_bound_that_no_hand_can_pass() -> None:
    """Four threes, fours and fives and a six, under rules by which any cards of those ranks may be played."""
    shapes = []
    for counts in product(range(5), range(5), range(5), range(2)):
        ranks = {rank: count for rank, count in zip(RANKS, counts, strict=False) if count}
        if sum(counts) > 1:
            shapes.append(Shape.of(ranks, key=max(ranks)))
    anything = replace(BIG2.without_patterns("pair", "straight", "full_house"), name="anything").with_patterns(
        PatternRule(named("anything")(tuple(shapes)), bomb=1)
    )
    engine = BatchEngine(anything, 2)
    assert engine.num_actions == 1 << 13
    scratch: Any = engine._scratch[0]
    scratch["deck"], scratch["ids"] = 77, -7
    assert leading(engine, [(1 << 13) - 1] * 2).tolist() == [8_191] * 2
    assert (scratch["deck"] == 77).all()  # what lies behind the list
    assert (scratch["ids"][8_191 + SLACK :] == -7).all()
    engine._has_lists = False
    counts, ids = engine.legal_ids()
    assert [sorted(row[:count]) for row, count in zip(ids.tolist(), counts, strict=True)] == [list(range(1, 8_192))] * 2
    assert engine.are_legal(8_191).all()
    hand = CardSet(range(13)).mask
    top = anything.play("S[2]")
    follow = LegalPlays(anything, hand, top)
    assert len(follow) == 8_191 - 13 + 1  # all but the singles, and the pass
    position = Game.deal(anything, 1).position._replace(
        hands=(hand, 1 << 20, 1 << 21, 1 << 22), turn=0, top=top, top_seat=1, obligation=0, played=(0, top.mask, 0, 0)
    )
    engine.set_position(0, position)
    engine.show()
    assert engine.legal_ids()[0][0] == len(follow) == engine.mask[0].sum()
    assert (scratch["deck"] == 77).all()


def test_memory__of_a_game_in_a_batch_is_under_4_kilobytes() -> None:
    def bytes_of_game(engine: BatchEngine) -> float:
        ids = engine.legal_ids()[1]
        return engine.games.itemsize + (engine.observation.nbytes + engine.mask.nbytes + ids.nbytes) / engine.num_games

    for rules, dtype in [(BIG2, np.int8), (BIG2, np.float32), (OUTSIDE, np.int8), (HONG_KONG, np.int8)]:
        engine = BatchEngine(rules, 64, dtype=dtype)
        engine.reset(seed=1)
        engine.play_random(50)
        assert bytes_of_game(engine) < 4_096, (rules.name, dtype)
    engine = BatchEngine(BIG2, 64)
    everything = [value for value in vars(engine).values() if isinstance(value, np.ndarray) and len(value) == 64]
    assert len(everything) >= 10
    assert sum(array.nbytes for array in everything) / 64 < 4_096  # with all that a step writes


def test_action_space__of_the_compiled_rulesets_is_that_of_hand_slots() -> None:
    for rules, sizes in [(BIG2, (1, 2, 5)), (HONG_KONG, (1, 2, 3, 4, 5)), (OUTSIDE, (1, 2, 3, 4, 5))]:
        tables = compile_tables(rules)
        assert tables["num_actions"] == 1 + sum(comb(13, size) for size in sizes) == HandSlots(rules).n
