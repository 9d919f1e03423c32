"""How well does a language model of one dataset predict another? (Ferraro et al. 2015: pairwise perplexity)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.asked import face
from auditor.asking import question
from auditor.model import Progress, Selection, silent
from auditor.result import Figure, Finding, Result, Sentence, Signature, Table, about
from auditor.result.views import EMPTY, View, filled
from auditor.statistics.cards import cards_of
from auditor.store import versions
from auditor.store.captions import select_all, selections_of, stamp
from auditor.store.connection import Store
from auditor.studies.perplexity.models import ORDERS, SeedResult, run
from auditor.text import AUTO

_VERSION = 2


Order = Annotated[int, p.Parameter("N-gram length of the model.", least=ORDERS[0], most=ORDERS[-1])]

Captions = Annotated[
    int | None, p.Parameter("Training captions per model; 0: all; default: the size of the smallest half.", least=0)
]

Draws = Annotated[int, p.Parameter("Repeat with this many consecutive seeds, from --seed on.", least=1)]


@face(draws=True)
@question
def perplexity(
    store: Store,
    *refs: p.Refs,
    order: Order = 3,
    captions: Captions = None,
    draws: Draws = 1,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    seed: p.Seed = 1,
    progress: Progress = silent,
) -> Result:
    """Train a language model on A, test it on B (perplexity).

    Each dataset is split into two halves by image. A language model is trained on one half and tested on the other half
    of every dataset. It is an interpolated modified Kneser-Ney model with n-grams of `--order`. Perplexity is 2 to the
    power of the mean bits per token. Each model is trained on `--captions` captions, sampled with the seed. The default
    is the size of the smallest training half; 0 means the whole half. `--draws` repeats everything with consecutive
    seeds.

    The model is that of KenLM (`lmplz --discount_fallback`): three discounts per order, for counts of 1, 2, and 3 or
    more. Fixed discounts replace those that cannot be estimated or are 0. A lower order counts the different tokens
    before an n-gram, or its occurrences if it begins with `<s>`. The vocabulary is that of the training captions.
    Any other token is `<unk>`, which is in no n-gram. Its probability is one token's share of what the discounts of the
    unigrams leave. `</s>` ends each caption and is counted. `perplexity` includes the unknown tokens and
    `perplexity-known` excludes them. KenLM's `query` prints both; SRILM excludes them.

    Other definitions give other numbers. Half of coco-val2017 has 133.2 under 2,480 captions of flickr8k:test, which
    lack 12.9% of its words. It has:
    - 147.2 with one discount per order, as in version 1 of this study
    - 133.2 with `--order` - 1 times `<s>` before a caption, 0.1 more
    - 131.8 if all of coco-val2017 is tested
    - 180 if `</s>` is not counted
    - 63.7 without the unknown tokens (`perplexity-known`)
    - 58.6 if `<unk>` has all that the discounts of the unigrams leave (`lmplz --interpolate_unigrams 0`)

    How to read it: lower is more predictable. At 40, the model is as uncertain as if it chose among 40 equally likely
    words. `ratio` is the perplexity under another dataset's model, divided by that under its own model. If it is high,
    the language of the dataset is distinctive.

    Limits: unknown tokens increase perplexity. `oov` is their share and `perplexity-known` excludes them, so read the
    three together. Compare perplexities only for the same tokenizer, order and training size. Small halves give large
    numbers.

    Source: Ferraro et al. 2015 for the question; Chen & Goodman 1999 and Heafield et al. 2013 for the model.

    Raises `UsageError` for settings out of range, `MetricError` for a selection without captions on one side.

    Example: auditor perplexity flickr8k coco-val2017 abstract-scenes
    """
    selected = select_all(store, refs, split, tokenizer, progress=progress)
    selections, tokenizer = selections_of(selected), selected[0].tokenizer
    runs = [run(selected, order, captions, number, progress) for number in range(seed, seed + draws)]
    signatures = {result.seed: str(_signature(tokenizer, order, result)) for result in runs}
    rows = pl.concat(_rows(selections, result, signatures[result.seed]) for result in runs)
    every = pl.concat(result.rows for result in runs)
    by_pair = every.group_by("trained_no", "selection_no", "statistic", maintain_order=True)
    means = by_pair.agg(pl.col("value").mean(), sd=pl.col("value").std())
    labels = pl.Series([selection.label for selection in selections])
    sides = {"trained on": "trained_no", "tested on": "selection_no"}
    cells = means.with_columns(labels.gather(means[number]).alias(side) for side, number in sides.items())
    notes = _trained(selections, runs, captions)
    return Result(
        "perplexity",
        rows,
        selections=selections,
        signatures={"perplexity" if draws == 1 else f"seed {name}": signed for name, signed in signatures.items()},
        tables=tuple(filled(_views(draws, len(selections)), cells)),
        figures=tuple(filled(_HEATMAPS[: len(selections)], cells)),
        notes=(*selected[0].notes, *notes, *_comparable(selections), *_fallbacks(selections, runs)),
        findings=(*_findings(selections, means), *_related(store, selections), *_wordless(selections, runs)),
    ).led_by("most-predictable", "best-predictor")


def _signature(tokenizer: str, order: int, result: SeedResult) -> Signature:
    settings: dict[str, str | int | float | bool] = {
        "tok": tokenizer, "lm": "modified-kneser-ney", "n": order, "unk": "uniform", "halves": "md5",
        "captions": result.captions or "all", "seed": result.seed,
    }  # fmt: skip
    return Signature("perplexity", settings, _VERSION)


def _rows(selections: Sequence[Selection], result: SeedResult, signature: str) -> pl.DataFrame:
    numbers = (pl.DataFrame({"number": [number]}, schema={"number": pl.UInt32}) for number in range(len(selections)))
    named = pl.concat(map(stamp, selections, numbers))
    captions = pl.lit(result.captions, pl.Int64) if result.captions else pl.col("captions")
    trained = result.sizes.filter(side="train").select(trained_no="selection_no", captions=captions)
    trainer = {"trained_on": "dataset", "trained_version": "version", "trained_split": "split"}
    trained_on = named.select(trained_no="number", **trainer)
    return (
        result.rows.join(named, left_on="selection_no", right_on="number", how="left", maintain_order="left")
        .join(trained_on, on="trained_no", how="left", maintain_order="left")
        .join(trained, on="trained_no", how="left", maintain_order="left")
        .select(
            "dataset", "trained_on", "statistic", "value", "tokens", "captions", "version", "split",
            "trained_version", "trained_split", pl.lit(result.seed, pl.Int64).alias("seed"),
            pl.lit(signature).alias("signature"),
        )
    )  # fmt: skip


def _views(draws: int, sets: int) -> list[View[Table]]:
    """List the matrices: trained on rows, tested on columns. One of ratios needs two datasets."""
    matrices = [
        ("perplexity", "value", "perplexity: trained on rows, tested on columns"),
        ("perplexity", "sd", f"standard deviation of the perplexity over {draws} seeds"),
        *((name, "value", f"{name}: {cards_of('perplexity')[name].definition}") for name in ("oov", "ratio")),
    ]
    return [
        View(Table(title, EMPTY, name=statistic), statistic, pivot=("tested on", "trained on", column))
        for statistic, column, title in matrices
        if (draws > 1 or column != "sd") and (sets > 1 or statistic != "ratio")
    ]


def _heatmap(name: str, title: str, statistic: str) -> View[Figure]:
    sides = ("tested on", "trained on")
    drawn = Figure(name, title, "heatmap", EMPTY, *sides, value="value", x_label=sides[0], y_label=sides[1])
    return View(drawn, statistic, (*sides, "value"))


_HEATMAPS = (
    _heatmap("perplexity", "Perplexity of each dataset under each model", "perplexity"),
    _heatmap("perplexity-ratio", "Perplexity, divided by that under the tested dataset's own model", "ratio"),
)


def _trained(selections: Sequence[Selection], runs: Sequence[SeedResult], captions: int | None) -> list[str]:
    """Report the training captions, unless the user sets their number."""
    first = runs[0].sizes.filter(side="train").select("selection_no", "captions")
    held = [(count, selections[number].label) for number, count in first.rows()]
    if captions == 0 and len(held) > 1:
        counts = ", ".join(f"{label} {count:,}" for count, label in held)
        return [f"models are trained on whole halves ({counts}): a model with more captions predicts better"]
    if captions is None and len(held) > 1:
        fewest, label = min(held)
        drawn = "" if len(runs) == 1 else f" with seed {runs[0].seed}; signatures have the sizes for the other seeds"
        return [f"each model is trained on {fewest:,} captions, the size of the training half of {label}{drawn}"]
    return []


def _findings(selections: Sequence[Selection], means: pl.DataFrame) -> list[Finding]:
    """Report which dataset predicts the others best, and which is the most predictable."""
    is_own = pl.col("trained_no") == pl.col("selection_no")
    by_others = means.filter(~is_own, statistic="ratio").group_by("trained_no", maintain_order=True)
    on_others = by_others.agg(pl.col("value").log().mean().exp()).sort("value", "trained_no")
    own = means.filter(is_own, statistic="perplexity").sort("value", "selection_no")
    predictable, lowest = own.select("selection_no", "value").row(0)
    number, least = len(selections), selections[predictable]
    is_what = "has" if number < 2 else "is the most predictable dataset:"
    sentence = f"{least.label} {is_what} perplexity {lowest:.1f} under its model"
    found = [Finding("most-predictable", sentence, about(least), {"perplexity": lowest}, number)]
    for predictor, ratio in on_others.head(1).iter_rows():
        best = selections[predictor]
        times = f"its perplexity on them is {ratio:.1f} times that of their models (geometric mean)"
        sentence = f"{best.label} predicts the others best: {times}"
        found.insert(0, Finding("best-predictor", sentence, about(best), {"ratio": ratio}, number))
    return found


def _comparable(selections: Sequence[Selection]) -> list[str]:
    """Report which numbers you can compare."""
    if len(selections) < 2:
        return []
    return [
        Sentence(
            "compare perplexity within a column, where the tokens are the same, and together with oov: every "
            "unknown token counts as <unk>, which favors models with a small vocabulary",
            "caveat",
        ),
        "perplexity-known excludes different tokens for each model: compare it only for similar oov",
    ]


def _related(store: Store, selections: Sequence[Selection]) -> Iterator[Finding]:
    """Report pairs of datasets that may share images."""
    named = {selection.version.dataset for selection in selections}
    declared = {name: versions.related(store, name) for name in named}
    for a, b in itertools.combinations(selections, 2):
        (one, other), where = (a.version.dataset, b.version.dataset), about(a, against=b.label)
        if one == other:
            sentence = f"{a.label} and {b.label} are of the same dataset: they are split equally, without leaks"
            yield Finding("related-datasets", sentence, where)
        elif other in declared[one] or one in declared[other]:
            sentence = f"{a.label} and {b.label} are declared as related: a model may know images that it is tested on"
            yield Finding("related-datasets", sentence, where, severity="warning")


def _wordless(selections: Sequence[Selection], runs: Sequence[SeedResult]) -> Iterator[Finding]:
    """Report captions without tokens."""
    wordless = runs[0].sizes.group_by("selection_no", maintain_order=True).agg(pl.col("wordless").sum())
    for number, count in wordless.filter(pl.col("wordless") > 0).iter_rows():
        verb, where = "has" if count == 1 else "have", about(selections[number])
        sentence = f"{selections[number].label}: {count:,} of the captions {verb} no token; only the end is predicted"
        yield Finding("captions-without-word", sentence, where, {"captions": count}, severity="notice")


def _fallbacks(selections: Sequence[Selection], runs: Sequence[SeedResult]) -> list[str]:
    """List the models whose discounts cannot be estimated."""
    unknown = pl.concat(result.discounts for result in runs).filter(~pl.col("estimated"))
    fallbacks = unknown.group_by("trained_no").agg(pl.col("n").unique().sort()).sort("trained_no")
    return [
        f"{selections[number].label}: too few n-grams of order {', '.join(map(str, orders))} occur one to four times"
        " to estimate discounts; 0.5, 1 and 1.5 are used, as in KenLM"
        for number, orders in fallbacks.iter_rows()
    ]
