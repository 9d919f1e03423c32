"""User-defined metrics, a Python function or a SELECT, as the card and the kernel of a metric.

Their scores are not kept: the signature names the source of a function, but functions that it calls may change.
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
from typing import Any, TypedDict, Unpack

import polars as pl

from auditor.errors import MetricError
from auditor.metrics.card import Kernel, Metric
from auditor.result import listed

#: Scores a candidate against its references, as they are written.
OfRow = Callable[[str, list[str]], float]

#: Scores whole columns at once: texts, and lists of texts. Returns a score for each, in their order.
OfColumns = Callable[[pl.Series, pl.Series], pl.Series | Sequence[float]]

_TEXTS = "candidate_texts"

_NAME = re.compile(r"[^\W\d][\w.-]*")

_SHOWN = 60  # characters of a value that is not a number

_FUNCTIONS = 8  # of a module, listed in an error

#: How a metric gets its name.
NAMED_BY = "@auditor.metric(name=…), or the line `-- name: …` of a file, gives"

_CAUTION = "its source is not available, so its signature is the same for all functions of this name"


class Scale(TypedDict, total=False):
    """What the user declares of scores, as on the card of a metric."""

    lower_is_better: bool
    lowest: float
    highest: float


def card_of(
    function: OfRow | OfColumns, name: str, *, columns: bool = False, summary: str | None = None, **scale: Unpack[Scale]
) -> Metric:
    """Make a metric of a function. Raises `MetricError` for a name that is invalid in requests and signatures."""
    source = _source(function)
    digest = hashlib.sha256(source.encode()).hexdigest()[:12] if source else "unknown"
    return card(
        Scorer(name, function, columns, str(getattr(function, "__module__", ""))),
        summary=summary or (inspect.getdoc(function) or "").partition("\n")[0] or f"function {_place(function)}",
        kind="a function of your own",
        position=_place(function),
        digest=digest,
        caution=None if source else _CAUTION,
        **scale,
    )


def card(
    scorer: Scorer, *, summary: str, kind: str, position: str, digest: str, caution: str | None, **scale: Unpack[Scale]
) -> Metric:
    """Make a metric of a scorer. Raises `MetricError` for a name that is invalid in requests and signatures."""
    if not _NAME.fullmatch(scorer.name):
        raise MetricError(
            f"{scorer.name}: invalid metric name: use a letter, then letters, digits, dots or hyphens; {NAMED_BY} one"
        )
    return Metric(
        name=scorer.name,
        counts=_TEXTS,
        score=_as_given,
        kernel=Kernel(f"own {scorer.name}", scorer, keeps=False),
        summary=summary,
        kind=kind,
        references="the function receives all references of a caption at once",
        sensitivity="some",
        edge_cases="an exception, or a score that is not a finite number, is an error",
        source=f"{position}, sha256 {digest}",
        bibtex="",
        default=False,
        signed=lambda tokenizer, settings: {"tok": "none", "source": digest},  # it reads texts as they are written
        caution=caution,
        **scale,
    )


def is_of(metric: Metric, function: object) -> bool:
    """Return whether a metric was made of this function."""
    scorer = metric.kernel.run if metric.kernel else None
    return isinstance(scorer, Scorer) and scorer.function is function


def home(metric: Metric) -> str | None:
    """Return the module or file of a user-defined metric; null for any other."""
    scorer = metric.kernel.run if metric.kernel else None
    return scorer.home if isinstance(scorer, Scorer) else None


def _source(function: object) -> str | None:
    """Return the source of a function; null if it is not available, as for functions in C."""
    try:
        return textwrap.dedent(inspect.getsource(function))  # type: ignore[arg-type]
    except (OSError, TypeError):
        return None


def _place(function: object) -> str:
    named = getattr(function, "__qualname__", type(function).__qualname__)
    return f"{getattr(function, '__module__', '?')}.{named}"


def _as_given(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
    return counts["score"]


@dataclass(frozen=True)
class Scorer:
    """Calls the function; errors name the image and slot of the caption that it cannot score."""

    name: str
    function: Callable[..., Any]
    columns: bool
    home: str

    def __call__(self, rows: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> pl.DataFrame:
        """Score the candidates of one bucket of images."""
        pairs = rows[_TEXTS]
        scores = self._of_columns(pairs) if self.columns else self._of_rows(pairs)
        return pairs.select("candidate", "image", "slot", pl.Series("score", scores, pl.Float64))

    def _of_rows(self, pairs: pl.DataFrame) -> list[float]:
        scores = []
        for row, (text, references) in enumerate(zip(pairs["text"], pairs["references"].to_list(), strict=True)):
            try:
                given = self.function(text, references)
            except Exception as error:
                raise self._failed(pairs, row, _message(error)) from error
            scores.append(self._number(pairs, row, given))
        return scores

    def _of_columns(self, pairs: pl.DataFrame) -> list[float]:
        if pairs.is_empty():
            return []
        try:
            given = list(self._call(pairs))
        except MetricError:  # of the whole answer, not of a caption
            raise
        except Exception as error:
            raise self._first_failure(pairs, error) from error
        if len(given) != pairs.height:
            raise MetricError(f"{self.name}: returns {len(given):,} scores for {pairs.height:,} captions")
        return [self._number(pairs, row, value) for row, value in enumerate(given)]

    def _call(self, pairs: pl.DataFrame) -> Any:
        return self.function(pairs["text"].alias("candidate"), pairs["references"])

    def _first_failure(self, pairs: pl.DataFrame, error: Exception) -> MetricError:
        """Halve the failing captions until one is left; if neither half fails alone, name the first caption of both."""
        while pairs.height > 1:
            half = pairs.height // 2
            for part in (pairs.head(half), pairs.slice(half)):
                try:
                    list(self._call(part))
                except Exception as narrower:  # noqa: BLE001  the function may raise anything
                    pairs, error = part, narrower
                    break
            else:
                message = (
                    f"{_message(error)}; raised for {pairs.height:,} captions together, but for neither half alone"
                )
                return self._failed(pairs, 0, message)
        return self._failed(pairs, 0, _message(error))

    def _number(self, pairs: pl.DataFrame, row: int, given: object) -> float:
        is_number = isinstance(given, numbers.Real) and not isinstance(given, complex)
        if not is_number or not math.isfinite(number := float(given)):  # type: ignore[arg-type]
            raise self._failed(pairs, row, f"returned {repr(given)[:_SHOWN]}, not a finite number")
        return number

    def _failed(self, pairs: pl.DataFrame, row: int, why: str) -> MetricError:
        image, slot = pairs.select("image", "slot").row(row)
        return MetricError(f"{self.name}: image {image}, slot {slot}: {why}")


def _message(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")


def function_of(path: str) -> Callable[..., Any]:
    """Import `MODULE` and return its `FUNCTION`. Raises `MetricError` if either is missing.

    The working folder is searched last, and only for a module that is not installed. Its files can replace neither
    modules of Python's standard library nor missing components.
    """
    name, _, attribute = path.rpartition(".")
    if not name:
        raise MetricError(f"python:{path}: expected python:MODULE.FUNCTION")
    module = _imported(path, name, str(Path.cwd()))
    function = getattr(module, attribute, None)
    where = f"module {name} ({getattr(module, '__file__', None) or 'built in'})"
    if function is None:
        functions = [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]
        names = f"it has {listed(functions, _FUNCTIONS)}" if functions else "it has none"
        raise MetricError(f"python:{path}: {where} has no function {attribute}; {names}")
    if not callable(function) or isinstance(function, type):
        kind = type(function).__name__
        raise MetricError(f"python:{path}: {attribute} of {where} is not a function, but a value of type {kind}")
    return function  # type: ignore[no-any-return]


def _imported(path: str, name: str, folder: str) -> ModuleType:
    try:
        if folder not in sys.path and importlib.util.find_spec(name.partition(".")[0]) is None:
            sys.path.append(folder)
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(f"{error.name}.")):
            missing = f"module {error.name} not found, neither installed nor in the working folder {folder}"
            raise MetricError(f"python:{path}: {missing}") from error
        raise MetricError(f"python:{path}: module {name} cannot be imported: {error}") from error
    except (Exception, SystemExit) as error:
        raise MetricError(f"python:{path}: module {name} cannot be imported: {_message(error)}") from error
