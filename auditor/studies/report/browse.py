"""The captions that a page shows: a random sample of each dataset, and captions of each kind of finding."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import polars as pl

from auditor.errors import AuditorError
from auditor.findings import CAPTION_KINDS
from auditor.result import Finding
from auditor.result.document import Browsed
from auditor.scoring.candidates import HUMAN
from auditor.scoring.registry import References, requests
from auditor.scoring.scores import score_candidates
from auditor.store.captions import Captions
from auditor.studies.report.request import ReportContext

#: Captions drawn from each dataset, and the most of each kind of finding.
_AT_RANDOM, _OF_KIND = 200, 300

_LISTED = ("image", "slot", "kind", "why")


def browsed(context: ReportContext, listed: pl.DataFrame, findings: Sequence[Finding]) -> tuple[Browsed, ...]:
    """Return the captions to browse, by dataset. `listed` are the captions that the findings list."""
    return tuple(_of_dataset(context, captions, listed, findings) for captions in context.every)


def _of_dataset(
    context: ReportContext, captions: Captions, listed: pl.DataFrame, findings: Sequence[Finding]
) -> Browsed:
    selection = captions.selection
    version = selection.version
    own = listed.filter(dataset=version.dataset, version=version.version).select(_LISTED)
    by_image = [kind for kind, entry in CAPTION_KINDS.items() if entry.of == "images"]
    of_image = own.filter(pl.col("kind").is_in(by_image)).with_columns(slot=pl.lit(None, pl.UInt32))
    items = pl.concat([own.filter(~pl.col("kind").is_in(by_image)), of_image])
    workspace = captions.workspace(draw_seed=context.settings.seed, at_random=_AT_RANDOM, of_kind=_OF_KIND)
    workspace.bind_rows("listed_caption", items.unique(["image", "slot", "kind"], keep="first", maintain_order=True))
    rows = workspace.rows("browsed_caption")
    ref = shlex.quote(selection.pinned_name)
    counts = {
        finding.kind: (
            int(finding.values[CAPTION_KINDS[finding.kind].of] or 0),
            f"auditor findings {ref} --kind {finding.kind} -o {finding.kind}.csv",
        )
        for finding in findings
        if finding.kind in CAPTION_KINDS
        and finding.about.get("version") == version.version
        and finding.about.get("split") == selection.split
    }
    counts[""] = (
        int(workspace.query("select count(*) from reference").item()),
        f"auditor export {ref} -o {version.dataset}.csv",
    )
    scored = _scored(context, captions, rows)
    return Browsed(selection.label, version.dataset, scored, tuple(context.settings.metrics), counts)


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
