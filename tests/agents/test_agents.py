"""Laws that every registered agent keeps, under every ruleset that it serves; and what the simple ones do."""

from __future__ import annotations

from collections import Counter

import pytest
from hidden_cards import same_moves
from house_rules import BOMBS, HOUSE_RULES
from hypothesis import given
from hypothesis import strategies as st
from random_games import random_games
from random_rulesets import random_ruleset

from big2_agents.rule_based.heuristic import HeuristicAgent
from big2_agents.rule_based.simple import GreedyAgent, LowestAgent, RandomAgent
from big2_env import BIG2, PASS, ConfigError, Game, LegalPlays, Play, RuleSet, View
from big2_env.agents.interface import (
    Agent,
    available_agents,
    make_agent,
    named_agents,
    play_out,
    play_turn,
    reset_seats,
    takes_from_record,
)
from big2_env.base.cards import as_mask
from big2_env.base.errors import warn_once

SIMPLE = {"random": RandomAgent, "lowest": LowestAgent, "greedy": GreedyAgent, "heuristic": HeuristicAgent}
"""The agents that serve every ruleset."""


def game_of(names: list[str], rules: RuleSet, seed: int) -> Game:
    game = Game.deal(rules, seed)
    agents = [make_agent(name) for name in names]
    reset_seats(agents, game)
    play_out(game, agents)
    return game


def test_agents__are_registered_by_name() -> None:
    assert set(SIMPLE) <= set(available_agents())
    for name, made in SIMPLE.items():
        agent = make_agent(name)
        assert type(agent) is made
        assert isinstance(agent, Agent)
        assert repr(agent) == f"{made.__name__}()"


@pytest.mark.parametrize("name", SIMPLE)
def test_agent__plays_whole_games_legally_and_the_same_again_for_the_same_seed(name: str, rules: RuleSet) -> None:
    for seed in range(4):
        game = game_of([name] * 4, rules, seed)
        assert game.is_over
        replayed = Game.deal(rules, seed)
        for move in game.history:
            replayed.play(move.play)  # refuses what is not legal
        assert game_of([name] * 4, rules, seed) == game


@pytest.mark.parametrize("name", SIMPLE)
def test_agent__forgets_the_game_before(name: str, rules: RuleSet) -> None:
    agents = [make_agent(name) for _ in range(4)]
    histories = []
    for seed in (3, 4, 3):
        game = Game.deal(rules, seed)
        reset_seats(agents, game)
        play_out(game, agents)
        histories.append(game.history)
    assert histories[0] == histories[2] != histories[1]


@pytest.mark.parametrize("name", SIMPLE)
@given(st.integers(0, 2**32), st.integers(0, 70), st.integers(0, 2**32))
def test_agent__does_the_same_when_hidden_cards_are_swapped(name: str, seed: int, length: int, swap: int) -> None:
    for game in random_games(BIG2, [seed]):
        if len(game.history) >= length or game.is_over:
            break
    if game.is_over:
        game.undo()
    twin = same_moves(game, game.turn, swap)
    moves = []
    for each in (game, twin):
        agent = make_agent(name)
        agent.reset(seed)
        moves.append(agent.act(each.view(), each.legal_plays()))
    assert moves[0] == moves[1]


