"""Game records: one game a line, played again by the rules whenever one is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO, StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from house_rules import BOMBS, DRAWING, HOUSE_RULES, LAST_OUT
from hypothesis import given, settings
from hypothesis import strategies as st
from outside_patterns import OUTSIDE
from random_transcripts import random_transcripts

from big2_env import BIG2, CardsLeft, ConfigError, Game, Lead, NotationError, Position, RuleSet, ruleset
from big2_env.base.cards import CardSet
from big2_env.climbing.ruleset_data import digest
from big2_env.notation import log, log_reader, records
from big2_env.notation.records import GameRecord
from big2_env.notation.transcript import Transcript, game_at, replay

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)

SHORT = Transcript(Game.from_hands(BIG2, ["C[3] S[2]", "D[4]", "C[5]", "H[6]"]), ["Ann", "Bo", "Cy", "電"])
for _slots in [(), (0,), (0, 0), (), (), (), (0,)]:
    SHORT.act(_slots)
LINE = records.dumps(GameRecord(SHORT))


def edited(**changes: Any) -> str:
    """The short game's line with some keys set, or taken away by `...`."""
    data = json.loads(LINE) | changes
    return json.dumps({key: value for key, value in data.items() if value is not ...})


def test_record__reads_as_documented() -> None:
    assert json.loads(LINE) == {
        "schema": 1,
        "ruleset": "big2",
        "scoring": "winner",
        "rules": {"digest": digest(BIG2)},
        "players": ["Ann", "Bo", "Cy", "電"],
        "hands": ["C[3] S[2]", "D[4]", "C[5]", "H[6]"],
        "moves": [{"refused": []}, "single C[3]", {"refused": [0, 0]}, "pass", "pass", "pass", "single S[2]"],
        "winner": 0,
        "reason": "empty_hand",
        "cards_left": [0, 1, 1, 1],
        "payoffs": [1.0, -1 / 3, -1 / 3, -1 / 3],
    }
    assert "電" in LINE
    assert "\n" not in LINE


def test_record__of_more_moves_than_are_read_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_MOVES", 7)
    assert records.dumps(GameRecord(SHORT)) == LINE
    monkeypatch.setattr(records, "MAX_MOVES", 6)
    with pytest.raises(ConfigError, match=r"too many moves, refused ones included: 7 \(limit 6\)"):
        records.dumps(GameRecord(SHORT))


@pytest.mark.parametrize("ruleset", HOUSE_RULES, ids=lambda ruleset: ruleset.name)
def test_record__of_any_rules_comes_back(ruleset: RuleSet) -> None:
    for transcript in random_transcripts(ruleset, range(5)):
        line = records.dumps(GameRecord(transcript))
        record = records.loads(line, {ruleset.name: ruleset})
        assert (record.transcript, record.game.outcome) == (transcript, transcript.game.outcome)
        assert record.game.start.pile == transcript.game.start.pile
        assert records.dumps(record) == line


def test_record__of_a_game_that_goes_on_or_was_forced_open() -> None:
    forced = replace(BIG2, name="forced", lead=Lead.EXACT, auto_lead=True)
    for transcript in random_transcripts(forced, range(3)):
        line = records.dumps(GameRecord(transcript))
        assert records.loads(line, {"forced": forced}).transcript == transcript
        wrong = json.dumps(json.loads(line) | {"moves": ["pass"]})
        with pytest.raises(NotationError, match=r"move 0: 'pass': by the rules the game begins with single C\[3\]"):
            records.loads(wrong, {"forced": forced})
    (whole,) = random_transcripts(BIG2, [4])
    for ply in range(0, len(whole.game.history), 7):
        part = Transcript(game_at(whole.game, ply), whole.names)
        record = records.loads(records.dumps(GameRecord(part)))
        assert record.transcript == part
        assert record.game.outcome is None


def test_record__keeps_the_deck_the_scoring_and_the_names() -> None:
    deck = BIG2.deck.shuffled(9)
    rules = BIG2.with_scoring("cards")
    game = Game.from_deck(rules, deck)
    while not game.is_over:
        game.push(next(iter(game.legal_plays())))
    record = GameRecord(Transcript(game, ["甲", "甲", "b c", "了"]), tuple(deck), {"seed": 9, "agents": ["lowest"] * 4})
    line = records.dumps(record)
    assert json.loads(line)["deck"] == " ".join(map(str, deck))
    again = records.loads(line)
    assert again == record
    assert again.game.ruleset.scoring == CardsLeft()
    assert again.game.outcome == game.outcome
    assert game.outcome is not None
    assert min(game.outcome.payoffs) < -1


