"""The environment of TextArena: whole games by its API, faults, seeds, and nothing hidden."""

from __future__ import annotations

import copy
import random
from typing import Any

import numpy as np
import pytest
from giving_up import GivesUp
from hidden_cards import exchanged, random_moment
from one_language import strangers

from big2_env import BIG2, ConfigError, Game, available_rulesets, ruleset
from big2_env.base.language import Language, words
from big2_env.climbing.forfeit import forfeit
from big2_env.climbing.view import View
from big2_env.registration import env_id
from big2_env.text.answers import Ambiguous
from big2_env.text.names import move_text
from big2_env.text.observation import observation

FAULTS = ("illegal", "unreadable", "ambiguous")


def text_arena_env(*args: Any, **options: Any) -> Any:
    """Return an environment. TextArena takes seconds to load, and every worker collects this file."""
    from big2_env.envs.textarena import TextArenaEnv

    return TextArenaEnv(*args, **options)


def made(identifier: str, **options: Any) -> Any:
    """Return an environment by its registered name."""
    import textarena

    return textarena.make(identifier, **options)


def stated(game: Game, rng: random.Random) -> str:
    """A legal move as a model states it."""
    legal = game.legal_plays()
    return f"I thought about it.\n<answer>{move_text(rng.choice(list(legal)), legal, words(Language.EN))}</answer>"


@pytest.mark.parametrize("name", sorted(available_rulesets()))
def test_game__of_every_ruleset_pays_every_player(name: str) -> None:
    env = made(env_id(name))
    rules = ruleset(name)
    players = rules.default_players
    env.reset(num_players=players, seed=5)
    rng, is_over, asked = random.Random(5), False, [0] * players
    while not is_over:
        player, seen = env.get_observation()
        assert player == env.game.turn
        assert seen.endswith(f"[GAME] {observation(env.game.view())}")
        assert seen.count("Win as many points as possible.") == 1
        asked[player] += 1
        is_over, info = env.step(stated(env.game, rng))
        assert info == {}
    rewards, infos = env.close()
    assert env.game.outcome is not None
    assert tuple(rewards.values()) == env.game.outcome.payoffs
    assert list(rewards) == list(range(players))
    assert [infos[player]["turn_count"] for player in rewards] == asked
    assert not any(infos[player][fault] for player in rewards for fault in FAULTS)


def test_rewards__by_regret_are_minus_the_mean_of_each_players_moves() -> None:
    def by_cards(view: View) -> list[float]:
        return [play.mask.bit_count() / 4 for play in view.legal_plays()]

    env = made(env_id("big2"), regrets=by_cards, error_allowance=0)
    env.reset(num_players=4, seed=5)
    rng, lost = random.Random(5), [list[float]() for _ in range(4)]
    for _ in range(30):
        player, legal = env.game.turn, env.game.legal_plays()
        _, info = env.step(stated(env.game, rng))
        cards = env.game.history[-1].play.mask.bit_count()
        assert info == ({"regret": cards / 4} if len(legal) > 1 else {})
        lost[player] += [cards / 4] if len(legal) > 1 else []
    while len(env.game.legal_plays()) == 1:
        env.step(stated(env.game, rng))
    worst = max(by_cards(env.game.view()))
    is_over, info = env.step("I give up.")
    assert (is_over, info["fault"], info["regret"]) == (True, "unreadable", worst)
    lost[env.game.turn].append(worst)
    assert env.close()[0] == pytest.approx({player: -sum(own) / len(own) for player, own in enumerate(lost)})


def test_regret__is_equal_if_an_answer_names_other_suits() -> None:
    env = text_arena_env("dou_dizhu", regrets=lambda view: [float(play.power) for play in view.legal_plays()])
    found = []
    for card in ("9C", "9H"):
        env.reset(num_players=3, seed=5)
        env.game = Game.from_hands(env.ruleset, ["C[3] C[9] H[9]", "C[5] C[6]", "C[7] C[8]"], landlord=0)
        found.append(env.step(f"<answer>{card}</answer>"))
    assert found[0] == found[1] == (False, {"regret": 24.0})


def test_game__is_the_deal_of_its_seed() -> None:
    env = text_arena_env()
    env.reset(num_players=4, seed=7)
    assert env.game == Game.deal(BIG2, 7)
    random.seed(3)
    state = random.getstate()
    env.reset(num_players=3, seed=8)
    assert env.game == Game.deal(BIG2, 8, 3)
    assert random.getstate() == state
    deals = []
    for seed in (3, 3, 4):
        random.seed(seed)
        env.reset(num_players=4)
        deals.append(env.get_observation())
    assert deals[0] == deals[1] != deals[2]


