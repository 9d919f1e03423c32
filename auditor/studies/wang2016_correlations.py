"""What Wang & Gaizauskas 2016, section 4.2, say of correlations of metrics, in numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import fmean

import polars as pl

from auditor.published import Quantity

_MANY = ("pascal50s", "abstract50s")
_BLEU = ("bleu-1", "bleu-2", "bleu-3", "bleu-4")
_ROUGE = ("rouge-1", "rouge-l", "rouge-w-1.2", "rouge-su4")
_CIDER = ("cider", "cider-d")
_LEVELS = ("image", "caption")

Taus = dict[tuple[str, str], float]
Quantities = Iterator[tuple[Quantity, float]]


def quantities(rows: pl.DataFrame, datasets: Sequence[str], metrics: Sequence[str]) -> Quantities:
    """Give every pair's τ at both levels, and what the paper says of groups of pairs.

    `rows` are those of `correlate`, with `kendall-b` and `spearman`; pairs stand in the order of `metrics`.
    """
    drops: dict[str, float] = {}
    for dataset in datasets:
        found = {level: _pairs(rows, dataset, level, "kendall-b") for level in _LEVELS}
        if not found["image"]:
            continue
        for level, taus in found.items():
            for (a, b), tau in taus.items():
                yield (dataset, f"{a} {b}", "human", level, "kendall-b"), tau
            yield (dataset, "", "human", level, "kendall-b-average"), fmean(taus.values())
        yield from _per_image(rows, dataset, found["image"])
        by_pair = {pair: found["image"][pair] - found["caption"][pair] for pair in found["image"]}
        drops[dataset] = fmean(by_pair.values())
        if "meteor" in metrics:
            own = [drop for pair, drop in by_pair.items() if "meteor" in pair]
            others = [drop for pair, drop in by_pair.items() if "meteor" not in pair]
            yield (dataset, "meteor", "human", "caption", "drop"), fmean(own)
            yield (dataset, "meteor", "human", "caption", "drop-beyond-the-other-metrics"), fmean(own) - fmean(others)
    few = [drop for dataset, drop in drops.items() if dataset not in _MANY]
    for dataset in (name for name in drops if name in _MANY and few):
        yield (dataset, "", "human", "caption", "drop-beyond-the-others"), drops[dataset] - fmean(few)


def _pairs(rows: pl.DataFrame, dataset: str, level: str, statistic: str, column: str = "value") -> Taus:
    chosen = rows.filter(pl.col(column).is_not_null(), dataset=dataset, level=level, statistic=statistic)
    return {(a, b): value for a, b, value in chosen.select("metric_a", "metric_b", column).iter_rows()}


def _per_image(rows: pl.DataFrame, dataset: str, taus: Taus) -> Quantities:
    def of(metric: str, statistic: str) -> Quantity:
        return (dataset, metric, "human", "image", statistic)

    spearman = _pairs(rows, dataset, "image", "spearman")
    yield of("", "p-highest"), max(_pairs(rows, dataset, "image", "kendall-b", "p").values())
    yield of("", "spearman-above-kendall-b-lowest"), min(spearman[pair] - tau for pair, tau in taus.items())
    groups: dict[str, Callable[[str, str], bool]] = {
        "": lambda a, b: True,
        "bleu-1 others": lambda a, b: a == "bleu-1" and b not in _BLEU,
        "rouge meteor-cider": lambda a, b: a in _ROUGE and b in ("meteor", *_CIDER),
        "rouge meteor": lambda a, b: a in _ROUGE and b == "meteor",
        "rouge cider": lambda a, b: a in _ROUGE and b in _CIDER,
    }
    for name, belongs in groups.items():
        values = [tau for pair, tau in taus.items() if belongs(*pair)]
        if values:
            yield of(name, "kendall-b-lowest"), min(values)
            yield of(name, "kendall-b-highest"), max(values)
            yield of(name, "kendall-b-average"), fmean(values)
    beaten = [taus[bleu, "rouge-su4"] > taus[bleu, rouge] for bleu in _BLEU for rouge in _ROUGE if rouge != "rouge-su4"]
    yield of("", "share-best-with-rouge-su4"), fmean(beaten)
