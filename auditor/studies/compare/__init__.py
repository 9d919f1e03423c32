"""Rank datasets by homogeneity, and by how specific captions are to images (Wang & Gaizauskas 2016)."""

from auditor.studies.compare.indices import estimated_indices
from auditor.studies.compare.study import UNEQUAL, compare, unequal_captions

__all__ = ["UNEQUAL", "compare", "estimated_indices", "unequal_captions"]
