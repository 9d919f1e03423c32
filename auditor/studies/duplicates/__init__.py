"""Which captions occur again elsewhere, exactly or nearly?"""

from auditor.studies.duplicates.search import TEST, TRAIN
from auditor.studies.duplicates.study import NEAR, duplicates

__all__ = ["NEAR", "TEST", "TRAIN", "duplicates"]
