"""The statistics that gates compare with their limits, for one selection. Each function uses one study.

Every function returns rows with the columns of `MEASURED`; `reason` explains a missing value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from auditor.findings import KINDS
from auditor.model import Progress, Selection, Source
from auditor.result import SEVERITIES
from auditor.scoring.candidate_sets import score_sets, substitutes_of, with_givers
from auditor.scoring.registry import References, requests
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.versions import log, resolve
from auditor.studies.choices import choices, of_all_items
from auditor.studies.compare import estimated_indices
from auditor.studies.diversity import DiversitySettings, captions_and_known, measured
from auditor.studies.duplicates import TEST, TRAIN, duplicates
from auditor.studies.findings import findings
from auditor.studies.outliers import misplaced
from auditor.studies.outliers import outliers as outliers_of
from auditor.studies.profile import profile
from auditor.studies.templates import templates as templates_of
from auditor.studies.versions import diff

MEASURED: Mapping[str, type[pl.DataType]] = {
    "statistic": pl.String, "metric": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64,
    "signature": pl.String, "reason": pl.String,
}  # fmt: skip

_SEED = 1

_RESAMPLES = 1000

_CONFIDENCE = 0.95


@dataclass(frozen=True)
class MeasureRequest:
    """What to measure: captions, by one metric or (null) all, with drift `against` another dataset.

    Their tokenizer fits their writing system. `ignored` are the kinds of findings that do not count, each
    with the reason. `known` is a file of known findings, which do not count either.
    """

    captions: Captions
    declared: Mapping[str, Source]
    progress: Progress
    metric: str | None = None
    against: str | None = None
    ignored: Mapping[str, str] = field(default_factory=dict)
    known: Path | None = None

    @property
    def store(self) -> Store:
        """The store that holds the captions."""
        return self.captions.store

    @property
    def selection(self) -> Selection:
        """The selection of the captions."""
        return self.captions.selection

    @property
    def tokenizer(self) -> str:
        """The tokenizer of every study."""
        return self.captions.tokenizer

    @property
    def ref(self) -> str:
        """The selection as a user types it."""
        return _reference(self.selection.version.label, self.selection.split)

    @property
    def number(self) -> int:
        """The number of captions."""
        return int(self.captions.images()["captions"].sum())


Measure = Callable[[MeasureRequest], pl.DataFrame]


def sizes(request: MeasureRequest) -> pl.DataFrame:
    """Measure sizes and lengths (`profile`), and `empty`, the share of captions without a word."""
    rows = profile(request.store, request.ref, tokenizer=request.tokenizer).frame.select("statistic", "value")
    counted = dict(rows.iter_rows())
    empty = pl.DataFrame({"statistic": ["empty"], "value": [_share(counted["captions-without-word"], request.number)]})
    return _rows(pl.concat([rows, empty]))


def repetition(request: MeasureRequest) -> pl.DataFrame:
    """Measure shares of exact and near-duplicate captions (`duplicates`); with `-exact`, of exact ones only.

    `within-image`, `across-images`; `leakage`: share of the test captions that also occur in training captions.
    """
    shares = duplicates(request.store, request.ref, config=request.declared, progress=request.progress).frame.filter(
        pl.col("statistic") == "captions", pl.col("slot").is_null(), pl.col("match").is_in(["any", "exact"])
    )
    is_leak = (pl.col("scope") == "across-splits") & (pl.col("split") == TEST) & (pl.col("against_split") == TRAIN)
    name = pl.when(is_leak).then(pl.lit("leakage")).otherwise("scope")
    wanted = shares.filter(is_leak | pl.col("scope").is_in(["within-image", "across-images"]))
    suffix = pl.when(pl.col("match") == "exact").then(pl.lit("-exact")).otherwise(pl.lit(""))
    rows = wanted.select(pl.concat_str(name, suffix).alias("statistic"), "value", "signature")
    if rows.filter(statistic="leakage").is_empty():
        return _rows(pl.concat([rows, _without(("leakage", "leakage-exact"), _unsplit(request))], how="diagonal"))
    return _rows(rows)


def diversity(request: MeasureRequest) -> pl.DataFrame:
    """Measure global diversity (`diversity`); `low` and `high` are the range over random orders of the captions."""
    settings = DiversitySettings(request.tokenizer, curve=0)
    every, known = captions_and_known(
        request.store, [request.ref], None, None, None, request.tokenizer, request.progress
    )
    rows, _ = measured(every, settings, known, request.declared, request.progress)
    return _rows(rows.filter(pl.col("position").is_null()))


def templates(request: MeasureRequest) -> pl.DataFrame:
    """Measure `templated`, the share of captions that follow a template (`templates`)."""
    result = templates_of(
        request.store, request.ref, tokenizer=request.tokenizer, level="caption", progress=request.progress
    )
    return _single("templated", _share(result.frame.height, request.number), result.signatures["templates"])


def outliers(request: MeasureRequest) -> pl.DataFrame:
    """Measure `misplaced`, the share of captions that appear to belong to another image (`outliers`)."""
    result = outliers_of(request.store, request.ref, tokenizer=request.tokenizer, progress=request.progress)
    number = misplaced(result.frame).height
    return _single("misplaced", _share(number, request.number), result.signatures["evidence"])


def blind_choices(request: MeasureRequest) -> pl.DataFrame:
    """Measure `best-blind`, the accuracy on forced-choice items of the best scorer that ignores the image."""
    if request.selection.version.kind != "choices":
        kind = request.selection.version.kind
        return _without(("best-blind",), f"{request.selection.label} is of kind {kind}, without forced-choice items")
    result = choices(request.store, request.ref, metrics=(), tokenizer=request.tokenizer, progress=request.progress)
    best = of_all_items(result.frame).filter(pl.col("scorer") == pl.col("best_blind"))
    return _rows(best.select("low", "high", "signature", statistic=pl.lit("best-blind"), value="accuracy"))


def homogeneity(request: MeasureRequest) -> pl.DataFrame:
    """Measure `homogeneity` by each metric, with the interval of `compare`."""
    selection, metrics = request.selection, requests(None if request.metric is None else [request.metric])
    names = None if request.metric is None else [request.metric]
    without_others = substitutes_of([request.captions])
    captions, against = request.captions, References("loo")
    scored = score_sets(captions, ("human", "intra"), without_others, against, names, _SEED, progress=request.progress)
    scores = with_givers(captions, scored, against)
    indices = estimated_indices(selection, scores, metrics, _SEED, _RESAMPLES, _CONFIDENCE, request.progress)
    by_metric = {index.metric: index for index in indices.indices if index.statistic == "homogeneity"}
    notes = "; ".join(map(str, (*scored.reasons.values(), *scored.notes, *indices.notes)))
    rows = []
    for label in (metric.label for metric in metrics):
        index = by_metric.get(label)
        low, high = (index and index.interval) or (None, None)
        reason = None if index and high is not None else notes or None
        rows.append(("homogeneity", label, index and index.value, low, high, scored.signatures.get(label), reason))
    return pl.DataFrame(rows, schema=MEASURED, orient="row")


def faults(request: MeasureRequest) -> pl.DataFrame:
    """Measure `findings`: `severity` of the worst, and for each kind the share of captions or images.

    Severity is 0 for info, 3 for an error, and its `reason` is the finding. The share is 0 for a kind without findings,
    and 1 for a finding without a share.
    """
    reported = findings(
        request.store,
        request.ref,
        tokenizer=request.tokenizer,
        known=request.known,
        config=request.declared,
        progress=request.progress,
    ).findings
    counted = next((finding for finding in reported if finding.kind not in request.ignored), None)
    worst, why = ("info", None) if counted is None else (counted.severity, f"{counted.severity}: {counted.sentence}")
    shares = dict.fromkeys(KINDS, 0.0)
    for finding in reported:
        share = finding.values.get("share")
        shares[finding.kind] = max(shares[finding.kind], share if isinstance(share, float) else 1.0)
    rows = [
        ("severity", float(SEVERITIES[::-1].index(worst)), why),
        *((kind, share, None) for kind, share in shares.items()),
    ]
    return _rows(
        pl.DataFrame(rows, schema={"statistic": pl.String, "value": pl.Float64, "reason": pl.String}, orient="row")
    )


def drift(request: MeasureRequest) -> pl.DataFrame:
    """Measure the drift (`diff --depth drift`) since `against`, or the version before, in the same split."""
    version, split = request.selection.version, request.selection.split
    before = request.against
    if before is None:
        older = [earlier.label for earlier in log(request.store, version.dataset) if earlier.seq < version.seq]
        if not older:
            reason = f'{version.label} is the first version; set drift.against = "DATASET"'
            return _without(("js", "js-2", "js-opening"), reason)
        before = _reference(older[0], split)
    elif _is_itself(request.store, before, request.selection):
        reason = f"{before} is the version that is checked; keep the store between runs, or name another version"
        return _without(("js", "js-2", "js-opening"), reason)
    result = diff(
        request.store, before, request.ref, depth="drift", tokenizer=request.tokenizer, progress=request.progress
    )
    settings, _, number = result.signatures["drift"].rpartition("|")
    signature = f"{settings}|since:{result.selections[0].pinned_name}|{number}"
    return _rows(result.frame.select("statistic", "value", "low", "high", pl.lit(signature).alias("signature")))


def _is_itself(store: Store, before: str, checked: Selection) -> bool:
    """Return whether a reference only happens to be the checked version; a hash or a tag vouches for its content."""
    named, at = resolve(store, before), before.partition("@")[2].partition(":")[0]
    counts = re.fullmatch(r"(v\d+|\d{4}-\d\d-\d\d)?", at) is not None
    return counts and named.pinned_name == checked.pinned_name and named.version.seq == checked.version.seq


def _reference(label: str, split: str | None) -> str:
    return label if split is None else f"{label}:{split}"


def _unsplit(request: MeasureRequest) -> str:
    """Return why leaks cannot be searched for."""
    if request.selection.split is not None:
        wrong = f"{request.selection.label} is a single split; check the whole dataset"
        return f"needs the splits {TEST} and {TRAIN}, but {wrong}"
    splits = request.captions.images()["split"].drop_nulls().unique().sort().to_list()
    reason = f"it has {', '.join(splits)}; use split_roles to map one of them" if splits else "it has no splits"
    return f"needs the splits {TEST} and {TRAIN}: {reason}"


def _share(count: float, captions: int) -> float | None:
    return count / captions if captions else None


def _single(statistic: str, value: float | None, signature: str) -> pl.DataFrame:
    return pl.DataFrame([(statistic, None, value, None, None, signature, None)], schema=MEASURED, orient="row")


def _without(statistics: tuple[str, ...], reason: str) -> pl.DataFrame:
    rows = [(statistic, None, None, None, None, None, reason) for statistic in statistics]
    return pl.DataFrame(rows, schema=MEASURED, orient="row")


def _rows(rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows with every column, null if missing."""
    return rows.select(
        (pl.col(name) if name in rows.columns else pl.lit(None)).cast(kind).alias(name)
        for name, kind in MEASURED.items()
    )
