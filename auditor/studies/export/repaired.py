"""The changes of `export --fix`: traces of models are removed; refusals, errors, placeholders and repeats are left out.

Captions are repaired by pattern until no pattern finds anything, so that a second run changes nothing. Then `findings`
looks at the repaired captions: what it lists of some kinds is left out, the rest is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import polars as pl

from auditor.errors import UsageError
from auditor.findings import CAPTION_KINDS
from auditor.model import Progress, Selection, Source, silent
from auditor.result import SEVERITIES
from auditor.sources.reading.acceptance import complete
from auditor.store import ingestion
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import content
from auditor.store.workspace import Workspace
from auditor.studies.findings import CONTAMINATED, findings
from auditor.studies.profile import replacements
from auditor.text import AT_INGEST
from auditor.text.mojibake import decoded_again

#: The word for every kind with a fix.
ALL = "all"

BLANKS, BROKEN, TWICE = "whitespace", "broken-characters", "repeated-words"

#: Kinds of captions that are left out.
DROPPED = ("refusals", "api-errors", "placeholders", "captions-without-word", "padded-images")

#: Kinds that are repaired in the text, in the order of their repair.
MENDED = (BROKEN, *dict.fromkeys(one["kind"] for one in replacements()), TWICE, BLANKS)

FIXABLE = (*MENDED, *DROPPED)

KEYS = ["image", "slot"]

#: Kinds that are reported if they are left, except for that which needs another dataset.
_REPORTED = tuple(
    kind
    for kind, entry in CAPTION_KINDS.items()
    if kind != CONTAMINATED and (entry.of == "captions" or kind in FIXABLE)
)

#: A repair: captions (image, slot, text) → image, slot, before, after.
Rule = Callable[[pl.DataFrame], pl.DataFrame]

#: Marks of a conversation. A caption with one after its repair has a leak that no pattern might find any more.
_ASKED = r"(?:^|\W)(?:(?i:question|user|assistant)(?: ?\d+)?|[QA]\d*):"

_STEPS = {"image": pl.String, "slot": pl.UInt32, "kind": pl.String, "before": pl.String, "after": pl.String}


@dataclass(frozen=True)
class Repaired:
    """The result of a repair.

    `captions` (image, slot, split, text) are those that remain. `changes` (image, slot, kind, before, after) has a row
    for each kind that changes a caption, in order; `after` is null for a caption that is left out. `left` (kind,
    captions, has_fix) counts the captions that `findings` still lists.
    """

    captions: pl.DataFrame
    changes: pl.DataFrame
    left: pl.DataFrame


def checked(kinds: Sequence[str]) -> tuple[str, ...]:
    """Return the kinds to fix, in the order of their repair. Raises `UsageError` for a kind without a fix."""
    for kind in kinds:
        if kind not in (ALL, *FIXABLE):
            known = "this kind has no safe fix" if kind in CAPTION_KINDS else "unknown kind"
            raise UsageError(f"--fix {kind}: {known}; expected {ALL}, or one of {', '.join(FIXABLE)}")
    return tuple(kind for kind in FIXABLE if ALL in kinds or kind in kinds)


def repaired(
    store: Store, selection: Selection, kinds: Sequence[str], gone: pl.DataFrame | None, progress: Progress = silent
) -> Repaired:
    """Repair the captions of a selection, except those that are `gone` (image, slot) already.

    Raises `UsageError` for a kind without a fix, and for a dataset whose captions are not independent.
    """
    chosen = checked(kinds)
    if selection.version.kind not in ("captions", "candidates"):
        raise UsageError(f"--fix: {selection.label} holds {selection.version.kind}; its captions belong together")
    captions = content(store, selection).select("image", pl.col("slot").cast(pl.UInt32), "split", "text")
    if gone is not None:
        captions = captions.join(gone, on=KEYS, how="anti")
    captions, steps = mended(store, captions.sort(KEYS), chosen, progress)
    captions, dropped, left = _sifted(captions, chosen, progress)
    return Repaired(captions, pl.concat([_joined(steps), dropped]).sort(KEYS, maintain_order=True), left)


def mended(
    store: Store, captions: pl.DataFrame, kinds: Sequence[str], progress: Progress = silent
) -> tuple[pl.DataFrame, list[pl.DataFrame]]:
    """Repair texts (image, slot, text) until nothing changes, by the kinds of `MENDED`.

    A caption that still has questions or turns of a conversation remains as it was, so that `findings` lists it.
    Return the captions that still have a text, and the steps: image, slot, kind, before, after.
    """
    workspace, steps, pending, given = Workspace(store), list[pl.DataFrame](), captions, captions
    rules = [*_rules(workspace, kinds)]
    while pending.height:
        changed = pending.clear()
        for done, (kind, rule) in enumerate(rules):
            progress(f"repairing {kind.replace('-', ' ')}", done, len(rules))
            step = rule(pending).filter(pl.col("before") != pl.col("after"))
            if step.height:
                steps.append(step.select(*KEYS, pl.lit(kind).alias("kind"), "before", "after"))
                pending = pending.update(step.select(*KEYS, text="after"), on=KEYS, maintain_order="left")
                changed = pl.concat([changed, pending.join(step, on=KEYS, how="semi")])
        captions = captions.update(pending.select(*KEYS, "text"), on=KEYS, maintain_order="left")
        pending = pending.join(changed, on=KEYS, how="semi")
    asked = captions.filter(pl.col("text").str.contains(_ASKED)).select(KEYS)
    captions = captions.update(given.select(*KEYS, "text").join(asked, on=KEYS, how="semi"), on=KEYS)
    remaining = (step.join(asked, on=KEYS, how="anti", maintain_order="left") for step in steps)
    steps = [step for step in remaining if step.height]
    touched = pl.concat([pl.DataFrame(schema=_STEPS), *steps])
    gone = captions.filter(pl.col("text") == "").join(touched, on=KEYS, how="semi")
    return captions.join(gone, on=KEYS, how="anti", maintain_order="left"), steps


def _rules(workspace: Workspace, kinds: Sequence[str]) -> Iterator[tuple[str, Rule]]:
    """Yield the repairs of these kinds. Each takes captions and returns the columns image, slot, before, after."""
    for kind in kinds:
        if kind == BROKEN:
            yield kind, partial(_by_text, pl.col("text").map_elements(decoded_again, return_dtype=pl.String))
        elif kind == TWICE:
            yield kind, partial(_by_text, _once())
        elif kind == BLANKS:
            yield kind, partial(_by_text, pl.col("text").str.replace_all(r"\s+", " ").str.strip_chars())
        for one in replacements():
            if one["kind"] == kind:
                yield kind, partial(_by_pattern, workspace, one)


def _by_text(changed: pl.Expr, captions: pl.DataFrame) -> pl.DataFrame:
    return captions.select(*KEYS, before="text", after=changed)


def _once() -> pl.Expr:
    """Return the first half of a text whose halves have the same words: at least three, as `findings` lists them."""
    words = pl.col("text").str.extract_all(r"\S+")
    plain = pl.col("text").str.to_lowercase().str.replace_all(r"[^\p{L}\p{N}\s]", "").str.extract_all(r"\S+")
    size, half = words.list.len(), words.list.len() // 2
    twice = (size >= 6) & (size == plain.list.len()) & (size % 2 == 0)
    same = plain.list.head(half) == plain.list.slice(half)
    return pl.when(twice & same).then(words.list.head(half).list.join(" ")).otherwise("text")


def _by_pattern(workspace: Workspace, replacement: Mapping[str, str], captions: pl.DataFrame) -> pl.DataFrame:
    workspace.bind_rows("caption_at_repair", captions.select(*KEYS, "text"))
    workspace.params |= replacement
    return workspace.rows("replaced")


def _joined(steps: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Return the steps with one row for consecutive steps of one kind on a caption, in their order."""
    every = pl.concat([pl.DataFrame(schema=_STEPS), *steps]).sort(KEYS, maintain_order=True)
    run = (pl.col("kind") != pl.col("kind").shift()).fill_null(value=True).cum_sum().over(KEYS).alias("run")
    joined = every.with_columns(run).group_by(*KEYS, "run", "kind", maintain_order=True)
    rows = joined.agg(pl.col("before").first(), pl.col("after").last()).drop("run")
    emptied = pl.when(pl.col("after") != "").then("after").alias("after")
    return rows.filter(pl.col("before") != pl.col("after")).with_columns(emptied)


