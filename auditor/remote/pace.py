"""Minimum rate and deadline of a download, so that a slow server cannot block a run forever."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

#: Seconds over which a rate is measured; also the time limit for a response.
WINDOW = 60.0

#: The most bytes of a download, and of one of unknown size: a wrong address or a bomb must not fill the disk.
LARGEST, UNDECLARED = 8 << 30, 1 << 30


@dataclass(frozen=True)
class Patience:
    """Limits of a download: the least bytes per second, and the most seconds in total; 0 means no limit."""

    min_rate: float = 1_000.0
    deadline: float = 3_600.0


#: The default limits.
PATIENCE = Patience()


class Pace:
    """The rate of a download: call `begin` at each connection and `received` for its bytes; `trouble` checks it."""

    def __init__(self, patience: Patience) -> None:
        self._patience = patience
        self._ends = time.monotonic() + (patience.deadline or math.inf)
        self.begin()

    def begin(self) -> None:
        """Measure from now on."""
        self._since, self._bytes = time.monotonic(), 0

    def received(self, count: int) -> None:
        """Count bytes."""
        self._bytes += count

    def trouble(self) -> str | None:
        """Return why a download is too slow, with the remedy; null if it is not."""
        now, least = time.monotonic(), self._patience.min_rate
        if now >= self._ends:
            return f"not finished after {self._patience.deadline:,g} seconds; try again, or set --deadline"
        if now - self._since < WINDOW:
            return None
        if self._bytes < least * (now - self._since):
            return (
                f"received less than {least:,g} bytes per second for {WINDOW:g} seconds; try again, or set --min-rate"
            )
        self.begin()
        return None
