"""Parallel lists: the n-th captions of all images, each list measured as if it were a system's output.

Van Miltenburg et al. 2018, section 2: each score of the human captions is computed once for each reference.
"""

from __future__ import annotations

from dataclasses import dataclass

from auditor.errors import UsageError
from auditor.model import Selection
from auditor.store.workspace import Workspace

LISTS = ("mean", "all")

#: The share of the images that must have a caption in a list, and the share of captions no longer (no shorter) than the
#: one before them that shows a sorting: 0.89 in Flickr30k, whose files have it, at most 0.69 in other datasets.
_FULL = 0.9

_SORTED = 0.8


@dataclass(frozen=True)
class Lists:
    """How many lists are asked for (0: all captions in one), how many there are, and what a reader must know."""

    asked: int
    number: int
    notes: tuple[str, ...] = ()


def parallel_lists(workspace: Workspace, selection: Selection, lists: str, *, full: bool) -> Lists:
    """Return which lists to measure of relation `reference`.

    A list counts where nine in ten images have a caption in it; with `full`, where all have, as the paper cuts its
    lists to the least number of captions. Raises `UsageError` for
    `lists` other than `mean` and `all`.
    """
    if lists not in LISTS:
        raise UsageError(f"--lists {lists}: known are {', '.join(LISTS)}")
    if lists == "all" or selection.version.kind in ("corpus", "wordlist"):
        return Lists(0, 1)
    parallel = workspace.rows("parallel_list")
    if parallel.is_empty():
        return Lists(0, 1)
    captions = parallel["captions"].to_list()
    least = captions[0] * (1.0 if full else _FULL)
    number = sum(held >= least for held in captions)
    notes = []
    if number < len(captions):
        left_out, images = sum(captions[number:]), "every image has" if full else "nine in ten images have"
        notes.append(
            f"{selection.label}: measured: {number} of {len(captions)} parallel lists, in which {images} a caption;"
            f" captions left out: {left_out:,}; --lists all has them"
        )
    if number > 2:
        later = parallel.filter(parallel["list_no"] > 1)
        pairs, falling, rising = (sum(later[column].to_list()) for column in ("captions", "no_longer", "no_shorter"))
        if max(falling, rising) >= _SORTED * pairs:
            notes.append(
                f"{selection.label}: the captions of each image are sorted by length: a parallel list is no"
                " annotator's, and asl and sdsl of the lists are not those of people;"
                " --lists all measures the captions together"
            )
    return Lists(number, number, tuple(notes))
