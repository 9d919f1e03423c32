"""What papers print: each figure as a check, with the band in which a reproduction of it must lie.

One TOML file a paper. A check compares a quantity, its ratio to another or its difference from another with a band.
The band is what rounds to the figure that is `printed`, or the sign of a comparison (an end at 0). One that reaches
farther, by `margin` or by `low` and `high`, says in `wider_because` why. A whole number is a count and stands for
itself, unless the check says that it is a `mean`. Where something is drawn, `sd` is the standard
deviation over draws, and the margin no more than three of them.

A difference is explained by a measurement: beside `why` is `then`, what is measured without its cause, within the band.
Any other reason begins with “unexplained”.
"""

from __future__ import annotations

import hashlib
import itertools
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from auditor.papers.bands import Band, printed_band

Compared = Literal["value", "ratio", "difference"]

#: What names a quantity. What a paper's study does not tell apart is left empty.
KEYS = ("dataset", "metric", "candidate", "level", "statistic")

Quantity = tuple[str, ...]

#: How a band was chosen.
ROUNDING, MEAN, SAMPLING, EXACT, SIGN, REASON = (
    "rounding of the print",
    "rounding of a mean",
    "sampling error",
    "exact",
    "sign of a comparison",
    "a reason of ours",
)

#: What a mean that is printed as a whole number is rounded by.
HALF_OF_ONE = 0.5

#: So many standard deviations over draws are the most that a margin may be.
_MOST_SDS = 3

#: For a reason of ours a band reaches at most so far beyond the print: a share of the figure, or so much. A wider one
#: holds whatever is measured.
_MOST_OF_FIGURE, _MOST = 0.1, 0.01

#: What the ends of bands are rounded by.
_ROUNDED = 1e-9

#: What a reason begins with that no measurement bears out.
UNEXPLAINED = "unexplained"


@dataclass(frozen=True)
class Check:
    """One published figure: quantity `of`, compared with `to` where there is one, must lie within its band.

    `item` is its number in the list of things that papers compute, `section` where the paper says it, `says` what it
    says, `printed` its figure. `wider_because` is why the band holds more than what rounds to the figure, `sd` the
    standard deviation of the quantity over draws, `mean` whether a whole number is a rounded mean, `why` explains a
    difference that is known. `unanswerable` is why nothing that may be had answers it. A check with `remark_on`
    measures that statement in a second way: it is shown, and decides nothing.
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
        """Return how the band was chosen; null where there is none."""
        if self.band is None:
            return None
        if self.wider_because:
            return REASON if self.sd is None else SAMPLING
        if self.printed is not None:
            return MEAN if self.mean else ROUNDING
        return EXACT if self.band.low == self.band.high else SIGN

    @property
    def claim(self) -> str:
        """Name the claim by what it says, so that a link to it outlives other claims: eight digits of a hash."""
        told = (self.item, self.section, self.says, *self.of, *(self.to or ()), self.compared)
        return hashlib.sha256("\n".join(told).encode()).hexdigest()[:8]

    def holds(self, value: float) -> bool:
        """Return whether a value lies within the band."""
        return self.band is not None and self.band.holds(value)


@dataclass(frozen=True)
class Paper:
    """A paper with its checks. `datasets` are those that it measures and that may be had, in its order.

    `tokenizers` are those that its study cannot do without, `beside` the names of files that it looks for in the
    folders of the declared ones.
    """

    name: str
    citation: str
    datasets: tuple[str, ...]
    checks: tuple[Check, ...]
    tokenizers: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()


def read_paper(name: str, text: str) -> Paper:
    """Read a paper from the text of its file.

    Raises `ValueError` for a check without a band, or with one that is wider than its figure's rounding for no reason.
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
            raise ValueError(f"{check.item}, {check.says}: a remark on {check.remark_on!r}, which {name} does not say")
    ordered = tuple(sorted(checks, key=lambda check: check.item))
    further = {key: tuple(document.get(key, ())) for key in ("tokenizers", "beside")}
    return Paper(name, document["citation"], tuple(document["datasets"]), ordered, **further)


def _expanded(entry: Mapping[str, Any], groups: Mapping[str, list[str]]) -> Iterator[Check]:
    """Make one check for every combination of what lists and groups stand for."""
    named = [entry.get(key, "") for key in KEYS]
    listed = [groups.get(value, [value]) if isinstance(value, str) else value for value in named]
    band = _band(entry)
    for combination in itertools.product(*listed):
        here = dict(zip(KEYS, combination, strict=True))
        yield Check(
            item=entry["item"],
            section=entry["section"],
            says=entry["says"],
            of=tuple((here | entry.get("of", {})).values()),
            to=tuple((here | entry["to"]).values()) if "to" in entry else None,
            compared=entry.get("compared", "difference" if "to" in entry else "value"),
            band=band,
            why=_why(entry, here, band),
            printed=entry.get("printed"),
            wider_because=entry.get("wider_because"),
            unanswerable=_named(entry.get("unanswerable"), here),
            remark_on=entry.get("remark_on"),
            sd=entry.get("sd"),
            mean=entry.get("mean", False),
        )


def _band(entry: Mapping[str, Any]) -> Band | None:
    """Find the band of a check, and see to it that one that is not the print's says why."""
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
        raise ValueError(
            f"{named}: the band {band} holds whatever is measured: its reach is that of a draw, with its sd"
        )
    if ours and not entry.get("wider_because"):
        raise ValueError(f"{named}: the band {band} is not what rounds to a printed figure: wider_because says why")
    return band


def _holds_anything(band: Band, rounding: Band) -> bool:
    """Return whether a band reaches too far beyond what rounds to the figure to fail."""
    ends = ((band.low, rounding.low), (band.high, rounding.high))
    return any(
        end is not None and edge is not None and abs(end - edge) > max(_MOST_OF_FIGURE * abs(edge), _MOST) + _ROUNDED
        for end, edge in ends
    )


def _why(entry: Mapping[str, Any], here: Mapping[str, str], band: Band | None) -> str | None:
    """Return what explains a difference; refuse it unless what is measured without its cause lies within the band."""
    why: str | None = _named(entry.get("why"), here)
    then: float | None = _named(entry.get("then"), here)
    if why and not why.startswith(UNEXPLAINED) and (then is None or band is None or not band.holds(then)):
        raise ValueError(
            f"{entry['item']}, {entry['says']}: “{why}” explains nothing: `then`, what is measured without that cause,"
            f" must lie within {band}; else the reason begins with “{UNEXPLAINED}”"
        )
    return why


def _named(given: Any, here: Mapping[str, str]) -> Any:
    """Return what an entry gives: one for all of its checks, or one by the name of a dataset or a metric."""
    if not isinstance(given, Mapping):
        return given
    return next((given[name] for name in here.values() if name in given), None)
