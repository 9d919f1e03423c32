"""The published figures: each is a check, with the band in which a reproduction must lie.

Each paper has a TOML file. A check compares a quantity with a band, or its ratio to or difference from another.
The band is what rounds to the `printed` figure, or the sign of a comparison (an end at 0). A wider one, by `margin` or
by `low` and `high`, has its reason in `wider_because`. A whole number is a count and is its own band, unless the check
marks it as a `mean`. For random samples, `sd` is the standard deviation over them, and the margin at most three of it.

A difference is explained by a measurement: `why` is the cause, and `then` the value without it, within the band.
Any other reason begins with “unexplained”.
"""

from __future__ import annotations

import hashlib
import itertools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from auditor.papers.bands import Band, printed_band

Compared = Literal["value", "ratio", "difference"]

#: The parts of a quantity's name. A part that a paper's study does not need is empty.
KEYS = ("dataset", "metric", "candidate", "level", "statistic")

Quantity = tuple[str, ...]

#: What a paper's program yields: quantities with their values.
Quantities = Iterator[tuple[Quantity, float]]

#: How a band was chosen.
ROUNDING, MEAN, SAMPLING, EXACT, SIGN, REASON = (
    "rounding of the print",
    "rounding of a mean",
    "sampling error",
    "exact",
    "sign of a comparison",
    "a reason of ours",
)

#: Half of the last digit of a mean that is printed as a whole number.
HALF_OF_ONE = 0.5

#: The largest margin, in standard deviations over samples.
_MOST_SDS = 3

#: How far a band with our own reason reaches beyond the printed figure at most: a share of the figure, or this much.
#: A wider one would accept any value.
_MOST_OF_FIGURE, _MOST = 0.1, 0.01

#: The rounding of the ends of bands.
_ROUNDED = 1e-9

#: What an entry says in the same way of each of its checks.
_SAME = ("item", "section", "says", "printed", "wider_because", "remark_on", "sd", "mean")

#: The first word of a reason without a measurement that supports it.
UNEXPLAINED = "unexplained"


@dataclass(frozen=True)
class Check:
    """One published figure: quantity `of`, compared with `to` if given, must lie within its band.

    `item` is its number in the list of published claims, `section` its section in the paper, `printed` the
    figure. `wider_because` is why the band is wider than the rounding of the figure. `sd` is the standard deviation of
    the quantity over random samples. `mean` marks a whole number that is a rounded mean. `why` explains a known
    difference. `unanswerable` is why it cannot be recomputed. A check with `remark_on` measures that statement in a
    second way: it is shown but not counted.
    """

    item: str
    section: str
    says: str
    of: Quantity
    to: Quantity | None
    compared: Compared
    band: Band | None
    why: str | None = None
    printed: str | None = None
    wider_because: str | None = None
    unanswerable: str | None = None
    remark_on: str | None = None
    sd: float | None = None
    mean: bool = False

    @property
    def chosen_by(self) -> str | None:
        """Return how the band was chosen; null without a band."""
        if self.band is None:
            return None
        if self.wider_because:
            return REASON if self.sd is None else SAMPLING
        if self.printed is not None:
            return MEAN if self.mean else ROUNDING
        return EXACT if self.band.low == self.band.high else SIGN

    @property
    def claim(self) -> str:
        """Return eight digits of a hash of the claim, so that its link survives changes to other claims."""
        content = (self.item, self.section, self.says, *self.of, *(self.to or ()), self.compared)
        return hashlib.sha256("\n".join(content).encode()).hexdigest()[:8]

    def holds(self, value: float) -> bool:
        """Return whether a value lies within the band."""
        return self.band is not None and self.band.holds(value)


@dataclass(frozen=True)
class Exhibit:
    """A figure or a table of a paper: the quantities that it shows, and on which sides.

    `of` has the patterns of each part of a quantity's name, in the order shown. `x` are the parts along the axis, or of
    the columns of a table. `by` is the part of the series, or of the rows. The two metrics of a correlation are the
    parts `first` and `second`. There is a figure for each value of the parts `each`. `rho` replaces parts of a name by
    those of the correlation in its title. Without `digits`, a number has the decimals of the print.
    """

    name: str
    title: str
    kind: Literal["bars", "lines", "heatmap", "table"]
    of: tuple[tuple[str, ...], ...]
    x: tuple[str, ...]
    by: str
    each: tuple[str, ...] = ()
    x_label: str = ""
    y_label: str = ""
    log_x: bool = False
    rho: Mapping[str, str] = field(default_factory=dict)
    digits: int | None = None
    note: str = ""


