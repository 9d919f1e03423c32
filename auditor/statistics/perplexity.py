"""Perplexities and shares of captions under a language model, from sums of bits."""

from __future__ import annotations

import polars as pl

#: The statistics of each pair of datasets, in order.
STATISTICS = ("perplexity", "perplexity-known", "oov", "cross-entropy", "ratio")

_DECIMALS = 12

_LN_2 = 0.6931471805599453


def perplexities(sums: pl.DataFrame) -> pl.DataFrame:
    """Turn sums into statistics, for every model and every test side.

    `sums` has columns trained_no, selection_no (the one tested on), tokens, words, unknown, bits, known_bits, as of
    `sql/perplexity/perplexity.sql`. The result has a row per statistic: trained_no, selection_no, tokens, statistic,
    value.

    `cross-entropy` is bits / tokens, with the ends of captions; `perplexity` is 2 to the power of it (Jelinek et al.
    1977). `perplexity-known` is the same over the tokens that the model knows; their histories keep the unknown ones.
    `oov` is the share of unknown tokens among the words, without the ends of captions; null without words. `ratio` is
    the perplexity divided by that of the model trained on the tested dataset, which itself has 1.
    """
    scored = sums.with_columns(
        (pl.col("bits") / pl.col("tokens")).alias("cross-entropy"),
        _power_of_two(pl.col("bits") / pl.col("tokens")).alias("perplexity"),
        _power_of_two(pl.col("known_bits") / (pl.col("tokens") - pl.col("unknown"))).alias("perplexity-known"),
        pl.when(pl.col("words") > 0).then(pl.col("unknown") / pl.col("words")).alias("oov"),
    )
    at_home = scored.filter(pl.col("trained_no") == pl.col("selection_no")).select("selection_no", home="perplexity")
    return (
        scored.join(at_home, on="selection_no", how="left", maintain_order="left")
        .with_columns(ratio=pl.col("perplexity") / pl.col("home"))
        .unpivot(STATISTICS, index=["trained_no", "selection_no", "tokens"], variable_name="statistic")
        .with_columns(pl.col("value").round(_DECIMALS))
    )


def _power_of_two(exponent: pl.Expr) -> pl.Expr:
    return (exponent * _LN_2).exp()
