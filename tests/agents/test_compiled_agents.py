"""The compiled half of the agents against the reference engine: candidates, cover, sure wins, memory."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from outside_patterns import OUTSIDE
from random_games import random_games

from big2_agents.compiled.combos import fewest_plays, find_combos
from big2_agents.compiled.finish import DEPTH, find_finish
from big2_agents.compiled.from_view import Memory, to_cards
from big2_agents.compiled.plays import CANDIDATES, can_be_covered, find_candidates
from big2_agents.compiled.selfplay import PlayedGames
from big2_agents.compiled.slot_plays import MAX_CANDIDATES
from big2_agents.compiled.track import GAME, NOTHING, TRACK
from big2_env import BIG2, Game, PassLock, PatternRule, Play, RuleSet, Suits
from big2_env.cards import as_mask, iter_cards
from big2_env.climbing.patterns.flush import Flush
from big2_env.climbing.patterns.four_of_a_kind import FourOfAKind
from big2_env.climbing.patterns.straight import Straight
from big2_env.climbing.patterns.straight_flush import StraightFlush
from big2_env.climbing.rulesets import HONG_KONG
from big2_env.climbing.runs import RING
from big2_env.kernels.bits import U
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.packing import Positions
from big2_env.kernels.tables import as_record

BOMBS = HONG_KONG.with_patterns(
    PatternRule(FourOfAKind(), "four", 1, bomb=1),
    PatternRule(Straight(suits=Suits.MIXED), "five", 0),
    PatternRule(Flush(runs=RING), "five", 1),
    PatternRule(StraightFlush(), "five", 3),
)
"""Four cards cover everything, those of five cards too; runs go round the corner."""
RULES = pytest.mark.parametrize("rules", [BIG2, HONG_KONG, OUTSIDE, BOMBS], ids=["big2", "hong_kong", "outside", "bombs"])


LOCKED = replace(BIG2, pass_lock=PassLock.TRICK)


@cache
def workplace(rules: RuleSet) -> Any:
    """Tables and scratch of a ruleset."""
    return SimpleNamespace(
        tables=compile_tables(rules),
        game=as_record(np.zeros((), GAME)),
        track=as_record(np.zeros((), TRACK)),
        candidates=as_record(np.zeros((), CANDIDATES)),
        stack=np.zeros(DEPTH, CANDIDATES).view(np.recarray),
        patterns={rule.pattern.name: i for i, rule in enumerate(rules.patterns)},
    )


def list_candidates(rules: RuleSet, game: Game) -> Any:
    """The workplace of a ruleset with a game's position and its candidates."""
    at = workplace(rules)
    g = at.game
    Positions(rules, GAME).pack(game.position, g)
    at.track.left[:] = [hand.bit_count() for hand in game.position.hands]
    find_candidates(at.tables, g.hands[g.turn], g.top_category, g.top_power, g.obligation[0], at.candidates)
    return at


def places(rules: RuleSet, mask: int) -> Any:
    return U(Positions(rules, GAME).places(mask))


def cover_kernel(rules: RuleSet, unseen: int, play: Play, most: int = 52) -> bool:
    at = workplace(rules)
    category, power = np.int16(play.category), np.int16(play.power)  # the types that the kernels call it with
    return bool(can_be_covered(at.tables, places(rules, unseen), category, power, most))


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
def test_can_be_covered__is_what_the_unseen_cards_hold(rules: RuleSet) -> None:
    rng, answers = random.Random(3), [0, 0]
    plays = all_plays(rules)
    for _ in range(2500):
        unseen = suit_rich(rng)
        play = rng.choice(plays[rng.choice(list(plays))])
        sizes = {len(answer) for answer in rules.table.plays(unseen, play)}
        answers[bool(sizes)] += 1
        for most in (1, 4, 5, 52):
            true = min(sizes, default=53) <= most
            assert cover_kernel(rules, unseen, play, most) == true, (rules.text(unseen), play, most)
    assert min(answers) > 200


@pytest.mark.parametrize("rules", [HONG_KONG, BOMBS], ids=["hong_kong", "bombs"])
def test_can_be_covered__by_a_straight_flush_among_cards_of_its_suit(rules: RuleSet) -> None:
    suit = sum(1 << 4 * rank for rank in range(13))
    flushes = [play for play in rules.table.plays(suit) if play.pattern == "straight_flush"]
    assert len(flushes) >= 9
    for flush in flushes:
        for more in [0, *(1 << card for card in iter_cards(suit & ~flush.mask))]:
            for play in (all_plays(rules)["four_of_a_kind"][0], *flushes):
                true = next(rules.table.plays(flush.mask | more, play), None) is not None
                assert cover_kernel(rules, flush.mask | more, play) == true, (flush, rules.text(more), play)


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


def endings(rules: RuleSet, seeds: range) -> Iterator[Game]:
    """Games where the seat to move has a choice and few cards; the others hold what random play left them."""
    for game in random_games(rules, seeds):
        if not game.is_over and 2 <= game.position.hands[game.turn].bit_count() <= 8 and len(list(game.legal_plays())) > 1:
            yield game


