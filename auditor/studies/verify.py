"""Is the store intact, and do published cards and receipts still hold?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.asked import face
from auditor.asking import question
from auditor.config import sources
from auditor.dataset_card import DatasetCard, Number, Published, published
from auditor.errors import MetricError, SourceError, UsageError
from auditor.model import Progress, Selection, Source, silent
from auditor.result import Finding, Result, Severity, Table, about, counted
from auditor.result.views import with_values
from auditor.scoring.registry import request_of_file
from auditor.scoring.scale_out import receipt as receipts
from auditor.store import versions
from auditor.store.connection import Store
from auditor.studies.findings import checked_verdicts
from auditor.studies.report import ReportSettings
from auditor.studies.report import card as card_study
from auditor.studies.upkeep import store as store_study

#: The suffix of the file of a receipt, next to its scores.
_RECEIPT = ".receipt.json"

#: The largest difference between the same number on two machines.
_SAME = 1e-9

_ROWS = pl.Schema({
    "dataset": pl.String, "version": pl.String, "split": pl.String, "number": pl.String, "meaning": pl.String,
    "signature": pl.String, "published": pl.Float64, "now": pl.Float64, "holds": pl.Boolean, "why": pl.String,
})  # fmt: skip

Verified = Annotated[
    str | Path | None,
    p.Parameter(
        "A published card, a receipt, a folder of verdicts, or a dataset; default: the store.",
        metavar="FILE",
        typed=str | None,
    ),
]


@face(alone=lambda given: Path(given["what"] or "").is_file() or Path(given["what"] or "").is_dir())
@question
def verify(store: Store, what: Verified = None, *, config: p.Config = None, progress: Progress = silent) -> Result:
    """Verify the store, or a published card or receipt.

    Without FILE, every table is read, every version hashed again, and every text tokenized again. References between
    tables are checked. The newest version of each dataset is compared with the counts that datasets.toml declares. If
    FILE is the name of a dataset, only that dataset is hashed.

    For a card from `auditor report`, every number is recomputed with the version and the settings that the card names.
    The dataset can have another name here. In Markdown, the numbers in the comment at the end are compared.

    For a receipt (FILE.receipt.json), the scores next to it are hashed and summed, but not recomputed. For a folder of
    `auditor findings --verdicts`, its files are hashed. Neither needs a store.

    How to read it: `state` is ok or DAMAGED (exit code 4). If the store is damaged, restore it or ingest again.
    `differs` means that the data differ from what datasets.toml declares; it does not change the exit code.
    For a card or receipt, `holds` is false if a number or score has changed (exit code 1). It is empty if this
    store or this release cannot answer; for a card, `why` has the reason.

    Limits: it proves that the store is consistent, not that the captions are good; `auditor report` checks those.
    The sentences and the visible tables of a card are not compared. A receipt is not signed: it reveals accidental
    changes, not forged scores with a new receipt.

    Columns: check, subject, checked, faults, state. For a receipt: check, found, holds. For a card: dataset, version,
    split, number, meaning, signature, published, now, holds, why.

    Raises `UsageError` for a card whose version is not in this store. Raises `SourceError` for a file that is not a
    card, or whose metrics would run code or open a file.

    Examples: auditor store verify · auditor store verify README.md · auditor store verify verdicts/
    """
    card = Path(what or "")
    if card.name.endswith(_RECEIPT):
        if not card.is_file():
            raise SourceError(f"{card}: no such file")
        scores = card.with_name(card.name.removesuffix(_RECEIPT))
        return _checks(scores, receipts.checked(store, receipts.read(card), scores))
    if what is not None and card.is_dir():
        return _checks(card, checked_verdicts(card))
    is_file = isinstance(what, Path) or card.is_file() or "/" in str(what) or card.suffix in (".md", ".json")
    if what is None or not is_file:
        return store_study.verify(store, None if what is None else str(what), config=config, progress=progress)
    declared = sources(config)
    claims = published(card)
    compared = [_compared(store, card, claim, declared, progress) for claim in claims]
    selections = tuple(dict.fromkeys(selection for selection, _ in compared))
    rows = pl.concat([frame for _, frame in compared])
    shown = rows.select("dataset", number="meaning", published="published", now="now", holds="holds", why="why")
    named = [] if rows["dataset"].n_unique() == 1 else ["dataset"]
    shown = with_values(shown.select(*named, pl.exclude("dataset")), *shown.columns)
    return Result(
        "store-verify",
        rows,
        selections=selections,
        signatures={signature: signature for signature in rows["signature"].drop_nulls().unique(maintain_order=True)},
        tables=(Table(f"numbers of {card}", shown, exact=True, name="card"),),
        findings=tuple(_found(card, selection, frame) for selection, frame in compared),
        holds=bool((rows["holds"].fill_null(value=True)).all()) and bool(rows["holds"].any()),
    )


def _checks(what: Path, checks: Iterator[tuple[str, str, bool | None]]) -> Result:
    rows = pl.DataFrame([*checks], schema={"check": pl.String, "found": pl.String, "holds": pl.Boolean}, orient="row")
    broken = rows.filter(~pl.col("holds"))["found"]
    notes = tuple(f"{what}: {reason}" for reason in broken)
    table = Table(f"{what} and its receipt", rows, name="verify/receipt")
    return Result("store-verify", rows, tables=(table,), notes=notes, holds=broken.is_empty())


def _compared(
    store: Store, path: Path, claim: Published, declared: Mapping[str, Source], progress: Progress
) -> tuple[Selection, pl.DataFrame]:
    """Recompute a card, and compare its numbers with the published ones."""
    settings = _settings(path, claim)
    made = card_study(store, _ref(store, path, claim), settings=settings, config=declared, progress=progress)
    (selection,) = made.selections
    now = {number.name: number for number in made.numbers}
    renamed, rows = selection.version.dataset != claim.dataset, []
    key = (selection.version.dataset, selection.version.version, selection.split)
    for was in claim.numbers:
        again = now.get(was.name)
        published = (was.name, was.description, was.signature, was.value)
        rows.append((*key, *published, again.value if again else None, *_judged(was, again, made, renamed)))
    return selection, pl.DataFrame(rows, schema=_ROWS, orient="row")


def _settings(path: Path, claim: Published) -> ReportSettings:
    """Read the settings of a card. Raises `SourceError` for settings that are unknown, run code or open a file."""
    own = ReportSettings()
    try:
        return ReportSettings(
            metrics=tuple(request_of_file(text).label for text in claim.settings.get("metrics", own.metrics)),
            tokenizer=claim.settings.get("tokenizer", own.tokenizer),
            seed=claim.settings.get("seed", own.seed),
            references=claim.settings.get("references"),
        )
    except (MetricError, UsageError) as error:
        raise SourceError(f"{path}: {error}") from error


def _ref(store: Store, path: Path, claim: Published) -> str:
    """Find the captions of a card by the hash of their version, if possible under the name in the card."""
    held = [version for version in versions.log(store) if version.version == claim.version]
    if not held:
        lacking = f"version {claim.version[:12]} of {claim.dataset} is not in {store.path}"
        raise UsageError(f"{path}: cannot be verified: {lacking}; ingest the data of the card")
    version = next((version for version in held if version.dataset == claim.dataset), held[0])
    name = f"{version.dataset}@{version.version}"
    return name if claim.split is None else f"{name}:{claim.split}"


def _judged(was: Number, now: Number | None, made: DatasetCard, renamed: bool) -> tuple[bool | None, str | None]:
    """Return whether a number holds; null, with the reason, if it cannot be recomputed in the same way."""
    unsure = "; ".join(made.unasked)
    if now is None:
        if was.name.startswith("findings/"):
            return (None, unsure) if unsure else (False, "not found")
        return (None, "cannot be computed here") if was.name.startswith("bounds/") else (False, "missing")
    if was.signature != now.signature:
        return None, f"now computed differently: {now.signature}"
    if math.isclose(was.value, now.value, rel_tol=_SAME, abs_tol=_SAME):
        return True, None
    if renamed and "bound" in was.name:
        return None, "references and substitutes are sampled by the name of the dataset, which differs here"
    of_all = was.name.startswith("findings/") and was.name.count("/") == 1
    return (None, unsure) if of_all and unsure else (False, None)


def _found(path: Path, selection: Selection, rows: pl.DataFrame) -> Finding:
    """Return how many numbers hold, with the names of those that do not."""
    kept, broken = int(rows["holds"].sum()), rows.filter(~pl.col("holds"))
    unsure = rows["holds"].null_count()
    sentence = f"{selection.label}: of {counted(rows.height, 'number', 'numbers')} of {path.name}, {kept:,} hold"
    sentence += f", {broken.height:,} do not: {', '.join(broken['number'])}" if broken.height else ""
    sentence += f"; {unsure:,} cannot be answered here" if unsure else ""
    values = {"hold": kept, "do not": broken.height, "not answerable": unsure}
    severity: Severity = "error" if broken.height else "info"
    return Finding("card-numbers", sentence, about(selection), values, rows.height, severity)
