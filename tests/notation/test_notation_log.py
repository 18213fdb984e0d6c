"""The text format's log and input: what is written, and what each attempt becomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from house_rules import LOCKED, TIERS, TWO_DECKS
from hypothesis import given
from hypothesis import strategies as st
from outside_patterns import OUTSIDE
from places import DATA
from random_transcripts import random_transcripts

from big2_env import BIG2, DECK_52, CardSet, ConfigError, Game, IllegalPlayError, Lead, NotationError, RuleSet, ruleset
from big2_env.climbing.events import Ended, Passed, Played, TrickOpened, TurnStarted
from big2_env.notation import log, log_reader, spec_input
from big2_env.notation.lines import Lines
from big2_env.notation.log import LogWriter
from big2_env.notation.transcript import RefusedMove, Transcript

ANN_TO_DI = ["Ann", "Bo", "Cy", "Di"]


def play_input(text: str, ruleset: RuleSet = BIG2, *, full_width: bool = False) -> str:
    """The log of an input, gathered action by action."""
    lines = Lines(text)
    transcript = spec_input.read_start(lines, ruleset)
    writer = LogWriter(transcript, full_width=full_width)
    found = [writer.read_new()]
    while not transcript.game.is_over and (action := spec_input.read_action(lines)) is not None:
        transcript.act(action)
        found.append(writer.read_new())
    assert writer.read_new() == ""
    assert "".join(found) == log.dumps(transcript, full_width=full_width)
    return "".join(found)


def short_game(*hands: str, ruleset: RuleSet = BIG2, names: Sequence[str] | None = ANN_TO_DI) -> Transcript:
    return Transcript(Game.from_hands(ruleset, hands), names)


def test_log__sample_matches_byte_for_byte() -> None:
    assert play_input((DATA / "game.in").read_text("utf-8")).encode() == (DATA / "game.out").read_bytes()


def test_log__every_message_as_the_page_has_it() -> None:
    transcript = short_game("C[3] S[3] C[10]", "D[4] H[4]", "C[5]", "H[6]")
    for slots in [(), (1,), (0, 0), (9,), (0, 2), (1, 0), (0,), (0, 1)]:
        transcript.act(slots)
    expected = """\
