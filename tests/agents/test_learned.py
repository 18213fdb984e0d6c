"""Learned and searching players: the same figures as torch, the law of views, weights as data."""

from __future__ import annotations

import math
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from random_games import random_games

from big2_agents.learned.agent import LearnedAgent
from big2_agents.learned.policy import LearnedPolicy
from big2_agents.learned.search import LearnedSearchAgent
from big2_agents.models import learned_rulesets, shipped_weights
from big2_agents.rule_based.search import SearchAgent
from big2_agents.train.export import export, load_policy, to_network
from big2_agents.train.network import Policy
from big2_env import BIG2, ConfigError, Game, RuleSet
from big2_env.agents.interface import check_seats, make_agent, play_out, reset_seats, rules_of_weights
from big2_env.base.cards import iter_cards
from big2_env.climbing.rulesets import HONG_KONG, available_rulesets
from big2_env.climbing.settlement import CapturedPoints, FinishingOrder, Settlement, Standing
from big2_env.climbing.view import View

BOTH = [BIG2, pytest.param(HONG_KONG, marks=pytest.mark.release)]
RULES = pytest.mark.parametrize("rules", BOTH, ids=["big2", "hong_kong"])


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy's file of random weights."""
    torch.manual_seed(4)
    path = tmp_path_factory.mktemp("weights") / "net.npz"
    policy = Policy(32, 24, 20, 16)
    torch.nn.init.normal_(policy.head2.weight)
    export(to_network(policy), path)
    return path


def choices(rules: RuleSet, seeds: range) -> Iterator[Game]:
    """Positions of random games where the seat to move has a choice; every third."""
    for number, game in enumerate(random_games(rules, seeds)):
        if number % 3 == 0 and not game.is_over and len(list(game.legal_plays())) > 1:
            yield game


def swapped(game: Game) -> Game:
    """The game with the hidden cards in other hands; the same view for the seat to move."""
    position = game.position
    others = [seat for seat in range(4) if seat != game.turn]
    cards = sorted((card for seat in others for card in iter_cards(position.hands[seat])), key=lambda card: card * 29 % 53)
    hands = list(position.hands)
    for seat in others:
        number = hands[seat].bit_count()
        hands[seat] = sum(1 << card for card in cards[:number])
        cards = cards[number:]
    other = Game.from_position(game.ruleset, position._replace(hands=tuple(hands)))
    other.history.extend(game.history)
    return other


@RULES
def test_network__scores_as_torch_does(rules: RuleSet, weights: Path) -> None:
    policy, agent, number = load_policy(str(weights), BIG2), LearnedPolicy(weights), 0
    for game in choices(rules, range(6)):
        masks, scores = agent.scores(game.view())
        if len(masks) > 1:
            plays = policy.as_input(torch.from_numpy(agent.scorer.plays[: len(masks)]))
            with torch.no_grad():
                given = policy(
                    policy.as_input(torch.from_numpy(agent.scorer.states)), plays, torch.zeros(len(masks), dtype=torch.int64)
                ).numpy()
            np.testing.assert_allclose(scores, given, atol=1e-4)
            assert np.ptp(scores) > 0
            number += 1
    assert number > 20


@RULES
def test_learned__moves_on_the_view_alone_in_whatever_order_views_come(rules: RuleSet, weights: Path) -> None:
    """What is packed of a history is kept for the next view of the same game, and for no other."""
    agent, turns = LearnedPolicy(weights), []
    for game in choices(rules, range(4)):
        view = game.view()
        turns.append((view, LearnedPolicy(weights).act(view, view.legal_plays())))
    games = [replayed(turns[-1][0]), *(view for view, _ in turns)]
    order = [(i * 7) % len(turns) for i in range(len(turns))] + [len(turns) - 1, 0, 1, 2, 1, 0]
    agent.act(games[0], games[0].legal_plays())
    for i in order:
        view, expected = turns[i]
        legal = view.legal_plays()
        play = agent.act(view, legal)
        assert play == expected
        assert play in legal
        assert play.is_pass or play == legal.verify(play.mask)
        masks, scores = agent.scores(view)
        assert {legal.verify(mask).mask for mask in masks} == set(masks)
        assert len(scores) == len(masks) > 0


def replayed(view: View) -> View:
    """The view with another history of the same length: the seats' moves in reverse order."""
    return replace(view, history=view.history[::-1])


