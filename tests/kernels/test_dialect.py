"""Kernels interpreted: the games of the readable rules, the words and sets of compiled ones, numbers that records can hold."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from outside_patterns import OUTSIDE
from random_games import random_games
from random_rulesets import random_ruleset

from big2_env import ConfigError, Game, RuleSet
from big2_env.base.rng import SplitMix64
from big2_env.climbing.actions import action_space
from big2_env.climbing.rulesets import available_rulesets
from big2_env.kernels.compile import card_places, check_compiles
from big2_env.kernels.dialect import BY_SLOTS, HAS_EXTRAS, TWO_DECKS, bits, cardsets, loader
from big2_env.kernels.dialect.interpreted import names_for
from big2_env.kernels.dialect.kernel import kernel
from big2_env.kernels.dialect.loader import interpreted
from big2_env.kernels.dialect.records import card_set
from big2_env.kernels.packing import Positions
from big2_env.kernels.variants import features_of, variant_of

RULESETS = {**available_rulesets(), "outside": OUTSIDE}
GAMES = 20


class InterpretedGame:
    """A game by the kernels as plain Python."""

    def __init__(self, rules: RuleSet, num_players: int) -> None:
        kernels = interpreted(rules).module
        variants, compiling = kernels("big2_env.kernels.variants"), kernels("big2_env.kernels.compile")
        self.turn, self.legal = kernels("big2_env.kernels.turn"), kernels("big2_env.kernels.legal")
        self.t = compiling.compile_tables(rules, num_players)
        variant = variants.variant_of(rules)
        self.g, self.scratch = variant.game(), variant.scratch()
        places = card_places(rules)
        self._card_at = {place: card for card, place in enumerate(places) if place >= 0}

    def mask(self, places: int) -> int:
        return sum(1 << card for place, card in self._card_at.items() if places >> place & 1)

    def ids(self) -> list[int]:
        return self.scratch.ids[: self.legal.game_ids(self.t, self.g, self.scratch)]

    def judged(self, action: int) -> bool:
        return bool(self.legal.check_action(self.t, self.g, action, self.scratch)[0])


def assert_same(one: InterpretedGame, game: Game) -> None:
    g, position, over = one.g, game.position, game.is_over
    assert tuple(map(one.mask, g.hands[: game.num_players])) == position.hands
    assert tuple(map(one.mask, g.played[: game.num_players])) == position.played
    assert g.winner >= 0 if over else g.turn == game.turn
    top = position.top
    assert (g.top_category, g.top_power) == ((-1, -1) if top is None else (top.category, top.power)) or over
    if not over:
        assert g.passed == position.passed
        assert one.ids() == action_space(game.ruleset).ids(game.legal_plays())


def assert_fits(record: Any, dtype: np.dtype[Any]) -> None:
    """Compiled code would hold the same numbers: none is outside of what its field can have."""
    for name in set(dtype.names or ()):
        field, kind = getattr(record, name), dtype[name]
        if kind.base.names:
            for each in field if isinstance(field, list) else [field]:
                assert_fits(each, kind.base)
        elif kind.base.kind in "iu":
            numbers = np.array(_flat(field), object)
            least, most = np.iinfo(kind.base).min, np.iinfo(kind.base).max
            words = kind.shape[-1] if kind.shape and kind.base == np.dtype(np.uint64) and kind.shape[-1] == 2 else 1
            assert not len(numbers) or (numbers.min() >= least and numbers.max() <= (most + 1) ** words - 1), name


def _flat(field: Any) -> list[int]:
    return [number for each in field for number in _flat(each)] if isinstance(field, list | tuple) else [int(field)]


def play(rules: RuleSet, games: int, num_players: int) -> None:
    one, rng = InterpretedGame(rules, num_players), SplitMix64(num_players)
    space, variant = action_space(rules), variant_of(rules)
    for seed in range(games):
        game = Game.deal(rules, seed, num_players)
        one.turn.deal(one.t, one.g, seed, one.scratch)
        assert_same(one, game)
        while not game.is_over:
            ids = one.ids()
            action = ids[rng.below(len(ids))]
            for wrong in (rng.below(space.n), -1, space.n, space.n + 7):
                assert one.judged(wrong) == (wrong in ids)
            game.push(space.verify(action, game.legal_plays()))
            one.turn.make_move(one.t, one.g, action, one.scratch)
            assert_same(one, game)
        assert game.outcome is not None
        paid = [one.turn.payoff(one.t, one.g, seat) for seat in range(num_players)]
        assert paid == pytest.approx(game.outcome.payoffs)
        assert_fits(one.g, variant.game)
    assert_fits(one.t, variant.tables)


@pytest.mark.parametrize("name", RULESETS)
def test_games__interpreted_and_readable_are_the_same(name: str) -> None:
    play(RULESETS[name], GAMES, RULESETS[name].default_players)


@pytest.mark.long
@pytest.mark.parametrize("name", RULESETS)
def test_games__of_any_number_of_players_are_the_same(name: str) -> None:
    rules = RULESETS[name]
    for num_players in range(rules.min_players, rules.max_players + 1):
        play(rules, max(2, 24 // num_players), num_players)


@pytest.mark.parametrize("seeds", [range(6), pytest.param(range(6, 24), marks=pytest.mark.long)], ids=["few", "many"])
def test_games__of_random_rulesets_are_the_same(seeds: range) -> None:
    played = 0
    for seed in seeds:
        rules = random_ruleset(seed)
        try:
            check_compiles(rules)
        except ConfigError:
            continue
        play(rules, 3, rules.default_players)
        played += 1
    assert played > len(seeds) / 3


WORDS = st.integers(0, 2**60 - 1)


@kernel(entry=True)
def _of_words(x: Any, y: Any, n: Any) -> Any:
    state, number = bits.random_next(x)
    return (
        bits.popcount(x), bits.lowest_bit(y), bits.highest_bit(y), bits.lowest_bits(n), bits.deposit(x, y), bits.extract(x, y),
        state, number, bits.mix(x), bits.below(number, n + 1),
    )  # fmt: skip


@settings(max_examples=100)
@given(WORDS, st.integers(1, 2**64 - 1), st.integers(0, 62))
def test_words__are_the_same_compiled_and_interpreted(x: int, y: int, n: int) -> None:
    plain: Any = type("Names", (), {name: staticmethod(value) for name, value in names_for([]).items() if callable(value)})
    choice = x & (1 << y.bit_count()) - 1
    state, number = plain.random_next(choice)
    found = (
        plain.popcount(choice), plain.lowest_bit(y), plain.highest_bit(y), plain.lowest_bits(n), plain.deposit(choice, y),
        plain.extract(choice, y), state, number, plain.mix(choice), plain.below(number, n + 1),
    )  # fmt: skip
    assert tuple(map(int, _of_words(np.uint64(choice), np.uint64(y), n))) == found


@kernel(entry=True)
def _of_sets(field: Any, place: Any, value: Any) -> Any:
    cards = cardsets.get(field, 0)
    nibble = cardsets.rank_cards(cards, value)
    some = (
        cards, cardsets.lowest_card(cards), cardsets.without_lowest(cards), cardsets.card_at(cards, place),
        cardsets.from_place(cards, place) & cards, cardsets.shifted_down(cards, place), cardsets.unary(cards),
        cardsets.as_rank(cards, nibble, value), cardsets.no_cards(cards),
    )  # fmt: skip
    for i in range(len(some)):
        cardsets.put(field, i, some[i])
    return cardsets.shift_of(cards), nibble, cardsets.word_of(cards, 0), cardsets.word_of(cards, 1)


@pytest.mark.parametrize("words", [1, 2])
def test_sets__are_the_same_compiled_and_interpreted(words: int) -> None:
    rng, plain = random.Random(words), names_for([TWO_DECKS] if words == 2 else [])
    field = np.zeros((), np.dtype([("sets", card_set(words), (9,))]))["sets"]
    for _ in range(200):
        cards = rng.getrandbits(60 * words) & rng.getrandbits(60 * words) | 1 << rng.randrange(60 * words)
        place, value = rng.randrange(60 * words), rng.randrange(15)
        field[0] = cards if words == 1 else (cards & 2**64 - 1, cards >> 64)
        numbers = tuple(map(int, _of_sets(field, place, value)))
        nibble = plain["rank_cards"](cards, value)
        assert numbers == (plain["shift_of"](cards), nibble, plain["word_of"](cards, 0), plain["word_of"](cards, 1))
        sets = [int(one) if words == 1 else int(one[0]) | int(one[1]) << 64 for one in field]
        assert sets == [
            cards, plain["lowest_card"](cards), plain["without_lowest"](cards), plain["card_at"](cards, place),
            plain["from_place"](cards, place) & cards, plain["shifted_down"](cards, place), plain["unary"](cards),
            plain["as_rank"](cards, nibble, value), 0,
        ]  # fmt: skip


def test_loader__rewrites_no_more_than_it_says() -> None:
    source = """
