"""The statistics that gates compare with their limits, for one selection. Each function uses one study.

Every function returns rows with the columns of `MEASURED`; `reason` explains a missing value. Without any, it raises
`UsageError` or `MetricError`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import polars as pl

from auditor.config import checks
from auditor.errors import UsageError
from auditor.findings import KINDS, declare
from auditor.model import Progress, Selection, Source
from auditor.result import SEVERITIES, Result
from auditor.result.views import completed
from auditor.scoring.candidate_sets import score_sets, substitutes_of, with_givers
from auditor.scoring.registry import References, requests
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.versions import log, resolve
from auditor.studies.choices import choices, of_all_items
from auditor.studies.compare import estimated_indices
from auditor.studies.diversity import DiversitySettings
from auditor.studies.diversity import diversity as diversity_of
from auditor.studies.duplicates import TEST, TRAIN, duplicates
from auditor.studies.findings import findings
from auditor.studies.outliers import misplaced
from auditor.studies.outliers import outliers as outliers_of
from auditor.studies.profile import profile
from auditor.studies.templates import templates as templates_of
from auditor.studies.versions import drifted

MEASURED: Mapping[str, type[pl.DataType]] = {
    "statistic": pl.String, "metric": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64,
    "signature": pl.String, "reason": pl.String,
}  # fmt: skip

_SEED, _RESAMPLES, _CONFIDENCE = 1, 1000, 0.95


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

    def ask(self, study: Callable[..., Result], *before: str, **options: object) -> Result:
        """Return the result of a study on the captions, named after those `before`."""
        named = replace(self.captions.selection, shows_version=True).label
        return study(self.captions.store, *before, named, progress=self.progress, **options)

    def share(self, number: float) -> float | None:
        """Return a number of captions as a share of all."""
        captions = int(self.captions.images()["captions"].sum())
        return number / captions if captions else None


Measure = Callable[[MeasureRequest], pl.DataFrame]


def sizes(request: MeasureRequest) -> pl.DataFrame:
    """Measure sizes and lengths (`profile`), and `empty`, the share of captions without a word."""
    rows = request.ask(profile, tokenizer=request.captions.tokenizer).frame
    empty = request.share(rows.filter(statistic="captions-without-word")["value"][0])
    return pl.concat([completed(rows, MEASURED), _row("empty", empty)])


def repetition(request: MeasureRequest) -> pl.DataFrame:
    """Measure shares of exact and near-duplicate captions (`duplicates`); with `-exact`, of exact ones only.

    `within-image`, `across-images`; `leakage`: share of the test captions that also occur in training captions.
    """
    rows = completed(repeated(request.ask(duplicates, config=request.declared).frame), MEASURED)
    if "leakage" not in rows["statistic"]:
        why = _unsplit(request.captions)
        rows = pl.concat([rows, *(_row(name, reason=why) for name in ("leakage", "leakage-exact"))])
    return rows


def repeated(duplicates: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of `duplicates` that are shares of all captions, with these names of statistics."""
    is_whole = pl.col("slot").is_null() & pl.col("match").is_in(["any", "exact"])
    shares = duplicates.filter(is_whole, statistic="captions")
    is_leak = (pl.col("scope") == "across-splits") & (pl.col("split") == TEST) & (pl.col("against_split") == TRAIN)
    name = pl.when(is_leak).then(pl.lit("leakage")).otherwise("scope")
    wanted = shares.filter(is_leak | pl.col("scope").is_in(["within-image", "across-images"]))
    suffix = pl.when(pl.col("match") == "exact").then(pl.lit("-exact")).otherwise(pl.lit(""))
    return wanted.with_columns(statistic=pl.concat_str(name, suffix))


def diversity(request: MeasureRequest) -> pl.DataFrame:
    """Measure global diversity (`diversity`); `low` and `high` are the range over random orders of the captions."""
    settings = DiversitySettings(request.captions.tokenizer, curve=0)
    result = request.ask(diversity_of, settings=settings, statistics=["ttr-1"], config=request.declared)
    return completed(result.frame, MEASURED)


def templates(request: MeasureRequest) -> pl.DataFrame:
    """Measure `templated`, the share of captions that follow a template (`templates`)."""
    result = request.ask(templates_of, tokenizer=request.captions.tokenizer, level="caption")
    return _row("templated", request.share(result.frame.height), result.signatures["templates"])


