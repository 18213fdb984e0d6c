"""Records, positions, logs and inputs that revision 6143b99 wrote are read as they were meant."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from big2_env import available_rulesets, ruleset
from big2_env.notation import log, log_reader, positions, records, sources, spec_input

DATA = Path(__file__).parents[1] / "data" / "revision_6143b99"
RECORDS = (DATA / "games.jsonl").read_text("utf-8").splitlines()
LOGGED = [path.stem for path in sorted(DATA.glob("*.log"))]


def test_records__of_every_ruleset_are_read_and_give_the_same_log() -> None:
    hashes = json.loads((DATA / "logs_sha256.json").read_text("utf-8"))
    seen = set()
    for line, wanted in zip(RECORDS, hashes, strict=True):
        record = records.loads(line)
        data = json.loads(line)
        seen.add(data["ruleset"])
        assert record.game.ruleset.name == data["ruleset"]
        text = log.dumps(record.transcript).removeprefix(f"{log.NOTE}\n")  # the note is the one line that is new
        assert hashlib.sha256(text.encode()).hexdigest() == wanted
        again = json.loads(records.dumps(record))
        assert {key: again[key] for key in data} == data
    assert len(seen) == 10


def test_positions__are_read() -> None:
    for line in (DATA / "positions.jsonl").read_text("utf-8").splitlines():
        game = positions.loads(line)
        data, again = json.loads(line), json.loads(positions.dumps(game))
        assert {key: again[key] for key in data} == data


@pytest.mark.parametrize("name", LOGGED)
def test_logs_and_inputs__are_read_and_written_byte_for_byte(name: str) -> None:
    rules = ruleset(name)
    text, given = ((DATA / f"{name}.{end}").read_text("utf-8") for end in ("log", "in"))
    assert log_reader.loads(text, rules).dumps() == text
    _, games = sources.load(given, rules)
    (record,) = games
    assert log.dumps(record.transcript) == text
    assert spec_input.dumps(record.transcript) == given


def test_data__has_what_it_is_to_have() -> None:
    assert {json.loads(line)["ruleset"] for line in RECORDS} <= set(available_rulesets())
    assert LOGGED == ["big2", "chu_da_di", "hong_kong", "three_two_one"]
