"""How metrics react to changes of captions (Wang & Gaizauskas 2016, Vedantam et al. 2015)."""

from auditor.studies.probe.study import probe

__all__ = ["probe"]
