"""Everything that the other questions found, as one document."""

from auditor.studies.report.card import card
from auditor.studies.report.request import METRICS, ReportSettings
from auditor.studies.report.study import report

__all__ = ["METRICS", "ReportSettings", "card", "report"]
