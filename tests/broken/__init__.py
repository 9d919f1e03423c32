"""Broken inputs, made by code: what a download, a disk, an editor or an enemy may hand to `auditor ingest`."""

from __future__ import annotations

from broken import arrays, json_files, lines, matlab, packed, places, tables
from broken.case import Broken
from broken.whole import befallen

CASES: tuple[Broken, ...] = (
    *befallen(), *lines.CASES, *json_files.CASES, *tables.CASES, *packed.CASES, *matlab.CASES, *places.CASES, *arrays.CASES
)  # fmt: skip
