"""From files to a version in the store, and from the store to files."""

from auditor.studies.ingest.export import export
from auditor.studies.ingest.fetch import fetch, fetch_sources
from auditor.studies.ingest.sources import ingest_sources
from auditor.studies.ingest.study import ingest

__all__ = ["export", "fetch", "fetch_sources", "ingest", "ingest_sources"]
