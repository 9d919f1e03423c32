"""The figures that papers print, beside ours."""

from auditor.studies.reproduce.study import reproduce

__all__ = ["reproduce"]
