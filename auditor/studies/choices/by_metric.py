"""Metrics as scorers: all captions of an item are scored against the other captions of its image."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import Progress
from auditor.result import Said
from auditor.scoring.candidates import CandidateSet, output_of
from auditor.scoring.references import references_of
from auditor.scoring.registry import MetricRequest, References, requests
from auditor.scoring.scores import scorable, score_candidates, signatures
from auditor.store.captions import Captions
from auditor.studies.choices.scored import METRIC, Scored, by_item


def scorers(
    captions: Captions,
    items: pl.DataFrame,
    sides: pl.DataFrame,
    against: str | None,
    names: p.Metrics,
    notes: list[Said],
    progress: Progress,
) -> Iterator[Scored]:
    """Yield the scores of every item by the metrics (null: all), error rates with changed sign.

    `sides` are the rows of `sql/choices/choice_caption.sql`. `notes` report items without scores.

    Raises `UsageError` for unknown references or metrics.
    """
    if names is not None and not names:
        return
    selection = captions.selection
    try:
        references, reason = references_of(captions, against)
    except UsageError as error:
        if against is not None or names:
            raise
        notes.append(f"no metrics: {error}")
        return
    wanted, left = scorable(references, requests(names), names)
    notes += [*reason, *left]
    references.tokenize(progress)
    both = output_of(selection)
    candidates = CandidateSet(both.name, "candidate_choice", both.params, drawn_from=both.drawn_from)
    signed = signatures(wanted, captions.tokenizer, References("loo"))
    is_noted = False
    # Metrics that see images score fewer items; the others are scored separately, so they keep all items.
    for sees_images in (False, True):
        group = [metric for metric in wanted if metric.metric.sees_images is sees_images]
        scores = score_candidates(references, [candidates], group, progress) if group else pl.DataFrame()
        for metric in group:
            of_items = _of_items(metric, scores, sides, items)
            scored = of_items["wrong"].count()
            if scored < items.height and not sees_images and not is_noted:
                is_noted = True
                notes.append(
                    f"{metric.label} scores {scored:,} of {items.height:,} items: for the others, "
                    f"{references.label} has no other captions of the image, or contains both right captions"
                )
            yield Scored(metric.label, METRIC, "references", of_items, signature=signed[metric.label])


def _of_items(metric: MetricRequest, scores: pl.DataFrame, sides: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Return the scores of captions by item."""
    better = -1.0 if metric.metric.lower_is_better else 1.0
    by_slot = scores.select("image", "slot", score=pl.col(metric.label) * better)
    return by_item(sides.select("item_no", "side", "image", "slot").join(by_slot, on=["image", "slot"]), items)
