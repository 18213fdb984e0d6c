"""`big2 play`: a person at the terminal, here at the end of a pipe."""

from __future__ import annotations

import re

import pytest
from house_rules import LOCKED
from run_cli import run_cli

from big2_agents.greedy import GreedyAgent
from big2_agents.heuristic import HeuristicAgent
from big2_env import BIG2, AmbiguousPlayError, Game, IllegalPlayError, NotationError
from big2_env.agents import Agent, make_agent, play_turn, reset_seats
from big2_env.cards import as_mask
from big2_env.cli import play as verb
from big2_env.cli._screen import play_text

CARD = re.compile(r"[CDHS]\[[0-9JQKA]+\]")


def script(others: list[str], seat: int, seed: int, person: Agent) -> tuple[Game, list[str]]:
    """A game in which an agent stands for the person, and what the person has to type for it."""
    agents = [make_agent(name) for name in others]
    agents = [person if i == seat else agents[(i - seat) % 4 - 1] for i in range(4)]
    game = Game.deal(BIG2, seed)
    reset_seats(agents, seed)
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
    names = ["you", *others]
    outcome = game.outcome
    assert outcome is not None
    assert f"the game is over: {names[(outcome.winner - seat) % 4]} won\n" in out
    for i, hand in enumerate(game.position.hands):
        assert f"  {names[(i - seat) % 4]}: {outcome.payoffs[i]:+g}  {BIG2.text(hand)}".rstrip() in out.splitlines()
    for move in game.history:
        assert f"{names[(move.seat - seat) % 4]}: {play_text(BIG2, move.play).plain}\n" in out
    assert out.count("> ") == len(lines)


def test_play__hints_are_the_heuristics_and_commit_to_nothing() -> None:
    others = ["greedy", "greedy", "greedy"]
    game, lines = script(others, 0, 4, HeuristicAgent())
    _, out, _ = run_cli("play", *others, "--seed", "4", stdin="".join(f"h\nH\n{line}\n" for line in lines))
    hints = re.findall(r"hint: ([-0-9 ]+)  \((.*)\)", out)
    assert [typed for typed, _ in hints[::2]] == [typed for typed, _ in hints[1::2]] == lines
    mine = [play_text(BIG2, move.play).plain for move in game.history if move.seat == 0]
    assert [meaning for _, meaning in hints[::2]] == mine
    opener = str(Game.deal(BIG2, 4).turn)
    assert (
        "hint: 0  (single 單張 C[3])\n" in run_cli("play", "--seat", opener, "--seed", "4", "--hints", "first", stdin="h\n").out
    )
    assert "agent 'nobody': allowed are" in run_cli("play", *others, "--seed", "4", "--hints", "nobody", stdin="h\nq\n").out


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
        ("13", "expected indices from 0 to 12, got 13"),
        ("x", "'x' is no index; indices of cards (0 2 5), -1 passes"),
        ("-2", "'-2' is no index"),
        ("٣", "'٣' is no index"),
        ("9" * 900, "9'... is no index"),
        ("1 1", "is named twice"),
        ("0 1 2 3", "no pattern of big2 (single, pair, straight, full_house)"),
        ("-1", "pass: whoever opens a round must play"),
        ("12", "the first play of a game must be or contain C[3]"),
        ("0 pair", "no pattern of big2 (pair)"),
        ("pair", "'pair' is no index"),
        ("?", "h hint, q quits"),
    ],
)
def test_play__says_why_and_asks_again(typed: str, answer: str) -> None:
    opener = Game.deal(BIG2, 7).turn
    status, out, err = run_cli("play", "first", "first", "first", "--seed", "7", "--seat", str(opener), stdin=f"{typed}\n\nq\n")
    assert (status, err) == (0, "")
    said = out.split("> ")[1]
    assert answer in said
    assert said.count("\n") == 1
    assert out.count("> ") == 3


def test_play__says_what_does_not_cover() -> None:
    last = (Game.deal(BIG2, 7).turn + 3) % 4
    _, out, _ = run_cli("play", "first", "first", "first", "--seed", "7", "--seat", str(last), stdin="0\n")
    assert "> single D[4] does not cover single C[6]\n" in out


@pytest.mark.parametrize("typed", ["", "q\n", "Q", "h\n"])
def test_play__ends_cleanly_when_the_person_leaves(typed: str) -> None:
    status, out, err = run_cli("play", "first", "first", "first", "--seed", "7", stdin=typed)
    assert (status, err) == (0, "")
    assert out.endswith("you leave the game; to play it again: --seed 7\n")


def test_play__ends_cleanly_on_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(person: object) -> list[str]:
        raise KeyboardInterrupt

    monkeypatch.setattr(verb._Person, "_ask", interrupted)
    status, _, err = run_cli("play", "first", "first", "first", "--seed", "7")
    assert (status, err) == (130, "")


def test_play__draws_a_seed_and_has_three_heuristic_opponents() -> None:
    seeds = set()
    for _ in range(4):
        status, out, _ = run_cli("play", stdin="q\n")
        assert status == 0
        assert "heuristic1" in out
        assert "heuristic3" in out
        seeds.add(out.split(";")[0])
    assert len(seeds) > 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("--seat", "4"), "seat 4: allowed is 0 to 3"),
        (("--seat", "-1"), "seat -1: allowed is 0 to 3"),
        (("greedy",) * 4, "big2 needs 2 to 4 players, got 5"),
        (("greedy", "greedy", "nobody"), "agent 'nobody': allowed are"),
        (("--ruleset", "whist"), "ruleset 'whist': allowed are"),
    ],
)
def test_play__refuses_what_cannot_be(args: tuple[str, ...], message: str) -> None:
    status, out, err = run_cli("play", *args, stdin="q\n")
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_play__has_colours_only_where_they_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    game = ("play", "first", "first", "first", "--seed", "7")
    colour = re.compile(r"\x1b\[[0-9;]*3[0-9]")
    assert "\x1b" not in run_cli(*game, stdin="q\n").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    assert colour.search(run_cli(*game, stdin="q\n").out)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not colour.search(run_cli(*game, stdin="q\n").out)


def test_named_play__tells_readings_apart() -> None:
    """Two triples and no more: which of them is the triple."""
    game = Game.from_hands(LOCKED, ["D[3] C[3] H[3] D[4] C[4] H[4]", "D[5] C[5]", "D[6]", "D[7]"])
    view = game.view()
    every = ["0", "1", "2", "3", "4", "5"]
    with pytest.raises(AmbiguousPlayError):
        verb._named_play(every, view)
    with pytest.raises(NotationError, match="reads these cards in 2 ways: allowed is three_two_one#1 to #2"):
        verb._named_play([*every, "three_two_one"], view)
    first, second = (verb._named_play([*every, f"three_two_one#{number}"], view) for number in (1, 2))
    assert (first.mask, first.pattern) == (second.mask, second.pattern)
    assert first.power != second.power
    assert verb._named_play([*every, "triple_run"], view).pattern == "triple_run"
    with pytest.raises(IllegalPlayError):
        verb._named_play(["0", "1", "single"], view)
