"""Metrics of the user's own, a Python function or a SELECT, as the card and the kernel of a metric.

Nothing that they give is kept: its source names a function, but what it calls may change under it.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import math
import numbers
import re
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl

from auditor.errors import MetricError
from auditor.metrics.card import Kernel, Metric
from auditor.result import listed

#: Scores a candidate against its references, both as they are written.
OfRow = Callable[[str, list[str]], float]

#: Scores whole columns at once: texts, and lists of texts; a score for each, in their order.
OfColumns = Callable[[pl.Series, pl.Series], pl.Series | Sequence[float]]

_TEXTS = "candidate_texts"

_NAME = re.compile(r"[^\W\d][\w.-]*")

_SHOWN = 60  # characters of what is no number

_FUNCTIONS = 8  # of a module that are named

#: What gives a metric its name.
NAMED_BY = "@auditor.metric(name=…), or the line `-- name: …` of a file, gives"

_CAUTION = "its source cannot be read, so that its signature does not tell it from another function of this name"


def card_of(
    function: OfRow | OfColumns, name: str, *, columns: bool, lower_is_better: bool, summary: str | None
) -> Metric:
    """Make a metric of a function. Raises `MetricError` for a name that no request or signature can hold."""
    source = _source(function)
    digest = hashlib.sha256(source.encode()).hexdigest()[:12] if source else "unknown"
    return card(
        Scorer(name, function, columns, str(getattr(function, "__module__", ""))),
        summary=summary or (inspect.getdoc(function) or "").partition("\n")[0] or f"function {_place(function)}",
        kind="a function of your own",
        place=_place(function),
        digest=digest,
        lower_is_better=lower_is_better,
        caution=None if source else _CAUTION,
    )


def card(
    scorer: Scorer, *, summary: str, kind: str, place: str, digest: str, lower_is_better: bool, caution: str | None
) -> Metric:
    """Make a metric of what scores. Raises `MetricError` for a name that no request or signature can hold."""
    if not _NAME.fullmatch(scorer.name):
        raise MetricError(
            f"{scorer.name}: no name of a metric: a letter, then letters, digits, dots, hyphens; {NAMED_BY} one"
        )
    return Metric(
        name=scorer.name,
        counts=_TEXTS,
        score=_as_given,
        kernel=Kernel(f"own {scorer.name}", scorer, keeps=False),
        summary=summary,
        kind=kind,
        range="what it gives",
        references="it sees all of a caption's references at once",
        sensitivity="some",
        edge_cases="a score that is no finite number is an error, as is what it raises",
        source=f"{place}, sha256 {digest}",
        bibtex="",
        lower_is_better=lower_is_better,
        default=False,
        signed=lambda tokenizer, settings: {"tok": "none", "source": digest},  # it sees texts as they are written
        caution=caution,
    )


def is_of(metric: Metric, function: object) -> bool:
    """Return whether a metric was made of this very function."""
    scorer = metric.kernel.run if metric.kernel else None
    return isinstance(scorer, Scorer) and scorer.function is function


def home(metric: Metric) -> str | None:
    """Name the module, or the file, of a metric of the user's own; null for any other."""
    scorer = metric.kernel.run if metric.kernel else None
    return scorer.home if isinstance(scorer, Scorer) else None


def _source(function: object) -> str | None:
    """Return the lines that define a function; null where Python cannot see them, as of one written in C."""
    try:
        return textwrap.dedent(inspect.getsource(function))  # type: ignore[arg-type]
    except (OSError, TypeError):
        return None


def _place(function: object) -> str:
    named = getattr(function, "__qualname__", type(function).__qualname__)
    return f"{getattr(function, '__module__', '?')}.{named}"


def _as_given(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
    """Return the scores as the function gave them."""
    del parameters
    return counts["score"]


@dataclass(frozen=True)
class Scorer:
    """Calls the function, and says of what it cannot score which caption that is."""

    name: str
    function: Callable[..., Any]
    columns: bool
    home: str

    def __call__(self, rows: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> pl.DataFrame:
        """Score the candidates of one bucket of images."""
        del parameters
        met = rows[_TEXTS]
        scores = self._of_columns(met) if self.columns else self._of_rows(met)
        return met.select("candidate", "image", "slot", pl.Series("score", scores, pl.Float64))

    def _of_rows(self, met: pl.DataFrame) -> list[float]:
        scores = []
        for place, (text, references) in enumerate(zip(met["text"], met["references"].to_list(), strict=True)):
            try:
                given = self.function(text, references)
            except Exception as error:
                raise self._failed(met, place, _said(error)) from error
            scores.append(self._number(met, place, given))
        return scores

    def _of_columns(self, met: pl.DataFrame) -> list[float]:
        if met.is_empty():
            return []
        try:
            given = list(self._call(met))
        except MetricError:  # of the whole answer, not of a caption
            raise
        except Exception as error:
            raise self._first_failure(met, error) from error
        if len(given) != met.height:
            raise MetricError(f"{self.name}: gives {len(given):,} scores for {met.height:,} captions")
        return [self._number(met, place, row) for place, row in enumerate(given)]

    def _call(self, met: pl.DataFrame) -> Any:
        return self.function(met["text"].alias("candidate"), met["references"])

    def _first_failure(self, met: pl.DataFrame, error: Exception) -> MetricError:
        """Halve what fails until one caption is left; where neither half fails alone, name where both begin."""
        while met.height > 1:
            half = met.height // 2
            for part in (met.head(half), met.slice(half)):
                try:
                    list(self._call(part))
                except Exception as narrower:  # noqa: BLE001  whatever it raises is what is looked for
                    met, error = part, narrower
                    break
            else:
                told = f"{_said(error)}; so for these {met.height:,} captions together, for neither half alone"
                return self._failed(met, 0, told)
        return self._failed(met, 0, _said(error))

    def _number(self, met: pl.DataFrame, place: int, given: object) -> float:
        is_number = isinstance(given, numbers.Real) and not isinstance(given, complex)
        if not is_number or not math.isfinite(number := float(given)):  # type: ignore[arg-type]
            raise self._failed(met, place, f"gives {repr(given)[:_SHOWN]}, no finite number")
        return number

    def _failed(self, met: pl.DataFrame, place: int, why: str) -> MetricError:
        image, slot = met.select("image", "slot").row(place)
        return MetricError(f"{self.name}: image {image}, slot {slot}: {why}")


def _said(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")


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
        functions = [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]
        has = f"it has {listed(functions, _FUNCTIONS)}" if functions else "it has none"
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
        raise MetricError(f"python:{path}: module {name} cannot be imported: {_said(error)}") from error
