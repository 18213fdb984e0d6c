"""Output of the article's program, byte for byte, for any game that ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from big2_env.base.errors import ConfigError, quoted
from big2_env.games.fishing.cards import RANKS
from big2_env.games.fishing.game import FishingGame, decide
from big2_env.games.fishing.plays import MAX_PLAYS, FishingEnd

PLAYERS: Final = ("Kayla", "Samuel")
"""Names of the article's players by seat. Seat 0 gets the first half of the deck and plays first."""
MAX_NAME: Final = 40
"""Maximum length of a name in characters."""


def parse_names(text: str) -> tuple[str, str]:
    """Return the two names in a comma-separated text.

    Raises:
        ConfigError: The text does not have two names, or a name is empty, too long or not printable.

    >>> parse_names("Kayla, Samuel")
    ('Kayla', 'Samuel')
    """
    names = [name.strip() for name in text[: 4 * MAX_NAME].split(",")]
    if len(names) != 2 or not all(name.isprintable() and 1 <= len(name) <= MAX_NAME for name in names):
        raise ConfigError(f"expected two names of 1 to {MAX_NAME} characters, as in {','.join(PLAYERS)}, got {quoted(text)}")
    return names[0], names[1]


def article_log(game: FishingGame, names: tuple[str, str] = PLAYERS, max_plays: int = MAX_PLAYS) -> Iterator[str]:
    """Play a game to its end and yield the lines that the article's program prints.

    Args:
        game: The game at its start.
        names: Player names by seat.
        max_plays: Limit on plays, checked after each capture; longer games are refused.

    Raises:
        ConfigError: The game never ends, or not within `max_plays`.

    >>> list(article_log(FishingGame.of_hands("2 | 3")))[2:]
    ['Current cards on board:2 ', 'Kayla has failed.', 'Total: 1 rounds']
    """
    outcome = decide(game.rules, game.start, max_plays=max_plays)
    if outcome.end is FishingEnd.CYCLE:
        raise ConfigError(
            f"expected a game that ends for the article's log, got one that repeats itself every {outcome.period:,} plays"
        )
    if outcome.end is FishingEnd.UNDECIDED:
        raise ConfigError(f"expected a game that ends within {max_plays:,} plays for the article's log, got a longer one")
    return _lines(game, names)


def _lines(game: FishingGame, names: tuple[str, str]) -> Iterator[str]:
    while game.loser is None:
        name, hand = names[game.turn], game.hands[game.turn]
        yield f"Cards for {name}: {_list(hand)}"
        play = game.play()
        yield f"{name} played {RANKS[play.card]}"
        yield f"Current cards on board:{_list((*game.board, *play.captured))}"
        if play.captured:
            yield f"{name} fished cards"
            yield f"Cards for {name}: {_list(hand)}"
            yield f"Current cards on board:{_list(game.board)}"
    yield f"{names[game.loser]} has failed."
    yield f"Total: {game.plays} rounds"


def _list(cards: Iterable[int]) -> str:
    """Return cards the way the program prints lists: each followed by a space."""
    return "".join(f"{RANKS[card]} " for card in cards)
