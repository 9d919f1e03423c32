"""Has anything become slow? Ratios of CPU time on 16,000 captions, each against a floor of the same run, in a minute.

A ratio above its limit ends this with exit code 1. Limits are what was measured, and half as much again: what a busy
machine adds to both sides. `python benchmarks/bench.py` measures in full.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

from ingest import measure as ingest_beside_floor
from measuring import load_before, mark, run, table, up, versions
from scoring import COUNTED, call, ingest, score

IMAGES = 3_200

#: CPU of ours by that of the floor, at most.
LIMITS = {
    "ingest / DuckDB reads and stores the file": 12.5,
    "n-gram and LCS metrics / bare pass": 20.0,
    "TER / bare pass": 8.0,
    "chrF / bare pass": 8.5,
    "METEOR / bare pass": 16.0,
}

_HERE = Path(__file__).resolve().parent


def ratios(folder: Path) -> dict[str, float]:
    """Measure everything once, kernels compiled; a metric that cannot be had here is left out."""
    store = folder / "set.duckdb"
    ingest(IMAGES, 1, store, folder, alike=False)
    known = json.loads(run([sys.executable, str(_HERE / "scoring.py"), "--known"], folder)[1])
    wanted = {"n-gram and LCS metrics": COUNTED, "TER": ("ter",), "chrF": ("chrf",), "METEOR": ("meteor",)}
    groups = {name: metrics for name, metrics in wanted.items() if not known[metrics[0]]}
    score([metric for metrics in groups.values() for metric in metrics], store, folder / "compiled.parquet")
    score(COUNTED, store, folder / "scores.parquet")
    bare = [sys.executable, str(_HERE / "floor.py"), str(store), "--scores", str(folder / "scores.parquet")]
    floor = json.loads(run(bare, folder)[1])["cpu"]
    found = {f"{name} / bare pass": call(metrics, store, folder).cpu / floor for name, metrics in groups.items()}
    asked = ["--tiles", "1", "--images", str(IMAGES), "--formats", "token"]
    run([sys.executable, str(_HERE / "ingest.py"), "--write", str(folder), *asked], folder)
    ours, plain = ingest_beside_floor(folder / "captions.token", folder, 2)
    return {"ingest / DuckDB reads and stores the file": ours.cpu / plain.cpu, **found}


def main() -> None:
    """Measure, print, and end with 1 where a limit is passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of the datasets; default: AUDITOR_DATA")
    asked = parser.parse_args()
    if asked.data:
        os.environ["AUDITOR_DATA"] = str(asked.data.resolve())
    print(f"{load_before()}. {versions('numba')}\n", flush=True)
    with tempfile.TemporaryDirectory() as name:
        found = ratios(Path(name))
    rows = [(name, up(ratio), f"≤ {LIMITS[name]:g}", mark(ratio <= LIMITS[name])) for name, ratio in found.items()]
    print("\n".join(table((f"CPU, {5 * IMAGES:,} captions", "measured", "limit", ""), rows)))
    sys.exit(any(ratio > LIMITS[name] for name, ratio in found.items()))


if __name__ == "__main__":
    main()
