"""Which parallel lists are measured: those that nine in ten images have, or all of them."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from auditor.errors import UsageError
from auditor.scoring.single_captions import Lists, parallel_lists


def lists(captions: Sequence[int], asked: str = "mean", *, full: bool = False, no_longer: int = 0) -> Lists:
    """Ask for the lists of a dataset by how many captions are in each of them."""
    numbers = range(1, len(captions) + 1)
    rows = pl.DataFrame({"list_no": numbers, "captions": captions, "no_longer": no_longer, "no_shorter": 0})
    at_work: Any = SimpleNamespace(rows={"parallel_list": rows}.__getitem__)
    selection: Any = SimpleNamespace(label="set", version=SimpleNamespace(kind="captions"))
    return parallel_lists(at_work, selection, asked, full=full)


def test_a_list_counts_where_enough_images_have_a_caption_in_it() -> None:
    assert lists([10, 10, 9, 8]).number == 3
    assert lists([10, 10, 9, 8], full=True).number == 2
    (note,) = lists([10, 10, 9, 8], full=True).notes
    assert "measured 2 of 4 parallel lists, in which every image has a caption; 17 captions left out" in note
    assert lists([10, 9]).notes == ()
    (note,) = lists([10, 10, 10], no_longer=8).notes
    assert note.startswith("set: captions are sorted by length within each image")
    assert lists([10, 10, 10], no_longer=7).notes == ()


def test_all_captions_are_one_list_where_that_is_asked_for() -> None:
    assert lists([10, 10], "all") == lists([]) == Lists(0, 1)
    with pytest.raises(UsageError, match="--lists some"):
        lists([10], "some")
