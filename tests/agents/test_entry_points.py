"""Agents that an installed package announces, as careless people write them: one line with the name, and nothing is done."""

import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from big2_env.agents import interface as agents_module
from big2_env.agents.advice import Advice, advice_of
from big2_env.agents.interface import check_seats, make_agent, play_out, play_turn
from big2_env.base import plugins as plugins_module
from big2_env.base.errors import ConfigError
from big2_env.base.plugins import AGENTS, Plugin
from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.climbing.rulesets import BIG2

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
def plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"number": "NUMBER", "exits": "Exits", "fails": "Fails", "lost": "Nothing"}
    found = {name: Plugin(name, AGENTS, EntryPoint(name, f"{__name__}:{value}", AGENTS)) for name, value in names.items()}
    monkeypatch.setattr(agents_module, "plugins", lambda group: found if group == AGENTS else {})


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


def test_plugins__of_a_package_that_is_installed_and_removed_later_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    assert "later" not in plugins_module.plugins(AGENTS)
    info = tmp_path / "later-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: later\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{AGENTS}]\nlater = {__name__}:Fails\n")
    found = plugins_module.plugins(AGENTS)
    assert found.pop("later").load() is Fails
    assert "later" in plugins_module.plugins(AGENTS)  # what a caller changes is its own
    for path in info.iterdir():
        path.unlink()
    info.rmdir()
    assert "later" not in plugins_module.plugins(AGENTS)


OWN = """
from big2_env.agents.interface import make_agent

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
    (tmp_path / f"{name}.zip").touch()
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
        ("x" * 5000, "unknown agent 'x+'...; expected one of"),
        ("我" * 200, "unknown agent '我+'.*; expected one of"),
        ("greedy.py:Bot", "a class of a Python file is named 'greedy:Bot'"),
        ("OWN.py:Bot", "a class of a Python file is named 'OWN:Bot', in the folder of the file$"),
        ("./OWN.py", "^unknown agent './OWN.py'; a class of a Python file is named 'OWN:CLASS', in the folder of the file$"),
        ("./OWN.zip", r"^unknown agent './OWN.zip'; expected NAME:./OWN.zip, with the agent's name, one of "),
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


class Foreign:
    """An agent whose every part may be broken."""

    def __init__(self, act: Any, name: Any = "Foreign()") -> None:
        self.made, self.name = act, name

    def reset(self, seed: int) -> None: ...

    def act(self, view: Any, legal: Any) -> Any:
        return self.made(view, legal)

    def __repr__(self) -> str:
        return self.name() if callable(self.name) else self.name  # type: ignore[no-any-return]


class Same(Play):
    """A play that says it equals every other."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = Play.__hash__


class Broken:
    """A thing that cannot be compared or shown."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        raise RuntimeError("no text")


class OutsideError(BaseException):
    def __str__(self) -> str:
        raise KeyError("no text")


def raising(error: BaseException) -> Any:
    def act(view: Any, legal: Any) -> Any:
        raise error

    return act


def greedy_hands(view: Any, legal: Any) -> Any:
    """Cards that the hand does not hold, once the legal plays were talked into them."""
    legal.hand = BIG2.deck.mask
    return BIG2.play("S[2]")


FOREIGN = [
    (Foreign(raising(ValueError("no network\n  at port 80"))), "fails: ValueError: no network at port 80"),
    (Foreign(raising(ValueError("x" * 10**6))), r"fails: ValueError: x{285}\.\.\."),
    (Foreign(raising(OutsideError())), r"fails: OutsideError: without a text \(KeyError\)"),
    (Foreign(raising(GeneratorExit())), "fails: GeneratorExit:"),
    (Foreign(greedy_hands), "fails: AttributeError: hand of legal plays cannot be set"),
    (Foreign(lambda view, legal: Broken()), ": expected a legal move, got Broken"),
    (Foreign(lambda view, legal: Play("single", "H[3]", None)), r": expected a legal move, got 'single H\[3\]'"),  # type: ignore[arg-type]
    (Foreign(lambda view, legal: Play("single", 1.0, 0, 0)), ": expected a legal move, got a Play"),  # type: ignore[arg-type]
    (Foreign(lambda view, legal: Same("single", next(iter(legal)).mask, 0, 10**9)), r": expected a legal move, got Same\("),
    (Foreign(lambda view, legal: None, name=lambda: 1 // 0), ": expected a legal move, got None"),
    (Foreign(lambda view, legal: None, name="a\nb" * 1000), ": expected a legal move, got None"),
]


@pytest.mark.parametrize(("agent", "message"), FOREIGN, ids=range(len(FOREIGN)))
def test_play_turn__whatever_an_agent_does__is_one_line_that_names_it(agent: Foreign, message: str) -> None:
    game = Game.deal(BIG2, 7)
    with pytest.raises(
        ConfigError, match=rf"^agent (Foreign(\(\))?|a ba ba .*\.\.\.) at seat {game.turn}:? ?{message}"
    ) as caught:
        play_turn(game, [agent] * 4)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 700
    assert not game.history


def test_play_turn__an_interrupt_is_nobodys_fault() -> None:
    with pytest.raises(KeyboardInterrupt):
        play_turn(Game.deal(BIG2, 7), [Foreign(raising(KeyboardInterrupt()))] * 4)


@pytest.mark.parametrize("check", [3, raising(ValueError("no\nmodel"))])
def test_check_seats__an_agent_that_cannot_be_asked__is_named(check: Any) -> None:
    agent: Any = Foreign(None)
    agent.check = check
    with pytest.raises(ConfigError, match=r"^agent Foreign\(\) fails in check: (TypeError: 'int' .*|ValueError: no model)$"):
        check_seats([agent], BIG2, 4)


@pytest.mark.parametrize(
    ("advise", "message"),
    [
        (3, "fails: TypeError: 'int' object is not callable"),
        (raising(ValueError("no\nmodel")), "fails: ValueError: no model"),
        (lambda view, legal: None, ": expected a list of advice, got None"),
        (lambda view, legal: [], r": expected a list of advice, got \[\]"),
        (lambda view, legal: [7], r": expected a list of advice, got \[7\]"),
        (lambda view, legal: [Advice(BIG2.play("S[2]"))], r": expected advice on legal moves, got 'single S\[2\]'"),
    ],
)
def test_advice__of_an_agent_that_fails__is_one_line_that_names_it(advise: Any, message: str) -> None:
    agent: Any = Foreign(None)
    agent.advise = advise
    with pytest.raises(ConfigError, match=rf"^agent Foreign\(\):? ?{message}$"):
        advice_of(agent, Game.deal(BIG2, 7).view(), Game.deal(BIG2, 7).legal_plays())


@pytest.mark.parametrize(
    ("agent", "message"),
    [(Fails(), " fails: ZeroDivisionError: no turns left"), (Cheats(), ": expected a legal move, got 'single")],
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
