"""Upper and lower bounds of metric scores (Wang & Gaizauskas 2016)."""

from auditor.studies.bounds.study import bounds

__all__ = ["bounds"]
