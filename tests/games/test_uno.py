"""UNO in plain Python: cards, rules, the automatic player, records, laws of whole games."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from rlcard_uno import card_of, move_of, positions
from uno_tables import R, set_up, texts

from big2_env import ConfigError, IllegalPlayError, NotationError, Refusal
from big2_env.games.uno import (
    DRAW,
    KEEP,
    NUM_MOVES,
    PRESETS,
    UnoEnd,
    UnoGame,
    UnoOutcome,
    UnoRules,
    automatic_move,
    card_text,
    move_text,
    parse_card,
    parse_move,
    uno_rules,
)
from big2_env.games.uno.cards import CARDS, DECK, parse_cards, points_of
from big2_env.notation.side_records import SideRecord, dumps, load, loads


def test_cards__are_the_108_of_the_article_and_every_text_is_read_back() -> None:
    counts = Counter(DECK)
    assert len(DECK) == 108
    assert len(counts) == len(CARDS) == 54
    kinds = Counter("number" if card % 15 < 10 else "action" if card % 15 < 13 else "wild" for card in DECK)
    assert kinds == {"number": 76, "action": 24, "wild": 8}
    assert sum(map(points_of, DECK)) == 8 * 45 + 24 * 20 + 8 * 50
    assert [parse_card(card_text(card)) for card in CARDS] == list(CARDS)
    assert [parse_move(move_text(move)) for move in range(NUM_MOVES)] == list(range(NUM_MOVES))
    assert [move_text(move) for move in (0, 12, 13, 14, 15, 59, 60, 61)] == [
        *("R[0]", "R[+2]", "W[wild] R", "W[+4] R", "Y[0]", "W[+4] G", "draw", "keep")
    ]  # the numbers of moves are kept for good
    for text in ("R[10]", "r[1]", "W[wild]", "W[+4] W", "R[1] R", "", "pass"):
        with pytest.raises(NotationError, match=r"expected a (UNO )?card"):
            parse_move(text)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"players": 15}, "expected 2 to 14 players, got 15: 15 hands of 7 leave fewer than ten of the 108 cards"),
        ({"players": 1}, "expected 2 to 14 players, got 1"),
        ({"players": "4"}, "expected 2 to 14 players, got '4'"),
        ({"colour_order": "best"}, "unknown colour_order 'best'; expected one of numbers_first, draw_order, actions_first"),
        ({"match_zero": "yes"}, "match_zero: expected True or False, got 'yes'"),
        ({"stack": True}, "unknown rule stack; expected players,"),
    ],
)
def test_rules__that_can_not_be_served_are_refused_with_what_is_allowed(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError) as error:
        uno_rules("article", **changes)
    assert str(error.value).startswith(says)
    with pytest.raises(ConfigError, match="unknown UNO rules 'home'; expected one of article, letter, table, mattel, rlcard"):
        uno_rules("home")


EFFECTS = [
    # rules, who moves after seat 0 has played the card, what seats 1 and 2 (or the last) then hold
    (R(players=3), "Y[5]", 1, (2, 2)),
    (R(players=3), "Y[skip]", 2, (2, 2)),
    (R(players=3), "Y[reverse]", 2, (2, 2)),
    (R(players=3), "Y[+2]", 2, (4, 2)),
    (R(players=3), "W[+4] Y", 2, (6, 2)),
    (R(players=3), "W[wild] Y", 1, (2, 2)),
    (R(players=2), "Y[reverse]", 0, (2,)),
    (R(players=2, pure_direction=True), "Y[reverse]", 1, (2,)),
    (R(players=2), "Y[+2]", 0, (4,)),
    (R(players=3, effects="draw_only"), "Y[+2]", 1, (4, 2)),
    (R(players=3, effects="draw_only"), "Y[skip]", 2, (2, 2)),
    (R(players=3, effects="none"), "Y[+2]", 1, (2, 2)),
    (R(players=3, effects="none"), "Y[skip]", 1, (2, 2)),
    (R(players=3, effects="none"), "Y[reverse]", 1, (2, 2)),
]


@pytest.mark.parametrize(("rules", "move", "turn", "held"), EFFECTS)
def test_card__has_the_effect_of_its_rules(rules: UnoRules, move: str, turn: int, held: tuple[int, ...]) -> None:
    card = move.split()[0]
    game = set_up(rules, [f"{card} G[1] G[2]", *["B[1] B[2]"] * (rules.players - 1)], "Y[4]")
    game.play(parse_move(move))
    assert (game.turn, tuple(map(len, game.hands[1:]))) == (turn, held)
    assert (game.direction == -1) == ("reverse" in move and rules.effects != "none")


LEGAL = [
    ("Y[1] B[7] R[0] W[+4] W[wild]", "Y[7]", R(), "Y[1] B[7] W[wild] draw"),
    ("B[7] R[0] W[+4]", "Y[7]", R(), "B[7] W[+4] draw"),
    ("B[7] R[0] W[+4]", "Y[7]", R(wild_four="last_resort"), "B[7] draw"),
    ("Y[1] W[+4]", "Y[7]", R(wild_four="free", draw_when_able=False), "Y[1] W[+4]"),
    ("B[1] W[+4]", "Y[7]", R(wild_four="last_resort", draw_when_able=False), "W[+4]"),
    ("B[1]", "Y[7]", R(draw_when_able=False), "draw"),
    ("B[0] R[1]", "Y[0]", R(match_zero=False), "draw"),
    ("B[0] Y[1] W[+4]", "Y[0]", PRESETS["letter"], "Y[1] W[+4] draw"),
]


@pytest.mark.parametrize(("hand", "first", "rules", "legal"), LEGAL)
def test_legal_moves__follow_the_rules(hand: str, first: str, rules: UnoRules, legal: str) -> None:
    game = set_up(rules, [hand, "R[1]"], first)
    assert {text.split()[0] for text in texts(game)} == set(legal.split())
    assert sum(text.startswith("W[wild]") for text in texts(game)) in (0, 4)


def first_cards(game: UnoGame, *top: str) -> list[int]:
    """A deck whose cards after the hands are these, the first one on top."""
    deck, wanted = list(DECK), [parse_card(card) for card in top]
    for card in wanted:
        deck.remove(card)
    hands = 7 * game.rules.players
    return [*deck[:-hands], *reversed(wanted), *deck[-hands:]]


@pytest.mark.parametrize(
    ("rules", "top", "shown", "turn"),
    [
        (R(), "W[wild] Y[skip] B[5]", "B[5]", 0),
        (R(players=3, official_first_card=True), "W[+4] Y[skip]", "Y[skip]", 1),
        (R(players=3, official_first_card=True), "Y[reverse]", "Y[reverse]", 2),
        (R(players=3, official_first_card=True), "Y[+2]", "Y[+2]", 1),
        (R(players=3, official_first_card=True, effects="none"), "Y[+2]", "Y[+2]", 0),
        (R(players=2, official_first_card=True), "Y[reverse]", "Y[reverse]", 1),
    ],
)
def test_first_card__is_turned_up_by_the_rules(rules: UnoRules, top: str, shown: str, turn: int) -> None:
    game = UnoGame(rules, first_cards(UnoGame.deal(rules, 1), *top.split()))
    assert (game.text(), game.turn) == (shown, turn)
    above = [parse_card(card) for card in top.split()[:-1]]
    drawn = 2 * (shown == "Y[+2]" and rules.effects == "mattel")
    assert len(game.hands[0]) == 7 + drawn
    if above:  # what was passed over lies on top of the pile, in its order
        assert game.pile[-len(above) :] == above[::-1]


def test_first_card__wild_lets_the_first_player_name_the_colour_and_then_play() -> None:
    rules = R(official_first_card=True)
    game = UnoGame(rules, first_cards(UnoGame.deal(rules, 1), "W[wild]"))
    assert texts(game) == ["W[wild] R", "W[wild] Y", "W[wild] B", "W[wild] G"]
    held = len(game.hands[0])
    game.play(parse_move("W[wild] B"))
    assert (game.turn, game.colour, game.turns, len(game.hands[0])) == (0, 2, 0, held)


def test_drawn_card__may_be_played_or_kept_by_the_same_seat() -> None:
    game = set_up(R(play_drawn=True), ["B[1] Y[2]", "R[1]"], "Y[7]", "R[1] Y[9]")
    game.play(DRAW)
    assert (game.turn, texts(game), game.turns) == (0, ["Y[9]", "keep"], 0)
    assert game.view(1).drawn is None
    game.play(KEEP)
    assert (game.turn, game.turns, len(game.hands[0])) == (1, 1, 3)
    game = set_up(R(play_drawn=True), ["B[1]", "R[1]"], "Y[7]", "R[1] G[9]")
    game.play(DRAW)  # does not fit
    assert (game.turn, game.turns) == (1, 1)


def test_empty_pile__ends_the_game_at_the_start_of_a_turn_or_at_once_or_is_made_anew() -> None:
    hands = ["B[1] B[2]", "G[1] G[2]"]
    game = set_up(R(play_drawn=True), hands, "Y[7]", "Y[9]")
    game.play(DRAW)
    assert texts(game) == ["Y[9]", "keep"]  # the last card is kept and may be played
    game.play(KEEP)
    assert game.outcome == UnoOutcome(UnoEnd.EXHAUSTED, (12, 3), (1,))
    game = set_up(R(play_drawn=True, pile_test="at_once"), hands, "Y[7]", "Y[9]")
    game.play(DRAW)
    assert game.is_over
    game = set_up(R(empty_pile="reshuffle"), hands, "Y[7]", "Y[9]", discards=list(parse_cards("G[5] B[6] Y[7]")))
    game.play(DRAW)
    assert (sorted(game.pile), game.discards) == (sorted(parse_cards("G[5] B[6]")), [parse_card("Y[7]")])
    game = set_up(R(), ["Y[1] Y[2]", "G[1] G[2]"], "Y[7]", "Y[9]")
    game.hands[0][0] = parse_card("Y[+2]")
    game.play(parse_move("Y[+2]"))  # a penalty larger than the pile takes what is left
    assert (len(game.hands[1]), game.is_over) == (3, True)


def test_outcome__shares_ties_and_pays_what_sums_to_zero() -> None:
    tie = UnoOutcome(UnoEnd.EXHAUSTED, (30, 10, 10), (1, 2))
    assert tie.winner == 1
    assert tie.payoffs() == (-0.5, 0.25, 0.25)
    assert tie.payoffs("points") == (-20, 10, 10)
    assert UnoOutcome(UnoEnd.OUT, (0, 10, 25), (0,)).payoffs("points") == (35, -10, -25)
    with pytest.raises(ConfigError, match="unknown scoring 'cards'; expected one of winner, points"):
        tie.payoffs("cards")
    for ties, winners in (("shared", (0, 1)), ("lowest_seat", (0,))):
        game = set_up(R(ties=ties), ["Y[1]", "G[0]"], "Y[7]")
        game.play(parse_move("Y[1]"))  # a hand of zeros counts 0, as an empty one does
        assert game.outcome is not None
        assert game.outcome.winners == winners
    for moves, scores in ((False, (0, 1)), (True, (0, 10))):
        game = set_up(R(last_card_acts=moves), ["Y[+2]", "G[1]"], "Y[7]", "R[0] R[4] R[5]")
        game.play(parse_move("Y[+2]"))
        assert game.outcome is not None
        assert game.outcome.scores == scores
        assert len(game.hands[1]) == (3 if moves else 1)


def test_refused_move__says_why_and_changes_nothing() -> None:
    game = set_up(R(draw_when_able=False), ["Y[1] B[2]", "R[1]"], "Y[7]")
    before = game.view()
    for move, refusal, says in (
        (parse_move("B[2]"), Refusal.DOES_NOT_COVER, "B[2] on Y[7]: expected one of Y[1]"),
        (parse_move("G[2]"), Refusal.NOT_IN_HAND, "G[2]: not in hand"),
        (DRAW, Refusal.MUST_PLAY, "draw: a card can be played"),
        (KEEP, Refusal.DOES_NOT_COVER, "keep on Y[7]"),
    ):
        with pytest.raises(IllegalPlayError) as error:
            game.play(move)
        assert error.value.refusal is refusal
        assert str(error.value).startswith(says)
        assert game.view() == before
    with pytest.raises(ConfigError, match="expected an action of 0 to 61, got 62"):
        game.play(62)
    with pytest.raises(ConfigError, match="expected a seat of 0 to 1, got 2"):
        game.view(2)


def test_view__has_nothing_of_what_is_hidden() -> None:
    """Other hands and the order of the pile may be exchanged, and the view stays the same."""
    game = UnoGame.deal(R(players=3), 5)
    for _ in range(20):
        game.play(automatic_move(game.view()))
    view = game.view()
    other = (game.turn + 1) % 3
    game.pile[0], game.hands[other][0] = game.hands[other][0], game.pile[0]
    game.pile.reverse()
    assert game.view() == view


def test_record__that_the_rules_contradict_is_refused_with_its_line() -> None:
    game = UnoGame.deal(PRESETS["mattel"], 3)
    while not game.is_over:
        game.play(automatic_move(game.view()))
    data = json.loads(dumps(SideRecord(game)))
    short = {**data, "acts": data["acts"][:-1], **dict.fromkeys(("winners", "reason", "scores"))}
    assert loads(json.dumps(short), UnoGame).game.outcome is None
    for change, says in (
        ({"schema": 2}, "expected game uno, schema 1, got '\"uno\"', '2'"),
        ({"game": "big2"}, "expected game uno, schema 1, got '\"big2\"', '1'"),
        ({"rules": {"players": 15}}, "rules: expected 2 to 14 players, got 15"),
        ({"rules": []}, "rules: expected an object, got '[]'"),
        ({"rules": {"rules": "home"}}, "rules: unknown UNO rules 'home'"),
        ({"stream": -1}, "stream: expected a whole number from 0 to 18446744073709551615"),
        ({"deck": data["deck"][5:]}, "the deck: "),
        ({"deck": "R[1]"}, "the deck: "),
        ({"acts": ["keep"]}, "move 1: "),
        ({"acts": ["fly"]}, "move 1: expected a"),
        ({"acts": ["draw"] * 30_001}, "too many moves: 30,001 (limit 30,000)"),
        ({"winners": [9]}, "winners '[9]': the moves give"),
        ({"scores": None}, "scores 'null': the moves give"),
        ({"winners": [bool(seat) for seat in data["winners"]]}, "winners '["),
    ):
        with pytest.raises(NotationError) as error:
            list(load(["", json.dumps({**data, **change})], UnoGame))
        assert str(error.value).startswith(f"line 2: {says}"), says
    with pytest.raises(ConfigError, match="extra key deck"):
        SideRecord(game, {"deck": 1})
    with pytest.raises(ConfigError, match="extra keys date"):
        dumps(SideRecord(game, {"date": object()}))


def test_rlcard_preset__has_the_legal_moves_of_rlcard() -> None:
    """In positions of RLCard's own random games; its transitions differ."""
    rules, compared = PRESETS["rlcard"], Counter[str]()
    for state, target, colour in positions(25, seed=3):
        raw = state["raw_obs"]
        hand = " ".join(card_text(card_of(one)) for one in raw["hand"])
        legal = set(map(move_of, raw["legal_actions"]))
        assert set(set_up(rules, [hand, "R[1]"], card_text(target), colour=colour).legal_moves()) == legal
        compared["wild" if target >= 60 else "other"] += 1
        compared["four"] += any(one % 15 == 14 for one in legal if one < DRAW)
    assert min(compared["wild"], compared["other"], compared["four"]) > 5


def test_rules__are_told_by_what_differs_from_the_recommended_ones() -> None:
    assert R().changed() == {"players": 2}
    for rules in PRESETS.values():
        assert uno_rules("article", **rules.changed()) == rules
    assert replace(PRESETS["table"], play_drawn=False) == PRESETS["article"]
