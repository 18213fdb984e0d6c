"""Routes of the server: the page's files, and the API under `/api/`."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from functools import partial
from hashlib import sha256
from typing import Any, Final

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from big2_env.base.language import Language, words
from big2_env.base.language.choice import of_locale
from big2_env.tables.browser import answers, course_handlers, deal_handlers, messages, puzzle_answers
from big2_env.tables.browser.answers import index_page, page_files
from big2_env.tables.browser.guard import TOKEN_COOKIE, Guard, address_of, badge_of, owner_in, owner_of, visitor_of
from big2_env.tables.browser.lobby import Lobby
from big2_env.tables.browser.messages import Field, Refused, bad, not_read, same
from big2_env.tables.browser.new_tables import NEW, Maker
from big2_env.tables.browser.requests import body_of, set_cookie
from big2_env.tables.browser.start_page import rules_of, start_page
from big2_env.tables.browser.table_routes import TableRoutes, json_answer, with_visitor
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
                *TableRoutes(self._lobby, self._language).routes(),
            ],
            middleware=middleware,
            exception_handlers={Refused: _refusal, HTTPException: _http_error, OSError: self._not_read, Exception: _fault},
        )

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


async def _refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    found: dict[str, Any] = {"error": error.code, "message": str(error)}
    if error.state is not None:
        found["state"] = error.state
    return JSONResponse(found, error.status)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": "http", "message": error.detail}, error.status_code, error.headers)


async def _fault(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "internal", "message": "the server made a mistake; its log says which"}, 500)
