"""The viewer for the games of agents: golden screens, pace, pause, step, hands, values, agents that think long."""

from __future__ import annotations

import asyncio
from threading import Event
from typing import Any

import pytest
from hidden_cards import exchanged, random_moment
from terminal_table import Driven, drive, golden_screen

from big2_env import BIG2, Game, LegalPlays, Play, View, ruleset
from big2_env.agents.advice import Advice
from big2_env.base.errors import ConfigError
from big2_env.base.language import Language
from big2_env.tables.session.watching import Watching
from big2_env.tables.terminal.watch_screen import WatchScreen


def viewer(game: str = "big2", *agents: str, lang: Language = Language.EN, pause: float = 9.0) -> WatchScreen:
    """A paused viewer of a table of agents that compile nothing."""
    rules = ruleset(game)
    table = [*agents, *["lowest"] * (rules.default_players - len(agents))]
    screen = WatchScreen(Watching(rules, table, seed=7, adviser="heuristic"), lang, pause)
    screen.is_running_on = False
    return screen


async def until(on: Driven, is_done: Any) -> None:
    for _ in range(1000):
        if is_done():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("waited in vain")


@pytest.mark.parametrize(
    ("name", "lang", "keys"),
    [("big2", Language.EN, ()), ("dou_dizhu_4p", Language.HANT, ()), ("tien_len", Language.HANS, ("tab", "tab"))],
)
def test_screen__is_the_golden_one(name: str, lang: Language, keys: tuple[str, ...]) -> None:
    async def steps(on: Driven) -> None:
        for _ in range(9):
            await on.press("right")
        await on.press(*keys)
        for size in ((80, 24), (120, 40)):
            await on.resize(*size)
            golden_screen(on, f"watch_{name}-{size[0]}x{size[1]}")

    drive(steps, viewer(name, "heuristic", "greedy", "heuristic", lang=lang))


def test_keys__watch_a_whole_game() -> None:
    table = viewer()

    async def steps(on: Driven) -> None:
        history = table.watching.game.history
        assert "paused: Space continues" in on.told
        await on.press("right", "right")
        await until(on, lambda: table.shown_scene.ply == 2)
        await on.press("left")
        assert len(history) == table.shown_scene.ply == 1
        await on.press("left", "left")
        assert on.told == "the deal has just begun"
        await on.press("plus", "plus", "plus", "plus", "plus", "minus")
        assert table.pause == 0.3
        await on.press("plus", "space")
        await until(on, lambda: on.app.screen is not on.table)
        assert table.watching.is_over
        assert "The deal is over: won by" in on.text
        table.pause = 9.0
        await on.press("escape", "right", "space", "n")
        table.is_running_on = False
        await on.settle()
        assert (table.watching.dealt, table.watching.seed) == (2, 8)
        assert any(table.watching.scores)
        await on.press("question_mark")
        assert "take back a move" in on.text
        await on.press("escape", "ctrl+q")
        assert on.app.return_code == 0

    drive(steps, table)


def test_keys__show_one_seat_or_all_hands() -> None:
    table = viewer()

    async def steps(on: Driven) -> None:
        def shown() -> list[int]:
            return [seat.seat for seat in table.shown_scene.seats if seat.hand is not None]

        assert shown() == [0, 1, 2, 3]
        await on.press("tab")
        assert shown() == [0]
        assert "Thrifty 1's hand" in on.told
        await on.press("shift+tab", "shift+tab")
        assert shown() == [3]
        await on.press("l", "o")
        assert shown() == [0, 1, 2, 3]
        assert "明牌" in on.told

    drive(steps, table)


def texts_seen(game: Game, seat: int) -> list[str]:
    """The screen from one seat, and what it answers to the request for values."""
    texts, table = [], viewer(game.ruleset.name)
    table.watching.start(game, 7)
    table.watching.look_from(seat)

    async def steps(on: Driven) -> None:
        texts.append(on.text)
        await on.press("v")
        texts.append(on.text)

    drive(steps, table)
    return texts


