"""Shared tables after any requests: each can be stored and read back, and is the same then."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import islice

import pytest

from big2_env.base.language import Language
from big2_env.tables.browser import moves
from big2_env.tables.browser.messages import Refused
from big2_env.tables.browser.shared_places import SharedSeat
from big2_env.tables.browser.shared_sights import Sight
from big2_env.tables.browser.shared_table import SharedTable
from big2_env.tables.browser.table import SHARED
from big2_env.tables.browser.table_store import table_of, table_text
from big2_env.tables.session.shared_session import SharedClimbing, SharedGame

EN = Language.EN
NAMES = ["Anna", "anna", "王小明", "👩‍🚀", "{0}%s", "x" * 24, "❤\ufe0f \u200d", "heuristic2", "pass", "é" * 24]


def digest(number: int) -> str:
    return f"{number:064x}"


def requests(table: SharedTable, rng: random.Random) -> list[Callable[[], object]]:
    """One request of each kind, by people and with values by chance, legal or not."""
    owner, seat = digest(rng.randrange(7)), rng.randrange(len(table.places))
    agents = [None, *table.kind.agents()[:3]]
    invites = [table.invite, table.invite, "x" * 22]

    table.is_here = lambda other: (int(other, 16) + table.version) % 3 > 0
    return [
        lambda: table.join(owner, rng.choice(invites), rng.choice(NAMES), EN),
        lambda: table.rename(owner, rng.choice(NAMES), EN) if owner in table.owners else None,
        lambda: table.leave(owner) if owner in table.owners and rng.random() < 0.3 else None,
        lambda: table.set_seat(seat, rng.choice(["free", "agent"]), rng.choice(agents), EN),
        lambda: table.renew() if rng.random() < 0.3 else None,
        lambda: table.ask_sight(owner, rng.choice([None, seat]), EN) if owner in table.owners else None,
        lambda: answer(table, next(iter(table.sights.of.values())), rng) if table.sights.of else None,
        lambda: table.start(EN),
        lambda: table.next_deal(EN),
        lambda: table.undo(owner, EN),
        lambda: table.consent(owner, rng.random() < 0.7, EN),
        lambda: table.excuse(owner),
        lambda: table.back(owner),
        lambda: table.pass_host(),
        lambda: table.stand_in() if table.turn is not None and rng.random() < 0.3 else None,
    ]


def answer(table: SharedTable, sight: Sight, rng: random.Random) -> None:
    """The answer to a spectator's wish by the person in the seat."""
    table.show(table.places[sight.seat].owner or "", sight.number, rng.random() < 0.7, EN)


def move(table: SharedTable, rng: random.Random) -> None:
    """The move of the seat to move, by its person if it has one."""
    session, turn = table.session, table.turn
    assert session is not None
    if isinstance(session, SharedClimbing):
        choices = list(islice(session.legal_of(session.turn), 200))
        if turn is None or turn.owner is None:
            table.push(rng.choice(choices))
            return
        play = rng.choice(choices)
        if not play and not play.is_pass:
            moves.say(table, turn.owner, {"word": play.pattern}, EN)
        else:
            cards = [str(card) for card in session.ruleset.order.sort(play.mask)]
            moves.play(table, turn.owner, {"cards": cards, "reading": None}, EN)
    else:
        chosen = rng.choice(session.game.legal_moves())
        if turn is None or turn.owner is None:
            table.push(chosen)
        else:
            moves.move(table, turn.owner, {"moves": [session.game.move_text(chosen)]}, EN)


@pytest.mark.parametrize(
    ("game", "seats", "agent"),
    [("big2", 4, "lowest"), pytest.param("dou_dizhu", 3, "lowest", marks=pytest.mark.long), ("uno", 3, "random")],
)
def test_saved__every_table_can_be_read_back(game: str, seats: int, agent: str) -> None:
    rng, made = random.Random(game), 0
    for _ in range(2):
        free = [SharedSeat(agent, is_free=True) for _ in range(1, seats)]
        table = SharedTable(
            key="k" * 16,
            kind=SharedGame(game),
            places=[SharedSeat(agent, digest(0), "Host"), *free],
            seconds=rng.choice([0, 20, 60]),
        )
        for _ in range(100):
            before, version = table_text(table), table.version
            try:
                if table.turn is not None and rng.random() < 0.6:
                    move(table, rng)
                else:
                    rng.choice(requests(table, rng))()
            except Refused:
                assert table_text(table) == before  # what is refused changes nothing
                assert table.version == version
            made += table.version > version
            text = table_text(table)
            assert table_text(table_of(SHARED, "k" * 16, text.encode())) == text
            assert table.question is None or table.question.waiting
            assert set(table.sights.of) <= set(table.spectators)
    assert made > 60
