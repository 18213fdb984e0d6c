"""Agents in processes of their own: same results, no hidden cards, one line for each fault, no process left."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from run_cli import run_cli

from big2_agents.evaluation.arena.command import check_agents
from big2_agents.evaluation.arena.results import Config
from big2_env import BIG2, ConfigError, Game
from big2_env.agents.interface import check_seats
from big2_env.agents.isolated import IsolatedAgent
from big2_env.base.compile_note import CompileNote
from big2_env.base.language import Language, words

BOTS = """
import gc, json, os, time
from pathlib import Path
from big2_env import Game
from big2_env.climbing.play import Play

def write(name, value):
    with open(name, "a") as file:
        file.write(json.dumps(value) + "\\n")

class Bot:
    turns = 0

    def __init__(self):
        print("made")
        write("pids", os.getpid())

    def reset(self, seed):
        write("seeds", seed)

    def act(self, view, legal):
        Bot.turns += 1
        if Bot.turns > 30:
            self.fault()
        return next(iter(legal))

    def fault(self): ...

class Spy(Bot):
    looks = 0

    def act(self, view, legal):
        if Spy.looks < 3:  # a look at all objects of a large process takes seconds
            Spy.looks += 1
            games = [thing for thing in gc.get_objects() if type(thing) is Game]
            write("games", len(games))
        return next(iter(legal))

class Dies(Bot):
    def fault(self):
        os._exit(7)

class Spins(Bot):
    def fault(self):
        write("spinning", True)
        while True: pass

class Raises(Bot):
    def fault(self):
        raise SystemExit("enough\\nof this")

class Garbage(Bot):
    data = b"\\0\\0\\0\\2[]"

    def fault(self):
        for stream in range(3, 20):
            try:
                os.write(stream, self.data)
            except OSError:
                pass
        time.sleep(60)

class Endless(Garbage):
    data = b"\\xff\\xff\\xff\\xff"

class Cheats(Bot):
    def act(self, view, legal):
        super().act(view, legal)
        return "all my cards" if Bot.turns > 30 else next(iter(legal))

class Invents(Bot):
    def act(self, view, legal):
        super().act(view, legal)
        return Play("pair", 3 << 50, 1, 99) if Bot.turns > 30 else next(iter(legal))

class NoStart(Bot):
    def reset(self, seed):
        raise OSError("no server")

class NotMade(Bot):
    def __init__(self):
        os._exit(3)

class NeverMade(Bot):
    def __init__(self):
        time.sleep(1000)

class Slow(Bot):
    plays_by_time = True

    def prepare(self, view):
        write("prepared", len(view.cards_left))

class Compiles(Bot):
    def act(self, view, legal):
        from big2_env.base.compile_note import NOTE
        NOTE.announce()  # as a kernel that compiles for long
        return super().act(view, legal)

class Picky(Bot):
    def check(self, ruleset, num_players):
        from big2_env import ConfigError
        raise ConfigError(f"not {ruleset.name} with {num_players}")

from dataclasses import dataclass
from big2_env import BIG2, Pattern, Shape

@dataclass(frozen=True)
class Own(Pattern):
    name, zh = "own", "own"

    def shapes(self, order):
        return [Shape.of({rank: 4}, key=rank) for rank in order.suited_ranks]

RULES = BIG2.with_patterns(Own())
"""


@pytest.fixture
def bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module with agents, in the current directory."""
    name = f"bots_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(BOTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return name


def lines(name: str) -> list[int]:
    return [json.loads(line) for line in Path(name).read_text().splitlines()]


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def are_gone(pids: list[int], seconds: float = 30) -> bool:
    """Whether processes end soon."""
    until = time.monotonic() + seconds
    while any(map(is_there, pids)) and time.monotonic() < until:
        time.sleep(0.02)
    return not any(map(is_there, pids))


def test_arena__writes_a_payoff_of_0_alike_by_kernels_and_by_isolated_agents(tmp_path: Path) -> None:
    """In Pao De Kuai a loser with one card left pays nothing."""
    paths = [tmp_path / name for name in ("kernels", "isolated")]
    line = ("arena", "heuristic", "random", "--game", "pao_de_kuai", "--deals", "1", "--seed", "5", "--jobs", "1", "--out")
    for path, more in zip(paths, ([], ["--isolate"]), strict=True):
        assert run_cli(*line, str(path), *more).status == 0
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert b",0.0" in paths[0].read_bytes()


