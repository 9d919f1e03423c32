"""The stages of findings over shards: from files to a file, a bucket of shards at a time.

`records` are the captions of a bucket with their tokens, `read` the hashes of its files, `spoken` its words. Its images
meet those of other buckets in partitions, in `images`, and its texts in `wordings`. `vocabulary` numbers the words of
all shards. `counts-1` and `counts-2` count for kinds that depend on all shards, `sums-1` and `sums-2` add up. `found`
lists the captions of each kind, `measures` has the numbers of other commands, `verdicts` a row for each row of a shard.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from auditor.errors import SourceError
from auditor.findings import CAPTION_KINDS, KINDS, searched_by_default
from auditor.model import Version
from auditor.scoring.scale_out.tasks import Done, Stage, run_one
from auditor.scoring.scale_out.work import Work
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.file import Share
from auditor.store.subsets import excerpt
from auditor.store.workspace import Workspace
from auditor.studies.duplicates import AT_SEVERAL
from auditor.studies.findings import across, alike, measures
from auditor.studies.findings.captions import ENGLISH, FINDERS, LISTED, MISSPELLED, Checked
from auditor.studies.findings.protected import CONTAMINATED
from auditor.studies.findings.shards import ShardPlan, parse, records
from auditor.text import word_lists

PROTECTED, READ, RECORDS, SPOKEN, PLACED, VOCABULARY, IMAGES, FOUND, MEASURES, VERDICTS = (
    "protected", "read", "records", "spoken", "images-of-bucket", "vocabulary", "images", "found", "measures",
    "verdicts",
)  # fmt: skip

_COUNTS, _SUMS = ("counts-1", "counts-2"), ("sums-1", "sums-2")

#: Kinds whose captions can be listed from one bucket alone.
ALONE = (
    *(kind for kind, entry in CAPTION_KINDS.items() if entry.patterns), "repeated-words", "loops",
    "sentence-fragments", "captions-without-word", "listed-words", CONTAMINATED, "padded-images",
)  # fmt: skip

#: The kinds that are searched for in stages.
CHECKED = (*ALONE, *across.ACROSS, AT_SEVERAL)

#: The relations of `words.sql` of all shards that the captions of one bucket do not determine.
_KNOWN = ("english_token", "regular_form")


def read(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Read the shards of a bucket. Columns: those of `shards.records`."""
    with Store.open(MEMORY, share=share) as store:
        rows, hashes = records(plan, number, store)
        work.put(READ, number, hashes)
        kept = rows.filter(pl.col("reason").is_null())
        spoken = kept.select(token=pl.col("tokens").explode()).drop_nulls().group_by("token").len("times").sort("token")
        work.put(SPOKEN, number, spoken)
        workspace = Workspace(store, partitions=plan.partitions)
        workspace.bind_rows("kept_caption", kept.select("image"))
        work.put(PLACED, number, workspace.rows("placed_image"), plan.partitions)
    return rows


