"""Is the store what was written, and does what was published of it still hold?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.config import sources
from auditor.dataset_card import DatasetCard, Number, Published, published
from auditor.errors import MetricError, SourceError, UsageError
from auditor.model import Progress, Selection, Source, silent
from auditor.result import Finding, Result, Table, about, counted
from auditor.scoring.registry import request_of_file
from auditor.scoring.scale_out import receipt as receipts
from auditor.store import versions
from auditor.store.connection import Store
from auditor.studies.report import ReportSettings
from auditor.studies.report import card as card_study
from auditor.studies.upkeep import verify as store_study

#: How the file of a receipt ends, beside its scores.
_RECEIPT = ".receipt.json"

#: How far apart two machines may compute the same number.
_SAME = 1e-9

_ROWS = pl.Schema({
    "dataset": pl.String, "version": pl.String, "split": pl.String, "number": pl.String, "meaning": pl.String,
    "signature": pl.String, "published": pl.Float64, "now": pl.Float64, "holds": pl.Boolean, "why": pl.String,
})  # fmt: skip

Verified = Annotated[
    str | Path | None,
    p.Parameter(
        "A published card or a receipt; or hash this dataset only; default: the store.",
        metavar="FILE",
        typed=str | None,
    ),
]


def verify(
    store: Store,
    what: Verified = None,
    *,
    config: p.Config = None,
    progress: Progress = silent,
) -> Result:
    """Check the store, or a published card or receipt.

    Without FILE every table is read whole, every version hashed again, every reference between tables followed, every
    text tokenized again. The newest version of each dataset is compared with the counts that datasets.toml declares.
    The name of a dataset in place of FILE hashes only that one.

    Of a card that `auditor report` wrote, every number is made again, from the version and with the settings that the
    card names, whatever the dataset is called here; of Markdown, the numbers in the comment at its end count.

    Of a receipt (FILE.receipt.json), the scores beside it are hashed and added up, and not made again; that needs no
    store.

    How to read it: `state` is ok, or DAMAGED (exit code 4): the file is not what was written; restore it or ingest
    again. `differs` says that the data are others than datasets.toml declares, which is no damage and ends with 0. Of a
    card, `holds` is false where a number is another now (exit code 1), and empty where this store, or this release,
    cannot say, with the reason. Of a receipt, `holds` is false where the scores are not those that were written (exit
    code 1), and empty where this store or this release is another.

    Limits: it proves that the store agrees with itself, not that the captions are good: ask `auditor report` for that.
    Sentences of a card are not compared, nor are the tables that people see in it. A receipt is not sealed: it finds
    what changed by mishap, not who writes another receipt beside other scores.

    Columns: check, subject, checked, faults, state. Of a receipt: check, found, holds. Of a card: dataset, version,
    split, number, meaning, signature, published, now, holds, why.

    Raises `UsageError` for a card of captions that this store does not hold, `SourceError` for a file that is no card,
    or whose metrics would run code or open a file.

    Examples: auditor store verify · auditor store verify README.md
    """
    card = Path(what or "")
    if card.name.endswith(_RECEIPT):
        return _of_receipt(store, card)
    is_file = isinstance(what, Path) or card.is_file() or "/" in str(what) or card.suffix in (".md", ".json")
    if what is None or not is_file:
        return store_study.verify(store, None if what is None else str(what), config=config, progress=progress)
    declared = sources(config) or {}
    compared = [_compared(store, card, claim, declared, progress) for claim in published(card)]
    selections = tuple(dict.fromkeys(selection for selection, _ in compared))
    rows = pl.concat([frame for _, frame in compared])
    shown = rows.select("dataset", number="meaning", published="published", now="now", holds="holds", why="why")
    return Result(
        "store-verify",
        rows,
        selections=selections,
        signatures={signature: signature for signature in rows["signature"].drop_nulls().unique(maintain_order=True)},
        tables=(Table(f"numbers of {card}", shown.select(_told(shown)), exact=True, name="card"),),
        findings=tuple(_found(card, selection, frame) for selection, frame in compared),
        holds=bool((rows["holds"].fill_null(value=True)).all()) and bool(rows["holds"].any()),
    )


def _of_receipt(store: Store, path: Path) -> Result:
    """Check scores against their receipt."""
    scores = path.with_name(path.name.removesuffix(_RECEIPT))
    if not path.is_file():
        raise SourceError(f"{path}: no such file")
    rows = pl.DataFrame(
        list(receipts.checked(store, receipts.read(path), scores)),
        schema={"check": pl.String, "found": pl.String, "holds": pl.Boolean},
        orient="row",
    )
    broken = rows.filter(~pl.col("holds"))["found"]
    notes = tuple(f"{scores}: {said}" for said in broken)
    table = Table(f"{scores} and its receipt", rows, name="verify/receipt")
    return Result("store-verify", rows, tables=(table,), notes=notes, holds=broken.is_empty())


def _compared(
    store: Store, path: Path, said: Published, declared: Mapping[str, Source], progress: Progress
) -> tuple[Selection, pl.DataFrame]:
    """Make a card again, and set its numbers beside those that were published."""
    settings = _settings(path, said)
    made = card_study(store, _ref(store, path, said), settings=settings, config=declared, progress=progress)
    (selection,) = made.selections
    now = {number.name: number for number in made.numbers}
    renamed = selection.version.dataset != said.dataset
    judged = [
        (number, now.get(number.name), *_judged(number, now.get(number.name), made, renamed)) for number in said.numbers
    ]
    place = (selection.version.dataset, selection.version.version, selection.split)
    rows = [
        (*place, one.name, one.description, one.signature, one.value, again.value if again else None, holds, why)
        for one, again, holds, why in judged
    ]
    return selection, pl.DataFrame(rows, schema=_ROWS, orient="row")


def _settings(path: Path, said: Published) -> ReportSettings:
    """Read the settings of a card. Raises `SourceError` for those that would run code, open a file, or are unknown."""
    own = ReportSettings()
    try:
        return ReportSettings(
            metrics=tuple(request_of_file(text).label for text in said.settings.get("metrics", own.metrics)),
            tokenizer=said.settings.get("tokenizer", own.tokenizer),
            seed=said.settings.get("seed", own.seed),
            references=said.settings.get("references"),
        )
    except (MetricError, UsageError) as error:
        raise SourceError(f"{path}: {error}") from error


def _ref(store: Store, path: Path, said: Published) -> str:
    """Find the captions of a card by the hash of their version, under the name that it gives them or another."""
    held = [version for version in versions.log(store) if version.version == said.version]
    if not held:
        raise UsageError(
            f"{path}: not answerable here: {store.path} does not hold version {said.version[:12]} of {said.dataset}; "
            "ingest what the card was made of"
        )
    found = next((one for one in held if one.dataset == said.dataset), held[0])
    name = f"{found.dataset}@{found.version}"
    return name if said.split is None else f"{name}:{said.split}"


def _judged(was: Number, now: Number | None, made: DatasetCard, renamed: bool) -> tuple[bool | None, str | None]:
    """Return whether a number holds; null, with the reason, where it cannot be had as it was made."""
    unsure = "; ".join(made.unasked)
    if now is None:
        if was.name.startswith("findings/"):
            return (None, unsure) if unsure else (False, "it is not found")
        return (None, "it cannot be counted here") if was.name.startswith("bounds/") else (False, "there is none")
    if was.signature != now.signature:
        return None, f"it is made in another way now: {now.signature}"
    if math.isclose(was.value, now.value, rel_tol=_SAME, abs_tol=_SAME):
        return True, None
    if renamed and "bound" in was.name:
        return None, "references and substitutes are drawn by the name of the dataset, which is another here"
    of_all = was.name.startswith("findings/") and was.name.count("/") == 1
    return (None, unsure) if of_all and unsure else (False, None)


def _found(path: Path, selection: Selection, rows: pl.DataFrame) -> Finding:
    """Return how many numbers hold, and name those that do not."""
    kept, broken = int(rows["holds"].sum()), rows.filter(~pl.col("holds"))
    unsure = rows["holds"].null_count()
    said = f"{selection.label}: of {counted(rows.height, 'number', 'numbers')} of {path.name}, {kept:,} hold"
    said += f", {broken.height:,} do not: {', '.join(broken['number'])}" if broken.height else ""
    said += f"; {unsure:,} cannot be answered here" if unsure else ""
    values = {"hold": kept, "do not": broken.height, "not answerable": unsure}
    return Finding("card-numbers", said, about(selection), values, rows.height, "error" if broken.height else "info")


def _told(shown: pl.DataFrame) -> Iterator[str]:
    """Leave out what is the same, or nothing, in every row."""
    for column in shown.get_columns():
        constant = column.name == "dataset" and column.n_unique() == 1
        if not constant and column.null_count() < shown.height:
            yield column.name
