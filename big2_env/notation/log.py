"""Writer of the text format's log.

>>> from big2_env import BIG2, Game
>>> from big2_env.notation.transcript import Transcript
>>> log = LogWriter(Transcript(Game.deal(BIG2, seed=7), ["Ann", "Bo", "Cy", "Di"]))
>>> print(log.read_new(), end="")
新的回合開始了。
輪到Bo了
0    1    2    3    4    5    6    7    8    9    10   11   12
C[3] S[3] D[5] S[5] S[6] C[7] D[7] S[9] D[J] S[K] C[A] H[A] C[2]
>>> _ = log.transcript.act([0])
>>> print(log.read_new(), end="")
玩家 Bo 打出了 單張 C[3]
輪到Cy了
0    1    2    3    4    5    6    7     8    9    10   11   12
D[3] H[3] C[4] H[4] H[5] H[8] S[8] H[10] C[J] D[Q] D[A] S[A] D[2]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, assert_never

from big2_env.climbing.events import (
    Dealt,
    Ended,
    LandlordFound,
    Passed,
    Played,
    Redealt,
    Refilled,
    Said,
    SeatOut,
    StakeMultiplied,
    TrickOpened,
    TrickWon,
    TurnStarted,
)
from big2_env.climbing.hands import reading_mark
from big2_env.climbing.ruleset import RuleSet
from big2_env.notation.transcript import Happening, RefusedMove, Transcript

COMMA: Final = ","
FULL_WIDTH_COMMA: Final = "，"

TRICK: Final = "新的回合開始了。"
TURN: Final = "輪到{name}了"
PLAYED: Final = "玩家 {name} 打出了 {play}"
PASSED: Final = "玩家 {name} PASS."
BAD_PLAY: Final = "此牌型不合法{comma}請再嘗試一次。"
BAD_PASS: Final = "你不能在新的回合中喊 PASS"
SAID: Final = "玩家 {name} {said}"
REDEALT: Final = "無人叫地主，重新發牌。"
LANDLORD: Final = "玩家 {name} 是地主，底牌 {bottom}"
ENDED: Final = "遊戲結束{comma}遊戲的勝利者為 {name}"

NOTE: Final = "註：這種遊戲的日誌不能讀回，能讀回的是紀錄 (JSONL)。"
"""First line of a log that cannot be read back; see `is_readable`."""

NOT_LOGGED: Final = (Dealt, StakeMultiplied, Refilled, SeatOut, TrickWon)
"""Events without a line in the text format."""


def is_readable(ruleset: RuleSet) -> bool:
    """Return True if `log_reader` can rebuild a game from its log.

    A log does not distinguish copies of a card in two decks, and does not show cards drawn from a pile or given to a landlord.
    """
    return ruleset.deck.copies == 1 and not ruleset.draw_pile and ruleset.auction is None


def hand_lines(ruleset: RuleSet, hand: int) -> str:
    """Return the two lines of a hand: indices, each in the column where its card starts, and cards in ascending order."""
    cards = [str(card) for card in ruleset.order.sort(hand)]
    indices = " ".join(str(i).ljust(len(card)) for i, card in enumerate(cards)).rstrip()
    return f"{indices}\n{' '.join(cards)}"


def event_text(event: Happening, ruleset: RuleSet, names: Sequence[str], *, full_width: bool = False) -> str:
    """Return the lines of an event, each with its newline; an empty text for events in `NOT_LOGGED`.

    Args:
        event: The event.
        ruleset: Rules of the game, which order the cards and name the patterns.
        names: Name of each seat.
        full_width: True to use the full-width comma in the two messages that contain a comma.
    """
    comma = FULL_WIDTH_COMMA if full_width else COMMA
    match event:
        case Dealt() | StakeMultiplied() | Refilled() | SeatOut() | TrickWon():
            return ""
        case TrickOpened():
            text = TRICK
        case TurnStarted():
            text = f"{TURN.format(name=names[event.seat])}\n{hand_lines(ruleset, event.hand)}"
        case RefusedMove():
            text = f"{BAD_PASS if event.is_pass else BAD_PLAY.format(comma=comma)}\n{hand_lines(ruleset, event.hand)}"
        case Played():
            label = ruleset.zh_of(event.play.pattern) + reading_mark(ruleset, event.play)
            play = f"{label} {ruleset.text(event.play.mask)}"
            text = PLAYED.format(name=names[event.seat], play=play)
        case Passed():
            text = PASSED.format(name=names[event.seat])
        case Said():
            text = SAID.format(name=names[event.seat], said=event.zh)
        case Redealt():
            text = REDEALT
        case LandlordFound():
            text = LANDLORD.format(name=names[event.seat], bottom=ruleset.text(event.bottom)).rstrip()
        case Ended():
            text = ENDED.format(comma=comma, name=names[event.outcome.winner])
        case _:
            assert_never(event)
    return text + "\n"


class LogWriter:
    """Incremental writer of a log: `read_new` returns the text added since the last call.

    Nothing is computed until the log is read, so keeping a writer is cheap. A log that cannot be read back begins with a line
    that says so and recommends the record.

    Args:
        transcript: The game to log, which may continue.
        full_width: True to use the full-width comma in the two messages that contain a comma.
    """

    def __init__(self, transcript: Transcript, *, full_width: bool = False) -> None:
        self.transcript = transcript
        self.full_width = full_width
        self._given = 0

    def read_new(self) -> str:
        """Return the text of the events since the last call."""
        events = self.transcript.events
        fresh, self._given = events[self._given :], len(events)
        ruleset, names = self.transcript.game.ruleset, self.transcript.names
        note = f"{NOTE}\n" if fresh and len(fresh) == len(events) and not is_readable(ruleset) else ""
        return note + "".join(event_text(event, ruleset, names, full_width=self.full_width) for event in fresh)


def dumps(transcript: Transcript, *, full_width: bool = False) -> str:
    """Return the whole log so far.

    Args:
        transcript: The game to log.
        full_width: True to use the full-width comma in the two messages that contain a comma.
    """
    return LogWriter(transcript, full_width=full_width).read_new()
