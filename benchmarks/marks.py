"""Measure the reference marks of `auditor report` for one dataset, and write `auditor/studies/compare/marks.json`.

`AUDITOR_DATA=DATA python benchmarks/marks.py [DATASET …]` ingests the datasets into stores in memory, one by one; those
not named keep theirs. `tests/studies/compare/test_marks.py` checks the file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from auditor.model import silent
from auditor.store.captions import select_all
from auditor.store.connection import MEMORY, Store
from auditor.studies.compare.marks import TOKENIZER, mark_of
from auditor.studies.ingest import ingest

FILE = Path(__file__).parents[1] / "auditor" / "studies" / "compare" / "marks.json"

#: Photographs of the web, of COCO, drawn scenes.
DATASETS = ("flickr8k", "flickr30k-token", "coco-val2017", "pascal50s", "abstract50s", "multi30k")


def main(names: list[str]) -> None:
    """Measure the datasets, and write their marks beside the others."""
    kept = {row["dataset"] + row["metric"]: row for row in json.loads(FILE.read_text(encoding="utf-8"))}
    for name in names or DATASETS:
        with Store.open(MEMORY) as store:
            ingest(store, name)
            (captions,) = select_all(store, [name], None, TOKENIZER)
            kept |= {
                row["dataset"] + row["metric"]: row for row in mark_of(captions, silent).drop("statistic").to_dicts()
            }
        rows = sorted(kept.values(), key=lambda row: (row["metric"], -row["value"]))
        FILE.write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n", encoding="utf-8")
        print(name, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
