"""The compiled half of the agents against the reference engine: candidates, odds, sure wins, memory."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest
from compiled_hands import BOMBS, LOCKED, RULES, TRACK, list_candidates, missing_move, places, played, to_cards, workplace
from outside_patterns import OUTSIDE
from random_games import random_games

from big2_agents.kernels.card_features import fewest_plays, find_combos
from big2_agents.kernels.from_view import Memory
from big2_agents.kernels.plays import MAX_CANDIDATES, can_be_beaten
from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.kernels.track import NOTHING
from big2_env import BIG2, Game, Play, RuleSet
from big2_env.base.cards import iter_cards
from big2_env.climbing.rulesets import HONG_KONG
from big2_env.kernels.dialect.records import as_record


def beat_kernel(rules: RuleSet, unseen: int, play: Play, most: int = 52) -> bool:
    at = workplace(rules)
    category, power = np.int16(play.category), np.int16(play.power)  # the types that the kernels call it with
    return bool(can_be_beaten(at.tables, places(rules, unseen), category, power, most))


@RULES
def test_candidates__are_legal_plays_once_each_and_one_for_every_pattern_and_power(rules: RuleSet) -> None:
    for game in random_games(rules, range(60)):
        if game.is_over:
            continue
        at = list_candidates(rules, game)
        c = at.candidates
        legal = {play.mask: play for play in game.legal_plays()}
        assert int(c.count) < MAX_CANDIDATES
        masks = [to_cards(at.tables, int(mask)) for mask in c.mask[: c.count]]
        assert len(set(masks)) == len(masks)
        for mask, row, power in zip(masks, c.row[: c.count], c.power[: c.count], strict=True):
            if mask:
                assert power == legal[mask].power
                assert at.tables.row_pattern[row] == at.patterns[legal[mask].pattern]
        found = [(legal[mask].pattern, legal[mask].power) for mask in masks]
        assert set(found) == {(play.pattern, play.power) for play in legal.values()}
        assert masks.count(0) == game.can_pass
        if game.can_pass:
            assert masks[-1] == 0


@RULES
def test_candidates__too_many_keep_the_cheap_plays_and_the_pass(rules: RuleSet) -> None:
    hands = [sum(1 << (4 * rank + suit) for rank in range(13)) for suit in range(4)]
    game = Game.from_hands(rules, hands)
    game.push(next(iter(game.legal_plays())))
    for _ in range(4):
        at = list_candidates(rules, game)
        c = at.candidates
        legal = {play.mask for play in game.legal_plays()}
        masks = [to_cards(at.tables, int(mask)) for mask in c.mask[: c.count]]
        assert set(masks) <= legal
        assert {mask for mask in legal if mask.bit_count() == 1} <= set(masks)
        assert (0 in masks) == game.can_pass
        assert int(c.count) == min(len(legal), MAX_CANDIDATES - 1 + game.can_pass)
        if game.can_pass:
            game.pass_()


def suit_rich(rng: random.Random) -> int:
    """A set of up to 26 cards; some have many cards of one suit, or of few ranks."""
    number = rng.randint(1, 26)
    suit, ranks = rng.randrange(4), rng.sample(range(13), rng.randint(2, 7))
    kind = rng.randrange(4)
    cards = list(range(52))
    if kind == 1:
        cards = [card for card in cards if card % 4 == suit] + rng.sample(cards, 6)
    elif kind == 2:
        cards = [card for card in cards if card // 4 in ranks]
    return sum(1 << card for card in rng.sample(sorted(set(cards)), min(number, len(set(cards)))))


@cache
def all_plays(rules: RuleSet) -> dict[str, list[Play]]:
    """Many plays of each pattern, of random large hands."""
    rng = random.Random(5)
    found: dict[str, dict[tuple[int, int], Play]] = {rule.pattern.name: {} for rule in rules.patterns}
    for _ in range(30):
        hand = sum(1 << card for card in rng.sample(range(52), 26))
        for play in rules.table.plays(hand):
            found[play.pattern].setdefault((play.category, play.power), play)
    return {name: list(plays.values()) for name, plays in found.items() if plays}


@RULES
def test_can_be_beaten__is_what_the_unseen_cards_hold(rules: RuleSet) -> None:
    rng, answers = random.Random(3), [0, 0]
    plays = all_plays(rules)
    for _ in range(2500):
        unseen = suit_rich(rng)
        play = rng.choice(plays[rng.choice(list(plays))])
        sizes = {len(answer) for answer in rules.table.plays(unseen, play)}
        answers[bool(sizes)] += 1
        for most in (1, 4, 5, 52):
            true = min(sizes, default=53) <= most
            assert beat_kernel(rules, unseen, play, most) == true, (rules.text(unseen), play, most)
    assert min(answers) > 200


@pytest.mark.parametrize("rules", [HONG_KONG, BOMBS], ids=["hong_kong", "bombs"])
def test_can_be_beaten__by_a_straight_flush_among_cards_of_its_suit(rules: RuleSet) -> None:
    suit = sum(1 << 4 * rank for rank in range(13))
    flushes = [play for play in rules.table.plays(suit) if play.pattern == "straight_flush"]
    assert len(flushes) >= 9
    for flush in flushes:
        for more in [0, *(1 << card for card in iter_cards(suit & ~flush.mask))]:
            for play in (all_plays(rules)["four_of_a_kind"][0], *flushes):
                true = next(rules.table.plays(flush.mask | more, play), None) is not None
                assert beat_kernel(rules, flush.mask | more, play) == true, (flush, rules.text(more), play)


def true_fewest(rules: RuleSet, hand: int) -> int:
    """The fewest plays that put down a hand, by trying all."""

    @cache
    def fewest(rest: int) -> int:
        if not rest:
            return 0
        low = rest & -rest  # some play takes the lowest card
        return 1 + min(fewest(rest & ~play.mask) for play in rules.table.plays(rest) if play.mask & low)

    return fewest(hand)


def kernel_fewest(rules: RuleSet, hand: int) -> int:
    at = workplace(rules)
    mask = places(rules, hand)
    find_combos(at.tables, mask, at.candidates)
    return int(fewest_plays(at.tables, mask, at.candidates))


@RULES
def test_fewest_plays__is_never_too_low_and_exact_without_one_suited_plays(rules: RuleSet) -> None:
    rng, exact = random.Random(8), 0
    for _ in range(400):
        hand = sum(1 << card for card in rng.sample(range(52), rng.randint(1, 9)))
        true, found = true_fewest(rules, hand), kernel_fewest(rules, hand)
        assert true <= found <= hand.bit_count(), rules.text(hand)
        one_suited = any(
            len({card % 4 for card in iter_cards(play.mask)}) == 1 for play in rules.table.plays(hand) if len(play) > 4
        )
        larger = (1 for play in rules.table.plays(hand) if len({card // 4 for card in iter_cards(play.mask)}) > 1)
        if not one_suited and (rules is not OUTSIDE or sum(larger) <= 2):
            assert found == true, rules.text(hand)  # nine cards have room for one play of five, so two combinations suffice
            exact += 1
    assert exact > 200


@RULES
def test_fewest_plays__of_a_part_needs_no_combinations_of_its_own(rules: RuleSet) -> None:
    rng = random.Random(4)
    at = workplace(rules)
    for _ in range(200):
        hand = sum(1 << card for card in rng.sample(range(52), 10))
        part = sum(1 << card for card in rng.sample(list(iter_cards(hand)), 6))
        alone = kernel_fewest(rules, part)
        find_combos(at.tables, places(rules, hand), at.candidates)
        assert fewest_plays(at.tables, places(rules, part), at.candidates) == alone


@pytest.mark.parametrize(
    "rules", [BIG2, HONG_KONG, OUTSIDE, BOMBS, LOCKED], ids=["big2", "hong_kong", "outside", "bombs", "locked"]
)
def test_memory__of_a_view_is_the_one_kept_move_by_move(rules: RuleSet) -> None:
    at = workplace(rules)
    batch = PlayedGames(rules, 6)
    seeds = np.arange(6)
    batch.deal(seeds, np.full((6, 4), -1))
    games = [Game.deal(rules, int(seed)) for seed in seeds]
    memories = [[Memory() for _ in range(4)] for _ in games]
    tracks = [[as_record(np.zeros((), TRACK)) for _ in range(4)] for _ in games]
    fresh = as_record(np.zeros((), TRACK))
    rng, passes = random.Random(2), 0
    while len(rows := batch.advance()):
        chosen = np.array([rng.randrange(int(batch.candidates.count[row])) for row in rows])
        masks = [to_cards(at.tables, int(batch.candidates.mask[row, pick])) for row, pick in zip(rows, chosen, strict=True)]
        for row, mask in zip(rows, masks, strict=True):
            game, record = games[row], batch.games[row]
            while game.turn != record.turn or sum(game.position.played).bit_count() != played(record):
                game.push(missing_move(at, game, record))
            view, seat = game.view(), game.turn
            memories[row][seat].update(at.tables, view, at.patterns, at.game, tracks[row][seat])
            Memory().update(at.tables, view, at.patterns, at.game, fresh)
            for track in (tracks[row][seat], fresh):
                for name in TRACK.names or ():
                    np.testing.assert_array_equal(track[name], batch._tracks[row][name], err_msg=name)
            passes += int((batch._tracks[row].passed_on != NOTHING).any())
            game.play(mask)
        batch.choose(rows, chosen)
    assert passes > 50
