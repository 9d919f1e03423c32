"""What a study found: rows, tables, figures, sentences, signatures; never how to show it."""

from __future__ import annotations

import datetime
import decimal
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any, Literal

import polars as pl
import polars.selectors as cs

from auditor.errors import AuditorError
from auditor.model import Pictured, Selection
from auditor.result.display import ShownResult

#: Bars stand in groups by `x`, one for each of `series`; lines and points are drawn for each of `series`; a heatmap has
#: a cell for each `x` and `y` that shows `value`.
Kind = Literal["bars", "lines", "points", "heatmap"]


@dataclass(frozen=True)
class Figure:
    """Rows of a picture, and what their columns mean.

    `x`, `y`, `series` and `value` name columns of `frame`; categories are drawn in the order in which rows first name
    them. `low` and `high` name the ends of an interval of `y`, where there is one. `span` is the range of a heatmap's
    values that its colors cover. `name` is a word that may stand in a file's name.
    """

    name: str
    title: str
    kind: Kind
    frame: pl.DataFrame
    x: str
    y: str
    series: str | None = None
    value: str | None = None
    low: str | None = None
    high: str | None = None
    x_label: str = ""
    y_label: str = ""
    log_x: bool = False
    span: tuple[float, float] | None = None
    caption: str | None = None


def counted(number: int, name: str, more: str) -> str:
    """Write a number with its word: `1 image has`, `2,000 images have`."""
    return f"{number:,} {name if number == 1 else more}"


def listed(names: Sequence[object] | pl.Series, most: int) -> str:
    """Name the first few: `a, b, c, …`."""
    return ", ".join(map(str, names[:most])) + (", …" if len(names) > most else "")


def program() -> str:
    """Name the software with its version."""
    return f"auditor {version('auditor')}"


_FLOATS, _FLOAT_LISTS = cs.float(), cs.list(cs.float())


def joined(words: Sequence[str]) -> str:
    """Join words as a sentence does: one, two and three."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def digits(value: float) -> str:
    """Write a number in a sentence: three decimals, or one from 10 on."""
    return f"{value:,.1f}" if abs(value) >= 10 else f"{value:.3f}"


def interval(low: float | None, high: float | None, confidence: float | None = None) -> str:
    """Write the interval of a number, with a blank before it; nothing where there is none."""
    if low is None or high is None:
        return ""
    share = f", {plain(round(100 * confidence, 10))}%" if confidence else ""
    return f" ({digits(low)} to {digits(high)}{share})"


@dataclass(frozen=True)
class Signature:
    """What a number is: the metric and exactly the parameters that matter, defaults printed, version last."""

    metric: str
    parameters: Mapping[str, str | int | float | bool]
    version: int

    def __str__(self) -> str:
        """Print it in the field's form, `cider-d|tok:bare|refs:loo|n:4|sigma:6|idf:dataset|scale:raw|v:1`."""
        shown = (f"{key}:{plain(value)}" for key, value in self.parameters.items())
        return "|".join([self.metric, *shown, f"v:{self.version}"])


def plain(value: str | float | bool) -> str:
    """Write a setting as signatures and labels show it: `6` for 6.0, `true`, every digit of other numbers."""
    return str(int(value)) if isinstance(value, float) and value == int(value) else str(value).lower()


#: How much a finding matters: `info` answers the question, `notice` is worth knowing, `warning` should be looked into
#: before numbers are used, `error` is wrong for certain.
Severity = Literal["info", "notice", "warning", "error"]

#: From the worst to what is worth a word only.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "notice", "info")


@dataclass(frozen=True)
class Finding:
    """One thing that was found, as data, and as a sentence for people.

    `kind` is a code of `auditor.findings.KINDS`, whose page says what it means and what to do. `about` names what it is
    of: dataset, version, split, image, slot, metric, against …; `values` are its numbers, of `n` things that were
    looked at. `examples` are a few of the captions that it is of: image, slot, text, why; with `other_image`,
    `other_slot` and `other_text` where it is of two. `headline` is its one number with what that counts.
    """

    kind: str
    sentence: str
    about: Mapping[str, str | int | None] = field(default_factory=dict, hash=False)
    values: Mapping[str, str | float | None] = field(default_factory=dict, hash=False)
    n: int | None = None
    severity: Severity = "info"
    examples: tuple[Mapping[str, str | int | None], ...] = field(default=(), hash=False)
    headline: str = ""

    def __str__(self) -> str:
        """Say it."""
        return self.sentence

    def record(self) -> dict[str, Any]:
        """Return the finding as a JSON object."""
        return {
            "kind": self.kind,
            "severity": self.severity,
            "about": dict(self.about),
            "values": {name: _finite_value(value) for name, value in self.values.items()},
            "n": self.n,
            "sentence": self.sentence,
            **({"headline": self.headline} if self.headline else {}),
            **({"examples": [dict(example) for example in self.examples]} if self.examples else {}),
        }


#: What a study has to say beside its rows: a finding, or a note on how its numbers were made.
Said = str | Finding


def notes_in(said: Iterable[Said]) -> tuple[str, ...]:
    """Return what is no finding."""
    return tuple(one for one in said if isinstance(one, str))


def findings_in(said: Iterable[Said]) -> tuple[Finding, ...]:
    """Return the findings."""
    return tuple(one for one in said if isinstance(one, Finding))