@pytest.mark.parametrize("name", ["big2", "dou_dizhu", "qi_gui_523"])
def test_screen__of_one_seat_does_not_depend_on_hidden_cards(name: str) -> None:
    found = 0
    for seed in range(20):
        game = random_moment(ruleset(name), seed)
        seat = seed % game.num_players
        if (twin := exchanged(game, seat, 1000 * seed)) is None:
            continue
        assert texts_seen(game, seat) == texts_seen(twin, seat)
        found += 1
        if found == 2:
            return
    raise AssertionError("found no game to exchange cards in")


def test_values__of_the_seat_to_move_only_if_its_hand_is_shown() -> None:
    table = viewer()

    async def steps(on: Driven) -> None:
        turn = table.shown_scene.turn
        assert turn is not None
        name = table.shown_scene.seats[turn].name
        await on.press("v")
        assert f"Moves of {name} according to Veteran" in on.text
        await on.press("escape")
        table.watching.look_from((turn + 1) % 4)
        await on.press("v")
        assert on.told == f"it is {name}'s turn; O shows all hands"
        table.watching.look_from(turn)
        await on.press("v")
        assert f"Moves of {name} according to Veteran" in on.text

    drive(steps, table)


class Slow:
    """Agent that thinks until a test lets it move."""

    def __init__(self) -> None:
        self.may_move = Event()
        self.is_asked = Event()

    def reset(self, seed: int) -> None:
        """Ignore the seed."""

    def act(self, view: View, legal: LegalPlays) -> Play:
        """Make the first move when the test allows it."""
        self.is_asked.set()
        assert self.may_move.wait(30)
        self.may_move.clear()
        return next(iter(legal))


def test_slow_agents__leave_every_key_to_the_person() -> None:
    table, slow = viewer(), Slow()
    table.watching._agents = [slow] * 4
    table.watching.start(table.watching.game, 7)

    async def steps(on: Driven) -> None:
        async def press(*keys: str) -> None:
            for key in keys:
                await on.pilot.press(key)

        await press("space")
        await until(on, slow.is_asked.is_set)
        await press("tab", "l")
        assert "只看" in on.text
        await press("l", "l", "o", "v")
        await until(on, lambda: "according to Veteran" in on.text)  # while the seat's own agent thinks
        await press("escape", "r", "escape", "minus", "question_mark", "escape", "space", "u")
        assert "is to move" in on.told
        assert table.watching.game.history == []
        slow.may_move.set()
        await until(on, lambda: table.is_at_rest)
        assert table.shown_scene.ply == 0  # the move that was thought about is taken back at once
        assert not table.is_running_on
        slow.is_asked.clear()
        await press("right")
        await until(on, slow.is_asked.is_set)
        await press("n")
        slow.may_move.set()
        await until(on, lambda: table.watching.dealt == 3)
        slow.may_move.set()
        await press("space")
        slow.may_move.set()
        await until(on, lambda: table.is_at_rest)

    drive(steps, table)


def test_values__of_an_adviser_that_fails_are_told() -> None:
    table = viewer()

    def fail(view: View) -> list[Advice]:
        raise ConfigError("no weights")

    table.watching.advise_at = fail  # type: ignore[method-assign]

    async def steps(on: Driven) -> None:
        await on.press("h")
        assert on.told == "✗ no weights"

    drive(steps, table)


def test_agents__that_fail_end_the_screen() -> None:
    class Broken(Slow):
        def act(self, view: View, legal: LegalPlays) -> Play:
            raise ValueError("lost")

    table = viewer()
    table.watching._agents = [Broken()] * 4

    async def steps(on: Driven) -> None:
        await on.press("right")

    with pytest.raises(ConfigError, match="fails: ValueError: lost"):
        drive(steps, table)


def test_viewer__follows_the_game_that_match_prints() -> None:
    watching = Watching(BIG2, ["heuristic", "greedy", "lowest", "random"], seed=7)
    while watching.advance() is not None:
        pass
    assert watching.record().extra == {"agents": ["heuristic", "greedy", "lowest", "random"], "seed": 7, "seed_counts": True}
