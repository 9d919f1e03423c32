"""Checks of datasets against the gates of `datasets.toml`."""

from auditor.studies.check.gates import located, understood
from auditor.studies.check.study import check

__all__ = ["check", "located", "understood"]
