"""What the command line shows to people, in their language."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from one_language import strangers
from run_cli import run_cli

from big2_env import Game, ruleset
from big2_env.base.language import Language, words
from big2_env.climbing.events import Dealt, Said
from big2_env.climbing.game import decks_of
from big2_env.climbing.rulesets import available_rulesets
from big2_env.notation import records
from big2_env.notation.records import GameRecord
from big2_env.notation.transcript import Transcript, game_at
from big2_env.text.names import seat_words
from big2_env.text.observation import observation, rounds_of, said_in

PLAYERS = ("lowest", "random", "lowest", "random")


def out_of(*args: str) -> str:
    status, out, err = run_cli(*args)
    assert (status, err) == (0, "")
    return out


@pytest.mark.parametrize("lang", list(Language))
def test_games__lists_every_game_by_name_in_one_language(lang: Language) -> None:
    out, tr = out_of("games", "--lang", lang.value), words(lang)
    for name in [*available_rulesets(), "uno", "fishing", "klondike"]:
        [line] = [line for line in out.splitlines() if line.startswith(f"{name} ")]
        assert tr.name("game", name) in line
        assert not line.split()[0].endswith("…")
    codes = frozenset(word for line in out.splitlines() for word in line.split() if "_" in word or "/" in word)
    verbs = frozenset({"uno", "fishing", "klondike", *available_rulesets()})
    assert strangers(out, lang, codes | frozenset(f"big2 {verb}" for verb in verbs) | verbs) == []


@pytest.mark.parametrize("lang", list(Language))
@pytest.mark.parametrize("game", ["tien_len", "uno", "fishing", "klondike"])
def test_rules__of_a_game_in_words(game: str, lang: Language) -> None:
    out, title = out_of("rules", game, "--lang", lang.value), words(lang).name("game", game)
    assert out.splitlines()[0] == title
    in_words, _, settings = out.partition(f"\n{words(lang)('rules_title.settings')}\n")  # which have the names of fields
    assert strangers(in_words, lang) == []
    assert bool(settings) is (game not in ("big2", "uno", "fishing", "klondike"))
    data = json.loads(out_of("rules", game, "--lang", lang.value, "--json"))
    assert (data["game"], data["title"], data["language"]) == (game, title, lang.value)
    assert out_of("rules", title if game in ("uno", "fishing", "klondike") else game, "--lang", lang.value) == out
    markdown = out_of("rules", game, "--lang", lang.value, "--markdown")
    assert markdown.startswith(f"# {title}\n\n## {data['sections'][0]['title']}\n\n- ")


@pytest.mark.parametrize("lang", list(Language))
@pytest.mark.parametrize("game", ["uno", "fishing", "klondike"])
def test_replay__says_in_one_language_that_records_are_right(game: str, lang: Language, tmp_path: Path) -> None:
    file = tmp_path / "none.jsonl"
    file.write_text("")
    out = out_of(game, "replay", str(file), "--lang", lang.value)
    assert out == words(lang)("side_play.replayed", number=0) + "\n"
    assert strangers(out, lang) == []


def test_rules__of_a_file_and_of_none(tmp_path: Path) -> None:
    house = tmp_path / "house.json"
    house.write_text('{"preset": "big2", "pass_lock": "trick"}')
    assert "A player who passes is out until the trick is over." in out_of("rules", str(house), "--lang", "en")
    status, out, err = run_cli("rules", "bridge")
    assert (status, out) == (2, "")
    assert "bridge" in err
    assert err.endswith(", wu_gua_pi, uno, fishing, klondike, invented:SEED, a file (*.json, *.toml) or MODULE:NAME\n")
    house.write_text('{"preset": "big2", "colour": 1}')
    for wrong in (str(house), "no_module:X"):
        assert "klondike" not in run_cli("rules", wrong).err
    assert run_cli("rules", "big2", "--markdown", "--json").status == 2
    assert run_cli("rules", "big2", "--lang", "fr").err.endswith("--lang: expected en, zh-Hant, zh-Hans, got 'fr'\n")


@pytest.mark.parametrize("lang", list(Language))
@pytest.mark.parametrize(("game", "players"), [("big2", 4), ("dou_dizhu", 3), ("wu_gua_pi", 3)])
def test_match__tells_a_game_in_one_language(game: str, players: int, lang: Language) -> None:
    args = ("match", *PLAYERS[:players], "--game", game, "--seed", "4")
    out, tr = out_of(*args, "--log", "text", "--lang", lang.value), words(lang)
    assert strangers(out, lang) == []
    [record] = records.load(out_of(*args, "--log", "jsonl"))
    outcome = record.game.outcome
    assert outcome is not None
    winners = " & ".join(seat_words(record.transcript.names, tr)[seat] for seat in outcome.winners)
    assert tr("table.won", names=winners) in out
    plays = [play for _, play in record.game.history if play]
    assert sum(line.startswith("  ") for line in out.splitlines()) >= len(plays)


def test_match__tells_a_game_on_a_terminal_and_logs_it_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    log = out_of("match", *PLAYERS, "--seed", "4")
    assert (
        log
        == out_of("match", *PLAYERS, "--seed", "4", "--log", "spec")
        == out_of(*("match", *PLAYERS), "--seed", "4", "--lang", "en")
    )
    assert log.startswith("新的回合開始了。")
    monkeypatch.setattr("big2_env.cli.match._is_terminal", lambda: True)
    assert out_of("match", *PLAYERS, "--seed", "4", "--lang", "en").startswith("Big Two, seed 4\n")
    assert out_of("match", *PLAYERS, "--seed", "4", "--log", "spec") == log


def test_match__plays_on_from_a_move_of_a_record_and_from_a_position(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    file.write_text(out_of("match", *PLAYERS, "--seed", "4", "--log", "jsonl"))
    [whole] = records.load(file.read_text())
    [after] = records.load(out_of("match", *["lowest"] * 4, "--seed", "1", "--log", "jsonl", "--from", f"{file}:7"))
    assert after.game.history[:7] == whole.game.history[:7]
    assert after.game.history != whole.game.history
    assert after.deck == whole.deck
    position = '{"ruleset": "big2", "hands": ["C[3] C[7]", "C[9] D[9]", "H[9] H[10]", "C[K] C[A]"]}'
    text = out_of("match", *["lowest"] * 4, "--from", position, "--log", "text", "--lang", "en")
    assert "Thrifty 1: C[3] C[7]" in text
    for scoring, status in (("winner", 0), ("cards", 2)):
        found = run_cli("match", *["lowest"] * 4, "--from", f"{file}:7", "--scoring", scoring)
        assert found.status == status
        assert ("expected the game's own scoring, got --scoring cards" in found.err) is (status == 2)
    for source, agents, says in [
        (str(file), 4, "the game is over"),
        (f"{file}:7", 5, "expected at most 4 agents for a table of 4, got 5"),
        (f"{file}:999", 4, "got 999"),
        (str(tmp_path / "none"), 4, "No such file"),
    ]:
        status, out, err = run_cli("match", *["lowest"] * agents, "--from", source)
        assert (status, out) == (2, "")
        assert says in err
        assert err.count("\n") == 1


@pytest.fixture
def landlords_game(tmp_path: Path) -> str:
    """A file with a game of `dou_dizhu` that goes on to its end: three decisions, a triple with a single, ..."""
    rules = ruleset("dou_dizhu")
    game = Game.deal(rules, seed=3)
    for move in ("call", None, None):
        game.play(0, move)
    game.play("D[5] C[5] H[5] S[4]")
    while not game.is_over:
        game.push(next(iter(game.legal_plays())))
    file = tmp_path / "landlords.jsonl"
    file.write_text(records.dumps(GameRecord(Transcript(game), tuple(decks_of(rules, 3)[0]))) + "\n")
    return str(file)


STARTED = """\
Dou Dizhu: you are seat 0 of seats 0 to 2
seat 2 to beat triple with a single H[5] C[5] D[5] S[4] (seat 1)
stake 1
Your hand, 17 cards: S[3] H[4] H[6] D[7] H[7] S[7] C[8] D[10] C[J] C[Q] S[Q] H[K] C[A] S[A] D[2] C[2] BJ
seat 1: 16 cards, landlord
seat 2: 17 cards, your partner
landlord's cards, 3 cards: D[3] H[J] D[A]
Order of turns: seat 2, you, seat 1
Auction: call the landlord (seat 1), no (seat 2), no (you)
Trick 1: seat 1 H[5] C[5] D[5] S[4]
Order of the cards
"""


def test_state__lists_plays_from_high_to_low_with_kickers_last(landlords_game: str) -> None:
    assert out_of("state", f"{landlords_game}:4", "--seat", "0", "--lang", "en").startswith(STARTED)


def test_state__of_a_seat_is_the_observation_without_names(tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    file.write_text(out_of("match", *PLAYERS, "--seed", "4", "--log", "jsonl"))
    [whole] = records.load(file.read_text())
    assert "Thrifty 1" in out_of("state", str(file), "--lang", "en")
    shown = out_of("state", f"{file}:9", "--seat", "2", "--lang", "en")
    assert shown == observation(game_at(whole.game, 9).view(2)) + "\n"
    assert "owest" not in shown


@pytest.mark.parametrize(
    ("ply", "phases"),
    [
        (":0", ("Dealt (auction)", "已發牌（叫牌）", "已发牌（叫牌）")),
        (":3", ("Assigned (before the first play)", "已定先手（等待第一手）", "已定先手（等待第一手）")),
        (":4", ("Started (in play)", "已開始（出牌中）", "已开始（出牌中）")),
        ("", ("Over", "已結束", "已结束")),
    ],
)
def test_state__names_the_phase(ply: str, phases: tuple[str, str, str], landlords_game: str) -> None:
    for lang, phase, title in zip(Language, phases, ("Dou Dizhu: ", "鬥地主：", "斗地主："), strict=True):
        assert out_of("state", f"{landlords_game}{ply}", "--lang", lang.value).splitlines()[0] == title + phase


@pytest.mark.parametrize("lang", list(Language))
def test_state__shows_a_viewer_what_that_seat_knows(tmp_path: Path, lang: Language) -> None:
    game = Game.deal(ruleset("dou_dizhu"), seed=3)
    while not (game.history and game.history[-1].play):
        game.push(game.legal_plays().calls[0] if game.legal_plays().calls else next(iter(game.legal_plays())))
    game.pass_()
    shown = observation(game.view(0), lang)
    assert strangers(shown, lang) == []
    shown = shown[: shown.index(words(lang)("rules_title.order"))]  # the rules name both jokers
    known = game.view(0).hand | game.view(0).bottom | game.history[-2].play.mask
    for card in game.ruleset.deck.cards:
        assert str(card) not in shown.replace("]", "] ").split() or known >> card & 1
    file = tmp_path / "game.jsonl"
    file.write_text(out_of("match", "lowest", "lowest", "lowest", "--game", "dou_dizhu", "--seed", "3", "--log", "jsonl"))
    out = out_of("state", f"{file}:0", "--seat", "1", "--lang", lang.value)
    assert strangers(out, lang) == []


@pytest.mark.parametrize("lang", Language)
@pytest.mark.parametrize("seed", [3, 7])
def test_klondike_solve__is_in_one_language(seed: int, lang: Language) -> None:
    out, tr = out_of("klondike", "solve", "--seed", str(seed), "--lang", lang.value), words(lang)
    assert strangers(re.sub(r"deal|\b\w\w>\w|[*>]", "", out), lang) == []
    title = tr("klondike.lost" if seed == 3 else "klondike.winnable", positions="", seconds="").split()[0]
    assert out.startswith(title)


@pytest.mark.parametrize("lang", Language)
def test_advise__is_in_one_language(lang: Language, tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    file.write_text(out_of("match", *["lowest"] * 3, "--game", "dou_dizhu", "--seed", "3", "--log", "jsonl"))
    out = out_of("advise", str(file), "--all", "--agent", "heuristic", "--top", "2", "--lang", lang.value)
    assert strangers(out, lang) == []
    assert words(lang)("advise.played", mark="").strip() in out


def test_state__has_every_move_by_rounds() -> None:
    """三两一 keeps a round going over tricks; each act stands in exactly one round."""
    for name in available_rulesets():
        game = Game.deal(ruleset(name), seed=9)
        while not game.is_over:
            game.push(next(iter(game.legal_plays())))
        rounds = rounds_of(game.view())
        said = [(event.seat, event.move, event.zh) for event in said_in(game.view())]
        dealt = max(at for at, event in enumerate(game.events) if isinstance(event, Dealt))
        assert said == [(event.seat, event.move, event.zh) for event in game.events[dealt:] if isinstance(event, Said)]
        assert bool(said) == (game.ruleset.auction is not None)
        assert [play for moves in rounds for _, play in moves if play] == [play for _, play in game.history if play]
        assert all(moves[0][1] for moves in rounds)
        for before, after in pairwise(rounds):
            last = [play for _, play in before if play][-1]
            assert not game.ruleset.beats(after[0][1], last)
    game = Game.from_hands(ruleset("three_two_one"), ["D[3] D[5] D[8]", "C[4] C[9]", "H[9] H[10]", "H[J] H[Q]"])
    for cards in ("D[3]", "C[4]", "", "", "D[5]", "", "D[8]"):
        game.play(cards)
    assert game.is_over
    assert [len(moves) for moves in rounds_of(game.view())] == [7]


@pytest.mark.parametrize("lang", list(Language))
@pytest.mark.parametrize(
    ("args", "lines", "key"),
    [
        (("uno", "play", "--players", "3", "--seed", "7"), "", "uno.hand_empty"),
        (("uno", "play", "--option", "blank_is_any=yes", "--seed", "5"), "", "uno.hand_empty"),
        (("fishing", "play", "--hands", "2 3 2 3 | 3 J 3 2"), "", "fishing.wins"),
        (("fishing", "play", "--hands", "2 2 2 3 | 3 3 2 3"), "", "fishing.cycle"),
        (("klondike", "play", "--seed", "7"), "\nd\ncheck\nh\nu\nx\n5H>1\nx>y\nq\n", "klondike.stopped"),
        (("klondike", "hint", "--seed", "7"), "", "klondike.hint_deal"),
    ],
)
def test_side_games__speak_one_language(args: tuple[str, ...], lines: str, key: str, lang: Language) -> None:
    status, out, err = run_cli(*args, "--lang", lang.value, stdin=lines)
    assert (status, err) == (0, "")
    assert max(re.split(r"\{\w+\}", words(lang)(key)), key=len) in out
    assert strangers(re.sub(r"\S+\.jsonl", "", out), lang) == []  # where the game is kept


RULES_AS_CODE = "FishingRules FishingDeck parse deck x4 exp"


@pytest.mark.parametrize("lang", list(Language))
@pytest.mark.parametrize(
    ("args", "key", "names"),
    [
        (("fishing", "simulate", "--games", "300"), "figures.first_loses", RULES_AS_CODE),
        (("fishing", "simulate", "--games", "200", "--deck", "2x4 3x4"), "figures.cycles", RULES_AS_CODE),
        (("fishing", "chain", "--deck", "52"), "figures.owners_apart", ""),
        (("uno", "simulate", "--games", "200", "--players", "3"), "figures.uno_firsts", "players"),
        (("uno", "strength", "--games", "8", "--against", "random"), "figures.strength_wins", "learned random"),
        (("klondike", "survey", "--deals", "2"), "figures.survey_published", ""),
        (("klondike", "deal", "--seed", "7", "--reveal"), "klondike.dealer", "##"),
    ],
)  # fmt: skip
def test_figures__are_in_one_language(args: tuple[str, ...], key: str, names: str, lang: Language) -> None:
    found = run_cli(*args, "--lang", lang.value)
    assert found.status == 0
    assert max(re.split(r"\{\w+\}", words(lang)(key)), key=len).strip() in found.out
    assert strangers(re.sub(r"\b\w\w>\w", "", found.out), lang, frozenset(names.split())) == []


@pytest.mark.parametrize("lang", list(Language))
def test_uno_rules__say_what_is_allowed_in_every_language(lang: Language) -> None:
    first, *_, last = out_of("uno", "rules", "--lang", lang.value).splitlines()
    label, range_ = {
        Language.EN: ("allowed: ", "2 to 14"),
        Language.HANT: ("可選：", "2 至 14"),
        Language.HANS: ("可选：", "2 至 14"),
    }[lang]
    assert first == f"players              2              {label}{range_}"
    assert last.startswith(words(lang)("figures.uno_preset", name="rlcard", rules="players=2, pure_direction=True"))


def test_lang__is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BIG2_LANG", "zh-Hans")
    assert out_of("rules", "big2").startswith("大老二\n")
    assert out_of("rules", "big2", "--lang", "en").startswith("Big Two\n")
