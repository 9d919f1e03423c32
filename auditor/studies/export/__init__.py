"""From the store to files that others read."""

from auditor.studies.export.study import export

__all__ = ["export"]
