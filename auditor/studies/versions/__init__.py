"""What a dataset held and when, and what changed between two versions."""

from auditor.studies.versions.drop import drop
from auditor.studies.versions.history import datasets, diff, log
from auditor.studies.versions.tags import note, tag

__all__ = ["datasets", "diff", "drop", "log", "note", "tag"]
