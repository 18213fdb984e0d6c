"""Deals by name: the same for everyone, different from day to day, with results that do not depend on who computes them."""

from __future__ import annotations

import hashlib
from datetime import date, timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from run_cli import run_cli

from big2_env.base.errors import ConfigError
from big2_env.base.language import Language, words
from big2_env.climbing.game import Game
from big2_env.notation import records
from big2_env.tables.prompt.daily import DealKeeper
from big2_env.tables.session import deals
from big2_env.tables.session.deals import (
    Comparison,
    DealPlayers,
    Result,
    comparison,
    daily_games,
    named_deal,
    result_of,
    results_in,
    row_of,
    share_lines,
)
from big2_env.tables.session.own_file import Keeper
from big2_env.tables.session.saved import saved_games

DAY = "2026-11-24"


def test_comparison__threads_that_ask_at_once_get_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    deal, found, others = named_deal("mini6", "7"), list[Comparison](), list[Thread]()

    def ask() -> None:
        found.append(comparison(deal))

    class Kept(dict[tuple[str, str], Comparison]):
        """Another thread asks while the first one has found nothing yet."""

        def pop(self, *places: Any) -> Any:
            known = super().pop(*places)
            if not others:
                others.append(Thread(target=ask))
                others[0].start()
                others[0].join(0.2)
            return known

    monkeypatch.setattr(deals, "_KEPT", Kept())
    monkeypatch.setattr(deals, "_players", lambda ruleset: DealPlayers(deal))
    ask()
    others[0].join()
    assert found[0] is found[1]


def test_deal__seed_is_the_documented_hash() -> None:
    digest = hashlib.sha256(b"big2 deal big2 2026-11-24").digest()
    assert named_deal("big2", DAY).seed == int.from_bytes(digest[:8], "big") == 9201346176707302667
    seeds = {
        named_deal(game, (date(2026, 11, 24) + timedelta(i)).isoformat()).seed for game in daily_games() for i in range(400)
    }
    assert len(seeds) == 400 * len(daily_games())


@pytest.mark.parametrize(
    ("game", "name", "message"),
    [
        ("big2", "2026-02-30", "expected a date of the calendar, got 2026-02-30"),
        ("big2", "2026-1-1", "expected a date such as 2026-11-24, or a seed"),
        ("big2", str(1 << 64), "or a seed from 0 to 18446744073709551615"),
        ("big2", "-1", "expected a date such as"),
        ("big2", "٢٠٢٦-11-24", "expected a date such as"),
        ("nothing", DAY, "nothing"),
        ("uno", DAY, "uno"),
    ],
)
def test_deal__other_names_are_refused(game: str, name: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        named_deal(game, name)
    assert message in str(caught.value)


def test_deal__is_an_ordinary_session_whose_record_can_be_read() -> None:
    deal = named_deal("big2", "0007")
    assert (deal.name, deal.is_daily, deal.opponents) == ("7", False, ["learned"] * 3)
    session = deal.session()
    assert session.view.hand == Game.deal(deal.ruleset, 7).view(0).hand
    again = records.loads(records.dumps(session.record()))
    assert again.extra["seed"] == 7
    assert again.game == session.game


def test_comparison__shared_players_and_own_ones_agree() -> None:
    deals = [named_deal("big2", name) for name in (DAY, "2026-11-25")]
    players = DealPlayers(deals[0])
    for deal in deals:
        shared, own = Comparison(deal, players), Comparison(deal)
        for _ in range(2):  # the first two agents
            shared.step()
            own.step()
        assert shared.results == own.results
    assert not shared.is_done


def test_comparison__is_kept_and_takes_results_that_are_known() -> None:
    deal = named_deal("big2", "2031-01-01")
    known = {agent: Result(1.0, 0, "0123abcd" if agent == "learned" else "") for agent in deal.compared}
    row = row_of(known, deal.compared)
    assert results_in(row, deal.compared) == known
    assert comparison(deal, results_in(row, deal.compared)).is_done
    assert dict(comparison(deal).rows()) == known
    for wrong in (None, [], {}, "row", [[1.0]], row[:-1], [*row, 1], [["x", 1]] * 5 + ["a"]):
        assert results_in(wrong, deal.compared) == {}


@pytest.mark.parametrize("lang", list(Language))
@pytest.mark.parametrize("name", [DAY, "7"])
def test_share__tells_no_card_and_says_what_helped(name: str, lang: Language) -> None:
    deal, tr = named_deal("big2", name), words(lang)
    game = DealPlayers(deal).played(deal, "lowest")
    alone, helped = (share_lines(deal, game, *numbers, tr) for numbers in ((0, 0), (2, 1)))
    assert len(alone) == 3
    assert name in alone[0]
    assert alone[:2] == helped[:2]
    assert alone[2] == tr("deals.no_help")
    assert "2" in helped[2]
    assert "1" in helped[2]
    assert alone[1].count("🟩") + alone[1].count("⬜") == 5
    assert not [mark for mark in "♣♦♥♠[]" if mark in "".join(helped)]


def test_share__all_squares_are_green_only_for_a_win() -> None:
    tr, seen = words(Language.EN), set()
    for seed in range(8):
        deal = named_deal("big2", str(seed))
        game = DealPlayers(deal).played(deal, "lowest")
        won = result_of(game).has_won
        line = share_lines(deal, game, 0, 0, tr)[1]
        assert (line.startswith("🟩" * 5), "won" in line) == (won, won)
        seen.add(won)
    assert False in seen


def test_play__deal_by_name_is_compared_and_saved(tmp_path: object) -> None:
    typed = "h\n" + "0\np\n" * 60
    answer = run_cli("play", "--deal", DAY, "--plain", "--lang", "en", stdin=typed)
    assert answer.status == 0, answer.err
    lines = answer.out.splitlines()
    place = lines.index(f"Big Two · deal of the day {DAY}")
    assert lines[place + 2 : place + 4] == ["hints: 1", f"big2 play --deal {DAY}"]
    table = lines[lines.index("The same deal from your seat") + 1 : place]
    assert [line.split()[0] for line in table if line] == [
        "In",
        "you",
        "Learned",
        "Heuristic",
        "Greedy",
        "Lowest",
        "Random",
    ]
    [saved] = saved_games()
    assert saved.opponents == ("learned",) * 3


def test_play__daily_is_the_deal_of_today_and_decides_all() -> None:
    day = date.today().isoformat()
    seeds = {str(named_deal("big2", name).seed) for name in (day, date.today().isoformat())}
    answer = run_cli("play", "--daily", "--plain", "--lang", "en", stdin="q\n")
    assert [seed for seed in seeds if f"--seed {seed}" in answer.out]
    assert "The same deal from your seat" not in answer.out  # it was not finished
    for args in (["--daily", "--deal", "7"], ["greedy", "--daily"], ["--daily", "--seed", "7"], ["--deal", "7", "--back", "1"]):
        refused = run_cli("play", *args)
        assert refused.status == 2
        assert "--d" in refused.err
    assert "expected a date such as" in run_cli("play", "--deal", "tomorrow").err


def test_keeper__remembers_how_the_deal_ended_after_another_deal(tmp_path: Path) -> None:
    deal = named_deal("mini6", "7")
    ended = DealKeeper(deal, Keeper(tmp_path / "games.jsonl"))
    session = deal.session(keep=ended)
    while not session.is_over:
        assert ended.game is None
        if session.advance() is None:
            session.play(next(iter(session.legal)))
    finished = session.game
    session.next_deal()
    while session.advance() is not None:
        pass
    session.play(next(iter(session.legal)))
    assert ended.problem is None
    assert ended.game == finished
