"""Measure how formulaic the captions are."""

from auditor.studies.templates.study import templates

__all__ = ["templates"]
