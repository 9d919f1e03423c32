"""The lowest and the highest value that a metric or a statistic can have: declared by its card, in words, checked."""

from __future__ import annotations

import math

#: What rounding can add to a value at an end of its range.
SLACK = 1e-9

Ends = tuple[float, float]


def in_words(ends: Ends) -> str:
    """Describe a range, such as `0 to 1` or `0 or more`."""
    lowest, highest = ends
    if math.isinf(lowest):
        return "any number" if math.isinf(highest) else f"{highest:g} or less"
    return f"{lowest:g} or more" if math.isinf(highest) else f"{lowest:g} to {highest:g}"
