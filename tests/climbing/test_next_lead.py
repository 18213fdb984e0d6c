"""The winner of a deal leads the next one: at sessions and tables, in records, logs and texts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from run_cli import run_cli

from big2_env import BIG2, ConfigError, Game, NextLead, NotationError, RuleSet, Session, ruleset
from big2_env.base.language import Language
from big2_env.climbing.game import decks_of
from big2_env.notation import log, log_reader, records
from big2_env.notation.transcript import Transcript
from big2_env.tables.session.shared_session import SharedClimbing
from big2_env.tables.session.table_session import TableSession
from big2_env.text.rules import rules_page

PAO = ruleset("pao_de_kuai")
WINNERS = replace(BIG2, next_lead=NextLead.WINNER)


def finish(game: Game) -> Game:
    """Play the first legal move until the game is over."""
    while not game.is_over:
        game.push(next(iter(game.legal_plays())))
    return game


def other_leader(game: Game) -> int:
    """A seat that would not lead the game as a first deal."""
    return (game.turn + 1) % game.num_players


def test_sessions__let_the_winner_lead_with_any_play() -> None:
    table = Session()
    table.initialize(PAO)
    table.deal(seed=1)
    assert table.game == Game.deal(PAO, 1)
    winner = finish(table.game).next_leader
    assert table.outcome is not None
    assert winner == table.outcome.winner
    seed = next(seed for seed in range(2, 50) if Game.deal(PAO, seed).turn != winner)
    table.deal(seed=seed)
    assert (table.game.turn, table.game.position.obligation) == (winner, 0)
    assert table.game.position.hands == Game.deal(PAO, seed).position.hands
    table.deal(seed=seed)  # the unfinished game has no winner
    assert table.game == Game.deal(PAO, seed)


@pytest.mark.parametrize("rules", [BIG2, WINNERS])
def test_tables__let_the_winner_lead_where_the_rules_say_so(rules: RuleSet) -> None:
    session, shared = TableSession(rules, seed=5), SharedClimbing(PAO, 3)
    winner = finish(session.game).next_leader
    session.next_deal()
    assert (winner is None) is (rules is BIG2)
    assert session.game.turn == (Game.deal(BIG2, 6).turn if winner is None else winner)
    winner = finish(shared.game).next_leader
    shared.next_deal()
    assert (shared.game.turn, shared.game.position.obligation) == (winner, 0)


def test_records__keep_the_leader() -> None:
    first = Game.deal(WINNERS, 3)
    game = finish(Game.deal(WINNERS, 3, leader=other_leader(first)))
    for record in (records.GameRecord(Transcript(game)), records.GameRecord(Transcript(game), tuple(decks_of(WINNERS, 3)[0]))):
        text = records.dumps(record)
        assert f'"leader": {other_leader(first)}' in text
        assert records.loads(text).game == game
        for wrong in ("4", "-1", "true", '"1"'):
            with pytest.raises(NotationError, match="leader: expected a seat, in a game in which winners lead the next deal"):
                records.loads(text.replace(f'"leader": {other_leader(first)}', f'"leader": {wrong}'))
    assert "leader" not in records.dumps(records.GameRecord(Transcript(finish(first))))
    stranger = finish(Game.deal(BIG2, 3, leader=other_leader(Game.deal(BIG2, 3))))
    with pytest.raises(ConfigError, match="expected a game that began with a deal"):
        records.dumps(records.GameRecord(Transcript(stranger)))


def test_logs__of_a_winner_who_leads_are_read_back() -> None:
    names = ["Ann", "Bo", "Cy", "Di"]
    game = finish(Game.deal(WINNERS, 3, leader=other_leader(Game.deal(WINNERS, 3))))
    text = log.dumps(Transcript(game, names))
    read = log_reader.loads(text, WINNERS, names)
    assert read.dumps() == text
    assert read.transcript.game == game


def test_leaders__must_be_seats_of_a_game_without_an_auction() -> None:
    with pytest.raises(ConfigError, match="leader of big2: expected a seat from 0 to 3, got 4"):
        Game.deal(BIG2, 1, leader=4)
    with pytest.raises(ConfigError, match="leader of dou_dizhu: expected None in a game with an auction, got 0"):
        Game.deal(ruleset("dou_dizhu"), 1, leader=0)
    with pytest.raises(ConfigError, match="an auction cannot go with next_lead 'winner'"):
        replace(ruleset("dou_dizhu"), next_lead=NextLead.WINNER)


def test_pages__say_the_rule() -> None:
    for language, text in (
        (Language.EN, "the winner of the deal before leads with any play"),
        (Language("zh-Hant"), "由上一局的贏家領出"),
        (Language("zh-Hans"), "由上一局的赢家领出"),
    ):
        assert [text in str(rules_page(rules, language)) for rules in (PAO, WINNERS, BIG2)] == [True, True, False]


def test_matches__let_the_winner_lead_where_the_rules_say_so() -> None:
    done = run_cli("match", "lowest", "greedy", "--game", "pao_de_kuai", "--games", "4", "--seed", "3", "--log", "jsonl")
    games = [record.transcript.game for record in map(records.loads, done.out.splitlines())]
    assert [after.start.turn for after in games[1:]] == [before.next_leader for before in games[:-1]]
    assert any(game.start != Game.deal(PAO, 3 + number).start for number, game in enumerate(games))
