"""Rows and tables of `auditor bounds`: the upper bound in full, the lower bounds side by side, variation over images.

Also its figures: 1 to 3 of Wang & Gaizauskas 2016, and upper against lower bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from auditor.model import Selection
from auditor.result import Figure, Table, folded
from auditor.result.views import EMPTY, View, labeled
from auditor.scoring.candidate_sets import CANDIDATES
from auditor.scoring.registry import METRICS
from auditor.scoring.variants import RAW

_HUMAN, _SPREAD = pl.col("candidate") == "human", pl.col("spread").is_not_null()

_OF_CAPTIONS = pl.col("level") == "caption"

#: Means of captions, if there are some of other candidates than human.
_BELOW = _OF_CAPTIONS & ~_HUMAN.all()


def named_rows(
    summary: pl.DataFrame,
    selection: Selection,
    candidate: str,
    signatures: Mapping[str, str],
    seed: int | None = None,
    source: str | None = None,
) -> pl.DataFrame:
    """Return the columns of `auditor bounds`, from the summary of a candidate's scores."""
    return summary.select(
        pl.lit(selection.version.dataset).alias("dataset"),
        pl.lit(selection.version.version).alias("version"),
        "metric",
        pl.lit(candidate).alias("candidate"),
        *("level", "n", "mean", "sd", "median", "min", "max"),
        pl.lit(selection.split, pl.String).alias("split"),
        pl.lit(seed, pl.Int64).alias("seed"),
        pl.lit(source, pl.String).alias("drawn_from"),
        pl.col("metric").replace_strict(dict(signatures)).alias("signature"),
    )


def tables(selections: Sequence[Selection], rows: pl.DataFrame) -> tuple[Table, ...]:
    """Return the tables of `bounds` by selection. Repeated draws are averaged."""
    shown = []
    for selection in selections:
        own = averaged(selection.rows_of(rows))
        shown += [table for view in _views(own) if (table := view.of(own, selection.label))]
    return folded(shown)


def averaged(rows: pl.DataFrame) -> pl.DataFrame:
    """Average repeated draws: one row per variant, metric, candidate and level.

    `draws` counts them. `spread` is the standard deviation of their means, null for one draw. `column` names the
    candidate, and the variant unless it is raw.
    """
    is_raw, name = pl.col("variant") == RAW, pl.col("candidate")
    return rows.group_by("variant", "metric", "candidate", "level", maintain_order=True).agg(
        pl.col("n").first(),
        pl.col("mean", "sd", "median", "min", "max").mean(),
        spread=pl.col("mean").std(),
        draws=pl.len(),
        column=pl.when(is_raw).then(name).otherwise(pl.format("{}, {}", name, "variant")).first(),
    )


def _views(means: pl.DataFrame) -> Iterator[View[Table]]:
    """Yield what shows the averaged rows of a selection."""
    variants = means["variant"].unique(maintain_order=True).to_list()
    ends = {name: ("", "") if name == RAW else (", each text once per image", f"-{name}") for name in variants}
    drawn_often = means.filter(_HUMAN, _OF_CAPTIONS, _SPREAD)
    for variant, (title, name) in ends.items():
        yield View(
            Table(
                f"upper bound of {{label}}: each caption against the others of its image{title}",
                EMPTY,
                name=f"upper-bound{name}",
            ),
            where=_HUMAN & _OF_CAPTIONS & (pl.col("variant") == variant),
            columns=("metric", "n", "mean", "sd", "median", "min", "max", *(["spread"] if drawn_often.height else [])),
        )
    yield View(
        Table("means of {label} by candidate", EMPTY, name="means"),
        where=_BELOW,
        pivot=("column", "metric", "mean"),
        columns=("metric", *(pl.col(f"^{candidate}(, .*)?$") for candidate in CANDIDATES)),
    )
    yield View(
        Table(f"standard deviation of these means over {max(means['draws'])} draws", EMPTY, name="spread-over-draws"),
        where=_BELOW & _SPREAD,
        pivot=("column", "metric", "spread"),
    )
    for variant, (title, name) in ends.items():
        of_images = _HUMAN & ~_OF_CAPTIONS & (pl.col("variant") == variant)
        yield View(
            Table(f"upper bound of {{label}} over images{title}", EMPTY, name=f"upper-bound-over-images{name}"),
            where=of_images & (of_images & pl.col("level").eq("image-sd")).any(),
            columns=tuple(
                pl.col(column).filter(level=level).alias(shown)
                for level, column, shown in (
                    ("image", "metric", "metric"),
                    ("image", "mean", "mean of images"),
                    ("image", "sd", "sd of images"),
                    ("image-sd", "mean", "mean of sd within images"),
                    ("image-sd", "sd", "sd of sd within images"),
                )
            ),
        )


