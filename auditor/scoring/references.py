"""References of rated or compared candidates, and candidates that are identical to a reference of their image.

A metric gives the full score to a candidate that is one of its references.
"""

from __future__ import annotations

from typing import NoReturn

import polars as pl

from auditor.called import call
from auditor.errors import UsageError
from auditor.model import Selection
from auditor.result import Finding, Said, about, counted, listed
from auditor.scoring.candidates import CandidateSet, bind_candidates
from auditor.store.captions import Captions
from auditor.store.matching import match
from auditor.store.versions import images, resolve

#: Advice in a note on candidates that are references.
WAY_OUT = "use --without-own-references to exclude them"

_EXAMPLES = 3


def as_references(selection: Selection) -> list[str]:
    """Return a note if the references were not ingested as human captions of images.

    Raises `UsageError` for a corpus and for lists, which do not describe images.
    """
    kind = selection.version.kind
    if kind == "corpus":
        raise UsageError(f"{selection.label}: a corpus does not describe images; name a dataset of captions")
    if kind in ("wordlist", "objects", "synonyms"):
        raise UsageError(f"{selection.label}: of kind {kind}, without captions; name a dataset of captions")
    return [] if kind == "captions" else [f"{selection.label} was ingested as {kind}, not as reference captions"]


def references_of(captions: Captions, against: str | None = None) -> tuple[Captions, list[Said]]:
    """Return the references of rated captions: the captions that `against` names, or the first related dataset.

    Datasets are related by declaration. The first one with captions in the store counts that describes any of the
    images. Returns its captions, and notes on images without references. Raises `UsageError` if there is none.
    """
    store, annotated = captions.store, captions.selection
    wanted, notes = captions.images()["image"], list[Said]()
    if against is not None:
        chosen = resolve(store, against)
        if chosen.version.dataset == annotated.version.dataset:
            raise UsageError(
                f"{against}: cannot score {annotated.label} against itself; set --against to its references"
            )
        notes += as_references(chosen)
        match(store, chosen, annotated, against)
    else:
        chosen = first_related(captions) or _refused(captions)
    lacking = wanted.filter(~wanted.is_in(images(store, chosen)["image"].implode()))
    subject = counted(len(lacking), "image has", "images have")
    examples = listed(lacking, _EXAMPLES)
    sentence = f"{annotated.label}: {subject} no references in {chosen.label} and no scores: {examples}"
    if len(lacking):
        where = about(annotated, against=chosen.label)
        values = {"images": len(lacking)}
        notes.append(Finding("images-without-references", sentence, where, values, len(wanted), "warning"))
    return captions.like(chosen), notes


def first_related(captions: Captions) -> Selection | None:
    """Return the first related dataset with captions that describe any of the images; null if there is none."""
    store, wanted = captions.store, captions.images()["image"]
    chosen = (resolve(store, other) for other in _related(captions))
    return next((one for one in chosen if wanted.is_in(images(store, one)["image"].implode()).any()), None)


def _related(captions: Captions) -> list[str]:
    rows = captions.store.rows("related", dataset=captions.selection.version.dataset)
    return rows.filter(kind="captions").sort("place")["dataset"].to_list()


def _refused(captions: Captions) -> NoReturn:
    """Raise `UsageError`, with the command that names the references: reports have no such option."""
    version, known = captions.selection.version, _related(captions)
    sql, params = "select related from dataset where dataset = $dataset", {"dataset": version.dataset}
    absent = [other for other in captions.store.query(sql, params)["related"].item() if other not in known]
    first = f"run `{call('ingest', absent[0])}`, or " if absent else ""
    study = "choices" if version.kind == "choices" else "agree"
    command = call(study, captions.label, store=captions.store, against="DATASET")
    raise UsageError(f"{captions.label}: no related dataset in the store describes its images; {first}run `{command}`")


def own_references(captions: Captions, candidates: CandidateSet) -> pl.DataFrame:
    """List the candidates that are identical to a reference of their image. Columns: image, slot.

    The tokens are compared, because metrics read tokens. All tokens must be in the store.
    """
    workspace = captions.workspace()
    bind_candidates(workspace, [candidates])
    return workspace.rows("rated_candidate").filter("is_reference").select("image", "slot")


def own_finding(own: int, scored: int, selection: Selection, system: Selection, *, left_out: bool) -> list[Finding]:
    """Report how many captions of a system are references of their image."""
    if not own:
        return []
    verb = "is" if own == 1 else "are"
    end = " and left out" if left_out else f". {WAY_OUT.capitalize()}"
    sentence = (
        f"{system.label}: {own:,} of {scored:,} captions {verb} identical to a reference of their image in "
        f"{selection.label}{end}"
    )
    where = about(system, against=selection.label)
    return [Finding("own-references", sentence, where, {"captions": own}, scored, "warning")]
