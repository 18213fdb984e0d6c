from __future__ import annotations

import random
import subprocess
import sys
from collections import Counter
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from outside_patterns import OUTSIDE, Triple, TwoPairs
from rules_page import read

from big2_env import BIG2, ConfigError, IllegalPlayError, Pattern, Play, Rank, RuleSet, available_patterns
from big2_env.base.cards import DECK_52, iter_cards
from big2_env.climbing import patterns
from big2_env.climbing.order import CardOrder
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.runs import PointRuns, ValueRuns


@cache
def all_plays(ruleset: RuleSet) -> list[Play]:
    return list(ruleset.table.plays(DECK_52.mask))


def names(mask: int) -> tuple[str, ...]:
    return tuple(map(str, iter_cards(mask)))


def test_plays__number_17186_in_all() -> None:
    counts = Counter(play.pattern for play in all_plays(BIG2))
    assert counts == {"single": 52, "pair": 78, "straight": 13_312, "full_house": 3_744}
    assert BIG2.num_plays == sum(counts.values()) == 17_186
    assert OUTSIDE.num_plays == 17_186 + 52 + 2_808


def test_enumerate_and_classify__agree_on_every_play(rules: RuleSet) -> None:
    plays = all_plays(rules)
    assert len({play.mask for play in plays}) == len(plays)
    for play in plays:
        assert rules.table.classify(play.mask) == [play]
        assert read(names(play.mask), outside=rules is OUTSIDE)[0] == play.pattern


@st.composite
def groups(draw: st.DrawFn) -> int:
    """Card groups that are often a play and more often nearly one: few ranks, or ranks in a row."""
    start = draw(st.integers(0, 12))
    ranks = draw(st.sampled_from([[start], [start, (start + 5) % 13], [(start + i) % 13 for i in range(6)]]))
    cards = draw(st.sets(st.tuples(st.sampled_from(ranks), st.integers(0, 3)), min_size=1, max_size=6))
    return sum(1 << rank * 4 + suit for rank, suit in cards)


@given(groups())
def test_enumerate_and_classify__agree_on_any_card_group(mask: int) -> None:
    for rules in (BIG2, OUTSIDE):
        found = rules.table.classify(mask)
        assert [play for play in rules.table.plays(mask) if play.mask == mask] == found
        page = read(names(mask), outside=rules is OUTSIDE)
        assert [play.pattern for play in found] == ([] if page is None else [page[0]])
        if not found:
            with pytest.raises(IllegalPlayError, match="no pattern"):
                rules.play(mask)


def test_beats__is_what_the_rules_page_says() -> None:
    choose = random.Random(5)
    for rules in (BIG2, OUTSIDE):
        plays = all_plays(rules)
        small = [play for play in plays if len(play) <= 2]
        pairs = [*product(small, small), *((choose.choice(plays), choose.choice(plays)) for _ in range(20_000))]
        page = {play: read(names(play.mask), outside=True) for pair in pairs for play in pair}
        for play, top in pairs:
            (pattern, key), (other, to_beat) = page[play], page[top]
            assert rules.beats(play, top) == (pattern == other and key > to_beat), (play, top)


@given(st.data())
def test_beats__is_a_strict_order_inside_a_pattern(data: st.DataObject) -> None:
    rules = data.draw(st.sampled_from([BIG2, OUTSIDE]))
    pattern = data.draw(st.sampled_from([rule.pattern.name for rule in rules.patterns]))
    one = st.sampled_from([play for play in all_plays(rules) if play.pattern == pattern])
    a, b, c = data.draw(one), data.draw(one), data.draw(one)
    beats = rules.beats
    assert not beats(a, a)
    assert not (beats(a, b) and beats(b, a))
    if beats(a, b) and beats(b, c):
        assert beats(a, c)
    if beats(a, c):  # what beats, beats everything that is not stronger than what it beats
        assert beats(a, b) or beats(b, c)


RUNS = [
    *("3-4-5-6-7", "4-5-6-7-8", "5-6-7-8-9", "6-7-8-9-10", "7-8-9-10-J", "8-9-10-J-Q", "9-10-J-Q-K", "10-J-Q-K-A"),
    *("J-Q-K-A-2", "Q-K-A-2-3", "K-A-2-3-4", "A-2-3-4-5", "2-3-4-5-6"),
]


def test_straight__has_the_13_runs_of_the_ring() -> None:
    expected = {frozenset(run.split("-")) for run in RUNS}
    found = {frozenset(card[2:-1] for card in names(p.mask)) for p in all_plays(BIG2) if p.pattern == "straight"}
    assert found == expected
    assert len(expected) == 13


def cards_of(run: str, suit: str = "C") -> str:
    return " ".join(f"{suit}[{rank}]" for rank in run.split("-"))


