"""Near-duplicates over shards: the search of `auditor duplicates` in parts that give the same pairs and counts.

`wordings` numbers and counts the texts of a partition, `rarity` the words by the number of texts that have them. `bags`
has the rare words of texts, by which these meet in partitions, and `pairs` those that are near there.
`similar` and `firsts` sort these, and the images of all texts, by the buckets that need them. `repeats` counts the
captions of a bucket that have a duplicate.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from auditor.findings import CAPTION_KINDS
from auditor.model import Selection
from auditor.result import Result, findings_in
from auditor.scoring.scale_out import merging
from auditor.scoring.scale_out.shuffle import Shuffle
from auditor.scoring.scale_out.work import Work
from auditor.store.connection import MEMORY, Store
from auditor.store.file import Share
from auditor.store.workspace import Workspace
from auditor.studies import duplicates as one_store
from auditor.studies.findings import measures
from auditor.studies.findings.captions import COPIES
from auditor.studies.findings.shards import ShardPlan
from auditor.studies.findings.summary import version_of
from auditor.studies.findings.wanted import if_compared, if_measured, of_buckets, of_partitions

WORDINGS, RARITY, BAGS, PAIRS, SIMILAR, FIRSTS, REPEATS, FOREMOST, TWINS = (
    "wordings", "rarity", "bags", "pairs", "similar", "firsts", "repeats", "foremost", "twins",
)  # fmt: skip

#: Further files of a partition of texts: occurrences, words, lengths, first captions, texts that may stand out; and the
#: lengths of all.
_OCCURRENCES, _WORDS, _LENGTHS, _ALL_LENGTHS = "occurrences", "words-of-texts", "lengths-of-texts", "lengths"
_PLACES, _FREQUENT = "first-captions", "frequent-texts"

_FIRST, _COPIED = ("first_image", "first_slot"), CAPTION_KINDS[COPIES].params

#: The captions of buckets, by partition of texts, and back: the texts of each bucket.
CAPTIONS = Shuffle("searched", if_compared(of_buckets), of_partitions)
TEXTS_OF_BUCKETS = Shuffle(WORDINGS, if_compared(of_partitions), of_buckets, "bucket")

_SEVERAL = if_measured(of_partitions)

#: The rare words of texts and the texts that have them, by partition of words; their near-duplicates, back by texts.
KEYS, BAGS_OF_KEYS = Shuffle("keys", _SEVERAL, of_partitions), Shuffle("bags-of-keys", _SEVERAL, of_partitions)
NEAR, OTHERS = Shuffle("near", _SEVERAL, of_partitions), Shuffle("others", _SEVERAL, of_partitions)

#: The texts of captions that are left out, by partition of texts. None of them is the twin of a caption.
GONE = Shuffle("gone", if_compared(of_buckets), of_partitions)

#: What a bucket needs: the near-duplicates of its texts, and where all these occur.
NEAR_OF_BUCKETS, FIRSTS_OF_BUCKETS = (Shuffle(name, _SEVERAL, of_buckets, "bucket") for name in (SIMILAR, FIRSTS))

_THOUSANDTHS = round(one_store.NEAR * 1000)

#: The largest prime below 2^32: remainders by it are even for any words.
_PRIME = 4_294_967_291

#: The counts of a bucket: by which columns they add up.
_COUNTED = {
    "duplicate_count": ("question_no", "position", "match"),
    "every_slot_pair": ("question_no", "slot", "against_slot"),
    "shared_image": ("question_no",),
    "side_size": ("side_no",),
}

_PAIR = ["question_no", "match", *(f"{side}{of}" for side in ("", "against_") for of in ("image", "slot", "text"))]
_BY_SLOT = {"question_no": pl.UInt32, "slot": pl.UInt32, "exact": pl.Int64, "near": pl.Int64, "of_captions": pl.Int64}


def searched(workspace: Workspace, plan: ShardPlan, bucket: int) -> pl.DataFrame:
    """Return the captions of a bucket as `placed_text.sql` places them, with the bucket."""
    return workspace.rows(
        "placed_text", selection_no=0, bucket=bucket, buckets=len(plan.buckets), partitions=plan.partitions
    ).with_columns(bucket=pl.lit(bucket, pl.UInt32))


def wordings(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Return the texts of a partition: bucket, text_no, images, tokens, and the first of several captions."""
    captions = CAPTIONS.rows(plan, work, number).collect()
    with Store.open(MEMORY, share=share) as store:
        workspace = _workspace(plan, work, store)
        workspace.bind_rows("searched_text", _unplaced(captions))
        texts = workspace.rows("distinct_text").with_columns(text_no=pl.col("text_no") * plan.partitions + number)
        workspace.bind_rows("distinct_text", texts)
        work.put(_OCCURRENCES, number, workspace.rows("first_occurrence").sort("side_no", "text_no", "image_no"))
        work.put(_WORDS, number, workspace.rows("bag_word"))
    work.put(_LENGTHS, number, texts.select(size=pl.col("tokens").list.len()).unique().sort("size"))
    placed = captions.drop("of_slot").join(texts, on="tokens")
    by_text, first = placed.sort("image", "slot").group_by("text_no"), pl.col("image", "slot").first()
    shown = by_text.agg(first.name.prefix("first_"), images=pl.col("image_no").n_unique(), captions=pl.len())
    work.put(_PLACES, number, shown.select("text_no", *_FIRST).sort("text_no"))
    work.put(_FREQUENT, number, _frequent(shown.join(texts, on="text_no"), captions.height))
    several = shown.filter(pl.col("images") > 1).select("text_no").sort("text_no")
    repeated, distinct = measures.texts(placed.lazy(), several)
    work.put(measures.TEXTS, number, repeated)
    work.put(measures.DISTINCT, number, distinct)
    known = texts.join(shown, on="text_no").with_columns(pl.when(pl.col("captions") > 1).then(pl.col(*_FIRST)))
    of_bucket = captions.select("bucket", "tokens").unique().join(known, on="tokens")
    return of_bucket.select("bucket", "text_no", "images", "tokens", *_FIRST).sort("bucket", "text_no")


