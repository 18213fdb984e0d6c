"""Klondike: the solver against exhaustion by the plain rules, its lines, the survey and its file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from klondike_states import played
from run_cli import run_cli

from big2_env import ConfigError, NotationError
from big2_env.games.klondike import KlondikePosition
from big2_env.games.klondike.cards import fits_pile, rank_of, shuffled, suit_of
from big2_env.games.klondike.moves import after
from big2_env.games.klondike.solver import Solution, Verdict, solve
from big2_env.games.klondike.survey import BLOCK, Survey, blocks, load
from big2_env.runs.executors import Local
from big2_env.runs.intervals import wilson

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


def exhausted(state: KlondikePosition, most: int) -> bool | None:
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


def check_line(state: KlondikePosition, found: Solution) -> None:
    """The line wins by the rules; there is one exactly for won positions."""
    assert (found.moves is not None) == (found.verdict is Verdict.WON)
    for move in found.moves or ():
        state = after(state, move)
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
        state = KlondikePosition.deal(shuffled(seed))
        found = solve(state)
        check_line(state, found)
        verdicts.append(found.verdict)
        assert found == Solution(found.verdict, solve(state).moves, found.positions, found.seconds)
    assert [seed for seed, verdict in enumerate(verdicts) if verdict is not Verdict.WON] == LOST
    assert Verdict.OPEN not in verdicts


def test_solve__finds_the_same_interpreted_and_compiled() -> None:
    compiled = 0
    for seed in range(40):
        state = played(seed, seed * 37 % 100)
        found = [solve(state, plain_positions=number) for number in (0, 300, 10**5)]
        assert len({(one.verdict, one.moves, one.positions) for one in found}) == 1
        compiled += found[0].positions > 300
    assert 0 < compiled < 20


@pytest.mark.parametrize("plain_positions", [0, 10**9])
@pytest.mark.parametrize(
    ("seed", "most", "verdict", "positions"),
    [
        (106, 20_000, Verdict.OPEN, 19_977),
        (106, 40_000, Verdict.WON, 27_059),
        (98, 5_000, Verdict.OPEN, 4_858),
        (98, 1, Verdict.OPEN, 1),
    ],
)
def test_solve__stops_at_the_same_position_interpreted_and_compiled(
    seed: int, most: int, verdict: Verdict, positions: int, plain_positions: int
) -> None:
    found = solve(KlondikePosition.deal(shuffled(seed)), max_positions=most, plain_positions=plain_positions)
    assert (found.verdict, found.positions) == (verdict, positions)


def test_search__with_a_path_longer_than_its_arrays_loses_no_position(monkeypatch: pytest.MonkeyPatch) -> None:
    from big2_env.games.klondike.kernels import tree_search

    state = KlondikePosition.deal(shuffled(106))
    monkeypatch.setattr(tree_search, "MAX_DEPTH", 1)
    search = tree_search.Search(state)
    assert (search.run(40_000), search.looked) == (True, 27_059)


LOST = [3, 16, 17, 26, 57, 58, 59, 77, 78]


"""The lost ones of the deals 0 to 79: proven, so no better solver can change them."""


def test_solve__along_its_own_line_every_position_is_won() -> None:
    state = KlondikePosition.deal(shuffled(4))
    moves = solve(state).moves
    assert moves is not None
    for move in moves:
        assert solve(state, line=False).verdict is Verdict.WON
        state = after(state, move)
    assert solve(state).moves == ()


def test_solve__gives_up_at_its_limits_and_refuses_what_cannot_be() -> None:
    state = KlondikePosition.deal(shuffled(98))  # lost, after 775,000 positions
    assert solve(state, max_positions=5000).verdict is Verdict.OPEN
    found = solve(state, seconds=1e-4)
    assert (found.verdict, found.moves) == (Verdict.OPEN, None)
    assert solve(state).verdict is Verdict.LOST
    for limits in ({"max_positions": 0}, {"seconds": 0.0}, {"seconds": float("nan")}):
        with pytest.raises(ConfigError, match="expected limits above 0, got"):
            solve(state, **limits)
    wrong = [
        (state._replace(down=(0, 0, 0, 0, 0, 0, 0)), "pile 2: .* is on .*, which it does not fit"),
        (state._replace(dealer=state.dealer[1:]), "expected a deck with each of the 52 cards once, got 51 cards, 1 of the 52"),
        (state._replace(dealt=25), "got 25 dealt"),
        (state._replace(foundations=(14, 0, 0, 0)), "expected 0 to 13 cards on each foundation"),
        (state._replace(down=(0, 1, 2, 3, 4, 5, 7)), "expected at most 0 to 6 face-down cards"),
        (state._replace(down=(0, 1, 2, 3, 4, 6, 5)), "pile 6: expected a card face up, got 6 of 6"),
    ]
    for position, message in wrong:
        with pytest.raises(ConfigError, match=message):
            solve(position)


def survey(path: Path, deals: int, *more: str) -> tuple[int, str, str]:
    return run_cli("klondike", "survey", "--deals", str(deals), "--seed", "300", "--out", str(path), "--jobs", "1", *more)


def test_survey__is_that_of_its_seeds_whatever_the_threads() -> None:
    one, two = Survey(seed=5), Survey(seed=5)
    for found, jobs in ((one, 1), (two, 3)):
        with blocks(found, BLOCK + 50, executor=Local(jobs)) as solved:
            for block in solved:
                found.add(block)
    assert one == two
    assert one.deals == BLOCK + 50 == one.won + len(one.lost)
    assert [number for number in range(75) if number + 5 in LOST] == [number for number in one.lost if number < 75]
    low, high = one.interval
    assert (low, high) == wilson(one.won, one.deals)
    assert low < 0.905 < high
    few = Survey(seed=5, max_positions=64)
    with blocks(few, 60) as solved:
        for block in solved:
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
        (30, [], "already exists: give --resume, --overwrite or another --out"),
        (30, ["--resume", "--overwrite"], "expected one of --resume and --overwrite"),
        (10, ["--resume"], "has 20 deals, expected at least as many, got 10"),
        (30, ["--resume", "--seed", "6"], "made with seed 300, but this run has 6"),
        (30, ["--resume", "--max-positions", "6"], "made with max_positions 40000000"),
    ]
    for deals, arguments, message in refused:
        status, out, err = survey(path, deals, *arguments)
        assert (status, out) == (2, "")
        assert message in err
        assert path.read_bytes() == data
    header, line = data.splitlines(keepends=True)
    wrong = [
        (line, "line 1: expected kind big2 klondike survey, schema 1"),
        (header + line + line, "line 3: expected the block from deal 20 on, got the one from deal 0 on"),
        (header + line.replace(b'"deals":20', b'"deals":0'), "line 2: deals: expected a whole number of at least 1"),
        (header + line.replace(b'"lost":[', b'"lost":[99,'), "line 2: lost: expected .* 0 to 19"),
        (header + b"{}\n", "line 2: first: expected a whole number"),
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
    assert run_cli("klondike", "replay", str(path)).out == "records replayed: 1; all agree with the rules\n"
    assert run_cli("klondike", "solve", "--seed", "3").out.startswith("lost: ")
    assert run_cli("klondike", "solve", "--seed", "98", "--seconds", "0.0001").out.startswith("undecided: ")
