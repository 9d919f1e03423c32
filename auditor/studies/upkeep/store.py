"""How large is the store, does it have the newest schema, is it intact, and how do you free space?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.asked import face
from auditor.asking import question
from auditor.config import sources
from auditor.errors import MissingExtraError, SqlError, StoreError, UsageError
from auditor.model import Progress, Selection, Source, silent
from auditor.result import Finding, Result, Table, counted
from auditor.store import migrations, upkeep, verification, versions
from auditor.store.connection import Store
from auditor.text import BY_OTHERS, tokenizer_of

Everything = Annotated[bool, p.Parameter("Remove the whole cache; it is recomputed when needed.", "all")]

_SCHEMA = pl.Schema({"statistic": pl.String, "relation": pl.String, "value": pl.Int64})


@face(migrates=False)
@question
def info(store: Store) -> Result:
    """Report the size of the store and of its tables.

    Columns: statistic, relation (the table for a number of rows, else null), value.

    How to read it: `bytes` is the size of the file, `bytes-free` is unused space in it. `schema` is the schema version
    of this store.

    Limits: it does not upgrade an old schema; any command that opens the store for its data does.

    Example: auditor store info
    """
    tables = upkeep.tables(store)
    rows, size = dict(tables.iter_rows()), upkeep.size(store.path)
    schema, newest = upkeep.schema(store), migrations.newest()
    numbers = {"bytes": size, "bytes-free": upkeep.free_bytes(store), "bytes-of-cache": upkeep.cache_bytes(store)}
    numbers |= {"schema": schema, "newest-schema": newest, "datasets": rows["dataset"], "versions": rows["version"]}
    sizes = tables.select(pl.lit("rows").alias("statistic"), "relation", pl.col("rows").alias("value"))
    sentence = f"schema {schema}: the next command that opens the store upgrades it to {newest}"
    old = Finding("old-schema", sentence, values={"schema": schema, "newest": newest}, severity="notice")
    return Result(
        "store-info",
        pl.concat([_rows(numbers), sizes]),
        tables=(Table(f"store {store.path}", _shown(numbers), name="store"), Table("tables", tables, name="tables")),
        findings=() if schema == newest else (old,),
        lead=(f"{store.path}: {counted(rows['version'], 'version', 'versions')}, {numbers['bytes']:,} bytes.",),
    )


@face(writes=True)
@question
def gc(store: Store, *, everything: Everything = False, progress: Progress = silent) -> Result:
    """Remove outdated counts and shrink the file.

    Removes cached counts that are outdated, or with `--all` the whole cache, and rewrites the file. Datasets do
    not change. The store is closed. Columns: statistic, relation (null), value.

    How to read it: `bytes-before` and `bytes` are the sizes of the file before and after.

    Limits: it needs disk space for a second file while it runs.

    Raises `StoreError` if the disk is full or the new file differs from the old one; the store is then unchanged.

    Example: auditor store gc
    """
    before = upkeep.size(store.path)
    progress("cleaning the cache", 0, 2)
    swept = upkeep.sweep(store, everything=everything)
    progress("rewriting the file", 1, 2)
    upkeep.rewrite(store)
    numbers = {"bytes-before": before, "bytes": upkeep.size(store.path), "entries-swept": swept.entries}
    numbers |= {"ngram-frequencies-swept": swept.ngram_frequencies, "tables-dropped": swept.tables}
    return Result("store-gc", _rows(numbers), tables=(Table(f"store {store.path}", _shown(numbers), name="store"),))


def _rows(numbers: Mapping[str, int]) -> pl.DataFrame:
    return pl.DataFrame([(name, None, value) for name, value in numbers.items()], schema=_SCHEMA, orient="row")


def _shown(numbers: Mapping[str, int]) -> pl.DataFrame:
    return _rows(numbers).drop("relation")


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
                differing, of = {"texts": int(checked["faults"].sum())}, {"tokenizer": tokenizer}
                n = int(checked["checked"].sum())
                findings.append(Finding("tokens-of-another-version", why, of, differing, n, "warning"))
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
        lead=(f"{store.path} is {'sound' if sound else 'damaged'}.",),
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
    row = ("tokens are those of the text", f"caption_tokens, {tokenizer}", checked, differing)
    return pl.DataFrame([row], schema=verification.SCHEMA, orient="row")


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
        where = {"dataset": held["dataset"], "version": held["version"]}
        for what, actual, count in differing:
            apart = f"{abs(actual - count):,} {'more' if actual > count else 'fewer'}"
            sentence = f"{label}: {actual:,} {what}, {apart} than the {count:,} declared in datasets.toml"
            values = {what: actual, "declared": count}
            differences.append(Finding("counts-not-declared", sentence, where, values, severity="warning"))
    return pl.DataFrame(rows, schema=verification.SCHEMA, orient="row"), differences


def _judged(checks: pl.DataFrame, otherwise: str) -> pl.DataFrame:
    return checks.with_columns(state=pl.when(pl.col("faults") == 0).then(pl.lit("ok")).otherwise(pl.lit(otherwise)))
