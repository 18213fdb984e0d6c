"""Klondike: hints from what a player sees, the players beside them, pictures."""

from __future__ import annotations

import dataclasses
import random
import re

import numpy as np
import pytest
from klondike_states import played, state_of
from places import script
from run_cli import run_cli

from big2_env import ConfigError
from big2_env.games.klondike import KlondikeGame, KlondikePosition
from big2_env.games.klondike import hint as hints
from big2_env.games.klondike.cards import cards_text, parse_moves, shuffled
from big2_env.games.klondike.env import KlondikeEnv
from big2_env.games.klondike.hint import drawn, hint, shortened
from big2_env.games.klondike.moves import after, legal_moves
from big2_env.games.klondike.players import HintRun, played_with_hints
from big2_env.games.klondike.plot import draw
from big2_env.games.klondike.solver import Verdict, solve
from big2_env.games.klondike.view import KlondikeView
from big2_env.kernels.switch import Compilation

weak = script("klondike_players")


def test_hint__interpreted_and_compiled_kernels_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(6):
        game = KlondikeGame.deal(seed)
        for _ in range(24):
            game.play(0)
        for _ in range(2):
            found = []
            for is_ready, most in ((False, 10**6), (False, 100), (True, 0)):
                compiled = Compilation(lambda: None)
                compiled.is_ready = is_ready
                monkeypatch.setattr(hints, "_compiled", compiled)
                monkeypatch.setattr(hints, "PLAIN_POSITIONS", most)
                found.append(hint(game.view(), samples=8, salt=seed))
                assert compiled.is_ready or most == 10**6  # what takes interpreted kernels too long is compiled
            assert found[0] == found[1] == found[2] is not None
            game.play_all(found[0].moves if found[0] else ())


def test_hint__knows_only_the_view() -> None:
    """Its plan is legal in every position that looks like this one, and turns a card; unseen cards are looked at first."""
    game = KlondikeGame.deal(6)
    first = hint(game.view())
    assert first is not None
    assert first.moves == (0,)
    for _ in range(24):
        game.play(0)
    for turn in range(6):
        view = game.view()
        found = hint(view, samples=6, salt=turn)
        assert found is not None
        assert 0 <= found.wins <= found.samples == 6
        others = [drawn(view, random.Random(seed)).checked() for seed in range(3)]
        assert len({other.piles for other in others}) == 3
        for other in others:
            assert KlondikeView.of(other) == dataclasses.replace(view, score=0)
            for move in found.moves:
                assert move in legal_moves(other)
                other = after(other, move)
            assert sum(other.down) == sum(view.down) - 1
        game.play_all(found.moves)


@pytest.mark.parametrize(
    "seeds", [range(400, 404), pytest.param(range(404, 430), marks=[pytest.mark.long, pytest.mark.release])]
)
def test_hint__with_one_card_unknown_is_as_good_as_the_solver(seeds: range) -> None:
    seen = []
    for seed in seeds:
        game = played_with_hints(seed, samples=4, max_positions=2000)
        states = [move.before for move in game.history if sum(move.before.down) == 1]
        if states and states[0].seen == len(states[0].dealer):
            truth = solve(states[0]).verdict
            found = hint(KlondikeView.of(states[0]), samples=2)
            assert found is not None
            assert found.wins == (2 if truth is Verdict.WON else 0)
            assert game.is_won == (truth is Verdict.WON)
            seen.append(truth)
    assert Verdict.WON in seen


def test_hint__wins_far_more_games_than_a_rule_of_thumb() -> None:
    """Of very many games the shares are some 70 and 38 %; here it is the same 36 games in every run."""
    seeds = range(500, 536)
    games = [played_with_hints(seed, samples=16) for seed in seeds]
    assert played_with_hints(500, samples=16).history == games[0].history
    assert sum(game.is_won for game in games) >= 5 + sum(weak.played_by(weak.rule_player, seed).is_won for seed in seeds) > 10
    chance = weak.played_by(weak.random_player, 500, max_moves=100)
    assert chance.history == weak.played_by(weak.random_player, 500, max_moves=100).history
    assert len(chance.history) <= 100
    with pytest.raises(ConfigError, match=r"^expected 1 to 10,000 samples, got 0$"):
        hint(games[0].view(), samples=0)
    with pytest.raises(ConfigError, match=r"^expected max_positions of 1 to 100,000, got 1000000$"):
        hint(games[0].view(), max_positions=10**6)


def test_hint__counts_the_ways_that_the_plain_solver_wins_after_its_plan() -> None:
    """With one or two cards face down there are few ways, and the plan is as good as the count says."""
    looked = 0
    for seed in range(400, 470):
        game = weak.played_by(weak.rule_player, seed)
        states = [move.before for move in game.history if sum(move.before.down) == 2]
        states = [state for state in states if state.seen == len(state.dealer)]
        if not states:
            continue
        view = KlondikeView.of(states[0])
        found = hint(view, samples=30)
        assert found is not None
        deals = {drawn(view, random.Random(number)).piles: number for number in range(20)}
        assert len(deals) == 2
        wins = 0
        for number in deals.values():
            state = drawn(view, random.Random(number))
            for move in found.moves:
                state = after(state, move)
            wins += solve(state, line=False).verdict is Verdict.WON
        assert (found.wins == 0, found.wins == 30) == (wins == 0, wins == 2)
        looked += 1
    assert looked > 15


