"""Checks of datasets against the gates of `datasets.toml`."""

from auditor.studies.check.gates import located, understood
from auditor.studies.check.measures import repeated
from auditor.studies.check.study import FAILED, check

__all__ = ["FAILED", "check", "located", "repeated", "understood"]
