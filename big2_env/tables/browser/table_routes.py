"""Routes of tables, under `/api/tables` and, for several people, `/api/shared`, and of the stream of their changes."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from functools import partial
from io import BytesIO

import anyio.to_thread
import segno
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from big2_env.base.language import Language, words
from big2_env.tables.browser import messages, shared_answers, table_handlers
from big2_env.tables.browser.guard import VISITOR_COOKIE, address_of, owner_in, owner_of, visitor_of
from big2_env.tables.browser.lobby import Lobby
from big2_env.tables.browser.messages import Refused
from big2_env.tables.browser.requests import body_of, set_cookie
from big2_env.tables.browser.streams import Stream
from big2_env.tables.browser.table import Table
from big2_env.tables.browser.table_handlers import CHANGES, OWN, QUESTIONS, SHARED, Act


class TableRoutes:
    """The routes.

    Args:
        lobby: The tables.
        language: Returns the language of a request.
    """

    def __init__(self, lobby: Lobby, language: Callable[[Request], Language]) -> None:
        self._lobby = lobby
        self._language = language

    def routes(self) -> list[Route]:
        """Return the routes."""
        shared = "/api/shared/{table}"
        return [
            Route("/api/stream", self._stream),
            Route("/api/shared", self._listed, methods=["GET"]),
            Route("/api/shared", self._create, methods=["POST"]),
            Route(f"{shared}/invited", self._invited, methods=["POST"]),
            Route(f"{shared}/join", self._join, methods=["POST"]),
            Route(f"{shared}/qr", self._qr, methods=["POST"]),
            *self._to("/api/tables/{table}", OWN, is_shared=False),
            *self._to(shared, SHARED, is_shared=True),
        ]

    def _to(self, table: str, kinds: Iterable[type[Table]], *, is_shared: bool) -> Iterator[Route]:
        """Yield the routes to tables of some kinds."""
        yield Route(table, partial(self._state, is_shared))
        yield Route(f"{table}/record", partial(self._record, is_shared))
        for acts, answer in ((QUESTIONS, self._ask), (CHANGES, self._change)):
            for name, act in acts.items():
                if any(issubclass(kind, act.kinds) for kind in kinds):
                    yield Route(f"{table}/{name}", partial(answer, is_shared, act), methods=["POST"])

    # Coming and going ------------------------------------------------------------------------------------------------

    async def _create(self, request: Request) -> Response:
        lang, asked = self._language(request), await body_of(request, messages.CREATE_SHARED)
        secret = visitor_of(request) or secrets.token_urlsafe(32)
        owner = owner_of(secret)
        self._lobby.made.count(address_of(request), lang)
        table = await self._lobby.create(owner, asked, lang)
        return with_visitor(request, secret, json_answer(await self._lobby.text(table, owner, lang), 201))

    async def _join(self, request: Request) -> Response:
        owner, lang, asked = owner_in(request), self._language(request), await body_of(request, messages.JOIN)
        if owner is None:  # an answer that is lost would leave a seat that the visitor does not know
            raise Refused(403, "no_cookie", words(lang)("web.error_no_cookie"))
        return json_answer(await self._lobby.join(owner, request.path_params["table"], asked["invite"], asked["name"], lang))

    async def _invited(self, request: Request) -> Response:
        """Answer what an invited visitor sees. A new visitor gets a secret, by which a seat is found again."""
        lang, asked = self._language(request), await body_of(request, messages.INVITE)
        secret = visitor_of(request) or secrets.token_urlsafe(32)
        async with self._lobby.table(request.path_params["table"], lang) as table:
            seen = shared_answers.preview(table, owner_of(secret), asked["invite"], lang)
        return with_visitor(request, secret, JSONResponse(seen))

    async def _listed(self, request: Request) -> Response:
        return JSONResponse({"tables": await self._lobby.listed(owner_in(request), self._language(request))})

    async def _stream(self, request: Request) -> Response:
        owner, lang = owner_in(request), self._language(request)
        stream = None if owner is None else await self._lobby.open(owner, address_of(request), lang)
        if stream is None:  # 204 tells a browser not to try again
            return Response(status_code=204)
        return EventStream(self._lobby, stream)

    # A table -------------------------------------------------------------------------------------------------------------

    async def _state(self, is_shared: bool, request: Request) -> Response:
        owner, lang = owner_in(request), self._language(request)
        async with self._lobby.at(owner, request.path_params["table"], lang, is_shared=is_shared) as table:
            return json_answer(await self._lobby.text(table, owner or "", lang))

    async def _change(self, is_shared: bool, act: Act, request: Request) -> Response:
        """Answer a request that changes a table with its new state, or refuse it if it was made for an older version."""
        owner, lang, asked = owner_in(request), self._language(request), await body_of(request, act.fields)
        key = request.path_params["table"]
        return json_answer(await self._lobby.change(owner, key, act, asked, lang, is_shared=is_shared))

    async def _ask(self, is_shared: bool, act: Act, request: Request) -> Response:
        """Answer a request that changes no game. Requests that make an agent think share the limit `Lobby.thinkers`."""
        owner, lang, asked = owner_in(request), self._language(request), await body_of(request, act.fields)
        limiter = self._lobby.thinkers if act.thinks else None
        async with self._lobby.at(owner, request.path_params["table"], lang, is_shared=is_shared) as found:
            async with self._lobby.settled(found, lang) if act.is_alone else nullcontext(found) as table:
                answer = await anyio.to_thread.run_sync(act.at, table, owner or "", asked, lang, limiter=limiter)
                if act.is_kept:
                    self._lobby.keep(table)
            return JSONResponse(await anyio.to_thread.run_sync(answer, limiter=limiter) if callable(answer) else answer)

    async def _record(self, is_shared: bool, request: Request) -> Response:
        owner, lang = owner_in(request), self._language(request)
        async with (
            self._lobby.at(owner, request.path_params["table"], lang, is_shared=is_shared) as found,
            self._lobby.settled(found, lang) as table,
        ):
            line = await anyio.to_thread.run_sync(table_handlers.record, table, lang)
        headers = {"content-disposition": f'attachment; filename="big2-{table.key}.jsonl"'}
        return Response(line + "\n", media_type="application/jsonl", headers=headers)

    async def _qr(self, request: Request) -> Response:
        await body_of(request, {})
        owner, lang = owner_in(request), self._language(request)
        async with self._lobby.at(owner, request.path_params["table"], lang, is_shared=True) as table:
            # The guard lets only this host through as an origin; behind a proxy with TLS its scheme is not that of the request.
            origin = request.headers.get("origin") or f"{request.url.scheme}://{request.headers['host']}"
            link = f"{origin}/#/join/{table.key}/{table.invite}"
        drawn = BytesIO()
        segno.make(link, error="m", micro=False).save(drawn, kind="svg", border=2, xmldecl=False, svgclass="qr", lineclass=None)
        return JSONResponse({"svg": drawn.getvalue().decode()})


class EventStream(StreamingResponse):
    """The answer that stays open."""

    def __init__(self, lobby: Lobby, stream: Stream) -> None:
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


def json_answer(text: str, status: int = 200) -> Response:
    """Return an answer with text in JSON."""
    return Response(text, status, media_type="application/json")


def with_visitor(request: Request, secret: str, answer: Response) -> Response:
    """Give a visitor a secret with an answer, and return the answer."""
    set_cookie(request, answer, VISITOR_COOKIE, secret)
    return answer
