"""The result of a study: rows, tables, figures, sentences, signatures; never how to show it."""

from __future__ import annotations

import datetime
import decimal
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, replace
from typing import Any, Literal, Self

import polars as pl
import polars.selectors as cs

from auditor.errors import AuditorError
from auditor.model import Pictured, Selection
from auditor.result.display import ShownResult
from auditor.result.portraits import Portrait, Quoted
from auditor.result.sentences import Sentence as Sentence
from auditor.result.sentences import record, with_role
from auditor.version import VERSION

#: Bars are grouped by `x`, with a bar for each of `series`. Lines and points are drawn for each of `series`. A heatmap
#: has a cell for each `x` and `y` that shows `value`.
Kind = Literal["bars", "lines", "points", "heatmap"]


@dataclass(frozen=True)
class Figure:
    """The rows of a figure, and the roles of their columns.

    `x`, `y`, `series` and `value` name columns of `frame`. Categories are drawn in the order of their first rows. `low`
    and `high` name the ends of an interval of `y`, if there is one. `span` is the range of values that the colors of a
    heatmap cover. `name` is a word that can be part of a file name. A series whose name ends with `dashed` has a
    dashed line in the color of the name without it; other lines are solid.
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
    dashed: str = ""


def percent(share: float) -> str:
    """Write a share of 1 in percent."""
    if 0 < share < 0.0001:
        return "<0.01%"
    return f"{share:.0%}" if share >= 0.1 else f"{share:.1%}" if share >= 0.001 else f"{share:.2%}"


def counted(number: int, name: str, more: str) -> str:
    """Write a number with its word: `1 image has`, `2,000 images have`."""
    return f"{number:,} {name if number == 1 else more}"


def listed(names: Sequence[object] | pl.Series, most: int) -> str:
    """Return a list of the first names: `a, b, c, …`."""
    return ", ".join(map(str, names[:most])) + (", …" if len(names) > most else "")


def program() -> str:
    """Return the name and the version of the software."""
    return f"auditor {VERSION}"


#: What stands for the rows in a document before they are written.
_ROWS = "rows of the frame"

_FLOATS, _FLOAT_LISTS = cs.float(), cs.list(cs.float())


def joined(words: Sequence[str]) -> str:
    """Join words as in a sentence: `one, two and three`."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


#: A p-value below this is written as `< 0.001`, except in data.
LEAST_P = 0.001


def digits(value: float) -> str:
    """Write a number for a sentence: with three decimals, from 10 on with one."""
    return f"{value:,.1f}" if abs(value) >= 10 else f"{value:.3f}"


def interval(low: float | None, high: float | None, confidence: float | None = None) -> str:
    """Write the interval of a number, after a space; empty if there is none."""
    if low is None or high is None:
        return ""
    share = f", {plain(round(100 * confidence, 10))}%" if confidence else ""
    return f" ({digits(low)} to {digits(high)}{share})"


@dataclass(frozen=True)
class Signature:
    """The settings behind a number: the metric, every parameter that matters, and the version of the metric."""

    metric: str
    parameters: Mapping[str, str | int | float | bool]
    version: int

    def __str__(self) -> str:
        """Return the usual form of a signature, `cider-d|tok:bare|refs:loo|n:4|sigma:6|idf:dataset|scale:raw|v:1`."""
        shown = (f"{key}:{plain(value)}" for key, value in self.parameters.items())
        return "|".join([self.metric, *shown, f"v:{self.version}"])


def as_papers_write(metric: str) -> str:
    """Return the name of a metric as papers write it, such as ROUGE-L for rouge-l; settings and other names stay."""
    name = re.match(r"(bleu|rouge|meteor|cider|ter|chrf)(-[\w.-]+)?(?=$|:)", metric)
    if name is None:
        return metric
    return name[0].upper().replace("CIDER", "CIDEr").replace("CHRF", "chrF") + metric[name.end() :]


def plain(value: str | float | bool) -> str:
    """Write a setting for signatures and labels: `6` for 6.0, `true`, and all digits of other numbers."""
    return str(int(value)) if isinstance(value, float) and value == int(value) else str(value).lower()


#: How much a finding matters: `info` is not a problem, `notice` is worth knowing, `warning` needs a look before you use
#: the numbers, `error` is certainly wrong.
Severity = Literal["info", "notice", "warning", "error"]

#: What captions describe, unless a dataset has another word.
IMAGE = "image"

#: The version of the JSON of results.
JSON_VERSION = 3

#: The severities, from the worst on.
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "notice", "info")