@pytest.mark.parametrize("name", [name for name in SIMPLE if name != "random"])
@pytest.mark.parametrize("rules", HOUSE_RULES, ids=lambda rules: f"{rules.name}-{rules.pass_lock.value}")
def test_agent__serves_house_rules(name: str, rules: RuleSet) -> None:
    if name == "heuristic" and rules.deck.copies == 2 and not rules.ranks_only:
        warn_once.cache_clear()
        with pytest.warns(UserWarning, match=r"it has two decks with suits; greedy plays instead$"):
            make_agent(name).act((game := Game.deal(rules, 1)).view(), game.legal_plays())
    seats = [name, "random"] * (rules.default_players // 2) + [name] * (rules.default_players % 2)
    for seed in range(2):
        assert game_of(seats, rules, seed).is_over


@pytest.mark.parametrize("seed", range(12))
def test_agent__serves_random_rules(seed: int) -> None:
    rules = random_ruleset(seed)
    assert game_of(["heuristic", "greedy", "heuristic", "lowest"], rules, seed).is_over


def test_agent__of_any_other_name_plays_legally_or_says_what_it_serves(rules: RuleSet) -> None:
    refusals = []
    for name in set(available_agents()) - set(SIMPLE):
        agent = f"{name}:2" if "search" in name else name  # more playouts check nothing else
        try:
            assert game_of([agent, "greedy", "greedy", "greedy"], rules, 1).is_over
        except ConfigError as refusal:
            refusals.append(str(refusal))
    assert rules is not BIG2 or not refusals, "every agent serves BIG2"
    assert all(rules.name in refusal for refusal in refusals)


def test_random__chooses_uniformly() -> None:
    game = Game.deal(BIG2, 7)
    moves = list(game.legal_plays())
    agent = RandomAgent()
    agent.reset(1)
    number = 400 * len(moves)
    counts = Counter(agent.act(game.view(), game.legal_plays()) for _ in range(number))
    assert set(counts) == set(moves)
    spread = sum((count - 400) ** 2 / 400 for count in counts.values())
    assert spread < len(moves) + 5 * (2 * len(moves)) ** 0.5  # chi-square: mean, and five standard deviations


def choice(agent: Agent, rules: RuleSet, hand: str, top: str | None = None) -> str:
    """What an agent does with a hand, written as cards; a pass is empty. The others hold what is left."""
    mine = as_mask(hand)
    play = None if top is None else rules.play(top)
    gone = 0 if play is None else play.mask
    others = rules.deck.mask & ~mine & ~gone
    number = rules.default_players
    played = (0,) * (number - 1) + (gone,)
    left = tuple((others.bit_count() + seat) // (number - 1) for seat in range(number - 1))
    view = View(
        rules, 0, mine, 0, play, None if play is None else number - 1, 0, 0, (mine.bit_count(), *left), played, 0, (), (), None
    )
    agent.reset(0)
    return rules.text(agent.act(view, view.legal_plays()).mask)


@pytest.mark.parametrize(
    ("hand", "top", "first", "greedy"),
    [
        ("C[4] D[9] H[9] S[J]", None, "C[4]", "D[9] H[9]"),
        ("C[4] D[4] C[9] D[9] H[9] S[J] C[Q] C[K]", None, "C[4]", "C[4] D[4] C[9] D[9] H[9]"),
        ("C[3] D[4] H[5] C[6] S[6] C[7] D[K] H[K] S[K]", None, "C[3]", "C[3] D[4] H[5] C[6] C[7]"),
        ("C[4] D[9] H[9] S[J]", "C[8]", "D[9]", "D[9]"),
        ("C[4] D[9] H[9] S[9]", "C[8] D[8]", "D[9] H[9]", "D[9] H[9]"),
        ("C[4] D[9] H[9] S[J]", "S[J] H[J]", "", ""),
    ],
)
def test_first_and_greedy__by_example(hand: str, top: str | None, first: str, greedy: str) -> None:
    assert choice(LowestAgent(), BIG2, hand, top) == first
    assert choice(GreedyAgent(), BIG2, hand, top) == greedy


def test_greedy__answers_with_a_bomb_only_where_nothing_else_beats() -> None:
    assert choice(GreedyAgent(), BOMBS, "C[4] D[4] H[4] S[4] C[2] C[9]", "D[8]") == "C[9]"
    assert choice(GreedyAgent(), BOMBS, "C[4] D[4] H[4] S[4] C[5]", "D[8]") == "C[4] D[4] H[4] S[4]"


def test_greedy__never_passes_when_it_can_beat(rules: RuleSet) -> None:
    agent = GreedyAgent()
    for game in random_games(rules, range(6)):
        legal = game.legal_plays()
        if not game.is_over:
            play = agent.act(game.view(), legal)
            assert (play == PASS) == (list(legal) == [PASS])
            if game.top is None:
                assert len(play) == max(map(len, legal))
            elif play:
                assert play.power == min(other.power for other in legal if other)


def test_play_turn__refuses_what_is_no_legal_move() -> None:
    class Cheat(GreedyAgent):
        def act(self, view: View, legal: LegalPlays) -> Play:
            return BIG2.play("S[2]")

    game = Game.deal(BIG2, 3)
    before = game.copy()
    with pytest.raises(ConfigError, match=r"agent Cheat\(\) at seat \d: expected a legal move, got 'single S\[2\]'"):
        play_turn(game, [Cheat()] * 4)
    assert game == before


@pytest.mark.parametrize("spec", ["nobody", "first", "greedy:3", ""])
def test_make_agent__says_what_there_is(spec: str) -> None:
    with pytest.raises(ConfigError, match="greedy"):
        make_agent(spec)


@pytest.mark.parametrize(("typed", "meant"), [("greddy", "greedy"), ("serch:50ms", "search:50ms")])
def test_make_agent__suggests_a_similar_name(typed: str, meant: str) -> None:
    with pytest.raises(ConfigError, match=rf"^unknown agent '{typed}'; did you mean '{meant}'\?$"):
        make_agent(typed)


def test_named_agents__count_as_installed_inside_the_block() -> None:
    assert not takes_from_record("me")
    with named_agents({"me": "big2_agents.rule_based.simple:GreedyAgent", "a-1_我": "lowest"}):
        assert type(make_agent("me")) is GreedyAgent
        assert available_agents()[-2:] == ["me", "a-1_我"]
        assert takes_from_record("me")
        assert not takes_from_record("big2_agents.rule_based.simple:GreedyAgent")
    with pytest.raises(ConfigError, match="unknown agent"):
        make_agent("me")


@pytest.mark.parametrize("name", ["", "1a", "a:b", "a b", "a" * 25, "greedy", "sb3", "a\n"])
def test_named_agents__refuses_a_name_that_is_taken_or_none(name: str) -> None:
    with pytest.raises(ConfigError, match="expected a name"), named_agents({name: "lowest"}):
        pass


def test_named_agents__refuses_an_agent_that_cannot_be_made() -> None:
    with pytest.raises(ConfigError, match="unknown agent"), named_agents({"me": "nobody"}):
        pass
