"""Scores of captions, or of a system's output."""

from auditor.studies.score.presets import PRESETS
from auditor.studies.score.study import score

__all__ = ["PRESETS", "score"]
