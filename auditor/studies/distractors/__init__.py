"""Which of two texts is the caption? Forced-choice items, by the rules of Hodosh & Hockenmaier 2016."""

from auditor.studies.distractors.study import COLUMNS, DRAWS, TASKS, distractors, write

__all__ = ["COLUMNS", "DRAWS", "TASKS", "distractors", "write"]
