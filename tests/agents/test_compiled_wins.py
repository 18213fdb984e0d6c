"""Sure wins of the compiled agents."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from compiled_hands import BOMBS, RULES, list_candidates, to_cards
from random_games import random_games

from big2_agents.kernels.endgame import find_finish
from big2_env import BIG2, Game, Play, RuleSet
from big2_env.agents.interface import make_agent
from big2_env.base.cards import as_mask, iter_cards
from big2_env.climbing.rulesets import HONG_KONG
from big2_env.climbing.rulesets import ruleset as ruleset_named


def endings(rules: RuleSet, seeds: range) -> Iterator[Game]:
    """Games where the seat to move has a choice and few cards; the others hold what random play left them."""
    for game in random_games(rules, seeds):
        if not game.is_over and 2 <= game.position.hands[game.turn].bit_count() <= 8 and len(list(game.legal_plays())) > 1:
            yield game


def follow_finish(rules: RuleSet, game: Game) -> int | None:
    """The cards of the play that begins a sure win, `None` where none is found."""
    at = list_candidates(rules, game)
    found = int(find_finish(at.tables, at.game, at.track.left, at.candidates, at.stack))
    return None if found < 0 else to_cards(at.tables, int(at.candidates.mask[found]))


def redealt(game: Game, rng: random.Random) -> Game:
    """The game with the cards of the others dealt anew among them."""
    position = game.position
    others = [seat for seat in range(4) if seat != game.turn]
    cards = [card for seat in others for card in iter_cards(position.hands[seat])]
    rng.shuffle(cards)
    hands = list(position.hands)
    for seat in others:
        number = hands[seat].bit_count()
        hands[seat] = sum(1 << card for card in cards[:number])
        del cards[:number]
    return Game.from_position(game.ruleset, position._replace(hands=tuple(hands)))


def defended(game: Game, rng: random.Random, kind: str) -> Play:
    """What an opponent does: beats with the cheapest or the dearest play or with any, seldom passing."""
    moves = list(game.legal_plays())
    plays = [play for play in moves if play]
    if not plays or (kind == "random" and rng.random() < 0.3):
        return rng.choice(moves)
    if kind == "random":
        return rng.choice(plays)
    return max(plays, key=lambda play: (play.category, play.power)) if kind == "dear" else plays[0]


@RULES
def test_sure_wins__go_out_first_whatever_the_others_hold_and_do(rules: RuleSet) -> None:
    rng, sure, long, none = random.Random(1), 0, 0, 0
    for game in endings(rules, range(150)):
        seat, mask = game.turn, follow_finish(rules, game)
        if mask is None:
            none += 1
            continue
        sure += 1
        if mask == game.position.hands[seat]:
            continue
        long += 1
        for kind in ("dear", "cheap", "random", "random"):
            trial = redealt(game, rng)
            while not trial.is_over:
                if trial.turn == seat:
                    found = follow_finish(rules, trial)
                    assert found, f"{trial.position} is no sure win, one move before it was"
                    trial.play(found)
                else:
                    trial.push(defended(trial, rng, kind))
            outcome = trial.outcome
            assert outcome is not None
            assert outcome.winner == seat
    assert min(sure, long, none) > 20


def leading(rules: RuleSet, hands: list[str]) -> Game:
    """A game where the seat with the first hand leads and has played all cards but those of the hands."""
    game = Game.deal(rules, 0)
    while game.position.bidding:
        game.push(list(game.legal_plays())[-1])
    start, number = game.position, len(hands)
    seat = start.landlord or 0
    masks = tuple(as_mask(hands[(other - seat) % number].split()) for other in range(number))
    played = tuple((rules.deck.mask & ~sum(masks)) * (other == seat) for other in range(number))
    if rules.auction is not None:
        cards = list(iter_cards(played[seat]))
        start = start._replace(bottom=as_mask(cards[: start.bottom.bit_count()]), acted=(1,) * number)
    return Game.from_position(
        rules,
        start._replace(hands=masks, turn=seat, top=None, top_seat=None, passed=0, obligation=0, played=played, finished=()),
    )


@pytest.mark.parametrize(
    ("rules", "hands", "sure"),
    [
        (BIG2, ["C[3] H[2] S[2]", "C[A] D[A]", "D[K] H[K]", "C[Q] D[Q]"], True),  # the three goes last
        (BIG2, ["C[3] D[5] S[2]", "C[A] D[A]", "D[K] H[K]", "C[Q] D[Q]"], False),  # two low cards
        (BIG2, ["C[3] D[5] H[5]", "C[A]", "D[K]", "C[Q]"], True),  # nobody holds two cards
        (BIG2, ["C[3] D[5] H[5]", "C[A]", "D[K]", "C[Q] D[Q]"], False),
        (HONG_KONG, ["D[3] D[4] C[5] H[6] H[7] S[8]", "D[A] C[A] H[A] S[A]", "D[K]", "D[Q]"], True),
        (BOMBS, ["D[3] D[4] C[5] H[6] H[7] S[8]", "D[A] C[A] H[A] S[A]", "D[K]", "D[Q]"], False),  # four cards beat five
        (BOMBS, ["D[3] D[4] C[5] H[6] H[7] S[8]", "D[A] C[A] H[A]", "D[K]", "D[Q]"], True),
    ],
)
def test_sure_wins__are_found_where_only_the_last_play_can_be_beaten(rules: RuleSet, hands: list[str], sure: bool) -> None:
    assert (follow_finish(rules, leading(rules, hands)) is not None) == sure


@pytest.mark.parametrize(
    ("hands", "first"),
    [
        (["C[3] LJ BJ", "C[A] D[A]", "D[K] H[K]"], "LJ BJ"),  # either joker alone would win too, without doubling
        (["C[2] D[4] C[4] H[4] S[4]", "C[A] D[A]", "D[K] H[K]"], "D[4] C[4] H[4] S[4]"),
        (["C[3] D[4] C[4] H[4] S[4] LJ BJ", "C[A] D[A]", "D[K] H[K]"], "D[4] C[4] H[4] S[4]"),
        (["D[3] C[3] H[3] D[4]", "C[A] D[A]", "D[K] H[K]"], "D[3] C[3] H[3] D[4]"),  # nothing doubles
    ],
)
@pytest.mark.parametrize("agent", ["learned", "search:60"])
def test_sure_wins__begin_with_what_multiplies_the_stake(agent: str, hands: list[str], first: str) -> None:
    game = leading(ruleset_named("dou_dizhu"), hands)
    assert make_agent(agent).act(game.view(), game.legal_plays()).mask == as_mask(first.split())
