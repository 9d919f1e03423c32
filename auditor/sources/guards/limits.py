"""Limits of what a Parquet or Arrow file can declare: polars trusts it, and allocates the memory."""

from __future__ import annotations

from pathlib import Path

from auditor.errors import SourceError

#: Captions compress to a third or a tenth, many equal values to almost nothing: small files are not limited.
_MOST_EXPANSION = 200

_FREE_EXPANSION = 1 << 26

_MOST_ROWS_A_BYTE = 64

_FREE_ROWS = 1 << 22


class Limits:
    """The rows and bytes that a file of its size can hold; each method raises `SourceError` for more."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held = 0
        self.size = path.stat().st_size

    def check_rows(self, rows: int) -> None:
        """Check a number of rows, or of values in a column."""
        if not 0 <= rows <= _FREE_ROWS + _MOST_ROWS_A_BYTE * self.size:
            raise SourceError(f"{self._path}: declares {rows:,} rows in {self.size:,} bytes: damaged, or a zip bomb")

    def check_bytes(self, more: int) -> None:
        """Add unpacked bytes to the previous ones, and check the sum."""
        self._held += more
        if more < 0 or self._held > _FREE_EXPANSION + _MOST_EXPANSION * self.size:
            raise SourceError(
                f"{self._path}: expands to more than {_MOST_EXPANSION} times its size: damaged, or a zip bomb"
            )
