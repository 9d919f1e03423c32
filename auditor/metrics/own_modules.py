"""Finding the function that `python:MODULE.FUNCTION` names, in what is installed or in the working folder."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from auditor.errors import MetricError
from auditor.result import listed

_SHOWN = 8


def function_of(path: str) -> Callable[..., Any]:
    """Import `MODULE` and give its `FUNCTION`. Raises `MetricError` that says what is not there.

    The working folder is looked into only for a module that is not installed, and comes after all that is: none of its
    files can stand for a module of Python's own, nor for a part that is not installed.
    """
    name, _, attribute = path.rpartition(".")
    if not name:
        raise MetricError(f"python:{path}: expected python:MODULE.FUNCTION")
    module = _imported(path, name, str(Path.cwd()))
    found = getattr(module, attribute, None)
    where = f"module {name} ({getattr(module, '__file__', None) or 'built in'})"
    if found is None:
        functions = [one for one, value in vars(module).items() if callable(value) and not one.startswith("_")]
        has = f"it has {listed(functions, _SHOWN)}" if functions else "it has none"
        raise MetricError(f"python:{path}: {where} has no function {attribute}; {has}")
    if not callable(found) or isinstance(found, type):
        raise MetricError(f"python:{path}: {attribute} of {where} is no function, but {type(found).__name__}")
    return found  # type: ignore[no-any-return]


def _imported(path: str, name: str, folder: str) -> ModuleType:
    try:
        if folder not in sys.path and importlib.util.find_spec(name.partition(".")[0]) is None:
            sys.path.append(folder)
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            missing = f"there is no module {error.name}, neither installed nor in the working folder {folder}"
            raise MetricError(f"python:{path}: {missing}") from error
        raise MetricError(f"python:{path}: module {name} cannot be imported: {error}") from error
    except (Exception, SystemExit) as error:
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise MetricError(f"python:{path}: module {name} cannot be imported: {said}") from error
