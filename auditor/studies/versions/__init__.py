"""The versions of a dataset, and what changed between two of them."""

from auditor.studies.versions.history import datasets, diff
from auditor.studies.versions.tags import drop, tag

__all__ = ["datasets", "diff", "drop", "tag"]
