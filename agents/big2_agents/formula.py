"""The formula of the heuristic player: what an act is worth, from public information only. `kernels.heuristic` computes it.

It parts its hand into plays (`kernels.decompositions`), counts with card memory what the unseen cards can still cover
(`kernels.outlook`), and makes the act with the highest score:

    hold(p)   = 1 / (1 + E), E the expected number of plays in the hands of the other team that cover p; 1 means nobody can
    rank(p)   = the share of the unseen plays of p's kind that p covers
    utility(p) = -turn + hold * hold(p) + rank * rank(p)^2, with weights by the number of cards: 1, 2, more;
                of a bomb + bomb * hold(p)
    rest      = the cards left after it, parted so that the sum of utility(p) is largest; value is that sum, run the chance
                that all its plays but the weakest hold

    score(p)    = value + hold(p) * (lead + run_out * run) + again * (1 - hold(p)) * (best hold of p's kind in the rest)
                  - danger * (1 + loss * cost(rest)) * (chance that a covering play is somebody's last; block for the next seat)
                  + hurry * cards of p * near + (pay * near + relief) * (cost(hand) - cost(rest))
    score(pass) = value + patience - cheap_lead * (seats that have passed on the top play) - full * (cards of the hand)
                  - alarm * (1 + loss * cost(hand)) * hold(top) * (near of the top player)
    near        = e^(-decay * (n - 1)) for n cards left; the greatest over the other team where no seat is named
    cost        = what cards cost by the ruleset's settlement that are left when somebody goes out

So a turn costs one, a play that nobody is likely to beat costs less than none (control cards are kept), and what breaks a good
play lowers the value of the rest. A play that nobody can cover, with a rest of which at most one play can be covered, wins: it
is made at once.

What a ruleset has besides adds terms of its own, whatever the game is called:

* Partners cover nothing, endanger nothing, and a partner who plays next stands between. On the top:

      score(pass) += partner * hold(top)                     where a partner made it: it is left to hold
      score(p)    += feed * (chance that a partner goes out on it)

* Draw pile: as long as it lasts nobody goes out, and how few cards a seat holds says nothing: no danger, no run, no hurry.
* A pass that locks for a round: a lead that covers the last play of the trick before cannot be answered at all.
* Points of the cards of a trick go to who wins it:

      score(p)    += capture * (hold(p) * (points of the trick and of p) - (1 - hold(p)) * points of p)

* In an auction a hand is compared with random hands; a decision's score is what it is expected to pay, in stakes:

      strength    = (value of the hand - mean) / deviation
      score(yes)  = (number of others) * (2 / (1 + e^-(even + slope * strength)) - 1) * (stake if the auction ended with it)
      score(no)   = -(2 * rival - 1) * (stake if it ended now) where somebody has said yes, else 0

The weights that a ruleset is played with lie in files: JSON, read without numpy.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from dataclasses import field as dataclass_field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from big2_agents.models import models_folder
from big2_env.climbing.parts import PassLock
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import preset
from big2_env.climbing.settlement import PairwiseDifference
from big2_env.errors import ConfigError, NotationError, quoted
from big2_env.json_values import parse_object, shown, text_at
from big2_env.runs.atomic_files import replace_file

CERTAIN: Final = 1000.0
"""Score of a win that nobody can stop."""
MAX_DECAY: Final = 2.0
"""The fastest decay: beyond it only players with one card are near going out."""
LOOSE: Final = (-2.0, 0.01)
"""Worth and hold of a card that is in no play at all."""


@dataclass(frozen=True)
class Weights:
    """The numbers of the heuristic, in turns. Found by evolution strategies, playing greedy agents and former selves.

    `big2_agents.formula` has those of a ruleset.

    Raises:
        ConfigError: a number that is not finite, or too few or too many of them.
    """

    turn: tuple[float, float, float] = (1.0, 0.45, 0.37)
    """What it costs to have a play of 1, 2, more cards to make."""
    hold: tuple[float, float, float] = (1.45, 0.0, 0.3)
    """What is saved where nobody covers it."""
    rank: tuple[float, float, float] = (0.75, 1.35, 0.0)
    """What is saved where it covers much, and so can be made when others lead."""
    lead: float = 0.25
    """Having the lead."""
    run_out: float = 2.0
    """Having the lead with a hand that can go out from it."""
    again: float = 0.2
    """Being able to cover once more if the play is covered."""
    danger: float = 1.1
    """A covering play that is somebody's last."""
    block: float = 2.2
    """The same of the next player, before whom nobody else can cover."""
    hurry: float = 0.67
    """Each card got rid of, where somebody is near going out."""
    patience: float = 0.45
    """Passing: the others spend their cards."""
    cheap_lead: float = 0.5
    """What passing gives away for each seat that has passed on the top play: the lead is cheap to have."""
    alarm: float = 2.6
    """Leaving the lead to somebody who is near going out."""
    partner: float = 1.2
    """A partner's play that nobody covers."""
    feed: float = 1.5
    """A partner going out."""
    bomb: float = 1.5
    """What is saved where a bomb holds, besides: it can be made whatever others lead."""
    capture: float = 0.15
    """A point of a trick's cards."""
    pay: float = 0.0
    """A point that cards cost which are still held in the end, where somebody is near going out."""
    relief: float = 0.0
    """The same wherever the others stand."""
    loss: float = 0.0
    """How much more danger and alarm count for each point that the cards left would cost."""
    full: float = 0.0
    """What passing costs for each card held."""
    decay: float = 0.5
    """How fast a player is farther from going out, by the number of cards held."""
    even: float = -0.35
    """In an auction, how likely the landlord wins with a usual hand: 1 / (1 + e^-even)."""
    slope: float = 0.4
    """The same for each standard deviation that a hand is better than usual."""
    rival: float = 0.62
    """How likely somebody else wins who has said yes."""

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
        """The weights as JSON values, by name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Weights:
        """The weights that `as_json` gave; one that is not named has its default.

        The defaults of terms that come later change nothing, so files outlive them.

        Raises:
            ConfigError: an unknown name, something else than numbers, or as the class says.
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
"""Where one plays against the rest: whoever passes leaves the lead to the other team."""
DRAW_PILE_WEIGHTS: Final = Weights(patience=0.3)
"""Where hands are filled up from a pile: cards spent come back."""
LOCKED_WEIGHTS: Final = Weights(rank=(0.5, 1.0, 0.0), patience=-0.5)
"""Where who passes is out for the round."""
PAIRWISE_WEIGHTS: Final = Weights(pay=0.03)
"""Where each pays every other by the cards left, and some cards cost more."""


