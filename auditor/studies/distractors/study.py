"""Forced-choice items: a caption and a distractor that mentions another person or scene, or only those of the caption.

The rules are those of Hodosh & Hockenmaier 2016, section 3. Rules in `sql/distractors` replace their manual pruning.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

import polars as pl

from auditor import parameters as p
from auditor.asking import question
from auditor.config import sources
from auditor.errors import UsageError
from auditor.files.rows import check_path, write_rows
from auditor.model import Progress, Selection, silent
from auditor.result import Result, Signature, Table, counted, listed
from auditor.store.captions import stamp
from auditor.store.connection import Store
from auditor.store.versions import content_at_work, resolve
from auditor.store.workspace import Workspace
from auditor.studies.distractors.phrases import MARKED, bind_phrases, bind_training, find_training, parsed

_VERSION = 1

#: How replacements are sampled: mentions, as often as captions have them, or phrases, each distinct one once.
DRAWS = ("mentions", "phrases")


class _Task(NamedTuple):
    """How a task is made: the SELECT, and the kind of mention; with `alone`, the mention is the right answer."""

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

#: The columns of a file of items.
COLUMNS = ("item", "part", "image", "split", "slot", "right", "wrong", "drawn_from")

_WHAT = "items"


Tasks = Annotated[
    Sequence[str], p.Parameter(f"Task: {', '.join(TASKS)}; repeat for more; default: all.", "task", choices=[*TASKS])
]

Pipeline = Annotated[
    str | None,
    p.Parameter(
        "spaCy pipeline, by name or folder: its noun chunks are the phrases, and lists of words give their types; "
        "default: annotated phrases."
    ),
]

Train = Annotated[
    str | None,
    p.Parameter("Captions to sample distractors from, a split or a dataset; default: the splits that count as train."),
]

Draw = Annotated[
    str,
    p.Parameter(
        "Replacements to sample: mentions, as often as captions have them, or phrases, each distinct one once.",
        choices=DRAWS,
    ),
]

File = Annotated[Path | None, p.Output("Write the items to FILE.csv or FILE.jsonl.", "output", "o")]

Force = Annotated[bool, p.Parameter("Replace an existing file.")]


@question
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
    """Make choices whose wrong caption differs in one way.

    Each task makes one kind of error in a caption:
    - switch-people exchanges two persons: the same words in another order.
    - replace-person and replace-scene replace a mention with another one from the training captions.
    - share-person and share-scene use a training caption that mentions the same actor or scene.
    - just-person and just-scene use only the mention.
    - just-scene-plus is the reverse: the mention is right, another sentence about the same scene is wrong.

    Annotated phrases provide the mentions. For captions without them, set --pipeline. The noun chunks of a spaCy
    pipeline are then the phrases. Lists of last words determine which of them are persons, scenes or clothes. Results
    of the pipeline are stored.

    Replacements are sampled from all mentions in the training captions, so "a man" is as frequent as there. With --draw
    phrases, each distinct phrase is sampled once, whether or not it fits. The published items appear to be made this
    way. Rare and long phrases then reveal the distractor. On flickr30k:val, a bigram model solves 83.6% of
    replace-person and 80.0% of replace-scene without an image (published: 83.0 and 77.5). With mentions, it solves
    56.4% and 62.3%, so they are the default.

    How to read it: a system scores both texts of an item for its image. It is right if the caption scores higher;
    chance is one half. A scorer that ignores word order ties on the first task. A scorer that only prefers long texts
    is right on just-scene and wrong on just-scene-plus; its accuracies add up to 1. The table shows how many items each
    rule left out. `auditor ingest NAME --from FILE` imports the file from -o as a dataset of kind choices.

    Limits: a sampled distractor may be true by chance, since the image was not checked. The rules are for English and
    find persons by the last noun of a phrase. The published items of the first task were pruned by hand; there are
    fewer here. Unlike in the paper, replacements keep the number of a person and the preposition before a scene. They
    also have a noun that no caption of the image has.

    Noun chunks were compared with the annotations of flickr30k:val, with a small pipeline trained on UD English EWT.
    Precision is 97.8% for persons and 90.7% for scenes, recall 94.9% and 80.6%. Times ("on a sunny day") and adverbs
    are annotated as scenes. If each caption of an image mentions persons once, they count as the same.

    Source: Hodosh & Hockenmaier 2016, Focused evaluation for image description with binary forced-choice tasks.

    A row is an item: dataset, version, split, item, part (the task), image, image_split, slot, right, wrong,
    drawn_from, trained_on, seed. `drawn_from` is the image#slot of the training caption. A file from -o has item, part,
    image, split, slot, right, wrong, drawn_from.

    Raises `UsageError` without annotated phrases or a pipeline, without persons or scenes, or without training
    captions. Raises `MissingExtraError` if spaCy is needed and not installed.

    Example: auditor distractors flickr30k:val --task switch-people --task just-scene -o items.csv
    """
    names = [name for name in TASKS if name in tasks or not tasks]
    if file is not None:
        check_path(file, _WHAT, force=force)
    selection = resolve(store, ref, split)
    drawing = [name for name in names if TASKS[name].trains]
    training = find_training(store, selection, train, sources(config) or {}, drawing)
    described = [selection, *training] if drawing else [selection]
    noun_chunks = parsed(store, described, pipeline, progress) if pipeline is not None else None
    workspace = content_at_work(store, selection)
    bind_phrases(workspace, selection, noun_chunks)
    bind_training(store, workspace, training, noun_chunks, draws=bool(drawing))
    made = _made(workspace.given(seed=seed, draw=draw), names, progress)
    kept = made.filter(pl.col("dropped").is_null())
    notes = without_items(selection, made, {name: TASKS[name].mentioned for name in names})
    if kept.is_empty():
        raise UsageError(f"{selection.label}: no items: {'; '.join(notes)}")
    trained_on = " ".join(selection.pinned_name for selection in training)
    rows = kept.select(
        pl.format("{}/{}#{}/{}", "part", "image", "slot", "place").alias("item"),
        *("part", "image", pl.col("split").alias("image_split"), "slot", "right", "wrong"),
        (pl.col("drawn_image") + "#" + pl.col("drawn_slot").cast(pl.String)).alias("drawn_from"),
        pl.lit(trained_on or None, pl.String).alias("trained_on"),
        pl.lit(seed, pl.Int64).alias("seed"),
    )
    frame = stamp(selection, rows)
    of = noun_chunks.pipeline if noun_chunks else MARKED
    signed = Signature("distractors", {"phrases": of, "train": trained_on, "draw": draw, "seed": seed}, _VERSION)
    result = Result(
        "distractors",
        frame,
        selections=(selection, *training),
        signatures={"distractors": str(signed)},
        tables=(counts(selection, made, names), examples(frame)),
        notes=notes,
        lead=(f"{selection.label}: {counted(frame.height, 'item', 'items')} whose wrong caption differs in one way.",),
    )
    if file is not None:
        write(frame, file, force=force)
    return result


def _made(workspace: Workspace, names: Sequence[str], progress: Progress) -> pl.DataFrame:
    """Make the items of the tasks, also those that a rule leaves out (column dropped)."""
    made = []
    for done, name in enumerate(names):
        progress("items", done, len(names))
        task = TASKS[name]
        items = workspace.rows(task.made_by, mentioned=task.mentioned, alone=task.alone)
        made.append(items.with_columns(part=pl.lit(name)))
    progress("items", len(names), len(names))
    return pl.concat(made)


def write(frame: pl.DataFrame, path: Path, *, force: bool = False) -> None:
    """Write the rows of `distractors` as CSV or JSON lines.

    Raises `UsageError` for a file that cannot be written, or exists and may not be replaced.
    """
    check_path(path, _WHAT, force=force)
    write_rows(frame.with_columns(split="image_split").select(COLUMNS), path)


def without_items(selection: Selection, made: pl.DataFrame, mentioned: Mapping[str, str]) -> tuple[str, ...]:
    """Report which tasks have no items, and why; `mentioned` is person or scene, by task."""
    notes = []
    for kind, what in (("person", "a person"), ("scene", "a scene")):
        rows = {name: made.filter(part=name)["dropped"] for name, of in mentioned.items() if of == kind}
        if unmentioned := [name for name, dropped in rows.items() if dropped.is_empty()]:
            needed = "two persons" if unmentioned == ["switch-people"] else what
            notes.append(f"{listed(unmentioned, len(unmentioned))}: no caption of {selection.label} mentions {needed}")
        if left_out := [name for name, dropped in rows.items() if len(dropped) and not dropped.null_count()]:
            notes.append(f"{listed(left_out, len(left_out))}: rules leave out every item of {selection.label}")
    return tuple(notes)


def counts(selection: Selection, made: pl.DataFrame, names: Sequence[str]) -> Table:
    """Count the items of each task, and what each rule left out."""
    order, is_kept = pl.col("task").cast(pl.Enum(names)), pl.col("rule").is_null()
    what = pl.when(is_kept).then(pl.lit("kept")).otherwise(pl.lit("dropped")).alias("is")
    tasks = made.group_by(task="part", rule="dropped").agg(items=pl.len())
    counted = tasks.sort(order, ~is_kept, -pl.col("items").cast(pl.Int64), "rule").select("task", what, "items", "rule")
    caption = "dropped: left out by the first rule that applies"
    return Table(f"items of {selection.label}", counted, caption=caption, name="counts", sections="task")


def examples(frame: pl.DataFrame) -> Table:
    """Show the first item of each task."""
    shown = frame.group_by("part", maintain_order=True).agg(pl.col("image", "right", "wrong").first())
    shown, more = shown.rename({"part": "task"}), frame.height - shown.height
    caption = f"{more:,} more: -o FILE.csv or FILE.jsonl writes them" if more > 0 else None
    return Table("one item per task", shown, caption=caption, beside=("right", "wrong"), name="examples")
