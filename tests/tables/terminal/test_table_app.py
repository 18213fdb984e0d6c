"""The table in the terminal: a whole game by keys, the mouse, dialogs, every ruleset on every size of screen."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Awaitable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest
from terminal_table import Driven, drive, golden_screen, session

from big2_env import Game, LegalPlays, Play, View
from big2_env.agents.advice import Advice
from big2_env.base.cards import iter_cards
from big2_env.base.errors import ConfigError
from big2_env.base.language import Language
from big2_env.climbing.play import PASS
from big2_env.climbing.rulesets import available_rulesets, ruleset
from big2_env.drawing.replay_page import Replay
from big2_env.tables.session.own_file import OwnFile
from big2_env.tables.session.saved import saved_games
from big2_env.tables.session.table_session import TableSession
from big2_env.tables.terminal.table_screen import TableScreen
from big2_env.tables.terminal.table_view import FOUR_INKS, INKS, PAPER, CardStyle, inline, mark

RULES = available_rulesets()
SIZES = [(80, 24), (120, 40)]


@pytest.mark.parametrize("name", sorted(RULES))
def test_screen__of_every_ruleset_is_the_golden_one(name: str) -> None:
    """`BIG2_WRITE_SCREENS=1` writes the golden files again: look at what changed."""
    lang = list(Language)[len(name) % 3]

    async def steps(on: Driven) -> None:
        await on.press(*(["1"] if on.table.legal.calls else ["p" if on.table.legal.can_pass else "tab", "enter"]))
        on.table.hand.cursor = 2
        await on.press("up")
        for size in SIZES:
            await on.resize(*size)
            golden_screen(on, f"{name}-{size[0]}x{size[1]}")

    drive(steps, session(name), lang=lang)


@pytest.mark.parametrize("dark", [True, False])
def test_screen__is_the_same_text_in_light_and_dark(dark: bool) -> None:
    async def steps(on: Driven) -> None:
        before, theme = on.text, on.app.theme
        await on.press("d")
        assert on.app.theme != theme
        assert on.text == before
        assert on.app.current_theme.dark is not dark

    drive(steps, dark=dark)


def test_cards__have_contrast_and_a_sign_each() -> None:
    def light(colour: str) -> float:
        parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    for ink in (*INKS.values(), *FOUR_INKS.values()):
        assert (light(PAPER) + 0.05) / (light(ink) + 0.05) > 5.5
    hand = session("dou_dizhu").scene(Language.EN).seats[0].hand or ()
    for letters in (False, True):
        assert len({mark(face, CardStyle(letters)) for face in hand}) == len({face.suit for face in hand})
    assert inline(hand[:2], CardStyle(letters=True)).plain == f"{hand[0].text} {hand[1].text}"


SHORT = {
    "dou_dizhu": 28,
    "dou_dizhu_4p": 16,
    "dou_dizhu_x": 28,
    "pao_de_kuai": 42,
    "qi_gui_521": 41,
    "qi_gui_523": 58,
    "wu_gua_pi": 43,
}
"""Seeds of deals that end soon where everybody makes the first legal play; of the other games seed 3 is one."""


TWINS = ("chu_da_di", "dou_dizhu_x", "hong_kong", "qi_gui_521")
"""Games that play like another one; their whole games are left to the long run."""


@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.long] * (name in TWINS)) for name in sorted(RULES)])
def test_keys__play_a_whole_game(name: str) -> None:
    keep, seed = OwnFile(), SHORT.get(name, 3)

    async def steps(on: Driven) -> None:
        for _ in range(60):
            if on.app.screen is not on.table:
                break
            await on.press(*(["1"] if on.table.legal.calls else ["tab", "enter"]))
        assert on.table.session.is_over
        text = on.text
        assert "The deal is over: won by" in text
        assert all(seat.name in text for seat in on.table.shown_scene.seats)
        assert any(on.table.session.scores)
        [game] = saved_games()
        assert game.payoff == on.table.session.scores[0]
        await on.press("n")
        assert (on.table.session.dealt, on.table.session.seed) == (2, seed + 1)

    drive(steps, session(name, seed=seed, keep=keep))
    assert keep.problem is None


def test_keys__choose_cards() -> None:
    async def steps(on: Driven) -> None:
        hand = on.table.hand
        await on.press("3")
        assert hand.chosen == {0}
        assert on.told == "✓ single 3♦: Enter plays it"
        await on.press("3")
        assert hand.chosen == {0, 1}
        assert on.told == "✗ pair 3♥ 3♦ does not beat single 3♣"
        await on.press("3")
        assert hand.chosen == set()
        await on.press("0")
        assert hand.chosen == {12}
        await on.press("escape", "left", "space")
        assert hand.chosen == {11}
        await on.press("right", "up", "up")
        assert hand.chosen == {11, 12}
        await on.press("down")
        assert hand.chosen == {11}
        await on.press("escape", "q")
        assert on.told == "✗ you hold no Q; Ctrl+Q leaves the game"
        await on.press("a")
        assert on.told == "✗ you hold no A"
        before = len(on.table.session.game.history)
        await on.press("enter")
        assert len(on.table.session.game.history) == before
        await on.press("shift+tab", "tab")
        assert len(hand.chosen) == 1
        await on.press("p")
        assert len(on.table.session.game.history) > before
        await on.press("u")
        assert len(on.table.session.game.history) == before
        await on.press("u")
        assert on.told == "you have no move to take back"

    drive(steps)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ["big2", "dou_dizhu_4p"])
def test_mouse__a_click_chooses_the_card_under_it(name: str, size: tuple[int, int]) -> None:
    async def steps(on: Driven) -> None:
        hand = on.table.hand
        if on.table.legal.calls:
            await on.press("3")
        seen = {}
        for y in range(hand.size.height):
            for x in range(hand.size.width):
                place = hand.place_at(x, y)
                if place is not None:
                    seen.setdefault(place, []).append((x, y))
        assert sorted(seen) == list(range(len(hand.faces)))
        for place in (0, len(hand.faces) // 2, len(hand.faces) - 1):
            x, y = seen[place][len(seen[place]) // 2]
            await on.pilot.click(hand, offset=(x, y))
            await on.pilot.pause()
            assert hand.chosen == {place}
            await on.pilot.click(hand, offset=(x, y))
            await on.pilot.pause()
            assert hand.chosen == set()

    drive(steps, session(name), size)


def test_mouse__keys_can_be_clicked() -> None:
    async def steps(on: Driven) -> None:
        line = next(text for text in on.text.splitlines() if "P pass" in text)
        y = on.text.splitlines().index(line)
        before = len(on.table.session.game.history)
        await on.pilot.click(offset=(line.index("P pass") + 3, y))
        await on.settle()
        assert len(on.table.session.game.history) > before

    drive(steps)


def test_auction__is_spoken_by_numbers_and_letters() -> None:
    async def steps(on: Driven) -> None:
        assert "1 叫地主" in on.text or "1 抢地主" in on.text
        await on.press("2")
        assert on.table.legal.calls
        await on.press("y")
        assert "抢地主" in on.text

    drive(steps, session("dou_dizhu"), lang=Language.HANS)


def test_readings__are_asked_about() -> None:
    rules = ruleset("dou_dizhu_x")
    cards = rules.order.sort(rules.deck.mask)
    deck_less = [cards[:8], cards[9:10], cards[10:11]]
    table = session("dou_dizhu_x")
    table.start(Game.from_hands(rules, deck_less), 0)

    async def steps(on: Driven) -> None:
        for place in range(8):
            on.table.hand.cursor = place
            await on.press("up")
        assert on.told.endswith("Enter asks which")
        await on.pilot.press("enter")
        await on.pilot.pause()
        assert "Choose one:" in on.text
        await on.press("3")
        assert table.game.history[-1].play.pattern == "quad_two_pairs"
        assert table.is_over

    drive(steps, table)


def test_hint__chooses_the_cards_and_says_why() -> None:
    async def steps(on: Driven) -> None:
        await on.press("h")
        await on.pilot.pause()
        assert on.table.hand.chosen == {0}
        assert on.told == "Hint: single 3♦ · the lowest single that beats it"
        await on.press("v")
        await on.pilot.pause()
        assert "Best moves according to Thrifty" in on.text
        assert "the lowest single that beats it" in on.text
        await on.press("escape")
        assert on.app.screen is on.table

    drive(steps)


def test_hint__enter_confirms_a_suggested_pass_until_cards_are_chosen() -> None:
    class Passer:
        def reset(self, seed: int) -> None:
            pass

        def act(self, view: View, legal: LegalPlays) -> Play:
            return PASS if PASS in legal else next(iter(legal))

    async def steps(on: Driven) -> None:
        on.table.session.adviser = "lowest"
        await on.press("h")
        await on.press("enter")
        while PASS not in on.table.session.legal:
            await on.press("tab")
            await on.press("enter")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("big2_env.tables.session.table_session.make_agent", lambda name: Passer())
            on.table.session.adviser = "passer"
            await on.press("h")
            await on.pilot.pause()
            assert on.told.startswith("Hint: pass · ")
            assert "Enter confirms" in on.told
            await on.press("space")
            await on.press("space")
            moves = len(on.table.session.game.history)
            await on.press("enter")
            assert len(on.table.session.game.history) == moves
            await on.press("h")
            await on.pilot.pause()
            await on.press("enter")
            mine = [move.play for move in on.table.session.game.history[moves:] if move.seat == on.table.session.seat]
            assert mine[0] == PASS

    drive(steps)


def test_coach__asks_before_a_blunder_and_can_be_off() -> None:
    class Certain:
        def reset(self, seed: int) -> None:
            pass

        def act(self, view: View, legal: LegalPlays) -> Play:
            return next(iter(legal))

        def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
            *others, best = list(legal)
            return [Advice(best, sure=True), *map(Advice, others)]

    async def steps(on: Driven) -> None:
        moves = len(on.table.session.game.history)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("big2_env.tables.session.table_session.make_agent", lambda name: Certain())
            await on.press("g")
            assert on.told == "The coach also asks before a blunder."
            await on.press("tab")
            await on.press("enter")
            await on.pilot.pause()
            assert "? The coach would choose" in " ".join(on.text.split())
            await on.press("escape")
            assert len(on.table.session.game.history) == moves
            await on.press("enter")
            await on.pilot.pause()
            await on.press("y")
            assert len(on.table.session.game.history) > moves
        await on.press("g")
        await on.press("h")
        assert on.told == "The coach is off; G turns it on."

    drive(steps)


def test_hint__an_adviser_that_cannot_says_so() -> None:
    table = TableSession(ruleset("big2"), ["lowest"] * 2, seed=3, adviser="lowest")
    table.adviser = "learned"

    async def steps(on: Driven) -> None:
        await on.press("h")
        assert on.told.startswith("✗ no learned player for 3 players: it learned with 4")

    drive(steps, table)


def test_dialogs__review_rules_language_letters_speed() -> None:
    async def steps(on: Driven) -> None:
        await on.press("r")
        assert "Moves so far" in on.text
        assert "Thrifty 3: single 3♣" in on.text
        await on.press("escape", "question_mark")
        assert "go through your legal plays" in on.text
        await on.press(*["pagedown"] * 2)
        assert "Beating a play" in on.text
        await on.press("escape", "l")
        assert "大老二" in on.text
        await on.press("l", "f")
        assert not re.search("[♣♦♥♠]", on.text)
        await on.press("l", "s")
        assert on.table.pause == 0.3
        assert on.told == "pause after each move: 0.3 s"

    drive(steps)


def test_leaving__asks_while_the_game_goes_on() -> None:
    async def steps(on: Driven) -> None:
        await on.press("ctrl+q")
        assert "Leave the game?" in on.text
        await on.press("escape")
        assert on.app.is_running
        await on.press("n")
        assert "Give up this deal?" in on.text
        await on.press("y")
        assert on.table.session.dealt == 2
        await on.press("ctrl+q")
        await on.pilot.press("y")
        await on.pilot.pause()
        assert not on.app.is_running

    drive(steps)


@pytest.mark.parametrize("name", ["big2", "dou_dizhu", "wu_gua_pi"])
def test_screen__shows_no_card_of_another_hand(name: str) -> None:
    table = session(name, "random", seed=6)

    async def steps(on: Driven) -> None:
        for _ in range(3):
            if on.app.screen is not on.table:
                break
            view = table.view
            known = view.hand | view.bottom | view.obligation
            for mask in view.played:
                known |= mask
            hidden = {str(card) for card in iter_cards(table.ruleset.deck.mask & ~known)}
            assert hidden
            await on.press("f", "r")
            texts = on.text
            await on.press("escape", "f")
            texts += on.text
            assert not hidden & set(re.findall(r"[CDHS]\[[0-9JQKA]+\]", texts))
            signs = {f"{card[2:-1]}{'♣♦♥♠'['CDHS'.index(card[0])]}" for card in hidden if "[" in card}
            assert not signs & set(re.findall(r"(?:10|[2-9JQKA])[♣♦♥♠]", texts))
            await on.press(*(["1"] if on.table.legal.calls else ["tab", "enter"]))

    drive(steps, table, (120, 40))


def test_many_seats__fit_in_two_rows() -> None:
    table = TableSession(ruleset("wu_gua_pi"), ["lowest"] * 9, seed=1)

    async def steps(on: Driven) -> None:
        assert all(f"Thrifty {number}" in on.text for number in range(1, 10))
        assert len(on.text.splitlines()) == 24
        assert "╭───╮" in on.text

    drive(steps, table)


class Broken:
    """An agent that makes no legal act."""

    def reset(self, seed: int) -> None: ...

    def act(self, view: object, legal: object) -> object:
        return json


def test_fault__of_an_agent_ends_the_application_and_is_raised() -> None:
    table = session()
    table._agents[3] = Broken()  # type: ignore[call-overload]

    async def steps(on: Driven) -> None:
        await on.pilot.pause()

    with pytest.raises(ConfigError, match="expected a legal move"):
        drive(steps, table)


def styles_of(on: Driven, text: str) -> set[str]:
    """Colors of a text on the screen, foreground on background."""
    found = set()
    for strip in on.app.screen._compositor.render_strips():
        for segment in strip:
            if text in segment.text and segment.style is not None and segment.style.color is not None:
                found.add(f"{segment.style.color.name} on {segment.style.bgcolor and segment.style.bgcolor.name}")
    return found


def test_caps_lock__keys_move_as_their_lower_case_ones() -> None:
    async def steps(on: Driven) -> None:
        await on.press("H")
        assert on.told.startswith("Hint: single 3♦")
        await on.press("escape", "V")
        await on.pilot.pause()
        assert "Best moves according to Thrifty" in on.text
        await on.press("escape", "R")
        assert "Moves so far" in on.text
        await on.press("escape", "P")
        assert len(on.table.session.game.history) == 5
        await on.press("U")
        assert len(on.table.session.game.history) == 1
        await on.press("J")
        assert on.told == "✗ you hold no J"
        await on.press("N")
        assert "Give up this deal?" in on.text
        await on.press("Y")
        assert on.table.session.dealt == 2

    drive(steps)


@pytest.mark.parametrize("dark", [True, False])
def test_log__has_the_colours_of_suits(dark: bool) -> None:
    async def steps(on: Driven) -> None:
        await on.press("3", "enter")
        assert "you: single 3♦" in on.text
        assert f"{INKS['diamond']} on {PAPER}" in styles_of(on, "3♦")
        assert f"{INKS['club']} on {PAPER}" in styles_of(on, "3♣")
        assert INKS["diamond"] == INKS["heart"] != INKS["spade"] == INKS["club"]
        await on.press("c")
        assert f"{FOUR_INKS['diamond']} on {PAPER}" in styles_of(on, "3♦")
        assert len({FOUR_INKS[suit] for suit in ("club", "diamond", "heart", "spade")}) == 4
        await on.press("r")
        assert styles_of(on, "3♣") == {f"{FOUR_INKS['club']} on {PAPER}"}

    drive(steps, dark=dark)


def test_settings__begin_as_in_the_browser() -> None:
    script = (files("big2_env.tables.browser") / "page" / "dom.js").read_text("utf-8")
    assert "fourColours: false" in script
    assert not TableScreen(session(), Language.EN, 0.0).card_style.four_colours


class Judging:
    """A judge that counts its steps and marks every move."""

    moments, done, edition, is_waiting = 2, 0, 0, False

    def step(self) -> None:
        self.done += 1

    def judged(self, shown: Replay, transcript: object, lang: Language) -> Replay:
        return replace(shown, marks=("??",) * len(shown.moves))


def play_to_the_end(on: Driven) -> Awaitable[None]:
    async def play() -> None:
        for _ in range(60):
            if on.app.screen is not on.table:
                break
            await on.press("tab", "enter")

    return play()


@pytest.mark.parametrize("opens", [True, False])
def test_review_page__is_written_opened_and_judged(opens: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = list[Path]()
    monkeypatch.setattr("big2_env.tables.terminal.table_screen.open_page", lambda path: opened.append(path) or opens)
    monkeypatch.setattr("big2_env.tables.session.reviewer.reviewing", lambda name, game, seat, players: Judging())

    async def steps(on: Driven) -> None:
        await on.press("w")
        assert on.told == "W writes the review page when the deal is over."
        await play_to_the_end(on)
        assert "W  review page" in on.text
        await on.press("W")
        for _ in range(3000):
            if "values:" not in on.told:
                break
            await on.pilot.pause(0.01)
        [path] = opened
        [game] = saved_games()
        assert path == game.path.with_name(f"{game.path.stem}-3.html")
        said = "The review page has its values, reload it" if opens else "Review page"
        assert on.told.replace("\n", "") == f"✓ {said}: {path}"
        page = path.read_text("utf-8")
        assert '"marks":["??",' in page
        assert "Thrifty 3" in page
        assert saved_games() == [game]
        await on.press("w")
        assert opened == [path, path]
        await on.press("u")
        assert str(path) not in on.told

    drive(steps, session(keep=OwnFile()), (250, 40))


def test_review_page__that_cannot_be_written_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("big2_env.tables.terminal.table_screen.ReviewFile.write", no_space)

    async def steps(on: Driven) -> None:
        await play_to_the_end(on)
        await on.press("w")
        assert re.fullmatch("✗ No review page: .*No space left on device", on.told)

    drive(steps)


def no_space(review: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
