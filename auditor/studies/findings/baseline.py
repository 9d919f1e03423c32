"""Known findings: a file holds those that were accepted, so that only new ones are listed and fail a build.

The file has no caption: a row is known by the hash of its kind, its image and its texts.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from auditor.errors import SourceError
from auditor.files import read_json, written
from auditor.findings import CAPTION_KINDS, KINDS, severity
from auditor.model import Selection
from auditor.result import SEVERITIES, Finding, Sentence, counted
from auditor.studies.findings.captions import examples_of, finding_of

#: What the file says of itself, so that no other file is replaced or read as one.
_WHAT, _VERSION = "known findings of auditor", 1

#: The columns that a row is known by. Its slot is not: another caption of the image may be inserted before it.
_KNOWN_BY = ("image", "text", "other_image", "other_text")


@dataclass(frozen=True)
class Baseline:
    """Known findings by dataset and kind: severity, largest count, and the hashes of its rows."""

    file: Path
    severities: Mapping[tuple[str, str], str] = field(default_factory=dict)
    counts: Mapping[tuple[str, str], int] = field(default_factory=dict)
    rows: Mapping[tuple[str, str], Counter[str]] = field(default_factory=dict)

    def new(
        self, findings: Sequence[Finding], listed: pl.DataFrame, selections: Sequence[Selection]
    ) -> tuple[list[Finding], pl.DataFrame, list[str]]:
        """Return the findings and rows that are not known, and a note on those that are.

        A finding on captions becomes one on its new captions, with a severity by their share. Another finding is new,
        as a whole, if its severity is worse than the known one, or if it counts more. The findings of a single dataset
        are known under any name.
        """
        names, known = {each.version.dataset for each in selections}, {dataset for dataset, _ in self.severities}
        if len(names) == len(known) == 1 and names != known:
            return self._of(*names).new(findings, listed, selections)
        unknown = self._unknown(listed)
        fresh = [shown for finding in findings if (shown := self._shown(finding, listed, unknown, selections))]
        fresh = [finding for finding in fresh if not _has_known_parts(finding, fresh)]
        severities = pl.DataFrame(
            [(finding.about.get("dataset"), finding.kind, finding.severity) for finding in fresh],
            schema=dict.fromkeys(("dataset", "kind", "severity"), pl.String),
            orient="row",
        ).unique(["dataset", "kind"], keep="first")
        unknown = unknown.update(severities, on=["dataset", "kind"], how="left")
        hidden = len(findings) - len(fresh)
        captions = counted(listed.height - unknown.height, "row", "rows")
        note = f"{self.file}: {counted(hidden, 'finding is', 'findings are')} known, with {captions}, and not listed"
        return fresh, unknown, [Sentence(note, "known")]

    def _unknown(self, listed: pl.DataFrame) -> pl.DataFrame:
        """Return the rows that are not known."""
        own = listed.with_columns(row=pl.Series(map(_hash, listed.iter_rows(named=True)), dtype=pl.String))
        keep = pl.DataFrame(
            [(*key, row, number) for key, rows in self.rows.items() for row, number in rows.items()],
            schema={"dataset": pl.String, "kind": pl.String, "row": pl.String, "known": pl.Int64},
            orient="row",
        )
        of = ("dataset", "kind", "row")
        unknown = own.join(keep, on=of, how="left", maintain_order="left").filter(
            pl.int_range(pl.len()).over(of) >= pl.col("known").fill_null(0)
        )
        return unknown.select(listed.columns)

    def _of(self, dataset: str) -> Baseline:
        """Return the same findings as those of another dataset."""
        return Baseline(
            self.file,
            {(dataset, kind): severity for (_, kind), severity in self.severities.items()},
            {(dataset, kind): count for (_, kind), count in self.counts.items()},
            {(dataset, kind): rows for (_, kind), rows in self.rows.items()},
        )

    def _shown(
        self, finding: Finding, listed: pl.DataFrame, unknown: pl.DataFrame, selections: Sequence[Selection]
    ) -> Finding | None:
        """Return what is new of a finding; null if all of it is known."""
        key = str(finding.about.get("dataset")), finding.kind
        if finding.kind not in CAPTION_KINDS or listed.filter(dataset=key[0], kind=finding.kind).is_empty():
            known = self.severities.get(key)
            order = [*map(str, SEVERITIES)]
            is_known = known is not None and order.index(known) <= order.index(finding.severity)
            return None if is_known and (_count(finding) or 0) <= self.counts.get(key, math.inf) else finding
        split = finding.about.get("split")
        selection = next(each for each in selections if (each.version.dataset, each.split) == (key[0], split))
        here = pl.col("dataset").eq(key[0]) & pl.col("kind").eq(finding.kind)
        here &= pl.lit(True) if split is None else pl.col("split").eq(split)
        whole, new = listed.filter(here), unknown.filter(here)
        if new.is_empty() or new.height == whole.height or finding.n is None:
            return finding if new.height else None
        of_images = CAPTION_KINDS[finding.kind].of == "images"
        number = new["image"].n_unique() if of_images else new.unique(["image", "slot"]).height
        bad = severity(finding.kind, number, finding.n)
        return finding_of(selection, finding.kind, number, finding.n, bad, tuple(examples_of(new)))


def _has_known_parts(finding: Finding, fresh: Sequence[Finding]) -> bool:
    """Return whether a finding has parts, and none is new: a file from before it was a finding has these alone."""
    name, parts = finding.about.get("dataset"), KINDS[finding.kind].parts
    return bool(parts) and not any(one.kind in parts and one.about.get("dataset") == name for one in fresh)


def read(file: Path) -> Baseline:
    """Read known findings. Raises `SourceError` for a file that is missing or is not one of these."""
    try:
        content = read_json(file)
    except FileNotFoundError as error:
        raise SourceError(f"--baseline {file}: no such file; --write-baseline makes it") from error
    except (OSError, ValueError) as error:
        raise SourceError(f"--baseline {file}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if not isinstance(content, dict) or (content.get("what"), content.get("version")) != (_WHAT, _VERSION):
        raise SourceError(f"--baseline {file}: not a file of known findings; --write-baseline makes one")
    try:
        known = [(dataset, kind, of) for dataset, kinds in content["datasets"].items() for kind, of in kinds.items()]
        severities = {(dataset, kind): str(of["severity"]) for dataset, kind, of in known}
        counts = {(dataset, kind): int(of["count"]) for dataset, kind, of in known if of.get("count") is not None}
        rows = {(dataset, kind): Counter(map(str, of["rows"])) for dataset, kind, of in known}
    except (AttributeError, KeyError, TypeError, ValueError, ArithmeticError) as error:
        raise SourceError(f"--baseline {file}: damaged: {error}; --write-baseline makes it again") from error
    if wrong := {*severities.values()} - {*SEVERITIES}:
        raise SourceError(f"--baseline {file}: unknown severity {min(wrong)}; --write-baseline makes the file again")
    return Baseline(file, severities, counts, rows)


def unlisted(rows: pl.DataFrame, known: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the list of one dataset that another list has not, under any name of the dataset."""
    same = known.with_columns(dataset=pl.lit(rows["dataset"].first(), pl.String))
    return Baseline(Path(), rows=_hashes(same))._unknown(rows)


