"""The scripts beside the agents run as they are, each with as little work as will do.

Those whose library is not installed are left out: RLlib, TorchRL, Tianshou, AgileRL and verifiers are in no extra that the
checks install, because their pins clash with ours or with each other. `own_environments.py` runs this file where they are.
"""

from __future__ import annotations

import importlib
import random
import re
import runpy
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from own_environments import LIBRARIES, check
from places import ROOT

from big2_agents.data.command import write_pieces
from big2_agents.data.plan import Plan
from big2_env import BIG2, Game, PassLock

EXAMPLES = ROOT / "agents" / "examples"
FOREIGN = {"rllib_self_play": "tree", "torchrl_ppo": "torchrl", "tianshou_dqn": "tianshou", "agilerl_ppo": "agilerl"}
"""The scripts whose library no extra of the checks brings, and what is installed where it is: ray alone has RLlib's sources,
but not `tree`, which they need."""
SMALL = {
    "rllib_self_play": ["--minutes", "0", "--batch", "64", "--evaluation-games", "4"],
    "torchrl_ppo": ["--minutes", "0", "--batch", "64", "--evaluation-games", "4"],
    "tianshou_dqn": ["--decisions", "128", "--batch", "64", "--rows", "4", "--evaluation-games", "4"],
    "agilerl_ppo": ["--minutes", "0", "--batch", "64", "--rows", "4", "--evaluation-games", "4"],
}


