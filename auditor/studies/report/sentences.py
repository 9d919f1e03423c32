"""Faults as sentences and short tables: what leaks, what occurs twice, what may be wrong, what is formulaic.

Numbers as sentences: what a report says of each dataset in plain words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from auditor.model import Selection
from auditor.result import Result, Table, plain
from auditor.studies.consensus import CONFIDENCE
from auditor.studies.duplicates import AGAIN, LEAK


def facts(result: Result) -> list[str]:
    """Say how large each dataset is, how long its captions are, how many words it has. `result` is `profile`'s."""
    said = []
    for selection, value in _values(result):
        once = value.get("types-occurring-once", 0) / max(value["types"], 1)
        said.append(
            f"{selection.label}: {value['captions']:,.0f} captions of {value['images']:,.0f} images "
            f"({value['captions-per-image-mean']:.1f} an image), {value['asl']:.1f} words long on average "
            f"(standard deviation {value['sdsl']:.1f}), {value['types']:,.0f} different words, {once:.0%} of them once."
        )
    return said


def bounds(result: Result) -> list[str]:
    """Say how far the upper bound of each dataset is from what the caption of another image scores."""
    said = []
    for selection in result.selections:
        rows = selection.rows_of(result.frame).filter(level="caption")
        means = {(metric, who): mean for metric, who, mean in rows.select("metric", "candidate", "mean").iter_rows()}
        ratios = [
            f"{metric} {means[metric, 'human']:.3f} against {means[metric, 'intra']:.3f}"
            for metric in dict.fromkeys(rows["metric"])
            if (metric, "human") in means and (metric, "intra") in means
        ]
        if ratios:
            said.append(
                f"{selection.label}: a caption against the others of its image, then a caption of another image in its "
                f"place: {'; '.join(ratios)}."
            )
    return said


def indices(result: Result) -> list[str]:
    """Say how homogeneous each dataset is by the last metric, with interval and rank. `result` is `compare`'s."""
    rows = result.frame.filter(statistic="homogeneity")
    if rows.is_empty():
        return []
    metric = rows["metric"][-1]
    labels = {(one.version.dataset, one.version.version, one.split): one.label for one in result.selections}
    said = []
    for row in rows.filter(metric=metric).iter_rows(named=True):
        label = labels[row["dataset"], row["version"], row["split"]]
        rank = _rank(row["rank_low"], row["rank_high"], row["rank"])
        said.append(f"{label} {row['value']:.3f}{interval(row['low'], row['high'], row['confidence'])}, {rank}")
    return [f"Homogeneity by {metric} (1 where captions do not tell images apart): {'; '.join(said)}."]


def correlations(result: Result) -> list[str]:
    """Say which metrics agree most and least on each dataset, per caption. `result` is `correlate`'s."""
    said = []
    for selection in result.selections:
        rows = selection.rows_of(result.frame).filter(level="caption")
        first = rows.filter(statistic=rows["statistic"].first()).drop_nulls("value").sort("value")
        if first.height > 1:
            least, most = (first.row(place, named=True) for place in (0, -1))
            said.append(
                f"{selection.label}: by {most['statistic']} per caption, {_pair(most)} agree most and {_pair(least)} "
                "least."
            )
    return said


def diversity(result: Result) -> list[str]:
    """Say how varied the words of each dataset are, each number with the range over drawn orders or parallel lists."""
    wanted = {
        "mtld": "lexical diversity (mtld)",
        "ttr-1": "type-token ratio in segments of 1,000 tokens",
        "ttr-10000": "type-token ratio of the first 10,000 tokens",
    }
    said = []
    for selection in result.selections:
        rows = selection.rows_of(result.frame).filter(pl.col("value").is_not_null())
        known = {row["statistic"]: row for row in rows.iter_rows(named=True)}
        parts = [
            f"{what} = {_number(known[name]['value'])}{interval(known[name]['low'], known[name]['high'])}"
            for name, what in wanted.items()
            if name in known
        ]
        said += [f"{selection.label}: {', '.join(parts)}."] if parts else []
    return said


