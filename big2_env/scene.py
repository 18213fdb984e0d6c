"""A scene: what one viewer may know of a game at one moment, as a plain value with all its words in one language."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

from big2_env.language import Language


@dataclass(frozen=True, slots=True)
class CardFace:
    """One card as it lies there."""

    text: str
    """Its notation, as one types it: `D[10]`, `BJ`; empty for a card that lies face down."""
    rank: str = ""
    """What stands in its corner: `10`, `K`, `LJ`; in UNO the face: `7`, `skip`, `+4`."""
    suit: str = ""
    """`club`, `diamond`, `heart` or `spade`, empty for a joker; in UNO `red`, `yellow`, `green`, `blue` or empty."""
    name: str = ""
    """Its name in words, for readers who do not see it: `10 of diamonds`."""

    @property
    def is_back(self) -> bool:
        """True if the card lies face down."""
        return not self.text


BACK: Final = CardFace("")
"""A card that lies face down."""


@dataclass(frozen=True, slots=True)
class ShownAct:
    """What a seat did."""

    seat: int
    """Who did it."""
    words: str
    """What it was: the name of the pattern, `pass`, what was said in an auction."""
    cards: tuple[CardFace, ...] = ()
    """The cards, in the order in which they are laid down; none for an act without cards."""
    kind: str = "play"
    """`play`, `pass` or `say`."""
    is_top: bool = False
    """True for the play that has to be beaten, or that was the last one of the game."""


@dataclass(frozen=True, slots=True)
class ShownSeat:
    """A seat at the table."""

    seat: int
    """Its number, from 0."""
    name: str
    """Who sits there."""
    count: int
    """How many cards it holds."""
    hand: tuple[CardFace, ...] | None = None
    """Its cards in the game's order, `None` where the viewer does not see them."""
    is_viewer: bool = False
    """True for the viewer's own seat."""
    is_turn: bool = False
    """True for the seat to move."""
    labels: tuple[str, ...] = ()
    """What else holds for it, in words: landlord, passed, out, points captured."""
    act: ShownAct | None = None
    """The last thing it did in the present trick or auction."""
    payoff: float | None = None
    """What the game paid it, once it is over."""
    score: float | None = None
    """The running score, where several games are played."""


@dataclass(frozen=True, slots=True)
class Area:
    """A place on the table that belongs to no seat: a pile, a row of cards, a column of Klondike."""

    key: str
    """What it is for programs: `draw_pile`, `bottom`, `waste`, `pile_3`."""
    label: str
    """What it is for people."""
    cards: tuple[CardFace, ...] = ()
    """The cards, `BACK` for those that lie face down; of a pile only the uppermost may be listed."""
    count: int = 0
    """How many cards there are in all."""
    layout: str = "row"
    """How they lie: `row` side by side, `column` overlapping downwards, `pile` on top of each other."""
    place: str = "side"
    """Where they lie: `side`, beside the play, or `centre`, where the play itself is about them."""


@dataclass(frozen=True, slots=True)
class ShownAdvice:
    """What an adviser thinks of one act."""

    act: ShownAct
    """The act."""
    value: float | None = None
    """Mean payoff in play-outs."""
    interval: tuple[float, float] | None = None
    """Its 95 % interval."""
    probability: float | None = None
    """How likely a policy that draws its acts would make it."""
    playouts: int = 0
    """How many play-outs the value comes from."""
    is_proof: bool = False
    """True where the value is proven and no estimate."""
    is_played: bool = False
    """True for the act that was made."""
    note: str = ""
    """A remark in words."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What one viewer may know of a game at one moment."""

    game: str
    """The game's name for programs: `big2`, `uno`."""
    title: str
    """The game's name for people."""
    language: Language
    """The language of all words."""
    seats: tuple[ShownSeat, ...] = ()
    """The seats, by number."""
    areas: tuple[Area, ...] = ()
    """Places that belong to no seat."""
    viewer: int | None = None
    """Whose eyes this is, `None` for a spectator."""
    turn: int | None = None
    """The seat to move, `None` once the game is over."""
    ply: int = 0
    """How many acts have been made."""
    status: str = ""
    """One line: who is to move and what has to be beaten, or who has won."""
    facts: tuple[str, ...] = ()
    """Further facts in words: the stake, deals left."""
    events: tuple[str, ...] = ()
    """The last things that happened, a line each, the newest last."""
    advice: tuple[ShownAdvice, ...] = ()
    """What an adviser thinks of the acts, best first."""
    is_over: bool = False
    """True once the game is over."""

    @property
    def top(self) -> ShownAct | None:
        """The play that has to be beaten, or that was the last one of the game; `None` where the seat to move may lead."""
        return next((seat.act for seat in self.seats if seat.act is not None and seat.act.is_top), None)

    def as_json(self) -> dict[str, Any]:
        """The scene as JSON values: dicts, lists, numbers and texts."""
        return asdict(self) | {"language": self.language.value}
