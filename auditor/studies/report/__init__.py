"""Write a full audit report, or a dataset card."""

from auditor.studies.report.card import card
from auditor.studies.report.pictured import pictures_of_result
from auditor.studies.report.request import METRICS, ReportSettings
from auditor.studies.report.study import report

__all__ = ["METRICS", "ReportSettings", "card", "pictures_of_result", "report"]
