"""Agents, play-outs and games of agents: nothing that a caller edits or hands in ends the interpreter."""

from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from typing import Any

import numpy as np
import pytest
from forks import fatal, signal_of
from hostile_values import at_turn, edited_views, hostile_arrays

from big2_agents.data.playing import CompiledPlayers
from big2_agents.kernels.codes import NET
from big2_agents.kernels.heuristic import HeuristicScorer
from big2_agents.kernels.rule_players import RuleRows
from big2_agents.kernels.selfplay import PlayedGames
from big2_agents.learned.policy import LearnedPolicy
from big2_agents.learned.rows import LearnedRows
from big2_agents.learned.weights import load_network
from big2_agents.models import shipped_weights
from big2_agents.models.formula import Weights
from big2_agents.review.prospects import OpenPlayouts
from big2_agents.uno.match import match
from big2_agents.uno.players import SCRATCH, learned_move
from big2_agents.uno.weights import NUM_HIDDEN, NUM_WEIGHTS
from big2_env import BIG2, ConfigError, Game
from big2_env.agents.interface import make_agent
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.rulesets import ruleset
from big2_env.climbing.view import View
from big2_env.games.klondike.cards import shuffled
from big2_env.games.klondike.position import KlondikePosition
from big2_env.games.uno import UnoRules
from big2_env.games.uno.kernels.dtypes import new_games, rules_record
from big2_env.games.uno.kernels.hands import legal_word
from big2_env.games.uno.kernels.turn import deal, make_move
from big2_env.kernels.engine import BatchEngine

TIEN_LEN = ruleset("tien_len")
AGENTS = ("lowest", "greedy", "search:8", "learned", "learned-search:8", "ppo")


def asked(agent: Any) -> list[Callable[..., object]]:
    """All that an agent can be asked about a view."""
    return [getattr(agent, name) for name in ("act", "advise", "judge") if hasattr(agent, name)]


def check_views(agent: Any, view: View) -> None:
    """Edited views and legal plays are refused or answered, by whatever the agent is asked, compiled where it can be."""
    if hasattr(agent, "prepare"):
        agent.prepare(view)
    legal = view.legal_plays()
    forged = LegalPlays(view.ruleset, view.hand, view.top, view.obligation, False, (Play("yes", 0, 99, 2**31),))
    for ask in asked(agent):
        ask(view, legal)
        cases = [(f"{ask.__name__}: {what}", partial(ask, edited, legal)) for what, edited in edited_views(view)]
        assert len(cases) > 60
        assert not fatal([*cases, (f"{ask.__name__}: forged calls", partial(ask, view, forged))])


@pytest.mark.long
@pytest.mark.parametrize("name", AGENTS)
def test_agents__of_edited_views__refuse_or_answer(name: str) -> None:
    check_views(make_agent(name), at_turn(BIG2))


@pytest.mark.long
@pytest.mark.release
def test_search__of_edited_views_of_dou_dizhu__refuses_or_answers() -> None:
    check_views(make_agent("search:8"), at_turn(ruleset("dou_dizhu"), 20))


def test_view_scores__of_edited_views_or_another_game__refuse() -> None:
    view, scores = at_turn(BIG2), HeuristicScorer(BIG2)
    moves = list(view.legal_plays())
    scores(view, moves)
    assert not fatal([(what, partial(scores, edited, moves)) for what, edited in edited_views(view)])
    for other in (at_turn(TIEN_LEN), Game.deal(BIG2, 1, 3).view()):
        with pytest.raises(ConfigError, match=r"^expected a view of big2 with 4 players, got one of"):
            scores(other, moves)


# Games that networks and rule players play.


@cache
def six_games() -> PlayedGames:
    return PlayedGames(BIG2, 6)


def started() -> tuple[PlayedGames, np.ndarray]:
    """Games that have just been dealt; what is done to them elsewhere is done in another process."""
    games = six_games()
    games.deal(np.arange(6), np.full((6, 4), NET))
    return games, games.advance()


def played_on(change: Callable[[PlayedGames, np.ndarray], object]) -> None:
    """Make a change in games at their first choice; where it is refused, play on all the same."""
    games, rows = started()
    with suppress(Exception):
        change(games, rows)
    for _ in range(3):
        rows = games.advance()
        games.features(rows, hidden=True)
        games.choose(rows, np.zeros(len(rows), np.int64))
    games.payoffs()


CHANGES: dict[str, Callable[[PlayedGames, np.ndarray, Any], object]] = {
    "seeds": lambda games, rows, given: games.deal(given, np.full((6, 4), NET)),
    "players": lambda games, rows, given: games.deal(np.arange(6), given),
    "features": lambda games, rows, given: games.features(given, hidden=True),
    "rows": lambda games, rows, given: games.choose(given, np.zeros(6, np.int64)),
    "choices": lambda games, rows, given: games.choose(rows, given),
}


@pytest.mark.long
def test_played_games__handed_anything__do_not_end_the_interpreter() -> None:
    played_on(lambda games, rows: games.choose(rows, np.zeros(len(rows), np.int64)))
    cases = [
        (f"{name} of array {i}", partial(played_on, partial(lambda change, given, *at: change(*at, given), change, given)))
        for name, change in CHANGES.items()
        for i, given in enumerate([*hostile_arrays(6), np.full((6, 4), 99), np.full((6, 4), 2**40), np.full((6, 3), NET)])
    ]
    assert not fatal(cases)


