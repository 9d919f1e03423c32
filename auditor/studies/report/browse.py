"""The captions that a page shows: a random sample of each dataset, those of each kind of finding, and of key words."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import polars as pl

from auditor.called import call
from auditor.errors import AuditorError
from auditor.findings import CAPTION_KINDS
from auditor.result import Finding, Result, Table
from auditor.result.document import Browsed
from auditor.scoring.candidates import HUMAN, digest
from auditor.scoring.registry import References, requests
from auditor.scoring.scores import score_candidates
from auditor.store.captions import Captions
from auditor.store.workspace import Workspace
from auditor.studies.report.request import ReportContext
from auditor.studies.words import words as key_words

#: Captions drawn from each dataset, and the most of each kind of finding.
_AT_RANDOM, _OF_KIND = 200, 300

#: Words that distinguish a dataset from the first, and the captions of each.
_WORDS, _OF_WORD = 60, 5

_LISTED = ("image", "slot", "kind", "why")


def browsed(context: ReportContext, listed: pl.DataFrame, findings: Sequence[Finding]) -> tuple[Browsed, ...]:
    """Return the captions to browse, by dataset. `listed` are the captions that the findings list."""
    kept = context.result(("browsed", digest(listed)), lambda: _drawn(context, listed))
    frames = [table.frame for table in kept.tables]
    metrics, parts = tuple(context.settings.metrics), zip(context.every, frames[::2], frames[1::2], strict=True)
    return tuple(
        Browsed(one.label, one.selection.version.dataset, rows, metrics, _counts(one, findings), key)
        for one, rows, key in parts
    )


def _drawn(context: ReportContext, listed: pl.DataFrame) -> Result:
    """Draw the captions and score them: a table of captions and one of key words for each dataset."""
    first, *others = context.every
    keys = [pl.DataFrame(), *(_key_words(context, captions, first) for captions in others)]
    words = [frame["word"].to_list() if frame.width else [] for frame in keys]
    words[0] = [*dict.fromkeys(itertools.chain(*words))]
    every = zip(context.every, words, keys, strict=True)
    frames = [frame for captions, own, key in every for frame in (_of_dataset(context, captions, listed, own), key)]
    return Result("browsed", pl.DataFrame(), tables=tuple(Table("", frame) for frame in frames))


def _key_words(context: ReportContext, captions: Captions, first: Captions) -> pl.DataFrame:
    """Return the words whose frequency differs most from the first dataset."""
    ref, against = captions.selection.pinned_name, first.selection.pinned_name
    tokenizer = context.settings.tokenizer
    try:
        rows = key_words(context.store, ref, against=against, tokenizer=tokenizer, progress=context.progress).frame
    except AuditorError:  # a dataset without a token
        rows = pl.DataFrame()
    columns = {"word": pl.String, "occurrences": pl.Int64, "occurrences_b": pl.Int64, "log_ratio": pl.Float64}
    if rows.is_empty():
        return pl.DataFrame(schema=columns)
    return rows.head(_WORDS).select(pl.col(name).cast(of) for name, of in columns.items())


def _with_words(workspace: Workspace, rows: pl.DataFrame, words: Sequence[str]) -> pl.DataFrame:
    """Add captions that have these words, some of each."""
    workspace.bind_rows("word_in_list", pl.DataFrame({"word": words}, schema={"word": pl.String}))
    having = workspace.rows("listed_word").explode("words").with_columns(kind=pl.format("“{}”", "words"))
    workspace.bind_rows("listed_caption", having.select(_LISTED))
    nothing = {name: pl.lit(None, pl.String) for name in ("kind", "why")}
    more = workspace.rows("browsed_caption", at_random=0, of_kind=_OF_WORD).with_columns(**nothing)
    more = more.unique(["image", "slot"], maintain_order=True)
    return pl.concat([rows, more.join(rows, on=["image", "slot"], how="anti", maintain_order="left")])


def _of_dataset(context: ReportContext, captions: Captions, listed: pl.DataFrame, words: Sequence[str]) -> pl.DataFrame:
    version = captions.selection.version
    own = listed.filter(dataset=version.dataset, version=version.version).select(_LISTED)
    by_image = [kind for kind, entry in CAPTION_KINDS.items() if entry.of == "images"]
    of_image = own.filter(pl.col("kind").is_in(by_image)).with_columns(slot=pl.lit(None, pl.UInt32))
    items = pl.concat([own.filter(~pl.col("kind").is_in(by_image)), of_image])
    workspace = captions.workspace(draw_seed=context.settings.seed, at_random=_AT_RANDOM, of_kind=_OF_KIND)
    workspace.bind_rows("listed_caption", items.unique(["image", "slot", "kind"], keep="first", maintain_order=True))
    rows = workspace.rows("browsed_caption")
    return _scored(context, captions, _with_words(workspace, rows, words) if words else rows)


def _counts(captions: Captions, findings: Sequence[Finding]) -> dict[str, tuple[int, str]]:
    """Return how many captions or images of each kind a dataset has, and the command that lists them."""
    selection = captions.selection
    ref = selection.pinned_name
    place, counts = (selection.version.version, selection.split), dict[str, tuple[int, str]]()
    for finding in findings:
        kind, of = finding.kind, CAPTION_KINDS.get(finding.kind)
        if of and not of.of_dataset and (finding.about.get("version"), finding.about.get("split")) == place:
            counts[kind] = int(finding.values[of.of] or 0), call("findings", ref, kinds=[kind], output=f"{kind}.csv")
    whole = int(captions.images()["captions"].sum())
    return {**counts, "": (whole, call("export", ref, target=f"{selection.version.dataset}-captions.csv"))}


def _scored(context: ReportContext, captions: Captions, rows: pl.DataFrame) -> pl.DataFrame:
    """Add a column per metric: the score of each caption against the others of its image, if it has one."""
    metrics = requests(context.settings.metrics)
    if captions not in context.scored:
        return rows
    try:
        references = References("loo", context.settings.references, context.settings.seed)
        scores = score_candidates(references.select(captions), [HUMAN], metrics, context.progress)
    except AuditorError:  # the sections on scores report why
        return rows
    return rows.join(scores.drop("candidate"), on=["image", "slot"], how="left", maintain_order="left")
