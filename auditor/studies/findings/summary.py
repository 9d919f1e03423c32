"""The summary of findings over shards: written next to the verdicts, and read again by a report."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl

from auditor.errors import SourceError
from auditor.findings import KINDS
from auditor.model import Selection, Version
from auditor.plugins import typed
from auditor.result import Finding, Result, Table, counted, listed
from auditor.scoring.scale_out.receipt import sha256_of
from auditor.studies.findings.shards import statements

SUMMARY, RECEIPT = "summary.json", "receipt.json"

#: The name of the record in a receipt.
NAME = "auditor.verdicts/v1"

_NAME = "auditor.findings/v2"

_ROWS = {"kind": pl.String, "severity": pl.String, "number": pl.Int64, "not_checked_because": pl.String}


def summary(
    version: Version, rows: Sequence[Sequence[object]], found: Sequence[Finding], lead: str, notes: Sequence[str]
) -> Result:
    """Return the findings with their tables. Rows: kind, severity, number, not_checked_because."""
    frame = pl.DataFrame(rows, schema=_ROWS, orient="row")
    shown = pl.DataFrame(
        [(finding.severity, finding.kind, finding.sentence, KINDS[finding.kind].consequence) for finding in found],
        schema=dict.fromkeys(("severity", "kind", "finding", "consequence"), pl.String),
        orient="row",
    )
    left_out = frame.filter(pl.col("not_checked_because").is_not_null()).select("kind", because="not_checked_because")
    return Result(
        "findings",
        frame,
        selections=(Selection(version),),
        tables=(
            Table("findings by severity", shown, sections="severity", name="findings", tells_findings=True),
            *([Table("not checked in stages", left_out, name="not-checked")] if left_out.height else []),
        ),
        lead=(lead,),
        notes=tuple(notes),
        findings=tuple(found),
    )


def version_of(dataset: str, digest: str, tokenizer: str, images: int, captions: int) -> Version:
    """Describe the captions of shards as a version; its hash is that of the plan, which names the shards."""
    epoch = datetime.datetime.fromtimestamp(0, datetime.UTC)
    return Version(dataset, 1, digest, epoch, digest, "table", (tokenizer,), images, captions)


def read_summary(folder: Path) -> Result:
    """Read the summary in a folder of verdicts. Raises `SourceError` if it is not one."""
    path = folder / SUMMARY
    try:
        body = json.loads(path.read_text(encoding="utf-8"))[_NAME]
        (made,) = body["versions"]
        (tokenizer,) = made["tokenizers"]
        version = version_of(made["dataset"], made["version"], tokenizer, made["images"], made["captions"])
        found = [
            typed(Finding(**{**record, "examples": tuple(record.get("examples", ()))})) for record in body["findings"]
        ]
        rows = [tuple(row[name] for name in _ROWS) for row in body["rows"]]
        return summary(typed(version), rows, found, str(body["lead"][0]), [str(note) for note in body["notes"]])
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        IndexError,
        RecursionError,
        pl.exceptions.PolarsError,
    ) as error:
        raise SourceError(
            f"{path}: not a summary of verdicts; `auditor findings --verdicts FOLDER` writes one"
        ) from error


def checked_verdicts(folder: Path) -> Iterator[tuple[str, str, bool | None]]:
    """Check a folder of verdicts against its receipt: yield each check, its result, and whether it passed.

    Raises `SourceError` if it has no receipt. A check that this release cannot decide is null.
    """
    path = folder / RECEIPT
    try:
        body = json.loads(path.read_bytes())[NAME]
        hashes, sql = {str(name): str(digest) for name, digest in body["sha256"].items()}, body["plan"]["sql"]
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror or error}; name a folder of verdicts") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise SourceError(f"{path}: not a receipt; `auditor findings --verdicts FOLDER` writes one") from error
    same = sql == statements()
    yield "statements", f"the SELECTs are {'' if same else 'not '}those of this release", same or None
    here = {file.name for file in folder.iterdir()} - {RECEIPT}
    changed = [name for name in sorted(here & hashes.keys()) if sha256_of(folder / name) != hashes[name]]
    for state, names in (("changed", changed), ("missing", hashes.keys() - here), ("added", here - hashes.keys())):
        what = f"{counted(len(names), 'file was', 'files were')} {state}"
        yield state, f"{what}: {listed(sorted(names), 5)}" if names else what, not names
