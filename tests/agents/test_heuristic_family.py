"""The heuristic in games with teams, auctions, piles, locks that last a round, and tricks that pay."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from big2_agents.evaluation.arena.results import OWN, Config
from big2_agents.evaluation.arena.schedule import Unit
from big2_agents.evaluation.arena.stats import deal_means
from big2_agents.evaluation.arena.units import Table
from big2_agents.models.formula import DRAW_PILE_WEIGHTS, TEAM_WEIGHTS, first_weights_of
from big2_agents.rule_based.heuristic import HeuristicAgent, view_scores
from big2_env import CapturedPoints, Game, PassLock, Position, RuleSet, available_rulesets, ruleset
from big2_env.agents.interface import play_out
from big2_env.base.cards import CardsLike, as_mask, iter_cards
from big2_env.base.rng import SplitMix64


def has_extras(rules: RuleSet) -> bool:
    """True if a ruleset has what big2 has not: an auction, cards to draw, a lock for a round, captured points."""
    locks = rules.pass_lock is PassLock.ROUND
    return rules.auction is not None or rules.draw_pile or locks or rules.scoring.captures


FAMILY = [rules for rules in available_rulesets().values() if has_extras(rules)]
DD, FOUR, TTO, WGP, Q1 = map(ruleset, ["dou_dizhu", "dou_dizhu_4p", "three_two_one", "wu_gua_pi", "qi_gui_521"])
ALL_BUT = "C[5] D[5] H[5] S[5] C[6] D[6] H[6] S[6] C[7] D[7] H[7] S[7]"


def table(rules: RuleSet, hands: list[str], left: list[int], top: str, top_seat: int, **more: Any) -> Game:
    """Seat 0 is to move with its hand; the others hold so many of the rest, and what is left of that is played."""
    mine, put_down = as_mask(hands[0]), as_mask(top)
    cards = list(iter_cards(rules.deck.mask & ~mine & ~put_down))
    SplitMix64(4).shuffle(cards)
    dealt = [mine]
    for number in left:
        dealt.append(as_mask(cards[:number]))
        cards = cards[number:]
    played = [as_mask(cards) if seat == (top_seat + 1) % len(dealt) else 0 for seat in range(len(dealt))]
    played[top_seat] |= put_down
    play = max(rules.table.classify(put_down), key=lambda found: found.power) if top else None
    position = Position(tuple(dealt), 0, play, top_seat if top else None, played=tuple(played), **more)
    return Game.from_position(rules, position)


def act(game: Game) -> str:
    return game.ruleset.text(HeuristicAgent("first").act(game.view(), game.legal_plays()).mask)


FARMER = {"landlord": 1, "acted": (3, 3, 3)}  # seat 2 is the partner, after the landlord
BEFORE = {"landlord": 2, "acted": (3, 3, 3)}  # seat 1 is the partner, before the landlord


@pytest.mark.parametrize(
    ("hand", "left", "top", "top_seat", "more", "best"),
    [
        pytest.param("C[4] C[8] D[8] S[2]", [9, 9], "C[A]", 2, FARMER, [""], id="a partner's ace is left to hold"),
        pytest.param("C[4] C[8] D[8] S[2]", [2, 9], "C[A]", 1, FARMER, ["S[2]"], id="the landlord's ace is not"),
        pytest.param("S[2]", [9, 9], "C[K]", 2, FARMER, ["S[2]"], id="who goes out beats a partner too"),
        pytest.param("C[4] C[8] D[8] S[A]", [1, 9], "", 0, BEFORE, ["C[4]"], id="a low single to a partner with one card"),
        pytest.param("C[4] C[8] D[8] S[A]", [1, 9], "", 0, FARMER, ["D[8] C[8]"], id="no single to a landlord with one card"),
    ],
)
def test_teams__by_example(
    hand: str, left: list[int], top: str, top_seat: int, more: dict[str, object], best: list[str]
) -> None:
    assert act(table(DD, [hand], left, top, top_seat, **more)) in best


def called(rules: RuleSet, hand: CardsLike) -> str:
    """What a hand says first of all; the others hold the rest."""
    game = Game.deal(rules, 1)
    cards = list(iter_cards(rules.deck.mask & ~as_mask(hand)))
    hands, seat = [], game.turn
    for other in range(game.num_players):
        number = rules.hand_size
        hands.append(as_mask(hand) if other == seat else as_mask(cards[:number]))
        cards = cards if other == seat else cards[number:]
    game = Game.from_position(rules, game.position._replace(hands=tuple(hands), bottom=as_mask(cards)))
    return HeuristicAgent("first").act(game.view(), game.legal_plays()).pattern


def test_auction__strong_hands_say_yes_and_weak_ones_no() -> None:
    weak = "C[3] D[3] C[4] C[5] D[6] C[7] C[8] D[8] H[9] C[9] S[10] C[J] D[J] H[Q] C[Q] D[K] C[K]"
    strong = "LJ BJ C[2] D[2] H[2] S[A] H[A] D[A] C[K] D[K] H[K] S[K] C[10] D[J] H[Q] C[3] D[3]"
    assert (called(DD, strong), called(DD, weak)) == ("call", "pass")
    best = list(FOUR.deck.cards)[-30:-5]
    few = dict(zip(range(13), (2, 3, 1, 2, 3, 1, 2, 3, 1, 3, 2, 1, 1), strict=True))
    worst = [card for rank, number in few.items() for card in [card for card in FOUR.deck.cards if card.rank == rank][:number]]
    assert (called(FOUR, as_mask(best)), called(FOUR, as_mask(worst))) == ("bid_3", "pass")


def test_auction__strength_is_measured_against_the_hands_that_might_be() -> None:
    player = view_scores(DD, first_weights_of(DD), 3)
    yes = []
    for seed in range(40):
        game = Game.deal(DD, seed)
        yes.append(player(game.view(), list(game.legal_plays()))[0])
    mean, deviation = player._heuristic.weights.usual
    assert -12 < mean < 0.0 < deviation < 6
    assert 2 < sum(score > 0 for score in yes) < 30  # some hands are worth a call
    view = Game.deal(DD, 3).view()
    scores = HeuristicAgent("first").advise(view, view.legal_plays())
    assert {advice.play.pattern for advice in scores} == {"call", "pass"}
    assert not any(advice.sure for advice in scores)


def test_teams__a_partner_who_plays_next_stands_between() -> None:
    """A play that somebody may go out on costs less where the partner is asked first."""
    costs = []
    for more, left in ((FARMER, [1, 9]), (BEFORE, [9, 1])):
        game = table(DD, ["C[4] C[8] D[8] S[A]"], left, "", 0, **more)
        player = view_scores(DD, TEAM_WEIGHTS, 3)
        player(game.view(), list(game.legal_plays()))
        costs.append(player._heuristic.first_cost)
    assert costs == [TEAM_WEIGHTS.block, TEAM_WEIGHTS.danger]


def test_teams__a_partner_is_not_bombed_once_the_landlord_has_passed() -> None:
    agent, beaten, bombed = HeuristicAgent("first"), 0, 0
    for seed in range(25):
        game = Game.deal(FOUR, seed)
        while not game.is_over:
            view, legal = game.view(), game.legal_plays()
            act, landlord = agent.act(view, legal), view.landlord
            beats = bool(act) and view.top is not None and landlord not in (None, view.seat, view.top_seat)
            if beats and landlord is not None and view.passed >> landlord & 1:
                beaten += 1
                bombed += FOUR.table.categories[act.category].bomb > 0 and act.mask != view.hand
            game.push(act)
    assert beaten > 0
    assert bombed <= 1


def test_pile__nothing_is_sure_and_nobody_near_out_while_it_lasts() -> None:
    hands = tuple(map(as_mask, ["S[7] H[7] C[3]", "C[4] D[4] D[9]"]))
    pile = tuple(iter_cards(Q1.deck.mask & ~hands[0] & ~hands[1]))
    for left, sure in ((pile, False), ((), True)):
        played = (0, as_mask(pile) ^ as_mask(left))
        game = Game.from_position(Q1, Position(hands, 0, pile=left, played=played))
        assert any(advice.sure for advice in HeuristicAgent("first").advise(game.view(), game.legal_plays())) is sure
        player = view_scores(Q1, DRAW_PILE_WEIGHTS, 2)
        player(game.view(), list(game.legal_plays()))
        assert (player._heuristic.nearest > 0) is sure
    assert act(game) in ("S[7]", "H[7]", "S[7] H[7]", "H[7] S[7]")  # the sure plays first, then the three


def test_lock__a_chain_of_beating_leads_goes_out() -> None:
    """Whoever passed stays out while each lead beats the play before: pairs in a row, then the lowest card."""
    pair = TTO.play("C[4] D[4]")
    hands = ["C[5] D[5] C[9] D[9] C[3]", "C[2] D[2] H[2]", "C[A] D[A] H[A]", "C[K] D[K] H[K]"]
    masks = tuple(map(as_mask, hands))
    rest = TTO.deck.mask & ~sum(masks) & ~pair.mask
    start = Position(masks, 0, top_seat=0, passed=0b1110, lead_over=pair, played=(pair.mask | rest, 0, 0, 0))
    game, agent = Game.from_position(TTO, start), HeuristicAgent("first")
    game.play(agent.act(game.view(), game.legal_plays()))
    assert TTO.text(game.history[0].play.mask) == "D[5] C[5]"
    outcome = play_out(game, [HeuristicAgent("first") for _ in range(4)])
    assert outcome.winner == 0


def test_captures__points_are_taken_and_not_given_away() -> None:
    rules = replace(Q1, scoring=CapturedPoints())
    pile = tuple(iter_cards(as_mask(ALL_BUT) & ~as_mask("S[7] H[7] S[5]")))

    def game(hand: str, top: str) -> Game:
        mine, put_down = as_mask(hand), as_mask(top)
        other = as_mask("C[3] D[3] H[3] C[4] D[4]") & ~mine
        rest = rules.deck.mask & ~mine & ~put_down & ~other & ~as_mask(pile)
        position = Position((mine, other), 0, rules.play(top), 1, played=(rest, put_down), pile=pile, captured=(rest, 0))
        return Game.from_position(rules, position)

    assert act(game("S[7] C[9]", "S[K]")) == "S[7]"  # ten points
    assert act(game("S[7] C[9]", "S[8]")) in ("C[9]", "")  # none


@pytest.mark.parametrize("rules", FAMILY, ids=lambda rules: rules.name)
def test_heuristic__beats_random_players(rules: RuleSet) -> None:
    """Bounds far below what hundreds of deals give; `benchmarks/strength.py` makes those figures."""
    config = Config(("heuristic", "random"), rules.name, OWN, 500, "alone")
    table, contest = Table(config), config.contests()[0]
    deals = 12 if rules.hand_size < 15 else 6 if rules.deck.copies == 1 else 3
    found = [deal_means(table.play(Unit(deal, 0)), contest)[0] for deal in range(deals)]
    wins, score = (sum(values) / deals for values in zip(*found, strict=True))
    assert wins > (0.7 if rules.auction or rules.draw_pile else 0.5)
    assert score > 0


@pytest.mark.parametrize("rules", [WGP, Q1], ids=lambda rules: rules.name)
def test_heuristic__serves_every_number_of_players(rules: RuleSet) -> None:
    for players in range(rules.min_players, rules.max_players + 1):
        names = ["heuristic", "random"] * 5
        game = Game.deal(rules, players, players)
        rng = SplitMix64(players)
        agent = HeuristicAgent()
        while not game.is_over:
            moves = list(game.legal_plays())
            mine = names[game.turn] == "heuristic"
            game.play(agent.act(game.view(), game.legal_plays()) if mine else moves[rng.below(len(moves))])
        assert game.outcome is not None
