"""What a browser gets of our packages: all that it needs, nothing that is compiled, and it runs alone."""

from __future__ import annotations

import ast
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from textwrap import dedent
from zipfile import ZipFile

import pytest

from big2_agents.models import learned_rulesets
from big2_env.base.plugins import AGENTS
from big2_env.climbing import game
from big2_env.tables.site.bundle import Bundle

ALONE = dedent(
    """
    import json, sys
    sys.path.insert(0, sys.argv[1])
    from big2_env.climbing.rulesets import available_rulesets
    from big2_env.tables.site.worker import PageWorker

    kept = {}
    def ask(worker, path, body=None, lang="en"):
        message = {"path": path, "body": None if body is None else json.dumps(body), "lang": lang, "tables": list(kept.items())}
        answer = json.loads(worker.answer(json.dumps(message)))
        assert answer["status"] < 300, answer
        if answer["keep"]:
            kept.clear()
            kept.update([answer["keep"]])
        return answer["data"]

    for name, rules in available_rulesets().items():
        worker = PageWorker()
        opponents = ["learned" if name in sys.argv[2:] else "heuristic", "greedy", "lowest"][: rules.default_players - 1]
        state = ask(worker, "tables", {"game": name, "opponents": opponents, "seat": 0, "seed": 7})
        path = "tables/" + state["table"]
        while not state["scene"]["is_over"]:
            version = {"version": state["version"]}
            if state["waiting"]:
                state = ask(worker, path + "/advance", version)
            elif state["can_pass"]:
                state = ask(worker, path + "/play", version | {"cards": []})
            else:
                best = ask(worker, path + "/hint", version)["advice"][0]
                state = ask(worker, path + "/play", version | {"cards": [card["text"] for card in best["cards"]]})
        found = {"edition": 0}
        while found["edition"] < 1:
            found = ask(worker, path + "/review", {"version": state["version"], "step": 1})
        page = ask(worker, path + "/review", {"version": state["version"], "step": 0}, lang="zh-Hant")["page"]
        assert "<!doctype html>" in page
        ask(worker, "rules/" + name)
    for game in ask(worker, "puzzles")["games"]:
        path = "puzzles/" + game["puzzles"][-1][0]
        state = ask(worker, path + "/state", {"moves": "", "shown": 1})
        while not state["scene"]["is_over"]:
            state = ask(worker, path + "/advance", {"moves": state["puzzle"]["moves"], "shown": 1})
        assert state["puzzle"]["text"].startswith("The solution: ")
    for game in ask(PageWorker(), "lobby")["games"]:
        if game["players"] is None:
            continue
        for one in game["players"] or [{"name": "nobody"}]:
            worker = PageWorker()
            others = [one["name"]] * (game["default"] - 1)
            state = ask(worker, "tables", {"game": game["name"], "opponents": others, "seat": 0, "seed": "7"})
            path, hints = "tables/" + state["table"], 0
            while not state["scene"]["is_over"] and state["scene"]["ply"] < 400:
                version = {"version": state["version"]}
                if state["watch"]:
                    state = ask(worker, path + "/watch", version | {"count": 1000})
                elif state["waiting"]:
                    state = ask(worker, path + "/advance", version)
                else:
                    hints += 1
                    moves = ask(worker, path + "/hint", version)["moves"] if hints < 40 else [state["moves"][-1]["text"]]
                    state = ask(worker, path + "/move", version | {"moves": moves})
            ask(worker, "rules/" + game["name"])
    outside = {name.partition(".")[0] for name, one in sys.modules.items() if getattr(one, "__file__", None)}
    print(len(available_rulesets()), sorted(outside - sys.stdlib_module_names - {"__main__"}))
    """
)


def test_bundle__leaves_out_what_needs_compiled_code() -> None:
    bundle = Bundle()
    agents = {entry.name for entry in bundle.plugins if entry.group == AGENTS}
    assert {"lowest", "greedy", "heuristic", "learned", "random", "search"} <= agents
    assert not agents & {"learned-search", "ppo"}
    assert "big2_env.climbing.rulesets.dou_dizhu" in bundle.modules
    assert not [name for name in bundle.modules if name.startswith("big2_env.cli.")]
    assert "big2_agents.learned.policy" not in bundle.modules  # which the learned player imports where it can
    assert {"big2_agents.kernels.heuristic", "big2_env.kernels.turn"} <= {*bundle.modules}  # which it interprets
    assert not {"big2_env.kernels.engine", "big2_env.kernels.dialect.kernel"} & {*bundle.modules}


def test_bundle__names_the_weights_that_the_learned_player_needs() -> None:
    needed = Bundle().data_files()
    assert list(needed) == ["learned"]
    assert sorted(needed["learned"]) == learned_rulesets()
    for name, (file,) in needed["learned"].items():
        assert file.path.is_file()
        assert file.place == f"big2_agents/models/{name}.npz"


def test_bundle__is_the_same_each_time_and_small() -> None:
    first, second = (Bundle().archive("1.0") for _ in range(2))
    assert first == second
    assert len(first) < 600_000


def test_bundle__leaves_out_docstrings_and_keeps_the_numbers_of_lines() -> None:
    with ZipFile(BytesIO(Bundle().archive("1.0"))) as archive:
        shorter = archive.read("big2_env/climbing/game.py").decode()
    source = Path(game.__file__).read_text(encoding="utf-8")
    lines = source.splitlines()
    kept = ast.parse(shorter)
    assert all(not ast.get_docstring(node) for node in ast.walk(kept) if isinstance(node, ast.ClassDef | ast.FunctionDef))
    for number, line in enumerate(shorter.splitlines()):
        assert line == lines[number] or line.strip() in ("", '""')
    assert shorter.count("def ") == len([one for one in ast.walk(ast.parse(source)) if isinstance(one, ast.FunctionDef)])


def test_bundle__needs_no_other_library(tmp_path: Path) -> None:
    with ZipFile(BytesIO(Bundle().archive("1.0"))) as archive:
        archive.extractall(tmp_path)
    code = "import sys; sys.path.insert(0, sys.argv[1]); import big2_env.tables.site.worker"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code, str(tmp_path)], capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr


@pytest.mark.long
def test_bundle__plays_and_reviews_every_game_with_python_alone(tmp_path: Path) -> None:
    """Without site packages: what is missing in the archive is missing."""
    bundle = Bundle()
    with ZipFile(BytesIO(bundle.archive("1.0"))) as archive:
        archive.extractall(tmp_path)
    needed = bundle.data_files()["learned"]
    (tmp_path / "big2_agents" / "models").mkdir(exist_ok=True)
    for (file,) in needed.values():
        (tmp_path / file.place).write_bytes(file.path.read_bytes())
    command = [sys.executable, "-I", "-S", "-c", ALONE, str(tmp_path), *needed]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "15 ['big2_agents', 'big2_env']"
