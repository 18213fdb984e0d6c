"""Every verb that takes a game reads it in each form, up to the same move, counted from either end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from run_cli import run_cli

from big2_env import BIG2, Game
from big2_env.agents.interface import make_agent, play_out
from big2_env.notation import log, positions, records, spec_input
from big2_env.notation.records import GameRecord
from big2_env.notation.transcript import Transcript, game_at
from big2_env.text.session import Session

MOVES = 57
AT = 45
KINDS = ("input", "log", "record", "record on several lines", "position")
SHOWN = {
    "state": (
        ["state"],
        """\
player_1 to beat single S[Q] (player_0)
player_0, 2 cards: H[5] S[A]
player_1, 3 cards: S[9] H[10] S[K]
player_2, 4 cards: S[5] C[6] D[J] D[2]
player_3, 6 cards: H[6] S[7] C[8] C[10] D[10] C[Q]
""",
    ),
    "solve": (
        ["solve", "--json"],
        '{"verdict": "no forced win", "goal": "first-out", "side": [1], "line": [[1, "single S[K]"], [2, "single D[2]"], ',
    ),
    "show": (["show", "--notation"], "player_1 to beat single S[Q] (player_0)"),
    "advise": (
        ["advise", "--agent", "heuristic"],
        ": player_1 to beat single S[Q] of player_0; hand S[9] H[10] S[K]; cards left: player_0 2, player_1 3, player_2 4, "
        "player_3 6\n",
    ),
    "convert": (["convert", "--to", "position"], '"turn": 1, "top_seat": 0, "top": "single S[Q]"}\n'),
    "match": (
        ["match", *["lowest"] * 4, "--log", "spec", "--from"],
        "輪到lowest2了\n0    1     2\nS[9] H[10] S[K]\n",
    ),
    "play": (["play", "--plain", "--letters", "--lang", "en", "--from"], "S[9] H[10] S[K]\n"),
}
"""By verb, the arguments before the game, and what is printed of the game after move 45, whatever form it has."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The same game in each form. Seat 0 opens, so that a log gives every seat its own number."""
    game = Game.deal(BIG2, 13)
    play_out(game, [make_agent("lowest") for _ in range(4)])
    assert len(game.history) == MOVES
    transcript = Transcript(game)
    record = records.dumps(GameRecord(transcript))
    texts = {
        "input": spec_input.dumps(transcript),
        "log": log.dumps(transcript),
        "record": record + "\n",
        "record on several lines": json.dumps(json.loads(record), indent=1),
        "position": positions.dumps(game_at(game, AT)) + "\n",
    }
    folder = tmp_path_factory.mktemp("games")
    found = {kind: folder / f"{kind}.txt" for kind in texts}
    for kind, text in texts.items():
        found[kind].write_text(text, encoding="utf-8")
    return found


def at(files: dict[str, Path], kind: str) -> str:
    """What names the position after move 45."""
    return f"{files[kind]}" if kind == "position" else f"{files[kind]}:{AT}"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("verb", SHOWN)
def test_verbs__read_a_game_in_every_form(verb: str, kind: str, files: dict[str, Path]) -> None:
    args, shown = SHOWN[verb]
    done = run_cli(*args, at(files, kind), stdin="q\n")
    assert (done.status, done.err) == (0, "")
    assert shown in done.out


@pytest.mark.parametrize("verb", sorted(set(SHOWN) - {"play"}))  # play reads the person's moves there
def test_verbs__read_standard_input_up_to_a_move(verb: str, files: dict[str, Path]) -> None:
    args, shown = SHOWN[verb]
    game = files["record"].read_text("utf-8")
    done = run_cli(*args, f"-:{AT}", stdin=game)
    assert (done.status, done.err) == (0, "")
    assert shown in done.out
    assert run_cli(*args, f"-:{AT}", "--lout", stdin=game).status == 2  # other unknown options stay errors


@pytest.mark.parametrize("kind", KINDS[:-1])
@pytest.mark.parametrize("verb", SHOWN)
def test_verbs__count_moves_back_from_the_end(verb: str, kind: str, files: dict[str, Path]) -> None:
    args, shown = SHOWN[verb]
    for source, back in ((f"{files[kind]}", MOVES - AT), (f"{files[kind]}:50", 5)):
        assert shown in run_cli(*args, source, "--back", str(back), stdin="q\n").out
    refused = run_cli(*args, f"{files[kind]}", "--back", "58", stdin="q\n")
    assert (refused.status, refused.err) == (2, "big2: --back: expected at most the 57 moves of the game, got 58\n")


