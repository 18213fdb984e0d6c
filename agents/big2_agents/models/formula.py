"""The formula of `heuristic`: the score of a move, from public information only. `kernels.heuristic` computes it.

The agent decomposes its hand into plays (`kernels.rank_decompositions`, `kernels.slot_decompositions`). With card memory it
estimates which plays the unseen cards can still beat (`kernels.beat_odds`). It makes the move with the highest score:

    hold(p)    = 1 / (1 + E), where E is the expected number of plays in opposing hands that beat p; 1: nothing beats it
    rank(p)    = fraction of the unseen plays of p's kind that p beats
    utility(p) = -turn + hold * hold(p) + rank * rank(p)^2, with weights by the number of cards: 1, 2, more;
                 for a bomb + bomb * hold(p)
    rest       = cards left after p, decomposed to maximize the sum of utility(p); value is that sum, run the probability
                 that all its plays but the weakest hold

    score(p)    = value + hold(p) * (lead + run_out * run) + again * (1 - hold(p)) * (best hold of p's kind in the rest)
                  - danger * (1 + loss * cost(rest)) * P(a beating play is a player's last; block for the next seat)
                  + hurry * cards of p * near + (pay * near + relief) * (cost(hand) - cost(rest))
    score(pass) = value + patience - cheap_lead * (seats that have passed on the top play) - full * (cards in hand)
                  - alarm * (1 + loss * cost(hand)) * hold(top) * near(top player)
    near        = e^(-decay * (n - 1)) for n cards left; the maximum over the opposing team unless a seat is named
    cost        = payment, by the ruleset's settlement, for cards still held when another player goes out

So each play still to make costs one. A play that is unlikely to be beaten costs less than nothing, which keeps control cards.
A move that breaks up a good play lowers the value of the rest. A play that nothing can beat wins if at most one play of the
rest can be beaten; the agent makes it at once.

Rulesets with more parts add terms:

* Partners neither beat nor endanger a play, and a partner who plays next blocks. If a partner made the top play:

      score(pass) += partner * hold(top)
      score(p)    += feed * P(a partner goes out on it)

* Draw pile: while it lasts no player can go out, and hand sizes mean nothing: no danger, no run, no hurry.
* A pass that locks for a round: a lead that beats the last play of the previous trick cannot be answered.
* Points of captured cards go to the winner of the trick:

      score(p)    += capture * (hold(p) * (points of the trick and of p) - (1 - hold(p)) * points of p)

* In an auction the hand is compared with random hands. The score of a bid is its expected payment, in stakes:

      strength    = (value of the hand - mean) / deviation
      score(yes)  = (number of others) * (2 / (1 + e^-(even + slope * strength)) - 1) * (stake if the auction ended with it)
      score(no)   = -(2 * rival - 1) * (stake if it ended now) if another player has said yes, else 0

Weights are plain JSON files, which are read without numpy. `big2 train weights` writes one for a ruleset:

    {"kind": "big2 heuristic weights", "ruleset": "tien_len",
     "rules": {"ruleset": "tien_len", ...},                      the rules, as in records; files without it name a preset
     "weights": {"turn": [1.0, 0.45, 0.37], "lead": 0.25, ...},  the fields of `Weights`; missing ones have their defaults
     "made": {"command": ..., "generations": 25, ...},           how it was fitted
     "gain": {"first": {"mean": 2.15, "half_width": 0.23, "deals": 2000}, ...}}   points per game against opponents
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from dataclasses import field as dataclass_field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from big2_agents.models import models_folder
from big2_env.base.errors import ConfigError, NotationError, quoted, reason_text
from big2_env.base.json_values import parse_object, shown, text_at
from big2_env.base.outside import read_text
from big2_env.climbing.parts import PassLock
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import preset
from big2_env.climbing.saved_rules import rules_here
from big2_env.climbing.settlement import CardsLeft, PairwiseDifference, WinnerTakesOne
from big2_env.runs.rows import write_row

CERTAIN: Final = 1000.0
"""Score of a certain win."""
MAX_DECAY: Final = 2.0
"""Upper limit of `decay`: beyond it only a player with one card is near going out."""
LOOSE: Final = (-2.0, 0.01)
"""Utility and hold of a card that belongs to no play."""


@dataclass(frozen=True)
class Weights:
    """Weights of the heuristic's formula, in units of one turn.

    The defaults were found by evolution strategies against greedy agents and earlier versions. `weights_of` returns the
    weights of a ruleset. Fields with three values are for plays of 1, 2, and more cards.

    Args:
        turn: Cost of a play that is still to be made.
        hold: Saving for a play that is not beaten.
        rank: Saving for a play that beats much, which can be made when others lead.
        lead: Value of the lead.
        run_out: Value of the lead with a hand that can go out from it.
        again: Value of a second play that beats if the first is beaten.
        danger: Cost of a beating play that is an opponent's last.
        block: The same for the next player, if no other seat can beat before.
        hurry: Value of each card played while an opponent is near going out.
        patience: Value of passing: others spend their cards.
        cheap_lead: Cost of passing for each seat that has passed on the top play, because the lead is cheap then.
        alarm: Cost of leaving the lead to an opponent who is near going out.
        partner: Value of a partner's play that is not beaten.
        feed: Value of a partner going out.
        bomb: Extra saving for a bomb that holds, because it beats any lead.
        capture: Value of a point in the cards of a trick.
        pay: Cost of a point for cards still held at the end, while an opponent is near going out.
        relief: The same, independent of the opponents.
        loss: Increase of danger and alarm for each point that the remaining cards would cost.
        full: Cost of passing for each card held.
        decay: Rate at which a player with more cards is farther from going out.
        even: In an auction, log odds that the landlord wins with an average hand.
        slope: Increase of these log odds for each standard deviation that the hand is better.
        rival: Probability that another player who has said yes wins.

    Raises:
        ConfigError: A number that is not finite, a wrong number of values, or a decay out of range.
    """

    turn: tuple[float, float, float] = (1.0, 0.45, 0.37)
    hold: tuple[float, float, float] = (1.45, 0.0, 0.3)
    rank: tuple[float, float, float] = (0.75, 1.35, 0.0)
    lead: float = 0.25
    run_out: float = 2.0
    again: float = 0.2
    danger: float = 1.1
    block: float = 2.2
    hurry: float = 0.67
    patience: float = 0.45
    cheap_lead: float = 0.5
    alarm: float = 2.6
    partner: float = 1.2
    feed: float = 1.5
    bomb: float = 1.5
    capture: float = 0.15
    pay: float = 0.0
    relief: float = 0.0
    loss: float = 0.0
    full: float = 0.0
    decay: float = 0.5
    even: float = -0.35
    slope: float = 0.4
    rival: float = 0.62

    def __post_init__(self) -> None:
        for field in fields(self):
            value, usual = getattr(self, field.name), field.default
            expected = len(usual) if isinstance(usual, tuple) else 1
            numbers = value if isinstance(usual, tuple) else (value,)
            if len(numbers) != expected or not all(map(math.isfinite, numbers)):
                raise ConfigError(f"expected finite weights for {field.name}, {expected} of them, got {value!r}")
        if not 0 <= self.decay <= MAX_DECAY:
            raise ConfigError(f"expected a decay from 0 to {MAX_DECAY}, got {self.decay}")

    def as_json(self) -> dict[str, float | list[float]]:
        """Return the weights as JSON values, by name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Weights:
        """Return the weights of JSON values.

        Args:
            data: Weights by name, as `as_json` returns them. Missing ones have their defaults. A new term must have a default
                that changes nothing, so that old files stay valid.

        Raises:
            ConfigError: An unknown name, a value that is not a number, or as for the class.
        """
        found: dict[str, Any] = {}
        names = [field.name for field in fields(cls)]
        for name, value in data.items():
            numbers = value if isinstance(value, list) else [value]
            if name not in names or not all(type(number) in (int, float) for number in numbers):
                raise ConfigError(f"expected numbers for {', '.join(names)}, got {shown(value)} for {quoted(name)}")
            found[name] = tuple(map(float, value)) if isinstance(value, list) else float(value)
        return cls(**found)


