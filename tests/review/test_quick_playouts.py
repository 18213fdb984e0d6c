"""Play-outs without compiled code: deals that fit what is public, games that end as the rules say, a judge that sees a loss."""

from __future__ import annotations

import pytest
from small_games import small_game

from big2_agents.review.quick_judge import PlainAppraiser, PlainJudge, after, play_out, sampled_deal
from big2_agents.review.replays import plain
from big2_env import BIG2, Game
from big2_env.climbing.rulesets import available_rulesets
from big2_env.errors import ConfigError
from big2_env.rng import SplitMix64

RULES = available_rulesets()


@pytest.mark.parametrize("name", sorted(RULES))
def test_sampled_deal__fits_the_view_all_through_a_game(name: str) -> None:
    rules, rng = RULES[name], SplitMix64(5)
    game = Game.deal(rules, 11)
    bottoms = 0
    while not game.is_over:
        legal = list(game.legal_plays())
        view = game.view()
        deal = sampled_deal(view, rng)
        sampled = Game.from_position(rules, deal)  # which refuses what cannot be
        seen = sampled.view()
        for field in ("hand", "cards_left", "played", "pile_left", "top", "landlord", "captured", "stake", "factor", "acted"):
            assert getattr(seen, field) == getattr(view, field), field
        assert list(sampled.legal_plays()) == legal
        if view.landlord is not None and view.landlord != view.seat:
            kept = view.bottom & ~view.played[view.landlord]
            bottoms += deal.hands[view.landlord] & kept == kept
        game.push(legal[rng.below(len(legal))])
    assert bottoms or rules.auction is None


@pytest.mark.parametrize("name", sorted(RULES))
def test_play_out__pays_what_the_rules_say_and_follows_from_the_seed(name: str) -> None:
    rules = RULES[name]
    position = Game.deal(rules, 3).position._replace(redeals=())
    first, second = (play_out(rules, position, SplitMix64(9)) for _ in range(2))
    assert first == second
    assert len(first) == rules.default_players
    if name != "pao_de_kuai":
        assert sum(first) == pytest.approx(0)


def test_after__is_what_a_game_does() -> None:
    game = Game.deal(RULES["dou_dizhu"], 2)
    rng = SplitMix64(1)
    while not game.is_over:
        legal = list(game.legal_plays())
        play = legal[rng.below(len(legal))]
        expected = after(game.ruleset, game.position, play)
        game.push(play)
        assert game.position == expected


def test_judge__prefers_the_act_that_wins_and_tries_the_one_made() -> None:
    game = Game.from_hands(BIG2, ["C[3] S[2]", "C[9]", "H[10]", "C[K]"])
    game = Game.from_position(BIG2, game.position._replace(obligation=0))
    view, legal = game.view(), game.legal_plays()
    judge = PlainJudge()
    judge.reset(4)
    advice = judge.judge(view, legal, [BIG2.play(1)])  # the three, after which the next seat is out
    assert str(advice[0].play) == "single S[2]"
    assert (advice[0].sure, advice[0].value) == (True, 1.0)
    assert {one.playouts for one in advice} == {judge.playouts}
    assert advice[1].value == pytest.approx(-1 / 3)
    judge.reset(4)
    assert judge.judge(view, legal, [BIG2.play(1)]) == advice


def test_appraiser__is_exact_at_the_end_and_sure_of_a_forced_win() -> None:
    game = Game.from_hands(BIG2, ["C[3]", "C[9] D[9]", "H[9] H[10]", "C[K] C[A]"])
    appraiser = PlainAppraiser(1)
    assert appraiser.prospect(game).means == (1.0, -1 / 3, -1 / 3, -1 / 3)
    game.play("C[3]")
    over = appraiser.prospect(game)
    assert (over.playouts, over.intervals[0]) == (0, (1.0, 1.0))


def test_reviewer__judges_one_seat_and_proves_the_end() -> None:
    transcript = small_game()
    under_way = plain(transcript.game, 0)
    while under_way.done < under_way.moments:
        under_way.step()
    under_way.step()  # nothing more
    found = under_way.found()
    assert [one.seat for one in found.seats] == [0]
    assert {one.seat for one in found.decisions if one} == {0}
    assert found.proofs[0] is not None
    assert found.remark == "note_plain"
    with pytest.raises(ConfigError, match=r"^expected a game that is over"):
        plain(Game.deal(BIG2, 1), 0)
