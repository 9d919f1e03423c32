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
from auditor.files.rows import check_path, write_rows
from auditor.model import Progress, Selection, silent
from auditor.result import Result, Signature, Table, listed
from auditor.store.captions import stamp
from auditor.store.connection import Store
from auditor.store.versions import content_at_work, resolve
from auditor.store.workspace import Workspace
from auditor.studies.distractors.phrases import MARKED, bind_phrases, bind_training, find_training, parsed

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


Tasks = Annotated[Sequence[str], p.Parameter(f"Task, of {', '.join(TASKS)}; repeat for more; default: all.", "task")]

Pipeline = Annotated[
    str | None,
    p.Parameter(
        "spaCy pipeline, by name or folder: its noun chunks are the phrases, and lists of words tell what they are of; "
        "default: the mark-up of phrases."
    ),
]

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
    pipeline: Pipeline = None,
    train: Train = None,
    split: p.Split = None,
    seed: p.Seed = 1,
    draw: Draw = "mentions",
    file: File = None,
    force: Force = False,
    config: p.Config = None,
    progress: Progress = silent,
) -> Result:
    """Make forced-choice items, each wrong in one way.

    A task is one way. switch-people exchanges two people of a caption: the same words in another order. replace-person
    and replace-scene put in the place of a mention another of the training captions. share-person and share-scene are
    a caption of the training split that mentions the same actor or scene. just-person and just-scene are the mention
    alone; just-scene-plus, the other way round, the mention against another sentence of the same scene. Who and what is
    mentioned, the mark-up of phrases tells.

    Captions without mark-up have items by --pipeline: noun chunks of a spaCy pipeline are the phrases, and lists of
    words tell by the last word which are people, places and clothes. What a pipeline says of a caption is kept.

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
    captions of the image have, which the paper does not ask for. Of the noun chunks of flickr30k:val, by a small
    pipeline trained on UD English EWT, 97.8 % of those taken for people and 90.7 % of those taken for scenes are marked
    so with the same noun, and 94.9 % and 80.6 % of what is marked is found: times ("on a sunny day") and adverbs are
    marked as scenes. Where all captions of an image mention people once, they are taken for the same.

    Source: Hodosh & Hockenmaier 2016, Focused evaluation for image description with binary forced-choice tasks.

    A row is an item: dataset, version, split, item, part (the task), image, image_split, slot, right, wrong, drawn_from
    (image#slot of the training caption), trained_on, seed. A file of -o has item, part, image, split, slot, right,
    wrong, drawn_from.

    Raises `UsageError` where captions have no mark-up of phrases and no pipeline is named, mention nobody, or there is
    nothing to draw from; `MissingExtraError` where a pipeline is named and spaCy is not installed.

    Example: auditor distractors flickr30k:val --task switch-people --task just-scene -o items.csv
    """
    asked = _asked(tasks)
    if draw not in DRAWS:
        raise UsageError(f"--draw {draw}: expected one of {', '.join(DRAWS)}")
    if file is not None:
        check_path(file, _WHAT, force=force)
    selection = resolve(store, ref, split)
    drawing = [name for name in asked if TASKS[name].trains]
    training = find_training(store, selection, train, sources(config) or {}, drawing)
    said_of = [selection, *training] if drawing else [selection]
    told = parsed(store, said_of, pipeline, progress) if pipeline is not None else None
    workspace = content_at_work(store, selection)
    bind_phrases(workspace, selection, told)
    bind_training(store, workspace, training, told, draws=bool(drawing))
    workspace.params |= {"dataset": selection.version.dataset, "seed": seed, "draw": draw}
    made = _made(workspace, asked, progress)
    kept = made.filter(pl.col("dropped").is_null())
    said = without_items(selection, made, {name: TASKS[name].mentioned for name in asked})
    if kept.is_empty():
        raise UsageError(f"{selection.label}: no item to make: {'; '.join(said)}")
    trained_on = " ".join(selection.pinned_name for selection in training)
    rows = kept.select(
        pl.format("{}/{}#{}/{}", "part", "image", "slot", "place").alias("item"),
        *("part", "image", pl.col("split").alias("image_split"), "slot", "right", "wrong"),
        (pl.col("drawn_image") + "#" + pl.col("drawn_slot").cast(pl.String)).alias("drawn_from"),
        pl.lit(trained_on or None, pl.String).alias("trained_on"),
        pl.lit(seed, pl.Int64).alias("seed"),
    )
    frame = stamp(selection, rows)
    settings: dict[str, str | int | float | bool] = {
        "phrases": told.pipeline if told else MARKED, "train": trained_on, "draw": draw, "seed": seed,
    }  # fmt: skip
    result = Result(
        "distractors",
        frame,
        selections=(selection, *training),
        signatures={"distractors": str(Signature("distractors", settings, _VERSION))},
        tables=(counts(selection, made, asked), examples(frame)),
        notes=said,
    )
    if file is not None:
        write(frame, file, force=force)
    return result


def _asked(names: Sequence[str]) -> list[str]:
    """Return the tasks that are named, in their order, or all."""
    for name in names:
        if name not in TASKS:
            raise UsageError(f"--task {name}: expected one of {', '.join(TASKS)}")
    return [name for name in TASKS if name in names or not names]


def _made(workspace: Workspace, asked: Sequence[str], progress: Progress) -> pl.DataFrame:
    """Make the items of the tasks, with those that a rule leaves out: part, place, right, wrong, dropped, whence."""
    made = []
    for done, name in enumerate(asked):
        progress("items", done, len(asked))
        task = TASKS[name]
        workspace.params |= {"mentioned": task.mentioned, "alone": task.alone}
        made.append(workspace.rows(task.made_by).with_columns(pl.lit(name).alias("part")))
    progress("items", len(asked), len(asked))
    return pl.concat(made)


def write(frame: pl.DataFrame, path: Path, *, force: bool = False) -> None:
    """Write the rows of `distractors` as CSV or JSON lines.

    Raises `UsageError` for a file that cannot be written, or is there and may not be replaced.
    """
    check_path(path, _WHAT, force=force)
    shown = frame.with_columns(pl.col("image_split").alias("split")).select(COLUMNS)
    write_rows(shown, path)


def without_items(selection: Selection, made: pl.DataFrame, asked: Mapping[str, str]) -> tuple[str, ...]:
    """Return which tasks have no items, and why; `asked` says of each task whether it mentions a person or a scene."""
    said = []
    for kind, what in (("person", "names people"), ("scene", "is a scene")):
        rows = {name: made.filter(part=name)["dropped"] for name, of in asked.items() if of == kind}
        if unmentioned := [name for name, dropped in rows.items() if dropped.is_empty()]:
            fewer = " beside others" if unmentioned == ["switch-people"] else ""
            said.append(f"{listed(unmentioned, len(unmentioned))}: no phrase of {selection.label} {what}{fewer}")
        if left_out := [name for name, dropped in rows.items() if len(dropped) and not dropped.null_count()]:
            said.append(f"{listed(left_out, len(left_out))}: rules leave out every item of {selection.label}")
    return tuple(said)


def counts(selection: Selection, made: pl.DataFrame, asked: Sequence[str]) -> Table:
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


def examples(frame: pl.DataFrame) -> Table:
    """Show the first item of each task."""
    shown = frame.group_by("part", maintain_order=True).agg(pl.col("image", "right", "wrong").first())
    more = frame.height - shown.height
    return Table(
        "an item of each task",
        shown.rename({"part": "task"}),
        caption=f"{more:,} more: -o FILE.csv or FILE.jsonl writes them" if more > 0 else None,
        beside=("right", "wrong"),
        name="examples",
    )
