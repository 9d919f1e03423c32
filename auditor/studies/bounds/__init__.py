"""How high can a human score, how low does a wrong caption score? (Wang & Gaizauskas 2016)."""

from auditor.studies.bounds.study import bounds

__all__ = ["bounds"]
