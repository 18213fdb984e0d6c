"""The OpenSpiel adapter passes OpenSpiel's own tests, and shows each seat what it may know, all of it and in order."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from random import Random
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import external_sampling_mccfr, generate_playthrough, ismcts, mcts
from open_spiel.python.algorithms.get_all_states import get_all_states
from open_spiel.python.observation import make_observation
from open_spiel.python.policy import tabular_policy_from_callable

from big2_env import BIG2, ConfigError, Game, Lead, LegalPlays, Play, RuleSet, View, available_rulesets, ruleset
from big2_env.base.cards import as_mask, iter_cards
from big2_env.climbing.mini_games import MINI6, MINI8, MINI12
from big2_env.climbing.outcome import payoff_range
from big2_env.climbing.settlement import Settlement, Standing
from big2_env.envs import chance, openspiel
from big2_env.envs.chance import ChanceGame, Recall, deals, number_of_deals
from big2_env.envs.turn_engine import record_engine
from big2_env.kernels.engine import compilation

FEW = replace(BIG2.with_deck(MINI6.deck, hand_size=2, players=3), name="three_seats")
"""A ruleset without a name in the package."""
DOU, QI = ruleset("dou_dizhu"), ruleset("qi_gui_521")


def played(rules: RuleSet, seed: int, num_players: int | None = None, never: str = "") -> Iterator[ChanceGame]:
    """A random game, after each event; `never` is a move that is made only if there is no other."""
    rng, table = Random(seed), ChanceGame(rules, rules.seats(num_players))
    yield table
    while not table.is_over:
        if table.is_dealing:
            table.deal(rng.choice(table.outcomes()))
        else:
            liked = [action for action, play in table.legal().items() if play.pattern != never]
            table.act(rng.choice(liked or list(table.legal())))
        yield table


@pytest.mark.parametrize("name", ["mini6", "mini12", "big2", "dou_dizhu", "qi_gui_521", "three_two_one"])
def test_game__passes_the_tests_of_openspiel(name: str) -> None:
    game = openspiel.load_game(name)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)


def test_game__passes_the_simulation_test_in_python() -> None:
    from open_spiel.python.tests.games_sim_test import GamesSimTest

    for game in (
        openspiel.load_game("mini8"),
        pyspiel.load_game("python_big2"),
        openspiel.load_game("wu_gua_pi", num_players=5),
    ):
        GamesSimTest().sim_game(game)


@pytest.mark.parametrize(("rules", "sets", "states"), [(MINI6, 238, 1004), (MINI8, 650, 4664)], ids=["mini6", "mini8"])
def test_information_states__are_those_of_the_rules(rules: RuleSet, sets: int, states: int) -> None:
    """As many as moves and own cards tell apart, so they tell neither more nor less."""
    game = openspiel.load_game(rules)
    found = get_all_states(game, depth_limit=-1, include_terminals=True, include_chance_states=False, to_string=str)
    assert len(found) == states
    known: dict[str, tuple[Any, ...]] = {}
    for state in found.values():
        if state.is_terminal():
            continue
        seat = state.current_player()
        view = state.view()
        tensor = bytes(np.array(state.information_state_tensor(seat), np.int8))
        knows = (tensor, state.legal_actions(), view.hand, view.top, view.played, view.history, state.observation_string(seat))
        assert known.setdefault(state.information_state_string(seat), knows) == knows
    assert len(known) == len({tensor for tensor, *_ in known.values()}) == sets


@pytest.mark.parametrize(
    ("rules", "number"),
    [(BIG2, 4), (DOU, 3), (QI, 4), (ruleset("dou_dizhu_4p"), 4), (ruleset("wu_gua_pi"), 6)],
    ids=lambda value: getattr(value, "name", value),
)
def test_recall__only_grows_and_tells_moves_apart(rules: RuleSet, number: int) -> None:
    recall = Recall(rules, number)
    texts, array = [""] * number, np.zeros(recall.size, np.int8)
    seen: dict[bytes, str] = {}
    for table in played(rules, 5, number, never="call"):
        for seat in range(number):
            text = recall.text(table.game, seat)
            assert text.startswith(texts[seat])
            texts[seat] = text
            recall.encode(table.game, seat, array)
            assert seen.setdefault(array.tobytes(), text) == text
            hand = 0 if table.game is None else table.game.position.hands[seat]
            assert all(f"{card}" in text for card in iter_cards(hand))
    assert len(set(seen.values())) == len(seen)


def test_recall__hides_the_cards_of_others_and_the_bottom() -> None:
    one = DOU.deck.shuffled(3)
    others = one.copy()
    others[-2], others[-3] = others[-3], others[-2]  # cards of seats 1 and 2
    recall = Recall(DOU, 3)
    games = [Game.from_deck(DOU, deck) for deck in (one, others)]
    for _ in range(3):
        texts = [[recall.text(game, seat) for seat in range(3)] for game in games]
        assert texts[0][0] == texts[1][0]
        assert texts[0][1] != texts[1][1]
        assert "bottom" not in texts[0][0]
        for game in games:
            game.play(0, "call" if "call" in map(str, game.legal_plays()) else "pass")
    while games[0].position.bidding:
        games[0].pass_()
    assert f"bottom {DOU.text(games[0].position.bottom)};" in recall.text(games[0], 0)


def test_memory__marks_each_part_of_a_move_once() -> None:
    """Seat, cards and pattern or word; the key of plays by ranks; the hand after cards are gained, and the bottom."""
    for rules in (BIG2, DOU, QI):
        *_, table = played(rules, 1)
        game, recall = table.game, Recall(rules, rules.default_players)
        assert game is not None
        memory = np.full(recall.size, 7, np.int8)
        recall.encode(game, 0, memory)
        windows, starts = recall.named(memory), recall.starts
        assert set(memory.tolist()) == {0, 1}
        assert not windows["moves"][len(game.history) :].any()
        moves = zip(windows["moves"], game.positions, game.positions[1:], game.history, strict=False)
        for row, before, after, (seat, play) in moves:
            gained = after.hands[0] if after.hands[0] & ~before.hands[0] else 0
            assert row[: starts["word"]].tolist() == [seat == one for one in range(game.num_players)]
            assert row[starts["word"] : starts["cards"]].sum() == (not play.mask)
            assert row[starts["cards"] : starts["pattern"]].sum() == play.mask.bit_count()
            assert row[starts["pattern"] : starts["key"]].sum() == bool(play.mask)
            assert row[starts["key"] : starts["hand"]].sum() == bool(play.mask and rules.ranks_only)
            assert row[starts["hand"] :].sum() == gained.bit_count()
        assert windows["bottom"].sum() == game.position.bottom.bit_count()
        assert (windows["viewer"].tolist(), windows["dealt"].sum()) == ([1, *[0] * (game.num_players - 1)], rules.hand_size)


def test_deals__that_no_seat_wants_are_chance_events() -> None:
    found = [table.copy() for table in played(DOU, 1, never="call") if not table.is_dealing]
    before = next(table for table in found if table.game is not None and len(table.game.history) == 3)
    final = found[-1].game
    assert before.game is not None
    assert final is not None
    assert final.outcome is not None
    decks = found[-1]._decks
    assert len(decks) > 1
    again = Game.from_deck(DOU, decks[0], redeals=[*decks[1:], *[list(DOU.deck.cards)] * (DOU.auction.deals - len(decks))])  # type: ignore[union-attr]
    for move in final.history:
        again.push(move.play)
    assert again == final


def facts(table: ChanceGame, seed: int) -> list[Any]:
    """All that a game says while it is played to its end. Copies of it move on by themselves meanwhile."""
    rng, found = Random(seed), list[Any]()
    while not table.is_over:
        found += [table.observation(seat).tobytes() for seat in range(table.num_players)]
        events = table.outcomes() if table.is_dealing else table.actions()
        found.append((table.turn, table.payoffs, list(events)))
        other, event = table.copy(), rng.choice(events)
        (table.deal if table.is_dealing else table.act)(event)
        if not other.is_dealing:
            other.act(rng.choice(events))
    return [*found, table.turn, table.payoffs, str(table), table.game]


@pytest.mark.parametrize("name", ["big2", "dou_dizhu", "mini6", "qi_gui_521"])
def test_compiled_rules__say_the_same_as_readable_ones(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = ruleset(name)
    compilation(rules, rules.default_players, "int8").finish()
    begun = [table.copy() for table in played(rules, 3) if not table.is_over]
    assert any(table._record for table in begun)
    with ThreadPoolExecutor(2) as threads:
        compiled = list(threads.map(facts, [table.copy() for table in begun], range(len(begun))))
    monkeypatch.setattr(chance, "record_engine", lambda *_: None)
    readable = [next(islice(played(rules, 3), number, None)) for number in range(len(begun))]
    assert not any(table._record for table in readable)
    assert list(map(facts, readable, range(len(begun)))) == compiled


@pytest.mark.parametrize("step", ["_move", "_show", "_follow"])
def test_compiled_rules__that_are_interrupted_leave_every_game_as_it_was(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = ruleset("big2")
    compilation(rules, 4, "int8").finish()
    first, second = (next(islice(played(rules, seed), 56, None)).copy() for seed in (3, 4))
    engine = record_engine(rules, 4)
    assert engine is not None
    assert first._record
    assert second._record

    def seen(table: ChanceGame) -> list[bytes]:
        return [table.observation(seat).tobytes() for seat in (0, 1, 2, 3, 0)]

    before, whole = [seen(table) for table in (first, second)], getattr(engine, step)

    def interrupted() -> None:
        whole()
        raise KeyboardInterrupt

    act = {"_move": lambda: second.act(second.actions()[-1]), "_show": lambda: seen(first), "_follow": first._note}[step]
    monkeypatch.setattr(engine, step, interrupted)
    with pytest.raises(KeyboardInterrupt):
        act()
    monkeypatch.setattr(engine, step, whole)
    for each in (1, 0) if step != "_show" else (0, 1):
        assert seen((first, second)[each]) == before[each]


def test_deals__are_listed_if_there_are_few() -> None:
    assert (len(deals(MINI6, 2)), len(deals(FEW, 3)), deals(MINI12, 2)) == (90, 90, ())
    assert number_of_deals(MINI12, 2) == 16_632
    assert deals(replace(FEW, rest=FEW.rest), 3) == deals(FEW, 3)
    table = ChanceGame(MINI12, 2)
    for _ in range(10):
        assert table.is_dealing
        table.deal(table.outcomes()[0])
    assert not table.is_dealing
    assert str(table) == "C[3] H[3] C[4] H[4] C[5] | D[3] S[3] D[4] S[4] D[5]; "


@pytest.mark.long
def test_exploitability__of_rule_based_agents_and_of_cfr() -> None:
    game = openspiel.load_game("mini6")
    for agent, expected in (("greedy", 1 / 3), ("heuristic", 0.0)):
        policy = tabular_policy_from_callable(game, openspiel.AgentPolicy(game, agent))
        assert pyspiel.exploitability(game, policy.to_dict()) == pytest.approx(expected)
    drawn = tabular_policy_from_callable(game, openspiel.AgentPolicy(game, "random"))
    for policy in (drawn.to_dict(), pyspiel.UniformRandomPolicy(game)):
        assert pyspiel.exploitability(game, policy) == pytest.approx(71 / 135)
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(5):
        solver.evaluate_and_update_policy()
    assert pyspiel.exploitability(game, solver.average_policy()) < 0.038


@dataclass
class Fixed:
    """Always plays the same cards, as text."""

    cards: str
    is_stochastic = False

    def reset(self, seed: int) -> None:
        """Nothing depends on it."""

    def act(self, view: View, legal: LegalPlays) -> Play:
        return view.ruleset.play(self.cards)


def test_policy__of_an_agent_that_plays_other_suits_or_illegal_cards() -> None:
    rules = ruleset("pao_de_kuai").with_deck("D[3] C[3] D[4] C[4] D[5] D[6]", hand_size=2, players=3)
    game = openspiel.load_game(replace(rules, lead=Lead.ANY))
    outcomes = game.new_initial_state().chance_outcomes()
    states = (game.new_initial_state().child(outcome) for outcome, _ in outcomes)
    state = next(one for one in states if one.view().hand == as_mask("D[3] C[3]"))
    found = [openspiel.AgentPolicy(game, Fixed(cards)).action_probabilities(state) for cards in ("D[3]", "C[3]")]
    assert found[0] == found[1]
    assert sorted(found[0].values())[-2:] == [0.0, 1.0]
    with pytest.raises(ConfigError, match="a legal play of agent Fixed"):
        openspiel.AgentPolicy(game, Fixed("D[5]")).action_probabilities(state)


def test_sampling__runs_on_games_with_many_deals() -> None:
    for game in (openspiel.load_game("mini12"), openspiel.load_game("big2", scoring="cards", num_players=2)):
        solver = external_sampling_mccfr.ExternalSamplingSolver(game, external_sampling_mccfr.AverageType.SIMPLE)
        if game.num_distinct_actions() < 100:
            solver.iteration()
        state = game.new_initial_state()
        while state.is_chance_node():
            state.apply_action(state.chance_outcomes()[-1][0])
        assert solver.average_policy().action_probabilities(state)


def test_load_game__of_rules_without_a_name() -> None:
    game = openspiel.load_game(FEW, scoring="cards")
    assert game.num_players() == 3
    assert game.min_utility() == -2
    again = pickle.loads(pickle.dumps(game))
    assert again.ruleset == FEW.with_scoring("cards")
    assert again.new_initial_state().is_chance_node()
    assert str(game).startswith("python_big2(players=0,ruleset=three_seats_")
    assert openspiel.load_game("mini6").ruleset is MINI6
    assert str(pyspiel.load_game("python_big2(ruleset=big2,players=3,scoring=cards)")).count("cards") == 1


def test_action_strings__say_cards() -> None:
    state = openspiel.load_game("mini6").new_initial_state()
    assert state.action_to_string(state.current_player(), 0) == "deal C[3] D[3] | C[4] D[4]"
    state.apply_action(0)
    assert [state.action_to_string(0, action) for action in (1, 3, 2)] == ["single C[3]", "pair C[3] D[3]", "action 2"]
    assert state.observation_string(1).startswith("seat 1: C[4] D[4]; cards left: 2, 2; to beat: nothing; played: - | -")


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: openspiel.load_game("mini7"), "unknown ruleset 'mini7'"),
        (lambda: openspiel.load_game("big2", num_players=5), "big2 needs 2 to 4 players, got 5"),
        (lambda: openspiel.load_game("mini6").new_initial_state().view(), "a state after the deal"),
        (lambda: openspiel.load_game("mini6").make_py_observer(params={"a": 1}), "no parameters of observations"),
        (lambda: ChanceGame(MINI6, 2).resampled(0, lambda: 0.5), "a state in which a seat is to move, got one during a deal"),
        (
            lambda: openspiel.AgentPolicy(openspiel.load_game("mini6"), "greedy", stochastic=True),
            "has probabilities, got 'greedy'",
        ),
        (
            lambda: openspiel.AgentPolicy(openspiel.load_game("mini6"), "learned"),
            "no learned player for mini6",
        ),
        (
            lambda: openspiel.AgentPolicy(openspiel.load_game("mini6"), "search:8"),
            r"is_stochastic = False or a method probabilities\(view, legal\), got 'search:8'",
        ),
    ],
)
def test_errors__say_what_is_expected(call: Any, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        call()


class Odd(Settlement):
    """A settlement of which nothing is known."""

    def payoffs(self, standing: Standing) -> tuple[float, ...]:
        return (0.0,) * len(standing.hands)


@pytest.mark.parametrize("name", available_rulesets())
def test_payoff_range__holds_every_payoff(name: str) -> None:
    for rules in (ruleset(name), ruleset(name).with_scoring("cards")):
        for number in {rules.min_players, rules.max_players}:
            low, high = payoff_range(rules, number)
            outcomes = [table.game.outcome for table in played(rules, 9, number) if table.game is not None and table.is_over]
            assert all(low <= payoff <= high for outcome in outcomes for payoff in outcome.payoffs)  # type: ignore[union-attr]


def test_load_game__refuses_a_number_of_players_that_the_rules_do_not_allow() -> None:
    with pytest.raises(ConfigError, match=r"^big2 needs 2 to 4 players, got 9$"):
        openspiel.load_game("big2", num_players=9)


def test_payoff_range__is_tight_for_simple_settlements() -> None:
    assert payoff_range(BIG2, 4) == (pytest.approx(-1 / 3), 1)
    assert payoff_range(BIG2.with_scoring("cards"), 4) == (-13, 39)
    assert payoff_range(BIG2.with_scoring(Odd()), 4) == (-(2**53), 2**53)


@pytest.mark.parametrize("name", available_rulesets())
def test_resample__deals_anew_what_a_seat_has_not_seen(name: str) -> None:
    game, rng = openspiel.load_game(name), Random(4)
    recall, changed = game.parts.recall, 0
    for seed in range(2):
        for number, table in enumerate(played(game.ruleset, seed)):
            if table.is_dealing or table.is_over or number % 7:
                continue
            for seat in range(table.num_players):
                other = table.resampled(seat, rng.random)
                assert recall.text(other.game, seat) == recall.text(table.game, seat)
                assert list(other.legal()) == list(table.legal()) or table.game.turn != seat
                changed += other.game != table.game
    assert changed > 3


@pytest.mark.parametrize("name", ["mini6", "mini12", "big2", "dou_dizhu", "qi_gui_521"])
def test_resample__makes_a_state_with_its_whole_history(name: str) -> None:
    game, rng = openspiel.load_game(name), Random(4)
    recall, redealt = game.parts.recall, 0
    for _ in range(3):
        state = game.new_initial_state()
        while not state.is_terminal():
            actions = [action for action, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
            if not state.is_chance_node() and len(state.history()) % 5 == 0:
                for seat in range(game.num_players()):
                    other = state.resample_from_infostate(seat, rng.random)
                    assert recall.text(other.table.game, seat) == recall.text(state.table.game, seat)
                    assert len(other.history()) == len(state.history())
                    assert str(other.clone()) == str(other)
                redealt += len(state.table._decks) > 1
            bidding = not state.is_chance_node() and state.table.game.position.bidding
            state.apply_action(0 if bidding and 0 in actions and rng.random() < 0.9 else rng.choice(actions))
    assert bool(redealt) == (name == "dou_dizhu")


def test_resample__finds_every_deal_alike() -> None:
    """Seat 0 of mini6 knows its own cards only: each deal of the others comes equally often."""
    game = openspiel.load_game("mini6")
    state, rng = game.new_initial_state(), Random(2)
    state.apply_action(7)
    found = Counter(str(state.resample_from_infostate(0, rng.random)) for _ in range(2000))
    possible = [deal for deal in deals(MINI6, 2) if deal[0] == deals(MINI6, 2)[7][0]]
    assert len(found) == len({deal[1] for deal in possible})
    least, most = min(found.values()), max(found.values())
    assert most - least < 6 * (2000 / len(found)) ** 0.5


@pytest.mark.parametrize("name", ["mini12", "big2", "dou_dizhu"])
def test_ismcts__plays_whole_games(name: str) -> None:
    game, rng = openspiel.load_game(name), np.random.RandomState(1)
    state = game.new_initial_state()
    bot = ismcts.ISMCTSBot(
        game=game, evaluator=mcts.RandomRolloutEvaluator(1, rng), uct_c=2.0, max_simulations=3, random_state=rng
    )
    moves = 0
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(state.chance_outcomes()[rng.randint(len(state.chance_outcomes()))][0])
        elif state.current_player() == 0 and moves < 3:
            moves += 1
            state.apply_action(bot.step(state))
        else:
            state.apply_action(rng.choice(state.legal_actions()))
    assert moves


def test_playthrough__is_generated() -> None:
    text = generate_playthrough.playthrough("python_big2(ruleset=mini6)", [0], seed=3)
    assert "python_big2(ruleset=mini6)" in text
    assert "IsTerminal() = True" in text


@pytest.mark.parametrize("name", ["mini6", "big2"])
def test_illegal_action__is_refused_as_openspiel_refuses_it(name: str) -> None:
    state = openspiel.load_game(name).new_initial_state()
    with pytest.raises(pyspiel.SpielError, match="expected a legal action, such as 0, got 99999"):
        state.apply_action(99999)
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    with pytest.raises(pyspiel.SpielError, match=f"expected a legal action, such as {state.legal_actions()[0]}, got 99999"):
        state.apply_action(99999)
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    with pytest.raises(pyspiel.SpielError, match="expected no action after the end, got 0"):
        state.apply_action(0)


@pytest.mark.parametrize("name", ["mini6", "mini12", "big2"])
def test_answers__are_those_of_openspiels_own_methods(name: str) -> None:
    """`legal_actions` and `observation_tensor` are written anew for speed."""
    game, rng = openspiel.load_game(name), Random(1)
    state, own = game.new_initial_state(), pyspiel.State

    def same(call: str, *given: int) -> None:
        answers = []
        for method in (getattr(own, call), getattr(type(state), call)):
            try:
                answers.append(method(state, *given))
            except pyspiel.SpielError as error:
                answers.append(str(error))
        assert answers[0] == answers[1]
        assert type(answers[0][0]) is type(answers[1][0]) if answers[0] else not answers[1]

    while not state.is_terminal():
        for given in ((), *((player,) for player in range(-1, game.num_players() + 1))):
            same("legal_actions", *given)
            same("observation_tensor", *given)
        state.apply_action(rng.choice(state.legal_actions()))
    same("legal_actions")
    same("observation_tensor", 0)


def test_observer__of_other_knowledge_is_none() -> None:
    game = openspiel.load_game("mini6")
    nobody = pyspiel.IIGObservationType(public_info=True, perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE)
    assert make_observation(game, nobody) is None
    assert make_observation(game) is not None
