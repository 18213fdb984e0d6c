"""One seat's knowledge of a game as text: for people at a pipe and for language models.

Seats are numbers; the names of players never appear. Cards are in the notation of records, which `answers` reads back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Final, Literal

from big2_env.base.errors import ConfigError, repr_text
from big2_env.base.language import Language, Words, as_language, words
from big2_env.base.scene import CardFace, RulesPage, RulesSection, Scene
from big2_env.base.side_game import SideGame, SideView
from big2_env.climbing.events import Said
from big2_env.climbing.hands import hand_order
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.play import PASS, Move, Play
from big2_env.climbing.ruleset import RuleSet
from big2_env.climbing.view import View
from big2_env.text.climbing_scene import scene
from big2_env.text.events import said_text, seat_facts, settled_text
from big2_env.text.names import cards_text, move_text, pattern_name, words_of
from big2_env.text.patterns import beating, card_numbers
from big2_env.text.rules import card_order, rules_page

MAX_LISTED: Final = 20
"""Maximum number of legal moves listed for each pattern, and of a side game in total."""
HISTORIES: Final = ("full", "trick")
"""Values of `history`."""
_LAST: Final = 8
"""Number of latest moves of a side game in `history="trick"`."""
_ALL: Final = 1 << 20


def observation(
    view: View,
    language: Language | str = Language.EN,
    legal: bool = False,
    history: Literal["full", "trick"] = "full",
    rules: bool = False,
) -> str:
    """Return everything that a seat knows about a climbing game as lines of text.

    Args:
        view: View of the seat.
        language: Language, or its tag.
        legal: True to list the legal moves, at most `MAX_LISTED` for each pattern, with the number of the others.
        history: `full` for all moves by tricks, `trick` for the current trick.
        rules: True for the whole rules instead of only the order of cards and patterns.

    Raises:
        ConfigError: The language or `history` does not exist.

    >>> from big2_env import BIG2, Game
    >>> game = Game.deal(BIG2, seed=7)
    >>> _ = game.play("C[3]")
    >>> for line in observation(game.view()).splitlines()[:8]:
    ...     print(line)
    Big Two: you are seat 2 of seats 0 to 3
    You have to beat seat 1's single C[3]
    Your hand, 13 cards: D[3] H[3] C[4] H[4] H[5] H[8] S[8] H[10] C[J] D[Q] D[A] S[A] D[2]
    seat 0: 13 cards
    seat 1: 12 cards
    seat 3: 13 cards
    Order of turns: you, seat 3, seat 0, seat 1
    Trick 1: seat 1 C[3]
    """
    tr = words_of(view.ruleset, as_language(language))
    check_history(history)
    names = seat_numbers(view.num_players, view.seat, tr)
    shown = scene(view, names=names, lang=tr.language)
    return "\n".join(
        [
            *(_rules(view.ruleset, tr.language, True) if rules else ()),
            *_seen(shown, view.seat, tr, view.team),
            *_answers(view, tr),
            *_turns(view, names, tr),
            *_trick_lines(view, names, tr, is_full=history == "full"),
            *(() if rules else _rules(view.ruleset, tr.language, False)),
            *(legal_lines(view, tr) if legal else ()),
        ]
    )


def side_observation(
    game: SideGame,
    seat: int | None = None,
    language: Language | str = Language.EN,
    legal: bool = False,
    history: Literal["full", "trick"] = "full",
    rules: bool = False,
) -> str:
    """Return everything that a seat may know about a side game as lines of text.

    Args:
        game: The game.
        seat: The seat; None for the seat to move.
        language: Language, or its tag.
        legal: True to list the legal moves, at most `MAX_LISTED`, with the number of the others.
        history: `full` for all moves, `trick` for the latest.
        rules: True to begin with the rules.

    Raises:
        ConfigError: The language, the seat or `history` does not exist.
    """
    tr = words(as_language(language))
    check_history(history)
    view = game.view(seat)
    names = seat_numbers(game.num_players, view.seat, tr)
    alone = game.num_players == 1
    shown = game.scene(view.seat, names=None if alone else names, lang=tr.language, last=_ALL if history == "full" else _LAST)
    position = game.position_text(view.seat, tr)
    lines = [*(page_lines(game.rules_page(tr.language)) if rules else ())]
    lines += (
        _seen(shown, view.seat, tr) if position is None else [shown.title, shown.status, *position.rstrip("\n").splitlines()]
    )
    if shown.events:
        lines.append(tr("state.line", label=tr("observation.history"), text=tr("state.arrow").join(shown.events)))
    return "\n".join([*lines, *(side_legal_lines(game, view, tr) if legal else ())])


def side_legal_lines(game: SideGame, view: SideView, tr: Words) -> Iterator[str]:
    """Yield a line with the legal moves of a side game; nothing if the seat is not to move.

    Args:
        game: The game.
        view: View of the seat.
        tr: Texts in the user's language.
    """
    if view.moves:
        label = tr("observation.legal", count=len(view.moves))
        yield tr("state.line", label=label, text=_listed(map(game.move_text, view.moves), len(view.moves), tr))


def check_history(history: str) -> None:
    """Check an amount of history.

    Args:
        history: One of `HISTORIES`.

    Raises:
        ConfigError: It is another.
    """
    if history not in HISTORIES:
        raise ConfigError(f"history: expected {' or '.join(map(repr, HISTORIES))}, got {repr_text(history)}")


def seat_numbers(number: int, viewer: int | None, tr: Words) -> list[str]:
    """Return a name of each seat that contains only its number; the viewer is "you".

    Args:
        number: Number of seats.
        viewer: Seat of the viewer; None for no viewer.
        tr: Texts in the user's language.
    """
    return [tr("table.you") if seat == viewer else tr("observation.seat", seat=seat) for seat in range(number)]


def _answers(view: View, tr: Words) -> Iterator[str]:
    """Yield the words for the auction decisions that are possible now."""
    legal = view.legal_plays()
    if view.is_on_turn and legal.calls:
        yield tr("observation.calls", words=" / ".join(move_text(call, legal, tr) for call in legal))


def _seen(shown: Scene, viewer: int, tr: Words, team: Collection[int] = ()) -> Iterator[str]:
    """Yield the seat of the viewer, the play to beat, the hands and the table."""
    yield tr("observation.you_are", title=shown.title, seat=viewer, last=len(shown.seats) - 1)
    yield settled_text(shown)
    yield from shown.facts
    for seat in shown.seats:
        if seat.is_viewer:
            label = tr("rules.list").join([tr("observation.hand", cards=card_numbers([seat.count], tr)), *seat.labels])
            yield tr("state.line", label=label, text=cards_line(seat.hand or ())) if seat.hand else label
    for number, seat in enumerate(shown.seats):
        if not seat.is_viewer:
            facts = tr("rules.list").join([*seat_facts(seat, tr), *([tr("observation.partner")] if number in team else [])])
            text = f"{facts}{tr('rules.list')}{cards_line(seat.hand)}" if seat.hand else facts
            yield tr("state.line", label=seat.name, text=text)
    yield from area_lines(shown, tr)


def cards_line(cards: Sequence[CardFace]) -> str:
    """Return the face-up cards in notation."""
    return " ".join(card.text for card in cards if not card.is_back)


def area_lines(shown: Scene, tr: Words) -> Iterator[str]:
    """Yield the piles and rows on the table.

    Args:
        shown: The scene.
        tr: Texts in the user's language.
    """
    for area in shown.areas:
        cards = cards_line(area.cards)
        counted = tr("state.area", label=area.label, cards=card_numbers([area.count], tr))
        yield tr("state.line", label=counted, text=cards) if cards else counted


def _turns(view: View, names: Sequence[str], tr: Words) -> Iterator[str]:
    """Yield the order in which the seats still in the trick move."""
    if view.outcome is not None:
        return
    seats = [(view.turn + step) % view.num_players for step in range(view.num_players)]
    still = [seat for seat in seats if seat not in view.finished and (seat == view.turn or not view.passed >> seat & 1)]
    yield tr("state.line", label=tr("observation.order"), text=tr("rules.list").join(names[seat] for seat in still))


def said_in(view: View) -> list[Said]:
    """Return the auction decisions of the current deal."""
    auction, found = view.ruleset.auction, list[Said]()
    if auction is None:
        return found
    for number, (seat, value) in enumerate(view.said):
        before = view.said[:number]
        moves = [*auction.moves(before), *auction.vocabulary]
        move = next(move for move in moves if move.power == value) if value else PASS
        found.append(Said(seat, move, auction.zh(move, before)))
    return found


def _moves(view: View) -> list[Move]:
    """Return the plays and passes after the auction."""
    moves = [move for move in view.history if move.play or move.play.is_pass]
    if view.ruleset.auction is None:
        return moves
    return moves[next((number for number, move in enumerate(moves) if move.play), len(moves)) :]


def rounds_of(view: View) -> list[list[Move]]:
    """Return the moves so far in rounds (回合): chains of tricks in which each new lead beats the play before it.

    >>> from big2_env import BIG2, Game
    >>> game = Game.deal(BIG2, seed=7)
    >>> for cards in ("C[3]", "", "", "", "S[3]"):
    ...     _ = game.play(cards)
    >>> [[str(play) for _, play in moves] for moves in rounds_of(game.view())]
    [['single C[3]', 'pass', 'pass', 'pass', 'single S[3]']]
    """
    rounds: list[list[Move]] = []
    last: Play | None = None
    for move in _moves(view):
        if not rounds or (move.play and last is not None and not view.ruleset.beats(move.play, last)):
            rounds.append([])
        rounds[-1].append(move)
        last = move.play or last
    return rounds


def tricks_of(view: View) -> list[list[Move]]:
    """Return the moves so far in tricks.

    A trick continues with the next one if another seat leads a play that beats its last play.
    """
    tricks: list[list[Move]] = []
    for moves in rounds_of(view):
        last = None
        for number, move in enumerate(moves):
            if not number or (move.play and move.seat == last):
                tricks.append([])
            tricks[-1].append(move)
            last = move.seat if move.play else last
    return tricks


def round_lines(view: View, names: Sequence[str], tr: Words) -> Iterator[str]:
    """Yield a line with the decisions of the auction, then a line for each round.

    Args:
        view: View of the game.
        names: Name of each seat.
        tr: Texts in the user's language.
    """
    yield from _auction_line(view, names, tr)
    for number, moves in enumerate(rounds_of(view), start=1):
        texts = tr("state.arrow").join(_move_texts(view.ruleset, moves, names, tr, "state.by"))
        yield tr("state.line", label=tr("state.round", number=number), text=texts)


def _auction_line(view: View, names: Sequence[str], tr: Words) -> Iterator[str]:
    calls = [tr("state.by", text=said_text(view.ruleset, one, tr), name=names[one.seat]) for one in said_in(view)]
    if calls:
        yield tr("state.line", label=tr("rules_title.auction"), text=tr("rules.list").join(calls))


def _trick_lines(view: View, names: Sequence[str], tr: Words, *, is_full: bool) -> Iterator[str]:
    """Yield a line for each trick, or one for the current trick. The passes that end a trick are "the others pass"."""
    tricks = tricks_of(view)
    labels = [tr("observation.nth_trick", number=number) for number in range(1, len(tricks) + 1)]
    if is_full:
        yield from _auction_line(view, names, tr)
    elif view.top is None or not tricks:
        return
    else:
        tricks, labels = tricks[-1:], [tr("observation.trick")]
    for number, (label, moves) in enumerate(zip(labels, tricks, strict=True), start=1):
        is_over = number < len(tricks) or view.top is None
        texts = [*_move_texts(view.ruleset, moves, names, tr, "observation.by")]
        passes = len(list(takewhile(lambda move: not move.play, reversed(moves))))
        if is_over and passes > 1:
            texts[-passes:] = _move_texts(
                view.ruleset, moves[-1:], [tr("observation.others")] * len(names), tr, "observation.by"
            )
        yield tr("state.line", label=label, text=tr("rules.list").join(texts))


def _move_texts(ruleset: RuleSet, moves: Iterable[Move], names: Sequence[str], tr: Words, form: str) -> Iterator[str]:
    """Yield moves, each with its seat and its cards in canonical order or as a pass."""
    for seat, play in moves:
        text = cards_text(ruleset, hand_order(ruleset, play)) or pattern_name(ruleset, play.pattern, tr)
        yield tr(form, text=text, name=names[seat])


@lru_cache(maxsize=64)
def _rules(ruleset: RuleSet, lang: Language, whole: bool) -> tuple[str, ...]:
    """Return the rules, whole or only the order of the cards and the plays that beat others."""
    if whole:
        return tuple(page_lines(rules_page(ruleset, lang)))
    tr = words_of(ruleset, lang)
    order = RulesSection(tr("rules_title.order"), tuple(card_order(ruleset, tr, "<")))
    return (*_section(order), *_section(RulesSection(tr("rules_title.beating"), tuple(beating(ruleset, tr)))))


def page_lines(page: RulesPage) -> Iterator[str]:
    """Yield the rules of a game as lines of text."""
    yield page.title
    for section in page.sections:
        yield from _section(section)
    yield ""


def _section(section: RulesSection) -> Iterator[str]:
    yield section.title
    yield from (f"- {line}" for line in section.lines)


def legal_lines(view: View, tr: Words) -> Iterator[str]:
    """Yield the number of legal moves, then a line for each pattern; nothing if the seat is not to move.

    Args:
        view: View of the seat.
        tr: Texts in the user's language.
    """
    legal = view.legal_plays()
    if not len(legal):
        return
    yield tr("observation.legal", count=len(legal))
    for name, plays in by_pattern(legal):
        text = _listed((move_text(play, legal, tr) for play in plays[:MAX_LISTED]), len(plays), tr)
        yield f"- {tr('state.line', label=pattern_name(view.ruleset, name, tr), text=text) if name else text}"


def by_pattern(legal: LegalPlays) -> Iterable[tuple[str, list[Play]]]:
    """Return legal moves by the name of their pattern, "" for words."""
    kinds: dict[str, list[Play]] = {}
    for play in legal:
        kinds.setdefault(play.pattern if play else "", []).append(play)
    return kinds.items()


def _listed(texts: Iterable[str], count: int, tr: Words) -> str:
    """Return the first `MAX_LISTED` moves, and the number of the others."""
    listed = [text for _, text in zip(range(MAX_LISTED), texts, strict=False)]
    return " | ".join([*listed, *([tr("observation.more", count=count - len(listed))] if count > len(listed) else [])])
