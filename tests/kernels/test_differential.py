"""The compiled engine plays as the reference engine does.

What is compared how often stands at the head of `big2_env/testing/differential.py`. Here: some random games of each of the
three rulesets below; `.ci/run` compares thousands of each by the same module's command.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from house_rules import TIERS, Quad, QuadSingle
from outside_patterns import OUTSIDE
from places import SUPPORT
from random_games import random_games
from random_rulesets import random_ruleset

from big2_env import (
    BIG2,
    HONG_KONG,
    CardsLeft,
    ConfigError,
    Game,
    Lead,
    PassLock,
    PatternRule,
    Position,
    Rank,
    RuleSet,
    StepTable,
    ruleset,
)
from big2_env.climbing.rulesets import available_rulesets
from big2_env.kernels import game_batch
from big2_env.kernels.batch import ENDED, NEXT_STEP, NO_RESET, SAME_STEP
from big2_env.kernels.compile import compile_tables
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.observe import LEFT, PLAYED
from big2_env.kernels.tables import as_record
from big2_env.kernels.variants import variant_of
from big2_env.rng import SplitMix64
from big2_env.testing import differential
from big2_env.testing.differential import (
    Compared,
    DisagreementError,
    compare,
    compare_positions,
    random_positions,
    replay,
)

RULES = {"big2": BIG2, "hong_kong": HONG_KONG, "outside": OUTSIDE}
GAMES = 400

AUTO = replace(HONG_KONG, auto_lead=True)
VARIANTS = {
    "auto_lead": AUTO,
    "trick": replace(BIG2, pass_lock=PassLock.TRICK),
    "hong_kong_trick": replace(HONG_KONG, pass_lock=PassLock.TRICK),
    "cards": BIG2.with_scoring("cards"),
    "winner": HONG_KONG.with_scoring("winner"),
    "cards_in_steps": BIG2.with_scoring(CardsLeft(((8, 2), (10, 3), (13, 4)))),
    "step_table": BIG2.with_scoring(StepTable(((2, 1), (6, 2.5), (13, 5)))),
    "any_lead": replace(BIG2, lead=Lead.ANY),
    "exact_lead": replace(BIG2, lead=Lead.EXACT, auto_lead=True),
    "suits_are_equal": replace(HONG_KONG, suits_compare=False),
    "other_order": replace(HONG_KONG, ranks=(*list(Rank)[3:13], *list(Rank)[:3])),
    "tiers": TIERS,
    "chu_da_di": ruleset("chu_da_di"),  # twos cost more, and each pays every other
    "bombs": BIG2.with_patterns(PatternRule(Quad(), bomb=1), PatternRule(QuadSingle(), bomb=2)),
    "extra_covers": replace(OUTSIDE, extra_covers=(("full_house", "straight"), ("straight", "full_house"))),
    "fewer": HONG_KONG.without_patterns("triple", "flush", "two_pair"),
    "singles": BIG2.without_patterns("pair", "straight", "full_house"),
}


@pytest.mark.parametrize("name", RULES)
def test_engines__agree_on_random_games(name: str) -> None:
    done = compare(RULES[name], GAMES)
    assert done.games == GAMES
    assert 65 * GAMES < done.decisions < 85 * GAMES
    assert done.in_full > GAMES // 3


@pytest.mark.parametrize("name", RULES)
def test_engines__agree_on_what_follows_random_positions(name: str) -> None:
    done = compare_positions(RULES[name], 500, seed=7)
    assert done.positions == 500 <= done.in_full


@pytest.mark.parametrize("name", VARIANTS)
def test_engines__agree_under_every_parameter(name: str) -> None:
    rules = VARIANTS[name]
    done = compare(rules, 60, every=32).plus(compare_positions(rules, 60))
    assert done.games + done.positions == 120


@pytest.mark.parametrize("first", range(0, 60, 15))
def test_engines__agree_on_random_rulesets(first: int) -> None:
    for seed in range(first, first + 15):
        rules = random_ruleset(seed)
        compare(rules, 8, every=16)
        compare_positions(rules, 12, seed=seed)


def test_random_positions__bring_every_pattern_before_full_hands() -> None:
    positions = list(random_positions(HONG_KONG, 400, seed=1))
    on_table = {position.top.pattern for position in positions if position.top}
    assert on_table == {rule.pattern.name for rule in HONG_KONG.patterns}
    assert any(position.obligation for position in positions)
    full = [p for p in positions if p.top and p.hands[p.turn].bit_count() >= 11]
    assert len({p.top.pattern for p in full}) == 9
    for position in positions:
        assert Game.from_position(HONG_KONG, position).position == position


# A difference is found, and what is printed shows it again.


def tampered(change: Callable[[Any], None]) -> Callable[[RuleSet, int], Any]:
    """`compile_tables` with a fault."""

    def compiled(rules: RuleSet, players: int) -> Any:
        array = np.frombuffer(bytearray(compile_tables(rules, players).tobytes()), variant_of(rules).tables).reshape(())
        change(array)
        return as_record(array)

    return compiled


FAULTS: dict[str, tuple[Callable[[Any], None], str]] = {
    "lock": (lambda t: t["lock"].fill(1), "turn, top player, category, power, passed"),
    "lead": (lambda t: t["lead"].fill(0), "the legal acts"),
    "penalty": (lambda t: np.multiply(t["penalty"], 2, out=t["penalty"]), "reward"),
    "power": (lambda t: np.add(t["row_power"], 4, out=t["row_power"]), "the legal acts"),
    "category": (lambda t: np.maximum(t["row_category"], 3, out=t["row_category"]), "the legal acts"),
    "pattern": (lambda t: t["row_pattern"].fill(0), "the position"),
    "place": (lambda t: t["place_of"].__setitem__(slice(None), t["place_of"][::-1].copy()), "the legal acts"),
    "hash": (lambda t: t["hash_row"].fill(0), "the legal acts"),
    "need": (lambda t: t["row_need"].fill(0), "the legal acts"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_compare__finds_a_fault_and_prints_code_that_shows_it(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change, what = FAULTS[fault]
    with monkeypatch.context() as patch:
        patch.setattr(game_batch, "compile_tables", tampered(change))
        with pytest.raises(DisagreementError) as found:
            compare(BIG2, 20, every=1)
        message = str(found.value)
        assert message.startswith(f"big2: {what}")
        assert "\n  reference: " in message
        assert "\n  compiled:  " in message
        code = message.partition("To see it again:\n")[2]
        with pytest.raises(DisagreementError) as again:
            exec(code, {})
        assert str(again.value) == message
    exec(code, {})  # without the fault the engines agree


def test_compare__finds_what_only_one_entry_of_the_observation_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    shifted = tampered(lambda t: t["window"].__setitem__([LEFT, PLAYED], t["window"][[LEFT, PLAYED]] + 1))
    monkeypatch.setattr(game_batch, "compile_tables", shifted)
    with pytest.raises(DisagreementError, match="sees"):
        compare(BIG2, 3, every=1)


def test_disagreement__of_an_own_ruleset_prints_the_ruleset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_batch, "compile_tables", tampered(FAULTS["power"][0]))
    with pytest.raises(DisagreementError) as found:
        compare_positions(replace(HONG_KONG, name="mine"), 20)
    assert "replay(RuleSet(name='mine'" in str(found.value)
    assert "Position(hands=(" in str(found.value)
    assert str(pickle.loads(pickle.dumps(found.value))) == str(found.value)  # it has to cross processes


def test_replay__gives_the_game_and_refuses_what_is_not_legal() -> None:
    *_, game = random_games(AUTO, [5])
    space = BothIds(AUTO, 5)
    acts = [space.of(move.play) for move in game.history[1:]]
    assert replay(AUTO, 5, acts) == game
    with pytest.raises(ConfigError, match=r"after 0 acts: expected an action of \[0, .*\], got 2379"):
        replay(AUTO, 5, [2379])


class BothIds:
    """The ids of a game's plays, one after the other."""

    def __init__(self, rules: RuleSet, seed: int) -> None:
        from big2_env.climbing.actions import HandSlots

        self.space, self.game = HandSlots(rules), Game.deal(rules, seed)

    def of(self, play: Any) -> int:
        action = self.space.of_play(play, self.game.position.hands[self.game.turn])
        self.game.push(play)
        return action


