"""Agents that an installed package announces, as careless people write them: one line with the name, and nothing is done."""

import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from big2_env import agents as agents_module
from big2_env.agents import make_agent, play_out, play_turn
from big2_env.announced import AGENTS, Announced
from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.climbing.rulesets import BIG2
from big2_env.errors import ConfigError

NUMBER = 7


class Exits:
    def __init__(self) -> None:
        raise SystemExit("no licence")


class Fails:
    def __init__(self, argument: str = "") -> None:
        if argument:
            raise KeyError(argument)

    def reset(self, seed: int) -> None: ...

    def act(self, view: Any, legal: Any) -> Any:
        raise ZeroDivisionError("no turns left")


class Cheats(Fails):
    def act(self, view: Any, legal: Any) -> Any:
        return Play("single", 1 << 51, 0, 99)


@pytest.fixture(autouse=True)
def announced(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"number": "NUMBER", "exits": "Exits", "fails": "Fails", "lost": "Nothing"}
    found = {name: Announced(name, AGENTS, EntryPoint(name, f"{__name__}:{value}", AGENTS)) for name, value in names.items()}
    monkeypatch.setattr(agents_module, "announced", lambda group: found if group == AGENTS else {})


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("number", "entry point number = .* expected a class or function that makes an agent, got a int"),
        ("exits", "agent 'exits' cannot be made: SystemExit: no licence"),
        ("exits:1", "agent 'exits:1': exits takes no argument"),
        ("fails:x", "agent 'fails:x' cannot be made: KeyError: 'x'"),
        ("lost", "entry point lost = .* cannot be loaded: AttributeError: .*Nothing"),
    ],
)
def test_make_agent__what_makes_none__is_said_in_one_line(spec: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        make_agent(spec)
    assert "\n" not in str(caught.value)


OWN = """
from big2_env.agents import make_agent

class Bot:
    def __init__(self, argument="none"):
        self.argument = argument
    def reset(self, seed): ...
    def act(self, view, legal):
        return next(iter(legal))

def factory():
    return Bot("made")

def broken():
    import nowhere_at_all

THING = 3
"""


@pytest.fixture
def own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module in the current directory, which no path of the process names."""
    name = f"own_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return name


def test_make_agent__by_module_and_class__is_imported_from_the_current_directory(own_module: str) -> None:
    for spec, argument in (("Bot", "none"), ("Bot:x:y", "x:y"), ("factory", "made")):
        agent: Any = make_agent(f"{own_module}:{spec}")
        assert (type(agent).__name__, agent.argument) == ("Bot", argument)
    assert make_agent(type(agent)).argument == "none"  # type: ignore[attr-defined]
    assert make_agent(agent) is agent
    assert play_out(Game.deal(BIG2, 1), [agent] * 4).winner in range(4)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("OWN:Nobody", "expected a class or function 'Nobody' in OWN, got no such name"),
        ("OWN:THING", "expected a class or function 'THING' in OWN, got a int"),
        ("OWN:factory:x", "OWN:factory takes no argument"),
        ("OWN:broken", "cannot be made: ModuleNotFoundError: No module named 'nowhere_at_all'"),
        ("OWN", "unknown agent 'OWN'; expected one of .*, MODULE:CLASS"),
        ("no_such_module.x:Bot", "unknown agent 'no_such_module.x:Bot'; expected one of .*, MODULE:CLASS of a module"),
        ("builtins:print", "expected an object with reset and act, got a NoneType"),
        ("../x:Bot", "unknown agent '../x'"),
    ],
)
def test_make_agent__by_module_and_class__says_what_is_wrong(spec: str, message: str, own_module: str) -> None:
    with pytest.raises(ConfigError, match=message.replace("OWN", own_module)) as caught:
        make_agent(spec.replace("OWN", own_module))
    assert "\n" not in str(caught.value)


def test_make_agent__a_module_that_fails_is_one_line(own_module: str, tmp_path: Path) -> None:
    (tmp_path / f"{own_module}_b.py").write_text("raise SystemExit('no licence')")
    with pytest.raises(ConfigError, match=r"cannot be imported: SystemExit: no licence"):
        make_agent(f"{own_module}_b:Bot")


def test_make_agent__what_is_none_is_said() -> None:
    with pytest.raises(ConfigError, match="expected the name of an agent, an agent or what makes one, got 7"):
        make_agent(7)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="expected an object with reset and act, got a int"):
        make_agent(int)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("agent", "message"),
    [(Fails(), " fails: ZeroDivisionError: no turns left"), (Cheats(), ": expected a legal act, got 'single")],
)
def test_play_turn__an_agent_that_fails_or_cheats__is_named_and_nothing_is_done(agent: Any, message: str) -> None:
    game = Game.deal(BIG2, 7)
    with pytest.raises(ConfigError, match=rf"agent {type(agent).__name__} at seat {game.turn}{message}"):
        play_turn(game, [agent] * 4)
    assert not game.history
    with pytest.raises(ConfigError):
        play_out(game, [agent] * 4)


def test_make_agent__every_shipped_agent_with_nonsense_for_an_argument__says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    for name in agents_module.available_agents():
        with pytest.raises(ConfigError) as caught:
            make_agent(f"{name}:\0 no such thing")
        assert "\n" not in str(caught.value)
