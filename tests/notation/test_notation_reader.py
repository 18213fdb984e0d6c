"""Logs read back: the same game, the same bytes, and clear words about every line that no game has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO, StringIO

import pytest
from house_rules import BOMBS, DRAWING, LOCKED, TIERS, TWO_DECKS
from outside_patterns import OUTSIDE
from places import DATA
from random_transcripts import random_transcripts

from big2_env import BIG2, ConfigError, Game, Lead, NotationError, RuleSet, available_rulesets
from big2_env.climbing.position import led_by
from big2_env.notation import log, log_reader, records, sources, spec_input
from big2_env.notation.lines import Lines
from big2_env.notation.records import GameRecord
from big2_env.notation.transcript import Happening, RefusedMove, Transcript

SAMPLE = (DATA / "game.out").read_text("utf-8")
SEATS = ("水球", "火球", "保齡球", "地瓜球")


def without_attempts(events: Sequence[Happening]) -> list[Happening]:
    """The events as a log tells them: a refused play does not say what it was."""
    logged = [event for event in events if not isinstance(event, log.NOT_LOGGED)]
    return [replace(event, slots=None) if isinstance(event, RefusedMove) and event.slots else event for event in logged]


def check_round_trip(transcript: Transcript, full_width: bool) -> None:
    text = log.dumps(transcript, full_width=full_width)
    found = log_reader.loads(text, transcript.game.ruleset, transcript.names)
    assert found.dumps() == text
    assert (found.names, found.hands, found.tail) == (transcript.names, transcript.game.start.hands, "")
    assert list(found.events) == without_attempts(transcript.events)
    assert (found.transcript.game, found.transcript.game.outcome) == (transcript.game, transcript.game.outcome)


@pytest.mark.long
@pytest.mark.parametrize("chunk", [0, *(pytest.param(chunk, marks=pytest.mark.release) for chunk in (1, 2, 3))])
@pytest.mark.parametrize(("ruleset", "games"), [(BIG2, 150), (OUTSIDE, 50)], ids=["big2", "outside"])
def test_round_trips__of_random_games_with_illegal_attempts(ruleset: RuleSet, games: int, chunk: int) -> None:
    """Each of 800 logs, of 200 in `.ci/run`, and the record and the input of every fourth game, give game and text again."""
    for i, transcript in enumerate(random_transcripts(ruleset, range(chunk * games, (chunk + 1) * games))):
        check_round_trip(transcript, full_width=bool(i % 2))
        if i % 4:
            continue
        line = records.dumps(GameRecord(transcript))
        record = records.loads(line, {ruleset.name: ruleset})
        assert record.transcript == transcript
        assert records.dumps(record) == line
        text = spec_input.dumps(transcript)
        lines = Lines(text)
        again = spec_input.read_start(lines, ruleset)
        while (action := spec_input.read_action(lines)) is not None:
            again.act(action)
        assert log.dumps(again) == log.dumps(transcript)


FORCED = replace(BIG2, name="forced", lead=Lead.EXACT, auto_lead=True)
SHOWN = [rules for rules in available_rulesets().values() if rules.deck.copies == 1 and not (rules.draw_pile or rules.auction)]
"""The rulesets of the package whose deal a log shows."""


@pytest.mark.long
@pytest.mark.parametrize("ruleset", [TIERS, BOMBS, LOCKED, FORCED, *SHOWN], ids=lambda ruleset: ruleset.name)
def test_round_trips__of_other_rules(ruleset: RuleSet) -> None:
    for transcript in random_transcripts(ruleset, range(20)):
        check_round_trip(transcript, full_width=False)


@pytest.mark.long
@pytest.mark.parametrize(
    "rules",
    [replace(BIG2, name="skipping", auto_skip_unbeatable=True), replace(BIG2, name="final", top_single_final=True)],
    ids=lambda ruleset: ruleset.name,
)
def test_round_trips__of_games_in_which_a_seat_moves_twice_before_all_have_moved(rules: RuleSet) -> None:
    twice = 0
    for seed in range(100):
        transcript = Transcript(Game.deal(rules, seed), ["A", "B", "A", "C"])
        game = transcript.game
        while not game.is_over:
            singles = [play for play in game.legal_plays() if play.mask.bit_count() == 1]
            game.push(singles[-1] if singles and len(game.history) < 4 else next(iter(game.legal_plays())))
        if len({move.seat for move in game.history[:4]}) < 4:
            twice += 1
            check_round_trip(transcript, full_width=False)
            assert log_reader.loads(log.dumps(transcript), rules).dumps() == log.dumps(transcript)
    assert twice > 5


def test_log__of_a_winner_who_also_has_the_lowest_card_is_read() -> None:
    """In a later deal of Pao De Kuai the winner leads with any play."""
    rules = available_rulesets()["pao_de_kuai"]
    start = Game.deal(rules, seed=7).start
    transcript = Transcript(Game.from_position(rules, led_by(start, start.turn)))
    transcript.act([15])
    text = log.dumps(transcript)
    found = log_reader.loads(text, rules, transcript.names)
    assert (found.dumps(), found.transcript.game.start.obligation) == (text, 0)


def test_log__without_names_puts_whoever_opens_in_seat_0() -> None:
    for transcript in random_transcripts(BIG2, range(30)):
        opener = transcript.game.start.turn
        found = log_reader.loads(log.dumps(transcript))
        assert found.names == transcript.names[opener:] + transcript.names[:opener]
        hands = transcript.game.start.hands
        assert found.hands == hands[opener:] + hands[:opener]
        assert [(m.seat + opener) % 4 for m in found.transcript.game.history] == [m.seat for m in transcript.game.history]


@pytest.mark.long
@pytest.mark.parametrize(
    ("ruleset", "players"), [(rules, n) for rules in SHOWN for n in range(rules.min_players, rules.max_players + 1)]
)
def test_log__without_names_is_of_as_many_players_as_are_asked_in_turn(ruleset: RuleSet, players: int) -> None:
    for transcript in random_transcripts(ruleset, range(10), players):
        found = log_reader.loads(log.dumps(transcript), ruleset)
        opener = transcript.game.start.turn
        assert found.names == transcript.names[opener:] + transcript.names[:opener]
        assert found.dumps() == log.dumps(transcript)
        renamed = Transcript(transcript.game, ["A"] * players)
        assert log_reader.loads(log.dumps(renamed), ruleset).names == renamed.names


def test_log__of_a_final_single_does_not_count_its_player_twice() -> None:
    """The trick ends at once, so the same player is asked again before the others are."""
    final = replace(BIG2, name="final", top_single_final=True)
    for players in (2, 3, 4):
        hands = ["C[3] S[2] D[4]", "C[4] S[4]", "C[5] S[5]", "C[6] S[6]"][:players]
        transcript = Transcript(Game.from_hands(final, [hands[0].replace("C[3] ", ""), *hands[1:]]), SEATS[:players])
        while not transcript.game.is_over:
            legal = list(transcript.game.legal_plays())
            transcript.game.push(max(legal, key=lambda play: play.mask))
        found = log_reader.loads(log.dumps(transcript), final)
        assert found.dumps() == log.dumps(transcript)


def test_log__that_stops_before_all_were_asked_needs_names_to_be_of_others() -> None:
    transcript = next(iter(random_transcripts(BIG2, [5], 3)))
    whole, opener = log.dumps(transcript), transcript.game.start.turn
    lines = whole.splitlines(keepends=True)
    second = [place for place, line in enumerate(lines) if line.startswith("輪到")][1]
    names = transcript.names[opener:] + transcript.names[:opener]
    one, two = "".join(lines[:second]), "".join(lines[: second + 3])
    open_range = replace(BIG2, name="open", players=None)
    for rules, text in ((BIG2, one), (BIG2, two), (open_range, two)):
        with pytest.raises(NotationError, match=r"\(read by the rules of .*; --game names others, --names the players\)"):
            list(sources.load(text, rules)[1])
        assert log_reader.loads(text, rules, names).names == names
    with pytest.raises(NotationError, match="the log stops before its number of players is known: expected their names"):
        log_reader.loads(two, open_range)
    with pytest.raises(ConfigError, match="four needs 4 players, got 3"):
        log_reader.loads(whole, replace(BIG2, name="four", min_players=4))


def test_log__of_players_with_equal_names_is_read() -> None:
    for transcript in random_transcripts(BIG2, range(10)):
        for names in [["A"] * 4, ["A", "B", "A", "B"], ["A", "A", "B", "C"]]:
            renamed = Transcript(transcript.game, names)
            found = log_reader.loads(log.dumps(renamed))
            assert found.dumps() == log.dumps(renamed)
            assert len(found.transcript.game.history) == len(transcript.game.history)


def test_log__may_stop_at_any_character() -> None:
    """What is left of a log gives the events that are whole, and the same text again."""
    whole = log_reader.loads(SAMPLE, names=SEATS).events
    seen = 0
    for stop in [*range(SAMPLE.index("玩家"), 900), *range(901, len(SAMPLE), 37), len(SAMPLE)]:
        found = log_reader.loads(SAMPLE[:stop], names=SEATS)
        assert found.dumps().rstrip() == SAMPLE[:stop].rstrip()
        if SAMPLE[stop - 1] == "\n":
            assert found.dumps() == SAMPLE[:stop]
        assert found.events == whole[: len(found.events)]
        assert found.tail.count("\n") < 3
        assert seen <= len(found.events)
        seen = len(found.events)
    assert seen == len(whole)
    for stop in range(1, SAMPLE.index("玩家") - 1):
        with pytest.raises(NotationError, match=r"line [1-4]: .*the log stops before the first turn"):
            log_reader.loads(SAMPLE[:stop], names=SEATS)


def test_log__that_stops_early_says_whose_cards_are_not_known() -> None:
    lines = SAMPLE.split("\n")
    turns = [i for i, line in enumerate(lines) if line.startswith("輪到")]
    full = log_reader.loads(SAMPLE, names=SEATS)
    for asked in range(1, 5):
        text = "\n".join(lines[: turns[asked - 1] + 3]) + "\n"
        for names in (None, SEATS):
            found = log_reader.loads(text, names=names)
            assert found.dumps() == text
            hidden = [i for i, hand in enumerate(found.hands) if hand is None]
            assert len(hidden) == {1: 3, 2: 2, 3: 0, 4: 0}[asked]
            if names:
                assert found.names == SEATS
                assert all(hand in (None, dealt) for hand, dealt in zip(found.hands, full.hands, strict=True))
            if asked == 4 or (asked == 3 and names):
                assert found.transcript.game.start.hands == found.hands
            else:
                with pytest.raises(NotationError, match=r"the cards or the names of seat .* are not in it"):
                    _ = found.transcript
    # Hands that are no full deal: nothing can be told about the seat that was not asked.
    short = Transcript(Game.from_hands(BIG2, ["C[3] D[3]", "C[4]", "C[5]", "C[6]"]), SEATS)
    short.act([0, 1])
    found = log_reader.loads(log.dumps(short), names=SEATS)
    assert found.hands == (short.game.start.hands[0], None, None, None)
    assert found.dumps() == log.dumps(short)


def test_log__is_read_with_either_comma_and_any_line_ends() -> None:
    transcript = next(iter(random_transcripts(BIG2, [5])))
    text = log.dumps(transcript)
    plain = log_reader.loads(text)
    assert not plain.full_width
    assert "," in text
    wide = text.replace(",", "，")
    for given in ["\ufeff" + text, text.replace("\n", "\r\n"), text.replace("\n", "  \n\n"), text.rstrip("\n")]:
        assert log_reader.loads(given) == plain
    for source in [StringIO(wide), BytesIO(wide.encode()), wide.splitlines(), iter(wide.splitlines(keepends=True))]:
        (found,) = log_reader.load(source)
        assert found.full_width
        assert found.dumps() == wide
        assert found.transcript == plain.transcript


def test_logs__stand_one_after_another() -> None:
    games = list(random_transcripts(BIG2, range(5)))
    text = "".join(map(log.dumps, games))
    assert [found.dumps() for found in log_reader.load(text)] == [log.dumps(game) for game in games]
    with pytest.raises(NotationError, match="expected one log, got 5"):
        log_reader.loads(text)


FIRST = SAMPLE.split("\n")
SECOND_TRICK = FIRST.index("新的回合開始了。", 1) + 1


@pytest.mark.parametrize(
    ("line", "text", "says"),
    [
        (1, "新的回合開始了", "not a line of a log"),
        (1, None, "line 1: '輪到地瓜球了.*': by the rules the game continues with '新的回合開始了。'"),
        (2, "輪到了", "line 2: '輪到了' is not a line of a log"),
        (2, "輪到火球了", "line 5: '玩家 地瓜球 .*' is not a line of a log, or not by the player whose turn it is"),
        (3, FIRST[2].replace("5  ", " 5 "), "line 4: expected a hand: cards from low to high, the indices right above them"),
        (4, FIRST[3].replace("C[3]", "C[1]"), r"line 4: expected a card <suit>\[<rank>\] with suit C D H S and rank 3 4 5 6"),
        (
            4,
            FIRST[3].replace("C[3] C[4]", "C[4] C[3]"),
            "line 4: expected a hand: cards from low to high, the indices right above them",
        ),
        (4, FIRST[3].replace("C[3]", "C[3] C[3]"), r"line 4: C\[3\] is given twice"),
        (4, FIRST[3].replace("H[2]", "S[2]"), r"line 14: the hands up to here: .*S\[2\] twice"),
        (5, "玩家 水球 打出了 單張 C[3]", "not a line of a log, or not by the player whose turn it is"),
        (5, "玩家 地瓜球 打出了 炸彈 C[3]", r"line 5: expected one of the patterns 單張 對子 順子 葫蘆, got '炸彈 C\[3\]'"),
        (5, "玩家 地瓜球 打出了 單張 C[4]", r"line 5: .*must be or contain C\[3\]"),
        (5, "玩家 地瓜球 打出了 單張 C[x]", r"line 5: expected a card <suit>\[<rank>\] with suit C D H S and rank 3 4 5 6"),
        (5, "玩家 地瓜球 打出了 單張 D[3]", r"line 5: D\[3\]: not in the hand"),
        (5, "玩家 地瓜球 打出了 對子 C[3]", "line 5: .*no pattern"),
        (5, "玩家 地瓜球 PASS.", "line 5: pass: the leader must play"),
        (5, None, "line 5: '輪到水球了.*the player who is asked has to act first"),
        (6, "輪到火球了", "line 9: .*or not by the player whose turn it is"),
        (9, "玩家 水球 打出了 單張 C[5] C[5]", r"line 9: C\[5\] is given twice"),
        (9, "遊戲結束,遊戲的勝利者為 水球", "line 9: .*has to act first"),
        (9, "你不能在新的回合中喊 PASS\n" + "\n".join(FIRST[6:8]), "line 9: a legal pass is refused"),
        (SECOND_TRICK, None, f"line {SECOND_TRICK}: '輪到保齡球了.*': by the rules the game continues with '新的回合開始了。'"),
    ],
)
def test_log__that_no_game_has_is_refused_at_its_line(line: int, text: str | None, says: str) -> None:
    lines = FIRST.copy()
    lines[line - 1 : line] = [] if text is None else [text]
    with pytest.raises(NotationError, match=says) as caught:
        log_reader.loads("\n".join(lines), names=SEATS)
    assert str(caught.value).startswith("line ")


def test_log__of_other_seats_is_refused() -> None:
    seats = (SEATS[1], SEATS[0], *SEATS[2:])
    with pytest.raises(
        NotationError, match="line 14: asked are, in this order, 地瓜球, 水球, 火球, 保齡球; the seats are 火球, "
    ):
        log_reader.loads(SAMPLE, names=seats)


def test_log__with_the_wrong_winner_is_refused() -> None:
    transcript = next(iter(random_transcripts(BIG2, [5])))
    text = log.dumps(transcript)
    last = text.rstrip("\n").split("\n")[-1]
    winner = last.rsplit(" ", 1)[1]
    other = next(name for name in transcript.names if name != winner)
    wrong = text.replace(last, last.replace(winner, other))
    with pytest.raises(NotationError, match=rf"line {len(text.splitlines())}: .*continues with '{last}'"):
        log_reader.loads(wrong)
    with pytest.raises(NotationError, match="not a line of a log"):
        log_reader.loads(text + "玩家 Ann PASS.\n")


def test_log__needs_rules_whose_deal_it_shows() -> None:
    for ruleset, names, says in [
        (TWO_DECKS, None, "a log of two_decks cannot be read back: it does not tell equal cards"),
        (DRAWING, None, "a log of drawing cannot be read back: it does not tell equal cards apart,"),
        (available_rulesets()["dou_dizhu"], None, "a log of dou_dizhu cannot be read back: .*; read its record instead"),
        (BIG2, ["A"], "1 names: big2 has 2 to 4 players"),
        (BIG2, [], "0 names: big2 has 2 to 4 players"),
    ]:
        with pytest.raises(ConfigError, match=says):
            log_reader.loads(SAMPLE, ruleset, names)
    with pytest.raises(NotationError, match="expected a name of printable characters without blanks at the ends, got ''"):
        log_reader.loads(SAMPLE, BIG2, ["A", "", "C", "D"])
    for nothing in ("", "\n\n", "\ufeff"):
        with pytest.raises(NotationError, match="expected one log, got 0"):
            log_reader.loads(nothing)


@pytest.mark.parametrize("name", ["dou_dizhu", "dou_dizhu_4p", "wu_gua_pi", "big2"])
def test_log__that_cannot_be_read_says_so_first_and_once(name: str) -> None:
    """A log with an auction or a pile offers the record; a reader of any form says what to give instead."""
    game = Game.deal(available_rulesets()[name], seed=3)
    writer = log.LogWriter(Transcript(game))
    parts = [writer.read_new()]
    while not game.is_over:
        game.push(next(iter(game.legal_plays())))
        parts.append(writer.read_new())
    text = "".join(parts)
    assert text == log.dumps(Transcript(game))
    if name == "big2":
        assert log.NOTE not in text
        history = log_reader.loads(text).transcript.game.history  # whoever opens sits in seat 0
        assert [play for _, play in history] == [play for _, play in game.history]
        return
    assert text.startswith(f"{log.NOTE}\n")
    assert text.count(log.NOTE) == 1
    form, games = sources.load(text)
    assert form is sources.Form.LOG
    with pytest.raises(NotationError, match=r"line 1: this log cannot be read back.*expected the game's record"):
        next(games)


def test_log__has_bounded_lines_and_events(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotationError, match="line 1: more than 65536 characters"):
        log_reader.loads("新" * 70_000)
    monkeypatch.setattr(log_reader, "MAX_TEXT", 1000)
    with pytest.raises(NotationError, match="line 28: more than 1000 characters in one log"):
        log_reader.loads(SAMPLE)
    monkeypatch.setattr(log_reader, "MAX_EVENTS", 10)
    with pytest.raises(NotationError, match="more than 10 events in one log"):
        log_reader.loads(SAMPLE)