def words(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Assign numbers to the words of all shards. Columns: token_id, token, times, flags of words, is_english."""
    del number
    spoken = work.every(SPOKEN, len(plan.buckets)).group_by("token").agg(pl.col("times").sum()).sort("token").collect()
    numbered = spoken.select(pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).alias("token_id"), "token", "times")
    with Store.open(MEMORY, share=share) as store:
        with store.registered("numbered", numbered):
            store.execute("insert into vocabulary select token_id, token from numbered")
        workspace = Workspace(store)
        workspace.bind_rows("english_word", word_lists.english())
        each = pl.concat_list("token_id").alias("tokens")
        workspace.bind_rows("text_tokens", numbered.select(pl.col("token_id").alias("caption_id"), each))
        workspace.bind("english_token")
        known = {name: workspace.rows(name)["token_id"] for name in _KNOWN}
    numbered = numbered.with_columns(**{name: pl.col("token_id").is_in(ids.implode()) for name, ids in known.items()})
    counted = numbered.filter(pl.col("token").str.contains(r"^\p{L}{3,}$"))
    english = counted.select(pl.col("times").filter("english_token").sum() / pl.col("times").sum()).item()
    return numbered.with_columns(is_english=pl.lit(float(english or 0) >= ENGLISH))


def images(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Count the images of a partition. Raises `SourceError` for one in several buckets: its captions are in one."""
    del share
    placed = work.every(PLACED, len(plan.buckets)).filter(partition=number).group_by("image").len().collect()
    for image in placed.filter(pl.col("len") > 1)["image"].sort().head(1):
        held = work.every(RECORDS, len(plan.buckets)).filter(pl.col("reason").is_null(), image=image).collect()
        names = " and ".join(plan.shards[shard].name for shard in held["shard"].unique().sort())
        raise SourceError(
            f"image {image}: has captions in {names}; sort the rows by image, so that the captions of an image are in "
            "one shard"
        )
    return pl.DataFrame({"images": [placed.height]})


def _at_several_images(plan: ShardPlan, work: Work, number: int, workspace: Workspace) -> pl.DataFrame:
    """List the captions of a bucket whose words several images have. Columns: image, slot, why."""
    captions = workspace.rows("searched_text", selection_no=0).select("image", "slot", "tokens")
    texts = work.every(alike.WORDINGS, plan.partitions).filter(bucket=number)
    shared = texts.join(work.every(alike.AT_IMAGES, plan.partitions), on="text_no").collect()
    rows = captions.join(shared, on="tokens").sort("image", "slot")
    return rows.select("image", "slot", why=pl.format("the same words at {} images", "images"))


def counts(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Count a bucket for kinds that depend on all shards: the captions of each form, then further files."""
    kept = work.scan(RECORDS, number).filter(pl.col("reason").is_null()).collect()
    with bucket_of(plan, work, number, share) as checked:
        for name, rows in across.first_counts(checked, plan.kinds).items():
            work.put(name, number, rows)
        if is_compared(plan):
            work.put(alike.SEARCHED, number, alike.searched(checked.workspace, plan, number))
        if is_measured(plan):
            for name, rows in measures.counted(checked, len(plan.buckets)).items():
                work.put(name, number, rows, len(plan.buckets))
        return across.groups(checked, tuple(kind for kind in across.FORMS if kind in plan.kinds), kept)


def sums(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Add up the counts of all buckets: for a form of captions, or for a common table expression."""
    name = _names_of_sums(plan)[0][number]
    if name in across.FORMS:
        return across.judged(name, work.every(_COUNTS[0], len(plan.buckets)).filter(kind=name), plan.tokenizer, share)
    return _added(plan, work, share, name, {})


def further_counts(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Count a bucket with the first sums, in further files. The rows are empty."""
    with bucket_of(plan, work, number, share) as checked:
        for name, rows in across.second_counts(checked, plan.kinds, _sums(plan, work, 0)).items():
            work.put(name, number, rows)
    return pl.DataFrame({"bucket": [number]})


def further_sums(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Add up the second counts of all buckets, for a common table expression."""
    return _added(plan, work, share, _names_of_sums(plan)[1][number], _sums(plan, work, 0))


def found(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """List the captions of a bucket by kind. Columns: kind, and those of `LISTED`."""
    lists = [pl.DataFrame(schema={"kind": pl.String, **LISTED})]
    every = _sums(plan, work, 0) | _sums(plan, work, 1)
    english = is_english(work)
    with bucket_of(plan, work, number, share) as checked:
        for kind in (kind for kind in (*FINDERS, AT_SEVERAL) if kind in plan.kinds):
            if kind == AT_SEVERAL:
                rows = _at_several_images(plan, work, number, checked.workspace)
            elif kind in across.FORMS:
                rows = across.listed(checked, kind, every[kind])
            elif kind == "truncated-captions":
                rows = across.truncated(checked, every)
            elif kind in ("misspellings", "mixed-language") and not english:
                continue
            else:
                rows = across.misspelled(checked, every) if kind == "misspellings" else FINDERS[kind](checked)
            lists.append(rows.select(kind=pl.lit(kind), **{name: _column(rows, name) for name in LISTED}))
    return pl.concat(lists)


def measured(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Compute the sizes, duplicates and diversity of all shards. Columns: `measures.MEASURED`."""
    del number

    def added(rows: pl.LazyFrame, *by: str) -> pl.DataFrame:
        return rows.group_by(by).agg(pl.exclude(by).sum()).sort(by).collect()

    parts = work.every(alike.TEXTS, plan.partitions), work.every(measures.GRAMS, len(plan.buckets))
    return measures.measured(
        added(pl.concat([work.every(measures.NUMBERS, len(plan.buckets)), *parts]), "statistic", "part", "place"),
        added(work.every(measures.LIST_WORDS, len(plan.buckets)), "list_no", "token_id"),
        work.scan(VOCABULARY, 0).select("times").collect(),
        work.every(RECORDS, len(plan.buckets)).select(pl.col("reason").count()).collect().item(),
        share,
    )


def is_measured(plan: ShardPlan) -> bool:
    """Return whether all kinds are searched for that are by default: then the whole audit is wanted."""
    return {*CHECKED}.intersection(searched_by_default()) - {"listed-words", CONTAMINATED} <= {*plan.kinds}


def is_compared(plan: ShardPlan) -> bool:
    """Return whether equal texts of all shards are searched for."""
    return AT_SEVERAL in plan.kinds


def verdicts(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Return a row for each row of a shard, in its order: id, and lists of kind, slot, certainty, detail and fix.

    A row without a verdict has empty lists. A record that an ingest would reject has the kind `rejected`.
    """
    del share
    bucket = plan.bucket_of(number)
    rows = work.scan(RECORDS, bucket).filter(shard=number).select("line", "image", "slot", "reason").collect()
    order = {kind: place for place, kind in enumerate((_REJECTED, *FINDERS, AT_SEVERAL))}
    told = work.scan(FOUND, bucket).collect().join(rows.filter(pl.col("reason").is_null()), on="image", how="inner")
    facts = [kind for kind, entry in CAPTION_KINDS.items() if entry.of_dataset]
    told = told.filter(
        pl.col("slot").is_null() | (pl.col("slot") == pl.col("slot_right")), ~pl.col("kind").is_in(facts)
    )
    rejected = rows.filter(pl.col("reason").is_not_null())
    reasons = rejected.select("line", "slot", kind=pl.lit(_REJECTED), detail="reason")
    every = pl.concat([told.select("line", "kind", slot="slot_right", detail="why"), reasons], how="diagonal")
    fixes = {kind: entry.fix for kind, entry in KINDS.items()}
    sure = {kind: entry.right for kind, entry in KINDS.items()}
    lists = (
        every.sort("line", "slot", pl.col("kind").replace_strict(order, return_dtype=pl.Int32), nulls_last=True)
        .with_columns(
            certainty=pl.col("kind").replace_strict(sure, default=1.0, return_dtype=pl.Float64),
            fix=pl.col("kind").replace_strict(fixes, default="Repair the row, or leave it out", return_dtype=pl.String),
        )
        .group_by("line", maintain_order=True)
        .agg("kind", "slot", "certainty", "detail", "fix")
    )
    ids = rows.group_by("line", maintain_order=True).agg(id=pl.col("image").first())
    empty = [pl.col(name).fill_null(pl.lit([], lists.schema[name])) for name in lists.columns if name != "line"]
    return ids.sort("line").join(lists, on="line", how="left", maintain_order="left").select("id", *empty)


def is_english(work: Work) -> bool:
    """Return whether the captions of all shards consist of English words."""
    return bool(work.scan(VOCABULARY, 0).select(pl.col("is_english").any()).collect().item())


def _names_of_sums(plan: ShardPlan) -> tuple[list[str], list[str]]:
    """Name the sums of both passes that the kinds of a plan need."""
    by_kind = [names for kind, names in across.SUMS.items() if kind in plan.kinds]
    forms = [kind for kind in across.FORMS if kind in plan.kinds]
    first, second = ([name for names in by_kind for name in names[place]] for place in (0, 1))
    return [*forms, *first], second


def _sums(plan: ShardPlan, work: Work, place: int) -> dict[str, pl.DataFrame]:
    names = _names_of_sums(plan)[place]
    return {name: work.scan(_SUMS[place], number).collect() for number, name in enumerate(names)}


def _added(plan: ShardPlan, work: Work, share: Share, name: str, first: across.Frames) -> pl.DataFrame:
    def added(counted: str) -> pl.DataFrame:
        return work.every(counted, len(plan.buckets)).collect()

    with across.merging(work.scan(VOCABULARY, 0).collect(), share, is_english=is_english(work)) as workspace:
        return across.sums(workspace, added, first)[name]()


@contextmanager
def bucket_of(plan: ShardPlan, work: Work, number: int, share: Share) -> Iterator[Checked]:
    """Open a store with the captions of a bucket, whose tokens have the same numbers in all buckets."""
    kept = work.scan(RECORDS, number).filter(pl.col("reason").is_null()).sort("image", "slot").collect()
    spoken = work.scan(VOCABULARY, 0).join(work.scan(SPOKEN, number), on="token", how="semi").sort("token_id").collect()
    placed = kept.select("tokens").with_row_index("place")
    ids = (
        placed.explode("tokens")
        .join(spoken.select("token_id", tokens="token"), on="tokens", how="inner", maintain_order="left")
        .group_by("place", maintain_order=True)
        .agg("token_id")
    )
    ids = placed.select("place").join(ids, on="place", how="left", maintain_order="left")
    captions = kept.select(
        "image",
        "slot",
        "split",
        "text",
        caption_id=pl.col("text").rank("dense").cast(pl.UInt32),
        tokens=ids["token_id"].fill_null(pl.Series([[]], dtype=pl.List(pl.UInt32))),
    )
    version = Version(
        plan.dataset, 1, plan.digest, datetime.datetime.fromtimestamp(0, datetime.UTC), "", "", (plan.tokenizer,),
        captions["image"].n_unique(), captions.height,
    )  # fmt: skip
    with excerpt(captions, spoken.select("token_id", "token"), version, plan.tokenizer, share) as (store, selection):
        settings = {"key": plan.tokenizer, "is_english": is_english(work), **MISSPELLED}
        workspace = Captions(store, selection, plan.tokenizer).workspace(**settings)
        for name in _KNOWN:
            workspace.bind_rows(name, spoken.filter(pl.col(name)).select("token_id"))
        protected = work.scan(PROTECTED, 0) if plan.against else pl.LazyFrame()
        yield Checked(store, plan.dataset, 1, workspace, plan.words, protected)


_REJECTED = "rejected"


def _column(rows: pl.DataFrame, name: str) -> pl.Expr:
    return (pl.col(name) if name in rows.columns else pl.lit(None)).cast(LISTED[name])


def _of_buckets(plan: ShardPlan) -> int:
    return len(plan.buckets)


def _of_partitions(plan: ShardPlan) -> int:
    return plan.partitions


def _of_measured(of: Callable[[ShardPlan], int]) -> Callable[[ShardPlan], int]:
    return lambda plan: of(plan) if is_measured(plan) else 0


def _once(plan: ShardPlan) -> int:
    del plan
    return 1


STAGES = {
    stage.name: stage
    for stage in (
        Stage(RECORDS, "captions of shards", _of_buckets, _once, read),
        Stage(VOCABULARY, "words", _once, _once, words),
        Stage(IMAGES, "images", _of_partitions, _once, images),
        Stage(_COUNTS[0], "counts", _of_buckets, _once, counts),
        Stage(alike.WORDINGS, "texts", lambda plan: plan.partitions * is_compared(plan), _of_buckets, alike.wordings),
        Stage(_SUMS[0], "sums", lambda plan: len(_names_of_sums(plan)[0]), _once, sums),
        Stage(
            _COUNTS[1],
            "further counts",
            lambda plan: len(plan.buckets) if _names_of_sums(plan)[1] else 0,
            _once,
            further_counts,
        ),
        Stage(_SUMS[1], "further sums", lambda plan: len(_names_of_sums(plan)[1]), _once, further_sums),
        Stage(FOUND, "findings", _of_buckets, _once, found),
        Stage(measures.GRAMS, "n-grams", _of_measured(_of_buckets), _once, measures.grams),
        Stage(MEASURES, "sizes and words", _of_measured(_once), _once, measured),
        Stage(alike.RARITY, "words of texts", _of_measured(_once), _once, alike.rarity),
        Stage(alike.BAGS, "rare words", _of_measured(_of_partitions), _once, alike.bags),
        Stage(alike.PAIRS, "near-duplicates", _of_measured(_of_partitions), _once, alike.pairs),
        Stage(alike.SIMILAR, "groups of near-duplicates", _of_measured(_of_partitions), _of_buckets, alike.similar),
        Stage(alike.FIRSTS, "images of texts", _of_measured(_of_partitions), _of_buckets, alike.firsts),
        Stage(alike.REPEATS, "captions with duplicates", _of_measured(_of_buckets), _once, alike.repeats),
        Stage(VERDICTS, "verdicts", lambda plan: len(plan.shards), _once, verdicts),
    )
}


#: Folders that are removed if a file of an earlier one is damaged. Further files of a task are written with its first.
ORDER = (PROTECTED, *STAGES)


def run(folder: Path, stage: str, number: int, memory: int) -> Done:
    """Run one task of the work in a folder, unless it is finished, with so many bytes for the engine."""
    return run_one(STAGES[stage], parse, Work(folder, ORDER), number, memory)
