"""Puts words in the place of tokens, text by text, where a metric has words of its own."""

from __future__ import annotations

import polars as pl

from auditor.store.workspace import Workspace
from auditor.text.normalization import NORMALIZATIONS


def bind_text_tokens(workspace: Workspace, normalization: str | None) -> None:
    """Bind relation `text_tokens` to the tokens of the texts at work, rewritten where a metric asks for it.

    Words are numbered by spelling, from 1; these numbers are good for one counting only. Relation `word` (word,
    word_id) spells the numbers of rewritten words; those of tokens are in the vocabulary.
    """
    workspace.bind("text_tokens", "text_tokens")
    workspace.forget("word")
    if normalization is None:
        return
    vocabulary = workspace.query("select token_id, token from vocabulary order by token_id")
    words = vocabulary.select("token_id", word=NORMALIZATIONS[normalization](vocabulary["token"])).explode(
        "word", empty_as_null=True
    )
    numbered = words.select("token_id", word=pl.col("word").rank("dense").cast(pl.UInt32))
    by_number = pl.DataFrame(
        {"token_id": pl.int_range(vocabulary.height and vocabulary["token_id"][-1] + 1, eager=True, dtype=pl.UInt32)}
    )
    lists = by_number.join(
        numbered.group_by("token_id").agg(pl.col("word").drop_nulls()), on="token_id", how="left", maintain_order="left"
    )["word"]
    texts = workspace.query("select caption_id, tokens from text_tokens")
    rewritten = (
        texts.explode("tokens", empty_as_null=True)
        .select("caption_id", tokens=pl.lit(lists).gather(pl.col("tokens")))
        .explode("tokens", empty_as_null=True)
        .group_by("caption_id", maintain_order=True)
        .agg(pl.col("tokens").drop_nulls())
    )
    workspace.bind_rows("text_tokens", rewritten)
    spelled = words.select("word", word_id=numbered["word"]).drop_nulls().unique()
    workspace.bind_rows("word", spelled)