DEFAULT_WEIGHTS: Final = Weights()
TEAM_WEIGHTS: Final = Weights(turn=(1.2, 0.7, 0.37), rank=(0.6, 0.8, 0.0), patience=-0.6, partner=3.0, bomb=2.5)
"""First weights of games with an auction: a pass gives the lead to the other team."""
DRAW_PILE_WEIGHTS: Final = Weights(patience=0.3)
"""First weights of games with a draw pile, which replaces the cards played."""
LOCKED_WEIGHTS: Final = Weights(rank=(0.5, 1.0, 0.0), patience=-0.5)
"""First weights of games in which a pass locks for the round."""
PAIRWISE_WEIGHTS: Final = Weights(pay=0.03)
"""First weights of games in which players pay each other by the cards left."""


def first_weights_of(ruleset: RuleSet) -> Weights:
    """Return the first weights for a ruleset. They never change.

    Trained agents whose files name no heuristic were trained with these.
    """
    if ruleset.auction is not None:
        return TEAM_WEIGHTS
    if ruleset.draw_pile:
        return DRAW_PILE_WEIGHTS
    if ruleset.pass_lock is PassLock.ROUND:
        return LOCKED_WEIGHTS
    return PAIRWISE_WEIGHTS if isinstance(ruleset.scoring, PairwiseDifference) else DEFAULT_WEIGHTS


