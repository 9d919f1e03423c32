"""What is in the store, how did it come there, what changed, and is it whole?"""

from __future__ import annotations

import polars as pl

from auditor.errors import UsageError
from auditor.model import Result, Table
from auditor.store import verification, versions
from auditor.store.connection import Store
from auditor.text import PROFILES, tokenizer

_SHORT = pl.col("version").str.head(12)

#: How deep `diff` looks, and the SELECT that does.
_DEPTHS = {"totals": "difference", "images": "image_change", "text": "change"}


def datasets(store: Store) -> Result:
    """List every dataset with its newest version."""
    columns = ["dataset", "kind", "seq", "version", "images", "captions", "created_at", "rejected", "format"]
    newest = versions.log_rows(store).unique("dataset", keep="first", maintain_order=True).select(columns)
    notes = () if newest.height else ("the store is empty; fill it with `auditor ingest NAME`",)
    return Result("datasets", newest, tables=(Table("datasets", newest.with_columns(_SHORT)),), notes=notes)


def log(store: Store, dataset: str) -> Result:
    """List every version of one dataset, the newest first."""
    selection = versions.resolve(store, dataset)
    rows = versions.log_rows(store, selection.version.dataset)
    table = rows.drop("dataset", "kind", "text_profiles").with_columns(_SHORT, pl.col("source_sha256").str.head(12))
    return Result(
        "log",
        rows.with_columns(pl.col("text_profiles").list.join(" ")),
        selections=(selection,),
        tables=(Table(f"versions of {dataset}", table),),
    )


def diff(store: Store, ref_a: str, ref_b: str, depth: str = "totals") -> tuple[Result, bool]:
    """Say what changed from one selection to another, and whether anything did.

    At depth `totals` by kind of change, `images` by image, `text` by caption, with the old and the new text.
    Raises `UsageError` for another depth.
    """
    if depth not in _DEPTHS:
        raise UsageError(f"{depth}: no such depth; known are {', '.join(_DEPTHS)}")
    a, b = versions.resolve(store, ref_a), versions.resolve(store, ref_b)
    rows = versions.difference(store, a, b, _DEPTHS[depth])
    changed = bool(rows["captions"].sum() if depth == "totals" else rows.height)
    if depth == "totals":
        sides = [versions.images(store, selection) for selection in (a, b)]
        held = {
            "change": [f"in {ref_a}", f"in {ref_b}"],
            "images": [side.height for side in sides],
            "captions": [side["captions"].sum() for side in sides],
        }
        rows = pl.concat([pl.DataFrame(held, schema=rows.schema), rows])
    notes = () if changed else (f"{ref_a} and {ref_b} hold the same captions",)
    table = Table(f"{ref_a} → {ref_b}", rows)
    return Result("diff", rows, selections=(a, b), tables=(table,), notes=notes), changed


def verify(store: Store, ref: str | None = None) -> tuple[Result, bool]:
    """Recompute every version's hash and check every reference between tables; say also whether all is well."""
    selection = None if ref is None else versions.resolve(store, ref)
    checks = pl.concat([verification.check(store, selection), *(_retokenised(store, profile) for profile in PROFILES)])
    well = bool((checks["faults"] == 0).all())
    state = pl.when(pl.col("faults") == 0).then(pl.lit("ok")).otherwise(pl.lit("DAMAGED"))
    shown = checks.with_columns(state.alias("state"))
    return Result(
        "verify",
        checks,
        selections=() if selection is None else (selection,),
        tables=(Table(f"verified {store.path}", shown),),
    ), well


def _retokenised(store: Store, profile: str) -> pl.DataFrame:
    """Tokenise every stored text again and compare."""
    stored = store.rows("stored_tokens", profile=profile)
    differing = (tokenizer(profile)(stored["text"]) != stored["tokens"]).sum()
    return pl.DataFrame(
        {
            "check": ["tokens are those of the text"],
            "subject": [f"caption_tokens, {profile}"],
            "checked": [stored.height],
            "faults": [differing],
        },
        schema_overrides={"checked": pl.Int64, "faults": pl.Int64},
    )
