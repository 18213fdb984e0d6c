"""Texts and answers in invented games: complete, without standard names, and read back as the moves they state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import pytest
from run_cli import run_cli

from big2_env import Game
from big2_env.base.language import Language
from big2_env.base.language.words import catalogue
from big2_env.climbing.invented import invented
from big2_env.climbing.patterns import available_patterns
from big2_env.climbing.play import Play
from big2_env.climbing.view import View
from big2_env.notation.written_cards import parsed
from big2_env.text.answers import Illegal, Played, Unreadable, read_answer
from big2_env.text.names import cards_text, move_text, words_of
from big2_env.text.observation import observation
from big2_env.text.rules import rules_page

SEEDS = range(6)


def moves_of_games() -> Iterator[tuple[View, list[Play]]]:
    rng = Random(0)
    for seed in SEEDS:
        game = Game.deal(invented(seed), seed)
        while not game.is_over:
            view = game.view()
            moves = list(view.legal_plays())
            yield view, rng.sample(moves, min(2, len(moves)))
            game.play(rng.choice(moves))


@pytest.mark.parametrize("lang", Language)
def test_rules__name_every_card_and_pattern(lang: Language) -> None:
    for seed in SEEDS:
        rules = invented(seed)
        text, words = rules_page(rules, lang).markdown(), rules.vocabulary
        assert words is not None
        assert all(word.text(lang) in text for word in (*words.ranks, *words.suits, *(word for _, word in words.patterns)))
    assert rules_page(invented(0), lang) != rules_page(invented(1), lang)


def standard_names(lang: Language) -> set[str]:
    """Names of suits, jokers and patterns, and the words for ranks that texts use."""
    kinds = ("pattern.", "cards.club", "cards.diamond", "cards.heart", "cards.spade", "cards.little", "cards.big")
    found = {text[lang.value] for key, text in catalogue().items() if key.startswith(kinds)}
    if lang is Language.EN:
        return found | {name.replace("_", " ") for name in available_patterns()} | {"joker", "ace", "king", "queen", "jack"}
    return found | {pattern.zh for pattern in available_patterns().values()} | {"對子", "对子", "單張", "单张", "炸"}


@pytest.mark.parametrize("lang", Language)
def test_texts__have_no_standard_names(lang: Language) -> None:
    names = "|".join(map(re.escape, standard_names(lang)))
    name = re.compile(rf"\b(?:{names})(?:s|es)?\b" if lang is Language.EN else names, re.IGNORECASE)
    card = re.compile(r"[CDHS]\[|\b[2-9JQKA][CDHS]\b|[♣♦♥♠]|\b[JQKT]\b")
    for view, _ in moves_of_games():
        if len(view.history) not in (0, 7):
            continue
        text = observation(view, lang, legal=True, rules=True)
        for answer in ("3H", cards_text(view.ruleset, view.ruleset.order.cards[5:6]), cards_text(view.ruleset, view.hand)):
            text += str(getattr(read_answer(answer, view, lang), "reason", ""))
        assert not name.search(text)
        assert not card.search(text)


def test_answers__are_read_as_the_moves_they_state() -> None:
    for view, moves in moves_of_games():
        legal, words = view.legal_plays(), view.ruleset.vocabulary
        assert words is not None
        for move in moves:
            for lang in Language:
                assert read_answer(move_text(move, legal, words_of(view.ruleset, lang)), view, lang) == Played(move)
            cards = view.ruleset.order.sort(move.mask)
            pairs = [(words.ranks[card.rank], words.suits[card.suit or 0]) for card in cards]
            if pairs:
                for text in (
                    " and ".join(f"{rank.en} of {suit.en}" for rank, suit in pairs),
                    "、".join(f"{suit.zh}{rank.zh}" for rank, suit in pairs),
                    f"<answer>{words.by_pattern[move.pattern].en}: {words.cards(cards).lower()}</answer>",
                    f"我出 {words.by_pattern[move.pattern].zh} {words.cards(cards)}",
                ):
                    assert read_answer(text, view) == Played(move), text


def test_answers__in_standard_names_are_not_cards() -> None:
    view = Game.deal(invented(7), 3).view()
    for text in ("3H", "three of hearts", "C[3]", "红桃3", "pair of threes"):
        assert isinstance(read_answer(text, view), Unreadable)
    words = view.ruleset.vocabulary
    assert words is not None
    other = next(card for card in view.ruleset.order.cards if not view.hand >> card & 1)
    assert read_answer(words.card(other), view) == Illegal(f"you do not hold enough of '{words.card(other)}'")
    assert (
        read_answer("We should pass", view) == read_answer("No", view) == Unreadable("cards as your hand lists them, or pass")
    )


@pytest.mark.parametrize("lang", list(Language))
def test_prompt__asks_for_no_standard_cards(lang: Language) -> None:
    args = ["play", "lowest", "lowest", "--game", "invented:3", "--seed", "3", "--plain", "--lang", lang.value]
    status, out, err = run_cli(*args, stdin="?\nC4\npoints\nC4\nq\n")
    assert (status, err) == (0, "")
    assert out.count("'C4'") == 2
    assert not [standard for standard in ("D3", "3D", "334", "BJ", "方") if standard in out]


def test_cards__of_a_vocabulary_are_written_in_several_ways() -> None:
    words = invented(7).vocabulary
    assert words is not None
    three, heart = words.ranks[0].en, words.suits[2].en
    code = three[0].upper() + heart[0]
    for text in (code, code.lower(), f"the {three} of {heart}", f"{heart} {three}", f"{words.suits[2].zh}{words.ranks[0].zh}"):
        assert [[wish[:2] for wish in wishes] for wishes in parsed(text, words)] == [[(0, 2)]]
    [several] = parsed(f"{code}{code}, {three[0].upper()}", words)
    assert [wish[:2] for wish in several] == [(0, 2), (0, 2), (0, None)]
    for text in (f"keep {code}", three[0].lower(), "3", f"{code}-{words.ranks[9].en[0].upper()}{heart[0]}"):
        assert parsed(text, words) == []