@RULES
def test_agents__are_legal_deterministic_and_blind_to_hidden_hands(rules: RuleSet, weights: Path) -> None:
    def agents() -> tuple[Any, ...]:
        return LearnedAgent(weights), SearchAgent("60"), LearnedSearchAgent("12", weights=weights)

    for number, game in enumerate(choices(rules, range(3))):
        view, other = game.view(), swapped(game).view()
        assert view == other
        for agent, again, blind in zip(agents(), agents(), agents(), strict=True):
            for each in (agent, again, blind):
                each.reset(number)
            play = agent.act(view, view.legal_plays())
            assert play in view.legal_plays()
            assert again.act(view, view.legal_plays()) == play
            assert blind.act(other, other.legal_plays()) == play


def test_learned_search__plays_out_by_rules_whatever_critic_lies_beside_the_weights(weights: Path) -> None:
    beside = weights.with_name("beside.npz")
    shutil.copy(weights, beside)
    beside.with_name("beside_critic.npz").write_bytes(b"no zip")
    game = next(game for game in choices(BIG2, range(9)) if len(game.history) > 8)
    found = []
    for path in (weights, beside):
        agent = LearnedSearchAgent(60, weights=path)
        agent.gap = math.inf
        found.append(agent.estimates(game.view()))
    assert found[0] == found[1]
    assert all(one.samples for one in found[0])


def test_search__chooses_alike_whatever_the_hidden_hands_are() -> None:
    game = next(game for game in choices(BIG2, range(9)) if len(game.history) > 20)
    found = []
    for each in (game, swapped(game)):
        agent, seen = SearchAgent("24"), Counter[int]()
        for seed in range(60):
            agent.reset(seed)
            seen[agent.act(each.view(), each.legal_plays()).mask] += 1
        found.append(seen)
    assert found[0] == found[1]


@RULES
def test_agents__play_whole_games_and_search_beats_chance(rules: RuleSet, weights: Path) -> None:
    wins, agent = 0, SearchAgent("80")
    for seed in range(48):
        agents = [make_agent("random") for _ in range(4)]
        agents[seed % 4] = agent
        game = Game.deal(rules, seed // 4)
        reset_seats(agents, game)
        wins += play_out(game, agents).winner == seed % 4
    assert wins >= 30  # chance is 12; over 100 games of each ruleset it won 78
    table = [LearnedAgent(weights), LearnedSearchAgent("5ms", weights=weights), SearchAgent("2ms"), make_agent("search:9")]
    assert play_out(Game.deal(rules, 1), table).winner in range(4)


@pytest.mark.parametrize("budget", ["", "0", "-3", "5s", "1e3", "ms", "99999999999"])
def test_search__refuses_a_budget_that_is_none(budget: str) -> None:
    with pytest.raises(ConfigError, match="expected a search budget in play-outs"):
        SearchAgent(budget)


def broken(kind: str, path: Path, arrays: dict[str, Any]) -> None:
    """Write a weights file with one fault."""
    if kind == "missing":
        del arrays["head1"]
    elif kind == "shape":
        arrays["trunk2"] = arrays["trunk2"][:, :-1]
    elif kind == "pickle":
        arrays["head1"] = np.array([{"a": 1}], dtype=object)
    elif kind == "nan":
        arrays["play"][0, 0] = np.nan
    elif kind == "wide":
        arrays["trunk1_bias"] = np.zeros(5000, np.float32)
    elif kind == "integers":
        arrays["head2"] = arrays["head2"].astype(np.int32)
    elif kind == "huge":
        arrays["play"] = np.zeros((1 << 25,), np.float32)
    if kind == "text":
        path.write_text("weights")
    elif kind == "npy":
        with path.open("wb") as file:
            np.save(file, arrays["head2"])
    elif kind != "none":
        np.savez_compressed(path, **arrays)
    if kind == "partial":
        data = bytearray(path.read_bytes())
        data[200:260] = bytes(60)
        path.write_bytes(data)


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("missing", "head1 missing"),
        ("shape", r"expected trunk2 to be float \(32, 32\), got float16 \(32, 31\)"),
        ("pickle", "head1.npy: expected plain numbers that fill it, got object"),
        ("nan", "expected play to be finite as float32"),
        ("wide", "expected a layer of up to 4096 in .*_bias, got 5000"),
        ("integers", "expected head2 to be float .*, got int32"),
        ("huge", "expected members of up to 67,108,864 bytes, got"),
        ("text", "not a zip file"),
        ("npy", "not a zip file"),
        ("partial", ""),
        ("none", "No such file"),
    ],
)
def test_weights__that_are_broken_get_one_clear_line(kind: str, says: str, weights: Path, tmp_path: Path) -> None:
    with np.load(weights) as file:
        arrays = dict(file)
    path = tmp_path / "bad.npz"
    broken(kind, path, arrays)
    with pytest.raises(ConfigError, match=rf"weights .*bad\.npz: .*{says}") as caught:
        make_agent(f"learned:{path}")
    assert "\n" not in str(caught.value)


