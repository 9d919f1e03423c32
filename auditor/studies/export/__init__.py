"""From the store to files that others read."""

from auditor.studies.export.beside import opened_for_files
from auditor.studies.export.files import FORMATS
from auditor.studies.export.study import LISTS, export, list_of

__all__ = ["FORMATS", "LISTS", "export", "list_of", "opened_for_files"]
