"""Enums whose `repr` is the expression that names them, so that values which hold them print as code."""

from __future__ import annotations

from enum import Enum


class Named(Enum):
    """An enum whose members print as `Class.MEMBER`."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}.{self.name}"
