"""What is wrong with the captions, how bad is it, and which are they?"""

from auditor.findings.severity import ranked
from auditor.studies.findings.others import METRICS, Answers, playing, told, unasked
from auditor.studies.findings.study import findings

__all__ = ["METRICS", "Answers", "findings", "playing", "ranked", "told", "unasked"]
