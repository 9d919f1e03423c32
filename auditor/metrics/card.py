"""What a metric declares of itself: its counts, its scorer, its settings, where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import polars as pl

from auditor.errors import MetricError
from auditor.metrics.by_reference_count import ByReferenceCount
from auditor.metrics.counting import Kernel
from auditor.result import plain

#: How a setting begins that names a file.
OF_FILE = "file:"

#: What a metric's words are: those of English, or such as are written in Latin letters.
Writing = Literal["english", "latin"]


def _always(settings: Mapping[str, Any]) -> bool:
    """Matter whatever the other settings are."""
    del settings
    return True


@dataclass(frozen=True)
class Parameter:
    """A setting of a metric.

    `choices` lists what it may be, `aliases` other words for them; `read`, which raises `MetricError`, makes a setting
    of a word, of the form `form`, that is none of them, or gives null; it opens no file. `of_file` alone does: it makes
    a setting of `file:PATH`, where a setting may be that. A setting without choices is a number of at least `least`
    (above it where `least` is 0 and `zero` is false), a whole one where its default is an `int`. `matters` says whether
    it changes a score under the other settings: a signature names no other.
    """

    default: str | float | bool
    meaning: str
    choices: tuple[str | bool, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    least: float = 0.0
    zero: bool = False
    counts: bool = False  # whether it changes what is counted, and not only how counts become scores
    form: str = ""
    read: Callable[[str], str | None] | None = None
    of_file: Callable[[str], str] | None = None
    matters: Callable[[Mapping[str, Any]], bool] = _always

    @property
    def words(self) -> list[str]:
        """List what a setting with choices may be."""
        return [str(choice).lower() for choice in self.choices] + ([self.form] if self.form else [])

    @property
    def range(self) -> str:
        """Say in words what a setting without choices may be."""
        number = "whole number" if isinstance(self.default, int) else "number"
        if self.least:
            return f"a {number} from {plain(self.least)}"
        return f"a {number} from 0" if self.zero else f"a positive {number}"

    def setting(self, text: str, key: str, value: str) -> str | float | bool:
        """Read what a request `text` says of this parameter, its `key`.

        Raises `MetricError` that lists what it may be.
        """
        if not self.choices:
            return self._number(text, key, value)
        word = self.aliases.get(value.lower(), value.lower())
        for choice in self.choices:
            if str(choice).lower() == word:
                return choice
        read = self.of_file if value.startswith(OF_FILE) else self.read
        made = read(value) if read else None
        if made is not None:
            return made
        raise MetricError(f"{text}: {key} must be one of {', '.join(self.words)}, not {value!r}")

    def _number(self, text: str, key: str, value: str) -> float:
        whole = isinstance(self.default, int)
        try:
            number = int(value) if whole else float(value)
        except ValueError:
            number = -1
        if not self.least <= number < float("inf") or (number == 0 and not self.zero):
            raise MetricError(f"{text}: {key} must be {self.range}, not {value!r}")
        return number


#: What counts: a SELECT, and the kernel that its rows go through, if any.
Counting = tuple[str, Kernel | None]


def _as_declared(settings: Mapping[str, Any]) -> Counting | None:
    """Count as the card names it."""
    del settings
    return None


def _of_any_selection(settings: Mapping[str, Any], images: int) -> str | None:
    """Score selections of any number of images."""
    del settings, images
    return None


def _anew(settings: Mapping[str, Any]) -> ByReferenceCount | None:
    """Count for each number of references by itself."""
    del settings
    return None


def _as_they_are(settings: Mapping[str, Any]) -> str | None:
    """Count tokens as the tokenizer gives them."""
    del settings
    return None


def _nothing_more(tokenizer: str, settings: Mapping[str, Any]) -> Mapping[str, str]:
    """Sign nothing beside the tokenizer, the references and the settings."""
    del tokenizer, settings
    return {}


def _not_at_all(settings: Mapping[str, Any]) -> bool:
    """Take for equal what is equal to 12 decimals."""
    del settings
    return False


def _of_any_writing(settings: Mapping[str, Any]) -> Writing | None:
    """Score captions in any letters."""
    del settings
    return None


@dataclass(frozen=True)
class Metric:
    """A metric's card.

    `kind` says what it measures (precision, F, an error rate, consensus), `range` between which values it lies;
    `references` how those of a caption become one score, `sensitivity` how far that depends on their number: strong
    (any of them may match), some (the best counts), none (they are averaged). Parameters may change all of this; the
    card describes the defaults.

    `counts` is the SELECT behind it, `kernel` what makes counts of its rows where it aligns tokens.
    `fixed` are settings that the name itself makes, `shown` whether a signature repeats them; `counted_with` are those
    parameters of the SELECT that the name makes. `normalization` says, by the settings, what the metric makes of tokens
    before it counts; `variant`, which SELECT and kernel count instead of `counts` and `kernel`; `refusal`, why a
    selection of so many images can have no such scores; `writing`, of which captions alone it has any;
    `by_reference_count`, what counts for all numbers of references at once. `default` says whether a request for no
    metric in particular means it too.
    `require` raises `MissingExtraError` where a part that it cannot do without is not installed. `lists` names the word
    lists that it reads, by a hash: other lists, other counts.
    `signed` says what a signature names beside settings and lists, by tokenizer and settings. One that `sees_images`
    reads vectors and no references. `caution` is what is to be said beside its scores. `ranks_what_is_tiny` says, by
    the settings, whether scores below 10^-12 are told apart: they are rounded to 12 significant digits then.
    """

    name: str
    counts: str
    score: Callable[[pl.DataFrame, Mapping[str, Any]], pl.Series]
    summary: str
    kind: str
    range: str
    references: str
    sensitivity: Literal["strong", "some", "none"]
    edge_cases: str
    source: str
    bibtex: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    shown: bool = False
    counted_with: Mapping[str, Any] = field(default_factory=dict)
    kernel: Kernel | None = None
    normalization: Callable[[Mapping[str, Any]], str | None] = _as_they_are
    variant: Callable[[Mapping[str, Any]], Counting | None] = _as_declared
    refusal: Callable[[Mapping[str, Any], int], str | None] = _of_any_selection
    writing: Callable[[Mapping[str, Any]], Writing | None] = _of_any_writing
    by_reference_count: Callable[[Mapping[str, Any]], ByReferenceCount | None] = _anew
    lower_is_better: bool = False
    default: bool = True
    require: Callable[[], object] | None = None
    lists: Callable[[], str] | None = None
    sees_images: bool = False
    signed: Callable[[str, Mapping[str, Any]], Mapping[str, str]] = _nothing_more
    caution: str | None = None
    ranks_what_is_tiny: Callable[[Mapping[str, Any]], bool] = _not_at_all
    version: int = 1
