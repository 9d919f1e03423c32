"""The terms that hubs filter by."""

from __future__ import annotations

import pytest

from auditor.dataset_card import size_category


@pytest.mark.parametrize(
    ("captions", "size"),
    [
        (0, "n<1K"),
        (999, "n<1K"),
        (1_000, "1K<n<10K"),
        (10_000, "10K<n<100K"),
        (99_999, "10K<n<100K"),
        (100_000, "100K<n<1M"),
        (1_000_000, "1M<n<10M"),
        (10**7, "10M<n<100M"),
        (10**8, "100M<n<1B"),
        (10**9, "1B<n<10B"),
    ],
)
def test_size_begins_where_its_name_begins(captions: int, size: str) -> None:
    assert size_category(captions) == size
