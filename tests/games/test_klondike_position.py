"""The messages of the published check in every language, byte for byte, and positions given as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from klondike_states import played
from run_cli import run_cli

from big2_env import ConfigError, NotationError
from big2_env.games.klondike import KlondikeGame
from big2_env.games.klondike.position import parse_position, position_of, position_text
from big2_env.notation.side_records import SideRecord, dumps, load


def late(*piles: str, down: int) -> dict[str, Any]:
    """A position with clubs and diamonds done, hearts up to the 8, spades up to the 9; the first pile hides cards."""
    return {
        "piles": [*piles, *[""] * (7 - len(piles))],
        "down": [down, *[0] * 6],
        "dealer": "",
        "foundations": [13, 13, 8, 9],
    }


RUN_FITS = late("KH 9H", "TS", "KS QH JS TH", "QS JH", down=1)
FOUNDATION = late("TS 9H", "KH", "KS QH JS TH", "QS JH", down=1)
NOTHING = late("9H TS KH", "KS QH JS TH", "QS JH", down=2)

DEALER_FITS = """\
發牌區 [--] 0/24   結算牌堆 -- -- -- --   得分 0
 1   2   3   4   5   6   7
9H  ##  ##  ##  ##  ##  ##
    3D  ##  ##  ##  ##  ##
        TD  ##  ##  ##  ##
            5H  ##  ##  ##
                6S  ##  ##
                    AH  ##
                        KD
