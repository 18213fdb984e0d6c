"""The side games at the prompt: what people type is understood, and what is printed plays the same deal again."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from run_cli import run_cli

from big2_env.base.errors import NotationError
from big2_env.base.language import Language, words
from big2_env.games.fishing import command as fishing
from big2_env.games.klondike.cards import move_text, parse_move
from big2_env.games.klondike.game import KlondikeGame
from big2_env.games.uno import command as uno
from big2_env.games.uno.cards import Colour, card_of, card_text, is_wild, parse_typed, played_card
from big2_env.games.uno.cards import move_text as move_text_of_uno
from big2_env.games.uno.game import UnoGame
from big2_env.games.uno.players import automatic_move
from big2_env.games.uno.rules import uno_rules
from big2_env.games.uno.scene import COLOUR_NAMES, card_words, colour_words, face, move_words
from big2_env.notation.side_records import load
from big2_env.tables.prompt import side_play
from big2_env.tables.session.side_session import SideSession
from big2_env.text.answers import Ambiguous, Illegal, Played, Unreadable, read_side_answer, read_side_line

UNO = ("uno", "play", "--players", "3", "--rules", "table", "--seed", "3", "--seat", "0")


def test_uno__a_person_plays_through_a_pipe(tmp_path: Path) -> None:
    kept = tmp_path / "uno.jsonl"
    typed = ["0", "zz", "9", "r7", "help", "h", "u", "", "review", "b 4", "quit"]
    found = run_cli(*UNO, "--record", str(kept), stdin="\n".join(typed) + "\n")
    assert found.status == 0
    for said in (
        "red 4 may not be played now",
        "'zz' names no card",
        "expected an index from 0 to 6, got '9'",
        "red 7 may not be played now",
        "an empty line or p draws or keeps",
        "Hint: G[6] (what the automatic player would do)",
        "you have no move to take back",
        "you: draws",
        "Computer 1: yellow 3",
        "you: blue 4",
    ):
        assert said in found.out, said
    command = shlex.split(found.out.splitlines()[-1].partition(": ")[2])
    assert command == ["big2", "uno", "play", *UNO[2:6], "--record", str(kept), *UNO[8:], *UNO[6:8]]
    [record] = load(kept.read_text("utf-8"), UnoGame)
    assert [seat for seat, _ in record.game.history].count(0) == 2
    assert record.extra == {"seed": 3, "seed_counts": True, "players": ["person", "article", "article"]}


def test_uno__a_game_through_a_pipe_ends() -> None:
    found = run_cli(*UNO[:-4], "--seed", "5", "--seat", "0", stdin="p\n" * 40)
    assert found.status == 0  # a whole game of draws ends
    assert "over" in found.out
    assert "Traceback" not in found.err


@pytest.mark.parametrize(
    ("typed", "card"),
    [
        ("g+2", (57, None)),
        ("R[7]", (7, None)),
        ("blue skip", (40, None)),
        ("黄反转", (26, None)),
        ("W[+4] Y", (74, 1)),
        ("w", (73, None)),
    ],
)
def test_uno__cards_are_read_as_people_type_them(typed: str, card: tuple[int, int | None]) -> None:
    assert parse_typed(typed) == (card,)


def drawing_twos() -> Iterator[tuple[UnoGame, int, int]]:
    """Positions in which a draw two and the two of its color are legal, with both moves."""
    for seed in range(400):
        game = UnoGame.usual(seed)
        while not game.is_over:
            moves = game.legal_moves()
            yield from ((game, card_of(c, 2), card_of(c, 12)) for c in range(4) if {card_of(c, 2), card_of(c, 12)} <= {*moves})
            game.play(moves[0])


def test_uno__a_draw_two_may_be_a_two_with_a_word_too_many() -> None:
    tr = words(Language.EN)
    game, two, draw_two = next(drawing_twos())
    colour = COLOUR_NAMES[two // 15]
    names = card_text(draw_two), card_text(two)
    for text in (f"{colour} draw 2", f"I play {colour} draw two", f"{colour[0]} draw2"):
        assert read_side_answer(text, game) == Ambiguous(names)
        with pytest.raises(NotationError, match=re.escape(f"choose a card: {' / '.join(names)}")):
            read_side_line(text, game, game.turn, tr)
    for text, move in ((f"{colour} 2", two), (f"{colour} +2", draw_two), (card_text(draw_two), draw_two)):
        assert read_side_answer(text, game) == Played(move)
        assert read_side_line(text, game, game.turn, tr) == (move,)


def test_uno__a_draw_two_that_is_not_held_is_never_a_two() -> None:
    tr = words(Language.EN)
    for seed in range(50):
        game = UnoGame.usual(seed)
        held = [move for move in game.legal_moves() if move < 60 and move % 15 == 2 and move + 10 not in game.legal_moves()]
        for move in held:
            text = f"{COLOUR_NAMES[move // 15]} draw 2"
            assert isinstance(read_side_answer(text, game), Illegal)
            with pytest.raises(NotationError, match=r"you do not hold|may not be played"):
                read_side_line(text, game, game.turn, tr)
            return
    raise AssertionError("no two was legal")


def test_prompts__of_side_games_leave_out_words_before_a_move() -> None:
    tr, game = words(Language.EN), UnoGame.usual(3)
    text = game.move_text(game.legal_moves()[0])
    for lead in ("I play ", "play ", "So, my move is ", "我出"):
        assert read_side_line(f"{lead}{text}", game, game.turn, tr) == (game.legal_moves()[0],)
    klondike = KlondikeGame.deal(7)
    for line in ("I play 5H>5", "move the five of hearts to pile 5", "♥5 → 5", "红桃5到5", "5 (H) to 5", "play H[5] to 5"):
        assert list(map(move_text, read_side_line(line, klondike, 0, tr))) == ["5H>5"], line
        assert read_side_answer(line, klondike) == Played(parse_move("5H>5")), line
    assert list(map(move_text, read_side_line("deal, 5h > 5; deal*2", klondike, 0, tr))) == ["deal", "5H>5", "deal", "deal"]
    found = run_cli("klondike", "play", "--seed", "7", stdin="I play the five of hearts to 5\nundo\nquit\n")
    assert "taken back: 5H>5 +5" in found.out
    for line in ("5 to 5", "5H 6H to 5", "5H to 8", "hearts to 5", "5H or 6H to 5"):
        assert isinstance(read_side_answer(line, klondike), Unreadable), line
        with pytest.raises(NotationError):
            read_side_line(line, klondike, 0, tr)


@pytest.mark.parametrize(
    ("asked", "full_width", "made"),
    [
        (("play", "greedy", "--seed", "7", "--players", "2", "--seat", "1"), "０", "you: single"),
        (("play", "greedy", "--seed", "7", "--players", "2", "--seat", "1"), "？", "h hint"),
        ((*UNO[:-3], "3", "--seat", "0"), "ｐ", "you: draws"),
        ((*UNO[:-3], "3", "--seat", "0"), "？", "h hint"),
        (("klondike", "play", "--seed", "7"), "５Ｈ＞５", "score 5"),
        (("klondike", "play", "--seed", "7"), "？", "5H>3"),
    ],
)
def test_prompts__read_full_width_letters_and_no_end_of_a_long_line(asked: tuple[str, ...], full_width: str, made: str) -> None:
    usual = unicodedata.normalize("NFKC", full_width)
    outs = [run_cli(*asked, stdin=f"{typed}\nq\n").out.split("> ", 1)[1] for typed in (usual, full_width)]
    found = run_cli(*asked, stdin=f"{' ' * 999}x{usual}\nq\n").out.split("> ")
    assert outs[0].partition("kept in")[0] == outs[1].partition("kept in")[0]
    assert made in outs[1]
    assert found[1] == "expected at most 1000 characters\n"
    assert len(found) == 3


@pytest.mark.parametrize("language", Language)
def test_uno__moves_are_typed_as_hints_name_them(language: Language) -> None:
    game, tr = UnoGame.deal(uno_rules("article", wild_four="free"), 3), words(language)
    for _ in range(60):
        for move in game.legal_moves():
            assert read_side_answer(move_words(move, tr), game, None, language) == Played(move)
        game.play(game.legal_moves()[0])
        game = game if not game.is_over else UnoGame.deal(game.rules, game.deck[0])


@pytest.mark.parametrize("language", Language)
def test_uno__a_wild_card_names_no_colour_if_any_card_may_follow(language: Language) -> None:
    tr = words(language)
    game = UnoGame.deal(uno_rules("letter"), 3)
    while (move := automatic_move(game.view())) >= 60 or not is_wild(played_card(move)):
        game.play(move)
    named = face(played_card(move), tr).name
    logged = game.turn_text(move, tr)
    game.play(move)
    said = game.shown_move(game.history[-1], tr).words
    assert said == named
    assert game.scene(lang=language).events[-1].endswith(named)
    assert logged.endswith(move_text_of_uno(move) if language is Language.EN else named)


def test_uno__chinese_names_the_colours_that_are_there() -> None:
    """Blue and green were exchanged."""
    tr = words(Language.HANT)
    assert [card_words(card_of(colour, 7), tr) for colour in range(4)] == ["紅7", "黃7", "藍7", "綠7"]
    assert move_words(29, tr) == "變色 +4（指定黃）"
    assert [colour_words(colour, tr) for colour in Colour][:4] == list("紅黃藍綠")


def test_uno__people_and_automatic_players_are_not_mixed() -> None:
    found = run_cli("uno", "play", "--seat", "1", "--games", "2")
    assert found.status == 2
    assert "expected one of --seat or --record, for people, and --games" in found.err
    found = run_cli("uno", "play", "--against", "automatic", "--log", "text")
    assert (found.status, found.out) == (2, "")
    assert "expected --against, for people, or --games" in found.err
    found = run_cli("uno", "play", "--agent-seed", "3", "--games", "2")
    assert (found.status, found.out) == (2, "")
    assert "expected --agent-seed, for people, or --games" in found.err


def test_klondike__words_are_understood_and_the_deal_is_named() -> None:
    typed = ["pass", "", "p", "deal, deal", "help", "review", "5h > 5", "undo", "提示", "quit"]
    found = run_cli("klondike", "play", "--seed", "7", stdin="\n".join(typed) + "\n")
    assert found.status == 0
    assert "taken back: 5H>5 +5" in found.out
    assert found.out.count("u undo") == 2
    assert "see the whole dealer area first" in found.out
    assert "stopped, score 0, 5 moves" in found.out
    assert found.out.splitlines()[-1] == "the same deal again: big2 klondike play --seed 7"


@pytest.mark.parametrize("verb", ["uno", "klondike", "fishing"])
def test_a_terminal__opens_the_table(verb: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []

    for module in (side_play, fishing):
        monkeypatch.setattr(module, "has_table", lambda plain: not plain)
    monkeypatch.setattr(uno, "is_at_terminal", lambda: True)

    def show(screen: str, shown: Any, seed: int | None = None, **_: object) -> None:
        opened.append(shown.seed if seed is None else seed)

    monkeypatch.setattr("big2_env.tables.terminal.show", show)
    assert run_cli(verb, "play", "--seed", "7", stdin="q\n").status == 0
    assert opened == [7]
    assert run_cli(verb, "play", "--seed", "7", "--plain", stdin="q\n").status == 0
    assert opened == [7]


@pytest.mark.parametrize(
    "options",
    [
        ["--seed", "7"],
        ["--hands", "2 2 2 3 | 3 3 2 3", "--turn-passes"],
        ["--seed", "3", "--deck", "52", "--order", "reversed", "--empty-first", "--j-on-empty"],
        ["--seed", "3", "--no-j-power"],
    ],
)
def test_fishing__prints_the_command_that_shows_the_game_again(options: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    watched: list[Any] = []
    monkeypatch.setattr(fishing, "has_table", lambda plain: not plain)
    monkeypatch.setattr(
        "big2_env.tables.terminal.show",
        lambda screen, session, **_: watched.append((session.game.hands, session.game.rules)),
    )
    found = run_cli("fishing", "play", *options)
    assert (found.status, found.err) == (0, "")
    command = found.out.partition(": ")[2]
    assert shlex.split(command)[:3] == ["big2", "fishing", "play"]
    run_cli(*shlex.split(command)[1:])
    assert watched[0] == watched[1]
    assert "--seed" in options or options == shlex.split(command)[3:]


def test_uno__a_session_counts_deals_and_takes_back() -> None:
    session = SideSession(partial(UnoGame.deal, uno_rules()), seed=1)
    assert not session.undo()
    while not session.is_over:
        if session.advance() is None:
            session.play(session.view.moves[0])
    paid = session.scores
    assert sum(paid) == 0
    assert session.undo()
    assert session.scores == (0.0, 0.0)
    session.next_deal()
    assert (session.seed, session.dealt, session.scores) == (2, 2, (0.0, 0.0))


@pytest.mark.parametrize(
    ("verb", "deal", "said"),
    [
        ("klondike", ("--deck", str(KlondikeGame.deal(3).start_data()["deck"])), "expected --seed, or --deck or --position"),
        ("klondike", ("--position", "{}"), "expected --seed, or --deck or --position"),
        ("fishing", ("--hands", "2 3 | 3 2"), "expected --hands alone"),
    ],
)
def test_side_games__refuse_a_seed_with_a_deal_of_its_own(verb: str, deal: tuple[str, ...], said: str) -> None:
    for one in ("play", "deal", "solve", "hint") if verb == "klondike" else ("play",):
        found = run_cli(verb, one, *deal, "--seed", "0", stdin="q\n")
        assert (found.status, found.out, found.err.count("\n")) == (2, "", 1)
        assert said in found.err
