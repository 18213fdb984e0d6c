"""Random games of any ruleset, with the laws that hold at every act: cards are conserved, games end, payoffs sum to zero.

What is checked, by the reference engine alone, so of any ruleset:

* after the deal and after every act each card of the deck is in one place: a hand, what a seat has played, the pile, or the
  bottom cards that nobody has taken yet; and what was put down is what the act says, by the seat that was to move;
* an act that is listed is accepted when it is asked for as anybody's play is, with all checks;
* a game goes on exactly as long as there is a legal act, and not beyond `max_acts`, the documented bound;
* at the end the payoffs sum to zero, and whoever finished first has no cards.

Game k of a run is dealt from seed + k; its number of players goes through all that the ruleset allows.

    python -m big2_env.testing.random_play --games 10000 --out random_play.jsonl --resume
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import reduce
from operator import or_
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple

import typer

from big2_env.cards import as_mask
from big2_env.climbing.game import Game, max_acts
from big2_env.climbing.play import Play
from big2_env.climbing.position import Position
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import available_rulesets
from big2_env.climbing.rulesets import ruleset as ruleset_named
from big2_env.errors import ConfigError, NotationError
from big2_env.rng import SplitMix64
from big2_env.runs.progress import counting
from big2_env.runs.resumable import Take, opened

BATCH: Final = 250
"""Games between two lines of a results file."""
KIND: Final = "big2 random play"
MAX_LINE: Final = 1 << 12


class BrokenLawError(AssertionError):
    """A law does not hold; the message says which, where, and how to see it again."""


class Played(NamedTuple):
    """How much was played, and kept every law."""

    games: int = 0
    acts: int = 0
    longest: int = 0
    fullest: float = 0.0
    """The greatest share of its bound that a game took."""
    seconds: float = 0.0
    """Of processor time."""

    def plus(self, other: Played) -> Played:
        """Both together."""
        return Played(
            self.games + other.games,
            self.acts + other.acts,
            max(self.longest, other.longest),
            max(self.fullest, other.fullest),
            self.seconds + other.seconds,
        )


def players_of(ruleset: RuleSet, number: int) -> int:
    """How many players sit in game `number` of a run."""
    return ruleset.min_players + number % (ruleset.max_players - ruleset.min_players + 1)


def play(ruleset: RuleSet, games: int, *, first: int = 0, seed: int = 0) -> Played:
    """How much was played in the games `first` to `first + games - 1` of a run.

    Raises:
        BrokenLawError: the first law that does not hold.
    """
    start, done = time.process_time(), Played()
    for number in range(first, first + games):
        done = done.plus(_one(ruleset, seed + number, players_of(ruleset, number)))
    return done._replace(seconds=time.process_time() - start)


def _one(ruleset: RuleSet, seed: int, players: int) -> Played:
    """One game, checked after every act."""
    game, rng, bound = Game.deal(ruleset, seed, players), SplitMix64(~seed), max_acts(ruleset, players)

    def claim(holds: bool, broken: str) -> None:
        if not holds:
            raise BrokenLawError(
                f"{ruleset.name}: {broken}, after {len(game.history)} acts of Game.deal(rules, {seed}, {players}) "
                f"with random acts of SplitMix64({~seed})"
            )

    before = game.position
    claim(conserved(ruleset, before), "cards are lost, or in two places")
    while not game.is_over:
        acts = list(game.legal_plays())
        claim(bool(acts), "no act is legal though the game goes on")
        act, seat = acts[rng.below(len(acts))], game.turn
        try:
            game.play(act)
        except ValueError as error:
            claim(False, f"an act that is listed is refused ({error})")
        claim(conserved(ruleset, game.position), "cards are lost, or in two places")
        claim(_put_down(before, game.position, seat, act), f"{act} of seat {seat} is not what was put down")
        claim(len(game.history) <= bound, f"more acts than the bound of {bound}")
        before = game.position
    claim(not list(game.legal_plays()), "an act is legal though the game is over")
    outcome = game.outcome
    claim(outcome is not None and not outcome.cards_left[outcome.winner], "the winner holds cards")
    paid = () if outcome is None else outcome.payoffs
    claim(len(paid) == players and math.isclose(math.fsum(paid), 0.0, abs_tol=1e-9), f"payoffs {paid} do not sum to zero")
    return Played(1, len(game.history), len(game.history), len(game.history) / bound)


def conserved(ruleset: RuleSet, position: Position) -> bool:
    """True if no card is in two places of a position, and none is missing but those set aside."""
    hidden = position.bottom if position.bidding else 0  # once taken, they are in the landlord's hand
    places = [*position.hands, *position.played, as_mask(position.pile), hidden]
    union = reduce(or_, places)
    number = ruleset.deck.size - ruleset.cards_aside(len(position.hands))
    in_deck = not union & ~ruleset.deck.mask
    return in_deck and union.bit_count() == number == sum(place.bit_count() for place in places)


def _put_down(before: Position, after: Position, seat: int, act: Play) -> bool:
    """Whether an act's cards, and no others, went from the hand of a seat to what it has played."""
    expected = tuple(mask | act.mask * (other == seat) for other, mask in enumerate(before.played))
    return after.played == expected and not act.mask & (~before.hands[seat] | after.hands[seat])


