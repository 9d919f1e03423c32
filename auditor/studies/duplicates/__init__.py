"""Find exact and near-duplicate captions, including train/test leaks."""

from auditor.studies.duplicates.search import TEST, TRAIN
from auditor.studies.duplicates.study import NEAR, duplicates, identical, identical_counts
from auditor.studies.duplicates.tables import COPIED, LEAK, examples_of

__all__ = ["COPIED", "LEAK", "NEAR", "TEST", "TRAIN", "duplicates", "examples_of", "identical", "identical_counts"]
