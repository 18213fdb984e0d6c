"""The table of six phases, and positions as JSON."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest
from house_rules import DRAWING, LOCKED
from random_games import random_games
from random_transcripts import random_transcripts
from run_cli import run_cli
from sample_text import SAMPLE_LOG

from big2_env import BIG2, ConfigError, Game, IllegalPlayError, NotationError, Phase, Session, available_rulesets, ruleset
from big2_env.base.language import Language
from big2_env.notation import positions, records, sources, spec_input
from big2_env.notation.records import GameRecord
from big2_env.notation.sources import Moment, game_in
from big2_env.notation.transcript import Transcript
from big2_env.text.state import state_text

OPERATIONS = {
    "deal": lambda table: table.deal(1),
    "decide": lambda table: table.decide(),
    "start": lambda table: table.start(next(iter(table.game.legal_plays()), 0)),
    "play": lambda table: table.play(next(iter(table.game.legal_plays()), 0)),
    "set": lambda table: table.set('{"ruleset": "dou_dizhu", "hands": ["C[3]", "C[4]", "C[5]"]}'),
}
ALLOWED = {
    Phase.READY: set(),
    Phase.INITIALIZED: {"deal", "set"},
    Phase.DEALT: {"deal", "set", "decide"},
    Phase.ASSIGNED: {"deal", "set", "start"},
    Phase.STARTED: {"deal", "set", "play"},
    Phase.OVER: {"deal", "set"},
}


def table_in(phase: Phase) -> Session:
    table = Session()
    if phase is Phase.READY:
        return table
    table.initialize("dou_dizhu")
    if phase is Phase.INITIALIZED:
        return table
    table.deal(3)
    while table.phase is not phase:
        table.game.push(next(iter(table.game.legal_plays())))
    return table


@pytest.mark.parametrize("phase", Phase)
def test_session__allows_what_its_phase_does(phase: Phase) -> None:
    for name, operation in OPERATIONS.items():
        table = table_in(phase)
        before = None if phase in (Phase.READY, Phase.INITIALIZED) else (table.game.position, len(table.game.history))
        if name in ALLOWED[phase]:
            operation(table)
            continue
        with pytest.raises(ConfigError, match=rf"^expected .*, got phase '{phase.value}'$"):
            operation(table)
        assert table.phase is phase
        assert before is None or before == (table.game.position, len(table.game.history))


def test_session__has_the_rulesets_number_of_players_by_default() -> None:
    assert (BIG2.min_players, BIG2.default_players) == (2, 4)
    for given, number in ((None, 4), (2, 2), (3, 3)):
        table = Session()
        table.initialize("big2", given)
        table.deal(seed=1)
        assert table.game.num_players == number


def test_session__plays_a_game_from_ready_to_over() -> None:
    table = Session()
    assert (table.phase, table.display(0), table.outcome) == (Phase.READY, None, None)
    with pytest.raises(ConfigError, match="dou_dizhu needs 3 players, got 4"):
        table.initialize("dou_dizhu", 4)
    table.initialize("dou_dizhu")
    assert table.phase is Phase.INITIALIZED
    table.deal(3)
    assert table.phase is Phase.DEALT
    with pytest.raises(IllegalPlayError):
        table.decide("rob")
    table.decide("call")
    table.decide()
    table.decide()
    assert table.phase is Phase.ASSIGNED
    with pytest.raises(IllegalPlayError, match="must play"):
        table.start(0)
    table.start(next(iter(table.game.legal_plays())))
    while table.phase is Phase.STARTED:
        table.play(next(iter(table.game.legal_plays())))
    assert table.phase is Phase.OVER
    assert table.outcome is not None
    view = table.display(1)
    assert view is not None
    assert view.outcome == table.outcome
    for name, number, allowed in (("dou_dizhu_4p", 4, "4"), ("chu_da_di", 4, "2 to 4"), ("three_two_one", 4, "4")):
        with pytest.raises(ConfigError, match=f"{name} needs {allowed} players, got 5"):
            table.initialize(name, 5)
        table.initialize(name, number)
    table.initialize(BIG2)  # anything may begin at any time
    table.deal(1)
    assert table.phase is Phase.ASSIGNED


def test_session__displays_the_whole_table_without_a_seat() -> None:
    table = Session()
    table.initialize("dou_dizhu")
    assert table.display() is None
    table.deal(3)
    assert table.display() == state_text(table.game)
    assert str(table.game.position.hands[2].bit_count()) in (table.display() or "")


def test_session__names_the_lowest_card_of_each_seat_in_a_deal_only() -> None:
    table = Session()
    table.initialize("big2")
    table.deal(3)
    assert state_text(table.game, lang=Language.EN).count("Preparatory round: ") == 1
    table.start(next(iter(table.game.legal_plays())))
    assert "Preparatory" not in state_text(Game.from_position(BIG2, table.game.position), lang=Language.EN)


def test_session__deals_another_game_each_time_without_a_seed() -> None:
    table = Session()
    table.initialize("big2")
    hands = set()
    for _ in range(3):
        table.deal()
        hands.add(table.game.position.hands)
    assert len(hands) == 3


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_game_source__with_a_line_break_is_a_game(end: str) -> None:
    """It is not the name of a file, whatever form the game has."""
    transcript = Transcript(Game.deal(BIG2, 3))
    transcript.act([0])
    record = records.dumps(GameRecord(transcript))
    for text in (spec_input.dumps(transcript), SAMPLE_LOG, f"{record}\n", json.dumps(json.loads(record), indent=1)):
        given = text.replace("\n", end)
        table = Session()
        table.initialize("big2")
        table.set(given)
        assert table.game == game_in(text, BIG2).game
        for verb in ("state", "show", "convert"):
            assert run_cli(verb, given) == run_cli(verb, "-", stdin=text)
    with pytest.raises(NotationError, match=r"line 1: the deck: expected a card .*, got 'x'"):
        table.set(f"x{end}" * 5000)


@pytest.mark.parametrize("rules", [*available_rulesets().values(), LOCKED, DRAWING], ids=lambda rules: rules.name)
def test_positions__come_back_from_json(rules: object) -> None:
    seen = set()
    for game in random_games(rules, [4], rules.default_players):
        if game.is_over or len(game.history) % 5:
            continue
        line = positions.dumps(game)
        again = positions.loads(line, {rules.name: rules})
        assert again.position == game.position
        assert positions.dumps(again) == line
        assert list(again.legal_plays()) == list(game.legal_plays())
        seen.add(game.phase)
    assert Phase.STARTED in seen


def test_game_source__is_a_file_a_position_or_a_record(tmp_path: Path) -> None:
    game = Game.deal(ruleset("dou_dizhu"), 2)
    line = positions.dumps(game)
    (tmp_path / "position.json").write_text(line, encoding="utf-8")
    for source in (line, str(tmp_path / "position.json")):
        assert game_in(source, BIG2).game == Game.from_position(game.ruleset, game.position)
    big2 = Game.deal(BIG2, 3)
    big2.play(next(iter(big2.legal_plays())))
    assert game_in(records.dumps(GameRecord(Transcript(big2))), BIG2).game == big2
    ending = game_in('{"ruleset": "big2", "hands": ["C[3] S[2]", "C[4]", "C[5]", "C[6]"]}', BIG2).game
    assert (ending.phase, ending.turn, ending.position.obligation) == (Phase.ASSIGNED, 0, 1)
    with pytest.raises(OSError, match=r"nothing\.json"):
        game_in(str(tmp_path / "nothing.json"), BIG2)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("end", [b"", b"\n"], ids=["one line", "lines"])
def test_game_source__is_bounded_where_no_size_is_known(end: bytes, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    line = positions.dumps(Game.deal(BIG2, 2)).encode()

    def write() -> None:
        with suppress(BrokenPipeError), pipe.open("wb") as stream:
            stream.write(line.removesuffix(b"}") + (b"," * 1000 + end) * (positions.MAX_TEXT // 1000 + 1) + b"}")

    writer = Thread(target=write, daemon=True)
    writer.start()
    with pytest.raises(NotationError, match=f"more than {positions.MAX_TEXT} characters"):
        game_in(str(pipe), BIG2)
    writer.join()
    table = Session()
    table.initialize("big2")
    with pytest.raises(NotationError, match=f"more than {positions.MAX_TEXT} characters"):
        table.set(line.decode() + " " * positions.MAX_TEXT)


def test_input__of_a_finished_game_ends_with_it() -> None:
    text = spec_input.dumps(next(iter(random_transcripts(BIG2, [5]))))
    for end in ("", "\n \n"):
        assert [record.game.is_over for record in sources.load(text + end, BIG2)[1]] == [True]
    last = len((text + "\n\n").splitlines()) + 1
    with pytest.raises(NotationError, match=f"^line {last}: expected nothing after the end of the game: an input is one game$"):
        list(sources.load(text + "\n\n0\n", BIG2)[1])


@pytest.mark.parametrize(
    ("moment", "moves"),
    [
        (Moment(), 5),
        (Moment(5), 5),
        (Moment(0), 0),
        (Moment(back=5), 0),
        (Moment(3, 1), 2),
        (Moment(6), "expected a move of 0 to 5, got 6"),
        (Moment(back=6), "--back: expected at most the 5 moves of the game, got 6"),
        (Moment(3, 4), "--back: expected at most the 3 moves of the game, got 4"),
        (Moment(back=-1), "--back: expected at most the 5 moves of the game, got -1"),
    ],
)
def test_moments__are_counted_from_the_start_or_the_end(moment: Moment, moves: int | str) -> None:
    if isinstance(moves, int):
        assert moment.of(5) == moves
        return
    with pytest.raises(ConfigError, match=f"^{moves}$"):
        moment.of(5)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"hands": ["C[3]"]}, "position: expected 3 to 3 hands for dou_dizhu, got 1"),
        ({"hands": ["C[3]", "C[3]", "C[4]"]}, r"C\[3\] twice"),
        ({"turn": 7}, "position: expected a turn of a seat that holds cards, got 7"),
        ({"turn": -1}, "turn: expected a whole number of at least 0, got '-1'"),
        ({"turn": True}, "turn: expected a whole number of at least 0, got 'true'"),
        ({"stake": 0}, "position: expected stake and factor of at least 1, got 0 and 1"),
        ({"acted": [1]}, "numbers of plays of 1 seats"),
        ({"landlord": 5}, "position: expected a landlord of 0 to 2, got 5"),
        (
            {"said": [[1, 1], [2, 0], [0, 0]]},
            "landlord 0 for 1 times 1, the decisions .* give the deal to 1 for 1 times 1",
        ),
        (
            {"said": [[0, 1], [1, 1], [2, 0], [0, 1]]},
            "for 1 times 1, the decisions .* give the deal to 0 for 1 times 4",
        ),
        ({"said": [[0, 1]]}, "a landlord after 1 decisions, with which the auction is not over"),
        ({"said": [[0, 1], [1, 2]]}, "decision 1 of the auction, 2 of seat 1, is not one that can be"),
        ({"bidding": 1}, "bidding: expected true or false, got '1'"),
        ({"said": [[0]]}, r"said: expected a list of \[seat, value\], got '\[\[0\]\]'"),
        ({"top": "pair C[3]"}, "no pattern of dou_dizhu"),
        ({"top": "single C[9]", "top_seat": 0}, "position: expected a top player other than the seat to move, got 0"),
        ({"passed": [101]}, r"passed: expected a list of seats, got '\[101\]'"),
        ({"played": ["", "", ""]}, "not the whole deck: missing are"),
        ({"colour": "red"}, "unknown key 'colour'; expected ruleset, scoring, rules, hands, played,"),
        ({"ruleset": "chess"}, "ruleset 'chess'"),
        ({"hands": "C[3]"}, "hands: expected a list of texts, got '\"C\\[3\\]\"'"),
        ({"captured": ["C[3]", "", ""]}, "captured cards of 3 seats"),
    ],
)
def test_positions__that_cannot_be_are_refused(change: dict[str, object], says: str) -> None:
    good = {"ruleset": "dou_dizhu", "hands": ["C[3] C[4]", "C[5]", "C[6]"], "turn": 0, "landlord": 0}
    assert positions.loads(json.dumps(good)).phase is Phase.ASSIGNED
    for said in ([[0, 1], [1, 0], [2, 0]], [[0, 0], [1, 0], [2, 0]]):  # called, or forced
        assert positions.loads(json.dumps(good | {"said": said})).position.landlord == 0
    with pytest.raises((ConfigError, NotationError, IllegalPlayError), match=says):
        positions.loads(json.dumps(good | change))


VALUES = [
    None,
    True,
    -1,
    0,
    2,
    1 << 80,
    0.5,
    "",
    "C[3]",
    "single C[3]",
    "S[3]*",
    [],
    [0],
    [9],
    ["C[3]"],
    [[0, 1]],
    ["", "", ""],
    {},
]


def test_positions__with_any_value_anywhere_are_read_or_refused_in_words() -> None:
    game = Game.deal(ruleset("dou_dizhu"), 2)
    auction = json.loads(positions.dumps(game))
    for move in ("call", "", ""):
        game.play(0, move or None)
    lead = json.loads(positions.dumps(game))
    accepted = 0
    for good in (auction, lead):
        for key in positions.KEYS:
            for value in VALUES:
                try:
                    found = positions.loads(json.dumps(good | {key: value}))
                except (ConfigError, NotationError, IllegalPlayError):
                    continue
                accepted += 1
                assert len(found.legal_plays()) > 0
                found.push(next(iter(found.legal_plays())))
    assert accepted > 30
