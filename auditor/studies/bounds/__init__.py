"""Upper and lower bounds of metric scores (Wang & Gaizauskas 2016)."""

from auditor.studies.bounds.study import bounds
from auditor.studies.bounds.tables import METRICS

__all__ = ["METRICS", "bounds"]
