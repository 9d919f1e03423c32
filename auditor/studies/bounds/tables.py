"""Tables of `auditor bounds`: the upper bound in full, the lower bounds side by side, variation over images.

Also its figures: 1 to 3 of Wang & Gaizauskas 2016, and upper against lower bounds.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.model import Selection
from auditor.result import Figure, Table, folded
from auditor.scoring.registry import METRICS
from auditor.scoring.scores import DISTINCT, RAW

_UPPER = ("n", "mean", "sd", "median", "min", "max")


def tables(selections: Sequence[Selection], rows: pl.DataFrame) -> tuple[Table, ...]:
    """Return the tables of `bounds` by selection. Repeated draws are averaged."""
    made = []
    for selection in selections:
        own = selection.rows_of(rows)
        parts = {RAW: own}
        if "variant" in rows.columns:
            parts = {name: own.filter(variant=name) for name in (RAW, DISTINCT)}
        every = pl.concat(
            part.with_columns(candidate=_named("candidate", name)).drop("variant", strict=False)
            for name, part in parts.items()
        )
        made += [table for name, part in parts.items() for table in _upper(selection, part, name)]
        made += _lower(selection, every)
        made += [table for name, part in parts.items() for table in _images(selection, part, name)]
    return folded(made)


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


def _named(column: str, variant: str) -> pl.Expr:
    """Return a column name that marks the variant with each text once per image."""
    return pl.col(column) if variant == RAW else pl.format(f"{{}}, {variant}", column)


def _table(title: str, shown: pl.DataFrame, name: str, variant: str) -> Table:
    if variant == RAW:
        return Table(title, shown, name=name)
    return Table(f"{title}, each text once per image", shown, name=f"{name}-{variant}")


def averaged(rows: pl.DataFrame) -> pl.DataFrame:
    """Average repeated draws: one row per selection, metric, candidate and level.

    `draws` counts them. `spread` is the standard deviation of their means, null for one draw.
    """
    keys = ["dataset", "version", "split", "metric", "candidate", "level"]
    return rows.group_by(keys, maintain_order=True).agg(
        pl.col("n").first(),
        pl.col("mean", "sd", "median", "min", "max").mean(),
        spread=pl.col("mean").std(),
        draws=pl.len(),
    )


def _upper(selection: Selection, rows: pl.DataFrame, variant: str) -> list[Table]:
    human = averaged(rows.filter(pl.col("candidate") == "human", pl.col("level") == "caption"))
    if human.is_empty():
        return []
    shown = human.select("metric", *_UPPER, *_if_drawn_often(human))
    title = f"upper bound of {selection.label}: each caption against the others of its image"
    return [_table(title, shown, "upper-bound", variant)]


def _lower(selection: Selection, rows: pl.DataFrame) -> list[Table]:
    means = averaged(rows.filter(pl.col("level") == "caption"))
    if (means["candidate"] == "human").all():
        return []
    wide = means.pivot("candidate", index="metric", values="mean", maintain_order=True)
    bases = [str(name).partition(",")[0] for name in wide.columns]
    wide = wide.select(sorted(wide.columns, key=lambda name: bases.index(str(name).partition(",")[0])))
    spread = means.filter(pl.col("draws") > 1, pl.col("spread").is_not_null())
    made = [Table(f"means of {selection.label} by candidate", wide, name="means")]
    if spread.height:
        made.append(
            Table(
                f"standard deviation of these means over {spread['draws'].item(0)} draws",
                spread.pivot("candidate", index="metric", values="spread", maintain_order=True),
                name="spread-over-draws",
            )
        )
    return made


def _images(selection: Selection, rows: pl.DataFrame, variant: str) -> list[Table]:
    human = averaged(rows.filter(pl.col("candidate") == "human"))
    levels = {
        level: human.filter(pl.col("level") == level).select("metric", pl.col("mean", "sd").name.suffix(f" {level}"))
        for level in ("image", "image-sd")
    }
    if levels["image-sd"].is_empty():
        return []
    shown = levels["image"].join(levels["image-sd"], on="metric", how="left", maintain_order="left")
    named = shown.rename(
        {
            "mean image": "mean of images",
            "sd image": "sd of images",
            "mean image-sd": "mean of sd within images",
            "sd image-sd": "sd of sd within images",
        }
    )
    title = f"upper bound of {selection.label} over images"
    return [_table(title, named, "upper-bound-over-images", variant)]


def _if_drawn_often(human: pl.DataFrame) -> list[str]:
    return ["spread"] if human["spread"].is_not_null().any() else []


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
    means = _means(rows, selections)
    datasets, metrics = (means[column].unique(maintain_order=True).to_list() for column in ("dataset", "metric"))
    return (
        *_upper_figures(means.filter(pl.col("candidate") == "human")),
        *(_of_datasets(means, datasets) if len(datasets) <= len(metrics) else _of_metrics(means, metrics)),
    )


def _means(rows: pl.DataFrame, selections: Sequence[Selection]) -> pl.DataFrame:
    """Return one row per label of a dataset, metric and candidate, in the order of `rows`."""
    labels = pl.DataFrame(
        [
            (selection.version.dataset, selection.version.version, selection.split, selection.label)
            for selection in selections
        ],
        schema=dict.fromkeys(("dataset", "version", "split", "label"), pl.String),
        orient="row",
    ).unique(["dataset", "version", "split"], keep="first", maintain_order=True)
    return (
        rows.filter(pl.col("level") == "caption")
        .join(labels, ["dataset", "version", "split"], nulls_equal=True, maintain_order="left")
        .group_by(pl.col("label").alias("dataset"), "metric", "candidate", maintain_order=True)
        .agg(pl.col("mean").mean())
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


def _of_datasets(means: pl.DataFrame, datasets: Sequence[str]) -> list[Figure]:
    return [
        _bounds(f"bounds-{number}", dataset, means.filter(pl.col("dataset") == dataset), "metric")
        for number, dataset in enumerate(datasets, 1)
    ]


def _of_metrics(means: pl.DataFrame, metrics: Sequence[str]) -> list[Figure]:
    return [
        _bounds(f"bounds-{number}", metric, means.filter(pl.col("metric") == metric), "dataset")
        for number, metric in enumerate(metrics, 1)
    ]


def _bounds(name: str, of: str, means: pl.DataFrame, x: str) -> Figure:
    return Figure(
        name,
        f"Upper and lower bounds: {of}",
        "bars",
        means,
        x,
        "mean",
        "candidate",
        y_label=_MEAN,
        caption=_captioned("human is the upper bound, the others are lower bounds.", means),
    )


def _captioned(caption: str, means: pl.DataFrame) -> str:
    """Return the caption, followed by the metrics that count errors."""
    metrics = means["metric"].unique(maintain_order=True).to_list()
    errors = [metric for metric in metrics if METRICS[metric.partition(":")[0]].lower_is_better]
    return f"{caption} {', '.join(errors)}: lower is better." if errors else caption
