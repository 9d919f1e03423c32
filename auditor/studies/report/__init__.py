"""Everything that the other questions found, as one document."""

from auditor.studies.report.card import card
from auditor.studies.report.request import METRICS, Settings
from auditor.studies.report.study import report

__all__ = ["METRICS", "Settings", "card", "report"]
