"""What is written to an address."""

from __future__ import annotations


def sending() -> None:
    """Stub."""