def test_copy__stays_as_it_is_while_the_original_is_played() -> None:
    env = text_arena_env()
    env.reset(num_players=4, seed=7)
    for way in (copy.copy, copy.deepcopy):
        other, before = way(env), env.game.copy()
        env.step(stated(env.game, random.Random(5)))
        assert (other.game, other.state.current_player_id) == (before, before.turn)
        assert env.game != before


def told(game: Game, seat: int, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str, object]]:
    """Every message to a seat in a game that is played from its deal on, with refused answers of all seats."""
    start = game.copy()
    while start.history:
        start.undo()
    env = text_arena_env(game.ruleset, legal=True)
    with monkeypatch.context() as patch:
        patch.setattr(Game, "deal", lambda *_: start)
        env.reset(num_players=game.num_players)
    for _, play in game.history:
        env.step("I do not know.")
        text = move_text(play, env.game.legal_plays(), words(Language.EN))
        label = text.split()[len(play) :]
        env.step(f"<answer>{' '.join([game.ruleset.text(play.mask), *label]) if play else text}</answer>")
    assert env.game == game
    messages: list[tuple[int, str, object]] = env.state.observations[seat]
    return messages


@pytest.mark.parametrize("name", sorted(available_rulesets()))
def test_messages__are_the_same_with_other_hidden_cards(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in range(20):
        game = random_moment(ruleset(name), seed)
        if len(game.history) > 1 and (twin := exchanged(game, game.turn, 1000 * seed)) is not None:
            assert told(game, game.turn, monkeypatch) == told(twin, game.turn, monkeypatch)
            return
    raise AssertionError("expected a game whose hidden cards can be exchanged")


def test_messages__reach_their_player_alone() -> None:
    env = lead()
    player = env.game.turn
    env.step("My secret is that I hold two aces.")
    env.step("My secret is that I hold two aces.\n<answer>3C</answer>")
    told = [len(env.state.observations[seat]) for seat in range(4)]
    assert told == [3 if seat == player else 2 if seat == env.game.turn else 1 for seat in range(4)]
    assert "secret" not in str(env.state.observations)
    assert observation(env.game.view(player)) not in str(env.state.observations)


def lead() -> Any:
    """The environment before the first move of a deal, whose leader holds 3♣ and two fives."""
    env = text_arena_env()
    env.reset(num_players=4, seed=7)
    return env


@pytest.mark.parametrize(
    ("text", "fault", "reason"),
    [
        ("3C is better.\n<answer>pass</answer>", "illegal", "The move is not legal: you lead: a pass is not allowed."),
        ("3C\n<answer>5H</answer>", "illegal", "The move is not legal: you do not hold enough of '5H'."),
        (
            "I would like to play the three of clubs, 3C, if I may.",
            "unreadable",
            "The answer states no move; expected cards of the hand (3H, 3♥ or H[3]) or pass.",
        ),
        (
            "3C\n<answer>44443333</answer>",
            "ambiguous",
            "The answer has several meanings: first or second. State a single one.",
        ),
    ],
)
def test_faults__have_their_own_names_and_reasons(text: str, fault: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    env = lead()
    if fault == "ambiguous":  # as in games of two decks
        monkeypatch.setattr("big2_env.envs.textarena.read_answer", lambda *_: Ambiguous(("first", "second")))
    before = env.game.copy()
    assert env.step(text) == (False, {"fault": fault, "reason": reason})
    assert env.game == before
    player, messages = env.get_observation()
    assert player == env.game.turn
    assert reason in messages[-1][1]
    assert [env.state.game_info[player][one] for one in FAULTS] == [one == fault for one in FAULTS]


def test_faults__within_the_allowance_are_forgiven() -> None:
    env = lead()
    player = env.game.turn
    assert env.step("<answer>pass</answer>")[1]["fault"] == "illegal"
    assert env.step("what?")[1]["fault"] == "unreadable"
    assert env.step("<answer>3C</answer>") == (False, {})
    assert [env.state.game_info[player][fault] for fault in FAULTS] == [1, 1, 0]
    assert not env.state.game_info[player]["invalid_move"]
    assert env.state.game_info[player]["turn_count"] == 1


@pytest.mark.parametrize("allowance", [0, 2])
def test_faults__beyond_the_allowance_forfeit_the_game(allowance: int) -> None:
    env = text_arena_env(BIG2.with_scoring("cards"), error_allowance=allowance)
    env.reset(num_players=4, seed=7)
    player = env.game.turn
    for _ in range(allowance):
        assert not env.step("<answer>pass</answer>")[0]
    is_over, info = env.step("<answer>pass</answer>")
    assert is_over
    assert info["fault"] == "illegal"
    rewards, infos = env.close()
    assert tuple(rewards.values()) == forfeit(env.ruleset, env.game.position, "").payoffs
    assert infos[player]["invalid_move"]
    assert infos[player]["illegal"] == allowance + 1
    assert infos[0]["reason"] == f"Player {player} forfeits. {info['reason']}"
    assert env.step("<answer>3C</answer>") == (True, {})
    assert not env.game.history


@pytest.mark.parametrize("opponents", ["greedy", ["greedy", "random"]])
def test_game__of_one_player_is_played_against_agents(opponents: str | list[str]) -> None:
    results = []
    for _ in range(2):
        env = copy.deepcopy(made("big2/Big2-v0", opponents=opponents))
        env.reset(num_players=1, seed=5)
        assert env.game.num_players == (4 if opponents == "greedy" else 3)
        rng, is_over = random.Random(5), False
        while not is_over:
            player, _ = env.get_observation()
            assert player == env.game.turn == 0
            is_over, _ = env.step(stated(env.game, rng))
        rewards, _ = env.close()
        assert env.game.outcome is not None
        assert rewards == {0: env.game.outcome.payoffs[0]}
        results.append(env.game)
    assert results[0] == results[1]


def test_game__that_an_opponent_gives_up_is_paid() -> None:
    env = text_arena_env(opponents=GivesUp)
    env.reset(num_players=1, seed=7)
    assert env.game.turn == 1
    rewards, infos = env.close()
    assert env.state.done
    assert rewards == {0: forfeit(BIG2, env.game.position, "").payoffs[0]}
    assert infos[0]["reason"] == "Seat 1 forfeits. tired after 0 moves"


@pytest.mark.parametrize(("players", "opponents"), [(7, "random"), (1, "no"), (1, ["random"] * 5), (4, "random")])
def test_reset__that_is_refused_changes_nothing(players: int, opponents: Any) -> None:
    env = text_arena_env()
    env.reset(num_players=4, seed=1)
    env.opponents = opponents
    before, drawn = env.game, random.getstate()
    wrong: Any = "no seed" if players == 4 else None
    with pytest.raises(ConfigError):
        env.reset(num_players=players, seed=wrong)
    assert (env.game, random.getstate()) == (before, drawn)
    assert env.game is before


def test_arguments__are_checked() -> None:
    env = text_arena_env()
    with pytest.raises(ConfigError, match="players"):
        env.reset(num_players=5)
    with pytest.raises(ConfigError, match="expected en, zh-Hant, zh-Hans, got 'de'"):
        text_arena_env(language="de")
    with pytest.raises(ConfigError, match="history: expected 'full' or 'trick', got 'all'"):
        text_arena_env(history="all")
    wrong: Any
    for wrong in (-1, 2.0, True, "2"):
        with pytest.raises(ConfigError, match=f"error_allowance: expected a whole number of 0 or more, got {wrong!r}"):
            text_arena_env(error_allowance=wrong)
    number: Any = np.int64(3)
    assert text_arena_env(error_allowance=number).error_allowance == 3
    with pytest.raises(ConfigError, match="unknown agent 'no'"):
        text_arena_env(opponents="no").reset(num_players=1)
    with pytest.raises(ConfigError, match="no learned player for 3 players: it learned with 4"):
        text_arena_env(opponents=["learned", "greedy"]).reset(num_players=1, seed=3)  # seat 0 leads
    with pytest.raises(ConfigError, match="unknown ruleset 'no'"):
        text_arena_env("no")


@pytest.mark.parametrize("lang", Language)
def test_texts__are_in_one_language(lang: Language) -> None:
    env = text_arena_env("dou_dizhu", language=lang)
    env.reset(num_players=3, seed=1)
    _, messages = env.get_observation()
    assert [strangers(text.replace("<answer>", "").replace("</answer>", ""), lang) for _, text, _ in messages] == [[], []]
    assert strangers(env.step("?")[1]["reason"], lang) == []
