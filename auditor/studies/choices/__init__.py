"""Which caption is right, and can it be told without the image? (Hodosh & Hockenmaier 2016)."""

from auditor.studies.choices.rows import ALL, FAIR
from auditor.studies.choices.study import choices

__all__ = ["ALL", "FAIR", "choices"]