@given(st.dictionaries(st.text(), JSON, max_size=4).filter(lambda extra: not set(extra) & set(records.KEYS)))
def test_record__keeps_keys_that_it_does_not_know(extra: dict[str, Any]) -> None:
    record = records.loads(json.dumps(json.loads(LINE) | extra))
    assert record.extra == extra
    line = records.dumps(record)
    line.encode()
    assert records.loads(line) == record


def test_records__stream_both_ways() -> None:
    games = [GameRecord(transcript, extra={"n": i}) for i, transcript in enumerate(random_transcripts(BIG2, range(6)))]
    out = StringIO()
    assert records.dump(iter(games), out) == 6
    text = out.getvalue()
    assert text.count("\n") == 6
    for source in (text, StringIO(text), BytesIO(text.encode()), text.splitlines(), "\ufeff" + text.replace("\n", "\r\n\n")):
        assert list(records.load(source)) == games
    stream = records.load(text + "{")
    for game in games:
        assert next(stream) == game
    with pytest.raises(NotationError, match="line 7: invalid JSON"):
        next(stream)
    assert records.dump([], out) == 0


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("[1]", r"expected a JSON object, got '\[1\]'"),
        ("{", "invalid JSON: column 2: .*; the text ends too early and may be incomplete$"),
        ('{"schema": 1, "play', "invalid JSON: column 15: Unterminated string; the text ends too early and may be incomplete$"),
        ('{"schema" 1}', "invalid JSON: column 11: Expecting ':' delimiter$"),
        ('{"schema": 1, "schema": 1}', "the key 'schema' is given twice"),
        ('{"extra": NaN, "schema": 1}', "NaN is no JSON number"),
        ("[" * 100_000, "invalid JSON: "),
        ('{"schema": ' + "9" * 5000 + "}", "invalid JSON: "),
        (edited(schema=2), "expected schema 1, got '2'"),
        (edited(schema=True), "expected schema 1, got 'true'"),
        (edited(schema=...), "expected schema 1, got 'null'"),
        (edited(ruleset="bigger2", rules=...), r"unknown ruleset 'bigger2'; did you mean big2\?"),
        (edited(ruleset="bigger2"), "recorded under other rules: 'bigger2': unknown ruleset 'bigger2'"),
        (edited(ruleset=["big2"]), "ruleset: expected a text of at most 100 characters, got '\\[\"big2\"\\]'"),
        (edited(scoring="gold"), "recorded under other rules: 'big2': unknown scoring 'gold'; expected"),
        (edited(players=["A", "B", "C"]), "expected a name for each of the 4 seats, got 3"),
        (edited(players=["A", "B", "C", ""]), "expected a name of printable characters without blanks at the ends, got ''"),
        (edited(players="ABCD"), "players: expected a list of texts, got '\"ABCD\"'"),
        (
            edited(hands=["C[3] S[2]", "D[4]", "C[5]", "H[0]"]),
            r"expected a card <suit>\[<rank>\] with suit C D H S and rank 3 4 5 6 7 8 9",
        ),
        (edited(hands=["C[3] S[2]", "D[4]", "C[5]", "C[5]"]), r"C\[5\] twice"),
        (edited(hands=["C[3] S[2]", "D[4]", "C[5]", ""]), "expected at least one card in each hand, got an empty one"),
        (edited(hands=["C[3] S[2]"]), "position: expected 2 to 4 hands for big2, got 1"),
        (edited(hands=["C[3] S[2]", "D[4]", "C[5]", "LJ"]), "cards outside the deck"),
        (edited(hands=...), "hands: expected a list of texts, got 'null'"),
        (edited(hands=[]), "expected at least one card in each hand, got an empty one"),
        (edited(pile="D[9]"), "a draw pile, big2 has none"),
        (edited(deck="C[3]"), "expected either deck or hands, got both"),
        (edited(deck="C[3]", hands=...), r"is missing: 1 of 52 cards"),
        (edited(moves=None), "moves: expected a list of at most 10,000"),
        (edited(moves=["pass"] * 10_001), "moves: expected a list of at most 10,000"),
        (edited(moves=["pass"]), "move 0: pass: the leader must play"),
        (edited(moves=["single C[3]", "single D[4]", "single C[5]"]), "move 2: pass: |move 2: .*the game is over"),
        (edited(moves=["single S[2]"]), r"move 0: .*must be or contain C\[3\]"),
        (edited(moves=["single C[3]", "single S[2]"]), r"move 1: S\[2\]: not in the hand D\[4\]"),
        (edited(moves=["pair C[3]"]), "move 0: .*no pattern of big2"),
        (edited(moves=["bomb C[3]"]), "move 0: pattern 'bomb': big2 has "),
        (edited(moves=["single"]), "move 0: expected pass, or a pattern with its cards, got 'single'"),
        (edited(moves=["single C[3] C[3]"]), r"move 0: C\[3\] is given twice"),
        (edited(moves=["single#2 C[3]"]), r"move 0: 'single#2 C\[3\]': the pattern reads these cards in 1 way$"),
        (edited(moves=["single#0 C[3]"]), r"move 0: expected pass, or a pattern with its cards, got 'single#0 C\[3\]'"),
        (edited(moves=["single# C[3]"]), r"move 0: expected pass, or a pattern with its cards, got 'single# C\[3\]'"),
        (edited(moves=["pass C[3]"]), "move 0: pattern 'pass'"),
        (edited(moves=[7]), "move 0: expected a text, or an object with the key refused, got '7'"),
        (edited(moves=[{"refused": [0]}]), r"move 0: .*is recorded as refused, and is legal"),
        (edited(moves=[{"refused": [-1]}]), "move 0: expected the key refused with a list of indices, a word of an"),
        (edited(moves=[{"refused": [True]}]), "move 0: expected the key refused with a list of indices, a word of an"),
        (edited(moves=[{"refused": [], "why": "no"}]), "move 0: expected the key refused with a list of indices, a word of an"),
        (edited(moves=[{}]), "move 0: expected the key refused with a list of indices, a word of an"),
        (edited(moves=[{"refused": "0"}]), "move 0: expected the key refused with a list of indices, a word of an"),
        (edited(winner=1), "winner '1': the moves give 0"),
        (edited(winner=False), "winner 'false': the moves give 0"),
        (edited(winner=...), "winner 'null': the moves give 0"),
        (edited(reason="bored"), 'reason \'"bored"\': the moves give "empty_hand"'),
        (edited(cards_left=[0, 1, 1, 2]), r"cards_left .*: the moves give \[0, 1, 1, 1\]"),
        (edited(payoffs=[3, -1, -1, -1]), r"payoffs .*: the moves give \[1.0, -0.33"),
        (edited(payoffs=[10**400, 0, 0, 0]), "payoffs .*: the moves give"),
        (edited(payoffs=[1.0, -1 / 3, -1 / 3]), "payoffs .*: the moves give"),
        (edited(scoring="cards", rules=...), "payoffs .*: the moves give"),
        (edited(scoring="cards"), "recorded under other rules: 'big2': their digest is "),
        (edited(moves=["single C[3]"]), "winner '0': the moves give null"),
    ],
)
def test_record__that_is_none_is_refused_with_its_line(line: str, says: str) -> None:
    with pytest.raises((NotationError, ConfigError), match=says):
        records.loads(line)
    with pytest.raises(NotationError, match=says) as caught:
        list(records.load(f"{LINE}\n\n{line}\n"))
    assert str(caught.value).startswith("line 3: ")
    assert len(str(caught.value)) < 400


