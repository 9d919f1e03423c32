"""Rows and tables of `auditor bounds`: the upper bound in full, the lower bounds side by side, variation over images.

Also its figures: 1 to 3 of Wang & Gaizauskas 2016, and upper against lower bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from auditor.model import Selection
from auditor.result import Figure, Finding, Table, about, folded
from auditor.result.views import EMPTY, View, filled, labeled
from auditor.scoring.candidate_sets import CANDIDATES
from auditor.scoring.registry import METRICS as KNOWN
from auditor.scoring.variants import RAW
from auditor.store.captions import stamp


def named_rows(
    summary: pl.DataFrame,
    selection: Selection,
    candidate: str,
    signatures: Mapping[str, str],
    seed: int | None = None,
    source: str | None = None,
) -> pl.DataFrame:
    """Return the columns of `auditor bounds`, from the summary of a candidate's scores."""
    return stamp(selection, summary).select(
        *("dataset", "version", "metric"),
        pl.lit(candidate).alias("candidate"),
        *("level", "n", "mean", "sd", "median", "min", "max", "split"),
        seed=pl.lit(seed, pl.Int64),
        drawn_from=pl.lit(source, pl.String),
        signature=pl.col("metric").replace_strict(dict(signatures)),
    )


_HUMAN, _OF_CAPTIONS = pl.col("candidate") == "human", pl.col("level") == "caption"

#: Means of captions, if there are some of other candidates than human.
_BELOW = _OF_CAPTIONS & ~_HUMAN.all()

_WITHIN_IMAGES = pl.col("level") == "image-sd"

_VIEWS = (
    View(
        Table(
            "upper bound of {label}: each caption against the others of its image{ending}", EMPTY,
            name="upper-bound{suffix}",
        ),
        where=_HUMAN & _OF_CAPTIONS,
        each="variant",
        columns=("metric", "n", "mean", "sd", "median", "min", "max", "spread"),
        optional=("spread",),
    ),
    View(
        Table("means of {label} by candidate", EMPTY, name="means"),
        where=_BELOW,
        pivot=("column", "metric", "mean"),
        columns=("metric", *(pl.col(f"^{candidate}(, .*)?$") for candidate in CANDIDATES)),
    ),
    View(
        Table("standard deviation of these means over {draws} draws", EMPTY, name="spread-over-draws"),
        where=_BELOW & pl.col("spread").is_not_null(),
        pivot=("column", "metric", "spread"),
    ),
    View(
        Table("upper bound of {label} over images{ending}", EMPTY, name="upper-bound-over-images{suffix}"),
        where=_HUMAN & ~_OF_CAPTIONS & (_HUMAN & _WITHIN_IMAGES).any().over("variant"),
        each="variant",
        columns=(
            pl.col("metric").filter(~_WITHIN_IMAGES),
            pl.col("mean").filter(~_WITHIN_IMAGES).alias("mean of images"),
            pl.col("sd").filter(~_WITHIN_IMAGES).alias("sd of images"),
            pl.col("mean").filter(_WITHIN_IMAGES).alias("mean of sd within images"),
            pl.col("sd").filter(_WITHIN_IMAGES).alias("sd of sd within images"),
        ),
    ),
)  # fmt: skip


def tables(selections: Sequence[Selection], rows: pl.DataFrame) -> tuple[Table, ...]:
    """Return the tables of `bounds` by selection. Repeated draws are averaged.

    `draws` counts them; `spread` is the standard deviation of their means, null for one draw. Column `column` names the
    candidate, and the variant unless it is raw.
    """
    raw, name = pl.when(variant=RAW), pl.col("candidate")
    summary = pl.col("mean", "sd", "median", "min", "max").mean()
    key = ("dataset", "version", "split", "variant", "metric", "candidate", "level")
    by_key = rows.group_by(key, maintain_order=True)
    averaged = by_key.agg(pl.col("n").first(), summary, spread=pl.col("mean").std(), draws=pl.len()).with_columns(
        column=raw.then(name).otherwise(pl.format("{}, {}", name, "variant")),
        ending=raw.then(pl.lit("")).otherwise(pl.lit(", each text once per image")),
        suffix=raw.then(pl.lit("")).otherwise(pl.format("-{}", "variant")),
    )
    own = ((selection.label, selection.rows_of(averaged)) for selection in selections)
    return folded(table for label, rows in own for table in filled(_VIEWS, rows, label))


#: Of more metrics than these, the lead has the last of each family.
_LED = 4


def lead(selections: Sequence[Selection], rows: pl.DataFrame) -> Iterator[str]:
    """Yield the upper bound of each dataset, and the score of a caption of another image."""
    for selection in selections:
        scored = selection.rows_of(rows).filter(pl.col("candidate").is_in(["human", "intra"]), level="caption")
        means = scored.pivot("candidate", index="metric", values="mean", aggregate_function="last", maintain_order=True)
        both = means.drop_nulls().select("metric", "human", "intra").rows() if means.width == 3 else []
        if len(both) > _LED:
            both = [*{metric.partition("-")[0]: (metric, *means) for metric, *means in both}.values()]
        ratios = "; ".join(f"{metric} {human:.3f} and {intra:.3f}" for metric, human, intra in both)
        scores = f"mean score of a caption of the image, and of another image: {ratios}"
        yield f"{selection.label}: {scores if ratios else 'no image has both bounds'}."


