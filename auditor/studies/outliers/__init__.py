"""Find captions that may belong to another image."""

from auditor.studies.outliers.study import outliers
from auditor.studies.outliers.tables import SWAPPED, misplaced

__all__ = ["SWAPPED", "misplaced", "outliers"]
