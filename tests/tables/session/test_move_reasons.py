"""A sentence about each suggested move: true, in three languages, and from the seat's own view alone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hidden_cards import exchanged
from random_games import random_games

from big2_env import Game, Play, View
from big2_env.agents.advice import Advice
from big2_env.base.cards import as_mask, iter_cards
from big2_env.base.language import Language, words
from big2_env.base.language.words import catalogue
from big2_env.climbing.auction import CALL, ROB, bid
from big2_env.climbing.certain_wins import certain_win
from big2_env.climbing.play import PASS
from big2_env.climbing.rulesets import available_rulesets
from big2_env.tables.session.move_reasons import DRAWBACKS, Because, MoveFacts, Reason, said, sentences
from big2_env.text.events import play_text

RULES = available_rulesets()
BIG2, DOU = "big2", "dou_dizhu"


def seen(name: str, hand: str, unseen: str = "", *, top: str = "", left: tuple[int, ...] = (), **more: Any) -> View:
    """The view of seat 0 to move, with these cards unseen and all others played."""
    rules = RULES[name]
    mine, others = as_mask(hand), as_mask(unseen)
    number = len(left) + 1 if left else rules.default_players
    left = left or (5,) * (number - 1)
    played = (rules.deck.mask & ~mine & ~others, *(0 for _ in left))
    given: dict[str, Any] = {"passed": 0, "obligation": 0, "pile_left": 0, "finished": (), "history": (), "outcome": None}
    beaten = rules.table.classify(as_mask(top))[0] if top else None
    given |= {"top": beaten, "top_seat": 1 if top else None} | more
    return View(ruleset=rules, seat=0, hand=mine, turn=0, cards_left=(mine.bit_count(), *left), played=played, **given)


def auction(name: str, hand: str, **more: Any) -> View:
    """The view of the first seat in an auction."""
    return seen(name, hand, left=(17,) * (RULES[name].default_players - 1), bidding=True, **more)


HIGH = "S[2] H[2] S[A]"
"""Unseen cards that beat most plays."""
JACKS = "C[J] D[J] H[J] S[J]"
CASES: list[tuple[Reason, View, str | Play, str]] = [
    (Reason.LAST_CARDS, seen(BIG2, "C[3] D[3]", HIGH), "C[3] D[3]", "plays your last cards"),
    (
        Reason.CALLS,
        auction(DOU, "BJ S[2] H[2] D[2] S[A] C[K] C[3]"),
        CALL,
        "your hand is strong enough for the landlord: BJ 2 2 2 A",
    ),
    (
        Reason.CALLS,
        auction("dou_dizhu_4p", "C[3] C[4]"),
        bid(3),
        "your hand is strong enough for the landlord",
    ),
    (Reason.DECLINES, auction(DOU, "S[A] C[K] C[3]"), PASS, "your hand is too weak for the landlord: only A"),
    (Reason.DECLINES, auction(DOU, "C[K] C[3]"), PASS, "your hand is too weak for the landlord"),
    (Reason.NO_ANSWER, seen(BIG2, "C[3] C[4]", HIGH, top="S[2]"), PASS, "you hold nothing that beats it"),
    (
        Reason.PARTNER_LEADS,
        seen(DOU, "C[A] C[4]", HIGH, top="S[7]", landlord=2),
        PASS,
        "your partner leads, let it pass",
    ),
    (Reason.SAVES_BOMB, seen(DOU, f"{JACKS} C[4]", HIGH, top="S[2]", landlord=1), PASS, "saves the bomb"),
    (
        Reason.SPLITS_ONLY,
        seen(BIG2, "S[A] H[A] C[3]", HIGH, top="S[K]"),
        PASS,
        "beating it would split equal cards, such as the pair of As",
    ),
    (Reason.SAVES_ANSWER, seen(BIG2, "C[3] S[2]", HIGH, top="S[K]"), PASS, "keeps single S[2] for later"),
    (
        Reason.THEN_OUT,
        seen(BIG2, "S[2] C[4] D[4]", "H[2] H[A] C[A]"),
        "S[2]",
        "no opponent can beat this, and the rest of your hand is one play",
    ),
    (
        Reason.ONE_CARD_HIGH,
        seen(BIG2, "C[3] S[K] D[9]", HIGH, left=(1, 5, 5)),
        "S[K]",
        "the next player has one card: plays high",
    ),
    (
        Reason.ONE_CARD_MORE,
        seen(BIG2, "C[3] D[3] S[K]", HIGH, left=(1, 5, 5)),
        "C[3] D[3]",
        "the next player has one card: leads more than one",
    ),
    (
        Reason.PARTNER_ONE_CARD,
        seen(DOU, "C[3] D[9] S[K] S[Q]", "S[2] H[2] S[A]", left=(1, 5), landlord=2),
        "C[3]",
        "your partner is next with one card: leads low",
    ),
    (Reason.UNBEATABLE, seen(BIG2, "S[2] C[3] D[9] C[9] S[4]", "H[2] H[A]"), "S[2]", "no opponent can beat this"),
    (
        Reason.TAKES_TRICK,
        seen(BIG2, "S[2] C[K] C[3] D[4] H[5] S[6] C[7]", "H[2] H[A]"),
        "S[2]",
        "takes the trick, then your straight goes",
    ),
    (Reason.GOES_IN, seen(BIG2, "C[9] D[9] C[J] C[3]", HIGH), "C[9]", "the rest of your hand goes in 3 plays"),
    (Reason.ONLY_ONE, seen(BIG2, "H[2] C[3] D[9]", "S[2] C[A]"), "H[2]", "only S[2] beats this"),
    (Reason.ONLY_ONE, seen(DOU, "S[2] C[3] D[9] H[10]", "BJ C[A] H[5]"), "S[2]", "only the big joker beats this"),
    (Reason.ONLY_ONE, seen(DOU, "S[K] C[3] D[9] H[10]", "S[A] C[4] H[5]"), "S[K]", "only A beats this"),
    (
        Reason.ONLY_ONE,
        seen(DOU, "S[2] C[3] D[9] H[10]", f"{JACKS} C[4] C[5] C[6] C[7]"),
        "S[2]",
        "only the bomb J J J J beats this",
    ),
    (
        Reason.ONLY_BOMBS,
        seen(DOU, "S[2] C[3] D[9] H[10]", f"{JACKS} C[4] D[4] H[4] S[4]"),
        "S[2]",
        "only a bomb beats this",
    ),
    (
        Reason.OVER_PARTNER,
        seen(DOU, "C[A] C[4] C[5]", f"{HIGH} BJ", top="S[7]", landlord=2),
        "C[A]",
        "takes the trick over from your partner",
    ),
    (
        Reason.BOMB,
        seen(DOU, f"{JACKS} C[3] C[4]", "C[A] D[A] H[A] S[A] BJ LJ", top="S[7]", landlord=0),
        JACKS,
        "plays a bomb",
    ),
    (
        Reason.SHEDS,
        seen(BIG2, "C[3] D[4] H[5] S[6] C[7] C[9]", "C[4] D[5] H[6] S[7] C[8] C[5] H[8] H[7] H[9]"),
        "C[3] D[4] H[5] S[6] C[7]",
        "sheds 5 cards at once",
    ),
    (
        Reason.BREAKS_BOMB,
        seen(DOU, f"{JACKS} C[3]", "C[A] D[A] C[2] D[2]", landlord=0),
        "C[J] D[J]",
        "breaks your bomb",
    ),
    (Reason.BREAKS_GROUP, seen(BIG2, "C[9] D[9] C[3]", HIGH), "C[9]", "breaks the pair of 9s"),
    (Reason.BREAKS_GROUP, seen(BIG2, "C[9] D[9] H[9] C[3]", f"{HIGH} H[A]"), "C[9] D[9]", "breaks the three 9s"),
    (Reason.BREAKS_PATTERN, seen(BIG2, "C[3] D[4] H[5] S[6] C[7] C[K]", HIGH), "C[3]", "breaks your straight"),
    (Reason.KEEPS_GROUP, seen(BIG2, "C[9] D[9] C[J] C[3]", HIGH, top="C[8]"), "C[J]", "keeps the pair of 9s"),
    (
        Reason.KEEPS_PATTERN,
        seen(BIG2, "C[3] D[4] H[5] S[6] C[7] C[K]", HIGH, top="D[6]"),
        "C[K]",
        "keeps your straight",
    ),
    (Reason.CHEAPEST, seen(BIG2, "C[9] C[J] C[3]", HIGH, top="C[8]"), "C[9]", "the lowest single that beats it"),
    (Reason.LOWEST, seen(BIG2, "C[9] C[J] C[3]", HIGH), "C[3]", "gets rid of your lowest card"),
    (Reason.HIGHEST, seen(BIG2, "C[9] C[J] C[3]", HIGH), "C[J]", "your highest single"),
    (Reason.BREAKS_NOTHING, seen(BIG2, "C[9] C[J] C[3]", HIGH), "C[9]", "breaks nothing in your hand"),
]


@pytest.mark.parametrize(("reason", "view", "move", "text"), CASES, ids=[case[3] for case in CASES])
def test_because__of_each_reason(reason: Reason, view: View, move: str | Play, text: str) -> None:
    play = move if isinstance(move, Play) else view.ruleset.table.classify(as_mask(move))[0]
    assert play in view.legal_plays()
    found = MoveFacts(view).because(play, is_best=reason not in DRAWBACKS)
    assert found.reason is reason
    assert said(view.ruleset, found, words(Language.EN)) == text


def test_cases__are_of_every_reason() -> None:
    assert {case[0] for case in CASES} == set(Reason) - {
        Reason.SURE,
        Reason.SURE_ORDER,
        Reason.OTHER_CALL,
        Reason.OTHER_DECLINE,
    }


def test_because__of_a_forced_win() -> None:
    tr = words(Language.EN)
    view = seen(BIG2, "C[9] D[9] C[3]", HIGH)
    assert sentences(view, [Advice(play, sure=True) for play in view.legal_plays() if play], tr)[0] == "wins for certain"
    view = seen(BIG2, "H[8] H[A] S[2]", "S[A] H[2]")
    order = certain_win(view)
    assert sentences(view, [Advice(order[0], sure=True)], tr) == [
        "wins for certain: " + ", then ".join(play_text(view.ruleset, play, tr) for play in order)
    ]


def test_because__a_rob_and_its_refusal_have_the_words_of_the_auction() -> None:
    view = auction(DOU, "S[A] C[K] C[3]", said=((1, 1),))
    assert [MoveFacts(view).because(play).reason for play in (ROB, PASS)] == [Reason.CALLS, Reason.DECLINES]


def test_sentences__call_a_hand_strong_or_weak_for_the_best_call_only() -> None:
    view = auction(DOU, "S[A] C[K] C[3]")
    both = [Advice(CALL), Advice(PASS)]
    tr = words(Language.EN)
    strong, other = sentences(view, both, tr)
    assert (strong, other) == ("your hand is strong enough for the landlord: A", "declines the landlord's seat")
    assert sentences(view, both[::-1], tr)[1] == "aims for the landlord's seat"


def test_because__with_a_draw_pile_no_cards_are_the_last() -> None:
    view = seen("qi_gui_521", "C[3]", HIGH, left=(1, 1), pile_left=9)
    assert MoveFacts(view).because(next(iter(view.legal_plays()))).reason is Reason.LOWEST


def beats(view: View, play: Play) -> set[int]:
    """The sets of unseen cards that beat a play, by trying each play of them."""
    rules = view.ruleset
    most = max(view.cards_left[seat] for seat in range(view.num_players) if seat not in view.team)
    most = max(most, rules.hand_size if view.pile_left else 0)
    return {one.mask for one in rules.table.plays(view.unseen) if len(one) <= most and rules.beats(one, play)}


def equal_cards(view: View, mask: int) -> list[int]:
    """The numbers of cards of each rank in a mask."""
    ranks = [card.rank for card in iter_cards(mask)]
    return [ranks.count(rank) for rank in set(ranks)]


def is_true(view: View, play: Play, found: Because) -> bool:
    """Whether the claim of a reason holds, by an enumeration of its own."""
    rules, reason, rest = view.ruleset, found.reason, view.hand & ~play.mask
    of_rank = {rank: view.hand & mask for rank, mask in enumerate(rules.order.rank_masks)}
    held, left = ({one.pattern for one in rules.table.plays(mask)} for mask in (view.hand, rest))
    bombs = {rule.pattern.name for rule in rules.patterns if rule.bomb or rule.bomb_per_card}
    same = [one for one in view.legal_plays() if one.pattern == play.pattern and len(one) == len(play)]
    match reason:
        case Reason.LAST_CARDS:
            return not rest and not view.pile_left
        case Reason.UNBEATABLE | Reason.THEN_OUT:
            out = reason is Reason.UNBEATABLE or bool(rules.table.classify(rest))
            return not beats(view, play) and out
        case Reason.TAKES_TRICK:
            longest = max(map(len, rules.table.plays(rest)))
            return not beats(view, play) and found.play is not None and len(found.play) == longest > 2
        case Reason.GOES_IN:
            return 0 < found.number <= rest.bit_count()
        case Reason.ONLY_ONE:
            return found.play is not None and beats(view, play) == {found.play.mask}
        case Reason.ONLY_BOMBS:
            by = beats(view, play)
            return bool(by) and all({one.pattern for one in rules.table.classify(mask)} & bombs for mask in by)
        case Reason.BREAKS_GROUP:
            return found.cards in of_rank.values() and 0 < (found.cards & play.mask).bit_count() < found.cards.bit_count()
        case Reason.KEEPS_GROUP:
            lower = any(one.power < play.power and one.mask & found.cards for one in same)
            return found.cards in of_rank.values() and not found.cards & play.mask and lower
        case Reason.BREAKS_PATTERN | Reason.BREAKS_BOMB:
            return found.pattern in held - left
        case Reason.KEEPS_PATTERN:
            return found.pattern in held & left
        case Reason.SPLITS_ONLY:
            return all(
                any(0 < (one.mask & mask).bit_count() < mask.bit_count() for mask in of_rank.values())
                for one in view.legal_plays()
                if one
            )
        case Reason.NO_ANSWER:
            return list(view.legal_plays()) == [PASS]
        case Reason.SAVES_BOMB:
            return all(one.pattern in bombs for one in view.legal_plays() if one)
        case Reason.SAVES_ANSWER:
            return found.play in view.legal_plays()
        case Reason.PARTNER_LEADS | Reason.OVER_PARTNER:
            return view.top_seat in view.team and view.top_seat != view.seat and bool(play) is (reason is Reason.OVER_PARTNER)
        case Reason.ONE_CARD_HIGH | Reason.HIGHEST:
            return all(one.power <= play.power for one in same)
        case Reason.CHEAPEST:
            return view.top is not None and all(one.power >= play.power for one in same)
        case Reason.LOWEST:
            return rules.order.lowest(view.hand) in list(iter_cards(play.mask))
        case Reason.SHEDS:
            return found.number == len(play)
        case Reason.BREAKS_NOTHING:
            return not any(0 < (mask & play.mask).bit_count() < mask.bit_count() for mask in of_rank.values())
        case Reason.BOMB:
            return play.pattern in bombs and view.top is not None
        case Reason.ONE_CARD_MORE | Reason.PARTNER_ONE_CARD:
            later = [(view.seat + step) % view.num_players for step in range(1, view.num_players)]
            follower = next(seat for seat in later if view.cards_left[seat] and not view.passed >> seat & 1)
            is_friend = follower in view.team
            return view.cards_left[follower] == 1 and view.top is None and is_friend is (reason is Reason.PARTNER_ONE_CARD)
        case Reason.CALLS | Reason.DECLINES:
            return bool(view.calls) and not found.cards & ~view.hand and play.is_pass is (reason is Reason.DECLINES)
    return False


def some(game: Game, most: int = 4) -> list[Play]:
    """Some of the legal moves, spread over all of them."""
    legal = list(game.legal_plays())
    return legal[:: max(1, len(legal) // most)]


@pytest.mark.parametrize("name", sorted(RULES))
def test_sentences__of_random_games_are_true_and_in_three_languages(name: str) -> None:
    rules = RULES[name]
    for game in random_games(rules, range(2)):
        if game.is_over:
            continue
        view, moves = game.view(), some(game)
        facts = MoveFacts(view)
        for play in moves:
            found = facts.because(play)
            texts = [said(rules, found, words(lang)) for lang in Language]
            assert len(set(texts)) >= 2
            assert all(texts)
            assert not any(set("{}") & set(text) for text in texts)
            assert re.search("[\u3400-\u9fff]", texts[0]) is None
            assert all(re.search("[\u3400-\u9fff]", text) for text in texts[1:])
            if view.unseen.bit_count() <= 24:  # with more cards the enumeration takes long
                assert is_true(view, play, found), (str(view), str(play), found)


@pytest.mark.parametrize("name", sorted(RULES))
def test_sentences__do_not_depend_on_hidden_cards(name: str) -> None:
    rules, compared = RULES[name], 0
    for number, game in enumerate(random_games(rules, range(2))):
        if game.is_over or number % 7:
            continue
        twin = exchanged(game, game.turn, number)
        if twin is not None:
            one, other = MoveFacts(game.view()), MoveFacts(twin.view(game.turn))
            assert [one.because(play) for play in some(game)] == [other.because(play) for play in some(game)]
            compared += 1
    assert compared > 1


def test_catalogue__speaks_of_no_formula() -> None:
    assert [key for key, texts in catalogue().items() if re.search("formula|公式", " ".join(texts.values()), re.I)] == []


def test_because__with_too_many_plays_to_compare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is said about what beats a move."""
    monkeypatch.setattr("big2_env.tables.session.move_reasons.TRIED", 0)
    view = seen(BIG2, "S[2] C[3] D[9]", "H[2] H[A]")
    assert MoveFacts(view).because(RULES[BIG2].play("S[2]")).reason is Reason.HIGHEST
