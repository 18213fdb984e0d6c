"""Where the features by rank lie, and how many there are: sized by the ruleset."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from big2_agents.compiled.card_features import places
from big2_agents.compiled.mark import AGENTS_MARK
from big2_agents.compiled.opinion import HOLDS, WORSE
from big2_agents.compiled.track import MAX_CATEGORIES, SKIPS
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.rulesets import BIG2
from big2_env.kernels.compile import compile_tables

Parts = dict[str, int]
VALUES: Final = (-6.0, -5.0, -4.0, -3.25, -2.5, -2.0, -1.5, -1.0, -0.6, -0.3, 0.0, 0.5)
"""Steps of what the heuristic thinks the rest of a hand is worth, in turns."""
STRENGTHS: Final = (-1.5, -1.0, -0.6, -0.3, 0.0, 0.3, 0.6, 1.0, 1.5, 2.0, 2.5)
"""Steps of how strong it thinks a hand is in an auction, in standard deviations."""
HIGHER: Final = (0, 1, 2, 3, 6, 10, 20)
"""Steps of the number of unseen cards above a play of one rank."""
STAKES, PILES, SHARES, LONGEST = 10, 16, 10, 20
"""Steps of the stake (each twice the one before), of the draw pile, of captured points; most cards of a play that count."""
REST: Final = 4
"""Cards of one rank in the rest of a hand count up to this many."""


def _parts(ruleset: RuleSet, num_players: int | None) -> tuple[Parts, Parts, Parts, dict[str, float]]:
    """The parts of a state, of a play, of hidden hands, with the entries of each, and the numbers that they follow from."""
    t: Any = compile_tables(ruleset, num_players)
    values, copies, seats = int(t.num_values), 4 * ruleset.deck.copies, int(t.num_players)
    categories, patterns, others = int(t.num_categories), len(ruleset.patterns), seats - 1
    sizes = min(LONGEST, max(int(size) for size in t.row_size[: int(t.num_rows)]))
    cards, hand, said = values * copies, int(t.max_hand), int(t.said_values)
    captures, auction = bool(ruleset.scoring.captures), ruleset.auction is not None
    single = 0 if ruleset.ranks_only else cards  # entries for cards one by one
    numbers: dict[str, float] = {
        "most": copies, "hand": hand, "patterns": patterns, "sizes": sizes, "said": said, "by_suit": int(bool(single)),
        "points": sum(float(t.points[v]) * copies for v in range(values)) if captures else 0.0,
    }  # fmt: skip
    state = {
        "hand": cards, "hand_cards": single, "unseen": cards, "unseen_cards": single, "played": others * cards,
        "left": seats * hand, "top_category": categories, "top_value": values, "top_size": sizes, "top_suit": 4,
        "top_seat": seats, "leading": 1, "opening": 1, "passed": others,
        "last_pattern": others * patterns, "last_value": others * values,
        "passed_on": others * MAX_CATEGORIES * values,  # the lowest value each of the others passed on, by category
        "led": others * MAX_CATEGORIES,  # categories each of the others has led
        "skipped": others * SKIPS * values,  # values each of the others left out, by category, as `track` says
        "bidding": int(auction),
        "calls": seats * (said + 1) if auction else 0,  # what each seat has said
        "landlord": seats if auction else 0,
        "known": cards if auction else 0,  # what the landlord took up, as far as it is unseen
        "acted": seats if auction else 0,  # who has played a hand
        "once": int(auction),  # the landlord has played just one
        "stake": STAKES if auction else 0,
        "pile": PILES if ruleset.draw_pile else 0,
        "captured": seats * SHARES if captures else 0, "trick": SHARES if captures else 0,
        "lock_category": categories, "lock_value": values,  # what a lead has to cover to keep others out
    }  # fmt: skip
    play = {
        "pass": 1, "call": said + 1 if auction else 0, "strength": len(STRENGTHS) if auction else 0,
        "category": categories, "pattern": patterns, "size": sizes, "value": values, "suit": 4,
        "body": values, "kickers": values,  # numbers of cards
        "bomb": 1,
        "certain": 1,  # no unseen cards cover it
        "unanswered": 1,  # more cards than any opponent holds
        "last": 1,  # it empties the hand
        "left": hand,
        "rest": REST * values,  # how many cards of each rank the rest has, one of these entries for each rank held
        "worth": len(VALUES),
        "next_out": 1, "enemy_out": 1, "partner_out": 1,  # the next seat, an opponent, a partner has as many cards
        "over_partner": 1,  # it covers a partner's play
        "locks": 1,  # it keeps out those who are locked
        "higher": len(HIGHER),
        "points": SHARES if captures else 0,
        "best": 1, "worse": len(WORSE), "hold": len(HOLDS),  # the heuristic's opinion (`opinion`)
    }  # fmt: skip
    hidden = {"hands": others * cards, "hands_cards": others * single, "bottom": cards if auction else 0}
    return state, play, hidden, numbers


@cache
def rank_dtype() -> np.dtype[Any]:
    """The layout of a ruleset: where each part begins (state `s_`, play `p_`, hidden `h_`), sizes, and the numbers behind."""
    state, play, hidden, numbers = _parts(BIG2, None)  # any ruleset will do: the names are the same
    own = [f"p_{name}" for name in play if name not in ("best", "worse", "hold")]
    names = [*(f"s_{name}" for name in state), *own, *(f"h_{name}" for name in hidden), "best", "worse", "hold"]
    fields: list[Any] = [(name, np.int64) for name in (*names, "state_size", "play_size", "hidden_size")]
    fields += [(name, np.float64 if name == "points" else np.int64) for name in numbers]
    return np.dtype([*fields, (AGENTS_MARK, np.int64)])


def rank_fields(ruleset: RuleSet, num_players: int | None = None) -> dict[str, float]:
    """The fields of `rank_dtype` for a ruleset.

    Raises:
        ConfigError: the ruleset cannot be compiled.
    """
    state, play, hidden, numbers = _parts(ruleset, num_players)
    found: dict[str, float] = dict(numbers)
    for letter, parts, size in (("s", state, "state_size"), ("p", play, "play_size"), ("h", hidden, "hidden_size")):
        begins, found[size] = places(parts)
        for name, place in begins.items():
            found[name if name in ("best", "worse", "hold") else f"{letter}_{name}"] = place
    return found
