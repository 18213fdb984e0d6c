"""Choice of frozen decisions from recorded games, and the values of their moves.

Every game has one decision at most, so decisions are independent. The seats of a game are held by agents of mixed strength, so
good and bad positions occur. This was run once per ruleset and takes minutes (`benchmarks/positions.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from big2_agents.evaluation.positions.decisions import Kind
from big2_env.agents.interface import make_agent, play_out, reset_seats
from big2_env.agents.seeds import agent_seed
from big2_env.base.cards import Card, iter_cards
from big2_env.base.errors import ConfigError
from big2_env.base.rng import SplitMix64, derived
from big2_env.climbing.actions import action_space
from big2_env.climbing.game import Game
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View, public_position
from big2_env.solve import Goal, Solver
from big2_env.solve.ending import gains_by_first_out

AGENTS: Final = ("random", "greedy", "heuristic", "learned")
"""Agents of the recorded games; each seat draws one."""
QUOTA: Final = {Kind.LEADING: 110, Kind.ANSWERING: 130, Kind.ENDING: 60}
AUCTION_QUOTA: Final = {Kind.LEADING: 80, Kind.ANSWERING: 100, Kind.BIDDING: 60, Kind.ENDING: 60}
MOST_GAMES: Final = 4000
"""Number of games after which missing endings are replaced by other decisions."""
MOST_MOVES: Final = 128
"""Maximum number of legal moves of a decision."""
ENDING_CARDS: Final = 16
"""Maximum number of cards in all hands and the draw pile in an ending."""
PROOF_DEALS: Final = 24
"""Sampled deals on which the forced wins of an ending are proven."""
SECONDS: Final = 1.0
"""Time limit of a proof, after which the ending is not used."""


def quota_of(ruleset: RuleSet) -> dict[Kind, int]:
    """Return the number of decisions of each kind."""
    return dict(AUCTION_QUOTA if ruleset.auction else QUOTA)


def chosen(
    ruleset: RuleSet, judge: Any, deals: int, salt: int, start: int = 0, have: dict[Kind, int] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield the lines of the decisions, as `decisions` describes them, with the number of their game under `game`.

    Args:
        ruleset: The rules of the games.
        judge: `PolicyPlayouts` of the ruleset.
        deals: Number of sampled deals per decision, even.
        salt: Seed of the games and deals.
        start: Number of the first game, when an earlier run is continued.
        have: Numbers of decisions that an earlier run found.
    """
    quota, found = quota_of(ruleset), dict.fromkeys(Kind, 0) | (have or {})
    agents = {name: make_agent(name) for name in AGENTS}
    total = sum(quota.values())
    game_number = start
    while sum(found.values()) < total:
        missing = [kind for kind, number in quota.items() if found[kind] < number]
        if game_number >= MOST_GAMES:
            missing = [Kind.LEADING, Kind.ANSWERING]
        rng = SplitMix64(derived(salt, game_number))
        seed = rng.next()
        names = [AGENTS[rng.below(len(AGENTS))] for _ in range(ruleset.default_players)]
        line = _decision(ruleset, agents, names, seed, missing[rng.below(len(missing))], rng, judge, deals, salt)
        if line is not None:
            found[Kind(line["kind"])] += 1
            yield line | {"game": game_number}
        game_number += 1