def agreement(result: Result, confidence: float) -> list[str]:
    """Say which metric is closest to people's ratings of each dataset. `result` is `agree`'s."""
    rows = result.frame.filter(statistic="spearman", protocol="pooled").unique(
        ["dataset", "metric"], keep="first", maintain_order=True
    )
    return _closest(rows, "people's ratings agree most with {metric}: Spearman's rho {value}", confidence)


def consensus(result: Result, _: float) -> list[str]:
    """Say which metric picks the caption that people prefer most often. `result` is `consensus`', always at 95 %."""
    rows = result.frame.filter(statistic="accuracy", kind="all").sort("references", descending=True, nulls_last=True)
    best = rows.unique(["dataset", "metric"], keep="first", maintain_order=True)
    return _closest(
        best, "{metric} picks most often the caption that people prefer: in {value} of the pairs", CONFIDENCE
    )


def _closest(rows: pl.DataFrame, said: str, confidence: float) -> list[str]:
    sentences = []
    for _, some in rows.filter(pl.col("value").is_not_null()).group_by("dataset", maintain_order=True):
        row = some.sort("value", descending=True, maintain_order=True).row(0, named=True)
        value = f"{_number(row['value'])}{interval(row['low'], row['high'], confidence)}"
        sentences.append(f"{row['dataset']}: {said.format(metric=row['metric'], value=value)}.")
    return sentences


def interval(low: float | None, high: float | None, confidence: float | None = None) -> str:
    """Write the interval of a number, with a blank before it; nothing where there is none."""
    if low is None or high is None:
        return ""
    share = f", {plain(round(100 * confidence, 10))}%" if confidence else ""
    return f" ({_number(low)} to {_number(high)}{share})"


def listed(words: Sequence[str]) -> str:
    """Join words as a sentence does: one, two and three."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def _values(result: Result) -> Iterable[tuple[Selection, dict[str, float]]]:
    for selection in result.selections:
        yield selection, dict(selection.rows_of(result.frame).select("statistic", "value").iter_rows())


def _rank(best: int | None, worst: int | None, rank: int) -> str:
    if best is None or worst is None:
        return f"rank {rank}"
    return f"rank {best}" if best == worst else f"rank {best} to {worst}"


def _pair(row: Mapping[str, object]) -> str:
    return f"{row['metric_a']} and {row['metric_b']} ({row['value']:.2f})"


def _number(value: float) -> str:
    return f"{value:,.1f}" if abs(value) >= 10 else f"{value:.3f}"


#: What a report says of captions that occur again, by scope.
_AGAIN: Mapping[str, str] = {
    "within-image": "Captions that say the same as another of their image, exactly or nearly",
    "across-images": "Captions that occur again at another image, exactly or nearly",
}

#: What must be said with `faulty`.
CAVEAT = "Images that are almost the same bring such findings too: look at them."

#: The chance of one wrong claim among the tests of a statistic.
_ALPHA = 0.05

#: The tokens of an opening that the table shows.
_OPENED = 3


def again(found: Result) -> pl.DataFrame:
    """Give the captions that occur again, the share of both kinds with them. `found` is `duplicates`'."""
    frame = found.table(AGAIN).frame.with_columns(pl.col("exact", "near").fill_null(0))
    either = pl.when(pl.col("captions") > 0).then((pl.col("exact") + pl.col("near")) / pl.col("captions"))
    return frame.select("dataset", "scope", "against", "captions", "exact", "near", share=either)


def leaks(found: Result) -> pl.DataFrame:
    """Keep of `again` what a test split has in common with what was trained on, the largest share first."""
    sides = [(one.about["label"], one.about["against"]) for one in found.found(LEAK)]
    asked = pl.DataFrame(sides, schema={"dataset": pl.String, "against": pl.String}, orient="row")
    leaking = again(found).join(asked, on=["dataset", "against"], how="semi", maintain_order="left")
    return leaking.sort("share", descending=True, maintain_order=True)


def leaking(rows: pl.DataFrame) -> list[str]:
    """Say which share of test captions also occurs in train. `rows` is of `leaks`."""
    return [
        f"Leakage: {row['share']:.1%} of the {row['captions']:,} captions of {row['dataset']} also occur in "
        f"{row['against']}, {row['exact']:,} of them exactly, {row['near']:,} nearly."
        for row in rows.iter_rows(named=True)
    ]


