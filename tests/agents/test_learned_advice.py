"""Advice: what an agent thinks of every legal play, from the same agent that plays; the verb `big2 advise`."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
from places import DATA
from random_games import random_games
from rich.cells import cell_len
from run_cli import run_cli

from big2_agents.advise import advise
from big2_agents.learned.search import LearnedSearchAgent
from big2_agents.rule_based.heuristic import HeuristicAgent
from big2_env import BIG2, ConfigError, Game, RuleSet
from big2_env.agents.advice import advising_agents, default_adviser
from big2_env.agents.interface import make_agent
from big2_env.climbing.rulesets import HONG_KONG

GAME = DATA / "game.in"
GOLDEN = """\
move 6: 火球 to beat single C[K] of 水球; hand S[3] H[4] S[4] H[6] H[7] C[8] C[10] C[Q] S[Q] S[K] H[A] C[2]; \
cards left: 水球 11, 火球 12, 保齡球 12, 地瓜球 11

          play          score   loss   what it does
 ─────────────────────────────────────────────────────────────────
          pass          -3.77          keeps single S[K] for later
 played   single H[A]   -4.59   0.82   breaks your straight

and 2 more
"""


def advisers(rules: RuleSet) -> list[Any]:
    """One of each kind that advises in a ruleset, new."""
    made: list[Any] = [HeuristicAgent(), make_agent("learned"), make_agent("search:90"), LearnedSearchAgent("60")]
    return made if rules is HONG_KONG else [*made, make_agent("ppo")]


@pytest.mark.parametrize("rules", [BIG2, HONG_KONG], ids=["big2", "hong_kong"])
def test_advice__has_every_legal_play_once_and_the_best_first(rules: RuleSet) -> None:
    asked, again = advisers(rules), advisers(rules)
    asked[1].prepare(Game.deal(rules, 0).view())  # with values
    tried = corrected = 0
    for number, game in enumerate(random_games(rules, range(2))):
        if game.is_over or number % 16:
            continue
        view = game.view()
        for adviser, player in zip(asked, again, strict=True):
            for agent in (adviser, player):
                agent.reset(number)
            found = adviser.advise(view, view.legal_plays())
            best = (
                player.advise(view, view.legal_plays())[0].play if adviser is asked[1] else player.act(view, view.legal_plays())
            )
            assert found[0].play == best
            listed = [play for each in found for play in (each.play, *each.alike)]
            assert sorted(play.mask for play in listed) == sorted(play.mask for play in view.legal_plays())
            assert set(listed) == set(view.legal_plays())
            chances = [each.probability for each in found if each.probability is not None]
            assert not chances or np.isclose(sum(chances), 1.0)
            for each in found:
                assert (each.value is None) == (each.interval is None) == (each.playouts == 0)
                if each.value is not None and each.interval is not None:
                    assert each.interval[0] <= each.value <= each.interval[1]
                    tried += 1
            if adviser is asked[1]:
                corrected += found[0].play != adviser.act(view, view.legal_plays())
    assert tried > 10
    assert corrected


def test_advice__of_an_ending_says_what_wins_for_sure() -> None:
    game = Game.from_hands(BIG2, ["S[2] H[3]", "C[4] D[4] H[9]", "C[5] D[6]", "C[7] D[8]"])
    game = Game.from_position(BIG2, game.position._replace(turn=0, obligation=0))
    for name in ("heuristic", "learned", "search:20"):
        best = advise(game.view(), name)[0]
        assert (str(best.play), best.sure) == ("single S[2]", True), name


def test_advice__is_asked_of_those_who_give_it() -> None:
    assert advising_agents() == ["heuristic", "learned", "learned-search", "ppo", "search"]
    view = Game.deal(BIG2, 1).view()
    with pytest.raises(ConfigError, match="agent 'greedy' gives no advice; expected one of heuristic, learned,"):
        advise(view, "greedy")
    other = Game.deal(BIG2, 1).view((view.seat + 1) % 4)
    with pytest.raises(ConfigError, match="expected a view of the seat to move"):
        advise(other, "heuristic")
    agent = HeuristicAgent()
    assert advise(view, agent) == advise(view, "heuristic")


def test_advise__prints_the_best_plays_and_always_the_one_that_was_made() -> None:
    status, out, err = run_cli("advise", str(GAME), "--move", "6", "--top", "1", "--agent", "heuristic")
    assert (status, err) == (0, "")
    assert "\n".join(line.rstrip() for line in out.split("\n")) == GOLDEN


def test_advise__fits_a_terminal_and_breaks_no_card(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # by which rich takes a pipe for a terminal
    monkeypatch.setenv("COLUMNS", "48")
    status, out, _ = run_cli("advise", str(GAME), "--move", "6", "--agent", "heuristic")
    plain = re.sub(r"\x1b\[[0-9;]*m", "", out)
    assert status == 0
    assert max(map(cell_len, plain.splitlines())) <= 48
    assert " ".join(plain.split()).startswith(" ".join(GOLDEN.splitlines()[0].split()))


def test_advise__marks_what_was_played_where_the_values_tell() -> None:
    record = run_cli("match", "heuristic", "greedy", "greedy", "random", "--seed", "7", "--log", "jsonl").out
    status, out, err = run_cli("advise", "--move", "30", "--top", "1", "--agent", "search:1000", stdin=record)
    assert (status, err) == (0, "")
    rows = [line.split() for line in out.splitlines() if "single" in line and not line.startswith("move")]
    assert (rows[0][:2], rows[1][:4]) == (["single", "D[10]"], ["played", "??", "single", "S[Q]"])
    asked = ("advise", "--move", "30", "--agent", "search:1000", "--json")
    turn = json.loads(run_cli(*asked, stdin=record).out)[0]
    values = {each["play"]: each["value"] for each in turn["advice"] if each["value"] is not None}
    assert turn["mark"] == "??"
    assert turn["loss"] == pytest.approx(max(values.values()) - values["single S[Q]"])


def test_advise__names_the_auction() -> None:
    played = run_cli("match", *["lowest"] * 3, "--game", "dou_dizhu", "--seed", "3", "--log", "jsonl")
    found = run_cli("advise", "--agent", "heuristic", "--all", stdin=played.out)
    headings = [line for line in found.out.splitlines() if line.startswith("move ")]
    bidding = [line for line in headings if " decides in the auction; hand " in line]
    assert (found.status, bidding) == (0, headings[: len(bidding)])
    assert bidding
    assert " leads; hand " in headings[len(bidding)]


def test_advise__gives_the_same_of_an_input_a_record_and_a_log() -> None:
    record, log = run_cli("convert", str(GAME)).out, run_cli("run", str(GAME)).out
    names = "水球,火球,保齡球,地瓜球"
    from_log = run_cli("convert", "--names", names, stdin=log).out
    asked = ("advise", "--all", "--agent", "heuristic", "--json")
    found = [json.loads(run_cli(*asked, stdin=text).out) for text in (GAME.read_bytes(), record, from_log)]
    assert found[0] == found[1] == found[2]
    moves = [move for move in json.loads(record)["moves"] if isinstance(move, str)]
    turns = found[0]
    assert [turn["played"] for turn in turns] == [*moves, *([None] if len(turns) > len(moves) else [])]
    assert [turn["move"] for turn in turns] == list(range(len(turns)))
    assert all(turn["advice"][0]["score"] >= turn["advice"][-1]["score"] for turn in turns if not turn["advice"][0]["sure"])
    assert {turn["player"] for turn in turns} == set(names.split(","))


def test_advise__shows_the_learned_player_where_none_is_named() -> None:
    make_agent("learned").prepare(Game.deal(BIG2, 0).view())  # type: ignore[attr-defined]
    status, out, err = run_cli("advise", str(GAME), "--move", "20")
    assert (status, err) == (0, "")
    for column in ("probability", "value", "95% interval", "playouts"):
        assert column in out


@pytest.mark.parametrize(
    ("args", "stdin", "says"),
    [
        (["--agent", "greedy"], "", "agent 'greedy' gives no advice; expected one of heuristic, "),
        (["--agent", "nobody"], "", "unknown agent 'nobody'; expected one of"),
        (["--all", "--move", "3"], "", "expected one of --all, --move and FILE:N, got --all and --move"),
        (["--agent", "heuristic"], "", "line 1: the deck is missing"),
        (["--agent", "heuristic"], '{"schema": 9}', "expected schema 1, got '9'"),
        (
            ["--agent", "heuristic", "--move", "99"],
            GAME.read_text("utf-8"),
            "expected --all, or --move 0 to 44, got move 99: the game stands after 44 moves",
        ),
        (["--ruleset", "whist"], "", "whist"),
        (["--top", "0"], "", "top"),
        (["no_such_file"], "", "no_such_file: No such file"),
    ],
)
def test_advise__answers_bad_input_in_one_line(args: list[str], stdin: str, says: str) -> None:
    status, out, err = run_cli("advise", *args, stdin=stdin)
    assert (status, out) == (2, "")
    assert says in err
    assert err.startswith("Usage") or err.count("\n") == 1


def test_advise__of_a_game_that_is_over_names_what_can_be_asked() -> None:
    record = run_cli("match", "lowest", "lowest", "lowest", "lowest", "--log", "jsonl").out
    moves = len(json.loads(record)["moves"])
    status, _, err = run_cli("advise", "--agent", "heuristic", stdin=record)
    assert status == 2
    assert f"expected --all, or --move 0 to {moves - 1}, got move {moves}: the game is over after {moves} moves" in err
    assert run_cli("advise", "--agent", "heuristic", "--move", str(moves - 1), stdin=record).status == 0


def test_default_adviser__is_the_learned_one_only_where_it_learned() -> None:
    assert (default_adviser(BIG2), default_adviser(BIG2, 4), default_adviser(BIG2, 3)) == ("learned", "learned", "heuristic")
    view = Game.deal(BIG2, 1, 3).view()
    assert advise(view)[0].score is not None
    with pytest.raises(ConfigError, match="no learned player for 3 players: it learned with 4"):
        advise(view, "learned")
