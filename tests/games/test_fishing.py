"""The fishing game: its rules play by play, its readings, the compiled engine beside the plain one, records."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from run_cli import run_cli

from big2_env import ConfigError, IllegalPlayError, NotationError
from big2_env.games.fishing import (
    DECK_54,
    LISTING,
    READINGS,
    CaptureOrder,
    FishingDeck,
    FishingEnd,
    FishingGame,
    FishingOutcome,
    FishingRules,
)
from big2_env.games.fishing.cards import JACK, RANKS, cards_text
from big2_env.games.fishing.game import Ends
from big2_env.games.fishing.kernels.loops import decide, play_deals, play_seeds
from big2_env.games.fishing.plays import CYCLE, UNDECIDED
from big2_env.games.fishing.small_decks import every_deal, survey
from big2_env.notation.side_records import SideRecord, dump, dumps, load, loads

ENDING = {name: rules for name, rules in READINGS.items() if not rules.j_on_empty}


def log(hands: str, plays: int, **options: object) -> str:
    """Plays in short: 0:3 is seat 0's 3, (3 4 3) what it captures, ! that it loses."""
    game = FishingGame.of_hands(hands, replace(LISTING, **options))  # type: ignore[arg-type]
    words = []
    for play in (game.play() for _ in range(plays)):
        captured = f"({cards_text(play.captured)})" if play.captured else ""
        words.append(f"{play.seat}:{RANKS[play.card]}{captured}{'' if play.loser is None else '!'}")
    return " ".join(words)


def test_play__captures_from_the_equal_card_on_and_a_jack_all() -> None:
    hands = "2 4 3 A 5 | 3 5 4 J Q"
    assert log(hands, 10) == "0:2 1:3 0:4 1:5 0:3(3 4 5 3) 0:A 1:4 0:5 1:J(2 A 4 5 J) 1:Q"
    game = FishingGame.of_hands(hands)
    plays = [game.play() for _ in range(9)]
    assert str(plays[4]) == "5 seat 0 plays 3, captures 3 4 5 3"
    assert str(game.state) == "3 4 5 3 | Q 2 A 4 5 J | board - | seat 1"
    last = FishingGame.of_hands("2 | 3")
    assert str(last.play()) == "1 seat 0 plays 2; seat 0 has no cards and loses"


@pytest.mark.parametrize(
    ("hands", "options", "plays"),
    [
        ("J 3 | J 3", {}, "0:J 1:J(J J) 1:3 0:3(3 3) 0:3 1:J(3 J)"),  # on an empty board a J lies like any card
        ("J 3 | J 3", {"j_on_empty": True}, "0:J(J) 0:3 1:J(3 J) 1:3"),
        ("2 J | 3 4", {}, "0:2 1:3 0:J(2 3 J)"),
        ("2 J | 3 4", {"j_power": False}, "0:2 1:3 0:J!"),
        ("2 2 | 3 3", {}, "0:2 1:3 0:2(2 3 2) 0:2 1:3!"),  # the last card is safe where it captures
        ("2 2 | 3 3", {"empty_first": True}, "0:2 1:3 0:2!"),
        ("2 2 | 3 3", {"again": False}, "0:2 1:3 0:2(2 3 2) 1:3!"),
        ("2 5 2 9 | 3 4 6 6", {}, "0:2 1:3 0:5 1:4 0:2(2 3 5 4 2) 0:9 1:6 0:2 1:6(6 2 6) 1:6 0:3"),
        (
            "2 5 2 9 | 3 4 6 6",
            {"order": CaptureOrder.REVERSED},
            "0:2 1:3 0:5 1:4 0:2(2 3 5 4 2) 0:9 1:6 0:2 1:6(6 2 6) 1:6 0:4",
        ),
    ],
)
def test_reading__changes_what_it_names(hands: str, options: dict[str, object], plays: str) -> None:
    assert log(hands, len(re.sub(r"\(.*?\)", "", plays).split()), **options) == plays


