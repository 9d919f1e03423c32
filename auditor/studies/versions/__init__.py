"""The versions of a dataset, and what changed between two of them."""

from auditor.studies.versions.history import DEPTH, After, Before, changes, datasets, drifted
from auditor.studies.versions.tags import drop, tag

__all__ = ["DEPTH", "After", "Before", "changes", "datasets", "drifted", "drop", "tag"]