def follow_finish(rules: RuleSet, game: Game) -> int | None:
    """The cards of the play that begins a sure win, `None` where none is found."""
    at = list_candidates(rules, game)
    found = int(find_finish(at.tables, at.game, at.track.left, at.candidates, at.stack))
    return None if found < 0 else to_cards(at.tables, int(at.candidates.mask[found]))


def redealt(game: Game, rng: random.Random) -> Game:
    """The game with the cards of the others dealt anew among them."""
    position = game.position
    others = [seat for seat in range(4) if seat != game.turn]
    cards = [card for seat in others for card in iter_cards(position.hands[seat])]
    rng.shuffle(cards)
    hands = list(position.hands)
    for seat in others:
        number = hands[seat].bit_count()
        hands[seat] = sum(1 << card for card in cards[:number])
        del cards[:number]
    return Game.from_position(game.ruleset, position._replace(hands=tuple(hands)))


def defended(game: Game, rng: random.Random, kind: str) -> Play:
    """What an opponent does: covers with the cheapest or the dearest play or with any, seldom passing."""
    acts = list(game.legal_plays())
    plays = [play for play in acts if play]
    if not plays or (kind == "random" and rng.random() < 0.3):
        return rng.choice(acts)
    if kind == "random":
        return rng.choice(plays)
    return max(plays, key=lambda play: (play.category, play.power)) if kind == "dear" else plays[0]


@RULES
def test_sure_wins__go_out_first_whatever_the_others_hold_and_do(rules: RuleSet) -> None:
    rng, sure, long, none = random.Random(1), 0, 0, 0
    for game in endings(rules, range(150)):
        seat, mask = game.turn, follow_finish(rules, game)
        if mask is None:
            none += 1
            continue
        sure += 1
        if mask == game.position.hands[seat]:
            continue
        long += 1
        for kind in ("dear", "cheap", "random", "random"):
            trial = redealt(game, rng)
            while not trial.is_over:
                if trial.turn == seat:
                    found = follow_finish(rules, trial)
                    assert found, f"{trial.position} is no sure win, one move before it was"
                    trial.play(found)
                else:
                    trial.push(defended(trial, rng, kind))
            outcome = trial.outcome
            assert outcome is not None
            assert outcome.winner == seat
    assert min(sure, long, none) > 20


def leading(rules: RuleSet, hands: list[str]) -> Game:
    """A game where seat 0 leads and all cards but those of the hands are played."""
    masks = tuple(as_mask(hand.split()) for hand in hands)
    played = (rules.deck.mask & ~sum(masks), 0, 0, 0)
    start = Game.deal(rules, 0).position
    return Game.from_position(
        rules,
        start._replace(hands=masks, turn=0, top=None, top_seat=None, passed=0, obligation=0, played=played, finished=()),
    )


@pytest.mark.parametrize(
    ("rules", "hands", "sure"),
    [
        (BIG2, ["C[3] H[2] S[2]", "C[A] D[A]", "D[K] H[K]", "C[Q] D[Q]"], True),  # the three goes last
        (BIG2, ["C[3] D[5] S[2]", "C[A] D[A]", "D[K] H[K]", "C[Q] D[Q]"], False),  # two low cards
        (BIG2, ["C[3] D[5] H[5]", "C[A]", "D[K]", "C[Q]"], True),  # nobody holds two cards
        (BIG2, ["C[3] D[5] H[5]", "C[A]", "D[K]", "C[Q] D[Q]"], False),
        (HONG_KONG, ["D[3] D[4] C[5] H[6] H[7] S[8]", "D[A] C[A] H[A] S[A]", "D[K]", "D[Q]"], True),
        (BOMBS, ["D[3] D[4] C[5] H[6] H[7] S[8]", "D[A] C[A] H[A] S[A]", "D[K]", "D[Q]"], False),  # four cards cover five
        (BOMBS, ["D[3] D[4] C[5] H[6] H[7] S[8]", "D[A] C[A] H[A]", "D[K]", "D[Q]"], True),
    ],
)
def test_sure_wins__are_found_where_only_the_last_play_can_be_covered(rules: RuleSet, hands: list[str], sure: bool) -> None:
    assert (follow_finish(rules, leading(rules, hands)) is not None) == sure


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
                game.push(missing_act(at, game, record))
            view, seat = game.view(), game.turn
            memories[row][seat].update(at.tables, view, at.patterns, at.game, tracks[row][seat])
            Memory().update(at.tables, view, at.patterns, at.game, fresh)
            for track in (tracks[row][seat], fresh):
                for name in TRACK.names or ():
                    np.testing.assert_array_equal(track[name], batch.tracks[row][name], err_msg=name)
            passes += int((batch.tracks[row].passed_on != NOTHING).any())
            game.play(mask)
        batch.choose(rows, chosen)
    assert passes > 50


def played(record: Any) -> int:
    return sum(int(mask).bit_count() for mask in record.played)


def missing_act(at: Any, game: Game, record: Any) -> Play:
    """The act that a batch made by itself: the only one there is, or a play of the cards that have gone since."""
    acts = list(game.legal_plays())
    if len(acts) == 1:
        return acts[0]
    gone = to_cards(at.tables, int(record.played[game.turn])) & ~game.position.played[game.turn]
    return next(play for play in acts if play.mask and not play.mask & ~gone)
