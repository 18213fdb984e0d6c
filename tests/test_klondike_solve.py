"""Klondike: the solver against exhaustion by the plain rules, its lines, the survey and its file."""

from __future__ import annotations

import dataclasses
import json
import random
import re
from pathlib import Path

import pytest
from run_cli import run_cli

from big2_env import ConfigError, NotationError
from big2_env.klondike import KlondikeGame, KlondikeState
from big2_env.klondike.cards import fits_pile, rank_of, shuffled, suit_of
from big2_env.klondike.hint import drawn, hint, played_with_hints
from big2_env.klondike.players import played_by, random_player, rule_player
from big2_env.klondike.plot import draw
from big2_env.klondike.rules import after, legal_acts
from big2_env.klondike.solve import Solution, Verdict, solve
from big2_env.klondike.survey import BLOCK, Survey, blocks, load, wilson
from big2_env.klondike.view import KlondikeView

Position = tuple[tuple[tuple[tuple[int, ...], int], ...], frozenset[int], tuple[int, ...]]


def moves(position: Position) -> list[Position]:
    """Every position after one move, the dealer area as a set: by the rules, and nothing left out."""
    piles, dealer, foundations = position
    found: list[Position] = []

    def made(changed: dict[int, tuple[tuple[int, ...], int]], area: frozenset[int], up: tuple[int, ...]) -> None:
        after_it = [changed.get(number, pile) for number, pile in enumerate(piles)]
        turned = [(cards, min(down, max(0, len(cards) - 1))) for cards, down in after_it]
        found.append((tuple(sorted(turned)), area, up))

    def raised(card: int, by: int) -> tuple[int, ...]:
        return tuple(count + (by if suit == suit_of(card) else 0) for suit, count in enumerate(foundations))

    tops = [cards[-1] if cards else None for cards, _ in piles]
    for card in dealer:
        if foundations[suit_of(card)] == rank_of(card):
            made({}, dealer - {card}, raised(card, 1))
    for number, (cards, down) in enumerate(piles):
        if cards and foundations[suit_of(cards[-1])] == rank_of(cards[-1]):
            made({number: (cards[:-1], down)}, dealer, raised(cards[-1], 1))
        for place in range(down, len(cards)):
            for target, top in enumerate(tops):
                if target != number and fits_pile(cards[place], top):
                    onto = (piles[target][0] + cards[place:], piles[target][1])
                    made({number: (cards[:place], down), target: onto}, dealer, foundations)
    for target, top in enumerate(tops):
        cards, down = piles[target]
        for card in dealer:
            if fits_pile(card, top):
                made({target: ((*cards, card), down)}, dealer - {card}, foundations)
        for suit, count in enumerate(foundations):
            card = suit * 13 + count - 1
            if count and fits_pile(card, top):
                made({target: ((*cards, card), down)}, dealer, raised(card, -1))
    return found


def exhausted(state: KlondikeState, most: int) -> bool | None:
    """Whether a position can be won, by looking at every position there is; `None` where there are too many."""
    start: Position = (
        tuple(sorted(zip(state.piles, state.down, strict=True))),
        frozenset(state.dealer),
        state.foundations,
    )
    seen, waiting = {start}, [start]
    while waiting:
        position = waiting.pop()
        if not any(down for _, down in position[0]):
            return True
        for one in moves(position):
            if one not in seen:
                seen.add(one)
                waiting.append(one)
        if len(seen) > most:
            return None
    return False


def played(seed: int, acts: int) -> KlondikeState:
    """A position of a random game, in which cards seldom come down from the foundations."""
    game, rng = KlondikeGame.deal(seed), random.Random(seed)
    for _ in range(acts):
        legal = game.legal_acts()
        if not legal:
            break
        act = rng.choice(legal)
        if game.play(act) < 0 and rng.random() < 0.9:
            game.undo()
    return game.state


def check_line(state: KlondikeState, found: Solution) -> None:
    """The line wins by the rules; there is one exactly for won positions."""
    assert (found.acts is not None) == (found.verdict is Verdict.WON)
    for act in found.acts or ():
        state = after(state, act)
    assert state.is_won == (found.verdict is Verdict.WON)


def test_solve__says_what_exhaustion_by_the_plain_rules_says() -> None:
    found = dict.fromkeys(Verdict, 0)
    for seed in range(60):
        state = played(seed, 20 + seed * 37 % 250)
        solution = solve(state)
        check_line(state, solution)
        truth = exhausted(state, 150)
        if truth is not None:
            assert solution.verdict is (Verdict.WON if truth else Verdict.LOST), seed
            found[solution.verdict] += 1
    assert found[Verdict.LOST] > 10
    assert found[Verdict.WON] > 2


