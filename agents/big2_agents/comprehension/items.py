"""Questions about legal moves, drawn from random games of the shipped rulesets and of five invented ones.

Each ruleset has ten questions, five of them about legal moves. The answer to a question is the engine's. The reasons are as
balanced as the rulesets allow: each illegal move has the reason that had the fewest questions before. A question is drawn so
that its reason is the only one that applies, and offers three other reasons.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

from big2_agents.comprehension.reasons import Reason, is_bomb, is_comparable, verdict
from big2_env.climbing.game import Game
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.ruleset_data import digest
from big2_env.climbing.rulesets import ruleset
from big2_env.climbing.view import View
from big2_env.errors import ConfigError
from big2_env.rng import SplitMix64, derived

SEED: Final = 46
RULESETS: Final = tuple(json.loads((files("big2_agents.comprehension") / "rulesets.json").read_text(encoding="utf-8")))
"""Names of the rulesets that questions are about, in order. The file is frozen with the questions."""
LEGAL: Final = 5
ILLEGAL: Final = 5
"""Questions for each ruleset about legal and about illegal moves."""
OPTIONS: Final = 4
"""Reasons that a question offers."""
GAMES: Final = 6
"""Most games in which a ruleset's questions are sought."""
ITEMS_DIGEST: Final = "7c71c17730b186c7"
"""Hash of the questions, which are frozen under it."""


@dataclass(frozen=True)
class Item:
    """A question.

    Args:
        view: View of the player.
        cards: Cards of the move as a mask; 0 for a pass.
        answer: Reason why the move is not legal; None if it is.
        options: Answers to choose from, including None.
    """

    view: View
    cards: int
    answer: Reason | None
    options: tuple[Reason | None, ...]

    @property
    def letter(self) -> str:
        """Letter of the right answer."""
        return LETTERS[self.options.index(self.answer)]


LETTERS: Final = "abcde"


@lru_cache(maxsize=1)
def items() -> tuple[Item, ...]:
    """Return all questions, the same in every process and version.

    Raises:
        ConfigError: This version draws other questions.
    """
    found = tuple(_drawn())
    if items_digest(found) != ITEMS_DIGEST:
        raise ConfigError(f"the questions have the hash {items_digest(found)}, expected {ITEMS_DIGEST}")
    return found


def items_digest(found: Sequence[Item]) -> str:
    """Return the hash of questions: rulesets, positions, moves, options and answers.

    Args:
        found: The questions.
    """
    data = [
        [
            [digest(item.view.ruleset), item.view.seat, item.view.hand, item.view.turn, item.cards, item.answer],
            [[seat, play.mask] for seat, play in item.view.history],
            list(item.options),
        ]
        for item in found
    ]
    text = json.dumps(data, default=lambda reason: reason.value)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _drawn() -> Iterator[Item]:
    asked = Counter[Reason]()
    for number, name in enumerate(RULESETS):
        draw = SplitMix64(derived(SEED, number))
        legal, illegal = _candidates(ruleset(name), draw)
        chosen: list[tuple[View, int, Reason | None]] = [(*one, None) for one in draw.some(legal, LEGAL)]
        for _ in range(ILLEGAL):
            reason = min((reason for reason in Reason if illegal[reason]), key=asked.__getitem__)
            asked[reason] += 1
            chosen.append((*illegal[reason].pop(), reason))
        for view, cards, answer in draw.some(chosen, len(chosen)):
            yield Item(view, cards, answer, _options(answer, draw))


_OVERLAPPING: Final = (Reason.NO_PATTERN, Reason.OTHER_KIND, Reason.TOO_LOW, Reason.NEEDS_BOMB)
"""Reasons about the cards played, of which only one is true."""


def _options(answer: Reason | None, draw: SplitMix64) -> tuple[Reason | None, ...]:
    """Return the answers to choose from in random order: legal, the reason, and others that do not apply."""
    hidden = {Reason.NEEDS_BOMB: Reason.OTHER_KIND, Reason.OTHER_KIND: Reason.NEEDS_BOMB}.get(answer) if answer else None
    others = [reason for reason in Reason if reason not in (answer, hidden)]
    near = [reason for reason in others if (reason in _OVERLAPPING) is (answer in _OVERLAPPING)]
    first = draw.some(near, 2)
    given = [*first, *draw.some([reason for reason in others if reason not in first], OPTIONS)]
    shown = [answer, *given[: OPTIONS - 1], None] if answer else [*given[:OPTIONS], None]
    return tuple(draw.some(shown, len(shown)))


def _candidates(rules: RuleSet, draw: SplitMix64) -> tuple[list[tuple[View, int]], dict[Reason, list[tuple[View, int]]]]:
    """Return legal and illegal moves of random games, the latter by reason."""
    legal: list[tuple[View, int]] = []
    illegal: dict[Reason, list[tuple[View, int]]] = {reason: [] for reason in Reason}
    for _ in range(GAMES):
        game = Game.deal(rules, draw.next() >> 1)
        while not game.is_over:
            view = game.view()
            moves = list(view.legal_plays())
            plays = [play for play in moves if play]
            if not view.bidding:
                legal.append((view, draw.one(plays if plays and draw.below(5) else moves).mask))
                is_rare = view.obligation or (view.top is not None and is_bomb(rules, view.top))
                for found, cards in _illegal(game, view, draw) if is_rare or not draw.below(3) else ():
                    reason = verdict(found, cards)
                    if reason is not None and len(illegal[reason]) < ILLEGAL:
                        illegal[reason].append((found, cards))
            game.play(draw.one(plays if plays and draw.below(4) else moves))
    return legal, {reason: draw.some(found, len(found)) for reason, found in illegal.items()}


def _illegal(game: Game, view: View, draw: SplitMix64) -> Iterator[tuple[View, int]]:
    """Yield moves of a position that are not legal for one reason only."""
    rules, top = view.ruleset, view.top
    own = list(rules.table.plays(view.hand, None))
    if view.obligation:
        yield from ((view, play.mask) for play in draw.some([play for play in own if not play.mask & view.obligation], 1))
        return
    if top is None or rules.must_cover:
        yield view, 0
    other = draw.one([seat for seat in range(game.num_players) if seat != view.seat])
    held = game.position.hands[other]
    theirs = draw.some([play.mask for play in rules.table.plays(held, top)], 1)
    yield from ((game.view(other), mask) for mask in theirs if top is not None)
    yield from ((view, mask) for mask in theirs if mask & ~view.hand)
    near = [mask for play in draw.some([one for one in own if len(one) > 1], 3) for mask in _changed(view, play, draw)]
    yield from ((view, mask) for mask in near if not rules.table.classify(mask))
    if top is not None:
        weak = [play for play in own if not rules.covers(play, top)]
        alike = [play for play in weak if is_comparable(rules, play, top)]
        unlike = [play for play in weak if not is_comparable(rules, play, top) and not is_bomb(rules, play)]
        yield from ((view, play.mask) for play in (*draw.some(alike, 1), *draw.some(unlike, 1)))


def _changed(view: View, play: Play, draw: SplitMix64) -> Iterator[int]:
    """Yield the cards of a play with one card replaced by another one of the hand."""
    order = view.ruleset.order
    rest = view.hand & ~play.mask
    if rest:
        yield play.mask & ~(1 << draw.one(order.sort(play.mask))) | 1 << draw.one(order.sort(rest))
