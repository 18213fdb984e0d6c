"""Certain wins: found where a brute force over orders finds one, and they win against every reply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, permutations

import pytest

from big2_env import BIG2, Game
from big2_env.base.rng import SplitMix64
from big2_env.climbing.certain_wins import certain_win
from big2_env.climbing.parts import LastCard
from big2_env.climbing.play import Play
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.view import View

RULES = {name: rules for name, rules in available_rulesets().items() if not rules.draw_pile}
MOST = 5
"""Cards in a hand whose orders are all tried."""


def parts(hand: int, plays: Sequence[Play]) -> Iterator[list[Play]]:
    """Yield the ways to split a hand into plays."""
    if not hand:
        yield []
    for play in plays:
        if play.mask & hand & -hand and not play.mask & ~hand:
            for others in parts(hand & ~play.mask, plays):
                yield [play, *others]


def may_be_refused(view: View, order: Sequence[Play]) -> bool:
    """Return True if a player with one card may follow a single that is not the highest one."""
    left = [left for seat, left in enumerate(view.cards_left) if seat != view.seat and left]
    if view.ruleset.last_card is LastCard.NONE or min(left) > len(order):
        return False
    hands = [sum(one.mask for one in order[i:]) for i in range(len(order))]
    return any(
        len(play) == 1 and any(len(one) == 1 for one in view.ruleset.table.plays(hand, play))
        for play, hand in zip(order, hands, strict=True)
    )


def is_certain(view: View, order: Sequence[Play]) -> bool:
    """Return True if no unseen cards interrupt an order of plays."""
    if may_be_refused(view, order):
        return False
    table, others = (
        view.ruleset.table,
        [seat for seat in range(view.num_players) if seat != view.seat and view.cards_left[seat]],
    )
    most, sums, cards = max(view.cards_left[seat] for seat in others), {0}, 0
    now = max((view.cards_left[seat] for seat in others if not view.passed >> seat & 1), default=0)
    for number, (play, then) in enumerate(pairwise(order)):
        rivals = [rival for rival in table.plays(view.unseen, play) if len(rival) <= most]
        if number or any(len(rival) <= now for rival in rivals):
            if not all(table.beats(then, rival) for rival in rivals):
                return False
            sums |= {number + len(rival) for number in sums for rival in rivals}
            for rival in rivals:
                cards |= rival.mask
    rivals_left = {view.cards_left[seat] for seat in others if seat not in view.team}
    return not any(left in sums and left <= cards.bit_count() for left in rivals_left)


def brute_force(view: View) -> bool:
    """Return True if some order of some plays of the hand is certain."""
    legal = {play.mask: play for play in view.legal_plays() if play}
    for plays in parts(view.hand, list(view.ruleset.table.plays(view.hand))):
        for first, *others in permutations(plays):
            if first.mask in legal and is_certain(view, [legal[first.mask], *others]):
                return True
    return False


def endings(name: str, number: int) -> Iterator[Game]:
    """Yield positions near the end of random games."""
    rules, rng, found, seed = RULES[name], SplitMix64(3), 0, 0
    while found < number:
        game = Game.deal(rules, seed)
        seed += 1
        while not game.is_over and found < number:
            view, plays = game.view(), list(game.legal_plays())
            if not view.bidding and 2 <= view.hand.bit_count() <= MOST:
                found += 1
                yield game
            longest = max(plays, key=len)
            game.push(plays[rng.below(len(plays))] if rng.below(3) == 0 else longest)


@pytest.mark.parametrize("name", sorted(RULES))
def test_certain_win__is_found_where_a_brute_force_finds_one(name: str) -> None:
    wins = 0
    for game in endings(name, 120):
        view = game.view()
        order = certain_win(view)
        assert bool(order) == brute_force(view), str(view)
        assert not order or is_certain(view, order)
        wins += bool(order)
    assert wins or name == "wu_gua_pi"


@pytest.mark.parametrize("name", ["big2", "tien_len", "dou_dizhu", "hong_kong"])
def test_certain_win__wins_against_random_replies(name: str) -> None:
    rng, played = SplitMix64(8), 0
    for game in endings(name, 200):
        order, seat = list(certain_win(game.view())), game.turn
        for _ in range(3 if order else 0):
            copy, rest = game.copy(), list(order)
            while not copy.is_over:
                plays = list(copy.legal_plays())
                if copy.turn == seat:
                    mask = rest.pop(0).mask
                    copy.push(next(play for play in plays if play.mask == mask))
                else:
                    answers = [play for play in plays if play] or plays
                    copy.push(answers[rng.below(len(answers))])
            assert copy.outcome is not None
            assert copy.outcome.payoffs[seat] > 0  # a teammate may be out first
            played += 1
    assert played


def test_certain_win__uses_a_high_card_over_whatever_beats_a_lower_one() -> None:
    game = Game.from_hands(BIG2, ["C[3]", "H[8] H[A] S[2]", "C[9] D[9]", "S[A] H[2]"])
    game = Game.from_position(BIG2, game.position._replace(obligation=0, turn=1))
    assert [str(play) for play in certain_win(game.view())] == []  # a hand of one card may go out by beating the ace
    game = Game.from_hands(BIG2, ["C[3] C[4]", "H[8] H[A] S[2]", "C[9] D[9]", "S[A] H[2]"])
    game = Game.from_position(BIG2, game.position._replace(obligation=0, turn=1))
    order = certain_win(game.view())
    assert sorted(map(str, order)) == ["single H[8]", "single H[A]", "single S[2]"]
    assert is_certain(game.view(), order)
