"""Conversion between positions of the reference engine and game records."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from big2_env.base.cards import CARDS
from big2_env.base.errors import ConfigError
from big2_env.climbing.outcome import check_exact, is_over, last_factor
from big2_env.climbing.play import Play
from big2_env.climbing.position import Position, needs_highest
from big2_env.climbing.ruleset import RuleSet
from big2_env.kernels.compile import CardPlaces

_WORD: Final = (1 << 64) - 1


class Positions(CardPlaces):
    """Converter of positions of one ruleset."""

    def __init__(self, ruleset: RuleSet, dtype: np.dtype[Any]) -> None:
        super().__init__(ruleset)
        self._ruleset, self._dtype = ruleset, dtype
        self._names = [rule.pattern.name for rule in ruleset.patterns]
        self._has_parts = "bidding" in (dtype.names or ())

    def pack(self, position: Position, game: Any) -> None:
        """Write a position to a game record, except for the game's own stream.

        Raises:
            ConfigError: If there are more decks than the auction allows, or payoffs may not be exact in float64.
        """
        ruleset, record = self._ruleset, np.zeros((), self._dtype)
        for seat, hand in enumerate(position.hands):
            self._write(record, "hands", seat, hand)
            self._write(record, "played", seat, position.played[seat])
        self._write_play(record, "top", "top", position.top)
        self._write(record, "obligation", 0, position.obligation)
        record["top_seat"] = -1 if position.top_seat is None else position.top_seat
        record["turn"], record["passed"] = position.turn, position.passed
        record["last_factor"] = last_factor(ruleset, position.top) if is_over(ruleset, position) else 1
        left = map(int.bit_count, position.hands)
        record["highest_single"] = needs_highest(ruleset, position.turn, position.passed, left)
        record["players"], record["actor"] = len(position.hands), -1
        record["winner"] = position.finished[0] if is_over(ruleset, position) else -1
        if self._has_parts:
            self._pack_parts(position, record)
        record["rng"] = game["rng"]
        for name in self._dtype.names or ():
            game[name] = record[name]

    def _pack_parts(self, position: Position, record: Any) -> None:
        ruleset = self._ruleset
        deals = 1 if ruleset.auction is None else ruleset.auction.deals
        if len(position.redeals) >= deals:
            raise ConfigError(f"{len(position.redeals)} further decks: {ruleset.name} has {deals} deals at most")
        check_exact(ruleset, len(position.hands), position)
        for seat, captured in enumerate(position.captured):
            self._write(record, "captured", seat, captured)
        self._write_play(record, "lead_over", "lead", position.lead_over)
        self._write(record, "bottom", 0, position.bottom)
        self._write(record, "trick", 0, position.trick)
        record["landlord"] = -1 if position.landlord is None else position.landlord
        for name in ("stake", "factor", "bidding"):
            record[name] = getattr(position, name)
        record["acted"][: len(position.acted)] = position.acted
        record["num_said"], record["num_finished"] = len(position.said), len(position.finished)
        for i, (seat, value) in enumerate(position.said):
            record["said_seat"][i], record["said_value"][i] = seat, value
        record["finished"][: len(position.finished)] = position.finished
        record["num_pile"], record["num_redeals"] = len(position.pile), len(position.redeals)
        record["pile"][: len(position.pile)] = [self._places[card] for card in position.pile]
        for i, deck in enumerate(position.redeals):
            record["redeals"][i, : len(deck)] = deck

    def _write(self, record: Any, name: str, i: int, mask: int) -> None:
        places = self.places(mask)
        if record[name].ndim == 1:
            record[name][i] = places
        else:
            record[name][i] = places & _WORD, places >> 64

    def _write_play(self, record: Any, name: str, prefix: str, play: Play | None) -> None:
        self._write(record, name, 0, 0 if play is None else play.mask)
        numbers = (-1, -1, -1) if play is None else (play.category, play.power, self._names.index(play.pattern))
        for field, number in zip(("category", "power", "pattern"), numbers, strict=True):
            record[f"{prefix}_{field}"] = number

    def unpack(self, game: Any) -> Position:
        """Return the position of a game record, with the number of seats that the record gives."""
        fields = {name: game[name].tolist() for name in self._dtype.names or ()}
        seats = range(fields["players"])
        common: dict[str, Any] = {
            "hands": tuple([self.mask(fields["hands"][seat]) for seat in seats]),
            "turn": fields["turn"],
            "top": self._play(fields, "top", "top"),
            "top_seat": None if fields["top_seat"] < 0 else fields["top_seat"],
            "passed": fields["passed"],
            "obligation": self.mask(fields["obligation"][0]),
            "played": tuple([self.mask(fields["played"][seat]) for seat in seats]),
        }
        if not self._has_parts:
            return Position(**common, finished=(fields["winner"],) if fields["winner"] in seats else ())
        said = zip(fields["said_seat"][: fields["num_said"]], fields["said_value"], strict=False)
        redeals, size = fields["redeals"][: fields["num_redeals"]], self._ruleset.deck.size
        captures = self._ruleset.scoring.captures
        return Position(
            **common,
            pile=tuple(CARDS[self._card_at[place]] for place in fields["pile"][: fields["num_pile"]]),
            finished=tuple(fields["finished"][: fields["num_finished"]]),
            lead_over=self._play(fields, "lead_over", "lead"),
            bidding=bool(fields["bidding"]),
            said=tuple((seat, value) for seat, value in said),
            landlord=None if fields["landlord"] < 0 else fields["landlord"],
            bottom=self.mask(fields["bottom"][0]),
            redeals=tuple(tuple(CARDS[card] for card in deck[:size]) for deck in redeals),
            stake=fields["stake"],
            factor=fields["factor"],
            acted=tuple(fields["acted"][: len(seats)]) if self._ruleset.auction else (),
            trick=self.mask(fields["trick"][0]),
            captured=tuple(self.mask(fields["captured"][seat]) for seat in seats) if captures else (),
        )

    def mask(self, words: Any) -> int:
        """Return the cards of a set in a record, one word or two, as a mask of card ids."""
        return self.cards(words if isinstance(words, int) else words[0] | words[1] << 64)

    def _play(self, fields: dict[str, Any], name: str, prefix: str) -> Play | None:
        category, power, pattern = (fields[f"{prefix}_{field}"] for field in ("category", "power", "pattern"))
        return None if category < 0 else Play(self._names[pattern], self.mask(fields[name][0]), category, power)