def test_played_games__what_is_no_choice__is_refused() -> None:
    games, rows = started()
    none = np.zeros(len(rows), np.int64)
    for given, chosen, expected in (
        (np.array([6]), none[:1], r"^expected rows 0 to 5, got 6 to 6$"),
        (np.full(1, np.nan), none[:1], r"^expected rows as integers \(M,\), got float64 \(1,\)$"),
        (rows[[0, 0]], none[:2], r"^expected each game once, got 0 again$"),
        (rows, none + 999, r"^expected a candidate of each of 6 games, got int64 \(6,\)$"),
    ):
        with pytest.raises(ConfigError, match=expected):
            games.choose(given, chosen)
    games.choose(rows[:1], none[:1])
    for call in (games.features, partial(games.choose, chosen=none[:1])):
        with pytest.raises(ConfigError, match=r"^expected games that have a choice, got 0$"):
            call(rows[:1])
    with pytest.raises(ConfigError, match=r"^expected players \(6, 4\), each a code up to 3, got \(6, 4\)$"):
        games.deal(np.arange(6), np.full((6, 4), 4))


def test_played_games__public_state__is_read_only() -> None:
    games, _ = started()
    for name in ("games", "candidates", "controllers"):
        record = getattr(games, name)
        assert not (record.base if isinstance(record, np.record) else record).flags.writeable
        with pytest.raises(AttributeError):
            setattr(games, name, record)


# Weights.


def test_networks__of_other_shapes_or_no_numbers__are_refused() -> None:
    network = load_network(shipped_weights(BIG2))
    for name, array in (
        ("trunk1", network.trunk1[:9]), ("play", network.play[1:]), ("head2", network.head2[:-1]), ("deep", None),
        ("state_bias", network.state_bias * np.nan), ("head1", network.head1.astype(np.int8)),
    ):  # fmt: skip
        with pytest.raises(ConfigError, match=r"network.*: expected "):
            LearnedRows(BIG2, network._replace(**{name: array}), 4, Weights())


def test_learned_agent__what_compiled_code_reads__is_read_only() -> None:
    policy, view = LearnedPolicy(), at_turn(BIG2)
    policy.decide(view, view.legal_plays())
    with pytest.raises(ValueError, match="read-only"):
        policy.scorer.feats.state_size = 10**6
    with pytest.raises(AttributeError):
        policy.scorer = 1  # type: ignore[misc, assignment]
    with pytest.raises(AttributeError):
        policy.scorer.net = 1  # type: ignore[misc, assignment]


def test_heuristic__huge_weights__do_no_harm() -> None:
    engine, big = BatchEngine(BIG2, 4), 1e308
    engine.reset(3)
    for weights in (Weights(turn=(big,) * 3, hold=(big,) * 3, rank=(-big,) * 3), Weights(lead=big, danger=-big)):
        player = RuleRows(BIG2, weights)
        assert not signal_of(partial(player.moves, engine, np.arange(4), None))
        assert engine.are_legal(player.moves(engine, np.arange(4), None)).all()  # type: ignore[arg-type]


def test_uno_match__weights_of_another_number_or_size__are_refused() -> None:
    for weights in (np.zeros(3), np.full(NUM_WEIGHTS, np.nan), np.zeros((NUM_WEIGHTS, 1)), np.zeros(NUM_WEIGHTS, "U1")):
        with pytest.raises(ConfigError, match=rf"^UNO weights: expected {NUM_WEIGHTS} finite weights, got "):
            match(UnoRules(), "learned", "random", 4, weights=weights)


@pytest.mark.long  # compiles the player
def test_uno_player__of_weights_whose_values_are_no_numbers__makes_a_legal_move() -> None:
    huge = np.full(NUM_WEIGHTS, 1e308)
    huge[-NUM_HIDDEN::2] = -1.0
    r, g, s = rules_record(UnoRules()), new_games(1)[0], np.zeros(1, SCRATCH).view(np.recarray)[0]
    number = 0
    for seed in range(8):
        deal(r, g, np.uint64(seed))
        while g.winner < 0 and number < 400:
            move = learned_move(r, g, huge, s)
            assert int(legal_word(r, g)) >> move & 1
            make_move(r, g, move)
            number += 1
    assert number > 100


# Players of other games than those they are asked about.


def test_rule_players__of_other_codes_or_games__are_refused() -> None:
    for code in (-1, 0, 3, 2**40, None, 1.0, "x"):
        with pytest.raises(ConfigError, match=r"^expected the code of a rule player without draws"):
            RuleRows(BIG2, code)  # type: ignore[arg-type]
    choose = CompiledPlayers(TIEN_LEN, [1] * 4).start(np.zeros((1, 4), np.int64), np.zeros(1, np.uint64))
    with pytest.raises(ConfigError, match=r"^expected games of tien_len with 4 players, got big2 with 4 players$"):
        choose(BatchEngine(BIG2, 1), 0)
    with pytest.raises(ConfigError, match=r"^expected a game of tien_len with 4 players, got one of big2 with 4$"):
        OpenPlayouts(TIEN_LEN, 4).prospect(Game.deal(BIG2, 1))


def test_klondike__a_position_that_no_game_comes_to__is_refused_by_compiled_code() -> None:
    from big2_env.games.klondike.kernels.packed import tables_of

    state = KlondikePosition.deal(shuffled(0))
    for edited in (
        state._replace(down=(99,) * 7), state._replace(foundations=(40, 0, 0, 0)), state._replace(dealer=(0,) * 99),
    ):  # fmt: skip
        with pytest.raises(ConfigError, match=r"expected"):
            tables_of(edited)
