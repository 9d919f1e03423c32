"""Broken inputs, made by code: what a download, a disk, an editor or an enemy may hand to `auditor ingest`."""

from __future__ import annotations

from broken.case import Broken
from broken.whole import befallen

CASES: tuple[Broken, ...] = (*befallen(),)