def _played(data: dict[str, Any]) -> tuple[str, Played]:
    """The ruleset of a line, and what was played."""
    match data:
        case {
            "ruleset": str(name),
            "games": int(games),
            "acts": int(acts),
            "longest": int(longest),
            "fullest": int(fullest) | float(fullest),
            "seconds": int(seconds) | float(seconds),
        } if 0 <= games <= acts and math.isfinite(seconds) and 0 <= fullest <= 1:
            return name, Played(games, acts, longest, fullest, seconds)
    raise NotationError("no line of random play")


@contextmanager
def _results(out: Path | None, seed: int, resume: bool) -> Iterator[tuple[dict[str, Played], Take]]:
    """What a results file holds by ruleset, and what writes a line to it; nothing is written without a file."""
    done: dict[str, Played] = {}
    if out is None:
        yield done, lambda data: None
        return

    def same(data: dict[str, Any]) -> None:
        if data.get("kind") != KIND:
            raise NotationError("no results of random play")
        if data.get("seed") != seed:
            raise ConfigError(f"made with --seed {data.get('seed')}: expected the same seed")

    def take(data: dict[str, Any]) -> None:
        name, played = _played(data)
        done[name] = done.get(name, Played()).plus(played)

    with opened(out, {"kind": KIND, "seed": seed}, same, take, max_line=MAX_LINE, resume=resume) as write:
        yield done, write


def command(
    rulesets: Annotated[list[str] | None, typer.Argument(help="Rulesets by name; without one, all.")] = None,
    games: Annotated[int, typer.Option(min=1, help="How many games of each.")] = 10_000,
    seed: Annotated[int, typer.Option(help="The first deal's seed; the others follow.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Write a line there for every 250 games.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the file of an earlier run.")] = False,
) -> None:
    """Play random games and check the laws at every act.

    Ctrl-C stops it. Exit status: 0 when every law held, 1 when one did not, 2 for bad arguments, 130 when it was stopped.
    """
    status = 0
    try:
        names = rulesets or list(available_rulesets())
        chosen = [ruleset_named(name) for name in names]
        if resume and out is None:
            raise ConfigError("--resume needs --out, the file of an earlier run")
        with _results(out, seed, resume) as (done, write):
            for rules in chosen:
                for played in _batches(rules, games, seed, done.get(rules.name, Played())):
                    write({"ruleset": rules.name, **played._asdict()})
                    done[rules.name] = done.get(rules.name, Played()).plus(played)
                print(summary(rules.name, done[rules.name]), flush=True)
    except KeyboardInterrupt:
        print("stopped; until then every law held", file=sys.stderr)
        status = 130
    except (ConfigError, NotationError, OSError) as error:
        print(error, file=sys.stderr)
        status = 2
    except BrokenLawError as found:
        print(found)
        status = 1
    raise typer.Exit(status)


def _batches(rules: RuleSet, games: int, seed: int, done: Played) -> Iterator[Played]:
    """The games that are missing, some at a time, with a progress bar where somebody is looking."""
    with counting(rules.name, games, done.games) as advance:
        for first in range(done.games, games, BATCH):
            yield play(rules, min(BATCH, games - first), first=first, seed=seed)
            advance(min(BATCH, games - first))


def summary(name: str, played: Played) -> str:
    """What was played, in a line.

    >>> summary("big2", Played(100, 7800, 120, 0.55, 2.0))
    'big2: 100 games, 7,800 acts, the longest 120 (at most 55 % of its bound), 50 games/s: every law held'
    """
    speed = played.games / played.seconds if played.seconds else math.inf
    return (
        f"{name}: {played.games:,} games, {played.acts:,} acts, the longest {played.longest} "
        f"(at most {100 * played.fullest:.0f} % of its bound), {speed:,.0f} games/s: every law held"
    )


if __name__ == "__main__":
    typer.run(command)
