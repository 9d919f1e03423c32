"""The stages of findings over shards: from files to a file, a bucket of shards at a time.

`records` are the captions of a bucket with their tokens, `read` the hashes of its files, `spoken` its words. Its images
meet those of other buckets in partitions, in `images`, and its texts in `wordings`. `vocabulary` numbers the words of
all shards. For kinds that depend on all shards, `counts-1` counts in buckets what their SELECTs add up, `sums-1` adds
up, and `facts-1` has what follows from sums; `counts-2` and so on count with these. `found` lists the captions of each
kind, `measures` has the numbers of other commands, `verdicts` a row for each row of a shard.
"""

from __future__ import annotations

import datetime
import functools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import polars as pl

from auditor.errors import SourceError
from auditor.findings import CAPTION_KINDS, KINDS, searched_by_default
from auditor.model import Version
from auditor.scoring.scale_out import merging
from auditor.scoring.scale_out.tasks import Done, Stage, run_one
from auditor.scoring.scale_out.work import Work
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.file import Share
from auditor.store.subsets import excerpt
from auditor.store.workspace import Workspace
from auditor.studies.duplicates import AT_SEVERAL
from auditor.studies.findings import alike, measures
from auditor.studies.findings.captions import FINDERS, LISTED, SHARE, Checked, bind_words, is_english
from auditor.studies.findings.protected import CONTAMINATED
from auditor.studies.findings.shards import RECORDS, VOCABULARY, ShardPlan, parse, records

PROTECTED, READ, SPOKEN, PLACED, IMAGES, FOUND, MEASURES, VERDICTS = (
    "protected", "read", "spoken", "images-of-bucket", "images", "found", "measures", "verdicts",
)  # fmt: skip

#: The stages of each round of counting: what follows from the first sums can be read to count the second.
_COUNTS, _SUMS, _FACTS = (tuple(f"{name}-{round_}" for round_ in (1, 2)) for name in ("counts", "sums", "facts"))


def _selects(kind: str) -> tuple[str, ...]:
    """Name the SELECTs that find the captions of a kind."""
    entry = CAPTION_KINDS[kind]
    return (*([entry.select] if entry.select else []), *(["sign"] if entry.patterns else []), *entry.further)


#: The kinds that are searched for in stages: those whose SELECTs merge, as their headers say.
CHECKED = (*(kind for kind in FINDERS if all(map(merging.merges, _selects(kind)))), AT_SEVERAL)


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
    """Assign numbers to the words of all shards. Columns: token_id, token, times."""
    del number, share
    spoken = work.every(SPOKEN, len(plan.buckets)).group_by("token").agg(pl.col("times").sum()).sort("token").collect()
    return spoken.select(pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).alias("token_id"), "token", "times")


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


