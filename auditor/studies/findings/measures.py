"""The audit's other numbers over shards: size, duplicates and diversity, from counts of buckets that add up.

Buckets are counted by the SELECTs of `profile`, `duplicates` and `diversity`. The captions of an image are in one
bucket, so its numbers add up. Equal texts of several images meet in partitions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import polars as pl

from auditor.scoring.scale_out.work import Work
from auditor.scoring.single_captions import lists_of
from auditor.statistics import diversity as scored
from auditor.statistics.cards import cards_of
from auditor.statistics.sameness import sameness
from auditor.store.connection import MEMORY, Store
from auditor.store.file import Share
from auditor.store.sqlfiles import catalogue
from auditor.store.workspace import Workspace
from auditor.studies import profile
from auditor.studies.findings.captions import Checked
from auditor.studies.findings.shards import ShardPlan
from auditor.studies.findings.summary import LENGTHS, MEASURED, SPLITS

#: Numbers of captions or images that add up: by `part` (a split) and `place` (a length, or a parallel list).
SUMMED = pl.Schema({"statistic": pl.String, "part": pl.String, "place": pl.Int64, "number": pl.Int64})

NUMBERS, LIST_WORDS, LIST_GRAMS, GRAMS = "numbers", "list-words", "list-grams", "grams"

_ALL_LISTS = (1 << 32) - 1

#: Hygiene counts that depend on all shards.
_ACROSS = ("captions-in-several-splits", "captions-of-unusual-length", "images-with-another-number-of-captions")


def counted(checked: Checked, partitions: int) -> dict[str, pl.DataFrame]:
    """Count a bucket, in three files.

    They are `SUMMED`, words by list (list_no, token_id, captions, occurrences), and longer n-grams in partitions.
    """
    workspace = checked.workspace.given(lists=_ALL_LISTS, longest=4, partitions=partitions)
    grams = workspace.rows("placed_gram")
    longer = grams.filter(pl.col("n") > 1)
    met = longer.group_by(_gram("occurrences").alias("statistic"), place="list_no").agg(
        number=pl.col("occurrences").sum()
    )
    hygiene = profile.hygiene(workspace).rename({"value": "number"})
    sizes = [
        workspace.rows("caption_length_count").select(statistic=pl.lit("length"), place="length", number="captions"),
        hygiene.filter(~pl.col("statistic").is_in(_ACROSS)),
        workspace.rows("repeat_count").unpivot(variable_name="statistic", value_name="number"),
        *(_by_list(name, workspace.rows(name)) for name in ("parallel_list", "list_length")),
        workspace.rows("size_count"),
        met,
    ]
    times = grams.filter(n=1).select("list_no", "occurrences", token_id=pl.col("low").cast(pl.UInt32))
    words = workspace.rows("list_word").join(times, on=["list_no", "token_id"])
    return {
        NUMBERS: pl.concat(map(_summed, sizes)).sort(SUMMED.names()),
        LIST_WORDS: words.sort("list_no", "token_id"),
        LIST_GRAMS: longer.drop("occurrences"),
    }


def grams(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Count the different n-grams of each list in a partition. Columns: `SUMMED`."""
    del share
    placed = work.every(LIST_GRAMS, len(plan.buckets)).filter(partition=number).drop("partition")
    types = placed.unique().group_by(statistic=_gram("types"), place="list_no").agg(number=pl.len())
    return _summed(types.collect()).sort(SUMMED.names())


def _gram(column: str) -> pl.Expr:
    return pl.format("gram-{}.{}", "n", pl.lit(column))


