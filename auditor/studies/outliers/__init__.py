"""Which captions do not seem to be of their image?"""

from auditor.studies.outliers.study import outliers

__all__ = ["outliers"]