def outliers(request: MeasureRequest) -> pl.DataFrame:
    """Measure `misplaced`, the share of captions that appear to belong to another image (`outliers`)."""
    result = request.ask(outliers_of, tokenizer=request.captions.tokenizer)
    signature = result.signatures.get("evidence", result.signatures.get("fit"))  # by vectors, if all images have one
    return _row("misplaced", request.share(misplaced(result.frame).height), signature)


def blind_choices(request: MeasureRequest) -> pl.DataFrame:
    """Measure `best-blind`, the accuracy on forced-choice items of the best scorer that ignores the image."""
    kind = request.captions.selection.version.kind
    if kind != "choices":
        raise UsageError(f"{request.captions.label} is of kind {kind}, without forced-choice items")
    frame = request.ask(choices, metrics=(), tokenizer=request.captions.tokenizer).frame
    best = of_all_items(frame).filter(pl.col("scorer") == pl.col("best_blind"))
    named = best.with_columns(statistic=pl.lit("best-blind"), value="accuracy").drop("metric", strict=False)
    return completed(named, MEASURED)


def homogeneity(request: MeasureRequest) -> pl.DataFrame:
    """Measure `homogeneity` by each metric, with the interval of `compare`."""
    names = None if request.metric is None else [request.metric]
    metrics, captions, against = requests(names), request.captions, References("loo")
    others = substitutes_of([captions])
    scored = score_sets(captions, ("human", "intra"), others, against, names, _SEED, progress=request.progress)
    scores = with_givers(captions, scored, against)
    indices = estimated_indices(captions.selection, scores, metrics, _SEED, _RESAMPLES, _CONFIDENCE, request.progress)
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
    options = {"known": request.known, "config": request.declared}
    reported = request.ask(findings, tokenizer=request.captions.tokenizer, **options).findings
    worst = next((finding for finding in reported if finding.kind not in request.ignored), None)
    level = float(SEVERITIES[::-1].index(worst.severity)) if worst else 0.0
    shares = dict.fromkeys([*KINDS, *declare(checks(request.declared))], 0.0)
    for finding in reported:
        share = finding.values.get("share")
        shares[finding.kind] = max(shares[finding.kind], share if isinstance(share, float) else 1.0)
    rows = [_row(kind, share) for kind, share in shares.items()]
    return pl.concat([_row("severity", level, reason=worst.sentence if worst else ""), *rows])


def drift(request: MeasureRequest) -> pl.DataFrame:
    """Measure the drift (`diff --depth drift`) since `against`, or the version before, in the same split."""
    store, checked = request.captions.store, request.captions.selection
    version, before = checked.version, request.against
    if before is None:
        older = [earlier for earlier in log(store, version.dataset) if earlier.seq < version.seq]
        if not older:
            raise UsageError(f'{version.label} is the first version; set drift.against = "DATASET"')
        before = replace(checked, version=older[0], shows_version=True).label
    elif _is_itself(store, before, checked):
        way_out = "keep the store between runs, or name another version"
        raise UsageError(f"{before} is the version that is checked; {way_out}")
    result = request.ask(drifted, before, depth="drift", tokenizer=request.captions.tokenizer)
    settings, _, number = result.signatures["drift"].rpartition("|")
    signature = f"{settings}|since:{result.selections[0].pinned_name}|{number}"
    return completed(result.frame.with_columns(signature=pl.lit(signature)), MEASURED)


def _is_itself(store: Store, before: str, checked: Selection) -> bool:
    """Return whether a reference only happens to be the checked version; a hash or a tag vouches for its content."""
    named, at = resolve(store, before), before.partition("@")[2].partition(":")[0]
    counts = re.fullmatch(r"(v\d+|\d{4}-\d\d-\d\d)?", at) is not None
    return counts and named.pinned_name == checked.pinned_name and named.version.seq == checked.version.seq


def _unsplit(captions: Captions) -> str:
    """Return why leaks cannot be searched for."""
    needs = f"needs the splits {TEST} and {TRAIN}"
    if captions.selection.split is not None:
        return f"{needs}, but {captions.label} is a single split; check the whole dataset"
    splits = ", ".join(captions.images()["split"].drop_nulls().unique().sort())
    return f"{needs}: it has " + (f"{splits}; use split_roles to map one of them" if splits else "no splits")


def _row(statistic: str, value: float | None = None, signature: str | None = None, reason: str = "") -> pl.DataFrame:
    rows = [(statistic, None, value, None, None, signature, reason or None)]
    return pl.DataFrame(rows, schema=MEASURED, orient="row")
