"""`big2 play`: a person at the terminal, here at the end of a pipe."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from house_rules import LOCKED
from rich.cells import cell_len
from run_cli import run_cli

from big2_agents.models import shipped_weights
from big2_agents.rule_based.heuristic import HeuristicAgent
from big2_agents.rule_based.simple import GreedyAgent
from big2_env import BIG2, Game, ruleset
from big2_env.agents.interface import Agent, make_agent, play_turn, reset_seats
from big2_env.base.cards import as_mask
from big2_env.base.language import Language, words
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.rulesets import available_rulesets
from big2_env.drawing import scene
from big2_env.notation import positions, records
from big2_env.tables.prompt.climbing import read_turn, typed_text
from big2_env.tables.prompt.terminal import TypedLines, end_lines, hand_lines
from big2_env.tables.session.saved import file_name, games_folder, saved_games
from big2_env.tables.session.table_session import TableSession
from big2_env.text.events import play_text
from big2_env.text.names import points
from big2_env.text.observation import observation

SAY = words(Language.EN)

CARD = re.compile(r"[CDHS]\[[0-9JQKA]+\]")


def script(others: list[str], seat: int, seed: int, person: Agent) -> tuple[Game, list[str]]:
    """A game in which an agent stands for the person, and what the person has to type for it."""
    agents = [make_agent(name) for name in others]
    agents = [person if i == seat else agents[(i - seat) % 4 - 1] for i in range(4)]
    game = Game.deal(BIG2, seed)
    reset_seats(agents, game)
    lines = []
    while not game.is_over:
        cards, turn = BIG2.order.sort(game.position.hands[game.turn]), game.turn
        play = play_turn(game, agents)
        if turn == seat:
            lines.append(" ".join(str(i) for i, card in enumerate(cards) if play.mask >> card & 1) or "-1")
    return game, lines


@pytest.mark.parametrize("seat", range(4))
def test_play__a_whole_game_from_any_seat(seat: int) -> None:
    others = ["greedy", "heuristic", "random"]
    game, lines = script(others, seat, 11, GreedyAgent())
    status, out, err = run_cli("play", *others, "--seat", str(seat), "--seed", "11", stdin="\n".join(lines))
    assert (status, err) == (0, "")
    names = ["you", "Greedy", "Veteran", "Lucky"]
    outcome = game.outcome
    assert outcome is not None
    winner = (outcome.winner - seat) % 4
    assert f"the game is over: {f'won by {names[winner]}' if winner else 'you win'}\n" in out
    for i, hand in enumerate(game.position.hands):
        line = f"  {names[(i - seat) % 4]:<7}  {points(outcome.payoffs[i]):>6}  {BIG2.text(hand)}"
        assert line.rstrip() in map(str.rstrip, out.splitlines())
    for move in game.history:
        name = names[(move.seat - seat) % 4]
        passes = "You pass\n" if name == "you" else SAY("table.passes", name=name)
        assert (f"{name}: {play_text(BIG2, move.play, SAY)}\n" if move.play else passes) in out
    assert out.count("> ") == len(lines)
    assert f"the same deal again: big2 play {' '.join(others)} --seat {seat} --seed 11\n" in out
    [kept] = saved_games()
    assert records.loads(kept.path.read_text(encoding="utf-8")).game == game


def test_play__hints_are_the_heuristics_and_commit_to_nothing() -> None:
    others = ["greedy", "greedy", "greedy"]
    game, lines = script(others, 0, 4, HeuristicAgent())
    _, out, _ = run_cli(
        "play", *others, "--seed", "4", "--hints", "heuristic", stdin="".join(f"h\nH\n{line}\n" for line in lines)
    )
    hints = re.findall(r"hint: ([-0-9 ]+)  \((.*)\)", out)
    assert [typed for typed, _ in hints[::2]] == [typed for typed, _ in hints[1::2]] == lines
    mine = [play_text(BIG2, move.play, SAY) for move in game.history if move.seat == 0]
    assert [meaning for _, meaning in hints[::2]] == mine
    opener = str(Game.deal(BIG2, 4).turn)
    assert "hint: 0  (single C[3])\n" in run_cli("play", "--seat", opener, "--seed", "4", "--hints", "lowest", stdin="h\n").out
    assert (
        "unknown agent 'nobody'; expected one of"
        in run_cli("play", *others, "--seed", "4", "--hints", "nobody", stdin="h\nq\n").out
    )


def test_play__reads_an_index_with_leading_zeros() -> None:
    out = run_cli("play", "lowest", "lowest", "lowest", "--seed", "3", stdin="0000000000\n").out
    assert "you: single D[3]\n" in out


def test_play__shows_no_hidden_card() -> None:
    game, _ = script(["greedy"] * 3, 2, 9, GreedyAgent())
    while game.history:
        game.undo()
    out = run_cli("play", "greedy", "greedy", "greedy", "--seat", "2", "--seed", "9", stdin="h\nq\n").out
    before_me = (2 - game.turn) % 4
    shown = {as_mask(card) for card in CARD.findall(out)}
    played, _ = script(["greedy"] * 3, 2, 9, GreedyAgent())
    open_cards = game.position.hands[2] | as_mask("C[3]")
    for move in played.history[:before_me]:
        open_cards |= move.play.mask
    assert shown
    assert all(card & open_cards for card in shown)


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("13", "expected indices from 0 to 12, got '13'"),
        ("x", "'x' names no card; indices of cards (0 2 5) or cards"),
        ("-2", "expected indices from 0 to 12, got '-2'"),
        ("٣", "'٣' names no card"),
        ("foo bar", "'foo bar' names no card"),
        ("3分", "'3分' names no card"),
        ("yes", "'yes' names no card"),
        ("9" * 900, "999'..."),
        ("9" * 2000, "expected at most 1000 characters"),
        ("3 3 3 3", "you do not hold enough of '3 3 3 3'"),
        ("0 1 2 3", "is not a pattern of this game"),
        ("0,1, 2 3", "is not a pattern of this game"),
        ("-1", "you lead: a pass is not allowed"),
        ("p", "you lead: a pass is not allowed"),
        ("pass", "you lead: a pass is not allowed"),
        ("12", "the first play must contain C[3]"),
        ("D5", "the first play must contain C[3]"),
        ("♦5", "the first play must contain C[3]"),
        ("0 pair", "single C[3]: not pair here"),
        ("pair", "'pair' names no card"),
        ("?", "h hint, v values"),
        ("help", "h hint, v values"),
        ("u", "you have no move to take back"),
        ("points", "ranks (334, 8 8 Q)"),
    ],
)
def test_play__says_why_and_asks_again(typed: str, answer: str) -> None:
    opener = Game.deal(BIG2, 7).turn
    status, out, err = run_cli(
        "play", "lowest", "lowest", "lowest", "--seed", "7", "--seat", str(opener), stdin=f"{typed}\n\nq\n"
    )
    assert (status, err) == (0, "")
    said = out.split("> ")[1]
    assert answer in said
    assert said.count("\n") <= 2
    assert out.count("> ") >= 3


def test_play__says_what_does_not_beat() -> None:
    last = (Game.deal(BIG2, 7).turn + 3) % 4
    _, out, _ = run_cli("play", "lowest", "lowest", "lowest", "--seed", "7", "--seat", str(last), stdin="0\n")
    assert "> single D[4] does not beat single C[6]\n" in out


@pytest.mark.parametrize("typed", ["", "q\n", "Q", "quit\n", "u\n"])
def test_play__ends_cleanly_when_the_person_leaves(typed: str) -> None:
    status, out, err = run_cli("play", "lowest", "lowest", "lowest", "--seed", "7", stdin=typed)
    assert (status, err) == (0, "")
    assert out.endswith("the same deal again: big2 play lowest lowest lowest --seat 0 --seed 7\n")
    assert not saved_games()


def test_play__ends_cleanly_on_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(lines: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(TypedLines, "read", interrupted)
    status, out, err = run_cli("play", "lowest", "lowest", "lowest", "--seed", "7")
    assert (status, err) == (130, "")
    assert out.endswith("\nthe same deal again: big2 play lowest lowest lowest --seat 0 --seed 7\n")


def test_play__draws_a_seed_and_has_three_heuristic_opponents() -> None:
    seeds = set()
    for _ in range(4):
        status, out, _ = run_cli("play", stdin="q\n")
        assert status == 0
        assert "Veteran 1" in out
        assert "Veteran 3" in out
        assert not out.startswith("seed")  # a seed that was drawn is no news before the deal is over
        seeds.update(re.findall(r"--seed (\d+)", out))
    assert len(seeds) == 4
    assert max(map(int, seeds)) > 2**48


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--seat", "4"), "expected a seat from 0 to 3, got 4"),
        (("--seat", "-1"), "expected a seat from 0 to 3, got -1"),
        (("--lang", "fr"), "--lang: expected en, zh-Hant, zh-Hans, got 'fr'"),
        (("--game", "big2", "learned", "learned", "--players", "3"), "no learned player for 3 players: it learned with 4"),
        (("--resume",), "no game to resume"),
        (("--resume", "--from", "x"), "--resume: expected at most a file"),
        (("--with", "1=lowest"), "--with: expected --resume too"),
        (("--resume", "--with", "lowest"), "--with: expected SEAT=AGENT, each seat once, got 'lowest'"),
        (("--resume", "--with", "1=lowest", "--with", "1=greedy"), "each seat once, got '1=greedy'"),
        (("--from", "nowhere.json:3"), "nowhere.json: No such file"),
        (("greedy",) * 4, "big2 needs 2 to 4 players, got 5"),
        (("greedy", "greedy", "nobody"), "unknown agent 'nobody'; expected one of"),
        (("--ruleset", "whist"), "unknown ruleset 'whist'; expected"),
    ],
)
def test_play__refuses_what_cannot_be(args: tuple[str, ...], message: str) -> None:
    status, out, err = run_cli("play", *args, stdin="q\n")
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_play__has_colours_only_where_they_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    game = ("play", "lowest", "lowest", "lowest", "--seed", "7")
    colour = re.compile(r"\x1b\[[0-9;]*3[0-9]")
    assert "\x1b" not in run_cli(*game, stdin="q\n").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    assert colour.search(run_cli(*game, stdin="q\n").out)
    assert "\x1b[32mC[K]" not in run_cli(*game, stdin="q\n").out
    assert "\x1b[32mC[K]" in run_cli(*game, "--four-colors", stdin="q\n").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert not colour.search(run_cli(*game, stdin="q\n").out)


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("44443333 quad_two_pairs#2", "quad_two_pairs 3 3 3 3 4 4 4 4"),
        ("444 333", "triple_straight 3 3 3 4 4 4"),
        ("4444", "bomb 4 4 4 4"),
        ("444 KK", "full_house 4 4 4 K K"),
        ("88 99 1010", "pair_straight 8 8 9 9 10 10"),
        ("8 8", "pair 8 8"),
        ("11", "single 9"),
        ("0 1", "pair 3 3"),
    ],
)
def test_read_turn__takes_numbers_that_cannot_be_indices_for_ranks(typed: str, found: str) -> None:
    legal = landlord_hand("D[3] C[3] H[3] S[3] D[4] C[4] H[4] S[4] D[8] C[8] D[9] C[9] D[10] C[10] D[K] C[K]")
    play = read_turn(typed, legal, True, SAY).play
    assert play is not None
    assert f"{play.pattern} {' '.join(card[2:-1] for card in legal.ruleset.text(play.mask).split())}" == found


def landlord_hand(hand: str) -> LegalPlays:
    rules = ruleset("dou_dizhu_x")
    position = {"ruleset": rules.name, "hands": [hand, "S[5]", "S[6]"], "turn": 0, "landlord": 0}
    return positions.loads(json.dumps(position)).legal_plays()


@pytest.mark.parametrize("typed", ["9", "13", "10", "0 9", "8 10", "101", "-1 3"])
def test_read_turn__refuses_a_number_past_the_hand_and_names_points(typed: str) -> None:
    """A slip of one place is no rank: 9 would play a nine that the person did not mean."""
    legal = landlord_hand("D[3] C[3] D[4] D[9] C[10] D[10] D[K] C[A] D[2]")
    assert read_turn(typed, legal, True, SAY) == (
        None,
        f"expected indices from 0 to 8, got '{typed}'; to type ranks instead, enter points",
    )
    hant = read_turn(typed, legal, True, words(Language.HANT)).answer
    assert hant == f"序號應為 0 到 8，而不是 '{typed}'；要改打點數，請輸入 points"


def test_read_turn__tells_readings_apart() -> None:
    """Four threes and four fours and no more: which of them are the four."""
    game = Game.from_hands(ruleset("dou_dizhu_x"), ["C[3] D[3] H[3] S[3] C[4] D[4] H[4] S[4]", "C[9]", "D[9]"])
    legal = game.legal_plays()
    for every, by_index in (("0 1 2 3 4 5 6 7", True), ("33334444", False), ("3 3 3 3 4 4 4 4", True)):
        asked = read_turn(every, legal, by_index, SAY)
        assert asked.play is None
        lines = asked.answer.splitlines()
        assert lines[0] == "these cards can be read in 3 ways; add a name:"
        names = [line.split()[0] for line in lines[1:]]
        assert names == ["triple_straight_singles", "quad_two_pairs#1", "quad_two_pairs#2"]
        plays = [read_turn(f"{every} {name}", legal, by_index, SAY).play for name in names]
        assert len({(play.pattern, play.power) for play in plays if play is not None}) == 3
        assert [play and typed_text(play, legal, by_index, SAY).split()[-1] for play in plays] == names
        assert read_turn(f"{every} quad_two_pairs", legal, by_index, SAY).answer.count("quad_two_pairs#") == 2
        assert "not single here" in read_turn(f"{every} single", legal, by_index, SAY).answer


def test_read_turn__takes_the_one_reading_where_suits_matter() -> None:
    game = Game.from_hands(LOCKED, ["D[3] C[3] H[3] D[4] C[4] H[4]", "D[5] C[5]", "D[6]", "D[7]"])
    legal = game.legal_plays()
    for typed in ("0 1 2 3 4 5", "0 1 2 3 4 5 three_two_one"):
        play = read_turn(typed, legal, True, SAY).play
        assert play is not None
        assert (play.pattern, play.power) == ("three_two_one", 0)
    assert "triple_run" in read_turn("0 1 2 3 4 5 triple_run", legal, True, SAY).answer


@pytest.mark.parametrize("by_index", [True, False])
def test_read_turn__asks_which_cards_are_meant(by_index: bool) -> None:
    legal = LegalPlays(BIG2, as_mask("C[3] D[3] C[4] D[4] S[5] S[6] S[7]"), None)
    for text in ("3D4567", "3D4567 straight"):
        assert read_turn(text, legal, by_index, SAY) == (
            None,
            "this can be read in 2 ways; type one:\n"
            "  3D 4 5 6 7  (straight S[7] S[6] S[5] C[4] D[3])\n"
            "  3 D4 5 6 7  (straight S[7] S[6] S[5] D[4] C[3])",
        )
    assert str(read_turn("3 D4 5 6 7", legal, by_index, SAY).play) == "straight C[3] D[4] S[5] S[6] S[7]"
    assert str(read_turn("3D", legal, by_index, SAY).play) == "single D[3]"
    assert read_turn("5H", legal, by_index, SAY).answer == "you do not hold enough of '5H'"


@pytest.mark.parametrize("name", ["big2", "dou_dizhu", "dou_dizhu_4p", "qi_gui_521"])
@pytest.mark.parametrize("by_index", [True, False])
@pytest.mark.parametrize("lang", list(Language))
def test_typed_text__is_read_back(name: str, by_index: bool, lang: Language) -> None:
    tr = words(lang)
    game = Game.deal(ruleset(name), 3)
    for _ in range(12):
        legal = game.legal_plays()
        for play in list(legal)[:40] + list(legal)[-1:]:
            found = read_turn(typed_text(play, legal, by_index, tr), legal, by_index, tr).play
            assert found is not None
            assert (found.pattern, found.power) == (play.pattern, play.power)
        game.push(next(iter(legal)))


@pytest.mark.parametrize(
    ("typed", "move"),
    [
        ("叫地主", "call"),
        ("抢地主", "rob"),
        ("搶", "rob"),
        ("call", "call"),
        ("不叫", "pass"),
        ("-", "pass"),
        ("", "pass"),
        ("n", "pass"),
    ],
)
def test_read_turn__in_an_auction(typed: str, move: str) -> None:
    game = Game.deal(ruleset("dou_dizhu"), 3)
    if move == "rob":
        game.play(0, "call")
    found = read_turn(typed, game.legal_plays(), True, SAY).play
    assert found is not None
    assert found.pattern == move
    assert read_turn("0", game.legal_plays(), True, SAY).play is None
    bids = Game.deal(ruleset("dou_dizhu_4p"), 3).legal_plays()
    for text, bid in (("3分", "bid_3"), ("bid 2", "bid_2"), ("1", "bid_1"), ("3 分", "bid_3")):
        assert str(getattr(read_turn(text, bids, True, SAY).play, "pattern", None)) == bid
    assert read_turn("9", bids, True, SAY).answer == "the auction: type bid 1 / bid 2 / bid 3 / pass"


@pytest.mark.parametrize("name", ["dou_dizhu_4p", "dou_dizhu", "pao_de_kuai"])
def test_hand_lines__end_between_cards(name: str) -> None:
    game = Game.deal(ruleset(name), 1)
    hand = scene(game, 0, lang=Language.EN).seats[0].hand or ()
    lines = [line.plain for line in hand_lines(hand, 80, signs=False)]
    assert max(map(len, lines)) <= 80
    assert " ".join(lines[1::2]).split() == [card.text for card in hand]
    assert " ".join(lines[::2]).split() == [str(index) for index in range(len(hand))]
    for indices, cards in zip(lines[::2], lines[1::2], strict=True):
        assert all(cards[indices.index(index) - 1 : indices.index(index)].strip() == "" for index in indices.split()[1:])


def test_end_lines__align_names_by_their_width() -> None:
    shown = scene(Game.deal(ruleset("big2"), 1, 2), 0, lang=Language.EN)
    seats = tuple(replace(seat, name=name, payoff=2.0) for seat, name in zip(shown.seats, ("小明", "Ann"), strict=True))
    first, second = end_lines(replace(shown, seats=seats), signs=False)
    assert first.plain[:8].split() == ["小明"]
    assert cell_len(first.plain.partition("2")[0]) == cell_len(second.plain.partition("2")[0])


def test_play__undo_review_and_values() -> None:
    typed = "0\nu\nv\nr\n1\nq\n"
    status, out, _ = run_cli("play", "lowest", "lowest", "lowest", "--seed", "3", "--hints", "lowest", stdin=typed)
    assert status == 0
    assert "> taken back\n" in out
    assert "the lowest single that beats it" in out
    assert "chance to be beaten: 100 %" not in out
    assert out.count("you: single D[3]\n") == 1
    assert out.count("you: single H[3]\n") == 1
    [game] = saved_games()
    record = json.loads(game.path.read_text("utf-8"))
    assert (record["undone"], record["hints"]) == (1, 1)


def test_play__state_is_what_language_models_are_shown() -> None:
    game = Game.deal(BIG2, 3)
    for number, lang in enumerate(Language):
        arguments = ("--seat", str(game.turn), "--seed", "3", "--lang", lang.value)
        out = run_cli("play", "lowest", "lowest", "lowest", *arguments, stdin=f"{('state', '狀態', '状态')[number]}\nq\n").out
        assert f"> {observation(game.view(), lang)}\n> " in out


def test_play__resume_goes_on_where_it_was_broken_off(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    agents = ("lowest", "lowest", "lowest")
    looked = run_cli("play", *agents, "--seed", "3", "--record", str(path), stdin="q\n").out
    assert "kept in" not in looked  # nothing was played
    assert not path.exists()
    first = run_cli("play", *agents, "--seed", "3", "--record", str(path), stdin="0\n").out
    assert f"kept in {path}\n" in first
    assert f"to continue: big2 play --resume {path}\n" in first
    again = run_cli("play", "--resume", str(path), stdin="q\n").out
    assert "you: single D[3]\n" in again
    assert again.count("> ") == 1
    assert again.endswith(first[first.index("the same deal again") :].replace("--seat", "--game big2 --seat"))
    assert not saved_games()


def _named_by_a_stranger(path: Path, agent: str) -> None:
    """Write a record of a game that was broken off, in which seat 1 is another agent."""
    run_cli("play", "lowest", "lowest", "lowest", "--seed", "3", "--record", str(path), stdin="0\n")
    data = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(data | {"agents": [agent, *data["agents"][1:]]}) + "\n", encoding="utf-8")


@pytest.mark.parametrize("agent", ["learned:/dev/zero", "evil_module:Class", "learned-search:50ms,/dev/zero"])
def test_play__resume_of_a_record_that_names_a_file__asks_for_another_agent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str
) -> None:
    path = tmp_path / "games.jsonl"
    _named_by_a_stranger(path, agent)
    (tmp_path / "evil_module.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(tmp_path)
    status, out, err = run_cli("play", "--resume", str(path), stdin="q\n")
    assert (status, out) == (2, "")
    assert err == (
        f"big2: {path}: expected an installed agent that opens no file at seat 1, got '{agent}'; name one with --with 1=AGENT\n"
    )


def test_play__resume_with__seats_an_agent_of_a_file(tmp_path: Path) -> None:
    path, weights = tmp_path / "games.jsonl", shipped_weights(BIG2)
    _named_by_a_stranger(path, "learned:/dev/zero")
    status, out, err = run_cli("play", "--resume", str(path), "--with", f"1=learned:{weights}", stdin="q\n")
    assert (status, err) == (0, "")
    assert out.endswith(f"to continue: big2 play --resume {path} --with 1=learned:{weights}\n")


def test_play__resumed_from_a_position__names_no_seed_that_deals_another_game(tmp_path: Path) -> None:
    position, path = tmp_path / "ending.json", tmp_path / "games.jsonl"
    position.write_text('{"ruleset": "big2", "hands": ["C[3] C[7]", "C[9] D[9]", "H[9] H[10]", "C[K] C[A]"]}')
    options = ("lowest", "lowest", "lowest", "--from", str(position), "--seed", "5")
    first = run_cli("play", *options, "--record", str(path), stdin="0\n").out
    assert f"the same deal again: big2 play lowest lowest lowest --from {position} --seat 0 --seed 5\n" in first
    assert first.count("seed 5") == 1
    again = run_cli("play", "--resume", str(path), stdin="-1\nq\n").out
    assert "you: single C[3]\n" in again
    assert "the same deal again" not in again


def test_session__shows_no_seed_of_a_position_and_the_one_of_the_next_deal() -> None:
    game = Game.from_hands(BIG2, ["C[3]", "C[9] D[9]", "H[9] H[10]", "C[K] C[A]"])
    session = TableSession(BIG2, ["lowest"] * 3, seed=5)
    session.start(game, 5)
    assert session.shown_seed is None
    session.next_deal()
    assert session.shown_seed == 6


def test_play__resumed_under_rules_of_a_file__names_no_game_that_there_is_not(tmp_path: Path) -> None:
    path, rules = tmp_path / "games.jsonl", tmp_path / "strict.toml"
    rules.write_text('preset = "big2"\npass_lock = "trick"\n')
    options = ("lowest", "lowest", "lowest", "--seed", "3", "--game", str(rules), "--record", str(path))
    assert f"the same deal again: big2 play lowest lowest lowest --game {rules} " in run_cli("play", *options, stdin="0\n").out
    again = run_cli("play", "--resume", str(path), stdin="q\n").out
    assert "you: single D[3]\n" in again
    assert "the same deal again" not in again
    assert again.endswith(f"to continue: big2 play --resume {path}\n")


def test_play__from_a_position_and_from_a_move_of_a_game(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    run_cli("play", "lowest", "lowest", "lowest", "--seed", "3", "--record", str(path), stdin="0\n0\n")
    game = records.loads(path.read_text(encoding="utf-8")).game
    _, out, _ = run_cli("play", "lowest", "lowest", "lowest", "--from", f"{path}:2", "--seed", "0", stdin="q\n")
    assert f"--from {path}:2 --seat {(game.history[1].seat + 1) % 4} --seed 0" in out
    assert out.count(": single") >= 2
    position = tmp_path / "ending.json"
    position.write_text('{"ruleset": "big2", "hands": ["C[3] D[9]", "C[4]", "C[5]", "C[6]"], "turn": 0}', encoding="utf-8")
    status, out, _ = run_cli("play", "lowest", "lowest", "lowest", "--from", str(position), stdin="1\n-1\n0\n")
    assert status == 0
    assert "the game is over: you win\n" in out
    assert "not being saved: expected a game that began with a deal" in out
    status, _, err = run_cli("play", *["lowest"] * 4, "--from", str(position), stdin="q\n")
    assert (status, err) == (2, "big2: expected at most 3 agents for a table of 4, got 4\n")
    status, _, err = run_cli("play", "lowest", "--from", str(position), "--players", "2", stdin="q\n")
    assert (status, err) == (2, f"big2: --from {position}: expected --players 4, got 2\n")


def test_play__in_chinese_has_no_english_line() -> None:
    typed = "抢地主\nh\n0\n-1\n99\nx\nq\n"
    args = ("play", "lowest", "lowest", "--game", "鬥地主", "--seed", "3", "--hints", "lowest", "--lang", "zh-Hant")
    status, out, _ = run_cli(*args, stdin=typed)
    assert status == 0
    shown = [line for line in out.splitlines() if not re.search("big2 play|種子|保存|說明", line)]
    found = {word for line in shown for word in re.findall(r"[A-Za-z]{2,}", line)}
    assert found <= {"PASS", "BJ", "LJ", "lowest"}


def test_games__mine_lists_what_was_played() -> None:
    assert run_cli("games", "--mine").out.startswith("no games yet in ")
    run_cli("play", "lowest", "lowest", "lowest", "--seed", "3", stdin="0\n")
    out = run_cli("games", "--mine").out
    assert re.search(r"Big Two +3 × Thrifty +0 +0 +- +1\n", out)
    assert "大老二" in run_cli("games", "--mine", "--lang", "zh-Hant").out
    [game] = saved_games()
    assert game.path.name in out
    assert f"The files are in {game.path.parent};" in out


@pytest.mark.parametrize("lang", list(Language))
def test_games__mine_fits_80_columns(lang: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    games_folder().mkdir(parents=True)
    for number, rules in enumerate(available_rulesets().values()):
        started = f"2026-11-{number + 1:02}T06:59:04+00:00"
        agents = [*["learned-search"] * 2, f"learned:/home/{'long/' * 10}big2.npz"]
        record = {"moves": [""] * 120, "ruleset": rules.name, "seat": 0, "agents": agents, "started": started}
        record |= {"payoffs": [-33.333, 1, 1, 1]} if number % 2 else {}
        (games_folder() / file_name(started, rules.name, "d45e")).write_text(json.dumps(record), "utf-8")
    monkeypatch.setattr("big2_env.tables.prompt.own_games.print_table", lambda table, console: console.print(table))
    monkeypatch.setenv("COLUMNS", "80")
    lines = run_cli("games", "--mine", "--lang", lang.value).out.splitlines()[:-1]
    assert max(map(cell_len, lines)) <= 80
    names = [game.path.name for game in saved_games()][:20]
    assert len(names) > 10
    assert all(any(line.rstrip().endswith(name) for line in lines) for name in names)


def test_play__on_a_terminal_hints_with_cards_as_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    args = ("play", *["lowest"] * 3, "--hints", "lowest", "--seed", "3", "--points")
    assert "hint: D3  (single D[3])" in run_cli(*args, stdin="hint\nquit\n").out
    monkeypatch.setattr("big2_env.tables.prompt.climbing.shows_signs", lambda: True)
    assert "hint: 3♦  (single 3♦)" in run_cli(*args, stdin="hint\nquit\n").out


def test_klondike__on_a_terminal_shows_cards_as_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    args = ("klondike", "play", "--seed", "7")
    plain = run_cli(*args, stdin="AH>3\nquit\n").out
    assert "\n9H  ##  ##" in plain
    assert "\n        TD  ##" in plain
    monkeypatch.setattr("big2_env.tables.prompt.side_play.shows_signs", lambda: True)
    drawn = run_cli(*args, stdin="AH>3\nquit\n").out
    assert "\n9♥  ##  ##" in drawn
    assert "\n        10♦ ##" in drawn
    assert "A♥ onto pile 3" in drawn
