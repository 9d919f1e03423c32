"""The declaration of a metric: its counts, its scorer, its settings, its source."""

from __future__ import annotations

import functools
import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Literal

import polars as pl

from auditor import ranges
from auditor.compiled import is_kept
from auditor.errors import MetricError
from auditor.metrics import idf
from auditor.result import plain

#: The prefix of a setting that names a file.
OF_FILE = "file:"

#: The captions that a metric can read: in English, or in Latin script.
Writing = Literal["english", "latin"]


@dataclass(frozen=True)
class Parameter:
    """A setting of a metric.

    `choices` are its values, `aliases` other words for them. `read` parses any other word, of the form `form`; it
    returns null or raises `MetricError` if it cannot, and opens no file. Only `of_file` does, which parses `file:PATH`.
    A setting without choices is a number from `least` (above 0 if `least` is 0 and `zero` is false) to `most`, and a
    whole number if its default is an `int`. `matters` returns whether it affects the score under the other settings;
    null means always. A signature names only settings that do.
    """

    default: str | float | bool
    meaning: str
    choices: tuple[str | bool, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    least: float = 0.0
    most: float = math.inf
    zero: bool = False
    counts: bool = False  # whether it changes what is counted, and not only how counts become scores
    form: str = ""
    read: Callable[[str], str | None] | None = None
    of_file: Callable[[str], str] | None = None
    matters: Callable[[Mapping[str, Any]], bool] | None = None

    @property
    def words(self) -> list[str]:
        """The values of a setting with choices."""
        return [str(choice).lower() for choice in self.choices] + ([self.form] if self.form else [])

    @property
    def range(self) -> str:
        """The range of a setting without choices, in words."""
        number = "whole number" if isinstance(self.default, int) else "number"
        most = "" if math.isinf(self.most) else f"to {plain(self.most)}"
        if self.least or self.zero:
            return f"a {number} from {plain(self.least)} {most}".rstrip()
        return f"a positive {number} up {most}" if most else f"a positive {number}"

    def setting(self, text: str, key: str, value: str) -> str | float | bool:
        """Parse the value of this parameter, called `key`, in the request `text`.

        Raises `MetricError` that lists the valid values.
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
        if not self.least <= number <= self.most or math.isinf(number) or (number == 0 and not self.zero):
            raise MetricError(f"{text}: {key} must be {self.range}, not {value!r}")
        return number


@dataclass(frozen=True)
class Kernel:
    """Compiled code that aligns tokens, which SQL cannot do.

    Its counts are kept under `name`. `run` receives the rows of the SELECT and of further `relations`, by name, for one
    bucket of images, and the counting parameters. It returns counts, one row per candidate (candidate, image, slot
    first). If its counts change, so must its `version`. Unless it `keeps` counts, they are computed every time.
    `compiles` is the function that its first use compiles, named as in `kernels.compiled`.
    """

    name: str
    run: Callable[[Mapping[str, pl.DataFrame], Mapping[str, Any]], pl.DataFrame]
    relations: tuple[str, ...] = ()
    version: int = 1
    keeps: bool = True
    compiles: str | None = None

    @property
    def is_compiled(self) -> bool:
        """Whether it is already compiled, which takes seconds."""
        return self.compiles is None or is_kept(self.compiles)


@dataclass(frozen=True)
class CountSpec:
    """One counting: a SELECT, by name, and all that affects its counts: parameters, kernel, normalization of tokens."""

    relation: str
    params: Mapping[str, Any] = field(default_factory=dict)
    kernel: Kernel | None = None
    normalization: str | None = None

    @property
    def relations(self) -> tuple[str, ...]:
        """The SELECTs that it runs."""
        return (self.relation, *(self.kernel.relations if self.kernel else ()))

    @property
    def table(self) -> str:
        """The name under which its counts are kept."""
        return self.kernel.name if self.kernel else self.relation

    @property
    def keeps(self) -> bool:
        """Whether its counts may be kept."""
        return self.kernel is None or self.kernel.keeps

    @property
    def idf_mode(self) -> str:
        """The document frequencies that it weighs n-grams by, if it does."""
        return str(self.params.get("idf", idf.DATASET))

    def __hash__(self) -> int:
        return hash((self.table, frozenset(self.params.items())))


#: A SELECT, and the kernel that processes its rows, if any.
Counting = tuple[str, Kernel | None]


@dataclass(frozen=True)
class Metric:
    """The card of a metric.

    `kind` is what it measures (precision, F, an error rate, consensus). `lowest` and `highest` are the ends of its
    range, infinite if it has none. `scales` are factors of both, by the values of setting `scale`. `references` is how
    references are combined into one score, `sensitivity` how much it depends on their number: strong (any of them may
    match), some (the best counts), none (they are averaged). Parameters may change all of this; the card describes the
    defaults.

    `counts` is its SELECT, `kernel` computes counts from its rows if it aligns tokens. `fixed` are settings that its
    name implies, and parameters of a variant, `shown` whether a signature repeats them. `counted_with` are parameters
    of the SELECT that its name implies.

    These depend on the settings: `normalization` of tokens before counting; `variant`, the SELECT and kernel instead of
    `counts` and `kernel`; `refusal`, why it cannot score a selection of so many images; `writing`, the captions that it
    can read. Each may be null, or return null: then nothing is changed or restricted.

    `default` is whether it is used if no metric is requested. `require` raises `MissingExtraError` if a required
    component is not installed. `lists` returns the hash of the word lists that it reads, which affect its counts.
    `signed` returns what a signature names in addition to settings and lists, by tokenizer and settings. A metric that
    `sees_images` reads vectors instead of references. `caution` is a warning that is printed with its scores.
    `ranks_what_is_tiny` returns, by the settings, whether scores below 10^-12 are distinguished: then they are rounded
    to 12 significant digits.
    """

    name: str
    counts: str
    score: Callable[[pl.DataFrame, Mapping[str, Any]], pl.Series]
    summary: str
    kind: str
    references: str
    sensitivity: Literal["strong", "some", "none"]
    edge_cases: str
    source: str
    bibtex: str
    lowest: float = -math.inf
    highest: float = math.inf
    scales: Mapping[str, float] = field(default_factory=dict)
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

    def ends(self, settings: Mapping[str, Any]) -> ranges.Ends:
        """Return the lowest and the highest value with these settings."""
        factor = self.scales.get(settings.get("scale", ""), 1.0)
        return self.lowest * factor, self.highest * factor

    @property
    def range(self) -> str:
        """Its range in words, in each of its scales."""
        scaled = (f"{ranges.in_words(self.ends({'scale': scale}))} with scale={scale}" for scale in self.scales)
        return "; ".join([ranges.in_words((self.lowest, self.highest)), *scaled])


#: Arguments of cards or of their settings, by name: what only code can say.
Own = Mapping[str, Mapping[str, Any]]


@functools.cache
def _families() -> Mapping[str, dict[str, Any]]:
    return tomllib.loads(files("auditor.metrics").joinpath("cards.toml").read_text(encoding="utf-8"))


def cards(family: str, own: Own | None = None, settings: Own | None = None, **shared: Any) -> tuple[Metric, ...]:
    """Return the metrics of a family in `cards.toml`, with further arguments: of one, of a setting, or of all."""
    common, functions = _families()[family], settings or {}
    made = []
    for name, card in common["metrics"].items():
        declared = {**common.get("parameters", {}), **card.get("parameters", {})}
        without = ("metrics", "parameters", "without", *card.get("without", ()))
        parameters = {
            key: Parameter(**_values(setting), **functions.get(key, {}))
            for key, setting in declared.items()
            if key not in without
        }
        table = {key: value for key, value in {**common, **card}.items() if key not in without}
        made.append(Metric(name=name, parameters=parameters, **_values(table), **shared, **(own or {}).get(name, {})))
    return tuple(made)


def _values(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return lists as tuples, and texts as one line, but not the lines of BibTeX."""
    texts = {key: " ".join(text.split()) for key, text in table.items() if isinstance(text, str) and key != "bibtex"}
    return {key: tuple(value) if isinstance(value, list) else value for key, value in {**table, **texts}.items()}