@pytest.mark.parametrize(
    ("cards", "pattern"),
    [
        ("S[2]", "single"),
        ("C[10]", "single"),
        ("C[3] S[3]", "pair"),
        ("C[3] D[4] H[5] S[6] C[7]", "straight"),
        ("C[3] C[4] C[5] C[6] C[7]", "straight"),  # one suit: a plain straight
        ("C[2] D[3] H[4] S[5] C[6]", "straight"),
        ("C[K] C[A] C[2] C[3] C[4]", "straight"),
        ("C[J] D[Q] H[K] S[A] C[2]", "straight"),
        ("C[3] D[3] H[3] C[4] D[4]", "full_house"),
        ("C[3] D[3] H[4] C[4] D[4]", "full_house"),
        ("C[2] D[2] H[2] C[3] S[3]", "full_house"),
        ("C[3] C[4]", None),
        ("C[3] D[3] H[3]", None),
        ("C[3] D[3] H[3] S[3]", None),
        ("C[3] D[3] C[4] D[4]", None),
        ("C[3] C[4] C[5]", None),
        ("C[3] C[4] C[5] C[6]", None),
        ("C[3] C[4] C[5] C[6] C[8]", None),
        ("C[3] D[3] H[4] S[5] C[6]", None),
        ("C[3] C[5] C[7] C[9] C[J]", None),  # a flush
        ("C[3] D[3] H[3] S[3] C[4]", None),  # four and one
        ("C[3] D[3] H[3] C[4] C[5]", None),
        ("C[3] C[4] C[5] C[6] C[7] C[8]", None),
        ("C[3] D[3] H[3] C[4] D[4] H[4]", None),
        ("LJ", None),
        ("S[3] LJ", None),
        ("LJ BJ", None),
    ],
)
def test_play__reads_card_groups(cards: str, pattern: str | None) -> None:
    if pattern is None:
        with pytest.raises(IllegalPlayError) as caught:
            BIG2.play(cards)
        assert all(card in str(caught.value) for card in cards.split())
    else:
        assert BIG2.play(cards).pattern == pattern
        with pytest.raises(IllegalPlayError):
            BIG2.play(cards, "full_house" if pattern != "full_house" else "straight")


def test_play__reads_cards_of_a_second_deck_as_none_of_its_own() -> None:
    with pytest.raises(IllegalPlayError):
        BIG2.play([3, 54])


@pytest.mark.parametrize(
    ("strong", "weak"),
    [
        ("D[3]", "C[3]"),
        ("C[4]", "S[3]"),
        ("C[2]", "S[A]"),
        ("C[3] S[3]", "D[3] H[3]"),
        ("C[4] D[4]", "H[3] S[3]"),
        (cards_of("2-3-4-5-6"), cards_of("10-J-Q-K-A", "S")),
        (cards_of("10-J-Q-K-A"), cards_of("9-10-J-Q-K", "S")),
        ("S[2] C[3] C[4] C[5] C[6]", "H[2] S[A] S[K] S[Q] S[J]"),
        ("C[3] C[4] C[5] C[6] D[7]", "S[3] S[4] S[5] S[6] C[7]"),
        ("C[4] D[4] H[4] C[3] D[3]", "C[3] D[3] H[3] C[2] D[2]"),
    ],
)
def test_beats__examples(strong: str, weak: str) -> None:
    a, b = BIG2.play(strong), BIG2.play(weak)
    assert BIG2.beats(a, b)
    assert not BIG2.beats(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("S[2] C[3] C[4] C[5] C[6]", "S[2] S[A] S[K] S[Q] S[J]"),  # the same two of spades
        ("C[4] D[4] H[4] C[3] D[3]", "D[4] H[4] S[4] C[2] D[2]"),  # the same three of a kind
        ("S[2]", "C[3] D[3]"),
        ("C[3] C[4] C[5] C[6] C[7]", "C[3] D[3] H[3] C[4] D[4]"),
    ],
)
def test_beats__never_between_equals_nor_across_patterns(a: str, b: str) -> None:
    one, two = BIG2.play(a), BIG2.play(b)
    assert not BIG2.beats(one, two)
    assert not BIG2.beats(two, one)