@pytest.mark.parametrize("name", ENDING)
def test_laws__of_every_play(name: str) -> None:
    rules = ENDING[name]
    for seed in range(4):
        game = FishingGame.deal(rules, seed)
        assert len(game.start[0]) == rules.deck.size // 2
        number = 0
        for number, play in enumerate(game.play_all(), start=1):
            (first, second), board, turn = game.state
            assert play.number == number
            assert sorted([*first, *second, *board]) == list(rules.deck.cards)
            if not rules.empty_first or play.loser is None:
                assert len(set(board)) == len(board) <= 14
                assert JACK not in board[1:] or not rules.j_power
            if play.captured:
                assert play.captured[-1] == play.card
                assert play.card in (play.captured[0], JACK)
                assert len(play.captured) > 1
            assert (turn == play.seat) == (bool(play.captured) and rules.again)
            assert (play.loser is None) == bool(first and second)
        assert game.loser is not None
        winner = len(game.hands[1 - game.loser])
        assert winner >= rules.deck.size - 14 - rules.empty_first
        assert number == game.plays
        with pytest.raises(IllegalPlayError, match=f"the game is over: seat {game.loser} has lost after {number} plays"):
            game.play()
        assert game.plays == number


def test_jack__changes_hands_only_by_way_of_an_empty_board() -> None:
    """The argument of `analysis.chain`: where no J was put onto an empty board, it goes back under its own player's hand."""
    exposed = 0
    for seed in range(20):
        game = FishingGame.deal(seed=seed)
        before = [list(hand).count(JACK) for hand in game.hands]
        cleared_by: int | None = None
        for play in game.play_all():
            empty = game.board[:1] == [play.card] and len(game.board) == 1 and not play.captured
            after = [list(hand).count(JACK) for hand in game.hands]
            if play.card == JACK and empty:
                exposed += 1
                assert cleared_by == play.seat or play.number == 1
            elif play.card == JACK:
                assert after[play.seat] >= before[play.seat]
                assert after[1 - play.seat] == before[1 - play.seat]
            cleared_by = play.seat if play.captured and not game.board else None
            before = after
    assert exposed > 20


@pytest.mark.parametrize("name", ENDING)
def test_engines__agree_on_every_reading(name: str) -> None:
    rules = ENDING[name]
    plays, ends = play_seeds(rules, 1000, 40)
    for seed, number, end in zip(range(1000, 1040), plays.tolist(), ends.tolist(), strict=True):
        assert FishingGame.deal(rules, seed).play_out() == FishingOutcome(FishingEnd.EMPTY_HAND, number, end)
    deals = np.array([rules.deck.shuffled(seed) for seed in range(1000, 1040)], np.uint8)
    assert all(map(np.array_equal, play_deals(rules, deals), (plays, ends)))
    assert all(map(np.array_equal, play_seeds(rules, 1000, 40, watch_cycles=False), (plays, ends)))


@st.composite
def small_games(draw: st.DrawFn) -> FishingGame:
    ranks = draw(st.lists(st.sampled_from(range(14)), min_size=2, max_size=20).filter(lambda cards: len(cards) % 2 == 0))
    jacks = draw(st.integers(0, 2)) * 2
    cards = draw(st.permutations([*ranks, *[JACK] * jacks]))
    power = draw(st.booleans())
    order, empty_first, again = draw(st.tuples(st.sampled_from(CaptureOrder), st.booleans(), st.booleans()))
    on_empty = power and draw(st.booleans())
    rules = FishingRules(FishingDeck.of(cards), order, empty_first, on_empty, power, again)
    return FishingGame(rules, rules.deck.halves(cards))


@settings(max_examples=100)
@given(small_games())
def test_engines__agree_on_any_small_game_and_its_period(game: FishingGame) -> None:
    plain = FishingGame(game.rules, game.start).play_out(4_000)
    compiled = decide(game.rules, game.start, max_plays=1_000_000)
    if plain.end is FishingEnd.UNDECIDED:
        assert compiled.end is not FishingEnd.EMPTY_HAND or (compiled.plays or 0) > 4_000
    else:
        assert compiled == plain


def test_engines__give_up_at_the_same_capture() -> None:
    for seed in range(30):
        for most in (1, 50, 200):
            assert FishingGame.deal(seed=seed).play_out(most) == decide(LISTING, DECK_54.deal(seed), max_plays=most)
    plays, ends = play_seeds(games=100, max_plays=200)
    assert set(ends.tolist()) == {0, 1, UNDECIDED}
    assert plays[ends == UNDECIDED].min() >= 200