def _hashes(listed: pl.DataFrame) -> dict[tuple[str, str], Counter[str]]:
    rows: dict[tuple[str, str], Counter[str]] = {}
    for row in listed.iter_rows(named=True):
        rows.setdefault((row["dataset"], row["kind"]), Counter())[_hash(row)] += 1
    return rows


def write(file: Path, findings: Sequence[Finding], listed: pl.DataFrame) -> None:
    """Write the findings as known. Raises `UsageError` if the file cannot be written."""
    rows = _hashes(listed)
    datasets: dict[str, dict[str, dict[str, object]]] = {}
    for finding in findings:  # the worst of a kind comes first
        dataset, kind = str(finding.about.get("dataset")), finding.kind
        alike = [one for one in findings if (str(one.about.get("dataset")), one.kind) == (dataset, kind)]
        most = max((number for one in alike if (number := _count(one)) is not None), default=None)
        listed_rows = sorted(rows.get((dataset, kind), Counter()).elements())
        entry: dict[str, object] = {"severity": finding.severity, "count": most, "rows": listed_rows}
        datasets.setdefault(dataset, {}).setdefault(kind, entry)
    content = {"what": _WHAT, "version": _VERSION, "datasets": datasets}
    with written(file, "--baseline ") as opened:
        opened.write((json.dumps(content, indent=1, sort_keys=True) + "\n").encode())


def _count(finding: Finding) -> int | None:
    """Return how many items a finding is about; null if it has no share."""
    share = finding.values.get("share")
    return round(share * finding.n) if isinstance(share, float) and finding.n is not None else None


def _hash(row: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps([row[name] for name in _KNOWN_BY]).encode()).hexdigest()[:16]
