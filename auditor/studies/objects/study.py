"""Objects that captions mention and images lack: CHAIR of Rohrbach et al. 2018, with intervals and tests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.asking import question
from auditor.called import call
from auditor.errors import UsageError
from auditor.files.rows import check_path, write_rows
from auditor.model import Kind, Progress, silent
from auditor.result import Result, Signature, Table, counted, listed
from auditor.statistics.cards import cards_of
from auditor.statistics.common_items import Coverage, Items
from auditor.statistics.paired_systems import Resampling
from auditor.store.captions import Captions, select, select_all, selections_of
from auditor.store.connection import Store
from auditor.store.matching import match
from auditor.store.workspace import Workspace
from auditor.studies.objects.rows import System, rows_of

_VERSION = 1

_MENTIONS, _EXAMPLES = "mentions of objects", 3

Listing = Annotated[
    str, p.Parameter("Dataset with the objects of each image (kind objects).", "objects", completes="dataset")
]

Synonyms = Annotated[
    str | None,
    p.Parameter(
        "Dataset with the synonyms of each object (kind synonyms); default: the names of the objects alone.",
        completes="dataset",
    ),
]

Mentions = Annotated[Path | None, p.Output("Write every mention with its caption to FILE.csv or FILE.jsonl.")]

Force = Annotated[bool, p.Parameter("Replace an existing file.")]


@question
def objects(
    store: Store,
    *refs: p.Refs,
    listing: Listing,
    synonyms: Synonyms = None,
    mentions: Mentions = None,
    force: Force = False,
    resamples: p.Resamples = 1000,
    confidence: p.Confidence = 0.95,
    missing: p.Missing = p.COMMON,
    split: p.Split = None,
    seed: p.Seed = 1,
    progress: Progress = silent,
) -> Result:
    """Find objects in captions that the images lack (CHAIR).

    A caption mentions an object by one of its synonyms, in the singular or plural. Of mentions that overlap, the
    longest counts: a hot dog is not a dog. A mention is wrong if the list of the image lacks the object. Statistics:

    - `chair-s`: share of captions with a wrong mention; `chair-i`: share of mentions that are wrong;
    - `objects`: different objects per caption; `object-recall`: share of the objects in images that captions mention;
    - `chair-s-at-equal-objects`: chair-s if captions mentioned as many objects as those of the first system. It is the
      mean over captions with 0, 1, 2, … objects, weighted by the first system.

    Each object has rows with its own chair-i and object-recall. --mentions FILE writes the captions behind all numbers.

    How to read it: a system that mentions more objects is wrong in more captions, so chair-s increases with length.
    Compare chair-i, and chair-s at equal numbers of objects. Fewer wrong mentions with a lower recall are mere caution.
    `difference` and `p` compare a system with the first on their common images, by swapping captions on random images.

    Limits: objects without a synonym and other things in captions are not checked. The list decides what is in an
    image. Objects of COCO come from segmentations and human captions. So the rate of human captions is near 0 partly by
    construction. A word with two meanings counts as the object: an orange shirt mentions an orange. Plurals are formed
    as in English.

    Source: Rohrbach et al. 2018, Object hallucination in image captioning, EMNLP.

    A row is a statistic of a dataset, or of one `object`: dataset, version, split, statistic, object, n, value, low,
    high, against, difference, p, images, own_value, empty_difference, empty_p, signature. `n` counts what the value
    is a share of. An interval needs eight images, and `p` needs 50. Values are of the images that a system and the
    first describe (`images`), own_value of all images of the system. `empty_difference` counts empty captions for
    missing images.

    Raises `UsageError` if no caption describes a listed image, or a dataset is of another kind.

    Example: auditor objects blip2 llava-default --objects coco-objects --synonyms coco-synonyms --mentions wrong.csv
    """
    p.check_resampling(resamples, confidence)
    if mentions is not None:
        check_path(mentions, _MENTIONS, force=force)
    selected = select_all(store, refs, split, beside=(listing, synonyms), progress=progress)
    inventory = _of_kind(store, listing, "objects", selected[0].tokenizer)
    named = _of_kind(store, synonyms, "synonyms", selected[0].tokenizer) if synonyms else inventory
    has = inventory.tokenize(progress).workspace()
    words = named.tokenize(progress).workspace()
    if named is inventory:
        words.bind("synonym", "object_name")
    systems, notes = [], [*selected[0].notes, *_unnamed(has, words, inventory, named)]
    for captions in selected:
        match(store, captions.selection, inventory.selection)
        workspace = captions.workspace()
        workspace.bind("listed_object", of=has)
        workspace.bind("object_form", of=words)
        described = workspace.rows("caption_objects")
        notes += _undescribed(captions, inventory, described)
        texts, found = captions.texts().select("image", "slot", "text"), workspace.rows("object_in_caption")
        mentioned = captions.stamp(found.join(texts, on=["image", "slot"], how="left", maintain_order="left"))
        systems.append(System(captions, described, workspace.rows("object_in_image"), mentioned))
    resampling = Resampling(resamples, confidence, seed)
    images = {system.label: {*system.images["image"]} for system in systems}
    coverage = Coverage(set[str]().union(*images.values()), images, missing)

    def compared(items: Items, labels: Sequence[str], is_filled: bool) -> pl.DataFrame:
        some = [system for system in systems if system.label in labels]
        some = [system.filled(systems) if is_filled else system.on(items) for system in some]
        return rows_of(some, resampling, progress)

    rows = coverage.side_by_side(compared, ["statistic", "object"])
    totals = rows.filter(pl.col("object").is_null())
    told, rows = coverage.lead(totals, confidence, "statistic"), rows.drop("label")
    systems = [system.on(coverage.pair(system.label)) for system in systems]
    of_named = "names" if named is inventory else named.selection.pinned_name
    settings = {"objects": inventory.selection.pinned_name, "synonyms": of_named, "tok": inventory.tokenizer}
    signed = {name: str(Signature(name, settings, _VERSION)) for name in cards_of("objects")}
    if mentions is not None:
        write_rows(pl.concat(system.mentions for system in systems), mentions)
    return Result(
        "objects",
        rows.with_columns(signature=pl.col("statistic").replace_strict(signed, return_dtype=pl.String)),
        selections=(*selections_of(selected), *selections_of(dict.fromkeys([inventory, named]))),
        signatures={name: signature for name, signature in signed.items() if name in rows["statistic"]},
        tables=(overview(totals, coverage, resampling), *(hallucinated(system, rows) for system in systems)),
        notes=tuple(notes),
        lead=(*told, *lead(systems, rows)),
    )


def _of_kind(store: Store, ref: str, kind: Kind, tokenizer: str) -> Captions:
    captions = select(store, ref, tokenizer=tokenizer)
    found = captions.selection.version.kind
    if found != kind:
        command = call("ingest", "NAME", files=["FILE"], kind=kind)
        raise UsageError(f"--{kind} {ref}: of kind {found}; import its file with `{command}`")
    return captions


def _unnamed(has: Workspace, words: Workspace, inventory: Captions, named: Captions) -> list[str]:
    """Report objects that captions cannot mention, since the list of synonyms lacks them."""
    names = has.rows("listed_object")["object"].unique().sort()
    lacking = names.filter(~names.is_in(words.rows("object_form")["object"].implode()) & names.str.contains(r"\pL"))
    if named is inventory or lacking.is_empty():
        return []
    of = f"{counted(len(lacking), 'object', 'objects')} of {inventory.label}"
    return [f"not counted: {of} without a synonym in {named.label}: {listed(lacking, _EXAMPLES)}"]


def _undescribed(captions: Captions, inventory: Captions, described: pl.DataFrame) -> list[str]:
    """Report captions of images that are not in the list."""
    every, there = int(captions.images()["captions"].sum()), described.height
    why = f"{captions.label}: if the objects come from these captions too, its CHAIR is near 0 by construction"
    notes = [] if captions.selection.version.kind == "candidates" else [why]
    gone = f"{every - there:,} of {every:,} captions left out: {inventory.label} lacks their images"
    return [*notes, f"{captions.label}: {gone}"] if there < every else notes


_SHOWN = 10


def overview(totals: pl.DataFrame, coverage: Coverage, resampling: Resampling) -> Table:
    """Return the statistics of all systems."""
    order = pl.Enum(totals["statistic"].unique(maintain_order=True))
    compared = ["difference", "p", *coverage.columns(totals)] if len(coverage.of) > 1 else []
    rows = totals.sort(pl.col("statistic").cast(order), maintain_order=True)
    shown = rows.select("statistic", pl.col("label").alias("dataset"), "n", "value", "low", "high", *compared)
    title, caption = "objects that captions mention and images lack", resampling.caption(coverage.first)
    return Table(title, shown, sections="statistic", caption=caption if compared else None, name="chair")


def hallucinated(system: System, rows: pl.DataFrame) -> Table:
    """Return the objects that are mentioned wrongly most often, each with one of the captions."""
    examples = system.mentions.filter(~pl.col("is_present")).unique("object", keep="first", maintain_order=True)
    counts = system.counts.group_by("object").agg(pl.col("mentions", "wrong_mentions").sum())
    wrong = counts.filter(pl.col("wrong_mentions") > 0).sort("wrong_mentions", "object", descending=[True, False])
    of_object = _own(system, rows, whole=False).filter(statistic="chair-i")
    shares = of_object.select("object", pl.col("value").alias("chair-i"), "low", "high")
    captions = examples.select("object", "image", "slot", "text", "words")
    hidden, shown = wrong.height - _SHOWN, wrong.head(_SHOWN)
    for facts in (shares, captions):
        shown = shown.join(facts, on="object", how="left", maintain_order="left")
    return Table(
        f"objects that {system.label} mentions wrongly",
        shown.drop("words"),
        hits=("text", tuple(shown["words"])),
        caption=f"{hidden:,} more: -o FILE writes all objects, --mentions FILE all captions" if hidden > 0 else None,
        name=f"wrong/{system.label}",
    )


def lead(systems: Sequence[System], rows: pl.DataFrame) -> Iterator[str]:
    """Yield how often each system mentions an object that the image lacks."""
    for system in systems:
        values = {name: own for name, *own in _own(system, rows).select("statistic", "n", "value").iter_rows()}
        (captions, wrong), (mentions, share) = values["chair-s"], values["chair-i"]
        what = f"{wrong:.1%} of {captions:,} captions mention an object that the image lacks"
        if mentions:
            what += f" ({share:.1%} of {mentions:,} mentions, {values['objects'][1]:.1f} objects per caption)"
        yield f"{system.label}: {what}."


def _own(system: System, rows: pl.DataFrame, *, whole: bool = True) -> pl.DataFrame:
    """Return the rows of a system: of all captions, or of each object."""
    return system.captions.selection.rows_of(rows).filter(pl.col("object").is_null() == whole)