def _frequent(texts: pl.DataFrame, captions: int) -> pl.DataFrame:
    """Return the texts of a partition that may stand out in all, as `text_of_several` does; all others are one row."""
    often = texts.filter(pl.col("captions") > 1).sort("captions", "text_no", descending=True)
    kept = often.head(round(1 / _COPIED["least_share"])).select("tokens", "captions", "images", *_FIRST)
    rest: list[Any] = [([], captions - kept["captions"].sum(), 0, None, None)]
    return pl.concat([kept, pl.DataFrame(rest, schema=kept.schema, orient="row")])


def foremost(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Return the texts of all shards that stand out: the rows of `foremost_text`."""
    del number
    with Store.open(MEMORY, share=share) as store:
        workspace = Workspace(store)
        workspace.bind_rows("text_of_several", work.every(_FREQUENT, plan.partitions).collect())
        return workspace.rows("foremost_text", **_COPIED).sort("tokens")


def rarity(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Count the texts with each word, and return the words from the rarest on."""
    sizes = work.every(_LENGTHS, plan.partitions).unique().filter(pl.col("size") > 1).sort("size").collect()
    work.put(_ALL_LENGTHS, number, sizes)
    with Store.open(MEMORY, share=share) as store:
        workspace = Workspace(store)
        workspace.bind_rows("bag_word", merging.added("bag_word", work.every(_WORDS, plan.partitions)))
        return workspace.rows("word_rarity").sort("word")


def bags(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Write the rare words of a partition of texts, and the texts as bags of numbered words."""
    texts = work.scan(WORDINGS, number).select("text_no", "tokens").unique("text_no").sort("text_no").collect()
    with Store.open(MEMORY, share=share) as store:
        workspace = Workspace(store, near=_THOUSANDTHS, **one_store.LIMITS)
        workspace.bind_rows("distinct_text", texts)
        workspace.bind_rows("word_rarity", work.scan(RARITY, 0).collect())
        workspace.bind_rows("bag_size", work.scan(_ALL_LENGTHS, 0).collect())
        made = workspace.rows("text_bag").sort("text_no")
        workspace.bind_rows("text_bag", made)
        keys = workspace.rows("prefix_pair")
    placed = keys.with_columns(partition=(pl.col("key") % _PRIME % plan.partitions).cast(pl.UInt32))
    KEYS.put(plan, work, number, placed.sort("partition", "key", "text_no"))
    of_keys = placed.select("partition", "text_no").unique().sort("partition", "text_no")
    words = made.select("text_no", tokens="words")
    BAGS_OF_KEYS.put(plan, work, number, of_keys.join(words, on="text_no", how="left", maintain_order="left"))
    return pl.DataFrame({"texts": [made.height]})


def pairs(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """List the near-duplicates that share a key of a partition: the rows of `similar_text`, or nulls for too many."""
    shared = KEYS.rows(plan, work, number).drop("partition").filter(pl.len().over("key") > 1).collect()
    bags = BAGS_OF_KEYS.rows(plan, work, number).drop("partition")
    texts = bags.join(shared.lazy().select("text_no"), on="text_no", how="semi").sort("text_no")
    with Store.open(MEMORY, share=share) as store:
        workspace = Workspace(store, near=_THOUSANDTHS)
        workspace.bind_rows("prefix_pair", shared)
        workspace.bind_rows("distinct_text", texts.collect())
        workspace.bind("text_bag", "bag_again")
        is_too_many = one_store.too_many(workspace)
        near = workspace.rows("similar_text")
    near = near.clear() if is_too_many else near.sort("text_no", "other_no")
    NEAR.put(plan, work, number, near.with_columns(partition=partition_of("text_no", plan)))
    return pl.DataFrame({"is_too_many": [is_too_many]})


def similar(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """List the near-duplicates of a partition of texts for every bucket of these: `similar_text` with its bucket."""
    del share
    near = NEAR.rows(plan, work, number).drop("partition").unique()
    texts = work.scan(WORDINGS, number).select("bucket", "text_no")
    rows = near.join(texts, on="text_no").sort("bucket", "text_no", "other_no").collect()
    others = rows.select("bucket", text_no="other_no").unique(maintain_order=True)
    OTHERS.put(plan, work, number, others.with_columns(partition=partition_of("text_no", plan)))
    return rows


def firsts(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """List the occurrences of a partition of texts for every bucket that has them or a near-duplicate of them."""
    del share
    others = OTHERS.rows(plan, work, number).select("bucket", "text_no")
    needed = pl.concat([work.scan(WORDINGS, number).select("bucket", "text_no"), others]).unique()
    places = work.scan(_PLACES, number).join(others, on="text_no", how="semi")
    places = places.join(GONE.rows(plan, work, number), on="text_no", how="anti")
    occurrences = work.scan(_OCCURRENCES, number).join(needed, on="text_no").join(places, on="text_no", how="left")
    return occurrences.sort("bucket", "side_no", "text_no", "image_no").collect()


def repeats(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Count the captions of a bucket that have a duplicate, in further files; `TWINS` have a near-duplicate before."""
    texts, similar, occurrences = (
        met.rows(plan, work, number).drop("bucket").collect()
        for met in (TEXTS_OF_BUCKETS, NEAR_OF_BUCKETS, FIRSTS_OF_BUCKETS)
    )
    captions = work.scan(CAPTIONS.name, number).collect()
    before = occurrences.select(pl.col("text_no").alias("other_no"), *_FIRST).drop_nulls().unique("other_no")
    near = similar.join(before, on="other_no").sort(*_FIRST).unique("text_no", keep="first")
    beside = captions.join(texts.select("tokens", "text_no").join(near, on="text_no"), on="tokens")
    image, first = pl.col("image"), pl.col("first_image")
    is_before = (first < image) | ((first == image) & (pl.col("first_slot") < pl.col("slot")))
    work.put(TWINS, number, beside.filter(is_before).select("image", "slot", twin="first_image").sort("image", "slot"))
    with Store.open(MEMORY, share=share) as store:
        workspace = _workspace(plan, work, store)
        workspace.bind_rows("searched_text", _unplaced(captions))
        workspace.bind_rows("distinct_text", texts.drop(_FIRST))
        workspace.bind_rows("similar_text", similar)
        workspace.bind_rows("first_occurrence", occurrences.drop(_FIRST))
        workspace.bind("duplicate", *one_store.REPEATED)
        for name, by in _COUNTED.items():
            work.put(name, number, workspace.rows(name).sort(by))
    return pl.DataFrame({"bucket": [number]})


def duplicates_of(plan: ShardPlan, work: Work, selection: Selection) -> tuple[Result, pl.DataFrame]:
    """Return what `auditor duplicates` finds in all shards, without examples, and its rows for the summary.

    If too many captions are similar, only the rows of exact duplicates are known. `texts` are added over buckets.
    """
    added = {"duplicate_slot": pl.DataFrame(schema=_BY_SLOT), "duplicate_pair": pl.DataFrame(schema=_PAIR)}
    for name, by in _COUNTED.items():
        numbers = pl.exclude(*by, "most_at_image").sum(), pl.col("^most_at_image$").max()
        added[name] = work.every(name, len(plan.buckets)).group_by(by).agg(*numbers).sort(by).collect()
    added["slot_pair"] = added["every_slot_pair"].filter(pl.col("exact") + pl.col("near") > 0)
    counts = one_store.counts_of(_questions(plan, work, selection), added)
    told = one_store.rows(counts)
    whole = pl.col("slot").is_null() & pl.col("split").is_null() & pl.col("match").is_not_null()
    shares = told.filter(whole).select("scope", "match", "statistic", "value", number="found", n="n")
    found = findings_in(one_store.messages(counts, one_store.NEAR, plan.tokenizer))
    if work.every(PAIRS, plan.partitions).select(pl.col("is_too_many").any()).collect().item():
        told, shares, found = told.clear(), shares.filter(match="exact"), ()
    return Result("duplicates", told, findings=found), shares.with_columns(command=pl.lit("duplicates"))


def _questions(plan: ShardPlan, work: Work, selection: Selection) -> list[one_store.Question]:
    """List the questions on the captions of all shards, and on their splits `test` and `train`."""
    splits = work.every(CAPTIONS.name, len(plan.buckets)).select(pl.col("split").unique()).collect()["split"]
    roles = sorted({one_store.TEST, one_store.TRAIN} & {*splits})
    return one_store.questions_of(one_store.sides_of([selection], [roles], [{}]))


def partition_of(text: str, plan: ShardPlan) -> pl.Expr:
    """Return the partition of a text, from its number."""
    return (pl.col(text) % plan.partitions).cast(pl.UInt32)


def _workspace(plan: ShardPlan, work: Work, store: Store) -> Workspace:
    workspace = Workspace(store, near=_THOUSANDTHS, **one_store.LIMITS)
    nothing = Selection(version_of(plan.dataset, plan.digest, plan.tokenizer, 0, 0))
    for relation, frame in one_store.frames(_questions(plan, work, nothing)).items():
        workspace.bind_rows(relation, frame)
    return workspace


def _unplaced(captions: pl.DataFrame) -> pl.DataFrame:
    zero = pl.lit(0, pl.UInt32)
    image = pl.col("image_no").cast(pl.String)
    return captions.select(
        "image_no", "slot", "split", "tokens", "of_slot", image=image, selection_no=zero, caption_id=zero
    )
