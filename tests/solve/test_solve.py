"""Endings with all hands open: the solver against plain minimax by the reference engine, and its lines against all defences."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from house_rules import DEALS_AND_CHOPS, HOUSE_RULES
from random_rulesets import random_ruleset

from big2_agents.rule_based.simple import GreedyAgent
from big2_env import BIG2, ConfigError, Game, Lead, PassLock, RuleSet, available_rulesets, ruleset
from big2_env.base.cards import as_mask
from big2_env.base.rng import SplitMix64
from big2_env.climbing.outcome import is_over
from big2_env.climbing.position import Position
from big2_env.notation import positions
from big2_env.solve import Solver, Verdict, ending, solve
from big2_env.solve.ending import FIRST_PLACES, MAX_PLACES
from big2_env.solve.solver import ABOVE_NOTHING
from big2_env.testing.random_positions import dealt_ending, played_ending

VARIANTS = [
    replace(BIG2, name="exact", lead=Lead.EXACT),
    replace(ruleset("taiwan"), name="final", pass_lock=PassLock.NONE, top_single_final=True),
    *(
        replace(ruleset("three_two_one"), name=f"skip_{lock.value}", pass_lock=lock, auto_skip_unbeatable=True)
        for lock in PassLock
    ),
    *map(random_ruleset, range(6)),
]
RULES = [*available_rulesets().values(), *HOUSE_RULES, *DEALS_AND_CHOPS, *VARIANTS]


def wins(game: Game, team: tuple[int, ...], known: dict[Position, bool]) -> bool:
    """Whether a team can force that one of its seats is out first: every act of everybody tried, by the reference engine."""
    if finished := game.position.finished:
        return finished[0] in team
    key = game.position._replace(played=(), acted=(), captured=(), trick=0, factor=1)
    if key not in known:
        ours = game.turn in team
        known[key] = not ours
        for play in game.legal_plays():
            game.push(play)
            found = wins(game, team, known)
            game.undo()
            if found is ours:
                known[key] = ours
                break
    return known[key]


def forced(solver: Solver) -> bool:
    verdict = solver.solve().verdict
    assert verdict is not Verdict.OPEN
    return verdict is Verdict.FORCED


def check_line(solver: Solver) -> None:
    """The line is one of legal acts to the end, won by whoever is said to win."""
    solution, game = solver.solve(), solver.game.copy()
    for seat, play in solution.line:
        assert (seat, play in game.legal_plays()) == (game.turn, True)
        game.push(play)
    assert (game.position.finished[0] in solver.team) is (solution.verdict is Verdict.FORCED)


def check_defences(solver: Solver) -> int:
    """Who can force it wins by the solver's answers against all that the others may do; how many endings there are."""
    won = forced(solver)
    seen: set[Position] = set()
    ends = 0

    def walk(game: Game) -> None:
        nonlocal ends
        if finished := game.position.finished:
            assert (finished[0] in solver.team) is won
            ends += 1
            return
        if game.position in seen:
            return
        seen.add(game.position)
        answers = (game.turn in solver.team) is won
        for play in [solver.answer(game)] if answers else list(game.legal_plays()):
            if answers:
                game.play(play)  # checks it
            else:
                game.push(play)
            walk(game)
            game.undo()

    walk(solver.game.copy())
    return ends


def endings(rules: RuleSet, cards: int, number: int, seed: int) -> Iterator[Game]:
    rng = SplitMix64(seed)
    for i in range(number):
        yield played_ending(rules, cards, rng) if i % 3 == 2 else dealt_ending(rules, cards, rng, even=i % 3 == 0)


