"""Variants of captions: how their rows, signatures and notes are joined."""

from __future__ import annotations

import polars as pl

from auditor.scoring.registry import References
from auditor.scoring.variants import Measured, draws_of, merged, over, variants


def measured(*notes: str) -> Measured:
    return Measured(pl.DataFrame({"value": [1.0]}), {"cider": f"signed {len(notes)}"}, notes)


def test_every_variant_is_measured_on_its_own_references() -> None:
    against = References("loo", 2, seed=3)
    drawn = variants(against, "bare", distinct=True)
    assert [*drawn.values()] == [against, References("loo", 2, seed=3, distinct="bare")]
    whole = over(drawn, lambda some: measured(str(some.distinct)))
    assert whole.rows["variant"].to_list() == ["raw", "distinct"]
    assert whole.notes == ["None", "distinct: bare"]


def test_signatures_but_those_of_raw_name_the_variant() -> None:
    whole = merged({"raw": measured(), "equalized": measured("a")})
    assert whole.signatures == {"cider": "signed 0", "cider equalized": "signed 1"}


def test_notes_that_hold_only_without_repeats_are_marked() -> None:
    whole = merged({"raw": measured("a", "b"), "distinct": measured("b", "c"), "equalized": measured("c")})
    assert whole.notes == ["a", "b", "distinct: c", "c"]


def test_draws_have_consecutive_seeds() -> None:
    assert [drawn.seed for drawn in draws_of(References("loo", 2, seed=3, draws=3))] == [3, 4, 5]
