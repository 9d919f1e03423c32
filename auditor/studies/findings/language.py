"""Find captions in a different language from the rest, by py3langid: naive Bayes on bytes (Lui & Baldwin 2012)."""

from __future__ import annotations

import polars as pl

from auditor.store.workspace import Workspace
from auditor.text.language import LIKE_ENGLISH, classified

_WORDS = 3

_SURE = 0.7

#: A language with a larger share of the captions belongs to the dataset.
_AT_MOST = 0.1

_NEAR = {"en": LIKE_ENGLISH}


def foreign(workspace: Workspace) -> pl.DataFrame:
    """List captions that are almost certainly in a language that few captions use. Columns: image, slot, why.

    The relation `english_word` must be bound. Texts with fewer than three different words are not listed. The same goes
    for texts with an uncertain language, and for those that mostly have words of the other captions. What is in
    brackets is not read: it may be the title in its first language.
    """
    captions = workspace.query(
        "select image, slot, caption_id, c.text from reference join caption as c using (caption_id)"
        f" where length >= {_WORDS} order by image, slot"
    )
    if _AT_MOST * captions.height < 1:  # no language can have few captions
        return captions.select("image", "slot", why=pl.lit("")).clear()
    texts = captions.unique("caption_id", maintain_order=True)
    outside = texts["text"].str.replace_all(r"[(\[][^()\[\]]*[)\]]", " ")
    read = pl.when(outside.str.count_matches(r"\S+") >= _WORDS).then(outside).otherwise(texts["text"])
    texts = pl.concat([texts.select("caption_id"), classified(texts.select(text=read)["text"])], how="horizontal")
    counts = (
        captions.join(texts, on="caption_id", how="left")["language"]
        .value_counts()
        .sort("count", "language", descending=[True, False])
    )
    main = counts["language"][0]
    rare = counts.filter(pl.col("count") <= _AT_MOST * captions.height)["language"]
    workspace.bind_rows("caption_language", texts)
    others = [code for code in rare if code not in _NEAR.get(main, ())]
    return workspace.rows("other_language", main=main, least=_SURE, rare=others)