@pytest.mark.parametrize(
    ("deck", "deals", "cyclic", "periods"),
    [
        ("2x2 3x2 Jx2", 90, 0, set()),
        ("2x4 3x4", 70, 10, {8}),
        ("2x2 3x2 4x2 Jx2", 2_520, 24, {18}),
        ("2x4 3x4 Jx2", 3_150, 182, {7}),
        ("2x3 3x3 4x3 Jx1", 16_800, 2_634, {13, 66, 29, 7}),
        ("2x2 3x2 4x2 5x2 Jx2", 113_400, 552, {102}),
        ("2x4 3x4 4x4", 34_650, 5_988, {104, 12}),
        ("2x4 3x4 Jx4", 34_650, 130, {12}),
    ],
)
def test_small_decks__have_the_cycles_that_the_exhaustive_search_found(
    deck: str, deals: int, cyclic: int, periods: set[int]
) -> None:
    found = survey(deck)
    assert (found.deals, found.cyclic, found.undecided) == (deals, cyclic, 0)
    # Of the deck with eight different periods the table has the four commonest.
    assert set(list(found.periods)[: len(periods)]) == periods
    assert len(found.periods) == (8 if len(periods) == 4 else len(periods))
    assert sum(found.periods.values()) == cyclic


def test_small_decks__deals_are_all_there_and_all_different() -> None:
    deck = FishingDeck.parse("2x3 3x2 Jx1")
    deals = every_deal(deck)
    assert len({tuple(row) for row in deals.tolist()}) == len(deals) == 60
    assert (np.sort(deals, axis=1) == deck.cards).all()
    with pytest.raises(ConfigError, match="the deck 54 has too many deals:"):
        every_deal(DECK_54)


@pytest.mark.parametrize(("hands", "period"), [("2 2 2 3 | 3 3 2 3", 8), ("2 2 3 J | 4 3 4 J", 18)])
def test_cycle__is_found_with_its_least_period_by_both_engines(hands: str, period: int) -> None:
    game = FishingGame.of_hands(hands)
    assert game.play_out() == FishingOutcome(FishingEnd.CYCLE, None, period=period) == decide(game.rules, game.start)
    states = [(game.play(), game.state)[1] for _ in range(3 * period)]
    assert states[:period] == states[period : 2 * period] == states[2 * period :]
    assert len(set(states[:period])) == period
    out = run_cli("fishing", "play", "--hands", hands).out
    assert f"it repeats itself every {period} plays\n" in out


