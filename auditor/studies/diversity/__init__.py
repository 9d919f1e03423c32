"""How varied are captions, and which words do systems never use? (van Miltenburg et al. 2018)."""

from auditor.studies.diversity.measuring import captions_and_known, measured
from auditor.studies.diversity.overall import FILE_ORDER
from auditor.studies.diversity.settings import DiversitySettings
from auditor.studies.diversity.study import diversity

__all__ = ["FILE_ORDER", "DiversitySettings", "captions_and_known", "diversity", "measured"]
