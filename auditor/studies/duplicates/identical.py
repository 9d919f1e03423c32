"""List identical captions of one image (Wang & Gaizauskas 2016, section 4.1)."""

from __future__ import annotations

import polars as pl

from auditor.model import Progress, Selection, pictured, silent
from auditor.result import Finding, Result, Signature, Table, about
from auditor.store.captions import in_tokens_of_facts, selections_of
from auditor.store.connection import Store
from auditor.store.versions import resolve_all
from auditor.store.workspace import Workspace

_SHOWN = 10

#: The name of the table of counts.
COUNTS = "identical-captions"

_WHY = (
    "identical captions get the best possible score. For BLEU, METEOR (1) and TER (0), a single identical caption of "
    "the image is enough. ROUGE and CIDEr average, so all captions must be identical"
)


def identical(
    store: Store, *refs: str, split: str | None = None, as_text: bool = False, progress: Progress = silent
) -> Result:
    """List pairs of identical captions of one image, for `auditor duplicates --exact --within`.

    Identical captions have the same tokens (`bare`, or `char` for scripts without spaces); with `as_text`, the same
    letters. Pairs contain no captions without a word (Wang & Gaizauskas 2016, section 4.1).
    """
    selected = [in_tokens_of_facts(store, selection, progress) for selection in resolve_all(store, refs, split)]
    pairs, counts = [], []
    for captions in selected:
        workspace = captions.workspace(key=captions.tokenizer, as_text=as_text)
        pairs.append(captions.stamp(workspace.rows("identical")))
        counts.append(_counted(workspace))
    parameters = {
        "tok": ",".join(sorted({captions.tokenizer for captions in selected})),
        "equal": "text" if as_text else "tokens",
    }
    selections = selections_of(selected)
    summary = pl.concat(
        count.select(pl.lit(selection.label).alias("dataset"), pl.all())
        for selection, count in zip(selections, counts, strict=True)
    )
    findings = tuple(
        _finding(selection, *count.rows(named=True)) for selection, count in zip(selections, counts, strict=True)
    )
    return Result(
        "identical",
        pl.concat(pairs),
        selections=selections,
        signatures={"identical": str(Signature("identical", parameters, 2))},
        tables=(
            Table("identical captions of one image", summary, name=COUNTS),
            *(_table(selection, listed) for selection, listed in zip(selections, pairs, strict=True) if listed.height),
        ),
        lead=tuple(f"{finding.sentence}." for finding in findings),
        notes=(_WHY,),
        findings=findings,
    )


def identical_counts(store: Store, selection: Selection) -> pl.DataFrame:
    """Count identical captions without listing their pairs: the row of `repeat_count`, and `share_of_images`."""
    return _counted(in_tokens_of_facts(store, selection).facts())


def _counted(workspace: Workspace) -> pl.DataFrame:
    share = (pl.col("images_with_repeats") / pl.col("images")).alias("share_of_images")
    return workspace.rows("repeat_count").select(
        "captions", "images", "wordless", "repeats", "letter_repeats", "images_with_repeats", share, "in_groups",
        "pairs", "images_all_equal",
    )  # fmt: skip


def _table(selection: Selection, pairs: pl.DataFrame) -> Table:
    hidden = pairs.height - _SHOWN
    shown = pairs.drop("dataset", "version", "split").head(_SHOWN)
    return Table(
        f"identical captions of {selection.label}",
        shown,
        caption=f"{hidden:,} more pairs: -o FILE writes all" if hidden > 0 else None,
        name="identical-pairs",
        further=True,
        pictured=pictured(shown, selection.version.dataset, "image"),
    )


def _finding(selection: Selection, count: dict[str, int]) -> Finding:
    verb = "repeats" if count["repeats"] == 1 else "repeat"
    sentence = (
        f"{selection.label}: {count['repeats']:,} of {count['captions']:,} captions {verb} another of their image, at "
        f"{count['images_with_repeats']:,} of {count['images']:,} images. Captions in groups of identical captions: "
        f"{count['in_groups']:,}, in pairs: {count['pairs']:,}. Images whose captions are all identical: "
        f"{count['images_all_equal']:,}"
    )
    wordless = count["wordless"]
    values = ("repeats", "letter_repeats", "images_with_repeats", "in_groups", "pairs", "images_all_equal", "wordless")
    return Finding(
        "identical-captions",
        f"{sentence}. Captions without a word, not compared: {wordless:,}" if wordless else sentence,
        about(selection),
        {name: count[name] for name in values},
        count["images"],
        "notice" if count["repeats"] else "info",
    )
