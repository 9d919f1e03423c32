"""What a Parquet or Arrow file may declare: polars takes its word, and asks for the memory."""

from __future__ import annotations

from pathlib import Path

from auditor.errors import SourceError

#: Captions shrink to a third or a tenth; many equal values to almost nothing, so that small files are let be.
_MOST_EXPANSION = 200

_FREE_EXPANSION = 1 << 26

_MOST_ROWS_A_BYTE = 64

_FREE_ROWS = 1 << 22


class Limits:
    """The rows and bytes that a file of its size can hold; each method raises `SourceError` beyond them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held = 0
        self.size = path.stat().st_size

    def check_rows(self, rows: int) -> None:
        """Hear of a number of rows, or of values in a column."""
        if not 0 <= rows <= _FREE_ROWS + _MOST_ROWS_A_BYTE * self.size:
            raise SourceError(f"{self._path}: {rows:,} rows in {self.size:,} bytes: a damaged file or a bomb")

    def check_bytes(self, more: int) -> None:
        """Hear of bytes that are unpacked, beside all those before."""
        self._held += more
        if more < 0 or self._held > _FREE_EXPANSION + _MOST_EXPANSION * self.size:
            raise SourceError(
                f"{self._path}: expands to more than {_MOST_EXPANSION} times its size: a damaged file or a bomb"
            )