def first_weights_of(ruleset: RuleSet) -> Weights:
    """The first weights, of revision aa8d69d: they never change.

    Learned players whose files do not say what heuristic they were trained with mean these.
    """
    if ruleset.auction is not None:
        return TEAM_WEIGHTS
    if ruleset.draw_pile:
        return DRAW_PILE_WEIGHTS
    if ruleset.pass_lock is PassLock.ROUND:
        return LOCKED_WEIGHTS
    return PAIRWISE_WEIGHTS if isinstance(ruleset.scoring, PairwiseDifference) else DEFAULT_WEIGHTS


def near(cards_left: int, decay: float) -> float:
    """How near a player with so many cards is to going out: 1 with one card."""
    return math.exp((1 - cards_left) * decay)


KIND: Final = "big2 heuristic weights"
MAX_FILE: Final = 1 << 16
"""Most bytes of a weights file."""


@dataclass(frozen=True)
class WeightsFile:
    """Fitted weights of a ruleset, and how they were found."""

    ruleset: str
    weights: Weights
    made: dict[str, Any] = dataclass_field(default_factory=dict)
    """How `big2 train weights` found them: command, version, generations, games, minutes, field."""
    gain: dict[str, Any] = dataclass_field(default_factory=dict)
    """Mean payoff a game alone against others, by these: `mean`, `half_width` of the 95 % interval, `deals`."""

    @classmethod
    def load(cls, path: Path) -> WeightsFile:
        """The content of a file.

        Raises:
            ConfigError: it cannot be read, or is no file of weights.
        """
        try:
            with path.open("rb") as stream:
                text = stream.read(MAX_FILE + 1)
            if len(text) > MAX_FILE:
                raise NotationError(f"expected at most {MAX_FILE:,} bytes")
            data = parse_object(text.decode())
            if data.get("kind") != KIND:
                raise NotationError(f"expected kind {KIND!r}, got {shown(data.get('kind'))}")
            found = [data.get(key) for key in ("weights", "made", "gain")]
            weights, made, gain = (value if isinstance(value, dict) else {} for value in found)
            return cls(text_at(data, "ruleset", 200), Weights.from_json(weights), made, gain)
        except (OSError, UnicodeDecodeError, NotationError, ConfigError) as error:
            raise ConfigError(f"heuristic weights {path}: {error}") from None

    def write(self, path: Path) -> None:
        """Write the file, the whole of it at once."""
        data = {
            "kind": KIND,
            "ruleset": self.ruleset,
            "weights": self.weights.as_json(),
            "made": self.made,
            "gain": self.gain,
        }
        with replace_file(path) as new:
            new.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


FIRST: Final = "first"
"""The version of the first weights."""


def _frozen_folder() -> Path:
    return models_folder() / "weights" / "frozen"


def frozen_versions() -> list[str]:
    """The names of the weights that never change."""
    return [FIRST, *sorted(path.stem for path in _frozen_folder().glob("*.json"))]


@lru_cache(maxsize=64)
def frozen_weights_of(version: str, ruleset: RuleSet) -> Weights:
    """The weights of a version, which never change: those it has for the ruleset of that name, else the first ones.

    Raises:
        ConfigError: an unknown version.
    """
    if version not in frozen_versions():
        raise ConfigError(f"expected a version of the heuristic: {', '.join(frozen_versions())}; got {quoted(version)}")
    if version == FIRST:
        return first_weights_of(ruleset)
    by_ruleset = parse_object((_frozen_folder() / f"{version}.json").read_text(encoding="utf-8"))
    data = by_ruleset.get(ruleset.name)
    return first_weights_of(ruleset) if data is None else Weights.from_json(data)


def shipped_files() -> dict[str, Path]:
    """The files of fitted weights that are shipped, by ruleset."""
    return {path.stem: path for path in sorted((models_folder() / "weights").glob("*.json"))}


@lru_cache(maxsize=64)
def weights_of(ruleset: RuleSet) -> Weights:
    """The weights that the heuristic plays a ruleset with: those fitted to what it pays, else the first ones.

    They change where better ones are found. Fitted weights are for the patterns and the settlement of the ruleset that is
    shipped under its name; house rules that change these have the first weights.
    """
    known, path = preset(ruleset.name), shipped_files().get(ruleset.name)
    if path is None or known is None:
        return first_weights_of(ruleset)
    is_same = (known.patterns, known.scoring) == (ruleset.patterns, ruleset.scoring)
    return WeightsFile.load(path).weights if is_same else first_weights_of(ruleset)
