"""Random games of any ruleset, with invariants checked at every move.

The checks use the reference engine only, so they work for any ruleset:

* After the deal and after every move, each card of the deck is in exactly one place: a hand, a seat's played cards, the
  pile, or the bottom cards before they are taken. The seat to move has put down exactly the cards of its move.
* A listed move is accepted by the checks that apply to anyone's play.
* A game continues exactly as long as there is a legal move, and at most for `max_moves` moves, the documented bound.
* Payoffs sum to zero, and the winner has no cards.

Game k of a run is dealt from seed + k. The number of players cycles through all allowed numbers.

    python -m big2_env.testing.random_play --games 10000 --out random_play.jsonl --resume
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer

from big2_env.base.cards import as_mask
from big2_env.base.errors import ConfigError, NotationError
from big2_env.base.rng import SplitMix64
from big2_env.climbing.game import Game, max_moves
from big2_env.climbing.play import Play
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.runs.progress import counting
from big2_env.testing.sums import sums_by_ruleset

BATCH: Final = 250
"""Games per line of a results file."""
KIND: Final = "big2 random play"


class BrokenLawError(AssertionError):
    """Violated invariant. The message says which one, where, and how to reproduce it."""


class Played(NamedTuple):
    """Numbers of games and moves without a violation."""

    games: int = 0
    moves: int = 0
    longest: int = 0
    fullest: float = 0.0
    """Highest ratio of a game's length to its bound."""
    seconds: float = 0.0
    """Processor time."""

    def plus(self, other: Played) -> Played:
        """Return the sum of both."""
        return Played(
            self.games + other.games,
            self.moves + other.moves,
            max(self.longest, other.longest),
            max(self.fullest, other.fullest),
            self.seconds + other.seconds,
        )


def players_of(ruleset: RuleSet, number: int) -> int:
    """Return the number of players in game `number` of a run."""
    return ruleset.min_players + number % (ruleset.max_players - ruleset.min_players + 1)


def play(ruleset: RuleSet, games: int, *, first: int = 0, seed: int = 0) -> Played:
    """Play and check the games `first` to `first + games - 1` of a run.

    Args:
        ruleset: Ruleset of the games.
        games: Number of games.
        first: Index of the first game.
        seed: Seed of game 0.

    Returns:
        Numbers of games and moves.

    Raises:
        BrokenLawError: At the first violation.
    """
    start, done = time.process_time(), Played()
    for number in range(first, first + games):
        done = done.plus(_one(ruleset, seed + number, players_of(ruleset, number)))
    return done._replace(seconds=time.process_time() - start)


def _one(ruleset: RuleSet, seed: int, players: int) -> Played:
    """Play one game with checks after every move."""
    game, rng, bound = Game.deal(ruleset, seed, players), SplitMix64(~seed), max_moves(ruleset, players)

    def claim(holds: bool, broken: str) -> None:
        if not holds:
            raise BrokenLawError(
                f"{ruleset.name}: {broken}, after {len(game.history)} moves of Game.deal(rules, {seed}, {players}) "
                f"with random moves of SplitMix64({~seed})"
            )

    before = game.position
    claim(conserved(ruleset, before), "cards are lost, or in two places")
    while not game.is_over:
        moves = list(game.legal_plays())
        claim(bool(moves), "no legal move in a running game")
        move, seat = moves[rng.below(len(moves))], game.turn
        try:
            game.play(move)
        except ValueError as error:
            claim(False, f"a listed move is rejected ({error})")
        claim(conserved(ruleset, game.position), "cards are lost, or in two places")
        claim(_put_down(before, game.position, seat, move), f"{move} of seat {seat} does not match the cards put down")
        claim(len(game.history) <= bound, f"more moves than the bound of {bound}")
        before = game.position
    claim(not list(game.legal_plays()), "a legal move after the end of the game")
    outcome = game.outcome
    claim(outcome is not None and not outcome.cards_left[outcome.winner], "the winner holds cards")
    paid = () if outcome is None else outcome.payoffs
    claim(len(paid) == players and math.isclose(math.fsum(paid), 0.0, abs_tol=1e-9), f"payoffs {paid} do not sum to zero")
    return Played(1, len(game.history), len(game.history), len(game.history) / bound)


def conserved(ruleset: RuleSet, position: Position) -> bool:
    """Return whether every card, except those set aside, is in exactly one place of a position."""
    hidden = position.bottom if position.bidding else 0  # once taken, they are in the landlord's hand
    places = [*position.hands, *position.played, as_mask(position.pile), hidden]
    union = reduce(or_, places)
    number = ruleset.deck.size - ruleset.cards_aside(len(position.hands))
    in_deck = not union & ~ruleset.deck.mask
    return in_deck and union.bit_count() == number == sum(place.bit_count() for place in places)


def _put_down(before: Position, after: Position, seat: int, move: Play) -> bool:
    """Return whether exactly a move's cards went from a seat's hand to its played cards."""
    expected = tuple(mask | move.mask * (other == seat) for other, mask in enumerate(before.played))
    return after.played == expected and not move.mask & (~before.hands[seat] | after.hands[seat])


def command(
    rulesets: Annotated[list[str] | None, typer.Argument(help="Ruleset names; all by default.")] = None,
    games: Annotated[int, typer.Option(min=1, help="Games per ruleset.")] = 10_000,
    seed: Annotated[int, typer.Option(help="Seed of the first deal; the others are consecutive.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Results file, with one line per 250 games.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue the file of an earlier run.")] = False,
) -> None:
    """Play random games and check the invariants at every move.

    Ctrl-C stops it. Exit status: 0 if all invariants hold, 1 if one is violated, 2 for bad arguments, 130 if stopped.
    """
    status = 0
    try:
        names = rulesets or list(available_rulesets())
        chosen = [ruleset_named(name) for name in names]
        with sums_by_ruleset(out, {"kind": KIND, "seed": seed}, Played(), resume=resume) as (done, add):
            for rules in chosen:
                for played in _batches(rules, games, seed, done[rules.name]):
                    add(rules.name, played)
                print(summary(rules.name, done[rules.name]), flush=True)
    except KeyboardInterrupt:
        print("stopped; all invariants held until then", file=sys.stderr)
        status = 130
    except (ConfigError, NotationError, OSError) as error:
        print(error, file=sys.stderr)
        status = 2
    except BrokenLawError as found:
        print(found)
        status = 1
    raise typer.Exit(status)


def _batches(rules: RuleSet, games: int, seed: int, done: Played) -> Iterator[Played]:
    """Yield the results of the missing games in batches, with a progress bar in a terminal."""
    with counting(rules.name, games, done.games) as advance:
        for first in range(done.games, games, BATCH):
            yield play(rules, min(BATCH, games - first), first=first, seed=seed)
            advance(min(BATCH, games - first))


def summary(name: str, played: Played) -> str:
    """Return one line about the games of a ruleset.

    >>> summary("big2", Played(100, 7800, 120, 0.55, 2.0))
    'big2: 100 games, 7,800 moves, the longest 120 (at most 55% of its bound), 50 games/s: all invariants hold'
    """
    speed = played.games / played.seconds if played.seconds else math.inf
    return (
        f"{name}: {played.games:,} games, {played.moves:,} moves, the longest {played.longest} "
        f"(at most {100 * played.fullest:.0f}% of its bound), {speed:,.0f} games/s: all invariants hold"
    )


if __name__ == "__main__":
    typer.run(command)