@dataclass(frozen=True)
class Finding:
    """One finding, as data and as a sentence.

    `kind` is a code of `auditor.findings.KINDS`, whose page explains it. `about` names its subject: dataset, version,
    split, image, slot, metric, against …. `values` are its numbers, for `n` items that were checked. `examples` are
    some of its captions: image, slot, text, why; for pairs also `other_image`, `other_slot` and `other_text`.
    `headline` is its main number with the unit. `item` is the word for what the captions describe. `advice` is what to
    do, if a reader needs other commands than those of its kind.
    """

    kind: str
    sentence: str
    about: Mapping[str, str | int | None] = field(default_factory=dict, hash=False)
    values: Mapping[str, str | float | None] = field(default_factory=dict, hash=False)
    n: int | None = None
    severity: Severity = "info"
    examples: tuple[Mapping[str, str | int | None], ...] = field(default=(), hash=False)
    headline: str = ""
    item: str = IMAGE
    advice: str = ""

    def __str__(self) -> str:
        """Return its sentence."""
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
            **({"item": self.item} if self.item != IMAGE else {}),
            **({"examples": [dict(example) for example in self.examples]} if self.examples else {}),
        }


#: A remark of a study on its rows: a finding, or a note on how its numbers were computed.
Said = str | Finding


def notes_in(remarks: Iterable[Said]) -> tuple[str, ...]:
    """Return the notes."""
    return tuple(remark for remark in remarks if isinstance(remark, str))


def findings_in(remarks: Iterable[Said]) -> tuple[Finding, ...]:
    """Return the findings."""
    return tuple(remark for remark in remarks if isinstance(remark, Finding))


def about(selection: Selection, **further: str | int | None) -> dict[str, str | int | None]:
    """Return the subject of a finding: a selection of captions, and `further` details."""
    version = selection.version
    return {"dataset": version.dataset, "version": version.version, "split": selection.split, **further}