def _decision(
    ruleset: RuleSet,
    agents: dict[str, Any],
    names: list[str],
    seed: int,
    kind: Kind,
    rng: SplitMix64,
    judge: Any,
    deals: int,
    salt: int,
) -> dict[str, Any] | None:
    """Return the line of a decision of a kind in one game, `None` if it has none."""
    space = action_space(ruleset)
    played = Game.deal(ruleset, seed, len(names))
    seats = [agents[name] for name in names]
    reset_seats(seats, played)
    play_out(played, seats)
    game = Game.deal(ruleset, seed, len(names))
    history: list[int] = []
    places: list[tuple[int, list[int]]] = []
    for move in played.history[len(game.history) :]:
        legal = game.legal_plays()
        if _is_kind(game, kind):
            actions = sorted(set(space.ids(legal)))
            if 2 <= len(actions) <= MOST_MOVES:
                places.append((len(history), actions))
        history.append(space.of_play(move.play, legal.hand))
        game.push(move.play)
    if not places:
        return None
    ply, actions = places[rng.below(len(places))]
    game = Game.deal(ruleset, seed, len(names))
    for action in history[:ply]:
        game.push(space.verify(action, game.legal_plays()))
    forced = _forced(game, actions, rng) if kind is Kind.ENDING else []
    if kind is Kind.ENDING and not 0 < len(forced) < len(actions):
        return None
    view = game.view()
    paid = judge.payoffs(view, actions, deals, agent_seed(view, salt=salt))[:, :, view.seat]
    half = deals // 2
    first, second = ([_rounded(value) for value in part.mean(axis=1).tolist()] for part in (paid[:, :half], paid[:, half:]))
    highest = max(*first, *second)
    for index in forced:
        first[index] = second[index] = highest
    return {
        "kind": kind.value,
        "seed": seed,
        "history": history[:ply],
        "actions": actions,
        "first": first,
        "second": second,
        "agents": names,
    }


def _rounded(value: float) -> float:
    """Return a value with four significant digits, as an integer if it is one."""
    short = float(f"{value:.4g}")
    return int(short) if short == int(short) else short


def _is_kind(game: Game, kind: Kind) -> bool:
    """Return True if the seat to move may have a decision of a kind."""
    position = game.position
    if position.bidding:
        return kind is Kind.BIDDING
    if kind is Kind.ENDING:
        return sum(hand.bit_count() for hand in position.hands) + len(position.pile) <= ENDING_CARDS
    return kind is (Kind.LEADING if position.top is None else Kind.ANSWERING)


def _forced(game: Game, actions: list[int], rng: SplitMix64) -> list[int]:
    """Return the indices of the moves that keep a forced win on every sampled deal, none where that is not proven."""
    ruleset, view = game.ruleset, game.view()
    space, alive = action_space(ruleset), set(range(len(actions)))
    deals = [Game.from_position(ruleset, sampled_deal(view, rng)) for _ in range(PROOF_DEALS)]
    for deal in deals:
        for index in sorted(alive):
            after = deal.copy()
            after.push(space.verify(actions[index], after.legal_plays()))
            if not _wins(after, view.seat):
                alive.discard(index)
        if not alive:
            break
    return sorted(alive)


def _wins(game: Game, seat: int) -> bool:
    """Return True if a seat and its team can force a positive payoff, False if they cannot or it is not decided in time."""
    if game.outcome is not None:
        return game.outcome.payoffs[seat] > 0
    goal = Goal.FIRST_OUT if gains_by_first_out(game.ruleset) else Goal.SETTLEMENT
    try:
        return bool(Solver(game, seat, goal=goal).gains(SECONDS))
    except ConfigError:  # too many cards in a hand, or a settlement of somebody's own
        return False


def sampled_deal(view: View, rng: SplitMix64) -> Position:
    """Return a view's position with its hidden cards dealt uniformly.

    If all seats pass in an auction, no new deal follows.
    """
    number = view.num_players
    hands = [0] * number
    hands[view.seat] = view.hand
    if view.landlord is not None and view.landlord != view.seat:
        hands[view.landlord] = view.bottom & ~view.played[view.landlord]
    unseen = list(iter_cards(view.unseen & ~sum(hands[seat] for seat in range(number) if seat != view.seat)))
    rng.shuffle(unseen)
    for seat in range(number):
        while hands[seat].bit_count() < view.cards_left[seat]:
            hands[seat] |= 1 << unseen.pop()
    pile = tuple(map(Card, unseen[: view.pile_left]))
    bottom = sum(1 << card for card in unseen) if view.bidding else view.bottom
    trick = 0
    for mask in view.played if view.captured else ():
        trick |= mask
    for mask in view.captured:
        trick &= ~mask
    return public_position(view)._replace(hands=tuple(hands), pile=pile, bottom=bottom, trick=trick)
