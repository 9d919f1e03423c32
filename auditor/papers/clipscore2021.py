"""Measures what Hessel et al. 2021 and those after them print of Flickr8k's ratings, on those that are in the store."""

from __future__ import annotations

from collections.abc import Iterator

from auditor.model import Progress, Selection
from auditor.papers.figures import Paper, Quantity
from auditor.papers.measured import Measured
from auditor.registry import METRICS, lacking
from auditor.scoring.protocols import PROTOCOLS
from auditor.store.connection import Store
from auditor.store.versions import log, resolve
from auditor.studies.agree import Resampling
from auditor.studies.agree.protocol import PUBLISHED, TAUS, Followed, follow

_PROTOCOL = PROTOCOLS["clipscore2021"]

Quantities = Iterator[tuple[Quantity, float]]


def measure(store: Store, paper: Paper, _seed: int, progress: Progress) -> Measured:
    """Measure each coefficient as published; nothing of it is drawn.

    A metric that this installation cannot compute is not answerable.
    """
    reasons = {name: reason for name in paper.datasets if (reason := _lacking(store, name))}
    quantities: dict[Quantity, float] = {}
    signatures: dict[str, str] = {}
    selections: list[Selection] = []
    for name in (one for one in paper.datasets if one not in reasons):
        part = follow(store, _PROTOCOL, resolve(store, name), Resampling(resamples=0), progress)
        quantities.update(_measured(name, part))
        signatures |= {f"{name}: {one.metric}": part.rated.signatures[one.published] for one in part.definitions}
        selections += [part.rated.annotated, part.rated.references]
    absent = {
        check.of: reason
        for check in paper.checks
        if check.of[1] in METRICS and (reason := lacking(METRICS[check.of[1]])) is not None
    }
    return Measured(quantities, reasons, tuple(selections), signatures, absent=absent)


def _lacking(store: Store, name: str) -> str | None:
    """Say what of a set of ratings must be ingested, if anything must."""
    wanted = (name, _PROTOCOL.of_ratings(name).against)
    missing = " ".join(one for one in wanted if not log(store, one))
    return f"not in the store: `auditor ingest {missing}`" if missing else None


def _measured(name: str, part: Followed) -> Quantities:
    for one in part.definitions:
        for statistic in TAUS:
            value = part.value(one, PUBLISHED, statistic)["value"]
            if value is not None:
                yield (name, one.metric, "", "", f"{statistic}-x100"), 100 * value
    ratings = part.rated.beside_scores("pooled", without_references=not part.setup.own_references)
    yield (name, "", "", "", "ratings"), float(ratings.height)
    yield (name, "", "", "", "images"), float(ratings["image"].n_unique())
