"""Opponents by name: the same players in every environment, batched or one view at a time, for every ruleset."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from random_rulesets import random_ruleset
from row_moves import chosen, random_moves
from seat_opponents import Historian

from big2_agents.kernels.codes import GREEDY, LOWEST
from big2_agents.kernels.rule_players import RuleRows
from big2_agents.learned.actor import Actor
from big2_agents.learned.ppo import ActorPlayer
from big2_agents.learned.rows import ActorRows, LearnedRows
from big2_agents.rule_based.batched import SwitchedRows
from big2_env import BIG2, ConfigError, Game, IllegalPlayError, RuleSet, available_rulesets, ruleset
from big2_env.agents.interface import make_agent
from big2_env.climbing.actions import action_space
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.view import View
from big2_env.envs.aec import env as aec_env
from big2_env.envs.aec_policy import AgentPolicy
from big2_env.envs.league import League
from big2_env.envs.opponents import AgentRows, batch_opponent
from big2_env.envs.sb3 import SeatVecEnv, SelfPlayVecEnv
from big2_env.envs.seat import SeatEnv
from big2_env.envs.vector import BatchEnv
from big2_env.kernels.batch import NEXT_STEP, NO_RESET, SAME_STEP
from big2_env.kernels.engine import BatchEngine
from big2_env.kernels.opponents import RandomRows, RowGames, RowPlayer, RowRandom
from big2_env.kernels.switch import Compilation
from big2_env.testing.random_positions import random_positions

Array = np.ndarray[Any, Any]
NAMES = ("random", "lowest", "greedy", "heuristic", "learned")
LEARNED = ("big2", "hong_kong")
"""Rulesets in which trained agents are compared."""


class Longest:
    """An agent that nobody has announced: the legal act with the most cards, and of those the first."""

    def reset(self, seed: int) -> None:
        self.seed = seed

    def act(self, view: View, legal: LegalPlays) -> Play:
        return max(legal, key=len)


def engine(rules: RuleSet, opponents: Any, players: int | None = None, **how: Any) -> BatchEngine:
    found = BatchEngine(rules, 5, num_players=players, opponents=opponents, **how)
    found.reset(seed=3)
    return found


def assert_same_games(one: BatchEngine, other: BatchEngine, steps: int) -> None:
    """Two batches show the same as the same learner plays them; one other act would change the rest of a game."""
    ended = 0
    for step in range(steps):
        assert np.array_equal(one.observation, other.observation)
        counts, ids = one.legal_ids()
        moves = ids[np.arange(5), (7 * step + np.arange(5)) % np.maximum(counts, 1)].astype(np.int64)
        for each in (one, other):
            each.step(moves)
        assert np.array_equal(one.payoffs, other.payoffs)
        ended += int((one.status == 1).sum())
    assert ended


# Batched opponents against the agents of the same names.


@pytest.mark.parametrize("name", available_rulesets())
def test_batched__opponents_move_as_their_agents(name: str) -> None:
    """The other seats play at random, so that plays of every kind come up; each number of players that there is."""
    rules = ruleset(name)
    for players in sorted({rules.min_players, rules.default_players, rules.max_players}):
        for agent in ("lowest", "greedy", "heuristic", "learned"):
            if agent == "learned" and (name not in LEARNED or players != rules.default_players):
                continue
            batched = batch_opponent(agent, rules, players)
            assert isinstance(batched, LearnedRows if agent == "learned" else SwitchedRows)
            one_by_one, rest = AgentRows(agent, rules, players), ["random"] * (players - 2)
            assert_same_games(*(engine(rules, [each, *rest], players) for each in (batched, one_by_one)), steps=40)


@pytest.mark.parametrize("name", available_rulesets())
def test_batched__rule_players_move_the_same_interpreted_and_compiled(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = ruleset(name)
    monkeypatch.setattr(Compilation, "spend", lambda self, seconds: None)
    for agent in ("lowest", "greedy", "heuristic"):
        batches = []
        for is_plain in (False, True):
            compiling = Compilation(lambda: None)
            monkeypatch.setattr("big2_agents.rule_based.batched._compilation", lambda *given, known=compiling: known)
            batches.append(engine(rules, batch_opponent(agent, rules, rules.default_players), may_interpret=is_plain))
        player = batches[1].opponents[0]
        assert isinstance(player, SwitchedRows)
        assert_same_games(*batches, steps=40)
        assert not player._switch.is_compiled
        compiling.is_ready = True  # during a game
        assert_same_games(*batches, steps=40)
        assert player._switch.is_compiled


def test_batched__rule_players_are_made_in_the_form_that_their_batch_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    def maker(form: str) -> Callable[..., Any]:
        return lambda *given: made.append(form) or SimpleNamespace(moves=lambda *given: form)

    monkeypatch.setattr("big2_agents.rule_based.batched._interpreted", maker("interpreted"))
    monkeypatch.setattr("big2_agents.rule_based.batched._compiled", maker("compiled"))
    for may_interpret, form in ((False, "compiled"), (True, "interpreted")):
        compiling = Compilation(lambda: None)
        monkeypatch.setattr("big2_agents.rule_based.batched._compilation", lambda *given, known=compiling: known)
        player, batch = SwitchedRows(BIG2, GREEDY, 4), SimpleNamespace(may_interpret=may_interpret)
        assert not made
        assert player.moves(batch, [], None) == form
        assert made == [form]
        made.clear()
    with pytest.raises(ConfigError, match="big2 needs 2 to 4 players, got 9"):
        SwitchedRows(BIG2, GREEDY, 9)


class Unprepared(RowPlayer):
    """A player that is only asked for moves."""

    def __init__(self, player: RowPlayer) -> None:
        self._player = player

    def moves(self, engine: RowGames, rows: Array, rng: RowRandom) -> npt.ArrayLike:
        return self._player.moves(engine, rows, rng)


@pytest.mark.parametrize("reset", [SAME_STEP, NEXT_STEP, NO_RESET])
def test_batched__prepared_players_move_as_those_that_are_asked(reset: int) -> None:
    """Two players who lead to different moves, and one who draws; illegal actions of the learner; a copy in between."""
    players = [RuleRows(BIG2, code) for code in (GREEDY, LOWEST)]
    for threads in (1, 2):
        quick, slow = (engine(BIG2, [*each, "random"], threads=threads) for each in (players, map(Unprepared, players)))
        for step in range(60):
            counts, ids = quick.legal_ids()
            moves = ids[np.arange(5), (7 * step + np.arange(5)) % np.maximum(counts, 1)].astype(np.int64)
            if step % 20 == 19:
                moves[step % 5] = -1
            if step == 30:
                quick = pickle.loads(pickle.dumps(quick))
            for each in (quick, slow):
                each.step(moves, reset=reset)
                if reset == NO_RESET:
                    each.redeal(each.status != 0)
            for name in ("observation", "mask", "payoffs", "status", "reward", "final_observation"):
                assert np.array_equal(getattr(quick, name), getattr(slow, name)), (step, name)
        assert len(quick._quick_turns._choices) == 2
        assert not slow._quick_turns._choices


def test_batched__prepared_players_refuse_games_of_other_rules() -> None:
    with pytest.raises(ConfigError, match="expected games of hong_kong with 4 players, got big2 with 4 players"):
        engine(BIG2, RuleRows(ruleset("hong_kong"), GREEDY))


def test_batched__opponents_move_the_same_where_forced_passes_are_skipped() -> None:
    batches = [
        engine(BIG2, [each, "random", "random"], skip_forced=True)
        for each in (batch_opponent("learned", BIG2, 4), AgentRows("learned", BIG2, 4))
    ]
    assert_same_games(*batches, steps=60)


def small_network(rules: RuleSet) -> ActorPlayer:
    """A player by a network of random weights."""
    rng, size, actions = np.random.default_rng(5), ObservationLayout(rules, rules.default_players).size, action_space(rules).n
    first, last = rng.normal(size=(size, 8)), rng.normal(size=(actions, 8))
    layers = ((first.astype(np.float32), np.zeros(8, np.float32)),)
    return ActorPlayer(Actor(layers, last.astype(np.float32), np.zeros(actions, np.float32)), "a small network")


@pytest.mark.parametrize("name", ["big2", "three_two_one"])
def test_batched__networks_with_a_score_for_each_action_move_as_their_agents(name: str) -> None:
    rules = ruleset(name)
    for agent in ("ppo", small_network(rules)) if name == "big2" else (small_network(rules),):
        batched, rest = batch_opponent(agent, rules, rules.default_players), ["random"] * (rules.default_players - 2)
        assert isinstance(batched, ActorRows)
        one_by_one = AgentRows(agent, rules, rules.default_players)
        assert_same_games(*(engine(rules, [each, *rest]) for each in (batched, one_by_one)), steps=40)


@pytest.mark.parametrize(
    "rules", [*available_rulesets().values(), *map(random_ruleset, range(6))], ids=lambda rules: rules.name
)
def test_random__draws_the_same_move_from_records_and_from_views(rules: RuleSet) -> None:
    positions = [each for each in random_positions(rules, 60, seed=4) if not Game.from_position(rules, each).is_over]
    games, space, agent = BatchEngine(rules, len(positions), masks="ids"), action_space(rules), make_agent("random")
    games.reset(0)
    for row, position in enumerate(positions):
        games.set_position(row, position)
    rows = np.arange(len(positions))
    drawn = np.asarray(RandomRows().moves(games, rows, RowRandom(rows.astype(np.uint64))))
    for row, position in enumerate(positions):
        view = Game.from_position(rules, position).view()
        agent.reset(row)
        assert drawn[row] == space.of_play(agent.act(view, view.legal_plays()), view.hand)
    assert_same_games(engine(rules, "random"), engine(rules, RandomRows()), steps=40)


def test_random__outside_of_the_loop_draws_what_the_loop_draws() -> None:
    kept = engine(BIG2, "random")
    kept.keep_history()
    assert [type(one) for one in kept.opponents] == [RandomRows] * 3
    assert_same_games(engine(BIG2, "random"), kept, steps=60)


def test_learned__remembers_from_there_on_what_was_put_somewhere_by_hand() -> None:
    games, players = BatchEngine(BIG2, 5), (batch_opponent("learned", BIG2, 4), AgentRows("learned", BIG2, 4))
    games.keep_history()
    games.reset(3)
    for step in range(70):
        if step == 20:  # the moves that were noted are no moves of this game
            games.set_position(2, Game.deal(BIG2, 99).position)
            games.show()
        rng = RowRandom(np.zeros(5, np.uint64))
        moves, same = (
            np.asarray(player.moves(games, np.arange(5), rng)) for player in players if isinstance(player, RowPlayer)
        )
        assert np.array_equal(moves, same)
        counts, ids = games.legal_ids()
        others = ids[np.arange(5), (7 * step + np.arange(5)) % counts]
        games.step(np.where(step % 3, others, moves))


@pytest.mark.parametrize(("opponent", "rules"), [(Historian, "pao_de_kuai"), ("learned", "big2")])
def test_seeds__that_begin_games_again_give_the_same_ones_after_other_moves(opponent: Any, rules: str) -> None:
    """Opponents follow games by the moves made; these were other ones, by as many or fewer steps."""
    used, fresh = (BatchEnv(40, ruleset=rules, opponents=opponent, skip_forced=True) for _ in range(2))
    for env in (used, fresh):
        env.reset(seed=0)
    used.step(used.action_masks().argmax(axis=1))
    used.reset(seed=0)
    for _ in range(8):
        masks = fresh.action_masks()
        moves = masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
        assert np.array_equal(used.step(moves)[0], fresh.step(moves)[0])


@pytest.mark.parametrize("opponent", ["greedy", "learned", Longest, "search:8"])
def test_copies__play_on_alike(opponent: Any) -> None:
    env = BatchEnv(3, opponents=opponent)
    env.reset(seed=5)
    for step in range(7):
        env.step(chosen(env, step))
    copies = [copy.deepcopy(env)] + ([pickle.loads(pickle.dumps(env))] if opponent != "search:8" else [])
    for step in range(12):
        seen = [each.step(chosen(each, step))[0] for each in (env, *copies)]
        assert all(np.array_equal(seen[0], other) for other in seen[1:])


def test_seeds__give_the_same_games_for_every_number_of_rows() -> None:
    for opponents in ("learned", ["greedy", "random", Longest], "search:4"):
        few, many = (BatchEnv(rows, opponents=opponents) for rows in (2, 6))
        a, b = few.reset(seed=8)[0], many.reset(seed=8)[0]
        for step in range(14):
            assert np.array_equal(a, b[:2])
            moves = chosen(many, step)
            a, b = few.step(moves[:2])[0], many.step(moves)[0]


# Every way to name an opponent, in every environment.


def test_names__of_one_opponent_on_several_seats_are_one_opponent() -> None:
    first, second, third = BatchEnv(1, opponents=["greedy", "heuristic", "greedy"]).engine.opponents
    assert first is third
    assert first is not second


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("nobody", "nobody"),
        (5, "expected the name of an agent, an agent with reset and act"),
        (lambda: 5, "to make an agent with reset and act, got a int"),
        (["greedy"] * 4, "expected one opponent, or one for each of the 3 other seats, got 4"),
        ("greedy:5", "greedy takes no argument"),
    ],
)
@pytest.mark.parametrize("kind", [SeatEnv, BatchEnv, SeatVecEnv])
def test_opponents__that_are_none_are_refused(kind: Callable[..., Any], given: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        kind(opponents=given)


def test_opponents__that_cannot_play_a_ruleset_are_refused_before_anything_is_dealt() -> None:
    odd = BIG2.without_patterns("pair")
    for make in (partial(BatchEnv, 1), partial(SeatVecEnv, 1), SeatEnv):
        for given in ("learned", League(["greedy", "learned"])):
            with pytest.raises(ConfigError, match="no learned player for big2 with single, "):
                make(opponents=given, ruleset=odd)
            with pytest.raises(ConfigError, match="no learned player for 3 players: it learned with 4"):
                make(opponents=given, num_players=3)
    with pytest.raises(ConfigError, match="no learned player for big2 with single, "):
        AgentPolicy(aec_env(ruleset=odd), "learned")


def test_agents__that_break_the_rules_are_named_in_batches() -> None:
    class Wrong(Longest):
        def act(self, view: View, legal: LegalPlays) -> Play:
            return BIG2.play("S[2]")

        def __repr__(self) -> str:
            return "Wrong()"

    with pytest.raises(ConfigError, match=r"expected a legal play (of|from) opponent Wrong\(\) on seat \d of game \d, got"):
        BatchEnv(4, opponents=Wrong).reset(seed=1)


def test_functions__of_batches_play_in_the_environment_of_one_game() -> None:
    seen: list[tuple[int, ...]] = []

    def lowest(observations: Array, masks: Array, rng: Any) -> Array:
        seen.append((*observations.shape, *masks.shape, int((rng.random() < 1).all())))
        return masks.argmax(axis=1)

    env = SeatEnv(lowest, seat=2)
    _, info = env.reset(seed=4)
    done = False
    while not done:
        *_, done, _, info = env.step(info["action_mask"].nonzero()[0][0])
    assert set(seen) == {(1, 547, 1, 1379, 1)}
    wrong = SeatEnv(lambda observations, masks, rng: np.full(len(masks), 1378))
    with pytest.raises(IllegalPlayError, match="opponent <function"):
        [wrong.reset(seed=seed) for seed in range(9)]


# The table: name by environment by ruleset.


def seat_game(name: str, opponent: str) -> None:
    env = SeatEnv(opponent, ruleset=name)
    _, info = env.reset(seed=2)
    for _ in range(5):
        *_, done, _, info = env.step(info["action_mask"].nonzero()[0][0])
        if done:
            return


def rows(env: Any) -> None:
    env.reset(seed=2)
    for step in range(3):
        env.step(chosen(env, step))


def venv_rows(venv: SeatVecEnv | SelfPlayVecEnv) -> None:
    venv.seed(2)
    venv.reset()
    for _ in range(4):
        venv.step(random_moves(venv, np.random.default_rng(2)))


def table_game(name: str, opponent: str) -> None:
    table: Any = aec_env(ruleset=name)
    policy = AgentPolicy(table, opponent)
    table.reset(seed=2)
    for _ in range(6):
        table.step(policy())


SHELLS: dict[str, Callable[[str, str], None]] = {
    "make": seat_game,
    "make_vec": lambda name, opponent: rows(BatchEnv(2, opponents=opponent, ruleset=name)),
    "SeatVecEnv": lambda name, opponent: venv_rows(SeatVecEnv(2, opponent, ruleset=name)),
    "SelfPlayVecEnv": lambda name, opponent: venv_rows(SelfPlayVecEnv(2, opponents=opponent, share=1.0, ruleset=name)),
    "AEC": table_game,
}


def cell(shell: str, name: str, opponent: str) -> str:
    try:
        SHELLS[shell](name, opponent)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "yes"


@pytest.mark.parametrize("name", available_rulesets())
def test_table__every_name_plays_in_every_environment(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    names = [each for each in NAMES if each != "learned" or name in LEARNED]
    cells = {(each, shell): cell(shell, name, each) for each in names for shell in SHELLS}
    with capsys.disabled():
        for each in names:
            print(f"\n{name:14} {each:10}", *(f"{shell} {cells[each, shell][:3]:4}" for shell in SHELLS), end="")
    assert {at: text for at, text in cells.items() if text != "yes"} == {}
