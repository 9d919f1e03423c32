"""Find exact and near-duplicate captions, including train/test leaks."""

from auditor.findings.wording import LEAK
from auditor.studies.duplicates.messages import AT_SEVERAL, COPIED, at_several_images, messages
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
from auditor.studies.duplicates.study import NEAR, duplicates, identical
from auditor.studies.duplicates.tables import rows

__all__ = [
    "AT_SEVERAL", "COPIED", "LEAK", "LIMITS", "NEAR", "REPEATED", "TEST", "TRAIN", "Question", "at_several_images",
    "counts_of", "duplicates", "frames", "identical", "messages", "questions_of", "rows", "sides_of", "too_many",
]  # fmt: skip
