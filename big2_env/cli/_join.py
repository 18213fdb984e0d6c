"""`big2 play --join`: a seat at a shared table, at a prompt. States come from the server while the person types."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from threading import Event, Lock, Thread
from typing import Any, Final, TextIO

from rich.console import Console
from rich.text import Text

from big2_env.cli._prompt import card_readings
from big2_env.cli._qr_code import print_qr
from big2_env.cli._shared_client import RefusalError, SharedClient, read_link
from big2_env.cli._terminal import CARDS_TOO, COMMANDS, MAX_LINE, end_lines, hand_lines, shows_signs, table_lines
from big2_env.climbing.legal import LegalPlays
from big2_env.climbing.rulesets import named
from big2_env.errors import ConfigError, IllegalPlayError, NotationError, quoted
from big2_env.language import Language, Words, words
from big2_env.notation import typed
from big2_env.scene import CardFace, Scene, scene_of
from big2_env.show.terminal import FOUR_COLOURS, STYLES, coloured
from big2_env.web.messages import Refused, cards_in
from big2_env.web.shared_places import MAX_NAME, checked_name

PATIENCE: Final = 300.0
"""Seconds without the server after which the command ends."""
PASSES: Final = typed.PASSES - {"", "n", "no", "否"}
"""Words that pass; a no to a question that is over does not."""
CALLS: Final = typed.YES - {"y", "yes", "是"}
"""Words that call in an auction; a yes to a question that is over does not."""
PAUSE: Final = 1.0
"""Seconds between two attempts to reach the server."""
PASSING: Final = ("stale", "busy", "full", "not_read", "not_saved")
"""Errors of the server that say nothing about the line that a person typed."""


def join(
    link: str,
    name: str | None,
    tongue: Language,
    lines: TextIO,
    kept: Path,
    *,
    by_index: bool,
    letters: bool,
    four_colours: bool,
) -> None:
    """Join a shared table by an invitation, and play until the person leaves; one deal from a pipe.

    Args:
        link: Invitation link.
        name: Name of the person; asked for at a terminal if `None`.
        tongue: Language of everything that is printed.
        lines: Stream of typed lines.
        kept: File of the cookies by which servers know this person again.
        by_index: True if numbers are indices of the hand, False if they are ranks.
        letters: True for `C[3]` even on a terminal that can show 3♣.
        four_colours: True for green clubs and blue diamonds.

    Raises:
        ConfigError: The link, the name or the game is not usable, or the server does not answer.
    """
    invitation = read_link(link)
    if name is not None:
        _check_name(name, tongue)
    client, tr = SharedClient(invitation, tongue, kept), words(tongue)
    try:
        found = client.ask("invited", {"invite": invitation.secret})
    except RefusalError as refusal:  # also if this person has used the invitation before
        state = _own_seat(client)
        if state is None:
            raise refusal from None
        SharedPrompt(client, tr, lines, by_index=by_index, letters=letters, four_colours=four_colours).run(state)
        return
    if named(str(found.get("game"))) is None:
        raise ConfigError(f"--join: expected a climbing game, got {found.get('title')}; open the link in a browser instead")
    others = ", ".join(str(one) for one in found.get("names", ()) if one)
    print(tr("join.invited", title=found.get("title"), names=others))
    state = client.ask("join", {"invite": invitation.secret, "name": name or _asked_name(lines, tr)})
    SharedPrompt(client, tr, lines, by_index=by_index, letters=letters, four_colours=four_colours).run(state)


def _own_seat(client: SharedClient) -> dict[str, Any] | None:
    """Return the state of the table if the person is at it already."""
    try:
        return client.ask("")
    except RefusalError:
        return None


def _check_name(name: str, tongue: Language) -> str:
    """Return a name without the blanks around it.

    Raises:
        ConfigError: The server would refuse it.
    """
    try:
        return checked_name(name, tongue)
    except Refused:
        raise ConfigError(f"--name: expected 1 to {MAX_NAME} printable characters, got {quoted(name)}") from None


def _asked_name(lines: TextIO, tr: Words) -> str:
    """Return the name that a person types.

    Raises:
        ConfigError: No person is at a terminal, or the name is not valid.
    """
    if not lines.isatty():
        raise ConfigError("--join: expected --name NAME too if the input is not a terminal")
    print(tr("join.name"), end=" ", flush=True)
    return _check_name(lines.readline(MAX_LINE), tr.language)


@dataclass(frozen=True)
class _Unsent:
    """A line of a pipe that the server has not accepted, for a reason that does not concern the line.

    Args:
        line: The line.
        since: Time of the first attempt.
    """

    line: str
    since: float


class SharedPrompt:
    """A person at a shared table who types lines, or a program at the end of a pipe.

    Args:
        client: The person's requests to the server.
        tr: Texts of the language.
        lines: Stream of typed lines.
        by_index: True if numbers are indices of the hand, False if they are ranks.
        letters: True for `C[3]` even on a terminal that can show 3♣.
        four_colours: True for green clubs and blue diamonds.
    """

    def __init__(
        self, client: SharedClient, tr: Words, lines: TextIO, *, by_index: bool, letters: bool, four_colours: bool = False
    ) -> None:
        self._client = client
        self._tr = tr
        self._lines = lines
        self._by_index = by_index
        self._is_terminal = lines.isatty()
        self._console = Console(highlight=False, soft_wrap=not self._is_terminal)
        self._signs = not letters and shows_signs()
        self._styles = FOUR_COLOURS if four_colours else STYLES
        self._state: dict[str, Any] = {}
        self._events: tuple[str, ...] = ()
        self._said = ""
        self._links: list[str] = []
        self._asked_for: tuple[int, str] | None = None
        self._reading: list[str] | None = None
        self._received: Queue[tuple[str, Any]] = Queue()
        self._newest: dict[str, Any] | None = None
        self._lock = Lock()
        self._typed: Queue[str | None] = Queue(maxsize=1)
        self._line: str | None = None
        self._sent = ""
        self._is_lost = False
        self._unsent: dict[str, _Unsent] = {}  # by subject
        self._has_played = False
        self._shown_deal: int | None = None
        self._has_ended = False
        self._is_left = Event()

    def run(self, state: dict[str, Any]) -> None:
        """Show the table and play, starting from its state.

        Raises:
            ConfigError: The server refuses the seat, or does not answer for `PATIENCE` seconds.
        """
        try:
            self._play_on(state)
        finally:
            self._is_left.set()

    def _play_on(self, state: dict[str, Any]) -> None:
        """Handle states and lines until the person leaves.

        Raises:
            ConfigError: See `run`.
        """
        self._print(self._help())
        for work in (self._follow, self._read_lines):
            Thread(target=work, daemon=True).start()
        self._take(state)
        while not self._is_done():
            self._fetch()
            wanted = self._wanted
            unsent = self._unsent.get(wanted)
            if self._has_ended and unsent is None:
                return
            line = self._line if unsent is None else unsent.line
            if line is not None and self._is_wanted:
                if unsent is None:
                    self._line = None
                self._sent, self._is_lost = line, False
                if not self._answer(line):
                    return
                if not self._is_lost:
                    self._unsent.pop(wanted, None)
                if self._wanted not in self._unsent:
                    continue
            try:
                kind, found = self._received.get(timeout=PAUSE if self._wanted in self._unsent else 0.05)
            except Empty:
                continue
            if kind == "state":
                self._take_newest()
            elif kind == "failed":
                raise found
            else:
                self._print(found)

    def _is_done(self) -> bool:
        """Return whether a pipe has seen the end of a deal that it saw being played."""
        return not self._is_terminal and self._has_played and self._state["shared"]["phase"] == "over"

    # Two threads: states of the server, and typed lines -----------------------------------------------------------------

    def _follow(self) -> None:
        """Put the server's states into the queue, and reconnect after a loss."""
        lost: float | None = None
        while not self._is_left.is_set():
            try:
                for state in self._client.states():
                    if lost is not None:
                        self._received.put(("text", self._tr("join.back")))
                        lost = None
                    if state is None:
                        self._received.put(("failed", ConfigError(self._tr("join.removed"))))
                        return
                    self._keep_newest(state)
                problem: ConfigError = ConfigError(f"{self._client.invitation.server} has ended the connection")
            except ConfigError as error:
                problem = error
            if lost is None:
                lost = time.monotonic()
                self._received.put(("text", self._tr("join.lost")))
            if time.monotonic() - lost > PATIENCE:
                self._received.put(("failed", problem))
                return
            self._is_left.wait(PAUSE)

    def _keep_newest(self, state: dict[str, Any]) -> None:
        """Keep a state until it is shown, instead of an older one."""
        with self._lock:
            is_known = self._newest is not None
            self._newest = state
        if not is_known:
            self._received.put(("state", None))

    def _take_newest(self) -> None:
        """Show the newest state of the server."""
        with self._lock:
            state, self._newest = self._newest, None
        if state is not None:
            self._take(state)

    def _read_lines(self) -> None:
        """Put typed lines into the queue, `None` at the end. It reads below the buffer, which is locked during a read."""
        source = getattr(self._lines, "buffer", None)
        source = getattr(source, "raw", source)
        rest = b""
        while source is not None and (found := source.read(1 << 12)):
            *lines, rest = (rest + found).split(b"\n")
            for line in lines:
                self._typed.put(line.decode("utf-8", "replace")[:MAX_LINE])
            rest = rest[-4 * MAX_LINE :]
        if rest:
            self._typed.put(rest.decode("utf-8", "replace")[:MAX_LINE])
        self._typed.put(None)

    def _fetch(self) -> None:
        """Take the next typed line, if there is one and the last one has been used."""
        if self._line is None and not self._has_ended:
            try:
                self._line = self._typed.get_nowait()
            except Empty:
                return
            self._has_ended = self._line is None

    # What is shown ------------------------------------------------------------------------------------------------------

    @property
    def _wanted(self) -> str:
        """Subject of the next line: `turn`, the undo of a seat, or nothing."""
        return "" if self._asked_for is None else self._asked_for[1]

    @property
    def _is_wanted(self) -> bool:
        """True if a line is wanted: always at a terminal, from a pipe only if the person has to decide."""
        return self._is_terminal or self._asked_for is not None

    def _take(self, state: dict[str, Any]) -> None:
        """Show a state that is not older than the last one."""
        try:
            if state["version"] < self._state.get("version", 0):
                return
            self._state = state
            self._has_played = self._has_played or state["shared"]["phase"] == "playing"
            if state["shared"]["phase"] == "open":
                self._show_room(state["shared"])
            else:
                self._show_table(scene_of(state["scene"]))
        except (KeyError, TypeError, IndexError, NotationError):
            server = self._client.invitation.server
            raise ConfigError(f"{server}: expected the state of a shared table, got something else") from None

    def _show_room(self, shared: dict[str, Any]) -> None:
        """Print who is there before the cards are dealt."""
        names = [seat["name"] or self._tr("join.free") for seat in shared["seats"]]
        self._say_once(self._tr("join.room", names=", ".join(names)))
        links = [self._client.invitation.link_to(seat["invite"]) for seat in shared["seats"] if seat["invite"] is not None]
        for link in (one for one in links if one not in self._links):  # of the host
            self._print(f"{self._tr('join.free')}: {link}")
            print_qr(self._console, link)
        self._links = links

    def _show_table(self, scene: Scene) -> None:
        """Print what has happened, and ask the person if it is their turn."""
        self._show_events(scene)
        shared = self._state["shared"]
        you, undo = shared["you"], shared["undo"]
        wanted = None
        if scene.is_over:
            if self._said != (over := f"over {self._state['deal']}"):
                self._print(self._tr("prompt.over", status=scene.status))
                for line in end_lines(scene, self._signs, self._styles):
                    self._write(line)
                if self._is_terminal:
                    self._print(self._tr("join.after" if you == shared["host"] else "join.after_guest"))
            self._said = over
        elif undo and you in undo["waiting"]:
            wanted = f"undo of {undo['by']}"
            self._say_once(self._undo_question())
        elif self._state["asked"]:
            wanted = "turn"
            if self._asked_for != (self._state["version"], wanted) and wanted not in self._unsent:
                self._show_turn(scene)
            self._said = ""
        else:
            self._said = ""
            if self._shown_deal != self._state["deal"]:
                self._show_hand(scene)
        self._asked_for = None if wanted is None else (self._state["version"], wanted)
        self._unsent = {key: line for key, line in self._unsent.items() if key in ("turn", wanted)}

    def _undo_question(self) -> str:
        shared = self._state["shared"]
        return self._tr("join.asks_undo", name=shared["seats"][shared["undo"]["by"]]["name"])

    def _show_events(self, scene: Scene) -> None:
        common = 0
        for new, old in zip(scene.events, self._events, strict=False):
            if new != old:
                break
            common += 1
        for line in scene.events[common:]:
            self._print(line)
        if scene.events != self._events:  # perhaps by a line whose answer was lost
            self._unsent = {}
        if len(scene.events) != len(self._events):  # not if a person has another name
            self._reading = None
        self._events = scene.events

    def _show_turn(self, scene: Scene) -> None:
        for shown in table_lines(scene, self._tr, self._signs, self._styles):
            self._write(shown)
        if self._state["bidding"]:
            names = [f"{call['word']} ({call['words']})" for call in self._state["calls"]]
            self._print(self._tr("prompt.calls", words=" / ".join([*names, "pass"])))
        self._show_hand(scene)
        left = self._state["shared"]["clock"]["left"]
        if left is not None:
            self._print(self._tr("join.seconds", count=left // 1000))

    def _show_hand(self, scene: Scene) -> None:
        self._shown_deal, hand = self._state["deal"], self._hand(scene)
        for shown in hand_lines(hand, self._console.width, self._signs, self._by_index, self._styles) if hand else ():
            self._write(shown)

    @staticmethod
    def _hand(scene: Scene) -> tuple[CardFace, ...]:
        return (scene.seats[scene.viewer].hand or ()) if scene.viewer is not None else ()

    def _say_once(self, text: str) -> None:
        if text != self._said:
            self._print(text)
        self._said = text

    def _print(self, text: str) -> None:
        self._write(coloured(text, signs=self._signs, styles=self._styles) if text else Text())

    def _write(self, line: Text) -> None:
        self._console.print(line)

    # What is typed ------------------------------------------------------------------------------------------------------

    def _answer(self, line: str) -> bool:
        """Do what a line says; return False if the person leaves the prompt."""
        word = line.strip().lower()
        wanted = self._wanted
        is_card = wanted == "turn" and not (self._by_index or self._state["bidding"]) and word in CARDS_TOO
        command = "" if is_card else COMMANDS.get(word, "")
        if command == "quit":
            return False
        phase = self._state["shared"]["phase"]
        if wanted not in ("", "turn"):
            if word in ("y", "n"):
                self._send("consent", yes=int(word == "y"))
            else:
                self._print(self._undo_question())
        elif command == "undo":
            if not self._state.get("can_undo"):
                self._print(self._tr("tui.nothing_to_undo"))
            elif self._send("undo"):
                self._print(self._tr("join.undo_asked"))
        elif command:  # also those that only other prompts have
            self._by_index = command == "indices" or (self._by_index and command != "points")
            self._print(self._help())
        elif phase == "over":
            if word in ("n", "next"):
                self._send("deal")
        elif wanted:
            self._move(line)
        elif word:
            self._print(self._tr("join.not_yet"))
        return True

    def _help(self) -> str:
        return self._tr("join.help" if self._by_index else "join.help_points")

    def _move(self, line: str) -> None:
        """Make the move that a line names; if it names none, print the reason."""
        word, state = line.strip(), self._state
        if not word:
            if self._is_terminal:
                self._print(self._help())
            return
        if self._reading is not None and word.isascii() and word.isdecimal() and len(word) < 3:
            if self._send("play", cards=self._reading, reading=max(0, int(word) - 1)) or not self._is_lost:
                self._reading = None
            return
        self._reading = None
        if state["bidding"]:
            self._call(word)
        elif word.lower() in PASSES:
            self._send("play", cards=[])
        else:
            self._play(word)

    def _call(self, word: str) -> None:
        offered = [str(call["word"]) for call in self._state["calls"]]
        named_call = f"bid_{word}" if word.isascii() and word.isdecimal() else word
        if word.lower() in PASSES:
            self._send("play", cards=[])
        elif named_call in offered or (word.lower() in CALLS and offered):
            self._send("say", word=named_call if named_call in offered else offered[0])
        else:
            self._print(self._tr("prompt.calls", words=" / ".join([*offered, "pass"])))

    def _play(self, line: str) -> None:
        scene = scene_of(self._state["scene"])
        rules = named(scene.game)
        if rules is None:
            raise ConfigError(f"--join: the game {quoted(scene.game)} is not installed here; open the link in a browser")
        try:
            hand = cards_in(0, [face.text for face in self._hand(scene)])
        except Refused as error:
            raise ConfigError(f"{self._client.invitation.server}: {error}") from None
        try:
            found = card_readings(line.split(), None, LegalPlays(rules, hand, None), self._by_index)
        except NotationError:
            self._print(self._tr("prompt.no_index", last=hand.bit_count() - 1, given=quoted(line, 20)))
            return
        except IllegalPlayError:
            self._print(self._tr("prompt.not_held", given=quoted(line, 20)))
            return
        if not found[0].mask:
            self._print(self._tr("prompt.no_card", given=quoted(line, 20), help=self._help()))
            return
        fitting, problem = [], ""
        for one in found:
            look = self._ask("look", {"cards": [str(card) for card in rules.order.sort(one.mask)]})
            if look is None:
                return
            if look.get("legal"):
                fitting.append((one, look))
            problem = problem or str(look.get("words", ""))
        if not fitting:
            self._print(problem)
            return
        if len(fitting) > 1:
            self._print(
                "\n".join([self._tr("prompt.which_cards", count=len(fitting)), *(f"  {one.text}" for one, _ in fitting)])
            )
            return
        [(one, look)] = fitting
        cards = [str(card) for card in rules.order.sort(one.mask)]
        if readings := look.get("readings"):
            self._reading = cards
            named_readings = (f"  {number}  {each['words']}" for number, each in enumerate(readings, start=1))
            self._print("\n".join([self._tr("join.which", count=len(readings)), *named_readings]))
            return
        self._send("play", cards=cards)

    def _send(self, act: str, **body: Any) -> bool:
        """Ask for a change, and show what has become of the table; return whether the change was made."""
        found = self._ask(act, {"version": self._state["version"], **body})
        if found is not None:
            self._take(found)
        return found is not None

    def _ask(self, act: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """Return the server's answer, `None` if it refuses or is not reachable now, which is printed."""
        try:
            return self._client.ask(act, body)
        except RefusalError as refusal:
            if refusal.error in PASSING:
                self._keep(refusal, str(refusal))
            else:
                self._print(str(refusal))
            if refusal.state is not None:
                self._asked_for = None
                self._take(refusal.state)
        except ConfigError as error:
            self._keep(error, self._tr("join.lost"))
        return None

    def _keep(self, problem: ConfigError, text: str) -> None:
        """Print once why the server has not accepted the last line. A line of a pipe is kept, to be sent again.

        Raises:
            ConfigError: The problem, if it has lasted for `PATIENCE` seconds.
        """
        self._is_lost, now = True, time.monotonic()
        unsent = self._unsent.get(self._wanted)
        if unsent is None:
            self._print(text)
            if not self._is_terminal:
                self._unsent[self._wanted] = _Unsent(self._sent, now)
        elif now - unsent.since > PATIENCE:
            raise problem