def test_solve__decides_whole_deals_and_its_lines_win_by_the_rules() -> None:
    verdicts = []
    for seed in range(80):
        state = KlondikeState.deal(shuffled(seed))
        found = solve(state)
        check_line(state, found)
        verdicts.append(found.verdict)
        assert found == Solution(found.verdict, solve(state).acts, found.positions, found.seconds)
    assert [seed for seed, verdict in enumerate(verdicts) if verdict is not Verdict.WON] == LOST
    assert Verdict.OPEN not in verdicts


LOST = [3, 16, 17, 26, 57, 58, 59, 77, 78]
"""The lost ones of the deals 0 to 79: proven, so no better solver can change them."""


def test_solve__along_its_own_line_every_position_is_won() -> None:
    state = KlondikeState.deal(shuffled(4))
    acts = solve(state).acts
    assert acts is not None
    for act in acts:
        assert solve(state, line=False).verdict is Verdict.WON
        state = after(state, act)
    assert solve(state).acts == ()


def test_solve__gives_up_at_its_limits_and_refuses_what_cannot_be() -> None:
    state = KlondikeState.deal(shuffled(98))  # lost, after 775,000 positions
    assert solve(state, max_positions=5000).verdict is Verdict.OPEN
    found = solve(state, seconds=1e-4)
    assert (found.verdict, found.acts) == (Verdict.OPEN, None)
    assert solve(state).verdict is Verdict.LOST
    for limits in ({"max_positions": 0}, {"seconds": 0.0}, {"seconds": float("nan")}):
        with pytest.raises(ConfigError, match="limits of"):
            solve(state, **limits)
    wrong = [
        (state._replace(down=(0, 0, 0, 0, 0, 0, 0)), "pile 2: .* lies on .*, which it does not fit"),
        (state._replace(dealer=state.dealer[1:]), "a deck of 51 cards, 1 of the 52 not among them"),
        (state._replace(dealt=25), "25 cards dealt"),
        (state._replace(foundations=(14, 0, 0, 0)), "foundations .*: allowed are 0 to 13"),
        (state._replace(down=(0, 1, 2, 3, 4, 5, 7)), "face-down cards"),
        (state._replace(down=(0, 1, 2, 3, 4, 6, 5)), "pile 6: 6 of 6 cards face down"),
    ]
    for position, message in wrong:
        with pytest.raises(ConfigError, match=message):
            solve(position)


def survey(path: Path, deals: int, *more: str) -> tuple[int, str, str]:
    return run_cli("klondike", "survey", "--deals", str(deals), "--seed", "300", "--out", str(path), "--jobs", "1", *more)


def test_survey__is_that_of_its_seeds_whatever_the_threads() -> None:
    one, two = Survey(seed=5), Survey(seed=5)
    for found, jobs in ((one, 1), (two, 3)):
        for block in blocks(found, BLOCK + 50, jobs=jobs):
            found.add(block)
    assert one == two
    assert one.deals == BLOCK + 50 == one.won + len(one.lost)
    assert [number for number in range(75) if number + 5 in LOST] == [number for number in one.lost if number < 75]
    low, high = one.interval
    assert (low, high) == wilson(one.won, one.deals)
    assert low < 0.905 < high
    few = Survey(seed=5, max_positions=64)
    for block in blocks(few, 60):
        few.add(block)
    assert few.undecided
    assert few.interval == (wilson(few.won, 60)[0], wilson(60 - len(few.lost), 60)[1])


@pytest.mark.parametrize("cut", [30, -30])
def test_survey__goes_on_as_if_nothing_had_happened(tmp_path: Path, cut: int) -> None:
    whole, half = tmp_path / "whole.jsonl", tmp_path / "half.jsonl"
    status, out, _ = survey(whole, BLOCK + 20)
    assert status == 0
    assert f"{BLOCK + 20} deals from seed 300: " in out
    assert "published (Blake and Gent, a million deals): 90.42% to 90.54%" in out
    data = whole.read_bytes()
    half.write_bytes(data[:cut])
    assert survey(half, BLOCK + 20, "--resume") == (0, out, "")
    assert half.read_bytes() == data
    status, out, _ = survey(half, BLOCK + 30, "--resume", "--json")
    assert (status, json.loads(out)["deals"]) == (0, BLOCK + 30)
    assert half.read_bytes().startswith(data)
    assert load(half).deals == BLOCK + 30


