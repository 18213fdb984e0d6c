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
from big2_env.kernels.opponents import RandomRows
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
from big2_env.tables.session.own_file import OwnFile
from big2_env.tables.session.par import PLAYTHROUGHS, TEMPERATURE, ParPlayers, par_of, standing_of
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
    monkeypatch.setattr(deals, "players_of", lambda ruleset: DealPlayers(deal))
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
    found = comparison(deal, results_in(row, deal.compared))
    assert (found.done, found.of, found.is_done) == (5, 6, False)  # the par is to come
    assert dict(comparison(deal).rows()) == known
    for wrong in (None, [], {}, "row", [[1.0]], row[:-1], [*row, 1], [["x", 1]] * 5 + ["a"]):
        assert results_in(wrong, deal.compared) == {}


@pytest.mark.parametrize("lang", list(Language))
@pytest.mark.parametrize("name", [DAY, "7"])
def test_share__tells_no_card_and_says_what_helped(name: str, lang: Language) -> None:
    deal, tr = named_deal("big2", name), words(lang)
    game = DealPlayers(deal).played(deal, "lowest")
    alone, helped = (share_lines(deal, game, *numbers, tr, deal.seat) for numbers in ((0, 0), (2, 1)))
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
        won = result_of(game, deal.seat).has_won
        line = share_lines(deal, game, 0, 0, tr, deal.seat)[1]
        assert (line.startswith("🟩" * 5), "won" in line) == (won, won)
        seen.add(won)
    assert False in seen


def test_deal__of_a_day_is_of_a_hand_that_can_win() -> None:
    seats = set()
    for day in range(10, 16):
        deal = named_deal("big2", f"2026-11-{day}")
        game = DealPlayers(deal).played(deal, "learned")
        assert game.outcome is not None
        assert game.outcome.payoffs[deal.seat] > 0
        assert deal.session().seat == deal.seat
        seats.add(deal.seat)
    assert len(seats) > 1
    assert named_deal("big2", "7").seat == 0  # of a link to any deal


def test_par__ranks_a_result_among_others() -> None:
    tr, deal = words(Language.EN), named_deal("big2", DAY)
    game = DealPlayers(deal).played(deal, "learned")
    standing = standing_of(game, deal.seat)
    assert standing == (1.0, sum(game.outcome.cards_left))  # type: ignore[union-attr]
    par = par_of([standing, (1.0, 1), (1.0, 1), (-0.33, -2)])
    assert (par.playthroughs, par.temperature) == (4, TEMPERATURE)
    assert (par.share_below(standing), par.share_below((-0.33, -3))) == (0.75, 0.0)
    assert share_lines(deal, game, 0, 0, tr, deal.seat, par)[1].endswith(" won, +1 points · better than 75%")


@pytest.mark.long
def test_par__tells_learned_from_random_on_most_days() -> None:
    deals = [named_deal("big2", (date(2026, 11, 24) + timedelta(place)).isoformat()) for place in range(10)]
    policy, at_random = ParPlayers(deals[0].ruleset), ParPlayers(deals[0].ruleset)
    at_random.players.own = RandomRows()
    told, pars = 0, [policy.par(deal.seed, deal.seat) for deal in deals]
    for deal, par in zip(deals, pars, strict=True):
        assert par.playthroughs == PLAYTHROUGHS
        lucky = at_random.par(deal.seed, deal.seat)
        below, equal = (
            sum(count * share(standing) for *standing, count in lucky.standings) / PLAYTHROUGHS
            for share in (
                lambda one, par=par: par.share_below(tuple(one)),
                lambda one, par=par: par.share_below((one[0], one[1] + 1)) - par.share_below(tuple(one)),
            )
        )
        told += below + equal / 2 < 0.42  # three standard errors below a half
    print(f"par tells learned from random on {told} of {len(deals)} days")
    assert told >= 9
    assert ParPlayers(deals[0].ruleset).par(deals[0].seed, deals[0].seat) == pars[0]  # the same in another process, too


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
        "Sage",
        "Veteran",
        "Greedy",
        "Thrifty",
        "Lucky",
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
    ended = DealKeeper(deal, OwnFile(tmp_path / "games.jsonl"))
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