def test_degenerate_reading__is_refused_without_cycle_detection() -> None:
    rules = READINGS["j on empty"]
    line = "j_on_empty needs cycle detection, because most such games never end"
    with pytest.raises(ConfigError, match=line):
        FishingGame.deal(rules).play_out(watch_cycles=False)
    with pytest.raises(ConfigError, match=line):
        play_seeds(rules, watch_cycles=False)
    assert run_cli("fishing", "simulate", "--j-on-empty", "--no-cycles") == (2, "", f"big2: {line}\n")
    _, ends = play_seeds(rules, 0, 60, max_plays=100_000)
    assert (ends < CYCLE).sum() < 20 < (ends == UNDECIDED).sum() < 60
    assert CYCLE in ends


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (
            lambda: FishingDeck.parse("2x4 3x5x"),
            ConfigError,
            "deck '2x4 3x5x', at '3x5x': expected 54, 52, or each rank once with its",
        ),
        (lambda: FishingDeck.parse("2x4 2x4"), ConfigError, "at '2x4'"),
        (lambda: FishingDeck.parse("2x3"), ConfigError, "expected an even number of cards from 2 to 64, got a deck of 3"),
        (lambda: FishingDeck.parse(""), ConfigError, "expected an even number of cards from 2 to 64, got a deck of 0"),
        (
            lambda: FishingDeck.parse("2x60 3x60"),
            ConfigError,
            "expected an even number of cards from 2 to 64, got a deck of 120",
        ),
        (lambda: FishingGame.of_hands("2 3"), NotationError, "'2 3': allowed are two hands with a | between them"),
        (
            lambda: FishingGame.of_hands("2 C[3] | 3 4"),
            NotationError,
            r"expected a card of the fishing game, 2 3 4 5 6 7 8 9 10 J Q K A W, got 'C\[3\]'",
        ),
        (lambda: FishingGame.of_hands("2 3 4 | 5"), ConfigError, "expected two hands of one size, got 3, 1 cards"),
        (lambda: FishingGame(LISTING, [[0], [1]]), ConfigError, "expected the cards of the deck 54, got '2 3'"),
        (
            lambda: FishingRules(j_on_empty=True, j_power=False),
            ConfigError,
            "j_on_empty needs j_power=True: a J without power captures nothing",
        ),
        (
            lambda: FishingRules(order="board"[:3]),
            ConfigError,
            "unknown order 'boa'; expected one of <CaptureOrder.BOARD: 'board'>,",
        ),  # type: ignore[arg-type]
        (lambda: play_seeds(max_plays=0), ConfigError, "expected max_plays of at least 1, got 0"),
        (lambda: play_deals(LISTING, np.zeros((1, 54), np.uint8)), ConfigError, "each row the 54 cards of the deck 54"),
    ],
)
def test_error__says_what_is_allowed(given: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        given()  # type: ignore[operator]


def test_repr__of_rules_and_decks_rebuilds_them() -> None:
    names = {"FishingRules": FishingRules, "FishingDeck": FishingDeck, "CaptureOrder": CaptureOrder}
    for rules in [*READINGS.values(), LISTING.with_deck("2x4 10x2 Wx2")]:
        assert eval(repr(rules), names) == rules
        assert FishingDeck.parse(str(rules.deck)) == rules.deck
    assert len(RANKS) == 14


def test_records__are_written_read_and_played_again() -> None:
    wanted = [
        SideRecord(FishingGame(rules, rules.deck.deal(seed), 5000), {"seed": seed})
        for rules in READINGS.values()
        for seed in (1, 2)
    ]
    wanted.append(SideRecord(FishingGame.of_hands("2 2 2 3 | 3 3 2 3")))
    file = StringIO()
    assert dump(wanted, file) == len(wanted)
    found = list(load(file.getvalue(), FishingGame))
    assert list(map(dumps, found)) == list(map(dumps, wanted))
    assert {record.game.result.end for record in found} == set(FishingEnd)
    for record in found:
        game = record.game
        if game.captures is not None:
            assert game.result.plays is not None
            assert sum(game.captures) <= game.result.plays + game.rules.deck.size * len(game.captures)
    again = run_cli("fishing", "play", "--seed", "2", "--games", "2", "--log", "jsonl").out
    assert [record.extra["seed"] for record in load(again, FishingGame)] == [2, 3]
    assert loads(again.splitlines()[0], FishingGame).game.start == DECK_54.deal(2)


@pytest.mark.parametrize("plain_plays", [0, 300, 10**6])
@pytest.mark.parametrize("rules", [LISTING, replace(LISTING, j_on_empty=True)], ids=repr)
def test_ends__are_the_same_in_plain_python_and_compiled(rules: FishingRules, plain_plays: int) -> None:
    ends = Ends(plain_plays)
    for seed in range(6):
        for most in (200, 20_000):
            assert ends.decide(rules, DECK_54.deal(seed), max_plays=most) == decide(rules, DECK_54.deal(seed), max_plays=most)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("plays", 1, "plays '1': the rules give"),
        ("loser", True, "loser 'true': the rules give"),
        ("period", 8, "period '8': the rules give 'null'"),
        ("captures", [2], r"captures '\[2\]': the rules give"),
        ("schema", 2, "expected game fishing, schema 1, got '\"fishing\"', '2'"),
        ("game", "uno", "expected game fishing, schema 1, got '\"uno\"', '1'"),
        ("hands", "2 3 | 4 5", "expected hands of the rules' deck 54, got hands of 2x1 3x1 4x1 5x1"),
        ("hands", None, "hands: expected a text"),
        ("max_plays", 10**12, "expected max_plays of 1 to 30,000,000, got 1000000000000"),
        ("rules", {}, "rules: expected deck, order, and true or false for empty_first"),
    ],
)
def test_records__that_the_rules_contradict_are_refused(key: str, value: object, message: str) -> None:
    data = json.loads(dumps(SideRecord(FishingGame.deal(seed=3))))
    with pytest.raises(NotationError, match=f"line 2: {message}"):
        list(load("\n" + json.dumps(data | {key: value}), FishingGame))
