"""`auditor --help --json`: every command with its options, types and defaults, for programs."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from typer import Context
from typer.models import ArgumentInfo

_TYPES: Mapping[Any, str] = {str: "text", int: "integer", float: "number", bool: "switch", Path: "path"}


def described(commands: Mapping[str, tuple[str, str, Callable[..., None]]], program: str) -> str:
    """Return the commands as a JSON object: each has a group, a line of help and a function."""
    listed = {
        name: {"group": group, "summary": line, "parameters": [*_parameters(function)]}
        for name, (group, line, function) in commands.items()
    }
    return json.dumps({"auditor.help/v1": {"program": program, "commands": listed}}, indent=1, default=str)


def _parameters(function: Callable[..., None]) -> Iterator[dict[str, Any]]:
    for name, one in inspect.signature(function, eval_str=True).parameters.items():
        if one.annotation is Context:
            continue
        kind, info, *_ = get_args(one.annotation)
        is_argument, required = isinstance(info, ArgumentInfo), one.default is inspect.Parameter.empty
        words = [word for word in (info.default, *(info.param_decls or ())) if isinstance(word, str)]
        if not info.hidden:
            yield {
                "name": info.metavar or name if is_argument else words[0],
                "aliases": words[1:],
                "kind": "argument" if is_argument else "option",
                "type": _type(kind),
                "repeatable": any(get_origin(each) is list for each in (kind, *get_args(kind))),
                "required": required,
                "default": None if required else one.default,
                "help": info.help,
            }


def _type(kind: Any) -> str:
    if get_origin(kind) in (Union, UnionType):
        return _type(next(each for each in get_args(kind) if each is not NoneType))
    return _type(get_args(kind)[0]) if get_args(kind) else _TYPES[kind]
