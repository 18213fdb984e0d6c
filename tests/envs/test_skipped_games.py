"""Games that end before the learner's first turn are dealt again, and the infos of the next game count them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from batch_replay import LearnerRow
from high_card import HighCard
from sb3_small import QUIET

from big2_env.climbing.mini_games import MINI6
from big2_env.envs.sb3 import SeatVecEnv, SelfPlayVecEnv
from big2_env.envs.seat import SeatEnv
from big2_env.envs.side_seat import SideSeatEnv
from big2_env.envs.vector import BatchEnv
from big2_env.games.uno import UnoRules
from big2_env.games.uno.vector import UnoBatchEnv
from big2_env.kernels.batch import IN_TURN
from big2_env.kernels.dialect.loader import load

Array = np.ndarray[Any, Any]
pytestmark = QUIET
ROWS = 16


def last_legal(observations: Array, masks: Array, rng: object) -> Array:
    """An opponent outside of the compiled loop: the legal action with the highest id."""
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


@pytest.mark.parametrize("autoreset", ["SameStep", "NextStep"])
def test_batches__count_the_games_that_the_learner_never_played(autoreset: str) -> None:
    env, found = BatchEnv(ROWS, ruleset=MINI6, opponents=last_legal, autoreset_mode=autoreset), 0
    rows = [LearnerRow(MINI6, 5 + row, row % 2, [lambda ids, rng: max(ids)]) for row in range(ROWS)]
    _, infos = env.reset(seed=5)
    ended = np.zeros(ROWS, np.bool_)
    for _ in range(90):
        games, payoffs = infos["skipped_games"], infos["skipped_payoff"]
        assert (games.dtype, payoffs.dtype) == (np.int32, np.float32)
        assert games.tolist() == [len(row.skipped) for row in rows]
        np.testing.assert_allclose(payoffs, [sum(row.skipped) for row in rows])
        found += games.sum()
        moves = env.random_actions()
        waits = ended if autoreset == "NextStep" else np.zeros_like(ended)
        for row, move, is_over in zip(rows, moves.tolist(), waits, strict=True):
            row.skipped.clear()
            if not is_over:
                row.act(move)
            if row.game.is_over and (is_over or autoreset == "SameStep"):
                row.deal()
        _, _, ended, _, infos = env.step(moves)
    assert found > 20
    _, infos = env.reset(options={"reset_mask": np.arange(ROWS) < 3})
    assert not infos["skipped_games"][3:].any()
    assert not infos["skipped_payoff"][3:].any()


def test_batches__count_games_of_opponents_in_the_loop_and_none_in_self_play() -> None:
    env = BatchEnv(ROWS, ruleset=MINI6)
    _, infos = env.reset(seed=5)
    begun = ROWS + infos["skipped_games"].sum()
    for _ in range(60):
        _, _, terminated, _, infos = env.step(env.random_actions())
        begun += terminated.sum() + infos["skipped_games"].sum()
    assert begun == env.engine.learners.deals.sum() > 60
    table = BatchEnv(4, mode="self_play")
    assert "skipped_games" not in table.reset(seed=1)[1]
    assert "skipped_games" not in table.step(table.random_actions())[4]


def test_mean__with_skipped_games_is_the_value_of_the_game() -> None:
    """Both players move at random, so that the value is 0."""
    draws = np.random.default_rng(8)

    def uniform(observations: Array, masks: Array, rng: object) -> Array:
        return (draws.random(masks.shape) * masks).argmax(axis=1)

    env = BatchEnv(512, ruleset=MINI6, opponents=uniform)
    _, infos = env.reset(seed=3)
    seen, games, payoff = [], int(infos["skipped_games"].sum()), float(infos["skipped_payoff"].sum())
    for _ in range(120):
        _, reward, terminated, _, infos = env.step(env.random_actions())
        seen += reward[terminated].tolist()
        games, payoff = games + infos["skipped_games"].sum(), payoff + infos["skipped_payoff"].sum()
    error = len(seen) ** -0.5  # payoffs are 1 and -1
    assert np.mean(seen) > 4 * error
    assert abs(sum(seen) + payoff) / (len(seen) + games) < 3 * error


class Noting(SeatEnv):
    """Notes what the learner is paid for games that end before its first turn."""

    def _play_opponents(self) -> None:
        super()._play_opponents()
        if not self._is_running and not self._was_asked:
            self.noted.append(self._engine.payoffs()[self.seat])


@pytest.mark.parametrize("engine", ["reference", "compiled"])
def test_seat__counts_the_games_that_the_learner_never_played(engine: str) -> None:
    env, found = Noting("greedy", ruleset=MINI6, engine=engine), 0
    for game in range(150):
        env.noted: list[float] = []
        _, info = env.reset(seed=4 if game == 0 else None)
        assert (info["skipped_games"], info["skipped_payoff"]) == (len(env.noted), sum(env.noted))
        found += len(env.noted)
    assert found > 10
    assert "skipped_games" not in env.step(int(info["action_mask"].argmax()))[4]


def test_sb3__puts_them_into_the_infos_of_resets_and_of_ended_games() -> None:
    venv, games = (
        SeatVecEnv(ROWS, last_legal, ruleset=MINI6),
        BatchEnv(ROWS, ruleset=MINI6, opponents=last_legal, skip_forced=True),
    )
    venv.seed(5)
    venv.reset()
    _, infos = games.reset(seed=[5 + row for row in range(ROWS)])
    names = "skipped_games", "skipped_payoff"
    assert [[info[name] for name in names] for info in venv.reset_infos] == np.stack(
        [infos[name] for name in names], 1
    ).tolist()
    found = 0
    for _ in range(40):
        moves = games.random_actions()
        _, _, dones, infos_by_row = venv.step(moves)
        infos = games.step(moves)[4]
        for row, info in enumerate(infos_by_row):
            assert bool(info) == dones[row]
            if info:
                assert [info[name] for name in names] == [infos[name][row] for name in names]
                assert type(info["skipped_games"]) is int
                found += info["skipped_games"]
    assert found > 20
    table = SelfPlayVecEnv(2)
    table.reset()
    assert "skipped_games" not in table.reset_infos[0]


class OneCard(HighCard):
    """A game that a low first card ends."""

    @property
    def is_over(self) -> bool:
        return bool(self.history and self.history[0].move < 8) or super().is_over


def test_side_games__count_them_too() -> None:
    env, found = SideSeatEnv(OneCard.usual, lambda view, rng: view.moves[0], seat=1), 0
    for game in range(40):
        _, info = env.reset(seed=2 if game == 0 else None)
        assert info["skipped_payoff"] == pytest.approx(-5 / 3 * info["skipped_games"])  # no trick was complete
        found += info["skipped_games"]
    assert found > 10


def test_uno__counts_them_in_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """No seed is known whose game ends so early: of interpreted kernels, two games are played to their ends at once."""
    env = UnoBatchEnv(3, players=3, opponents="random")
    assert env.reset(seed=1)[1]["skipped_games"].tolist() == [0, 0, 0]
    assert env.step(env.random_actions())[4]["skipped_payoff"].tolist() == [0.0, 0.0, 0.0]
    kernels, names = load(frozenset()).module, "big2_env.games.uno.kernels"
    learners, dtypes = kernels(f"{names}.learners"), kernels(f"{names}.dtypes")
    advance, paid = learners.advance, []

    def end(rules: Any, game: Any, learner: Any, kinds: Any) -> None:
        while len(paid) < 2 and game.winner < 0:
            learners.automatic_turn(rules, game)
        if game.winner < 0:
            advance(rules, game, learner, kinds)
        else:
            payoffs = [0.0] * 3
            learners.write_payoffs(rules, game, payoffs)
            paid.append(payoffs[learner.seat])

    monkeypatch.setattr(learners, "advance", end)
    learner = SimpleNamespace(salts=5, salt=0, seat=0, first=1, deals=0, skipped_games=0, skipped_payoff=0.0)
    game = dtypes.new_games(1)[0]
    learners.deal_seated(dtypes.rules_record(UnoRules(players=3)), game, learner, [0, 0], IN_TURN)
    assert game.turn == learner.seat == 0
    assert (learner.deals, learner.skipped_games, learner.skipped_payoff) == (3, 2, sum(paid))
    assert set(paid) <= {1.0, -0.5}
