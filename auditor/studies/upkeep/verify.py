"""Is the store intact, and does it match what `datasets.toml` declares?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from auditor.config import sources
from auditor.errors import MissingExtraError, SqlError, StoreError, UsageError
from auditor.model import Progress, Selection, Source, silent
from auditor.result import Finding, Result, Table
from auditor.store import verification, versions
from auditor.store.connection import Store
from auditor.text import BY_OTHERS, tokenizer_of


def verify(
    store: Store,
    ref: str | None = None,
    *,
    config: Path | Mapping[str, Source] | None = None,
    progress: Progress = silent,
) -> Result:
    """Hash the stored captions again, and compare the store with its log: `auditor store verify` without a file."""
    declared = sources(config)
    selection = None if ref is None else versions.resolve(store, ref, vectors=True)
    legible = verification.legible(store, progress)
    unread = set(legible.filter(pl.col("faults") > 0)["subject"])
    if verification.FACTS in unread:
        unchecked = "facts cannot be read, so nothing else was checked"
        checks, compared, findings = legible, legible.clear(), [Finding("damaged-store", unchecked, severity="error")]
    else:
        try:
            checks = pl.concat([legible, verification.check(store, selection, progress)])
        except SqlError as error:  # our statements are correct, so the data are damaged
            raise StoreError(f"{store.path}: damaged; restore a backup or ingest into a new store: {error}") from error
        compared, findings = _compared(store, selection, declared)
        for tokenizer in verification.tokenizers(store):
            try:
                checked = _retokenized(store, tokenizer, progress)
            except (MissingExtraError, UsageError) as error:
                why = f"tokens of tokenizer {tokenizer} were not compared with their texts: {error}"
                findings.append(Finding("tokens-not-compared", why, {"tokenizer": tokenizer}, severity="notice"))
                continue
            if tokenizer in BY_OTHERS and checked["faults"].sum():
                compared = pl.concat([compared, checked])
                why = f"tokens of tokenizer {tokenizer} were made by another version of {BY_OTHERS[tokenizer]}"
                differing = {"texts": int(checked["faults"].sum())}
                n = int(checked["checked"].sum())
                findings.append(
                    Finding("tokens-of-another-version", why, {"tokenizer": tokenizer}, differing, n, "warning")
                )
            else:
                checks = pl.concat([checks, checked])
    remedy = "restore a backup or ingest into a new store"
    if unread == {verification.CACHE}:
        remedy = "only the cache is, which can be deleted without loss: `auditor store gc --all`"
        why = "only the cache is damaged, which can be deleted without loss: `auditor store gc --all`"
        findings.append(Finding("damaged-store", why, severity="error"))
    rows = pl.concat([_judged(checks, "DAMAGED"), _judged(compared, "differs")])
    sound = bool((checks["faults"] == 0).all())
    damaged = StoreError(f"{store.path}: damaged, see the rows above; {remedy}")
    return Result(
        "store-verify",
        rows,
        selections=() if selection is None else (selection,),
        tables=(Table(f"verified {store.path}", rows, name="verified"),),
        findings=tuple(findings),
        holds=sound,
        failure=None if sound else damaged,
    )


def _retokenized(store: Store, tokenizer: str, progress: Progress) -> pl.DataFrame:
    """Tokenize all stored texts with tokens again, and compare."""
    tokenize = tokenizer_of(tokenizer)
    checked = differing = 0
    for stored, done, total in verification.stored_tokens(store, tokenizer):
        progress(f"tokenizing again for {tokenizer}", done, total)
        checked += stored.height
        differing += int((tokenize(stored["text"]) != stored["tokens"]).sum())
    return _rows([("tokens are those of the text", f"caption_tokens, {tokenizer}", checked, differing)])


def _compared(
    store: Store, selection: Selection | None, declared: Mapping[str, Source]
) -> tuple[pl.DataFrame, list[Finding]]:
    """Compare the newest versions with declared counts; return the differences."""
    rows, differences = [], []
    newest = versions.log_rows(store).unique("dataset", keep="first", maintain_order=True)
    for held in newest.iter_rows(named=True):
        label = f"{held['dataset']}@v{held['seq']}"
        source = declared.get(held["dataset"])
        if source is None or (selection is not None and selection.version.label != label):
            continue
        expected = {"images": source.images, "captions": source.captions}
        counts = [(what, held[what], count) for what, count in expected.items() if count is not None]
        differing = [(what, actual, count) for what, actual, count in counts if actual != count]
        if counts:
            rows.append(("declared counts", label, len(counts), len(differing)))
        differences += [
            Finding(
                "counts-not-declared",
                f"{label}: {actual:,} {what}, {abs(actual - count):,} {'more' if actual > count else 'fewer'}"
                f" than the {count:,} declared in datasets.toml",
                {"dataset": held["dataset"], "version": held["version"]},
                {what: actual, "declared": count},
                severity="warning",
            )
            for what, actual, count in differing
        ]
    return _rows(rows), differences


def _rows(rows: list[tuple[str, str, int, int]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=verification.SCHEMA, orient="row")


def _judged(checks: pl.DataFrame, otherwise: str) -> pl.DataFrame:
    return checks.with_columns(
        pl.when(pl.col("faults") == 0).then(pl.lit("ok")).otherwise(pl.lit(otherwise)).alias("state")
    )
