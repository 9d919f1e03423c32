"""Forced-choice items: a caption and a distractor that differs in whom or which scene it mentions, or in nothing else.

By the rules of Hodosh & Hockenmaier 2016, section 3; what they pruned by hand, rules of `sql/distractors` leave out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import polars as pl

from auditor import parameters as p
from auditor.config import sources
from auditor.errors import UsageError
from auditor.model import Progress, Selection, Source, silent
from auditor.result import Result, Signature, Table, listed
from auditor.row_files import check_path, write_rows
from auditor.store.connection import Store
from auditor.store.versions import content_at_work, resolve
from auditor.store.workspace import Workspace

_VERSION = 1

#: What may be drawn to replace a mention: mentions as often as captions have them, or phrases once each.
DRAWS = ("mentions", "phrases")


class _Task(NamedTuple):
    """How a task is made: by which SELECT, of mentions of whom; `alone` says that the mention is the right answer."""

    made_by: str
    mentioned: str
    trains: bool
    alone: bool = False


#: The tasks of the paper, in its order.
TASKS: Mapping[str, _Task] = {
    "switch-people": _Task("switched_people", "person", trains=False),
    "replace-person": _Task("replaced_mention", "person", trains=True),
    "replace-scene": _Task("replaced_mention", "scene", trains=True),
    "share-person": _Task("shared_sentence", "person", trains=True),
    "share-scene": _Task("shared_sentence", "scene", trains=True),
    "just-person": _Task("just_mention", "person", trains=False),
    "just-scene": _Task("just_mention", "scene", trains=False),
    "just-scene-plus": _Task("shared_sentence", "scene", trains=True, alone=True),
}

#: What a file of items holds.
COLUMNS = ("item", "part", "image", "split", "slot", "right", "wrong", "drawn_from")

_WHAT = "items"

_TRAIN = "train"


Tasks = Annotated[Sequence[str], p.Parameter(f"Task, of {', '.join(TASKS)}; repeat for more; default: all.", "task")]

Train = Annotated[
    str | None,
    p.Parameter("Captions that distractors are drawn from, a split or a dataset; default: what counts as train."),
]

Draw = Annotated[
    str,
    p.Parameter(
        "What replaces a mention: mentions, as often as captions have them, or phrases, each distinct one once."
    ),
]

File = Annotated[Path | None, p.Parameter("Write the items to FILE.csv or FILE.jsonl.", "output", "o")]

Force = Annotated[bool, p.Parameter("Replace a file that is there.")]


def distractors(
    store: Store,
    ref: p.Ref,
    *,
    tasks: Tasks = (),
    train: Train = None,
    split: p.Split = None,
    seed: p.Seed = 1,
    draw: Draw = "mentions",
    file: File = None,
    force: Force = False,
    config: p.Config = None,
    progress: Progress = silent,
) -> Result:
    """Make forced-choice items: a caption, and a distractor that is wrong in one way.

    A task is one way. switch-people exchanges two people of a caption: the same words in another order. replace-person
    and replace-scene put in the place of a mention another of the training captions. share-person and share-scene are
    a caption of the training split that mentions the same actor or scene. just-person and just-scene are the mention
    alone; just-scene-plus, the other way round, the mention against another sentence of the same scene. Who and what is
    mentioned, the mark-up of phrases tells.

    What replaces a mention is drawn from all of the training captions, so that "a man" comes as often as they have it.
    With --draw phrases each distinct phrase of the training captions is drawn once, whether it reads on or not, as the
    published items seem to be: rare and long ones then give themselves away, and a bigram model of the training
    captions is right on 83.6 % of replace-person and 80.0 % of replace-scene of flickr30k:val without an image
    (published 83.0 and 77.5), where mentions leave it 56.4 % and 62.3 %. So mentions are the default.

    How to read it: a system scores both texts of an item for its image, and is right where the caption scores higher;
    half of the items is chance. A scorer of words without order ties on switch-people. One that only likes long texts
    is right on just-scene and wrong on just-scene-plus: the two add up to 1. The table says how many items each rule
    left out. `auditor ingest NAME --from FILE` keeps the file of -o as a dataset of kind choices.

    Limits: a drawn distractor may be true by chance, for nobody has looked at the image. The rules know English, and
    people by the words of their last noun; the published items of switch-people were pruned by hand, these are fewer.
    A person's replacement has the same number, a scene's the same preposition before it, both another noun than
    captions of the image have, which the paper does not ask for.

    Source: Hodosh & Hockenmaier 2016, Focused evaluation for image description with binary forced-choice tasks.

    A row is an item: dataset, version, split, item, part (the task), image, image_split, slot, right, wrong, drawn_from
    (image#slot of the training caption), trained_on, seed. A file of -o has item, part, image, split, slot, right,
    wrong, drawn_from.

    Raises `UsageError` where captions have no mark-up of phrases, mention nobody, or there is nothing to draw from.

    Example: auditor distractors flickr30k:val --task switch-people --task just-scene -o items.csv
    """
    asked = _asked(tasks)
    if draw not in DRAWS:
        raise UsageError(f"--draw {draw}: expected one of {', '.join(DRAWS)}")
    if file is not None:
        check_path(file, _WHAT, force=force)
    selection = resolve(store, ref, split)
    at_work = content_at_work(store, selection)
    _check_phrases(at_work, selection)
    training = _training(store, selection, train, sources(config) or {}, asked)
    _bind_training(store, at_work, training)
    at_work.params |= {"dataset": selection.version.dataset, "seed": seed, "draw": draw}
    made = _made(at_work, asked, progress)
    kept = made.filter(pl.col("dropped").is_null())
    said = _without_items(selection, made, asked)
    if kept.is_empty():
        raise UsageError(f"{selection.label}: no item to make: {'; '.join(said)}")
    trained_on = " ".join(one.pinned_name for one in training)
    frame = kept.select(
        pl.lit(selection.version.dataset).alias("dataset"),
        pl.lit(selection.version.version).alias("version"),
        pl.lit(selection.split, pl.String).alias("split"),
        pl.format("{}/{}#{}/{}", "part", "image", "slot", "place").alias("item"),
        *("part", "image", pl.col("split").alias("image_split"), "slot", "right", "wrong"),
        (pl.col("drawn_image") + "#" + pl.col("drawn_slot").cast(pl.String)).alias("drawn_from"),
        pl.lit(trained_on or None, pl.String).alias("trained_on"),
        pl.lit(seed, pl.Int64).alias("seed"),
    )
    told: dict[str, str | int | float | bool] = {"train": trained_on, "draw": draw, "seed": seed}
    result = Result(
        "distractors",
        frame,
        selections=(selection, *training),
        signatures={"distractors": str(Signature("distractors", told, _VERSION))},
        tables=(_counts(selection, made, asked), _examples(frame)),
        notes=said,
    )
    if file is not None:
        write(frame, file, force=force)
    return result


def _asked(names: Sequence[str]) -> list[str]:
    """Give the tasks that are named, in their order, or all."""
    for name in names:
        if name not in TASKS:
            raise UsageError(f"--task {name}: expected one of {', '.join(TASKS)}")
    return [name for name in TASKS if name in names or not names]


def _check_phrases(at_work: Workspace, selection: Selection) -> None:
    marked = "select image from annotated semi join content using (image, slot) where len(phrases) > 0 limit 1"
    if at_work.query(marked).is_empty():
        raise UsageError(
            f"{selection.label}: has no mark-up of phrases, which says whom and what captions mention; "
            "files of format entities have it, and dataset flickr30k"
        )


def _training(
    store: Store, selection: Selection, train: str | None, declared: Mapping[str, Source], asked: Sequence[str]
) -> list[Selection]:
    """Find what distractors are drawn from: what is named, or every split of the dataset that counts as train."""
    version = selection.version
    splits = store.rows("split", dataset=version.dataset, seq=version.seq)["split"].to_list()
    if train is not None:
        return [Selection(version, train) if train in splits else resolve(store, train)]
    roles = declared[version.dataset].split_roles if version.dataset in declared else {}
    found = [Selection(version, one) for one in splits if roles.get(one, one) == _TRAIN]
    drawing = [name for name in asked if TASKS[name].trains]
    if drawing and not found:
        there = f"its splits are {', '.join(splits)}" if splits else "it has no splits"
        raise UsageError(
            f"{version.dataset}: no split counts as train, from which {drawing[0]} draws: {there}; "
            "name a split or a dataset with --train"
        )
    return found


def _bind_training(store: Store, at_work: Workspace, training: Sequence[Selection]) -> None:
    """Bind relation `trained_mention`; words are names that the training captions capitalise, or else those at work."""
    if not training:
        return
    trained = content_at_work(store, training[0])
    for further in training[1:]:
        trained.append("content", "content_as_of", of=content_at_work(store, further))
    _check_phrases(trained, training[0])
    at_work.bind("trained_mention", "mention", of=trained)
    at_work.take("name_word", trained, "name_word")


def _made(at_work: Workspace, asked: Sequence[str], progress: Progress) -> pl.DataFrame:
    """Make the items of the tasks, with those that a rule leaves out: part, place, right, wrong, dropped, whence."""
    made = []
    for done, name in enumerate(asked):
        progress("items", done, len(asked))
        task = TASKS[name]
        at_work.params |= {"mentioned": task.mentioned, "alone": task.alone}
        made.append(at_work.rows(task.made_by).with_columns(pl.lit(name).alias("part")))
    progress("items", len(asked), len(asked))
    return pl.concat(made)


def _without_items(selection: Selection, made: pl.DataFrame, asked: Sequence[str]) -> tuple[str, ...]:
    """Say which tasks have no items, and why."""
    said = []
    for kind, what in (("person", "names people"), ("scene", "is a scene")):
        rows = {name: made.filter(part=name)["dropped"] for name in asked if TASKS[name].mentioned == kind}
        if unmentioned := [name for name, dropped in rows.items() if dropped.is_empty()]:
            fewer = " beside others" if unmentioned == ["switch-people"] else ""
            said.append(f"{listed(unmentioned, len(unmentioned))}: no phrase of {selection.label} {what}{fewer}")
        if left_out := [name for name, dropped in rows.items() if len(dropped) and not dropped.null_count()]:
            said.append(f"{listed(left_out, len(left_out))}: rules leave out every item of {selection.label}")
    return tuple(said)


def _counts(selection: Selection, made: pl.DataFrame, asked: Sequence[str]) -> Table:
    """Count the items of each task, and what each rule left out."""
    order = pl.col("task").replace_strict({name: place for place, name in enumerate(asked)}, return_dtype=pl.Int64)
    counted = (
        made.group_by(pl.col("part").alias("task"), pl.col("dropped").alias("rule"))
        .agg(pl.len().alias("items"))
        .with_columns(pl.when(pl.col("rule").is_null()).then(pl.lit("kept")).otherwise(pl.lit("dropped")).alias("is"))
        .sort(order, pl.col("rule").is_not_null(), -pl.col("items").cast(pl.Int64), "rule")
        .select("task", "is", "items", "rule")
    )
    return Table(
        f"items of {selection.label}",
        counted,
        caption="dropped: left out by the first rule that holds",
        name="counts",
        sections="task",
    )


def _examples(frame: pl.DataFrame) -> Table:
    shown = frame.group_by("part", maintain_order=True).agg(pl.col("image", "right", "wrong").first())
    more = frame.height - shown.height
    return Table(
        "an item of each task",
        shown.rename({"part": "task"}),
        caption=f"{more:,} more: -o FILE.csv or FILE.jsonl writes them" if more > 0 else None,
        beside=("right", "wrong"),
        name="examples",
    )


def write(frame: pl.DataFrame, path: Path, *, force: bool = False) -> None:
    """Write the rows of `distractors` as CSV or JSON lines.

    Raises `UsageError` for a file that cannot be written, or is there and may not be replaced.
    """
    check_path(path, _WHAT, force=force)
    shown = frame.with_columns(pl.col("image_split").alias("split")).select(COLUMNS)
    try:
        write_rows(shown, path)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from error
