"""Measure how formulaic the captions are."""

from auditor.studies.templates.study import templates
from auditor.studies.templates.tables import TEMPLATED

__all__ = ["TEMPLATED", "templates"]
