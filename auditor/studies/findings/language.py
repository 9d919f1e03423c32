"""Find captions in a different language from the rest, by py3langid: naive Bayes on bytes (Lui & Baldwin 2012)."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import version

import polars as pl

from auditor.model import Selection
from auditor.store import kept
from auditor.store.connection import Store
from auditor.store.kept_results import program
from auditor.store.versions import nearest
from auditor.store.workspace import Workspace
from auditor.text.language import FEW, LIKE_ENGLISH, classified

_WORDS = 3

_LANGUAGE = {"caption_id": pl.UInt32, "language": pl.String, "probability": pl.Float64}

_SURE = 0.7

#: A language with a larger share of the captions belongs to the dataset.
_AT_MOST = 0.1

_NEAR = {"en": LIKE_ENGLISH}


def foreign(store: Store, selection: Selection, workspace: Workspace) -> pl.DataFrame:
    """List captions that are almost certainly in a language that few captions use. Columns: image, slot, why.

    The relation `english_word` must be bound. Texts with fewer than three different words are not listed. The same goes
    for texts with an uncertain language, and for those that mostly have words of the other captions. What is in
    brackets is not read: it may be the title in its first language.
    """
    captions = workspace.query(
        "select image, slot, caption_id, c.text from reference join caption as c using (caption_id)"
        f" where length >= {_WORDS} order by image, slot"
    )
    if captions.is_empty():
        return captions.select("image", "slot", why=pl.lit("")).clear()
    texts = captions.unique("caption_id", maintain_order=True)
    outside = texts["text"].str.replace_all(r"[(\[][^()\[\]]*[)\]]", " ")
    read = pl.when(outside.str.count_matches(r"\S+") >= _WORDS).then(outside).otherwise(texts["text"])
    texts = texts.select("caption_id", text=read)
    # no language can have few captions if there are few
    texts = _languages(store, selection, texts.head(texts.height if _AT_MOST * captions.height >= 1 else 0))
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


def _languages(store: Store, selection: Selection, texts: pl.DataFrame) -> pl.DataFrame:
    """Return the language of each text, by caption_id; those of texts that another version has are kept with it."""
    facts = {"program": program(), "read by": version("py3langid"), "at once": texts.height >= FEW}
    every = (replace(selection, version=one) for one in (selection.version, *nearest(store, selection.version)))
    keys = [kept.key(store, one, params=facts) for one in every]
    held = kept.get(store, dict.fromkeys(keys, "text_language"))
    known = next((held[key] for key in keys if key in held), pl.DataFrame(schema=_LANGUAGE))
    new = texts.join(known, on="caption_id", how="anti", maintain_order="left")
    found = classified(new["text"], at_once=texts.height >= FEW)
    made = pl.concat([new.select("caption_id"), found], how="horizontal")
    whole = pl.concat([known, made]).join(texts, on="caption_id", how="semi")
    if keys[0] not in held:
        kept.put(store, selection, "text_language", keys[0], whole)
    return texts.select("caption_id").join(whole, on="caption_id", how="left", maintain_order="left")