def test_record__is_bounded() -> None:
    with pytest.raises(NotationError, match="line 2: more than 1048576 characters"):
        list(records.load(f"{LINE}\n" + " " * 2_000_000 + "{}"))
    with pytest.raises(NotationError, match=r"the record is too long: 2,000,000 characters \(limit 1,048,576\)"):
        records.loads(" " * 2_000_000)


def test_record__accepts_numbers_that_differ_by_rounding() -> None:
    assert records.loads(edited(payoffs=[1, -0.3333333333333, -0.3333333333333, -0.3333333333333])).game == SHORT.game


@settings(max_examples=300)
@given(st.data())
def test_record__with_any_value_anywhere_is_read_or_refused_in_words(data: st.DataObject) -> None:
    keys = [*json.loads(LINE), "deck", "pile"]
    line = edited(**{data.draw(st.sampled_from(keys)): data.draw(JSON) for _ in range(data.draw(st.integers(1, 2)))})
    try:
        record = records.loads(line)
    except (NotationError, ConfigError) as error:
        says = str(error)
    else:
        says = ""
        assert records.loads(records.dumps(record)) == record
    assert "\n" not in says
    assert len(says) < 300


def test_record__refuses_what_it_cannot_tell() -> None:
    middle = Position((1, 2, 4, 8), turn=1)
    cases: list[tuple[Callable[[], object], str]] = [
        (
            lambda: records.dumps(GameRecord(Transcript(Game.deal(ruleset("dou_dizhu"), 1)))),
            "a record of dou_dizhu needs the deck that was dealt",
        ),
        (lambda: records.dumps(GameRecord(Transcript(Game.from_position(BIG2, middle)))), "began in the middle"),
        (lambda: GameRecord(SHORT, tuple(BIG2.deck.cards)), "a deck that does not deal the hands"),
        (lambda: GameRecord(SHORT, extra={"moves": 1, "winner": 2}), "extra key moves, winner"),
        (lambda: records.dumps(GameRecord(SHORT, extra={"seed": {1}})), "extra keys seed: "),
        (lambda: records.dumps(GameRecord(SHORT, extra={"mean": float("nan")})), "extra keys mean: "),
    ]
    for make, says in cases:
        with pytest.raises(ConfigError, match=says):
            make()


