"""Moves of people, at tables of one person and of several."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from big2_env.base.errors import AmbiguousPlayError, IllegalPlayError, NotationError
from big2_env.base.language import Language, words
from big2_env.base.side_game import SideGame
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import Play
from big2_env.tables.browser.messages import Refused, bad, cards_in
from big2_env.text.selection import refusal_text, select_cards


def chosen(legal: LegalPlays, texts: list[str], reading: int | None, lang: Language) -> int | Play:
    """Return the cards or the play that a page names.

    Args:
        legal: Legal moves of the person.
        texts: Cards, such as `D[3]`; none for a pass.
        reading: Number of the interpretation, if the cards form several plays.
        lang: Language of errors.

    Raises:
        Refused: The message is not valid (400).
    """
    mask = cards_in(legal.hand, texts)
    if reading is None:
        return mask
    plays = select_cards(legal, mask, words(lang)).plays
    if reading >= len(plays):
        raise bad(f"reading: expected a number below {len(plays)}, got {reading}")
    return plays[reading]


def make(
    play: Callable[[int | Play, str | None], object],
    legal: Callable[[], LegalPlays],
    move: int | Play,
    word: str | None,
    lang: Language,
) -> None:
    """Make a move or a call.

    Args:
        play: Makes it.
        legal: Returns the legal moves of the person, if it is refused.
        move: Cards or a play; 0 for a call.
        word: Call of an auction, `None` for other moves.
        lang: Language of errors.

    Raises:
        Refused: It is illegal or ambiguous (409).
    """
    try:
        play(move, word)
    except IllegalPlayError as error:
        mask = move if isinstance(move, int) else move.mask
        raise Refused(409, "illegal", refusal_text(legal(), mask, error.refusal, words(lang))) from None
    except AmbiguousPlayError:
        raise Refused(409, "ambiguous", words(lang)("web.error_ambiguous")) from None


def side_moves(game: SideGame, texts: Sequence[str]) -> list[int]:
    """Return the moves of a side game that a page names.

    Raises:
        Refused: A text is not a move, or there is none (400).
    """
    try:
        found = [game.parse_move(text) for text in texts]
    except NotationError as error:
        raise bad(f"moves: {error}") from None
    if not found:
        raise bad("moves: expected at least one, got none")
    return found


def make_each(game: SideGame, play: Callable[[int], object], moves: Sequence[int], lang: Language) -> None:
    """Make moves of the seat to move, up to the first that is illegal or is another seat's.

    The moves before it stay: taken back, they would have shown cards that the person cannot see otherwise.

    Raises:
        Refused: The first move is illegal (409).
    """
    seat = game.turn
    for number, move in enumerate(moves):
        if number and (game.is_over or game.turn != seat):
            return
        try:
            play(move)
        except IllegalPlayError:
            if not number:
                raise Refused(409, "illegal", game.refusal_text(move, seat, words(lang))) from None
            return