可做的動作：deal AH>F 5H>5
第1活局: `七牌堆`最後一張後面要接的牌存在於`發牌區`
(遊戲還有解)
"""
LINE_1 = "第1活局: `七牌堆`最後一張後面要接的牌存在於`發牌區`\n(遊戲還有解)\n"
LINE_2 = "第2活局: 任一`七牌堆`壓在隱藏牌上放的那張可以接在其他`七牌堆`的後面(不包含本身牌堆)\n(遊戲還有解)\n"
LINE_3 = "第3活局: `發牌區`任一張牌或`七牌堆`的最後一張 可移動至 `結算牌堆`\n(遊戲還有解)\n"


def out_of(*args: str, stdin: str = "") -> str:
    """What a Klondike verb prints."""
    found = run_cli("klondike", *args, stdin=stdin)
    assert (found.status, found.err) == (0, "")
    return found.out


def test_deal__is_all_chinese() -> None:
    assert out_of("deal", "--seed", "7", "--lang", "zh-Hant") == DEALER_FITS


@pytest.mark.parametrize(
    ("given", "hant", "hans", "english"),
    [
        (
            ["--seed", "10"],
            LINE_1,
            "第1活局: `七牌堆`最后一张后面要接的牌存在于`发牌区`\n(游戏还有解)\n",
            "yes: the last card of a pile is an ace (AH)\n",
        ),
        (
            ["--seed", "7"],
            LINE_1,
            "第1活局: `七牌堆`最后一张后面要接的牌存在于`发牌区`\n(游戏还有解)\n",
            "yes: a card of the dealer area fits a pile (9H)\n",
        ),
        (
            ["--position", json.dumps(RUN_FITS)],
            LINE_2,
            "第2活局: 任一`七牌堆`压在隐藏牌上放的那张可以接在其他`七牌堆`的后面(不包含本身牌堆)\n(游戏还有解)\n",
            "yes: a pile's face-up cards can move as a whole (9H)\n",
        ),
        (
            ["--position", json.dumps(FOUNDATION)],
            LINE_3,
            "第3活局: `发牌区`任一张牌或`七牌堆`的最后一张 可移动至 `结算牌堆`\n(游戏还有解)\n",
            "yes: the next card of a foundation is within reach (9H)\n",
        ),
        (["--position", json.dumps(NOTHING)], "(可能無解😎)\n", "(可能无解😎)\n", "no: nothing found\n"),
    ],
    ids=["ace", "dealer", "run", "foundation", "nothing"],
)
def test_check__says_what_the_articles_program_says(given: list[str], hant: str, hans: str, english: str) -> None:
    for lang, said in (("zh-Hant", hant), ("zh-Hans", hans), ("en", english)):
        shown = out_of("deal", *given, "--lang", lang)
        assert shown.endswith(f"\nstill a way? {said}" if lang == "en" else f"\n{said}")
        solved = out_of("solve", *given, "--lang", lang).partition("\n")[2]
        title = {"en": "the published check: ", "zh-Hant": "文章的檢查：\n", "zh-Hans": "文章的检查：\n"}[lang]
        assert solved.startswith(title + said)
        table = out_of("play", *given, "--plain", "--lang", lang, stdin="check\nq\n")
        assert f"> {said}> " in table


@pytest.mark.parametrize("seed", range(8))
def test_position__there_and_back(seed: int) -> None:
    state = played(seed, 20 * seed)
    assert parse_position(position_text(state)) == state


def test_position__takes_the_place_of_a_deal_in_every_verb(tmp_path: Path) -> None:
    game = KlondikeGame.deal(7)
    game.play_all([0, 0, 0])
    text, file = position_text(game.state), tmp_path / "games.jsonl"
    deal = ["--seed", "7", "--acts", "deal*3"]
    for verb in ("deal", "solve", "hint"):
        there = [out_of(verb, *given, "--lang", "en").splitlines() for given in (["--position", text], deal)]
        assert [line for line in there[0] if "positions, " not in line] == [
            line for line in there[1] if "positions, " not in line
        ]
    shown = out_of("play", "--position", text, "--record", str(file), "--plain", "--lang", "en", stdin="u\nAH\nq\n")
    assert "nothing to take back" in shown
    assert shown.splitlines()[-1] == f"the same deal again: big2 klondike play --position '{text}'"
    (record,) = load(file.read_text("utf-8"), KlondikeGame)
    assert (record.game.start, record.game.score, record.game.deck) == (game.state, 20, None)
    assert out_of("replay", str(file), "--lang", "en") == "records replayed: 1; all agree with the rules\n"
    assert record.game.restarted().state == game.state


GOOD = json.loads(position_text(KlondikeGame.deal(7).state))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"piles": ["9H"]}, "expected 7 piles and 4 foundations, got 1 and 4"),
        ({"piles": "9H"}, "piles: expected a list of texts, got '\"9H\"'"),
        ({"piles": ["9X", *GOOD["piles"][1:]]}, "expected a card, a rank of A23456789TJQK with a suit of CDHS, got '9X'"),
        (
            {"piles": ["9C", *GOOD["piles"][1:]]},
            "expected a deck with each of the 52 cards once, got 52 cards, 1 of the 52 missing (missing: 9H)",
        ),
        ({"down": [0, 0, 2, 3, 4, 5, 6]}, "pile 2: 3D is on 7C, which it does not fit"),
        ({"down": [1, 0, 2, 3, 4, 5, 6]}, "pile 1: expected a card face up, got 1 of 1 cards face down"),
        ({"down": [0, 1, 2]}, "down: expected a list of 7 numbers, got '[0, 1, 2]'"),
        ({"down": [True, 1, 2, 3, 4, 5, 6]}, "down: expected a list of 7 numbers, got '[true, 1, 2, 3, 4, 5, 6]'"),
        (
            {"dealt": 25, "seen": 25},
            "expected at most 24 cards in stock and waste, each dealt and seen at most once, got 25 dealt, 25 seen of 24",
        ),
        (
            {"dealt": -1},
            "expected at most 24 cards in stock and waste, each dealt and seen at most once, got -1 dealt, 0 seen of 24",
        ),
        (
            {"dealt": 3, "seen": 2},
            "expected at most 24 cards in stock and waste, each dealt and seen at most once, got 3 dealt, 2 seen of 24",
        ),
        ({"score": 1.5}, "score: expected a whole number from -1000000 to 1000000, got '1.5'"),
        (
            {"stock": ""},
            "position: expected the keys piles, down, dealer, foundations and dealt, seen, score if needed; unknown: 'stock'",
        ),
    ],
)
def test_position__that_cannot_be_is_refused_in_one_line(change: dict[str, Any], message: str) -> None:
    data = GOOD | change
    found = run_cli("klondike", "solve", "--position", json.dumps(data))
    assert (found.status, found.out, found.err) == (2, "", f"big2: {message}\n")
    line = json.dumps({"schema": 1, "game": "klondike", "position": data, "acts": [], "won": False, "score": 0})
    with pytest.raises(NotationError, match=r"^line 1: "):
        list(load(line, KlondikeGame))


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["deal", "--position", "7"], "expected a JSON object, got '7'"),
        (
            ["deal", "--position", "{"],
            "invalid JSON: column 2: Expecting property name enclosed in double quotes; "
            "the text ends too early and may be incomplete",
        ),
        (["deal", "--position", " " * 20_000], "the position is too long: 20,000 characters (limit 10,000)"),
        (
            ["play", "--position", "{}", "--resume"],
            "--resume: expected at most a file, and no --seed, --deck, --position or --record, "
            "because the game continues with its own options",
        ),
        (["solve", "--position", json.dumps(GOOD), "--deck", "AC"], "expected --deck or --position, got both"),
        (
            ["hint", "--position", "{}", "--games", "2"],
            "expected --games alone, for every deal has its seed, got --deck, --position or --acts as well",
        ),
    ],
)
def test_position__option_is_refused_in_one_line(args: list[str], message: str) -> None:
    found = run_cli("klondike", *args)
    assert (found.status, found.out, found.err) == (2, "", f"big2: {message}\n")


def test_records__have_a_deck_or_a_position() -> None:
    line = json.loads(dumps(SideRecord(KlondikeGame.deal(7))))
    with pytest.raises(NotationError, match="line 1: expected deck or position, got both"):
        list(load(json.dumps(line | {"position": GOOD}), KlondikeGame))
    with pytest.raises(NotationError, match="expected a position with the keys piles, down"):
        position_of([])
    with pytest.raises(ConfigError, match="extra key position"):
        SideRecord(KlondikeGame.deal(7), {"position": 1})
