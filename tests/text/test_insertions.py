"""A word, number, suit or emoji put into a valid answer never makes it another legal move that leaves the insertion out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from big2_env import Game, ruleset
from big2_env.base.cards import RANK_NAMES, Card, iter_cards
from big2_env.base.errors import IllegalPlayError, NotationError
from big2_env.base.language import Language, Words, words
from big2_env.base.side_game import SideGame
from big2_env.climbing.play import Play
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.view import View
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.scene import move_words
from big2_env.text.answers import Played, read_answer, read_line, read_side_answer, read_side_line
from big2_env.text.names import move_text

SUIT_WORDS = (
    "C clubs (C) ♣ 梅花 （梅花） (clubs)",
    "D diamonds (D) ♦ 方块 方塊 （方块）",
    "H hearts (H) ♥ ❤️ 红桃 紅心 （红桃） [H] (of_hearts)",
    "S spades (S) ♠ 黑桃 （黑桃） s of_spades",
)
RANK_WORDS = (
    *("3 three", "4 four", "5 five", "6 six", "7 seven", "8 eight", "9 nine", "10 ten T", "J jack", "Q queen", "K king"),
    *("A ace a one 1", "2 two *2", "LJ 小王 L", "BJ 大王 大鬼 B"),
)
COUNT_WORDS = "two three four triple pair pair_of 一对 对 一對 对子 两个 三张 三個 四张 2张 4個"
REMARKS = "不 牌 = 张 個 and with plus the my 和 加 带 与 card play 出 ✅ 🎉 😀 # pass 不出 过 call 叫地主 抢 0 12 13 100 -1"
STRANGE = (
    "not no maybe or then red black banana higher cards both all except x ×2 x2 3.5 1/2 ? / | ~ < % @ 不要 别 要 或 王 "
    "最大 红 黑 以外 🔴 🖤 🍌 🟥 ⬛ 👎 ❌ 🂥 1️⃣ Trumpf über да"
)
"""Tokens that no answer may contain."""
NAMES = "straight bomb single triple pair 顺子 炸弹 單張"


def listed(text: str) -> list[str]:
    return [token.replace("_", " ") for token in text.split()]


SUITS = {token: suit for suit, text in enumerate(SUIT_WORDS) for token in listed(text)}
RANKS = {token: rank for rank, text in enumerate(RANK_WORDS) for token in listed(text)}
COUNTS = listed(COUNT_WORDS)
TOKENS = [*SUITS, *RANKS, *COUNTS, *listed(REMARKS), *listed(STRANGE), *listed(NAMES)]


def asked(seed: int) -> Iterator[tuple[View, Play]]:
    """Positions of random games of every ruleset, with a legal move."""
    rng = Random(seed)
    while True:
        game = Game.deal(ruleset(rng.choice(sorted(available_rulesets()))), rng.randrange(1 << 32))
        while not game.is_over:
            view = game.view()
            moves = list(view.legal_plays())
            for move in rng.sample(moves, min(2, len(moves))):
                yield view, move
            game.push(rng.choice(moves))


def written(move: Play, view: View, rng: Random) -> str:
    """A way to write a move that has no other meaning."""
    legal = view.legal_plays()
    text = move_text(move, legal, words(rng.choice(list(Language))))
    if not move or rng.random() < 0.4:
        return text
    cards = view.ruleset.order.sort(move.mask)
    blank, sign = rng.choice((" ", " ", ", ", "")), rng.choice(("CDHS", "♣♦♥♠", ["梅花", "方块", "红桃", "黑桃"]))
    is_exact = rng.random() < 0.6
    names = [RANK_NAMES[card.rank] for card in cards]
    if is_exact:
        names = [name if card.suit is None else sign[card.suit] + name for name, card in zip(names, cards, strict=True)]
    return rng.choice(("{}", "{}", "I play {}", "我出{}", "<answer>{}</answer>")).format(blank.join(names))


def inserted(text: str, token: str, rng: Random) -> str:
    """The text with a token at a place where no number or word is cut."""
    places = [
        at
        for at in range(len(text) + 1)
        if not (0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum() and text[at - 1 : at + 1].isascii())
    ]
    at, blank = rng.choice(places), rng.choice((" ", " ", ""))
    return f"{text[:at]}{blank}{token}{blank}{text[at:]}"


def ranks_of(play: Play) -> Counter[int]:
    return Counter(int(card.rank) for card in iter_cards(play.mask))


def fits(token: str, before: Play, after: Play) -> bool:
    """Whether a move contains all that a token adds to another."""
    old, new = ranks_of(before), ranks_of(after)
    suits = {Card(card).suit for card in iter_cards(after.mask)}
    if token in SUITS and old == new and SUITS[token] in suits:
        return True
    if token in RANKS and new == old + Counter([RANKS[token]]):
        return True
    return token in COUNTS and new.total() > old.total() and set(new) <= set(old) | {RANKS.get(token, -1)}


def answered(given: str, view: View, tr: Words, by_index: bool | None) -> Play | None:
    """The move that an answer is read as: a person's if it is known whether numbers are indices, else a language model's."""
    found = (
        read_answer(given, view, tr.language)
        if by_index is None
        else read_line(given, view.legal_plays(), tr, by_index=by_index)
    )
    return found.play if isinstance(found, Played) else None


def wrong(number: int, seed: int) -> list[str]:
    """Answers that became another legal move, of this number of insertions."""
    rng, found, read = Random(seed), list[str](), 0
    for view, move in asked(seed):
        text, tr, by_index = written(move, view, rng), words(rng.choice(list(Language))), rng.choice((None, None, True, False))
        before = answered(text, view, tr, by_index)
        if before is None or (by_index and re.fullmatch(r"[^0-9]*[0-9 ,]+", text)):  # an index becomes a rank beside a word
            continue
        for token in rng.sample(TOKENS, 10):
            given = inserted(text, token, rng)
            after = answered(given, view, tr, by_index)
            is_read = token in STRANGE.split() and not text.endswith(">")
            if after is not None and (is_read or (after != before and not fits(token, before, after))):
                found.append(f"{view.ruleset.name} {by_index=}: {text!r} {before} -> {given!r} {after}")
        read += 10
        if read >= number:
            break
    return found


def test_insertions__never_make_another_move() -> None:
    assert wrong(2_000, 0) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 5))
def test_insertions__never_make_another_move_of_many(seed: int) -> None:
    assert wrong(5_000, seed) == []


UNO_WORDS = (
    "red yellow blue green r y b g 红 黄 藍 綠 R[ [ ] 0 1 2 3 7 9 12 seven two +2 +4 four skip reverse wild w W s 禁止 变色 "
    "draw draw_two draw_four keep p 摸 留 pass -> with naming color"
)
KLONDIKE_WORDS = (
    "move to > -> → 到 pile column the F foundation deal draw 翻牌 1 3 7 8 10 T two king K A of of_hearts S ♥ 黑桃 (H) and , *2"
)


def uno_answers(seed: int) -> Iterator[tuple[UnoGame, int, str]]:
    """Positions of random games of UNO, each with a legal move and its text."""
    rng = Random(seed)
    while True:
        game = UnoGame.usual(rng.randrange(1 << 32))
        while not game.is_over:
            move = rng.choice(game.legal_moves())
            named = move_words(move, words(rng.choice(list(Language))))
            yield game, move, rng.choice((game.move_text(move), named, f"I play {game.move_text(move)}"))
            game.play(rng.choice(game.legal_moves()))


def klondike_answers(seed: int) -> Iterator[tuple[KlondikeGame, int, str]]:
    """The same of Klondike."""
    rng = Random(seed)
    while True:
        game = KlondikeGame.usual(rng.randrange(1 << 32))
        for _ in range(60):
            if game.is_over:
                break
            move = rng.choice([move for move in game.legal_moves() if move] or game.legal_moves())
            card, _, target = game.move_text(move).partition(">")
            sign = card[:-1] + "♣♦♥♠"["CDHS".index(card[-1])] if target else card
            texts = (game.move_text(move), f"{sign} to {target}", f"move {sign}>{target}") if target else ("deal", "翻牌")
            yield game, move, rng.choice((*texts, f"I play {game.move_text(move)}"))
            game.play(rng.choice(game.legal_moves()))


def side_move(given: str, game: SideGame, tr: Words, is_typed: bool) -> int | None:
    if not is_typed:
        found = read_side_answer(given, game, language=tr.language)
        return found.play if isinstance(found, Played) else None
    try:
        [move] = read_side_line(given, game, game.view().seat, tr)
    except (NotationError, IllegalPlayError, ValueError):  # or several moves
        return None
    return move if move in game.legal_moves() else None


def wrong_side(answers: Iterator[tuple[SideGame, int, str]], listing: str, number: int, seed: int) -> list[str]:
    """Answers of a side game that became another legal move, of this number of insertions."""
    rng, found, read, tokens = Random(seed), list[str](), 0, [*listed(listing), *listed(STRANGE)]
    for game, move, text in answers:
        tr, is_typed = words(rng.choice(list(Language))), rng.random() < 0.5
        if side_move(text, game, tr, is_typed) != move:
            continue
        for token in rng.sample(tokens, 10):
            given = inserted(text, token, rng)
            after = side_move(given, game, tr, is_typed)
            if after is not None and (after != move or token in STRANGE.split()):
                found.append(f"{is_typed=}: {text!r} {game.move_text(move)} -> {given!r} {game.move_text(after)}")
        read += 10
        if read >= number:
            break
    return found


SIDES = [(uno_answers, UNO_WORDS), (klondike_answers, KLONDIKE_WORDS)]


@pytest.mark.parametrize(("answers", "listing"), SIDES)
def test_insertions__never_make_another_move_of_a_side_game(answers: Any, listing: str) -> None:
    assert wrong_side(answers(0), listing, 2_000, 0) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 5))
@pytest.mark.parametrize(("answers", "listing"), SIDES)
def test_insertions__never_make_another_move_of_a_side_game_often(answers: Any, listing: str, seed: int) -> None:
    assert wrong_side(answers(seed), listing, 5_000, seed) == []
