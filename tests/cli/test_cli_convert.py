"""`big2 convert`: between the three forms, and what it says of bad input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from random_transcripts import random_transcripts
from run_cli import run_cli
from sample_text import SAMPLE_LOG, text_of, with_attempt

from big2_env import BIG2
from big2_env.climbing.game import Game
from big2_env.climbing.rulesets import ruleset
from big2_env.notation import log, records, spec_input
from big2_env.notation.records import GameRecord
from big2_env.notation.transcript import Transcript


def test_convert__goes_round_between_the_three_forms(tmp_path: Path) -> None:
    games = list(random_transcripts(BIG2, range(3)))
    logs = "".join(map(log.dumps, games))
    path = tmp_path / "games.jsonl"
    with path.open("w", encoding="utf-8") as file:
        records.dump(map(GameRecord, games), file)
    assert run_cli("convert", str(path)) == (0, logs, "")
    assert run_cli("convert", "--full-width", stdin=path.read_bytes()) == (0, logs.replace(",", "，"), "")
    assert run_cli("convert", str(path), "--to", "record") == (0, path.read_text("utf-8"), "")
    back = run_cli("convert", stdin=logs)
    assert run_cli("convert", stdin=back.out) == (0, logs, "")
    assert run_cli("convert", "--to", "log", stdin=logs) == (0, logs, "")
    given = spec_input.dumps(games[0])
    assert run_cli("convert", "--to", "input", stdin=path.read_text("utf-8").split("\n")[0]).out == given
    assert run_cli("convert", stdin=given).out == path.read_text("utf-8").split("\n")[0] + "\n"
    assert run_cli("convert", "--to", "log", stdin="\ufeff" + given).out == log.dumps(games[0])
    seats = run_cli("convert", "--to", "record", "--names", ",".join(games[1].names), stdin=log.dumps(games[1]))
    assert next(records.load(seats.out)).game == games[1].game


@pytest.mark.parametrize("name", ["dou_dizhu", "dou_dizhu_4p"])
def test_convert__keeps_the_deck_of_an_input_with_an_auction(name: str) -> None:
    game = Game.deal(ruleset(name), 7)
    for _ in range(30):
        game.push(next(iter(game.legal_plays())))
    given = spec_input.dumps(Transcript(game))
    record = run_cli("convert", "--game", name, stdin=given)
    assert (record.status, record.err) == (0, "")
    assert run_cli("convert", "--to", "log", stdin=record.out).out == log.dumps(Transcript(game))
    assert run_cli("convert", "--to", "input", stdin=record.out).out.split("\n")[1:] == given.split("\n")[1:]


@pytest.mark.parametrize(
    ("args", "given", "says"),
    [
        ((), "", "line 1: the deck is missing: the input is empty"),
        ((), '{"schema": 2}', "line 1: expected schema 1, got '2'"),
        ((), "\n\n{\n", "line 3: invalid JSON"),
        ((), SAMPLE_LOG[:100], "line 1: the log stops before the first turn"),
        (("--names", "水球,火球,地瓜球,保齡球"), SAMPLE_LOG, "line 14: asked are, in this order"),
        (("--names", "水球"), SAMPLE_LOG, "1 names: big2 has 2 to 4"),
        (
            ("--names", "a,b,c,d"),
            records.dumps(GameRecord(next(iter(random_transcripts(BIG2, range(1)))))),
            "--names: expected a log, ",
        ),
        (
            ("--to", "input"),
            with_attempt("此牌型不合法,請再嘗試一次。"),
            "expected a transcript with the indices of refused attempts",
        ),
        ((), SAMPLE_LOG.replace("單張 C[5]\n", "單張 C[7]\n", 1), "line 9: C[7]: not in the hand"),
    ],
)
def test_convert__says_what_is_wrong(args: tuple[str, ...], given: str, says: str) -> None:
    status, _, err = run_cli("convert", *args, stdin=given)
    assert status == 2
    assert err.count("\n") == 1
    assert err.startswith(f"big2: {says}")


def test_convert__loses_no_game_where_the_form_holds_one() -> None:
    """Neither on the way into an input text nor out of one."""
    games = list(random_transcripts(BIG2, range(2)))
    both = "".join(map(log.dumps, games))
    message = "big2: expected one game, which is all that an input can hold, got several\n"
    assert run_cli("convert", "--to", "input", stdin=both) == (2, "", message)
    texts = [spec_input.dumps(game) for game in games]
    status, out, err = run_cli("convert", "--to", "log", stdin="".join(texts))
    assert (status, out) == (2, log.dumps(games[0]))
    line = len(texts[0].splitlines()) + 1
    assert err == f"big2: line {line}: expected nothing after the end of the game: an input is one game\n"
    assert run_cli("convert", "--to", "input", stdin=texts[0] + texts[1])[:2] == (2, "")
    assert run_cli("convert", "--to", "input", stdin=texts[0] + " \n\n") == (0, texts[0], "")


def test_convert__of_a_log_under_other_rules__says_whose_it_was_read_by() -> None:
    """A log does not name its rules: one of a game of three, read as Big Two, has cards where Big Two has none."""
    played = log.dumps(next(iter(random_transcripts(ruleset("pao_de_kuai"), range(1)))))
    status, out, err = run_cli("convert", stdin=played)
    assert (status, out) == (2, "")
    assert err.startswith("big2: line ")
    assert err.endswith(" (read by the rules of big2; --game names others, --names the players)\n")
    assert run_cli("convert", "--game", "pao_de_kuai", stdin=played)[::2] == (0, "")
    assert run_cli("show", "-", stdin=played).err == err


@pytest.mark.parametrize(
    ("ruleset", "players"), [("big2", 2), ("big2", 3), ("hong_kong", 2), ("pusoy_dos", 3), ("pusoy_dos", 4)]
)
def test_convert__reads_games_of_fewer_players_in_every_form(ruleset: str, players: int, tmp_path: Path) -> None:
    """The number of players is not in a log or an input, other than by the turns and the names."""
    game = run_cli(
        "match", "lowest", "lowest", "--players", str(players), "--seed", "3", "--game", ruleset, "--log", "jsonl"
    ).out
    texts = {form: run_cli("convert", "--to", form, stdin=game).out for form in ("log", "input")}
    for form, text in texts.items():
        status, record, err = run_cli("convert", "--to", "record", "--game", ruleset, stdin=text)
        assert (status, err) == (0, "")
        assert len(json.loads(record)["players"]) == players
        assert run_cli("convert", "--to", form, stdin=record).out == text
    for form, name in {"log": "game.out", "input": "game.in"}.items():
        (tmp_path / name).write_text(texts[form], encoding="utf-8")
    for args in ((), ("--players", str(players))):
        assert run_cli("run", "--check", str(tmp_path), "--game", ruleset, *args).status == 0


def test_convert__takes_names_that_could_be_actions_up_to_the_default_number() -> None:
    names = ["1", "2", "3", "-1"]
    assert json.loads(run_cli("convert", stdin=text_of(names=names)).out)["players"] == names
    late = ["Ann", "Bo", "3", "-1"]  # a program that drives big2 run gives as many names as the rules ask for
    assert "\n輪到-1了\n" in run_cli("run", stdin=text_of(names=late)).out
