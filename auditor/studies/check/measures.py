"""What gates are compared with: statistics of one selection, each function by one study.

Every function gives rows with the columns of `MEASURED`; one without a value says why in `reason`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import polars as pl

from auditor.findings import KINDS
from auditor.model import Progress, Selection, Source
from auditor.result import SEVERITIES
from auditor.scoring.candidate_sets import score_sets, with_givers
from auditor.scoring.registry import References, requests
from auditor.scoring.substitutes import substitutes_of
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.versions import images, log
from auditor.studies.choices import choices, of_all_items
from auditor.studies.compare import estimated_indices
from auditor.studies.diversity import DiversitySettings, measured, selections_with_tokens
from auditor.studies.duplicates import TEST, TRAIN, duplicates
from auditor.studies.findings import findings
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
class Asked:
    """Whose statistics are asked for: a selection, by one metric or (null) all, for a drift `against` another dataset.

    `tokenizer` is the one for captions that are written like those of the selection. `ignored` are the kinds of
    findings that do not count, each with the reason.
    """

    store: Store
    selection: Selection
    declared: Mapping[str, Source]
    progress: Progress
    tokenizer: str
    metric: str | None = None
    against: str | None = None
    ignored: Mapping[str, str] = field(default_factory=dict)

    @property
    def ref(self) -> str:
        """The selection as a user types it."""
        return _reference(self.selection.version.label, self.selection.split)

    @property
    def captions(self) -> int:
        """How many captions it has."""
        return int(images(self.store, self.selection)["captions"].sum())


Measure = Callable[[Asked], pl.DataFrame]


def sizes(asked: Asked) -> pl.DataFrame:
    """Measure sizes and lengths (`profile`), and `empty`, the share of captions without a word."""
    rows = profile(asked.store, asked.ref, tokenizer=asked.tokenizer).frame.select("statistic", "value")
    counted = dict(rows.iter_rows())
    empty = pl.DataFrame({"statistic": ["empty"], "value": [_share(counted["captions-without-word"], asked.captions)]})
    return _rows(pl.concat([rows, empty]))


def repetition(asked: Asked) -> pl.DataFrame:
    """Measure shares of captions that occur again (`duplicates`), exactly or nearly; with `-exact`, exactly.

    `within-image`, `across-images`; `leakage`: of the test captions, those that occur among the training captions.
    """
    shares = duplicates(asked.store, asked.ref, config=asked.declared, progress=asked.progress).frame.filter(
        pl.col("statistic") == "captions", pl.col("slot").is_null(), pl.col("match").is_in(["any", "exact"])
    )
    is_leak = (pl.col("scope") == "across-splits") & (pl.col("split") == TEST) & (pl.col("against_split") == TRAIN)
    name = pl.when(is_leak).then(pl.lit("leakage")).otherwise("scope")
    wanted = shares.filter(is_leak | pl.col("scope").is_in(["within-image", "across-images"]))
    suffix = pl.when(pl.col("match") == "exact").then(pl.lit("-exact")).otherwise(pl.lit(""))
    rows = wanted.select(pl.concat_str(name, suffix).alias("statistic"), "value", "signature")
    if rows.filter(statistic="leakage").is_empty():
        return _rows(pl.concat([rows, _without(("leakage", "leakage-exact"), _unsplit(asked))], how="diagonal"))
    return _rows(rows)


def diversity(asked: Asked) -> pl.DataFrame:
    """Measure global diversity (`diversity`); `low` and `high` are the ends over drawn orders of the captions."""
    settings = DiversitySettings(asked.tokenizer, curve=0)
    selections, known = selections_with_tokens(
        asked.store, [asked.ref], None, None, None, asked.tokenizer, asked.progress
    )
    rows, _ = measured(asked.store, selections, settings, known, asked.declared, asked.progress)
    return _rows(rows.filter(pl.col("position").is_null()))


def templates(asked: Asked) -> pl.DataFrame:
    """Measure `templated`, the share of captions that are made of a template (`templates`)."""
    result = templates_of(asked.store, asked.ref, tokenizer=asked.tokenizer, level="caption", progress=asked.progress)
    return _one("templated", _share(result.frame.height, asked.captions), result.signatures["templates"])


def outliers(asked: Asked) -> pl.DataFrame:
    """Measure `misplaced`, the share of captions that seem to be of another image (`outliers`)."""
    result = outliers_of(asked.store, asked.ref, tokenizer=asked.tokenizer, progress=asked.progress)
    misplaced = result.frame.filter(pl.col("finding").is_in(["swapped", "elsewhere"])).height
    return _one("misplaced", _share(misplaced, asked.captions), result.signatures["evidence"])


def blind_choices(asked: Asked) -> pl.DataFrame:
    """Measure `best-blind`, the share of forced-choice items that the best scorer without the image has right."""
    if asked.selection.version.kind != "choices":
        kind = asked.selection.version.kind
        return _without(("best-blind",), f"{asked.selection.label} is of kind {kind}: it holds no forced-choice items")
    result = choices(asked.store, asked.ref, metrics=(), tokenizer=asked.tokenizer, progress=asked.progress)
    best = of_all_items(result.frame).filter(pl.col("scorer") == pl.col("best_blind"))
    return _rows(best.select("low", "high", "signature", statistic=pl.lit("best-blind"), value="accuracy"))


def homogeneity(asked: Asked) -> pl.DataFrame:
    """Measure `homogeneity` by each metric, with the interval of `compare`."""
    selection, metrics = asked.selection, requests(None if asked.metric is None else [asked.metric])
    names = None if asked.metric is None else [asked.metric]
    nobody = substitutes_of(asked.store, [selection])
    captions, against = Captions(asked.store, selection, asked.tokenizer), References("loo")
    scored = score_sets(captions, ("human", "intra"), nobody, against, names, _SEED, progress=asked.progress)
    errors = {metric.label for metric in metrics if metric.metric.lower_is_better}
    scores = with_givers(captions, scored, against)
    indices = estimated_indices(selection, scores, errors, _SEED, _RESAMPLES, _CONFIDENCE, asked.progress)
    by_metric = {index.metric: index for index in indices.indices if index.statistic == "homogeneity"}
    said = "; ".join(map(str, (*scored.reasons.values(), *scored.notes, *indices.notes)))
    rows = []
    for label in (metric.label for metric in metrics):
        one = by_metric.get(label)
        low, high = (one and one.interval) or (None, None)
        reason = None if one and high is not None else said or None
        rows.append(("homogeneity", label, one and one.value, low, high, scored.signatures.get(label), reason))
    return pl.DataFrame(rows, schema=MEASURED, orient="row")


def faults(asked: Asked) -> pl.DataFrame:
    """Measure what was found (`findings`): `severity` of the worst, and by kind the share of captions, or images.

    Severity is 0 for info, 3 for an error, and its `reason` names the finding. A kind that was not found has share 0,
    one without a share 1.
    """
    found = findings(
        asked.store, asked.ref, tokenizer=asked.tokenizer, config=asked.declared, progress=asked.progress
    ).findings
    counted = next((one for one in found if one.kind not in asked.ignored), None)
    worst, why = ("info", None) if counted is None else (counted.severity, f"{counted.severity}: {counted.sentence}")
    shares = dict.fromkeys(KINDS, 0.0)
    for one in found:
        share = one.values.get("share")
        shares[one.kind] = max(shares[one.kind], share if isinstance(share, float) else 1.0)
    rows = [
        ("severity", float(SEVERITIES[::-1].index(worst)), why),
        *((kind, share, None) for kind, share in shares.items()),
    ]
    return _rows(
        pl.DataFrame(rows, schema={"statistic": pl.String, "value": pl.Float64, "reason": pl.String}, orient="row")
    )


def drift(asked: Asked) -> pl.DataFrame:
    """Measure the drift (`diff --depth drift`) since `against`, or the version before, in the same split."""
    version, split = asked.selection.version, asked.selection.split
    before = asked.against
    if before is None:
        older = [one.label for one in log(asked.store, version.dataset) if one.seq < version.seq]
        if not older:
            reason = f'{version.label} is the first version; name another: drift.against = "DATASET"'
            return _without(("js", "js-2", "js-opening"), reason)
        before = _reference(older[0], split)
    result = diff(asked.store, before, asked.ref, depth="drift", tokenizer=asked.tokenizer, progress=asked.progress)
    settings, _, number = result.signatures["drift"].rpartition("|")
    signature = f"{settings}|since:{result.selections[0].pinned_name}|{number}"
    return _rows(result.frame.select("statistic", "value", "low", "high", pl.lit(signature).alias("signature")))


def _reference(label: str, split: str | None) -> str:
    return label if split is None else f"{label}:{split}"


def _unsplit(asked: Asked) -> str:
    """Return why leaks cannot be looked for."""
    if asked.selection.split is not None:
        return f"needs the splits {TEST} and {TRAIN}, and {asked.selection.label} is one split; name the whole dataset"
    held = images(asked.store, asked.selection)["split"].drop_nulls().unique().sort().to_list()
    there = (
        f"it has {', '.join(held)}; split_roles can say that one of them counts as another" if held else "it has none"
    )
    return f"needs the splits {TEST} and {TRAIN}: {there}"


def _share(count: float, captions: int) -> float | None:
    return count / captions if captions else None


def _one(statistic: str, value: float | None, signature: str) -> pl.DataFrame:
    return pl.DataFrame([(statistic, None, value, None, None, signature, None)], schema=MEASURED, orient="row")


def _without(statistics: tuple[str, ...], reason: str) -> pl.DataFrame:
    rows = [(statistic, None, None, None, None, None, reason) for statistic in statistics]
    return pl.DataFrame(rows, schema=MEASURED, orient="row")


def _rows(rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows every column, null where they have none."""
    return rows.select(
        (pl.col(name) if name in rows.columns else pl.lit(None)).cast(kind).alias(name)
        for name, kind in MEASURED.items()
    )
