"""What changed from one version to another, and whether it got worse."""

from auditor.studies.diff.study import diff

__all__ = ["diff"]
