"""Stores of each released schema, kept with the numbers that they gave: `python tests/store/kept_stores.py`.

They are in `tests/store/kept/`. The program writes the store of the newest schema from the bundled samples. Before the release of a schema make it again
after a change of `sql/schema.sql`; afterwards never: users have such stores, which later versions open.
"""

from __future__ import annotations

import gzip
import json
import shutil
import tempfile
from pathlib import Path

import auditor
from auditor.config import sources
from auditor.store import migrations
from auditor.store.connection import Store
from auditor.studies import STUDIES
from auditor.studies.ingest import ingest_sources

KEPT = Path(__file__).parent / "kept"

SAMPLE = Path(auditor.__file__).parent / "sample" / "datasets.toml"

NAMES = ("sample-narrow", "sample-varied", "sample-flawed")


def asked(store: Store) -> dict[str, object]:
    """Ask a store of the samples for its versions, what they hold, a finding's captions and scores."""

    def rows(study: str, *names: str, columns: str, **settings: object) -> object:
        frame = STUDIES[study].load()(store, *names, **settings).frame
        return json.loads(frame.select(columns.split()).write_json())

    scored = {"metrics": ["bleu-4", "cider"], "candidates": ["human", "intra"]}
    return {
        "datasets": rows("datasets", columns="dataset seq version images captions"),
        "profile": rows("profile", *NAMES, columns="dataset statistic value"),
        "duplicates": rows("duplicates", "sample-flawed", columns="statistic scope slot value n"),
        "bounds": rows("bounds", "sample-flawed", columns="dataset metric candidate level n mean signature", **scored),
    }


def unpacked(schema: int, path: Path) -> dict[str, object]:
    """Copy the kept store of a schema to a path, and return the numbers that it gave."""
    with gzip.open(KEPT / f"schema-{schema}.duckdb.gz") as packed, path.open("wb") as file:
        shutil.copyfileobj(packed, file)
    numbers: dict[str, object] = json.loads((KEPT / f"schema-{schema}.json").read_text())
    return numbers


def main() -> None:
    """Write the store of the newest schema, with what it has counted, and its numbers."""
    name = f"schema-{migrations.newest()}"
    KEPT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "audit.duckdb"
        with Store.open(path, write=True) as store:
            ingest_sources(store, list(sources(SAMPLE, data=SAMPLE.parent).values()))
        with Store.open(path, write=True) as store:
            numbers = asked(store)
        lines = json.dumps(numbers).replace("}, {", "},\n{").replace("], ", "],\n")
        (KEPT / f"{name}.json").write_text(lines + "\n")
        (KEPT / f"{name}.duckdb.gz").write_bytes(gzip.compress(path.read_bytes(), 9, mtime=0))


if __name__ == "__main__":
    main()
