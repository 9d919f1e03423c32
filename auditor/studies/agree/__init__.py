"""Does a metric rank captions as people rate them? (Elliott & Keller 2014)."""

from auditor.studies.agree.ratings import Rated
from auditor.studies.agree.rows import ALL, Resampling
from auditor.studies.agree.study import AgreeSettings, agree

__all__ = ["ALL", "AgreeSettings", "Rated", "Resampling", "agree"]
