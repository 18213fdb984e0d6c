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

from big2_env.cli._qr_code import print_qr
from big2_env.cli._shared_client import RefusalError, SharedClient, read_link
from big2_env.cli._shared_turns import ClimbingTurns, Turns, side_kind, turns_of
from big2_env.cli._terminal import COMMANDS, MAX_LINE, end_lines, shows_signs
from big2_env.climbing.rulesets import named
from big2_env.errors import ConfigError, NotationError, quoted
from big2_env.language import Language, Words, words
from big2_env.scene import Scene, scene_of
from big2_env.show.terminal import FOUR_COLOURS, STYLES, coloured
from big2_env.web.messages import Refused
from big2_env.web.shared_places import MAX_NAME, checked_name

PATIENCE: Final = 300.0
"""Seconds without the server after which the command ends."""
PAUSE: Final = 1.0
"""Seconds between two attempts to reach the server."""
PASSING: Final = ("stale", "busy", "full", "not_read", "not_saved")
"""Errors of the server that say nothing about the line that a person typed."""
MALFORMED: Final = (KeyError, TypeError, IndexError, NotationError)
"""Errors by which a state of a server shows that it lacks values."""
SIGHTS: Final = {
    **dict.fromkeys(("watch", "看"), "watch"),
    **dict.fromkeys(("show", "給看", "给看"), "show"),
    **dict.fromkeys(("hide", "不給看", "不给看"), "hide"),
}
"""Requests about hands that spectators see, by their first words; a name follows, or none to stop watching."""


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
    game = str(found.get("game"))
    if named(game) is None and side_kind(game) is None:
        raise ConfigError(f"--join: the game {found.get('title')} is not installed here; open the link in a browser")
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
        self.tr = tr
        """Texts of the language."""
        self._lines = lines
        self.by_index = by_index
        self.is_terminal = lines.isatty()
        self._console = Console(highlight=False, soft_wrap=not self.is_terminal)
        self.signs = not letters and shows_signs()
        self.styles = FOUR_COLOURS if four_colours else STYLES
        self.state: dict[str, Any] = {}
        self._events: tuple[str, ...] = ()
        self._said = ""
        self._links: list[str] = []
        self._asked_for: tuple[int, str] | None = None
        self._turns: Turns = ClimbingTurns(self)
        self._received: Queue[tuple[str, Any]] = Queue()
        self._newest: dict[str, Any] | None = None
        self._lock = Lock()
        self._typed: Queue[str | None] = Queue(maxsize=1)
        self._line: str | None = None
        self._sent = ""
        self.is_lost = False
        self._unsent: dict[str, _Unsent] = {}  # by subject
        self._has_played = False
        self._shown_hand: tuple[int, int | None] | None = None
        self._sights: list[str] = []
        self._has_ended = False
        self._is_left = Event()

    def run(self, state: dict[str, Any]) -> None:
        """Show the table and play, starting from its state.

        Raises:
            ConfigError: The server refuses the seat, or does not answer for `PATIENCE` seconds.
        """
        self._turns = turns_of(str(state.get("game")), self)
        try:
            self._play_on(state)
        finally:
            self._is_left.set()

    def _play_on(self, state: dict[str, Any]) -> None:
        """Handle states and lines until the person leaves.

        Raises:
            ConfigError: See `run`.
        """
        self.print(self._help())
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
                self._sent, self.is_lost = line, False
                try:
                    if not self._answer(line):
                        return
                except MALFORMED:
                    raise self._unexpected() from None
                if not self.is_lost:
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
                self.print(found)

    def _is_done(self) -> bool:
        """Return whether a pipe has seen the end of a deal that it saw being played."""
        return not self.is_terminal and self._has_played and self.state["shared"]["phase"] == "over"

    # Two threads: states of the server, and typed lines -----------------------------------------------------------------

    def _follow(self) -> None:
        """Put the server's states into the queue, and reconnect after a loss."""
        lost: float | None = None
        while not self._is_left.is_set():
            try:
                for state in self._client.states():
                    if lost is not None:
                        self._received.put(("text", self.tr("join.back")))
                        lost = None
                    if state is None:
                        self._received.put(("failed", ConfigError(self.tr("web_friends.removed"))))
                        return
                    self._keep_newest(state)
                problem: ConfigError = ConfigError(f"{self._client.invitation.server} has ended the connection")
            except ConfigError as error:
                problem = error
            if lost is None:
                lost = time.monotonic()
                self._received.put(("text", self.tr("join.lost")))
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
        return self.is_terminal or self._asked_for is not None

    def _take(self, state: dict[str, Any]) -> None:
        """Show a state that is not older than the last one."""
        try:
            if state["version"] < self.state.get("version", 0):
                return
            self.state = state
            self._has_played = self._has_played or state["shared"]["phase"] == "playing"
            self._show_sights(state["shared"])
            if state["shared"]["phase"] == "open":
                self._show_room(state["shared"])
            else:
                self._show_table(scene_of(state["scene"]))
        except MALFORMED:
            raise self._unexpected() from None

    def _unexpected(self) -> ConfigError:
        """Return the error for a state or an answer without the expected values."""
        server = self._client.invitation.server
        return ConfigError(f"{server}: expected the state of a shared table, got something else")

    def _show_room(self, shared: dict[str, Any]) -> None:
        """Print who is there before the cards are dealt."""
        names = [seat["name"] or self.tr("join.free") for seat in shared["seats"]]
        self._say_once(self.tr("join.room", names=", ".join(names)))
        links = [self._client.invitation.link_to(seat["invite"]) for seat in shared["seats"] if seat["invite"] is not None]
        for link in (one for one in links if one not in self._links):  # of the host
            self.print(f"{self.tr('join.free')}: {link}")
            print_qr(self._console, link)
        self._links = links

    def _show_table(self, scene: Scene) -> None:
        """Print what has happened, and ask the person if it is their turn."""
        self._show_events(scene)
        shared = self.state["shared"]
        you, undo = shared["you"], shared["undo"]
        wanted = None
        if scene.is_over:
            if self._said != (over := f"over {self.state['deal']}"):
                self.print(self.tr("prompt.over", status=scene.status))
                for line in end_lines(scene, self.signs, self.styles):
                    self.write(line)
                if self.is_terminal:
                    self.print(self.tr("join.after" if you == shared["host"] else "join.after_guest"))
            self._said = over
        elif undo and you in undo["waiting"]:
            wanted = f"undo of {undo['by']}"
            self._say_once(self._undo_question())
        elif self.state["asked"]:
            wanted = "turn"
            if self._asked_for != (self.state["version"], wanted) and wanted not in self._unsent:
                self._show_turn(scene)
            self._said = ""
        else:
            self._said = ""
            if self._shown_hand != (self.state["deal"], scene.viewer):
                self._show_hand(scene)
        self._asked_for = None if wanted is None else (self.state["version"], wanted)
        self._unsent = {key: line for key, line in self._unsent.items() if key in ("turn", wanted)}

    def _undo_question(self) -> str:
        shared = self.state["shared"]
        return self.tr("join.asks_undo", name=shared["seats"][shared["undo"]["by"]]["name"])

    def _show_events(self, scene: Scene) -> None:
        common = 0
        for new, old in zip(scene.events, self._events, strict=False):
            if new != old:
                break
            common += 1
        for line in scene.events[common:]:
            self.print(line)
        if scene.events != self._events:  # perhaps by a line whose answer was lost
            self._unsent = {}
        if len(scene.events) != len(self._events):  # not if a person has another name
            self._turns.forget()
        self._events = scene.events

    def _show_turn(self, scene: Scene) -> None:
        self._turns.show(scene)
        self._note_hand(scene)
        left = self.state["shared"]["clock"]["left"]
        if left is not None:
            self.print(self.tr("join.seconds", count=left // 1000))

    def _show_hand(self, scene: Scene) -> None:
        self._turns.show_hand(scene)
        self._note_hand(scene)

    def _note_hand(self, scene: Scene) -> None:
        self._shown_hand = self.state["deal"], scene.viewer

    def _show_sights(self, shared: dict[str, Any]) -> None:
        """Print which spectators see a hand, and which one asks for the person's, if that is new."""
        name_of = [str(seat["name"]) for seat in shared["seats"]]
        sights = [
            *(self.tr("web_friends.sees", name=one["name"], other=name_of[one["seat"]]) for one in shared["watching"]),
            *(self.tr("join.asks_sight", name=one["name"]) for one in shared["wishes"]),
            *(self.tr("join.may_watch", name=name_of[seat]) for seat in shared["sights"] if shared["sight"] is None),
        ]
        for line in (one for one in sights if one not in self._sights):
            self.print(line)
        self._sights = sights

    def _say_once(self, text: str) -> None:
        if text != self._said:
            self.print(text)
        self._said = text

    def print(self, text: str) -> None:
        self.write(coloured(text, signs=self.signs, styles=self.styles) if text else Text())

    def write(self, line: Text) -> None:
        self._console.print(line)

    @property
    def width(self) -> int:
        """Columns of the terminal."""
        return self._console.width

    # What is typed ------------------------------------------------------------------------------------------------------

    def _answer(self, line: str) -> bool:
        """Do what a line says; return False if the person leaves the prompt."""
        word = line.strip().lower()
        wanted = self._wanted
        is_card = wanted == "turn" and self._turns.reads_as_card(word)
        command = "" if is_card else COMMANDS.get(word, "")
        if command == "quit":
            return False
        phase = self.state["shared"]["phase"]
        if self._decides_sight(line.strip()):
            return True
        if wanted not in ("", "turn"):
            if word in ("y", "n"):
                self.send("consent", yes=int(word == "y"))
            else:
                self.print(self._undo_question())
        elif command == "undo":
            if not self.state.get("can_undo"):
                self.print(self.tr("tui.nothing_to_undo"))
            elif self.send("undo"):
                self.print(self.tr("join.undo_asked"))
        elif command:  # also those that only other prompts have
            self.by_index = command == "indices" or (self.by_index and command != "points")
            self.print(self._help())
        elif phase == "over":
            if word in ("n", "next"):
                self.send("deal")
        elif wanted:
            if word:
                self._turns.move(line)
            elif self.is_terminal:
                self.print(self._help())
        elif word:
            self.print(self.tr("join.not_yet"))
        return True

    def _help(self) -> str:
        """Return what can be typed, including the possible requests about hands."""
        shared = self.state.get("shared", {})
        lines = [self._turns.help()]
        if shared.get("sights") or shared.get("sight"):
            lines.append(self.tr("join.help_watch"))
        if any(one["number"] is not None for one in [*shared.get("wishes", ()), *shared.get("watching", ())]):
            lines.append(self.tr("join.help_show"))
        return "\n".join(lines)

    def _decides_sight(self, line: str) -> bool:
        """Ask for a hand, show the person's or hide it if a line says so; return whether it does."""
        word, _, name = line.partition(" ")
        act, name, shared = SIGHTS.get(word.lower()), name.strip(), self.state["shared"]
        if act is None or not (name or (act == "watch" and shared["sight"])):
            return False
        body: dict[str, Any]
        if not name:
            body = {"seat": None}
        elif act == "watch":
            found = [seat for seat in shared["sights"] if shared["seats"][seat]["name"] == name]
            body = {"seat": found[0]} if found else {}
        else:
            own = [one for one in [*shared["wishes"], *shared["watching"]] if one["number"] is not None and one["name"] == name]
            body = {"number": own[0]["number"], "yes": int(act == "show")} if own else {}
        if not body:
            self.print(self.tr("join.no_sight" if act == "watch" else "join.no_wish", name=quoted(name, 30)))
        elif (found_state := self.ask("watch" if act == "watch" else "show", body)) is not None:
            self._take(found_state)
        return True

    def send(self, act: str, **body: Any) -> bool:
        """Ask for a change, and show what has become of the table; return whether the change was made."""
        found = self.ask(act, {"version": self.state["version"], **body})
        if found is not None:
            self._take(found)
        return found is not None

    def ask(self, act: str, body: dict[str, Any]) -> dict[str, Any] | None:
        """Return the server's answer, `None` if it refuses or is not reachable now, which is printed."""
        try:
            return self._client.ask(act, body)
        except RefusalError as refusal:
            if refusal.error in PASSING:
                self._keep(refusal, str(refusal))
            else:
                self.print(str(refusal))
            if refusal.state is not None:
                self._asked_for = None
                self._take(refusal.state)
        except ConfigError as error:
            self._keep(error, self.tr("join.lost"))
        return None

    def _keep(self, problem: ConfigError, text: str) -> None:
        """Print once why the server has not accepted the last line. A line of a pipe is kept, to be sent again.

        Raises:
            ConfigError: The problem, if it has lasted for `PATIENCE` seconds.
        """
        self.is_lost, now = True, time.monotonic()
        unsent = self._unsent.get(self._wanted)
        if unsent is None:
            self.print(text)
            if not self.is_terminal:
                self._unsent[self._wanted] = _Unsent(self._sent, now)
        elif now - unsent.since > PATIENCE:
            raise problem
