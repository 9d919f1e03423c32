"""Find exact and near-duplicate captions, including train/test leaks."""

from auditor.findings.wording import LEAK
from auditor.studies.duplicates.search import (
    LIMITS,
    REPEATED,
    TEST,
    TRAIN,
    Question,
    counts_of,
    frames,
    questions_of,
    sides_of,
    too_many,
)
from auditor.studies.duplicates.study import NEAR, duplicates, identical, identical_counts
from auditor.studies.duplicates.tables import COPIED, examples_of, messages, rows

__all__ = [
    "COPIED", "LEAK", "LIMITS", "NEAR", "REPEATED", "TEST", "TRAIN", "Question", "counts_of", "duplicates",
    "examples_of", "frames", "identical", "identical_counts", "messages", "questions_of", "rows", "sides_of",
    "too_many",
]  # fmt: skip
