"""Which caption is right, and can it be told without the image? (Hodosh & Hockenmaier 2016)."""

from auditor.studies.choices.rows import ALL, of_all_items
from auditor.studies.choices.study import choices

__all__ = ["ALL", "choices", "of_all_items"]
