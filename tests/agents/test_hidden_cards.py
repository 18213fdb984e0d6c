"""Exchanging cards that a seat cannot see changes nothing that its agent receives, seeds included."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hidden_cards import exchanged, openings, random_moment
from recorders import Recorder, noted
from run_cli import run_cli

from big2_agents.evaluation.arena.results import Config
from big2_agents.evaluation.arena.schedule import Unit
from big2_agents.evaluation.arena.units import Table
from big2_agents.review.analysis import GameReview
from big2_env import Game, RuleSet
from big2_env.agents.interface import play_turn, reset_seats
from big2_env.agents.seeds import agent_seed, start_seed
from big2_env.base.language import Language
from big2_env.base.rng import SplitMix64, hashed
from big2_env.climbing.actions import action_space
from big2_env.climbing.rulesets import available_rulesets
from big2_env.envs.aec import raw_env
from big2_env.envs.aec_policy import AgentPolicy
from big2_env.envs.opponents import AgentRows
from big2_env.envs.seat import SeatEnv
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.opponents import RowRandom
from big2_env.tables.browser import answers
from big2_env.tables.browser.web_table import WebTable
from big2_env.tables.session.table_session import TableSession

RULESETS = available_rulesets()
EVERY = pytest.mark.parametrize("name", RULESETS)
RECORDER = "recorders:Recorder"


@pytest.fixture(autouse=True)
def _nothing_noted() -> None:
    noted()


def pairs(rules: RuleSet, number: int = 6, first: int = 0) -> Iterator[tuple[Game, Game]]:
    """Games, each with one that looks the same to the seat to move and has other hidden cards."""
    found = 0
    for seed in range(first, first + 60):
        game = random_moment(rules, seed)
        if (twin := exchanged(game, game.turn, 1000 * seed)) is not None:
            yield game, twin
            found += 1
            if found == number:
                return
    raise AssertionError(f"expected {number} games whose hidden cards can be exchanged, got {found}")


@EVERY
def test_agents__receive_the_same_seed_view_and_plays(name: str) -> None:
    for game, twin in pairs(RULESETS[name]):
        received = []
        for each in (game, twin):
            seats = [Recorder() for _ in range(each.num_players)]
            reset_seats(seats, each)
            seeds = noted()
            play_turn(each.copy(), seats)
            received.append((seeds[each.turn], noted(), agent_seed(each.view())))
        assert received[0] == received[1]


@EVERY
def test_aec__shows_the_same_to_player_and_policy(name: str) -> None:
    rules = RULESETS[name]
    compared = 0
    for game, twin in pairs(rules, 12):
        received: list[Any] = []
        for each in (game, twin):
            env = raw_env(ruleset=rules)
            policy = AgentPolicy(env, Recorder)
            env.reset(seed=1, options={"position": each.start})
            for seat, play in each.history[len(env.game.history) :]:
                env.step(action_space(rules).of_play(play, env.game.position.hands[seat]))
            if env.game.history != each.history:  # an action of the rank table chooses the suits itself
                break
            shown = env.observe(env.agent_selection)
            policy()
            received.append(
                ({key: value.tobytes() for key, value in shown.items()}, repr(env.infos[env.agent_selection]), noted())
            )
        if len(received) == 2:
            compared += 1
            assert received[0] == received[1]
    assert compared >= 3


@EVERY
def test_seat__shows_the_same_before_an_exchanged_seat_has_acted(name: str) -> None:
    rules = RULESETS[name]
    for game, twin in openings(rules):
        received = []
        for each in (game, twin):
            env = SeatEnv("lowest", ruleset=rules)
            observation, info = env.reset(seed=1, options={"position": each.start, "seat": each.turn})
            own = (observation.tobytes(), info["action_mask"].tobytes(), info["seat"])
            learner = (each.turn + 1) % each.num_players
            recorders = SeatEnv(Recorder, ruleset=rules)
            noted()
            recorders.reset(seed=1, options={"position": each.start, "seat": learner})
            opener = (each.turn - learner) % each.num_players - 1
            received.append((own, noted("seed")[opener]))
        assert received[0] == received[1]


def deal_with_one_salt(engine: BatchEngine) -> None:
    """Deal the games of all rows from one seed: salts are known to agents, but do not depend on the cards."""
    engine.seed([1] * engine.num_games)
    engine.redeal(np.ones(engine.num_games, np.bool_))


@EVERY
def test_batches__show_and_draw_the_same(name: str) -> None:
    rules = RULESETS[name]
    for game, twin in pairs(rules, 3):
        engine = BatchEngine(rules, 2)
        deal_with_one_salt(engine)
        for row, each in enumerate((game, twin)):
            engine.set_position(row, each.position)
        engine.show()
        assert engine.observation[0].tobytes() == engine.observation[1].tobytes()
        assert engine.mask[0].tobytes() == engine.mask[1].tobytes()
        streams = engine.move_streams(np.arange(2))
        assert streams[0] == streams[1]


@EVERY
def test_batches__ask_agents_the_same(name: str) -> None:
    rules = RULESETS[name]
    for game, twin in pairs(rules, 3):
        engine, player = BatchEngine(rules, 2), AgentRows(Recorder, rules, game.num_players)
        engine.keep_history()
        deal_with_one_salt(engine)
        for row, each in enumerate((game, twin)):
            engine.set_position(row, each.position)
        received = []
        for row in (np.array([0]), np.array([1])):
            player.moves(engine, row, RowRandom(engine.move_streams(row)))
            received.append(noted())
        assert received[0] == received[1] != []


@EVERY
def test_match__gives_agents_the_same_before_an_exchanged_seat_has_acted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = RULESETS[name]
    for game, twin in openings(rules, 1):
        received = []
        for each in (game, twin):
            monkeypatch.setattr("big2_env.cli.match._dealt", lambda *_, dealt=each: (dealt.copy(), None))
            answer = run_cli("match", *[RECORDER] * each.num_players, "--game", name, "--log", "spec")
            monkeypatch.undo()
            assert answer.status == 0
            notes = noted()
            received.append((notes[each.turn], next(note for note in notes if note[0] == "act")))
        assert received[0] == received[1]


@EVERY
def test_arena__gives_agents_the_same_before_an_exchanged_seat_has_acted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = RULESETS[name]
    for game, twin in openings(rules, 2):
        received = []
        for each in (game, twin):
            config = Config.of((RECORDER,) * each.num_players, rules, "own", 0, "table")
            monkeypatch.setattr(Game, "deal", lambda *_, dealt=each: dealt.copy())
            Table(config).play(Unit(0, 0))
            monkeypatch.undo()
            notes = noted()
            seeds = [note for note in notes if note[0] == "seed"][: each.num_players]
            received.append((seeds[each.turn], next(note for note in notes if note[0] == "act")))
        assert received[0] == received[1]


@EVERY
def test_session__asks_for_the_same_advice_and_shows_the_same(name: str) -> None:
    for game, twin in pairs(RULESETS[name], 3):
        received: list[Any] = []
        for seed, each in enumerate((game, twin)):
            others = ["lowest"] * (each.num_players - 1)
            session = TableSession(each.ruleset, others, seat=each.turn, seed=seed, adviser=RECORDER)
            session.counts_seeds = False  # the deals of two seeds that nobody chose
            session.start(each.copy(), seed)
            noted()
            session.advise()
            asked = noted()
            table = WebTable(key="key", owner="owner", session=session, started="")
            received.append((asked, json.dumps(answers.state(table, "owner", Language.EN)), session.shown_seed))
        assert received[0] == received[1]


@EVERY
def test_review__asks_the_judge_the_same_about_a_seat(name: str) -> None:
    for game, twin in pairs(RULESETS[name], 2):
        received = []
        for each in (game, twin):
            review = GameReview(each, Recorder(), "recorder", seats=[game.turn], unit=1.0, has_prospects=False)
            while review.done < review.moments:
                review.step()
            received.append(noted())
        assert received[0] == received[1] != []


def test_seeds__say_nothing_about_the_deal() -> None:
    rules = RULESETS["big2"]
    for seed in range(60):
        game = Game.deal(rules, seed)
        mine = start_seed(game, 0)
        assert mine == hashed(0, game.start.hands[0], 0, 0, 0)
        assert Game.deal(rules, mine).start.hands != game.start.hands
        assert SplitMix64(seed).next() != mine


def test_seeds__count_every_card_of_two_decks_and_differ_by_seat_repetition_and_salt() -> None:
    game = Game.deal(RULESETS["dou_dizhu_4p"], 1)
    hand = game.start.hands[0]
    high = 1 << (hand.bit_length() - 1)
    assert high > 2**64
    assert hashed(0, hand, 0, 0, 0) != hashed(0, hand ^ high, 0, 0, 0)
    seeds = {start_seed(game, seat, repetition=r, salt=s) for seat in range(4) for r in range(2) for s in range(2)}
    assert len(seeds) == 16
    assert agent_seed(game.view(0)) == start_seed(game, 0)
