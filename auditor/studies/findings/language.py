"""Captions in another language than most, by py3langid: naive Bayes over bytes (Lui & Baldwin 2012)."""

from __future__ import annotations

import functools
import importlib.util
from typing import Any

import polars as pl

from auditor.store.workspace import Workspace

EXTRA = "pip install 'auditor[language]'"

_WORDS = 3

_SURE = 0.7

#: A language that a larger share of the captions is in is one of the dataset's own.
_AT_MOST = 0.1

#: English as some people write it, and what is no language.
_NEAR = {"en": ("pcm", "sco", "zxx", "la")}


def installed() -> bool:
    """Return whether languages can be told."""
    return importlib.util.find_spec("py3langid") is not None


def foreign(workspace: Workspace) -> pl.DataFrame:
    """List the captions that are surely in a language that few captions are in. Columns: image, slot, why.

    Texts of fewer than three words, or that no language is sure of, are of none.
    """
    placed = workspace.query(
        "select image, slot, caption_id, c.text from reference join caption as c using (caption_id)"
        f" where length >= {_WORDS} order by image, slot"
    )
    texts = placed.unique("caption_id", maintain_order=True)
    told = pl.DataFrame(
        _classified(texts["text"]), schema={"language": pl.String, "sureness": pl.Float64}, orient="row"
    )
    texts = pl.concat([texts.select("caption_id"), told], how="horizontal")
    spoken = placed.join(texts, on="caption_id", how="left", maintain_order="left")
    most = spoken["language"].value_counts().sort("count", "language", descending=[True, False])
    if most.is_empty():
        return placed.select("image", "slot", why=pl.lit("")).clear()
    few = most.filter(pl.col("count") <= _AT_MOST * spoken.height)["language"]
    apart = few.filter(~few.is_in(_NEAR.get(most["language"][0], ())))
    return spoken.filter(pl.col("language").is_in(apart.implode()), pl.col("sureness") >= _SURE).select(
        "image", "slot", why=pl.format("language {}, others {}", "language", pl.lit(most["language"][0]))
    )


def _classified(texts: pl.Series) -> list[tuple[str, float]]:
    return [(language, float(sureness)) for language, sureness in map(_identifier().classify, texts)]


@functools.cache
def _identifier() -> Any:
    from py3langid import langid  # noqa: PLC0415  # an extra, and a model that takes a second to unpack

    return langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)
