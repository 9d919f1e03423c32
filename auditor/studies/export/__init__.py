"""From the store to files that others read."""

from auditor.studies.export.files import FORMATS
from auditor.studies.export.study import changes_of, export, left_out_of

__all__ = ["FORMATS", "changes_of", "export", "left_out_of"]
