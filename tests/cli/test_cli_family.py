"""The family's games at the command line, and their records."""

from __future__ import annotations

import json

import pytest
from run_cli import run_cli

from big2_env import Game, NotationError, available_rulesets, ruleset
from big2_env.base.rng import SplitMix64
from big2_env.climbing.events import LandlordFound, Redealt, Said
from big2_env.climbing.game import decks_of
from big2_env.notation import log, records, spec_input
from big2_env.notation.copies import mask_of, parse_deck
from big2_env.notation.lines import Lines
from big2_env.notation.records import GameRecord
from big2_env.notation.transcript import Transcript

FAMILY = [name for name in available_rulesets() if name not in ("big2", "hong_kong")]


def test_games__lists_every_game() -> None:
    status, out, err = run_cli("games", "--lang", "en")
    lines, others = (part.splitlines() for part in out.split("\n\n"))
    assert (status, err) == (0, "")
    assert [line.split()[0] for line in lines] == ["game", *available_rulesets()]
    assert [line.split()[0] for line in others[1:]] == ["game", "uno", "fishing", "klondike"]
    assert "Dou Dizhu for four" in out
    assert "  108 to 540  " in out  # the moves of a game with two players and with ten
    assert "big2/DouDizhu4P-v0" in out
    assert "…" not in out


@pytest.mark.parametrize("name", FAMILY)
def test_match__prints_a_record_that_is_played_again(name: str) -> None:
    players = ruleset(name).default_players
    status, out, _ = run_cli("match", *["random"] * players, "--game", name, "--seed", "3", "--log", "jsonl")
    assert status == 0
    record = records.loads(out)
    assert record.game.outcome is not None
    assert records.dumps(record) == out.rstrip("\n")
    assert record.game == replayed(record.game, name)


def replayed(game: Game, name: str) -> Game:
    """The same moves in a game dealt from the same seed."""
    again = Game.deal(ruleset(name), 3)
    for _, play in game.history:
        again.play(play)
    return again


@pytest.mark.parametrize("name", ["dou_dizhu", "dou_dizhu_4p"])
def test_auction__is_told_in_logs_records_and_the_text_input(name: str) -> None:
    rules = ruleset(name)
    deck, *redeals = decks_of(rules, 4)
    for declined in (0, 1):  # deals that nobody wants
        transcript, rng = Transcript(Game.from_deck(rules, deck, redeals=redeals)), SplitMix64(1)
        for _ in range(declined * rules.default_players):
            assert transcript.act([]) is not None
        assert transcript.act([0]) is None
        assert transcript.act("call" if name == "dou_dizhu" else "bid_2") is not None
        assert transcript.act("call" if name == "dou_dizhu" else "bid_1") is None
        with pytest.raises(NotationError, match=r"expected .*indices of cards, got 'bid_9'"):
            transcript.act("bid_9")
        while not transcript.game.is_over:
            moves = list(transcript.game.legal_plays())
            transcript.game.play(moves[rng.below(len(moves))])
        kinds = [type(event) for event in transcript.events]
        assert (kinds.count(Redealt), kinds.count(LandlordFound)) == (declined, 1)
        assert kinds.count(Said) >= declined * rules.default_players + 1
        text = log.dumps(transcript)
        assert ("無人叫地主" in text) == bool(declined)
        assert text.count("是地主，底牌") == 1
        line = records.dumps(GameRecord(transcript, tuple(deck)))
        record = records.loads(line)
        assert record.transcript == transcript
        assert len(json.loads(line)["redeals"]) == 2
        if rules.deck.copies == 1 and not declined:
            lines = Lines(spec_input.dumps(transcript))
            again = spec_input.read_start(lines, rules)
            while (action := spec_input.read_action(lines, spec_input.words_of(rules))) is not None:
                again.act(action)
            assert log.dumps(again) == text


def test_play__a_person_may_call_and_take_the_bottom_cards() -> None:
    status, out, _ = run_cli(
        "play", "random", "random", "--game", "dou_dizhu", "--seed", "0", stdin="0\nbid\ncall\nrob\nrob\n-1\nh\nq\n"
    )
    assert status == 0
    assert "the auction: " in out
    assert out.count("the auction: type ") > 1
    assert "You are the landlord and take " in out


def test_copies__of_two_decks_are_told_apart() -> None:
    assert mask_of("S[3] S[3]*") == 1 << 3 | 1 << 57
    deck = ruleset("dou_dizhu_4p").deck
    assert parse_deck(deck, " ".join([*map(str, deck.cards[:54]), *(f"{card}*" for card in deck.cards[54:])])) == list(
        deck.cards
    )
    a_card = r"expected a card <suit>\[<rank>\] .*, got "
    for wrong, says in (
        ("S[3]* S[3]*", r"S\[3\]\* is given twice"),
        ("S[3]**", rf"{a_card}'S\[3\]\*'"),
        ("*", f"{a_card}''"),
        ("S[3]*", r"expected a deck with each of the 108 cards once, second copies with \*, got 1 cards"),
    ):
        with pytest.raises(ValueError, match=f"^{says}$"):
            parse_deck(deck, wrong)


def test_play__takes_cards_by_their_points() -> None:
    game = Game.deal(ruleset("big2"), 5)
    seat = game.turn
    typed = "Q\nQ\nhint\n99\n方块\n梅花3\nquit\n"
    status, out, _ = run_cli("play", "lowest", "lowest", "lowest", "--seat", str(seat), "--seed", "5", "--points", stdin=typed)
    assert status == 0
    assert "the first play must contain C[3]" in out  # the queen is no command here
    assert "you do not hold enough of '99'" in out
    assert "you: single C[3]" in out
    assert "the same deal again: big2 play lowest" in out
