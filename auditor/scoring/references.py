"""Which captions describe the images of candidates that people rated or compared, and which candidates are among them?

A metric finds a candidate that is a reference of its own image, and scores it in full.
"""

from __future__ import annotations

import polars as pl

from auditor.errors import UsageError
from auditor.model import Selection
from auditor.result import Finding, Said, about, counted, listed
from auditor.scoring.candidates import CandidateSet, bind_candidates
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.versions import images, resolve

#: What a reader of a note on candidates that are references may do.
WAY_OUT = "--without-own-references leaves them out"

_EXAMPLES = 3


def as_references(selection: Selection) -> list[str]:
    """Return a note where captions that serve as references were not ingested as people's captions of images.

    Raises `UsageError` for a corpus or a list of words, which describe no images.
    """
    kind = selection.version.kind
    if kind in ("corpus", "wordlist"):
        raise UsageError(f"{selection.label}: is a {kind}, which describes no images; name a dataset of captions")
    return [] if kind == "captions" else [f"{selection.label} was ingested as {kind}, not as captions to score against"]


def references_of(store: Store, annotated: Selection, against: str | None = None) -> tuple[Selection, list[Said]]:
    """Find the references of what people rated: the captions that `against` names, else the first related dataset.

    That is the first which its declaration names as related, of captions, that is in the store and describes any of its
    images. Gives the selection, and notes on images without references. Raises `UsageError` where there is none.
    """
    wanted, said = images(store, annotated)["image"], list[Said]()
    if against is not None:
        chosen = resolve(store, against)
        if chosen.version.dataset == annotated.version.dataset:
            raise UsageError(f"{against}: would score {annotated.label} against itself; --against names its references")
        said += as_references(chosen)
        if not _described(store, chosen, wanted):
            there = images(store, chosen)["image"]
            raise UsageError(
                f"{against} describes no image of {annotated.label}: its ids look like {there[0]!r}, "
                f"those of {annotated.label} like {wanted[0]!r}; name captions of the same images with --against"
            )
    else:
        chosen = _first_related(store, annotated)
    lacking = wanted.filter(~wanted.is_in(images(store, chosen)["image"].implode()))
    subject = counted(len(lacking), "image has", "images have")
    some = listed(lacking, _EXAMPLES)
    told = f"{annotated.label}: {subject} no references in {chosen.label} and no scores: {some}"
    if len(lacking):
        where = about(annotated, against=chosen.label)
        values = {"images": len(lacking)}
        said.append(Finding("images-without-references", told, where, values, len(wanted), "warning"))
    return chosen, said


def _first_related(store: Store, annotated: Selection) -> Selection:
    wanted = images(store, annotated)["image"]
    name = annotated.version.dataset
    related = store.rows("related", dataset=name).filter(pl.col("kind") == "captions").sort("place")["dataset"]
    for other in related:
        chosen = resolve(store, other)
        if _described(store, chosen, wanted):
            return chosen
    declared = store.query("select related from dataset where dataset = $dataset", {"dataset": name})["related"].item()
    absent = [other for other in declared if other not in related]
    advice = f"`auditor ingest {absent[0]}`, or name one" if absent else "name one"
    raise UsageError(
        f"{annotated.label}: no dataset in the store describes its images; {advice} with --against DATASET"
    )


def _described(store: Store, chosen: Selection, wanted: pl.Series) -> int:
    """Count the images that a selection describes."""
    return int(wanted.is_in(images(store, chosen)["image"].implode()).sum())


def own_references(captions: Captions, candidates: CandidateSet) -> pl.DataFrame:
    """List the candidates that are, word for word, a reference of their image. Columns: image, slot.

    Words are those of the tokenizer, since that is what a metric sees; all tokens must be there.
    """
    workspace = captions.workspace()
    bind_candidates(workspace, [candidates])
    return workspace.rows("rated_candidate").filter("is_reference").select("image", "slot")


def own_finding(own: int, scored: int, selection: Selection, system: Selection, *, left_out: bool) -> list[Finding]:
    """Return how many captions of a system are references of their image."""
    if not own:
        return []
    subject = counted(own, "caption is", "captions are")
    end = "left out" if left_out else f"scored against itself; {WAY_OUT}"
    said = (
        f"{system.label}: of {scored:,}, {subject} word for word a reference of the image in {selection.label}: {end}"
    )
    where = about(system, against=selection.label)
    return [Finding("own-references", said, where, {"captions": own}, scored, "warning")]