@pytest.mark.parametrize(
    ("agents", "more"),
    [
        (("random", "greedy", "heuristic", "lowest"), ("--jobs", "1")),
        (("random", "greedy", "heuristic", "lowest"), ("--jobs", "2")),
        (("random", "greedy"), ("--jobs", "1", "--game", "dou_dizhu", "--scoring", "own")),
    ],
    ids=["here", "in processes", "pairs of another game"],
)
def test_arena__gives_the_same_results(agents: tuple[str, ...], more: tuple[str, ...], tmp_path: Path) -> None:
    files = [tmp_path / "together.jsonl", tmp_path / "isolated.jsonl"]
    for file, isolate in zip(files, ((), ("--isolate",)), strict=True):
        answer = run_cli("arena", *agents, "--deals", "3", "--seed", "5", *more, *isolate, "--json", "--out", str(file))
        assert answer.status == 0, answer.err
    together, isolated = (file.read_bytes() for file in files)
    assert isolated == together
    assert len(together.splitlines()) >= 4


def test_match__gives_the_same_games() -> None:
    command = ("match", "random", "greedy", "heuristic", "lowest", "--seed", "3", "--games", "2", "--log", "jsonl")
    isolated = run_cli(*command, "--isolate")
    assert isolated.status == 0
    assert isolated.out == run_cli(*command).out != ""


def test_agent__finds_no_game_in_its_process(bots: str) -> None:
    command = ("arena", f"{bots}:Spy", "lowest", "--deals", "1", "--jobs", "1", "--overwrite")
    assert run_cli(*command).status == 0
    assert min(lines("games")) > 0  # what the option is for
    Path("games").unlink()
    assert run_cli(*command, "--isolate").status == 0
    assert set(lines("games")) == {0}


def test_copies__have_processes_of_their_own_which_serve_all_games(bots: str) -> None:
    assert run_cli("arena", f"{bots}:Bot", "lowest", "--deals", "2", "--jobs", "1", "--isolate").status == 0
    checked, *pids = lines("pids")
    assert len(pids) == len({checked, *pids}) - 1 == 3  # alone against copies, and three copies against one
    assert os.getpid() not in pids
    assert are_gone([checked, *pids], 0)
    assert len(lines("seeds")) == 2 * (4 + 4 * 3)


def test_workers__leave_no_process(bots: str) -> None:
    assert run_cli("arena", f"{bots}:Bot", "lowest", "--deals", "4", "--jobs", "2", "--isolate").status == 0
    assert are_gone(lines("pids"))


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("Dies", r"agent Dies at seat \d fails: its process ended with exit status 7"),
        ("Spins", "expected a move within 1 s, got none"),
        ("Raises", r"agent Raises at seat \d fails: SystemExit: enough of this"),
        ("Garbage", r"agent Garbage at seat \d fails: expected a JSON object, got '\[\]'"),
        ("Endless", r"agent Endless at seat \d fails: expected a message of at most 1048576 bytes, got 4294967295"),
        ("Cheats", r"agent Cheats at seat \d: expected a legal move, got 'all my cards'"),
        ("Invents", r"agent Invents at seat \d: expected a legal move, got 'pair .*'"),
    ],
)
def test_arena__a_fault_is_one_line_that_names_the_agent(bots: str, name: str, says: str) -> None:
    spec = f"{bots}:{name}"
    answer = run_cli("arena", spec, *["lowest"] * 3, "--deals", "9", "--seed", "5", "--jobs", "1", "--limit", "1", "--isolate")
    assert (answer.status, answer.out) == (2, "")
    *_, last = answer.err.splitlines()
    message = rf"big2: deal \d, seed \d, seat \d, agent '{spec}': {says}; \d deals? (is|are) kept in arena.jsonl"
    assert re.fullmatch(message, last), last
    assert "Traceback" not in answer.err
    assert are_gone(lines("pids"), 0)