def in_the_middle(game: Game, rng: SplitMix64) -> Game:
    """The same hands with a random low play on the table or before the last trick, and random seats that have passed."""
    rules, position, number = game.ruleset, game.position, game.num_players
    spare = [card for card in rules.deck.cards if not any(hand >> card & 1 for hand in position.hands)]
    rng.shuffle(spare)
    spare.sort(key=lambda card: rules.order.positions[card] > rules.deck.size // 2)
    plays = list(rules.table.plays(as_mask(spare[:3])))
    over, top = (plays[rng.below(len(plays))] for _ in range(2))
    passed = rng.below(1 << number) & ~(1 << position.turn)
    if rng.below(2):
        position = position._replace(top=top, top_seat=(position.turn + 1 + rng.below(number - 1)) % number)
    elif rules.pass_lock is PassLock.ROUND:
        position = position._replace(lead_over=over)
    return Game.from_position(rules, position._replace(passed=passed))


@pytest.mark.parametrize("rules", RULES, ids=lambda rules: f"{rules.name}_{rules.pass_lock.value}")
def test_solve__agrees_with_minimax_for_every_seat(rules: RuleSet) -> None:
    verdicts, rng = set(), SplitMix64(7)
    for i, game in enumerate(endings(rules, 8, 12, seed=1)):
        game = in_the_middle(game, rng) if i % 2 else game
        assert not is_over(rules, game.position)
        for seat in range(game.num_players):
            solver = Solver(game, seat, plain_positions=(i + seat) % 2 * 10**6)
            known: dict[Position, bool] = {}
            found = forced(solver)
            assert found is wins(game, solver.team, known), (seat, positions.dumps(game))
            check_line(solver)
            verdicts.add(found)
            for position in list(known)[:: len(known) // 20 + 1]:  # what one table says of many positions
                proof = solver._prove(Game(rules, position), ABOVE_NOTHING, None, None)
                assert proof is not None
                assert proof.reached is known[position], position
    assert verdicts == {False, True}


@pytest.mark.parametrize("name", ["big2", "chu_da_di", "dou_dizhu", "dou_dizhu_x", "three_two_one"])
def test_answers__hold_against_all_defences(name: str) -> None:
    ends = []
    for game in endings(ruleset(name), 13, 12, seed=2):
        solver = Solver(game)
        ends.append(check_defences(solver))
        check_line(solver)
    assert max(ends) > 20


HAND_MADE = {
    # Each: what is left, who is to move, the only act that wins; players who lead the most cards and never pass do another.
    "over the landlord's last pair": (
        {
            "ruleset": "dou_dizhu",
            "hands": ["H[3] C[4] H[4] S[8] C[10] H[10]", "S[3] D[4] S[9]", "D[6] S[6]"],
            **{"turn": 0, "landlord": 2, "top": "pair D[3] C[3]", "top_seat": 2},
        },
        "pair C[10] H[10]",
    ),
    "the other farmer goes on": (
        {
            "ruleset": "dou_dizhu",
            "hands": ["H[4] C[5] S[Q] H[A] S[A]", "D[7] S[J] H[Q] H[K]", "H[5]"],
            **{"turn": 0, "landlord": 1, "top": "pair D[J] C[J]", "top_seat": 2},
        },
        "pass",
    ),
    "the nine is kept": (
        {
            "ruleset": "big2",
            "hands": ["S[4] D[6] C[9]", "C[4] H[4] C[7]", "C[5]", "H[3] D[4] C[6] H[6] D[7]"],
            **{"turn": 0, "top": "single D[8]", "top_seat": 3},
        },
        "pass",
    ),
    "the kings are kept": (
        {
            "ruleset": "chu_da_di",
            "hands": [
                *("H[5] C[8] H[9] C[10] C[J]", "S[9] D[10] H[K] S[K] D[A]"),
                *("H[7] D[9] H[A]", "C[3] S[3] C[5] D[8] S[8] H[10] S[10]"),
            ],
            **{"turn": 1, "top": "pair C[Q] S[Q]", "top_seat": 0},
        },
        "pass",
    ),
    "the pair is taken apart": (
        {
            "ruleset": "dou_dizhu",
            "hands": ["D[7] C[9] H[J] D[K]", "H[Q] S[Q]", "D[4] C[4] D[9] H[A]"],
            **{"turn": 2, "landlord": 2},
        },
        "single D[9]",
    ),
}


@pytest.mark.parametrize(("position", "best"), HAND_MADE.values(), ids=HAND_MADE)
def test_hand_made__the_only_winning_move_is_found(position: dict[str, object], best: str) -> None:
    game = positions.loads(json.dumps(position))
    solver = Solver(game)
    assert forced(solver)
    check_line(solver)
    check_defences(solver)
    found = solver.solve().line[0].play
    winning = []
    for play in game.legal_plays():
        after = game.copy()
        after.push(play)
        if forced(Solver(after, game.turn)):
            winning.append(play)
    greedy = GreedyAgent()
    greedy.reset(0)
    assert winning == [found]
    assert str(found) == best
    assert greedy.act(game.view(), game.legal_plays()) != found


def test_strength__of_five_cards_counts_as_the_game_says() -> None:
    flush = ["D[3] D[5] D[7] D[9] D[J] C[4]", "C[6] H[7] S[8] H[9] S[10] H[3]", "C[5]", "H[5]"]
    played = {"turn": 0}
    found = solve(positions.loads(json.dumps({"ruleset": "chu_da_di", "hands": flush, **played})))
    assert [str(play) for _, play in found.line if play] == ["flush D[3] D[5] D[7] D[9] D[J]", "single C[4]"]
    assert (found.verdict, found.team) == (Verdict.FORCED, (0,))
    plain = solve(positions.loads(json.dumps({"ruleset": "big2", "hands": flush, **played})))  # has no flush
    assert (plain.verdict, plain.line[-1].seat in (1, 2, 3)) == (Verdict.NOT_FORCED, True)


def test_table__tells_positions_apart_by_who_has_passed_and_what_was_beaten() -> None:
    rules = ruleset("three_two_one")
    hands = tuple(map(as_mask, ("C[5] C[6]", "C[K]", "D[K]", "H[K]")))
    four, king = rules.play("C[4]"), rules.play("S[K]")
    locked = Position(hands, turn=0, top_seat=0, passed=0b1110, lead_over=four)
    solver = Solver(Game.from_position(rules, locked))
    for position, won in (
        (locked, True),  # the five beats the four, so nobody may answer
        (locked._replace(passed=0), False),
        (locked._replace(passed=0b0110), False),
        (locked._replace(lead_over=king), False),  # the five does not beat it
        (locked, True),
    ):
        game = Game.from_position(rules, position)
        assert wins(game, (0,), {}) is won
        proof = solver._prove(game, ABOVE_NOTHING, None, None)
        assert proof is not None
        assert (proof.reached, proof.move) == (won, 0)


def test_teams__are_the_landlord_or_all_others_or_a_seat_alone() -> None:
    rules = ruleset("dou_dizhu")
    for game in endings(rules, 12, 9, seed=3):
        landlord = game.position.landlord
        assert landlord is not None
        farmers = tuple(seat for seat in range(3) if seat != landlord)
        found = {seat: solve(game, seat) for seat in range(3)}
        assert {found[seat].team for seat in farmers} == {farmers}
        assert found[landlord].team == (landlord,)
        assert [found[seat].verdict for seat in farmers].count(found[landlord].verdict) == 0  # one of two wins
    for game in endings(BIG2, 12, 9, seed=3):
        verdicts = [solve(game, seat).verdict for seat in range(4)]
        assert verdicts.count(Verdict.FORCED) <= 1


def test_table__that_may_not_grow_decides_the_same() -> None:
    rng = SplitMix64(5)
    crowded = 0
    for _ in range(12):
        game = dealt_ending(BIG2, 21, rng)
        small, large = (Solver(game, max_places=most, plain_positions=0) for most in (FIRST_PLACES, MAX_PLACES))
        assert forced(small) is forced(large)
        check_line(small)
        assert small.compiled is not None
        assert large.compiled is not None
        assert small.compiled.places == FIRST_PLACES
        crowded += large.compiled.places > FIRST_PLACES
    assert crowded > 3


def test_compiled_search__goes_on_where_plain_python_stops_and_finds_the_same() -> None:
    rng, left = SplitMix64(6), 0
    for i in range(24):
        game = dealt_ending((BIG2, ruleset("dou_dizhu"))[i % 2], 14, rng)
        plain, compiled = Solver(game, plain_positions=10**6), Solver(game, plain_positions=0)
        both = Solver(game, plain_positions=30)
        found = [solver.solve() for solver in (plain, compiled, both)]
        for what in ("line", "verdict", "positions"):
            assert len({getattr(solution, what) for solution in found}) == 1, what
        assert (plain.compiled, compiled.compiled is None) == (None, not plain.positions)
        left += both.compiled is not None
    assert 3 < left < 24


NO_COMPILER = """
import sys
sys.modules |= dict.fromkeys(("numba", "numpy"))
from big2_env import BIG2, Game
from big2_env.solve import Solver
game = Game.from_hands(BIG2, ["C[3] C[7] S[2]", "C[9] D[9]", "H[9] H[10]", "C[K] C[A]"])
for positions in (9, 55):
    found = Solver(game, plain_positions=positions).solve()
    print(found.verdict, found.positions, len(found.line))
"""


def test_plain_python__answers_without_numba_and_numpy_as_far_as_its_budget_reaches() -> None:
    done = subprocess.run([sys.executable, "-c", NO_COMPILER], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["undecided 9 0", "forced win 55 9"]


def test_time__leaves_a_whole_deal_undecided() -> None:
    calls: list[int] = []
    found = solve(Game.deal(BIG2, 1), seconds=0.01, progress=calls.append)
    assert (found.verdict, found.line) == (Verdict.OPEN, ())
    assert calls
    assert found.positions >= calls[-1] > 0
    solver = Solver(Game.deal(BIG2, 1))
    assert [solver.solve(seconds=0.01).verdict for _ in range(2)] == [Verdict.OPEN] * 2


@pytest.mark.parametrize(
    ("game", "seat", "says"),
    [
        (Game.deal(BIG2, 1), 4, "expected a seat of 0 to 3, got 4"),
        (Game.deal(BIG2, 1), -1, "expected a seat of 0 to 3, got -1"),
        (Game.deal(ruleset("dou_dizhu"), 1), None, "the solver needs a position with a landlord, got a running auction"),
        (Game.deal(ruleset("wu_gua_pi"), 1), None, "the solver needs an ending: seat 0 holds or may draw 49 cards"),
    ],
)
def test_refusals__say_what_is_allowed(game: Game, seat: int | None, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        solve(game, seat)


@pytest.mark.parametrize("goal", ["settlement", "first-out", "first_out", None])
def test_refusals__of_what_is_no_goal(goal: Any) -> None:
    with pytest.raises(ConfigError, match=rf"^expected a goal of Goal.FIRST_OUT, Goal.SETTLEMENT, got {goal!r}$"):
        solve(Game.from_hands(BIG2, ["C[3] C[7]", "C[9]", "H[9]", "C[K]"]), goal=goal)


def test_refusals__of_hands_that_are_no_ending(monkeypatch: pytest.MonkeyPatch) -> None:
    two_decks = next(rules for rules in HOUSE_RULES if rules.name == "two_decks")
    wide = replace(two_decks, hand_size=54, min_players=2, max_players=2)
    long = Position((as_mask(wide.deck.cards[:33]), as_mask(wide.deck.cards[40:41])), turn=0)
    with pytest.raises(ConfigError, match="the solver needs an ending: seat 0 holds or may draw 33 cards"):
        solve(Game.from_position(wide, long))
    monkeypatch.setattr(ending, "MAX_PLAYS", 100)
    assert solve(Game.deal(BIG2, 1), seconds=0.01).verdict is Verdict.OPEN
    monkeypatch.setattr(ending, "MAX_PLAYS", 20)
    with pytest.raises(ConfigError, match="the solver needs an ending: a hand has more than 20 plays"):
        solve(Game.deal(BIG2, 1))


def test_refusals__of_limits_and_of_games_that_are_over_or_others() -> None:
    game = Game.from_hands(BIG2, ["C[3] C[5]", "C[4] S[2]", "D[4]", "H[4]"])
    solver = Solver(game)
    with pytest.raises(ConfigError, match="expected a limit of more than 0 seconds, got 0"):
        solver.solve(seconds=0)
    with pytest.raises(ConfigError, match="expected max_places to be a power of two from 2,048, got 5000"):
        Solver(game, max_places=5000)
    foreign = Game.from_hands(BIG2, ["C[3] C[5]", "C[4] S[2]", "D[4]", "H[6]"])
    for ask in (solver.answer, lambda game: solver.gains(game=game)):
        with pytest.raises(ConfigError, match="expected a continuation of the solver's game"):
            ask(foreign)
    with pytest.raises(ConfigError, match="big2: expected an ending of 4 or more cards, got 3"):
        played_ending(BIG2, 3, SplitMix64(0))
    for play in ("C[3]", "C[4]", "", "", "C[5]"):
        game.play(play) if play else game.pass_()
    with pytest.raises(ConfigError, match="expected a continuation of the solver's game"):
        solver.answer(game)
    with pytest.raises(ConfigError, match="the solver needs a running game"):
        solve(game)
    last_out = next(rules for rules in HOUSE_RULES if rules.name == "last_out")
    out = Game.from_hands(last_out, ["C[3]", "C[4] S[2]", "D[4]", "H[4]"])
    out.play("C[3]")
    with pytest.raises(ConfigError, match=r"got seats \[0\] out"):
        solve(out)