def repeated(rows: pl.DataFrame) -> list[str]:
    """Say of all datasets at once which share of captions occurs again. `rows` is of `again`."""
    said = []
    for scope, words in _AGAIN.items():
        shares = rows.filter(pl.col("scope") == scope, pl.col("share").is_not_null()).select("dataset", "share")
        if shares.height:
            said.append(f"{words}: {'; '.join(f'{label} {share:.1%}' for label, share in shares.rows())}.")
    return said


def faulty(label: str, rows: pl.DataFrame, captions: int) -> list[str]:
    """Say how many captions seem to be at the wrong image, of those that were looked into, which are `outliers`' rows.

    Nothing where none was looked into.
    """
    counts = dict(rows["finding"].value_counts().iter_rows())
    swapped, elsewhere = counts.get("swapped", 0), counts.get("elsewhere", 0)
    among = f"{label}: of the {rows.height:,} captions (of {captions:,}) least like the others of their image, "
    if not swapped + elsewhere:
        return [f"{among}none seems to describe another image than its own."] if rows.height else []
    return [
        f"{among}{swapped + elsewhere:,} may describe another image than their own: {swapped // 2:,} pairs seem to "
        f"have changed places, {elsewhere:,} fit another image better."
    ]


def templates(found: Mapping[str, Result]) -> Table:
    """Put the datasets side by side: templates and openings. `found` are results of `templates`, by label."""
    rows = []
    for label, result in found.items():
        value = {(name, n): value for name, n, value in result.frame.select("statistic", "n", "value").iter_rows()}
        rows.append(
            {
                "dataset": label,
                "templated": value.get(("templated", None)),
                "templates": result.frame.filter(pl.col("statistic") == "template").height,
                "top_10": value.get(("opening-top-10", _OPENED)),
                "perplexity": value.get(("opening-perplexity", _OPENED)),
            }
        )
    schema = {
        "dataset": pl.String,
        "templated": pl.Float64,
        "templates": pl.Int64,
        "top_10": pl.Float64,
        "perplexity": pl.Float64,
    }
    return Table(
        "templates and openings",
        pl.DataFrame(rows, schema=schema, orient="row"),
        bars=("templated", "top_10"),
        caption=(
            f"templated: share of captions made of a template; top_10: share that begin with one of ten openings of "
            f"{_OPENED} tokens; perplexity: of these openings, the lower the more alike"
        ),
        name="templates-and-openings",
    )


def beyond_chance(rows: pl.DataFrame) -> list[str]:
    """Say how many differences chance does not explain, by statistic. `rows` is `compare`'s, with pairs."""
    said = []
    for (statistic,), some in rows.filter(pl.col("p_holm").is_not_null()).group_by("statistic", maintain_order=True):
        sure = some.filter(pl.col("p_holm") < _ALPHA).height
        said.append(f"{statistic} {sure} of {some.height}")
    if not said:
        return []
    return [
        f"Differences beyond chance (permutation tests, Holm's correction, {_ALPHA:.0%}), over pairs of datasets and "
        f"metrics: {'; '.join(said)}."
    ]


def drifted(title: str, frame: pl.DataFrame) -> list[str]:
    """Say how far a dataset moved from one version to the next. `frame` is `diff`'s at depth drift."""
    row = {one["statistic"]: one for one in frame.iter_rows(named=True)}
    parts = []
    if (js := row["js"]["value"]) is not None:
        parts.append(f"Jensen-Shannon divergence of words {js:.4f}")
    if "new-words" in row:
        parts.append(f"{row['new-words']['value']:,.0f} new words, {row['gone-words']['value']:,.0f} gone")
    length = row["asl"]
    reach = "" if length["low"] is None else f" ({length['low']:+.2f} to {length['high']:+.2f}, 95%)"
    parts.append(f"mean length {length['value']:+.2f} words{reach}")
    return [f"{title}: {'; '.join(parts)}."]
