"""The heuristic agent: what it counts, how it parts a hand, what it does at the table, how strong it is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from house_rules import HOUSE_RULES
from hypothesis import given, settings
from hypothesis import strategies as st
from interpreted_hands import InterpretedHands, Part, parted
from outside_patterns import OUTSIDE
from random_games import random_games
from random_rulesets import random_ruleset

from big2_agents.evaluation.arena.results import Config
from big2_agents.evaluation.arena.schedule import Unit
from big2_agents.evaluation.arena.stats import deal_means
from big2_agents.evaluation.arena.units import Table
from big2_agents.rule_based.heuristic import HeuristicAgent, Weights
from big2_agents.rule_based.simple import GreedyAgent
from big2_env import BIG2, PASS, Game, Position, RuleSet
from big2_env.agents.interface import play_out
from big2_env.base.cards import as_mask, iter_cards
from big2_env.base.rng import SplitMix64

ONE_DECK = [BIG2, OUTSIDE, *(rules for rules in HOUSE_RULES if rules.deck.copies == 1)]


def some_cards(rules: RuleSet, seed: int, number: int) -> int:
    return as_mask(rules.deck.shuffled(seed)[:number])


@settings(max_examples=20)
@given(st.integers(-len(ONE_DECK), 500), st.integers(0, 2**32), st.integers(0, 20))
def test_unseen_plays__counts_the_beating_plays_that_the_table_lists(number_of_rules: int, seed: int, number: int) -> None:
    rules = ONE_DECK[number_of_rules] if number_of_rules < 0 else random_ruleset(number_of_rules)
    unseen = some_cards(rules, seed, number)
    there = list(rules.table.plays(unseen))
    hands = InterpretedHands(rules)
    hands.see(unseen)
    for play in {(play.category, play.power): play for play in rules.table.plays(some_cards(rules, seed + 1, 8))}.values():
        counted = dict.fromkeys({len(other) for other in there}, 0)
        for size, beating in hands.beating(play.category, play.power):
            if beating:
                counted[size] += beating
        assert counted == {size: sum(len(o) == size and rules.beats(o, play) for o in there) for size in counted}
        assert hands.above(play.category, -1) == sum(other.category == play.category for other in there)


@settings(max_examples=60)
@given(st.sampled_from([BIG2, OUTSIDE]), st.integers(0, 2**32), st.integers(1, 8))
def test_decompositions__find_the_decomposition_that_is_worth_most(rules: RuleSet, seed: int, number: int) -> None:
    cards = rules.deck.shuffled(seed)
    hand, hands = as_mask(cards[:number]), InterpretedHands(rules)
    hands.see(as_mask(cards[number : number + 20]))
    plays = hands.part(hand)
    for rest in (hand, *(hand & ~play.mask for play in plays)):
        worth = [(sum(part.utility for part in parts), parts) for parts in parted(rest, plays)]
        most = max(utility for utility, _ in worth)
        runs = [run_of(parts) for utility, parts in worth if utility == pytest.approx(most)]
        utility, run = hands.best(rest)
        assert utility == pytest.approx(most)
        assert any(run == pytest.approx(each) for each in runs)


def run_of(parts: list[Part]) -> float:
    """The chance that all parts but the one most readily beaten hold."""
    run = 1.0
    for hold in sorted(part.hold for part in parts)[1:]:
        run *= hold
    return run


TWOS = "C[2] D[2] H[2] S[2]"
THREE_OF_EACH = " ".join(f"{suit}[{rank}]" for rank in ("9", "10", "J", "Q", "K", "A", "2") for suit in "CDH")


def position(hand: str, left: tuple[int, int, int], top: str, gone: str, swap: int) -> Game:
    """Seat 0 is to move; seats 1 to 3 hold so many of the cards that are not gone, and seat 3 made the top play."""
    mine, top_mask = as_mask(hand), as_mask(top)
    cards = list(iter_cards(BIG2.deck.mask & ~mine & ~top_mask & ~as_mask(gone)))
    SplitMix64(5).shuffle(cards)
    cards, unseen = cards[sum(left) :], cards[: sum(left)]
    SplitMix64(swap).shuffle(unseen)
    hands = [mine]
    for number in left:
        hands.append(as_mask(unseen[:number]))
        unseen = unseen[number:]
    played = (0, 0, as_mask(cards) | as_mask(gone), top_mask)
    play = BIG2.play(top) if top else None
    return Game.from_position(BIG2, Position(tuple(hands), 0, play, 3 if top else None, played=played))


@pytest.mark.parametrize(
    ("hand", "left", "top", "gone", "best"),
    [
        pytest.param("C[9] D[9]", (1, 1, 1), "", "", ["C[9] D[9]"], id="goes out when it can"),
        pytest.param("C[9] D[9]", (9, 9, 9), "C[8] H[8]", "", ["C[9] D[9]"], id="goes out on top when it can"),
        pytest.param("C[3] S[2]", (6, 6, 6), "", "", ["S[2]"], id="a sure play first, then the rest"),
        pytest.param("C[3] D[5] H[5] S[2]", (6, 6, 6), "", "S[5] C[5]", ["C[3]", "D[5] H[5]"], id="no sure win: no two spent"),
        pytest.param("C[3] H[A]", (6, 6, 6), "", f"{TWOS} S[A]", ["H[A]"], id="memory: nobody has a higher card any more"),
        pytest.param("C[3] S[8] H[8] C[4]", (6, 6, 6), "", "", ["C[3]", "C[4]"], id="without memory: the low card first"),
        pytest.param("C[3] C[8] S[8]", (6, 6, 6), "", THREE_OF_EACH, ["C[8] S[8]"], id="memory: no higher pair is left"),
        pytest.param("C[4] D[4] S[2]", (5, 5, 5), "H[9]", "", ["S[2]"], id="takes the lead to run out"),
        pytest.param("C[4] D[9] H[9]", (1, 8, 8), "", "", ["D[9] H[9]"], id="no low single to a next player with one card"),
        pytest.param("C[4] D[9] S[K]", (1, 8, 8), "", "", ["S[K]"], id="the highest single to a next player with one card"),
        pytest.param("C[4] D[9] S[K]", (8, 8, 8), "", "", ["C[4]"], id="the lowest single where nobody is near out"),
        pytest.param("C[6] H[8] S[A]", (1, 8, 8), "D[4]", "", ["S[A]"], id="raises high before a player with one card"),
        pytest.param("C[6] H[8] S[A]", (8, 8, 8), "D[4]", "", ["C[6]"], id="raises low where nobody is near out"),
        pytest.param("C[4] H[4] S[9] S[10] H[Q] C[K] S[2]", (11, 11, 11), "D[5]", "", ["S[9]"], id="no two on a low single"),
        pytest.param(
            "C[3] C[4] D[5] C[7] H[8] S[10] H[2] S[2]", (10, 10, 10), "D[Q]", "", [""], id="no two while the hand is long"
        ),
        pytest.param("C[4] D[5] H[6] C[7] S[8] S[J]", (9, 9, 9), "D[3]", "", ["S[J]"], id="keeps a straight"),
        pytest.param("C[4] D[5] H[6] C[7] S[8]", (9, 9, 9), "H[5]", "", [""], id="passes to keep a straight"),
        pytest.param("H[8] S[8] C[10] C[3] D[3]", (9, 9, 9), "C[7]", "", ["C[10]"], id="keeps pairs"),
        pytest.param("H[8] S[8] C[3] D[3] C[K] D[K] H[K]", (9, 9, 9), "C[7]", "", [""], id="passes to keep a full house"),
        pytest.param(
            "C[4] D[5] H[6] C[7] S[8] S[2]", (9, 9, 9), "", "", ["S[2]"], id="two plays, one of them sure: it comes first"
        ),
        pytest.param(
            "C[4] D[5] H[6] C[7] S[8] H[9] C[9]", (9, 9, 9), "", "", ["C[4] D[5] H[6] C[7] S[8]"], id="leads a combination"
        ),
    ],
)
def test_heuristic__by_example(hand: str, left: tuple[int, int, int], top: str, gone: str, best: list[str]) -> None:
    for swap in range(3):  # what the others hold makes no difference
        game = position(hand, left, top, gone, swap)
        move = HeuristicAgent("first").act(game.view(), game.legal_plays())
        assert BIG2.text(move.mask) in best


def sure_and_one_more(game: Game) -> bool:
    """Whether the hand to move is two plays, of which nobody can beat one."""
    hand = game.position.hands[game.turn]
    plays = list(BIG2.table.plays(hand))
    return any(
        play.mask ^ other.mask == hand and not any(BIG2.table.plays(game.view().unseen, play))
        for play in plays
        for other in plays
        if not play.mask & other.mask
    )


def test_heuristic__wins_whenever_a_sure_play_leaves_one_more() -> None:
    won = 0
    for game in random_games(BIG2, range(120)):
        if game.is_over or game.top is not None or not sure_and_one_more(game):
            continue
        seat = game.turn
        outcome = play_out(game.copy(), [HeuristicAgent() if i == seat else GreedyAgent() for i in range(4)])
        assert outcome.winner == seat
        won += 1
    assert won > 20


def test_heuristic__spends_twos_late() -> None:
    """With many cards left it hardly ever answers a single with a two: not where less will do, seldom where only a two will."""
    with_less, only_twos = [], []
    for seed in range(80):
        game, agent = Game.deal(BIG2, seed), HeuristicAgent()
        while not game.is_over:
            play = agent.act(game.view(), game.legal_plays())
            others_far = min(hand.bit_count() for hand in game.position.hands) > 6
            if game.top is not None and game.top.pattern == "single" and others_far:
                answers = [answer for answer in game.legal_plays() if answer]
                twos = [answer for answer in answers if answer.mask & as_mask(TWOS)]
                if twos:
                    (only_twos if len(twos) == len(answers) else with_less).append(play in twos)
            game.push(play)
    assert len(with_less) > 300
    assert sum(with_less) < 0.06 * len(with_less)
    assert sum(only_twos) < len(only_twos) / 3


def test_heuristic__weights_are_a_value_and_count() -> None:
    """Other weights play otherwise: without patience and alarm it raises where it passed."""
    game = position("C[4] D[5] H[6] C[7] S[8]", (9, 9, 9), "H[5]", "", 0)
    legal = game.legal_plays()
    assert HeuristicAgent("first").act(game.view(), legal) == PASS
    assert HeuristicAgent(weights=replace(Weights(), patience=-9.0)).act(game.view(), legal) != PASS


@pytest.mark.parametrize(("other", "least"), [("random", 0.74), ("greedy", 0.40), ("lowest", 0.45)])
def test_heuristic__is_stronger_alone_against_three(other: str, least: float) -> None:
    """Bounds more than ten standard errors below what 10,000 deals give."""
    config = Config(("heuristic", other), "big2", "winner", 0, "pairs")
    table = Table(config, patience=0)
    contest = config.contests()[0]
    wins = [deal_means(table.play(Unit(deal, 0)), contest)[0][0] for deal in range(1000)]
    assert sum(wins) / len(wins) > least
