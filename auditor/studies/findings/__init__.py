"""Find problems in the captions, ranked by severity."""

from auditor.findings import ranked
from auditor.studies.findings.questions import METRICS, Questions
from auditor.studies.findings.study import all_findings, findings, refuse_severity

__all__ = ["METRICS", "Questions", "all_findings", "findings", "ranked", "refuse_severity"]
