"""Nothing that a caller edits, hands in or copies ends the interpreter: what might runs in other processes."""

import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from forks import fatal, signal_of
from hostile_values import RULESETS, at_turn, edited_views, hostile_arrays

from big2_agents.models.formula import Weights
from big2_agents.rule_based.heuristic import HeuristicAgent
from big2_env.base.errors import ConfigError
from big2_env.climbing.game import Game
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import BIG2, ruleset
from big2_env.envs.opponents import batch_opponent
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.opponents import RowPlayer, RowRandom

DOU_DIZHU = RULESETS[1]
NUMBERS = (-1, 2**31 - 1, -(2**31), 12_345_678)
Case = Callable[[], object]


def started(rules: RuleSet, opponents: Any = None, threads: int = 1) -> BatchEngine:
    engine = BatchEngine(rules, 4, opponents=opponents, threads=threads)
    engine.reset(3)
    return engine


def go_on(engine: BatchEngine) -> None:
    for _ in range(8):
        counts, ids = engine.legal_ids()
        engine.step(np.where(counts > 0, ids[:, 0], 0).astype(np.int64))
    engine.show()
    engine.masks()
    engine.play_random(3)
    engine.rollouts()
    [engine.game(i) for i in range(engine.num_games)]


def edit(engine: BatchEngine, change: Case) -> None:
    """Make a change; where it is refused with an error, go on all the same."""
    try:
        change()
    except Exception:
        engine.show()
    go_on(engine)


def edits(engine: BatchEngine) -> Iterator[tuple[str, Case]]:
    """Every public attribute replaced, every public record and array written."""
    records = {"games": engine.games, "learners": engine.learners, "tables": engine.tables}
    for name, record in records.items():
        for field in record.dtype.names:
            for number in NUMBERS if name != "tables" else NUMBERS[:1]:
                yield f"{name}.{field} = {number}", partial(write, record, field, number)
    for name in [name for name in dir(engine) if not name.startswith("_")]:
        value = getattr(engine, name)
        if isinstance(value, np.ndarray) and name not in records:
            yield f"{name} filled", partial(value.fill, 99)
        if not callable(value):
            for other in (None, 0, 10**6, "x", np.zeros(1, np.int8)):
                yield f"{name} = {other!r}", partial(setattr, engine, name, other)


def write(record: Any, field: str, number: int) -> None:
    record[field] = np.full((), number, np.int64).astype(record.dtype[field].base)


def move(engine: BatchEngine, number: Any) -> None:
    place, make = engine.single_move()
    place[0] = number
    make()


def calls(engine: BatchEngine) -> Iterator[tuple[str, Case]]:
    """Every entry point with arrays and numbers that nobody should hand in."""
    size = engine.num_games
    given: Any
    for i, given in enumerate(hostile_arrays(size)):
        for name in ("step", "show", "deal", "are_legal", "look_at", "redeal", "play_random"):
            yield f"{name} of array {i}", partial(getattr(engine, name), given)
        yield f"seed, chosen {i}", partial(engine.seed, 1, given)
        buffers: tuple[Any, ...] = (engine.observation, engine.mask, engine.reward, engine.status)
        moves = np.zeros(size, np.int64)
        for place in range(4):
            own = (*buffers[:place], given, *buffers[place + 1 :])
            yield f"buffer {place} is array {i}", partial(engine.step_into, moves, *own)
    for number in (-1, 2**31, 2**63, 0.5, None):
        for name in ("legal_ids", "position", "game"):
            yield f"{name} of {number}", partial(getattr(engine, name), number)
        yield f"move {number}", partial(move, engine, number)
        yield f"deal {number}", lambda number=number: engine.single_deal()(number)


@pytest.mark.parametrize("opponents", [None, "random"])
@pytest.mark.parametrize("rules", RULESETS, ids=lambda rules: rules.name)
def test_engine__edited_or_handed_anything__does_not_end_the_interpreter(rules: RuleSet, opponents: str | None) -> None:
    engine = started(rules, opponents)
    go_on(engine)
    engine.are_legal(0)
    engine.reset(3)
    cases = [*edits(engine), *calls(engine)]
    assert len(cases) > 400
    assert not fatal([(name, partial(edit, engine, case)) for name, case in cases])


