"""`big2 fishing play --log article`: the output of the article's program, byte for byte, and decks given in order."""

from __future__ import annotations

from hashlib import sha256

import pytest
from run_cli import run_cli

from big2_env.games.fishing.cards import DECK_54, cards_text

SMALL = (
    "Cards for Ann: J 2 10 10 ",
    "Ann played J",
    "Current cards on board:J ",
    "Cards for Bob: J W W 2 ",
    "Bob played J",
    "Current cards on board:J J ",
    "Bob fished cards",
    "Cards for Bob: W W 2 J J ",
    "Current cards on board:",
    "Cards for Bob: W W 2 J J ",
    "Bob played W",
    "Current cards on board:W ",
    "Cards for Ann: 2 10 10 ",
    "Ann played 2",
    "Current cards on board:W 2 ",
    "Cards for Bob: W 2 J J ",
    "Bob played W",
    "Current cards on board:W 2 W ",
    "Bob fished cards",
    "Cards for Bob: 2 J J W 2 W ",
    "Current cards on board:",
    "Cards for Bob: 2 J J W 2 W ",
    "Bob played 2",
    "Current cards on board:2 ",
    "Cards for Ann: 10 10 ",
    "Ann played 10",
    "Current cards on board:2 10 ",
    "Cards for Bob: J J W 2 W ",
    "Bob played J",
    "Current cards on board:2 10 J ",
    "Bob fished cards",
    "Cards for Bob: J W 2 W 2 10 J ",
    "Current cards on board:",
    "Cards for Bob: J W 2 W 2 10 J ",
    "Bob played J",
    "Current cards on board:J ",
    "Cards for Ann: 10 ",
    "Ann played 10",
    "Current cards on board:J 10 ",
    "Ann has failed.",
    "Total: 10 rounds",
)
DECK = "4 6 10 K 9 5 5 4 7 K 3 9 7 K 10 8 9 7 5 4 6 A 8 K 2 5 10 2 4 A A 2 J 9 J 3 W Q J W 2 A Q J Q 10 6 3 6 Q 8 3 7 8"
"""The deck of seed 58, in order."""
HEAD = (
    "Cards for Kayla: 4 6 10 K 9 5 5 4 7 K 3 9 7 K 10 8 9 7 5 4 6 A 8 K 2 5 10 ",
    "Kayla played 4",
    "Current cards on board:4 ",
    "Cards for Samuel: 2 4 A A 2 J 9 J 3 W Q J W 2 A Q J Q 10 6 3 6 Q 8 3 7 8 ",
    "Samuel played 2",
    "Current cards on board:4 2 ",
    "Cards for Kayla: 6 10 K 9 5 5 4 7 K 3 9 7 K 10 8 9 7 5 4 6 A 8 K 2 5 10 ",
    "Kayla played 6",
    "Current cards on board:4 2 6 ",
    "Cards for Samuel: 4 A A 2 J 9 J 3 W Q J W 2 A Q J Q 10 6 3 6 Q 8 3 7 8 ",
    "Samuel played 4",
    "Current cards on board:4 2 6 4 ",
    "Samuel fished cards",
    "Cards for Samuel: A A 2 J 9 J 3 W Q J W 2 A Q J Q 10 6 3 6 Q 8 3 7 8 4 2 6 4 ",
    "Current cards on board:",
)
TAIL = (
    "Samuel played K",
    "Current cards on board:W 4 K ",
    "Cards for Kayla: 10 ",
    "Kayla played 10",
    "Current cards on board:W 4 K 10 ",
    "Kayla has failed.",
    "Total: 87 rounds",
)


def printed(*args: str) -> str:
    """What `big2 fishing play --log article` prints."""
    found = run_cli("fishing", "play", "--log", "article", *args)
    assert (found.status, found.err) == (0, "")
    return found.out


def test_article_log__of_a_small_game() -> None:
    """Captures of one card, by a J, and of the whole board; the end."""
    assert printed("--names", "Ann,Bob", "--hands", "J 2 10 10 | J W W 2") == "".join(f"{line}\n" for line in SMALL)


def test_article_log__of_a_deck_in_order() -> None:
    """The hash is of what a program written from the article's listing alone printed for this deck."""
    found = printed("--names", "Kayla,Samuel", "--deck", DECK)
    lines = found.split("\n")
    assert tuple(lines[:15]) == HEAD
    assert tuple(lines[-8:]) == (*TAIL, "")
    assert sha256(found.encode()).hexdigest() == "fa9dc5b51f055bd4d9d760e9eda280da5da679a4adf91e8d457041e1ace32044"
    assert found == printed("--deck", DECK) == printed("--seed", "58", "--lang", "zh-Hant")


def test_deck_in_order__is_the_deal_of_every_log() -> None:
    one = run_cli("fishing", "play", "--plain", "--lang", "en", "--deck", cards_text(DECK_54.shuffled(7)))
    assert one == run_cli("fishing", "play", "--plain", "--lang", "en", "--seed", "7")


FIVE_TWOS = DECK.replace("4", "2", 1)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--deck", "2 3 4"), "deck in order: expected 54 cards, 4 of rank 2, got 3 cards, 1 of rank 2"),
        (("--deck", FIVE_TWOS), "deck in order: expected 54 cards, 4 of rank 2, got 54 cards, 5 of rank 2"),
        (("--deck", f"{DECK} W"), "deck in order: expected 54 cards, 2 of rank W, got 55 cards, 3 of rank W"),
        (("--deck", "2 3 Z"), "expected a card of the fishing game, 2 3 4 5 6 7 8 9 10 J Q K A W, got 'Z'"),
        (("--deck", "2 " * 1000), "the text of cards is too long: 2,000 characters (limit 1,000)"),
        (("--deck", DECK, "--seed", "3"), "--deck with the cards in order is one deal: expected neither --seed nor --games"),
        (("--deck", DECK, "--games", "3"), "--deck with the cards in order is one deal: expected neither --seed nor --games"),
        (("--names", "Kayla"), "expected two names of 1 to 40 characters, as in Kayla,Samuel, got 'Kayla'"),
        (("--names", "a\nb,c"), "expected two names of 1 to 40 characters, as in Kayla,Samuel, got 'a\\nb,c'"),
        (("--names", "a,b,c"), "expected two names of 1 to 40 characters, as in Kayla,Samuel, got 'a,b,c'"),
        (("--names", "a,b", "--log", "text"), "--names 'a,b': expected --log article as well, which prints them"),
        (
            ("--hands", "2 2 2 3 | 3 3 2 3"),
            "expected a game that ends for the article's log, got one that repeats itself every 8 plays",
        ),
        (("--max-plays", "10"), "expected a game that ends within 10 plays for the article's log, got a longer one"),
    ],
)
def test_refusal__is_one_line(args: tuple[str, ...], message: str) -> None:
    found = run_cli("fishing", "play", "--log", "article", *args)
    assert (found.status, found.out, found.err) == (2, "", f"big2: {message}\n")