@dataclass(frozen=True)
class Table:
    """Rows arranged for reading.

    `name` is a stable word by which programs select the table; titles can change. `bars` names columns with shares of 1
    that a reporter can draw as bars; of an `is_scaled` table, as shares of the largest value of their section. A new
    section begins when the value of column `sections` changes. `best` names highlighted cells, by row and column: those
    ranked first with certainty. `digits` is the number of decimals of a column, if it is not four; an `exact` table
    shows all of them. `beside` names two columns of texts whose differing words can be marked, `hits` a column of texts
    with what was found in each, around which it can be cut. `tells_findings` marks a
    table that repeats the findings of its result. `pictured` are the images of the rows. On a page, `anchors` names the
    column that links to rows use, and `filters` the columns that select rows. `sentences` are columns that can name
    commands. A report shows a `further` table only on request. A table that places datasets by the column in `bars` has
    a `sample`: the first such table of a report is part of its answer, and a page has a switch for further samples of
    the same column.
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
    hits: tuple[str, tuple[str, ...]] | None = None
    name: str = ""
    tells_findings: bool = False
    pictured: tuple[Pictured, ...] = ()
    anchors: str | None = None
    filters: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()
    further: bool = False
    is_scaled: bool = False
    sample: str = ""


def answering(tables: Sequence[Table]) -> tuple[Table, ...]:
    """Return the tables that place datasets: the first sample of each column."""
    placed = {table.bars: table for table in reversed(tables) if table.sample}
    return tuple(table for table in tables if placed.get(table.bars) is table)


def folded(tables: Iterable[Table], *shown: str) -> tuple[Table, ...]:
    """Return the tables, with all but those named in `shown` marked as further."""
    return tuple(replace(table, further=table.name not in shown) for table in tables)


@dataclass(frozen=True, repr=False)
class Result(ShownResult):
    """The result of a study.

    `frame` has flat rows in the public column vocabulary, which JSON, CSV and Parquet carry. `tables` arrange the same
    facts for reading, `figures` draw them. `lead` answers the question in sentences with roles. `findings` have a code,
    numbers and a sentence each. `notes` explain how the numbers were computed, and what was skipped. `holds` is the
    verdict of a study that has one: whether the checks passed. `failure` is the error with which a command ends after
    it has shown the rows. A page shows `page` instead of `tables`, under the title `headline`; LaTeX has `exhibits`
    instead, if there are some. `volatile` names columns that can differ between stores of the same captions: JSON keeps
    them separate. `sql` has the paths below `sql/` of the SELECTs that ran. `portraits` and `quoted` are what a report
    shows of each dataset before all else. The last argument has remarks, which become notes and findings.
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
    exhibits: tuple[Table, ...] = ()
    headline: str | None = None
    volatile: tuple[str, ...] = ()
    lead: tuple[str, ...] = ()
    sql: tuple[str, ...] = ()
    portraits: tuple[Portrait, ...] = ()
    quoted: tuple[Quoted, ...] = ()
    said: InitVar[Iterable[Said]] = ()

    def __post_init__(self, said: Iterable[Said]) -> None:
        remarks = tuple(said)
        notes = (*self.notes, *notes_in(remarks))
        object.__setattr__(self, "findings", (*findings_in(remarks), *self.findings))
        object.__setattr__(self, "lead", tuple(with_role(text, "answer") for text in self.lead))
        object.__setattr__(self, "notes", tuple(with_role(text, "note") for text in notes))

    @property
    def sentences(self) -> tuple[str, ...]:
        """The notes, then the sentences of the findings."""
        return (*self.notes, *(finding.sentence for finding in self.findings))

    @property
    def remarks(self) -> tuple[str, ...]:
        """The sentences that are not in the lead: notes, then findings."""
        told = [sentence.finding for sentence in self.lead if isinstance(sentence, Sentence)]
        return (*self.notes, *(finding.sentence for finding in self.findings if finding not in told))

    def found(self, *kinds: str) -> tuple[Finding, ...]:
        """Return the findings of these kinds."""
        return tuple(finding for finding in self.findings if finding.kind in kinds)

    def led_by(self, *kinds: str) -> Self:
        """Return the result with its findings of these kinds as the lead, in this order."""
        told = (Sentence.of(finding) for kind in kinds for finding in self.found(kind))
        return replace(self, lead=(*told, *self.lead))

    def table(self, name: str) -> Table:
        """Return the table of a name. Raises `KeyError` if there is none, or one for each of several datasets."""
        named = [table for table in self.tables if table.name == name]
        if len(named) != 1:
            raise KeyError(f"{self.command}: {'several tables' if named else 'no table'} {name}")
        return named[0]

    def to_json(self, *, volatile: bool = True) -> str:
        """Return the documented JSON object, `{"auditor.<command>/v3": {...}}`, with or without key `volatile`."""
        body: dict[str, Any] = {
            "versions": [selection.record() for selection in self.selections],
            "signatures": dict(self.signatures),
            "lead": [record(text, "answer") for text in self.lead],
            "notes": [record(text, "note") for text in self.notes],
            "sql": list(self.sql),
            "findings": [finding.record() for finding in self.findings],
            "rows": _ROWS,
        }
        document = {f"auditor.{self.command}/v{JSON_VERSION}": body | ({"volatile": self.apart()} if volatile else {})}
        finite = (_finite(_FLOATS), _FLOAT_LISTS.list.eval(_finite(pl.element())))
        before, _, after = document_json(document).partition(f'"rows": "{_ROWS}"')
        return f'{before}"rows": {_json_rows(self.frame.drop(self.volatile).with_columns(*finite))}{after}'

    def apart(self) -> dict[str, Any]:
        """Return the values that can differ in another store of the same captions, as a JSON object."""
        rows = {"rows": self.frame.select(self.volatile).to_dicts()} if self.volatile else {}
        return {"versions": [selection.volatile() for selection in self.selections], **rows}


def _json_rows(rows: pl.DataFrame) -> str:
    """Write rows as `document_json` does at their place; with an indent, the encoder of the library is slow."""
    within, row_begins, field_begins = (f"\n{' ' * depth}" for depth in (4, 6, 8))
    if rows.is_empty() or any(kind.is_nested() for kind in rows.dtypes):
        return document_json(rows.to_dicts()).replace("\n", within)
    encode = json.JSONEncoder(
        ensure_ascii=False, allow_nan=False, separators=(f",{field_begins}", ": "), default=_json_value
    ).encode
    each = (f"{row_begins}{{{field_begins}{encode(row)[1:-1]}{row_begins}}}" for row in rows.iter_rows(named=True))
    return f"[{','.join(each)}{within}]"


def document_json(document: object, indent: int | None = 2) -> str:
    """Write a JSON document; dates in ISO format, whole decimals as integers."""
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=indent, default=_json_value)


def _finite_value(value: str | float | None) -> str | float | None:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _finite(value: pl.Expr) -> pl.Expr:
    """Replace values that JSON does not have by null."""
    return pl.when(value.is_finite()).then(value)


def _json_value(value: object) -> object:
    if isinstance(value, datetime.datetime | datetime.date):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return int(value) if value == int(value) else float(value)
    return str(value)