A = dict[str, int]
def f(t, a: dict[str, int]):
    return t.x[1, a[2, 3]] + U(popcount(np.int64(t.y))) + get(t.z, 4) + t.w[0, :]
"""
    tree = loader.rewritten(source)
    assert "A = dict[str, int]" in tree
    assert "return t.x[1][a[2][3]] + t.y.bit_count() + t.z[4] + t.w[0, :]" in tree


def test_features__are_those_of_the_records() -> None:
    for rules in available_rulesets().values():
        variant = variant_of(rules)
        assert features_of(rules) == {
            *([BY_SLOTS] if variant.by_slots else []),
            *([HAS_EXTRAS] if variant.has_extras else []),
            *([TWO_DECKS] if variant.words == 2 else []),
        }


def test_positions__come_back_from_records() -> None:
    for name in ("big2", "dou_dizhu_4p", "qi_gui_521", "taiwan", "three_two_one"):
        rules = RULESETS[name]
        positions, record = Positions(rules, variant_of(rules).game), np.zeros((), variant_of(rules).game)
        record["rng"] = 7
        for game in list(random_games(rules, [1]))[::-4]:
            positions.pack(game.position, record)
            assert positions.unpack(record) == game.position
            assert (record["rng"], record["actor"]) == (7, -1)


def test_positions__of_further_deals_come_back_from_records() -> None:
    rules = RULESETS["dou_dizhu"]
    dtype, record = variant_of(rules).game, np.zeros((), variant_of(rules).game)
    position = next(iter(random_games(rules, [1]))).position
    for redeals in ((rules.deck.cards[::-1],), (rules.deck.cards, rules.deck.cards[::-1])):
        Positions(rules, dtype).pack(position._replace(redeals=redeals), record)
        assert Positions(rules, dtype).unpack(record) == position._replace(redeals=redeals)
    with pytest.raises(ConfigError, match=r"^3 further decks: dou_dizhu has 3 deals at most$"):
        Positions(rules, dtype).pack(position._replace(redeals=(rules.deck.cards,) * 3), record)


def test_breakpoint__stops_in_the_file_that_one_edits() -> None:
    """Interpreted functions keep their files and lines: a debugger and coverage find them."""
    play_ids: Callable[..., Any] = interpreted(available_rulesets()["big2"]).module("big2_env.kernels.legal").legal_ids
    code = play_ids.__code__
    with open(code.co_filename, encoding="utf-8") as file:
        assert "def legal_ids(" in file.readlines()[code.co_firstlineno]
