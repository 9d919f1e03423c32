"""Headers of SELECTs that say how the rows of parts merge: on two halves of the captions of their cases, they hold."""

from __future__ import annotations

import random

import polars as pl
import pytest
from sqlcases import load, variants, workspace_of

from auditor.findings import CAPTION_KINDS
from auditor.scoring.scale_out import merging
from auditor.store.connection import MEMORY, Store
from auditor.store.sqlfiles import catalogue, reads_of
from auditor.store.workspace import Workspace
from auditor.studies.findings.wanted import CHECKED

#: Files that read the captions of a version themselves, not a relation: a part has a store of its own.
OF_THE_VERSION = {name for name, file in catalogue().items() if "membership" in file.reads}

MERGING = sorted(
    name
    for name, file in catalogue().items()
    if file.merges and name not in OF_THE_VERSION and not merging.why_not(name)
)


def of_half(workspace: Workspace, own: str, rows: pl.DataFrame, half: int) -> None:
    """Bind the captions of every second image, or every second text."""
    workspace.bind_rows(own, rows.filter(pl.col("image_no" if own == "reference" else "text_no") % 2 == half))
    if own == "reference":
        workspace.bind("text_at_work", "reference_text")


@pytest.mark.parametrize("name", MERGING)
def test_rows_of_two_halves_make_those_of_all(name: str) -> None:
    file = catalogue()[name]
    assert merging.merges(name), "it reads a relation that does not merge"
    with workspace_of(file, variants(load(file))[0]) as workspace:
        own = "distinct_text" if "distinct_text" in reads_of(name) else "reference"
        if own not in workspace.bound:
            workspace.bind(own)
        whole, rows = workspace.rows(name), workspace.query(f"from {own}")
        for known in sorted(merging.given(name)):
            workspace.bind_rows(known, workspace.rows(known))
        parts = []
        for half in (0, 1):
            of_half(workspace, own, rows, half)
            parts.append(workspace.rows(name))
    made = pl.concat(parts)
    if merging.is_sum(name):
        made = merging.added(name, made.lazy())
        assert made.columns == whole.columns
        assert sorted(map(repr, made.rows())) == sorted(map(repr, whole.rows()))
    assert {*map(repr, made.rows())} == {*map(repr, whole.rows())}  # parts can share texts


def test_a_kind_is_checked_over_shards_if_its_selects_merge() -> None:
    listed = {kind for kind, entry in CAPTION_KINDS.items() if entry.select and merging.merges(entry.select)}
    assert listed <= {*CHECKED}
    unsaid = [entry.select for kind, entry in CAPTION_KINDS.items()
              if kind not in CHECKED and not merging.why_not(entry.select)]  # fmt: skip
    assert not unsaid, "say in the header how its rows merge, or why they do not: `merges: not, …`"


def test_counts_are_known_after_their_round() -> None:
    assert [merging.round_of(name) for name in ("english_token", "near_word", "near_place", "truncated_end")] == [
        1,
        1,
        2,
        2,
    ]
    assert merging.given("misspelled") == {"near_word", "usual_neighbor"}
    assert not merging.merges("boilerplate")


def test_quantile_of_counted_values_is_that_of_the_values() -> None:
    """As the engine computes it from every value, but for rounding."""
    counted = (
        "with v as (select unnest($values) as x), u as (select x, sum(count(*)) over (order by x) as upto from v group by x)"
        " select quantile_of(list(x order by x), list(upto order by x), $share), (select quantile_cont(x, $share) from v) from u"
    )
    drawn = random.Random(3)
    with Store.open(MEMORY) as store:
        for share in (0.25, 0.5, 0.75, 0.9):
            for size in (1, 2, 3, 10, 11, 40):
                values = [drawn.randint(0, 9) for _ in range(size)]
                made, wanted = store.query(counted.replace("$share", str(share)), {"values": values}).row(0)
                assert made == pytest.approx(wanted, abs=1e-9)