# The command.


def run(**options: Any) -> int:
    with pytest.raises(typer.Exit) as left:
        differential.command(**options)
    return left.value.exit_code


def test_command__compares_in_several_processes() -> None:
    command = [sys.executable, "-m", "big2_env.testing.differential", "--ruleset", "outside_patterns:OUTSIDE"]
    options = ["--games", "260", "--jobs", "2", "--seed", "3"]
    done = subprocess.run(
        [*command, *options],
        capture_output=True,
        text=True,
        cwd=SUPPORT,
        check=True,
        encoding="utf-8",
    )
    assert done.stdout.startswith("outside_patterns:OUTSIDE: 260 games, 52 positions, ")
    assert done.stdout.endswith("in full: the engines agree\n")


def test_command__says_what_it_did_and_how_it_ended(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(rulesets=["hong_kong"], games=3) == 0
    assert capsys.readouterr().out.startswith("hong_kong: 3 games, 1 positions, ")
    assert run(games=3, players=2) == 0
    assert capsys.readouterr().out.startswith("big2: 3 games, 1 positions, ")
    assert run(games=3, players=5) == 2
    assert "big2 needs 2 to 4 players, got 5" in capsys.readouterr().err
    for name, says in [
        ("big3", "unknown ruleset 'big3'; expected big2, "),
        ("house_rules:LOCKED", "three_two_one and three_two_one read the same cards"),
        ("house_rules:Quad", "ruleset 'house_rules:Quad': expected a RuleSet, got ABCMeta"),
        ("lost_rules:X", "ruleset 'lost_rules:X': 'lost_rules' cannot be imported: No module named 'lost_rules'"),
        ("house_rules:X", "ruleset 'house_rules:X': expected a RuleSet, got nothing"),
    ]:
        assert run(rulesets=[name]) == 2
        assert says in capsys.readouterr().err

    def stop(share: Any) -> Compared:
        if share[1] > 0:
            raise KeyboardInterrupt
        return Compared(share[2])

    with monkeypatch.context() as patch:
        patch.setattr(differential, "_do", stop)
        assert run(games=1_000) == 130
    assert "big2: 250 games, 0 positions, 0 decisions, 0 of them in full: stopped" in capsys.readouterr().out
    monkeypatch.setattr(game_batch, "compile_tables", tampered(FAULTS["lead"][0]))
    assert run(games=3) == 1
    assert "replay(ruleset('big2'), " in capsys.readouterr().out


def test_command__goes_on_with_its_file_and_compares_every_ruleset(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out, shares = tmp_path / "differential.jsonl", []

    def do(share: Any) -> Compared:
        if len(shares) == 3:
            raise KeyboardInterrupt
        shares.append(share[:3])
        return Compared(share[2], 50, 1_000, 10)

    names = list(available_rulesets())
    monkeypatch.setattr(differential, "_do", do)
    assert run(rulesets=["all"], games=500, out=out) == 130
    assert shares == [(names[0], 0, 250), (names[0], 250, 250), (names[1], 0, 250)]
    assert f"{names[1]}: 250 games, 50 positions, 1,000 decisions, 10 of them in full: stopped" in capsys.readouterr().out
    monkeypatch.setattr(differential, "_do", lambda share: shares.append(share[:3]) or Compared(share[2], 50, 1_000, 10))
    assert run(rulesets=["all"], games=500, out=out, resume=True) == 0
    assert shares == [(name, start, 250) for name in names for start in (0, 250)]
    said = capsys.readouterr().out.splitlines()
    assert said == [
        f"{name}: 500 games, 100 positions, 2,000 decisions, 20 of them in full: the engines agree" for name in names
    ]


def test_command__refuses_files_of_other_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "differential.jsonl"
    monkeypatch.setattr(differential, "_do", lambda share: Compared(share[2]))
    assert run(games=3, out=out) == 0
    for options, says in [
        ({}, "already exists"),
        ({"resume": True, "seed": 1}, "made with seed 0: expected 1"),
        ({"resume": True, "players": 2}, "made with players None: expected 2"),
    ]:
        assert run(games=3, out=out, **options) == 2
        assert says in capsys.readouterr().err
    assert run(games=3, resume=True) == 2
    assert "--resume needs --out" in capsys.readouterr().err
    monkeypatch.setattr(differential, "MARK", "sources_of_another_time")
    assert run(games=3, out=out, resume=True) == 2
    assert "expected 'sources_of_another_time'" in capsys.readouterr().err
    out.write_text(out.read_text().replace('"games"', '"matches"'))
    monkeypatch.undo()
    assert run(games=3, out=out, resume=True) == 2
    assert "no line of a comparison of the engines" in capsys.readouterr().err


# The same games, however they are stepped.


def trace(engine: BatchEngine, steps: int, reset: int = SAME_STEP) -> list[list[tuple[Any, ...]]]:
    """By game: every decision where there is a choice, with what the seat saw, and every end; forced passes are left out."""
    events: list[list[tuple[Any, ...]]] = [[] for _ in range(engine.num_games)]
    for _ in range(steps):
        counts, lists = engine.legal_ids()
        actions = np.zeros(engine.num_games, np.int64)
        for i in range(engine.num_games):
            acts = sorted(lists[i, : counts[i]].tolist())
            assert acts == engine.mask[i].nonzero()[0].tolist()
            if acts == [0]:
                assert not engine.skip_forced
            elif acts:
                actions[i] = acts[SplitMix64(i * 1_000_003 + len(events[i])).below(len(acts))]
                events[i].append((int(engine.seat[i]), acts, engine.observation[i].tobytes(), int(actions[i])))
        engine.step(actions, reset)
        for i in (engine.status == ENDED).nonzero()[0]:
            events[i].append((int(engine.actor[i]), engine.payoffs[i].tolist(), engine.final_observation[i].tobytes()))
    return events


def dealt(rules: RuleSet, games: int, **options: Any) -> BatchEngine:
    engine = BatchEngine(rules, games, **options)
    engine.reset(seed=12)
    return engine


@pytest.mark.parametrize("reset", [SAME_STEP, NEXT_STEP], ids=["same_step", "next_step"])
@pytest.mark.parametrize("rules", [BIG2, AUTO, VARIANTS["trick"]], ids=["big2", "hong_kong_auto", "trick"])
def test_skip_forced__plays_the_same_games_without_the_forced_passes(rules: RuleSet, reset: int) -> None:
    plain = trace(dealt(rules, 12), 400, reset)
    skipped = trace(dealt(rules, 12, skip_forced=True), 250, reset)
    for i in range(12):
        both = min(len(plain[i]), len(skipped[i]))
        assert plain[i][:both] == skipped[i][:both]
        assert both > 150
        assert sum(len(event) == 3 for event in plain[i][:both]) >= 3  # several games, the deals of which follow each other
    assert sum(map(len, skipped)) / 250 > 1.3 * sum(map(len, plain)) / 400  # more decisions a step: some were skipped


@pytest.mark.parametrize(("games", "threads"), [(1, 1), (3, 1), (9, 2), (9, 4), (40, 3)])
def test_same_seed__same_games_for_every_batch_size_and_thread_count(games: int, threads: int) -> None:
    for rules in (BIG2, HONG_KONG):
        both = min(games, 9)
        expected = trace(dealt(rules, 9), 150)
        assert trace(dealt(rules, games, threads=threads), 150)[:both] == expected[:both]
        one, other = dealt(rules, 9), dealt(rules, games, threads=threads)
        for act in (lambda engine: engine.play_random(120), lambda engine: engine.rollouts()):
            results = [act(engine) for engine in (one, other)]
            assert one.games[:both].tobytes() == other.games[:both].tobytes()
            if isinstance(results[0], np.ndarray):
                assert (results[0][:both] == results[1][:both]).all()


def test_deal__is_the_deal_of_the_reference_game() -> None:
    seeds = [0, 1, 17, 2**63, 2**64 - 1]
    for rules in (BIG2, HONG_KONG, AUTO, VARIANTS["other_order"]):
        engine = BatchEngine(rules, len(seeds))
        engine.deal(np.array(seeds, np.uint64))
        assert [engine.position(i) for i in range(len(seeds))] == [Game.deal(rules, seed).position for seed in seeds]
        engine.reset(seed=50)
        for i in range(len(seeds)):  # the documented stream of each game: its first number begins it, each next one deals
            stream = SplitMix64(SplitMix64(50 + i).next())
            assert engine.position(i) == Game.deal(rules, stream.next()).position


def test_rollouts__are_the_games_that_the_streams_give_step_by_step() -> None:
    for rules in (BIG2, AUTO):
        engine, by_hand = dealt(rules, 30), dealt(rules, 30)
        streams = [SplitMix64(int(state)) for state in by_hand.games.rng]
        totals = np.zeros((30, 4))
        while (by_hand.games.winner < 0).any():
            counts, lists = by_hand.legal_ids(512)
            choices = [stream.below(count) if count > 1 else 0 for stream, count in zip(streams, counts.tolist(), strict=True)]
            by_hand.step(lists[np.arange(30), choices].astype(np.int64), NO_RESET)
            totals += by_hand.payoffs
        payoffs = engine.rollouts()
        assert payoffs == pytest.approx(totals, abs=1e-6)
        assert (payoffs != 0).all() or rules is AUTO
        by_hand._games.rng = engine.games.rng
        assert engine.games.tobytes() == by_hand.games.tobytes()
        for i in range(30):
            assert engine.game(i).outcome.payoffs == tuple(payoffs[i])


def test_two_rulesets__step_side_by_side_without_touching_each_other() -> None:
    alone = {name: trace(dealt(rules, 6), 120) for name, rules in RULES.items()}
    with ThreadPoolExecutor(3) as pool:
        together = dict(zip(RULES, pool.map(lambda rules: trace(dealt(rules, 6), 120), RULES.values()), strict=True))
    assert together == alone
    engines = {name: dealt(rules, 6) for name, rules in RULES.items()}
    expected = {name: dealt(rules, 6) for name, rules in RULES.items()}
    for _ in range(40):
        for engine in engines.values():
            engine.play_random(3)
    for name, engine in expected.items():
        engine.play_random(120)
        assert engine.games.tobytes() == engines[name].games.tobytes()


def test_set_position__takes_what_the_reference_takes_and_refuses_what_it_refuses() -> None:
    engine = dealt(BIG2, 2)
    before = engine.games.tobytes()
    position = Game.deal(BIG2, 3).position
    twenty = Position((position.hands[0] | position.hands[1], 0, *position.hands[2:]), 0, played=position.played)
    for fault, says in [
        (twenty, r"position: expected hands of at most 13 cards, got \[26, 0, 13, 13\];"),
        (position._replace(turn=5), "position: expected a turn of a seat that holds cards, got 5; the"),
        (position._replace(hands=position.hands[:1], played=(0,)), "expected 2 to 4 hands for big2, got 1"),
    ]:
        with pytest.raises(ConfigError, match=says):
            engine.set_position(0, fault)
        assert engine.games.tobytes() == before
    engine.set_position(1, position)
    assert (engine.position(1), engine.games[0].tobytes()) == (position, before[: len(before) // 2])
    assert ruleset("big2") is BIG2
