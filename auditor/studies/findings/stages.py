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
from auditor.findings import CAPTION_KINDS, KINDS, of_caption
from auditor.model import Version
from auditor.result import SEVERITIES
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
from auditor.studies.findings.captions import COPIES, LISTED, SHARE, Checked, bind_words, finder, is_english, ordered
from auditor.studies.findings.shards import RECORDS, VERDICT, VOCABULARY, ShardPlan, parse, records
from auditor.studies.findings.wanted import (
    OF_TEXTS,
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

PROTECTED, READ, CARRIED, SPOKEN, PLACED, IMAGES, FOUND, MEASURES, VERDICTS = (
    "protected", "read", "carried", "spoken", "images-of-bucket", "images", "found", "measures", "verdicts",
)  # fmt: skip

#: The stages of each round of counting: what follows from the first sums can be read to count the second.
_COUNTS, _SUMS, _FACTS = (tuple(f"{name}-{round_}" for round_ in (1, 2)) for name in ("counts", "sums", "facts"))


IMAGES_OF_BUCKETS = Shuffle(PLACED, of_buckets, of_partitions)


def read(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Read the shards of a bucket. Columns: those of `shards.records`."""
    with Store.open(MEMORY, share=share) as store:
        rows, hashes, carried = records(plan, number, store)
        work.put(READ, number, hashes)
        work.put(CARRIED, number, carried)
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


def _at_several_images(captions: pl.DataFrame, texts: pl.LazyFrame) -> pl.DataFrame:
    """List the captions of a bucket whose words several images have. Each but the first has the first as the other."""
    several = texts.filter(pl.col("images") > 1).drop("bucket", "text_no").collect()
    rows = captions.join(several, on="tokens").sort("image", "slot")
    is_other = (pl.col("first_image") != pl.col("image")) | (pl.col("first_slot") != pl.col("slot"))
    image, slot = (pl.when(is_other).then(name) for name in ("first_image", "first_slot"))
    why = pl.format("the same words at {} images", "images")
    return rows.select("image", "slot", why=why, other_image=image, other_slot=slot)


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
    kind = next(kind for kind in plan.kinds if kind not in OF_TEXTS and name in behind(kind))
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
        if COPIES in plan.kinds:
            checked.workspace.bind_rows("foremost_text", work.scan(alike.FOREMOST, 0).collect())
        lists += [_listed(kind, finder(kind)(checked)) for kind in ordered(plan.kinds)]
        if is_compared(plan):
            captions = checked.workspace.rows("searched_text", selection_no=0).select("image", "slot", "tokens")
            texts = alike.TEXTS_OF_BUCKETS.rows(plan, work, number)
            lists += [_listed(AT_SEVERAL, _at_several_images(captions, texts))] if AT_SEVERAL in plan.kinds else []
            gone = pl.concat(lists).filter(pl.col("kind").is_in({*plan.rows.gone} - {COPIES}))
            unkept = texts.join(captions.join(gone, on=["image", "slot"], how="semi").lazy(), on="tokens", how="semi")
            unkept = unkept.select("text_no", partition=alike.partition_of("text_no", plan))
            alike.GONE.put(plan, work, number, unkept.collect())
    return pl.concat(lists)


def _listed(kind: str, rows: pl.DataFrame) -> pl.DataFrame:
    columns = {name: (pl.col(name) if name in rows.columns else pl.lit(None)).cast(of) for name, of in LISTED.items()}
    return rows.select(kind=pl.lit(kind), **columns)


def verdicts(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Return a row for each row of a shard, in its order: `VERDICT`, with the columns of the shard that are carried.

    A row without a verdict has empty lists. A record that an ingest would reject has the kind `rejected`. `twin` is the
    id of the first caption with the same words, or else of the first near-duplicate, if it is another one before it.
    """
    del share
    bucket, without = plan.bucket_of(number), plan.rows.without
    rows = work.scan(RECORDS, bucket).filter(shard=number).select("line", "image", "slot", "reason").collect()
    told = work.scan(FOUND, bucket).collect().join(rows.filter(pl.col("reason").is_null()), on="image", how="inner")
    facts = [kind for kind, entry in CAPTION_KINDS.items() if entry.of_dataset]
    told = told.filter(
        pl.col("slot").is_null() | (pl.col("slot") == pl.col("slot_right")), ~pl.col("kind").is_in(facts)
    ).with_columns(slot=pl.col("slot_right"))
    is_gone = pl.col("kind").is_in([_REJECTED, *plan.rows.gone])
    if COPIES in plan.kinds and _PLACEHOLDERS not in without:  # of copies, the first stays, whatever its text is
        first = work.scan(alike.FOREMOST, 0).select(image="first_image", slot="first_slot", is_first=True).collect()
        told = told.join(first, on=["image", "slot"], how="left", maintain_order="left")
        is_gone &= pl.col("is_first").is_null() | (pl.col("kind") != _PLACEHOLDERS)
    rejected = rows.filter(pl.col("reason").is_not_null())
    reasons = rejected.select("line", "slot", kind=pl.lit(_REJECTED), why="reason")
    every = pl.concat([told, reasons], how="diagonal").with_columns(is_gone=is_gone)
    known = {kind: KINDS[kind] for kind in (*ordered(plan.kinds), AT_SEVERAL)}
    order = {kind: place for place, kind in enumerate((_REJECTED, *known))}
    fixes, sure = ({kind: getattr(entry, name) for kind, entry in known.items()} for name in ("fix", "right"))
    bad, kind = {kind: of_caption(kind) for kind in known}, pl.col("kind")
    lists = (
        every.sort("line", "slot", kind.replace_strict(order, return_dtype=pl.Int32), nulls_last=True)
        .with_columns(
            certainty=kind.replace_strict(sure, default=1.0, return_dtype=pl.Float64),
            fix=kind.replace_strict(fixes, default="Repair the row, or leave it out", return_dtype=pl.String),
            severity=kind.replace_strict(bad, default="error", return_dtype=pl.Enum(SEVERITIES)),
            detail="why",
            twin=pl.when(kind.is_in(OF_TEXTS)).then("other_image"),
        )
        .group_by("line", maintain_order=True)
        .agg(
            *("kind", "slot", "certainty", "detail", "fix"),
            keep=~pl.col("is_gone").any(),
            severity=pl.col("severity").min().cast(pl.String),
            twin=pl.col("twin").drop_nulls().first(),
        )
    )
    ids = rows.group_by("line", maintain_order=True).agg(id=pl.col("image").first())
    made = ids.sort("line").join(lists, on="line", how="left", maintain_order="left")
    made = made.join(work.scan(CARRIED, bucket).filter(shard=number).collect(), on="line", how="left")
    if is_measured(plan):
        near = work.scan(alike.TWINS, bucket).join(rows.lazy(), on=["image", "slot"]).group_by("line")
        made = made.join(near.agg(near=pl.col("twin").min()).collect(), on="line", how="left")
        made = made.with_columns(twin=pl.coalesce("twin", "near"))
    empty = [pl.col(name).fill_null(pl.lit([], lists.schema[name])) for name in VERDICT[-5:]]
    made = made.sort("line").with_columns(pl.col("keep").fill_null(value=True))
    return made.select("id", *plan.rows.carried, "keep", "severity", "twin", *empty)


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
        yield Checked(store, selection, workspace, plan.words, protected)


_REJECTED, _PLACEHOLDERS = "rejected", "placeholders"


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
        Stage(alike.FOREMOST, "frequent texts", lambda plan: int(COPIES in plan.kinds), once, alike.foremost),
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
        alike.GONE.stage,
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
