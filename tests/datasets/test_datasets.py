"""Data sets: the rows are the games, the files the same whatever happens to the run, the loader believes nothing."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import yaml
from run_cli import run_cli

from big2_agents.data import command as export
from big2_agents.data import load
from big2_agents.data.command import card, command, write_pieces
from big2_agents.data.files import ARRAYS, write_piece
from big2_agents.data.plan import LIST, Piece, Plan
from big2_agents.data.playing import GameRecorder
from big2_agents.data.rows import Rows, join_rows, pack_bits, unpack_bits
from big2_env import BIG2, HONG_KONG, ConfigError, Game, NotationError, RuleSet
from big2_env.agents.interface import make_agent, play_turn, reset_seats
from big2_env.base.outside import file_digest
from big2_env.base.salts import Salts
from big2_env.climbing.actions import action_space
from big2_env.climbing.encoding.observation import ObservationLayout
from big2_env.climbing.rulesets import ruleset

RULE_PLAYERS = ("heuristic", "greedy", "lowest", "random")


def plan_of(agents: tuple[str, ...] = ("greedy",) * 4, rules: RuleSet = BIG2, games: int = 5, kind: str = "npz") -> Plan:
    return Plan(agents, rules, 3, games, 2, kind)


def equal(one: Rows, other: Rows) -> bool:
    return all(np.array_equal(mine, theirs) and mine.dtype == theirs.dtype for mine, theirs in zip(one, other, strict=True))


@pytest.mark.parametrize("rules", [BIG2, HONG_KONG], ids=lambda rules: rules.name)
def test_rows__are_the_games_that_the_reference_engine_plays(rules: RuleSet) -> None:
    player = GameRecorder(rules, RULE_PLAYERS, 3)
    assert player.is_compiled
    rows = player.record(1, 4)
    space, layout = action_space(rules), ObservationLayout(rules)
    observations, masks = rows.observations(layout.size), rows.masks(space.n)
    at = 0
    for number in range(1, 4):
        game, chairs = Game.deal(rules, 3 + number), [(seat - number) % 4 for seat in range(4)]
        agents = [make_agent(RULE_PLAYERS[chair]) for chair in chairs]
        reset_seats(agents, game, salt=Salts().first(3 + number))
        first = at
        while not game.is_over:
            view = game.view()
            assert np.array_equal(observations[at], layout.encode(view))
            assert sorted(space.ids(view.legal_plays())) == np.flatnonzero(masks[at]).tolist()
            assert (rows.game[at], rows.seat[at], rows.agent[at]) == (number, view.seat, chairs[view.seat])
            assert rows.action[at] == space.of_play(play_turn(game, agents), view.hand)
            at += 1
        assert game.outcome is not None
        paid = np.array(game.outcome.payoffs, np.float32)
        assert np.array_equal(rows.payoff[first:at], paid[rows.seat[first:at]])
        for seat in range(4):
            final = unpack_bits(rows.final_bits[number - 1, seat], layout.size)
            assert np.array_equal(final, layout.encode(game.view(seat)))
    assert at == len(rows.action)


def test_rows__of_players_that_draw__have_several_moves_where_they_know_the_same() -> None:
    rules = ruleset("mini6")
    rows = GameRecorder(rules, ["random"] * 2, 1).record(0, 600)
    openings: dict[tuple[int, int], set[int]] = {}
    for game in range(600):
        row = int(np.flatnonzero(rows.game == game)[0])
        hand = Game.deal(rules, 1 + game).view().hand
        if rows.legal_start[row + 1] - rows.legal_start[row] > 1:
            openings.setdefault((int(rows.seat[row]), hand), set()).add(int(rows.action[row]))
    assert openings
    assert all(len(actions) > 1 for actions in openings.values())


def test_rows__of_agents_one_view_at_a_time_equal_the_compiled_ones() -> None:
    compiled, plain = (GameRecorder(BIG2, RULE_PLAYERS, -2) for _ in range(2))
    plain._compiled = None
    assert equal(compiled.record(0, 6), plain.record(0, 6))


def test_rows__do_not_depend_on_how_games_are_cut() -> None:
    player = GameRecorder(BIG2, RULE_PLAYERS, 9)
    assert equal(player.record(0, 5), join_rows([player.record(0, 1), player.record(1, 5)]))


def test_masks__of_chosen_rows_are_those_of_all() -> None:
    rows = GameRecorder(BIG2, ("random",) * 4, 0).record(0, 2)
    masks = rows.masks(1379)
    assert masks[np.arange(len(masks)), rows.action].all()
    assert np.array_equal(masks.sum(axis=1), rows.num_legal)
    chosen = np.array([5, 0, 7])
    assert np.array_equal(rows.masks(1379, chosen), masks[chosen])
    assert np.array_equal(rows.masks(1379, rows.num_legal > 1), masks[rows.num_legal > 1])
    assert np.array_equal(rows.observations(547, chosen), rows.observations(547)[chosen])


def test_packed__is_undone_by_unpacked() -> None:
    bits = np.random.default_rng(0).integers(0, 2, (3, 2, 13), np.int8)
    assert np.array_equal(unpack_bits(pack_bits(bits), 13), bits)


def test_export__writes_what_the_loader_reads(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "greedy"
    arguments = ["export", "greedy", "--games", "5", "--piece", "2", "--seed", "3", "--scoring", "cards", "--jobs", "1"]
    status, printed, _ = run_cli(*arguments, "--out", str(out))
    assert status == 0
    data = load(out)
    assert data.plan == plan_of(rules=BIG2.with_scoring("cards"))
    assert f"{out}: 5 games, {len(data)} decisions" in printed
    assert equal(data.rows(), GameRecorder(BIG2.with_scoring("cards"), ("greedy",) * 4, 3).record(0, 5))
    assert [len(piece.action) for piece in data.pieces()] == [piece.rows for piece in data.piece_list]
    page = (out / "README.md").read_text(encoding="utf-8")
    assert f"{len(data)} decisions in 3 files" in page
    about = yaml.safe_load(page.split("---\n")[1])
    assert about["pretty_name"] == "big2, games of greedy"
    assert (about["task_categories"], about["size_categories"]) == (["reinforcement-learning"], ["n<1K"])
    assert about["viewer"] is False
    again = next(line for line in page.splitlines() if "Command" in line).split("`")[1]
    assert run_cli(*again.split()[1:], "--out", str(tmp_path / "again")).status == 0
    assert folder(tmp_path / "again") == folder(out)
    assert run_cli(*arguments, "--out", str(out)).err.startswith(f"big2: {out / LIST} already exists: give --resume")
    assert run_cli(*arguments[:-2], "--overwrite", "--out", str(out), "--games", "2").status == 0
    assert sorted(folder(out)) == ["README.md", LIST, "part-00000.npz"]


def folder(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in place.iterdir()}


def test_export__of_parquet_has_the_same_rows(tmp_path: Path) -> None:
    from pyarrow import parquet

    plan = plan_of(RULE_PLAYERS, kind="parquet")
    write_pieces(plan, tmp_path, 1)
    rows = GameRecorder(BIG2, RULE_PLAYERS, 3).record(0, 2)
    table = parquet.read_table(tmp_path / "part-00000.parquet")
    for field in ("game", "seat", "agent", "action", "payoff"):
        column = table[ARRAYS[field][0]].to_numpy()
        assert np.array_equal(column, getattr(rows, field))
        assert column.dtype == getattr(rows, field).dtype
    assert np.array_equal(np.stack(table["observation"].to_numpy()), rows.observations(547))
    legal = [np.flatnonzero(mask).tolist() for mask in rows.masks(1379)]
    assert table["legal"].to_pylist() == legal
    about = yaml.safe_load(card(plan, []).split("---\n")[1])
    assert about["configs"] == [{"config_name": "default", "data_files": "part-*.parquet"}]
    with pytest.raises(ConfigError, match="expected npz files"):
        load(tmp_path)


def test_export__goes_on_where_it_was_killed(tmp_path: Path) -> None:
    """By an agent that is slow enough to be met at work."""
    arguments = ["export", "search:8", "random", "random", "random", "--games", "6", "--piece", "1", "--jobs", "1"]
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    start = [sys.executable, "-c", "import sys; from big2_env.cli import main; main(sys.argv[1:])"]
    process = subprocess.Popen([*start, *arguments, "--out", str(killed)])
    while not (killed / "part-00001.npz").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    pieces = len((killed / LIST).read_text().splitlines()) - 1
    assert 1 <= pieces < 6
    assert len(load(killed).piece_list) == pieces
    assert run_cli(*arguments, "--out", str(killed), "--resume").status == 0
    assert run_cli(*arguments, "--out", str(whole)).status == 0
    assert folder(killed) == folder(whole)


def test_export__says_how_it_goes_on_after_ctrl_c(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(rows: Rows, plan: Plan, place: Path, number: int) -> Piece:
        if number == 2:
            raise KeyboardInterrupt
        return write_piece(rows, plan, place, number)

    stopped, whole = tmp_path / "stopped", tmp_path / "whole"
    for place in (stopped, whole):
        place.mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(export, "write_piece", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write_pieces(plan_of(), stopped, 1)
    assert capsys.readouterr().err == "big2: stopped with 2 of 3 files; --resume continues\n"
    assert write_pieces(plan_of(), stopped, 1, resume=True) == write_pieces(plan_of(), whole, 1)
    assert folder(stopped) == folder(whole)


@pytest.mark.long
def test_export__does_not_depend_on_the_number_of_processes(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for place, jobs in ((one, 1), (two, 2)):
        place.mkdir()
        write_pieces(plan_of(), place, jobs)
    assert folder(one) == folder(two)


def test_export__refuses_a_folder_that_is_taken_before_it_compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def compiled(recorder: GameRecorder) -> None:
        raise AssertionError("compiled")

    monkeypatch.setattr(GameRecorder, "warm_up", compiled)
    (tmp_path / "dataset.jsonl").write_text("")
    status, out, err = run_cli("export", "greedy", "--out", str(tmp_path))
    assert (status, out) == (2, "")
    assert err.endswith("dataset.jsonl already exists: give --resume, --overwrite or another --out\n")


def test_export__leaves_nothing_of_a_killed_run(tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ("export", "greedy", "random", "--games", "2", "--seed", "7", "--jobs", "1", "--out", str(out))
    code = "import os, signal\nfrom pathlib import Path\nfrom big2_env.runs.atomic_files import replace_file\n"
    code += f"with replace_file(Path({str(out / 'part-00000.npz')!r})): os.kill(os.getpid(), signal.SIGKILL)"
    out.mkdir()
    subprocess.run([sys.executable, "-c", code], check=False)
    assert [path.suffix for path in out.iterdir()] == [".big2new"]
    assert run_cli(*arguments).status == 0
    assert not [path for path in out.iterdir() if path.suffix == ".big2new"]


def test_resume__refuses_another_data_set(tmp_path: Path) -> None:
    write_pieces(plan_of(), tmp_path, 1)
    before = folder(tmp_path)
    with pytest.raises(ConfigError, match="made with games 5, but this run has 7"):
        write_pieces(plan_of(games=7), tmp_path, 1, resume=True)
    (tmp_path / "part-00001.npz").unlink()
    with pytest.raises(NotationError, match=r"part-00001\.npz is missing; give --overwrite"):
        write_pieces(plan_of(), tmp_path, 1, resume=True)
    assert folder(tmp_path) == {name: data for name, data in before.items() if name != "part-00001.npz"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "big2 arena"}, "expected kind big2 export, schema"),
        ({"games": True}, "games: expected a whole number from 1 to"),
        ({"games_per_piece": 0}, "games_per_piece: expected a whole number from 1 to"),
        ({"agents": ["a"] * 17}, "expected agents"),
        ({"observation_size": 10**6}, "expected observation_size 547, as big2 has it"),
        ({"format": "pickle"}, "expected identity, version and format"),
    ],
)
def test_loader__refuses_a_list_that_is_wrong(tmp_path: Path, change: dict[str, object], message: str) -> None:
    write_pieces(plan_of(games=1), tmp_path, 1)
    first, *others = (tmp_path / LIST).read_text().splitlines()
    (tmp_path / LIST).write_text("\n".join([json.dumps(json.loads(first) | change), *others]) + "\n")
    with pytest.raises((NotationError, ConfigError), match=message):
        load(tmp_path)


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("action", np.array([None] * 40, object), r"action\.npy: expected plain numbers that fill it, got object"),
        ("action", np.zeros(10**6, np.int32), r"expected members of up to \d+,\d+ bytes, got 4,\d+,\d+"),
        ("action", np.zeros(9, np.int32), r"expected action int32 \(\d+,\), got int32 \(9,\)"),
        ("return", None, "expected return float32"),
        ("legal", -1, "expected legal 0 to 1378"),
        ("seat", 4, "expected seat 0 to 3"),
        ("game", 1, "expected game 0 to 0"),
        ("legal_start", 0, "expected legal_start to grow"),
    ],
)
def test_loader__refuses_a_piece_that_is_wrong(tmp_path: Path, name: str, array: object, message: str) -> None:
    """Also where the list says that it is the right file."""
    plan = plan_of(games=1)
    write_pieces(plan, tmp_path, 1)
    path = tmp_path / "part-00000.npz"
    arrays = dict(np.load(path))
    if array is None:
        arrays[name] = arrays[name].astype(np.float64)
    else:
        arrays[name] = array if isinstance(array, np.ndarray) else np.full_like(arrays[name], array)
    np.savez_compressed(path, **arrays)
    with pytest.raises(ConfigError, match="its hash is another"):
        load(tmp_path).rows()
    first, line = (tmp_path / LIST).read_text().splitlines()
    (tmp_path / LIST).write_text(f"{first}\n{json.dumps(json.loads(line) | {'sha256': file_digest(path)})}\n")
    with pytest.raises(ConfigError, match=message):
        load(tmp_path).rows()


def test_export__says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="expected one of --resume and --overwrite, got both"):
        command(agents=["random"], out=tmp_path, resume=True, overwrite=True)
    (tmp_path / "file").touch()
    with pytest.raises(ConfigError, match="expected a folder to write"):
        command(agents=["random"], out=tmp_path / "file")
    monkeypatch.setitem(sys.modules, "minari", None)
    assert (
        "pip install 'big2_env[minari]'" in run_cli("export", "random", "--out", str(tmp_path / "m"), "--format", "minari").err
    )
    assert not (tmp_path / "m").exists()


def test_episodes__give_every_seat_its_own_result() -> None:
    from big2_agents.data.minari_copy import episodes

    plan = plan_of()
    rows = GameRecorder(BIG2, plan.agents, 3).record(2, 4)
    found = list(episodes(rows, plan))
    assert len(found) == 8
    assert sum(len(episode["actions"]) for episode in found) == len(rows.action)
    for start in (0, 4):
        assert sum(float(episode["rewards"].sum()) for episode in found[start : start + 4]) == pytest.approx(0, abs=1e-6)
    for episode in found:
        steps = len(episode["actions"])
        assert episode["observations"]["observation"].shape == (steps + 1, 547)
        masks = unpack_bits(episode["observations"]["action_mask"], 1379)
        assert masks[np.arange(steps), episode["actions"]].all()
        assert not masks[-1].any()
        assert not episode["rewards"][:-1].any()
        assert episode["terminations"].tolist() == [False] * (steps - 1) + [True]
