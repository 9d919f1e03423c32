"""From files to a version in the store."""

from auditor.studies.ingest.apart import apart
from auditor.studies.ingest.fetch import fetch, fetch_sources
from auditor.studies.ingest.lines import lines_of, records_of
from auditor.studies.ingest.sources import ingest_sources
from auditor.studies.ingest.study import ingest

__all__ = ["apart", "fetch", "fetch_sources", "ingest", "ingest_sources", "lines_of", "records_of"]
