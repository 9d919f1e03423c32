"""How often does a metric prefer the caption that raters prefer? (Vedantam et al. 2015)."""

from auditor.studies.consensus.accuracy import (
    ALL,
    COMPARED,
    CONFIDENCE,
    TIE_CREDIT,
    ConsensusSettings,
    accuracies,
    kinds_of,
    preferences,
)
from auditor.studies.consensus.ceiling import half_marks
from auditor.studies.consensus.study import compared, consensus, prepared, scored
from auditor.studies.consensus.tables import ConsensusResult
from auditor.studies.consensus.tables import frame as consensus_rows
from auditor.studies.consensus.votes import PairVotes, pair_votes, with_kinds

__all__ = [
    "ALL", "COMPARED", "CONFIDENCE", "TIE_CREDIT", "ConsensusResult", "ConsensusSettings", "PairVotes", "accuracies",
    "compared", "consensus", "consensus_rows", "half_marks", "kinds_of", "pair_votes", "preferences", "prepared",
    "scored", "with_kinds",
]  # fmt: skip
