"""How fast a download must come, and by when: a server that sends a byte now and then holds no run for ever."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

#: Seconds over which a rate is measured, and that a server may take to answer.
WINDOW = 60.0

#: The most bytes that are taken, and taken where nobody says how many there will be: a wrong address or a bomb must not
#: fill the disk.
LARGEST, UNDECLARED = 8 << 30, 1 << 30


@dataclass(frozen=True)
class Patience:
    """What a download may take: bytes per second that must come, and seconds in all; 0 stands for no bound."""

    min_rate: float = 1_000.0
    deadline: float = 3_600.0


#: What holds where a user says nothing else.
PATIENCE = Patience()


class Pace:
    """The bytes of one download as they come: `begin` at each connection, `received`, and whether that is too slow."""

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
        """Return what is too slow, and what to do; null where nothing is."""
        now, least = time.monotonic(), self._patience.min_rate
        if now >= self._ends:
            return f"not finished after {self._patience.deadline:,g} seconds; try again, or set --deadline"
        if now - self._since < WINDOW:
            return None
        if self._bytes < least * (now - self._since):
            return f"slower than {least:,g} bytes per second for {WINDOW:g} seconds; try again, or set --min-rate"
        self.begin()
        return None
