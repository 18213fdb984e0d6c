"""Bodies of requests and cookies of answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from big2_env.base.errors import NotationError
from big2_env.base.outside import whole
from big2_env.tables.browser import messages
from big2_env.tables.browser.messages import MAX_BODY, Field, Refused, bad

KEPT_SECONDS: Final = 365 * 86400
"""Lifetime of the cookies, in seconds."""


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
