"""The stages of findings over shards: from files to a file, a bucket of shards at a time.

`records` are the captions of a bucket with their tokens, `read` the hashes of its files, `spoken` its words. Its images
meet those of other buckets in partitions, in `images`, and its texts in `wordings`. `vocabulary` numbers the words of
all shards. For kinds that depend on all shards, `counts-1` counts in buckets what their SELECTs add up, `sums-1` adds
up, and `facts-1` has what follows from sums; `counts-2` and so on count with these. `found` lists the captions of each
kind, `measures` has the numbers of other commands, `verdicts` a row for each row of a shard.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import polars as pl

from auditor.errors import SourceError
from auditor.findings import CAPTION_KINDS, KINDS
from auditor.model import Version
from auditor.scoring.scale_out import merging
from auditor.scoring.scale_out.shuffle import Shuffle
from auditor.scoring.scale_out.stage import Done, Stage, once, run_one
from auditor.scoring.scale_out.work import Work
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.file import Share
from auditor.store.subsets import excerpt
from auditor.store.workspace import Workspace
from auditor.studies.duplicates import AT_SEVERAL
from auditor.studies.findings import alike, measures
from auditor.studies.findings.captions import FINDERS, LISTED, SHARE, Checked, bind_words, is_english
from auditor.studies.findings.shards import RECORDS, VOCABULARY, ShardPlan, parse, records
from auditor.studies.findings.wanted import (
    behind,
    given_to,
    if_measured,
    is_compared,
    is_measured,
    known,
    of_buckets,
    of_partitions,
    partitions_of,
    summed,
)

PROTECTED, READ, SPOKEN, PLACED, IMAGES, FOUND, MEASURES, VERDICTS = (
    "protected", "read", "spoken", "images-of-bucket", "images", "found", "measures", "verdicts",
)  # fmt: skip

#: The stages of each round of counting: what follows from the first sums can be read to count the second.
_COUNTS, _SUMS, _FACTS = (tuple(f"{name}-{round_}" for round_ in (1, 2)) for name in ("counts", "sums", "facts"))


IMAGES_OF_BUCKETS = Shuffle(PLACED, of_buckets, of_partitions)


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
        IMAGES_OF_BUCKETS.put(plan, work, number, workspace.rows("placed_image"))
    return rows


def words(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Assign numbers to the words of all shards. Columns: token_id, token, times."""
    del number, share
    spoken = work.every(SPOKEN, len(plan.buckets)).group_by("token").agg(pl.col("times").sum()).sort("token").collect()
    return spoken.select(pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).alias("token_id"), "token", "times")


