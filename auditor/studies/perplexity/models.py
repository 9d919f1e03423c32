"""Language models of datasets, each trained on one half of its images and tested on the other half of every dataset.

The model is that of KenLM (`lmplz --discount_fallback`): interpolated modified Kneser-Ney (Chen & Goodman 1999,
section 3). `sql/perplexity/kneser_ney.sql` is its definition, `discount.sql` and `adjusted_count.sql` are its parts.
`auditor perplexity` explains it.

The smoothed scorer of `auditor choices` reads the same files without `modified`: one discount per order, and n - 1
times <s> before a caption (Chen & Goodman 1999, section 2.7).

Datasets are split by image (`sql/perplexity/train_test_half.sql`), so a model has not seen the test half of
that dataset either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from auditor.errors import MetricError, UsageError
from auditor.model import Progress, Selection
from auditor.statistics.cards import cards_of
from auditor.store.captions import Captions, selections_of
from auditor.store.versions import params_of
from auditor.store.workspace import Workspace

#: The integer of an n-gram holds five numbers of 25 bits; the highest number is </s>.
ORDERS = range(1, 6)

_END = 2**25 - 1


@dataclass(frozen=True)
class SeedResult:
    """The results for one seed. Selections are numbered from 0, in `trained_no` and `selection_no`.

    `captions` is the number of training captions per model, 0 for the whole half. `sizes` describes the halves (see
    `sql/perplexity/half_size.sql`), `discounts` the models (`sql/perplexity/discount.sql`), `rows` has
    the statistics of each pair (`statistics.perplexity.perplexities`).
    """

    seed: int
    captions: int
    sizes: pl.DataFrame
    discounts: pl.DataFrame
    rows: pl.DataFrame


def run(every: Sequence[Captions], order: int, captions: int | None, seed: int, progress: Progress) -> SeedResult:
    """Train a model on each dataset and test it on all; the captions must be tokenized.

    Raises `MetricError` for a selection without captions on one side, `UsageError` for more captions than a half has.
    """
    store, selections = every[0].store, selections_of(every)
    if store.query("select coalesce(max(token_id), 0) as last from vocabulary").item() >= _END:
        raise MetricError(f"{store.path}: more than {_END - 1:,} different tokens, too many for a language model")
    workspace = Workspace(store, tokenizer=every[0].tokenizer, order=order, seed=seed, modified=True)
    for number, selection in enumerate(selections):
        halves = workspace.given(**params_of(selection), selection_no=number)
        halves.bind("reference")
        halves.append("train_test_half")
    sizes = workspace.rows("half_size")
    trained = _trained_captions(selections, sizes, captions, seed)
    sums, discounts = [], []
    for number, selection in enumerate(selections):
        progress(f"seed {seed}: model of {selection.label}", number, len(selections))
        model = workspace.given(trained_captions=trained, trained_no=number)
        numbered = pl.lit(number, pl.UInt32).alias("trained_no")
        sums.append(model.rows("perplexity").select(numbered, pl.all()))
        discounts.append(model.rows("discount").select(numbered, pl.all()))
    return SeedResult(seed, trained, sizes, pl.concat(discounts), perplexities(pl.concat(sums)))


def _trained_captions(selections: Sequence[Selection], sizes: pl.DataFrame, captions: int | None, seed: int) -> int:
    """Return the number of training captions per model, 0 for the whole half."""
    halves = {(number, side): (images, count) for number, side, images, count, _ in sizes.iter_rows()}
    trained = []
    for number, selection in enumerate(selections):
        (train_images, train_captions), (test_images, _) = (
            halves.get((number, side), (0, 0)) for side in ("train", "test")
        )
        images = train_images + test_images
        if images < 2:
            there = "one image" if images else "no caption"
            raise MetricError(f"{selection.label}: {there}, but a training half and a test half need two images")
        if images in (train_images, test_images):
            why = f"seed {seed} puts all {images} images in one half; use another --seed"
            raise MetricError(f"{selection.label}: {why}")
        trained.append((train_captions, selection.label))
    fewest, label = min(trained)
    if captions is not None and captions > fewest:
        has = f"with seed {seed} the training half of {label} has {fewest}"
        raise UsageError(f"--captions {captions}: {has}; use at most that many, or 0 for whole halves")
    return fewest if captions is None else captions


#: The statistics of each pair of datasets, in order.
STATISTICS = tuple(cards_of("perplexity"))

_DECIMALS = 12

_LN_2 = 0.6931471805599453


def perplexities(sums: pl.DataFrame) -> pl.DataFrame:
    """Turn sums into statistics, for every model and every test side.

    `sums` has columns trained_no, selection_no (the one tested on), tokens, words, unknown, bits, known_bits, as of
    `sql/perplexity/perplexity.sql`. The result has a row per statistic: trained_no, selection_no, tokens, statistic,
    value. The cards define them; `oov` is a share of the words without the ends of captions, and null without words.
    """
    entropy = pl.col("bits") / pl.col("tokens")
    scored = sums.with_columns(
        entropy.alias("cross-entropy"),
        _power_of_two(entropy).alias("perplexity"),
        _power_of_two(pl.col("known_bits") / (pl.col("tokens") - pl.col("unknown"))).alias("perplexity-known"),
        pl.when(pl.col("words") > 0).then(pl.col("unknown") / pl.col("words")).alias("oov"),
    )
    at_home = scored.filter(pl.col("trained_no") == pl.col("selection_no")).select("selection_no", home="perplexity")
    both = scored.join(at_home, on="selection_no", how="left", maintain_order="left")
    both = both.with_columns(ratio=pl.col("perplexity") / pl.col("home"))
    rows = both.unpivot(STATISTICS, index=["trained_no", "selection_no", "tokens"], variable_name="statistic")
    return rows.with_columns(pl.col("value").round(_DECIMALS))


def _power_of_two(exponent: pl.Expr) -> pl.Expr:
    return (exponent * _LN_2).exp()
