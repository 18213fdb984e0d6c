"""Patterns that are legal only as a hand's last play: in both engines, the solver, agents, texts and files."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations

import pytest

from big2_agents.kernels.feature_layout import rank_layout
from big2_env import BIG2, ConfigError, Game, IllegalPlayError, PatternRule, Position, Refusal, RuleSet, ruleset
from big2_env.agents.interface import make_agent
from big2_env.base.cards import as_mask
from big2_env.base.language import Language, words
from big2_env.climbing.actions import RankTable, action_space
from big2_env.climbing.certain_wins import certain_win
from big2_env.climbing.earlier_rules import EARLIER
from big2_env.climbing.parts import Ending
from big2_env.climbing.patterns import pattern
from big2_env.climbing.ruleset_data import from_data, whole
from big2_env.solve import Verdict, solve
from big2_env.testing.differential import compare, compare_positions
from big2_env.text.rules import rules_page
from big2_env.text.selection import select_cards

PAO = ruleset("pao_de_kuai")
SHORT = BIG2.with_patterns(PatternRule(pattern("triple"), last=True), PatternRule(pattern("flush"), "straight", 1, last=True))
"""Suits matter; the flush also beats straights."""


def at(rules: RuleSet, *hands: str, top: str = "") -> Game:
    """A game in which seat 0 is to move; the last seat made the top play."""
    masks, last = tuple(map(as_mask, hands)), len(hands) - 1
    play = rules.play(top) if top else None
    played = tuple(play.mask if play and seat == last else 0 for seat in range(len(hands)))
    return Game.from_position(rules, Position(masks, 0, top=play, top_seat=last if play else None, played=played))


def plays(game: Game) -> list[str]:
    return [play.pattern for play in game.legal_plays()]


@pytest.mark.parametrize("rules", [PAO, SHORT])
def test_short_plays__are_legal_only_without_other_cards(rules: RuleSet) -> None:
    others = ["C[4] C[6]"] * (rules.default_players - 1)
    others = [f"{suit}[4] {suit}[6]" for suit, _ in zip("CDHS", others, strict=False)]
    whole_hand, longer = at(rules, "C[9] D[9] H[9]", *others), at(rules, "C[9] D[9] H[9] C[J] C[K] C[A]", *others)
    assert "triple" in plays(whole_hand)
    assert "triple" not in plays(longer)
    triple = rules.play("C[9] D[9] H[9]")
    assert [triple in game.legal_plays() for game in (whole_hand, longer)] == [True, False]
    with pytest.raises(IllegalPlayError, match=r"triple C\[9\] D\[9\] H\[9\]: legal only as the last play of a hand") as caught:
        longer.play("C[9] D[9] H[9]")
    assert caught.value.refusal is Refusal.NOT_LAST
    for language in Language:
        assert select_cards(longer.legal_plays(), triple.mask, words(language)).refusal is Refusal.NOT_LAST
    whole_hand.play("C[9] D[9] H[9]")
    assert whole_hand.is_over


def test_answers__that_must_be_last_force_nobody_to_play() -> None:
    forced = replace(SHORT, must_cover=True)
    top, others = "C[4] D[5] H[6] S[7] C[8]", ("C[K]", "D[K]", "H[K]")
    flush = "H[5] H[7] H[9] H[J] H[A]"
    assert plays(at(forced, flush, *others, top=top)) == ["flush"]
    assert plays(at(forced, f"{flush} C[3]", *others, top=top)) == ["pass"]
    assert plays(at(SHORT, flush, *others, top=top)) == ["flush", "pass"]


def test_readings__that_may_be_played_come_first() -> None:
    both = PAO.with_patterns(PatternRule(pattern("full_house"), last=True), pattern("triple_straight"))
    assert [rule.pattern.name for rule in both.patterns][-4:] == ["triple_straight", "triple_single", "triple", "full_house"]
    hand = "S[4] C[4] D[4] H[9] C[9]"
    assert at(both, hand, "C[K]", "D[K]").legal_plays().can(hand, "full_house")
    assert at(both, f"{hand} C[A]", "C[K]", "D[K]").play(hand).pattern == "triple_two"  # the other reading is not legal yet


def test_rules__reject_what_cannot_be() -> None:
    triple = PatternRule(pattern("triple"), last=True)
    with pytest.raises(ConfigError, match="expected patterns with last=True after all others, got triple, single"):
        replace(BIG2, patterns=(triple, *BIG2.patterns))
    with pytest.raises(ConfigError, match="patterns with last=True need ending 'first_out', got 'last_holder'"):
        ruleset("qi_gui_523").with_patterns(triple)
    assert ruleset("qi_gui_523").ending is Ending.LAST_HOLDER
    with pytest.raises(ConfigError, match="expected a pattern that plays any card alone"):
        _ = replace(BIG2, patterns=(pattern_rule("pair"), PatternRule(pattern("single"), last=True))).table


def pattern_rule(name: str) -> PatternRule:
    return PatternRule(pattern(name))


def test_files__keep_the_setting() -> None:
    assert from_data(json.loads(json.dumps(whole(SHORT))), {}) == SHORT


def test_pages__say_the_rule() -> None:
    for language, text in (
        (Language.EN, "Only allowed as a player's last play."),
        (Language("zh-Hant"), "只能當最後一手出"),
        (Language("zh-Hans"), "只能作为最后一手出"),
    ):
        found = [str(rules_page(rules, language)).count(text) for rules in (PAO, SHORT, BIG2)]
        assert found == [2, 2, 0]


def test_pao_de_kuai__keeps_action_ids_and_features_of_its_earlier_rules() -> None:
    now, before = action_space(PAO), action_space(EARLIER["pao_de_kuai"])
    assert isinstance(now, RankTable)
    assert isinstance(before, RankTable)
    assert (now.n, before.n) == (46424, 46268)
    assert (now.rows[: before.n - 1], now.counts[: before.n - 1]) == (before.rows, before.counts)
    assert rank_layout(PAO) == rank_layout(EARLIER["pao_de_kuai"])


@pytest.mark.parametrize("rules", [pytest.param(PAO, marks=pytest.mark.long), SHORT, replace(SHORT, must_cover=True)])
def test_engines__agree(rules: RuleSet) -> None:
    compare(rules, 12, every=8)
    compare_positions(rules, 24, every=8)


def is_forced(game: Game, seat: int) -> bool:
    """Whether a seat is first out against all others, by trying everything."""
    if game.outcome is not None:
        return game.outcome.winner == seat
    found = []
    for play in game.legal_plays():
        after = game.copy()
        after.push(play)
        found.append(is_forced(after, seat))
    return any(found) if game.turn == seat else all(found)


def test_solver__agrees_with_trying_everything() -> None:
    never, differing = PAO.without_patterns("triple", "triple_single"), 0
    for own, first, second in permutations(("C[4]", "D[6]", "C[A]", "D[Q]"), 3):
        game = at(PAO, f"C[9] D[9] H[9] {own}", f"C[K] D[K] {first}", f"C[10] D[10] {second}")
        wins = solve(game).verdict is Verdict.FORCED
        assert wins is is_forced(game, 0)
        differing += wins is not is_forced(Game.from_position(never, game.position), 0)
        game = at(PAO, f"C[8] D[8] {own}", f"C[K] D[K] H[K] {first}", f"C[10] D[10] {second}")
        assert (solve(game).verdict is Verdict.FORCED) is is_forced(game, 0)
    assert differing


def test_certain_wins__end_with_a_short_play() -> None:
    game = at(PAO, "H[2] S[9] C[9] D[9]", "C[10] D[10] S[4]", "C[K] D[K] H[3]")
    assert [play.pattern for play in certain_win(game.view())] == ["triple_single"]
    game = at(PAO, "H[2] S[9] C[9] D[9]", "C[10] D[10] S[4]", "C[K] D[K] H[3]", top="C[7]")
    assert [play.pattern for play in certain_win(game.view())] == ["single", "triple"]


@pytest.mark.parametrize("name", ["greedy", "heuristic", "learned", "search:8"])
def test_agents__go_out_with_a_short_play(name: str) -> None:
    game = at(PAO, "S[9] C[9] D[9] C[A]", "C[10] D[10] S[4] S[6]", "C[K] D[K] H[3] H[6]")
    agent = make_agent(name)
    agent.reset(1)
    assert agent.act(game.view(), game.legal_plays()).pattern == "triple_single"
