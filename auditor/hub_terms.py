"""What Hugging Face calls a license, a size and a language: the words of a dataset's card there."""

from __future__ import annotations

import re

#: Licences that have a page in SPDX's list; in lower case they are those that Hugging Face knows.
_SPDX = (
    "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC-BY-2.0", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-NC-2.0",
    "CC-BY-NC-3.0", "CC-BY-NC-4.0", "CC-BY-NC-ND-4.0", "CC-BY-NC-SA-4.0", "CC-BY-ND-4.0", "CC-BY-SA-3.0",
    "CC-BY-SA-4.0", "CC0-1.0", "MIT",
)  # fmt: skip

#: From how many captions on a dataset is of a size, the largest first.
_SIZES = (
    (10**9, "1B<n<10B"), (10**8, "100M<n<1B"), (10**7, "10M<n<100M"), (10**6, "1M<n<10M"), (10**5, "100K<n<1M"),
    (10**4, "10K<n<100K"), (10**3, "1K<n<10K"), (0, "n<1K"),
)  # fmt: skip


def spdx(written: str) -> str | None:
    """Give SPDX's name for a license as people write it; what stands behind it in brackets is of no account."""
    plain = re.sub(r"\s*\(.*\)$", "", written.strip()).replace(" ", "-").lower()
    return next((name for name in _SPDX if name.lower() == plain), None)


def size_category(captions: float) -> str:
    """Name the size of a dataset by its number of captions."""
    return next(size for least, size in _SIZES if captions >= least)


def primary_language(language: str) -> str | None:
    """Give the two or three letters of a language, BCP 47; null where there are none, or it is not known."""
    primary = language.partition("-")[0].lower()
    return primary if re.fullmatch("[a-z]{2,3}", primary) and primary != "und" else None
