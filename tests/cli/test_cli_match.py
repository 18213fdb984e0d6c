"""`big2 match`: the games of agents, printed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from run_cli import run_alone, run_cli

from big2_env import BIG2, Game
from big2_env.agents.interface import make_agent, play_out, reset_seats
from big2_env.base.language import Language, words
from big2_env.notation import log, log_reader, positions, records
from big2_env.notation.transcript import Transcript
from big2_env.text.names import numbered, seat_words
from big2_env.text.seating import players_of

TABLE = ("heuristic", "greedy", "greedy", "random")


def test_match__prints_the_log_of_the_game_that_its_seed_makes() -> None:
    game, agents = Game.deal(BIG2, 7), [make_agent(name) for name in TABLE]
    reset_seats(agents, game)
    play_out(game, agents)
    answer = run_cli("match", *TABLE, "--seed", "7")
    assert answer == (0, log.dumps(Transcript(game, ["heuristic", "greedy1", "greedy2", "random"])), "")
    assert answer == run_cli("match", *TABLE, "--seed", "7")
    assert answer != run_cli("match", *TABLE, "--seed", "8")


def test_match__log_and_record_are_of_one_game() -> None:
    [record] = records.load(run_cli("match", *TABLE, "--seed", "3", "--log", "jsonl").out)
    assert log.dumps(record.transcript) == run_cli("match", *TABLE, "--seed", "3").out
    assert record.extra == {"agents": list(TABLE), "seed": 3}
    assert record.deck == tuple(BIG2.deck.shuffled(3))


def test_match__records_tell_reviews_who_played() -> None:
    """As records of tables do; an agent of a file counts as unknown, because anyone may have written the record."""
    agents = ["heuristic:first", "heuristic:first", "greedy", "lowest"]
    [record] = records.load(run_cli("match", *agents, "--seed", "3", "--log", "jsonl").out)
    assert players_of(record) == agents
    other = replace(record, extra={"agents": ["learned:x.npz", "search:9", 4, "nobody"]})
    assert players_of(other) == [None, "search:9", None, None]


def test_match__plays_so_many_games_and_sums_them_up() -> None:
    status, out, err = run_cli("match", *TABLE, "--seed", "5", "--games", "4", "--log", "jsonl", "--scoring", "cards")
    found = list(records.load(out))
    assert status == 0
    assert [record.extra["seed"] for record in found] == [5, 6, 7, 8]
    outcomes = [record.game.outcome for record in found]
    assert all(outcome is not None for outcome in outcomes)
    first, *lines = err.splitlines()
    assert first == "4 games, seats fixed"
    for seat, line in enumerate(lines):
        wins = sum(outcome.winner == seat for outcome in outcomes if outcome)
        paid = sum(outcome.payoffs[seat] for outcome in outcomes if outcome) / 4
        assert line.split() == [
            *seat_words(numbered(TABLE), words(Language.EN))[seat].split(),
            str(wins),
            "wins",
            *f"({wins / 4:6.1%})".split(),
            "mean",
            "payoff",
            f"{paid:+.3f}",
        ]
    logs = run_cli("match", *TABLE, "--seed", "5", "--games", "4").out
    assert logs == "".join(run_cli("match", *TABLE, "--seed", str(seed)).out for seed in range(5, 9))


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("greedy",) * 5, "big2 needs 2 to 4 players, got 5"),
        (("greedy", "--players", "5"), "big2 needs 2 to 4 players, got 5"),
        (("greedy",) * 3 + ("--players", "2"), "expected at most 2 agents for a table of 2, got 3"),
        (("greedy", "lowest", "nobody", "lowest"), "unknown agent 'nobody'; expected one of "),
        ((*TABLE, "--ruleset", "whist"), "unknown ruleset 'whist'; expected big2"),
        ((*TABLE, "--scoring", "tricks"), "unknown scoring 'tricks'; expected winner, cards"),
        (("greedy:5", "lowest", "lowest", "lowest"), "greedy takes no argument"),
    ],
)
def test_match__refuses_in_one_line(args: tuple[str, ...], message: str) -> None:
    status, out, err = run_cli("match", *args)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("args", [("--games", "0"), ("--log", "xml"), ("--seed", "x")])
def test_match__refuses_options_that_are_none(args: tuple[str, str]) -> None:
    status, out, err = run_cli("match", *TABLE, *args)
    assert (status, out) == (2, "")
    assert args[0] in err


def test_match__refuses_agents_that_cannot_play_the_game_before_it_is_dealt(tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text('preset = "big2"\npass_lock = "trick"\npatterns = ["single", "pair"]\n')
    status, out, err = run_cli("match", "lowest", "lowest", "lowest", "learned", "--game", str(house))
    assert (status, out) == (2, "")
    assert err.startswith("big2: no learned player for house: there are weights for big2, ")
    assert err.count("\n") == 1


def test_match__loads_nothing_heavy() -> None:
    heavy = {"numpy", "numba", "torch", "gymnasium", "pettingzoo", "scipy"}
    args = ["match", "lowest", "greedy", "greedy", "random", "--seed", "0"]
    done = run_alone(args, f"print({heavy!r} & set(sys.modules), file=sys.stderr)")
    assert done.err == "set()\n"
    [record] = log_reader.load(done.out)
    assert record.transcript.game.is_over


def test_match__refuses_records_from_a_position_before_an_agent_is_asked(tmp_path: Path) -> None:
    """A record holds games from their deal; the moves of language models cost money."""
    game = Game.deal(BIG2, 3)
    game.play("C[3]")
    path = tmp_path / "middle.json"
    path.write_text(positions.dumps(game))
    answer = run_cli("match", "greedy", "random", "--from", str(path), "--log", "jsonl")
    assert answer == (2, "", "big2: expected a game that began with a deal, got one that began in the middle\n")
