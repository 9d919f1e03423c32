"""How well does a language model of one dataset predict another? (Ferraro et al. 2015: pairwise perplexity)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import Progress, Selection, silent
from auditor.result import Figure, Finding, Result, Signature, Table, about
from auditor.store import versions
from auditor.store.captions import select_all, selections_of, stamp
from auditor.store.connection import Store
from auditor.studies.perplexity.models import ORDERS, SeedResult, run
from auditor.text import AUTO

_VERSION = 2


Order = Annotated[int, p.Parameter("Length of the model's n-grams.", least=1, most=5)]

Captions = Annotated[
    int | None,
    p.Parameter("Captions that each model is trained on; 0: all; default: as the smallest half has.", least=0),
]

Draws = Annotated[int, p.Parameter("Repeat with so many seeds, from --seed on.", least=1)]


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
    """Measure how well a model of A predicts B (perplexity).

    Each dataset is cut in two halves by its images; a language model (interpolated modified Kneser-Ney, n-grams of
    `order`) is trained on one half and tested on the other half of every dataset. Perplexity is 2 to the mean of the
    bits that the model needs for a token. Each model is trained on `captions` captions, drawn by the seed; by default
    as many as the smallest training half has, with 0 on all of its half. `draws` repeats everything with the seeds that
    follow.

    The model is that of KenLM (`lmplz --discount_fallback`): three discounts per order, for counts of 1, 2, and 3 or
    more. Fixed discounts stand in for ones that cannot be estimated or are 0. A lower order counts the different tokens
    before an n-gram, or its occurrences where it begins with `<s>`. The vocabulary is that of the training captions.
    Any other token is `<unk>`: it has the probability that the discounts of the unigrams leave to one of all tokens,
    and no n-gram holds it. `</s>` ends each caption and is counted. `perplexity` includes the unknown tokens and
    `perplexity-known` excludes them, as KenLM's `query` prints both; SRILM excludes them.

    Other definitions give other numbers. Half of coco-val2017 has 133.2 under 2,480 captions of flickr8k:test, which
    lack 12.9% of its words. It has:
    - 147.2 with one discount per order, as in version 1 of this study
    - 133.2 with `order` - 1 times `<s>` before a caption, 0.1 more
    - 131.8 if all of coco-val2017 is tested
    - 180 if `</s>` is not counted
    - 63.7 without the unknown tokens (`perplexity-known`)
    - 58.6 if `<unk>` has all that the discounts of the unigrams leave (`lmplz --interpolate_unigrams 0`)

    How to read it: lower is more predictable: at 40 the model is as unsure as between 40 equally likely words. A
    dataset that its own model predicts far better than others do has a language of its own; `ratio` is that, model of
    another dataset over its own.

    Limits: tokens that the model never saw make it dear; `oov` is their share, `perplexity-known` leaves them out, so
    read the three together. Perplexities hold for one tokenizer, order and training size only. Small halves give large
    numbers.

    Source: Ferraro et al. 2015 for the question; Chen & Goodman 1999 and Heafield et al. 2013 for the model.

    Raises `UsageError` for settings out of range, `MetricError` for a selection that has no captions on one side.

    Example: auditor perplexity flickr8k coco-val2017 abstract-scenes
    """
    if order not in ORDERS:
        raise UsageError(f"--order {order}: models are of order {ORDERS[0]} to {ORDERS[-1]}")
    if captions is not None and captions < 0:
        raise UsageError(f"--captions {captions}: expected a number of captions, or 0 for all")
    if draws < 1:
        raise UsageError(f"--draws {draws}: expected 1 or more")
    selected = select_all(store, refs, split, tokenizer, progress=progress)
    selections, tokenizer = selections_of(selected), selected[0].tokenizer
    runs = [
        run(store, selections, tokenizer, order, captions, number, progress) for number in range(seed, seed + draws)
    ]
    signatures = {result.seed: str(_signature(tokenizer, order, result)) for result in runs}
    rows = pl.concat(_rows(selections, result, signatures[result.seed]) for result in runs)
    means = (
        pl.concat(result.rows for result in runs)
        .group_by("trained_no", "selection_no", "statistic", maintain_order=True)
        .agg(pl.col("value").mean(), sd=pl.col("value").std())
    )
    labels = [selection.label for selection in selections]
    return Result(
        "perplexity",
        rows,
        selections=selections,
        signatures={"perplexity" if draws == 1 else f"seed {name}": signed for name, signed in signatures.items()},
        tables=_tables(labels, means, draws),
        figures=_figures(labels, means),
        notes=(
            *selected[0].notes,
            *_trained(selections, runs, captions),
            *_comparable(selections),
            *_stood_in(selections, runs),
        ),
        findings=(*_findings(selections, means), *_related(store, selections), *_wordless(selections, runs)),
    )


def _signature(tokenizer: str, order: int, result: SeedResult) -> Signature:
    settings: dict[str, str | int | float | bool] = {
        "tok": tokenizer, "lm": "modified-kneser-ney", "n": order, "unk": "uniform", "halves": "md5",
        "captions": result.captions or "all", "seed": result.seed,
    }  # fmt: skip
    return Signature("perplexity", settings, _VERSION)


def _rows(selections: Sequence[Selection], result: SeedResult, signature: str) -> pl.DataFrame:
    named = pl.concat(
        stamp(selection, pl.DataFrame({"number": [number]}, schema={"number": pl.UInt32}))
        for number, selection in enumerate(selections)
    )
    trained = result.sizes.filter(pl.col("side") == "train").select(
        pl.col("selection_no").alias("trained_no"),
        captions=pl.lit(result.captions, pl.Int64) if result.captions else pl.col("captions"),
    )
    trained_on = named.select(
        pl.col("number").alias("trained_no"), trained_on="dataset", trained_version="version", trained_split="split"
    )
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


def _tables(labels: Sequence[str], means: pl.DataFrame, draws: int) -> tuple[Table, ...]:
    shown = [("perplexity", "value", "perplexity: rows trained on, columns tested on")]
    if draws > 1:
        shown.append(("perplexity", "sd", f"standard deviation of the perplexity over {draws} draws"))
    shown.append(("oov", "value", "oov: share of words that the model does not know"))
    if len(labels) > 1:
        shown.append(("ratio", "value", "perplexity / that of the tested dataset's own model"))
    return tuple(Table(title, _matrix(labels, means, *of), name="perplexities") for *of, title in shown)


def _matrix(labels: Sequence[str], means: pl.DataFrame, statistic: str, column: str) -> pl.DataFrame:
    chosen = means.filter(pl.col("statistic") == statistic)
    return (
        _labeled(labels, chosen)
        .pivot("tested on", index="trained on", values=column, maintain_order=True)
        .select("trained on", *labels)
    )


def _labeled(labels: Sequence[str], rows: pl.DataFrame) -> pl.DataFrame:
    names = pl.Series(labels, dtype=pl.String)
    return rows.with_columns(
        names.gather(rows["trained_no"]).alias("trained on"), names.gather(rows["selection_no"]).alias("tested on")
    )


def _figures(labels: Sequence[str], means: pl.DataFrame) -> tuple[Figure, ...]:
    whole = _heatmap("perplexity", "perplexity", "Perplexity of each dataset under each model", labels, means)
    if len(labels) < 2:
        return (whole,)
    title = "Perplexity, divided by that of the tested dataset's own model"
    return whole, _heatmap("perplexity-ratio", "ratio", title, labels, means)


def _heatmap(name: str, statistic: str, title: str, labels: Sequence[str], means: pl.DataFrame) -> Figure:
    cells = _labeled(labels, means.filter(pl.col("statistic") == statistic))
    return Figure(
        name,
        title,
        "heatmap",
        cells.select("tested on", "trained on", "value"),
        x="tested on",
        y="trained on",
        value="value",
        x_label="tested on",
        y_label="trained on",
    )


def _trained(selections: Sequence[Selection], runs: Sequence[SeedResult], captions: int | None) -> list[str]:
    """Return what the models were trained on, where the user did not."""
    first = runs[0].sizes.filter(pl.col("side") == "train")
    held = [
        (captions, selections[number].label) for number, captions in first.select("selection_no", "captions").rows()
    ]
    if captions == 0 and len(held) > 1:
        counts = ", ".join(f"{label} {count:,}" for count, label in held)
        return [f"models are trained on all of their halves ({counts}): one that has more captions predicts better"]
    if captions is None and len(held) > 1:
        fewest, label = min(held)
        drawn = "" if len(runs) == 1 else f" with seed {runs[0].seed}; signatures name the other seeds' counts"
        return [f"each model is trained on {fewest:,} captions, as many as the training half of {label} has{drawn}"]
    return []


def _findings(selections: Sequence[Selection], means: pl.DataFrame) -> list[Finding]:
    """Return which dataset predicts the others best, and which is the most predictable."""
    if len(selections) < 2:
        return []
    at_home = pl.col("trained_no") == pl.col("selection_no")
    abroad = (
        means.filter((pl.col("statistic") == "ratio") & ~at_home)
        .group_by("trained_no", maintain_order=True)
        .agg(pl.col("value").log().mean().exp())
        .sort("value", "trained_no")
    )
    own = means.filter((pl.col("statistic") == "perplexity") & at_home).sort("value", "selection_no")
    predictor, ratio = abroad.row(0)
    predictable, lowest = own.select("selection_no", "value").row(0)
    best, least = selections[predictor], selections[predictable]
    return [
        Finding(
            "best-predictor",
            f"{best.label} predicts the others best: its model is {ratio:.1f} times as perplexed as their own"
            " (geometric mean)",
            about(best),
            {"ratio": ratio},
            len(selections),
        ),
        Finding(
            "most-predictable",
            f"{least.label} is the most predictable: perplexity {lowest:.1f} under its own model",
            about(least),
            {"perplexity": lowest},
            len(selections),
        ),
    ]


def _comparable(selections: Sequence[Selection]) -> list[str]:
    """Return which numbers of a column may be compared."""
    if len(selections) < 2:
        return []
    return [
        "perplexity is over the same tokens whatever a model was trained on: compare it down a column, beside oov, for"
        " every unknown token counts as one <unk>, which flatters a model that knows few",
        "perplexity-known leaves out other tokens for each model: compare it where oov is about the same",
    ]


def _related(store: Store, selections: Sequence[Selection]) -> list[Finding]:
    """Name the pairs that may share images."""
    declared = {
        selection.version.dataset: set(versions.related(store, selection.version.dataset)) for selection in selections
    }
    told = []
    for a, b in itertools.combinations(selections, 2):
        one, other = a.version.dataset, b.version.dataset
        if one == other:
            said = f"{a.label} and {b.label} are of one dataset: they are cut alike, no image is on both sides"
            told.append(Finding("related-datasets", said, about(a, against=b.label)))
        elif other in declared[one] or one in declared[other]:
            said = f"{a.label} and {b.label} are declared as related: a model may know images it is tested on"
            told.append(Finding("related-datasets", said, about(a, against=b.label), severity="warning"))
    return told


def _wordless(selections: Sequence[Selection], runs: Sequence[SeedResult]) -> list[Finding]:
    """Count the captions without tokens."""
    wordless = runs[0].sizes.group_by("selection_no", maintain_order=True).agg(pl.col("wordless").sum())
    return [
        Finding(
            "captions-without-word",
            f"{selections[number].label}: {count:,} of the captions {'has' if count == 1 else 'have'} no token; what is"
            " predicted there is the end alone",
            about(selections[number]),
            {"captions": count},
            severity="notice",
        )
        for number, count in wordless.iter_rows()
        if count
    ]


def _stood_in(selections: Sequence[Selection], runs: Sequence[SeedResult]) -> list[str]:
    """List the models whose discounts cannot be estimated."""
    stood_in = (
        pl.concat(result.discounts for result in runs)
        .filter(~pl.col("estimated"))
        .group_by("trained_no")
        .agg(pl.col("n").unique().sort())
        .sort("trained_no")
    )
    return [
        f"{selections[number].label}: among n-grams of order {', '.join(map(str, orders))} too few occur one to four"
        " times to estimate discounts: they are 0.5, 1 and 1.5, as KenLM's fallback"
        for number, orders in stood_in.iter_rows()
    ]