#: Metrics that share a figure in the paper. Other metrics have separate figures.
_FAMILIES = {"bleu": "figure-1", "rouge": "figure-2", "meteor": "figure-3", "cider": "figure-3"}

_TITLES = {
    "figure-1": "BLEU",
    "figure-2": "ROUGE",
    "figure-3": "METEOR, CIDEr and CIDEr-D",
    "ter": "TER",
    "chrf": "chrF",
}


def figures(rows: pl.DataFrame, selections: Sequence[Selection]) -> tuple[Figure, ...]:
    """Draw micro-averaged means: upper bounds by family of metrics, then upper with lower bounds.

    `rows` are those of `bounds`: dataset, version, split, metric, candidate, level, mean. The means of several draws
    are averaged. The second kind has a figure for each dataset or for each metric, whichever are fewer.
    """
    rows = labeled(selections, rows.filter(_OF_CAPTIONS))
    means = rows.group_by("dataset", "metric", "candidate", maintain_order=True).agg(pl.col("mean").mean())
    first, base = (pl.col("metric").str.extract(begin) for begin in ("^([a-z]+)", "^([^:]+)"))
    shared = first.replace(_FAMILIES)
    family = pl.when(shared.is_in(list(_TITLES))).then(shared).otherwise(base)
    upper, caption = [], "Each caption against the others of its image."
    for (name,), shown in means.filter(_HUMAN).with_columns(family=family).group_by("family", maintain_order=True):
        title = _TITLES.get(name, name) if shown["metric"].n_unique() > 1 else shown["metric"][0]
        upper.append(_bars(name, f"Upper bound: {title}", shown.drop("family"), "dataset", "metric", caption))
    is_by_dataset = means["dataset"].n_unique() <= means["metric"].n_unique()
    of, x = ("dataset", "metric") if is_by_dataset else ("metric", "dataset")
    caption = "human is the upper bound, the others are lower bounds."
    both = [
        _bars(f"bounds-{number}", f"Upper and lower bounds: {shown[of][0]}", shown, x, "candidate", caption)
        for number, (_, shown) in enumerate(means.group_by(of, maintain_order=True), 1)
    ]
    return (*upper, *both)


def _bars(name: str, title: str, means: pl.DataFrame, x: str, series: str, caption: str) -> Figure:
    """Draw means; the caption ends in the metrics that count errors."""
    metrics = means["metric"].unique(maintain_order=True)
    errors = [metric for metric in metrics if KNOWN[metric.partition(":")[0]].lower_is_better]
    caption += f" {', '.join(errors)}: lower is better." if errors else ""
    return Figure(name, title, "bars", means, x, "mean", series, y_label="mean over captions", caption=caption)


#: The metrics that check whether the captions of an image are paraphrases. Unlike BLEU-4, they give short captions a
#: score above 0.
METRICS = ("rouge-l", "cider-d")

#: Captions of the same image are not more similar if they score higher by at most so many standard errors and by at
#: most this share. Fewest captions for this.
_ERRORS, _HARDLY, _LEAST = 3.0, 0.1, 40


def upside_down(selection: Selection, rows: pl.DataFrame) -> list[Finding]:
    """Return a finding if, by some metrics, captions score no higher against their image than against another."""
    both = selection.rows_of(rows).filter(pl.col("candidate").is_in(["human", "intra"]), level="caption")
    means = both.pivot("candidate", index="metric", values=["mean", "sd", "n"], aggregate_function="first")
    if not {"mean_human", "mean_intra"} <= set(means.columns):
        return []
    squares = (pl.col(f"sd_{who}") ** 2 / pl.col(f"n_{who}") for who in ("human", "intra"))
    error = sum(squares, start=pl.lit(0.0)).sqrt()
    ahead = pl.col("mean_human") - pl.col("mean_intra")
    hardly = (ahead <= _ERRORS * error) & (ahead <= _HARDLY * pl.col("mean_human"))
    below = means.filter(hardly, pl.col("metric").is_in(METRICS), pl.col("n_human") >= _LEAST)
    if below.is_empty():
        return []
    means = below.select("metric", "mean_human", "mean_intra")
    compared = ", ".join(f"{metric} {human:.3f} vs {intra:.3f}" for metric, human, intra in means.rows())
    metric, human, intra = means.row(0)
    problem = "captions of the same image are not more similar than captions of different images"
    sentence, where = f"{selection.label}: {problem} ({compared})", about(selection, metric=metric)
    values, headline, n = {"human": human, "intra": intra}, f"{human:.3f} vs {intra:.3f}", below["n_human"][0]
    return [Finding("bound-upside-down", sentence, where, values, n, "error", headline=headline)]
