"""Frozen decisions: they are what was published, legal, and regret is what the page says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hidden_cards import exchanged
from places import script

from big2_agents.evaluation.positions.decisions import (
    PROTOCOLS,
    Kind,
    MoveValues,
    decisions,
    parse,
    positions_rulesets,
    seed_of,
)
from big2_agents.learned.playouts import PolicyPlayouts
from big2_env import BIG2, ConfigError, Game
from big2_env.agents.seeds import agent_seed
from big2_env.base.rng import SplitMix64
from big2_env.climbing.actions import action_space
from big2_env.climbing.rulesets import own_rulesets, ruleset

choosing = script("choosing")
SEED = seed_of(PROTOCOLS[0])
FROZEN = {
    "big2-positions v1": {
        "big2": "f9684e18b71b",
        "capsa": "e2f1478aa051",
        "chu_da_di": "ed661df49e0d",
        "dou_dizhu": "238b159f0e25",
        "dou_dizhu_4p": "056553468ff1",
        "dou_dizhu_x": "dce4f81b0b04",
        "hong_kong": "5c762fb7203b",
        "pao_de_kuai": "7e118c0a2ce0",
        "pusoy_dos": "499d5d0bac9c",
        "qi_gui_521": "5bbcddb0e9d1",
        "qi_gui_523": "3d47d97bc7cf",
        "taiwan": "bf26e5eca0f1",
        "three_two_one": "b7d894447932",
        "tien_len": "1a18cb8e690d",
        "wu_gua_pi": "fda7d7722e88",
    },
    "big2-positions v2": {"pao_de_kuai": "d7ab1a1c7137", "taiwan": "5bd00ec567ea"},
}
"""Hashes by version. Where this test fails, the protocol is another one and needs another name."""
NAMES = [(protocol, name) for protocol in PROTOCOLS for name in positions_rulesets(protocol)]


def test_decisions__are_those_that_were_published() -> None:
    found = {
        protocol: {name: decisions(name, protocol).hash for name in positions_rulesets(protocol)} for protocol in PROTOCOLS
    }
    assert found == FROZEN
    assert all(decisions(name, protocol).protocol == protocol for protocol, name in NAMES)


def test_newest_decisions__have_the_rules_of_today() -> None:
    newest = {name: protocol for protocol, name in NAMES}
    assert {name: decisions(name, protocol).ruleset for name, protocol in newest.items()} == own_rulesets()


@pytest.mark.parametrize(("protocol", "name"), NAMES)
def test_decisions__have_all_legal_moves_and_the_kinds_that_they_name(protocol: str, name: str) -> None:
    asked = decisions(name, protocol)
    space = action_space(asked.ruleset)
    assert len(asked.items) == 300
    kinds = Counter(item.kind for item in asked.items)
    assert {kind: number for kind, number in kinds.items() if number < choosing.quota_of(asked.ruleset).get(kind, 0)} in (
        {},
        {Kind.ENDING: kinds[Kind.ENDING]},
    )
    for item in asked.items[::10]:
        game = item.game(asked.ruleset, asked.num_players)
        position = game.position
        assert tuple(sorted(set(space.ids(game.legal_plays())))) == item.actions
        assert len(item.actions) == len(item.first) == len(item.second) > 1
        assert position.bidding == (item.kind is Kind.BIDDING)
        if item.kind in (Kind.LEADING, Kind.ANSWERING):
            assert (position.top is None) == (item.kind is Kind.LEADING)
    for item in asked.items:
        if item.kind is Kind.ENDING:
            highest = max(*item.first, *item.second)
            assert any(pair == (highest, highest) for pair in zip(item.first, item.second, strict=True))


def test_unknown_ruleset__is_one_line() -> None:
    with pytest.raises(ConfigError, match=r"no decisions of 'poker' in big2-positions v1; expected one of .*big2"):
        decisions("poker")


def test_regret__of_pure_noise_is_0_on_average_where_the_largest_mean_is_not() -> None:
    rng = np.random.default_rng(3)
    crossed, naive = [], []
    for _ in range(2000):
        first, second = rng.normal(size=(2, 8)).round(6).tolist()
        item = MoveValues(tuple(range(8)), tuple(first), tuple(second))
        crossed.append(item.regret(0))
        naive.append(max((a + b) / 2 for a, b in zip(first, second, strict=True)) - item.value(0))
    assert abs(np.mean(crossed)) < 0.1 < 0.8 < np.mean(naive)


def test_regret__of_a_clearly_best_move_is_0_and_of_others_their_distance() -> None:
    item = MoveValues((0, 3, 8), (1.0, 0.5, -1.0), (0.9, 0.4, -0.8))
    assert [item.regret(action) for action in item.actions] == pytest.approx([0.0, 0.5, 1.85])
    assert item.worst == pytest.approx(1.85)


@pytest.fixture(scope="module")
def judge() -> PolicyPlayouts:
    return PolicyPlayouts(BIG2, 4)


@pytest.mark.long
def test_values__are_repeated_by_the_seed_and_blind_to_hidden_hands(judge: PolicyPlayouts) -> None:
    item = next(item for item in decisions("big2").items if item.kind is Kind.ANSWERING and len(item.history) > 12)
    game = item.game(BIG2, 4)
    view = game.view()
    found = judge.payoffs(view, item.actions, 8, agent_seed(view, salt=SEED))
    assert found.shape == (len(item.actions), 8, 4)
    assert np.allclose(found.sum(2), 0.0, atol=1e-6)
    assert np.array_equal(found, judge.payoffs(view, item.actions, 8, agent_seed(view, salt=SEED)))
    assert not np.array_equal(found, judge.payoffs(view, item.actions, 8, 1))
    twin = exchanged(game, game.turn, 5)
    assert twin is not None
    other = twin.view()
    assert np.array_equal(found, judge.payoffs(other, item.actions, 8, agent_seed(other, salt=SEED)))


def test_values__of_a_move_that_empties_the_hand_are_the_payoff(judge: PolicyPlayouts) -> None:
    game = Game.from_hands(BIG2, ["S[2] C[3]", "C[4] C[5]", "C[6] C[7]", "C[8] C[9]"])
    for play in ("C[3]", "C[4]", "C[6]", "C[8]"):
        game.play(play)
    view = game.view()
    actions = sorted(action_space(BIG2).ids(view.legal_plays()))
    paid = judge.payoffs(view, actions, 16, 7)
    wins = actions.index(action_space(BIG2).of_play(game.verify_play("S[2]"), view.hand))
    assert (paid[wins, :, view.seat] == 1).all()
    assert (paid[1 - wins, :, view.seat] == np.float32(-1 / 3)).any()  # others hold one card each


def test_choosing__finds_a_decision_in_each_kind_and_goes_on_where_it_was(
    judge: PolicyPlayouts, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    quota = {Kind.LEADING: 2, Kind.ANSWERING: 1, Kind.ENDING: 1}
    monkeypatch.setattr(choosing, "QUOTA", quota)
    monkeypatch.setattr(choosing, "AGENTS", ("random", "greedy"))
    monkeypatch.setattr(choosing, "PROOF_DEALS", 4)
    lines = list(choosing.chosen(BIG2, judge, 4, SEED))
    assert Counter(Kind(line["kind"]) for line in lines) == quota
    assert len({line["game"] for line in lines}) == 4
    have = Counter(Kind(line["kind"]) for line in lines[:2])
    rest = list(choosing.chosen(BIG2, judge, 4, SEED, lines[1]["game"] + 1, dict(have)))
    assert Counter(Kind(line["kind"]) for line in lines[:2] + rest) == quota


def test_ending__proves_what_the_solver_proves() -> None:
    """In every ending of `big2` the moves with the highest value win on deals that were not sampled for the proof, too."""
    asked = decisions("big2")
    endings = [item for item in asked.items if item.kind is Kind.ENDING][:6]
    for item in endings:
        game = item.game(BIG2, 4)
        highest = max(*item.first, *item.second)
        best = {a for a, one, two in zip(item.actions, item.first, item.second, strict=True) if one == two == highest}
        space = action_space(BIG2)
        kept = set()
        for action in item.actions:
            after = game.copy()
            after.push(space.verify(action, game.legal_plays()))
            if choosing._wins(after, game.turn):
                kept.add(action)
        assert best <= kept


def test_parse__reads_a_file_as_it_is_shipped() -> None:
    head = (
        '{"schema":1,"kind":"big2 positions","protocol":"x","ruleset":"big2","identity":{},"players":4,"judge":"j","deals":2}\n'
    )
    line = '{"kind":"leading","seed":5,"history":[],"actions":[1,2],"first":[0,1],"second":[1,0.5],"agents":[],"game":0}\n'
    found = parse((head + line).encode())
    assert (found.ruleset, found.judge, found.items[0].regret(1)) == (ruleset("big2"), "j", pytest.approx(-0.25))


@pytest.mark.parametrize("name", positions_rulesets())
def test_sampled_deal__fits_the_view_all_through_a_game(name: str) -> None:
    rules, rng = ruleset(name), SplitMix64(5)
    game = Game.deal(rules, 11)
    bottoms = 0
    while not game.is_over:
        legal = list(game.legal_plays())
        view = game.view()
        deal = choosing.sampled_deal(view, rng)
        sampled = Game.from_position(rules, deal)  # which refuses what cannot be
        seen = sampled.view()
        for field in ("hand", "cards_left", "played", "pile_left", "top", "landlord", "captured", "stake", "factor", "acted"):
            assert getattr(seen, field) == getattr(view, field), field
        assert list(sampled.legal_plays()) == legal
        if view.landlord is not None and view.landlord != view.seat:
            kept = view.bottom & ~view.played[view.landlord]
            bottoms += deal.hands[view.landlord] & kept == kept
        game.push(legal[rng.below(len(legal))])
    assert bottoms or rules.auction is None
