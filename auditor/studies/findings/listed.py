"""The findings of one selection that name captions, each with its list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from auditor.findings import CAPTION_KINDS
from auditor.findings.severity import severity
from auditor.model import Progress, Selection
from auditor.result import Finding, about
from auditor.store import kept, ngrams
from auditor.store.connection import Store
from auditor.store.scripts import fact_tokenizer
from auditor.store.versions import content
from auditor.studies.findings import language
from auditor.studies.findings.captions import FINDERS, LISTED, Asked

_EXAMPLES = 3

_ROWS = pl.Schema({
    "dataset": pl.String, "version": pl.String, "split": pl.String, "kind": pl.String, "severity": pl.String,
    "image": pl.String, "slot": pl.UInt32, "text": pl.String, "why": pl.String, "other_image": pl.String,
    "other_slot": pl.UInt32, "other_text": pl.String,
})  # fmt: skip

_EXAMPLE = ("image", "slot", "text", "why", "other_image", "other_slot", "other_text")


def of_captions(
    store: Store,
    selection: Selection,
    tokenizer: str,
    words: Sequence[str],
    wanted: Sequence[str],
    progress: Progress,
) -> tuple[list[Finding], pl.DataFrame, list[str]]:
    """Give what is found of single captions, their list, and what could not be looked for."""
    texts = content(store, selection).select("image", "slot", "split", "text")
    images = texts["image"].n_unique()
    at_work = ngrams.workspace(store, selection, tokenizer, key=fact_tokenizer(store, selection, progress))
    asked = Asked(store, selection.version.dataset, at_work, words)
    found, lists, unasked = [], [pl.DataFrame(schema=_ROWS)], []
    kinds = [kind for kind in FINDERS if kind in wanted and (kind != "listed-words" or words)]
    if "other-language" in kinds and not language.installed():
        kinds.remove("other-language")
        unasked.append(f"captions in another language were not looked for: {language.EXTRA}")
    for done, kind in enumerate(kinds):
        progress(f"{selection.label}: looking for {kind.replace('-', ' ')}", done, len(kinds))
        rows = FINDERS[kind](asked)
        if rows.height:
            one, listed = _finding(selection, kind, rows, texts, images)
            found.append(one)
            lists.append(listed)
    return found, pl.concat(lists), unasked


def keep(
    store: Store, selection: Selection, kinds: Sequence[str], listed: pl.DataFrame, told: Sequence[Finding]
) -> None:
    """Keep what was found of a selection for people to query: the captions of each finding, or its sentence."""
    with_list = listed.filter(pl.col("kind").is_in([one.kind for one in told]))
    rows = [(one.kind, one.severity, one.sentence) for one in told if one.kind not in with_list["kind"]]
    whole = pl.DataFrame(rows, schema=dict.fromkeys(("kind", "severity", "why"), pl.String), orient="row")
    found = [pl.DataFrame(schema=kept.FOUND), with_list.select(kept.FOUND.names()), whole]
    kept.keep_findings(store, selection, kinds, pl.concat(found, how="diagonal"))


def _finding(
    selection: Selection, kind: str, rows: pl.DataFrame, texts: pl.DataFrame, images: int
) -> tuple[Finding, pl.DataFrame]:
    of_images = CAPTION_KINDS[kind].of == "images"
    number, n = (
        (rows["image"].n_unique(), images) if of_images else (rows.unique(["image", "slot"]).height, texts.height)
    )
    share = number / n
    bad = severity(kind, share)
    across = "across" in rows.columns and bool(rows["across"].any())
    if across:
        bad = "error"
    beside = texts.select("image", "slot", "text")
    listed = (
        pl.concat([pl.DataFrame(schema=LISTED), rows], how="diagonal")
        .select(LISTED.keys())
        .join(texts, on=["image", "slot"], how="left", maintain_order="left")
        .join(
            beside.rename({name: f"other_{name}" for name in beside.columns}),
            on=["other_image", "other_slot"], how="left", maintain_order="left",
        )
        .select(
            pl.lit(selection.version.dataset).alias("dataset"), pl.lit(selection.version.version).alias("version"),
            "split", pl.lit(kind).alias("kind"), pl.lit(bad).alias("severity"), *_EXAMPLE,
        )
    )  # fmt: skip
    said = f"{selection.label}: {CAPTION_KINDS[kind].phrase}: {number:,} of {n:,} ({_percent(share)})"
    of = CAPTION_KINDS[kind].of
    headline = f"{number:,} of {n:,} {of}"
    examples = tuple(_examples(listed))
    return (
        Finding(kind, said, about(selection), {of: number, "share": share}, n, bad, examples, headline),
        listed.cast(_ROWS),
    )


def _examples(listed: pl.DataFrame) -> Iterator[dict[str, str | int | None]]:
    """Give a few rows that differ in why they are listed, else the first."""
    apart = listed.unique("why", keep="first", maintain_order=True).head(_EXAMPLES)
    rest = listed.join(apart, on=["image", "slot", "why"], how="anti", nulls_equal=True, maintain_order="left")
    yield from pl.concat([apart, rest]).head(_EXAMPLES).select(_EXAMPLE).to_dicts()


def _percent(share: float) -> str:
    return f"{share:.1%}" if share >= 0.001 else f"{share:.2%}" if share >= 0.0001 else "less than 0.01%"
