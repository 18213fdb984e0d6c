"""UNO at tables of 11 to 14: the deal that leaves no card to turn up, environments, records, figures, the command line."""

from __future__ import annotations

import json
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from run_cli import run_cli

import big2_env  # noqa: F401
from big2_env import ConfigError, NotationError
from big2_env.base.rng import SplitMix64, derived
from big2_env.base.side_game import move_of
from big2_env.games.uno import UnoGame, UnoRules, card_text, uno_rules
from big2_env.games.uno.aec import raw_env
from big2_env.games.uno.cards import DECK, face_of
from big2_env.games.uno.kernel_game import KernelUnoGame
from big2_env.games.uno.kernels import dtypes, turn
from big2_env.games.uno.players import uno_player
from big2_env.games.uno.simulate import simulated
from big2_env.notation.side_records import SideRecord, dumps, loads

WITHOUT_NUMBER = (760_206, 1_849_936, 2_403_616)
"""Seeds by which fourteen hands take every number card: all of those below three million."""


def shuffled(seed: int) -> tuple[int, ...]:
    deck = list(DECK)
    SplitMix64(seed).shuffle(deck)
    return tuple(deck)


@pytest.mark.parametrize("seed", WITHOUT_NUMBER)
def test_deal__without_a_number_card_left_is_made_again(seed: int) -> None:
    rules = UnoRules(14)
    assert min(map(face_of, shuffled(seed)[:10])) >= 10
    game = UnoGame.deal(rules, seed)
    assert game.deck == shuffled(derived(seed)) != shuffled(seed)
    assert game == UnoGame.deal(rules, derived(seed))
    assert face_of(game.discards[0]) < 10
    assert (
        UnoGame.deal(UnoRules(13), seed).deck
        == UnoGame.deal(rules.having(official_first_card=True), seed).deck
        == shuffled(seed)
    )


@pytest.mark.parametrize("seed", WITHOUT_NUMBER)
@pytest.mark.parametrize("official", [False, True])
def test_deal__is_made_again_alike_in_both_engines(seed: int, official: bool) -> None:
    rules = uno_rules("mattel", players=14, official_first_card=official)
    made, rng = KernelUnoGame(rules), np.random.default_rng(seed)
    made.deal(seed)
    game, random = UnoGame.deal(rules, seed), uno_player("random")
    while not game.is_over:
        assert (made.turn, made.is_over) == (game.turn, False)
        assert tuple(np.flatnonzero(made.look(game.turn)[1])) == game.legal_moves()
        assert made.game == game
        move = move_of(random, game.view(), rng)
        game.play(move)
        made.play(move)
    assert made.is_over
    assert made.outcome == game.outcome


def test_deck__without_a_card_to_turn_up_is_refused() -> None:
    deck, rules = shuffled(WITHOUT_NUMBER[0]), UnoRules(14)
    message = "the deck: expected a number card among the 10 left after the deal, to turn up first, got none"
    with pytest.raises(ConfigError, match=message):
        UnoGame(rules, deck)
    with pytest.raises(ConfigError, match=message):
        KernelUnoGame(rules).start(UnoGame(rules, deck, 0))
    with pytest.raises(ConfigError, match=message):
        raw_env(players=14).reset(options={"deck": " ".join(map(card_text, deck))})
    line = dumps(SideRecord(UnoGame.deal(rules.having(official_first_card=True), WITHOUT_NUMBER[0])))
    with pytest.raises((ConfigError, NotationError), match=message):
        loads(line.replace(', "official_first_card": true', ""), UnoGame)


@pytest.mark.parametrize("players", range(11, 15))
def test_environments__of_many_players_play_to_the_end(players: int) -> None:
    env = raw_env(players=players, rules="mattel")
    env.reset(seed=5)
    rng = np.random.default_rng(1)
    while not env.game.is_over:
        seen = env.observe(env.agent_selection)
        assert np.array_equal(seen["observation"], env.layout.encode(env.game.view()))
        env.step(int(rng.choice(np.flatnonzero(seen["action_mask"]))))
    assert loads(dumps(SideRecord(env.game)), UnoGame).game == env.game
    single = gymnasium.make("big2/Uno-v0", players=players, opponents="automatic")
    envs = gymnasium.make_vec("big2/Uno-v0", num_envs=3, players=players, opponents="automatic")
    assert single.observation_space.shape == (286 + 60 * players,)
    _, info = single.reset(seed=1)
    envs.reset(seed=1)
    for _ in range(200):
        envs.step(envs.unwrapped.random_actions())  # type: ignore[attr-defined]
        _, _, ended, _, info = single.step(int(np.flatnonzero(info["action_mask"])[0]))
        if ended:
            _, info = single.reset()


def test_figures__of_many_players_add_up() -> None:
    found = simulated(UnoRules(14, ties="shared"), 2_000, seed=WITHOUT_NUMBER[0] - 1_000)
    assert len(found.wins) == len(found.scores) == 14
    assert sum(win.mean for win in found.wins) == pytest.approx(1, abs=1e-12)
    g, r = dtypes.new_games(1)[0], dtypes.rules_record(UnoRules(14))
    turn.deal(r, g, np.uint64(WITHOUT_NUMBER[0]))
    assert int(g.left) == 9


def test_cli__takes_up_to_fourteen(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    played = run_cli("uno", "play", "--players", "14", "--seed", str(WITHOUT_NUMBER[0]), "--log", "jsonl")
    file.write_text(played.out, encoding="utf-8")
    assert run_cli("uno", "replay", str(file), "--lang", "en").out == "records replayed: 1; all agree with the rules\n"
    assert run_cli("uno", "simulate", "--players", "14", "--games", "500", "--json").status == 0
    strength = ("uno", "strength", "--players", "14", "--games", "28", "--against", "random")
    [found] = json.loads(run_cli(*strength, "--json").out)
    assert (found["games"], found["wins_margin"], found["left_margin"]) == (28, None, None)  # two deals have no interval
    assert "±" not in run_cli(*strength).out
    few = ("uno", "simulate", "--players", "14", "--games", "4")
    assert json.loads(run_cli(*few, "--json").out)["turns"]["error"] is None
    assert "±" not in run_cli(*few).out
    assert "uno       UNO       2 to 14  108" in run_cli("games", "--lang", "en").out
    refused = "big2: expected 2 to 14 players, got 15: 15 hands of 7 leave fewer than ten of the 108 cards\n"
    for verb in ("play", "simulate", "strength"):
        found = run_cli("uno", verb, "--players", "15")
        assert (found.status, found.err) == (2, refused)


@pytest.mark.parametrize("name", ["automatic", "learned", "rule-v1", "search:2"])
def test_players__sit_at_a_table_of_fourteen(name: str) -> None:
    game, player, rng = UnoGame.deal(UnoRules(14), WITHOUT_NUMBER[1]), uno_player(name), np.random.default_rng(3)
    while not game.is_over:
        game.play(move_of(player, game.view(), rng, name))
    assert game.outcome is not None