def _sifted(
    captions: pl.DataFrame, kinds: Sequence[str], progress: Progress
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Leave out captions by kind. Return those that remain, those left out as changes, and what is still listed."""
    dropped = [pl.DataFrame(schema=_STEPS)]
    while True:
        listed = _listed(captions, progress)
        out = listed.filter(pl.col("kind").is_in([kind for kind in kinds if kind in DROPPED])).unique(
            KEYS, keep="first"
        )
        if out.is_empty():
            break
        with_text = out.join(captions, on=KEYS).sort(KEYS)
        dropped.append(with_text.select(*KEYS, "kind", before="text", after=pl.lit(None, pl.String)))
        captions = captions.join(out, on=KEYS, how="anti", maintain_order="left")
    left = listed.group_by("kind").agg(captions=pl.len()).sort("captions", "kind", descending=[True, False])
    return captions, pl.concat(dropped), left.with_columns(has_fix=pl.col("kind").is_in(FIXABLE))


def _listed(captions: pl.DataFrame, progress: Progress) -> pl.DataFrame:
    """List what `findings` finds in captions that no store holds. Columns: image, slot, kind."""
    if captions.is_empty():
        return pl.DataFrame(schema={"image": pl.String, "slot": pl.UInt32, "kind": pl.String})
    with Store.open(MEMORY, write=True) as store:
        rows = captions.select(
            *KEYS, "text", source=pl.lit("repaired"), unit=pl.lit("line"), line=pl.int_range(pl.len())
        )
        source = Source("repaired", "candidates", "literal", ())
        ingestion.write(store, source, iter([complete(rows)]), {}, AT_INGEST, "0" * 64)
        found = findings(store, "repaired", kinds=_REPORTED, captions_only=True, progress=progress)
    return found.frame.drop_nulls("slot").select(*KEYS, "kind").unique(maintain_order=True)


#: The word for errors and warnings.
FINDINGS = "findings"

#: Kinds of datasets with independent captions: a pair or triplet needs all of its captions.
_KINDS = ("captions", "candidates")


def named_by_findings(store: Store, selection: Selection, without: Sequence[str], progress: Progress) -> pl.DataFrame:
    """List the captions that findings list. Columns: image, slot, split, text, kind, severity, why; a row per finding.

    `without` has kinds, severities (this or worse), or `findings` for errors and warnings. A finding on a whole image
    only counts if its kind is named; then all captions of the image are listed. A finding on usable captions, such as
    those with a frequent opening, only counts if its kind is named, too. Raises `UsageError` for another word, and for
    a dataset whose captions are not independent.
    """
    if selection.version.kind not in _KINDS:
        raise UsageError(
            f"--without: {selection.label} holds {selection.version.kind}; its captions cannot be left out one by one"
        )
    kinds, worst = _kinds_and_severity(without)
    result = findings(
        store,
        selection.pinned_name,
        kinds=None if worst is not None else sorted(kinds),
        captions_only=True,
        progress=progress,
    )
    bad = SEVERITIES[: SEVERITIES.index(worst) + 1] if worst is not None else ()
    of_image = pl.col("slot").is_null()
    usable = pl.col("kind").is_in([kind for kind, entry in CAPTION_KINDS.items() if entry.usable])
    by_severity = pl.col("severity").is_in(bad) & ~of_image & ~usable
    named = result.frame.filter(pl.col("kind").is_in(kinds) | by_severity)
    texts = content(store, selection).select("image", "slot", "split", "text")
    whole = named.filter(of_image).drop("slot", "split", "text").join(texts, on="image")
    rows = [
        part.select("image", "slot", "split", "text", "kind", "severity", "why")
        for part in (named.filter(~of_image), whole)
    ]
    return pl.concat(rows).sort("image", "slot", "kind")


def _kinds_and_severity(without: Sequence[str]) -> tuple[list[str], str | None]:
    """Separate kinds from severities; the mildest severity counts."""
    kinds = []
    worst: list[str] = []
    for word in without:
        if word == FINDINGS:
            worst.append("warning")
        elif word in SEVERITIES:
            worst.append(word)
        elif word in CAPTION_KINDS:
            kinds.append(word)
        else:
            raise UsageError(
                f"--without {word}: expected {FINDINGS}, a severity ({', '.join(SEVERITIES)}), or a kind of finding "
                f"that lists captions: {', '.join(CAPTION_KINDS)}"
            )
    return kinds, max(worst, key=SEVERITIES.index, default=None)
