"""`big2 show`: tables as text, pages and pictures; bad input in one line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from places import DATA
from run_cli import run_cli
from small_games import HANDS, StubJudge

from big2_agents.review import analysis, command, prospects
from big2_agents.review.decision import Prospect
from big2_env import BIG2, Game
from big2_env.notation import records
from big2_env.notation.records import GameRecord
from big2_env.notation.transcript import Transcript

INPUT = DATA / "game.in"


@pytest.fixture
def record(tmp_path: Path) -> Path:
    game = run_cli("match", "random", "random", "random", "random", "--seed", "4", "--log", "jsonl").out
    path = tmp_path / "games.jsonl"
    path.write_text(game + game, encoding="utf-8")
    return path


def test_show__prints_the_table_as_it_stands_and_at_a_move(record: Path) -> None:
    end = run_cli("show", str(record), "--lang", "en")
    assert (end.status, end.err) == (0, "")
    assert re.search(r"^won by Lucky \d$", end.out, re.MULTILINE)
    begin = run_cli("show", str(record), "--lang", "en", "--at", "0", "--game-number", "2")
    hands = " ".join(line for line in begin.out.splitlines() if line.startswith("    "))
    assert len(re.findall(r"(?:10|[2-9JQKA])[♣♦♥♠]", hands)) == 52
    assert max(map(len, begin.out.splitlines())) <= 80
    one = run_cli("show", str(record), "--lang", "zh-Hant", "--at", "0", "--seat", "2", "--notation")
    assert len([card for card in re.findall(r"[CDHS]\[\w+\]", one.out) if card != "C[3]"]) in (12, 13)
    assert "大老二" in one.out


def test_show__reads_an_input_a_log_and_standard_input() -> None:
    shown = [run_cli("show", str(INPUT), "--lang", "en"), run_cli("show", "-", "--lang", "en", stdin=INPUT.read_bytes())]
    shown.append(run_cli("show", "--lang", "en", stdin=run_cli("convert", str(INPUT)).out))
    assert {one.status for one in shown} == {0}
    assert shown[0].out == shown[1].out == shown[2].out
    assert run_cli("show", "--lang", "en", stdin=run_cli("run", str(INPUT)).out).status == 0


@pytest.mark.parametrize("verb", [["uno", "play", "--games", "2"], ["fishing", "play"]])
def test_show__reads_side_games_from_standard_input_too(verb: list[str], tmp_path: Path) -> None:
    path, written = tmp_path / "games.jsonl", run_cli(*verb, "--log", "jsonl").out
    path.write_text(written, "utf-8")
    shown = run_cli("show", str(path), "--lang", "en")
    assert shown == run_cli("show", "--lang", "en", stdin=written) == run_cli("show", written, "--lang", "en")
    assert shown.status == 0
    indented = json.dumps(json.loads(written.splitlines()[0]), indent=1, ensure_ascii=False)
    assert run_cli("show", "--lang", "en", stdin=indented) == shown
    for other in (["convert"], ["advise"], ["state", "-"], ["solve", "-"]):
        status, out, err = run_cli(*other, stdin=written)
        assert (status, out) == (2, "")
        assert f"expected a record of a climbing game, got one of '{verb[0]}', which big2 show reads" in err


def test_show__writes_a_page_and_a_picture(record: Path, tmp_path: Path) -> None:
    page, picture = tmp_path / "game.html", tmp_path / "table.svg"
    options = ("--html", str(page), "--svg", str(picture), "--judge", "none", "--at", "3", "--lang", "zh-Hans")
    assert run_cli("show", str(record), *options) == (0, "", "")
    text = page.read_text(encoding="utf-8")
    assert '<html lang="zh-Hans">' in text
    data = json.loads(text.partition('id="data">')[2].partition("</script>")[0])
    assert data["games"][0]["start"] == 3
    assert data["games"][0]["marks"] == []
    assert picture.read_text(encoding="utf-8").startswith("<svg ")


def test_show__judges_in_words_too(monkeypatch: pytest.MonkeyPatch) -> None:
    class Appraiser:
        def __init__(self, *given: object) -> None: ...
        def prospect(self, game: object) -> Prospect:
            return Prospect((0.0,) * 4, ((0.0, 0.0),) * 4)

    monkeypatch.setattr(command, "judge_named", lambda name: StubJudge({"C[9]": 0.6, "H[9]": 0.4}))
    monkeypatch.setattr(prospects, "OpenPlayouts", Appraiser)
    monkeypatch.setattr(analysis, "proof_of", lambda game, *_: None)
    game = Game.from_hands(BIG2, HANDS)
    for cards in ("C[3]", "C[9]", "H[10]"):
        game.play(cards)
    line = records.dumps(GameRecord(Transcript(game)))
    shown = run_cli("show", "--judge", "stub", "--lang", "en", "--at", "1", stdin=line)
    assert shown.out.startswith("The costliest decision was move ")
    own = run_cli("show", "--judge", "stub", "--lang", "en", "--seat", "0", "--open", stdin=line)
    assert own.out.startswith(("You ", "Your "))
    assert (shown.status, shown.err) == (0, "")
    assert re.search(r"played +single 9♣ +70 % +66 % to 74 %", shown.out)
    words = " ".join(shown.out.split())
    assert "?? move 3: player_2: single 10♥ costs 30 percentage points. single 9♥ was worth 55 %, this 25 %." in words
    assert re.search(r"player_2 +25 % +-30 % ± 5 % +\+30 % +25 % +1 +0 +0 +1", words)
    assert "Judge: stub." in shown.out


@pytest.mark.parametrize(
    ("args", "stdin", "says"),
    [
        (["--seat", "4"], INPUT.read_text("utf-8"), "expected --seat from 0 to 3, got 4"),
        (["--at", "999"], INPUT.read_text("utf-8"), "expected --at from 0 to "),
        (["--game-number", "2"], INPUT.read_text("utf-8"), "expected --game-number from 1 to 1, got 2"),
        (["--judge", "random"], INPUT.read_text("utf-8"), "agent 'random' gives no values to compare: expected heuristic"),
        (["--judge", "nobody"], "", "agent 'nobody'"),
        (["--lang", "fr"], "", "--lang: expected en, zh-Hant, zh-Hans, got 'fr'"),
        (["nothing.jsonl"], "", "nothing.jsonl: No such file or directory"),
        ([], '{"schema": 9}', "schema"),
        ([], "", "the deck"),
        (["--html", "no/such/folder/x.html", "--judge", "none"], INPUT.read_text("utf-8"), "got no/such/folder"),
    ],
)
def test_show__answers_bad_input_in_one_line(args: list[str], stdin: str, says: str) -> None:
    status, out, err = run_cli("show", *args, stdin=stdin)
    assert (status, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1
