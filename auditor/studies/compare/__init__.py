"""Which dataset is more homogeneous, which more specific to its images? (Wang & Gaizauskas 2016)."""

from auditor.studies.compare.indices import estimated_indices
from auditor.studies.compare.pairs import parted
from auditor.studies.compare.study import compare, unequal_captions
from auditor.studies.compare.tables import AHEAD

__all__ = ["AHEAD", "compare", "estimated_indices", "parted", "unequal_captions"]
