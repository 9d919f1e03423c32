"""Find captions that may belong to another image."""

from auditor.studies.outliers.study import outliers

__all__ = ["outliers"]
