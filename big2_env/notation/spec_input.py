r"""The text format's input, read and written: a deck line, a name for each player, then one action per line.

An action is `-1` for a pass, or the indices of cards in the player's sorted hand. Games with an auction add the words `call`,
`rob` and `bid_2`. An illegal action is part of the game, and the same player gives another. A line that is not an action at all
is a `NotationError` with the line number and the token.

>>> lines = Lines(" ".join(map(str, BIG2.deck.cards)) + "\nAnn\nBo\nCy\nDi\n0")
>>> transcript = read_start(lines)
>>> transcript.act(read_action(lines))
Play(pattern='single', mask=1, category=0, power=0)
>>> read_action(lines) is None
True
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import Final

from big2_env.base.cards import Card, iter_cards
from big2_env.base.errors import ConfigError, NotationError, quoted
from big2_env.climbing.events import Passed, Played, Said, TurnStarted
from big2_env.climbing.game import Game
from big2_env.climbing.hands import slots_of
from big2_env.climbing.ruleset import Rest, RuleSet
from big2_env.climbing.rulesets import BIG2
from big2_env.notation.lines import Lines
from big2_env.notation.transcript import RefusedMove, Transcript, check_name

PASS: Final = "-1"
PAST_EVERY_HAND: Final = 10**9
"""Value for indices of ten or more digits without leading zeros; no hand has such a card."""
MAX_KEPT: Final = 1_000_000
"""Maximum number of actions and indices in one game. Refused actions are kept, and their number is otherwise unlimited."""

_INDEX: Final = re.compile("[0-9]+")
_ACTION: Final = re.compile(r"-1|[0-9]+(\s+[0-9]+)*")
_NAME: Final = re.compile(r"[^\W\d]")
"""Start of a line that is a name where an action may come too, and not an action with a slip."""


def read_start(lines: Lines, ruleset: RuleSet = BIG2, num_players: int | None = None) -> Transcript:
    """Return the game that a deck line and names start.

    Args:
        lines: Lines of the input.
        ruleset: Rules of the game.
        num_players: Number of players; None for as many as there are names before the first action. It is the ruleset's
            default if a name could be an action too, and names beyond the default begin with a letter.

    Raises:
        NotationError: A card is unknown, missing or repeated, or a name is missing, empty or unprintable. The message gives the
            line number.
        ConfigError: The ruleset does not allow that number of players.
    """
    number = ruleset.seats(num_players)
    deck_line = next(lines, None)
    if deck_line is None:
        raise lines.error("the deck is missing: the input is empty", 1)
    try:
        deck = ruleset.deck.parse(deck_line)
    except NotationError as error:
        raise lines.error(f"the deck: {error}", 1) from None
    names: list[str] = []
    words = words_of(ruleset)
    for seat in range(number if num_players is not None else ruleset.max_players):
        if num_players is None and seat >= ruleset.min_players and not any(map(_ACTION.fullmatch, names)):
            line = lines.peek() or ""
            if _ACTION.fullmatch(line) or (seat >= number and (line in words or not _NAME.match(line))):
                break
        elif seat == number:
            break
        name = next(lines, None)
        if name is None:
            raise lines.error(f"the name of player {seat} is missing: {seat} of {number} names are given", lines.number + 1)
        try:
            names.append(check_name(name))
        except NotationError as error:
            raise lines.error(str(error)) from None
    return Transcript(Game.from_deck(ruleset, deck, len(names)), names)


def words_of(ruleset: RuleSet) -> frozenset[str]:
    """Return the words that are actions in a ruleset: its auction decisions."""
    return frozenset() if ruleset.auction is None else frozenset(move.pattern for move in ruleset.auction.vocabulary)


def read_action(lines: Lines, words: Container[str] = ()) -> tuple[int, ...] | str | None:
    """Return the next action, skipping blank lines.

    Args:
        lines: Lines of the input.
        words: Words that are actions.

    Returns:
        The indices of an action (empty for a pass), a word, or None at the end.

    Raises:
        NotationError: A line is not an action; the message gives its number and the token.
    """
    line = lines.next_filled()
    if line is None:
        return None
    tokens = line.split()
    if tokens == [PASS]:
        return ()
    if len(tokens) == 1 and tokens[0] in words:
        return tokens[0]
    for token in tokens:
        if not _INDEX.fullmatch(token):
            raise lines.error(f"expected card indices from 0, or -1 alone for a pass, got {quoted(token)}")
    digits = (token.lstrip("0") or "0" for token in tokens)
    return tuple(int(each) if len(each) < 10 else PAST_EVERY_HAND for each in digits)


def read_actions(lines: Lines, words: Container[str] = ()) -> Iterator[tuple[int, ...] | str]:
    """Yield the actions of a game, each read when it is requested.

    Args:
        lines: Lines of the input.
        words: Words that are actions.

    Raises:
        NotationError: A line is not an action, or there are more than `MAX_KEPT` actions and indices.
    """
    kept = 0
    while (action := read_action(lines, words)) is not None:
        kept += 1 + len(action)
        if kept > MAX_KEPT:
            raise lines.error(f"more than {MAX_KEPT} moves and indices in one game")
        yield action


def read_game(
    lines: Lines, ruleset: RuleSet = BIG2, num_players: int | None = None, most_actions: int = MAX_KEPT
) -> Transcript:
    """Return the game of an input, which may stop before the end of the game. Lines after the end are not read.

    Args:
        lines: Lines of the input.
        ruleset: Rules of the game.
        num_players: As for `read_start`.
        most_actions: Maximum number of actions.

    Raises:
        NotationError: A line is invalid, or there are too many actions; the message gives the line number.
        ConfigError: The ruleset does not allow that number of players.
    """
    transcript, left = read_start(lines, ruleset, num_players), most_actions
    actions = read_actions(lines, words_of(ruleset))
    while not transcript.game.is_over and (action := next(actions, None)) is not None:
        if not left:
            raise lines.error(f"expected at most {most_actions} actions in one game")
        left -= 1
        transcript.act(action)
    return transcript


def dumps(transcript: Transcript) -> str:
    """Return the input of a game: a deck that deals its hands, names, and every action including refused ones.

    Raises:
        ConfigError: No deck line deals the game, the indices of a refused attempt are unknown, or the text would be another
            game, since it names neither readings of cards nor the copies of two decks.
    """
    game = transcript.game
    lines = [" ".join(map(str, deck_of(game))), *transcript.names]
    hand = 0
    forced = game.ruleset.auto_lead
    for event in transcript.events:
        match event:
            case TurnStarted():
                hand = event.hand
            case Passed():
                lines.append(PASS)
            case Said():
                lines.append(PASS if event.move.is_pass else event.move.pattern)
            case Played() if forced:
                forced = False  # the engine makes the first play itself
            case Played():
                lines.append(" ".join(map(str, slots_of(game.ruleset, hand, event.play.mask))))
            case RefusedMove(slots=None):
                raise ConfigError("expected a transcript with the indices of refused attempts, got one without")
            case RefusedMove(slots=str(word)):
                lines.append(word)
            case RefusedMove():
                lines.append(" ".join(map(str, event.slots or ())) or PASS)
            case _:
                pass
    text = "\n".join(lines) + "\n"
    if _moves(read_game(Lines(text), game.ruleset, game.num_players).game) != _moves(game):
        raise ConfigError("a game that no input makes: inputs name neither readings of cards nor copies of two decks")
    return text


def _moves(game: Game) -> list[tuple[int, str, int, str]]:
    """Return what an input must tell: the seat, pattern, strength and cards of each move."""
    return [(seat, play.pattern, play.power, game.ruleset.text(play.mask)) for seat, play in game.history]


def deck_of(game: Game) -> list[Card]:
    """Return a deck, from bottom to top, that deals the hands that a game began with.

    Raises:
        ConfigError: The game did not begin with a deal of the whole deck, or cards were dealt again.
    """
    start, order = game.start, game.ruleset.order
    size = game.ruleset.cards_each(len(start.hands))
    hands = [list(iter_cards(hand)) for hand in start.hands]
    rest = order.sort(start.bottom)
    if rest:  # its lowest card tells who decides first; of two equal cards, the first in the line is the lower
        place = start.turn or (len(hands) if len({*map(str, rest[:2])}) == 1 else 0)
        rest = [*rest[1 : place + 1], rest[0], *rest[place + 1 :]]
    elif game.ruleset.rest_of(game.num_players) is Rest.ASIDE:
        rest = [card for card in game.ruleset.deck.cards if not any(hand >> card & 1 for hand in start.hands)]
    elif (
        game.ruleset.rest_of(game.num_players) is Rest.LOWEST_HOLDER
    ):  # which cards it took up is not known: any but its lowest will do
        hands = [order.sort(hand) for hand in start.hands]
        rest = [card for hand in hands for card in hand[size:]]
        hands = [hand[:size] for hand in hands]
    dealt = [hand[i] for i in range(max(map(len, hands))) for hand in hands if i < len(hand)]
    deck = [*start.pile, *reversed(rest), *reversed(dealt)]
    fits = sorted(deck) == list(game.ruleset.deck.cards)
    if not fits or Game.from_deck(game.ruleset, deck, len(hands)).start != start._replace(redeals=()):
        raise ConfigError("a game that does not begin with a deal of the whole deck: no deck line makes it")
    if start.redeals and game.position.bottom != start.bottom:
        raise ConfigError("a game whose cards were dealt again: no deck line makes it")
    return deck
