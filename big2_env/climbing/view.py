"""What one seat may know. The type has no field for anything else, so nothing that reads a view can leak hidden cards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from big2_env.climbing.auction import Said
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.settlement import team_of
from big2_env.climbing.view_faults import view_faults
from big2_env.errors import ConfigError
from big2_env.pictures import picture

if TYPE_CHECKING:
    from big2_env.climbing.game import Game, Move, Outcome
    from big2_env.climbing.position import Position


@dataclass(frozen=True)
class View:
    """One seat's sight of a game: its own hand and what lies open. Seats are absolute, 0 to players - 1."""

    ruleset: RuleSet
    """The game's rules."""
    seat: int
    """Whose view this is."""
    hand: int
    """The seat's own cards, as a mask."""
    turn: int
    """The seat to move."""
    top: Play | None
    """The top play, `None` when the seat to move leads."""
    top_seat: int | None
    """Who made the last actual play, `None` before the first."""
    passed: int
    """The seats that have passed and are not asked again for now, as bits."""
    obligation: int
    """The card that the first play of the game must contain, as a mask; 0 when there is none."""
    cards_left: tuple[int, ...]
    """How many cards each seat holds."""
    played: tuple[int, ...]
    """The cards each seat has played, as masks."""
    pile_left: int
    """How many cards are left to draw."""
    finished: tuple[int, ...]
    """The seats that are out for good, the first one first."""
    history: tuple[Move, ...]
    """Every act so far."""
    outcome: Outcome | None
    """How the game ended, `None` while it goes on."""
    lead_over: Play | None = None
    """Under `PassLock.ROUND`: the play that a lead has to cover to keep those who have passed out."""
    bidding: bool = False
    """Whether an auction goes on."""
    said: Said = ()
    """The decisions of this deal's auction, each a seat and the value of what it said, 0 for no."""
    landlord: int | None = None
    """The seat that plays against the rest; `None` where there is none (yet)."""
    bottom: int = 0
    """The cards that the landlord took up, as a mask; 0 before that."""
    redeals_left: int = 0
    """How many more deals there can be where nobody wants this one."""
    stake: int = 1
    """The base of the settlement."""
    factor: int = 1
    """What multiplies it so far."""
    acted: tuple[int, ...] = ()
    """How many hands each seat has played, in games with an auction."""
    captured: tuple[int, ...] = ()
    """The cards of the tricks each seat has won, as masks, where the settlement asks for them."""
    _is_sound: ClassVar[bool] = False
    """True for views that a game made, or that `check` has found good."""

    @classmethod
    def of(cls, game: Game, seat: int) -> View:
        """What `seat` may know of a game now."""
        view = cls.of_position(game.ruleset, game.position, seat, tuple(game.history), game.outcome)
        object.__setattr__(view, "_is_sound", True)
        return view

    @classmethod
    def of_position(
        cls,
        ruleset: RuleSet,
        position: Position,
        seat: int,
        history: tuple[Move, ...] = (),
        outcome: Outcome | None = None,
    ) -> View:
        """What `seat` may know of a position, with a history and an end where they are known; nothing is checked."""
        return cls(
            ruleset=ruleset,
            seat=seat,
            hand=position.hands[seat],
            turn=position.turn,
            top=position.top,
            top_seat=position.top_seat,
            passed=position.passed,
            obligation=position.obligation,
            cards_left=tuple([hand.bit_count() for hand in position.hands]),
            played=position.played,
            pile_left=len(position.pile),
            finished=position.finished,
            history=history,
            outcome=outcome,
            lead_over=position.lead_over,
            bidding=position.bidding,
            said=position.said,
            landlord=position.landlord,
            bottom=0 if position.bidding else position.bottom,
            redeals_left=len(position.redeals),
            stake=position.stake,
            factor=position.factor,
            acted=position.acted,
            captured=position.captured,
        )

    def check(self, legal: LegalPlays | None = None) -> None:
        """Refuse what no agent can be asked: compiled code trusts the views that it gets.

        Raises:
            ConfigError: a view that no game shows, a seat that is not to move, or `legal` of another position.
        """
        if not self._is_sound:
            if found := view_faults(self):
                raise ConfigError("view: " + "; ".join(found))
            object.__setattr__(self, "_is_sound", True)
        if self.seat != self.turn or self.outcome is not None:
            raise ConfigError(f"expected the view of a seat that is to move, got that of seat {self.seat}")
        if legal is not None and not (
            isinstance(legal, LegalPlays)
            and legal.ruleset is self.ruleset
            and legal.hand == self.hand
            and legal.top == self.top
            and legal.obligation == self.obligation
            and legal.calls == self.calls
            and not legal.over
        ):
            raise ConfigError("expected the legal plays of the view, got those of another position")

    @property
    def num_players(self) -> int:
        """How many seats there are."""
        return len(self.cards_left)

    @property
    def is_on_turn(self) -> bool:
        """Whether this seat is to move."""
        return self.seat == self.turn and self.outcome is None

    @property
    def team(self) -> tuple[int, ...]:
        """The seat and those on its team, ascending; alone while there is no landlord."""
        return team_of(self.seat, self.landlord, self.num_players)

    @property
    def calls(self) -> tuple[Play, ...]:
        """What the seat to move may say in the auction besides no; none outside one."""
        auction = self.ruleset.auction
        return auction.acts(self.said) if self.bidding and auction is not None else ()

    @property
    def unseen(self) -> int:
        """The cards that are neither in this hand nor played, as a mask: the others' hands and what is left over together."""
        seen = self.hand
        for mask in self.played:
            seen |= mask
        return self.ruleset.deck.mask & ~seen

    def legal_plays(self) -> LegalPlays:
        """The legal acts of this seat; none when it is not to move."""
        return LegalPlays(self.ruleset, self.hand, self.top, self.obligation, not self.is_on_turn, self.calls)

    def __str__(self) -> str:
        """One line: the seat, its hand, how many cards each seat holds, and the play to beat."""
        hand, left = self.ruleset.text(self.hand) or "no cards", ", ".join(map(str, self.cards_left))
        top = "nothing"
        if self.top is not None and self.outcome is None:
            top = f"{self.top.pattern} {self.ruleset.text(self.top.mask)} of seat {self.top_seat}"
        return f"seat {self.seat}: {hand}; cards left: {left}; to beat: {top}"

    def _repr_svg_(self) -> str:
        """The table as this seat sees it, for notebooks."""
        return picture(self)