def test_weights__are_refused_by_a_game_with_other_patterns(weights: Path) -> None:
    path = weights.with_name("own.npz")
    export(to_network(load_policy(str(weights), BIG2)), path, BIG2)
    mine, other = Game.deal(BIG2, 2), Game.deal(HONG_KONG, 2)
    for spec in (f"learned:{path}", f"learned-search:20,{path}"):
        agent = make_agent(spec)
        assert agent.act(mine.view(), mine.view().legal_plays()) in mine.legal_plays()
        with pytest.raises(
            ConfigError, match=r"own\.npz: .* big2, asked to play hong_kong, which differs in .*; '.*,any' lets them"
        ):
            agent.act(other.view(), other.view().legal_plays())
    paid = Game.deal(BIG2.with_scoring("cards"), 2)  # what is paid is no affair of theirs
    assert LearnedAgent(path).act(paid.view(), paid.view().legal_plays()) in paid.legal_plays()
    told = make_agent(f"learned:{path},any")
    assert told.act(other.view(), other.view().legal_plays()) in other.legal_plays()
    assert rules_of_weights(told, HONG_KONG, 4) == BIG2
    more = Game.deal(available_rulesets()["dou_dizhu"], 2)
    with pytest.raises(ConfigError, match=r"expected a network for \d+ and \d+ features \(dou_dizhu with 3 players\)"):
        make_agent(f"learned:{path},any").act(more.view(), more.view().legal_plays())
    # A file that does not say what it learned plays what it is asked to.
    assert LearnedAgent(weights).act(other.view(), other.view().legal_plays()) in other.legal_plays()


class OnlyWinner(Settlement):
    """A payment that kernels do not know."""

    def payoffs(self, standing: Standing) -> tuple[float, ...]:
        return tuple(3.0 if seat in standing.winners else -1.0 for seat in range(len(standing.hands)))


def test_weights__play_for_payments_that_kernels_do_not_know() -> None:
    for spec in ("learned", "ppo"):
        usual, other = Game.deal(BIG2, 2), Game.deal(BIG2.with_scoring(OnlyWinner()), 2)
        agent, same = make_agent(spec), make_agent(spec)
        check_seats([agent], other.ruleset, 4)
        for _ in range(12):
            play = agent.act(other.view(), other.legal_plays())
            assert play == same.act(usual.view(), usual.legal_plays())
            other.push(play)
            usual.push(play)


@pytest.mark.parametrize(
    ("spec", "scoring"),
    [(spec, scoring) for spec in ("learned", "learned-search:20", "ppo") for scoring in (FinishingOrder(), CapturedPoints())]
    + [("learned-search:20", OnlyWinner())],
)
def test_weights__refuse_payments_they_cannot_serve_before_a_deal(spec: str, scoring: Settlement) -> None:
    """Some change what the features are, others do not compile."""
    with pytest.raises(ConfigError, match=r"expected a network for|expected four players|cannot be compiled"):
        check_seats([make_agent(spec)], BIG2.with_scoring(scoring), 4)


def test_weights__are_those_of_the_ruleset_or_refused_by_name() -> None:
    odd = BIG2.without_patterns("pair")
    with pytest.raises(ConfigError, match="no learned player for big2"):
        shipped_weights(odd)
    game = Game.deal(odd, 0)
    with pytest.raises(ConfigError, match="no learned player for big2"):
        make_agent("learned").act(game.view(), game.legal_plays())
    for name in ("big2", "hong_kong"):  # those of other games are asked for in test_shipped_players
        assert name in learned_rulesets()
        agent = make_agent("learned")
        game = Game.deal(available_rulesets()[name], 0)
        assert agent.act(game.view(), game.legal_plays()) in game.legal_plays()
