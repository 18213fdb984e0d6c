"""The compiled engine plays the whole family as the reference engine does: the comparison of `test_differential.py` again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import gymnasium
import numpy as np
import pytest

from big2_env import ConfigError, Game, IllegalPlayError, RuleSet, ruleset
from big2_env.base.cards import CARDS, DECK_108, Rank, iter_cards
from big2_env.base.errors import warn_once
from big2_env.base.rng import SplitMix64
from big2_env.climbing.actions import action_space
from big2_env.climbing.auction import Bid, CallRob
from big2_env.climbing.parts import Ending, Lead, Multiplier, PassLock, Refill, RefillOrder
from big2_env.climbing.position import lead_position
from big2_env.climbing.settlement import CapturedPoints, CardsLeft, PairwiseDifference, Settlement, StepTable, WinnerTakesOne
from big2_env.kernels.compile import check_compiles, compile_tables, only_readable
from big2_env.kernels.dialect.records import as_record
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.observe import SEAT
from big2_env.kernels.variants import variant_of
from big2_env.registration import env_ids
from big2_env.testing.differential import DisagreementError, compare, compare_positions

DOU, THREE, WU, QI = (ruleset(name) for name in ("dou_dizhu", "three_two_one", "wu_gua_pi", "qi_gui_521"))
FEW = DOU.without_patterns("triple_straight_singles", "triple_straight_pairs", "quad_two_singles", "quad_two_pairs")
STEPS = StepTable(((3, 1.5), (20, 4)))
CASES: dict[str, tuple[RuleSet, int | None]] = {
    "dou_dizhu": (DOU, None),
    "dou_dizhu_x": (ruleset("dou_dizhu_x"), None),
    "dou_dizhu_4p": (ruleset("dou_dizhu_4p"), None),
    "three_two_one": (THREE, None),
    "wu_gua_pi": (WU, 10),
    "qi_gui_521": (QI, None),
    "qi_gui_523": (ruleset("qi_gui_523"), 4),
    "bids, factors of a lead, unbeatable plays": (
        replace(
            FEW,
            auction=Bid(most=2, deals=4, forced_stake=3),
            multipliers=(Multiplier("bomb", 2, led=5), Multiplier("triple", 3, (3, 3))),
            auto_skip_unbeatable=True,
            pass_lock=PassLock.TRICK,
        ),
        None,
    ),
    "one deal, cards left in teams": (
        replace(
            FEW,
            auction=CallRob(deals=1, stake=5, rob_factor=3),
            scoring=CardsLeft(((8, 2),)),
            multipliers=(),
            spring=1,
            anti_spring=1,
        ),
        None,
    ),
    "two decks, a first play that the engine makes": (
        replace(
            THREE,
            deck=DECK_108,
            hand_size=27,
            ranks=tuple(Rank),
            lead=Lead.EXACT,
            auto_lead=True,
            scoring=StepTable(((3, 1.5),)),
        ),
        None,
    ),
    "any lead, dear cards": (
        replace(
            QI,
            draw_pile=False,
            hand_size=9,
            min_players=6,
            max_players=6,
            ending=Ending.FIRST_OUT,
            lead=Lead.ANY,
            scoring=PairwiseDifference(((5, 2.0),), ((CARDS[0], 3.0), (CARDS[53], 0.5))),
        ),
        None,
    ),
    "drawn after each play, points": (replace(QI, refill=Refill.AFTER_PLAY, scoring=CapturedPoints()), 3),
    "drawn one by one, locked for the round": (
        replace(WU, refill_order=RefillOrder.ROUND_ROBIN, pass_lock=PassLock.ROUND, scoring=CapturedPoints()),
        3,
    ),
    "drawn by ranks": (replace(QI, suits_compare=False, ranks_only=True, hand_size=12, max_players=4), 3),
    "seats that are out but not the first": (replace(QI, scoring=WinnerTakesOne()), 4),
    "unbeatable plays, one first play": (replace(WU, auto_skip_unbeatable=True, lead=Lead.EXACT, auto_lead=True), 5),
}


@pytest.mark.parametrize("name", CASES)
def test_family__agrees_with_the_reference_engine(name: str) -> None:
    rules, players = CASES[name]
    games, positions = (6, 6) if rules.name == name else (3, 4)
    done = compare(rules, games, every=32, num_players=players)
    done = done.plus(compare_positions(rules, positions, every=32, num_players=players))
    assert (done.games, done.positions) == (games, positions)
    assert done.decisions > 20 * games


FAULTS: dict[str, tuple[Callable[[Any], None], str]] = {
    "choices of kickers": (lambda t: np.add(t["kicker_choices"], 1, out=t["kicker_choices"]), "the legal actions"),
    "what is unbeatable": (lambda t: t["unbeatable"].fill(0) or t["auto_skip"].fill(1), "the legal actions"),
    "multipliers": (lambda t: t["row_factor"].fill(1), "the position"),
    "windows": (lambda t: t["window"].__setitem__(SEAT, t["window"][SEAT] + 1), "the observation"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_family__a_fault_in_the_tables_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change, what = FAULTS[fault]

    def tampered(rules: RuleSet, players: int) -> Any:
        array = np.frombuffer(bytearray(compile_tables(rules, players).tobytes()), variant_of(rules).tables).reshape(())
        change(array)
        return as_record(array)

    monkeypatch.setattr("big2_env.kernels.game_batch.compile_tables", tampered)
    with pytest.raises(DisagreementError, match=what):
        compare(DOU, 10, every=8)


def test_family__games_are_the_same_for_every_number_of_threads_and_deals_are_those_of_the_stream() -> None:
    one, three = (BatchEngine(WU, 7, num_players=3, threads=threads, dtype="float32") for threads in (1, 3))
    for engine in (one, three):
        engine.reset(seed=5)
    for row in range(7):
        seed = SplitMix64(SplitMix64(5 + row).next()).next()
        assert one.position(row) == Game.deal(WU, seed, 3).position
    assert one.play_random(90) == three.play_random(90) > 0
    assert one.games.tobytes() == three.games.tobytes()
    assert one.observation.tobytes() == three.observation.tobytes()
    assert one.mask.tobytes() == three.mask.tobytes()
    three.close()


def test_family__rollouts_end_and_pay_what_the_reference_engine_pays() -> None:
    engine = BatchEngine(DOU, 20, masks="ids")
    engine.reset(seed=3)
    payoffs = engine.rollouts()
    assert not payoffs.sum(axis=1).any()
    for row, paid in enumerate(payoffs):
        outcome = engine.game(row).outcome
        assert outcome is not None
        assert outcome.payoffs == tuple(paid)
    assert engine.play_random(1) == 0  # what is over was dealt anew, and goes on
    assert (engine.games.winner < 0).all()


@pytest.mark.parametrize("name", sorted(env_ids()))
def test_make_vec__gives_every_game_of_the_package(name: str) -> None:
    envs: Any = gymnasium.make_vec(name, num_envs=4, mode="self_play", masks="ids", skip_forced=True, copy=False).unwrapped
    _, infos = envs.reset(seed=1)
    ended = 0
    for step in range(120):
        assert "action_mask" not in infos
        counts, ids = envs.legal_ids()
        masks = envs.action_masks()
        assert (masks.sum(axis=1) == counts).all()
        assert not ((counts == 1) & (ids[:, 0] == 0)).any()
        assert all(masks[row, ids[row, : counts[row]]].all() for row in range(4))
        assert envs.engine.are_legal(ids[np.arange(4), step % counts]).all()
        _, _, terminated, _, infos = envs.step(ids[np.arange(4), step % counts])
        assert not infos["payoffs"][~terminated].any()
        ended += terminated.sum()
    assert ended


def test_family__what_is_not_legal_ends_the_game_or_is_refused() -> None:
    envs = gymnasium.make_vec("big2/DouDizhu-v0", num_envs=2, mode="self_play")
    _, infos = envs.reset(seed=1)
    seats = infos["seat"]
    _, reward, terminated, _, infos = envs.step(np.array([5, 0]))
    assert reward.tolist() == [-1, 0]
    assert terminated.tolist() == infos["illegal"].tolist() == [True, False]
    assert infos["payoffs"][0].tolist() == [-1.0 if seat == seats[0] else 0.0 for seat in range(3)]
    strict: Any = gymnasium.make_vec("big2/DouDizhu-v0", num_envs=2, mode="self_play", on_illegal="raise")
    strict.reset(seed=1)
    with pytest.raises(IllegalPlayError, match=r"row 0, action 5: .* the auction is not over"):
        strict.step(np.array([5, 0]))


@dataclass(frozen=True)
class OwnSettlement(Settlement):
    """A settlement that the kernels do not know."""

    def payoffs(self, standing: Any) -> tuple[float, ...]:
        return (0.0,) * len(standing.hands)


REFUSED: dict[str, tuple[RuleSet, dict[str, Any], str]] = {
    "long hands": (replace(QI, hand_size=24, max_players=2), {}, r"hands of 24 cards with suits \(limit 20\)"),
    "longer than a word": (
        replace(ruleset("dou_dizhu_4p"), min_players=3, max_players=3, hand_size=22),
        {},
        r"hands of 64 cards \(limit 63\)",
    ),
    "two decks": (replace(QI, deck=DECK_108), {}, "two decks with suits"),
    "deals": (replace(DOU, auction=CallRob(deals=5)), {}, "an auction of more than 4 deals"),
    "settlement": (replace(QI, scoring=OwnSettlement()), {}, r"the settlement OwnSettlement\(\)"),
    "factors": (
        replace(DOU, multipliers=(Multiplier("single", 3),)),
        {},
        "payoffs float64 holds exactly, up to",
    ),
    "players": (WU, {"num_players": 11}, "wu_gua_pi needs 2 to 10 players, got 11"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_family__says_what_it_does_not_serve(name: str) -> None:
    rules, options, message = REFUSED[name]
    with pytest.raises(ConfigError, match=message):
        check_compiles(rules, **options)
    if name in ("factors", "players"):
        with pytest.raises(ConfigError, match=message):
            BatchEngine(rules, 1, **options)
        return
    only_readable.cache_clear()
    warn_once.cache_clear()
    with pytest.warns(UserWarning, match=rf"{message}.*; the readable rules serve it"):
        engine = BatchEngine(rules, 2, masks="ids")
    engine.reset(seed=1)
    for _ in range(8):
        counts, ids = engine.legal_ids()
        for row, listed in enumerate(ids):
            legal = engine.game(row).legal_plays()
            assert listed[: counts[row]].tolist() == action_space(rules).ids(legal)
        engine.step(ids[:, 0].astype(np.int64))


def test_family__takes_a_factor_that_many_bombs_have_made() -> None:
    rules = ruleset("dou_dizhu_4p")
    deck = rules.deck.shuffled(0)
    game = Game.from_hands(rules, [deck[seat * 25 : seat * 25 + 25 + 8 * (seat == 3)] for seat in range(4)], landlord=3)
    hands = tuple(sum([1 << card for card in list(iter_cards(hand))[:6]]) for hand in game.position.hands)
    late = game.position._replace(hands=hands, factor=1 << 24)
    engine = BatchEngine(rules, 1, masks="ids")
    engine.set_position(0, late)
    assert engine.position(0) == late
    with pytest.raises(ConfigError, match="expected stakes whose payoffs float64 holds exactly"):
        engine.set_position(0, game.position._replace(factor=1 << 24))


def test_family__takes_positions_that_it_has_room_for() -> None:
    deck, *redeals = (DOU.deck.shuffled(seed) for seed in range(3))
    position = Game.from_deck(DOU, deck, redeals=redeals).position
    engine = BatchEngine(DOU, 1, masks="ids")
    engine.set_position(0, position)
    assert engine.position(0) == position
    with pytest.raises(ConfigError, match="3 further decks: dou_dizhu has 3 deals at most"):
        engine.set_position(0, position._replace(redeals=(*position.redeals, tuple(deck))))
    with pytest.raises(ConfigError, match="expected stakes whose payoffs float64 holds exactly"):
        engine.set_position(0, lead_position(DOU, position.hands, 0)._replace(stake=1 << 40))
