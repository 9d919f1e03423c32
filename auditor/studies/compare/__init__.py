"""Rank datasets by homogeneity, and by how specific captions are to images (Wang & Gaizauskas 2016)."""

from auditor.studies.compare.answer import METRICS
from auditor.studies.compare.equalize import UNEQUAL, unequal_captions
from auditor.studies.compare.indices import estimated_indices
from auditor.studies.compare.published import IMAGES, REFERENCES, TOKENIZER, beside
from auditor.studies.compare.sameness import drawn_sameness
from auditor.studies.compare.study import compare
from auditor.studies.compare.tables import PLACED

__all__ = [
    "IMAGES", "METRICS", "PLACED", "REFERENCES", "TOKENIZER", "UNEQUAL", "beside", "compare", "drawn_sameness",
    "estimated_indices", "unequal_captions",
]  # fmt: skip
