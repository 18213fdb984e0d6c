"""Routes of tables of several people, under `/api/shared`, and of the stream of their changes."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from functools import partial
from io import BytesIO
from typing import Any, Final, NamedTuple

import anyio
import anyio.to_thread
import segno
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from big2_env.base.language import Language, words
from big2_env.tables.browser import messages, shared_answers, shared_moves
from big2_env.tables.browser.guard import VISITOR_COOKIE, address_of, owner_of, visitor_of
from big2_env.tables.browser.messages import Field, Refused
from big2_env.tables.browser.requests import body_of, set_cookie
from big2_env.tables.browser.shared_lobby import SharedLobby
from big2_env.tables.browser.shared_table import SharedTable
from big2_env.tables.browser.streams import Stream


class Change(NamedTuple):
    """One kind of request to a table."""

    fields: Mapping[str, Field]
    """Keys of the message."""
    do: Callable[[SharedTable, str, Mapping[str, Any], Language], object]
    """Function of the table, the person, the message and the language that makes the change."""
    is_hosts: bool = False
    """True if only the host may make it."""


QUESTIONS: Final[Mapping[str, Change]] = {
    "look": Change(messages.CARDS, lambda table, who, asked, lang: shared_answers.looked(table, who, asked["cards"], lang)),
    "plays": Change(messages.VERSION, lambda table, who, asked, lang: shared_answers.plays(table, who, lang)),
}
"""Requests that change nothing: their functions return the answer."""


class SharedRoutes:
    """The routes.

    Args:
        lobby: The tables.
        language: Returns the language of a request.
        thinkers: Returns the limiter of the threads in which deals are judged.
    """

    def __init__(
        self, lobby: SharedLobby, language: Callable[[Request], Language], thinkers: Callable[[], anyio.CapacityLimiter]
    ) -> None:
        self._thinkers = thinkers
        self._lobby = lobby
        self._language = language
        here = lobby.is_here
        self._changes: Final[Mapping[str, Change]] = {
            "play": Change(
                messages.PLAY,
                lambda table, who, asked, lang: shared_moves.play(table, who, asked["cards"], asked["reading"], lang),
            ),
            "say": Change(messages.SAY, lambda table, who, asked, lang: shared_moves.say(table, who, asked["word"], lang)),
            "move": Change(messages.MOVE, lambda table, who, asked, lang: shared_moves.move(table, who, asked["moves"], lang)),
            "undo": Change(messages.VERSION, lambda table, who, asked, lang: table.ask_undo(who, here, lobby.now(), lang)),
            "consent": Change(messages.CONSENT, lambda table, who, asked, lang: table.consent(who, asked["yes"] == 1, lang)),
            "watch": Change(messages.LOOK_FROM, lambda table, who, asked, lang: table.watch(who, asked["seat"], lang)),
            "show": Change(
                messages.SHOW, lambda table, who, asked, lang: table.show(who, asked["number"], asked["yes"] == 1, lang)
            ),
            "back": Change(messages.VERSION, lambda table, who, asked, lang: table.back(who)),
            "rename": Change(messages.NAME, lambda table, who, asked, lang: table.rename(who, asked["name"], lang)),
            "leave": Change({}, lambda table, who, asked, lang: table.leave(who, here)),
            "start": Change(messages.VERSION, lambda table, who, asked, lang: table.start(lang), is_hosts=True),
            "deal": Change(messages.VERSION, lambda table, who, asked, lang: table.next_deal(lang), is_hosts=True),
            "link": Change(messages.VERSION, lambda table, who, asked, lang: table.renew(), is_hosts=True),
            "seat": Change(
                messages.SEAT,
                lambda table, who, asked, lang: table.set_seat(asked["seat"], asked["kind"], asked["agent"], lang, here),
                is_hosts=True,
            ),
        }

    def routes(self) -> list[Route]:
        """Return the routes."""
        table = "/api/shared/{table}"
        return [
            Route("/api/stream", self._stream),
            Route("/api/shared", self._listed, methods=["GET"]),
            Route("/api/shared", self._create, methods=["POST"]),
            Route(table, self._state),
            Route(f"{table}/record", self._record),
            Route(f"{table}/invited", self._invited, methods=["POST"]),
            Route(f"{table}/join", self._join, methods=["POST"]),
            Route(f"{table}/qr", self._qr, methods=["POST"]),
            Route(f"{table}/review", self._review, methods=["POST"]),
            *(Route(f"{table}/{name}", partial(self._ask, name), methods=["POST"]) for name in QUESTIONS),
            *(Route(f"{table}/{name}", partial(self._change, act), methods=["POST"]) for name, act in self._changes.items()),
        ]

    # Coming and going ------------------------------------------------------------------------------------------------

    async def _create(self, request: Request) -> Response:
        lang, asked = self._language(request), await body_of(request, messages.CREATE_SHARED)
        secret = visitor_of(request) or secrets.token_urlsafe(32)
        owner = owner_of(secret)
        self._lobby.made.count(address_of(request), lang)
        table = await self._lobby.create(owner, asked, lang)
        return _with_visitor(request, secret, _json(await self._lobby.text(table, owner, lang), 201))

    async def _join(self, request: Request) -> Response:
        owner, lang, asked = _owner(request), self._language(request), await body_of(request, messages.JOIN)
        if owner is None:  # an answer that is lost would leave a seat that the visitor does not know
            raise Refused(403, "no_cookie", words(lang)("web.error_no_cookie"))
        return _json(await self._lobby.join(owner, request.path_params["table"], asked["invite"], asked["name"], lang))

    async def _invited(self, request: Request) -> Response:
        """Answer what an invited visitor sees. A new visitor gets a secret, by which a seat is found again."""
        lang, asked = self._language(request), await body_of(request, messages.INVITE)
        secret = visitor_of(request) or secrets.token_urlsafe(32)
        async with self._lobby.table(request.path_params["table"], lang) as table:
            seen = shared_answers.preview(table, owner_of(secret), asked["invite"], lang)
        return _with_visitor(request, secret, JSONResponse(seen))

    async def _listed(self, request: Request) -> Response:
        return JSONResponse({"tables": await self._lobby.listed(_owner(request), self._language(request))})

    async def _stream(self, request: Request) -> Response:
        owner, lang = _owner(request), self._language(request)
        stream = None if owner is None else await self._lobby.open(owner, address_of(request), lang)
        if stream is None:  # 204 tells a browser not to try again
            return Response(status_code=204)
        return EventStream(self._lobby, stream)

    # A table -------------------------------------------------------------------------------------------------------------

    async def _state(self, request: Request) -> Response:
        owner, lang = _owner(request), self._language(request)
        async with self._lobby.at(owner, request.path_params["table"], lang) as table:
            return _json(await self._lobby.text(table, owner or "", lang))

    async def _change(self, act: Change, request: Request) -> Response:
        owner, lang, asked = _owner(request), self._language(request), await body_of(request, act.fields)

        def do(table: SharedTable) -> object:
            assert owner is not None
            if act.is_hosts:
                table.expect_host(owner, lang)
            return act.do(table, owner, asked, lang)

        return _json(await self._lobby.change(owner, request.path_params["table"], asked.get("version"), do, lang))

    async def _ask(self, name: str, request: Request) -> Response:
        """Answer a question that changes nothing."""
        question = QUESTIONS[name]
        owner, lang, asked = _owner(request), self._language(request), await body_of(request, question.fields)
        async with self._lobby.at(owner, request.path_params["table"], lang) as table:
            answer = partial(question.do, table, owner or "", asked, lang)
            return JSONResponse(await anyio.to_thread.run_sync(answer))

    async def _review(self, request: Request) -> Response:
        owner, lang, asked = _owner(request), self._language(request), await body_of(request, messages.REVIEW)
        async with self._lobby.at(owner, request.path_params["table"], lang) as found:
            async with self._lobby.settled(found, lang) as table:
                look = shared_answers.review(table, owner or "", asked, lang)
            return JSONResponse(await anyio.to_thread.run_sync(look, limiter=self._thinkers()))

    async def _record(self, request: Request) -> Response:
        owner, lang = _owner(request), self._language(request)
        async with (
            self._lobby.at(owner, request.path_params["table"], lang) as found,
            self._lobby.settled(found, lang) as table,
        ):
            table.expect_over(lang)
            line = await anyio.to_thread.run_sync(table.record)
        headers = {"content-disposition": f'attachment; filename="big2-{table.key}.jsonl"'}
        return Response(line + "\n", media_type="application/jsonl", headers=headers)

    async def _qr(self, request: Request) -> Response:
        await body_of(request, {})
        async with self._lobby.at(_owner(request), request.path_params["table"], self._language(request)) as table:
            # The guard lets only this host through as an origin; behind a proxy with TLS its scheme is not that of the request.
            origin = request.headers.get("origin") or f"{request.url.scheme}://{request.headers['host']}"
            link = f"{origin}/#/join/{table.key}/{table.invite}"
        drawn = BytesIO()
        segno.make(link, error="m", micro=False).save(drawn, kind="svg", border=2, xmldecl=False, svgclass="qr", lineclass=None)
        return JSONResponse({"svg": drawn.getvalue().decode()})


class EventStream(StreamingResponse):
    """The answer that stays open."""

    def __init__(self, lobby: SharedLobby, stream: Stream) -> None:
        super().__init__(
            stream.events(lobby.event),
            media_type="text/event-stream",
            headers={"connection": "close", "x-accel-buffering": "no"},
        )
        self._lobby, self._stream = lobby, stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the client or the server ends the stream."""
        if (set_aside := scope.get("extensions", {}).get("big2_env.set_aside")) is not None:
            set_aside()
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._lobby.close(self._stream)


def _owner(request: Request) -> str | None:
    secret = visitor_of(request)
    return None if secret is None else owner_of(secret)


def _json(text: str, status: int = 200) -> Response:
    return Response(text, status, media_type="application/json")


def _with_visitor(request: Request, secret: str, answer: Response) -> Response:
    set_cookie(request, answer, VISITOR_COOKIE, secret)
    return answer
