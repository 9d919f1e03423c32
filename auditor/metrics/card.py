"""What a metric declares of itself: its counts, its scorer, its settings, where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import polars as pl

from auditor.compiled import is_kept
from auditor.errors import MetricError
from auditor.metrics import idf
from auditor.result import plain

#: How a setting begins that names a file.
OF_FILE = "file:"

#: What a metric's words are: those of English, or such as are written in Latin letters.
Writing = Literal["english", "latin"]


@dataclass(frozen=True)
class Parameter:
    """A setting of a metric.

    `choices` lists what it may be, `aliases` other words for them; `read`, which raises `MetricError`, makes a setting
    of a word, of the form `form`, that is none of them, or gives null; it opens no file. `of_file` alone does: it makes
    a setting of `file:PATH`, where a setting may be that. A setting without choices is a number of at least `least`
    (above it where `least` is 0 and `zero` is false), a whole one where its default is an `int`. `matters` says whether
    it changes a score under the other settings, null that it always does: a signature names no other.
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
    matters: Callable[[Mapping[str, Any]], bool] | None = None

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


@dataclass(frozen=True)
class Kernel:
    """What aligns tokens where SQL cannot.

    Its counts are kept under `name`. `run` gets the rows of the SELECT and of the further `relations`, by name, for one
    bucket of images, and the counting parameters; it gives counts, one row per candidate (candidate, image, slot
    first). A change of what it counts is a new `version`. Where it does not keep, its counts are made anew each time.
    `compiles` names what its first use compiles, as `kernels.compiled` does.
    """

    name: str
    run: Callable[[Mapping[str, pl.DataFrame], Mapping[str, Any]], pl.DataFrame]
    relations: tuple[str, ...] = ()
    version: int = 1
    keeps: bool = True
    compiles: str | None = None

    @property
    def is_compiled(self) -> bool:
        """Whether it need not be compiled first, which takes seconds."""
        return self.compiles is None or is_kept(self.compiles)


@dataclass(frozen=True)
class CountSpec:
    """One counting: a SELECT, by name, and what changes its counts: parameters, kernel, normalization of tokens."""

    relation: str
    params: Mapping[str, Any] = field(default_factory=dict)
    kernel: Kernel | None = None
    normalization: str | None = None

    @property
    def relations(self) -> tuple[str, ...]:
        """Every SELECT that it runs."""
        return (self.relation, *(self.kernel.relations if self.kernel else ()))

    @property
    def table(self) -> str:
        """What its counts are kept under."""
        return self.kernel.name if self.kernel else self.relation

    @property
    def keeps(self) -> bool:
        """Whether its counts may be kept."""
        return self.kernel is None or self.kernel.keeps

    @property
    def idf_mode(self) -> str:
        """Which document frequencies it weighs n-grams by, if it does."""
        return str(self.params.get("idf", idf.DATASET))

    def __hash__(self) -> int:
        return hash((self.table, frozenset(self.params.items())))


#: What counts: a SELECT, and the kernel that its rows go through, if any.
Counting = tuple[str, Kernel | None]


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
    selection of so many images can have no such scores; `writing`, of which captions alone it has any.
    Each may be null, and give null: then nothing is changed, or refused. `default` says whether a request for no metric
    in particular means it too.
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
    normalization: Callable[[Mapping[str, Any]], str | None] | None = None
    variant: Callable[[Mapping[str, Any]], Counting | None] | None = None
    refusal: Callable[[Mapping[str, Any], int], str | None] | None = None
    writing: Callable[[Mapping[str, Any]], Writing | None] | None = None
    lower_is_better: bool = False
    default: bool = True
    require: Callable[[], object] | None = None
    lists: Callable[[], str] | None = None
    sees_images: bool = False
    signed: Callable[[str, Mapping[str, Any]], Mapping[str, str]] | None = None
    caution: str | None = None
    ranks_what_is_tiny: Callable[[Mapping[str, Any]], bool] | None = None
    version: int = 1
