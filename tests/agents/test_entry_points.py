"""Agents that an installed package announces, as careless people write them: one line with the name, and nothing is done."""

from importlib.metadata import EntryPoint
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
    monkeypatch.setattr(agents_module, "announced", lambda group: found)


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


@pytest.mark.parametrize(("agent", "message"), [(Fails(), "fails: ZeroDivisionError: no turns left"), (Cheats(), "gives")])
def test_play_turn__an_agent_that_fails_or_cheats__is_named_and_nothing_is_done(agent: Any, message: str) -> None:
    game = Game.deal(BIG2, 7)
    with pytest.raises(ConfigError, match=rf"agent .*{type(agent).__name__} .* at seat {game.turn} {message}"):
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