def test_record__turns_into_a_log_and_back() -> None:
    """A log has no seats and no indices of refused attempts; with the names given, the rest is the same."""
    for transcript in random_transcripts(OUTSIDE, range(20)):
        record = records.loads(records.dumps(GameRecord(transcript)), {OUTSIDE.name: OUTSIDE})
        text = log.dumps(record.transcript)
        assert text == log.dumps(transcript)
        found = GameRecord(log_reader.loads(text, OUTSIDE, transcript.names).transcript)
        line = records.dumps(found)
        assert records.loads(line, {OUTSIDE.name: OUTSIDE}) == found
        moves = [{"refused": None} if isinstance(m, dict) and m["refused"] else m for m in json.loads(line)["moves"]]
        assert moves == [
            {"refused": None} if isinstance(m, dict) and m["refused"] else m for m in json.loads(records.dumps(record))["moves"]
        ]
        assert json.loads(line)["payoffs"] == json.loads(records.dumps(record))["payoffs"]


def test_record__tells_readings_of_one_pattern_apart() -> None:
    """Three fives and three sixes: a triple of either, with a pair and a single of the other."""
    cards = CardSet("D[5] C[5] H[5] D[6] C[6] H[6]").mask
    game = Game.from_hands(ruleset("three_two_one"), ["D[5] C[5] H[5] D[6] C[6] H[6] C[9]", "C[7]", "C[8]", "C[10]"])
    readings = [play for play in game.legal_plays() if play.pattern == "triple_pair_single" and play.mask == cards]
    assert len(readings) == 2
    lines = []
    for play in readings:
        branch = game.copy()
        branch.play(play)
        lines.append(records.dumps(GameRecord(Transcript(branch))))
        assert records.loads(lines[-1]).game == branch
    assert [json.loads(line)["moves"][0].split()[0] for line in lines] == ["triple_pair_single", "triple_pair_single#2"]


@pytest.mark.parametrize("ruleset", [BIG2, BOMBS, DRAWING, LAST_OUT], ids=lambda ruleset: ruleset.name)
def test_replay__goes_through_every_position(ruleset: RuleSet) -> None:
    (transcript,) = random_transcripts(ruleset, [2])
    game = transcript.game
    frames = list(replay(game))
    assert [frame.move for frame in frames] == [*game.history, None]
    assert [frame.ply for frame in frames] == list(range(len(game.history) + 1))
    assert (frames[0].position, frames[-1].position) == (game.start, game.position)
    for before, after in pairwise(frames):
        assert before.move is not None
        assert before.move.seat == before.position.turn == before.view().seat
        branch = before.game.copy()
        branch.play(before.move.play)
        assert branch == after.game
        for seat in range(game.num_players):
            assert before.view(seat).hand == before.position.hands[seat]
    everything = sum(hand.bit_count() for hand in game.start.hands) + len(game.start.pile)
    for frame in frames:
        held = [CardSet(mask) for mask in (*frame.position.hands, *frame.position.played)]
        assert sum(map(len, held)) + len(frame.position.pile) == everything
    # Branching off leaves the game as it is.
    assert game_at(game, 3) == frames[3].game
    assert transcript.game.is_over
    for ply in (-1, len(game.history) + 1):
        with pytest.raises(ConfigError, match=f"expected a move of 0 to {len(game.history)}, got {ply}"):
            game_at(game, ply)


def test_replay__of_a_forced_opening_begins_before_it() -> None:
    forced = replace(BIG2, lead=Lead.EXACT, auto_lead=True)
    game = Game.deal(forced, 3)
    first, second = replay(game)
    assert (first.ply, first.move, second.move) == (0, game.history[0], None)
    assert first.position == game.start


def test_record__files_are_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    with path.open("w", encoding="utf-8") as file:
        records.dump([GameRecord(SHORT)] * 3, file)
    with path.open(encoding="utf-8") as file:
        assert [record.transcript for record in records.load(file)] == [SHORT] * 3
    with path.open("rb") as stream:
        assert len(list(records.load(stream))) == 3