def test_picture__shows_every_card_once() -> None:
    from matplotlib.figure import Figure

    for state in (KlondikePosition.deal(shuffled(7)), played(3, 200)):
        axes = Figure().subplots()
        draw(axes, state, moved=state.window, title="a position")
        shown = [text.get_text() for text in axes.texts if text.get_text()]
        tops = sum(count > 0 for count in state.foundations)
        cards = sum(map(len, state.piles)) + len(state.window) + tops
        assert len(shown) == cards + (4 - tops) + 1
        assert len(set(shown)) == len(shown)
        assert axes.get_title(loc="left") == "a position"


def test_cli__hints() -> None:
    assert run_cli("klondike", "hint", "--seed", "6").out == "deal: see the whole dealer area first, it costs nothing\n"
    moves = " ".join(["deal"] * 24)
    status, out, err = run_cli("klondike", "hint", "--seed", "6", "--acts", moves, "--samples", "5")
    assert (status, err) == (0, "")
    assert re.fullmatch(r"\S+.*: then [0-5] of 5 samples of the hidden cards can be won\n", out)
    for tag, says in (("en", "4 games from seed 6, 2 samples: "), ("zh-Hans", "4 局，种子自 6 起，抽样 2 次：")):
        played = run_cli("klondike", "hint", "--seed", "6", "--games", "4", "--samples", "2", "--lang", tag)
        assert played.out.startswith(says)
    assert run_cli("klondike", "hint", "--games", "4", "--acts", "deal").status == 2
    assert "see the whole dealer area first" in run_cli("klondike", "play", "--seed", "6", stdin="h\nq\n").out


@pytest.mark.parametrize("seed", [0, 3, 6])
def test_plan__holds_nothing_that_can_be_left_out(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The card that it turns is the same, what it leaves out can still be played, and one act less would not do."""
    seen: list[tuple[KlondikePosition, tuple[int, ...], tuple[int, ...]]] = []

    def noted(state: KlondikePosition, moves: tuple[int, ...]) -> tuple[int, ...]:
        seen.append((state, moves, shortened(state, moves)))
        return seen[-1][2]

    monkeypatch.setattr(hints, "shortened", noted)
    played_with_hints(seed, samples=4)
    assert any(len(short) < len(moves) for _, moves, short in seen)
    for state, moves, short in seen:
        assert short[-1] == moves[-1]
        assert len(short) <= len(moves)
        rest = iter(move for move in moves if move)
        assert all(move in rest for move in short if move)  # in the same order
        ends = [state, state]
        for i, line in enumerate((moves, short)):
            for move in line:
                ends[i] = after(ends[i], move)
        assert ends[0].down == ends[1].down != state.down
        assert shortened(state, short) == short


def test_plan__that_takes_a_card_off_a_foundation_and_puts_it_back_is_made_shorter() -> None:
    state = state_of("4S|(KD) 9C|TD", foundations=(0, 0, 3, 0))
    assert shortened(state, parse_moves("3H>1 3H>F 9C>3")) == parse_moves("9C>3")
    needed = parse_moves("9C>3")
    assert shortened(state, needed) == needed


def exchanged(game: KlondikeGame, seed: int) -> KlondikeGame:
    """The game with the same acts from a deck in which the cards that are still hidden lie elsewhere."""
    state = game.state
    hidden = {card for pile, down in zip(state.piles, state.down, strict=True) for card in pile[:down]}
    hidden |= set(state.dealer[state.seen :])
    deck = [card for pile in (*game.start.piles, game.start.dealer) for card in pile]
    places = [place for place, card in enumerate(deck) if card in hidden]
    cards = [deck[place] for place in places]
    random.Random(seed).shuffle(cards)
    for place, card in zip(places, cards, strict=True):
        deck[place] = card
    twin = KlondikeGame(deck)
    twin.play_all(move.move for move in game.history)
    return twin


@pytest.mark.parametrize("moves", [0, 10, 60])
def test_seeds__are_the_same_however_the_hidden_cards_lie(moves: int) -> None:
    """All that a player receives before an act: view, observation, mask, info, seed, hint, random numbers."""
    for seed in range(4):
        game = weak.played_by(weak.rule_player, seed, max_moves=moves)
        if game.is_won:
            continue
        twin = exchanged(game, seed)
        assert twin.state != game.state
        assert twin.view() == game.view()
        assert twin.view().seed(moves=moves) == game.view().seed(moves=moves)
        assert hint(twin.view(), samples=4) == hint(game.view(), samples=4)
        looks = []
        for one in (game, twin):
            env = KlondikeEnv()
            seen, info = env.reset(seed=seed, options={"deck": cards_text(one.deck or ())})
            for move in one.history:
                seen, _, _, _, info = env.step(move.move)
            looks.append((seen.tobytes(), {key: np.asarray(value).tobytes() for key, value in info.items()}))
        assert looks[0] == looks[1]
        for player in (weak.random_player, weak.rule_player):
            draws = [player(one.view(), random.Random(one.view().seed(moves=moves))) for one in (game, twin)]
            assert draws[0] == draws[1]


def test_seeds__follow_from_the_view_the_moves_and_the_salt() -> None:
    game = KlondikeGame.deal(3)
    game.play_all([0] * 24)
    seeds = {game.view().seed(moves=moves, salt=salt) for moves in range(3) for salt in range(3)}
    assert len(seeds) == 9
    assert KlondikeGame.deal(4).view().seed() != KlondikeGame.deal(3).view().seed()
    salts = [[], ["--agent-seed", "0"], *(["--agent-seed", str(salt)] for salt in range(1, 5))]
    plain = [run_cli("klondike", "hint", "--seed", "3", "--acts", "deal*24", "--samples", "9", *more).out for more in salts]
    assert plain[0] == plain[1]
    assert len({*plain}) > 1
    assert HintRun(0, 4).header() != HintRun(0, 4, agent_seed=5).header()
