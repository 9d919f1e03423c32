"""Does a metric prefer the caption that people prefer? (Vedantam et al. 2015)."""

from auditor.studies.consensus.settings import AS_PUBLISHED, CONFIDENCE, Settings
from auditor.studies.consensus.study import consensus
from auditor.studies.consensus.votes import comparisons, with_kinds

__all__ = ["AS_PUBLISHED", "CONFIDENCE", "Settings", "comparisons", "consensus", "with_kinds"]
