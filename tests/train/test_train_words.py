"""What `big2 train` says to people, in their language."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest
from run_cli import run_cli

from big2_agents.train.progress import ProgressBar, interruption
from big2_env.base.language import Language, words

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")  # torch about itself
TINY = ("--width", "16", "--minutes", "1e-6", "--evaluation-deals", "2")


class At(NamedTuple):
    iteration: int
    minutes: float
    completed: float


@pytest.mark.parametrize(
    ("lang", "evaluated", "goes_on"),
    [
        (
            Language.EN,
            "1.5 minutes, iteration 20: win rate against random 51.2%, greedy 30.0%",
            "stopped after 1.5 minutes, 2% done; run the same command to continue",
        ),
        (
            Language.HANT,
            "1.5 分鐘，第 20 次迭代：單獨對陣的勝率：random 51.2%、greedy 30.0%",
            "已停止：1.5 分鐘，完成 2%；以同一指令可繼續",
        ),
        (
            Language.HANS,
            "1.5 分钟，第 20 次迭代：单独对阵的胜率：random 51.2%、greedy 30.0%",
            "已停止：1.5 分钟，完成 2%；用同一命令可继续",
        ),
    ],
)
def test_train__shows_evaluations_and_says_how_it_goes_on(
    lang: Language, evaluated: str, goes_on: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tr = words(lang)
    at = At(20, 1.5, 0.025)
    with ProgressBar(tr, tmp_path) as shown:
        shown.report(at, {"wins_random": 0.512, "payoff_random": 1.0, "wins_greedy": 0.3})
    assert isinstance(interruption(at, tr), KeyboardInterrupt)
    assert capsys.readouterr() == ("", f"{evaluated}\nbig2: {goes_on}\n")


@pytest.mark.parametrize(
    ("method", "options"), [("candidate-ppo", ("--games", "8")), ("ppo", ("--games", "4", "--steps", "16", "--no-tensorboard"))]
)
def test_train__by_a_method_ends_in_chinese(method: str, options: tuple[str, ...], tmp_path: Path) -> None:
    answer = run_cli("train", method, "--out", str(tmp_path), *TINY, *options, "--lang", "zh-Hant")
    assert answer.status == 0, answer.err
    assert re.fullmatch(rf"{tmp_path}/big2\.npz：\d+\.\d 分鐘，\d+ 次決策\n", answer.out)
    lines = answer.err.splitlines()
    if method == "candidate-ppo":
        assert re.fullmatch("各層以 (float32|bfloat16) .*計算，.*；可用 --(no-)?bfloat16 改變", lines.pop(0))
    opponents = ("random", "greedy", "heuristic")
    wins = "、".join(rf"{name} \d+\.\d%" for name in opponents)
    for iteration, line in enumerate(lines[:2]):
        assert re.fullmatch(rf"\d+\.\d 分鐘，第 {iteration} 次迭代：單獨對陣的勝率：{wins}", line)
    curves = "、".join(rf"{name} [▁-█]{{2}} 由 \d+\.\d% 到 \d+\.\d%" for name in opponents)
    assert re.fullmatch(f"單獨對陣的勝率：{curves}", lines[2])
    agent = "learned" if method == "candidate-ppo" else "ppo"
    command = f"big2 arena {agent}:{tmp_path}/big2.npz heuristic greedy random --out {tmp_path}/arena.jsonl"
    assert lines[3:] == [f"big2: 與其他對手比較：{command}"]
    assert (tmp_path / "progress.csv").read_text().startswith("iteration,minutes,choices,")


def test_train_weights__ends_in_chinese(tmp_path: Path) -> None:
    small = ("--generations", "1", "--population", "4", "--deals", "6", "--measured-deals", "5", "--minutes", "9")
    answer = run_cli("train", "weights", "--ruleset", "big2", "--out", str(tmp_path), *small, "--lang", "zh-Hans")
    assert (answer.status, answer.err) == (0, "以 5 副牌评测\n")
    said = rf"{tmp_path}/big2\.json：\d+\.\d 分钟，[\d,]+ 局；对最初权重 [+-]\d+\.\d{{3}} ± \d+\.\d{{3}}\n"
    assert re.fullmatch(said, answer.out)
