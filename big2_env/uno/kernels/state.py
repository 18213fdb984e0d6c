"""A game as a record, and how a deal or an act changes it. The same transitions as `big2_env.uno.game`."""

from __future__ import annotations

from dataclasses import fields
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import numba as nb
import numpy as np

from big2_env.kernels.bits import U, below, lowest_bit, popcount, random_next
from big2_env.kernels.sources import MARK as BITS_MARK
from big2_env.uno import cards
from big2_env.uno.rules import CHOICES, HAND_SIZE, MAX_PLAYERS, MAX_TURNS, UnoRules


def _mark() -> str:
    """A name for the state of these sources; see `big2_env.kernels.sources`."""
    digest = sha256(BITS_MARK.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return f"uno_{digest.hexdigest()[:12]}"


MARK: Final = _mark()
SCORINGS: Final = ("winner", "points")
_FLAGS: Final = tuple(field.name for field in fields(UnoRules) if field.type == "bool")
RULES: Final = np.dtype(
    [("players", np.int64), *((name, np.int64) for name in (*CHOICES, *_FLAGS)), ("points", np.int64), (MARK, np.int64)]
)
"""The rules: names of `CHOICES` as their places, flags as 0 or 1; `points` says that payoffs are in points."""
GAME: Final = np.dtype(
    [
        ("deck", np.int8, 108),  # the pile: places 0 to left - 1, the top last
        ("card", np.int8, 108),  # the card of each age
        ("low", np.uint64, MAX_PLAYERS),  # the ages in each hand, 0 to 63
        ("high", np.uint64, MAX_PLAYERS),  # and from 64 on
        ("face_low", np.uint64, 15),  # the ages of each face
        ("face_high", np.uint64, 15),
        ("colour_low", np.uint64, 5),  # the ages of each colour
        ("colour_high", np.uint64, 5),
        ("played", np.uint64, 2),  # at least one, at least two of a coloured card were played, as acts
        ("wilds", np.int64, 2),  # plain wild cards and wild fours that were played
        ("rng", np.uint64),  # state of the stream of seeds
        ("shuffle", np.uint64),  # state of the shuffle of this game
        ("word", np.uint64, MAX_PLAYERS),  # the coloured cards in each hand as acts
        ("twice", np.uint64, MAX_PLAYERS),  # those held at least twice
        ("plain", np.int64, MAX_PLAYERS),  # plain wild cards in each hand
        ("fours", np.int64, MAX_PLAYERS),  # wild fours in each hand
        ("fresh", np.uint64, MAX_PLAYERS),  # `UnoGame.fresh` of each seat: a byte for each colour, with so many low bits set
        ("held", np.int64, MAX_PLAYERS),  # how many cards each seat holds
        ("left", np.int64),  # cards in the pile
        ("settled", np.int64),  # the places of the pile from here on are shuffled
        ("taken", np.int64),  # how many ages there are
        ("turn", np.int64),
        ("direction", np.int64),
        ("colour", np.int64),  # in force
        ("face", np.int64),  # in force
        ("drawn", np.int64),  # the age that was just drawn and may be played, else -1
        ("naming", np.int64),  # whether the seat to move names the colour of the card turned up
        ("turns", np.int64),  # turns begun and made
        ("ended", np.int64),  # 0: it goes on; 1: a hand is empty; 2: the pile is
        (
            "winner",
            np.int64,
        ),  # -1 while it goes on; then the first seat with the lowest score, or players: nobody
    ]
)
"""One game."""
RUNNING, OUT, EXHAUSTED = 0, 1, 2

DECK: Final = np.array(cards.DECK, np.int8)
POINTS: Final = np.array([cards.points_of(card) for card in range(75)], np.int64)
DRAW, KEEP = 60, 61
WILD, WILD_FOUR, BLANK = 13, 14, 4
COLOUR_FIELD = U(0x1FFF)
"""The coloured cards of red, as acts."""
COLOURED = U(sum(0x1FFF << 15 * colour for colour in range(4)))
EVERY_COLOUR = U(sum(1 << 15 * colour for colour in range(4)))
ONE = U(1)
LANES = U(0x0101010101)
"""A byte for each colour."""
BYTE = U(0xFF)


def rules_record(rules: UnoRules, scoring: str = "winner") -> Any:
    """Rules for the kernels, a scalar of dtype `RULES`."""
    record = np.zeros((), RULES)
    for name, names in CHOICES.items():
        record[name] = names.index(getattr(rules, name))
    for name in ("players", *_FLAGS):
        record[name] = getattr(rules, name)
    record["points"] = SCORINGS.index(scoring)
    return record[()]


def new_games(number: int) -> Any:
    """Records for games that have not begun, `GAME` (N,)."""
    return np.zeros(number, GAME).view(np.recarray)


@nb.njit(cache=True)
def settle(g: Any, place: Any) -> None:
    """Shuffle the pile down to a place, where that is not done yet: the next step of Fisher-Yates."""
    while g.settled > place:
        last = g.settled - 1
        g.settled = last
        if last > 0:
            state, number = random_next(g.shuffle)
            g.shuffle = state
            other = below(number, last + 1)
            g.deck[last], g.deck[other] = g.deck[other], g.deck[last]


@nb.njit(cache=True)
def new_age(g: Any, card: Any) -> Any:
    """Give a card from the pile the next age, which is returned."""
    age = g.taken
    g.card[age] = card
    g.taken = age + 1
    face, colour = card % 15, card // 15
    bit = ONE << U(age & 63)
    if age < 64:
        g.face_low[face] |= bit
        g.colour_low[colour] |= bit
    else:
        g.face_high[face] |= bit
        g.colour_high[colour] |= bit
    return age


@nb.njit(cache=True)
def pop_pile(g: Any) -> Any:
    """Take the top card of a pile that is not empty; its age."""
    place = g.left - 1
    settle(g, place)
    g.left = place
    return new_age(g, np.int64(g.deck[place]))


@nb.njit(cache=True)
def turn_up(r: Any, g: Any) -> Any:
    """Take the first card off the pile that may be turned up, and return it; the cards above it stay on top of the pile."""
    place = g.left - 1
    settle(g, place)
    while g.deck[place] == 74 or (g.deck[place] % 15 > 9 and not r.official_first_card):
        place -= 1
        settle(g, place)
    card = np.int64(g.deck[place])
    g.left -= 1
    for above in range(place, g.left):
        g.deck[above] = g.deck[above + 1]
    return card


@nb.njit(cache=True)
def give_top(g: Any, seat: Any) -> Any:
    """Move the top card of a pile that is not empty into a hand; its age."""
    age = pop_pile(g)
    if age < 64:
        g.low[seat] |= ONE << U(age)
    else:
        g.high[seat] |= ONE << U(age - 64)
    card = np.int64(g.card[age])
    if card < DRAW:
        bit = ONE << U(card)
        word = g.word[seat]
        g.twice[seat] |= word & bit
        g.word[seat] = word | bit
    elif card == 73:
        g.plain[seat] += 1
    else:
        g.fours[seat] += 1
    return age


@nb.njit(cache=True)
def take(g: Any, seat: Any, number: Any) -> None:
    """Move so many cards, up to 4, from the pile into a hand, or what is left."""
    number = min(number, g.left)
    for _ in range(number):
        give_top(g, seat)
    g.held[seat] += number
    new = (ONE << U(number)) - ONE
    g.fresh[seat] = (g.fresh[seat] << U(number)) & (LANES * (BYTE & ~new)) | LANES * new


@nb.njit(cache=True)
def clear(r: Any, g: Any) -> None:
    """Make a game one with a full pile and empty hands; `deck`, `shuffle` and `settled` stay."""
    for seat in range(MAX_PLAYERS):
        g.low[seat] = g.high[seat] = U(0)
        g.held[seat] = g.plain[seat] = g.fours[seat] = 0
        g.word[seat] = g.twice[seat] = U(0)
    for face in range(15):
        g.face_low[face] = g.face_high[face] = U(0)
    for colour in range(5):
        g.colour_low[colour] = g.colour_high[colour] = U(0)
    g.played[0] = g.played[1] = U(0)
    g.wilds[0] = g.wilds[1] = 0
    g.left = 108
    g.taken = g.naming = g.turns = g.ended = g.turn = 0
    g.direction = 1
    g.drawn = g.winner = -1


@nb.njit(cache=True)
def note_played(g: Any, card: Any) -> None:
    """Note a card that everybody has seen: played, or turned up."""
    if card < DRAW:
        bit = ONE << U(card)
        g.played[1] |= g.played[0] & bit
        g.played[0] |= bit
    else:
        g.wilds[card - 73] += 1


@nb.njit(cache=True)
def deal(r: Any, g: Any, seed: Any) -> None:
    """Deal a game as `UnoGame.deal(rules, seed)` does."""
    for place in range(108):
        g.deck[place] = DECK[place]
    g.shuffle = U(seed)
    g.settled = 108
    begin(r, g)


@nb.njit(cache=True)
def begin(r: Any, g: Any) -> None:
    """Deal the hands from the pile as it lies, and turn up the first card."""
    clear(r, g)
    players = r.players
    for k in range(HAND_SIZE * players):
        give_top(g, k % players)
    for seat in range(players):
        g.held[seat] = HAND_SIZE
        g.fresh[seat] = LANES * U(0x7F)
    card = turn_up(r, g)
    new_age(g, card)
    note_played(g, card)
    g.colour, g.face = card // 15, card % 15
    face = g.face
    if face == WILD:
        g.naming = 0 if r.blank_is_any else 1
    elif face > 9 and r.effects != 2:
        if face == 11 and (players > 2 or r.pure_direction):
            g.direction = -1
            g.turn = players - 1
        else:
            if face == 12:
                take(g, 0, 2)
            if face != 12 or r.effects == 0:
                g.turn = 1
    check_pile(r, g)


@nb.njit(cache=True)
def after(r: Any, g: Any, seat: Any) -> Any:
    """The seat after another in the direction of play."""
    seat += g.direction
    return seat - r.players if seat >= r.players else seat + r.players if seat < 0 else seat


@nb.njit(cache=True)
def check_pile(r: Any, g: Any) -> None:
    """At the start of a turn: an empty pile ends the game, or is made anew from the played cards."""
    if g.left == 0 and r.empty_pile == 1:
        reshuffle(r, g)
    if (g.left == 0 and g.ended == 0) or g.turns >= MAX_TURNS:
        finish(r, g, EXHAUSTED)


@nb.njit(cache=True)
def reshuffle(r: Any, g: Any) -> None:
    """Make the played cards but the last one the pile. Cards in hands keep their order by age, and get the lowest ages."""
    held_low, held_high = U(0), U(0)
    for seat in range(r.players):
        held_low |= g.low[seat]
        held_high |= g.high[seat]
    # The last played card has the colour and face in force, so which of its copies it was does not matter.
    last: Any = np.int64(-1)
    number: Any = np.int64(0)
    played = np.zeros(108, np.int8)
    old = g.card.copy()
    low, high = g.low.copy(), g.high.copy()
    taken = g.taken
    for age in range(taken):
        bit = ONE << U(age & 63)
        if not ((held_low if age < 64 else held_high) & bit):
            card = old[age]
            if last < 0 and card % 15 == g.face and (g.face >= WILD or card // 15 == g.colour):
                last = age
            else:
                played[number] = card
                number += 1
    # In a settled order, so that the reference engine can do the same.
    ordered = np.sort(played[:number])
    g.played[0] = g.played[1] = U(0)
    g.wilds[0] = g.wilds[1] = 0
    note_played(g, np.int64(old[last]))
    for place in range(number):
        g.deck[place] = ordered[place]
    g.left = number
    g.settled = number
    g.taken = 0
    for face in range(15):
        g.face_low[face] = g.face_high[face] = U(0)
    for colour in range(5):
        g.colour_low[colour] = g.colour_high[colour] = U(0)
    for seat in range(r.players):
        g.low[seat] = g.high[seat] = U(0)
    for age in range(taken):
        bit = ONE << U(age & 63)
        if ((held_low if age < 64 else held_high) & bit) != U(0) or age == last:
            new = new_age(g, np.int64(old[age]))
            there = ONE << U(new & 63)
            for seat in range(r.players):
                if (low[seat] if age < 64 else high[seat]) & bit:
                    if new < 64:
                        g.low[seat] |= there
                    else:
                        g.high[seat] |= there


@nb.njit(cache=True)
def score(g: Any, seat: Any) -> Any:
    """What the cards left in a hand count."""
    total = np.int64(0)
    low, high = g.low[seat], g.high[seat]
    while low != U(0):
        total += POINTS[g.card[lowest_bit(low)]]
        low &= low - ONE
    while high != U(0):
        total += POINTS[g.card[64 + lowest_bit(high)]]
        high &= high - ONE
    return total


@nb.njit(cache=True)
def finish(r: Any, g: Any, how: Any) -> None:
    """End a game."""
    g.ended = how
    g.drawn = -1
    g.naming = 0
    best = np.int64(1 << 30)
    for seat in range(r.players):
        points = score(g, seat)
        if points < best:
            best = points
            g.winner = seat


@nb.njit(cache=True)
def write_payoffs(r: Any, g: Any, row: Any) -> None:
    """Write what each seat gets at the end of a game, float32 (players,) or longer."""
    players, lowest, winners, total = r.players, np.int64(1 << 30), np.int64(0), np.int64(0)
    for seat in range(players):
        points = score(g, seat)
        row[seat] = points
        total += points
        if points < lowest:
            lowest, winners = points, np.int64(0)
        winners += points == lowest
    if r.ties:
        winners = np.int64(1)
    for seat in range(players):
        won = seat == g.winner if r.ties else row[seat] == lowest
        if r.points:
            pot = total - lowest * players
            row[seat] = pot / winners if won else lowest - row[seat]
        else:
            row[seat] = (players - winners) / ((players - 1) * winners) if won else -1.0 / (players - 1)


@nb.njit(cache=True)
def hand_word(g: Any, seat: Any) -> Any:
    """The cards of a hand as acts: bit `colour * 15 + face`; a wild card is there under each colour."""
    word = g.word[seat]
    if g.plain[seat] > 0:
        word |= EVERY_COLOUR << U(WILD)
    if g.fours[seat] > 0:
        word |= EVERY_COLOUR << U(WILD_FOUR)
    return word


@nb.njit(cache=True)
def playable(r: Any, word: Any, colour: Any, face: Any) -> Any:
    """The acts among those of a hand that may be played on a colour and face, as bits."""
    coloured = word & COLOURED
    field = COLOURED if colour == BLANK else COLOUR_FIELD << U(15 * colour)
    fits = field
    if face < WILD and (face > 0 or r.match_zero):
        fits |= EVERY_COLOUR << U(face)
    found = coloured & fits
    named = EVERY_COLOUR & ONE if r.blank_is_any else EVERY_COLOUR
    found |= word & (named << U(WILD))
    four = word & (named << U(WILD_FOUR))
    if r.wild_four == 1 or (r.wild_four == 0 and coloured & field == U(0)) or (r.wild_four == 2 and found == U(0)):
        found |= four
    return found


@nb.njit(cache=True)
def legal_word(r: Any, g: Any) -> Any:
    """The legal acts of the seat to move as bits; none when the game is over."""
    return legal_of_hand(r, g, hand_word(g, g.turn))


@nb.njit(cache=True)
def legal_of_hand(r: Any, g: Any, hand: Any) -> Any:
    """`legal_word` with the hand of the seat to move, `hand_word`."""
    if g.winner >= 0:
        return U(0)
    if g.naming:
        return EVERY_COLOUR << U(WILD)
    found = playable(r, hand, g.colour, g.face)
    if g.drawn >= 0:
        card = np.int64(g.card[g.drawn])
        only = EVERY_COLOUR << U(card % 15) if card >= 60 else ONE << U(card)
        return (found & only) | (ONE << U(KEEP))
    if r.draw_when_able or found == U(0):
        found |= ONE << U(DRAW)
    return found


@nb.njit(cache=True)
def is_legal(r: Any, g: Any, act: Any) -> Any:
    """Whether a game may go on by an act; any int64 may be asked."""
    return 0 <= act <= KEEP and (legal_word(r, g) >> U(act)) & ONE != U(0)


@nb.njit(cache=True)
def put_card(r: Any, g: Any, age: Any, colour: Any) -> None:
    """Play a card of the hand of the seat to move; `colour` is what a wild card names."""
    seat = g.turn
    card = np.int64(g.card[age])
    face = card % 15
    if age < 64:
        g.low[seat] &= ~(ONE << U(age))
    else:
        g.high[seat] &= ~(ONE << U(age - 64))
    note_played(g, card)
    left = g.held[seat] - 1
    g.held[seat] = left
    own = card // 15
    if card < DRAW:
        bit = ONE << U(card)
        again = g.twice[seat] & bit
        g.twice[seat] ^= again
        g.word[seat] &= ~bit | again
    elif face == WILD:
        g.plain[seat] -= 1
    else:
        g.fours[seat] -= 1
    lane = BYTE << U(8 * own)
    fresh = g.fresh[seat]
    fresh = (fresh & ~lane) | ((fresh & lane) >> ONE) & lane
    g.fresh[seat] = fresh & (LANES * ((ONE << U(min(left, 8))) - ONE))
    g.face = face
    g.colour = own if own < BLANK else BLANK if r.blank_is_any else colour
    g.drawn = -1
    misses = False
    if face > 9 and r.effects != 2 and (left > 0 or r.last_card_acts):
        if face == 11:
            g.direction = -g.direction
            misses = r.players == 2 and not r.pure_direction
        elif face == 10:
            misses = True
        elif face != WILD:
            take(g, after(r, g, seat), 2 if face == 12 else 4)
            misses = r.effects == 0
    g.turns += 1
    following = after(r, g, seat)
    g.turn = after(r, g, following) if misses else following
    if left == 0:
        finish(r, g, OUT)
    else:
        check_pile(r, g)


@nb.njit(cache=True)
def end_turn(r: Any, g: Any) -> None:
    """The turn of a seat that has not played ends."""
    g.drawn = -1
    g.turns += 1
    g.turn = after(r, g, g.turn)
    check_pile(r, g)


@nb.njit(cache=True)
def draw(r: Any, g: Any) -> None:
    """Draw a card; the turn ends unless it may be played."""
    seat, colour = g.turn, g.colour
    take(g, seat, 1)
    lanes = (BYTE << U(32)) | (LANES * BYTE if colour == BLANK else BYTE << U(8 * colour))
    g.fresh[seat] = (g.fresh[seat] & ~lanes) | (LANES & lanes)
    age = g.taken - 1
    if r.pile_test == 1 and g.left == 0 and r.empty_pile == 0:
        g.turns += 1
        finish(r, g, EXHAUSTED)
    elif r.play_drawn:
        card = np.int64(g.card[age])
        only = EVERY_COLOUR << U(card % 15) if card >= 60 else ONE << U(card)
        if playable(r, hand_word(g, seat), colour, g.face) & only != U(0):
            g.drawn = age
        else:
            end_turn(r, g)
    else:
        end_turn(r, g)


@nb.njit(cache=True)
def oldest(low: Any, high: Any) -> Any:
    """The lowest of a set of ages that is not empty."""
    return lowest_bit(low) if low != U(0) else 64 + lowest_bit(high)


@nb.njit(cache=True)
def make_act(r: Any, g: Any, act: Any) -> None:
    """Make a legal act; nothing is checked."""
    if g.naming:
        g.naming = 0
        g.colour = act // 15
    elif act == DRAW:
        draw(r, g)
    elif act == KEEP:
        end_turn(r, g)
    else:
        face, seat = act % 15, g.turn
        if g.drawn >= 0:
            age = g.drawn
        else:
            colour = BLANK if face >= WILD else act // 15
            low = g.low[seat] & g.face_low[face] & g.colour_low[colour]
            age = oldest(low, g.high[seat] & g.face_high[face] & g.colour_high[colour])
        put_card(r, g, age, act // 15)


@nb.njit(cache=True)
def most_frequent(g: Any, seat: Any) -> Any:
    """The colour of which a hand has most cards, the first of them in the colours' order."""
    best, number = np.int64(0), np.int64(-1)
    for colour in range(4):
        found = popcount(g.low[seat] & g.colour_low[colour]) + popcount(g.high[seat] & g.colour_high[colour])
        if found > number:
            best, number = np.int64(colour), found
    return best