@pytest.mark.parametrize(
    ("runs", "length", "tops"),
    [
        (ValueRuns(), 5, "7 8 9 10 J Q K A"),
        (ValueRuns(cap=Rank.TWO), 5, "7 8 9 10 J Q K A 2"),
        (ValueRuns(), 12, "A"),
        (ValueRuns(), 13, ""),
        (PointRuns(wrap=0), 3, "3 4 5 6 7 8 9 10 J Q K"),
        (PointRuns(wrap=1), 5, "5 6 7 8 9 10 J Q K A"),
        (PointRuns(wrap=2), 3, "3 4 5 6 7 8 9 10 J Q K A 2"),
        (PointRuns(wrap=2), 2, "2 3 4 5 6 7 8 9 10 J Q K A"),
        (PointRuns(wrap=2), 13, "2"),
        (PointRuns(), 5, "5 6 7 8 9 10 J Q K A 2 3 4"),
    ],
)
def test_runs__end_where_their_family_says(runs: PointRuns | ValueRuns, length: int, tops: str) -> None:
    found = runs.of(length, CardOrder())
    rank = dict(zip(["3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "2"], Rank, strict=False))
    assert [run[-1] for run in found] == [rank[top] for top in tops.split()]
    assert all(len(run) == len(set(run)) == length for run in found)


def test_straight__of_all_13_ranks_is_one_shape() -> None:
    assert [shape.size for shape in Straight(length=13).shapes(CardOrder())] == [13]
    for length in (0, 14):
        with pytest.raises(ConfigError, match=f"expected a length of 1 to 13, got {length}"):
            Straight(length=length)


# Adding and removing patterns edits nothing.


def test_available_patterns__are_the_folders_files() -> None:
    found = available_patterns()
    assert {"single", "pair", "straight", "full_house"} <= set(found)
    folder = Path(patterns.__file__).parent
    for name, pattern in found.items():
        assert pattern.name == name
        assert (folder / f"{pattern.__module__.rpartition('.')[2]}.py").exists()
        assert isinstance(pattern.zh, str)
    assert patterns.pattern("pair") == found["pair"]()
    with pytest.raises(ConfigError, match="unknown pattern 'pear'; expected one of bomb, flush, four_of_a_kind,"):
        patterns.pattern("pear")


def test_with_patterns__leaves_the_ruleset_and_the_strengths_alone() -> None:
    before = repr(BIG2), BIG2.num_plays
    more = BIG2.with_patterns(Triple(), TwoPairs())
    assert more == OUTSIDE
    assert (repr(BIG2), BIG2.num_plays) == before
    assert set(all_plays(BIG2)) <= set(all_plays(OUTSIDE))
    assert more.without_patterns("triple", "two_pairs") == BIG2
    assert more.with_patterns(Triple()) == more
    fewer = BIG2.without_patterns("straight")
    assert fewer.num_plays == 17_186 - 13_312
    assert not fewer.table.classify(BIG2.play(cards_of("3-4-5-6-7")).mask)
    assert fewer.with_patterns("straight").num_plays == 17_186
    with pytest.raises(ConfigError, match=r"pattern 'triple': big2 has single, pair"):
        BIG2.without_patterns("triple")


PLUGIN = """
from dataclasses import dataclass
from big2_env import Pattern, Shape

@dataclass(frozen=True)
class Quad(Pattern):
    name = "quad"
    zh = "四條"

    def shapes(self, order):
        return [Shape.of({rank: 4}, key=rank) for rank in order.suited_ranks]
"""

GROUP = "of group big2_env.patterns"


@pytest.mark.parametrize(
    ("entry", "code", "says"),
    [
        ("quad = plugin:Quad", PLUGIN, "13"),
        (
            "quad = plugin:Quad",
            PLUGIN + "Quad.name = 'pair'\n",
            f"'plugin:Quad' {GROUP} names its pattern 'pair', which",
        ),
        (
            "quad = plugin:quad",
            "quad = 4\n",
            f"entry point quad = 'plugin:quad' {GROUP}: expected a subclass of Pattern, got 4",
        ),
        (
            "quad = plugin:quad",
            "import lost_module\n",
            f"entry point quad = 'plugin:quad' {GROUP} cannot be loaded",
        ),
    ],
)
def test_entry_points__bring_patterns_of_installed_packages(tmp_path: Path, entry: str, code: str, says: str) -> None:
    """A package that is installed beside ours, in a fresh process."""
    (tmp_path / "plugin.py").write_text(code, encoding="utf-8")
    info = tmp_path / "plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[big2_env.patterns]\n{entry}\n")
    script = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
        "from big2_env import BIG2, ConfigError\n"
        "try: more = BIG2.with_patterns('quad'); print(more.num_plays - BIG2.num_plays)\n"
        "except ConfigError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, encoding="utf-8")
    assert says in done.stdout


def test_pattern__is_abstract() -> None:
    with pytest.raises(TypeError):
        Pattern()


def test_play__is_a_small_value() -> None:
    play = BIG2.play("S[3] H[3]")
    assert play == Play("pair", 0b1100, play.category, play.power)
    assert (str(play), len(play), bool(play), play.is_pass, play.cards) == ("pair H[3] S[3]", 2, True, False, play.cards)
    assert eval(repr(play), {"Play": Play}) == play
