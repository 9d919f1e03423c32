"""How varied are captions, and what do systems never say? (van Miltenburg et al. 2018)."""

from auditor.studies.diversity.settings import Settings
from auditor.studies.diversity.study import PUBLISHED_PROFILE, chosen, diversity, measured

__all__ = ["PUBLISHED_PROFILE", "Settings", "chosen", "diversity", "measured"]
