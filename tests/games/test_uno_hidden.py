"""UNO players receive nothing that depends on hidden cards or on the deal's seed."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import numpy as np
import pytest
from run_cli import run_cli

from big2_agents.uno.duel import Duel, run_of
from big2_agents.uno.guess_search import search_move
from big2_agents.uno.match import match
from big2_agents.uno.players import SCRATCH, rule_v1_move
from big2_agents.uno.weights import load_weights
from big2_env import ConfigError, IllegalPlayError
from big2_env.base.salts import Salts
from big2_env.base.side_game import seeded_move
from big2_env.games.uno import UnoGame, UnoRules, uno_rules
from big2_env.games.uno.kernel_game import KernelUnoGame
from big2_env.games.uno.kernels import dtypes, one_game, turn
from big2_env.games.uno.kernels.hands import legal_word, seat_seed
from big2_env.games.uno.kernels.loops import any_of
from big2_env.games.uno.observation import UnoLayout
from big2_env.games.uno.players import uno_player
from big2_env.games.uno.seat_env import UnoSeatEnv
from big2_env.games.uno.vector import UnoBatchEnv
from big2_env.tables.session.side_session import SideSession

RULES = {
    "two": uno_rules("table"),
    "four": uno_rules("mattel", players=4),
    "fourteen": uno_rules("table", players=14),
    "article": uno_rules("article", players=3),
}


def played(rules: UnoRules, seed: int, moves: int) -> UnoGame:
    """A game of random players that has not ended."""
    game, rng = UnoGame.deal(rules, seed), random.Random(seed)
    for _ in range(moves):
        game.play(rng.choice([move for move in game.legal_moves() if move < 60] or game.legal_moves()))
        if game.is_over:
            return played(rules, seed, moves // 2)
    return game


def exchanged(game: UnoGame, seat: int, seed: int) -> UnoGame | None:
    """A game of the same acts, in which cards that a seat does not see lie elsewhere; `None` if tries find none."""
    rng, found = random.Random(seed), None
    deck = list(game.deck)
    for _ in range(300):
        one, other = rng.sample(range(108), 2)
        deck[one], deck[other] = deck[other], deck[one]
        try:
            twin = UnoGame(game.rules, deck, game.stream)
            for move in game.history:
                twin.play(move.move)
        except IllegalPlayError:
            twin = None
        if twin is not None and (twin.hands[seat], twin.discards) == (game.hands[seat], game.discards):
            found = twin
        else:
            deck[one], deck[other] = deck[other], deck[one]
    return found


def record_of(game: UnoGame) -> Any:
    """The compiled game of the same acts, three records."""
    games, r = dtypes.new_games(3), dtypes.rules_record(game.rules)
    one_game.start_game(
        np.asarray(r).reshape(1), games, np.array([card + card // 15 for card in game.deck], np.uint8), np.uint64(game.stream)
    )
    for move in game.history:
        turn.make_move(r, games[0], move.move)
    return r, games


@pytest.mark.parametrize("name", RULES)
def test_players__receive_the_same_however_the_hidden_cards_lie(name: str) -> None:
    rules, changed = RULES[name], 0
    layout, weights = UnoLayout(rules), load_weights()
    players = [uno_player(one) for one in ("random", "automatic", "learned", "rule-v1", "search:3")]
    for seed in range(4):
        for moves in (0, 5, 14):
            game = played(rules, seed, moves)
            seat = game.turn
            twin = exchanged(game, seat, seed)
            if twin is None:
                continue
            changed += twin.hands != game.hands
            view, other = game.view(), twin.view()
            assert other == view
            assert other.seed() == view.seed()
            assert layout.encode(other).tobytes() == layout.encode(view).tobytes()
            assert [seeded_move(one, other) for one in players] == [seeded_move(one, view) for one in players]
            given = []
            for one in (game, twin):
                r, games = record_of(one)
                made, s = KernelUnoGame(rules), np.zeros(1, SCRATCH).view(np.recarray)[0]
                made.start(UnoGame(one.rules, one.deck, one.stream))
                for move in one.history:
                    made.play(move.move)
                looks = [array.tobytes() for array in made.look(seat)]
                s.rng = number = np.uint64(seat_seed(games[0], seat, np.uint64(0)))
                found = int(search_move(r, games, weights, s, 5))
                s.rng = number
                given.append((looks, int(number), found, int(rule_v1_move(r, games[0], s))))
            assert given[0] == given[1]
            assert given[0][1] == view.seed()
    assert changed > 4


@pytest.mark.parametrize("name", RULES)
def test_seed__is_the_same_in_plain_and_compiled_code_and_changes_with_every_move(name: str) -> None:
    rules, rng = RULES[name], random.Random(1)
    g, r = dtypes.new_games(1)[0], dtypes.rules_record(rules)
    for deal in range(3):
        game, seen = UnoGame.deal(rules, deal), list[int]()
        turn.deal(r, g, np.uint64(deal))
        while not game.is_over:
            for seat in range(rules.players):
                assert int(seat_seed(g, seat, np.uint64(deal))) == game.view(seat).seed(deal) != game.view(seat).seed(deal + 1)
            view = game.view()
            seen.append(view.seed())
            drawn = any_of(np.uint64(legal_word(r, g)), np.uint64(seat_seed(g, game.turn, np.uint64(deal))))
            assert seeded_move(uno_player("random"), view, salt=deal) == int(drawn)
            move = rng.choice(view.moves)
            game.play(move)
            turn.make_move(r, g, move)
        assert len(set(seen)) >= len(seen) - (rules.empty_pile == "reshuffle")


def test_opponents__draw_from_what_they_see_and_the_salt_alone() -> None:
    """The same deck by another seed of the environment, or after other games, meets the same opponents."""
    received: list[tuple[int, int, int]] = []

    def watched(view: Any, rng: np.random.Generator) -> int:
        received.append((view.seed(), view.seed(salt), int(rng.integers(2**63))))
        return int(view.moves[0])

    for agent_seed in (0, 0, 7):
        env, salts = UnoSeatEnv(watched, players=3, agent_seed=agent_seed), Salts(agent_seed)
        salts.begin(5)
        salt = salts.next()
        _, info = env.reset(seed=5)
        for _ in range(8):
            _, _, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
            if over:
                break
    third = len(received) // 3
    assert received[:third] == received[third : 2 * third]
    assert [view for view, *_ in received[:third]] == [view for view, *_ in received[2 * third :]]
    assert received[:third] != received[2 * third :]
    assert all(np.random.default_rng(seed).integers(2**63) == number for _, seed, number in received)
    sessions = [SideSession(partial(UnoGame.deal, UnoRules(3)), seat=2, seed=9, against="random") for _ in range(2)]
    for _ in range(30):
        sessions[1].advance()
        sessions[1].undo()
    sessions[1].game, sessions[1].seed = UnoGame.deal(UnoRules(3), 9), 12345
    for session in sessions:
        while session.advance() is not None:
            pass
    assert sessions[0].game == sessions[1].game
    rows = [UnoBatchEnv(8, players=3, seat=0, agent_seed=salt) for salt in (0, 0, 3)]
    seen = []
    for envs in rows:
        envs.reset(seed=4)
        steps = [envs.step(envs.random_actions())[0].tobytes() for _ in range(10)]
        seen.append(steps)
    assert seen[0] == seen[1] != seen[2]


def test_agent_seed__salts_matches_and_their_files() -> None:
    rules = UnoRules(2)
    usual, again, other = (match(rules, "random", "rule-v1", 400, salt=salt) for salt in (0, 0, 1))
    assert usual == again != other
    assert match(rules, "learned", "automatic", 400, salt=0) == match(rules, "learned", "automatic", 400, salt=1)
    headers = [run_of([Duel(rules, "learned", name)], 0, 5) for name in ("automatic", "random")]
    assert ["agent_seed" in header for header in headers] == [False, True]
    for wrong in (-1, 2**63, True, 1.0):
        with pytest.raises(ConfigError, match=r"^expected an agent_seed of 0 to 2\*\*63 - 1, got"):
            UnoSeatEnv(agent_seed=wrong)  # type: ignore[arg-type]
        with pytest.raises(ConfigError, match="expected an agent_seed"):
            SideSession(partial(UnoGame.deal, rules), agent_seed=wrong)  # type: ignore[arg-type]
    args = ("uno", "strength", "--player", "random", "--against", "rule-v1", "--players", "2", "--games", "400", "--json")
    outs = [run_cli(*args, *more).out for more in ((), ("--agent-seed", "0"), ("--agent-seed", "1"))]
    assert outs[0] == outs[1] != outs[2]