def images(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Count the images of a partition. Raises `SourceError` for one in several buckets: its captions are in one."""
    del share
    placed = IMAGES_OF_BUCKETS.rows(plan, work, number).group_by("image").len().collect()
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
    texts = alike.TEXTS_OF_BUCKETS.rows(plan, work, number).filter(pl.col("images") > 1)
    rows = captions.join(texts.select("tokens", "images").collect(), on="tokens").sort("image", "slot")
    return rows.select("image", "slot", why=pl.format("the same words at {} images", "images"))


def counts(round_: int, plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Count a bucket, in a file for each sum of a round; in the first one, also for other commands."""
    names = known(plan, round_, merging.is_sum)
    is_first, further = round_ == 1, is_measured(plan)
    usual = measures.USUAL if further and not is_first else ()
    with bucket_of(plan, work, number, share, {*usual}.union(*map(merging.given, names)) - {*names}) as checked:
        bind_words(checked, names)
        for name in dict.fromkeys([*names, *(measures.COUNTED if further and is_first else ())]):
            rows, partitions = checked.workspace.rows(name, lists=measures.ALL_LISTS), partitions_of(plan, name)
            work.put(name, number, merging.placed(name, rows, partitions), partitions)
        if is_first and is_compared(plan):
            alike.CAPTIONS.put(plan, work, number, alike.searched(checked.workspace, plan, number))
        if further:
            measures.count(plan, work, number, checked, is_first=is_first)
    return pl.DataFrame({"bucket": [number]})


def sums(round_: int, plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Add up a partition of the counts of all buckets of one SELECT."""
    del share
    name, partition = summed(plan, round_)[number]
    rows = work.every(name, len(plan.buckets))
    return merging.added(name, rows if partitions_of(plan, name) == 1 else rows.filter(partition=partition))


def facts(round_: int, plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Run a SELECT that reads sums alone, on the words of all shards and without captions."""
    name = known(plan, round_, merging.follows)[number]
    kind = next(kind for kind in plan.kinds if kind != AT_SEVERAL and name in behind(kind))
    with Store.open(MEMORY, share=share) as store:
        with store.registered("numbered", work.scan(VOCABULARY, 0).collect()):
            store.execute("insert into vocabulary select token_id, token from numbered")
        workspace = Workspace(store, **CAPTION_KINDS[kind].params)
        for each in merging.sums(name):
            for rows in _read(plan, work, each):
                workspace.append_rows(each, rows)
        if "is_english" in workspace.changes_with(name):
            workspace.params["is_english"] = is_english(pl.concat(_read(plan, work, SHARE)))
        return workspace.rows(name)


def _read(plan: ShardPlan, work: Work, name: str) -> Iterator[pl.DataFrame]:
    """Read a sum of all buckets by partitions, or what follows from sums."""
    round_ = merging.round_of(name)
    if merging.is_sum(name):
        stage, files = _SUMS, [number for number, task in enumerate(summed(plan, round_)) if task[0] == name]
    else:
        stage, files = _FACTS, [known(plan, round_, merging.follows).index(name)]
    return (work.scan(stage[round_ - 1], number).collect() for number in files)


def found(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """List the captions of a bucket by kind. Columns: kind, and those of `LISTED`."""
    lists = [pl.DataFrame(schema={"kind": pl.String, **LISTED})]
    with bucket_of(plan, work, number, share, given_to(plan.kinds)) as checked:
        for kind in (kind for kind in (*FINDERS, AT_SEVERAL) if kind in plan.kinds):
            if kind == AT_SEVERAL:
                rows = _at_several_images(plan, work, number, checked.workspace)
            else:
                rows = FINDERS[kind](checked)
            lists.append(rows.select(kind=pl.lit(kind), **{name: _column(rows, name) for name in LISTED}))
    return pl.concat(lists)


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


@contextmanager
def bucket_of(plan: ShardPlan, work: Work, number: int, share: Share, names: Iterable[str]) -> Iterator[Checked]:
    """Open a store with the captions of a bucket, whose tokens have the same numbers in all buckets.

    The sums of all buckets, and what follows from them, are bound by `names`.
    """
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
        workspace = Captions(store, selection, plan.tokenizer).workspace(key=plan.tokenizer)
        for name in sorted(names):
            for rows in _read(plan, work, name):
                workspace.append_rows(name, rows)
        protected = work.scan(PROTECTED, 0) if plan.against else pl.LazyFrame()
        yield Checked(store, plan.dataset, 1, workspace, plan.words, protected)


_REJECTED = "rejected"


def _column(rows: pl.DataFrame, name: str) -> pl.Expr:
    return (pl.col(name) if name in rows.columns else pl.lit(None)).cast(LISTED[name])


def _round(number: int) -> list[Stage[ShardPlan]]:
    """Return the stages of a round of counting."""

    def made(plan: ShardPlan, is_one: Callable[[str], bool]) -> int:
        return len(known(plan, number, is_one))

    def counting(plan: ShardPlan) -> int:
        needed = made(plan, merging.is_sum) or is_measured(plan) or (number == 1 and is_compared(plan))
        return len(plan.buckets) if needed else 0

    parts_of: dict[str, tuple[Callable[[ShardPlan], int], Callable[..., pl.DataFrame]]] = {
        "counts": (counting, counts),
        "sums": (lambda plan: len(summed(plan, number)), sums),
        "facts": (partial(made, is_one=merging.follows), facts),
    }
    return [
        Stage(f"{name}-{number}", f"{name}, round {number}", parts, once, partial(run, number))
        for name, (parts, run) in parts_of.items()
    ]


_partitions = if_measured(of_partitions)

STAGES = {
    stage.name: stage
    for stage in (
        Stage(RECORDS, "captions of shards", of_buckets, once, read),
        Stage(VOCABULARY, "words", once, once, words),
        IMAGES_OF_BUCKETS.stage,
        Stage(IMAGES, "images", of_partitions, once, images),
        *_round(1),
        alike.CAPTIONS.stage,
        *alike.TEXTS_OF_BUCKETS.stages("texts", alike.wordings),
        *_round(2),
        Stage(FOUND, "findings", of_buckets, once, found),
        measures.GRAMS_OF_LISTS.stage,
        Stage(measures.GRAMS, "n-grams", if_measured(of_buckets), once, measures.grams),
        Stage(MEASURES, "sizes and words", if_measured(once), once, measures.measured),
        Stage(alike.RARITY, "words of texts", if_measured(once), once, alike.rarity),
        Stage(alike.BAGS, "rare words", _partitions, once, alike.bags),
        alike.KEYS.stage,
        alike.BAGS_OF_KEYS.stage,
        Stage(alike.PAIRS, "near-duplicates", _partitions, once, alike.pairs),
        alike.NEAR.stage,
        *alike.NEAR_OF_BUCKETS.stages("groups of near-duplicates", alike.similar),
        alike.OTHERS.stage,
        *alike.FIRSTS_OF_BUCKETS.stages("images of texts", alike.firsts),
        Stage(alike.REPEATS, "captions with duplicates", if_measured(of_buckets), once, alike.repeats),
        Stage(VERDICTS, "verdicts", lambda plan: len(plan.shards), once, verdicts),
    )
}


#: Folders that are removed if a file of an earlier one is damaged. Further files of a task are written with its first.
ORDER = (PROTECTED, *STAGES)


def run(folder: Path, stage: str, number: int, memory: int) -> Done:
    """Run one task of the work in a folder, unless it is finished, with so many bytes for the engine."""
    return run_one(STAGES[stage], parse, Work(folder, ORDER), number, memory)
