"""The audit's other numbers over shards: size, duplicates and diversity, from counts of buckets that add up.

Buckets are counted by the SELECTs of `profile`, `duplicates` and `diversity`, whose headers say how rows merge. Equal
texts and n-grams of several buckets meet in partitions. The studies' last SELECTs then read the sums.
"""

from __future__ import annotations

import polars as pl

from auditor.scoring.scale_out import merging
from auditor.scoring.scale_out.shuffle import Shuffle
from auditor.scoring.scale_out.work import Work
from auditor.scoring.single_captions import lists_of
from auditor.statistics import diversity as scored
from auditor.statistics.cards import cards_of
from auditor.statistics.sameness import sameness
from auditor.store.connection import MEMORY, Store
from auditor.store.file import Share
from auditor.store.workspace import Workspace
from auditor.studies import profile
from auditor.studies.findings.captions import Checked
from auditor.studies.findings.shards import RECORDS, VOCABULARY, ShardPlan
from auditor.studies.findings.summary import LENGTHS, MEASURED, SPLITS
from auditor.studies.findings.wanted import if_measured, of_buckets

#: The sums behind `profile` and diversity, which are counted in buckets.
COUNTED = tuple(sorted(merging.sums("profile") | merging.sums("sameness") | {"parallel_list"}))

#: The sums behind hygiene counts: what lengths, and numbers of captions, are usual in all shards.
USUAL = merging.sums("hygiene")

#: Further files: words and longer n-grams by list, the latter in partitions; hygiene; what equal texts add up to.
WORDS, OCCURRENCES, GRAMS, HYGIENE = "list_gram", "grams-met", "grams", "hygiene"
GRAMS_OF_LISTS = Shuffle("list-grams", if_measured(of_buckets), of_buckets)
TEXTS, DISTINCT = "text_repetition", "distinct_caption"

#: The number of parallel lists that is counted: as many as there are.
ALL_LISTS = (1 << 32) - 1

#: The hygiene count that equal texts of several buckets decide.
_IN_SPLITS = "captions-in-several-splits"


def count(plan: ShardPlan, work: Work, number: int, checked: Checked, *, is_first: bool) -> None:
    """Count the words and n-grams of a bucket by list; in the second round its hygiene, beside what is usual."""
    if not is_first:
        work.put(HYGIENE, number, profile.hygiene(checked.workspace))
        return
    grams = checked.workspace.rows("placed_gram", lists=ALL_LISTS, longest=4, partitions=len(plan.buckets))
    longer, words = grams.filter(pl.col("n") > 1), grams.filter(n=1)
    words = words.select("list_no", "n", gram=pl.col("low").cast(pl.UInt32), occurrences="occurrences")
    work.put(WORDS, number, words)
    GRAMS_OF_LISTS.put(plan, work, number, longer.drop("occurrences"))
    occurrences = longer.group_by("list_no", "n").agg(pl.col("occurrences").sum())
    work.put(OCCURRENCES, number, occurrences.sort("list_no", "n"))


