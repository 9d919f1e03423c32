"""Write a full audit report, or a dataset card."""

from auditor.studies.report.card import card
from auditor.studies.report.request import METRICS, ReportSettings
from auditor.studies.report.study import pictures_of_result, report, steps_of

__all__ = ["METRICS", "ReportSettings", "card", "pictures_of_result", "report", "steps_of"]