@pytest.mark.parametrize("kind", KINDS)
def test_session__sets_a_game_in_every_form(kind: str, files: dict[str, Path]) -> None:
    table = Session()
    table.initialize("big2")
    table.set(at(files, kind))
    position = table.game.position
    assert (position.turn, str(position.top)) == (1, "single S[Q]")
    assert [BIG2.text(hand) for hand in position.hands] == [
        "H[5] S[A]",
        "S[9] H[10] S[K]",
        "S[5] C[6] D[J] D[2]",
        "H[6] S[7] C[8] C[10] D[10] C[Q]",
    ]


def test_session__reads_an_input_with_its_own_number_of_players(tmp_path: Path) -> None:
    game = Game.deal(BIG2, 3, 3)
    path = tmp_path / "three.in"
    path.write_text(spec_input.dumps(Transcript(game, ["A", "B", "C"])), encoding="utf-8")
    table = Session()
    table.initialize("big2", 3)
    table.set(str(path))
    assert table.game.position.hands == game.position.hands


@pytest.mark.parametrize("verb", ["state", "solve", "show", "advise", "convert"])
def test_verbs__read_standard_input_and_json_as_it_stands(verb: str, files: dict[str, Path]) -> None:
    args, shown = SHOWN[verb]
    assert shown in run_cli(*args, "-", "--back", "12", stdin=files["log"].read_text("utf-8")).out
    assert shown in run_cli(*args, files["position"].read_text("utf-8")).out


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["state", "{record}:58"], "expected a move of 0 to 57, got 58"),
        (["solve", "{record}:58"], "expected a move of 0 to 57, got 58"),
        (["show", "{record}:58"], "expected a move of 0 to 57, got 58"),
        (["solve", "-"], "expected a game, got an empty text"),
        (
            ["advise", "{record}:3", "--move", "4"],
            "expected one of --all, --move and FILE:N, got --move and FILE:N",
        ),
        (["show", "{record}:3", "--at", "4"], "expected one of --at and FILE:N, got both"),
        (["state", '{{"ruleset": "big2", "hands": ["方块7 方块7"]}}'], "line 1: D[7] is given twice"),
    ],
)
def test_verbs__refuse_what_is_no_moment_of_a_game(args: list[str], says: str, files: dict[str, Path]) -> None:
    done = run_cli(*(arg.format(record=files["record"]) for arg in args))
    assert (done.status, done.out, done.err) == (2, "", f"big2: {says}\n")


def test_positions__may_be_written_in_chinese() -> None:
    position = {
        "ruleset": "斗地主",
        "hands": ["方块7 梅花9、红桃10方塊K", "♥q ♠Q", "D[4] 小王 大王"],
        "turn": 2,
        "landlord": 2,
        "top": "single 黑桃3",
        "top_seat": 0,
    }
    game = positions.loads(json.dumps(position, ensure_ascii=False))
    assert [game.ruleset.text(hand) for hand in game.position.hands] == ["D[7] C[9] H[10] D[K]", "H[Q] S[Q]", "D[4] LJ BJ"]
    assert str(game.position.top) == "single S[3]"
    two_decks = {"ruleset": "四人斗地主", "hands": ["小王* 方块3*", "方块3", "D[5]", "D[6]"], "turn": 0, "landlord": 0}
    hands = json.loads(positions.dumps(positions.loads(json.dumps(two_decks))))["hands"]
    assert hands == ["D[3]* LJ*", "D[3]", "D[5]", "D[6]"]
    assert "方块7" not in positions.dumps(game)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_side_games__are_read_by_their_byte_order_mark(encoding: str, tmp_path: Path) -> None:
    record = run_cli("fishing", "play", "--seed", "7", "--log", "jsonl").out
    file = tmp_path / "game.jsonl"
    file.write_text(record, encoding="utf-8")
    shown, replayed = run_cli("show", str(file)), run_cli("fishing", "replay", str(file))
    file.write_text(record, encoding=encoding)
    assert run_cli("show", str(file)) == shown
    assert run_cli("fishing", "replay", str(file)) == replayed
    assert (shown.status, replayed.status) == (0, 0)
