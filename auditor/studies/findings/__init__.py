"""Find problems in the captions, ranked by severity."""

from auditor.findings import ranked
from auditor.studies.bounds import METRICS
from auditor.studies.findings.baseline import unlisted
from auditor.studies.findings.dimensions import TABLE
from auditor.studies.findings.located import located
from auditor.studies.findings.protected import CONTAMINATED
from auditor.studies.findings.questions import Key, Questions
from auditor.studies.findings.study import all_findings, findings, in_store
from auditor.studies.findings.summary import LENGTHS, MEASURES, SPLITS, SUMMARY, checked_verdicts, read_summary

__all__ = [
    "CONTAMINATED", "LENGTHS", "MEASURES", "METRICS", "SPLITS", "SUMMARY", "TABLE", "Key", "Questions", "all_findings",
    "checked_verdicts", "findings", "in_store", "located", "ranked", "read_summary", "unlisted",
]  # fmt: skip