def near(cards_left: int, decay: float) -> float:
    """Return how near a player is to going out, 1 with one card.

    Args:
        cards_left: Number of cards in the player's hand.
        decay: Rate by which this falls with each card more.
    """
    return math.exp((1 - cards_left) * decay)


KIND: Final = "big2 heuristic weights"
MAX_FILE: Final = 1 << 16
"""Maximum size of a weights file, in bytes."""


@dataclass(frozen=True)
class WeightsFile:
    """Fitted weights of a ruleset with their origin.

    Args:
        ruleset: Name of the ruleset.
        weights: The weights.
        made: Origin, from `big2 train weights`: command, version, generations, games, minutes, field (the opponents).
        gain: Mean payoff per game of one seat against copies of an opponent, by opponent: `mean`, `half_width` of the 95%
            interval, `deals`. "greedy than first" is the difference from the first weights against the same opponent.
        rules: The rules, as `saved_rules.identity` gives them; empty for the preset.
    """

    ruleset: str
    weights: Weights
    made: dict[str, Any] = dataclass_field(default_factory=dict)
    gain: dict[str, Any] = dataclass_field(default_factory=dict)
    rules: dict[str, Any] = dataclass_field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> WeightsFile:
        """Read a file.

        Raises:
            ConfigError: It cannot be read, or is not a weights file.
        """
        try:
            data = parse_object(read_text(path, MAX_FILE))
            if data.get("kind") != KIND:
                raise NotationError(f"expected kind {KIND!r}, got {shown(data.get('kind'))}")
            found = [data.get(key) for key in ("weights", "made", "gain", "rules")]
            weights, *others = (value if isinstance(value, dict) else {} for value in found)
            return cls(text_at(data, "ruleset", 200), Weights.from_json(weights), *others)
        except (OSError, NotationError, ConfigError) as error:
            raise ConfigError(f"heuristic weights {path}: {reason_text(error)}") from None

    def trained_for(self) -> RuleSet | None:
        """Return the rules that the weights were made for; None if they are not available here."""
        return rules_here(self.rules or {"ruleset": self.ruleset})

    def write(self, path: Path) -> None:
        """Replace a file by these weights."""
        data = {
            "kind": KIND,
            "ruleset": self.ruleset,
            **({"rules": self.rules} if self.rules else {}),
            "weights": self.weights.as_json(),
            "made": self.made,
            "gain": self.gain,
        }
        write_row(path, data)


FIRST: Final = "first"
"""Name of the first weights."""


def _frozen_folder() -> Path:
    return models_folder() / "weights" / "frozen"


def frozen_versions() -> list[str]:
    """Return the names of the frozen weights, which never change."""
    return [FIRST, *sorted(path.stem for path in _frozen_folder().glob("*.json"))]


@lru_cache(maxsize=64)
def frozen_weights_of(version: str, ruleset: RuleSet) -> Weights:
    """Return frozen weights.

    Args:
        version: A name of `frozen_versions`.
        ruleset: The ruleset; one that the version does not have gets the first weights.

    Raises:
        ConfigError: An unknown version.
    """
    if version not in frozen_versions():
        raise ConfigError(f"expected a version of the heuristic: {', '.join(frozen_versions())}; got {quoted(version)}")
    if version == FIRST:
        return first_weights_of(ruleset)
    by_ruleset = parse_object((_frozen_folder() / f"{version}.json").read_text(encoding="utf-8"))
    data = by_ruleset.get(ruleset.name)
    return first_weights_of(ruleset) if data is None else Weights.from_json(data)


def shipped_files() -> dict[str, Path]:
    """Return the shipped files of fitted weights, by ruleset."""
    return {path.stem: path for path in sorted((models_folder() / "weights").glob("*.json"))}


@lru_cache(maxsize=64)
def weights_of(ruleset: RuleSet) -> Weights:
    """Return the weights of `heuristic` for a ruleset: fitted ones if there are any, else the first ones.

    Fitted weights may change between versions. They serve the usual patterns of the shipped ruleset with its own settlement or
    any `CardsLeft`; a variant with other patterns or another settlement gets the first weights, and the default ones if it pays
    only wins.
    """
    known, path = preset(ruleset.name), shipped_files().get(ruleset.name)
    if path is None or known is None or known.usual_patterns != ruleset.usual_patterns:
        return first_weights_of(ruleset)
    if isinstance(ruleset.scoring, CardsLeft) or known.scoring == ruleset.scoring:
        return WeightsFile.load(path).weights
    return DEFAULT_WEIGHTS if isinstance(ruleset.scoring, WinnerTakesOne) else first_weights_of(ruleset)