def about(selection: Selection, **further: str | int | None) -> dict[str, str | int | None]:
    """Name what a finding is about: a selection of captions, and `further` of it."""
    version = selection.version
    return {"dataset": version.dataset, "version": version.version, "split": selection.split, **further}


@dataclass(frozen=True)
class Table:
    """Rows as a person reads them.

    `name` is a stable word by which programs select it: titles may name datasets and may be worded anew. `bars` names
    the columns, shares of 1, that a reporter may draw as bars; where column `sections` changes, a new section of the
    table begins. `best` names cells, by row and column, that stand out: the first by a rank that is beyond doubt.
    `digits` says with how many decimals the numbers of a column are shown, where that is not four; of an `exact` table
    all are shown. `beside` names two columns of texts, of which the words in which they differ may be marked.
    `tells_findings` is for tables that say what the findings of their result say. `pictured`: images of the rows. On a
    page, `anchors` names the column by which rows are linked to, `filters` those by which they are picked. A report
    shows a `further` table only when a reader asks for it.
    """

    title: str
    frame: pl.DataFrame
    bars: tuple[str, ...] = ()
    sections: str | None = None
    caption: str | None = None
    best: tuple[tuple[int, str], ...] = ()
    digits: tuple[tuple[str, int], ...] = ()
    exact: bool = False
    beside: tuple[str, str] | None = None
    name: str = ""
    tells_findings: bool = False
    pictured: tuple[Pictured, ...] = ()
    anchors: str | None = None
    filters: tuple[str, ...] = ()
    further: bool = False


def folded(tables: Iterable[Table], *shown: str) -> tuple[Table, ...]:
    """Return the tables with all but those of some names marked as further."""
    return tuple(replace(table, further=table.name not in shown) for table in tables)


@dataclass(frozen=True, repr=False)
class Result(ShownResult):
    """What a study found.

    `frame` holds flat rows in the public column vocabulary: what JSON, CSV and Parquet carry. `tables` are the same
    facts arranged for reading, `figures` as pictures. `lead` answers the question in sentences. `findings` are what was
    found, each with a code, its numbers and a sentence; `notes` say how the numbers were made. `holds` is the verdict
    of a question that has one: whether what was asked about is as it should be. `failure` is what a command line ends
    with after it has shown the rows. `page` is what a page shows in place of `tables`, `headline` what it is called.
    `volatile` are columns in which stores of the same captions may differ: JSON has them apart.
    """

    command: str
    frame: pl.DataFrame
    selections: tuple[Selection, ...] = ()
    signatures: Mapping[str, str] = field(default_factory=dict)
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    notes: tuple[str, ...] = ()
    holds: bool | None = None
    failure: AuditorError | None = None
    findings: tuple[Finding, ...] = ()
    page: tuple[Table, ...] = ()
    headline: str | None = None
    volatile: tuple[str, ...] = ()
    lead: tuple[str, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """Everything that is said in words beside the rows: notes, then findings."""
        return (*self.notes, *(finding.sentence for finding in self.findings))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What stands in words beside the lead: notes, then the findings that the lead leaves out."""
        led = " ".join(self.lead)
        return tuple(sentence for sentence in self.sentences if sentence not in led)

    def found(self, *kinds: str) -> tuple[Finding, ...]:
        """Return the findings of some kinds."""
        return tuple(finding for finding in self.findings if finding.kind in kinds)

    def table(self, name: str) -> Table:
        """Return the table of a name. Raises `KeyError` where there is none, or one for each of several datasets."""
        named = [table for table in self.tables if table.name == name]
        if len(named) != 1:
            raise KeyError(f"{self.command}: {'several tables' if named else 'no table'} {name}")
        return named[0]

    def to_json(self, *, volatile: bool = True) -> str:
        """Return the documented JSON object, `{"auditor.<command>/v2": {...}}`; key `volatile` may be left out."""
        body: dict[str, Any] = {
            "versions": [selection.record() for selection in self.selections],
            "signatures": dict(self.signatures),
            "lead": list(self.lead),
            "notes": list(self.notes),
            "findings": [finding.record() for finding in self.findings],
            "rows": self.frame.drop(self.volatile)
            .with_columns(_finite(_FLOATS), _FLOAT_LISTS.list.eval(_finite(pl.element())))
            .to_dicts(),
        }
        return document_json({f"auditor.{self.command}/v2": body | ({"volatile": self.apart()} if volatile else {})})

    def apart(self) -> dict[str, Any]:
        """Return what another store of the same captions may have otherwise, as a JSON object."""
        rows = {"rows": self.frame.select(self.volatile).to_dicts()} if self.volatile else {}
        return {"versions": [selection.volatile() for selection in self.selections], **rows}


def document_json(document: Mapping[str, Any]) -> str:
    """Write a JSON document; dates in ISO format, whole decimals as integers."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2, default=_json_value)


def _finite_value(value: str | float | None) -> str | float | None:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _finite(value: pl.Expr) -> pl.Expr:
    """Make null of what JSON has no word for."""
    return pl.when(value.is_finite()).then(value)


def _json_value(value: object) -> object:
    if isinstance(value, datetime.datetime | datetime.date):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return int(value) if value == int(value) else float(value)
    return str(value)
