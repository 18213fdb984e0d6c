"""Two tabs at one table, in every order that Hypothesis finds: a state machine over what pages send."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Any, NamedTuple

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from web_visitor import Answer, Served, Visitor, known, named_cards, serving

from big2_env import Game, ruleset

TABS = st.integers(0, 1)


class Now(NamedTuple):
    """The table between two requests."""

    version: int
    deal: int
    game: Game


class TwoTabs(RuleBasedStateMachine):
    """A visitor with two tabs on one table. Each tab sends what it would from the state that it saw last, stale or not."""

    def __init__(self, server: Served) -> None:
        super().__init__()
        self.server = server
        self.tabs: list[Visitor] = []
        self.sent: list[tuple[str, dict[str, Any]]] = []
        """Every request to the table that was to change it."""
        self.made: set[int] = set()
        """The versions for which a move was made."""

    def teardown(self) -> None:
        for tab in self.tabs:
            tab.close()

    @property
    def table(self) -> Any:
        return self.tabs[0].table

    @property
    def table_now(self) -> Now:
        return Now(self.table.version, self.table.deal, self.table.session.game.copy())

    @initialize(game=st.sampled_from(["big2", "dou_dizhu", "tien_len"]), seed=st.integers(0, 2**64 - 1))
    def sit_down(self, game: str, seed: int) -> None:
        first = Visitor(self.server)
        self.now = first.sit_down(game, ruleset(game).default_players - 1, seed=str(seed))
        self.tabs = [first, Visitor(self.server, first.cookies)]
        self.tabs[1].state = self.now

    # What tabs do --------------------------------------------------------------------------------------------------------

    @rule(number=TABS)
    def read(self, number: int) -> None:
        tab = self.tabs[number]
        tab.state = self.seen(tab.get(f"{tab.path}?lang=en"))
        assert tab.state == self.now

    @rule(number=TABS, data=st.data(), turns=st.integers(1, 8))
    def play(self, number: int, data: st.DataObject, turns: int) -> None:
        """Several acts of a tab; the other's state grows old meanwhile."""
        for _ in range(turns):
            self.send(number, *self.next_move(self.tabs[number].state, data))

    @rule(number=TABS)
    def undo(self, number: int) -> None:
        self.send(number, "undo", {"version": self.tabs[number].state["version"]})

    @rule(number=TABS)
    def next_deal(self, number: int) -> None:
        self.send(number, "deal", {"version": self.tabs[number].state["version"]})

    @rule(number=TABS, data=st.data())
    def resend(self, number: int, data: st.DataObject) -> None:
        if self.sent:
            self.send(number, *data.draw(st.sampled_from(self.sent)))

    @rule(number=TABS, data=st.data())
    def look(self, number: int, data: st.DataObject) -> None:
        tab = self.tabs[number]
        body = {"cards": data.draw(st.lists(st.sampled_from(self.hand(tab.state)), unique=True, max_size=5))}
        answer = tab.post(f"{tab.path}/look?lang=en", body)
        assert answer.status == 200
        self.seen(answer, body)

    @rule(data=st.data())
    def both_at_once(self, data: st.DataObject) -> None:
        """Both tabs send the same act in the same moment: it is made once."""
        name, body = self.next_move(self.now, data)
        found: list[Answer] = []
        before = self.table_now

        def post(tab: Visitor) -> None:
            found.append(tab.post(f"{tab.path}/{name}?lang=en", body))

        threads = [Thread(target=post, args=(tab,)) for tab in self.tabs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        made, refused = sorted(found, key=lambda answer: answer.status)
        self.sent.append((name, body))
        if made.status == 200:
            assert (refused.status, refused.json()["error"]) == (409, "stale")
            self.accept(before, name, body, made)
            assert refused.json()["state"] == self.now
        else:
            assert made.json() == refused.json()
            self.refuse(before, made, body)
        for tab in self.tabs:
            tab.state = self.now

    # What comes of it ----------------------------------------------------------------------------------------------------

    def hand(self, state: dict[str, Any]) -> list[str]:
        return [card["text"] for card in state["scene"]["seats"][state["scene"]["viewer"]]["hand"]] or ["C[3]"]

    def next_move(self, state: dict[str, Any], data: st.DataObject) -> tuple[str, dict[str, Any]]:
        """What a page with this state would send: mostly what is legal there."""
        version = {"version": state["version"]}
        if state["scene"]["is_over"]:
            return "deal", version
        if not state["asked"]:
            return "advance", version
        if state["calls"]:
            return "say", version | {"word": data.draw(st.sampled_from([call["word"] for call in state["calls"]]))}
        moment = self.table_now
        if moment.version == state["version"] and (legal := self.table.session.legal):
            play = data.draw(st.sampled_from(list(legal)))
            cards = [str(card) for card in legal.ruleset.order.sort(play.mask)]
        else:
            cards = data.draw(st.lists(st.sampled_from(self.hand(state)), unique=True, max_size=5))
        return "play", version | {"cards": cards} | data.draw(st.sampled_from([{}, {"reading": 0}]))

    def send(self, number: int, name: str, body: dict[str, Any]) -> None:
        """Send a move as a tab, and check that it was made if and only if it was meant for the table as it is."""
        tab, before = self.tabs[number], self.table_now
        self.sent.append((name, body))
        answer = tab.post(f"{tab.path}/{name}?lang=en", body)
        if answer.status == 200:
            self.accept(before, name, body, answer)
            tab.state = self.now
        else:
            is_stale = body["version"] != before.version
            assert (answer.json()["error"] == "stale") == is_stale
            self.refuse(before, answer, body)
            if answer.status == 409:
                tab.state = answer.json()["state"]

    def accept(self, before: Any, name: str, body: dict[str, Any], answer: Answer) -> None:
        assert body["version"] == before.version
        assert body["version"] not in self.made  # no act is made twice
        self.made.add(body["version"])
        self.now = self.seen(answer, body)
        after = self.table_now
        assert (after.version, self.now["version"]) == (before.version + 1,) * 2
        moves, since = len(before.game.history), len(after.game.history)
        expected: dict[str, Callable[[], bool]] = {
            "undo": lambda: since < moves and after.deal == before.deal,
            "deal": lambda: since == 0 and after.deal == before.deal + 1,
        }
        made_one = since == moves + 1 and after.game.history[:moves] == before.game.history and after.deal == before.deal
        assert expected[name]() if name in expected else made_one

    def refuse(self, before: Any, answer: Answer, body: dict[str, Any]) -> None:
        """Nothing was changed, and the page gets to know where the table stands."""
        assert self.table_now == before
        found = self.seen(answer, body)
        assert found["message"]
        assert (answer.status, found.get("state", self.now)) in ((409, self.now), (400, self.now))

    def seen(self, answer: Answer, body: dict[str, Any] | None = None) -> Any:
        """What an answer says, which names no card that the person may not know, but what the person has named."""
        if not self.table.session.is_over:
            assert named_cards(answer.text) <= known(self.tabs[0]) | named_cards(json.dumps(body)), answer.text
            assert '"seed"' not in answer.text
        return answer.json()

    @invariant()
    def both_see_the_same(self) -> None:
        for tab in self.tabs:
            assert self.seen(tab.get(f"{tab.path}?lang=en")) == self.now
            tab.received.clear()


@pytest.mark.long
def test_two_tabs__of_one_table_agree_whatever_they_send(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        run_state_machine_as_test(  # type: ignore[no-untyped-call]
            lambda: TwoTabs(server), settings=settings(max_examples=12, stateful_step_count=25)
        )