def run(script: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """What a script prints."""
    monkeypatch.setattr(sys, "argv", [script, *arguments])
    runpy.run_path(str(EXAMPLES / f"{script}.py"), run_name="__main__")
    return capsys.readouterr().out


def rates(printed: str) -> tuple[float, float]:
    """The win rate that a script prints of its training, and that of its evaluation."""
    training, evaluation = (
        re.search(rf"^{what}: .*?win rate.*? (0\.\d+)", printed, re.M) for what in ("training", "evaluation")
    )
    assert training
    assert evaluation
    return float(training[1]), float(evaluation[1])


def test_cleanrl__says_the_win_rate_that_an_evaluation_finds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A learner that saw every seat's wins as its own would say 1.0 from its first line on."""
    arguments = ["--updates", "2", "--width", "16", "--num-envs", "64", "--num-steps", "48", "--evaluation-games", "512"]
    training, evaluation = rates(run("cleanrl_ppo", arguments, monkeypatch, capsys))
    assert 0.15 < training < 0.4
    assert abs(training - evaluation) < 0.1


def test_reinforce__says_the_win_rate_that_an_evaluation_finds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--minutes", "0", "--games", "512", "--evaluation-games", "512"]
    training, evaluation = rates(run("reinforce", arguments, monkeypatch, capsys))
    assert 0.15 < training < 0.4
    assert abs(training - evaluation) < 0.1


def test_recurrent_policy__says_the_win_rate_that_an_evaluation_finds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--minutes", "0", "--games", "384", "--width", "16", "--evaluation-games", "384"]
    training, evaluation = rates(run("recurrent_policy", arguments, monkeypatch, capsys))
    assert 0.15 < training < 0.4
    assert abs(training - evaluation) < 0.12


def test_central_critic__learns_from_every_seat_and_is_evaluated(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--minutes", "0", "--games", "4", "--width", "16", "--evaluation-games", "256"]
    printed = run("central_critic", arguments, monkeypatch, capsys)
    decisions = int(re.search(r"^training: (\d+) decisions in 4 games", printed, re.M)[1])  # type: ignore[index]
    assert 100 < decisions < 400
    won = re.search(r"^evaluation: win rate (0\.\d+) in 256 games on new deals against random$", printed, re.M)
    assert 0.12 < float(won[1]) < 0.42  # type: ignore[index]


def test_sb3__writes_checkpoints_and_goes_on_from_the_newest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--rows", "8", "--every", "256", "--evaluation-games", "4", "--out", str(tmp_path)]
    run("sb3_callbacks", ["--decisions", "256", *arguments], monkeypatch, capsys)
    assert {"ppo_256_steps.zip", "best_model.zip", "0.monitor.csv", "evaluations.npz"} <= {
        path.name for path in tmp_path.iterdir()
    }
    printed = run("sb3_callbacks", ["--decisions", "512", *arguments], monkeypatch, capsys)
    assert f"continues from {tmp_path / 'ppo_256_steps.zip'}" in printed
    assert re.search(r"^512 decisions: wins \d+\.\d%, -?\d\.\d\d points per game, 1 deals$", printed, re.M)


def test_imitation__learns_to_choose_as_the_agents_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_pieces(Plan(("greedy",) * 4, BIG2, 0, 200, 200, "npz"), tmp_path, 1)
    printed = run("imitation", [str(tmp_path), "--epochs", "2", "--games", "10"], monkeypatch, capsys)
    agrees = [float(figure) for figure in re.findall(r"agreement ([\d.]+)%", printed)]
    assert agrees[-1] > 45  # chance is 27 %
    assert re.search(r"^win rate [\d.]+% in 10 games against 3 greedy players$", printed, re.M)


def test_imitation__plays_by_the_rules_of_the_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    house = replace(BIG2, name="house", pass_lock=PassLock.TRICK)
    write_pieces(Plan(("greedy",) * 3, house, 0, 4, 4, "npz"), tmp_path, 1)
    printed = run("imitation", [str(tmp_path), "--epochs", "0", "--games", "1"], monkeypatch, capsys)
    assert re.fullmatch(r"win rate [\d.]+% in 1 games against 2 greedy players\n", printed)


if INSTALLED := [script for script, library in FOREIGN.items() if find_spec(library)]:

    @pytest.mark.filterwarnings("ignore")  # of libraries about themselves
    @pytest.mark.parametrize("script", INSTALLED)
    def test_foreign__library_trains_and_is_evaluated(
        script: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        printed = run(script, SMALL[script], monkeypatch, capsys)
        assert re.search(r"\d+ decisions", printed)
        assert re.search(r"^evaluation: win rate [01]\.\d+ in 4 games", printed, re.M)


def test_rlcard_nfsp__measures_its_exploitability(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    importlib.import_module("quick_rlcard")
    arguments = ["--episodes", "30", "--every", "30", "--width", "8"]
    printed = run("rlcard_nfsp", arguments, monkeypatch, capsys)
    found = [float(figure) for figure in re.findall(r"episodes, exploitability ([\d.]+)$", printed, re.M)]
    assert len(found) == 2
    assert all(0 < one <= 1 for one in found)
    arguments = ["--ruleset", "mini12", "--episodes", "2", "--width", "8", "--evaluation-games", "4"]
    assert len(re.findall(r"win rate against random [01]\.\d+$", run("rlcard_nfsp", arguments, monkeypatch, capsys), re.M)) == 2


def game_of(printed: str) -> dict[int, float]:
    """The payoff of each player that a script prints."""
    return {int(seat): float(paid) for seat, paid in re.findall(r"^player (\d): payoff (\S+), \d+ moves$", printed, re.M)}


@pytest.mark.parametrize(
    ("arguments", "players"),
    [([], 4), (["--players", "1"], 1), (["--ruleset", "dou_dizhu"], 3), (["--ruleset", "qi_gui_521", "--players", "3"], 3)],
)
def test_textarena__game_is_whole(
    arguments: list[str], players: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    printed = run("textarena_game", arguments, monkeypatch, capsys)
    payoffs = game_of(printed)
    assert len(payoffs) == players
    assert players == 1 or sum(payoffs.values()) == pytest.approx(0, abs=0.01)
    assert not re.search(r"</answer> .", printed)  # a reason of a refusal
    assert run("textarena_game", arguments, monkeypatch, capsys) == printed


if find_spec("verifiers"):

    @pytest.mark.filterwarnings("ignore")  # of libraries about themselves
    def test_foreign__verifiers_game_is_whole(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        monkeypatch.syspath_prepend(EXAMPLES)
        printed = run("verifiers_game", ["--seed", "3"], monkeypatch, capsys)
        game = Game.deal(BIG2, random.Random(3).getrandbits(63))
        assert f"Your hand, 13 cards: {' '.join(map(str, BIG2.order.sort(game.start.hands[0])))}" in printed
        asked, answered = printed.count("\n[user] "), printed.count("\n[assistant] ")
        assert asked >= 10
        assert answered == asked + 1  # the first message starts the text
        assert re.search(r"^reward [+-]\d\.\d{3}, empty_hand$", printed, re.M)
        by_regret = run("verifiers_game", ["--seed", "3", "--reward", "regret"], monkeypatch, capsys)
        assert by_regret.rpartition("\nreward ")[0] == printed.rpartition("\nreward ")[0]  # the same game
        assert by_regret != printed


@pytest.mark.long
@pytest.mark.release
def test_verifiers__plays_a_game_in_an_environment_of_its_own(tmp_path: Path) -> None:
    assert check("verifiers_game", tmp_path) == 0


def test_page__has_a_row_for_every_script() -> None:
    page = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    for pins in LIBRARIES.values():
        library, _, version = re.sub(r"\[.*\]", "", pins[0]).partition("==")
        assert f"| {library} {version}" in page  # the environments are those that the page speaks of
    assert set(LIBRARIES) - {"verifiers_game"} == set(FOREIGN) == set(SMALL)
    for path in EXAMPLES.glob("*.py"):
        assert f"[`{path.name}`]({path.name})" in page
