"""Does a metric prefer the caption that people prefer? (Vedantam et al. 2015)."""

from auditor.studies.consensus.settings import AS_PUBLISHED, CONFIDENCE, ConsensusSettings
from auditor.studies.consensus.study import consensus
from auditor.studies.consensus.votes import pair_votes, with_kinds

__all__ = ["AS_PUBLISHED", "CONFIDENCE", "ConsensusSettings", "consensus", "pair_votes", "with_kinds"]