def test_survey__of_another_run_or_with_a_wrong_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    assert survey(path, 20)[0] == 0
    data = path.read_bytes()
    refused: list[tuple[int, list[str], str]] = [
        (30, [], "is there already: allowed is --resume, --overwrite or another --out"),
        (30, ["--resume", "--overwrite"], "allowed is one of them"),
        (10, ["--resume"], "has 20 deals: allowed is --deals 20 or more"),
        (30, ["--resume", "--seed", "6"], "made with seed 300; allowed is the same, and this run has 6"),
        (30, ["--resume", "--max-positions", "6"], "made with max_positions 40000000"),
    ]
    for deals, arguments, message in refused:
        status, out, err = survey(path, deals, *arguments)
        assert (status, out) == (2, "")
        assert message in err
        assert path.read_bytes() == data
    header, line = data.splitlines(keepends=True)
    wrong = [
        (line, "line 1: kind 'null'"),
        (header + line + line, "line 3: a block from deal 0 on"),
        (header + line.replace(b'"deals":20', b'"deals":0'), "line 2: deals '0'"),
        (header + line.replace(b'"lost":[', b'"lost":[99,'), "line 2: lost .* 0 to 19"),
        (header + b"{}\n", "line 2: first 'null'"),
    ]
    for content, message in wrong:
        path.write_bytes(content)
        with pytest.raises(NotationError, match=message):
            load(path)


def test_cli__solves_and_keeps_the_line(tmp_path: Path) -> None:
    path = tmp_path / "won.jsonl"
    status, out, err = run_cli("klondike", "solve", "--seed", "7", "--acts", "deal AH>F", "--record", str(path))
    assert (status, err) == (0, "")
    assert out.startswith("winnable: ")
    assert "the published check: yes" in out
    assert json.loads(path.read_text())["won"] is True
    assert run_cli("klondike", "replay", str(path)).out == "1 games: the rules give the same\n"
    assert run_cli("klondike", "solve", "--seed", "3").out.startswith("lost: ")
    assert run_cli("klondike", "solve", "--seed", "98", "--seconds", "0.0001").out.startswith("undecided: ")


def test_hint__knows_only_the_view() -> None:
    """Its plan is legal in every position that looks like this one, and turns a card; unseen cards are looked at first."""
    game = KlondikeGame.deal(6)
    first = hint(game.view())
    assert first is not None
    assert first.acts == (0,)
    for _ in range(24):
        game.play(0)
    for turn in range(6):
        view = game.view()
        found = hint(view, samples=6, seed=turn)
        assert found is not None
        assert 0 <= found.wins <= found.samples == 6
        others = [drawn(view, random.Random(seed)).checked() for seed in range(3)]
        assert len({other.piles for other in others}) == 3
        for other in others:
            assert KlondikeView.of(other) == dataclasses.replace(view, score=0)
            for act in found.acts:
                assert act in legal_acts(other)
                other = after(other, act)
            assert sum(other.down) == sum(view.down) - 1
        game.play_all(found.acts)


def test_hint__with_one_card_unknown_is_as_good_as_the_solver() -> None:
    seen = []
    for seed in range(400, 430):
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
    assert sum(game.is_won for game in games) >= 5 + sum(played_by(rule_player, seed).is_won for seed in seeds) > 10
    chance = played_by(random_player, 500, max_acts=100)
    assert chance.history == played_by(random_player, 500, max_acts=100).history
    assert len(chance.history) <= 100
    for limits in ({"samples": 0}, {"max_positions": 10**6}):
        with pytest.raises(ConfigError, match=rf"{next(iter(limits))} \d+: allowed are 1 to"):
            hint(games[0].view(), **limits)


def test_hint__counts_the_ways_that_the_plain_solver_wins_after_its_plan() -> None:
    """With one or two cards face down there are few ways, and the plan is as good as the count says."""
    looked = 0
    for seed in range(400, 470):
        game = played_by(rule_player, seed)
        states = [move.before for move in game.history if sum(move.before.down) == 2]
        states = [state for state in states if state.seen == len(state.dealer)]
        if not states:
            continue
        view = KlondikeView.of(states[0])
        found = hint(view, samples=30)
        assert found is not None
        ways = {drawn(view, random.Random(number)).piles: number for number in range(20)}
        assert len(ways) == 2
        wins = 0
        for number in ways.values():
            state = drawn(view, random.Random(number))
            for act in found.acts:
                state = after(state, act)
            wins += solve(state, line=False).verdict is Verdict.WON
        assert (found.wins == 0, found.wins == 30) == (wins == 0, wins == 2)
        looked += 1
    assert looked > 15


def test_picture__shows_every_card_once() -> None:
    from matplotlib.figure import Figure

    for state in (KlondikeState.deal(shuffled(7)), played(3, 200)):
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
    acts = " ".join(["deal"] * 24)
    status, out, err = run_cli("klondike", "hint", "--seed", "6", "--acts", acts, "--samples", "5")
    assert (status, err) == (0, "")
    assert re.fullmatch(r"\S+.*: then [0-5] of 5 ways the hidden cards may lie can be won\n", out)
    assert (
        "4 games from seed 6, 2 samples: " in run_cli("klondike", "hint", "--seed", "6", "--games", "4", "--samples", "2").out
    )
    assert run_cli("klondike", "hint", "--games", "4", "--acts", "deal").status == 2
    assert "see the whole dealer area first" in run_cli("klondike", "play", "--seed", "6", stdin="h\nq\n").out