def test_fork__of_a_call_that_crashes__gives_its_signal() -> None:
    assert signal_of(lambda: signal.raise_signal(signal.SIGSEGV)) == signal.SIGSEGV
    assert signal_of(lambda: None) == signal_of(lambda: 1 // 0) == 0


@pytest.mark.parametrize("rules", RULESETS, ids=lambda rules: rules.name)
def test_public_state__is_read_only(rules: RuleSet) -> None:
    engine = started(rules)
    before = engine.games.tobytes(), engine.tables.tobytes()
    for record in (engine.games, engine.learners, engine.tables):
        for field in record.dtype.names:
            with pytest.raises(ValueError, match="read-only"):
                write(record, field, 1)
    for name in ("num_games", "tables", "observation", "mask", "ruleset", "threads"):
        with pytest.raises(AttributeError, match=f"{name} cannot be replaced"):
            setattr(engine, name, getattr(engine, name))
    for name in ("games", "learners", "paid", "seat", "actor", "reset_required"):
        with pytest.raises(AttributeError):
            setattr(engine, name, 0)
    assert (engine.games.tobytes(), engine.tables.tobytes()) == before


@pytest.mark.parametrize("rules", RULESETS, ids=lambda rules: rules.name)
def test_show__seats_that_there_are_not__are_refused(rules: RuleSet) -> None:
    engine, last = started(rules), rules.default_players - 1
    for seats in ([0], [0, 1, 2, last + 1], [0, 1, 2, -1], [0.0] * 4):
        with pytest.raises(ConfigError, match=f"expected 4 seats 0 to {last}, got"):
            engine.show(np.array(seats))


# Views.


@pytest.mark.parametrize("rules", RULESETS, ids=lambda rules: rules.name)
def test_view__edited__is_refused_or_harmless(rules: RuleSet) -> None:
    view, agent = at_turn(rules), HeuristicAgent()
    agent.act(view, view.legal_plays())
    edited = edited_views(view)
    assert not fatal([(name, partial(agent.act, each, view.legal_plays())) for name, each in edited])
    passed = []
    for name, each in edited:
        with suppress(ConfigError):
            each.check()
            passed.append(name)
    assert len(passed) < 12, passed


@pytest.mark.parametrize("rules", RULESETS, ids=lambda rules: rules.name)
def test_view__of_a_game__is_sound_without_the_games_word_for_it(rules: RuleSet) -> None:
    game, agent = Game.deal(rules, 5), HeuristicAgent()
    while not game.is_over:
        for seat in range(game.num_players):
            view = replace(game.view(seat))
            if seat == game.turn:
                view.check(view.legal_plays())
            else:
                with pytest.raises(ConfigError, match=rf"^expected the view of a seat that is to move, .* {seat}$"):
                    view.check()
        game.push(agent.act(game.view(), game.legal_plays()))


def test_legal_plays__of_another_position__are_refused() -> None:
    view, other = at_turn(BIG2), at_turn(DOU_DIZHU)
    called = LegalPlays(BIG2, view.hand, view.top, view.obligation, calls=(Play("yes", 0, 99, 2**31),))
    over, others = LegalPlays(BIG2, view.hand, view.top, view.obligation, over=True), LegalPlays(BIG2, view.hand ^ 1, view.top)
    for legal in (other.legal_plays(), others, called, over, [Play("single", 1, 60, 2**31)]):
        with pytest.raises(ConfigError, match=r"^expected the legal plays of the view, got plays of another position$"):
            HeuristicAgent().act(view, legal)  # type: ignore[arg-type]


def test_weights__that_are_no_finite_numbers__are_refused() -> None:
    view = at_turn(BIG2)
    for changes in ({"lead": float("nan")}, {"turn": (1.0, 2.0)}, {"rank": (1.0, 2.0, float("inf"))}):
        with pytest.raises(ConfigError, match=r"^expected finite weights"):
            HeuristicAgent(weights=Weights(**changes)).act(view, view.legal_plays())


def test_row_players__of_other_games_or_rows_that_there_are_not__are_refused() -> None:
    engine = started(BIG2)
    for name in ("greedy", "learned"):
        player: Any = batch_opponent(name, BIG2, 4)
        rng = RowRandom(np.zeros(1, np.uint64))
        for rows in ([4], [-1], [2**40]):
            with pytest.raises(ConfigError, match=r"^expected rows 0 to 3, got"):
                player.moves(engine, np.array(rows), rng)
        for other in (started(ruleset("tien_len")), BatchEngine(BIG2, 4, num_players=3)):
            with pytest.raises(ConfigError, match=r"^expected games of big2 with 4 players"):
                player.moves(other, np.array([0]), rng)


@pytest.mark.long  # compiles rows of a network
def test_learned_rows__a_history_of_nonsense__does_no_harm() -> None:
    engine, player = started(BIG2), batch_opponent("learned", BIG2, 4)
    assert isinstance(player, RowPlayer)
    engine.keep_history()
    assert engine._history is not None
    engine._history.moves[:] = np.random.default_rng(1).integers(-(2**31), 2**31, engine.history.shape)
    for _ in range(6):
        counts, ids = engine.legal_ids()
        engine.step(ids[np.arange(4), counts - 1].astype(np.int64))
    rng = RowRandom(np.zeros(4, np.uint64))
    batch_opponent("learned", BIG2, 4).moves(started(BIG2), np.arange(4), rng)  # type: ignore[union-attr]  # compiles
    assert not signal_of(lambda: player.moves(engine, np.arange(4), rng))
    assert engine.are_legal(np.asarray(player.moves(engine, np.arange(4), rng))).all()