def texts(placed: pl.LazyFrame, several: pl.DataFrame) -> pl.DataFrame:
    """Count the captions of a partition (`placed_text`, with text_no) whose texts are equal. Columns: `SUMMED`.

    `several` has the texts that several images have.
    """
    by_text = placed.group_by("text_no").agg(
        in_splits=pl.col("split").count() * (pl.col("split").min() != pl.col("split").max())
    )
    at_images = placed.join(several.lazy(), on="text_no", how="semi")
    lettered = at_images.group_by("text_no", "letters").agg(pl.len(), several=pl.col("image_no").n_unique() > 1)
    wholes = {
        "distinct-texts": by_text.select(pl.len()),
        "captions-in-several-splits": by_text.select(pl.col("in_splits").sum()),
        "texts-on-several-images": several.lazy().select(pl.len()),
        "captions-on-several-images": at_images.select(pl.len()),
        "captions-on-several-images-as-letters": lettered.select(pl.col("len").filter("several").sum()),
    }
    by_list = (
        placed.group_by("list_no", "text_no")
        .len()
        .group_by("list_no")
        .agg(captions=pl.col("len").sum(), distinct_captions=pl.len())
    )
    every = [frame.select(statistic=pl.lit(name), number=pl.nth(0)) for name, frame in wholes.items()]
    *made, lists = pl.collect_all([*every, by_list])
    return pl.concat(map(_summed, [*made, _by_list("distinct_caption", lists)])).sort(SUMMED.names())


def _by_list(name: str, rows: pl.DataFrame) -> pl.DataFrame:
    long = rows.unpivot(index="list_no", variable_name="column", value_name="number")
    return long.select(statistic=pl.format("{}.{}", pl.lit(name), "column"), place="list_no", number="number")


def _summed(rows: pl.DataFrame) -> pl.DataFrame:
    default = {"part": pl.lit(None), "place": pl.lit(0)}
    return rows.select(
        (pl.col(name) if name in rows.columns else default[name]).cast(kind).alias(name)
        for name, kind in SUMMED.items()
    )