def test_arena__checks_agents_in_processes_that_end_before_it_plays(bots: str) -> None:
    config = Config.of((f"{bots}:Bot", "lowest"), BIG2, "cards", 1, "pairs")
    made = check_agents(config.agents, BIG2, config.contests(), isolate=True, tr=words(Language.EN))
    assert set(made) == {f"{bots}:Bot", "lowest"}
    assert len(lines("pids")) == 1
    assert are_gone(lines("pids"), 0)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("{bots}:NoStart", "agent NoStart at seat 0 fails to start: OSError: no server"),
        ("{bots}:NotMade", "agent '{bots}:NotMade' cannot be made: its process ended with exit status 3"),
        ("{bots}:Picky", "not big2 with 4"),
        ("{bots}:Nothing", "agent '{bots}:Nothing': expected a class or function 'Nothing' in {bots}, got no such name"),
        ("nobody", "unknown agent 'nobody'"),
    ],
)
def test_arena__an_agent_that_cannot_begin_is_one_line(bots: str, spec: str, says: str) -> None:
    answer = run_cli("arena", spec.format(bots=bots), *["lowest"] * 3, "--deals", "2", "--jobs", "1", "--isolate")
    assert (answer.status, answer.out) == (2, "")
    *_, last = answer.err.splitlines()
    assert says.format(bots=bots) in last
    assert "Traceback" not in answer.err


def test_agent__that_is_never_made_ends_with_its_deadline(bots: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("big2_env.agents.isolated.MAX_START", 2.0)
    with pytest.raises(ConfigError, match="NeverMade' cannot be made: expected it within 2 s, got none"):
        IsolatedAgent(f"{bots}:NeverMade")


def test_rules__with_classes_from_outside_are_refused(bots: str) -> None:
    answer = run_cli("arena", *["lowest"] * 4, "--deals", "2", "--game", f"{bots}:RULES", "--isolate")
    assert (answer.status, answer.out) == (2, "")
    says = "an isolated agent gets its rules as data: expected a ruleset without classes from outside the package, got 'big2'"
    assert answer.err.splitlines()[-1] == f"big2: {says}"
    assert run_cli("arena", *["lowest"] * 4, "--deals", "2", "--jobs", "1", "--game", f"{bots}:RULES").status == 0


def test_rules__of_a_file_are_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("strict.toml").write_text('preset = "big2"\npass_lock = "trick"\npatterns = ["single", "pair", "flush"]\n')
    assert run_cli("arena", *["lowest"] * 4, "--deals", "2", "--jobs", "1", "--game", "strict.toml", "--isolate").status == 0


def test_agent__that_plays_by_time_is_prepared(bots: str) -> None:
    assert run_cli("arena", f"{bots}:Slow", *["lowest"] * 3, "--deals", "1", "--jobs", "1", "--isolate").status == 0
    assert lines("prepared") == [4]


def test_agent__that_compiles_is_noted_by_its_parent(
    bots: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    said: list[str] = []
    monkeypatch.setattr("big2_env.agents.isolated.NOTE", note := CompileNote())
    note.say = said.append
    agent, game = IsolatedAgent(f"{bots}:Compiles"), Game.deal(BIG2, 1)
    for _ in range(2):
        assert agent.act(game.view(), game.legal_plays()) == next(iter(game.legal_plays()))
    agent.close()
    assert len(said) == 1
    assert capfd.readouterr().err == "made\n"


def test_merge__is_refused_with_isolation() -> None:
    answer = run_cli("arena", "a.jsonl", "b.jsonl", "--merge", "--isolate")
    assert answer.status == 2
    assert "got an option for playing" in answer.err


def test_process__ends_with_its_parent_in_the_middle_of_an_move(bots: str) -> None:
    code = f"""
import sys
from big2_env import BIG2, Game
from big2_env.agents.isolated import IsolatedAgent
agent = IsolatedAgent("{bots}:Spins")
for game in [Game.deal(BIG2, 1)] * 40:
    agent.act(game.view(), game.legal_plays())
"""
    with subprocess.Popen([sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}) as parent:
        until = time.monotonic() + 60
        while not Path("spinning").exists() and time.monotonic() < until:
            time.sleep(0.02)
        pids = lines("pids")
        assert Path("spinning").exists()
        assert all(map(is_there, pids))
        parent.send_signal(signal.SIGKILL)
    assert are_gone(pids)


def test_agent__that_was_closed_answers_with_an_error(bots: str) -> None:
    agent = IsolatedAgent(f"{bots}:Bot")
    game = Game.deal(BIG2, 1)
    assert agent.act(game.view(), game.legal_plays()) == next(iter(game.legal_plays()))
    agent.close()
    agent.close()
    with pytest.raises(ConfigError, match="agent Bot fails in check: its process has ended"):
        check_seats([agent], BIG2.with_scoring("cards"), 4)
