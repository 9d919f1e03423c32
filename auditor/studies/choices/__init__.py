"""Which caption is right, and is the image needed to decide? (Hodosh & Hockenmaier 2016)."""

from auditor.studies.choices.rows import ALL, of_all_items
from auditor.studies.choices.study import choices

__all__ = ["ALL", "choices", "of_all_items"]
