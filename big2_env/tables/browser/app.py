"""Routes of the server: the page's files, and the API under `/api/`."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from functools import partial
from hashlib import sha256
from io import BytesIO
from typing import Any, Final

import anyio
import anyio.to_thread
import segno
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from big2_env.base.errors import NotationError
from big2_env.base.language import Language, words
from big2_env.base.language.choice import of_locale
from big2_env.base.outside import whole
from big2_env.tables.browser import (
    answers,
    course_handlers,
    deal_handlers,
    messages,
    puzzle_answers,
    shared_answers,
    table_handlers,
)
from big2_env.tables.browser.answers import index_page, page_files
from big2_env.tables.browser.guard import (
    TOKEN_COOKIE,
    VISITOR_COOKIE,
    Guard,
    address_of,
    badge_of,
    owner_in,
    owner_of,
    visitor_of,
)
from big2_env.tables.browser.lobby import Lobby
from big2_env.tables.browser.messages import MAX_BODY, Field, Refused, bad, not_read, same
from big2_env.tables.browser.new_tables import NEW, Maker, NewTables
from big2_env.tables.browser.start_page import rules_of, start_page
from big2_env.tables.browser.streams import Stream
from big2_env.tables.browser.table import Table
from big2_env.tables.browser.table_handlers import CHANGES, OWN, QUESTIONS, SHARED, Act
from big2_env.tables.session.table_session import DEFAULT_OPPONENT

KINDS: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
REVIEW_POLICY: Final = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'unsafe-inline'; frame-ancestors 'self'"
)
"""Policy of the frame that shows a finished game, whose page contains its own styles and script."""
TAGS: Final = {one.value: one for one in Language}
KEPT_SECONDS: Final = 365 * 86400
"""Lifetime of the cookies, in seconds."""


def application(
    lobby: Lobby,
    *,
    token: str | None = None,
    hosts: Iterable[str] = (),
    any_address: bool = False,
    lang: Language | None = None,
    default_opponent: str = DEFAULT_OPPONENT,
) -> Starlette:
    """Return the server as an ASGI application.

    Args:
        lobby: Tables of the server.
        token: Token that a browser must present first; `None` if none is needed.
        hosts: Host names of this server besides `localhost` and IP addresses.
        any_address: True to accept every IP address as this server's, False for loopback addresses only.
        lang: Language for visitors who choose none; taken from the browser by default.
        default_opponent: Agent that the start page selects.
    """
    return _App(lobby, token, lang, default_opponent).starlette(
        [Middleware(Guard, hosts=tuple(hosts), token=token, any_address=any_address)]
    )


class _App:
    def __init__(self, lobby: Lobby, token: str | None, lang: Language | None, default_opponent: str) -> None:
        self._lobby = lobby
        self._token = token
        self._lang = lang
        self._default_opponent = default_opponent
        self._files = page_files()
        self._edition = sha256(b"".join(content for _, content in sorted(self._files.items()))).hexdigest()[:16]

    def starlette(self, middleware: list[Middleware]) -> Starlette:
        """Return the application with its routes."""
        return Starlette(
            routes=[
                Route("/", self._index),
                Route("/page/{name}", self._file),
                Route("/page/{edition}/{name}", self._file),
                Route("/api/words", self._words),
                Route("/api/lobby", self._lobby_now),
                Route("/api/rules/{game}", self._rules),
                Route("/api/deals/{game}/{name}", self._deal),
                Route("/api/course", self._course_sample),
                Route("/api/course", self._course, methods=["POST"]),
                Route("/api/puzzles", self._puzzles),
                *(
                    Route(f"/api/puzzles/{{key}}/{act}", partial(self._puzzle, act), methods=["POST"])
                    for act in puzzle_answers.ACTS
                ),
                Route("/api/games", self._own_games),
                Route("/api/games/{name}/review", self._own_review, methods=["POST"]),
                Route("/api/token", self._show_token, methods=["POST"]),
                *(Route(f"/api/{path}", partial(self._create, *new), methods=["POST"]) for path, new in NEW.items()),
                *self._table_routes(),
            ],
            middleware=middleware,
            exception_handlers={Refused: _refusal, HTTPException: _http_error, OSError: self._not_read, Exception: _fault},
        )

    def _table_routes(self) -> Iterator[Route]:
        """Yield the routes of tables, under `/api/tables` and, for several people, `/api/shared`, and of their stream."""
        shared = "/api/shared/{table}"
        yield Route("/api/stream", self._stream)
        yield Route("/api/shared", self._listed, methods=["GET"])
        yield Route("/api/shared", partial(self._create, messages.CREATE_SHARED, NewTables.shared), methods=["POST"])
        yield Route(f"{shared}/invited", self._invited, methods=["POST"])
        yield Route(f"{shared}/join", self._join, methods=["POST"])
        yield Route(f"{shared}/qr", self._qr, methods=["POST"])
        yield from self._to("/api/tables/{table}", OWN, is_shared=False)
        yield from self._to(shared, SHARED, is_shared=True)

    def _to(self, table: str, kinds: Iterable[type[Table]], *, is_shared: bool) -> Iterator[Route]:
        """Yield the routes to tables of some kinds."""
        yield Route(table, partial(self._state, is_shared))
        yield Route(f"{table}/record", partial(self._record, is_shared))
        for acts, answer in ((QUESTIONS, self._ask), (CHANGES, self._change)):
            for name, act in acts.items():
                if any(issubclass(kind, act.kinds) for kind in kinds):
                    yield Route(f"{table}/{name}", partial(answer, is_shared, act), methods=["POST"])

    def _language(self, request: Request) -> Language:
        """Return the language of the request, else of the server, else of the browser."""
        tag = request.query_params.get("lang")
        if tag is not None:
            if tag not in TAGS:
                raise bad(f"lang: expected {', '.join(TAGS)}, got {tag[:40]!r}")
            return TAGS[tag]
        if self._lang is not None:
            return self._lang
        return of_locale(request.headers.get("accept-language", "").partition(",")[0].partition(";")[0][:40])

    async def _not_read(self, request: Request, error: Exception) -> Response:
        return await _refusal(request, not_read(error, self._language(request)))

    # The page ------------------------------------------------------------------------------------------------------------

    async def _index(self, request: Request) -> Response:
        page = index_page(self._language(request)).replace('"page/', f'"page/{self._edition}/')
        return Response(page, media_type=KINDS[".html"], headers={"cache-control": "no-cache"})

    async def _file(self, request: Request) -> Response:
        """Answer with a file, which browsers keep if its address names the edition of all files."""
        name = request.path_params["name"]
        kind = KINDS.get(name[name.rfind(".") :])
        if name not in self._files or kind is None or name == "index.html":
            raise HTTPException(404)
        is_kept = request.path_params.get("edition") == self._edition
        headers = {"cache-control": "max-age=31536000, immutable" if is_kept else "no-cache"}
        if name == "review.html":
            headers["content-security-policy"] = REVIEW_POLICY
        return Response(self._files[name], media_type=kind, headers=headers)

    async def _words(self, request: Request) -> Response:
        return JSONResponse(answers.page_words(self._language(request)))

    async def _rules(self, request: Request) -> Response:
        page = await anyio.to_thread.run_sync(rules_of, request.path_params["game"], self._language(request))
        if page is None:
            raise HTTPException(404)
        return JSONResponse(page)

    async def _course_sample(self, request: Request) -> Response:
        return JSONResponse(await anyio.to_thread.run_sync(course_handlers.sample))

    async def _course(self, request: Request) -> Response:
        asked = await body_of(request, course_handlers.COURSE, course_handlers.MAX_BODY)
        look, lang = course_handlers.course, self._language(request)
        return JSONResponse(await anyio.to_thread.run_sync(look, asked, lang, limiter=self._lobby.thinkers))

    async def _puzzles(self, request: Request) -> Response:
        return JSONResponse(await anyio.to_thread.run_sync(puzzle_answers.listed, self._language(request)))

    async def _puzzle(self, act: str, request: Request) -> Response:
        asked, lang = await body_of(request, messages.PUZZLE), self._language(request)
        key, limiter = request.path_params["key"], self._lobby.thinkers
        return JSONResponse(await anyio.to_thread.run_sync(puzzle_answers.answer, key, act, asked, lang, limiter=limiter))

    # Who asks ------------------------------------------------------------------------------------------------------------

    async def _show_token(self, request: Request) -> Response:
        asked = await body_of(request, messages.TOKEN)
        lang = self._language(request)
        if self._token is None or not same(asked["token"], self._token):
            raise Refused(403, "token", words(lang)("web.error_token"))
        answer = JSONResponse({})
        set_cookie(request, answer, TOKEN_COOKIE, badge_of(self._token))
        return answer

    async def _lobby_now(self, request: Request) -> Response:
        tables = await self._lobby.tables_of(owner_in(request))
        page = await anyio.to_thread.run_sync(start_page, self._language(request), tables, self._default_opponent)
        return JSONResponse(page | {"records": self._lobby.games is not None})

    async def _own_games(self, request: Request) -> Response:
        if self._lobby.games is None:
            raise HTTPException(404)
        return JSONResponse(await anyio.to_thread.run_sync(self._lobby.games.listed, self._language(request)))

    async def _own_review(self, request: Request) -> Response:
        if self._lobby.games is None:
            raise HTTPException(404)
        asked, lang = await body_of(request, messages.STEP), self._language(request)
        review, name = self._lobby.games.review, request.path_params["name"]
        return JSONResponse(await anyio.to_thread.run_sync(review, name, asked["step"], lang, limiter=self._lobby.thinkers))

    async def _deal(self, request: Request) -> Response:
        game, name = request.path_params["game"], request.path_params["name"]
        return JSONResponse(await anyio.to_thread.run_sync(deal_handlers.info, game, name, self._language(request)))

    async def _create(self, fields: Mapping[str, Field], make: Maker, request: Request) -> Response:
        """Answer with the state of a new table, and give the visitor a name."""
        asked, lang = await body_of(request, fields), self._language(request)
        secret = visitor_of(request) or secrets.token_urlsafe(32)
        self._lobby.made.count(address_of(request), lang)
        table = await self._lobby.add(partial(make, self._lobby.new, owner_of(secret), asked, lang), lang)
        return with_visitor(request, secret, json_answer(await self._lobby.text(table, owner_of(secret), lang), 201))

    # Coming and going ------------------------------------------------------------------------------------------------

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


async def body_of(request: Request, fields: Mapping[str, Field], most: int = MAX_BODY) -> dict[str, Any]:
    """Return the object in a request's body.

    Raises:
        Refused: The body is too large (413), incomplete, or does not match the fields (400).
    """
    body = b""
    try:
        async for chunk in request.stream():
            body = whole((body, chunk), most)
    except NotationError as error:
        raise Refused(413, "too_large", f"the body: {error}") from None
    except ClientDisconnect:  # nobody reads this
        raise bad("the body has not arrived whole") from None
    return messages.read(body, fields)


def set_cookie(request: Request, answer: Response, name: str, value: str) -> None:
    """Set a cookie that only this server's pages send."""
    secure = request.url.scheme == "https"
    answer.set_cookie(name, value, max_age=KEPT_SECONDS, path="/", secure=secure, httponly=True, samesite="strict")


async def _refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return JSONResponse(error.as_json(), error.status)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": "http", "message": error.detail}, error.status_code, error.headers)


async def _fault(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "internal", "message": "the server made a mistake; its log says which"}, 500)
