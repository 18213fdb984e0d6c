"""Enums whose `repr` is the expression for the member, so that values that contain them print as code."""

from __future__ import annotations

from enum import Enum


class Named(Enum):
    """Base of enums whose members print as `Class.MEMBER`."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"
