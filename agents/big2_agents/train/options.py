"""Hyper-parameters declared once: the fields of a dataclass are the options of its verb."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import Field, field, fields
from typing import Annotated, Any, TypeVar, get_type_hints

import typer

T = TypeVar("T")


def option(
    default: T,
    help: str,  # noqa: A002
    *,
    min: float | None = None,  # noqa: A002
    max: float | None = None,  # noqa: A002
    show_default: bool = True,
    names: tuple[str, ...] = (),
) -> T:
    """A field of a dataclass of hyper-parameters, with what the command line says of it and allows.

    The option is called as the field is; `names` are all its names where it has others.
    """
    metadata = {"help": help, "min": min, "max": max, "show_default": show_default, "param_decls": names}
    made: Any = field(default=default, metadata=metadata)
    return made  # type: ignore[no-any-return]


def verb(hyper_parameters: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator: the last parameter of a function, hyper-parameters, becomes options of a verb, one for each field.

    Parameters before it stay as they are.
    """

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        *first, last = inspect.signature(function, eval_str=True).parameters.values()

        def command(**given: Any) -> None:
            kept = {parameter.name: given.pop(parameter.name) for parameter in first}
            function(**kept, **{last.name: hyper_parameters(**given)})

        types = get_type_hints(hyper_parameters)
        parameters = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in first]
        parameters += [_parameter(each, types[each.name]) for each in fields(hyper_parameters)]
        command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        command.__doc__, command.__name__ = function.__doc__, function.__name__
        return command

    return decorate


def _parameter(each: Field[Any], kind: Any) -> inspect.Parameter:
    """The parameter of typer for a field."""
    said = dict(each.metadata)
    names: tuple[str, ...] = said.pop("param_decls")
    kind = Annotated[kind, typer.Option(*names, **said)]
    return inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=kind)
