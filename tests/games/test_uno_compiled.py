"""UNO compiled: the same games as the reference engine's, the published figures, rows of batches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from big2_env import ConfigError
from big2_env.base.rng import SplitMix64
from big2_env.games.uno import PRESETS, UnoEnd, UnoGame, UnoRules, automatic_move, uno_rules
from big2_env.games.uno.kernels import automatic, dtypes, hands, turn
from big2_env.games.uno.observation import UnoLayout
from big2_env.games.uno.rules import SCORINGS
from big2_env.games.uno.simulate import simulated
from big2_env.games.uno.vector import UnoBatchEnv, row_view
from big2_env.games.uno.view import UnoView
from big2_env.runs.executors import Local

RULES = {
    **PRESETS,
    "ten": uno_rules("article", players=10),
    "eleven": UnoRules(11, play_drawn=True),
    "twelve": uno_rules("letter", players=12),
    "thirteen": uno_rules("mattel", players=13),
    "fourteen": uno_rules("mattel", players=14, official_first_card=False),
    "odd": UnoRules(
        3,
        "actions_first",
        "draw_only",
        official_first_card=True,
        match_zero=False,
        match_wild=True,
        blank_is_any=True,
        wild_four="free",
        wild_order="four_first",
        play_drawn=True,
        last_card_acts=True,
        pile_test="at_once",
    ),
    "other": UnoRules(4, "draw_order", wild_four="last_resort", wild_order="wild_first", play_drawn=True, ties="lowest_seat"),
    "highest": UnoRules(4, "draw_order", pick="highest"),
    "hardest": UnoRules(3, pick="hardest", match_zero=False, empty_pile="reshuffle"),
    "none": UnoRules(3, effects="none", official_first_card=True, empty_pile="reshuffle", match_zero=False),
}


def same(g: Any, game: UnoGame) -> bool:
    """Whether a record is the game: hands by age, pile, what is in force, who moves, and the result."""
    seats = range(game.rules.players)
    codes = g.codes[: int(g.taken)].astype(int)
    words = [int(g.seats[seat].low) | int(g.seats[seat].high) << 64 for seat in seats]
    held = [[int(code - (code >> 4)) for age, code in enumerate(codes) if word >> age & 1] for word in words]
    fresh = [[(int(g.seats[seat].fresh) >> 8 * colour & 255).bit_count() for colour in range(5)] for seat in seats]
    turn = (g.turn, g.direction, g.colour, g.face, bool(g.naming), g.turns)
    return (
        held == game.hands
        and fresh == game.fresh
        and g.left == len(game.pile)
        and [g.seats[seat].held for seat in seats] == list(map(len, game.hands))
        and (game.is_over or turn == (game.turn, game.direction, game.colour, game.face, game.naming, game.turns))
        and g.winner == (-1 if game.outcome is None else game.outcome.winner)
    )


def in_any_order(view: UnoView) -> UnoView:
    """A view whose played cards below the last one are sorted."""
    return replace(view, discards=(*sorted(view.discards[:-1]), view.discards[-1]))


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("who", ["automatic", "random"])
def test_engines__play_the_same_games(name: str, who: str) -> None:
    rules, rng = RULES[name], SplitMix64(7)
    given = {scoring: dtypes.rules_record(rules, scoring) for scoring in SCORINGS}
    r, g, payoffs = given["winner"], dtypes.new_games(1)[0], np.zeros(14, np.float32)
    for seed in range(3 if rules.players < 10 else 1):  # what all of many players know takes long to compare
        game = UnoGame.deal(rules, seed)
        turn.deal(r, g, np.uint64(seed))
        for _ in range(250):
            assert same(g, game)
            word = int(hands.legal_word(r, g))
            assert tuple(move for move in range(64) if word >> move & 1) == game.legal_moves()
            if game.is_over:
                break
            if who == "random":
                legal = game.legal_moves()
                move = legal[rng.below(len(legal))]
                game.play(move)
                turn.make_move(r, g, move)
            else:
                turns = game.turns
                while game.turns == turns and not game.is_over:
                    game.play(automatic_move(game.view()))
                automatic.automatic_turn(r, g)
        if game.outcome is not None:
            assert g.ended == (1 if game.outcome.reason is UnoEnd.OUT else 2)
            for scoring, record in given.items():
                turn.write_payoffs(record, g, payoffs)
                np.testing.assert_allclose(payoffs[: rules.players], game.outcome.payoffs(scoring), rtol=1e-6)


# Published figures: rows of the reference table, 200,000 games each. The last digit is rounded, and the published figures have
# a standard error of their own.
GAMES = 40_000
TABLE = [
    # rules, mean turns, median, exhausted, reported wins of the first seats, points left
    ({"players": 2}, 34.5, 26, 0.0024, (0.514,), 61.7),
    ({"players": 3}, 38.3, 32, 0.0016, (0.350,), 98.7),
    ({"players": 4}, 43.2, 37, 0.0025, (0.271, 0.253, 0.240, 0.235), 146.7),
    ({"players": 6}, 56.1, 50, 0.017, (0.187,), 239.8),
    ({"players": 8}, 65.7, 61, 0.091, (0.147,), 341.8),
    ({"players": 10}, 69.0, 69, 0.321, (0.122,), 462.8),
    ({"players": 2, "colour_order": "draw_order"}, 34.5, None, None, (), 57.2),
    ({"players": 2, "colour_order": "actions_first"}, 34.1, None, None, (), 51.3),
    ({"players": 4, "colour_order": "draw_order"}, 44.6, None, None, (), 134.4),
    ({"players": 4, "colour_order": "actions_first"}, 46.0, None, None, (), 121.3),
    ({"players": 2, "match_zero": False}, 35.2, None, None, (), None),
    ({"players": 4, "match_zero": False}, 43.6, None, None, (), None),
    ({"players": 2, "play_drawn": True}, 30.2, None, None, (), None),
    ({"players": 4, "play_drawn": True}, 41.1, None, None, (), None),
    ({"players": 2, "effects": "none"}, 29.4, None, None, (), None),
    ({"players": 4, "effects": "none"}, 36.6, None, None, (), None),
    ({"players": 2, "blank_is_any": True}, 34.4, None, None, (), None),
    ({"players": 4, "blank_is_any": True}, 41.1, None, None, (), None),
]


def near(found: Any, published: float, rounded: float, games: int) -> bool:
    """Within three standard errors of a difference between this many games and the published 200,000, and rounding."""
    return abs(found.mean - published) <= 3 * found.error * (1 + games / 200_000) ** 0.5 + rounded


@pytest.mark.parametrize("row", TABLE, ids=lambda row: " ".join(f"{name}={value}" for name, value in row[0].items()))
def test_simulation__gives_the_published_figures(row: Any) -> None:
    changes, turns, median, exhausted, wins, left = row
    found = simulated(UnoRules(**changes), GAMES, seed=1)
    assert near(found.turns, turns, 0.05, GAMES)
    assert median is None or abs(found.percentile(0.5) - median) <= 1
    assert exhausted is None or near(found.exhausted, exhausted, 0.0005, GAMES)
    assert left is None or near(found.left, left, 0.05, GAMES)
    for seat, published in enumerate(wins):
        assert near(found.firsts[seat], published, 0.0005, GAMES)
    assert sum(one.mean for one in found.wins) == pytest.approx(1)


def test_simulation__is_the_same_for_every_number_of_threads_and_adds_up_the_reference_engines_games() -> None:
    rules = UnoRules(players=5, play_drawn=True)
    one, three = simulated(rules, 11_000, seed=9, executor=Local(1)), simulated(rules, 11_000, seed=9, executor=Local(3))
    assert np.array_equal(one.totals, three.totals)
    assert one.longest == np.flatnonzero(one.lengths)[-1]
    few, outcomes, turns = simulated(rules, 30, seed=4), [], []
    for seed in range(4, 34):
        game = UnoGame.deal(rules, seed)
        while not game.is_over:
            game.play(automatic_move(game.view()))
        outcomes.append(game.outcome)
        turns.append(game.turns)
    assert (few.turns.mean, few.shortest, few.longest) == (np.mean(turns), min(turns), max(turns))
    scores = np.array([outcome.scores for outcome in outcomes if outcome])
    np.testing.assert_allclose([one.mean for one in few.scores], scores.mean(0))
    assert few.left.error == pytest.approx(scores.sum(1).std(ddof=1) / 30**0.5)
    for games in (0, 10**10 + 1):
        with pytest.raises(ConfigError, match=r"^expected 1 to 10,000,000,000 games, got "):
            simulated(rules, games)


@pytest.mark.parametrize("name", ["article", "mattel", "odd", "ten"])
def test_batch__rows_are_games_of_the_reference_engine(name: str) -> None:
    rules, layout, rng = RULES[name], UnoLayout(RULES[name]), np.random.default_rng(2)
    batch = UnoBatchEnv(3, rules=rules, mode="self_play", scoring="points", dtype="float32")
    obs, infos = batch.reset(seed=5)
    streams = [SplitMix64(SplitMix64(5 + row).next()) for row in range(3)]
    games = [UnoGame.deal(rules, stream.next()) for stream in streams]
    ended = 0
    for _ in range(220):
        counts, ids = batch.legal_ids()
        for row, game in enumerate(games):
            view = game.view()
            assert infos["seat"][row] == game.turn
            np.testing.assert_array_equal(obs[row], layout.encode(view))
            assert tuple(np.flatnonzero(infos["action_mask"][row])) == view.moves == tuple(ids[row, : counts[row]])
            for seat in range(rules.players):
                assert in_any_order(row_view(batch.engine, row, seat)) == in_any_order(game.view(seat))
        moves = np.array([rng.choice([move for move in game.legal_moves() if move != 60] or [60]) for game in games])
        obs, reward, terminated, _, infos = batch.step(moves)
        for row, game in enumerate(games):
            seat = game.turn
            game.play(int(moves[row]))
            assert infos["actor"][row] == seat
            assert terminated[row] == game.is_over
            if game.outcome is not None:
                ended += 1
                np.testing.assert_allclose(infos["payoffs"][row], game.outcome.payoffs("points"))
                assert reward[row] == infos["payoffs"][row, seat]
                np.testing.assert_array_equal(infos["final_obs"][row], layout.encode(game.view(seat)))
                games[row] = UnoGame.deal(rules, streams[row].next())
            else:
                assert reward[row] == 0
    assert ended >= 2
