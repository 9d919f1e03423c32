"""Check whether a version is worse than another, and what changed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import polars as pl

from auditor import config as declarations
from auditor import parameters as p
from auditor.asked import face
from auditor.asking import forms, question
from auditor.called import call
from auditor.config import Declared
from auditor.errors import AuditorError, UsageError
from auditor.findings import declare
from auditor.model import Gate, Progress, Source, silent
from auditor.result import Finding, Result, Sentence, Severity, counted
from auditor.result.sentences import with_role
from auditor.statistics.sameness import SAMENESS
from auditor.statistics.significance import of_shares
from auditor.steps import Steps
from auditor.store.captions import Captions, select_all, selections_of
from auditor.store.connection import Store
from auditor.store.kept_results import kept_result
from auditor.store.versions import difference
from auditor.studies.check import FAILED, check, repeated
from auditor.studies.compare import drawn_sameness
from auditor.studies.diff.worse import BAD, DIMENSION, GATE, LEVEL, NUMBER, ROWS, compared, shown, tallied
from auditor.studies.findings import TABLE, Questions, all_findings
from auditor.studies.versions import DEPTH, After, Before, changes, drifted
from auditor.text import AUTO

_SEED = 1

#: The shares of duplicates that are compared.
_SHARES = ("within-image", "across-images", "leakage")

OfQuality = Annotated[Literal["quality"], DEPTH]


@question
def quality(
    store: Store,
    a: Before,
    b: After,
    *,
    depth: OfQuality = "quality",  # the form of the command
    tokenizer: p.Tokenizer = AUTO,
    config: Path | Mapping[str, Source] | None = None,
    progress: Progress = silent,
) -> Result:
    """Check whether a version is worse than another, for `auditor diff`."""
    counts = changes(store, a, b)
    counts = replace(counts, frame=pl.concat([pl.DataFrame(schema=ROWS), counts.frame], how="diagonal_relaxed"))
    if counts.holds:
        same = Sentence(f"{b} is not worse than {a}: {counts.findings[0]}.", "answer", counts.findings[0])
        return replace(counts, lead=(same,))
    every = select_all(store, (a, b), tokenizer=tokenizer, progress=progress)
    steps, unlike = Steps(progress, [captions.label for captions in every]), _unlike(store, every, counts.frame)
    declared, gates = declarations.sources(config), declarations.gates(config if isinstance(config, Path) else None)
    declare(declared.checks)  # kept findings can be of these kinds
    try:
        sides = [_audited(captions, declared, gates, steps) for captions in steps.over(every)]
    except AuditorError as error:
        unknown = f"Whether {b} is worse than {a} is unknown: {error}."
        return replace(counts, lead=(*unlike, unknown, *counts.lead), holds=None)
    rows = compared(*sides)
    holds, verdict = _verdict(rows, a, b, [int(one.images()["captions"].sum()) for one in every])
    kinds = rows.filter(pl.col("change").is_in(BAD), part="finding")["what"].to_list()
    listing = call("findings", b, kinds=kinds, output="findings.csv")
    further = [Sentence(f"`{listing}` lists the captions.", "next")] if kinds else []
    return Result(
        "diff",
        pl.concat([rows, counts.frame], how="diagonal_relaxed"),
        selections=selections_of(every),
        signatures=sides[1].signatures,
        tables=(*([shown(rows, f"{a} → {b}: what is worse or better")] if rows.height else []), *counts.tables),
        lead=(*unlike, verdict, *([] if unlike else counts.lead), *further),
        notes=tuple(dict.fromkeys([*every[0].notes, *(note for side in sides for note in side.notes)])),
        holds=holds,
        headline=f"{a} → {b}",
    )


def _verdict(rows: pl.DataFrame, a: str, b: str, sizes: Sequence[int]) -> tuple[bool | None, str]:
    """Return whether a version is at least as good, with a sentence; null if it has too few captions."""
    if rows["change"].is_in(BAD).any():
        return False, f"{b} is worse than {a}: {tallied(rows)}."
    if of_shares(0, sizes[0], sizes[1], sizes[1]) >= LEVEL:
        of = f"{sizes[0]:,} and {counted(sizes[1], 'caption', 'captions')}"
        return None, f"Whether {b} is worse than {a} is unknown: of {of}, any difference can be chance."
    return True, f"{b} is not worse than {a}: {tallied(rows) or 'nothing that is measured changed beyond chance'}."


def _unlike(store: Store, every: Sequence[Captions], counts: pl.DataFrame) -> list[str]:
    """Return a sentence on versions without an image or a caption in common."""
    number = dict(counts.select("change", "captions").iter_rows())
    if number["removed"] < counts["captions"][0] or number["added"] < counts["captions"][1]:
        return []
    shared = difference(store, every[0].selection, every[1].selection, "shared_content").row(0)
    return [] if any(shared) else ["They share no image and no caption: these are different data."]


def _audited(captions: Captions, declared: Declared, gates: Sequence[Gate], progress: Progress) -> Result:
    """Return what `compared` compares of one version; it is kept in the store."""
    store, selection = captions.store, captions.selection
    own = [gate for gate in gates if gate.dataset in (None, selection.version.dataset)]
    roles = {name: source.split_roles for name, source in sorted(declared.items())}
    settings = {"tokenizer": captions.tokenizer, "roles": roles, "checks": str(declared.checks), "gates": str(own)}

    def make() -> Result:
        questions = Questions((captions,), _SEED, declared, progress)
        found, measured = all_findings(questions), list[Finding]()
        skipped = [note for note in found.notes if with_role(note, "note").role == "skipped"]
        try:
            checked = check(store, selection.pinned_name, gates=own, config=declared, progress=progress).frame
            for row in checked.iter_rows(named=True):
                name, why = " ".join(filter(None, [row["gate"], row["metric"]])), ({"why": row["reason"]},)
                severity: Severity = "error" if row["verdict"] == FAILED else "info"
                value = {"share": row["value"]}
                measured.append(Finding(name, "", {"part": GATE}, value, severity=severity, examples=why))
        except UsageError as error:
            skipped += [Sentence(f"{captions.label}: gates: {error}", "skipped")] if own else []
        measured += _measured(questions, captions)
        return Result("diff", found.frame, notes=tuple(skipped), findings=(*found.findings, *measured))

    return kept_result(store, "quality", [selection], settings, make)


def _measured(questions: Questions, captions: Captions) -> Iterator[Finding]:
    """Yield the share of captions with problems in each dimension, shares of duplicates, and sameness."""
    images, wrong = captions.images(), questions.results[TABLE, captions.label].frame.drop_nulls("share")
    for name, share in wrong.select("captions should be", "share").iter_rows():
        yield Finding(name, "", {"part": DIMENSION}, {"share": share}, int(images["captions"].sum()))
    if duplicates := questions.duplicates():
        shares = repeated(duplicates.frame).filter(pl.col("statistic").is_in(_SHARES)).drop_nulls("value")
        for name, share, n in shares.select("statistic", "value", "n").iter_rows():
            yield Finding(name, "", {"part": NUMBER}, {"share": share}, n)
    same = drawn_sameness(captions, _SEED)
    if same.error is not None and math.isfinite(same.value):
        yield Finding(SAMENESS, "", {"part": NUMBER}, {"share": same.value, "error": same.error}, images.height)


@face(asks=True)
@forms(quality, changes, drifted, names=("quality", "depths of captions", "depths of language"))
def diff() -> None:
    """Check whether a version is worse, and what changed.

    Compares the findings of both versions, the shares of captions with problems, gates of datasets.toml, duplicates and
    `sameness`. Each change is new, worse, better or gone, with the captions behind it: those that the other version
    lacks. The counts of added, removed, edited and moved captions follow. The store keeps the findings, so a second
    call is quick. `--depth totals` only counts.

    Only more than chance is listed. A share must differ with p < 0.05 in a test of two proportions, `sameness` by
    Student's t. Holm's method corrects p for the number of comparisons. A finding with another severity, or a gate with
    another verdict, is listed too. So is an error or a warning that only one version has.

    Other depths: images counts the changes by image, text lists each caption, old and new. With `--as-tokens`, captions
    with equal tokens count as unchanged. Vocabulary compares words, lengths compares the lengths of captions. Drift
    summarizes both: Jensen-Shannon divergence of words, bigrams and openings, lengths, new words and removed words.

    How to read it: `captions` counts the captions behind a change. With --exit-code, the exit code is 1 if the version
    is worse; at another depth, if anything changed. `edited` is another text at the same image and slot; `moved` is the
    same text elsewhere. A divergence is 0 for equal frequencies and 1 if no words are shared.

    Limits: shares are tested as if captions were drawn independently. A few captions cannot show that a version is
    worse. Without a column of slots, a removed caption moves the later ones of its image, which then count as edited.
    To compare captions, both versions must use the same names of images. Of 20 pairs of random halves of Flickr8k, one
    was called worse, for a warning that one half lacked. Divergence is larger for small datasets, so compare it with
    the divergence of two halves of one dataset.

    Raises `UsageError` for another depth or an unknown tokenizer.

    Examples: auditor diff flickr8k@v1 flickr8k@v2 · auditor diff flickr8k@v1 flickr8k@v2 --depth text · auditor diff
    flickr8k flickr30k --depth vocabulary
    """