def counts(round_: int, plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Count a bucket, in a file for each sum of a round; in the first one, also for other commands."""
    names = _known(plan, round_, merging.is_sum)
    is_first, further = round_ == 1, is_measured(plan)
    usual = measures.USUAL if further and not is_first else ()
    with bucket_of(plan, work, number, share, {*usual}.union(*map(merging.given, names)) - {*names}) as checked:
        bind_words(checked, names)
        for name in dict.fromkeys([*names, *(measures.COUNTED if further and is_first else ())]):
            work.put(name, number, checked.workspace.rows(name, lists=measures.ALL_LISTS))
        if is_first and is_compared(plan):
            work.put(alike.SEARCHED, number, alike.searched(checked.workspace, plan, number))
        if further:
            made = measures.grams_of if is_first else measures.hygiene
            for name, rows in made(checked, len(plan.buckets)).items():
                work.put(name, number, rows, len(plan.buckets))
    return pl.DataFrame({"bucket": [number]})


def sums(round_: int, plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Add up the counts of all buckets of one SELECT."""
    del share
    name = _known(plan, round_, merging.is_sum)[number]
    return merging.added(name, work.every(name, len(plan.buckets)))


def facts(round_: int, plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Run a SELECT that reads sums alone, on the words of all shards and without captions."""
    name = _known(plan, round_, merging.follows)[number]
    kind = next(kind for kind in plan.kinds if kind != AT_SEVERAL and name in _behind(kind))
    with Store.open(MEMORY, share=share) as store:
        with store.registered("numbered", work.scan(VOCABULARY, 0).collect()):
            store.execute("insert into vocabulary select token_id, token from numbered")
        workspace = Workspace(store, **CAPTION_KINDS[kind].params)
        for each in merging.sums(name):
            workspace.bind_rows(each, _read(plan, work, each))
        if "is_english" in workspace.changes_with(name):
            workspace.params["is_english"] = is_english(_read(plan, work, SHARE))
        return workspace.rows(name)


@functools.cache
def _behind(kind: str) -> frozenset[str]:
    """Name the sums, and what follows from sums, that a bucket needs to find the captions of a kind."""
    names = _selects(kind)
    behind = {name for select in names for name in merging.sums(select)}
    followed = {name for name in names if merging.follows(name)}.union(*map(merging.given, (*names, *behind)))
    return frozenset(behind | followed)


def _known(plan: ShardPlan, round_: int, is_one: Callable[[str], bool]) -> list[str]:
    """Name the sums, or what follows from sums, that the kinds of a plan need and that a round makes known."""
    behind = {name for kind in plan.kinds if kind != AT_SEVERAL for name in _behind(kind)}
    return sorted(name for name in behind if is_one(name) and merging.round_of(name) == round_)


def _read(plan: ShardPlan, work: Work, name: str) -> pl.DataFrame:
    """Read a sum of all buckets, or what follows from sums."""
    is_one, stages = (merging.is_sum, _SUMS) if merging.is_sum(name) else (merging.follows, _FACTS)
    round_ = merging.round_of(name)
    return work.scan(stages[round_ - 1], _known(plan, round_, is_one).index(name)).collect()


def found(plan: ShardPlan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """List the captions of a bucket by kind. Columns: kind, and those of `LISTED`."""
    lists = [pl.DataFrame(schema={"kind": pl.String, **LISTED})]
    selects = {name for kind in plan.kinds if kind != AT_SEVERAL for name in _selects(kind)}
    given = set().union(*(merging.given(name) if merging.is_of_part(name) else {name} for name in selects))
    with bucket_of(plan, work, number, share, given) as checked:
        for kind in (kind for kind in (*FINDERS, AT_SEVERAL) if kind in plan.kinds):
            if kind == AT_SEVERAL:
                rows = _at_several_images(plan, work, number, checked.workspace)
            else:
                rows = FINDERS[kind](checked)
            lists.append(rows.select(kind=pl.lit(kind), **{name: _column(rows, name) for name in LISTED}))
    return pl.concat(lists)


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
            workspace.bind_rows(name, _read(plan, work, name))
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


def _round(number: int) -> list[Stage[ShardPlan]]:
    """Return the stages of a round of counting."""

    def made(plan: ShardPlan, is_one: Callable[[str], bool]) -> int:
        return len(_known(plan, number, is_one))

    def counting(plan: ShardPlan) -> int:
        needed = made(plan, merging.is_sum) or is_measured(plan) or (number == 1 and is_compared(plan))
        return len(plan.buckets) if needed else 0

    parts_of: dict[str, tuple[Callable[[ShardPlan], int], Callable[..., pl.DataFrame]]] = {
        "counts": (counting, counts),
        "sums": (partial(made, is_one=merging.is_sum), sums),
        "facts": (partial(made, is_one=merging.follows), facts),
    }
    return [
        Stage(f"{name}-{number}", f"{name}, round {number}", parts, _once, partial(run, number))
        for name, (parts, run) in parts_of.items()
    ]


STAGES = {
    stage.name: stage
    for stage in (
        Stage(RECORDS, "captions of shards", _of_buckets, _once, read),
        Stage(VOCABULARY, "words", _once, _once, words),
        Stage(IMAGES, "images", _of_partitions, _once, images),
        *_round(1),
        Stage(alike.WORDINGS, "texts", lambda plan: plan.partitions * is_compared(plan), _of_buckets, alike.wordings),
        *_round(2),
        Stage(FOUND, "findings", _of_buckets, _once, found),
        Stage(measures.GRAMS, "n-grams", _of_measured(_of_buckets), _once, measures.grams),
        Stage(MEASURES, "sizes and words", _of_measured(_once), _once, measures.measured),
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
