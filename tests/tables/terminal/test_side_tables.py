"""The tables of UNO, Klondike and the fishing game: golden screens, whole games by keys, the mouse."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from functools import partial
from importlib import import_module
from inspect import signature
from itertools import groupby

import pytest
from terminal_table import Driven, drive, golden_screen

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, words
from big2_env.games.fishing.game import FishingGame
from big2_env.games.klondike.cards import FOUNDATION, card_move, card_text, parse_moves
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.klondike.solver import solve
from big2_env.games.uno.cards import CARDS, parse_cards
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.rules import uno_rules
from big2_env.games.uno.scene import face
from big2_env.notation.side_records import SideRecord, dumps, loads
from big2_env.tables import terminal
from big2_env.tables.session.side_session import SideSession
from big2_env.tables.terminal.fishing_screen import FishingScreen
from big2_env.tables.terminal.klondike_screen import KlondikeScreen, Spot
from big2_env.tables.terminal.table_frame import TableFrame
from big2_env.tables.terminal.uno_screen import UnoScreen

BY_KEYS = 24
"""How many of the moves that win a game of Klondike are made by keys where not all are: the last ones, for a key takes long."""


def uno(lang: Language = Language.EN, players: int = 4, seed: int = 3, preset: str = "table") -> UnoScreen:
    return UnoScreen(SideSession(partial(UnoGame.deal, uno_rules(preset, players=players)), seed=seed), lang, 0.0)


def klondike(lang: Language = Language.EN, seed: int = 7) -> KlondikeScreen:
    return KlondikeScreen(SideSession(KlondikeGame.deal, seed=seed), lang)


def fishing(lang: Language = Language.EN, seed: int = 7) -> FishingScreen:
    table = FishingScreen(SideSession(FishingGame.usual, seed=seed), lang, 9.0)
    table.is_running_on = False
    return table


SCREENS: dict[str, tuple[Callable[[Language], TableFrame], Language, tuple[str, ...]]] = {
    "uno": (uno, Language.EN, ("tab", "enter", "p", "p", "h")),
    "klondike": (klondike, Language.HANT, ("tab", "space", *"ddddd", "tab")),
    "fishing": (fishing, Language.HANS, ("right",) * 24 + ("o",)),
}
"""By game: a table, its language, the keys that are pressed before it is looked at."""


@pytest.mark.parametrize("dark", [True, False], ids=["dark", "light"])
@pytest.mark.parametrize("game", SCREENS)
def test_screen__is_the_golden_one(game: str, dark: bool) -> None:
    """`BIG2_WRITE_SCREENS=1` writes the golden files again: look at what changed."""
    made, lang, keys = SCREENS[game]
    width, height = (80, 24) if dark else (120, 40)

    async def steps(on: Driven) -> None:
        await on.press(*keys)
        golden_screen(on, f"{game}-{width}x{height}")
        assert on.app.current_theme.dark is dark

    drive(steps, made(lang), (width, height), lang, dark)


def test_uno__a_whole_game_by_keys_and_the_next_deal() -> None:
    table, kept = uno(players=2, seed=60), list[SideRecord[UnoGame]]()
    table.session.ended = kept.append

    async def steps(on: Driven) -> None:
        for _ in range(120):
            if on.app.screen is not table:
                break
            keys = ["1"] if table.view.naming else ["tab", "enter"] if any(move < 60 for move in table.view.moves) else ["p"]
            await on.press(*keys)
            if on.app.screen is not table and not table.session.is_over:  # which colour?
                await on.press("2")
        assert table.session.is_over
        assert "The deal is over: won by" in on.text
        paid = table.session.scores[0]
        await on.press("n")
        assert (table.session.dealt, table.session.seed, table.session.before[0]) == (2, 61, paid)

    drive(steps, table)
    [record] = kept
    assert record.game.is_over
    assert loads(dumps(record), UnoGame).game == record.game


def test_uno__cards_are_chosen_refused_and_taken_back() -> None:
    table = uno()

    async def steps(on: Driven) -> None:
        await on.press("6")
        assert on.told == "✗ red 6 may not be played now"
        await on.press("enter")
        assert not table.session.game.history
        await on.press("right", "space")
        assert len(table.hand.chosen) == 1
        await on.press("9")
        assert on.told == "✗ you hold no 9"
        await on.press("u")
        assert on.told == "you have no move to take back"
        await on.press("tab", "enter")
        made = len(table.session.game.history)
        assert made >= 4
        assert "reverse" in on.text
        await on.press("u")
        assert not table.session.game.history
        await on.press("h")
        assert on.told == "Hint: blue reverse (what the automatic player would do)"
        await on.press("r", "escape", "question_mark")
        assert "choose by face; again: the next one" in on.text

    drive(steps, table)


def test_uno__a_wild_card_asks_for_its_colour() -> None:
    seed = next(seed for seed in range(100) if 73 in UnoGame.deal(uno_rules("table"), seed).hands[0])
    table = uno(players=2, seed=seed)

    async def steps(on: Driven) -> None:
        place = [card.rank for card in table.hand.faces].index("wild")
        table.hand.cursor = place
        await on.pilot.press("space", "enter")
        await on.pilot.pause()
        assert "Choose a color" in on.text
        await on.press("3")
        assert table.session.game.history[0].move == 43  # blue

    drive(steps, table)


def test_uno__shows_no_card_of_another_hand() -> None:
    table, tr = uno(), words(Language.EN)

    async def steps(on: Driven) -> None:
        await on.press("tab", "enter", "r")
        shown = on.text
        await on.press("escape")
        shown += on.text
        game = table.session.game
        known = {*game.hands[0], *game.discards}
        hidden = {face(card, tr) for card in CARDS if card not in known}
        assert hidden
        assert not {one.text for one in hidden} & set(re.findall(r"[RYBGW]\[[^\]]+\]", shown))
        assert not {one.name for one in hidden} & set(re.findall(r"(?:red|yellow|green|blue) \w+", shown))

    drive(steps, table, (120, 40))


def test_uno__a_seat_that_is_none_is_refused() -> None:
    with pytest.raises(ConfigError, match="expected a seat from 0 to 1, got 2"):
        SideSession(partial(UnoGame.deal, uno_rules()), seat=2)


@pytest.mark.parametrize("by_keys", [BY_KEYS, pytest.param(10_000, marks=pytest.mark.long, id="whole_game")])
def test_klondike__is_won_by_keys(by_keys: int) -> None:
    table, kept = klondike(), list[int]()
    table.session.keep = lambda session: kept.append(len(session.game.history))
    won = solve(table.game.state).moves
    assert won is not None
    before = max(0, len(won) - by_keys)
    table.game.play_all(won[:before])

    async def steps(on: Driven) -> None:
        for move, again in groupby(won[before:]):
            moved, areas = card_move(move), table.piles.areas
            if moved is None:
                await on.pilot.press(*["d"] * len(list(again)))
                continue
            text = card_text(moved.card)
            spots = (Spot(key, at) for key, area in areas.items() for at, card in enumerate(area.cards) if card.text == text)
            table.piles.cursor = next(spots)
            await on.pilot.press("0" if moved.target == FOUNDATION else str(moved.target + 1))
        await on.settle()
        assert table.game.is_won
        assert kept == [*range(before + 1, len(won) + 1)]
        assert "won, score" in on.text
        await on.press("n")
        assert (table.session.seed, table.game.history) == (8, [])

    drive(steps, table)


def test_klondike__take_put_refuse_undo() -> None:
    table = klondike()

    async def steps(on: Driven) -> None:
        await on.press("u")
        assert on.told == "nothing to take back: this is the deal"
        table.piles.cursor = Spot("pile_4", 3)
        await on.press("space")
        assert "[ 5♥ ]" in on.text or "{ 5♥ }" in on.text
        await on.press("left")
        assert on.told.startswith("5♥ taken")
        await on.press("space")
        assert on.told.startswith("✗ 5♥ onto pile 3: ")
        assert not table.game.history
        await on.press("right", "space", "right", "space")
        assert [str(move) for move in table.game.history] == ["5H>5 +5"]
        await on.press("f")
        assert not re.search("[♣♦♥♠]", on.text)
        await on.press("f", "u")
        assert on.told == "taken back: 5♥>5 +5"
        await on.press("up", "left", "enter")
        assert on.app.screen is table

    drive(steps, table)


def test_klondike__the_mouse_takes_and_puts() -> None:
    table = klondike()

    async def click(on: Driven, spot: Spot) -> None:
        piles = table.piles
        [(x, y), *_] = [
            (x, y) for y in range(piles.size.height) for x in range(piles.size.width) if piles.spot_at(x, y) == spot
        ]
        await on.pilot.click(piles, offset=(x + 1, y))
        await on.settle()

    async def steps(on: Driven) -> None:
        await click(on, Spot("stock"))
        assert len(table.game.history) == 1
        await click(on, Spot("pile_6", 5))
        await click(on, Spot("pile_6", 5))  # twice: where it fits first
        assert [str(move) for move in table.game.history] == ["deal", "AH>F +20"]
        await click(on, Spot("pile_4", 3))
        await click(on, Spot("pile_5", 4))
        assert str(table.game.history[-1]) == "5H>5 +5"

    drive(steps, table)


def test_klondike__tall_piles_fit_and_a_hint_takes_the_card() -> None:
    table = klondike()
    table.game.play_all(parse_moves("deal*24"))

    async def steps(on: Driven) -> None:
        assert on.text.count("\n") == 23
        await on.press("h")
        assert re.search(r"then \d+ of 100 samples", on.told)
        assert table.piles.taken
        await on.resize(80, 16)
        assert "▒▒×6" in on.text
        assert "K♦" in on.text

    drive(steps, table)


def test_fishing__is_watched_stopped_stepped_and_ended() -> None:
    table = FishingScreen(SideSession(FishingGame.usual, seed=7), Language.EN, 0.0)

    async def steps(on: Driven) -> None:
        while table.game.plays < 3:
            await asyncio.sleep(0.02)
        table.pause = 9.0
        await on.press("space")
        assert "paused: Space continues" in on.told
        plays = table.game.plays
        await on.press("right", "right", "left")
        assert table.game.plays == plays + 1
        assert "2 3" not in on.text  # hands are closed
        await on.press("o")
        assert table.shown_scene.seats[0].hand is not None
        await on.press("e")
        assert table.game.plays == 275
        assert on.told == "player_1 has no cards left and loses"
        await on.press("left", "n", "space")
        assert table.session.seed == 8

    drive(steps, table)


def test_fishing__a_game_without_an_end_is_said_to_have_none() -> None:
    endless = SideSession(FishingGame.usual, start=FishingGame.of_hands("2 2 2 3 | 3 3 2 3"))
    table = FishingScreen(endless, Language.EN, 9.0)
    table.is_running_on = False

    async def steps(on: Driven) -> None:
        await on.press("e")
        assert on.told.startswith("never ends")

    drive(steps, table)


def test_parse__of_the_cards_is_what_the_tests_think() -> None:
    assert parse_cards("W[wild]") == (73,)


@pytest.mark.parametrize("screen", terminal.SCREENS)
def test_screens__are_tables_with_the_arguments_of_show(screen: str) -> None:
    module, name = terminal.SCREENS[screen]
    made = getattr(import_module(f"big2_env.tables.terminal.{module}"), name)
    assert issubclass(made, TableFrame)
    assert {"lang", "pause"} <= set(signature(made).parameters)