@dataclass(frozen=True)
class Run:
    """A study of `STUDIES` that a paper asks, with options: on all `refs` that are stored, or `each` alone.

    Each row that meets the `where` of one of its `cells` gives a quantity per statistic in `values`. Both are SQL over
    the columns of its rows, or of a `table` of its result. The other parts of its name are words, with `{column}` for a
    value of the row. With `over`, quantities of one name are one: their lowest, highest or average. A run that `adds`
    metrics is asked again for those of a user, `without` some options. The signatures and notes of one that is not
    `signed` are left out. One that is not `drawn` has no seed.
    """

    study: str
    refs: Sequence[str]
    options: Mapping[str, Any] = field(default_factory=dict)
    cells: Sequence[Mapping[str, Any]] = ()
    each: bool = False
    adds: bool = False
    without: Sequence[str] = ()
    signed: bool = True
    drawn: bool = True


@dataclass(frozen=True)
class Reading:
    """A metric by its name in the paper: as its program computed it, as is sound, and why the two differ.

    Both are metrics with options; one that the paper lacks is not `published`. Scores as published have `decimals` if
    the program printed those. The `repository` of the paper may have a later definition.
    """

    name: str
    sound: str
    published: str = ""
    repository: str = ""
    why: str = ""
    decimals: int | None = None

    @property
    def metric(self) -> str:
        """Return the name of our metric."""
        return self.sound.partition(":")[0]


@dataclass(frozen=True)
class Paper:
    """A paper with its checks. `datasets` are those that it measures and that can be obtained, in its order.

    `tokenizers` are those that its study requires. `beside` names the files that it looks for in the folders of the
    declared files. `called` has the paper's names of parts of quantities in its `exhibits`. `readings` are its metrics,
    `runs` the studies that it asks, `derived` the SELECTs over `quantities` that give further ones. `needs` are the
    datasets with the references of others. `made` has the commands that make a dataset. `auditor fetch` explains how to
    obtain those that are `obtained`.
    """

    name: str
    citation: str
    datasets: tuple[str, ...]
    checks: tuple[Check, ...]
    tokenizers: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    exhibits: tuple[Exhibit, ...] = ()
    called: Mapping[str, str] = field(default_factory=dict)
    readings: tuple[Reading, ...] = ()
    runs: Mapping[str, Run] = field(default_factory=dict)
    needs: Mapping[str, str] = field(default_factory=dict)
    made: Mapping[str, str] = field(default_factory=dict)
    obtained: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()


def read_paper(name: str, text: str) -> Paper:
    """Read a paper from the text of its file.

    Raises `ValueError` for a check without a band, or with one wider than its figure's rounding without a reason, and
    for a cell of a run with an unknown key.
    """
    document = tomllib.loads(text)
    kinds, groups = document["kinds"], document.get("groups", {})
    checks = [
        check
        for kind, entries in document["checks"].items()
        for entry in entries
        for check in _expanded({**kinds[kind], **entry}, groups)
    ]
    counted = {check.says for check in checks if check.remark_on is None}
    for check in checks:
        if check.remark_on is not None and check.remark_on not in counted:
            raise ValueError(f"{check.item}, {check.says}: {name} has no statement {check.remark_on!r} to remark on")
    ordered = tuple(sorted(checks, key=lambda check: check.item))
    datasets = tuple(document["datasets"])
    listed = ("tokenizers", "beside", "obtained", "derived")
    further: dict[str, Any] = {key: tuple(document.get(key, ())) for key in listed}
    further |= {key: document.get(key, {}) for key in ("called", "needs", "made")}
    further["readings"] = tuple(Reading(**entry) for entry in document.get("readings", ()))
    further["exhibits"] = tuple(_exhibit(entry, groups) for entry in document.get("exhibits", ()))
    further["runs"] = {key: _run(entry, datasets, groups) for key, entry in document.get("runs", {}).items()}
    return Paper(name, document["citation"], datasets, ordered, **further)


def _run(entry: Mapping[str, Any], datasets: Sequence[str], groups: Mapping[str, list[str]]) -> Run:
    """Read a run, on the paper's datasets unless it names others. Its metrics can be a group.

    Raises `ValueError` for a cell with another key.
    """
    keys = {*KEYS[:-1], "table", "where", "values", "over"}
    unknown = {key for cell in entry.get("cells", ()) for key in cell} - keys
    if unknown:
        raise ValueError(f"run of {entry['study']}: cells have no {', '.join(sorted(unknown))}")
    options = {**entry.get("options", {})}
    if "metrics" in options:
        options["metrics"] = _members(options["metrics"], groups)
    return Run(**{"refs": datasets, **entry, "options": options})


