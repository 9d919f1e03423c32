"""Does a dataset keep what `datasets.toml` demands of it?"""

from auditor.studies.check.gates import understood
from auditor.studies.check.study import check

__all__ = ["check", "understood"]