def lead(selections: Sequence[Selection], rows: pl.DataFrame) -> tuple[str, ...]:
    """Return the upper bound of each dataset, and the score of a caption of another image."""
    led = []
    for selection in selections:
        own = selection.rows_of(rows).filter(level="caption")
        means = {(metric, name): mean for metric, name, mean in own.select("metric", "candidate", "mean").iter_rows()}
        ratios = [
            f"{metric} {means[metric, 'human']:.3f} against {means[metric, 'intra']:.3f}"
            for metric in dict.fromkeys(own["metric"])
            if (metric, "human") in means and (metric, "intra") in means
        ]
        if ratios:
            led.append(
                f"{selection.label}: mean score of a caption of the image against that of a caption of another image: "
                f"{'; '.join(ratios)}."
            )
    return tuple(led)


#: Metrics that share a figure in the paper. Other metrics have separate figures.
_FAMILIES = {"bleu": "figure-1", "rouge": "figure-2", "meteor": "figure-3", "cider": "figure-3"}

_TITLES = {
    "figure-1": "BLEU",
    "figure-2": "ROUGE",
    "figure-3": "METEOR, CIDEr and CIDEr-D",
    "ter": "TER",
    "chrf": "chrF",
}

_MEAN = "mean over captions"


def figures(rows: pl.DataFrame, selections: Sequence[Selection]) -> tuple[Figure, ...]:
    """Draw micro-averaged means: upper bounds by family of metrics, then upper with lower bounds.

    `rows` are those of `bounds`: dataset, version, split, metric, candidate, level, mean. The means of several draws
    are averaged. The second kind has a figure for each dataset or for each metric, whichever are fewer.
    """
    rows = labeled(selections, rows.filter(_OF_CAPTIONS))
    means = rows.group_by("dataset", "metric", "candidate", maintain_order=True).agg(pl.col("mean").mean())
    of, x = (
        ("dataset", "metric") if means["dataset"].n_unique() <= means["metric"].n_unique() else ("metric", "dataset")
    )
    return (
        *_upper_figures(means.filter(_HUMAN)),
        *(
            Figure(
                f"bounds-{number}",
                f"Upper and lower bounds: {part[of][0]}",
                "bars",
                part,
                x,
                "mean",
                "candidate",
                y_label=_MEAN,
                caption=_captioned("human is the upper bound, the others are lower bounds.", part),
            )
            for number, (_, part) in enumerate(means.group_by(of, maintain_order=True), 1)
        ),
    )


def _upper_figures(human: pl.DataFrame) -> list[Figure]:
    first, base = (pl.col("metric").str.extract(begin) for begin in ("^([a-z]+)", "^([^:]+)"))
    known = first.replace(_FAMILIES)
    grouped = human.with_columns(family=pl.when(known.is_in(list(_TITLES))).then(known).otherwise(base))
    return [
        Figure(
            name,
            f"Upper bound: {_TITLES.get(name, name) if means['metric'].n_unique() > 1 else means['metric'][0]}",
            "bars",
            means.drop("family"),
            "dataset",
            "mean",
            "metric",
            y_label=_MEAN,
            caption=_captioned("Each caption against the others of its image.", means),
        )
        for (name,), means in grouped.group_by("family", maintain_order=True)
    ]


def _captioned(caption: str, means: pl.DataFrame) -> str:
    """Return the caption, followed by the metrics that count errors."""
    metrics = means["metric"].unique(maintain_order=True).to_list()
    errors = [metric for metric in metrics if METRICS[metric.partition(":")[0]].lower_is_better]
    return f"{caption} {', '.join(errors)}: lower is better." if errors else caption
