"""From the store to files that others read."""

from auditor.studies.export.study import export, left_out_of

__all__ = ["export", "left_out_of"]
