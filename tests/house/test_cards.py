from __future__ import annotations

import hashlib
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from big2_env import DECK_52, DECK_54, DECK_108, Card, CardSet, Deck, NotationError, Rank, Suit
from big2_env.base.cards import NUM_CARDS, NUM_FACES, as_mask, iter_cards, parse_cards

NAMES = {"Card": Card, "CardSet": CardSet, "Deck": Deck, "Rank": Rank, "Suit": Suit}


def rebuilt(value: object) -> object:
    return eval(repr(value), NAMES)


def test_card__notation_repr_and_id_rebuild_it() -> None:
    for i in range(NUM_CARDS):
        card = Card(i)
        assert int(card) == i
        assert rebuilt(card) == pickle.loads(pickle.dumps(card)) == card
        assert Card(str(card)) == card.face == i % NUM_FACES
        assert f"{card:>6}" == str(card).rjust(6)
    assert len({str(Card(i)) for i in range(NUM_FACES)}) == NUM_FACES


@pytest.mark.parametrize(
    ("text", "number", "rank", "suit"),
    [
        ("C[3]", 0, Rank.THREE, Suit.CLUB),
        ("S[3]", 3, Rank.THREE, Suit.SPADE),
        ("D[10]", 29, Rank.TEN, Suit.DIAMOND),
        ("H[A]", 46, Rank.ACE, Suit.HEART),
        ("S[2]", 51, Rank.TWO, Suit.SPADE),
        ("LJ", 52, Rank.LITTLE_JOKER, None),
        ("BJ", 53, Rank.BIG_JOKER, None),
    ],
)
def test_card__has_the_documented_id(text: str, number: int, rank: Rank, suit: Suit | None) -> None:
    card = Card(text)
    assert (int(card), card.rank, card.suit, str(card)) == (number, rank, suit, text)
    second = Card(number + NUM_FACES)
    assert (second.rank, second.suit, str(second)) == (rank, suit, text)
    assert second != card


@pytest.mark.parametrize(
    ("make", "quoted"),
    [
        (lambda: Card("X[3]"), "X[3]"),
        (lambda: Card("c[3]"), "c[3]"),
        (lambda: Card("S[1]"), "S[1]"),
        (lambda: Card("S3"), "S3"),
        (lambda: Card("S[3] "), "S[3] "),
        (lambda: Card(""), "''"),
        (lambda: Card("Ｓ[3]"), "Ｓ[3]"),
        (lambda: Card(-1), "-1"),
        (lambda: Card(NUM_CARDS), str(NUM_CARDS)),
        (lambda: parse_cards("S[3] S[K] S[11]"), "S[11]"),
        (lambda: CardSet("S[3] D[4] S[3]"), "S[3]"),
        (lambda: CardSet([3, 3]), "S[3]"),
        (lambda: CardSet(-1), "-0x1"),
        (lambda: CardSet(1 << NUM_CARDS), hex(1 << NUM_CARDS)),
        (lambda: Deck(copies=3), "1 or 2 copies, got 3"),
        (lambda: DECK_52.parse("S[3] joker"), "joker"),
        (lambda: DECK_52.parse(" ".join(map(str, DECK_54.cards))), "LJ"),
        (lambda: DECK_52.parse(" ".join(map(str, DECK_52.cards)) + " D[9]"), "D[9] is given twice"),
        (lambda: DECK_52.parse(" ".join(map(str, DECK_52.cards[1:]))), "C[3] is missing"),
        (lambda: DECK_54.parse(" ".join(map(str, DECK_52.cards))), "LJ is missing"),
        (lambda: DECK_108.parse(" ".join(["BJ"] * 3)), "BJ is given three times"),
        (lambda: DECK_108.parse(" ".join(map(str, DECK_54.cards))), "C[3] is missing"),
    ],
)
def test_notation_errors__quote_what_was_given(make: object, quoted: str) -> None:
    with pytest.raises(NotationError) as caught:
        make()
    assert quoted in str(caught.value)
    assert "\n" not in str(caught.value)


def test_card__takes_whole_numbers_only() -> None:
    assert Card(np.int64(7)) == 7
    with pytest.raises(TypeError):
        Card(3.5)


cards = st.frozensets(st.integers(0, NUM_CARDS - 1).map(Card), max_size=20)


@given(cards, cards)
def test_card_set__is_a_set(a: frozenset[Card], b: frozenset[Card]) -> None:
    x, y = CardSet(a), CardSet(b)
    for got, model in [(x | y, a | b), (x & y, a & b), (x - y, a - b), (x ^ y, a ^ b), (x | b, a | b), (x & b, a & b)]:
        assert isinstance(got, CardSet)
        assert list(got) == sorted(model)
        assert len(got) == len(model)
        assert got == CardSet(model)
        assert hash(got) == hash(CardSet(model))
    assert (x <= y, x < y, x >= y, x == y, x.isdisjoint(y)) == (a <= b, a < b, a >= b, a == b, a.isdisjoint(b))
    assert all((card in x) == (card in a) for card in map(Card, range(NUM_CARDS)))


@given(cards)
def test_card_set__every_form_of_it_is_the_same_set(a: frozenset[Card]) -> None:
    x = CardSet(a)
    assert x == CardSet(x) == CardSet(x.mask) == CardSet(map(int, a)) == rebuilt(x) == pickle.loads(pickle.dumps(x))
    assert list(iter_cards(x.mask)) == list(x)
    if all(card < NUM_FACES for card in a):
        assert CardSet(str(x)) == x


def test_card_set__knows_a_single_card_from_a_mask() -> None:
    assert CardSet(Card("S[3]")).mask == as_mask("S[3]") == 0b1000
    assert CardSet(3) == CardSet("C[3] D[3]")
    assert CardSet() == CardSet("") == CardSet([])
    assert "S[3]" not in CardSet("S[3]")  # a set of cards, not of texts


@pytest.mark.parametrize(("deck", "size"), [(DECK_52, 52), (DECK_54, 54), (Deck(copies=2), 104), (DECK_108, 108)])
def test_deck__parses_its_own_shuffles(deck: Deck, size: int) -> None:
    assert deck.size == len(set(deck.cards)) == deck.mask.bit_count() == size
    assert list(deck.cards) == sorted(deck.cards)
    assert rebuilt(deck) == deck
    for seed in range(5):
        shuffled = deck.shuffled(seed)
        assert sorted(shuffled) == list(deck.cards)
        assert shuffled == deck.shuffled(seed)
        parsed = deck.parse(" ".join(map(str, shuffled)))
        assert [card.face for card in parsed] == [card.face for card in shuffled]
        assert sorted(parsed) == list(deck.cards)
    assert deck.shuffled(1) != deck.shuffled(2)


def test_deck__shuffles_as_it_always_did() -> None:
    dealt = "\n".join(" ".join(map(str, DECK_52.shuffled(seed))) for seed in range(10))
    assert hashlib.sha256(dealt.encode()).hexdigest() == "6c8c46283eeccdb2e21e3d1c9c67a045d59bf0a14db21419bc4f6e4a05e8d612"