新的回合開始了。
輪到Ann了
0    1    2
C[3] S[3] C[10]
你不能在新的回合中喊 PASS
0    1    2
C[3] S[3] C[10]
此牌型不合法,請再嘗試一次。
0    1    2
C[3] S[3] C[10]
此牌型不合法,請再嘗試一次。
0    1    2
C[3] S[3] C[10]
此牌型不合法,請再嘗試一次。
0    1    2
C[3] S[3] C[10]
此牌型不合法,請再嘗試一次。
0    1    2
C[3] S[3] C[10]
玩家 Ann 打出了 對子 C[3] S[3]
輪到Bo了
0    1
D[4] H[4]
此牌型不合法,請再嘗試一次。
0    1
D[4] H[4]
玩家 Bo 打出了 對子 D[4] H[4]
遊戲結束,遊戲的勝利者為 Bo
"""
    assert log.dumps(transcript) == expected
    assert log.dumps(transcript, full_width=True) == expected.replace(",", "，")


def test_log__passes_end_the_trick() -> None:
    transcript = short_game("C[3] S[2]", "D[4] H[4]", "C[5]", "H[6]")
    for slots in [(0,), (), (), (), (0,)]:
        transcript.act(slots)
    assert log.dumps(transcript).split("\n")[4:] == [
        "玩家 Ann 打出了 單張 C[3]",
        *("輪到Bo了", "0    1", "D[4] H[4]", "玩家 Bo PASS."),
        *("輪到Cy了", "0", "C[5]", "玩家 Cy PASS."),
        *("輪到Di了", "0", "H[6]", "玩家 Di PASS."),
        *("新的回合開始了。", "輪到Ann了", "0", "S[2]"),
        *("玩家 Ann 打出了 單張 S[2]", "遊戲結束,遊戲的勝利者為 Ann", ""),
    ]


@given(st.sets(st.sampled_from(DECK_52.cards), min_size=1, max_size=20), st.sampled_from([BIG2, TIERS, LOCKED]))
def test_hand_lines__put_each_index_above_the_start_of_its_card(cards: set[int], ruleset: RuleSet) -> None:
    indices, hand = log.hand_lines(ruleset, sum(1 << card for card in cards)).split("\n")
    assert hand.split(" ") == [str(card) for card in sorted(cards, key=ruleset.order.cards.index)]
    column = 0
    for index, card in enumerate(hand.split(" ")):
        assert indices[column : column + len(card)].rstrip() == str(index)
        column += len(card) + 1
    assert indices == indices.rstrip()
    assert len(indices) <= len(hand)


def test_log__orders_cards_and_names_patterns_as_the_ruleset_does() -> None:
    first = "D[3] C[3] H[3] H[4] S[4] D[5] D[8]"
    transcript = short_game(first, "C[6]", "C[7]", "H[7]", ruleset=TIERS)
    assert transcript.act([4, 3, 2, 1, 0])
    assert log.dumps(transcript).split("\n")[2:5] == [
        *("0    1    2    3    4    5    6", first),
        "玩家 Ann 打出了 葫蘆 D[3] C[3] H[3] H[4] S[4]",
    ]
    transcript = short_game("C[3] D[3] H[3] D[8]", "C[6]", "C[7]", "H[7]", ruleset=OUTSIDE)
    assert transcript.act([2, 1, 0])
    assert OUTSIDE.pattern("triple").zh in log.dumps(transcript)


def test_transcript__names_of_several_readings_the_first_of_the_ruleset() -> None:
    """Two triples are a triple run, and a triple with a pair and a single of the other rank."""
    both = "D[3] C[3] H[3] D[4] C[4] H[4]"
    rules = replace(LOCKED, pass_lock=BIG2.pass_lock)
    readings = [play.pattern for play in rules.table.classify(CardSet(both).mask)]
    assert len(readings) > 1
    transcript = short_game(both, "C[6]", "C[7]", "C[8]", ruleset=rules)
    play = transcript.act(range(6))
    assert play is not None
    assert play.pattern == readings[0]


def test_transcript__follows_a_game_that_its_owner_plays() -> None:
    """The way an environment uses it: the game is stepped elsewhere, the log is asked for now and then."""
    game = Game.from_hands(BIG2, ["C[3] S[2]", "D[4] H[4]", "C[5]", "H[6]"])
    writer = LogWriter(Transcript(game))
    texts = [writer.read_new()]
    game.play("C[3]")
    writer.transcript.refuse((7,))
    texts.append(writer.read_new())
    for _ in range(3):
        game.pass_()
    writer.transcript.refuse(())
    game.play("S[2]")
    texts.append(writer.read_new())
    by_hand = short_game("C[3] S[2]", "D[4] H[4]", "C[5]", "H[6]", names=["player_0", "player_1", "player_2", "player_3"])
    for slots in [(0,), (7,), (), (), (), (), (0,)]:
        by_hand.act(slots)
    assert by_hand == writer.transcript
    assert "".join(texts) == log.dumps(by_hand)
    assert [len(text) > 0 for text in texts] == [True, True, True]
    refused = [event for event in by_hand.events if isinstance(event, RefusedMove)]
    assert [(event.seat, event.slots, event.is_pass) for event in refused] == [(1, (7,), False), (0, (), True)]


def test_transcript__events_tell_the_whole_game() -> None:
    for transcript in random_transcripts(BIG2, range(20)):
        events, game = transcript.events, transcript.game
        assert [event for event in events if isinstance(event, Played | Passed)] == [
            Played(seat, play) if play else Passed(seat) for seat, play in game.history
        ]
        outcome = game.outcome
        assert outcome is not None
        assert [event for event in events if isinstance(event, Ended)] == [Ended(outcome)] == [events[-1]]
        assert sum(isinstance(event, TurnStarted) for event in events) == len(game.history)
        logged = [event for event in events if not isinstance(event, log.NOT_LOGGED)]
        tricks = [i for i, event in enumerate(logged) if isinstance(event, TrickOpened)]
        assert tricks[0] == 0
        assert all(isinstance(logged[i - 1], Passed) and isinstance(logged[i + 1], TurnStarted) for i in tricks[1:])


def test_transcript__refuses_what_is_no_game_of_these_players() -> None:
    game = Game.from_hands(BIG2, ["C[3]", "D[4]", "C[5]", "H[6]"])
    for names, says in [
        (["A", "B", "C"], "expected a name for each of the 4 seats, got 3"),
        (["A", "", "C", "D"], "expected a name of printable characters without blanks at the ends, got ''"),
        (["A", "B\u200b", "C", "D"], r"got 'B\\u200b'"),
        (["A", " B", "C", "D"], "without blanks at the ends"),
        (["A", "B\n", "C", "D"], r"got 'B\\n'"),
    ]:
        with pytest.raises((ConfigError, NotationError), match=says):
            Transcript(game, names)
    transcript = Transcript(game)
    transcript.act([0])
    for late in (lambda: transcript.act([0]), lambda: transcript.refuse([0])):
        with pytest.raises(IllegalPlayError, match="the game is over"):
            late()


def test_log__a_forced_opening_is_told_like_any_other() -> None:
    rules = replace(BIG2, lead=Lead.EXACT, auto_lead=True)
    transcript = short_game("C[3] S[2]", "D[4] H[4]", "C[5]", "H[6]", ruleset=rules)
    assert log.dumps(transcript).split("\n")[:6] == [
        *("新的回合開始了。", "輪到Ann了", "0    1", "C[3] S[2]"),
        *("玩家 Ann 打出了 單張 C[3]", "輪到Bo了"),
    ]
    game = Game.deal(rules, 3)
    again = play_input(spec_input.dumps(Transcript(game, ANN_TO_DI)), rules)
    assert again == log.dumps(Transcript(game, ANN_TO_DI))


def test_input__deals_from_the_right_end_of_the_deck_line() -> None:
    transcript = spec_input.read_start(Lines((DATA / "game.in").read_text("utf-8")))
    deck = (DATA / "game.in").read_text("utf-8").split("\n")[0].split()
    assert transcript.names == ("水球", "火球", "保齡球", "地瓜球")
    for seat, hand in enumerate(transcript.game.start.hands):
        assert set(BIG2.text(hand).split()) == set(deck[::-1][seat::4])


@pytest.mark.parametrize(
    ("line", "action"),
    [
        *[("-1", ()), ("0", (0,)), ("12 0 3", (12, 0, 3)), ("  4\t5  ", (4, 5)), ("007", (7,)), ("1 1", (1, 1))],
        *[("\n\n \n2", (2,)), ("9" * 5000, (spec_input.PAST_EVERY_HAND,)), ("", None), ("\n \n", None)],
        *[("\u3000 3", (3,)), ("0000000003 0000000000", (3, 0)), ("0" * 5000 + "12", (12,))],
        ("0" * 5000 + "9" * 10, (spec_input.PAST_EVERY_HAND,)),
    ],
)
def test_action__is_read(line: str, action: tuple[int, ...] | None) -> None:
    assert spec_input.read_action(Lines(line)) == action


@pytest.mark.parametrize(
    ("line", "token"),
    [
        *[("-2", "-2"), ("-1 3", "-1"), ("3 -1", "-1"), ("+1", "+1"), ("1.0", "1.0"), ("1,2", "1,2"), ("x", "x"), ("０", "０")],
        *[("1_0", "1_0"), ("0x1", "0x1"), ("-0", "-0"), ("- 1", "-"), ("1 \ufeff2", "\\ufeff2"), ("-01", "-01"), ("²", "²")],
        *[("q" * 9000, "q" * 50)],
    ],
)
def test_action__that_is_none_is_named_with_its_line(line: str, token: str) -> None:
    with pytest.raises(NotationError) as caught:
        spec_input.read_action(Lines("\n\n" + line))
    assert str(caught.value).startswith(f"line 3: expected card indices from 0, or -1 alone for a pass, got '{token}")
    assert len(str(caught.value)) < 200


def test_input__is_written_so_that_it_gives_the_same_game(rules: RuleSet) -> None:
    for transcript in random_transcripts(rules, range(20)):
        text = spec_input.dumps(transcript)
        lines = Lines(text)
        again = spec_input.read_start(lines, rules)
        while (action := spec_input.read_action(lines)) is not None:
            again.act(action)
        assert again == transcript
        assert spec_input.dumps(again) == text


def test_input__cannot_tell_a_game_without_a_deal_or_attempts_that_are_not_known() -> None:
    with pytest.raises(ConfigError, match="no deck line makes it"):
        spec_input.dumps(short_game("C[3] S[2]", "D[4]", "C[5]", "H[6]"))
    transcript = Transcript(Game.deal(BIG2, 1))
    transcript.refuse(None)
    with pytest.raises(ConfigError, match="expected a transcript with the indices of refused attempts, got one without"):
        spec_input.dumps(transcript)


def test_deck__of_a_game_is_known_until_its_cards_are_dealt_again() -> None:
    rules = ruleset("dou_dizhu")
    cards, other = rules.deck.cards, rules.deck.cards[::-1]
    game = Game.from_deck(rules, cards, redeals=[other])
    for _ in range(3):
        again = Game.from_deck(rules, spec_input.deck_of(game))
        assert again.start == game.start._replace(redeals=())
        game.pass_()
    with pytest.raises(ConfigError, match=r"^a game whose cards were dealt again: no deck line makes it$"):
        spec_input.deck_of(game)
    start = Game.deal(BIG2, 1).start
    missing = start.hands[3] ^ 1 << start.hands[3].bit_length() - 1
    for other_start in (
        start._replace(turn=(start.turn + 1) % 4, obligation=0),
        start._replace(hands=(*start.hands[:3], missing)),
    ):
        with pytest.raises(ConfigError, match=r"^a game that does not begin with a deal of the whole deck: no deck line"):
            spec_input.deck_of(Game.from_position(BIG2, other_start))


def test_input__lets_the_same_seat_decide_first_if_both_copies_of_the_lowest_card_are_left_over() -> None:
    rules = ruleset("dou_dizhu_4p")
    game = Game.deal(rules, 19)
    again = spec_input.read_start(Lines(spec_input.dumps(Transcript(game))), rules).game
    lowest, other, *_ = rules.order.sort(game.start.bottom)
    assert (str(lowest), again.turn, game.turn) == (str(other), 0, 0)


@pytest.mark.parametrize("rules", [BIG2, ruleset("qi_gui_521"), ruleset("wu_gua_pi")], ids=["most", "usual", "pile"])
def test_input__has_as_many_players_as_names_before_the_first_action(rules: RuleSet) -> None:
    for number in range(rules.min_players, rules.max_players + 1):
        game = Game.deal(rules, 3, number)
        again = spec_input.read_start(Lines(f"{spec_input.dumps(Transcript(game))}0\n"), rules)
        assert again.game.start == game.start
    text = f"{' '.join(map(str, spec_input.deck_of(Game.deal(rules, 3))))}\n" + "1\n" * rules.default_players + "0\n"
    assert spec_input.read_start(Lines(text), rules).names == ("1",) * rules.default_players


@pytest.mark.parametrize("number", [1, 2])
def test_log__tells_in_which_way_cards_were_read(number: int) -> None:
    """Two triples are a triple, a pair and a single in two ways. Indices give the first, a log marks the second."""
    rules, six = ruleset("three_two_one"), "D[4] C[4] H[4] D[6] C[6] H[6]"
    first = CardSet(f"D[3] {six} D[5] D[7] D[8] D[9] D[10] D[J]")
    rest = sorted(set(DECK_52.cards) - set(first))
    transcript = Transcript(Game.from_hands(rules, [first, *(CardSet(rest[seat::3]) for seat in range(3))]))
    game = transcript.game
    game.play("D[3]")
    while game.turn:
        game.pass_()
    game.play(six, f"triple_pair_single#{number}")
    text = log.dumps(transcript)
    assert text.count("#") == number - 1
    again = log_reader.loads(text, rules, transcript.names).transcript
    assert (again.game.history, log.dumps(again)) == (game.history, text)
    if number == 2:
        with pytest.raises(ConfigError, match="inputs name neither readings of cards nor copies"):
            spec_input.dumps(transcript)
    else:
        assert spec_input.read_game(Lines(spec_input.dumps(transcript)), rules).game.history == game.history


def test_log__of_two_decks_and_of_jokers_is_written() -> None:
    text = log.dumps(Transcript(Game.deal(TWO_DECKS, 1)))
    assert len(text.split("\n")[4].split(" ")) == 27
    assert "J" in text
