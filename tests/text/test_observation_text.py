"""One seat's knowledge as text, and every legal move read back from each way to write it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import pytest
from hidden_cards import exchanged, random_moment
from hypothesis import given, settings
from hypothesis import strategies as st
from one_language import strangers
from random_games import random_games

from big2_env import BIG2, ConfigError, Game, available_rulesets, ruleset
from big2_env.base.cards import RANK_NAMES
from big2_env.base.language import Language, words
from big2_env.base.side_game import SideGame, random_player, seeded_move
from big2_env.base.side_games import side_games
from big2_env.climbing.hands import hand_order
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.games.fishing import FishingGame
from big2_env.games.klondike import KlondikeGame
from big2_env.text.answers import Ambiguous, Illegal, Played, Unreadable, read_answer, read_side_answer
from big2_env.text.marked import MAX_TEXT
from big2_env.text.names import move_text
from big2_env.text.observation import MAX_LISTED, observation, side_observation, tricks_of

RULES = available_rulesets()
EVERY = pytest.mark.parametrize("name", sorted(RULES))
SUITS = {
    "C": ("clubs", "♣", "梅花"),
    "D": ("diamonds", "♦", "方块"),
    "H": ("hearts", "♥", "红桃"),
    "S": ("spades", "♠", "黑桃"),
}
STYLES = ("{rank}{suit}", "{suit}{rank}", "{suit}[{rank}]", "{rank} of {name}", "{sign}{rank}", "{rank}{sign}", "{zh}{rank}")
MARKS = ("{}", "**{}**", "<answer>{}</answer>", "\\boxed{{{}}}", "```\n{}\n```", "Answer: {}", "答案：{}", "Lowest.\n{}")


def written(rules: RuleSet, play: Play) -> Iterator[str]:
    """The cards of a play, each whole, in the notations that are read."""
    cards = [(RANK_NAMES[card.rank], None if card.suit is None else "CDHS"[card.suit]) for card in hand_order(rules, play)]
    for style in STYLES:
        texts = []
        for rank, suit in cards:
            name, sign, zh = SUITS.get(suit or "", ("", "", ""))
            texts.append(rank if suit is None else style.format(rank=rank, suit=suit, name=name, sign=sign, zh=zh))
        yield " ".join(texts)


@EVERY
def test_answers__of_every_notation_are_read_back(name: str) -> None:
    rules, rng = RULES[name], random.Random(name)
    for number, game in enumerate(random_games(rules, range(3))):
        if game.is_over or (number % 5 and not game.position.bidding):
            continue
        view, legal = game.view(), game.legal_plays()
        moves = list(legal)
        for play in rng.sample(moves, min(2, len(moves))):
            lang = rng.choice(list(Language))
            text = move_text(play, legal, words(lang))
            assert read_answer(rng.choice(MARKS).format(text), view, lang) == Played(play), text
            if play:
                label = f" {text.split()[-1]}" if len(text.split()) > len(play) else ""
                for cards in rng.sample(list(written(rules, play)), 4):
                    assert read_answer(rng.choice(MARKS).format(cards + label), view, lang) == Played(play), cards
                data = json.dumps({"reason": "pass {", "play": text.split()})
                assert read_answer(data, view) == Played(play)


def sides() -> Iterator[SideGame]:
    """Positions of random side games."""
    for entry in side_games():
        for seed in range(3):
            game = entry.kind().usual(seed)
            for number in range(25):
                if game.is_over:
                    break
                yield game
                game.play(seeded_move(random_player, game.view(), salt=number))


def test_answers__of_side_games_are_read_back() -> None:
    for game in sides():
        shown = side_observation(game, legal=True)
        for number, move in enumerate(game.legal_moves()):
            text = game.move_text(move)
            assert number >= MAX_LISTED or text in shown
            for mark in MARKS[1:3]:
                assert read_side_answer(mark.format(text), game) == Played(move)
        assert isinstance(read_side_answer(f"I think that {text} is good", game), Unreadable)


@EVERY
def test_observation__is_the_same_with_other_hidden_cards(name: str) -> None:
    found = 0
    for seed in range(20):
        game = random_moment(RULES[name], seed)
        if (twin := exchanged(game, game.turn, 1000 * seed)) is None:
            continue
        for lang in Language:
            for history in ("full", "trick"):
                texts = [observation(one.view(), lang, True, history) for one in (game, twin)]
                assert texts[0] == texts[1]
        found += 1
        if found == 2:
            return
    raise AssertionError(f"expected games whose hidden cards can be exchanged, got {found}")


def test_observation__of_klondike_hides_face_down_cards() -> None:
    game = KlondikeGame.usual(5)
    assert game.deck is not None
    deck = list(game.deck)
    hidden = [at for at, card in enumerate(deck) if card not in {pile[-1] for pile in game.state.piles}]
    turned = [deck[at] for at in hidden[1:] + hidden[:1]]
    for at, card in zip(hidden, turned, strict=True):
        deck[at] = card
    assert side_observation(KlondikeGame(deck), legal=True) == side_observation(game, legal=True)


def test_observation__names_the_seat_in_a_game_whose_players_do_not_see_their_hands() -> None:
    assert side_observation(FishingGame.usual(1), 1).startswith("Fishing: you are seat 1 of seats 0 to 1\n")


@EVERY
@pytest.mark.parametrize("lang", Language)
def test_observation__is_in_one_language(name: str, lang: Language) -> None:
    game = random_moment(RULES[name], 5)
    text = observation(game.view(), lang, legal=True, rules=True)
    assert strangers(text, lang) == []
    assert all(seat in text for seat in (words(lang)("observation.seat", seat=1 if game.turn != 1 else 0),))


def test_observation__names_what_a_seat_knows() -> None:
    game = Game.deal(BIG2, seed=7)
    for cards in ("C[3]", "D[3]", "", "S[4]", "S[6]"):
        game.play(cards)
    lines = observation(game.view(), legal=True).splitlines()
    assert lines[:8] == [
        "Big Two: you are seat 2 of seats 0 to 3",
        "You have to beat seat 1's single S[6]",
        "Your hand, 12 cards: H[3] C[4] H[4] H[5] H[8] S[8] H[10] C[J] D[Q] D[A] S[A] D[2]",
        "seat 0: 12 cards",
        "seat 1: 11 cards",
        "seat 3: 13 cards",
        "Order of turns: you, seat 3, seat 0, seat 1",
        "Trick 1: seat 1 C[3], you D[3], seat 3 pass, seat 0 S[4], seat 1 S[6]",
    ]
    assert lines[-3:] == [
        "Legal moves, 9",
        "- single: H[8] | S[8] | H[10] | C[J] | D[Q] | D[A] | S[A] | D[2]",
        "- pass",
    ]


def test_observation__shows_the_trick_alone_and_the_rules() -> None:
    game = Game.deal(BIG2, seed=7)
    for cards in ("C[3]", "", "", "", "S[3]", "C[4]"):
        game.play(cards)
    full, trick = (observation(game.view(), history=history) for history in ("full", "trick"))
    assert "Trick 1: seat 1 C[3], the others pass\n" in full
    assert "Trick 2: seat 1 S[3], seat 2 C[4]" in full
    assert "This trick: seat 1 S[3], seat 2 C[4]" in trick
    assert "seat 1 C[3]" not in trick
    assert "Payment" in observation(game.view(), rules=True)
    assert "Payment" not in full
    assert "- Suits, low to high" in full
    with pytest.raises(ConfigError, match="history: expected 'full' or 'trick'"):
        observation(game.view(), history="none")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="expected en, zh-Hant, zh-Hans, got 'de'"):
        observation(game.view(), "de")


@EVERY
def test_observation__the_others_who_pass_are_all_seats_that_could_still_beat_a_play(name: str) -> None:
    number = ended = 0
    for seed in range(3):
        outs: list[set[int]] = []
        for game in random_games(RULES[name], [seed]):
            view = game.view()
            outs.append({*view.finished, *(seat for seat in range(view.num_players) if view.passed >> seat & 1)})
        tricks, number = tricks_of(view), view.num_players
        at = len(view.history) - sum(map(len, tricks))
        for moves in tricks[:-1]:
            [*_, last] = [place for place, move in enumerate(moves) if move.play]
            at, top, passes = at + len(moves), moves[last].seat, [move.seat for move in moves[last + 1 :]]
            if len(passes) > 1:
                others = [(top + step) % number for step in range(1, number)]
                assert passes == [seat for seat in others if seat not in outs[at - len(passes)]]
                ended += 1
    assert ended > 0 or number < 3


def test_observation__bounds_the_list_of_legal_moves() -> None:
    game = Game.deal(ruleset("dou_dizhu_4p"), seed=1)
    while game.position.bidding:
        game.push(next(iter(game.legal_plays())))
    text = observation(game.view(), legal=True)
    lines = text[text.index("Legal moves") :].splitlines()[1:]
    assert all(line.count(" | ") <= MAX_LISTED for line in lines)
    more = sum(int(line.rpartition(" | ")[2].split()[0]) for line in lines if line.endswith(" more"))
    assert more + sum(line.count(" | ") + (not line.endswith(" more")) for line in lines) == len(game.legal_plays())


PARTS = [
    *(
        "5H",
        "5D",
        "pass",
        "<answer>",
        "</answer>",
        "\\boxed{",
        "}",
        "{",
        '"',
        "'",
        "[",
        "]",
        "(",
        ")",
        "play",
        ":",
        ",",
        "```",
        "\n",
    ),
    *(
        "Answer:",
        "<think>",
        "</think>",
        "pair of",
        "fives",
        "♥",
        "红桃",
        "三",
        "or",
        "I",
        "-",
        ">",
        "#",
        "10",
        '{"play": ["5H"]}',
    ),
    *("bid 2", "call", "2", "blue 7", "4D>6", "deal", "draw", "\ud7ff", "\x00"),
]
DEALT = [entry.kind().usual(1) for entry in side_games()]
VIEWS = [random_moment(RULES[name], 3).view() for name in ("big2", "dou_dizhu", "dou_dizhu_4p")]


@settings(max_examples=150)
@given(
    text=st.one_of(st.text(max_size=60), st.lists(st.sampled_from(PARTS), max_size=25).map(" ".join)),
    view=st.sampled_from(VIEWS),
)
def test_answers__of_any_text_are_classified(text: str, view: View) -> None:
    found = read_answer(text, view)
    assert isinstance(found, Played | Illegal | Unreadable | Ambiguous)
    if isinstance(found, Played):
        assert found.play in view.legal_plays() or view.legal_plays().can(found.play.mask, found.play.pattern)
    for game in DEALT:
        assert isinstance(read_side_answer(text, game), Played | Illegal | Unreadable | Ambiguous)


LONG = (
    *("{", '{"a":', '{"', "<answer>", "\\boxed{", "```", "Answer:\n", "**", "(", "3D", "3 ", "x\n"),
    *("<think>", "and ", "- ", '{"a":1}', "\\text{", "a pair of "),
)


@pytest.mark.parametrize("part", LONG)
def test_answers__that_are_long_are_refused_or_read(part: str) -> None:
    text = (part * MAX_TEXT)[:MAX_TEXT]
    assert isinstance(read_answer(text, VIEWS[0]), Illegal | Unreadable)
    assert isinstance(read_answer(f"{text}\n<answer>pass</answer>", VIEWS[0]), Unreadable)


def test_answers__of_a_seat_that_is_not_to_move_are_illegal() -> None:
    game = Game.deal(BIG2, seed=7)
    other = next(seat for seat in range(4) if seat != game.turn)
    assert read_answer("pass", game.view(other)) == Illegal("it is not your turn")
    assert read_answer("3C", game.view(other)) == Illegal("it is not your turn")
    assert read_answer("AS", game.view(), "zh-Hans") == Illegal(words(Language.HANS)("prompt.not_held", given="'AS'"))
