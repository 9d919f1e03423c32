"""Which findings, gates, numbers and dimensions are new, worse, better or gone from one version to another?

Only more than chance is listed. A share or number must differ with p < 0.05, corrected for all that are compared: by a
test of two shares or, with a standard error, by Student's t. Another severity counts, too, as does an error or a
warning that only one version has. A gate that fails is an error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import polars as pl

from auditor.findings import KINDS
from auditor.result import SEVERITIES, Finding, Result, Table, digits, percent
from auditor.statistics.cards import explained
from auditor.statistics.sameness import SAMENESS
from auditor.statistics.significance import holm, of_shares, students_p
from auditor.studies.findings import unlisted

#: The columns of a change. `captions` and `images` count those that are behind it: listed in one version alone.
ROWS: Mapping[str, type[pl.DataType]] = {
    **dict.fromkeys(("part", "what", "change"), pl.String),
    **dict.fromkeys(("before", "after", "p"), pl.Float64),
    **dict.fromkeys(("severity_before", "severity_after"), pl.String),
    **dict.fromkeys(("images", "captions"), pl.Int64),
    "image": pl.String,
    "slot": pl.UInt32,
    "text": pl.String,
    "why": pl.String,
}

CHANGES = ("new", "worse", "better", "gone")

#: The changes that make a version worse.
BAD = CHANGES[:2]

LEVEL = 0.05

#: What is compared, in the order in which the verdict counts it.
FINDING, GATE, NUMBER, DIMENSION = PARTS = ("finding", "gate", "number", "dimension")

#: The most characters of an example in the table.
_SHOWN = 60


def compared(before: Result, after: Result) -> pl.DataFrame:
    """Return a row for each change, the worst first.

    The results have the findings of one version each, with the captions that they list. What else is compared is a
    finding, too: its subject has `part`, its values `share` and perhaps `error`, a standard error over `n` images.
    """
    sides = a, b = _held(before), _held(after)
    sizes = [next(one.n or 1 for key, one in side.items() if key[0] == DIMENSION) for side in sides]
    keys = sorted({*a, *b}, key=lambda key: (PARTS.index(key[0]), key[1]))
    tested = {key: p for key in keys if (p := _p(a.get(key), b.get(key), sizes[0] / sizes[1])) is not None}
    corrected = dict(zip(tested, holm([*tested.values()]), strict=True))
    only_a, only_b = unlisted(before.frame, after.frame), unlisted(after.frame, before.frame)
    rows = []
    for key in keys:
        old, new, p = a.get(key), b.get(key), corrected.get(key)
        if change := _change(old, new, p is not None and p < LEVEL):
            row: dict[str, Any] = {"part": key[0], "what": key[1], "change": change, "p": p}
            for name, one in (("before", old), ("after", new)):
                row |= {name: one and _share(one), f"severity_{name}": one and one.severity}
            rows.append(row | (_behind(key, new, old, only_b) if change in BAD else _behind(key, old, new, only_a)))
    return pl.DataFrame(sorted(rows, key=_order), schema=ROWS, orient="row")


def _held(side: Result) -> dict[tuple[str, str], Finding]:
    """Return what is compared, the worst finding of each kind, or the parts of one that has some."""
    held = {}
    for one in reversed(side.findings):
        if "part" in one.about or (one.severity != "info" and not KINDS[one.kind].parts):
            held[str(one.about.get("part", FINDING)), one.kind] = one
    return held


def _share(finding: Finding) -> float | None:
    share = finding.values.get("share")
    return share if isinstance(share, float) else None


def _p(a: Finding | None, b: Finding | None, ratio: float) -> float | None:
    """Test two shares or numbers; a finding that one side lacks is about none of as many captions or images."""
    there = [one for one in (a, b) if one]
    n_a, n_b = (one.n or 0 if one else 0 for one in (a, b))
    n_a, n_b = n_a or round(n_b * ratio), n_b or round(n_a / ratio)
    old, new = _share(a) if a else 0.0, _share(b) if b else 0.0
    if old is None or new is None or not n_a or not n_b or (len(there) == 1 and "part" in there[0].about):
        return None
    if error := math.hypot(*(float(one.values.get("error") or 0) for one in there)):
        return students_p((new - old) / error, min(n_a, n_b) - 1)
    return of_shares(round(old * n_a), n_a, round(new * n_b), n_b)


def _change(a: Finding | None, b: Finding | None, sure: bool) -> str | None:
    """Return the change of a finding; null if it can be chance. Less is better of all that is compared."""
    if a is None or b is None:
        is_bad = any(one.severity in SEVERITIES[:2] for one in (a, b) if one)
        return ("new" if a is None else "gone") if is_bad or sure else None
    if a.severity != b.severity:
        return "worse" if SEVERITIES.index(b.severity) < SEVERITIES.index(a.severity) else "better"
    return ("worse" if (_share(b) or 0) > (_share(a) or 0) else "better") if sure else None


def _behind(key: tuple[str, str], held: Finding | None, other: Finding | None, listed: pl.DataFrame) -> dict[str, Any]:
    """Return how many captions and images of a list are behind a change, with the first; else an example."""
    part, what = key
    rows = listed.filter(pl.col("kind").is_in([k for k in KINDS if what in (k, KINDS[k].dimension)] + [what]))
    rows = rows.filter(pl.col("severity").is_in(SEVERITIES[:2])) if part == DIMENSION else rows
    examples = [one for one in (held.examples if held else ()) if other is None or one not in other.examples]
    first = next(rows.head(1).iter_rows(named=True), examples[0] if examples else {})
    counts = {"images": rows["image"].n_unique(), "captions": rows.drop_nulls("slot").unique(["image", "slot"]).height}
    return {name: n or None for name, n in counts.items()} | {name: first.get(name) for name in [*ROWS][-4:]}


def _order(row: Mapping[str, Any]) -> tuple[bool, int, float]:
    """Put what is bad first, then by severity, then by difference."""
    bad = row["change"] in BAD
    severity = SEVERITIES.index(row["severity_after" if bad else "severity_before"])
    return not bad, severity, -abs((row["after"] or 0) - (row["before"] or 0))


def tallied(rows: pl.DataFrame) -> str:
    """Return how many findings, gates, numbers and dimensions changed, in words."""
    told = []
    for part in PARTS:
        counts = [(rows.filter(part=part, change=change).height, change) for change in CHANGES]
        words = [f"{n} {'is' if n == 1 else 'are'} {change}" for n, change in counts if n]
        word = part if words[:1] and words[0].startswith("1 ") else f"{part}s"
        told += [", ".join([words[0].replace(" ", f" {word} ", 1), *words[1:]])] if words else []
    return "; ".join(told)


def shown(rows: pl.DataFrame, title: str) -> Table:
    """Return the table of changes, with an example each."""
    told = []
    for row in rows.iter_rows(named=True):
        what = {DIMENSION: "not {}", GATE: "gate {}"}.get(row["part"], "{}").format(row["what"])
        sides = (_written(row, side) for side in ("before", "after"))
        told.append((row["change"], what, *sides, row["captions"] or row["images"], _quoted(row)))
    columns = dict.fromkeys(("change", "what", "before", "after", "captions", "example"), pl.String)
    frame = pl.DataFrame(told, schema=columns | {"captions": pl.Int64}, orient="row")
    numbers = rows.filter(part=NUMBER)["what"]
    meant = "; ".join(f"{name}: {card.definition}" for name in numbers if (card := explained(name)))
    return Table(title, frame, caption=meant or None, name="worse")


def _written(row: Mapping[str, Any], side: str) -> str:
    part, value, severity = row["part"], row[side], row[f"severity_{side}"]
    write = digits if part == GATE or row["what"] == SAMENESS else percent
    number = "" if value is None else write(value) if value or write is digits else "0%"
    word = {GATE: "failed" if severity == "error" else "passed", FINDING: severity}.get(part) or ""
    return f"{word} {number}".strip() if severity else "none"


def _quoted(row: Mapping[str, Any]) -> str:
    """Quote a caption with its place, cut around what its reason quotes."""
    if row["text"] is None:
        return row["image"] or row["why"] or ""
    text, why = " ".join(row["text"].split()), row["why"] or ""
    ends = (why[at.end() :] for at in re.finditer(r"^|\s+", why))  # a reason ends with what was found
    named = next((one.lower() for one in (*re.findall("“([^”]+)”", why), *ends) if one.lower() in text.lower()), "")
    start = max(text.lower().find(named) - _SHOWN // 3, 0) if len(text) > _SHOWN else 0
    piece, rest = text[start : start + _SHOWN], text[start + _SHOWN :]
    slot = "" if row["slot"] is None else f"#{row['slot']}"
    return f"“{'…' * bool(start)}{piece}{'…' * bool(rest)}” {row['image']}{slot}"
