"""A person at a table of agents, as the shells use it."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from big2_env import BIG2, ConfigError, Game, IllegalPlayError
from big2_env.agents.advice import Advice
from big2_env.agents.interface import is_hurried
from big2_env.base.cards import iter_cards
from big2_env.base.language import Language, words
from big2_env.climbing.events import Redealt
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.view import View
from big2_env.kernels.switch import Compilation
from big2_env.tables.session.advice_text import beaten_chances, numbers
from big2_env.tables.session.table_session import TableSession
from big2_env.text.events import play_text
from big2_env.text.selection import select_cards

RULES = available_rulesets()


def table(name: str = "big2", agent: str = "lowest", **options: object) -> TableSession:
    rules = RULES[name]
    return TableSession(rules, [agent] * (rules.default_players - 1), **options)  # type: ignore[arg-type]


def play_on(session: TableSession, rng: random.Random | None = None) -> None:
    """Play the deal to its end: the person makes the first legal act, or any."""
    while not session.is_over:
        if session.advance() is None:
            legal = list(session.view.legal_plays())
            session.play(rng.choice(legal) if rng else legal[0])


@pytest.mark.parametrize("name", sorted(RULES))
def test_session__plays_every_game_to_its_end(name: str) -> None:
    session = table(name, "random", seat=1, seed=5)
    play_on(session, random.Random(1))
    outcome = session.game.outcome
    assert outcome is not None
    assert session.scores == outcome.payoffs
    assert (session.deals, session.dealt) == (1, 1)
    with pytest.raises(IllegalPlayError, match="the game is over"):
        session.play()
    assert session.advance() is None


def test_session__score_runs_over_deals_and_goes_back_with_undo() -> None:
    session = table(seed=3)
    play_on(session)
    first = session.scores
    assert any(first)
    session.next_deal()
    assert (session.seed, session.deals, session.dealt) == (4, 1, 2)
    play_on(session)
    assert session.scores != first
    assert session.undo()
    assert (session.scores, session.deals, session.undone) == (first, 1, 1)
    assert session.is_asked


def test_session__undo_goes_back_to_the_last_choice() -> None:
    session = table(seed=3)
    assert not session.can_undo
    assert not session.undo()
    choices = 0
    while not session.is_over:
        if session.advance() is None:
            legal = list(session.view.legal_plays())
            before = session.game.position
            choices += len(legal) > 1
            session.play(legal[0])
            while len(legal) > 1 and session.advance() is not None:
                pass
            if len(legal) > 1:
                assert session.undo()
                assert session.game.position == before
                session.play(legal[0])
    assert choices > 2
    assert session.undone == choices


def test_session__forced_passes_are_made_or_asked_for() -> None:
    forced = 0
    asked, unasked = table(seed=2, auto_pass=False), table(seed=2)
    while not asked.is_over:
        if asked.advance() is None:
            forced += asked.is_forced_pass
            asked.play(next(iter(asked.view.legal_plays())))
    play_on(unasked)
    assert forced > 0
    assert asked.game == unasked.game


def test_session__auctions_deal_again_where_nobody_wants_the_deal() -> None:
    for seed in range(30):
        session = table("dou_dizhu", "random", seed=seed)
        while session.view.bidding:
            if session.advance() is None:
                session.play()
        if any(isinstance(event, Redealt) for event in session.game.events):
            break
    else:
        pytest.fail("no deal was dealt again")
    play_on(session)
    assert json.loads(json.dumps(session.scene(Language.EN, last=999).as_json()))["is_over"]
    assert any("dealt again" in line for line in session.scene(Language.EN, last=999).events)


def test_session__refuses_what_is_not_the_persons_to_do() -> None:
    session = table(seed=1, seat=0)
    while session.is_asked:
        session.play(next(iter(session.view.legal_plays())))
    before = session.game.position
    with pytest.raises(IllegalPlayError, match=r"it is lowest.'s turn"):
        session.play()
    with pytest.raises(ConfigError, match="not your turn"):
        session.advise()
    assert session.game.position == before
    with pytest.raises(ConfigError, match="expected a seat from 0 to 3, got 4"):
        table(seat=4)
    with pytest.raises(ConfigError, match="agent 'nobody'"):
        table(agent="nobody")


@pytest.mark.parametrize(
    ("name", "agents", "says"),
    [
        ("big2", ["learned"] * 2, "no learned player for 3 players: it learned with 4"),
        ("big2", ["lowest", "learned-search"], "no learned player for 3 players: it learned with 4"),
        (
            "dou_dizhu_4p",
            ["ppo"] * 3,
            "expected four players with 13 cards each of a deck of 52, ",
        ),
    ],
)
def test_session__asks_for_weights_before_it_deals(name: str, agents: list[str], says: str) -> None:
    with pytest.raises(ConfigError, match=f"^{says}"):
        TableSession(RULES[name], agents)


def test_session__an_agent_that_gives_no_advice_names_its_own_move() -> None:
    session = table(seed=0, adviser="lowest")
    while not session.is_asked:
        session.advance()
    [advice] = session.advise()
    assert advice.play == next(iter(session.view.legal_plays()))
    assert session.hints == 1


def test_session__same_seed_same_game() -> None:
    games = []
    for _ in range(2):
        session = table("tien_len", "random", seed=8)
        play_on(session)
        games.append(session.game)
    assert games[0] == games[1]


@pytest.mark.parametrize("name", ["big2", "dou_dizhu", "qi_gui_521"])
def test_session__shells_get_no_hidden_card(name: str) -> None:
    session = table(name, "random", seed=4)
    rng = random.Random(2)
    while not session.is_over:
        view = session.view
        known = view.hand | view.bottom | view.obligation
        for mask in view.played:
            known |= mask
        text = json.dumps(session.scene(Language.EN, last=999).as_json())
        for card in iter_cards(session.ruleset.deck.mask & ~known):
            assert f'"{card}"' not in text
            assert f" {card}" not in text
        if session.advance() is None:
            session.play(rng.choice(list(view.legal_plays())))


def test_look__names_every_reading() -> None:
    rules = RULES["dou_dizhu_x"]
    hand = rules.order.sort(rules.deck.mask)[:8]
    game = Game.from_hands(rules, [hand, [rules.order.sort(rules.deck.mask)[9]], [rules.order.sort(rules.deck.mask)[10]]])
    found = select_cards(game.legal_plays(), sum(1 << card for card in hand), words(Language.EN))
    assert len({(play.pattern, play.power) for play in found.plays}) == len(found.plays) == 3
    assert len(set(found.words.split(" or "))) == 3
    assert [rules.reading_name(play) for play in found.plays][1:] == ["quad_two_pairs#1", "quad_two_pairs#2"]


@pytest.mark.parametrize("lang", list(Language))
def test_look__says_why_not(lang: Language) -> None:
    tr = words(lang)
    game = Game.deal(BIG2, seed=7)
    legal = game.legal_plays()
    assert select_cards(legal, 0, tr).words == tr("look.must_play")
    four = sum(1 << card for card in BIG2.order.sort(legal.hand)[:4])
    assert select_cards(legal, four, tr).words == tr("look.no_pattern", cards=BIG2.text(four))
    last = 1 << BIG2.order.sort(legal.hand)[-1]
    assert select_cards(legal, last, tr).words == tr("look.misses_opening_card", cards="C[3]")


def test_chances__are_those_of_the_unseen_cards() -> None:
    game = Game.from_hands(BIG2, ["C[3] S[2] D[9]", "H[2] D[4] C[5]", "C[9] H[9] S[9]", "D[5] H[5] S[5]"])
    view = game.view(0)
    low, high = (game.ruleset.play(cards) for cards in ("C[3]", "S[2]"))
    beaten, never = beaten_chances(view, [low, high], samples=100)
    assert never == 0
    assert beaten > 0.9
    assert beaten_chances(view, [low], samples=50, seed=3) == beaten_chances(view, [low], samples=50, seed=3)
    shown = [numbers(view, Advice(low), chance, words(Language.EN)) for chance in (0.4, 0.999)]
    assert shown == [["chance to be beaten: 40 %"], []]  # certainty says nothing


def test_session__lets_a_stand_in_move_while_an_agent_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Compilation, "start", lambda self: None)

    class Compiling:
        """Plays its lowest cards, and compiles for two moves."""

        def __init__(self) -> None:
            self.kernels = known

        def reset(self, seed: int) -> None:
            pass

        def act(self, view: View, legal: LegalPlays) -> Play:
            asked.append("stand-in" if is_hurried() and self.kernels.makes_wait() else "itself")
            self.kernels.is_ready = len(asked) >= 2
            return next(iter(legal))

    for waits, expected in ((True, ["itself"] * 3), (False, ["stand-in", "stand-in", "itself"])):
        asked, known = list[str](), Compilation(lambda: None)
        session = TableSession(BIG2, ["lowest"] * 3, seed=5)
        session._agents = [None if agent is None else Compiling() for agent in session._agents]
        session.waits_for_compilation = waits
        while len(asked) < 3:
            if session.advance() is None:
                session.play(next(iter(session.view.legal_plays())))
        assert asked == expected


class Certain:
    """An adviser that wins for certain by the last legal move."""

    def reset(self, seed: int) -> None:
        pass

    def act(self, view: View, legal: LegalPlays) -> Play:
        return list(legal)[-1]

    def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
        *others, best = list(legal)
        return [Advice(best, sure=True), *map(Advice, others)]


class Valuing(Certain):
    """Prefers the last move by its values: all others lose `gap`, on the same deals."""

    def __init__(self, gap: float, half_width: float, playouts: int) -> None:
        self.gap, self.half_width, self.playouts = gap, half_width, playouts
        self.asked = 0

    def advise(self, view: View, legal: LegalPlays) -> list[Advice]:
        self.asked += 1
        best, *others = super().advise(view, legal)

        def valued(one: Advice, value: float) -> Advice:
            behind = 2.0 - value - self.half_width, 2.0 - value + self.half_width
            interval = value - 0.1, value + 0.1
            return replace(one, sure=False, value=value, interval=interval, behind=behind, playouts=self.playouts)

        return [valued(best, 2.0), *(valued(one, 2.0 - self.gap) for one in others)]


@pytest.mark.parametrize(
    ("gap", "half_width", "playouts", "is_asked"),
    [
        (0.0, 0.1, 400, False),
        (0.3, 0.4, 400, False),  # due to chance
        (0.24, 0.1, 400, False),  # real and small: the payoff varies by 1.02
        (0.3, 0.1, 400, True),
        (1e-15, 0.0, 400, False),  # rounding in an ending where all moves pay the same
        (0.5, 0.0, 400, True),
    ],
)
def test_warning__follows_values_if_moves_have_them(
    gap: float, half_width: float, playouts: int, is_asked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, adviser = table(seed=0, adviser="lowest"), Valuing(gap, half_width, playouts)
    while not session.is_asked:
        session.advance()
    monkeypatch.setattr("big2_env.tables.session.table_session.make_agent", lambda name: adviser)
    first, *_, best = session.legal
    assert (session.warning(first, Language.EN) is not None) == is_asked
    assert session.warning(best, Language.EN) is None
    assert session.advise()[0].play == best
    assert adviser.asked == 1  # the same view is not judged again


def test_warning__comes_before_a_move_that_is_listed_with_other_suits(monkeypatch: pytest.MonkeyPatch) -> None:
    session = table("dou_dizhu", seat=0, adviser="lowest")
    session.start(Game.from_hands(session.ruleset, ["C[3] C[9] H[9] S[9]", "C[5] C[6]", "C[7] C[8]"], landlord=0), 0)
    monkeypatch.setattr("big2_env.tables.session.table_session.make_agent", lambda name: Valuing(0.5, 0.0, 400))
    asked = [session.warning(session.ruleset.play(cards), Language.EN) for cards in ("C[9]", "H[9]")]
    assert asked[0] == asked[1] is not None


def test_warning__without_values_is_about_certain_wins_that_are_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    session = table(seed=0, adviser="lowest")
    while not session.is_asked:
        session.advance()
    first, *_, best = session.legal
    assert session.warning(first, Language.EN) is None
    monkeypatch.setattr("big2_env.tables.session.table_session.make_agent", lambda name: Certain())
    session.adviser = "certain"
    question = session.warning(first, Language.EN)
    assert question is not None
    assert question.startswith(play_text(BIG2, first, words(Language.EN)) + " anyway? The coach would choose ")
    assert session.warning(best, Language.EN) is None
    assert session.hints == 0
    session.adviser = "no such agent"
    monkeypatch.undo()
    assert session.warning(first, Language.EN) is None
