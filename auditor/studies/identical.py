"""Which captions of an image are identical, and where are all of them? (Wang & Gaizauskas 2016, section 4.1)."""

from __future__ import annotations

import polars as pl

from auditor import parameters as p
from auditor.model import Progress, Selection, pictured, silent
from auditor.result import Finding, Result, Signature, Table, about
from auditor.scoring.writing import chooses_tokenizer
from auditor.store import ngrams, tokens
from auditor.store.connection import Store
from auditor.store.versions import resolve_all
from auditor.store.workspace import Workspace
from auditor.text import AUTO, tokenizer_of

_SHOWN = 10

#: The name of the table of counts.
COUNTS = "identical-captions"

_WHY = (
    "identical captions settle maxima: BLEU and METEOR reach 1 (and TER 0) where one other caption of the image is "
    "identical, ROUGE and CIDEr, which average, only where all are"
)


@chooses_tokenizer("refs")
def identical(
    store: Store,
    *refs: p.Refs,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    as_text: p.AsText = False,
    progress: Progress = silent,
) -> Result:
    """Pairs of identical captions of one image.

    Two captions are identical that have the same tokens, or with `as_text` the same letters. A row is a pair;
    `all_identical` says that all captions of its image are. Captions without a word are in no pair.

    How to read it: an image whose captions are all the same has one description, not five, and a caption scored against
    its twin gets the full score: both make an upper bound look better than it is.

    Limits: one word more or less is another caption here; `auditor duplicates` finds those too.

    Source: Wang & Gaizauskas 2016, section 4.1.

    Raises `UsageError` for a dataset, version or split that is not there.

    Example: auditor identical flickr8k coco-val -o pairs.csv
    """
    selections = resolve_all(store, refs, split)
    pairs, counts = [], []
    for selection in selections:
        at_work = _workspace(store, selection, tokenizer, progress, as_text=as_text)
        pairs.append(_of(selection, at_work.rows("identical")))
        counts.append(_counted(at_work))
    parameters = {"tok": tokenizer, "equal": "text" if as_text else "tokens"}
    summary = pl.concat(
        count.select(pl.lit(one.label).alias("dataset"), pl.all())
        for one, count in zip(selections, counts, strict=True)
    )
    return Result(
        "identical",
        pl.concat(pairs),
        selections=selections,
        signatures={"identical": str(Signature("identical", parameters, 1))},
        tables=(
            Table("identical captions of one image", summary, name=COUNTS),
            *(_table(one, some) for one, some in zip(selections, pairs, strict=True) if some.height),
        ),
        notes=(_WHY,),
        findings=tuple(_finding(one, *count.rows(named=True)) for one, count in zip(selections, counts, strict=True)),
    )


def identical_counts(
    store: Store,
    selection: Selection,
    tokenizer: str = "bare",
    progress: Progress = silent,
    *,
    as_text: bool = False,
) -> pl.DataFrame:
    """Count identical captions, without listing their pairs.

    One row: captions, images, wordless (captions without a word), twins (captions with an identical one at the same
    image), images_with_twins, share_of_images, pairs, images_all_identical.
    """
    return _counted(_workspace(store, selection, tokenizer, progress, as_text=as_text))


def _workspace(store: Store, selection: Selection, tokenizer: str, progress: Progress, *, as_text: bool) -> Workspace:
    tokens.provide(store, [selection], tokenizer, tokenizer_of(tokenizer), progress)
    return ngrams.workspace(store, selection, tokenizer, as_text=as_text)


def _counted(at_work: Workspace) -> pl.DataFrame:
    share = (pl.col("images_with_twins") / pl.col("images")).alias("share_of_images")
    return at_work.rows("identical_counts").select(
        "captions", "images", "wordless", "twins", "images_with_twins", share, "pairs", "images_all_identical"
    )


def _of(selection: Selection, pairs: pl.DataFrame) -> pl.DataFrame:
    version = selection.version
    return pairs.select(pl.lit(version.dataset).alias("dataset"), pl.lit(version.version).alias("version"), pl.all())


def _table(selection: Selection, pairs: pl.DataFrame) -> Table:
    hidden = pairs.height - _SHOWN
    shown = pairs.drop("dataset", "version", "split").head(_SHOWN)
    return Table(
        f"identical captions of {selection.label}",
        shown,
        caption=f"{hidden:,} more pairs: -o FILE has them all" if hidden > 0 else None,
        name="identical-pairs",
        pictured=pictured(shown, selection.version.dataset, "image"),
    )


def _finding(selection: Selection, count: dict[str, int]) -> Finding:
    said = (
        f"{selection.label}: images with identical captions: {count['images_with_twins']:,} of {count['images']:,} "
        f"(captions: {count['twins']:,}, pairs: {count['pairs']:,}); with all captions identical: "
        f"{count['images_all_identical']:,}"
    )
    wordless = count["wordless"]
    return Finding(
        "identical-captions",
        f"{said}; without a word, and so not compared: {wordless:,}" if wordless else said,
        about(selection),
        {name: count[name] for name in ("images_with_twins", "twins", "pairs", "images_all_identical", "wordless")},
        count["images"],
        "notice" if count["twins"] else "info",
    )
