"""How does each caption, or each caption of a system, score?"""

from auditor.studies.score.presets import PRESETS
from auditor.studies.score.study import score

__all__ = ["PRESETS", "score"]
