"""How often does a metric prefer the caption that raters prefer? (Vedantam et al. 2015)."""

from auditor.studies.consensus.accuracy import ALL, accuracies, kinds_of, resampling_key
from auditor.studies.consensus.rows import ConsensusResult
from auditor.studies.consensus.rows import frame as consensus_rows
from auditor.studies.consensus.settings import COMPARED, ConsensusSettings, PairSettings
from auditor.studies.consensus.study import compared, consensus
from auditor.studies.consensus.votes import PairVotes, pair_votes, with_kinds

__all__ = [
    "ALL", "COMPARED", "ConsensusResult", "ConsensusSettings", "PairSettings", "PairVotes", "accuracies", "compared",
    "consensus", "consensus_rows", "kinds_of", "pair_votes", "resampling_key", "with_kinds",
]  # fmt: skip