def measured(
    sizes: pl.DataFrame, list_words: pl.DataFrame, words: pl.DataFrame, rejected: int, share: Share
) -> pl.DataFrame:
    """Compute the measures of all shards (`MEASURED`) from added counts, and the occurrences (`times`) of all words."""
    one = {name: int(number) for name, number in sizes.filter(place=0).select("statistic", "number").iter_rows()}
    with Store.open(MEMORY, share=share) as store:
        workspace = Workspace(store)
        parts = [
            _profile(workspace, sizes, one, words).with_columns(command=pl.lit("profile")),
            pl.DataFrame({"command": "profile", "statistic": "rejected", "value": float(rejected)}),
            _duplicates(one).with_columns(command=pl.lit("duplicates")),
            _diversity(workspace, sizes, list_words).with_columns(command=pl.lit("diversity")),
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


def _profile(workspace: Workspace, sizes: pl.DataFrame, one: Mapping[str, int], words: pl.DataFrame) -> pl.DataFrame:
    of_images = sizes.filter(statistic="image").drop("statistic")
    per_image, lengths = _histogram(of_images), _histogram(sizes.filter(statistic="length"))
    images, captions = one["images"], one["captions"]
    tokens = sum(place * number for place, number in lengths.iter_rows())
    squares = sum(place * place * number for place, number in lengths.iter_rows())
    given = {
        "size": {
            "images": images, "captions_min": per_image["place"].min(), "captions_mean": captions / images,
            "captions_max": per_image["place"].max(), "single": per_image.filter(place=1)["number"].sum(),
        },
        "lengths": {
            "captions": captions, "tokens": tokens, "asl": tokens / captions,
            "sdsl": math.sqrt(captions * squares - tokens * tokens) / captions, "shortest": lengths["place"].min(),
            "longest": lengths["place"].max(), "unsplit": one["unsplit"],
        },
        "word": {"types": words.height, "once": words.filter(times=1).height},
        "one_word": {"captions": lengths.filter(place=1)["number"].sum()},
        "worded": {"texts": one["distinct-texts"], "texts_at_images": one["texts-on-several-images"]},
        "elsewhere": {
            "captions": one["captions-on-several-images"], "as_letters": one["captions-on-several-images-as-letters"],
        },
    }  # fmt: skip
    workspace.bind_rows(
        "repeat_count", pl.DataFrame([{name: one[name] for name in catalogue()["repeat_count"].returns}])
    )
    row = workspace.part("profile", {name: pl.DataFrame([row], orient="row") for name, row in given.items()})
    rows = profile.sizes_of(row)
    own = dict(zip(_ACROSS, (one[_ACROSS[0]], _unusual(lengths), _uneven(of_images)), strict=True))
    signs = [(name, float(own.get(name, one.get(name, 0)))) for name in profile.HYGIENE]
    splits = of_images.group_by(scope="part").agg(pl.col("number").sum()).sort("scope", nulls_last=True)
    return pl.concat(
        [
            rows,
            pl.DataFrame(signs, schema=rows.schema, orient="row"),
            splits.with_columns(statistic=pl.lit(SPLITS)),
            lengths.select(statistic=pl.lit(LENGTHS), position="place", number="number"),
        ],
        how="diagonal_relaxed",
    )


def _histogram(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.group_by("place").agg(pl.col("number").sum()).sort("place")


def _unusual(lengths: pl.DataFrame) -> int:
    """Count the captions of unusual length, as `length.sql` defines it."""
    upto = lengths["number"].cum_sum()

    def quantile(share: float) -> float:
        at = (upto[-1] - 1) * share
        low, high = (lengths["place"][upto.search_sorted(place, "right")] for place in (math.floor(at), math.ceil(at)))
        return float(low + (high - low) * (at - math.floor(at)))

    lower, upper = quantile(0.25), quantile(0.75)
    usual = pl.col("place").is_between(4 * lower - 3 * upper, 4 * upper - 3 * lower)
    return int(lengths.filter(~usual)["number"].sum())


def _uneven(images: pl.DataFrame) -> int:
    """Count the images without the usual number of captions of their split, as `image_captions.sql` defines it."""
    ordered = images.sort("number", "place", descending=[True, False])
    usual = ordered.unique("part", keep="first", maintain_order=True)
    return int(images.join(usual, on=["part", "place"], how="anti", nulls_equal=True)["number"].sum())


def _duplicates(one: Mapping[str, int]) -> pl.DataFrame:
    names = ("letter_repeats", "in_groups", "pairs", "images_all_equal")
    rows = [("within-image", name, one[name]) for name in names]
    return pl.DataFrame(rows, schema=["scope", "statistic", "number"], orient="row")


def _diversity(workspace: Workspace, sizes: pl.DataFrame, list_words: pl.DataFrame) -> pl.DataFrame:
    from auditor.studies.diversity.overall import summary  # noqa: PLC0415  # all readers, see `shards`

    def by_list(name: str) -> pl.DataFrame:
        number, columns = pl.col("number"), catalogue()[name].returns[1:]
        sums = {column: number.filter(pl.col("statistic") == f"{name}.{column}").sum() for column in columns}
        of_lists = sizes.filter(pl.col("statistic").str.starts_with(f"{name}."))
        return of_lists.group_by(list_no=pl.col("place").cast(pl.UInt32)).agg(**sums).sort("list_no")

    lists = lists_of(by_list("parallel_list"), "")
    kept = pl.col("list_no") <= lists.number
    lengths, words = by_list("list_length").filter(kept), list_words.filter(kept)
    workspace.bind_rows("list_word", words.select("list_no", "token_id", "captions"))
    workspace.bind_rows("list_gram", words.select("list_no", "occurrences", n=pl.lit(1), gram="token_id"))
    word_counts = workspace.rows("list_gram_count")
    column, n = pl.col("statistic").str.slice(7), pl.col("statistic").str.slice(5, 1)
    longer = (
        sizes.filter(pl.col("statistic").str.starts_with("gram-"))
        .group_by(list_no="place", n=n)
        .agg(pl.col("number").filter(column == name).sum().alias(name) for name in ("types", "occurrences"))
    )
    gram_counts = pl.concat([word_counts, longer.cast(word_counts.schema).filter(kept)])
    every = pl.concat(
        [
            scored.lengths(lengths),
            scored.gram_ratios(gram_counts, lengths),
            scored.spectrum(workspace.rows("frequency_spectrum"), lengths),
            scored.shares(by_list("distinct_caption"), lengths, "unique", "distinct_captions"),
            sameness(workspace.part("sameness", {"size": lengths.select("list_no", "captions")})),
        ],
        how="vertical_relaxed",
    )
    on_request = [name for name, card in scored.STATISTICS.items() if card.on_request]
    asked = every.filter(~pl.col("statistic").is_in(on_request)).with_columns(draw=pl.lit(None, pl.Int32))
    return summary(asked, lists).select("statistic", "value")
