"""The parts of speech, phrases and complexity of captions."""

from auditor.studies.syntax.study import syntax

__all__ = ["syntax"]
