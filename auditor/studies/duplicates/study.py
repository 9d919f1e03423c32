"""Find exact and near-duplicates within images, and across images, splits, datasets and versions.

The search misses none: `sql/duplicates/prefix_pair.sql` skips only pairs that cannot qualify.
"""

from __future__ import annotations

from typing import Annotated, Literal

import polars as pl

from auditor import parameters as p
from auditor.asking import forms, question
from auditor.config import sources
from auditor.model import Progress, Selection, pictured, silent
from auditor.result import Finding, Result, Sentence, Signature, Table, about, findings_in
from auditor.store.captions import in_tokens_of_facts, selections_of
from auditor.store.connection import Store
from auditor.store.versions import resolve_all
from auditor.studies.duplicates.messages import messages
from auditor.studies.duplicates.search import Search, search_duplicates
from auditor.studies.duplicates.tables import lead, pair_rows, rows, tables

_VERSION = 2

#: If one word of six differs, the share is 5 / 7.
NEAR = 0.7

#: Only above one half, in thousandths, do two captions surely share two rare words, which the search relies on.
Near = Annotated[float, p.Parameter("Least share of shared words of a near-duplicate.", least=0.501, most=1)]

Examples = Annotated[int, p.Parameter("Number of examples of each kind.", least=0)]

Pairs = Annotated[bool, p.Parameter("Output each caption with its most similar duplicate, instead of counts.")]

Exact = Annotated[Literal[True], p.Parameter("List identical captions of the same image.")]

Within = Annotated[Literal[True], p.Parameter("List identical captions of the same image.")]

AsText = Annotated[bool, p.Parameter("Compare the exact text, with case, punctuation and whitespace.")]


@question
def all_duplicates(
    store: Store,
    *refs: p.Refs,
    near: Near = NEAR,
    split: p.Split = None,
    examples: Examples = 3,
    pairs: Pairs = False,
    config: p.Config = None,
    progress: Progress = silent,
) -> Result:
    """Search for duplicate captions and leaks, for `auditor duplicates`."""
    known, selections = sources(config), resolve_all(store, refs, split)
    declared = [known.get(selection.version.dataset) for selection in selections]
    roles = [source.split_roles if source else {} for source in declared]
    selected = [in_tokens_of_facts(store, selection, progress) for selection in selections]
    search = Search(selected, roles, near, examples)
    counted = search_duplicates(search, progress, every_pair=pairs)
    settings: dict[str, str | float] = {"tok": search.tokenizer, "near": round(near, 3), "words": "jaccard"}
    signature = str(Signature("duplicates", settings, _VERSION))
    frame = pair_rows(counted) if pairs else rows(counted)
    texts, shown = messages(counted, near, search.tokenizer), tables(counted, examples)
    return Result(
        "duplicates",
        frame.with_columns(pl.lit(search.tokenizer).alias("tokenizer"), pl.lit(signature).alias("signature")),
        selections=selections,
        signatures={"duplicates": signature},
        tables=shown,
        lead=lead(shown, findings_in(texts)),
        said=texts,
    )


_SHOWN = 10

#: The name of the table of counts.
COUNTS = "identical-captions"

_WHY = (
    "identical captions get the best possible score. For BLEU, METEOR (1) and TER (0), a single identical caption of "
    "the image is enough. ROUGE and CIDEr average, so all captions must be identical"
)


@question
def identical(
    store: Store,
    *refs: p.Refs,
    exact: Exact,
    within: Within,
    split: p.Split = None,
    as_text: AsText = False,
    progress: Progress = silent,
) -> Result:
    """List pairs of identical captions of one image, for `auditor duplicates --exact --within`.

    Identical captions have the same tokens (`bare`, or `char` for scripts without spaces); with `as_text`, the same
    letters. Pairs contain no captions without a word (Wang & Gaizauskas 2016, section 4.1).
    """
    selected = [in_tokens_of_facts(store, selection, progress) for selection in resolve_all(store, refs, split)]
    pairs, counts, tables, findings = [], [], list[Table](), list[Finding]()
    share = (pl.col("images_with_repeats") / pl.col("images")).alias("share_of_images")
    for captions in selected:
        workspace = captions.workspace(key=captions.tokenizer, as_text=as_text)
        listed = captions.stamp(workspace.rows("identical"))
        count = workspace.rows("repeat_count").select(
            "captions", "images", "wordless", "repeats", "letter_repeats", "images_with_repeats", share, "in_groups",
            "pairs", "images_all_equal",
        )  # fmt: skip
        pairs.append(listed)
        counts.append(count.select(pl.lit(captions.label).alias("dataset"), pl.all()))
        findings.append(_finding(captions.selection, *count.rows(named=True)))
        tables += [_table(captions.selection, listed)] if listed.height else []
    tokenizers = ",".join(sorted({captions.tokenizer for captions in selected}))
    signature = Signature("identical", {"tok": tokenizers, "equal": "text" if as_text else "tokens"}, 2)
    return Result(
        "duplicates",
        pl.concat(pairs),
        selections=selections_of(selected),
        signatures={"identical": str(signature)},
        tables=(Table("identical captions of one image", pl.concat(counts), name=COUNTS), *tables),
        lead=tuple(map(Sentence.of, findings)),
        notes=(_WHY,),
        findings=tuple(findings),
    )


def _table(selection: Selection, pairs: pl.DataFrame) -> Table:
    hidden, shown = pairs.height - _SHOWN, pairs.drop("dataset", "version", "split").head(_SHOWN)
    title, images = f"identical captions of {selection.label}", pictured(shown, selection.version.dataset, "image")
    caption = f"{hidden:,} more pairs: -o FILE writes all" if hidden > 0 else None
    return Table(title, shown, caption=caption, name="identical-pairs", further=True, pictured=images)


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


@forms(all_duplicates, identical, names=("a search", "--exact --within"))
def duplicates() -> None:
    """Find duplicate captions and train/test leaks.

    Exact duplicates have the same tokens (`bare`, or `char` for scripts without spaces), ignoring case, punctuation and
    whitespace. Of all words of two near-duplicates, at least the share `--near` is in both. This is the Jaccard index
    of bags of words. The search misses none: it uses no approximate hashing and no sampling. Duplicates are counted
    within images, across images, across splits and across datasets. Of several identical captions of an image, all but
    the first count.

    How to read it: `n` counts the captions (or images) checked, `found` the duplicates among them; `value` is found /
    n. Captions of a test split that occur in train are a leak: a system may have memorized them. If slot 1 often
    repeats slot 0, its annotator may have copied.

    Limits: short captions of simple scenes match by chance ("a dog runs"), so check the examples. Word order is
    ignored. Paraphrases with different words are not found. A search stops with an error if it would compare more than
    20 million pairs.

    Rows: dataset, version, split, slot, scope, against, against_version, against_split, against_slot, match (exact,
    near, any), statistic, value, found, n. `near` excludes exact duplicates. A row with `slot` describes one slot. A
    row with `slot` and `against_slot` compares two, over the images that have both. With `--pairs`, a row is a caption
    and its most similar duplicate. `split_roles` in datasets.toml can declare splits as train or test.

    With `--exact` and `--within`, a row is a pair of identical captions of one image. `all_identical` marks images
    whose captions are all identical. Pairs contain no captions without a word.

    Raises `UsageError` for a threshold of 0.5 or less, `MetricError` if too many captions are too similar to compare.

    Examples: auditor duplicates flickr8k flickr30k · auditor duplicates coco-val --exact --within -o pairs.csv
    """