def grams(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Count the different n-grams of each list in a partition. Columns: list_no, n, types."""
    del share
    placed = GRAMS_OF_LISTS.rows(plan, work, number).drop("partition")
    return placed.unique().group_by("list_no", "n").agg(types=pl.len()).sort("list_no", "n").collect()


def texts(placed: pl.LazyFrame, several: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Count the captions of a partition (`placed_text`, with text_no) whose texts are equal.

    `several` has the texts that several images have. Returns a row of `text_repetition`, with the captions in several
    splits, and the rows of `distinct_caption`.
    """
    by_text = placed.group_by("text_no").agg(
        in_splits=pl.col("split").count() * (pl.col("split").min() != pl.col("split").max())
    )
    at_images = placed.join(several.lazy(), on="text_no", how="semi")
    lettered = at_images.group_by("text_no", "letters").agg(pl.len(), several=pl.col("image_no").n_unique() > 1)
    by_list = placed.group_by("list_no", "text_no").len().group_by("list_no")
    whole, at_several, in_letters, of_lists = pl.collect_all([
        by_text.select(texts=pl.len(), captions_in_splits=pl.col("in_splits").sum()),
        at_images.select(captions_at_images=pl.len()),
        lettered.select(captions_at_images_as_letters=pl.col("len").filter("several").sum()),
        by_list.agg(captions=pl.col("len").sum(), distinct_captions=pl.len()),
    ])  # fmt: skip
    row = pl.concat([whole, at_several, in_letters], how="horizontal").cast(pl.Int64)
    return row.with_columns(texts_at_images=pl.lit(several.height, pl.Int64)), of_lists.cast(
        {"captions": pl.Int64, "distinct_captions": pl.Int64}
    ).sort("list_no")


def measured(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Compute the measures of all shards from sums. Columns: `MEASURED`."""
    del number
    buckets = len(plan.buckets)
    known = {name: merging.added(name, work.every(name, buckets)) for name in (*COUNTED, WORDS)}
    repeated = work.every(TEXTS, plan.partitions).select(pl.all().sum()).collect()
    signs = work.every(HYGIENE, buckets).group_by("statistic", maintain_order=True).agg(pl.col("value").sum()).collect()
    in_splits = pl.lit(repeated["captions_in_splits"].item(), pl.Float64)
    is_of_texts = pl.col("statistic") == _IN_SPLITS
    types = work.every(GRAMS, buckets).group_by("list_no", "n").agg(pl.col("types").sum())
    occurrences = work.every(OCCURRENCES, buckets).group_by("list_no", "n").agg(pl.col("occurrences").sum())
    distinct = work.every(DISTINCT, plan.partitions).group_by("list_no").agg(pl.all().sum())
    known |= {
        "token_count": work.scan(VOCABULARY, 0).select("token_id", occurrences="times").collect(),
        "text_repetition": repeated.drop("captions_in_splits"),
    }
    longer = types.join(occurrences, on=["list_no", "n"]).collect()
    with Store.open(MEMORY, share=share) as store:
        workspace = Workspace(store)
        for name, rows in known.items():
            workspace.bind_rows(name, rows)
        sizes = profile.sizes_of(workspace.rows("profile"))
        diversity = _diversity(workspace, known["parallel_list"], longer, distinct.sort("list_no").collect())
    rejected = work.every(RECORDS, buckets).select(pl.col("reason").count()).collect().item()
    splits = known["image_size_count"].group_by(scope="split").agg(number=pl.col("images").sum())
    within = known["repeat_count"].select("letter_repeats", "in_groups", "pairs", "images_all_equal")
    parts = [
        *(
            rows.with_columns(command=pl.lit("profile"))
            for rows in (
                sizes,
                signs.with_columns(value=pl.when(is_of_texts).then(in_splits).otherwise("value")),
                splits.sort("scope", nulls_last=True).with_columns(statistic=pl.lit(SPLITS)),
                known["caption_length_count"].select(statistic=pl.lit(LENGTHS), position="length", number="captions"),
                pl.DataFrame({"statistic": "rejected", "value": float(rejected)}),
            )
        ),
        within.unpivot(variable_name="statistic", value_name="number").with_columns(
            command=pl.lit("duplicates"), scope=pl.lit("within-image")
        ),
        diversity.with_columns(command=pl.lit("diversity")),
        _why_not(),
    ]
    empty = pl.DataFrame(schema=MEASURED)
    return pl.concat([empty, *parts], how="diagonal_relaxed").cast(MEASURED)  # type: ignore[arg-type]


def _why_not() -> pl.DataFrame:
    """Return the statistics whose values over shards do not follow from counts, with the reasons of their cards."""
    cards = [*scored.STATISTICS.values(), cards_of("objects")["objects"]]
    rows = dict.fromkeys(
        (card.study, card.family, card.adds_up) for card in cards if card.adds_up is not True and not card.on_request
    )
    return pl.DataFrame([*rows], schema=["command", "statistic", "not_checked_because"], orient="row")


def _diversity(
    workspace: Workspace, parallel: pl.DataFrame, longer: pl.DataFrame, distinct: pl.DataFrame
) -> pl.DataFrame:
    """Compute the statistics of diversity from sums by list. Columns: statistic, value."""
    from auditor.studies.diversity.overall import summary  # noqa: PLC0415  # all readers, see `shards`

    lists = lists_of(parallel, "")
    kept = pl.col("list_no") <= lists.number
    for name in ("list_length", "list_word", WORDS):
        workspace.bind_rows(name, workspace.query(f"from {name}").filter(kept))
    lengths, words = workspace.query("from list_length").sort("list_no"), workspace.rows("list_gram_count")
    more = longer.filter(kept).select(words.columns).sort("list_no", "n").cast(words.schema)
    every = pl.concat(
        [
            scored.lengths(lengths),
            scored.gram_ratios(pl.concat([words, more]), lengths),
            scored.spectrum(workspace.rows("frequency_spectrum"), lengths),
            scored.shares(distinct.filter(kept), lengths, "unique", "distinct_captions"),
            sameness(workspace.rows("sameness")),
        ],
        how="vertical_relaxed",
    )
    on_request = [name for name, card in scored.STATISTICS.items() if card.on_request]
    asked = every.filter(~pl.col("statistic").is_in(on_request)).with_columns(draw=pl.lit(None, pl.Int32))
    return summary(asked, lists).select("statistic", "value")
