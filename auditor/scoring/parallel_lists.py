"""Parallel lists: the n-th captions of all images, each list measured like the output of a system.

Van Miltenburg et al. 2018, section 2: each score of the human captions is computed once for each reference.
"""

from __future__ import annotations

from dataclasses import dataclass

from auditor.errors import UsageError
from auditor.model import Selection
from auditor.store.workspace import Workspace

LISTS = ("mean", "all")

#: The share of images that must have a caption in a list; and the share of captions that are no longer (no shorter)
#: than the one before them if captions are sorted: 0.89 in Flickr30k, which is sorted, at most 0.69 in other datasets.
_FULL = 0.9

_SORTED = 0.8


@dataclass(frozen=True)
class Lists:
    """How many lists are requested (0: all captions in one), how many there are, and notes for the reader."""

    asked: int
    number: int
    notes: tuple[str, ...] = ()


def parallel_lists(workspace: Workspace, selection: Selection, lists: str, *, full: bool) -> Lists:
    """Return which lists of relation `reference` to measure.

    A list counts if 90% of the images have a caption in it. With `full`, all must, as the paper cuts its lists to the
    smallest number of captions. Raises `UsageError` for `lists` other than `mean` and `all`.
    """
    if lists not in LISTS:
        raise UsageError(f"--lists {lists}: unknown value; use {' or '.join(LISTS)}")
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
        left_out, images = sum(captions[number:]), "every image has" if full else "90% of the images have"
        notes.append(
            f"{selection.label}: measured {number} of {len(captions)} parallel lists, in which {images} a caption;"
            f" {left_out:,} captions left out; --lists all includes them"
        )
    if number > 2:
        later = parallel.filter(parallel["list_no"] > 1)
        pairs, falling, rising = (sum(later[column].to_list()) for column in ("captions", "no_longer", "no_shorter"))
        if max(falling, rising) >= _SORTED * pairs:
            notes.append(
                f"{selection.label}: captions are sorted by length within each image, so a parallel list does not"
                " correspond to an annotator, and its asl and sdsl are not an annotator's;"
                " use --lists all to measure the captions together"
            )
    return Lists(number, number, tuple(notes))
