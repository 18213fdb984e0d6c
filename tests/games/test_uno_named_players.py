"""UNO players by name, from what one seat may know: in environments, at a table, in matches."""

from __future__ import annotations

import re
from functools import partial
from importlib.metadata import EntryPoint
from typing import Any

import numpy as np
import pytest

from big2_agents.uno.duel import Duel, run_of
from big2_agents.uno.guess_search import suit_draws
from big2_agents.uno.match import match
from big2_agents.uno.players import SCRATCH, learned_move
from big2_agents.uno.playouts import guess_hidden
from big2_agents.uno.view_moves import seen_game
from big2_agents.uno.view_players import LearnedPlayer, RulePlayer, SearchPlayer
from big2_agents.uno.weights import load_weights
from big2_env.base.errors import ConfigError
from big2_env.base.plugins import UNO_PLAYERS, Plugin
from big2_env.games.uno import PRESETS, UnoGame, UnoRules, uno_rules
from big2_env.games.uno.aec import raw_env
from big2_env.games.uno.kernels import dtypes, hands, turn
from big2_env.games.uno.players import uno_player
from big2_env.games.uno.seat_env import UnoSeatEnv
from big2_env.tables.session.side_session import SideSession

RULES = {**PRESETS, "any": UnoRules(3, blank_is_any=True, match_zero=False), "six": uno_rules("mattel", players=6)}
WHERE = "big2_agents.uno.view_players"


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The players of this repository, announced."""
    classes = {"learned": "LearnedPlayer", "rule-v1": "RulePlayer", "search": "SearchPlayer"}
    found = {name: Plugin(name, UNO_PLAYERS, EntryPoint(name, f"{WHERE}:{one}", UNO_PLAYERS)) for name, one in classes.items()}
    monkeypatch.setattr("big2_env.games.uno.players.plugins", lambda group: found if group == UNO_PLAYERS else {})


@pytest.mark.parametrize("name", RULES)
def test_learned_player__moves_on_a_view_as_in_compiled_games(name: str) -> None:
    rules, player, rng = RULES[name], LearnedPlayer(), np.random.default_rng(0)
    r, g, s = dtypes.rules_record(rules), dtypes.new_games(1)[0], np.zeros(1, SCRATCH).view(np.recarray)[0]
    weights, compared = load_weights(), 0
    for seed in range(3):
        game = UnoGame.deal(rules, seed)
        turn.deal(r, g, np.uint64(seed))
        while not game.is_over and game.turns < 250:
            move = player(game.view(), rng)
            assert move == learned_move(r, g, weights, s)
            compared += len(game.legal_moves()) > 2
            game.play(move)
            turn.make_move(r, g, move)
    assert compared > 20


@pytest.mark.parametrize("name", RULES)
def test_seen_game__is_the_game_as_far_as_the_seat_sees__and_plays_on(name: str) -> None:
    rules, rng = RULES[name], np.random.default_rng(1)
    r, guesses, changed = dtypes.rules_record(rules), set(), 0
    for seed in range(4):
        game = UnoGame.deal(rules, seed)
        for _ in range(40):
            if game.is_over:
                break
            view = game.view()
            seen = seen_game(view, r, int(rng.integers(2**63)))
            word = int(hands.legal_word(r, seen))
            assert tuple(move for move in range(64) if word >> move & 1) == view.moves
            assert [int(seat.held) for seat in seen.seats[: rules.players]] == list(view.cards_left)
            assert hands.score(seen, view.seat) == sum(map(points, view.hand))
            others = [int(hands.score(seen, seat)) for seat in range(rules.players) if seat != view.seat]
            guesses.add(tuple(others))
            changed += others != [sum(map(points, hand)) for seat, hand in enumerate(game.hands) if seat != view.seat]
            while seen.winner < 0:  # the hidden cards lie somewhere: it can be played to its end
                legal = int(hands.legal_word(r, seen))
                turn.make_move(r, seen, int(rng.choice([move for move in range(64) if legal >> move & 1])))
                if seen.turns > 60:
                    break
            game.play(int(rng.choice(view.moves)))
    assert len(guesses) > 10  # they are drawn
    assert changed > 10


def points(card: int) -> int:
    return int(dtypes.POINTS[card % 15])


def test_search__is_not_weaker_than_the_learned_player__and_its_guesses_follow_from_the_seed() -> None:
    found = match(UnoRules(), "search:20", "learned", 200)
    assert found.wins + found.wins_margin > 0.5
    assert match(UnoRules(), "search:20", "learned", 20) == match(UnoRules(), "search:20", "learned", 20)


def test_guesses__go_with_what_the_others_had_to_draw() -> None:
    rules = UnoRules(3)
    r, games, weights = dtypes.rules_record(rules), dtypes.new_games(2), load_weights()
    s, rng = np.zeros(1, SCRATCH).view(np.recarray)[0], np.uint64(5)
    g, guess, bound, broken = games[0], games[1], 0, 0
    for seed in range(8):
        turn.deal(r, g, np.uint64(seed))
        while g.winner < 0:
            me = np.int64(g.turn)
            games[1] = games[0]
            rng = np.uint64(guess_hidden(r, guess, me, rng))
            broken += any(too_many(guess, seat) for seat in range(3) if seat != me)
            rng = np.uint64(suit_draws(r, guess, me, rng))
            bound += any(too_many(guess, seat) for seat in range(3) if seat != me)
            codes = [*guess.codes[: int(guess.taken)], *guess.deck[: int(guess.left)]]
            assert sorted(codes) == sorted([*g.codes[: int(g.taken)], *g.deck[: int(g.left)]])
            turn.make_move(r, g, learned_move(r, g, weights, s))
    assert broken > 50
    assert bound < broken / 20  # only where the pile has nothing that fits


def too_many(g: Any, seat: int) -> bool:
    """Whether a hand has more cards of a colour than the seat can have, if it draws only when it can not play."""
    ages = int(g.seats[seat].low) | int(g.seats[seat].high) << 64
    colours = [int(g.codes[age]) >> 4 for age in range(int(g.taken)) if ages >> age & 1]
    return any(colours.count(colour) > (int(g.seats[seat].fresh) >> 8 * colour & 255).bit_count() for colour in range(5))


def test_named_players__play_in_every_environment_and_at_the_table(named: None) -> None:
    env, rng = raw_env(players=3), np.random.default_rng(3)
    players = [uno_player(name) for name in ("learned", "search:3", "rule-v1")]
    env.reset(seed=2)
    while not env.game.is_over:
        move = players[env.game.turn](env.game.view(), rng)
        assert move in env.game.view().moves
        env.step(move)
    assert sum(env.rewards.values()) == pytest.approx(0)
    paid = {name: sum(first_card_pays(name, seed) for seed in range(60)) for name in ("random", "learned")}
    assert paid["learned"] < paid["random"]
    session = SideSession(partial(UnoGame.deal, UnoRules()), seat=1, seed=0, against="learned")
    move = session.advance()
    assert move == LearnedPlayer()(UnoGame.deal(UnoRules(), 0).view(), rng)
    kept: list[Any] = []
    session.ended = kept.append
    session.leave()
    assert kept[0].extra["players"] == ["learned", "person"]


def first_card_pays(opponent: str, seed: int) -> float:
    """What a learner gets that always makes the first legal act."""
    env = UnoSeatEnv(opponent, players=2, seat=0)
    _, info = env.reset(seed=seed)
    over, reward = False, 0.0
    while not over:
        _, reward, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    return reward


def test_rule_player__does_not_depend_on_what_was_drawn_before() -> None:
    view = UnoGame.deal(UnoRules(), 5).view()
    one, other = RulePlayer(), RulePlayer()
    one(view, np.random.default_rng(9))
    assert one(view, np.random.default_rng(4)) == other(view, np.random.default_rng(4))


@pytest.mark.parametrize("spec", ["nobody", "search:0", "search:x", "search:9999999999", "learned:3"])
def test_names__that_make_no_player__are_refused_in_one_line(spec: str, named: None) -> None:
    with pytest.raises(ConfigError, match=spec.partition(":")[0]) as caught:
        uno_player(spec)
    assert "\n" not in str(caught.value)
    with pytest.raises(ConfigError):
        SideSession(partial(UnoGame.deal, UnoRules()), against=spec)


def _fails(view: Any, rng: Any) -> int:
    raise ValueError("no\nmodel")


@pytest.mark.parametrize(
    ("player", "message"),
    [(_fails, "fails: ValueError: no model"), (7, "fails: TypeError: 'int' object is not callable"),
     *[(lambda view, rng, one=one: one, rf": expected one of the moves \[.*\], got {re.escape(repr(one))}$")
       for one in (-1, 62, 10**30, None, 1.0, "1", [1], np.zeros(2))]],
)  # fmt: skip
def test_player__that_fails_or_cheats__is_named_in_one_line_and_nothing_is_done(player: Any, message: str) -> None:
    table = SideSession(partial(UnoGame.deal, UnoRules(players=2)), seat=1)
    table._player = player
    with pytest.raises(ConfigError, match=rf"^player automatic on seat 0:? ?{message}") as caught:
        table.advance()
    assert "\n" not in str(caught.value)
    assert not table.game.history


def test_search__takes_a_number_of_tries() -> None:
    assert (SearchPlayer().tries, SearchPlayer("7").tries) == (200, 7)
    with pytest.raises(ConfigError, match=r"expected search:TRIES with 1 to 100000 tries, got 'search:0'"):
        match(UnoRules(), "search:0", "learned", 10)


@pytest.mark.parametrize(("player", "is_named"), [("learned", True), ("search:5", True), ("automatic", False)])
def test_strength__names_the_weights_that_its_players_move_by(player: str, is_named: bool) -> None:
    assert ("weights" in run_of([Duel(UnoRules(), player, "random")], 0)) == is_named