def _exhibit(entry: Mapping[str, Any], groups: Mapping[str, list[str]]) -> Exhibit:
    """Read an exhibit, with `pairs` as the correlations between two lists of metrics."""
    pairs = itertools.product(*entry.get("pairs", ()))
    of = {**entry["of"], **({"metric": list(map(" ".join, pairs))} if "pairs" in entry else {})}
    patterns = tuple(tuple(_members(of.get(key, ""), groups)) for key in KEYS)
    given: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in entry.items() if key != "pairs"
    }
    return Exhibit(**given | {"of": patterns})


def _members(value: str | list[str], groups: Mapping[str, list[str]]) -> list[str]:
    return groups.get(value, [value]) if isinstance(value, str) else value


def _expanded(entry: Mapping[str, Any], groups: Mapping[str, list[str]]) -> Iterator[Check]:
    """Yield a check for every combination of the members of lists and groups."""
    listed = [_members(entry.get(key, ""), groups) for key in KEYS]
    band = _band(entry)
    for combination in itertools.product(*listed):
        here = dict(zip(KEYS, combination, strict=True))
        yield Check(
            **{key: entry[key] for key in _SAME if key in entry},
            of=tuple((here | entry.get("of", {})).values()),
            to=tuple((here | entry["to"]).values()) if "to" in entry else None,
            compared=entry.get("compared", "difference" if "to" in entry else "value"),
            band=band,
            why=_why(entry, here, band),
            unanswerable=_named(entry.get("unanswerable"), here),
        )


def _band(entry: Mapping[str, Any]) -> Band | None:
    """Return the band of a check. Raises `ValueError` for a wider one without a reason."""
    named, printed = f"{entry['item']}, {entry['says']}", entry.get("printed")
    low, high = entry.get("low"), entry.get("high")
    if printed is None and low is None and high is None:
        if "unanswerable" in entry:
            return None
        raise ValueError(f"{named}: neither a printed figure nor a band")
    if printed is None:
        band = Band(low, high, entry.get("strict", False))
        ours = low != high and {low, high} - {None, 0}
    else:
        rounding = printed_band(printed, HALF_OF_ONE if entry.get("mean") else 0)
        given = low is not None or high is not None
        further = printed_band(printed, entry["margin"]) if "margin" in entry else rounding
        band = Band(low, high, rounding.strict) if given else further
        ours = band.reaches_beyond(rounding)
    margin, sd = entry.get("margin", 0), entry.get("sd")
    if sd is not None and margin > _MOST_SDS * sd:
        raise ValueError(f"{named}: a margin of {margin} is more than {_MOST_SDS} standard deviations over draws, {sd}")
    if ours and sd is None and printed is not None and _holds_anything(band, rounding):
        raise ValueError(f"{named}: the band {band} accepts any measured value: give a margin with its sd")
    if ours and not entry.get("wider_because"):
        raise ValueError(f"{named}: the band {band} is not what rounds to a printed figure: add wider_because")
    return band


def _holds_anything(band: Band, rounding: Band) -> bool:
    """Return whether a band reaches so far beyond the rounding of the figure that it cannot fail."""
    ends = ((band.low, rounding.low), (band.high, rounding.high))
    return any(
        end is not None and edge is not None and abs(end - edge) > max(_MOST_OF_FIGURE * abs(edge), _MOST) + _ROUNDED
        for end, edge in ends
    )


def _why(entry: Mapping[str, Any], here: Mapping[str, str], band: Band | None) -> str | None:
    """Return the reason of a difference. Raises `ValueError` unless the value without its cause lies in the band."""
    why: str | None = _named(entry.get("why"), here)
    then: float | None = _named(entry.get("then"), here)
    if why and not why.startswith(UNEXPLAINED) and (then is None or band is None or not band.holds(then)):
        raise ValueError(
            f"{entry['item']}, {entry['says']}: “{why}” explains nothing: `then`, the value without that cause, "
            f"must lie within {band}; else begin the reason with “{UNEXPLAINED}”"
        )
    return why


def _named(value: Any, here: Mapping[str, str]) -> Any:
    """Return a value of an entry: the same for all of its checks, or by the name of a dataset or a metric."""
    if not isinstance(value, Mapping):
        return value
    return next((value[name] for name in here.values() if name in value), None)
