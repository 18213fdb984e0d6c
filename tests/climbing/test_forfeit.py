"""Forfeits: what they pay, how they are recorded, how matches and arenas show them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from arena_runs import arena, lines_of
from giving_up import GivesUp
from run_cli import run_cli

from big2_agents.evaluation.arena.report import Report
from big2_agents.evaluation.arena.results import GameResult, load
from big2_agents.evaluation.arena.stats import win_share
from big2_agents.rule_based.simple import LowestAgent, RandomAgent
from big2_env import BIG2, ConfigError, Game, NotationError, ruleset
from big2_env.agents.interface import play_out, play_turn
from big2_env.agents.isolated import IsolatedAgent
from big2_env.climbing.forfeit import ForfeitError, forfeit
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.settlement import team_of
from big2_env.notation import records
from big2_env.notation.transcript import Transcript

RULES = [
    ruleset(name) if scoring is None else ruleset(name).with_scoring(scoring)
    for name in available_rulesets()
    for scoring in (None, "cards", "winner")
]


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: f"{rules.name}-{type(rules.scoring).__name__}")
def test_forfeit__pays_no_more_than_any_end__and_sums_to_zero(rules: object) -> None:
    for seed in (1,):
        game = Game.deal(rules, seed)
        agent = RandomAgent()
        agent.reset(seed)
        results = []
        while not game.is_over:
            if len(game.history) % 3 == 0:
                results.append(forfeit(game.ruleset, game.position, "no move"))
            play_turn(game, [agent] * game.num_players)
        assert game.outcome is not None
        for result in results:
            assert sum(result.payoffs) == pytest.approx(0)
            assert result.payoffs[result.seat] <= game.outcome.payoffs[result.seat] + 1e-9
            assert {result.payoffs[seat] for seat in result.losers} == {result.payoffs[result.seat]}
            assert len({amount for seat, amount in enumerate(result.payoffs) if seat not in result.losers}) == 1


def test_forfeit__of_a_team_member__costs_the_whole_team() -> None:
    game = Game.deal(ruleset("dou_dizhu"), 1)
    while game.position.bidding:
        game.push(next(iter(game.legal_plays())))
    game.push(next(iter(game.legal_plays())))
    result = forfeit(game.ruleset, game.position, "no move")
    landlord = game.position.landlord
    assert landlord is not None
    assert result.losers == team_of(result.seat, landlord, 3) != (result.seat,)
    assert result.payoffs[landlord] == -2 * result.payoffs[result.seat] > 0


def test_play_turn__adds_the_result__and_changes_nothing() -> None:
    game = Game.deal(BIG2, 7)
    with pytest.raises(ForfeitError, match=r"^tired after 0 moves$") as raised:
        play_turn(game, [GivesUp()] * 4)
    assert raised.value.forfeit == forfeit(BIG2, game.position, "tired after 0 moves")
    assert not game.history


def given_up() -> records.GameRecord:
    game = Game.deal(BIG2, 7)
    agents = [LowestAgent() for _ in range(3)] + [GivesUp()]
    with pytest.raises(ForfeitError) as raised:
        play_out(game, agents)
    return records.GameRecord(Transcript(game), None, {}, raised.value.forfeit)


def test_record__keeps_the_forfeit() -> None:
    record = given_up()
    line = records.dumps(record)
    again = records.loads(line)
    assert again.forfeit == record.forfeit is not None
    assert records.dumps(again) == line
    assert json.loads(line)["forfeit"] == {"seat": 3, "reason": "tired after 0 moves", "payoffs": [1 / 9] * 3 + [-1 / 3]}
    assert json.loads(line)["payoffs"] is None


@pytest.mark.parametrize(
    ("forfeit_data", "message"),
    [
        ({"seat": 3, "reason": "x", "payoffs": [1, -1, 0, 0]}, "forfeit .*: the moves give"),
        ({"seat": 2, "reason": "x", "payoffs": [1 / 9] * 3 + [-1 / 3]}, "the moves give"),
        ({"seat": 3, "reason": 5, "payoffs": [1 / 9] * 3 + [-1 / 3]}, "expected an object with seat, reason and payoffs"),
        (None, "expected an object with seat, reason and payoffs"),
    ],
)
def test_record__of_a_wrong_forfeit__is_refused(forfeit_data: object, message: str) -> None:
    data = json.loads(records.dumps(given_up())) | {"forfeit": forfeit_data}
    with pytest.raises(NotationError, match=message):
        records.loads(json.dumps(data))


def test_record__of_a_finished_game__has_no_forfeit() -> None:
    game = Game.deal(BIG2, 7)
    result = forfeit(BIG2, game.position, "x")
    play_out(game, [LowestAgent()] * 4)
    with pytest.raises(ConfigError, match="expected a game in progress for a forfeit"):
        records.GameRecord(Transcript(game), None, {}, result)


def test_match__shows_and_records_a_forfeit() -> None:
    done = run_cli("match", "giving_up:GivesUp:1", "lowest", "--seed", "7", "--games", "2", "--log", "jsonl")
    assert done.status == 0
    assert [record.forfeit is not None for record in records.load(done.out)] == [True, True]
    assert "forfeits the game: tired after 1 moves; payoffs " in done.err
    assert "2 forfeited games, which no seat wins" in done.err
    for log in ("text", "spec"):
        shown = run_cli("match", "giving_up:GivesUp:1", "lowest", "--seed", "7", "--log", log)
        assert shown.status == 0
        assert "forfeits the game: tired after 1 moves" in shown.err


def test_isolated_agent__gives_up_too() -> None:
    agent = IsolatedAgent("giving_up:GivesUp")
    try:
        agent.reset(1)
        view = Game.deal(BIG2, 7).view()
        with pytest.raises(ForfeitError, match=r"^tired after 0 moves$"):
            agent.act(view, view.legal_plays())
    finally:
        agent.close()


def test_arena__counts_with_and_without_forfeits(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    agents = ("giving_up:GivesUp:2", "lowest")
    done = arena(path, 3, agents=agents)
    assert done.status == 0
    assert "Without deals that have a forfeited game" in done.out
    _, results = load(path)
    games = [game for unit in results for game in unit.games]
    assert all(sum(game.payoffs) == pytest.approx(0) for game in games)
    assert any(game.forfeited_by is not None for game in games)
    for game in games:
        assert sum(win_share(game, seat) for seat in range(4)) == pytest.approx(1)
    report = Report.of(path)
    assert report.forfeits == sum(game.forfeited_by is not None for game in games)
    assert report.played_out is not None
    lines = lines_of(path)
    path.write_bytes(b"".join(lines[:-2]) + lines[-2][:-5])
    assert arena(path, 3, "--resume", agents=agents).status == 0
    assert lines_of(path) == lines


def test_win_share__of_a_forfeit() -> None:
    alone = GameResult(-1, (5,) * 4, (-9.0, 3.0, 3.0, 3.0), {"counts": {}, "forfeit": (0, "x")})
    assert [win_share(alone, seat) for seat in range(4)] == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3])
    teams = GameResult(-1, (5,) * 3, (2.0, -1.0, -1.0), {"counts": {}, "forfeit": (1, "x"), "landlord": 0})
    assert [win_share(teams, seat) for seat in range(3)] == [1, 0, 0]


@pytest.mark.parametrize(
    "notes",
    [
        {},
        {"counts": {"4": {}}},
        {"counts": {"0": {"calls": -1}}},
        {"counts": {}, "forfeit": [4, "x"]},
        {"counts": {}, "x": 1},
        5,
    ],
)
def test_results_file__of_wrong_notes__is_refused(tmp_path: Path, notes: object) -> None:
    path = tmp_path / "a.jsonl"
    arena(path, 1)
    header, line, *rest = lines_of(path)
    data = json.loads(line)
    data["games"][0].append(notes)
    path.write_bytes(header + json.dumps(data).encode() + b"\n" + b"".join(rest))
    with pytest.raises(NotationError, match="line 2: expected"):
        list(load(path)[1])
