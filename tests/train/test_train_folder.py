"""The folder of a run: rows after a kill or with a new column, broken arguments; opponents; games that cannot be learned."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from broken_disk import Disk, Fault, failing
from run_cli import run_cli

from big2_agents.kernels.codes import GREEDY, HEURISTIC, LOWEST, NET, RANDOM
from big2_agents.train.candidate_ppo import INSTRUCTIONS, train
from big2_agents.train.hyper_parameters import OPPONENTS, CandidatePpoParameters, read_phases
from big2_agents.train.loop import Callbacks, payoff_scale, read_checkpoint, write_checkpoint
from big2_agents.train.run_folder import append_row, checked_args, drop_rows_after
from big2_agents.train.self_play import PAST, opponent_codes, seat_players
from big2_env import BIG2, HONG_KONG
from big2_env.base.errors import ConfigError
from big2_env.kernels.dialect.bits import has_instructions


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_append__adds_columns_that_were_not_there(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    append_row(path, {"iteration": 1, "old": 2})
    append_row(path, {"iteration": 2, "old": 3, "new": 4})
    append_row(path, {"iteration": 3, "old": 5})
    assert rows_of(path) == [
        {"iteration": "1", "old": "2", "new": ""},
        {"iteration": "2", "old": "3", "new": "4"},
        {"iteration": "3", "old": "5", "new": ""},
    ]
    drop_rows_after(path, 2)
    assert [row["iteration"] for row in rows_of(path)] == ["1", "2"]
    with path.open("a") as file:
        file.write("2,7")  # torn by a kill
    drop_rows_after(path, 2)
    assert [row["old"] for row in rows_of(path)] == ["2", "3"]
    drop_rows_after(path, 0)
    assert not path.exists()


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_full_disk__leaves_the_old_checkpoint_and_whole_rows(tmp_path: Path, share: float) -> None:
    checkpoint, rows = tmp_path / "checkpoint.pt", tmp_path / "progress.csv"
    write_checkpoint(checkpoint, {"iteration": 1})
    append_row(rows, {"iteration": 1, "won": 2})
    before = rows.read_bytes()
    for at in (0, 1):
        with failing(Disk(tmp_path, at, Fault.FULL, share)), pytest.raises(OSError, match="No space left") as caught:
            write_checkpoint(checkpoint, {"iteration": 2})
        assert caught.value.filename == str(checkpoint)
        with failing(Disk(tmp_path, 0, Fault.FULL, share)), pytest.raises(OSError, match="No space left") as caught:
            append_row(rows, {"iteration": 2, "won": 3})
        assert caught.value.filename == str(rows)
    with read_checkpoint(checkpoint) as held:
        assert held == {"iteration": 1}
    assert rows.read_bytes() == before
    assert set(tmp_path.iterdir()) == {checkpoint, rows}


def test_train__begins_its_rows_anew_where_no_checkpoint_was_written(tmp_path: Path) -> None:
    append_row(tmp_path / "progress.csv", {"iteration": 1, "minutes": 0.1})  # a kill came before the first checkpoint
    small = ("--games", "8", "--width", "16", "--evaluation-deals", "2", "--minutes", "1e-6")
    done = run_cli("train", "candidate-ppo", "--out", str(tmp_path), *small)
    assert done.status == 0, done.err
    rows = rows_of(tmp_path / "progress.csv")
    assert [int(row["iteration"]) for row in rows] == list(range(1, len(rows) + 1))
    assert rows[0]["policy_loss"] != ""


@pytest.mark.parametrize(
    ("held", "says"), [("", "invalid JSON"), ("[1]", "expected a JSON object"), (b"\xff", "expected text in UTF-8")]
)
def test_note_args__says_which_file_is_broken(held: str | bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / "checkpoint.pt").write_bytes(b"")
    (tmp_path / "args.json").write_bytes(held if isinstance(held, bytes) else held.encode())
    with pytest.raises(ConfigError, match=rf"args\.json: .*{says}"):
        checked_args(CandidatePpoParameters(out=tmp_path), ("seed",))


@pytest.mark.parametrize(
    ("name", "held", "says"),
    [
        ("checkpoint.pt", b"hello", "no checkpoint of this run"),
        ("curve.csv", b"iteration,wins\nx,1\n", "expected rows of a run that begin with an iteration, got 'x,1'"),
        ("args.json", b"{", "invalid JSON"),
    ],
)
def test_train__leaves_a_folder_that_it_refuses_as_it_is(name: str, held: bytes, says: str, tmp_path: Path) -> None:
    small = ("train", "candidate-ppo", "--games", "8", "--width", "16", "--evaluation-deals", "2", "--out", str(tmp_path))
    assert run_cli(*small, "--choices", "1").status == 0
    (tmp_path / name).write_bytes(held)
    before = {path: path.read_bytes() for path in tmp_path.glob("*.*")}
    done = run_cli(*small, "--choices", "2")
    assert (done.status, done.out) == (2, "")
    assert says in done.err
    assert {path: path.read_bytes() for path in tmp_path.glob("*.*")} == before


@pytest.mark.parametrize("name", ["three_two_one", "dou_dizhu", "wu_gua_pi", "qi_gui_521"])
def test_train__by_ppo_refuses_games_it_cannot_learn_and_writes_nothing(name: str, tmp_path: Path) -> None:
    done = run_cli("train", "ppo", "--ruleset", name, "--minutes", "0", "--out", str(tmp_path / "run"))
    assert (done.status, done.err.count("\n")) == (2, 1), done.err
    assert name in done.err
    assert not (tmp_path / "run").exists()


def test_payoff_scale__is_about_what_is_paid() -> None:
    assert payoff_scale(BIG2) == 1.0
    assert 6 < payoff_scale(BIG2.with_scoring("cards")) < 10
    assert 6 < payoff_scale(HONG_KONG) < 10


def test_opponents_named__are_controllers_by_their_weights() -> None:
    assert opponent_codes("greedy=2, random=1,heuristic=0") == (GREEDY, GREEDY, RANDOM)
    assert sorted(set(opponent_codes(OPPONENTS))) == sorted([GREEDY, HEURISTIC, RANDOM, LOWEST])
    for bad in (
        "",
        "greedy",
        "greedy=",
        "greedy=-1",
        "greedy=1.5",
        "greedy=100",
        "greedy=1,strong=2",
        "greedy=0",
        "greedy=" + "9" * 9999,
    ):
        with pytest.raises(ConfigError, match="among greedy, heuristic, random, lowest with weights up to 99"):
            opponent_codes(bad)


def test_seat_players__seats_those_opponents_and_earlier_selves() -> None:
    rng, args = np.random.default_rng(1), CandidatePpoParameters(opponent_share=0.8)
    seats = seat_players(rng, 4000, 4, args, opponent_codes("heuristic=5,random=1"), True)
    assert set(np.unique(seats)) == {NET, PAST, HEURISTIC, RANDOM}
    alone = (seats == NET).sum(axis=1) == 1
    assert 0.66 < alone.mean() < 0.78
    assert 0.17 < (seats == NET).all(axis=1).mean() < 0.23
    assert (seats != NET).sum(axis=1).max() == 3
    by_kind = [(seats == kind).sum() for kind in (HEURISTIC, PAST, RANDOM)]
    assert by_kind[0] > by_kind[1] > by_kind[2]
    assert not (seat_players(rng, 500, 4, args, opponent_codes("lowest=1"), False) == PAST).any()
    seats = seat_players(rng, 4000, 4, replace(args, solo_share=0.25), opponent_codes("lowest=1"), True)
    assert 0.17 < ((seats == NET).sum(axis=1) == 1).mean() < 0.23
    for number in (2, 3, 7):
        seats = seat_players(rng, 500, number, args, opponent_codes("lowest=1"), True)
        assert seats.shape == (500, number)
        assert (seats != NET).sum(axis=1).max() == number - 1


def test_choices__are_a_budget_with_which_a_run_is_repeated_exactly(tmp_path: Path) -> None:
    def weights_after(folder: Path, stops_after: int, choices: int = 600) -> dict[str, torch.Tensor]:
        args = CandidatePpoParameters(
            choices=choices, minutes=0, games=8, width=8, evaluation_deals=1, warm_up=1, evaluate_every=0, out=folder
        )
        seen: list[int] = []
        learner = train(args, Callbacks(lambda run, _: seen.append(run.choices), lambda: len(seen) == stops_after))
        found = {
            f"{name}.{key}": value
            for name, part in learner.networks.by_name.items()
            for key, value in part.state_dict().items()
        }
        return found if learner.completed >= 1 else {}

    once = weights_after(tmp_path / "once", 99)
    assert once
    assert weights_after(tmp_path / "twice", 3) == {}
    again = weights_after(tmp_path / "twice", 99)
    assert all(torch.equal(value, again[name]) for name, value in once.items())
    other = weights_after(tmp_path / "other", 99, choices=700)
    assert not all(torch.equal(value, other[name]) for name, value in once.items())
    rows = rows_of(tmp_path / "once" / "progress.csv")
    assert int(rows[-2]["choices"]) < 600 <= int(rows[-1]["choices"])
    made = json.loads((tmp_path / "once" / "args.json").read_text())
    assert made["bfloat16"] is has_instructions(*INSTRUCTIONS)
    assert made["origin"]["versions"].keys() == {"big2_env", "numba", "numpy", "torch"}
    assert made["origin"]["versions"]["torch"].startswith(torch.__version__.partition("+")[0])


def test_read_phases__refuses_choices_with_phases_and_unknown_names(tmp_path: Path) -> None:
    config = tmp_path / "two.toml"
    config.write_text("choices = 9\n[[phase]]\nminutes = 1\n[[phase]]\nminutes = 1\n")
    with pytest.raises(ConfigError, match=r"expected minutes in a file with phases, got choices$"):
        read_phases(config, {})
    config.write_text("minutes = 1\nplayout_weight = 0.3\n")
    with pytest.raises(ConfigError, match=r"two\.toml: expected hyper-parameters \(ruleset, .*\), got 'playout_weight'$"):
        read_phases(config, {})
