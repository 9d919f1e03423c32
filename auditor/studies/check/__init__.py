"""Checks of datasets against the gates of `datasets.toml`."""

from auditor.studies.check.gates import understood
from auditor.studies.check.study import check

__all__ = ["check", "understood"]
