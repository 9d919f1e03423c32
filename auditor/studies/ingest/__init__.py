"""From files to a version in the store, and from the store to files."""

from auditor.studies.ingest.export import export
from auditor.studies.ingest.fetch import fetch
from auditor.studies.ingest.naming import wanted
from auditor.studies.ingest.study import MAX_REJECTED, ingest

__all__ = ["MAX_REJECTED", "export", "fetch", "ingest", "wanted"]
